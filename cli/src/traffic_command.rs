//! `pathproof traffic`: trajectories among moving agents, an answer per candidate; without candidates, of the agents among
//! each other. Candidates are shared out over threads and answered in order: the same bytes for any number of them.

mod page;
mod report;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use pathproof::formats::traffic::{self, Candidate};
use pathproof::spacetime::{
    Answer, Exactness, Finding, Method, Query, Report, Sampling, SmallestDistance, SmallestTimeGap, Traffic,
    TrafficScratch,
};
use rayon::prelude::*;

use crate::{output, output_files};

/// What was typed.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 all was answered, whatever the answers; 2 the input or the usage is wrong.")]
pub(crate) struct Args {
    /// Scenario: JSON, or CommonRoad XML (.xml).
    scenario: PathBuf,
    /// Trajectories to check: JSON, CSV (t,x,y,theta[,candidate]) or a CommonRoad solution (.xml). Without it the
    /// scenario's own, or the agents against each other.
    #[arg(long, value_name = "FILE")]
    ego: Option<PathBuf>,
    /// How to compare; all but hulls look at samples only and prove nothing.
    #[arg(long, value_enum, default_value_t = MethodName::Hulls)]
    method: MethodName,
    /// Minimum time gap in seconds: no place may be shared within it. Default: 0.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    time_gap: Option<String>,
    /// For hulls: how close, in metres, counts as too close to go on proving. Default: 0.001.
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// The earliest finding of each candidate, not any.
    #[arg(long, conflicts_with = "all")]
    first: bool,
    /// Every finding: an agent and a piece of the trajectory each.
    #[arg(long)]
    all: bool,
    /// For sampled methods: agents exist at their own times only, as flat boxes.
    #[arg(long)]
    own_times: bool,
    /// For hulls: also the smallest distance and the smallest time gap.
    #[arg(long)]
    gaps: bool,
    /// Also a page that shows everybody from above as they move; opens anywhere and needs no network.
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Threads [default: as many as there are processors].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// One JSON object per candidate and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Sampled: every pose against every agent.
    Naive,
    /// Sampled: every pose against the tree of the agents.
    Isolated,
    /// Sampled: tree against tree.
    Trees,
    /// Proven for all times between poses.
    Hulls,
}

impl MethodName {
    fn word(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::Isolated => "isolated",
            Self::Trees => "trees",
            Self::Hulls => "hulls",
        }
    }
}

/// What is to be done, everything read and checked.
struct Job {
    traffic: Traffic,
    /// None: the agents are asked about.
    candidates: Vec<Candidate>,
    method: MethodName,
    query: Query,
    /// For hulls.
    tolerance: f64,
    gaps: bool,
    warnings: Vec<String>,
    pool: rayon::ThreadPool,
    json: bool,
}

/// Who is asked about.
#[derive(Clone, Copy)]
enum Subject<'a> {
    Candidate(&'a Candidate),
    Agent(usize),
}

/// The answer about one subject.
struct Answered {
    name: String,
    answer: Answer,
    /// With `--all`.
    findings: Vec<Finding>,
    /// With `--gaps`.
    gaps: Option<(Option<SmallestDistance>, Option<SmallestTimeGap>)>,
}

/// Subjects whose answers are in memory at a time.
const CHUNK: usize = 1024;

/// How far apart the bounds on a smallest time gap may be, in seconds.
const TIME_PRECISION: f64 = 0.001;

/// Answers, or says what is wrong.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let job = resolve(args)?;
    let subjects = job.subjects();
    if let Some(file) = &args.report {
        page::write(file, &job, &subjects, [Some(&args.scenario), args.ego.as_ref()])?;
    }
    let mut failure = None;
    // As with paths: what is said about the scenario is said with the first answer.
    let mut warnings = &job.warnings[..];
    let status = output::write(|out| {
        if !job.json {
            report::write_head(&job, out)?;
        }
        for chunk in subjects.chunks(CHUNK) {
            match job.answers(chunk) {
                Ok(answers) => answers
                    .iter()
                    .try_for_each(|answered| report::write(&job, answered, std::mem::take(&mut warnings), out))?,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        Ok(())
    });
    match failure {
        Some(error) => Err(error),
        None => status,
    }
}

fn resolve(args: &Args) -> Result<Job> {
    let method = args.method;
    let time_gap = number(args.time_gap.as_deref(), "--time-gap", 0.0)?;
    let tolerance = number(args.tolerance.as_deref(), "--tolerance", 0.001)?;
    if method != MethodName::Hulls {
        ensure!(
            args.tolerance.is_none(),
            "--tolerance has a meaning for --method hulls only, not for {}",
            method.word()
        );
        ensure!(!args.gaps, "--gaps is proven, and so needs --method hulls, not {}", method.word());
    } else if args.own_times {
        bail!("--own-times has a meaning for sampled methods only; hulls looks at all times");
    }
    let sampling = if args.own_times { Sampling::OwnTimes } else { Sampling::Interpolated };
    let exactness = Exactness { tolerance, ..Exactness::default() };
    let query = Query {
        method: match method {
            MethodName::Naive => Method::Naive(sampling),
            MethodName::Isolated => Method::Isolated(sampling),
            MethodName::Trees => Method::Trees(sampling),
            MethodName::Hulls => Method::Hulls(exactness),
        },
        time_gap,
        report: match (args.first, args.all) {
            (true, _) => Report::First,
            (_, true) => Report::All,
            _ => Report::Any { near: None },
        },
    };
    if let Some(file) = &args.report {
        let inputs: Vec<PathBuf> = [Some(&args.scenario), args.ego.as_ref()].into_iter().flatten().cloned().collect();
        output_files::check(&[("--report", file)], &inputs)?;
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.map_or(0, NonZeroUsize::get))
        .build()
        .context("--threads")?;
    let mut scenario = traffic::read(&args.scenario)?;
    let own = scenario.ego.as_ref().map(|ego| ego.candidates.clone()).unwrap_or_default();
    let mut warnings = std::mem::take(&mut scenario.warnings);
    let candidates = match &args.ego {
        Some(path) => {
            let ego = traffic::read_ego(path, &scenario)?;
            warnings.extend(ego.warnings);
            ego.candidates
        }
        None => own,
    };
    let workspace = scenario.agents[0].compound().workspace();
    if let Some(odd) = candidates.iter().find(|candidate| candidate.shape.workspace() != workspace) {
        bail!("candidate {:?} is not of the scenario's workspace: one is planar, the other spatial", odd.name);
    }
    let traffic = Traffic::new(scenario.agents).with_context(|| args.scenario.display().to_string())?;
    Ok(Job { traffic, candidates, method, query, tolerance, gaps: args.gaps, warnings, pool, json: args.json })
}

fn number(text: Option<&str>, option: &str, default: f64) -> Result<f64> {
    let Some(text) = text else { return Ok(default) };
    let value: f64 = text.parse().ok().with_context(|| format!("{option}: {text:?} is not a number"))?;
    ensure!(value.is_finite() && value >= 0.0, "{option}: {text} is not a finite number of at least 0");
    Ok(value)
}

impl Job {
    /// Everyone who is asked about, in order. Agents at rest are asked about by those that move.
    fn subjects(&self) -> Vec<Subject<'_>> {
        if !self.candidates.is_empty() {
            return self.candidates.iter().map(Subject::Candidate).collect();
        }
        let moving = self.traffic.agents().iter().enumerate().filter(|(_, agent)| !agent.is_at_rest());
        moving.map(|(number, _)| Subject::Agent(number)).collect()
    }

    fn answers(&self, subjects: &[Subject<'_>]) -> Result<Vec<Answered>> {
        self.pool.install(|| {
            let answers = subjects
                .par_iter()
                .map_init(TrafficScratch::default, |scratch, subject| self.answer(*subject, scratch));
            answers.collect()
        })
    }

    fn answer(&self, subject: Subject<'_>, scratch: &mut TrafficScratch) -> Result<Answered> {
        let (name, answer) = match subject {
            Subject::Candidate(Candidate { name, shape, trajectory }) => {
                (name.clone(), self.traffic.check(shape, trajectory, &self.query, scratch))
            }
            Subject::Agent(number) => {
                let name = self.traffic.agents()[number].name().to_owned();
                (name, self.traffic.check_agent(number, &self.query, scratch))
            }
        };
        let answer = answer.with_context(|| name.clone())?;
        let findings = if self.query.report == Report::All { scratch.findings().to_vec() } else { Vec::new() };
        let gaps = match subject {
            Subject::Candidate(candidate) if self.gaps => Some(self.gaps_of(candidate, scratch)?),
            _ => None,
        };
        Ok(Answered { name, answer, findings, gaps })
    }

    fn gaps_of(
        &self,
        candidate: &Candidate,
        scratch: &mut TrafficScratch,
    ) -> Result<(Option<SmallestDistance>, Option<SmallestTimeGap>)> {
        let Candidate { shape, trajectory, .. } = candidate;
        // A precision of 0 would never be met.
        let precision = if self.tolerance > 0.0 { self.tolerance } else { 1e-6 };
        let distance = self.traffic.smallest_distance(shape, trajectory, precision, scratch)?;
        let gap = self.traffic.smallest_time_gap(shape, trajectory, [TIME_PRECISION, precision], scratch)?;
        Ok((distance, gap))
    }
}
