//! Ctrl-C asks the search to end and return its best result so far; a second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

use pathproof::check::Interrupt;

static STOP: AtomicBool = AtomicBool::new(false);

/// Ends a proof at Ctrl-C.
pub(crate) const INTERRUPT: Interrupt = Interrupt(is_interrupted);

/// True if Ctrl-C was pressed.
pub(crate) fn is_interrupted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Listens to Ctrl-C from now on, and returns the interrupt that it triggers.
pub(crate) fn listen() -> Interrupt {
    let listened = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    // Without a handler, Ctrl-C ends the program as it always does.
    drop(listened);
    INTERRUPT
}
