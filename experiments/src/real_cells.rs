//! Real cells from the shared data, which is never committed: absent without the data.
//!
//! Pairs of bodies in contact at every one of a few random configurations belong together (their meshes overlap where
//! they are mounted) and are switched off, as a user would do.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use glam::{DQuat, EulerRot};
use pathproof::check::{CheckScratch, Checker, Report, Settings};
use pathproof::numeric::Random;
use pathproof::path::Motion;
use pathproof::scene::Scene;
use pathproof_formats::scene_file::{self, Disk};
use serde_json::Value;

/// The cells by name.
pub(crate) const CASES: [&str; 3] = ["godel", "car-seat", "panda-mbm"];

/// The papers do not cover these cells: their most common step, a fraction of each joint's range.
pub(crate) const STEP: f64 = 0.012;

/// Printed if the data is absent.
pub(crate) const ABSENT: &str = "the real cells are left out: the shared data is not at ../shared/data";

/// Folder of the data.
pub(crate) fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    folder.is_dir().then_some(folder)
}

/// A robot of a scene file.
pub(crate) fn robot(urdf: &str, srdf: &str, more: &str) -> String {
    format!("[[robots]]\nname = \"r\"\nurdf = \"{urdf}\"\nsrdf = \"{srdf}\"\n{more}\n")
}

/// A cell, ready to be checked; `None` without the data.
pub(crate) fn scene(case: &str) -> Result<Option<Scene>> {
    let Some(folder) = data() else { return Ok(None) };
    let text = match case {
        "godel" => {
            let base = "cells/godel_irb2400_workcell/irb2400_workspace";
            robot(&format!("{base}.urdf"), &format!("{base}.srdf"), "geometry = \"visual\"")
        }
        "car-seat" => {
            let base = "cells/tesseract_car_seat/car_seat_demo";
            robot(&format!("{base}.urdf"), &format!("{base}.srdf"), "")
        }
        "panda-mbm" => {
            robot("robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf", "")
                + &shelf(&folder).context("the shelf")?
        }
        _ => return Ok(None),
    };
    without_mounts(&folder, text).map(Some)
}

fn read(folder: &Path, text: &str) -> Result<Scene> {
    Ok(scene_file::parse(text, &folder.join("scene.toml"), &Disk)?.scene)
}

/// The obstacles of MotionBenchMaker's first problem with the thin bookshelf.
fn shelf(folder: &Path) -> Result<String> {
    let file = folder.join("problems/motionbenchmaker/panda_first10.json");
    let problems: Value = serde_json::from_slice(&std::fs::read(&file).context(file.display().to_string())?)?;
    obstacles(&problems["problems"]["bookshelf_thin"][0])
}

/// The obstacles of a problem of MotionBenchMaker in the form of a scene file.
pub(crate) fn obstacles(problem: &Value) -> Result<String> {
    let mut text = String::new();
    for object in problem["objects"].as_array().context("no objects")? {
        let numbers = |field: &str| -> Result<Vec<f64>> { Ok(serde_json::from_value(object[field].clone())?) };
        let (size, at, q) = (numbers("dimensions")?, numbers("position")?, numbers("orientation_xyzw")?);
        let shape = match object["type"].as_str() {
            Some("box") => format!("box = {size:?}"),
            Some("cylinder") => format!("cylinder = [{:?}, {:?}]", size[1], size[0]),
            Some("sphere") => format!("sphere = {:?}", size[0]),
            other => anyhow::bail!("{other:?} is no shape"),
        };
        let (yaw, pitch, roll) = DQuat::from_xyzw(q[0], q[1], q[2], q[3]).normalize().to_euler(EulerRot::ZYX);
        let name = object["id"].as_str().context("no name")?;
        text += &format!("[[obstacles]]\nname = \"{name}\"\n{shape}\nxyz = {at:?}\nrpy = {:?}\n", [roll, pitch, yaw]);
    }
    Ok(text)
}

/// Number of configurations at which a pair must touch each time to count as mounted together.
const DRAWN: usize = 6;

fn without_mounts(folder: &Path, mut text: String) -> Result<Scene> {
    let checker = Checker::new(read(folder, &text)?);
    let scene = checker.scene();
    let mut scratch = CheckScratch::new(&checker);
    let mut random = Random::new(1);
    let settings = Settings { report: Report::All, ..Settings::default() };
    let mut always: Option<Vec<[usize; 2]>> = None;
    for _ in 0..DRAWN {
        let limits = scene.model().variables().iter().map(|v| v.limits.unwrap_or((-3.0, 3.0)));
        let q: Vec<f64> = limits.map(|(low, high)| random.between(low, high)).collect();
        let findings = checker.path(&Motion::lines([q]), &settings, &mut scratch)?.findings;
        let touching = findings.iter().filter(|f| f.distance <= 0.0).map(|f| f.bodies);
        let touching: Vec<[usize; 2]> =
            touching.filter(|pair| always.as_ref().is_none_or(|a| a.contains(pair))).collect();
        always = Some(touching);
    }
    for pair in always.unwrap_or_default() {
        let [a, b] = pair.map(|body| &scene.bodies()[body].name);
        text += &format!("[[pairs]]\nbodies = [\"{a}\", \"{b}\"]\ncheck = false\n");
    }
    read(folder, &text)
}
