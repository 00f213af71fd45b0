//! A case with everything that is built off-line, and the reference answers.

use anyhow::{Context, Result};
use pathproof::numeric::Pose;
use pathproof_papers::concave::mls::LocalMinimum;
use pathproof_papers::concave::{Density, PieceQuery, SurfaceNodes};

use super::motion::Case;

/// Answers this close to the least one, relative to the sizes of the bodies, count as equal.
const SAME: f64 = 1e-9;

/// Nodes of A and of B.
pub(crate) type Nodes = [SurfaceNodes; 2];

pub(crate) struct Prepared {
    pub(crate) case: Case,
    pub(crate) fine: Nodes,
    pub(crate) coarse: Nodes,
    /// For each step the distance of every pair of pieces by mindist, A's pieces in rows.
    pub(crate) answers: Vec<Vec<f64>>,
    /// The least of them.
    pub(crate) least: Vec<f64>,
    size: f64,
}

impl Prepared {
    /// Makes nodes and solves all pairs at all steps.
    pub(crate) fn new(case: Case) -> Result<Self> {
        let [fine, coarse] = case.nodes;
        let nodes = |counts: [usize; 2]| -> Result<Nodes> {
            let of = |body, count| SurfaceNodes::new(body, Density::Count(count));
            Ok([of(&case.a, counts[0])?, of(&case.b, counts[1])?])
        };
        let (fine, coarse) = (nodes(fine)?, nodes(coarse)?);
        let size = case.a.aabb().size().length() + case.b.aabb().size().length();
        let mut answers = Vec::new();
        for pose in &case.poses {
            let mut all = Vec::with_capacity(case.a.len() * case.b.len());
            let query = PieceQuery::new(&case.a, &case.b, &Pose::IDENTITY, pose);
            let found = query.exhaustive(None, |_, answer| all.push(answer.upper))?;
            found.nearest.context("the poses are numbers")?;
            answers.push(all);
        }
        let least = answers.iter().map(|all| all.iter().copied().fold(f64::INFINITY, f64::min)).collect();
        Ok(Self { case, fine, coarse, answers, least, size })
    }

    pub(crate) fn query(&self, step: usize) -> PieceQuery<'_> {
        PieceQuery::new(&self.case.a, &self.case.b, &Pose::IDENTITY, &self.case.poses[step])
    }

    /// The least kept distance among the pairs of pieces that a local minimum sends to the second stage.
    pub(crate) fn behind(&self, step: usize, nodes: &Nodes, minimum: &LocalMinimum) -> f64 {
        let of_b = self.case.b.len();
        let mut least = f64::INFINITY;
        for &a in nodes[0].pieces(minimum.nodes[0]) {
            for &b in nodes[1].pieces(minimum.nodes[1]) {
                least = least.min(self.answers[step][a as usize * of_b + b as usize]);
            }
        }
        least
    }

    /// Excess of an answer over the least one; 0 if they count as equal.
    pub(crate) fn error(&self, step: usize, answer: f64) -> f64 {
        let error = answer - self.least[step];
        if error <= SAME * self.size { 0.0 } else { error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concave::{agreement, motion};

    /// Table 1's nodes, within 1 %, and relations that must hold between answers and counts of starts.
    #[test]
    fn nodes_are_as_many_as_in_the_paper_and_more_starts_never_agree_less_often() {
        let case = motion::battery().expect("a case");
        let poses = case.poses.iter().copied().step_by(30).collect();
        let prepared = Prepared::new(Case { poses, ..case }).expect("nodes and answers");
        for (nodes, counts) in [(&prepared.fine, [1_842, 1_241]), (&prepared.coarse, [308, 209])] {
            for (nodes, count) in nodes.iter().zip(counts) {
                assert!((nodes.len() as f64 / f64::from(count) - 1.0).abs() <= 0.01);
                assert_eq!(nodes.broken_invariant(), None);
            }
        }
        let steps: Vec<usize> = (0..prepared.least.len()).collect();
        let by_starts = agreement::random_starts(&prepared, &prepared.coarse, 3, 200);
        assert!(by_starts.is_sorted_by(|p, q| p.queries <= q.queries && p.worst_error >= q.worst_error));
        let (ceiling, _, minima) = agreement::every_pair(&prepared, &prepared.coarse, &steps);
        assert!(by_starts.iter().all(|found| found.queries <= ceiling) && minima >= 1.0);
    }
}
