//! Static distance and collision of a body of 3,000 triangles against bodies of 30,000: both trees, every query,
//! parry beside them; with `-o` also the files that `peers/static_distance.py` hands to coal and FCL.
//!
//! Pose sets: `apart` (half a body apart), `close` (1 to 10 mm), `random` (centres within reach, mostly in contact).
//! Each figure is the median over poses of the time a call takes, the methods of a pose in turn.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use anyhow::{Context, Result};
use parry3d_f64::query as parry;
use parry3d_f64::shape::{Shape, TriMesh};
use pathproof::distance::{Indexed, Query, Scratch};
use pathproof::formats::mesh::write_stl_binary;
use pathproof::numeric::{DQuat, DVec3, Pose, Random};
use pathproof::shapes::{Body, TriangleMesh};
use pathproof::trees::{BoxTree, RssTree, VolumeTree};
use serde_json::json;

use crate::bodies::{self, Mesh};
use crate::report::Report;
use crate::{Options, timing};

/// A pair of generated bodies. Coordinates are those of `f32` files, so that every peer gets the same.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) a: Mesh,
    pub(crate) b: Mesh,
}

/// The 3,000-triangle body against the 30,000-triangle ones.
pub(crate) fn cases() -> Vec<Case> {
    let link = || single(bodies::blob(0.25, 51, 30, 5));
    vec![
        Case { name: "torus", a: link(), b: single(bodies::torus(0.8, 0.2, 150, 100)) },
        Case { name: "terrain", a: link(), b: single(bodies::terrain(4.0, 0.5, 122, 3)) },
        Case { name: "lattice", a: link(), b: single(bodies::box_lattice([10, 10, 8], 0.3, 0.03)) },
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
pub(crate) fn poses(set: &str, a: &Indexed<BoxTree>, b: &Indexed<BoxTree>, count: usize) -> Vec<(DVec3, DQuat)> {
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
        let (boxes_a, boxes_b) = (indexed::<BoxTree>(&case.a)?, indexed::<BoxTree>(&case.b)?);
        let (rss_a, rss_b) = (indexed::<RssTree>(&case.a)?, indexed::<RssTree>(&case.b)?);
        let parry_bodies = (parry_mesh(&case.a)?, parry_mesh(&case.b)?);
        if let Some(folder) = &options.output {
            write_stl(&folder.join("bodies").join(format!("{}-a.stl", case.name)), &case.a)?;
            write_stl(&folder.join("bodies").join(format!("{}-b.stl", case.name)), &case.b)?;
        }
        for set in ["apart", "close", "random"] {
            let poses = poses(set, &boxes_a, &boxes_b, if options.quick { 8 } else { 100 });
            let mut times: Vec<(&str, Vec<f64>)> = Vec::new();
            let mut distances = Vec::new();
            for (i, (translation, rotation)) in poses.iter().enumerate() {
                let pose = Pose::from_quaternion(*rotation, *translation);
                let mut record =
                    |name: &'static str, microseconds: f64| match times.iter_mut().find(|(n, _)| *n == name) {
                        Some((_, list)) => list.push(microseconds),
                        None => times.push((name, vec![microseconds])),
                    };
                let mut scratch = Scratch::default();
                let exact = Query::new(&boxes_a, &boxes_b, &Pose::IDENTITY, &pose).exact(&mut scratch);
                distances.push(exact.upper);
                time_tree(
                    ["boxes-exact", "boxes-half", "boxes-greedy", "boxes-collide"],
                    &boxes_a,
                    &boxes_b,
                    &pose,
                    &mut record,
                );
                time_tree(["rss-exact", "rss-half", "rss-greedy", "rss-collide"], &rss_a, &rss_b, &pose, &mut record);
                // A parry distance takes tens of milliseconds: a few poses are enough for its median.
                if i < if options.quick { 1 } else { 11 } {
                    record("parry-exact", parry_distance(&parry_bodies, *translation, *rotation));
                }
            }
            for (method, list) in &mut times {
                let median_us = timing::median(list);
                report.row(
                    case.name,
                    json!({"pose_set": set, "method": method, "median_us": median_us, "poses": list.len()}),
                );
            }
            if let Some(folder) = &options.output {
                write_poses(&folder.join("poses").join(format!("{}-{set}.csv", case.name)), &poses, &distances)?;
            }
        }
    }
    Ok(())
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
    let points = vertices.iter().map(|v| parry3d_f64::math::Vector::new(v.x, v.y, v.z)).collect();
    TriMesh::new(points, triangles.clone()).context("parry refuses the mesh")
}

fn parry_distance((a, b): &(TriMesh, TriMesh), translation: DVec3, rotation: DQuat) -> f64 {
    let pose = parry3d_f64::math::Pose::from_parts(
        parry3d_f64::math::Vector::new(translation.x, translation.y, translation.z),
        parry3d_f64::math::Rotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
    );
    let start = timing::thread_seconds();
    let identity = parry3d_f64::math::Pose::IDENTITY;
    let _ = black_box(parry::distance(&identity, a as &dyn Shape, &pose, b as &dyn Shape));
    (timing::thread_seconds() - start) * 1e6
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
