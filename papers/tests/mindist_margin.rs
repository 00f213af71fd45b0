//! mindist's lower bound against exact arithmetic: slabs with parallel faces, whose gap along the common normal is known.

use dashu_ratio::RBig;
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof_papers::concave::{HalfSpace, Polytope, mindist};

fn exact(x: f64) -> RBig {
    RBig::try_from(x).expect("finite")
}

/// a·b without any rounding.
fn dot(a: DVec3, b: DVec3) -> RBig {
    (0..3).fold(RBig::ZERO, |sum, axis| sum + exact(a[axis]) * exact(b[axis]))
}

/// A box about the origin with faces across n, u and v.
fn slab(axes: [DVec3; 3], half: [f64; 3]) -> Polytope {
    let sides = axes
        .into_iter()
        .zip(half)
        .flat_map(|(normal, offset)| [HalfSpace { normal, offset }, HalfSpace { normal: -normal, offset }]);
    Polytope::from_half_spaces(&sides.collect::<Vec<_>>()).expect("a box")
}

/// The half-space of a polytope that looks along n.
fn facing(polytope: &Polytope, n: DVec3) -> HalfSpace {
    let half_spaces = polytope.half_spaces().iter().copied();
    half_spaces.max_by(|a, b| a.normal.dot(n).total_cmp(&b.normal.dot(n))).expect("some")
}

#[test]
fn lower_never_exceeds_the_exact_gap_of_parallel_faces() {
    let mut random = Random::new(0x71);
    let mut near = 0;
    for round in 0..1_000 {
        let n = random.direction();
        let u = n.any_orthonormal_vector();
        let axes = [n, u, n.cross(u)];
        let mut size = || [random.between(0.1, 2.0), random.between(1.0, 2.0), random.between(1.0, 2.0)];
        let (a, b) = (slab(axes, size()), slab(axes, size()));
        let (face, opposite) = (facing(&a, n), facing(&b, -n));
        assert_eq!(face.normal, -opposite.normal);
        let shift = face.offset + opposite.offset + random.between(0.01, 1.0);
        let pose = Pose::from_translation(n * shift + u * random.between(-0.2, 0.2));
        let found = mindist::signed_distance(&a, &b, &pose, &mut mindist::Start::default());
        // (n·t − both offsets) / |n|, by squares.
        let gap = dot(face.normal, pose.translation) - exact(face.offset) - exact(opposite.offset);
        let lower = exact(found.lower);
        assert!(
            found.lower <= 0.0 || lower.clone() * lower * dot(face.normal, face.normal) <= gap.clone() * gap,
            "{round}: {found:?}"
        );
        near += usize::from(found.upper - found.lower < 1e-12);
    }
    assert!(near > 900, "{near}");
}
