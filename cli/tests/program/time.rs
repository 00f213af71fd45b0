//! `pathproof time`: trajectories that read back as they were proven, within limits that are known by hand.

use serde_json::Value;

use crate::cell::Cell;

/// A second slide that holds a ball, so that paths have corners.
const PLANE: &str = "<robot name='r'><link name='rail'/><link name='cart'/>
    <link name='ball'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
    <joint name='x' type='prismatic'><parent link='rail'/><child link='cart'/><axis xyz='1 0 0'/>
    <limit lower='-1' upper='2' effort='1' velocity='1'/></joint>
    <joint name='y' type='prismatic'><parent link='cart'/><child link='ball'/><axis xyz='0 1 0'/>
    <limit lower='-1' upper='2' effort='1' velocity='0.5'/></joint></robot>";

fn plane(test: &str) -> Cell {
    let cell = Cell::new(test);
    cell.write("r.urdf", PLANE);
    cell.write("p.csv", "x,y\n-0.4,0\n0.8,0\n0.8,0.9\n0,0.9\n");
    cell
}

const TIME: [&str; 6] = ["time", "cell.toml", "p.csv", "--acceleration", "4", "-o"];

fn number(answer: &Value, field: &str) -> f64 {
    answer[field].as_f64().unwrap_or_else(|| panic!("{field} in {answer}"))
}

/// The table that `time` writes could not be read back: its velocities were unknown joints.
#[test]
fn a_table_with_velocities_is_the_same_trajectory_as_a_message() {
    let cell = plane("time-table");
    for file in ["t.csv", "t.yaml"] {
        cell.json(&[&TIME[..], &[file]].concat(), 0);
    }
    let answer = |file: &str| cell.json(&["check", "cell.toml", file, "--min-distance"], 0);
    let (table, message) = (answer("t.csv"), answer("t.yaml"));
    assert_eq!((&table["interpolation"], &table["proven"]), (&message["interpolation"], &message["proven"]));
    assert_eq!(table["min_distance"], message["min_distance"]);
    let refused = |header: &str, row: &str| {
        cell.write("bad.csv", &format!("{header}\n{row}\n{row}\n"));
        cell.refusal(&["check", "cell.toml", "bad.csv"])
    };
    let message = refused("time,x,y,x_velocity", "0,0,0,0");
    assert!(message.contains("line 1") && message.contains("\"r/y\" has no column _velocity"), "{message}");
    let message = refused("x,y,x_velocity,y_velocity", "0,0,0,0");
    assert!(message.contains("no times") && message.contains("a column `time`"), "{message}");
    let message = refused("time,x,y,x_speed", "0,0,0,0");
    assert!(message.contains("no joint is called \"x_speed\"") || message.contains("x_speed"), "{message}");
}

#[test]
fn what_is_written_is_free_as_it_is_read_and_has_a_proof() {
    for (file, message) in [
        ("t.yaml", "joint-trajectory"),
        ("t.json", "joint-trajectory"),
        ("t.yaml", "robot-trajectory"),
        ("t.json", "robot-trajectory"),
        ("t.yaml", "follow-joint-trajectory"),
        ("t.json", "follow-joint-trajectory"),
    ] {
        let cell = plane("time-formats");
        let answer = cell.json(&[&TIME[..], &[file, "--message", message, "--certificate", "p.ppc"]].concat(), 0);
        assert_eq!((&answer["proven"], &answer["corners"], &answer["stops"]), (&true.into(), &2.into(), &0.into()));
        assert!(number(&answer, "duration") > 3.5 && number(&answer, "corner_deviation") > 0.01, "{answer}");
        let checked = cell.json(&["check", "cell.toml", file, "--strict", "--ignore-velocity"], 0);
        assert_eq!((&checked["verdict"], &checked["interpolation"]), (&"free".into(), &"controller".into()));
        let accepted = cell.json(&["verify", "cell.toml", file, "p.ppc"], 0);
        assert_eq!((&accepted["accepted"], &accepted["interpolation"]), (&true.into(), &"controller".into()));
        // No joint is faster than the URDF allows.
        let checked = cell.json(&["check", "cell.toml", file], 0);
        assert_eq!(checked["warnings"], serde_json::json!([]), "{checked}");
    }
}

#[test]
fn a_single_line_takes_the_time_of_the_closed_form() {
    let cell = Cell::new("time-line");
    cell.path("p.csv", &[0.0, 0.8]);
    let answer = cell.json(&[&TIME[..], &["t.yaml"]].concat(), 0);
    // A quarter of a second up to 1 m/s and down, 0.55 s in between.
    let duration = number(&answer, "duration");
    assert!((1.05..1.053).contains(&duration), "{duration}");
    let answer =
        cell.json(&[&TIME[..], &["t.yaml", "--velocity-scale", "0.5", "--acceleration-scale", "0.25"]].concat(), 0);
    let duration = number(&answer, "duration");
    assert!((2.1..2.106).contains(&duration), "{duration}");
}

#[test]
fn limits_come_from_moveits_file_and_missing_ones_name_joint_and_remedy() {
    let cell = plane("time-limits");
    let ask = |more: &[&'static str]| [&["time", "cell.toml", "p.csv", "-o", "t.yaml"], more].concat();
    let message = cell.refusal(&ask(&[]));
    for part in ["\"r/x\" has no acceleration limit", "--acceleration x=A", "--limits"] {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    cell.write("l.yaml", "joint_limits:\n  x:\n    max_acceleration: 4\n  y:\n    max_velocity: 0.25\n");
    let message = cell.refusal(&ask(&["--limits", "l.yaml"]));
    assert!(message.contains("\"r/y\" has no acceleration limit") && message.contains("add it to l.yaml"), "{message}");
    let both = cell.json(&ask(&["--limits", "l.yaml", "--acceleration", "y=4"]), 0);
    let all = cell.json(&ask(&["--acceleration", "4"]), 0);
    assert!(number(&both, "duration") > number(&all, "duration") + 1.0, "{both} {all}");
    let scaled = "default_velocity_scaling_factor: 0.1\njoint_limits: {}\n";
    cell.write("slow.yaml", scaled);
    let slow = cell.json(&ask(&["--limits", "slow.yaml", "--acceleration", "4"]), 0);
    assert!(number(&slow, "duration") > 9.0 * number(&all, "duration"), "{slow}");
    assert!(slow["notes"].to_string().contains("scales limits by 0.1"), "{slow}");
    for (more, part) in [
        (&["--acceleration", "0"][..], "positive"),
        (&["--acceleration", "z=1"], "no joint \"z\""),
        (&["--acceleration", "4", "--velocity-scale", "2"], "at most 1"),
        (&["--acceleration", "4", "--corner", "-1"], "-1"),
    ] {
        let message = cell.refusal(&ask(more));
        assert!(message.contains(part), "{more:?}: {message}");
    }
}

#[test]
fn corners_are_as_tight_as_asked_and_zero_stops() {
    let cell = plane("time-corners");
    let ask = |corner: &'static str| cell.json(&[&TIME[..], &["t.yaml", "--corner", corner]].concat(), 0);
    let (tight, stops) = (ask("0.005"), ask("0"));
    assert!(number(&tight, "corner_deviation") <= 0.005 && tight["stops"] == 0, "{tight}");
    assert!(stops["stops"] == 2 && number(&stops, "duration") > number(&tight, "duration"), "{stops}");
}

#[test]
fn a_path_that_is_not_free_is_not_timed() {
    let cell = Cell::new("time-wall");
    cell.path("p.csv", &[0.0, 1.5]);
    let text = cell.output(&[&TIME[..], &["t.yaml"]].concat(), 1);
    assert!(text.starts_with("not timed: the path is not proven free: collision: r/ball and wall"), "{text}");
    assert!(!cell.folder.join("t.yaml").exists());
}

#[test]
fn a_robot_that_moves_starts_from_its_velocity_and_check_agrees() {
    let cell = plane("time-from");
    let from = "-0.4,0;0.5,0.1";
    let answer = cell.json(&[&TIME[..], &["t.yaml", "--from", from]].concat(), 0);
    assert_eq!(answer["proven"], true);
    let checked = cell.json(&["check", "cell.toml", "t.yaml", "--from", from], 0);
    assert_eq!((&checked["verdict"], &checked["warnings"]), (&"free".into(), &serde_json::json!([])));
    // It cannot come to rest before the wall.
    let message = cell.run(&[&TIME[..], &["t.yaml", "--from", "0.8,0;0.9,0"]].concat());
    assert_eq!(message.status.code(), Some(1));
}
