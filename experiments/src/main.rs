//! Re-runs tables and figures of the papers and prints them beside the papers' own numbers.
//!
//! A module per experiment; each prints its rows through [`report::Report`], as text or as one JSON object
//! per line. Timings are taken on one thread, the methods of a row interleaved, so that their ratios hold.

mod all;
mod bodies;
mod bounds;
mod certificates;
mod concave;
mod curves;
mod cycle;
mod edges;
mod gjk;
mod gjk_counted;
mod greedy;
mod growth;
mod mbm;
mod memory;
mod paths;
mod penetration;
mod picture;
mod planning;
mod plot;
mod real_cells;
mod regions;
mod report;
mod report_page;
mod scenes;
mod segments;
mod spacetime;
mod static_distance;
mod timing;
mod tradeoff;
mod trajectories;
mod volumes;
mod walk;
mod walks;
mod waypoints;

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::Parser;
use report::{Output, Report};

/// Options of an experiment.
pub(crate) struct Options {
    /// Small enough for every test run.
    pub(crate) quick: bool,
    /// Number of samples per row, if not the usual one.
    pub(crate) count: Option<usize>,
    /// Only this case, for experiments on segments.
    pub(crate) case: Option<String>,
    /// Folder for files of experiments that write some.
    pub(crate) output: Option<PathBuf>,
}

impl Options {
    /// Number of samples per row: the given or the usual number.
    pub(crate) fn samples(&self, usual: usize) -> usize {
        self.count.unwrap_or(usual)
    }

    /// True if a case is wanted.
    pub(crate) fn wants(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|wanted| wanted == case)
    }
}

/// A table or figure of the papers, or something beside them.
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Options, &mut Report) -> Result<()>,
    /// Cases by which `all` splits a long one.
    pub(crate) cases: &'static [&'static str],
}

impl Experiment {
    const fn new(name: &'static str, run: fn(&Options, &mut Report) -> Result<()>) -> Self {
        Self { name, run, cases: &[] }
    }

    const fn split(
        name: &'static str,
        run: fn(&Options, &mut Report) -> Result<()>,
        cases: &'static [&'static str],
    ) -> Self {
        Self { name, run, cases }
    }
}

/// Every experiment, in the order in which `all` runs them.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment::new("memory", memory::run),
    Experiment::new("greedy", greedy::run),
    Experiment::new("bounds", bounds::run),
    Experiment::new("volumes", volumes::run),
    Experiment::split("segments", segments::run, segments::CASES),
    Experiment::new("tradeoff", tradeoff::run),
    Experiment::new("edges", edges::run),
    Experiment::new("paths", paths::run),
    Experiment::new("growth", growth::run),
    Experiment::new("regions", regions::run),
    Experiment::new("waypoints", waypoints::run),
    Experiment::new("curves", curves::run),
    Experiment::new("certificates", certificates::run),
    Experiment::split("planning", planning::run, planning::CASES),
    Experiment::split("walk", walk::run, walk::CASES),
    Experiment::new("mbm", mbm::run),
    Experiment::new("gjk", gjk::run),
    Experiment::new("penetration", penetration::run),
    Experiment::new("static", static_distance::run),
    Experiment::split("concave", concave::run, concave::CASES),
    Experiment::new("spacetime", spacetime::run),
    Experiment::new("cycle", cycle::run),
    Experiment::new("scenes", scenes::run),
];

#[derive(Parser)]
#[command(about = "Re-runs a table or figure of the papers; `all` runs every one, with -o into one page")]
struct Arguments {
    /// Name of the experiment, or `all`.
    name: String,
    /// Small enough for every test run.
    #[arg(long)]
    quick: bool,
    /// One JSON object a line and nothing else.
    #[arg(long)]
    json: bool,
    /// Samples per row instead of the usual number: free segments (`segments`, `certificates`, `tradeoff`), configurations
    /// (`greedy`), scenes (`spacetime`), repeated trajectories (`concave`), runs (`planning`), problems of each set (`mbm`,
    /// `curves`).
    #[arg(long)]
    count: Option<usize>,
    /// Only this case (`segments`, `concave`, `planning`, `walk`, `mbm`, `curves`).
    #[arg(long)]
    case: Option<String>,
    /// Folder for what is written.
    #[arg(short)]
    output: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let options =
        Options { quick: arguments.quick, count: arguments.count, case: arguments.case, output: arguments.output };
    let is_all = arguments.name == "all";
    if let (true, Some(folder)) = (is_all, &options.output) {
        ensure!(!arguments.json, "all -o writes a page; its rows are in the folder: leave out --json");
        return all::run(&options, folder);
    }
    let mut report = Report::new(if arguments.json { Output::Json } else { Output::Text });
    let chosen: Vec<_> = EXPERIMENTS.iter().filter(|e| is_all || arguments.name == e.name).collect();
    if chosen.is_empty() {
        let names: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
        bail!("no experiment is called {:?}; there are: all, {}", arguments.name, names.join(", "));
    }
    for experiment in chosen {
        report.start(experiment.name);
        (experiment.run)(&options, &mut report)?;
    }
    Ok(())
}
