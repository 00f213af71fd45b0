//! Progress on a terminal: one line on standard error that goes away at the end; nothing where nobody looks.

use indicatif::ProgressBar;
use pathproof::plan::Progress;

/// The line.
pub(crate) struct Spinner {
    bar: ProgressBar,
}

impl Spinner {
    /// Draws on standard error if that is a terminal.
    pub(crate) fn new() -> Self {
        Self { bar: ProgressBar::new_spinner() }
    }

    /// Shows how far a search has come; `size` and `measure` say what it counts.
    pub(crate) fn show(&self, progress: Progress, size: &str, measure: &str) {
        if self.bar.is_hidden() {
            return;
        }
        let measured = progress.measure.map_or(String::new(), |value| format!(", {measure} {value:.3}"));
        self.bar.set_message(format!("{} steps, {} {size}{measured}; Ctrl-C ends it", progress.steps, progress.size));
        self.bar.tick();
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
