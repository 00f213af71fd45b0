//! A long path on several threads: blocks of segments do not depend on each other, so they are distributed in rounds
//! and merged in the path's order. The answer has the same bits as that of one thread.

use super::path::{BLOCK, Queues, Search};
use crate::check::cell::{Examiner, Job, Workspace};
use crate::check::error::CheckError;
use crate::check::verdict::{Outcome, Statistics};
use crate::check::waypoints::Waypoints;
use crate::numeric::most;

/// Blocks that a thread takes at a time: enough to make the cost of starting threads negligible.
const BLOCKS_AT_A_TIME: usize = 4;

/// One thread's memory.
pub(in crate::check) type Worker<'w> = (&'w mut Queues, &'w mut Workspace);

/// True if a path is long enough for more than one thread.
pub(in crate::check) fn is_long(path: Waypoints<'_>) -> bool {
    path.segments() > BLOCK * BLOCKS_AT_A_TIME
}

/// Decides a path. Requires a worker, no limit and no edge cache: these depend on earlier work.
pub(in crate::check) fn run(
    job: &Job<'_>,
    path: Waypoints<'_>,
    workers: &mut [Worker<'_>],
) -> Result<Outcome, CheckError> {
    let mut whole = Outcome::new(job.scene.tolerance());
    let blocks = path.segments().div_ceil(BLOCK);
    for first in (0..blocks).step_by(BLOCKS_AT_A_TIME * workers.len()) {
        let starts = (first..blocks).step_by(BLOCKS_AT_A_TIME);
        let parts: Vec<Result<(Outcome, bool), CheckError>> = std::thread::scope(|scope| {
            let running: Vec<_> = workers
                .iter_mut()
                .zip(starts)
                .map(|((queues, work), start)| {
                    scope.spawn(move || {
                        work.statistics = Statistics::default();
                        let examiner = &mut Examiner::new(*job, work);
                        let range = start..blocks.min(start + BLOCKS_AT_A_TIME);
                        let (mut part, is_over) = Search::new(queues, None, examiner).run_blocks(path, range)?;
                        part.statistics = work.statistics;
                        Ok((part, is_over))
                    })
                })
                .collect();
            running
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        for part in parts {
            let (part, is_over) = part?;
            whole.append(part);
            if is_over {
                return Ok(whole);
            }
        }
    }
    Ok(whole)
}

impl Outcome {
    /// Adds the outcome of the following part of the path.
    fn append(&mut self, next: Self) {
        self.findings.extend(next.findings);
        self.unresolved = self.unresolved.take().or(next.unresolved);
        self.lower = self.lower.least(next.lower);
        self.tolerance = most(self.tolerance, next.tolerance);
        self.statistics += next.statistics;
    }
}
