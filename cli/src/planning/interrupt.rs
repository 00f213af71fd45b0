//! Ctrl-C asks the search to end and return the best so far; the second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// What becomes true at Ctrl-C, which is listened to from now on.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    let listened = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    // Where it cannot be listened to, Ctrl-C ends the program as it always does.
    drop(listened);
    &STOP
}
