//! Combines the answers of all paths: printed text, written files, exit status.

use std::process::ExitCode;

use anyhow::Result;
use pathproof::check::Checker;
use pathproof_formats::OutputSet;

use super::legs::{Leg, Unread};
use super::{Answered, Args, Asked, destinations, junit};
use crate::report::{self, Reported};
use crate::{output, printable};

/// Combined results of the legs.
#[derive(Default)]
pub(super) struct Outcome {
    /// Answers as printed.
    printed: Vec<u8>,
    cases: Vec<junit::Case>,
    /// Counts of free, collision, too close and undecided.
    verdicts: [usize; 4],
    /// Number of paths that could not be read.
    unread: usize,
    warnings: usize,
    /// Files that appear with the answers.
    files: OutputSet,
}

impl Outcome {
    /// Adds the answer for a path.
    pub(super) fn add(
        &mut self,
        asked: &Asked<'_>,
        checker: &Checker,
        leg: &Leg,
        answered: Answered,
        warnings: &[String],
        notes: &[String],
    ) -> Result<()> {
        let Answered { answer, proof, profile, smallest, time } = answered;
        let (scene, report) = (checker.scene(), asked.settings.report);
        let segments = leg.motion.segments();
        let reported = Reported {
            scene,
            joints: &report::joint_names(scene),
            answer: &answer,
            path: (!asked.is_one).then_some(leg.name.as_str()),
            motion: Some(&leg.motion),
            names_interpolation: leg.names_interpolation,
            segments,
            report,
            warnings,
            notes,
            time: Some(time),
            row: None,
            profile: profile.as_ref(),
            smallest: smallest.as_ref(),
            paint: asked.paint,
        };
        if let Some(file) = destinations::report(asked.args, leg) {
            self.files.add(&file, asked.page(checker, leg, &reported, proof.is_some())?)?;
        }
        if let (Some(file), Some(proof)) = (destinations::certificate(asked.args, leg), &proof) {
            self.files.add(&file, proof.to_bytes())?;
        }
        if let Some(profile) = &profile {
            profile.write(scene, &leg.motion, &mut self.files)?;
        }
        match asked.args.json {
            true => report::write_json(&reported, &mut self.printed)?,
            false => report::write_text(&reported, &mut self.printed)?,
        }
        self.cases.extend(junit::cases(scene, &leg.name, &leg.motion, &answer, report, time, warnings));
        self.verdicts[report::verdict_number(&answer.verdict)] += 1;
        self.warnings += warnings.len();
        Ok(())
    }

    /// Adds a path that could not be read.
    pub(super) fn add_unread(&mut self, args: &Args, unread: &Unread) -> Result<()> {
        use std::io::Write as _;
        let (name, error) = (&unread.name, format!("{:#}", unread.error));
        printable::message(&format!("pathproof: {error}"));
        match args.json {
            true => {
                writeln!(self.printed, "{}", serde_json::json!({"schema": 1, "path": name, "error": error}))?;
            }
            false => writeln!(self.printed, "{name}: not checked: {error}")?,
        }
        self.cases.push(junit::unread(name, error));
        self.unread += 1;
        Ok(())
    }

    /// Writes the answers, then makes the files appear.
    pub(super) fn finish(mut self, args: &Args, is_one: bool) -> Result<ExitCode> {
        if let Some(file) = &args.junit {
            let xml = junit::xml(&args.scene.display().to_string(), &self.cases, args.strict);
            self.files.add(file, xml.into_bytes())?;
        }
        if !args.json {
            self.write_summary(args.strict, is_one)?;
        }
        let is_good = self.verdicts[1..] == [0; 3] && !(args.strict && self.warnings > 0);
        let written = output::write_with(self.files, |out| out.write_all(&self.printed))?;
        Ok(match self.unread {
            0 if is_good => written,
            0 => ExitCode::from(1),
            _ => ExitCode::from(crate::WRONG_INPUT),
        })
    }

    fn write_summary(&mut self, is_strict: bool, is_one: bool) -> Result<()> {
        use std::io::Write as _;
        let names = ["free", "collision", "too close", "undecided"];
        let counts = names.iter().zip(self.verdicts).filter(|(_, count)| *count > 0);
        let mut counts: Vec<String> = counts.map(|(name, count)| format!("{count} {name}")).collect();
        if self.unread > 0 {
            counts.push(format!("{} not checked", self.unread));
        }
        if !is_one {
            let paths = self.verdicts.iter().sum::<usize>() + self.unread;
            writeln!(self.printed, "{paths} paths: {}", counts.join(", "))?;
        }
        if is_strict && self.warnings > 0 {
            writeln!(self.printed, "failed: {} warnings, and --strict was asked for", self.warnings)?;
        }
        Ok(())
    }
}
