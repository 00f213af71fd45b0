//! `--threads`: bounded by the machine and by the work. Each thread has a scratch of its own, which takes time to make.

use std::num::NonZeroUsize;

use crate::printable;

/// Threads that are taken wherever somebody asks for them.
const ALWAYS: usize = 16;
/// More than these per processor only take time and memory.
const MOST_PER_PROCESSOR: usize = 4;

/// Number of threads that work, one per processor unless asked. Says so on standard error where it is fewer than asked.
pub(crate) fn bounded(asked: Option<NonZeroUsize>) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let Some(asked) = asked.map(NonZeroUsize::get) else { return processors };
    let most = ALWAYS.max(MOST_PER_PROCESSOR * processors);
    if asked > most {
        printable::message(&format!("note: --threads {asked}: {most} work, the most that this machine can use"));
    }
    asked.min(most)
}

/// The threads that have something to do.
pub(crate) fn for_work(threads: usize, pieces: usize) -> usize {
    threads.min(pieces).max(1)
}
