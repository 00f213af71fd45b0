//! Cost of certificates (docs/design.md#certificates): bytes and microseconds per segment, to write and to verify,
//! beside checking alone.
//!
//! Segments are seeded and free; each is a path of its own. `bytes` is the size of the segment (waypoints, cells), as
//! in a path of many segments; `file_bytes` adds the data stored once per file. Processor time; the three ways take
//! turns on each segment. `panda_paths` are the free segments of the shared paths, close to shelves, boxes and cages.

use anyhow::{Context, Result};
use pathproof::certificate::Certificate;
use pathproof::check::{CheckScratch, Checker, Settings, Verdict};
use pathproof::path::Motion;
use pathproof_formats::{path_file, scene_file};
use pathproof_verifier::Verifier;
use serde_json::{Value, json};

use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::segments::{draw, is_free};
use crate::{Options, paths, timing};

/// The shared paths.
const PATHS: &str = "panda_paths";

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let count = options.samples(if options.quick { 5 } else { 1_000 });
    report.note("goals at 0.3 rad and on panda_paths: at most 1,000 bytes and 200 µs a segment; writing less than 2 times checking");
    for case in ["6a", "7b"] {
        let Some(description) = scenes::case(case).filter(|_| options.wants(case)) else { continue };
        let checker = Checker::new(in_memory::scene(&description)?);
        let verifier = Verifier::new(checker.scene()).map_err(anyhow::Error::msg)?;
        let mut scratch = [CheckScratch::new(&checker), CheckScratch::new(&checker)];
        for reach in ["0.3", "1", "3"] {
            let mut costs = Costs::default();
            for [a, b] in draw(&checker, reach, count, is_free)? {
                costs.add(&[a, b], &checker, &verifier, &mut scratch)?;
            }
            report.row(case, costs.row(reach));
        }
    }
    if options.wants(PATHS) {
        real_paths(options, report)?;
    }
    Ok(())
}

/// The free segments of the shared paths.
fn real_paths(options: &Options, report: &mut Report) -> Result<()> {
    let mut costs = Costs::default();
    for problem in paths::problems(report, options.quick)? {
        let scene = scene_file::read(&problem.join("scene.toml"))?.scene;
        let waypoints =
            path_file::read(&problem.join("path.csv"), &scene, &Default::default())?.motion.waypoints().to_vec();
        let checker = Checker::new(scene);
        let verifier = Verifier::new(checker.scene()).map_err(anyhow::Error::msg)?;
        let mut scratch = [CheckScratch::new(&checker), CheckScratch::new(&checker)];
        for ends in waypoints.windows(2) {
            let answer = checker.segment(&ends[0], &ends[1], &Settings::default(), &mut scratch[0])?;
            if matches!(answer.verdict, Verdict::Free(_)) {
                costs.add(ends, &checker, &verifier, &mut scratch).context(problem.display().to_string())?;
            }
        }
    }
    if !costs.check_us.is_empty() {
        report.row(PATHS, costs.row("path"));
    }
    Ok(())
}

/// Cost of each segment.
#[derive(Default)]
struct Costs {
    accepted: usize,
    halves: usize,
    file_bytes: usize,
    bytes: Vec<f64>,
    check_us: Vec<f64>,
    /// To check and write.
    write_us: Vec<f64>,
    verify_us: Vec<f64>,
}

impl Costs {
    fn add(
        &mut self,
        path: &[Vec<f64>],
        checker: &Checker,
        verifier: &Verifier<'_>,
        [plain, recorded]: &mut [CheckScratch; 2],
    ) -> Result<()> {
        let settings = Settings::default();
        let motion = Motion::lines(path);
        // Runs everything once, so that no way pays for lazy initialisation.
        drop(checker.path(&motion, &settings, plain)?);
        let (_, certificate) = checker.certify(&motion, &settings, recorded)?;
        let microseconds = |start: f64| (timing::thread_seconds() - start) * 1e6;
        let start = timing::thread_seconds();
        drop(checker.path(&motion, &settings, plain)?);
        self.check_us.push(microseconds(start));
        let start = timing::thread_seconds();
        let bytes = checker.certify(&motion, &settings, recorded)?.1.map(|certificate| certificate.to_bytes());
        self.write_us.push(microseconds(start));
        let (Some(bytes), Some(certificate)) = (bytes, certificate) else { return Ok(()) };
        self.file_bytes += bytes.len();
        self.bytes.push((bytes.len() - certificate.scene.to_bytes().len()) as f64);
        let certificate = Certificate::parse(&bytes)?;
        let start = timing::thread_seconds();
        let verified = verifier.verify(&motion, &certificate);
        self.verify_us.push(microseconds(start));
        match verified {
            Ok(accepted) => {
                self.accepted += 1;
                self.halves += accepted.halves;
            }
            Err(refusal) => eprintln!("refused: {refusal}"),
        }
        Ok(())
    }

    fn row(mut self, reach: &str) -> Value {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let certified = self.bytes.len();
        let (check, write) = (mean(&self.check_us), mean(&self.write_us));
        let mut row = json!({
            "reach": reach,
            "segments": self.check_us.len(),
            "certified": certified,
            "accepted": self.accepted,
            "file_bytes": self.file_bytes as f64 / certified as f64,
            "halves": self.halves as f64 / certified as f64,
            "check_us": check,
            "write_us": write,
            "write_over_check": write / check,
        });
        for (what, values) in [("bytes", &mut self.bytes), ("verify_us", &mut self.verify_us)] {
            row[what] = mean(values).into();
            if !values.is_empty() {
                row[format!("{what}_median")] = timing::median(values).into();
                row[format!("{what}_max")] = values[values.len() - 1].into();
            }
        }
        row
    }
}
