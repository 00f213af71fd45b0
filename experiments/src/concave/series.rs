//! Figs. 4 and 5: the distance along the motion, and the number of pairs of pieces that SOPA sends to its second stage.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use pathproof_papers::concave::{SopaMemory, SopaSettings};

use super::agreement::seed;
use super::prepared::Prepared;
use crate::plot::{Axis, Plot, Series, stacked};

pub(crate) fn write(prepared: &Prepared, enough: [usize; 2], folder: &Path) -> Result<()> {
    let mut memory = SopaMemory::default();
    let (mut distances, mut pairs) = (Vec::new(), [Vec::new(), Vec::new()]);
    for step in 0..prepared.least.len() {
        let query = prepared.query(step);
        for (place, nodes) in [&prepared.fine, &prepared.coarse].into_iter().enumerate() {
            let settings = SopaSettings { starts: enough[place], seed: seed(0, step), ..SopaSettings::default() };
            let found = query.sopa([&nodes[0], &nodes[1]], &settings, &mut memory)?;
            pairs[place].push(found.work.piece_pairs as f64);
            if place == 0 {
                distances.push(found.nearest.context("there is a niche")?.upper);
            }
        }
    }
    let name = prepared.case.name;
    let figure = if name == "battery" { 4 } else { 5 };
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut csv = String::from("step,exact_m,sopa_fine_m,pairs_fine,pairs_coarse\n");
    for step in 0..distances.len() {
        let (least, found) = (prepared.least[step], distances[step]);
        writeln!(csv, "{step},{least:?},{found:?},{},{}", pairs[0][step], pairs[1][step])?;
    }
    save(&folder.join(format!("concave-{name}.csv")), &csv)?;
    let line = |name: &str, values: &[f64]| {
        let points = values.iter().enumerate().map(|(step, value)| [step as f64, *value]).collect();
        Series { name: name.to_owned(), points }
    };
    let plot = |title: String, label: &str, series: Vec<Series>| Plot {
        title,
        x: Axis::linear("time step"),
        y: Axis::linear(label),
        series,
    };
    let title = format!("Fig. {figure}: {name}, {} and {} starts", enough[0], enough[1]);
    let panels = [
        plot(title, "distance (m)", vec![line("SOPA + mindist", &distances)]),
        plot(String::new(), "pairs to the second stage", vec![line("fine", &pairs[0]), line("coarse", &pairs[1])]),
    ];
    save(&folder.join(format!("concave-{name}.svg")), &stacked(&panels))
}

fn save(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
