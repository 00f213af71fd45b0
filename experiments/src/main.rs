//! Re-runs tables and figures of the papers and prints them beside the papers' own numbers.
//!
//! One module an experiment; each prints its rows through [`report::Report`], as text or as one JSON object
//! a line. Timings are taken on one thread, the methods of a row interleaved, so that their ratios hold.

mod bodies;
mod bounds;
mod certificates;
mod concave;
mod curves;
mod cycle;
mod edges;
mod gjk;
mod greedy;
mod growth;
mod mbm;
mod memory;
mod paths;
mod planning;
mod real_cells;
mod report;
mod scenes;
mod segments;
mod spacetime;
mod static_distance;
mod timing;
mod tradeoff;
mod trajectories;
mod walk;
mod walks;
mod waypoints;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Parser;
use report::Report;

/// What an experiment is told.
pub(crate) struct Options {
    /// Small enough for every test run.
    pub(crate) quick: bool,
    /// How many free segments a row instead of the usual number, for experiments on segments.
    pub(crate) count: Option<usize>,
    /// Only this case, for experiments on segments.
    pub(crate) case: Option<String>,
    /// Where files go, for experiments that write some.
    pub(crate) output: Option<PathBuf>,
}

impl Options {
    /// How many free segments a row: the usual number, or what was asked for.
    pub(crate) fn segments(&self, usual: usize) -> usize {
        self.count.unwrap_or(usual)
    }

    /// Whether a case is wanted.
    pub(crate) fn wants(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|wanted| wanted == case)
    }
}

type Experiment = fn(&Options, &mut Report) -> Result<()>;

/// Every experiment by name, in the order in which `all` runs them.
const EXPERIMENTS: &[(&str, Experiment)] = &[
    ("memory", memory::run),
    ("greedy", greedy::run),
    ("bounds", bounds::run),
    ("segments", segments::run),
    ("tradeoff", tradeoff::run),
    ("edges", edges::run),
    ("paths", paths::run),
    ("growth", growth::run),
    ("waypoints", waypoints::run),
    ("curves", curves::run),
    ("certificates", certificates::run),
    ("planning", planning::run),
    ("walk", walk::run),
    ("mbm", mbm::run),
    ("gjk", gjk::run),
    ("static", static_distance::run),
    ("concave", concave::run),
    ("spacetime", spacetime::run),
    ("cycle", cycle::run),
    ("scenes", scenes::run),
];

#[derive(Parser)]
#[command(about = "Re-runs a table or figure of the papers; `all` runs every one")]
struct Arguments {
    /// Name of the experiment, or `all`.
    name: String,
    /// Small enough for every test run.
    #[arg(long)]
    quick: bool,
    /// One JSON object a line and nothing else.
    #[arg(long)]
    json: bool,
    /// Free segments per row instead of 1,000 (`segments`, `certificates`); scenes (`spacetime`); repeated trajectories
    /// instead of 10,000 (`concave`); runs instead of 100 (`planning`); problems of each set instead of 100 (`mbm`, `curves`).
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
    let mut report = Report::new(arguments.json);
    let chosen: Vec<_> =
        EXPERIMENTS.iter().filter(|(name, _)| arguments.name == "all" || arguments.name == *name).collect();
    if chosen.is_empty() {
        let names: Vec<_> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
        bail!("no experiment is called {:?}; there are: all, {}", arguments.name, names.join(", "));
    }
    for (name, run) in chosen {
        report.start(name);
        run(&options, &mut report)?;
    }
    Ok(())
}
