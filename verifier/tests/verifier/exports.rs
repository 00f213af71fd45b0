//! Forged and changed certificates as files, with what this verifier says of each, for the verifier in `verifier2/` to be
//! held against. Writes them where `PATHPROOF_EXPORT` says, about as many as `PATHPROOF_EXPORTS` says (default 300):
//! `PATHPROOF_EXPORT=DIR cargo test -p pathproof-verifier --test verifier exports::`
//!
//! `manifest.tsv` has a line for each: scene, path, certificate, verdict (accepted, unreadable or a fault), whether samples
//! refute the claim, and the kind of change.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use crate::checker_common::random::{prepare, quaternions, random_segment, random_world};
use crate::checker_common::{Form, Oracle, World};
use crate::forgeries::{self, Material, Path, is_refuted};
use crate::mutations;
use pathproof::certificate::Certificate;
use pathproof::check::{CheckScratch, Checker, Settings};
use pathproof::numeric::{DVec3, Pose, Random};
use pathproof::path::Motion;
use pathproof::robot::{JointKind, JointSpec};
use pathproof::scene::{PairRule, Scene};
use pathproof_formats::scene_file;
use pathproof_verifier::Verifier;

/// Certificates made of each world.
const CHANGES: usize = 30;

/// A world as files, and what was read back from them.
struct Written {
    material: Material,
    scene: Scene,
    folder: PathBuf,
}

/// The pose that a file states, which gives it up to rounding.
fn stated(pose: &Pose) -> ([f64; 3], [f64; 3]) {
    let r = pose.rotation;
    let pitch = (-r.x_axis.z).clamp(-1.0, 1.0).asin();
    (pose.translation.to_array(), [r.y_axis.z.atan2(r.z_axis.z), pitch, r.x_axis.y.atan2(r.x_axis.x)])
}

fn origin(pose: &Pose) -> String {
    let ([x, y, z], [roll, pitch, yaw]) = stated(pose);
    format!("<origin xyz=\"{x:?} {y:?} {z:?}\" rpy=\"{roll:?} {pitch:?} {yaw:?}\"/>")
}

fn joint(joint: &JointSpec) -> String {
    let (kind, axis) = match joint.kind {
        JointKind::Fixed => ("fixed", DVec3::X),
        JointKind::Revolute { axis } => ("continuous", axis),
        JointKind::Prismatic { axis } => ("prismatic", axis),
        JointKind::Planar { axis } => ("planar", axis),
        JointKind::Floating => ("floating", DVec3::X),
    };
    let DVec3 { x, y, z } = axis;
    let mut text = format!(
        "<joint name=\"{}\" type=\"{kind}\"><parent link=\"{}\"/><child link=\"{}\"/>{}<axis xyz=\"{x:?} {y:?} {z:?}\"/>",
        joint.name,
        joint.parent,
        joint.child,
        origin(&joint.parent_from_joint)
    );
    if kind == "prismatic" {
        text += "<limit lower=\"-1000\" upper=\"1000\" effort=\"0\" velocity=\"0\"/>";
    }
    if let Some(mimic) = &joint.mimic {
        let (followed, multiplier, offset) = (&mimic.joint, mimic.multiplier, mimic.offset);
        let _ = write!(text, "<mimic joint=\"{followed}\" multiplier=\"{multiplier:?}\" offset=\"{offset:?}\"/>");
    }
    text + "</joint>\n"
}

/// Writes a mesh beside the scene and returns its name.
fn mesh_file(form: &Form, name: &str, folder: &FilePath) -> String {
    let Form::Mesh(vertices, triangles) = form else { return String::new() };
    let mut text = String::new();
    for DVec3 { x, y, z } in vertices {
        let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
    }
    for [a, b, c] in triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    let name = format!("{}.obj", name.replace(' ', "_"));
    fs::write(folder.join(&name), text).expect("a mesh file");
    name
}

fn urdf_shape(form: &Form, name: &str, folder: &FilePath) -> String {
    match form {
        Form::Ball(r) => format!("<sphere radius=\"{r:?}\"/>"),
        Form::Cuboid([x, y, z]) => format!("<box size=\"{x:?} {y:?} {z:?}\"/>"),
        Form::Cylinder(r, l) => format!("<cylinder radius=\"{r:?}\" length=\"{l:?}\"/>"),
        Form::Capsule(r, l) => format!("<capsule radius=\"{r:?}\" length=\"{l:?}\"/>"),
        Form::Mesh(..) => format!("<mesh filename=\"{}\"/>", mesh_file(form, name, folder)),
        Form::Plane(DVec3 { x, y, z }) => format!("<plane normal=\"{x:?} {y:?} {z:?}\"/>"),
    }
}

fn obstacle_shape(form: &Form, name: &str, folder: &FilePath) -> String {
    match form {
        Form::Ball(r) => format!("sphere = {r:?}"),
        Form::Cuboid(size) => format!("box = {size:?}"),
        Form::Cylinder(r, l) => format!("cylinder = [{r:?}, {l:?}]"),
        Form::Capsule(r, l) => format!("capsule = [{r:?}, {l:?}]"),
        Form::Mesh(..) => format!("mesh = {:?}", mesh_file(form, name, folder)),
        Form::Plane(normal) => format!("plane = {:?}", normal.to_array()),
    }
}

/// The world with the names that links and joints of one URDF can have.
fn without_slashes(world: &World) -> World {
    let mut world = world.clone();
    let rename = |name: &mut String| *name = name.replace('/', "_");
    for joint in &mut world.joints {
        [&mut joint.name, &mut joint.parent, &mut joint.child].into_iter().for_each(rename);
        joint.mimic.iter_mut().for_each(|mimic| rename(&mut mimic.joint));
    }
    world.things.iter_mut().for_each(|thing| rename(&mut thing.link));
    world
}

/// The scene that the world's files hold. Worlds at random have their links' bodies first, one a link, then obstacles.
fn write(world: &World, folder: &FilePath) -> Scene {
    let world = &without_slashes(world);
    fs::create_dir_all(folder).expect("a folder");
    let mut urdf = "<robot name=\"r\">\n<link name=\"world\"/>\n".to_owned();
    let self_clearance = world.self_clearance.unwrap_or(world.clearance);
    let mut toml = format!("clearance = {:?}\nself_clearance = {self_clearance:?}\n", world.clearance);
    let _ = writeln!(toml, "tolerance = {:?}", world.tolerance);
    toml += "\n[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n";
    for spec in &world.joints {
        let _ = writeln!(urdf, "<link name=\"{}\">", spec.child);
        let parts = world.things.iter().filter(|thing| thing.link == spec.child).flat_map(|thing| &thing.parts);
        for (number, (pose, form)) in parts.enumerate() {
            let shape = urdf_shape(form, &format!("{}_{number}", spec.child), folder);
            let _ = writeln!(urdf, "<collision>{}<geometry>{shape}</geometry></collision>", origin(pose));
        }
        urdf += "</link>\n";
    }
    world.joints.iter().for_each(|spec| urdf += &joint(spec));
    for thing in world.things.iter().filter(|thing| thing.link == "world") {
        let (pose, form) = &thing.parts[0];
        let (xyz, rpy) = stated(pose);
        let shape = obstacle_shape(form, &thing.name, folder);
        let _ = writeln!(toml, "\n[[obstacles]]\nname = {:?}\n{shape}\nxyz = {xyz:?}\nrpy = {rpy:?}", thing.name);
    }
    let name = |body: usize| match &world.things[body] {
        thing if thing.link == "world" => thing.name.clone(),
        thing => format!("r/{}", thing.link),
    };
    for ([a, b], rule) in &world.rules.exceptions {
        assert_eq!(*rule, PairRule::Skip, "worlds at random have no other");
        let _ = writeln!(toml, "\n[[pairs]]\nbodies = [{:?}, {:?}]\ncheck = false", name(*a), name(*b));
    }
    fs::write(folder.join("r.urdf"), urdf + "</robot>\n").expect("a URDF");
    fs::write(folder.join("scene.toml"), toml).expect("a scene");
    scene_file::read(&folder.join("scene.toml")).expect("a scene that was just written").scene
}

/// The world with the poses that files state, so that the oracle knows what they say.
fn settled(mut world: World) -> World {
    let settle = |pose: &mut Pose| {
        let (xyz, rpy) = stated(pose);
        *pose = Pose::from_xyz_rpy(xyz, rpy);
    };
    world.joints.iter_mut().for_each(|joint| settle(&mut joint.parent_from_joint));
    world.things.iter_mut().flat_map(|thing| &mut thing.parts).for_each(|(pose, _)| settle(pose));
    world
}

fn written(number: usize, folder: PathBuf) -> Written {
    let mut random = Random::new(0xF11E_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    // Mostly what the other verifier judges: no floating joints, no negative clearances.
    if !number.is_multiple_of(20) {
        world.clearance = world.clearance.max(0.0);
        for joint in world.joints.iter_mut().filter(|joint| joint.kind == JointKind::Floating) {
            joint.kind = JointKind::Planar { axis: [DVec3::X, DVec3::NEG_Y, DVec3::Z][random.below(3)] };
        }
        for joint in &mut world.joints {
            if let JointKind::Planar { axis } = &mut joint.kind {
                *axis = [DVec3::NEG_X, DVec3::Y, DVec3::NEG_Z][random.below(3)];
            }
        }
    }
    prepare(&mut world, &mut random);
    if number.is_multiple_of(3) && world.clearance >= 0.0 {
        let room = crate::checker_common::box_mesh([30.0; 3]);
        world.thing("room", "world", crate::checker_common::at(12.0 * random.unit(), 0.0, 0.0), room);
    }
    let world = settled(world);
    let scene = write(&world, &folder);
    let quaternions = quaternions(&world);
    let checker = Checker::new(scene.clone());
    let oracle = Oracle::new(&world, &world.scene());
    let mut scratch = CheckScratch::new(&checker);
    let (mut proofs, mut colliding) = (Vec::new(), Vec::new());
    for _ in 0..12 {
        let path = random_segment(&mut random, &world, &quaternions).to_vec();
        let certified = checker.certify(&Motion::lines(&path[..]), &Settings::default(), &mut scratch).expect("a path");
        match certified.1 {
            Some(proof) => proofs.push(proof),
            None if is_refuted(&oracle, &path, world.clearance < 0.0) => colliding.push(path),
            None => {}
        }
    }
    Written { material: Material { world, proofs, colliding }, scene, folder }
}

/// A change: the path that is stated to the verifiers, the bytes, and the scene's folder.
struct Change {
    kind: &'static str,
    path: Path,
    bytes: Vec<u8>,
}

/// Some bytes turned, with the sum put right.
fn turned(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let end = bytes.len() - 8;
    for _ in 0..1 + random.below(3) {
        bytes[12 + random.below(end - 12)] ^= 1 << random.below(8);
    }
    let sum = pathproof::numeric::Sha256::of(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum[..8]);
    bytes
}

fn change(of: &Written, number: usize, random: &mut Random) -> Option<Change> {
    let Material { proofs, colliding, .. } = &of.material;
    if proofs.is_empty() {
        return None;
    }
    let proof = proofs[random.below(proofs.len())].clone();
    let path = proof.waypoints.clone();
    let of_proof = |kind, proof: Certificate, path| Some(Change { kind, path, bytes: proof.to_bytes() });
    match number % 10 {
        0 => of_proof("true", proof, path),
        1..=3 => Some(Change { kind: "bytes", path, bytes: turned(proof.to_bytes(), random) }),
        4 | 5 => {
            let mut changed = proof;
            mutations::change_tilings(&mut changed, random);
            of_proof("cells", changed, path)
        }
        6 => {
            // Waypoints moved, in the certificate alone or in the path as well.
            let mut changed = proof;
            let q = random.below(changed.waypoints.len());
            changed.waypoints[q].iter_mut().for_each(|value| *value += random.between(-0.5, 0.5));
            let is_both = random.below(2) == 0;
            let path = if is_both { changed.waypoints.clone() } else { path };
            of_proof("waypoints", changed, path)
        }
        7 => {
            // More clearance than there is, mostly.
            let mut changed = proof;
            let more = [1e-6, 0.01, 0.3, -0.001][random.below(4)];
            let scene = Arc::make_mut(&mut changed.scene);
            if !scene.pairs.is_empty() {
                let pair = random.below(scene.pairs.len());
                scene.pairs[pair].2 += more;
            }
            of_proof("clearance", changed, path)
        }
        _ if colliding.is_empty() => None,
        _ => {
            let path = forgeries::false_path(&of.material, random);
            let forged = forgeries::forge(&of.material, &path, random);
            of_proof("forgery", forged, path)
        }
    }
}

fn csv(scene: &Scene, path: &Path) -> String {
    let names: Vec<&str> = scene.model().variables().iter().map(|variable| variable.name.as_str()).collect();
    let mut text = names.join(",") + "\n";
    for q in path {
        let values: Vec<String> = q.iter().map(|value| format!("{value:?}")).collect();
        text += &(values.join(",") + "\n");
    }
    text
}

/// A line of the manifest for a certificate, which is written beside its scene.
fn line(scene: &Scene, [folder, stem]: [&FilePath; 2], change: &Change, is_refuted: bool) -> String {
    let [path, proof] = ["csv", "ppc"].map(|extension| folder.join(stem).with_extension(extension));
    fs::write(&path, csv(scene, &change.path)).expect("a path");
    fs::write(&proof, &change.bytes).expect("a certificate");
    let verdict = match Certificate::parse(&change.bytes) {
        Err(_) => "unreadable",
        Ok(read) => match Verifier::new(scene).expect("a verifier").verify(&Motion::lines(&change.path[..]), &read) {
            Ok(_) => "accepted",
            Err(refusal) => refusal.fault.name(),
        },
    };
    let [scene, path, proof] = [folder.join("scene.toml"), path, proof].map(|path| path.display().to_string());
    format!("{scene}\t{path}\t{proof}\t{verdict}\t{}\t{}\n", u8::from(is_refuted), change.kind)
}

/// The same certificates for the world with an obstacle moved, with the hashes of that: as `false_scene`.
fn moved(of: &Written, random: &mut Random) -> String {
    let mut world = of.material.world.clone();
    let obstacles: Vec<usize> = (0..world.things.len()).filter(|&i| world.things[i].link == "world").collect();
    let obstacle = obstacles[random.below(obstacles.len())];
    world.things[obstacle].parts[0].0.translation *= random.between(0.0, 1.2);
    let folder = of.folder.join("moved");
    let scene = write(&world, &folder);
    let fingerprint = scene.fingerprint();
    let oracle = Oracle::new(&world, &world.scene());
    let mut lines = String::new();
    for (number, proof) in of.material.proofs.iter().enumerate() {
        let path = proof.waypoints.clone();
        let is_refuted = is_refuted(&oracle, &path, world.clearance < 0.0);
        let mut change = Change { kind: "another scene", path, bytes: proof.to_bytes() };
        let name = number.to_string();
        lines += &line(&scene, [&folder, name.as_ref()], &change, is_refuted);
        let mut forged = proof.clone();
        let hashes = [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs];
        let claim = Arc::make_mut(&mut forged.scene);
        (claim.hashes, claim.body_hashes) = (hashes, world.scene().body_fingerprints());
        (change.kind, change.bytes) = ("a forged scene", forged.to_bytes());
        lines += &line(&scene, [&folder, format!("{name}_hashes").as_ref()], &change, is_refuted);
    }
    lines
}

fn export(number: usize, folder: PathBuf) -> String {
    let written = written(number, folder);
    let oracle = Oracle::new(&written.material.world, &written.material.world.scene());
    let is_signed = written.material.world.clearance < 0.0;
    let mut random = Random::new(0xE4 + number as u64);
    let mut lines = moved(&written, &mut random);
    for number in 0..CHANGES {
        let Some(change) = change(&written, number, &mut random) else { continue };
        let name = format!("change_{number}");
        let is_refuted = is_refuted(&oracle, &change.path, is_signed);
        lines += &line(&written.scene, [&written.folder, name.as_ref()], &change, is_refuted);
    }
    lines
}

#[test]
fn forgeries_and_changes_are_written_for_the_other_verifier() {
    let Some(folder) = std::env::var_os("PATHPROOF_EXPORT").map(PathBuf::from) else {
        println!("SKIPPED: PATHPROOF_EXPORT does not say where to");
        return;
    };
    let wanted = std::env::var("PATHPROOF_EXPORTS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let (mut manifest, mut number) = (String::new(), 0);
    while manifest.lines().count() < wanted {
        manifest += &export(number, folder.join(number.to_string()));
        number += 1;
    }
    fs::write(folder.join("manifest.tsv"), manifest).expect("a manifest");
}
