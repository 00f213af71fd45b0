//! `pathproof check` on what a controller runs between waypoints: the curve, where it starts, its limits, its time, its
//! certificate. The cell's slide may go from −1 to 2 at 1 m/s; the ball touches the wall at 0.89 and the post at −0.6.

use crate::cell::Cell;
use serde_json::{Value, json};

/// A trajectory of the slide: time, position and, where there are any, velocity and acceleration.
fn trajectory(cell: &Cell, name: &str, points: &[(f64, f64, Option<f64>, Option<f64>)]) -> String {
    let point = |&(time, x, v, a): &(f64, f64, Option<f64>, Option<f64>)| {
        let mut point = json!({"positions": [x], "time_from_start": time});
        for (key, value) in [("velocities", v), ("accelerations", a)] {
            if let Some(value) = value {
                point[key] = json!([value]);
            }
        }
        point
    };
    let points: Vec<Value> = points.iter().map(point).collect();
    cell.write(name, &json!({"joint_names": ["slide"], "points": points}).to_string())
}

fn number(answer: &Value, field: &str) -> f64 {
    answer[field].as_f64().unwrap_or_else(|| panic!("{field} is no number in {answer}"))
}

/// 1.8 t (1 − t/2): both waypoints and the line between them are at 0, the curve gets to 0.9.
#[test]
fn a_trajectory_that_is_free_at_its_waypoints_is_caught_where_it_overshoots() {
    let cell = Cell::new("curves-overshoot");
    trajectory(&cell, "t.json", &[(0.0, 0.0, Some(1.8), None), (2.0, 0.0, Some(-1.8), None)]);
    let answer = cell.json(&["check", "cell.toml", "t.json"], 1);
    assert_eq!((&answer["verdict"], &answer["interpolation"]), (&"collision".into(), &"controller".into()));
    assert!((number(&answer, "time") - 1.0).abs() < 0.2 && number(&answer, "t") > 0.4, "{answer}");
    assert_eq!(answer["bodies"], json!(["r/ball", "wall"]));
    assert!(answer["warnings"].to_string().contains("reaches 1.8000 per second at "), "{answer}");
    assert!(answer["notes"].to_string().contains("taken to pass it as fast as that"), "{answer}");
    assert!(!answer["notes"].to_string().contains("start at the first waypoint, at rest"), "{answer}");
    let text = cell.output(&["check", "cell.toml", "t.json", "--ignore-velocity"], 1);
    assert!(text.contains("  interpolation  controller: what joint_trajectory_controller runs"), "{text}");
    assert!(!text.contains("per second"), "{text}");
    let first = cell.json(&["check", "cell.toml", "t.json"], 1);
    assert!((number(&first, "free_until_time") - 0.894).abs() < 0.01, "{first}");
    let lines = cell.json(&["check", "cell.toml", "t.json", "--interpolation", "linear"], 0);
    assert_eq!((&lines["verdict"], &lines["interpolation"]), (&"free".into(), &"linear".into()));
    assert!(lines["warnings"].to_string().contains("another curve"), "{lines}");
    // Mended: slower in the middle.
    let slow = [(0.0, 0.0, Some(0.9), None), (1.0, 0.45, Some(0.0), None), (2.0, 0.0, Some(-0.9), None)];
    trajectory(&cell, "slow.json", &slow);
    assert_eq!(cell.json(&["check", "cell.toml", "slow.json", "--strict"], 0)["verdict"], "free");
}

/// 16 t² (1 − t)² · 0.9 between two places at rest, by accelerations alone.
#[test]
fn quintics_pull_where_both_ends_have_accelerations() {
    let cell = Cell::new("curves-quintic");
    let a = Some(0.9 * 32.0 / 4.0);
    trajectory(&cell, "t.json", &[(0.0, 0.0, Some(0.0), a), (2.0, 0.0, Some(0.0), a)]);
    assert_eq!(cell.json(&["check", "cell.toml", "t.json"], 1)["verdict"], "collision");
    trajectory(&cell, "half.json", &[(0.0, 0.0, Some(0.0), a), (2.0, 0.0, Some(0.0), None)]);
    assert_eq!(cell.json(&["check", "cell.toml", "half.json"], 0)["verdict"], "free");
    trajectory(&cell, "odd.json", &[(0.0, 0.0, None, a), (2.0, 0.0, None, a)]);
    assert!(cell.refusal(&["check", "cell.toml", "odd.json"]).contains("the controller commands 0"));
    cell.write(
        "timeless.json",
        "{\"joint_names\": [\"slide\"], \"points\": [{\"positions\": [0], \"velocities\": [1]}, {\"positions\": [1]}]}",
    );
    let message = cell.refusal(&["check", "cell.toml", "timeless.json"]);
    assert!(message.contains("have no times") && message.contains("--interpolation linear"), "{message}");
    trajectory(&cell, "still.json", &[(1.0, 0.0, Some(0.0), None), (1.0, 0.5, Some(0.0), None)]);
    assert!(cell.refusal(&["check", "cell.toml", "still.json"]).contains("not after the one before it"));
}

/// 9 t (1 − t) gets to 2.25, and the slide's limit is 2.
#[test]
fn limits_hold_along_the_whole_curve() {
    let cell = Cell::new("curves-limits");
    trajectory(&cell, "t.json", &[(3.0, 0.0, Some(9.0), None), (4.0, 0.0, Some(-9.0), None)]);
    let message = cell.refusal(&["check", "cell.toml", "t.json"]);
    for part in ["along the curve", "\"r/slide\" is", "outside its limits [-1, 2]", "--ignore-limits"] {
        assert!(message.contains(part), "{message}");
    }
    trajectory(&cell, "peak.json", &[(0.0, 0.0, Some(9.0), None), (1.0, 0.0, Some(-9.0), None)]);
    let message = cell.refusal(&["check", "cell.toml", "peak.json"]);
    assert!(message.contains("is 2.25") && message.contains("t = 0.5000, at 0.5000 s"), "{message}");
    assert_eq!(cell.json(&["check", "cell.toml", "peak.json", "--ignore-limits"], 1)["verdict"], "collision");
}

/// From rest at 0 to 0 at a speed v in 2 s it swings back by 8v/27.
#[test]
fn the_first_segment_starts_from_where_the_robot_is() {
    let cell = Cell::new("curves-from");
    let points = |v: f64| [(2.0, 0.0, Some(v), None), (3.0, 0.2, Some(0.0), None)];
    trajectory(&cell, "t.json", &points(2.1));
    let answer = cell.json(&["check", "cell.toml", "t.json", "--ignore-velocity"], 1);
    assert_eq!((&answer["segment"], &answer["bodies"]), (&0.into(), &json!(["r/ball", "post"])));
    assert!(answer["notes"].to_string().contains("segment 0 is what the controller runs from the current state"));
    trajectory(&cell, "t.json", &points(1.9));
    assert_eq!(cell.json(&["check", "cell.toml", "t.json"], 0)["proven"]["segments"], 2);
    // Without velocities of the current state older versions go straight: both are proven.
    let answer = cell.json(&["check", "cell.toml", "t.json", "--from", "0.3"], 0);
    assert!(answer["notes"].to_string().contains("newer and as older versions"), "{answer}");
    // At the same speed there is nothing to swing back for.
    trajectory(&cell, "even.json", &points(0.2));
    let answer = cell.json(&["check", "cell.toml", "even.json", "--from", "-0.4;0.2"], 0);
    assert_eq!(answer["interpolation"], "controller");
    trajectory(&cell, "now.json", &[(0.0, 0.0, Some(0.0), None), (3.0, 0.2, Some(0.0), None)]);
    assert!(cell.refusal(&["check", "cell.toml", "now.json", "--from", "0.1"]).contains("no time to get there"));
    let text = cell.output(&["check", "cell.toml", "now.json"], 0);
    assert!(text.contains("start at the first waypoint, at rest"), "{text}");
    cell.output(&["check", "cell.toml", "now.json", "--from", "0"], 0);
    cell.output(&["check", "cell.toml", "now.json", "--from", "0;0"], 0);
    // A velocity that disagrees was once dropped without a word.
    let message = cell.refusal(&["check", "cell.toml", "now.json", "--from", "0;1.3"]);
    assert!(message.contains("moves at 1.3 per second (--from)") && message.contains("no time to change"), "{message}");
    cell.path("p.csv", &[0.0, 0.2]);
    assert!(cell.refusal(&["check", "cell.toml", "p.csv", "--from", "0"]).contains("--interpolation controller"));
    assert!(cell.refusal(&["check", "cell.toml", "now.json", "--from", "0;x"]).contains("list of velocities"));
    // Older versions lower the degree: with the state's velocity and no acceleration, a cubic.
    cell.write("state.json", "{\"name\": [\"slide\"], \"position\": [0.1], \"velocity\": [0.5]}");
    let quintic = [(2.0, 0.0, Some(0.1), Some(0.1)), (3.0, 0.2, Some(0.0), Some(0.0))];
    trajectory(&cell, "q.json", &quintic);
    let answer = cell.json(&["check", "cell.toml", "q.json", "--from", "state.json", "--all"], 0);
    assert!(answer["notes"].to_string().contains("newer and as older versions"), "{answer}");
}

#[test]
fn splines_and_stated_polynomials_are_checked_along_themselves() {
    let cell = Cell::new("curves-stated");
    // The natural spline through 0, 0.8, 0.8, 0 swings over between its points.
    cell.write("s.csv", "time,slide\n0,0\n1,0.8\n2,0.8\n3,0\n");
    assert_eq!(cell.json(&["check", "cell.toml", "s.csv"], 0)["verdict"], "free");
    let answer = cell.json(&["check", "cell.toml", "s.csv", "--interpolation", "natural-cubic"], 1);
    assert_eq!((&answer["verdict"], &answer["interpolation"]), (&"collision".into(), &"natural-cubic".into()));
    let stated = |basis: &str, rest: &str| format!("{{\"joint_names\": [\"slide\"], \"basis\": \"{basis}\", {rest}}}");
    // 1.8 t (1 − t/2) in three ways.
    cell.write("power.json", &stated("power", "\"knots\": [0, 2], \"pieces\": [[[0, 1.8, -0.9]]]"));
    cell.write("bezier.json", &stated("bezier", "\"knots\": [0, 2], \"pieces\": [[[0, 1.8, 0]]]"));
    let spline = "\"degree\": 2, \"knots\": [0, 0, 0, 2, 2, 2], \"control_points\": [[0], [1.8], [0]]";
    cell.write("spline.json", &stated("bspline", spline));
    for file in ["power.json", "bezier.json", "spline.json"] {
        let answer = cell.json(&["check", "cell.toml", file, "--min-distance"], 1);
        assert_eq!((&answer["verdict"], &answer["interpolation"]), (&"collision".into(), &"polynomials".into()));
        assert!((answer["min_distance"]["upper"].as_f64().expect("a number") + 0.01).abs() < 2e-3, "{answer}");
    }
    // A uniform B-spline whose control points stay clear of the wall is clear of it too.
    let uniform = "\"degree\": 3, \"knots\": [-3,-2,-1,0,1,2,3,4,5], \"control_points\": [[0],[0.8],[0.88],[0.8],[0]]";
    cell.write("uniform.json", &stated("bspline", uniform));
    let answer = cell.json(&["check", "cell.toml", "uniform.json"], 0);
    assert_eq!((&answer["verdict"], &answer["proven"]["segments"]), (&"free".into(), &2.into()));
    cell.write("jump.json", &stated("power", "\"knots\": [0, 1, 2], \"pieces\": [[[0, 0.1]], [[0.2]]]"));
    assert!(cell.refusal(&["check", "cell.toml", "jump.json"]).contains("jumps from 0.1 to 0.2"));
    cell.write("seven.json", &stated("bezier", "\"knots\": [0, 1], \"pieces\": [[[0, 0, 0, 0, 0, 0, 1]]]"));
    assert!(cell.refusal(&["check", "cell.toml", "seven.json"]).contains("7 coefficients"));
    assert!(
        cell.refusal(&["check", "cell.toml", "power.json", "--interpolation", "linear"]).contains("states polynomials")
    );
    assert!(cell.refusal(&["smooth", "cell.toml", "power.json", "-o", "o.csv"]).contains("straight lines only"));
    assert!(cell.refusal(&["check", "cell.toml", "power.json", "--certificate", "o.ppc"]).contains("another curve"));
}

#[test]
fn certificates_prove_the_curve_and_nothing_else() {
    let cell = Cell::new("curves-certificate");
    let points = |v: f64| [(0.0, 0.0, Some(v), None), (2.0, 0.0, Some(-v), None), (4.0, 0.3, Some(0.0), None)];
    trajectory(&cell, "t.json", &points(0.9));
    trajectory(&cell, "other.json", &points(0.91));
    cell.output(&["check", "cell.toml", "t.json", "--certificate", "t.ppc"], 0);
    let text = cell.output(&["verify", "cell.toml", "t.json", "t.ppc"], 0);
    assert!(text.contains("accepted") && text.contains("what joint_trajectory_controller runs"), "{text}");
    let refused = cell.json(&["verify", "cell.toml", "other.json", "t.ppc"], 1);
    assert_eq!(refused["fault"], "other_path");
    let shown: Value = serde_json::from_str(&cell.output(&["certificate", "show", "t.ppc"], 0)).expect("JSON");
    assert_eq!((&shown["version"], &shown["curve"]["interpolation"]), (&3.into(), &"controller".into()));
    assert_eq!(shown["curve"]["velocities"][1], json!([-0.9]));
    // Straight lines are another claim: each is refused for the other.
    cell.output(&["check", "cell.toml", "t.json", "--interpolation", "linear", "--certificate", "lines.ppc"], 0);
    let refused = cell.json(&["verify", "cell.toml", "t.json", "lines.ppc"], 1);
    assert!(refused["warnings"].to_string().contains("--interpolation linear verifies that"), "{refused}");
    let text = cell.output(&["verify", "cell.toml", "t.json", "lines.ppc", "--interpolation", "linear"], 0);
    assert!(text.contains("straight lines between waypoints"), "{text}");
    cell.write("p.csv", "slide\n0\n0\n0.3\n");
    assert_eq!(cell.json(&["verify", "cell.toml", "p.csv", "t.ppc"], 1)["fault"], "other_path");
}

#[test]
fn profiles_have_the_time_on_the_trajectory() {
    let cell = Cell::new("curves-profile");
    trajectory(&cell, "t.json", &[(1.0, 0.0, Some(0.0), None), (3.0, 0.8, Some(0.0), None)]);
    cell.output(&["check", "cell.toml", "t.json", "--profile", "out.csv"], 0);
    let profile = std::fs::read_to_string(cell.folder.join("out.csv")).expect("a profile");
    let mut lines = profile.lines();
    assert!(lines.next().is_some_and(|header| header.ends_with("t_upper,time_from,time_to,time_upper")), "{profile}");
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let value = |i: usize| fields[i].parse::<f64>().expect("a number");
        assert!((value(8) - (1.0 + 2.0 * value(1))).abs() < 1e-12 && (value(9) - (1.0 + 2.0 * value(2))).abs() < 1e-12);
    }
    cell.output(&["view", "cell.toml", "t.json", "-o", "out.html"], 0);
}

/// The spline from rest to rest through 0, 0.8, 0.8, 0 swings to 1 between its points.
#[test]
fn positions_alone_are_upsampled_as_the_controller_does() {
    let cell = Cell::new("curves-upsampled");
    let points =
        |step: f64| [0.0, 0.8, 0.8, 0.0].into_iter().zip(0..).map(move |(x, i)| (step * f64::from(i), x, None, None));
    trajectory(&cell, "t.json", &points(1.0).collect::<Vec<_>>());
    assert_eq!(cell.json(&["check", "cell.toml", "t.json"], 0)["verdict"], "free");
    let upsampled = ["check", "cell.toml", "t.json", "--interpolation", "upsampled", "--ignore-velocity"];
    let answer = cell.json(&upsampled, 1);
    assert_eq!((&answer["verdict"], &answer["interpolation"]), (&"collision".into(), &"upsampled".into()));
    let least = cell.json(&[&upsampled[..], &["--min-distance"]].concat(), 1)["min_distance"].clone();
    // v1 = 0.8, v2 = -0.8 by hand: at the middle 0.8 + (v1 - v2)/8 = 1, and the wall is touched at 0.89.
    assert!((number(&least, "upper") + 0.11).abs() < 2e-3, "{least}");
    // Without times the controller makes some up, a period apart.
    trajectory(&cell, "untimed.json", &points(0.0).collect::<Vec<_>>());
    let message = cell.refusal(&["check", "cell.toml", "untimed.json", "--interpolation", "upsampled"]);
    assert!(message.contains("no times") && message.contains("--policy-frequency HZ"), "{message}");
    let timed = ["check", "cell.toml", "untimed.json", "--interpolation", "upsampled", "--policy-frequency"];
    let answer = cell.json(&[&timed[..], &["0.5", "--ignore-velocity"]].concat(), 1);
    assert!(answer["notes"].to_string().contains("one per period of its policy frequency, 0.5 Hz"), "{answer}");
    // The second point is reached at 4 s, and the largest swing at 5 s.
    assert!((3.9..5.1).contains(&number(&answer, "time")), "{answer}");
    for (hertz, part) in [("0", "is 0 Hz"), ("-1", "is -1 Hz"), ("nan", "is NaN Hz"), ("1e12", "not after the one")] {
        let message = cell.refusal(&[&timed[..], &[hertz]].concat());
        assert!(message.contains(part), "{message}");
    }
    let answer = cell.json(&[&upsampled[..], &["--policy-frequency", "30"]].concat(), 1);
    assert!(answer["notes"].to_string().contains("the policy frequency is not used"), "{answer}");
    let message = cell.refusal(&["check", "cell.toml", "t.json", "--policy-frequency", "30"]);
    assert!(message.contains("leave it out, or pass --interpolation upsampled"), "{message}");
    // One configuration is one.
    cell.write("one.csv", "slide\n0.5\n");
    assert_eq!(cell.json(&["check", "cell.toml", "one.csv", "--interpolation", "upsampled"], 0)["verdict"], "free");
}

#[test]
fn what_the_controller_does_not_upsample_is_refused() {
    let cell = Cell::new("curves-not-upsampled");
    let ask = |file: &str, more: &[&str]| {
        cell.refusal(&[&["check", "cell.toml", file, "--interpolation", "upsampled"], more].concat())
    };
    trajectory(&cell, "v.json", &[(0.0, 0.0, Some(0.0), None), (1.0, 0.5, Some(0.0), None)]);
    let message = ask("v.json", &[]);
    assert!(
        message.contains("upsamples positions alone") && message.contains("--interpolation controller"),
        "{message}"
    );
    trajectory(&cell, "a.json", &[(0.0, 0.0, None, None), (1.0, 0.5, None, Some(1.0))]);
    assert!(ask("a.json", &[]).contains("upsamples positions alone"));
    cell.write(
        "goal.json",
        "{\"goal\": {\"trajectory\": {\"joint_names\": [\"slide\"], \"points\": [{\"positions\": [0], \
         \"time_from_start\": 1}, {\"positions\": [0.5], \"time_from_start\": 2}]}}}",
    );
    assert!(ask("goal.json", &[]).contains("the goal of an action"));
    trajectory(&cell, "t.json", &[(1.0, 0.0, None, None), (2.0, 0.5, None, None)]);
    let message = ask("t.json", &["--from", "0.1;0.2"]);
    assert!(message.contains("versions of the controller differ"), "{message}");
    let at_rest = ["check", "cell.toml", "t.json", "--interpolation", "upsampled", "--from", "0.1;0"];
    let answer = cell.json(&at_rest, 0);
    assert!(answer["notes"].to_string().contains("segment 0 is what the controller runs from the current state"));
    assert!(!answer["notes"].to_string().contains("older versions"), "{answer}");
}

/// A parameter file of one controller, `arm`, with lines of its own.
fn controller(cell: &Cell, file: &str, lines: &str) {
    cell.write(file, &format!("arm:\n  ros__parameters:\n    joints: [slide]\n    {lines}\n"));
}

#[test]
fn the_parameters_of_the_controller_decide_what_runs() {
    let cell = Cell::new("curves-controller");
    controller(&cell, "plain.yaml", "constraints: {slide: {trajectory: 0.1}}");
    controller(&cell, "up.yaml", "positions_upsampling: {enable: true, policy_frequency: 0.5}");
    controller(&cell, "none.yaml", "interpolation_method: none");
    trajectory(&cell, "q.json", &[0.0, 0.8, 0.8, 0.0].map(|x| (0.0, x, None, None)));
    trajectory(&cell, "v.json", &[(0.0, 0.0, Some(1.8), None), (2.0, 0.0, Some(-1.8), None)]);
    let ask = |path: &str, file: &str, more: &[&'static str], status: i32| {
        let asked = ["check", "cell.toml", path, "--ignore-velocity", "--controller", file];
        cell.json(&[&asked[..], more].concat(), status)
    };
    let answer = ask("q.json", "up.yaml", &[], 1);
    assert_eq!((&answer["verdict"], &answer["interpolation"]), (&"collision".into(), &"upsampled".into()));
    for part in [
        "run by \\\"arm\\\" of ",
        "positions_upsampling on, policy_frequency 0.5 Hz",
        "published on the controller's topic",
    ] {
        assert!(answer["notes"].to_string().contains(part), "{part}: {answer}");
    }
    let answer = ask("q.json", "plain.yaml", &[], 0);
    for part in ["positions_upsampling off", "tolerances (slide 0.1) are not part of the proof"] {
        assert!(answer["notes"].to_string().contains(part), "{part}: {answer}");
    }
    let answer = ask("v.json", "up.yaml", &[], 1);
    assert_eq!((&answer["verdict"], &answer["interpolation"]), (&"collision".into(), &"controller".into()));
    assert!(answer["notes"].to_string().contains("leaves points with velocities"), "{answer}");
    let refused = |path: &str, file: &str, more: &[&'static str]| {
        cell.refusal(&[&["check", "cell.toml", path, "--controller", file], more].concat())
    };
    let message = refused("v.json", "none.yaml", &[]);
    assert!(message.contains("in steps") && message.contains("interpolation_method: splines"), "{message}");
    // Options may say the same, and no other.
    ask("v.json", "up.yaml", &["--interpolation", "controller"], 1);
    ask("q.json", "up.yaml", &["--interpolation", "upsampled", "--policy-frequency", "0.5"], 1);
    ask("q.json", "plain.yaml", &["--interpolation", "linear"], 0);
    for (path, file, more) in [
        ("v.json", "plain.yaml", &["--interpolation", "linear"][..]),
        ("v.json", "plain.yaml", &["--interpolation", "natural-cubic"]),
        ("q.json", "up.yaml", &["--interpolation", "linear"]),
        ("q.json", "up.yaml", &["--interpolation", "controller"]),
        ("q.json", "plain.yaml", &["--interpolation", "upsampled"]),
        ("q.json", "up.yaml", &["--policy-frequency", "30"]),
    ] {
        let message = refused(path, file, more);
        assert!(message.contains("contradicts \"arm\""), "{more:?}: {message}");
    }
    // Through the other doors, too.
    let view = ["view", "cell.toml", "q.json", "-o", "v.html", "--controller", "up.yaml"];
    assert!(cell.output(&view, 0).starts_with("collision"));
    cell.output(&["check", "cell.toml", "q.json", "--certificate", "q.ppc"], 0);
    let refused = cell.json(&["verify", "cell.toml", "q.json", "q.ppc", "--controller", "up.yaml"], 1);
    assert_eq!(refused["fault"], "other_path");
    cell.output(&["verify", "cell.toml", "q.json", "q.ppc", "--controller", "plain.yaml"], 0);
}

#[test]
fn the_controller_is_chosen_by_the_joints_that_move() {
    let cell = Cell::new("curves-controllers");
    let node = |name: &str, joint: &str, on: bool| {
        format!("{name}:\n  ros__parameters:\n    joints: [{joint}]\n    positions_upsampling.enable: {on}\n")
    };
    trajectory(&cell, "t.json", &[0.0, 1.0, 2.0, 3.0].map(|t| (t, if t % 3.0 == 0.0 { 0.0 } else { 0.8 }, None, None)));
    let verdict = |text: String, more: &[&'static str], status: i32| {
        cell.write("c.yaml", &text);
        let asked = ["check", "cell.toml", "t.json", "--ignore-velocity", "--controller", "c.yaml"];
        cell.json(&[&asked[..], more].concat(), status)["interpolation"].clone()
    };
    let refusal = |text: String, more: &[&'static str]| {
        cell.write("c.yaml", &text);
        cell.refusal(&[&["check", "cell.toml", "t.json", "--controller", "c.yaml"], more].concat())
    };
    assert_eq!(verdict(node("arm", "slide", true) + &node("hand", "finger", false), &[], 1), "upsampled");
    assert_eq!(verdict(node("r/arm", "slide", true), &[], 1), "upsampled");
    let both = || node("arm", "slide", true) + &node("other", "slide", false);
    let message = refusal(both(), &[]);
    assert!(message.contains("run differently") && message.contains("--controller-name"), "{message}");
    assert_eq!(verdict(both(), &["--controller-name", "arm"], 1), "upsampled");
    verdict(both(), &["--controller-name", "other"], 0);
    assert!(refusal(both(), &["--controller-name", "leg"]).contains("no controller \"leg\""));
    let message = refusal(node("hand", "finger", true), &[]);
    assert!(message.contains("moves \"r/slide\", which no controller of it commands"), "{message}");
    let message = cell.refusal(&["check", "cell.toml", "t.json", "--controller-name", "arm"]);
    assert!(message.contains("--controller"), "{message}");
    cell.write(
        "p.json",
        "{\"joint_names\": [\"slide\"], \"basis\": \"power\", \"knots\": [0, 1], \"pieces\": [[[0, 0.1]]]}",
    );
    assert!(cell.refusal(&["check", "cell.toml", "p.json", "--controller", "c.yaml"]).contains("states polynomials"));
}

/// The second verifier knows straight lines only. A curve is outside its scope, also where the header says otherwise.
#[test]
fn the_second_verifier_takes_no_curve_for_lines() {
    let python = |arguments: &[&str]| std::process::Command::new("python3").args(arguments).output();
    let is_new = python(&["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]);
    if !is_new.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: there is no Python 3.11 or newer");
        return;
    }
    let cell = Cell::new("curves-second-verifier");
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../verifier2/verify.py");
    let second = |path: &str, proof: &str| {
        let [scene, path, proof] = ["cell.toml", path, proof].map(|name| cell.folder.join(name).display().to_string());
        let output = python(&["-B", program, &scene, &path, &proof]).expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    trajectory(&cell, "t.json", &[(0.0, 0.0, Some(0.9), None), (2.0, 0.0, Some(-0.9), None)]);
    cell.output(&["check", "cell.toml", "t.json", "--certificate", "curve.ppc"], 0);
    cell.path("lines.csv", &[0.0, 0.0]);
    cell.output(&["check", "cell.toml", "lines.csv", "--certificate", "lines.ppc"], 0);
    assert_eq!(second("lines.csv", "lines.ppc").0, Some(0));
    let (status, text) = second("lines.csv", "curve.ppc");
    assert!(status == Some(2) && text.contains("outside the scope"), "{text}");
    // The curve's header says lines, and the sum is right.
    let bytes = std::fs::read(cell.folder.join("curve.ppc")).expect("a certificate");
    let stated = b"\x0acontroller";
    let place = bytes.windows(stated.len()).position(|part| part == stated).expect("it names its curve");
    let body = [&bytes[..place], b"\x05lines", &bytes[place + stated.len()..bytes.len() - 8]].concat();
    let sum = pathproof::numeric::Sha256::of(&body);
    std::fs::write(cell.folder.join("forged.ppc"), [&body[..], &sum[..8]].concat()).expect("it is written");
    let (status, text) = second("lines.csv", "forged.ppc");
    assert!(status.is_some_and(|status| status != 0) && !text.contains("accepted"), "{text}");
    for path in ["lines.csv", "t.json"] {
        let output = cell.run(&["verify", "cell.toml", path, "forged.ppc"]);
        assert!(!output.status.success() && !output.stdout.starts_with(b"accepted"), "{path}");
    }
}
