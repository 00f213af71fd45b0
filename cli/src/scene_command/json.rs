//! Contents of a scene as one JSON object.

use std::io::{self, Write};

use pathproof::scene::{BodyShape, Role, Scene};
use serde::{Serialize, Serializer};

use super::{Shown, checked_by_group, kind_name, shape, unchecked_by_rule};

#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    clearance: f64,
    self_clearance: f64,
    tolerance: f64,
    bodies: Vec<BodyLine<'a>>,
    joints: Vec<JointLine<'a>>,
    mimics: Vec<MimicLine<'a>>,
    pairs: PairsLine<'a>,
    states: Vec<StateLine<'a>>,
    contacts: Vec<ContactLine<'a>>,
    warnings: &'a [String],
    notes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
}

#[derive(Serialize)]
struct BodyLine<'a> {
    name: &'a str,
    /// `link`, `obstacle` or `attached`.
    role: &'static str,
    /// Link that carries it; `world` for a fixed body.
    link: &'a str,
    #[serde(rename = "static")]
    is_static: bool,
    /// `box`, `sphere`, `cylinder`, `capsule`, `plane`, `mesh`, or `compound`.
    shape: &'static str,
    /// Edges of the box around it along its link's axes or its own; the middle of that box in the world. A plane has
    /// none.
    size: Option<[f64; 3]>,
    centre: Option<[f64; 3]>,
    /// As in its files.
    triangles: usize,
    /// Closed parts of meshes, open or double-sided ones, and exact convex pieces.
    solids: usize,
    surfaces: usize,
    convex: usize,
    open_edges: usize,
}

#[derive(Serialize)]
struct JointLine<'a> {
    name: &'a str,
    kind: &'static str,
    limits: Option<(f64, f64)>,
    /// Value used by paths that leave it out.
    position: Option<f64>,
}

#[derive(Serialize)]
struct MimicLine<'a> {
    name: &'a str,
    follows: &'a str,
    multiplier: f64,
    offset: f64,
}

#[derive(Serialize)]
struct PairsLine<'a> {
    checked: usize,
    checked_by_group: Vec<GroupLine<'a>>,
    unchecked: u64,
    unchecked_by_rule: Vec<RuleLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<List<'a>>,
}

#[derive(Serialize)]
struct GroupLine<'a> {
    groups: [&'a str; 2],
    pairs: usize,
}

#[derive(Serialize)]
struct RuleLine {
    rule: String,
    pairs: u64,
}

#[derive(Serialize)]
struct StateLine<'a> {
    name: &'a str,
    robot: &'a str,
    group: &'a str,
}

#[derive(Serialize)]
struct ContactLine<'a> {
    bodies: [&'a str; 2],
}

/// Every pair, written one by one.
struct List<'a>(&'a Scene);

#[derive(Serialize)]
struct PairLine<'a> {
    bodies: [&'a str; 2],
    checked: bool,
    /// `world`, or `self` for links of one robot.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scene = self.0;
        let names = |a: usize, b: usize| [a, b].map(|body| scene.bodies()[body].name.as_str());
        let checked = scene.pairs().iter().map(|pair| PairLine {
            bodies: names(pair.a, pair.b),
            checked: true,
            kind: Some(pair.kind.name()),
            clearance: Some(pair.clearance),
            reason: None,
        });
        let not = |a: usize, b: usize, reason: String| PairLine {
            bodies: names(a, b),
            checked: false,
            kind: None,
            clearance: None,
            reason: Some(reason),
        };
        let unchecked = scene.unchecked().iter().map(|pair| not(pair.a, pair.b, pair.reason.to_string()));
        let rigid = scene.rigid_pairs().map(|[a, b]| not(a, b, pathproof::scene::Reason::CannotMove.to_string()));
        serializer.collect_seq(checked.chain(unchecked).chain(rigid))
    }
}

pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let loaded = shown.loaded;
    let (scene, model) = (&loaded.scene, loaded.scene.model());
    let joint = |(index, variable): (usize, &'_ pathproof::robot::Variable)| JointLine {
        name: &model.variables()[index].name,
        kind: kind_name(scene, index),
        limits: variable.limits,
        position: scene.positions()[index],
    };
    let line = Line {
        schema: 1,
        clearance: scene.clearance(),
        self_clearance: scene.self_clearance(),
        tolerance: scene.tolerance(),
        bodies: (0..scene.bodies().len()).map(|index| body_line(shown, index)).collect(),
        joints: model.variables().iter().enumerate().map(joint).collect(),
        mimics: mimics(scene),
        pairs: pairs(scene, shown.pairs),
        states: scene
            .states()
            .iter()
            .map(|state| StateLine { name: &state.name, robot: &state.robot, group: &state.group })
            .collect(),
        contacts: shown
            .contacts
            .iter()
            .map(|&bodies| ContactLine { bodies: crate::report::names(scene, bodies) })
            .collect(),
        warnings: &shown.warnings,
        notes: loaded.told.iter().chain(&loaded.notes).map(String::as_str).collect(),
        written: shown.written.map(|path| path.display().to_string()),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

fn body_line<'a>(shown: &Shown<'a>, index: usize) -> BodyLine<'a> {
    let (scene, source, extent) = (&shown.loaded.scene, &shown.loaded.sources[index], shown.extents[index]);
    let body = &scene.bodies()[index];
    let summary = body.shape.summary();
    BodyLine {
        name: &body.name,
        role: match body.role {
            Role::Link => "link",
            Role::Obstacle => "obstacle",
            Role::Attached => "attached",
        },
        link: &scene.model().links()[body.link].name,
        is_static: scene.is_static(index),
        shape: shape::kind(&body.shape),
        size: extent.map(|extent| extent.size),
        centre: extent.map(|extent| extent.centre),
        triangles: source.triangles,
        solids: summary.solids,
        surfaces: summary.surfaces,
        convex: summary.convex_pieces,
        open_edges: match &body.shape {
            BodyShape::Parts(parts) => parts.surfaces().open_edges,
            BodyShape::HalfSpace { .. } => 0,
        },
    }
}

fn mimics(scene: &Scene) -> Vec<MimicLine<'_>> {
    let joints = scene.model().joints();
    let lines = joints.iter().filter_map(|joint| {
        let (follows, source) = (&joints[joint.follows?].name, joint.source?);
        Some(MimicLine { name: &joint.name, follows, multiplier: source.multiplier, offset: source.offset })
    });
    lines.collect()
}

fn pairs(scene: &Scene, is_listed: bool) -> PairsLine<'_> {
    let by_rule = unchecked_by_rule(scene);
    PairsLine {
        checked: scene.pairs().len(),
        checked_by_group: checked_by_group(scene)
            .into_iter()
            .map(|(groups, pairs)| GroupLine { groups, pairs })
            .collect(),
        unchecked: by_rule.iter().map(|(_, count)| count).sum(),
        unchecked_by_rule: by_rule.into_iter().map(|(rule, pairs)| RuleLine { rule, pairs }).collect(),
        list: is_listed.then_some(List(scene)),
    }
}
