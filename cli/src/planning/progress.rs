//! Progress on a terminal: one line on standard error that disappears at the end; nothing without a terminal.

use indicatif::ProgressBar;
use pathproof::plan::Progress;

/// The line.
pub(crate) struct Spinner {
    bar: ProgressBar,
}

impl Spinner {
    /// Draws on standard error if it is a terminal.
    pub(crate) fn new() -> Self {
        Self { bar: ProgressBar::new_spinner() }
    }

    /// Shows the progress of a search; `size` and `measure` name its quantities.
    pub(crate) fn show(&self, progress: Progress, size: &str, measure: &str) {
        if self.bar.is_hidden() {
            return;
        }
        let measured = progress.measure.map_or(String::new(), |value| format!(", {measure} {value:.3}"));
        self.bar.set_message(format!("{} steps, {} {size}{measured}; Ctrl-C ends it", progress.steps, progress.size));
        self.bar.tick();
    }

    /// Removes the line.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
