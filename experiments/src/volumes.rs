//! Cost of the distance of two rectangle swept spheres beside the overlap test of two oriented boxes
//! (exact-collision-checking paper §3.2: the boxes are "less than twice faster").
//!
//! Both are of the same bodies: random boxes about 1 m, some apart, some overlapping. The overlap test is the usual one
//! of 15 axes that ends at the first that separates, in the same precision and with the same instructions.

use std::hint::black_box;

use anyhow::Result;
use fearless_simd::{Level, Simd, dispatch};
use glam::{DMat3, DVec3};
use pathproof::distance::Indexed;
use pathproof::numeric::{Pose, Random};
use pathproof::trees::{Direction, RssTree, VolumeTree};
use serde_json::json;

use crate::static_distance::indexed;
use crate::timing::microseconds;
use crate::{Options, bodies, report::Report};

/// Two boxes, their trees and their relative pose.
struct Pair {
    trees: [Indexed<RssTree>; 2],
    half: [DVec3; 2],
    a_from_b: Pose,
    direction: Direction,
    rss: <RssTree as VolumeTree>::Pair,
}

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report
        .note("Paper: an overlap test of two oriented boxes is less than twice faster than the distance of two RSSs.");
    let count = options.samples(if options.quick { 200 } else { 2_000 });
    for (case, gap) in [("apart", [1.5, 3.0]), ("near", [0.5, 1.5]), ("overlapping", [0.0, 0.5])] {
        let pairs = pairs(count, gap)?;
        let level = Level::new();
        let per_pair = |us: f64| us * 1e3 / count as f64;
        let rss_ns = per_pair(microseconds(|| {
            black_box(dispatch!(level, simd => all_rss(simd, &pairs)));
        }));
        let obb_ns = per_pair(microseconds(|| {
            black_box(dispatch!(level, simd => all_obb(simd, &pairs)));
        }));
        let overlapping = pairs.iter().filter(|p| overlaps(&p.half, &p.a_from_b)).count();
        report.row(
            case,
            json!({"pairs": count, "overlapping": overlapping, "rss_distance_ns": rss_ns, "obb_overlap_ns": obb_ns,
                   "ratio": rss_ns / obb_ns}),
        );
    }
    Ok(())
}

fn pairs(count: usize, gap: [f64; 2]) -> Result<Vec<Pair>> {
    let mut random = Random::new(15);
    (0..count)
        .map(|_| {
            let mut half = || DVec3::new(random.between(0.1, 0.5), random.between(0.1, 0.5), random.between(0.1, 0.5));
            let half = [half(), half()];
            let translation = random.direction() * random.between(gap[0], gap[1]);
            let a_from_b = Pose { translation, ..random.pose(0.0) };
            let tree = |half: DVec3| indexed::<RssTree>(&bodies::cuboid(2.0 * half));
            let trees = [tree(half[0])?, tree(half[1])?];
            let rss = RssTree::pair(trees[0].tree(), trees[1].tree(), &a_from_b, 0.0);
            let direction = Direction::new(translation.normalize(), &a_from_b);
            Ok(Pair { trees, half, a_from_b, direction, rss })
        })
        .collect()
}

#[inline(always)]
fn all_rss<S: Simd>(simd: S, pairs: &[Pair]) -> f32 {
    let one = |p: &Pair| RssTree::lower_root(simd, &p.rss, p.trees[0].tree(), p.trees[1].tree(), &p.direction);
    pairs.iter().map(|p| black_box(one(black_box(p)))).sum()
}

#[inline(always)]
fn all_obb<S: Simd>(_simd: S, pairs: &[Pair]) -> usize {
    pairs.iter().map(|p| usize::from(black_box(overlaps(black_box(&p.half), &p.a_from_b)))).sum()
}

/// True if two boxes centred in their frames overlap: no axis of 15 separates them.
#[inline(always)]
fn overlaps(half: &[DVec3; 2], a_from_b: &Pose) -> bool {
    let (rotation, t) = (a_from_b.rotation, a_from_b.translation);
    // The small term keeps parallel edges, whose product is no axis, from separating.
    let small = DVec3::splat(1e-12);
    let size =
        DMat3::from_cols(rotation.x_axis.abs() + small, rotation.y_axis.abs() + small, rotation.z_axis.abs() + small);
    let (of_a, of_b) = (half[0], half[1]);
    // A's faces, then B's.
    if (t.abs() - of_a - size * of_b).max_element() > 0.0 {
        return false;
    }
    if ((rotation.transpose() * t).abs() - of_b - size.transpose() * of_a).max_element() > 0.0 {
        return false;
    }
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        for m in 0..3 {
            let (n, o) = ((m + 1) % 3, (m + 2) % 3);
            // The product of A's edge i and B's edge m.
            let distance = t[k] * rotation.col(m)[j] - t[j] * rotation.col(m)[k];
            let reach_a = of_a[j] * size.col(m)[k] + of_a[k] * size.col(m)[j];
            let reach_b = of_b[n] * size.col(o)[i] + of_b[o] * size.col(n)[i];
            if distance.abs() > reach_a + reach_b {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use pathproof::distance::gjk::{Tracker, distance};
    use pathproof::shapes::Convex;

    use super::*;

    #[test]
    fn boxes_overlap_where_their_distance_is_zero() {
        for pair in pairs(2_000, [0.0, 1.5]).unwrap() {
            let [a, b] = pair.half.map(|half| Convex::cuboid((2.0 * half).to_array()).unwrap());
            let apart = distance(&a, &b, &pair.a_from_b, f64::INFINITY, &mut Tracker::default());
            assert!(overlaps(&pair.half, &pair.a_from_b) == (apart.lower <= 1e-9), "{apart:?}");
        }
    }
}
