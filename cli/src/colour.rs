//! Colour on a terminal: the verdict's word only. `NO_COLOR` switches it off, `CLICOLOR_FORCE` on.

use std::io::IsTerminal as _;

use pathproof::check::Verdict;

/// Every colour code: the only control characters that are printed unescaped.
pub(crate) const CODES: [&str; 6] =
    ["\u{1b}[1;32m", "\u{1b}[1;31m", "\u{1b}[1;33m", "\u{1b}[1;35m", "\u{1b}[33m", "\u{1b}[0m"];

/// Choice of coloured or plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Coloured,
}

impl Paint {
    /// Choice for standard output, by its kind and the environment.
    pub(crate) fn of_standard_output() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        match () {
            () if is_set("NO_COLOR") => Self::Plain,
            () if is_set("CLICOLOR_FORCE") => Self::Coloured,
            () if std::io::stdout().is_terminal() && !is_dumb => Self::Coloured,
            () => Self::Plain,
        }
    }

    /// Word in the colour of a verdict.
    pub(crate) fn verdict(self, word: &str, verdict: &Verdict) -> String {
        let code = match verdict {
            Verdict::Free(_) => 32,
            Verdict::Collision(_) => 31,
            Verdict::TooClose(_) => 33,
            Verdict::Undecided(_) => 35,
        };
        match self {
            Self::Plain => word.to_owned(),
            Self::Coloured => format!("\u{1b}[1;{code}m{word}\u{1b}[0m"),
        }
    }

    /// Word for something wrong.
    pub(crate) fn warning(self, word: &str) -> String {
        match self {
            Self::Plain => word.to_owned(),
            Self::Coloured => format!("\u{1b}[33m{word}\u{1b}[0m"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_that_are_used() {
        let warning = Paint::Coloured.warning("x");
        let rest = CODES.iter().fold(warning, |text, code| text.replace(code, ""));
        assert_eq!(rest, "x");
        assert_eq!(crate::printable::escaped(&Paint::Coloured.warning("x")), Paint::Coloured.warning("x"));
    }
}
