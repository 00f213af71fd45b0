//! JUnit XML for CI systems: one case per path, or per segment with `--all`, which decides every segment.

use std::fmt::Write as _;
use std::time::Duration;

use pathproof::check::{Answer, Finding, Report, Unresolved, Verdict};
use pathproof::path::Motion;
use pathproof::scene::Scene;

use crate::report;

/// One case.
pub(super) struct Case {
    name: String,
    seconds: f64,
    /// Kind and message of a failure.
    failure: Option<(&'static str, String)>,
    /// True if a limit ended the search before it was decided.
    is_skipped: bool,
    /// Reason why it could not be checked at all.
    error: Option<String>,
    warnings: Vec<String>,
}

/// Case of a path that could not be read.
pub(super) fn unread(name: &str, error: String) -> Case {
    Case { error: Some(error), ..case(name.to_owned(), None) }
}

fn case(name: String, failure: Option<(&'static str, String)>) -> Case {
    Case { name, seconds: 0.0, failure, is_skipped: false, error: None, warnings: Vec::new() }
}

/// Cases of one path. Its time and its warnings are with the first.
pub(super) fn cases(
    scene: &Scene,
    name: &str,
    path: &Motion,
    answer: &Answer,
    report: Report,
    time: Duration,
    warnings: &[String],
) -> Vec<Case> {
    let mut cases = Vec::new();
    let segments = path.segments();
    let finding_text = |found: &Finding| {
        let time = report::time_text(path.time_at(found.segment, found.t));
        format!("{}{time}", report::finding_text(scene, found))
    };
    let open_text = |open: &Unresolved| {
        let time = report::time_text(path.time_at(open.segment, open.interval[0]));
        format!("{}{}", report::open_text(scene, open), time.replace(", at", ", from"))
    };
    if report == Report::All {
        for segment in 0..segments {
            let found = answer.findings.iter().filter(|finding| finding.segment == segment);
            let lines: Vec<String> = found.clone().map(finding_text).collect();
            let kind = if found.clone().any(Finding::is_collision) { "collision" } else { "too_close" };
            let failure = (!lines.is_empty()).then(|| (kind, lines.join("; ")));
            let is_skipped =
                failure.is_none() && answer.unresolved.as_ref().is_some_and(|open| segment >= open.segment);
            cases.push(Case { is_skipped, ..case(format!("{name}, segment {segment}"), failure) });
        }
        let has_failure = cases.iter().any(|case| case.failure.is_some());
        if let Some(open) = &answer.unresolved {
            let failure = ("undecided", open_text(open));
            cases.push(case(format!("{name}, all of it"), Some(failure)));
        } else if !has_failure && !matches!(answer.verdict, Verdict::Free(_)) {
            let failure = (answer.verdict.name(), "the path is not free".to_owned());
            cases.push(case(format!("{name}, all of it"), Some(failure)));
        }
    } else {
        let failure = match &answer.verdict {
            Verdict::Free(_) => None,
            Verdict::Collision(found) | Verdict::TooClose(found) => Some(finding_text(found)),
            Verdict::Undecided(open) => Some(open_text(open)),
        };
        cases.push(case(name.to_owned(), failure.map(|text| (answer.verdict.name(), text))));
    }
    if let Some(first) = cases.first_mut() {
        (first.seconds, first.warnings) = (time.as_secs_f64(), warnings.to_vec());
    }
    cases
}

/// Complete file; `suite` names the checked files. With `is_strict` a case with warnings fails.
pub(super) fn xml(suite: &str, cases: &[Case], is_strict: bool) -> String {
    let failure = |case: &Case| {
        let by_warnings = (is_strict && !case.warnings.is_empty()).then(|| ("warning", case.warnings.join("; ")));
        case.failure.clone().or(by_warnings)
    };
    let failures = cases.iter().filter(|case| failure(case).is_some()).count();
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let skipped = cases.iter().filter(|case| case.is_skipped).count();
    let errors = cases.iter().filter(|case| case.error.is_some()).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.6}\"",
        cases.len()
    );
    let suite = escaped(suite);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pathproof\" {counts}>\n  \
         <testsuite name=\"{suite}\" {counts}>\n"
    );
    for case in cases {
        // Writing to a string cannot fail.
        let (name, seconds) = (escaped(&case.name), case.seconds);
        let _ = write!(text, "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{seconds:.6}\">");
        if let Some((kind, message)) = failure(case) {
            let _ = write!(text, "\n      <failure type=\"{kind}\" message=\"{}\"/>", escaped(&message));
        }
        if let Some(error) = &case.error {
            let _ = write!(text, "\n      <error type=\"input\" message=\"{}\"/>", escaped(error));
        }
        if case.is_skipped {
            let _ = write!(text, "\n      <skipped message=\"a limit ended the search before it was decided\"/>");
        }
        if !case.warnings.is_empty() {
            let warnings: Vec<String> = case.warnings.iter().map(|w| format!("warning: {}", escaped(w))).collect();
            let _ = write!(text, "\n      <system-out>{}</system-out>", warnings.join("\n"));
        }
        let _ = writeln!(text, "\n    </testcase>");
    }
    text + "  </testsuite>\n</testsuites>\n"
}

/// Escapes text for XML; control characters, which XML cannot hold, are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
