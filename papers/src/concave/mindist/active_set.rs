//! The primal active-set method for min |y − x|, x in one polytope and y in the other.
//!
//! Up to three half-spaces hold each point (the working set). A step goes to the nearest points of the two subspaces
//! they leave, or up to the first half-space in the way, which is then added. At the nearest points the half-space with
//! the most negative multiplier is released; if there is none, the points are the answer. Both points stay in their own
//! frames and remain feasible when the bodies move: [`Start`] keeps them.

use super::subspace::{Held, approach};
use super::{End, upper_scale};
use crate::concave::Polytope;
use crate::concave::polytope::PlaneBlock;
use pathproof::numeric::{DVec3, Pose, ROUNDOFF_F64, unit};

/// Most passes over the half-spaces before giving up; the searches of the tests end within 40.
const ITERATION_LIMIT: u32 = 200;

/// Most steps without coming nearer: at vertices of many faces the working set changes in place.
const STALL_LIMIT: u32 = 24;

/// A half-space does not stop a step that approaches it by no more than this fraction of the step's length plus the
/// rounding of coordinates: those in the working set are approached by rounding only. No half-space is ever crossed by
/// more.
const GAIN: f64 = 1e-14;

/// Multipliers down to here count as non-negative. Releasing one could bring the points nearer by at most this fraction
/// of the size.
const MULTIPLIER: f64 = 1e-13;

/// Start of a search: a point of each polytope, each in its own frame, and the half-spaces that hold it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    points: Option<[DVec3; 2]>,
    working: [Working; 2],
}

/// Numbers of the half-spaces that hold a point; the first `count`.
#[derive(Clone, Copy, Debug, Default)]
struct Working {
    numbers: [u32; 3],
    count: usize,
}

/// One polytope and the moving point, in the polytope's frame.
struct Side<'p> {
    polytope: &'p Polytope,
    point: DVec3,
    working: Working,
    /// Normals of the working set in A's frame.
    normals: [DVec3; 3],
}

pub(super) struct Problem<'p> {
    a: Side<'p>,
    b: Side<'p>,
    a_from_b: &'p Pose,
    scale: f64,
    /// y − x, in A's frame.
    way: DVec3,
    iterations: u32,
}

impl<'p> Side<'p> {
    /// Starts at `point`, held by `working`, if these fit the polytope; else at its centre.
    #[inline(always)]
    fn new(polytope: &'p Polytope, a_from_own: &Pose, point: DVec3, working: &Working, scale: f64) -> Self {
        let centre = polytope.centre;
        let mut side = Self { polytope, point: centre, working: Working::default(), normals: [DVec3::ZERO; 3] };
        // The rounding of some steps: the points of the last search for this pair may be outside by this much.
        let near = 64.0 * ROUNDOFF_F64 * scale;
        if point == centre || !(violation(&polytope.blocks, point) <= near) {
            return side;
        }
        side.point = point;
        for &number in &working.numbers[..working.count] {
            let Some(half_space) = polytope.half_spaces().get(number as usize) else { continue };
            if (half_space.offset - half_space.normal.dot(point)).abs() <= near {
                side.hold(number, a_from_own.vector(half_space.normal));
                if !side.held().is_independent() {
                    side.working.count -= 1;
                }
            }
        }
        side
    }

    #[inline(always)]
    fn held(&self) -> Held {
        Held::by(&self.normals[..self.working.count])
    }

    #[inline(always)]
    fn hold(&mut self, number: u32, normal_in_a: DVec3) {
        let slot = self.working.count;
        self.working.numbers[slot] = number;
        self.normals[slot] = normal_in_a;
        self.working.count += 1;
    }

    #[inline(always)]
    fn let_go(&mut self, slot: usize) {
        for i in slot..2 {
            self.working.numbers[i] = self.working.numbers[i + 1];
            self.normals[i] = self.normals[i + 1];
        }
        self.working.count -= 1;
    }
}

impl<'p> Problem<'p> {
    #[inline(always)]
    pub(super) fn new(a: &'p Polytope, b: &'p Polytope, a_from_b: &'p Pose, start: &Start) -> Self {
        let scale = upper_scale(a, b, a_from_b);
        let [x, y] = start.points.unwrap_or([a.centre, b.centre]);
        let side_a = Side::new(a, &Pose::IDENTITY, x, &start.working[0], scale);
        let side_b = Side::new(b, a_from_b, y, &start.working[1], scale);
        let way = a_from_b.point(side_b.point) - side_a.point;
        Self { a: side_a, b: side_b, a_from_b, scale, way, iterations: 0 }
    }

    pub(super) fn into_start(self) -> Start {
        Start { points: Some([self.a.point, self.b.point]), working: [self.a.working, self.b.working] }
    }

    #[inline(always)]
    pub(super) fn solve(&mut self) {
        let (mut least, mut stalled) = (f64::INFINITY, 0);
        while self.iterations < ITERATION_LIMIT {
            self.iterations += 1;
            let squared = self.way.length_squared();
            // A gain below rounding is no progress.
            stalled = if squared < least * (1.0 - 4.0 * ROUNDOFF_F64) { 0 } else { stalled + 1 };
            least = if squared < least { squared } else { least };
            let together = 8.0 * ROUNDOFF_F64 * self.scale;
            if !(squared > together * together) || stalled > STALL_LIMIT {
                return;
            }
            let is_at_rest = self.step();
            if is_at_rest && !self.release(stalled > 0) {
                return;
            }
        }
    }

    /// Moves both points as far as they can go within their subspaces. True if they are now the nearest ones there.
    #[inline(always)]
    fn step(&mut self) -> bool {
        let (p, q) = approach(self.a.held(), self.b.held(), self.way);
        let q_in_b = self.a_from_b.inverse_vector(q);
        let noise = 4.0 * ROUNDOFF_F64 * self.scale;
        let in_way_a = first_in_way(&self.a.polytope.blocks, self.a.point, p, noise);
        let in_way_b = first_in_way(&self.b.polytope.blocks, self.b.point, q_in_b, noise);
        let (at_a, at_b) = (in_way_a.share, in_way_b.share);
        let is_blocked_by_a = at_a < 1.0 && at_a <= at_b;
        let is_blocked_by_b = !is_blocked_by_a && at_b < 1.0;
        let share = if is_blocked_by_a {
            at_a
        } else if is_blocked_by_b {
            at_b
        } else {
            1.0
        };
        self.a.point += p * share;
        self.b.point += q_in_b * share;
        self.way = self.a_from_b.point(self.b.point) - self.a.point;
        if is_blocked_by_a {
            let number = in_way_a.number;
            self.a.hold(number, self.a.polytope.half_spaces()[number as usize].normal);
        } else if is_blocked_by_b {
            let number = in_way_b.number;
            let normal = self.b.polytope.half_spaces()[number as usize].normal;
            self.b.hold(number, self.a_from_b.vector(normal));
        }
        !(is_blocked_by_a || is_blocked_by_b)
    }

    /// Direction between the points that are nearest in their subspaces, made orthogonal to these as well as rounding
    /// allows: where the points nearly touch, `way` itself is mostly rounding.
    #[inline(always)]
    fn direction(&self) -> DVec3 {
        let (a, b) = (self.a.held(), self.b.held());
        let across = match (a, b) {
            (Held::Free, _) | (_, Held::Free) => DVec3::ZERO,
            (Held::Plane(n), _) | (_, Held::Plane(n)) => n,
            (Held::Line(e, _), Held::Line(f, _)) => e.cross(f),
            _ => DVec3::ZERO,
        };
        let length = across.length();
        // Lines less than 1e-4 from parallel have a rough product.
        if length > 1e-4 {
            let unit = across / length;
            return if unit.dot(self.way) < 0.0 { -unit } else { unit };
        }
        let mut n = self.way / self.way.length();
        if let (Held::Line(e, _), _) | (_, Held::Line(e, _)) = (a, b) {
            let second = match (a, b) {
                (Held::Line(..), Held::Line(f, _)) => unit(f - e * e.dot(f)).unwrap_or(DVec3::ZERO),
                _ => DVec3::ZERO,
            };
            // Twice: the first pass may leave little of a rough way.
            for _ in 0..2 {
                n -= e * e.dot(n);
                n -= second * second.dot(n);
                n = n / n.length();
            }
        }
        n
    }

    /// Releases the half-space with the most negative multiplier (the one with the least number once the search has
    /// stalled, after Bland, so that it cannot cycle). True if there was one.
    #[inline(always)]
    fn release(&mut self, is_stalled: bool) -> bool {
        let n = self.direction();
        let shares = [self.a.held().shares(n), self.b.held().shares(-n)];
        let counts = [self.a.working.count, self.b.working.count];
        let numbers = [self.a.working.numbers, self.b.working.numbers];
        let mut chosen: Option<(usize, usize)> = None;
        for side in 0..2 {
            for slot in 0..counts[side] {
                let share = shares[side][slot];
                if !(share < -MULTIPLIER) {
                    continue;
                }
                let is_better = chosen.is_none_or(|(s, i)| {
                    if is_stalled { side == s && numbers[side][slot] < numbers[s][i] } else { share < shares[s][i] }
                });
                if is_better {
                    chosen = Some((side, slot));
                }
            }
        }
        match chosen {
            Some((0, slot)) => self.a.let_go(slot),
            Some((_, slot)) => self.b.let_go(slot),
            None => return false,
        }
        true
    }

    /// Bounds from the present state of the search, however it ended.
    ///
    /// Lower, by duality: if n = Σ λᵢaᵢ + r with λᵢ ≥ 0, every x of A has n·(x − c) ≤ Σ λᵢ(bᵢ − aᵢ·c) + |r|R. With −n
    /// on B the separation along n is at least n·(c_B − c_A) less the two. Rounding: each bᵢ − aᵢ·c errs by 4u of the
    /// sizes, r by 4u(1 + Σλ), the rest as in `gjk::lower_separation`: 32u(1 + Σλ) of the scale in all.
    ///
    /// Upper: a point that violates its half-spaces by at most ε is inside once moved towards c by its share ε/(ε + ρ):
    /// by at most ε(R/ρ + 1), thickness of flat polytopes included.
    #[inline(always)]
    pub(super) fn end(&self) -> End {
        let n = self.direction();
        let (reach_a, sum_a) = reach(&self.a, n, n);
        let n_in_b = self.a_from_b.inverse_vector(-n);
        let (reach_b, sum_b) = reach(&self.b, -n, n_in_b);
        let between = self.a_from_b.point(self.b.polytope.centre) - self.a.polytope.centre;
        let margin = 32.0 * ROUNDOFF_F64 * (1.0 + sum_a + sum_b) * self.scale + 1e-300;
        let pull = |side: &Side<'_>| {
            // A product of three terms and a difference err by 5 u of the numbers.
            let noise = 5.0 * ROUNDOFF_F64 * side.polytope.upper_extent();
            let out = violation(&side.polytope.blocks, side.point) + noise;
            let (inner, outer) = (side.polytope.inner_radius, side.polytope.outer_radius);
            // A polytope too thin to hold a ball has no known point to pull towards.
            if inner > 0.0 { out * (outer / inner + 1.0) } else { f64::INFINITY }
        };
        End {
            lower: n.dot(between) - reach_a - reach_b - margin,
            upper: self.way.length() + pull(&self.a) + pull(&self.b) + margin,
            on_a: self.a.point,
            on_b: self.a_from_b.point(self.b.point),
            direction: n,
            scale: self.scale,
            iterations: self.iterations,
        }
    }
}

/// Upper bound, before rounding, on n·(x − centre) over a polytope by the multipliers of its working set, and the sum
/// of these. `n` is in A's frame, as the normals are, and in the polytope's own.
#[inline(always)]
fn reach(side: &Side<'_>, n: DVec3, n_in_own: DVec3) -> (f64, f64) {
    let shares = side.held().shares(n);
    let (mut sum, mut along, mut rest) = (0.0, 0.0, n_in_own);
    for (&number, share) in side.working.numbers[..side.working.count].iter().zip(shares) {
        if share > 0.0 {
            let half_space = &side.polytope.half_spaces()[number as usize];
            sum += share;
            along += share * (half_space.offset - half_space.normal.dot(side.polytope.centre));
            rest -= half_space.normal * share;
        }
    }
    (along + rest.length() * side.polytope.outer_radius, sum)
}

/// The first half-space in the way of a step, and the share of the step at which it is met (never negative; ∞ if none
/// is).
struct InWay {
    number: u32,
    share: f64,
}

#[inline(always)]
fn first_in_way(blocks: &[PlaneBlock], from: DVec3, step: DVec3, noise: f64) -> InWay {
    // Shares are compared as fractions slack / gain, so that a lane needs no division.
    let least_gain = GAIN * step.length() + noise;
    let (mut slack, mut gain, mut number) = ([f64::INFINITY; 8], [1.0; 8], [0u64; 8]);
    for (block, [x, y, z, offset]) in blocks.iter().enumerate() {
        for lane in 0..8 {
            let its_gain = x[lane] * step.x + y[lane] * step.y + z[lane] * step.z;
            let left = offset[lane] - (x[lane] * from.x + y[lane] * from.y + z[lane] * from.z);
            let its_slack = if left > 0.0 { left } else { 0.0 };
            let wins = its_gain > least_gain && its_slack * gain[lane] < slack[lane] * its_gain;
            slack[lane] = if wins { its_slack } else { slack[lane] };
            gain[lane] = if wins { its_gain } else { gain[lane] };
            number[lane] = if wins { (block * 8 + lane) as u64 } else { number[lane] };
        }
    }
    let mut best = InWay { number: 0, share: f64::INFINITY };
    for lane in 0..8 {
        let share = slack[lane] / gain[lane];
        if share < best.share || (share == best.share && share < f64::INFINITY && (number[lane] as u32) < best.number) {
            best = InWay { number: number[lane] as u32, share };
        }
    }
    best
}

/// Largest violation of a half-space by `p`; 0 if none.
#[inline(always)]
fn violation(blocks: &[PlaneBlock], p: DVec3) -> f64 {
    let mut most = [0f64; 8];
    for [x, y, z, offset] in blocks {
        for lane in 0..8 {
            let out = x[lane] * p.x + y[lane] * p.y + z[lane] * p.z - offset[lane];
            // NaN is kept.
            most[lane] = if out <= most[lane] { most[lane] } else { out };
        }
    }
    most.iter().fold(0.0, |most, &out| if out <= most { most } else { out })
}
