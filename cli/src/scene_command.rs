//! `pathproof scene`: shows the contents of a scene — bodies, joints, pairs and the reasons why others are not checked,
//! warnings — and writes the posed bodies as a file for any viewer.

mod export;
mod json;
mod shape;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use pathproof::check::{CheckScratch, describe_contacts};
use pathproof::robot::{JointKind, Variable};
use pathproof::scene::{Reason, Role, Scene};
use pathproof_formats::OutputSet;
use pathproof_formats::glb_writer;
use pathproof_formats::path_file::{self, PathSettings};
use pathproof_formats::scene_file::{self, LoadedScene};

use crate::{numbers, output, output_files, trees};
use shape::Extent;

/// Show what a scene holds, which pairs are checked, and export posed geometry.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status: 0 the scene was read, 2 the input or the usage is wrong.")]
pub(crate) struct SceneArgs {
    /// Scene file (TOML), or a robot (URDF) alone.
    scene: PathBuf,
    /// Configuration: values separated by commas, a CSV file, or an SRDF group state [default: zero, or the middle of
    /// limits that exclude it].
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    at: Option<String>,
    /// Write the posed bodies as binary glTF.
    #[arg(short, long, value_name = "OUT.glb")]
    output: Option<PathBuf>,
    /// List every pair instead of the counts by rule.
    #[arg(long)]
    pairs: bool,
    /// Accept a configuration outside joint limits.
    #[arg(long)]
    ignore_limits: bool,
    /// One JSON object and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

/// Content of both output formats.
struct Shown<'a> {
    loaded: &'a LoadedScene,
    /// Size and place of each body; planes have none.
    extents: Vec<Option<Extent>>,
    /// Pairs of bodies in contact.
    contacts: Vec<[usize; 2]>,
    warnings: Vec<String>,
    /// True if every pair is listed.
    pairs: bool,
    written: Option<&'a PathBuf>,
}

/// Runs the command. Errors concern input or usage.
pub(crate) fn run(args: &SceneArgs) -> Result<ExitCode> {
    if let Some(path) = args.output.as_ref().filter(|path| path.extension().is_none_or(|e| e != "glb")) {
        bail!("{}: only binary glTF is written; use a name that ends in .glb", path.display());
    }
    let loaded = scene_file::read(&args.scene)?;
    let outputs: Vec<(&str, &PathBuf)> = args.output.iter().map(|path| ("--output", path)).collect();
    output_files::check(&outputs, &loaded.files)?;
    let scene = &loaded.scene;
    let settings = PathSettings { ignore_limits: args.ignore_limits };
    let q = match &args.at {
        Some(text) => path_file::parse_configuration(text, scene, settings)?,
        None => near_zero(scene),
    };
    let mut files = OutputSet::default();
    if let Some(path) = &args.output {
        files.add(path, glb_writer::file(path, &export::posed_objects(scene, &q))?)?;
    }
    let shown = Shown { pairs: args.pairs, written: args.output.as_ref(), ..shown(&loaded, &q, args.at.is_some())? };
    output::write_with(files, |out| if args.json { json::write(&shown, out) } else { text::write(&shown, out) })
}

fn shown<'a>(loaded: &'a LoadedScene, q: &[f64], is_given: bool) -> Result<Shown<'a>> {
    let scene = &loaded.scene;
    let at = match is_given {
        true => "at the configuration given".to_owned(),
        false => near_zero_text(scene, q),
    };
    let mut warnings = loaded.warnings.clone();
    if scene.pairs().is_empty() {
        warnings.push("no pair of bodies is checked".to_owned());
    }
    if let Some(violation) = scene.limit_violation(q) {
        warnings.push(format!("{at} {violation}"));
    }
    let checker = trees::build(scene.clone()).checker;
    let contacts = checker.contacts(q, &mut CheckScratch::new(&checker))?;
    if !contacts.is_empty() {
        warnings.push(describe_contacts(scene, &contacts, &at));
    }
    let extents = shape::extents(scene, q);
    Ok(Shown { loaded, extents, contacts, warnings, pairs: false, written: None })
}

/// All zero, except for the scene's positions. A variable that must not be zero is in the middle of its limits.
fn near_zero(scene: &Scene) -> Vec<f64> {
    let all = scene.model().variables().iter().zip(scene.positions()).zip(scene.model().zero_configuration());
    let value = |((variable, position), zero): ((&Variable, &Option<f64>), f64)| match (position, variable.limits) {
        (Some(position), _) => *position,
        (None, Some((lower, upper))) if !(lower <= zero && zero <= upper) => lower / 2.0 + upper / 2.0,
        _ => zero,
    };
    all.map(value).collect()
}

/// Names that configuration in a message.
fn near_zero_text(scene: &Scene, q: &[f64]) -> String {
    const MOST: usize = 3;
    let (variables, zero) = (scene.model().variables(), scene.model().zero_configuration());
    let moved = (0..q.len()).filter(|&v| scene.positions()[v].is_none() && q[v] != zero[v]);
    let mut named: Vec<String> = moved.map(|v| format!("{} = {}", variables[v].name, numbers::rounded(q[v]))).collect();
    if named.is_empty() {
        return "at the zero configuration".to_owned();
    }
    if named.len() > MOST {
        named.truncate(MOST);
        named.push("…".to_owned());
    }
    format!("at zero, with {} as limits ask for", named.join(", "))
}

/// Motion of a variable, in the URDF's words.
fn kind_name(scene: &Scene, variable: usize) -> &'static str {
    let variable = &scene.model().variables()[variable];
    match scene.model().joints()[variable.joint].kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } if variable.limits.is_none() => "continuous",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Planar { .. } => "planar",
        JointKind::Floating => "floating",
    }
}

/// Group in which a body's pairs are counted: its robot, the obstacles or the attached objects.
fn group_of(scene: &Scene, body: usize) -> &str {
    let body = &scene.bodies()[body];
    match body.role {
        Role::Link => body.name.split_once('/').map_or(body.name.as_str(), |(robot, _)| robot),
        Role::Obstacle => "obstacles",
        Role::Attached => "attached objects",
    }
}

/// Number of checked pairs for each pair of groups, in order of their first pairs.
fn checked_by_group(scene: &Scene) -> Vec<([&str; 2], usize)> {
    let mut counts: Vec<([&str; 2], usize)> = Vec::new();
    let mut place_of = std::collections::HashMap::new();
    for pair in scene.pairs() {
        let groups = [group_of(scene, pair.a), group_of(scene, pair.b)];
        let place = *place_of.entry(groups).or_insert_with(|| {
            counts.push((groups, 0));
            counts.len() - 1
        });
        counts[place].1 += 1;
    }
    counts
}

/// Rule by which pairs are not checked: the reason without the joint's name.
fn rule_of(reason: &Reason) -> String {
    match reason {
        Reason::Adjacent { .. } => "parent and child of one movable joint".to_owned(),
        other => other.to_string(),
    }
}

/// Number of pairs that each rule leaves out.
fn unchecked_by_rule(scene: &Scene) -> Vec<(String, u64)> {
    let mut counts = std::collections::BTreeMap::new();
    for pair in scene.unchecked() {
        *counts.entry(rule_of(&pair.reason)).or_insert(0) += 1;
    }
    if scene.rigid_pair_count() > 0 {
        counts.insert(rule_of(&Reason::CannotMove), scene.rigid_pair_count());
    }
    counts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::DVec3;
    use pathproof_formats::scene_file::Memory;

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
        let report = |pairs: bool| {
            let shown = Shown { pairs, ..shown(&loaded, &near_zero(&loaded.scene), false).expect("a scene") };
            let mut text = Vec::new();
            text::write(&shown, &mut text).expect("memory takes it");
            String::from_utf8(text).expect("UTF-8")
        };
        let text = report(false);
        for part in [
            "r/a",
            "box, 1 × 1 × 1 m at (0, 0, 0), static",
            "sphere, 1 × 1 × 1 m at (0, 0, 3), moves with r/b",
            "roof   plane, static",
            "r/j  revolute [0.5, 1]",
            "pairs checked: 2\n  r – obstacles: 2\n",
            "parent and child of one movable joint: 1\n",
            "cannot move relative to each other: 3\n",
            "r/b and roof are in contact at zero, with r/j = 0.75 as limits ask for",
            "links without geometry, not checked: tip",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(!text.contains("r/b and floor are") && !text.contains("r/b – roof"), "{text}");
        let text = report(true);
        for part in ["  r/b – roof\n", "    r/a – r/b (r/j)\n", "    r/a – roof\n", "    roof – floor\n"] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    #[test]
    fn exported_bodies_are_named_placed_and_not_empty() {
        let loaded = load();
        let objects = export::posed_objects(&loaded.scene, &[0.0]);
        let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["r/a", "r/b", "roof", "floor"]);
        assert_eq!(objects[1].world_from_object.translation, DVec3::new(0.0, 0.0, 3.0));
        assert!(objects.iter().all(|object| !object.triangles.is_empty()));
    }
}
