//! Page of `traffic --report`: the first subjects, with the answers that are printed.

use std::path::PathBuf;

use anyhow::Result;
use pathproof_formats::traffic::Candidate;

use super::{Answered, Job, MethodName, Subject, Who, known, report};
use crate::view::traffic::{self, Asked, MOST_SUBJECTS, Shown};

/// Answers the first subjects, unless all are already answered, and makes the page.
pub(super) fn page(
    job: &Job,
    subjects: &[Subject<'_>],
    answers: Option<&[Answered<'_>]>,
    files: [Option<&PathBuf>; 2],
) -> Result<Vec<u8>> {
    let most = subjects.len().min(MOST_SUBJECTS);
    let asked;
    let answers = match answers {
        Some(answers) => &answers[..most],
        None => {
            asked = job.answer_candidates(&subjects[..most])?;
            &asked[..]
        }
    };
    let mut text = Vec::new();
    report::write_head(job, subjects, &mut text)?;
    answers.iter().try_for_each(|answered| report::write_text(job, answered, &mut text))?;
    let told = answers.iter().map(|answered| {
        let verdict = &answered.answer.verdict;
        let mut findings = answered.findings.clone();
        if findings.is_empty() {
            findings.extend(verdict.finding());
        }
        let subject = answered.subject;
        traffic::Answered {
            name: subject.name,
            asked: match subject.who {
                Who::Candidate(Candidate { shape, trajectory, .. }) => Asked::Candidate(shape, trajectory),
                Who::Agent(number) => Asked::Agent(number),
            },
            verdict,
            word: report::verdict_name(verdict),
            headline: report::verdict_text(job, answered),
            checked: known::times(&subject.coverage),
            unchecked: known::warnings(subject, job.query.time_gap),
            findings,
            time_gap: answered.gaps.as_ref().and_then(|gaps| gaps.1.as_ref()),
        }
    });
    let mut warnings = job.warnings.clone();
    warnings.extend(known::summary(subjects, job.query.time_gap));
    let shown = Shown {
        traffic: &job.traffic,
        answers: told.collect(),
        asked: subjects.len(),
        are_agents: job.candidates.is_empty(),
        files: files.map(|file| file.map(|file| file.display().to_string())),
        method: job.method.word(),
        tolerance: (job.method == MethodName::Hulls).then_some(job.tolerance),
        time_gap: job.query.time_gap,
        warnings: &warnings,
        text: String::from_utf8(text)?,
    };
    job.pool.install(|| shown.page())
}
