//! The point of some half-spaces nearest to a given one: the dual active-set method of Goldfarb and Idnani (1983) with
//! the identity as its matrix. It starts at the given point and adds the half-space violated most, so it needs no
//! feasible start and detects that there is none. For building polytopes, not for queries.

use super::HalfSpace;
use pathproof::numeric::DVec3;

/// Half-spaces that currently hold the point, with their multipliers; at most three, independent.
#[derive(Default)]
struct Active {
    half_spaces: Vec<usize>,
    multipliers: Vec<f64>,
}

/// A normal counts as dependent on the active ones if it is shorter than this without its share along them.
const DEPENDENT: f64 = 1e-11;

/// `n` as a combination Σ λᵢaᵢ of some of the half-spaces' normals with λᵢ ≥ 0, as nearly as possible: the rest of n is
/// its projection onto the cone of the y with aᵢ·y ≤ 0 for all (Moreau).
pub(super) fn combination(half_spaces: &[HalfSpace], n: DVec3) -> Vec<(usize, f64)> {
    let cone: Vec<HalfSpace> = half_spaces.iter().map(|h| HalfSpace { offset: 0.0, ..*h }).collect();
    // Among nearly parallel normals the right one is violated by their angle times the rest of n.
    let (_, active, _) = search(&cone, n, 0.0, |rest| 1e-13 * rest.length());
    active.half_spaces.into_iter().zip(active.multipliers).collect()
}

/// The point nearest to `from` with normal·x ≤ offset − `inset` for all half-spaces, to `tolerance`; `None` if there is
/// none, or if rounding keeps the search from ending.
pub(super) fn project(half_spaces: &[HalfSpace], from: DVec3, inset: f64, tolerance: f64) -> Option<DVec3> {
    let (x, _, is_found) = search(half_spaces, from, inset, |_| tolerance);
    is_found.then_some(x)
}

/// The point reached, the half-spaces that hold it, and true if it is the solution.
fn search(
    half_spaces: &[HalfSpace],
    from: DVec3,
    inset: f64,
    tolerance: impl Fn(DVec3) -> f64,
) -> (DVec3, Active, bool) {
    let mut active = Active::default();
    let mut x = from;
    for _ in 0..64 + 8 * half_spaces.len() {
        let violation = |h: &HalfSpace| h.normal.dot(x) - h.offset + inset;
        let (worst, by) = (half_spaces.iter().map(violation).enumerate())
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|&(_, by)| by > tolerance(x))
            .map_or((usize::MAX, 0.0), |found| found);
        if worst == usize::MAX {
            return (x, active, true);
        }
        match active.add(half_spaces, worst, by, x) {
            Some(nearer) => x = nearer,
            None => break,
        }
    }
    (x, active, false)
}

impl Active {
    /// Moves x until half-space `new`, violated by `by`, holds with equality. Releases half-spaces with multipliers
    /// that would turn negative on the way. `None` if there is no such point.
    fn add(&mut self, half_spaces: &[HalfSpace], new: usize, mut by: f64, mut x: DVec3) -> Option<DVec3> {
        let normal = half_spaces[new].normal;
        let mut own = 0.0;
        loop {
            let normals: Vec<DVec3> = self.half_spaces.iter().map(|&i| half_spaces[i].normal).collect();
            let (shares, across) = resolve(&normals, normal);
            let squared = across.length_squared();
            let full = if squared > DEPENDENT * DEPENDENT { by / squared } else { f64::INFINITY };
            let blocking = (0..shares.len())
                .filter(|&i| shares[i] > 0.0)
                .map(|i| (self.multipliers[i] / shares[i], i))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let step = blocking.map_or(full, |(step, _)| if step < full { step } else { full });
            if step == f64::INFINITY {
                return None;
            }
            for (multiplier, share) in self.multipliers.iter_mut().zip(&shares) {
                *multiplier -= step * share;
            }
            own += step;
            if full < f64::INFINITY {
                x -= across * step;
                by -= step * squared;
            }
            match blocking {
                Some((limit, i)) if limit < full => {
                    self.half_spaces.remove(i);
                    self.multipliers.remove(i);
                }
                _ => {
                    self.half_spaces.push(new);
                    self.multipliers.push(own);
                    return Some(x);
                }
            }
        }
    }
}

/// `target` as a combination of up to three independent unit vectors, and its remainder, orthogonal to them.
fn resolve(vectors: &[DVec3], target: DVec3) -> (Vec<f64>, DVec3) {
    // Gram and Schmidt, then back-substitution.
    let mut basis: Vec<DVec3> = Vec::new();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for &v in vectors {
        let mut rest = v;
        let mut row = Vec::new();
        for b in &basis {
            let share = b.dot(rest);
            rest -= *b * share;
            row.push(share);
        }
        let length = rest.length();
        row.push(length);
        basis.push(rest / length);
        rows.push(row);
    }
    let mut rest = target;
    let mut along = Vec::new();
    for b in &basis {
        let share = b.dot(rest);
        rest -= *b * share;
        along.push(share);
    }
    let mut shares = vec![0.0; vectors.len()];
    for i in (0..vectors.len()).rev() {
        let later: f64 = (i + 1..vectors.len()).map(|j| rows[j][i] * shares[j]).sum();
        shares[i] = (along[i] - later) / rows[i][i];
    }
    (shares, rest)
}
