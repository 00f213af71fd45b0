//! `--threads`: bounded by the machine and by the work. Each thread has its own scratch, which takes time to make.

use std::num::NonZeroUsize;

use crate::printable;

/// Number of threads that is always allowed.
const ALWAYS: usize = 16;
/// More threads per processor only take time and memory.
const MOST_PER_PROCESSOR: usize = 4;

/// Number of working threads, one per processor by default. Prints a note on standard error if it is below the
/// requested one.
pub(crate) fn bounded(asked: Option<NonZeroUsize>) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let Some(asked) = asked.map(NonZeroUsize::get) else { return processors };
    let most = ALWAYS.max(MOST_PER_PROCESSOR * processors);
    if asked > most {
        printable::message(&format!("note: --threads {asked}: {most} work, the most that this machine can use"));
    }
    asked.min(most)
}

/// Number of threads that have something to do.
pub(crate) fn for_work(threads: usize, pieces: usize) -> usize {
    threads.min(pieces).max(1)
}
