//! One question, one answer: whatever prints `free` about a motion, all other doors agree. Goes over every kind of motion
//! and every command that answers for one.

use serde_json::Value;

use crate::cell::Cell;
use crate::view::Page;

/// A motion, its file and the options it is asked with.
struct Kind {
    name: &'static str,
    file: &'static str,
    text: String,
    options: &'static [&'static str],
    is_free: bool,
    /// True if a certificate can state it.
    is_certifiable: bool,
}

/// Points of a JointTrajectory for the slide: seconds, position, velocity, acceleration.
fn points(list: &[(f64, f64, Option<f64>, Option<f64>)]) -> String {
    let point = |&(time, position, velocity, acceleration): &(f64, f64, Option<f64>, Option<f64>)| {
        let rate = |name: &str, value: Option<f64>| value.map_or(String::new(), |v| format!(", \"{name}\": [{v}]"));
        format!(
            "{{\"positions\": [{position}]{}{}, \"time_from_start\": {time}}}",
            rate("velocities", velocity),
            rate("accelerations", acceleration)
        )
    };
    let points: Vec<String> = list.iter().map(point).collect();
    format!("{{\"joint_names\": [\"slide\"], \"points\": [{}]}}", points.join(", "))
}

/// The wall is touched at 0.89, the post at −0.6.
fn kinds() -> Vec<Kind> {
    let kind = |name, file, text, options, is_free, is_certifiable| Kind {
        name,
        file,
        text,
        options,
        is_free,
        is_certifiable,
    };
    let bow = |v: f64| points(&[(0.0, 0.0, Some(v), None), (2.0, 0.0, Some(-v), None)]);
    let pull = |a: f64| points(&[(0.0, 0.0, Some(0.0), Some(a)), (2.0, 0.0, Some(0.0), Some(a))]);
    // An older controller runs a cubic from the current state, a newer one a quintic that swings less far.
    let start = |a: f64| points(&[(1.0, 0.0, Some(1.0), Some(a)), (2.0, 0.5, Some(0.0), Some(0.0))]);
    let power = |peak: f64| {
        format!(
            "{{\"joint_names\": [\"slide\"], \"basis\": \"power\", \"knots\": [0, 1], \"pieces\": [[[0, {}, {}]]]}}",
            4.0 * peak,
            -4.0 * peak
        )
    };
    let timed = "time,slide\n0,0\n1,0.85\n2,0.85\n3,0\n".to_owned();
    vec![
        kind("lines", "l.csv", "slide\n0\n0.8\n".into(), &[], true, true),
        kind("lines that hit", "l.csv", "slide\n0\n0.8\n1.2\n".into(), &[], false, true),
        kind("cubic", "c.json", bow(1.0), &[], true, true),
        kind("cubic that hits", "c.json", bow(1.9), &[], false, true),
        kind("cubic as lines", "c.json", bow(1.9), &["--interpolation", "linear"], true, true),
        kind("quintic", "q.json", pull(1.0), &[], true, true),
        kind("quintic that hits", "q.json", pull(-6.0), &[], false, true),
        kind("two versions", "v.json", start(0.0), &[], true, false),
        kind("two versions, an older one hits", "v.json", start(40.0), &["--ignore-limits"], false, false),
        kind("from a state", "f.json", start(0.0), &["--from", "0.2;0.1"], true, false),
        kind("from a state that hits", "f.json", start(0.0), &["--from", "-0.59;-0.5"], false, false),
        kind("spline", "s.csv", timed.clone(), &[], true, true),
        kind("spline that hits", "s.csv", timed, &["--interpolation", "natural-cubic"], false, false),
        kind("polynomials", "p.json", power(0.8), &[], true, false),
        kind("polynomials that hit", "p.json", power(0.9), &[], false, false),
    ]
}

fn verdict(answer: &Value) -> bool {
    answer["verdict"] == "free"
}

/// `view` said "free: proven" of a trajectory that `check` found in collision: it decided one of the two versions.
#[test]
fn every_door_gives_the_same_answer_for_every_kind_of_motion() {
    for kind in kinds() {
        let cell = Cell::new("doors");
        cell.write(kind.file, &kind.text);
        let status = i32::from(!kind.is_free);
        let ask = |more: &[&str]| {
            let asked = [&["check", "cell.toml", kind.file, "--ignore-velocity"], kind.options, more].concat();
            cell.json(&asked, status)
        };
        for more in [&[][..], &["--any"], &["--all"], &["--threads", "2"], &["--report", "r.html"]] {
            assert_eq!(verdict(&ask(more)), kind.is_free, "{}: {more:?}", kind.name);
        }
        let least = ask(&["--min-distance"])["min_distance"].clone();
        let (lower, upper) = (least["lower"].as_f64().expect("a bound"), least["upper"].as_f64().expect("a bound"));
        assert!(if kind.is_free { lower > 0.0 } else { upper <= 0.0 }, "{}: {least}", kind.name);
        let profile = ask(&["--profile", "p.csv"])["profile"]["nearest"].clone();
        let (lower, upper) = (profile["lower"].as_f64().expect("a bound"), profile["upper"].as_f64().expect("a bound"));
        assert!(if kind.is_free { lower > 0.0 } else { upper <= 0.0 }, "{}: {profile}", kind.name);

        let view = [&["view", "cell.toml", kind.file, "-o", "v.html"], kind.options].concat();
        let text = cell.output(&view, 0);
        assert_eq!(text.starts_with("free"), kind.is_free, "{}: {text}", kind.name);
        for page in ["v.html", "r.html"] {
            let page = Page::read(&cell, page);
            assert_eq!(page.data["verdict"] == "free", kind.is_free, "{}", kind.name);
        }
        certificates(&cell, &kind);
    }
}

/// A certificate exists where the motion is free and can be stated, and is verified along that motion.
fn certificates(cell: &Cell, kind: &Kind) {
    let check = [&["check", "cell.toml", kind.file, "--certificate", "c.ppc", "--ignore-velocity"], kind.options];
    let output = cell.run(&check.concat());
    let expected = match (kind.is_certifiable, kind.is_free) {
        (false, _) => 2,
        (true, is_free) => i32::from(!is_free),
    };
    assert_eq!(output.status.code(), Some(expected), "{}", kind.name);
    let is_written = cell.folder.join("c.ppc").exists();
    assert_eq!(is_written, kind.is_certifiable && kind.is_free, "{}", kind.name);
    if is_written {
        let verify = [&["verify", "cell.toml", kind.file, "c.ppc"], kind.options].concat();
        let accepted = cell.json(&verify, 0);
        assert_eq!(accepted["accepted"], true, "{}: {accepted}", kind.name);
    }
}

/// The trajectory with which it was found.
#[test]
fn a_first_point_a_second_ahead_collides_through_every_door() {
    let cell = Cell::new("doors-found");
    let wall = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n[[obstacles]]\nname = \"wall\"\nbox = [0.1, 2, 2]\n\
                xyz = [-0.27, 0, 0]\n";
    cell.write("cell.toml", wall);
    cell.write("t.json", &points(&[(1.0, 0.0, Some(1.0), Some(8.0)), (2.0, 1.0, Some(0.0), Some(0.0))]));
    let answer = cell.json(&["check", "cell.toml", "t.json", "--ignore-velocity"], 1);
    assert_eq!((&answer["verdict"], &answer["version"]), (&"collision".into(), &"older-controller".into()));
    let text = cell.output(&["view", "cell.toml", "t.json", "-o", "v.html"], 0);
    assert!(text.starts_with("collision: r/ball and wall"), "{text}");
    assert_eq!(Page::read(&cell, "v.html").data["verdict"], "collision");
    let profile = cell.json(&["check", "cell.toml", "t.json", "--profile", "p.csv"], 1)["profile"]["nearest"].clone();
    assert!(profile["upper"].as_f64().expect("a bound") < 0.0, "{profile}");
}
