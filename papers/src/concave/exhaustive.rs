//! All pairs of pieces by mindist, the paper's baseline ("Sub-Object Pruning" §2.2.2): m × n problems, wherever the
//! bodies are.

use super::mindist::{self, Start};
use super::query::{Nearest, PieceWork};
use super::{PieceDistance, PieceQuery, PiecesError};
use pathproof::distance::gjk::ConvexDistance;
use pathproof::internals::simd::{self, Width};

/// The points at which the last query's searches ended, per pair; for [`PieceQuery::exhaustive`] along a motion.
/// `Default` is a cold start.
#[derive(Clone, Debug, Default)]
pub struct Starts(Vec<Start>);

impl PieceQuery<'_> {
    /// The signed distance by mindist on every pair of pieces. With `starts` each search continues from where it ended
    /// in the last query, otherwise it starts at the centres. `visit` sees every pair's answer; its bounds exclude the
    /// rounding of the poses, and it is in A's frame.
    pub fn exhaustive(
        &self,
        mut starts: Option<&mut Starts>,
        mut visit: impl FnMut([usize; 2], &ConvexDistance),
    ) -> Result<PieceDistance, PiecesError> {
        let (polytopes_a, polytopes_b) = (self.a.polytopes()?, self.b.polytopes()?);
        let count = polytopes_a.len() * polytopes_b.len();
        if let Some(Starts(starts)) = &mut starts {
            starts.resize(count, Start::default());
        }
        let mut work = PieceWork { piece_pairs: count as u64, ..PieceWork::default() };
        let mut nearest = Nearest::NONE;
        let width = Width::detect();
        for (i, a) in polytopes_a.iter().enumerate() {
            for (j, b) in polytopes_b.iter().enumerate() {
                let mut cold = Start::default();
                let start = match &mut starts {
                    Some(Starts(starts)) => &mut starts[i * polytopes_b.len() + j],
                    None => &mut cold,
                };
                let found = simd::run(
                    width,
                    #[inline(always)]
                    || mindist::signed_distance_here(a, b, &self.a_from_b, start),
                );
                work.surfaces += (a.half_spaces().len() + b.half_spaces().len()) as u64;
                visit([i, j], &found);
                nearest.take(&self.pair([i, j], &found));
            }
        }
        Ok(self.answer(nearest, work))
    }
}
