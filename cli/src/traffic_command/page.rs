//! The page of `traffic --report`: of the first trajectories that are asked about, by the answers that are printed.

use std::path::{Path, PathBuf};

use anyhow::Result;
use pathproof::formats::traffic::Candidate;

use super::{Job, MethodName, Subject, report};
use crate::view;
use crate::view::traffic::{self, Asked, MOST_SUBJECTS, Shown};

/// Answers the first subjects, makes the page and writes it.
pub(super) fn write(file: &Path, job: &Job, subjects: &[Subject<'_>], files: [Option<&PathBuf>; 2]) -> Result<()> {
    let first = &subjects[..subjects.len().min(MOST_SUBJECTS)];
    let answers = job.answers(first)?;
    let mut text = Vec::new();
    report::write_head(job, &mut text)?;
    answers.iter().try_for_each(|answered| report::write_text(job, answered, &mut text))?;
    let told = first.iter().zip(&answers).map(|(subject, answered)| {
        let verdict = &answered.answer.verdict;
        let mut findings = answered.findings.clone();
        if findings.is_empty() {
            findings.extend(verdict.finding());
        }
        traffic::Answered {
            name: &answered.name,
            asked: match subject {
                Subject::Candidate(Candidate { shape, trajectory, .. }) => Asked::Candidate(shape, trajectory),
                Subject::Agent(number) => Asked::Agent(*number),
            },
            verdict,
            word: report::verdict_name(verdict),
            headline: report::verdict_text(job, verdict),
            findings,
            time_gap: answered.gaps.as_ref().and_then(|gaps| gaps.1.as_ref()),
        }
    });
    let shown = Shown {
        traffic: &job.traffic,
        answers: told.collect(),
        asked: subjects.len(),
        are_agents: job.candidates.is_empty(),
        files: files.map(|file| file.map(|file| file.display().to_string())),
        method: job.method.word(),
        tolerance: (job.method == MethodName::Hulls).then_some(job.tolerance),
        time_gap: job.query.time_gap,
        warnings: &job.warnings,
        text: String::from_utf8(text)?,
    };
    let page = job.pool.install(|| shown.page())?;
    view::write(file, &page)
}
