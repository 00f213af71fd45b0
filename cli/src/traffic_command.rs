//! `pathproof traffic`: decides trajectories among moving agents, one answer per candidate; without candidates, it
//! compares the agents with each other. Threads share the candidates; answers are in order, the same bytes for any
//! number of threads.

mod known;
mod page;
mod report;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use pathproof_formats::OutputSet;
use pathproof_formats::quantity;
use pathproof_formats::traffic::{self, Candidate};
use pathproof_traffic::{
    AgentAnswer, Answer, Coverage, Exactness, Finding, Method, Query, Report, Sampling, SmallestDistance,
    SmallestTimeGap, Traffic, TrafficScratch,
};
use rayon::prelude::*;

use crate::batch_command::fail_on::FailOn;
use crate::{output, output_files, printable, threads};

/// Command-line arguments.
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 all was answered, whatever the answers; 1 a trajectory has a verdict that --fail-on \
                        names; 2 the input or the usage is wrong."
)]
pub(crate) struct Args {
    /// Scenario: JSON, or CommonRoad XML (.xml).
    scenario: PathBuf,
    /// Trajectories to check: JSON, CSV (t,x,y,theta[,candidate]) or a CommonRoad solution (.xml). Without it the
    /// scenario's own, or the agents against each other.
    #[arg(long, value_name = "FILE")]
    ego: Option<PathBuf>,
    /// Method of comparison; all but hulls test samples only and prove nothing.
    #[arg(long, value_enum, default_value_t = MethodName::Hulls)]
    method: MethodName,
    /// Minimum time gap in seconds: no place may be shared within it. Default: 0.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    time_gap: Option<String>,
    /// For hulls: distance in metres below which the search stops trying to prove. Default: 0.001.
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// Report the earliest finding of each candidate instead of any.
    #[arg(long, conflicts_with = "all")]
    first: bool,
    /// Report every finding, one for each agent and piece of the trajectory.
    #[arg(long)]
    all: bool,
    /// For sampled methods: agents exist only at their own times, as flat boxes.
    #[arg(long)]
    own_times: bool,
    /// For hulls: also report the smallest distance and the smallest time gap.
    #[arg(long)]
    gaps: bool,
    /// Exit with status 1 if a trajectory has one of these verdicts.
    #[arg(long, value_name = "VERDICT", value_enum, value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Accept that nothing can be compared: all agents stand, or no agent is known at the times of the trajectories.
    #[arg(long)]
    allow_empty: bool,
    /// Also write a page that shows everybody from above as they move. It opens anywhere and needs no network.
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Threads [default: one per processor].
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

/// Job with everything read and checked.
struct Job {
    traffic: Traffic,
    /// If empty, the agents are compared with each other.
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

/// Trajectory to check, and the times at which others are known.
struct Subject<'a> {
    name: &'a str,
    who: Who<'a>,
    coverage: Coverage,
}

#[derive(Clone, Copy)]
enum Who<'a> {
    Candidate(&'a Candidate),
    Agent(usize),
}

/// Answer about one subject.
struct Answered<'a> {
    subject: &'a Subject<'a>,
    answer: Answer,
    /// With `--all`.
    findings: Vec<Finding>,
    gaps: Option<Gaps>,
}

/// With `--gaps`: the smallest distance and the smallest time gap.
type Gaps = (Option<SmallestDistance>, Option<SmallestTimeGap>);

/// Number of subjects with answers in memory at a time.
const CHUNK: usize = 1024;

/// Largest difference of the bounds on a smallest time gap, in seconds.
const TIME_PRECISION: f64 = 0.001;

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut job = resolve(args)?;
    let nothing = known::nothing_checked(&job.subjects(), job.traffic.agents(), args.allow_empty)?;
    job.warnings.extend(nothing);
    let subjects = job.subjects();
    ensure!(
        args.report.is_none() || !subjects.is_empty(),
        "--report: no agent moves, so that there is nothing to show"
    );
    // Findings are shared between agents, so all agents are answered before the first is printed.
    let of_agents = if job.candidates.is_empty() { Some(job.answer_agents(&subjects)?) } else { None };
    let mut files = OutputSet::default();
    if let Some(file) = &args.report {
        let inputs = [Some(&args.scenario), args.ego.as_ref()];
        files.add(file, page::page(&job, &subjects, of_agents.as_deref(), inputs)?)?;
    }
    let mut failure = None;
    // As with paths, warnings about the scenario come with the first answer.
    let mut warnings = &job.warnings[..];
    let mut has_failed = false;
    let status = output::write_with(files, |out| {
        if !job.json {
            report::write_head(&job, &subjects, out)?;
        }
        let mut print = |answers: &[Answered<'_>]| {
            answers.iter().try_for_each(|answered| {
                has_failed |= FailOn::has(&args.fail_on, report::verdict_name(&answered.answer.verdict));
                report::write(&job, answered, std::mem::take(&mut warnings), out)
            })
        };
        if let Some(answers) = &of_agents {
            return print(answers);
        }
        for chunk in subjects.chunks(CHUNK) {
            match job.answer_candidates(chunk) {
                Ok(answers) => print(&answers)?,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        Ok(())
    });
    if subjects.is_empty() && job.json {
        job.warnings.iter().for_each(|warning| printable::message(&format!("warning: {warning}")));
    }
    match failure {
        Some(error) => Err(error),
        None if has_failed => status.map(|_| ExitCode::from(1)),
        None => status,
    }
}

fn resolve(args: &Args) -> Result<Job> {
    let method = args.method;
    let time_gap = number(args.time_gap.as_deref(), "--time-gap", 0.0)?;
    let tolerance = match &args.tolerance {
        Some(text) => quantity::length(text).context("--tolerance")?,
        None => 0.001,
    };
    let typed = args.tolerance.as_deref().unwrap_or_default();
    ensure!(tolerance.is_finite() && tolerance >= 0.0, "--tolerance: {typed} is not a finite number of at least 0");
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
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads::bounded(args.threads)).build().context("--threads")?;
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
    /// All subjects, in order. Agents at rest are checked by those that move.
    fn subjects(&self) -> Vec<Subject<'_>> {
        let gap = self.query.time_gap;
        if self.candidates.is_empty() {
            let moving = self.traffic.agents().iter().enumerate().filter(|(_, agent)| !agent.is_at_rest());
            let subjects = moving.map(|(number, agent)| Subject {
                name: agent.name(),
                who: Who::Agent(number),
                coverage: self.traffic.coverage_of_agent(number, gap),
            });
            return subjects.collect();
        }
        let mut subjects: Vec<Subject<'_>> = Vec::with_capacity(self.candidates.len());
        for candidate in &self.candidates {
            let times = candidate.trajectory.times();
            // Candidates of a planner mostly share their first and last time.
            let is_same = |before: &&Subject<'_>| before.coverage.span == [times[0], times[times.len() - 1]];
            let coverage = match subjects.last().filter(is_same) {
                Some(before) => before.coverage.clone(),
                None => self.traffic.coverage(&candidate.trajectory, gap),
            };
            subjects.push(Subject { name: &candidate.name, who: Who::Candidate(candidate), coverage });
        }
        subjects
    }

    fn answer_candidates<'a>(&self, subjects: &'a [Subject<'a>]) -> Result<Vec<Answered<'a>>> {
        let answered = |scratch: &mut TrafficScratch, subject: &'a Subject<'a>| {
            let (answer, findings) = self.ask(subject, &self.query, scratch)?;
            Ok(Answered { subject, answer, findings, gaps: self.gaps_of(subject, scratch)? })
        };
        self.pool.install(|| subjects.par_iter().map_init(TrafficScratch::default, answered).collect())
    }

    /// Answers about all agents together, so that they agree.
    fn answer_agents<'a>(&self, subjects: &'a [Subject<'a>]) -> Result<Vec<Answered<'a>>> {
        let query = self.query.among_agents();
        let asked = |scratch: &mut TrafficScratch, subject: &'a Subject<'a>| {
            let Who::Agent(agent) = subject.who else { bail!("{} is no agent", subject.name) };
            let (answer, findings) = self.ask(subject, &query, scratch)?;
            Ok((AgentAnswer { agent, answer, findings }, self.gaps_of(subject, scratch)?))
        };
        let asked = self.pool.install(|| {
            let asked = subjects.par_iter().map_init(TrafficScratch::default, asked);
            asked.collect::<Result<(Vec<AgentAnswer>, Vec<Option<Gaps>>)>>()
        });
        let (mut answers, gaps) = asked?;
        self.traffic.agree(&self.query, &mut answers);
        let answered = subjects.iter().zip(answers).zip(gaps).map(|((subject, told), gaps)| Answered {
            subject,
            answer: told.answer,
            findings: told.findings,
            gaps,
        });
        Ok(answered.collect())
    }

    /// The answer, with all findings if requested.
    fn ask(
        &self,
        subject: &Subject<'_>,
        query: &Query,
        scratch: &mut TrafficScratch,
    ) -> Result<(Answer, Vec<Finding>)> {
        let answer = match subject.who {
            Who::Candidate(Candidate { shape, trajectory, .. }) => {
                self.traffic.check(shape, trajectory, query, scratch)
            }
            Who::Agent(number) => self.traffic.check_agent(number, query, scratch),
        };
        let answer = answer.with_context(|| subject.name.to_owned())?;
        Ok((answer, if query.report == Report::All { scratch.findings().to_vec() } else { Vec::new() }))
    }

    fn gaps_of(&self, subject: &Subject<'_>, scratch: &mut TrafficScratch) -> Result<Option<Gaps>> {
        if !self.gaps {
            return Ok(None);
        }
        // A precision of 0 can never be reached.
        let precision = if self.tolerance > 0.0 { self.tolerance } else { 1e-6 };
        let (of_gap, traffic) = ([TIME_PRECISION, precision], &self.traffic);
        Ok(Some(match subject.who {
            Who::Candidate(Candidate { shape, trajectory, .. }) => (
                traffic.smallest_distance(shape, trajectory, precision, scratch)?,
                traffic.smallest_time_gap(shape, trajectory, of_gap, scratch)?,
            ),
            Who::Agent(number) => (
                traffic.smallest_distance_of_agent(number, precision, scratch)?,
                traffic.smallest_time_gap_of_agent(number, of_gap, scratch)?,
            ),
        }))
    }
}
