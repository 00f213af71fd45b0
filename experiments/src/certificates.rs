//! What certificates cost (docs/design.md#certificates): bytes and microseconds a segment, to write and to verify, beside checking alone.
//!
//! Segments are seeded and free; each is a path of its own. `bytes` is what the segment takes (waypoints, cells), as a
//! path of many segments would have it; `file_bytes` adds what is said once a file. Means of processor time; the three
//! ways take turns on each segment.

use anyhow::Result;
use pathproof::certificate::Certificate;
use pathproof::check::{CheckScratch, Checker, Settings};
use pathproof_verifier::Verifier;
use serde_json::json;

use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::segments::{draw, is_free};
use crate::{Options, timing};

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let count = options.segments(if options.quick { 5 } else { 1_000 });
    report.note("goals at 0.3 rad: at most 1,000 bytes and 200 µs a segment; writing less than 2 times checking");
    for case in ["6a", "7b"] {
        let Some(description) = scenes::case(case) else { continue };
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
    Ok(())
}

#[derive(Default)]
struct Costs {
    segments: usize,
    certified: usize,
    accepted: usize,
    bytes: usize,
    file_bytes: usize,
    halves: usize,
    /// Seconds to check, to check and write, to verify.
    seconds: [f64; 3],
}

impl Costs {
    fn add(
        &mut self,
        path: &[Vec<f64>],
        checker: &Checker,
        verifier: &Verifier<'_>,
        [plain, recorded]: &mut [CheckScratch; 2],
    ) -> Result<()> {
        let timed = |seconds: &mut f64, start: f64| *seconds += timing::thread_seconds() - start;
        let start = timing::thread_seconds();
        drop(checker.path(path, &Settings::default(), plain)?);
        timed(&mut self.seconds[0], start);
        let start = timing::thread_seconds();
        let (_, certificate) = checker.certify(path, &Settings::default(), recorded)?;
        let bytes = certificate.map(|certificate| (certificate.to_bytes(), certificate.scene));
        timed(&mut self.seconds[1], start);
        self.segments += 1;
        let Some((bytes, shared)) = bytes else { return Ok(()) };
        let certificate = Certificate::parse(&bytes)?;
        let start = timing::thread_seconds();
        let verified = verifier.verify(path, &certificate);
        timed(&mut self.seconds[2], start);
        self.certified += 1;
        if let Ok(accepted) = verified {
            self.accepted += 1;
            self.halves += accepted.halves;
        }
        self.file_bytes += bytes.len();
        self.bytes += bytes.len() - shared.to_bytes().len();
        Ok(())
    }

    fn row(&self, reach: &str) -> serde_json::Value {
        let mean = |sum: f64, of: usize| sum / of as f64;
        let [check, write, verify] = self.seconds.map(|s| s * 1e6);
        json!({
            "reach": reach,
            "segments": self.segments,
            "accepted": self.accepted,
            "bytes": mean(self.bytes as f64, self.certified),
            "file_bytes": mean(self.file_bytes as f64, self.certified),
            "halves": mean(self.halves as f64, self.certified),
            "check_us": mean(check, self.segments),
            "write_us": mean(write, self.segments),
            "verify_us": mean(verify, self.certified),
        })
    }
}
