//! `pathproof batch`: a verdict for every segment of a file, in order.
//!
//! Reads, checks and prints rows a chunk at a time, so memory does not grow with their number; threads share the rows
//! of a chunk. A file is read through once before, so that a bad row ends the command before anything is printed.
//! Invariant: the same bytes for any number of threads.

pub(crate) mod fail_on;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use pathproof::check::{Answer, CheckError, CheckScratch, Checker, Report, Settings, Verdict};
use pathproof_formats::path_file::{PathSettings, SegmentReader};
use pathproof_formats::scene_file::LoadedScene;
use rayon::prelude::*;

use self::fail_on::FailOn;
use crate::check_command::nothing_checked;
use crate::colour::Paint;
use crate::path_argument::{STANDARD_INPUT, is_standard_input};
use crate::report::{self, Reported};
use crate::scene_argument::SceneArgs;
use crate::{output, printable, threads};

/// Command-line arguments.
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 all rows were answered, 1 a row has a verdict that --fail-on names, 2 the input or \
                        the usage is wrong."
)]
pub(crate) struct Args {
    /// Scene file (TOML), or a robot (URDF) alone.
    scene: PathBuf,
    /// Segments: CSV with a header a_<column>…, b_<column>…, or a,b with lists in quotes, one per row; - reads standard
    /// input.
    segments: PathBuf,
    #[command(flatten)]
    change: SceneArgs,
    /// Exit with status 1 if a row has one of these verdicts.
    #[arg(long, value_name = "VERDICT", value_enum, value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Threads [default: one per processor].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Accept a scene in which no pair of bodies is checked.
    #[arg(long)]
    allow_empty: bool,
    /// Accept ends outside joint limits.
    #[arg(long)]
    ignore_limits: bool,
    /// One JSON object per row instead of comma-separated values.
    #[arg(long)]
    json: bool,
}

/// Number of rows in memory at a time.
const CHUNK: usize = 4096;

/// Job with everything read and checked except the rows.
struct Job {
    checker: Checker,
    joints: Vec<String>,
    warnings: Vec<String>,
    notes: Vec<String>,
    pool: rayon::ThreadPool,
    /// One scratch per thread.
    scratches: Vec<Mutex<CheckScratch>>,
    fail_on: Vec<FailOn>,
    /// True if a row had one of these verdicts.
    has_failed: AtomicBool,
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let loaded = args.change.read(&args.scene)?;
    let settings = PathSettings { ignore_limits: args.ignore_limits };
    if is_standard_input(&args.segments) {
        let job = resolve(&args, loaded, CHUNK)?;
        let reader = SegmentReader::new(io::stdin().lock(), STANDARD_INPUT.as_ref(), job.checker.scene(), settings)?;
        return job.answer_all(reader, None);
    }
    let rows = count_rows(SegmentReader::open(&args.segments, &loaded.scene, settings)?)?;
    let job = resolve(&args, loaded, usize::try_from(rows).unwrap_or(CHUNK))?;
    job.answer_all(SegmentReader::open(&args.segments, job.checker.scene(), settings)?, Some(rows))
}

/// Builds trees and starts threads, at most one per row of a chunk.
fn resolve(args: &Args, loaded: LoadedScene, rows: usize) -> Result<Job> {
    let (scene, mut warnings) = (loaded.scene, loaded.warnings);
    warnings.extend(nothing_checked(&scene, args.allow_empty)?);
    let threads = threads::for_work(threads::bounded(args.threads), rows.min(CHUNK));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("--threads")?;
    let checker = crate::trees::build(scene).checker;
    let scratches = (0..pool.current_num_threads()).map(|_| Mutex::new(CheckScratch::new(&checker))).collect();
    let joints = report::joint_names(checker.scene());
    let (fail_on, has_failed) = (args.fail_on.clone(), AtomicBool::new(false));
    Ok(Job { joints, checker, warnings, notes: loaded.told, pool, scratches, fail_on, has_failed, json: args.json })
}

/// Counts the rows; fails if one of them is bad.
fn count_rows(reader: SegmentReader<'_, File>) -> Result<u64> {
    let mut rows = 0;
    for row in reader {
        row?;
        rows += 1;
    }
    Ok(rows)
}

impl Job {
    fn answer_all(&self, mut reader: SegmentReader<'_, impl Read>, rows: Option<u64>) -> Result<ExitCode> {
        let bar = progress_bar(rows);
        if !self.json {
            // Notes go beside the values, not among them.
            self.notes.iter().for_each(|note| printable::message(&format!("note: {note}")));
            self.warnings.iter().for_each(|warning| printable::message(&format!("warning: {warning}")));
        }
        let mut failure = None;
        let status = output::write(|out| {
            if !self.json {
                writeln!(out, "row,verdict,t,body_a,body_b,distance,lower_clearance")?;
            }
            let mut first_row = 0;
            while failure.is_none() {
                let mut chunk = Vec::with_capacity(CHUNK);
                for row in reader.by_ref().take(CHUNK) {
                    match row {
                        Ok(segment) => chunk.push(segment),
                        Err(error) => failure = Some(error.into()),
                    }
                }
                if chunk.is_empty() {
                    break;
                }
                if let Err(error) = self.answer_chunk(&chunk, first_row, out)? {
                    failure = Some(error);
                }
                first_row += chunk.len() as u64;
                bar.inc(chunk.len() as u64);
            }
            Ok(())
        });
        bar.finish_and_clear();
        match failure {
            Some(error) => Err(error),
            None if self.has_failed.load(Ordering::Relaxed) => status.map(|_| ExitCode::from(1)),
            None => status,
        }
    }

    /// Prints the answers of a chunk in order. The inner error is about a row, the outer one about the output.
    fn answer_chunk(&self, chunk: &[[Vec<f64>; 2]], first_row: u64, out: &mut dyn Write) -> io::Result<Result<()>> {
        let answers: Vec<Result<Vec<u8>, CheckError>> = self.pool.install(|| {
            let rows = chunk.par_iter().enumerate();
            rows.map(|(i, segment)| Ok(self.line(first_row + i as u64, &self.check(segment)?))).collect()
        });
        for (i, line) in answers.into_iter().enumerate() {
            match line {
                Ok(line) => out.write_all(&line)?,
                Err(error) => return Ok(Err(error).with_context(|| format!("row {}", first_row + i as u64))),
            }
        }
        Ok(Ok(()))
    }

    fn check(&self, [start, goal]: &[Vec<f64>; 2]) -> Result<Answer, CheckError> {
        // Outside of the pool there is only one thread.
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut scratch = self.scratches[thread].lock().unwrap_or_else(PoisonError::into_inner);
        self.checker.segment(start, goal, &Settings::default(), &mut scratch)
    }

    fn line(&self, row: u64, answer: &Answer) -> Vec<u8> {
        let mut line = Vec::new();
        if FailOn::has(&self.fail_on, answer.verdict.name()) {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        let scene = self.checker.scene();
        let written = if self.json {
            let reported = Reported {
                scene,
                joints: &self.joints,
                answer,
                path: None,
                motion: None,
                names_interpolation: false,
                segments: 1,
                report: Report::Any,
                // Warnings about the scene come with the first row only.
                warnings: if row == 0 { &self.warnings } else { &[] },
                notes: if row == 0 { &self.notes } else { &[] },
                time: None,
                row: Some(row),
                profile: None,
                smallest: None,
                paint: Paint::Plain,
            };
            report::write_json(&reported, &mut line)
        } else {
            let verdict = answer.verdict.name();
            let (bodies, t, distance, lower) = match &answer.verdict {
                Verdict::Free(free) => (None, None, None, Some(free.lower_clearance())),
                Verdict::Collision(found) | Verdict::TooClose(found) => {
                    (Some(found.bodies), Some(found.t), Some(found.distance), None)
                }
                Verdict::Undecided(open) => (Some(open.bodies), Some(open.interval[0]), None, None),
            };
            let [a, b] = bodies.map_or([String::new(), String::new()], |pair| report::names(scene, pair).map(quoted));
            let number = |value: Option<f64>| {
                value.filter(|value| value.is_finite()).map_or(String::new(), |value| format!("{value:?}"))
            };
            let [t, distance, lower] = [t, distance, lower].map(number);
            writeln!(line, "{row},{verdict},{t},{a},{b},{distance},{lower}")
        };
        debug_assert!(written.is_ok(), "memory takes what is written");
        line
    }
}

/// Name as a value of CSV.
fn quoted(name: &str) -> String {
    let is_plain = !name.contains([',', '"', '\n', '\r']);
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Shown on a terminal only, and only if the rows themselves go elsewhere: piped, logged or read output stays clean.
fn progress_bar(rows: Option<u64>) -> ProgressBar {
    if !io::stderr().is_terminal() || io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    match rows {
        Some(rows) => {
            let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} rows, {eta} left");
            ProgressBar::new(rows).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        }
        None => ProgressBar::new_spinner(),
    }
}
