//! Verdicts that make a command fail, for use in pipelines: `--fail-on VERDICT,…`.

use clap::ValueEnum;

/// Verdict that makes the command fail.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum FailOn {
    Collision,
    TooClose,
    Undecided,
}

impl FailOn {
    /// True if a verdict, by its name in JSON, is one of these.
    pub(crate) fn has(these: &[Self], verdict: &str) -> bool {
        these.iter().any(|this| this.to_possible_value().is_some_and(|value| value.get_name() == verdict))
    }
}
