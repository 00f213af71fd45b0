//! Contents of a scene as text. It is written directly: no memory grows with the square of the bodies.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pathproof::robot::JointKind;
use pathproof::scene::{Reason, Scene};

use crate::clearances;
use crate::numbers::{metres, rounded};

use super::{Shown, checked_by_group, kind_name, rule_of, shape, unchecked_by_rule};

pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let scene = &shown.loaded.scene;
    writeln!(out, "clearance {}, tolerance {}", clearances::asked(scene), metres(scene.tolerance()))?;
    write_bodies(shown, out)?;
    write_joints(scene, out)?;
    if shown.pairs {
        write_pairs(scene, out)?
    } else {
        write_counts(scene, out)?
    }
    if !scene.states().is_empty() {
        writeln!(out, "\ngroup states")?;
        for state in scene.states() {
            writeln!(out, "  {} ({}, {})", state.name, state.robot, state.group)?;
        }
    }
    writeln!(out, "\nwarnings: {}", shown.warnings.len())?;
    shown.warnings.iter().try_for_each(|warning| writeln!(out, "  {warning}"))?;
    if !shown.contacts.is_empty() {
        writeln!(out, "\npairs in contact: {}", shown.contacts.len())?;
        let name = |body: usize| scene.bodies()[body].name.as_str();
        shown.contacts.iter().try_for_each(|[a, b]| writeln!(out, "  {} and {}", name(*a), name(*b)))?;
    }
    if !shown.loaded.notes.is_empty() || !shown.loaded.told.is_empty() {
        writeln!(out, "\nnotes")?;
        shown.loaded.told.iter().chain(&shown.loaded.notes).try_for_each(|note| writeln!(out, "  {note}"))?;
    }
    shown.written.map_or(Ok(()), |path| writeln!(out, "\nwritten: {}", path.display()))
}

fn write_bodies(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (loaded, scene) = (shown.loaded, &shown.loaded.scene);
    let total: usize = loaded.sources.iter().map(|source| source.triangles).sum();
    writeln!(out, "\nbodies: {}, {total} triangles", scene.bodies().len())?;
    let width = scene.bodies().iter().map(|body| body.name.chars().count()).max().unwrap_or(0);
    for (index, (body, source)) in scene.bodies().iter().zip(&loaded.sources).enumerate() {
        let extent = shown.extents[index].map_or(String::new(), |extent| format!(", {}", extent.words()));
        let motion = match (scene.is_static(index), body.link) {
            (true, _) => "static".to_owned(),
            (false, link) => format!("moves with {}", scene.model().links()[link].name),
        };
        let shape = shape::words(&body.shape, source.triangles);
        writeln!(out, "  {:width$}  {shape}{extent}, {motion}", body.name)?;
    }
    Ok(())
}

fn write_joints(scene: &Scene, out: &mut dyn Write) -> io::Result<()> {
    let model = scene.model();
    let movable = || model.joints().iter().filter(|joint| joint.kind != JointKind::Fixed);
    let variables = model.variables().len();
    writeln!(out, "\njoints that move: {}, {variables} values per configuration", movable().count())?;
    let width = model.variables().iter().map(|v| v.name.chars().count()).max().unwrap_or(0);
    for (index, (variable, position)) in model.variables().iter().zip(scene.positions()).enumerate() {
        let limits = match variable.limits {
            Some((lower, upper)) => format!("[{}, {}]", rounded(lower), rounded(upper)),
            None => "no limits".to_owned(),
        };
        let position =
            position.map(|value| format!(", {} where a path leaves it out", rounded(value))).unwrap_or_default();
        writeln!(out, "  {:width$}  {} {limits}{position}", variable.name, kind_name(scene, index))?;
    }
    for joint in movable() {
        if let (Some(followed), Some(source)) = (joint.follows, joint.source) {
            let followed = &model.joints()[followed].name;
            let (multiplier, offset) = (rounded(source.multiplier), rounded(source.offset));
            writeln!(out, "  {:width$}  mimic: {multiplier} × {followed} + {offset}", joint.name)?;
        }
    }
    Ok(())
}

/// Number of pairs by rule.
fn write_counts(scene: &Scene, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\npairs checked: {}", scene.pairs().len())?;
    for ([a, b], count) in checked_by_group(scene) {
        let groups = if a == b { format!("{a} with itself") } else { format!("{a} – {b}") };
        writeln!(out, "  {groups}: {count}")?;
    }
    let own = scene.pairs().iter().filter(|pair| pair.has_own_clearance).count();
    if own > 0 {
        writeln!(out, "  {own} of them have a clearance of their own")?;
    }
    let unchecked = unchecked_by_rule(scene);
    writeln!(out, "\npairs not checked: {}", unchecked.iter().map(|(_, count)| count).sum::<u64>())?;
    unchecked.iter().try_for_each(|(rule, count)| writeln!(out, "  {rule}: {count}"))?;
    writeln!(out, "  (--pairs lists them)")
}

/// Every pair.
fn write_pairs(scene: &Scene, out: &mut dyn Write) -> io::Result<()> {
    let name = |body: usize| scene.bodies()[body].name.as_str();
    writeln!(out, "\npairs checked: {}", scene.pairs().len())?;
    for pair in scene.pairs() {
        let own =
            if pair.has_own_clearance { format!(", clearance {}", metres(pair.clearance)) } else { String::new() };
        writeln!(out, "  {} – {}{own}", name(pair.a), name(pair.b))?;
    }
    let counts = unchecked_by_rule(scene);
    writeln!(out, "\npairs not checked: {}", counts.iter().map(|(_, count)| count).sum::<u64>())?;
    let mut by_rule: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for pair in scene.unchecked() {
        let more = match &pair.reason {
            Reason::Adjacent { joint } => format!(" ({joint})"),
            _ => String::new(),
        };
        by_rule.entry(rule_of(&pair.reason)).or_default().push(format!("{} – {}{more}", name(pair.a), name(pair.b)));
    }
    for (rule, count) in counts {
        writeln!(out, "  {rule}: {count}")?;
        match by_rule.get(&rule) {
            Some(pairs) => pairs.iter().try_for_each(|pair| writeln!(out, "    {pair}"))?,
            None => scene.rigid_pairs().try_for_each(|[a, b]| writeln!(out, "    {} – {}", name(a), name(b)))?,
        }
    }
    Ok(())
}
