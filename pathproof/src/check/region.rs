//! [`FreeRegion`]: a neighbourhood of a configuration in which every pair keeps its clearance.
//!
//! At the configuration m every pair p is at least gap_p apart beyond its clearance. If joints leave m by δ, its sides
//! get nearer by at most Σ_k |δ_k| ρ_k with the levers ρ_k of both at m (`robot/levers.rs`), for changes of any size.
//! So the pair keeps its clearance wherever **Σ_k |δ_k| ρ_k / gap_p < 1**, and no body enters another, since surfaces
//! do not meet. The region of all pairs is convex: a straight segment with both ends inside is inside.

use super::checker::{CheckScratch, Checker};
use super::error::CheckError;
use super::groups::Opposite;
use super::pair_at::PairAt;
use super::verdict::Statistics;
use crate::numeric::{ROUNDOFF_F64, add_down};
use crate::robot::{Dyadic, Kinematics, SegmentMotion, add_levers};

/// Configurations around one at which every checked pair is farther apart than its clearance.
///
/// ```
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::robot::JointKind;
/// use pathproof::scene::SceneBuilder;
/// use pathproof::shapes::Convex;
/// use pathproof::{CheckScratch, Checker};
/// // A ball that slides along x, and another one that stands 1 m away: 0.8 m are between them.
/// let mut cell = SceneBuilder::new();
/// cell.joint("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY);
/// cell.link_body("ball", Convex::sphere(0.1)?);
/// cell.obstacle("post", Convex::sphere(0.1)?, Pose::from_translation(DVec3::X));
/// let checker = Checker::new(cell.build()?);
/// let region = checker.free_region(&[0.0], &mut CheckScratch::new(&checker))?.expect("they are apart");
/// assert!(region.holds_segment(&[-0.79], &[0.79]) && !region.holds_segment(&[0.0], &[0.81]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FreeRegion {
    middle: Vec<f64>,
    /// Rows of ρ_k / gap, rounded up, one per pair that matters; no row is below another everywhere.
    weights: Vec<f64>,
}

impl FreeRegion {
    /// True if a configuration is proven to be in it.
    pub fn holds(&self, q: &[f64]) -> bool {
        let count = self.middle.len();
        if q.len() != count {
            return false;
        }
        // Differences, products and sums err by 2 u each, relatively; so does the product with `room`.
        let room = 1.0 + 4.0 * ROUNDOFF_F64 * (count + 4) as f64;
        let sum = |row: &[f64]| row.iter().zip(q).zip(&self.middle).map(|((w, q), m)| w * (q - m).abs()).sum::<f64>();
        // NaN is not below 1, and a NaN summand makes the sum NaN.
        q.iter().all(|value| value.is_finite())
            && self.weights.chunks_exact(count.max(1)).all(|row| sum(row) * room < 1.0)
    }

    /// True if the straight segment between two configurations is proven to be in it: free, with every pair's
    /// clearance.
    pub fn holds_segment(&self, start: &[f64], goal: &[f64]) -> bool {
        self.holds(start) && self.holds(goal)
    }

    /// The configuration at its middle.
    pub fn middle(&self) -> &[f64] {
        &self.middle
    }

    /// Adds a pair, unless another one is stricter in every direction.
    fn restrict(&mut self, levers: &[f64], gap: f64) {
        if !self.is_beside_the_point(levers, gap) {
            self.weights.extend(levers.iter().map(|lever| weight(*lever, gap)));
        }
    }

    fn is_beside_the_point(&self, levers: &[f64], gap: f64) -> bool {
        let is_weaker = |row: &[f64]| levers.iter().zip(row).all(|(lever, other)| weight(*lever, gap) <= *other);
        gap > 0.0 && self.weights.chunks_exact(levers.len().max(1)).any(is_weaker)
    }
}

/// Upper bound on ρ / gap; 0 only where the joint moves nothing.
fn weight(lever: f64, gap: f64) -> f64 {
    if lever == 0.0 { 0.0 } else { (lever / gap).next_up() }
}

impl Checker {
    /// The region around a configuration that one query there proves free. `None` if a pair is not apart by more than
    /// its clearance there, or if planar or floating joints move one. The proof is as strong as that of the verdict
    /// `free`. Its cost is that of the distances of all pairs that are near.
    pub fn free_region(&self, q: &[f64], scratch: &mut CheckScratch) -> Result<Option<FreeRegion>, CheckError> {
        let model = self.scene().model();
        let motion = SegmentMotion::new(model, q, q).map_err(|problem| CheckError::Motion { segment: 0, problem })?;
        let work = &mut scratch.work;
        work.cache.clear();
        let kinematics = work.cache.at(&motion, Dyadic { index: 0, level: 0 });
        // Nearest first: they make most of the others irrelevant.
        let mut pairs: Vec<(f64, usize)> =
            (0..self.groups().pairs.len()).map(|pair| (self.lower_by_balls(pair, &motion, kinematics), pair)).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut region = FreeRegion { middle: q.to_vec(), weights: Vec::new() };
        let mut levers = vec![0.0; q.len()];
        for (lower_by_balls, index) in pairs {
            let pair = &self.groups().pairs[index];
            levers.fill(0.0);
            if !self.levers_of(index, &motion, kinematics, &mut levers) {
                return Ok(None);
            }
            if region.is_beside_the_point(&levers, add_down(lower_by_balls, -pair.clearance)) && lower_by_balls > 0.0 {
                continue;
            }
            let at = PairAt::new(self.groups(), pair, self.margin_of(index, &motion), model, kinematics);
            let lower = at.measure(&mut work.query, &mut Statistics::default()).lower;
            let gap = add_down(lower, -pair.clearance);
            if !(gap > 0.0) {
                return Ok(None);
            }
            region.restrict(&levers, gap);
        }
        Ok(Some(region))
    }

    /// Lower bound on a pair's distance by the balls around its sides; half-spaces have none.
    fn lower_by_balls(&self, pair: usize, motion: &SegmentMotion, kinematics: &mut Kinematics) -> f64 {
        let (groups, model) = (self.groups(), self.scene().model());
        let Opposite::Group(b) = groups.pairs[pair].b else { return f64::NEG_INFINITY };
        groups.lower_by_balls([groups.pairs[pair].a, b], self.margin_of(pair, motion), model, kinematics)
    }

    fn margin_of(&self, pair: usize, motion: &SegmentMotion) -> f64 {
        let groups = self.groups();
        let a = &groups.groups[groups.pairs[pair].a];
        let of_b = match groups.pairs[pair].b {
            Opposite::Group(b) => groups.groups[b].margin(motion),
            Opposite::HalfSpace(b) => groups.half_spaces[b].margin(a, motion),
        };
        (a.margin(motion) + of_b).next_up()
    }

    /// Levers of both sides of a pair, seen from the frame that carries both.
    fn levers_of(&self, pair: usize, motion: &SegmentMotion, kinematics: &mut Kinematics, levers: &mut [f64]) -> bool {
        let (groups, model) = (self.groups(), self.scene().model());
        let pair = &groups.pairs[pair];
        let mut add =
            |group: usize| add_levers(model, motion, kinematics, &groups.groups[group].extent, pair.ancestor, levers);
        match pair.b {
            Opposite::Group(b) => add(pair.a) && add(b),
            Opposite::HalfSpace(_) => add(pair.a),
        }
    }
}
