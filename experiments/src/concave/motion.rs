//! The motions of the sub-object-pruning paper (its §4.1), rebuilt: 151 poses of B each.

use anyhow::Result;
use glam::{DQuat, DVec3};
use pathproof::numeric::Pose;
use pathproof_papers::concave::ConvexPieces;

use super::bodies;

/// Steps of a trajectory, as in the paper.
pub(crate) const STEPS: usize = 151;

/// Two bodies, A at rest, and the poses of B.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) a: ConvexPieces,
    pub(crate) b: ConvexPieces,
    /// Nodes of A and B, fine and coarse, as in Table 1.
    pub(crate) nodes: [[usize; 2]; 2],
    pub(crate) poses: Vec<Pose>,
}

/// The battery into its fixture: from 2 m away, turning until it stands before the opening, then straight in.
pub(crate) fn battery() -> Result<Case> {
    let end = DVec3::new(0.245, -0.37 + 0.43, 0.04);
    let middle = DVec3::new(0.155, 0.37, 0.46);
    let poses = (0..STEPS).map(|step| {
        let s = step as f64 / (STEPS - 1) as f64;
        let (turn, left) = if s < 0.7 { (1.0 - s / 0.7, s / 0.7) } else { (0.0, 1.0) };
        let away = if s < 0.7 { -2.85 + 2.15 * left } else { -0.70 * (1.0 - (s - 0.7) / 0.3) };
        let rotation = DQuat::from_rotation_z(1.1 * turn) * DQuat::from_rotation_y(-0.5 * turn);
        let shift = DVec3::new(away, 0.35 * turn, 0.25 * turn);
        // About its middle.
        Pose::from_quaternion(rotation, end + middle + shift) * Pose::from_translation(-middle)
    });
    Ok(Case {
        name: "battery",
        a: bodies::fixture()?,
        b: bodies::battery()?,
        nodes: [[1_842, 1_241], [308, 209]],
        poses: poses.collect(),
    })
}

/// Two hands about to shake: straight, from 120 mm apart.
pub(crate) fn hands() -> Result<Case> {
    let hand = bodies::hand()?;
    // The other hand points the other way and faces up: turned about x.
    let facing = DQuat::from_rotation_x(std::f64::consts::PI);
    let (start, end) = (DVec3::new(0.006, 0.200, -0.115), DVec3::new(0.001, 0.1966, 0.038));
    let poses = (0..STEPS).map(|step| {
        let s = step as f64 / (STEPS - 1) as f64;
        Pose::from_quaternion(facing, start.lerp(end, s))
    });
    Ok(Case { name: "hands", a: hand.clone(), b: hand, nodes: [[2_129, 2_129], [839, 839]], poses: poses.collect() })
}

#[cfg(test)]
mod tests {
    use pathproof_papers::concave::{PieceQuery, TreeMemory};

    use super::*;

    #[test]
    fn motions_start_and_end_as_in_the_paper_and_never_collide() {
        for (case, first, last) in [(battery(), 2.0, 0.02), (hands(), 0.12, 0.005)] {
            let case = case.expect("a case");
            let mut memory = TreeMemory::default();
            let distances: Vec<f64> = (case.poses.iter())
                .map(|pose| PieceQuery::new(&case.a, &case.b, &Pose::IDENTITY, pose).tree(&mut memory).lower)
                .collect();
            assert_eq!(distances.len(), STEPS);
            assert!(distances.iter().all(|distance| *distance > 0.0), "{}: {distances:?}", case.name);
            assert!((distances[0] / first - 1.0).abs() < 0.05, "{}: starts at {}", case.name, distances[0]);
            assert!(distances[STEPS - 1] < last, "{}: ends at {}", case.name, distances[STEPS - 1]);
        }
    }
}
