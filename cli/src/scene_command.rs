//! `pathproof scene`: what was read — bodies, joints, pairs and why others are not checked, warnings — and the
//! posed bodies as a file for any viewer.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use pathproof::distance::{Contact, Indexed, Query, Scratch};
use pathproof::formats::glb_writer::{self, GlbObject};
use pathproof::formats::path_file::{self, PathSettings};
use pathproof::formats::scene_file::{self, LoadedScene};
use pathproof::numeric::{DVec3, Pose};
use pathproof::robot::{JointKind, Kinematics};
use pathproof::scene::{BodyShape, Reason, Scene};
use pathproof::shapes::Body;

/// Show what a scene holds, which pairs are checked, and export posed geometry.
#[derive(Debug, clap::Args)]
pub(crate) struct SceneArgs {
    /// Scene file (TOML).
    scene: PathBuf,
    /// Configuration: values separated by commas, a CSV file, or an SRDF group state [default: all zero].
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    at: Option<String>,
    /// Write the posed bodies as binary glTF.
    #[arg(short, long, value_name = "OUT.glb")]
    output: Option<PathBuf>,
    /// Accept a configuration outside joint limits.
    #[arg(long)]
    ignore_limits: bool,
}

/// Runs the command. Errors are about input or usage.
pub(crate) fn run(args: &SceneArgs) -> Result<ExitCode> {
    if let Some(path) = args.output.as_ref().filter(|path| path.extension().is_none_or(|e| e != "glb")) {
        bail!("{}: only binary glTF is written; use a name that ends in .glb", path.display());
    }
    let loaded = scene_file::read(&args.scene)?;
    let scene = &loaded.scene;
    let settings = PathSettings { ignore_limits: args.ignore_limits };
    let q = match &args.at {
        Some(text) => path_file::parse_configuration(text, scene, settings)?,
        None => zero_with_positions(scene),
    };
    let mut text = report(&loaded, &q, args.at.is_some());
    if let Some(path) = &args.output {
        glb_writer::write(path, &posed_objects(scene, &q))?;
        let _ = writeln!(text, "\nwritten: {}", path.display());
    }
    match std::io::stdout().write_all(text.as_bytes()) {
        // Whoever reads may have seen enough (`| head`).
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// All zero, but for the scene's positions.
fn zero_with_positions(scene: &Scene) -> Vec<f64> {
    let zero = scene.model().zero_configuration();
    zero.into_iter().zip(scene.positions()).map(|(zero, position)| position.unwrap_or(zero)).collect()
}

fn report(loaded: &LoadedScene, q: &[f64], is_given: bool) -> String {
    let scene = &loaded.scene;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "clearance {} m, tolerance {} m", scene.clearance(), scene.tolerance());
    report_bodies(&mut text, loaded);
    report_joints(&mut text, scene);
    report_pairs(&mut text, scene);
    if !scene.states().is_empty() {
        let _ = writeln!(text, "\ngroup states");
        for state in scene.states() {
            let _ = writeln!(text, "  {} ({}, {})", state.name, state.robot, state.group);
        }
    }
    let warnings = warnings(loaded, q, is_given);
    let _ = writeln!(text, "\nwarnings: {}", warnings.len());
    for warning in warnings {
        let _ = writeln!(text, "  {warning}");
    }
    if !loaded.notes.is_empty() {
        let _ = writeln!(text, "\nnotes");
        for note in &loaded.notes {
            let _ = writeln!(text, "  {note}");
        }
    }
    text
}

fn report_bodies(text: &mut String, loaded: &LoadedScene) {
    let scene = &loaded.scene;
    let total: usize = loaded.sources.iter().map(|source| source.triangles).sum();
    let _ = writeln!(text, "\nbodies: {}, {total} triangles", scene.bodies().len());
    let width = scene.bodies().iter().map(|body| body.name.chars().count()).max().unwrap_or(0);
    for (index, (body, source)) in scene.bodies().iter().zip(&loaded.sources).enumerate() {
        let motion = match (scene.is_static(index), body.link) {
            (true, _) => "static".to_owned(),
            (false, link) => format!("moves with {}", scene.model().links()[link].name),
        };
        let kind = if body.shape.is_half_space() { "half-space".to_owned() } else { body.shape.summary().to_string() };
        let _ = writeln!(text, "  {:width$}  {:>7} triangles  {kind}, {motion}", body.name, source.triangles);
    }
}

fn report_joints(text: &mut String, scene: &Scene) {
    let model = scene.model();
    let movable = || model.joints().iter().filter(|joint| joint.kind != JointKind::Fixed);
    let variables = model.variables().len();
    let _ = writeln!(text, "\njoints that move: {}, {variables} values a configuration", movable().count());
    let width = model.variables().iter().map(|v| v.name.chars().count()).max().unwrap_or(0);
    for (variable, position) in model.variables().iter().zip(scene.positions()) {
        let joint = &model.joints()[variable.joint];
        let limits = match variable.limits {
            Some((lower, upper)) => format!("[{lower}, {upper}]"),
            None => "no limits".to_owned(),
        };
        let kind = match joint.kind {
            JointKind::Fixed => "fixed",
            JointKind::Revolute { .. } if variable.limits.is_none() => "continuous",
            JointKind::Revolute { .. } => "revolute",
            JointKind::Prismatic { .. } => "prismatic",
            JointKind::Planar { .. } => "planar",
            JointKind::Floating => "floating",
        };
        let position = position.map(|value| format!(", {value} where a path leaves it out")).unwrap_or_default();
        let _ = writeln!(text, "  {:width$}  {kind} {limits}{position}", variable.name);
    }
    for joint in movable() {
        if let (Some(followed), Some(source)) = (joint.follows, joint.source) {
            let followed = &model.joints()[followed].name;
            let _ = writeln!(
                text,
                "  {:width$}  mimic: {} × {followed} + {}",
                joint.name, source.multiplier, source.offset
            );
        }
    }
}

fn report_pairs(text: &mut String, scene: &Scene) {
    let name = |body: usize| scene.bodies()[body].name.as_str();
    let _ = writeln!(text, "\npairs checked: {}", scene.pairs().len());
    for pair in scene.pairs() {
        let own = if pair.has_own_clearance { format!(", clearance {} m", pair.clearance) } else { String::new() };
        let _ = writeln!(text, "  {} – {}{own}", name(pair.a), name(pair.b));
    }
    let _ = writeln!(text, "\npairs not checked: {}", scene.unchecked().len());
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for pair in scene.unchecked() {
        let (reason, more) = match &pair.reason {
            Reason::Adjacent { joint } => ("parent and child of one movable joint".to_owned(), format!(" ({joint})")),
            other => (other.to_string(), String::new()),
        };
        by_reason.entry(reason).or_default().push(format!("{} – {}{more}", name(pair.a), name(pair.b)));
    }
    for (reason, pairs) in by_reason {
        let _ = writeln!(text, "  {reason}: {}", pairs.len());
        for pair in pairs {
            let _ = writeln!(text, "    {pair}");
        }
    }
}

fn warnings(loaded: &LoadedScene, q: &[f64], is_given: bool) -> Vec<String> {
    let scene = &loaded.scene;
    let at = if is_given { "the configuration given" } else { "the zero configuration" };
    let mut warnings = loaded.warnings.clone();
    for body in scene.bodies() {
        let summary = body.shape.summary();
        if summary.surfaces > 0 {
            let count = summary.surfaces;
            let parts = if count == 1 { "a part that is" } else { "parts that are" };
            warnings.push(format!("{}: {count} open: {parts} not closed, only the surface counts", body.name));
        }
    }
    if let Some(violation) = scene.limit_violation(q) {
        warnings.push(format!("at {at} {violation}"));
    }
    for (a, b, how) in contacts(scene, q) {
        warnings.push(format!("{} and {} {how} at {at}", scene.bodies()[a].name, scene.bodies()[b].name));
    }
    warnings
}

/// The checked pairs that meet at a configuration, or come too close to tell.
fn contacts(scene: &Scene, q: &[f64]) -> Vec<(usize, usize, &'static str)> {
    let poses = body_poses(scene, q);
    let index = |shape: &BodyShape| match shape {
        BodyShape::Parts(body) => Some(Indexed::new(body.clone())),
        BodyShape::HalfSpace { .. } => None,
    };
    let indexed: Vec<Option<Indexed>> = scene.bodies().iter().map(|body| index(&body.shape)).collect();
    let mut scratch = Scratch::default();
    let mut found = Vec::new();
    for pair in scene.pairs() {
        let (world_from_a, world_from_b) = (&poses[pair.a], &poses[pair.b]);
        let how = match (&indexed[pair.a], &indexed[pair.b]) {
            (Some(a), Some(b)) => {
                let query = Query::new(a, b, world_from_a, world_from_b);
                match query.collide(&mut scratch) {
                    Contact::Meets(_) => Some("are in contact"),
                    Contact::Unclear(_) => Some("are too close to tell contact from none"),
                    Contact::Apart(_) => query.containment().map(|_| "are one inside the other"),
                }
            }
            (Some(a), None) => below_plane(a.body(), world_from_a, &scene.bodies()[pair.b].shape, world_from_b),
            (None, Some(b)) => below_plane(b.body(), world_from_b, &scene.bodies()[pair.a].shape, world_from_a),
            (None, None) => None,
        };
        found.extend(how.map(|how| (pair.a, pair.b, how)));
    }
    found
}

/// Whether a body reaches below a plane.
fn below_plane(
    body: &Body,
    world_from_body: &Pose,
    plane: &BodyShape,
    world_from_plane: &Pose,
) -> Option<&'static str> {
    let BodyShape::HalfSpace { normal } = plane else { return None };
    let plane_from_centre = world_from_plane.inverse_mul(&(*world_from_body * Pose::from_translation(body.centre())));
    let height = |p: DVec3| plane_from_centre.point(p).dot(*normal);
    let corners = body.vertices().iter().map(|corner| height(*corner));
    let pieces = body.pieces().iter().map(|piece| {
        let down = piece.centre_from_piece.inverse_vector(plane_from_centre.inverse_vector(-*normal));
        height(piece.centre_from_piece.point(piece.shape.core_support(down))) - piece.shape.radius()
    });
    let lowest = corners.chain(pieces).fold(f64::INFINITY, f64::min);
    (lowest <= 0.0).then_some("are in contact")
}

/// Where the frames of all bodies are.
fn body_poses(scene: &Scene, q: &[f64]) -> Vec<Pose> {
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(q);
    let mut pose = |link: usize| kinematics.world_from_link(scene.model(), link);
    scene.bodies().iter().map(|body| pose(body.link) * body.link_from_body).collect()
}

/// Bodies as they are at a configuration, coloured by link; obstacles grey, attached objects like their link.
fn posed_objects(scene: &Scene, q: &[f64]) -> Vec<GlbObject> {
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(q);
    let object = |(index, body): (usize, &pathproof::scene::SceneBody)| {
        let (link_from_mesh, mesh) = scene.display(index);
        GlbObject {
            name: body.name.clone(),
            colour: if body.link == 0 { [0.55, 0.55, 0.55, 1.0] } else { colour(body.link) },
            world_from_object: kinematics.world_from_link(scene.model(), body.link) * link_from_mesh,
            vertices: mesh.vertices,
            triangles: mesh.triangles,
        }
    };
    scene.bodies().iter().enumerate().map(object).collect()
}

/// Neighbouring links get well separated hues.
fn colour(link: usize) -> [f32; 4] {
    const PALETTE: [[f32; 3]; 8] = [
        [0.90, 0.32, 0.05],
        [0.02, 0.35, 0.70],
        [0.95, 0.65, 0.05],
        [0.05, 0.50, 0.25],
        [0.60, 0.20, 0.55],
        [0.20, 0.65, 0.75],
        [0.70, 0.10, 0.12],
        [0.45, 0.55, 0.10],
    ];
    let [red, green, blue] = PALETTE[link % PALETTE.len()];
    [red, green, blue, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::formats::scene_file::Memory;

    const URDF: &str = "<robot name='r'>
        <link name='a'><collision><geometry><box size='1 1 1'/></geometry></collision></link>
        <link name='b'><collision><geometry><sphere radius='0.5'/></geometry></collision></link><link name='tip'/>
        <joint name='j' type='revolute'><origin xyz='0 0 3'/><parent link='a'/><child link='b'/><limit lower='0.5' upper='1'/></joint>
        <joint name='t' type='fixed'><parent link='b'/><child link='tip'/></joint></robot>";
    const SCENE: &str = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n[[obstacles]]\nname = \"roof\"\nplane = [0, 0, -1]\nxyz = [0, 0, 3.25]\n
        [[obstacles]]\nname = \"floor\"\nplane = [0, 0, 1]\nxyz = [0, 0, -3]\n";

    fn load() -> LoadedScene {
        let files = Memory::new().with("r.urdf", URDF);
        scene_file::parse(SCENE, "s.toml".as_ref(), &files).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_report_names_bodies_joints_pairs_and_warnings() {
        let loaded = load();
        let text = report(&loaded, &zero_with_positions(&loaded.scene), false);
        for part in [
            "r/a",
            "convex, static",
            "convex, moves with r/b",
            "half-space",
            "r/j  revolute [0.5, 1]",
            "r/b – roof",
            "parent and child of one movable joint: 1\n    r/a – r/b (r/j)",
            "cannot move relative to each other: 3",
            "at the zero configuration \"r/j\" is 0, outside its limits [0.5, 1]",
            "r/b and roof are in contact at the zero configuration",
            "links without geometry, not checked: tip",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(!text.contains("r/b and floor are"), "{text}");
    }

    #[test]
    fn exported_bodies_are_named_placed_and_not_empty() {
        let loaded = load();
        let objects = posed_objects(&loaded.scene, &[0.0]);
        let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["r/a", "r/b", "roof", "floor"]);
        assert_eq!(objects[1].world_from_object.translation, DVec3::new(0.0, 0.0, 3.0));
        assert!(objects.iter().all(|object| !object.triangles.is_empty()));
    }
}
