//! A planner of one's own: a rapidly exploring random tree whose every edge is proven free.

use std::error::Error;

use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::robot::JointKind;
use pathproof::scene::SceneBuilder;
use pathproof::shapes::Convex;
use pathproof::{CheckScratch, Checker, Settings, Verdict};

/// Returns the waypoints of a path from the lower left to the upper right corner.
pub(crate) fn run() -> Result<Vec<[f64; 2]>, Box<dyn Error>> {
    let mut cell = SceneBuilder::new();
    let slide = |axis| JointKind::Prismatic { axis };
    cell.joint("x", slide(DVec3::X), "world", "cart", Pose::IDENTITY).limited(-1.0, 1.0);
    cell.joint("y", slide(DVec3::Y), "cart", "ball", Pose::IDENTITY).limited(-1.0, 1.0);
    cell.link_body("ball", Convex::sphere(0.1)?);
    cell.obstacle("post", Convex::sphere(0.5)?, Pose::IDENTITY);
    let checker = Checker::new(cell.build()?);
    let mut scratch = CheckScratch::new(&checker);
    // True if every configuration of the edge is proven free.
    let mut is_free = |a: &[f64; 2], b: &[f64; 2]| -> Result<bool, Box<dyn Error>> {
        Ok(matches!(checker.segment(a, b, &Settings::default(), &mut scratch)?.verdict, Verdict::Free(_)))
    };

    let goal = [0.8, 0.8];
    let mut tree = vec![([-0.8, -0.8], 0)];
    let mut random = Random::new(1);
    for _ in 0..10_000 {
        let towards = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        let distance = |from: &[f64; 2]| (from[0] - towards[0]).hypot(from[1] - towards[1]);
        let nearest = (0..tree.len()).min_by(|&i, &j| distance(&tree[i].0).total_cmp(&distance(&tree[j].0)));
        let nearest = nearest.ok_or("the tree has a root")?;
        let (from, share) = (tree[nearest].0, (0.3 / distance(&tree[nearest].0)).min(1.0));
        let next = [0, 1].map(|i| from[i] + share * (towards[i] - from[i]));
        if !is_free(&from, &next)? {
            continue;
        }
        tree.push((next, nearest));
        if is_free(&next, &goal)? {
            let mut path = vec![goal];
            let mut place = tree.len() - 1;
            while place > 0 {
                path.push(tree[place].0);
                place = tree[place].1;
            }
            path.push(tree[0].0);
            path.reverse();
            return Ok(path);
        }
    }
    Err("no path was found".into())
}

#[allow(dead_code, reason = "a test calls `run` alone")]
fn main() -> Result<(), Box<dyn Error>> {
    run()?.iter().for_each(|q| println!("{:.3}, {:.3}", q[0], q[1]));
    Ok(())
}
