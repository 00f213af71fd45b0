//! Static distance and collision of a body of 3,000 triangles against bodies of 30,000: both trees, every query, parry
//! beside them; with `-o` also the files that `peers/static_distance.py` passes to coal and FCL.
//!
//! Pose sets: `apart` (half a body apart), `close` (1 to 10 mm), `random` (centres within reach, mostly in contact). In
//! the case `slivers` the body is below a floor that is a fan of 476 slivers, each 2 m long, from one point. Each
//! figure is the median over poses of the time per call, the methods of a pose in turn; `missed`: number of poses with
//! triangles proven to cross that parry calls free.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use anyhow::{Context, Result};
use parry3d_f64::shape::{Shape, TriMesh};
use parry3d_f64::{math as parry_math, query as parry};
use pathproof::distance::{Indexed, Query, Scratch};
use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::shapes::{Body, TriangleMesh};
use pathproof::trees::{BoxTree, RssTree, VolumeTree};
use pathproof_formats::mesh::write_stl_binary;
use serde_json::json;

use crate::bodies::{self, Mesh};
use crate::report::Report;
use crate::{Options, timing};

/// A pair of generated bodies. Coordinates are those of `f32` files, so that every peer gets the same.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) a: Mesh,
    pub(crate) b: Mesh,
    /// True if a is always placed below b's floor.
    pub(crate) from_below: bool,
}

/// Height of the closed terrain's floor.
const FLOOR: f64 = -0.5;

/// The 3,000-triangle body against the 30,000-triangle ones.
pub(crate) fn cases() -> Vec<Case> {
    let link = || single(bodies::blob(0.25, 51, 30, 5));
    vec![
        Case { name: "torus", a: link(), b: single(bodies::torus(0.8, 0.2, 150, 100)), from_below: false },
        Case { name: "terrain", a: link(), b: single(bodies::terrain(4.0, 0.5, 122, 3)), from_below: false },
        Case { name: "lattice", a: link(), b: single(bodies::box_lattice([10, 10, 8], 0.3, 0.03)), from_below: false },
        Case { name: "slivers", a: link(), b: single(bodies::closed_terrain(4.0, -FLOOR, 119, 3)), from_below: true },
    ]
}

fn single((vertices, triangles): Mesh) -> Mesh {
    (vertices.into_iter().map(|v| DVec3::from_array(v.to_array().map(|c| f64::from(c as f32)))).collect(), triangles)
}

/// A mesh as a body with a tree.
pub(crate) fn indexed<T: VolumeTree>((vertices, triangles): &Mesh) -> Result<Indexed<T>> {
    Ok(Indexed::new(Body::from_mesh(TriangleMesh::new(vertices.clone(), triangles.clone())?)))
}

/// Poses of b in a's frame, as translation and quaternion.
fn poses(case: &Case, set: &str, [a, b]: [&Indexed<BoxTree>; 2], count: usize) -> Vec<(DVec3, DQuat)> {
    let mut random = Random::new(0x5EED);
    let mut scratch = Scratch::default();
    let mut result = Vec::new();
    while result.len() < count {
        let rotation = {
            let (axis, angle) = (random.direction(), random.between(0.0, std::f64::consts::PI));
            DQuat::from_axis_angle(axis, angle)
        };
        let reach = a.body().radius() + b.body().radius();
        let direction = random.direction();
        if case.from_below && !((rotation.inverse() * -direction).z < FLOOR) {
            continue;
        }
        let at = |k: f64| direction * (reach * k);
        if set == "random" {
            result.push((at(random.unit() * 1.2), rotation));
            continue;
        }
        let wanted = if set == "apart" { 0.5 * a.body().radius() } else { random.between(0.001, 0.01) };
        // The distance is not monotonic along the ray, but it passes every value between contact and far away.
        let distance = |k: f64, scratch: &mut Scratch| {
            let pose = Pose::from_quaternion(rotation, at(k));
            Query::new(a, b, &Pose::IDENTITY, &pose).exact(scratch).upper
        };
        let touching = (0..20).map(|i| f64::from(i) * 0.05).find(|k| distance(*k, &mut scratch) < wanted);
        let Some(mut near) = touching else { continue };
        let mut far = 1.5;
        for _ in 0..40 {
            let middle = 0.5 * (near + far);
            *(if distance(middle, &mut scratch) > wanted { &mut far } else { &mut near }) = middle;
        }
        result.push((at(far), rotation));
    }
    result
}

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note("peers on another machine: coal 340–550 µs exact, collision 0.8 µs apart, 17 µs close");
    for case in cases() {
        let pair = Pair {
            boxes: [indexed(&case.a)?, indexed(&case.b)?],
            rss: [indexed(&case.a)?, indexed(&case.b)?],
            parry: [parry_mesh(&case.a)?, parry_mesh(&case.b)?],
        };
        if let Some(folder) = &options.output {
            write_stl(&folder.join("bodies").join(format!("{}-a.stl", case.name)), &case.a)?;
            write_stl(&folder.join("bodies").join(format!("{}-b.stl", case.name)), &case.b)?;
        }
        for set in ["apart", "close", "random"] {
            let [a, b] = &pair.boxes;
            let poses = poses(&case, set, [a, b], if options.quick { 8 } else { 100 });
            let mut measured = Measured::default();
            // A parry distance takes tens of milliseconds: a few poses are enough for its median.
            let with_parry = if options.quick { 1 } else { 11 };
            for (i, (translation, rotation)) in poses.iter().enumerate() {
                measured.add(&pair, *translation, *rotation, i < with_parry);
            }
            for (method, list) in &mut measured.times {
                let mut row =
                    json!({"pose_set": set, "method": method, "median_us": timing::median(list), "poses": list.len()});
                if *method == "parry-collide" {
                    (row["meeting"], row["missed"]) = (measured.meeting.into(), measured.missed_by_parry.into());
                }
                report.row(case.name, row);
            }
            if let Some(folder) = &options.output {
                let file = folder.join("poses").join(format!("{}-{set}.csv", case.name));
                write_poses(&file, &poses, &measured.distances)?;
            }
        }
    }
    Ok(())
}

/// Two bodies in the forms of every method.
struct Pair {
    boxes: [Indexed<BoxTree>; 2],
    rss: [Indexed<RssTree>; 2],
    parry: [TriMesh; 2],
}

/// Results of a set of poses.
#[derive(Default)]
struct Measured {
    /// Microseconds of each pose, by method.
    times: Vec<(&'static str, Vec<f64>)>,
    distances: Vec<f64>,
    /// Poses at which triangles are proven to cross, and those among them that parry calls free.
    meeting: usize,
    missed_by_parry: usize,
}

impl Measured {
    fn add(&mut self, pair: &Pair, translation: DVec3, rotation: DQuat, with_parry_distance: bool) {
        let pose = Pose::from_quaternion(rotation, translation);
        let [a, b] = &pair.boxes;
        let exact = Query::new(a, b, &Pose::IDENTITY, &pose).exact(&mut Scratch::default());
        self.distances.push(exact.upper);
        let times = &mut self.times;
        let mut record = |name: &'static str, microseconds: f64| match times.iter_mut().find(|(n, _)| *n == name) {
            Some((_, list)) => list.push(microseconds),
            None => times.push((name, vec![microseconds])),
        };
        time_tree(["boxes-exact", "boxes-half", "boxes-greedy", "boxes-collide"], a, b, &pose, &mut record);
        let [rss_a, rss_b] = &pair.rss;
        time_tree(["rss-exact", "rss-half", "rss-greedy", "rss-collide"], rss_a, rss_b, &pose, &mut record);
        let [their_a, their_b] = &pair.parry;
        let (identity, their_pose) = (parry_math::Pose::IDENTITY, their_pose(translation, rotation));
        let meets = || parry::intersection_test(&identity, their_a as &dyn Shape, &their_pose, their_b as &dyn Shape);
        record("parry-collide", timing::microseconds(|| keep(meets())));
        if exact.upper == 0.0 {
            self.meeting += 1;
            self.missed_by_parry += usize::from(!meets().is_ok_and(|answer| answer.intersecting));
        }
        if with_parry_distance {
            let distance = || parry::distance(&identity, their_a as &dyn Shape, &their_pose, their_b as &dyn Shape);
            let start = timing::thread_seconds();
            keep(distance());
            record("parry-exact", (timing::thread_seconds() - start) * 1e6);
        }
    }
}

/// Uses a result, so that computing it is not optimised away.
fn keep<R>(result: R) {
    black_box(result);
}

fn time_tree<T: VolumeTree>(
    names: [&'static str; 4],
    a: &Indexed<T>,
    b: &Indexed<T>,
    pose: &Pose,
    record: &mut impl FnMut(&'static str, f64),
) {
    let mut scratch = Scratch::default();
    let query = || Query::new(a, b, &Pose::IDENTITY, black_box(pose));
    record(names[0], timing::microseconds(|| keep(query().exact(&mut scratch))));
    record(names[1], timing::microseconds(|| keep(query().approximate(0.5, &mut scratch))));
    record(names[2], timing::microseconds(|| keep(query().greedy(0.0, &mut scratch))));
    record(names[3], timing::microseconds(|| keep(query().collide(&mut scratch))));
}

fn parry_mesh((vertices, triangles): &Mesh) -> Result<TriMesh> {
    let points = vertices.iter().map(|v| parry_math::Vector::new(v.x, v.y, v.z)).collect();
    TriMesh::new(points, triangles.clone()).context("parry refuses the mesh")
}

fn their_pose(translation: DVec3, rotation: DQuat) -> parry_math::Pose {
    parry_math::Pose::from_parts(
        parry_math::Vector::new(translation.x, translation.y, translation.z),
        parry_math::Rotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
    )
}

fn write_stl(path: &Path, (vertices, triangles): &Mesh) -> Result<()> {
    let triangles: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|v| vertices[v as usize])).collect();
    fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    Ok(write_stl_binary(path, &triangles)?)
}

fn write_poses(path: &Path, poses: &[(DVec3, DQuat)], distances: &[f64]) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    let mut text = String::from("x,y,z,qx,qy,qz,qw,distance\n");
    for ((t, q), d) in poses.iter().zip(distances) {
        text += &format!("{:?},{:?},{:?},{:?},{:?},{:?},{:?},{d:?}\n", t.x, t.y, t.z, q.x, q.y, q.z, q.w);
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
