//! Plans a path around an obstacle, shortens it, writes down why it is free, and has that verified independently.

use std::error::Error;

use pathproof::numeric::{DVec3, Pose};
use pathproof::plan::{Budget, Goal, Outcome, Planner, Problem, RrtConnect};
use pathproof::robot::JointKind;
use pathproof::scene::SceneBuilder;
use pathproof::shapes::Convex;
use pathproof::{CheckScratch, Checker, Motion, Settings};
use pathproof_verifier::Verifier;

/// A path that is proven free.
pub(crate) struct Certified {
    pub(crate) waypoints: Vec<Vec<f64>>,
    /// Size of the certificate.
    pub(crate) bytes: usize,
}

/// Plans, certifies and verifies.
pub(crate) fn run() -> Result<Certified, Box<dyn Error>> {
    // A disc on two slides, and a wall with a way around it.
    let mut cell = SceneBuilder::new();
    let slide = |axis| JointKind::Prismatic { axis };
    cell.joint("x", slide(DVec3::X), "world", "cart", Pose::IDENTITY).limited(-1.0, 1.0);
    cell.joint("y", slide(DVec3::Y), "cart", "disc", Pose::IDENTITY).limited(-1.0, 1.0);
    cell.link_body("disc", Convex::cylinder(0.1, 0.05)?);
    cell.obstacle("wall", Convex::cuboid([0.1, 1.2, 0.5])?, Pose::from_translation(DVec3::Y * -0.4));
    cell.clearance(0.02);
    let scene = cell.build()?;

    let checker = Checker::new(scene.clone());
    let problem = Problem::new(&checker, vec![-0.8, -0.5], Goal::AnyOf(vec![vec![0.8, -0.5]]))?;
    let Outcome::Found(planned) = RrtConnect::default().plan(&problem, 1, &Budget::default())? else {
        return Err("no path was found".into());
    };
    let motion = Motion::lines(planned.waypoints.clone());
    let (_, certificate) = checker.certify(&motion, &Settings::default(), &mut CheckScratch::new(&checker))?;
    let certificate = certificate.ok_or("the path is too near to its clearance for a certificate")?;
    // The verifier trusts neither the planner nor the checker.
    let accepted = Verifier::new(&scene)?.verify(&motion, &certificate)?;
    assert_eq!(accepted.segments + 1, planned.waypoints.len());
    Ok(Certified { waypoints: planned.waypoints, bytes: certificate.to_bytes().len() })
}

#[allow(dead_code, reason = "a test calls `run` alone")]
fn main() -> Result<(), Box<dyn Error>> {
    let Certified { waypoints, bytes } = run()?;
    println!("{} waypoints, proven free and verified; the certificate has {bytes} bytes", waypoints.len());
    waypoints.iter().for_each(|q| println!("{q:?}"));
    Ok(())
}
