//! One question, one answer: whatever prints `free` about a motion, all other doors agree, and no sample of what the
//! controller's formulas give refutes it. Goes over every kind of motion and every command that answers for one.

mod cells;
mod kinds;
mod oracle;

use serde_json::Value;

use crate::cell::Cell;
use crate::view::Page;
use kinds::Kind;

/// How far a lower bound may be above the distance of a sample: rounding of the oracle.
const ROUNDING: f64 = 1e-9;

/// The file of every motion.
const FILE: &str = "m.json";

/// `view` said "free: proven" of a trajectory that `check` found in collision: it decided one of the two versions.
#[test]
fn every_door_gives_the_same_answer_for_every_kind_of_motion() {
    for kind in kinds::kinds() {
        let cell = Cell::new("doors");
        kind.place.write(&cell);
        cell.write(FILE, &kind.text);
        let status = i32::from(!kind.is_free);
        let ask = |more: &[&str]| cell.json(&check(&kind, more), status);
        for more in [&[][..], &["--any"], &["--all"], &["--threads", "2"], &["--report", "r.html"]] {
            let answer = ask(more);
            assert_eq!(answer["verdict"] == "free", kind.is_free, "{}: {more:?}", kind.name);
            let lower = answer["lower_clearance"].as_f64();
            assert!(lower.is_none_or(|lower| lower <= kind.least + ROUNDING), "{}: {answer}", kind.name);
        }
        assert_eq!(Page::read(&cell, "r.html").data["verdict"] == "free", kind.is_free, "{}", kind.name);
        enclosed(&kind, &ask(&["--min-distance"])["min_distance"]);
        enclosed(&kind, &ask(&["--profile", "p.csv"])["profile"]["nearest"]);
        certificates(&cell, &kind);
        if kind.before.is_empty() {
            let view = [&["view", "cell.toml", FILE, "-o", "v.html"], kind.options].concat();
            let text = cell.output(&view, 0);
            assert_eq!(text.starts_with("free"), kind.is_free, "{}: {text}", kind.name);
            assert_eq!(Page::read(&cell, "v.html").data["verdict"] == "free", kind.is_free, "{}", kind.name);
        }
        batch(&cell, &kind);
    }
}

/// Every motion is free, or not, by more than the tolerance.
#[test]
fn samples_know_the_answer_for_every_kind_of_motion() {
    let wrong = |kind: &Kind| kind.is_free != (kind.least > 2e-3) || kind.least.abs() < 2e-3;
    let wrong: Vec<_> = kinds::kinds().into_iter().filter(wrong).map(|kind| (kind.name, kind.least)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The arguments of `check`.
fn check<'k>(kind: &'k Kind, more: &[&'k str]) -> Vec<&'k str> {
    [&["check", "cell.toml"], kind.before, &[FILE, "--ignore-velocity"], kind.options, more].concat()
}

/// Bounds on the smallest distance enclose what was sampled, and are on the side of the verdict.
fn enclosed(kind: &Kind, bounds: &Value) {
    let bound = |name: &str| bounds[name].as_f64().unwrap_or_else(|| panic!("{}: no {name} in {bounds}", kind.name));
    let (lower, upper) = (bound("lower"), bound("upper"));
    match kind.is_free {
        true => assert!(lower > 0.0 && lower <= kind.least + ROUNDING, "{}: {}, {bounds}", kind.name, kind.least),
        // How deep bodies are in each other the oracle does not know.
        false => assert!(lower <= 0.0 && upper <= 0.0, "{}: {bounds}", kind.name),
    }
}

/// A certificate exists where the motion is free and can be stated, and is verified along that motion.
fn certificates(cell: &Cell, kind: &Kind) {
    let output = cell.run(&check(kind, &["--certificate", "c.ppc"]));
    let expected = match (kind.is_certifiable, kind.is_free) {
        (false, _) => 2,
        (true, is_free) => i32::from(!is_free),
    };
    assert_eq!(output.status.code(), Some(expected), "{}", kind.name);
    let is_written = cell.folder.join("c.ppc").exists();
    assert_eq!(is_written, kind.is_certifiable && kind.is_free, "{}", kind.name);
    if is_written {
        let verify = [&["verify", "cell.toml", FILE, "c.ppc"], kind.options].concat();
        let accepted = cell.json(&verify, 0);
        assert_eq!(accepted["accepted"], true, "{}: {accepted}", kind.name);
    }
}

/// Rows of a batch are straight lines; the path is free if all of them are.
fn batch(cell: &Cell, kind: &Kind) {
    let Some(lines) = &kind.lines else { return };
    let row = |pair: &[Vec<f64>]| format!("{},{}\n", pair[0][0], pair[1][0]);
    cell.write("s.csv", &format!("a_slide,b_slide\n{}", lines.windows(2).map(row).collect::<String>()));
    let rows = cell.lines(&["batch", "cell.toml", "s.csv"], 0);
    assert_eq!(rows.iter().all(|row| row["verdict"] == "free"), kind.is_free, "{}: {rows:?}", kind.name);
}

/// The trajectory with which it was found.
#[test]
fn a_first_point_a_second_ahead_collides_through_every_door() {
    let cell = Cell::new("doors-found");
    let wall = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n[[obstacles]]\nname = \"wall\"\nbox = [0.1, 2, 2]\n\
                xyz = [-0.27, 0, 0]\n";
    cell.write("cell.toml", wall);
    cell.write(
        "t.json",
        "{\"joint_names\": [\"slide\"], \"points\": [\
         {\"positions\": [0], \"velocities\": [1], \"accelerations\": [8], \"time_from_start\": 1}, \
         {\"positions\": [1], \"velocities\": [0], \"accelerations\": [0], \"time_from_start\": 2}]}",
    );
    let answer = cell.json(&["check", "cell.toml", "t.json", "--ignore-velocity"], 1);
    assert_eq!((&answer["verdict"], &answer["version"]), (&"collision".into(), &"older-controller".into()));
    let text = cell.output(&["view", "cell.toml", "t.json", "-o", "v.html"], 0);
    assert!(text.starts_with("collision: r/ball and wall"), "{text}");
    assert_eq!(Page::read(&cell, "v.html").data["verdict"], "collision");
    let profile = cell.json(&["check", "cell.toml", "t.json", "--profile", "p.csv"], 1)["profile"]["nearest"].clone();
    assert!(profile["upper"].as_f64().expect("a bound") < 0.0, "{profile}");
}
