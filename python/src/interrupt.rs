//! Ctrl-C during long work: the library polls whether to end, and every [`EVERY`] the poll asks the interpreter for
//! signals. A flag ends the threads that help with a call.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use pathproof::check::Interrupt;
use pyo3::prelude::*;

/// Interval between polls of the interpreter. Attaching to it costs some µs, and waits while another thread holds it.
pub(crate) const EVERY: Duration = Duration::from_millis(50);

/// The interrupt to pass to the library.
pub(crate) const BY_SIGNALS: Interrupt = Interrupt(is_wanted);

#[derive(Default)]
struct Watch {
    /// Time of the next poll; set at the first one, so that short calls never read the clock.
    next: Option<Instant>,
    /// Exception raised by a signal.
    raised: Option<PyErr>,
    /// For threads that help: set once the call has ended.
    flag: Option<Arc<AtomicBool>>,
}

thread_local! {
    static WATCH: RefCell<Watch> = RefCell::default();
}

/// Runs a long computation with the interpreter released; raises the exception of a signal received in the meantime.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    WATCH.with_borrow_mut(|watch| *watch = Watch::default());
    let result = py.detach(work);
    match WATCH.with_borrow_mut(|watch| watch.raised.take()) {
        Some(raised) => Err(raised),
        None => Ok(result),
    }
}

/// Runs a search on a thread of its own, which ends soon after the flag is set. A signal sets the flag, and its
/// exception is raised.
pub(crate) fn searching<T: Send>(py: Python<'_>, search: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = &AtomicBool::new(false);
    let watched = || {
        std::thread::scope(|scope| {
            let (working, is_over) = mpsc::channel::<()>();
            let searcher = scope.spawn(move || {
                // Dropped with the thread, which ends the waiting.
                let _working = working;
                search(stop)
            });
            let mut raised = None;
            while is_over.recv_timeout(EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                raised = raised.or_else(|| Python::try_attach(|py| py.check_signals()).and_then(Result::err));
                stop.store(raised.is_some(), Ordering::Relaxed);
            }
            (searcher.join(), raised)
        })
    };
    match py.detach(watched) {
        (_, Some(raised)) => Err(raised),
        (Ok(result), None) => Ok(result),
        (Err(panic), None) => std::panic::resume_unwind(panic),
    }
}

/// Makes this thread end its work when the flag is set.
pub(crate) fn follow(flag: &Arc<AtomicBool>) {
    WATCH.with_borrow_mut(|watch| *watch = Watch { flag: Some(Arc::clone(flag)), ..Watch::default() });
}

/// True if the work should end now.
pub(crate) fn is_wanted() -> bool {
    let is_time = WATCH.with_borrow_mut(|watch| {
        if let Some(flag) = &watch.flag {
            return Err(flag.load(Ordering::Relaxed));
        }
        if watch.raised.is_some() {
            return Err(true);
        }
        let now = Instant::now();
        if now < *watch.next.get_or_insert(now + EVERY) {
            return Err(false);
        }
        watch.next = Some(now + EVERY);
        Ok(())
    });
    if let Err(known) = is_time {
        return known;
    }
    // Nothing is borrowed here: a signal handler may call the package. An interpreter that is shutting down has no
    // signals any more.
    let raised = Python::try_attach(|py| py.check_signals()).and_then(Result::err);
    WATCH.with_borrow_mut(|watch| {
        watch.raised = raised;
        watch.raised.is_some()
    })
}
