//! `pathproof distance` as a user runs it: the program itself, its output and its exit status.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pathproof"))
        .arg("distance")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

/// The one JSON object that the arguments are answered with.
fn answer(arguments: &[&str]) -> Value {
    let lines = answers(arguments);
    assert_eq!(lines.len(), 1, "{arguments:?}");
    lines[0].clone()
}

fn answers(arguments: &[&str]) -> Vec<Value> {
    let output = run(&[arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).expect("the output is UTF-8");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*message), (Some(0), ""), "{arguments:?}");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// The message that the arguments are refused with.
fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    let message = String::from_utf8(output.stderr).expect("the message is UTF-8");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert!(!message.contains("panicked"), "{message}");
    message
}

fn number(answer: &Value, field: &str) -> f64 {
    answer[field].as_f64().unwrap_or_else(|| panic!("{field} is no number in {answer}"))
}

/// Asserts that the bounds hold `expected` and are no further apart than rounding.
fn assert_distance(arguments: &[&str], expected: f64) {
    let answer = answer(arguments);
    let (lower, upper) = (number(&answer, "lower"), number(&answer, "upper"));
    assert!(lower <= expected && expected <= upper, "{arguments:?}: {expected} not in [{lower}, {upper}]");
    assert!(upper - lower < 1e-10, "{arguments:?}: [{lower}, {upper}]");
    assert_eq!(number(&answer, "distance"), upper, "distance is upper, rounded in no way");
}

/// A file in a folder of the test's own.
fn file(test: &str, name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    fs::write(&path, text).expect("a file for the test");
    path
}

/// An axis-aligned cube of edge length 2 · `half` as OBJ text.
fn cube(half: f64) -> String {
    let mut text = String::new();
    for i in 0..8 {
        let side = |bit: u32| if i >> bit & 1 == 1 { half } else { -half };
        text += &format!("v {} {} {}\n", side(0), side(1), side(2));
    }
    text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

#[test]
fn distances_of_primitives_match_closed_forms() {
    assert_distance(&["box:1,1,1", "sphere:0.5", "--b-pose", "2,0,0,0,0,0"], 1.0);
    assert_distance(&["box:1,1,1", "box:2,2,2", "--b-pose", "4.5,0,0,0,0,0"], 3.0);
    // Corner to corner: 1 m along each axis.
    assert_distance(&["box:1,1,1", "box:1,1,1", "--b-pose", "2,2,2,0,0,0"], 3f64.sqrt());
    // An edge turned towards the other box by 45°.
    let turned = ["box:1,1,1", "box:1,1,1", "--b-pose", "2,0,0,0,0,0.7853981633974483"];
    assert_distance(&turned, 1.5 - 0.5f64.sqrt());
    assert_distance(&["sphere:1", "sphere:2", "--a-pose", "-2,0,0,0,0,0", "--b-pose", "2,0,3,0,0,0"], 2.0);
    // Capsules along z, one of them turned into x: radii off the distance of their axes.
    let capsules = ["capsule:0.25,2", "capsule:0.5,4", "--b-pose", "0,3,0,0,1.5707963267948966,0"];
    assert_distance(&capsules, 2.25);
    assert_distance(&["cylinder:0.5,2", "sphere:0.25", "--b-pose", "0,0,2,0,0,0"], 0.75);
    assert_distance(&["cone:0.5,2", "sphere:0.25", "--b-pose", "0,0,3,0,0,0"], 1.75);
}

#[test]
fn gjk_is_signed_and_agrees_with_the_tree_where_bodies_are_apart() {
    let apart = ["box:1,2,3", "cone:0.5,1", "--b-pose", "2,-1.5,3,0.4,-0.3,0.2"];
    let (tree, gjk) = (answer(&apart), answer(&[&apart[..], &["--method", "gjk"]].concat()));
    assert!((number(&tree, "upper") - number(&gjk, "upper")).abs() < 1e-10, "{tree} {gjk}");
    assert!(number(&tree, "lower") <= number(&gjk, "upper") && number(&gjk, "lower") <= number(&tree, "upper"));
    assert_distance(&["box:1,1,1", "box:1,1,1", "--b-pose", "-0.75,0,0,0,0,0", "--method", "gjk"], -0.25);
    // Broke once: by default the distance was 0 and the points, of which none was in both bodies, far apart.
    assert_distance(&["box:1,1,1", "box:1,1,1", "--b-pose", "-0.75,0,0,0,0,0"], -0.25);
    for bodies in [["box:2,2,2", "sphere:1"], ["cylinder:0.2,1", "cone:1,0.5"], ["capsule:1,1", "capsule:1,1"]] {
        let pose = ["--b-pose", "0.3,0.1,-0.2,0,0,0"];
        let deep = answer(&[&bodies[..], &pose, &["--method", "gjk"]].concat());
        let by_default = answer(&[&bodies[..], &pose].concat());
        for field in ["lower", "upper", "points"] {
            assert_eq!(by_default[field], deep[field], "{field}: {by_default}");
        }
    }
    assert_distance(&["sphere:1", "sphere:1", "--b-pose", "0,1.5,0,0,0,0", "--method", "gjk"], -0.5);
}

#[test]
fn greedy_never_exceeds_the_distance_and_is_0_up_to_delta() {
    let bodies = ["sphere:0.5", "box:1,1,1", "--b-pose", "1.5,1.25,0,0,0,0", "--method", "greedy"];
    // From the sphere's centre to the edge: 1 and 0.75 m.
    let distance = 1.25 - 0.5;
    let lower = number(&answer(&bodies), "lower");
    assert!(0.0 < lower && lower <= distance, "{lower}");
    let above = number(&answer(&[&bodies[..], &["--delta", "0.7"]].concat()), "lower");
    assert!(0.7 < above && above <= distance, "{above}");
    assert_eq!(number(&answer(&[&bodies[..], &["--delta", "0.76"]].concat()), "lower"), 0.0);
}

#[test]
fn meshes_are_answered_for_with_witness_points_and_triangles() {
    let mesh = file("meshes", "cube.obj", &cube(0.5));
    let mesh = mesh.to_str().expect("a UTF-8 path");
    let far = answer(&[mesh, mesh, "--b-pose", "0,0,-3,0,0,0"]);
    assert!((number(&far, "distance") - 2.0).abs() < 1e-12, "{far}");
    let height = |i: usize| far["points"][i][2].as_f64().expect("a coordinate");
    assert_eq!((height(0), height(1)), (-0.5, -2.5));
    assert!(far["primitives"][0].as_u64().is_some_and(|triangle| triangle < 12), "{far}");
    assert_distance(&[mesh, "box:1,1,1", "--b-pose", "0,3,0,0,0,0"], 2.0);
    let hull = format!("hull:{mesh}");
    assert_distance(&[&hull, &hull, "--b-pose", "0,0.5,0,0,0,0", "--method", "gjk"], -0.5);

    let text = String::from_utf8(run(&[mesh, "sphere:1", "--b-pose", "5,0,0,0,0,0"]).stdout).expect("UTF-8");
    for expected in ["OBJ: 12 triangles", "1 closed (solid)", "lower", "upper", "triangle", "volume pairs"] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
}

#[test]
fn where_a_mesh_is_in_contact_the_points_are_one_of_both_bodies() {
    let mesh = file("contact", "cube.obj", &cube(0.5));
    let mesh = mesh.to_str().expect("a UTF-8 path");
    for method in ["tree", "greedy"] {
        let found = answer(&[mesh, "sphere:0.4", "--b-pose", "0.7,0,0,0,0,0", "--method", method]);
        assert_eq!((number(&found, "lower"), number(&found, "upper")), (0.0, 0.0), "{found}");
        assert_eq!(found["points"][0], found["points"][1], "{found}");
        let place: Vec<f64> =
            found["points"][0].as_array().expect("a point").iter().map(|c| c.as_f64().expect("a coordinate")).collect();
        let from_centre = (place[0] - 0.7).hypot(place[1]).hypot(place[2]);
        assert!((place[0] - 0.5).abs() < 1e-9 && from_centre < 0.4 + 1e-9, "{found}");
    }
}

/// Broke once: only the text told that a mesh is open, as a count of its components.
#[test]
fn bodies_that_are_surfaces_are_named_with_their_open_edges() {
    let open = file("open", "open.obj", &cube(2.0).replace("f 2 4 8 6\n", ""));
    let (open, ball) = (open.to_str().expect("UTF-8"), ["sphere:0.5", "--b-pose", "9,0,0,0,0,0"]);
    let told = format!("surfaces, not solids: {open} (4 open edges); what is wholly inside them is not found");
    assert_eq!(answer(&[&[open], &ball[..]].concat())["warnings"][0], told);
    assert_eq!(answer(&[open, open, "--b-pose", "9,0,0,0,0,0"])["warnings"][0], told);
    let text = String::from_utf8(run(&[&[open], &ball[..]].concat()).stdout).expect("UTF-8");
    assert_eq!(text.matches(&told).count(), 1, "{text}");
    let closed = file("open", "closed.obj", &cube(2.0));
    let warnings = answer(&[&[closed.to_str().expect("UTF-8")], &ball[..]].concat())["warnings"].to_string();
    assert!(!warnings.contains("surfaces"), "{warnings}");
    let rows = file("open", "rows.csv", "x,y,z,r,p,y\n9,0,0,0,0,0\n8,0,0,0,0,0\n");
    let rows = run(&[open, "sphere:0.5", "--trajectory", rows.to_str().expect("UTF-8")]);
    assert!(String::from_utf8_lossy(&rows.stderr).contains(&told), "{rows:?}");
}

#[test]
fn a_body_wholly_inside_a_solid_one_is_at_distance_0_but_inside_an_open_one_it_is_not() {
    let mesh = file("inside", "cube.obj", &cube(2.0));
    for arguments in [vec![], vec!["--method", "greedy"]] {
        let inside = answer(&[&[mesh.to_str().expect("UTF-8"), "sphere:0.5"], &arguments[..]].concat());
        assert_eq!((number(&inside, "lower"), number(&inside, "upper")), (0.0, 0.0), "{inside}");
        assert_eq!(inside["inside"], true);
        assert!(inside["warnings"].to_string().contains("inside a solid"), "{inside}");
    }
    let swapped = answer(&["sphere:0.5", mesh.to_str().expect("UTF-8")]);
    assert_eq!(swapped["inside"], true);

    let without_lid = cube(2.0).replace("f 2 4 8 6\n", "");
    let open = file("inside", "open.obj", &without_lid);
    assert_distance(&[open.to_str().expect("UTF-8"), "sphere:0.5"], 1.5);
}

#[test]
fn what_reading_dropped_is_said_in_json_and_in_text() {
    let doubled = cube(0.5) + "f 2 4 8 6\n";
    let mesh = file("dropped", "doubled.obj", &doubled);
    let arguments = [mesh.to_str().expect("UTF-8"), "sphere:1", "--b-pose", "5,0,0,0,0,0"];
    let warnings = answer(&arguments)["warnings"].to_string();
    assert!(warnings.contains("2 triangles dropped"), "{warnings}");
    assert!(String::from_utf8_lossy(&run(&arguments).stdout).contains("2 triangles dropped"));
}

#[test]
fn a_trajectory_gets_an_answer_a_row_whatever_the_method() {
    let rows = "x, y, z, r, p, y\n-2,0,0,0,0,0\n3,0,0,0,0,1.5707963267948966\n-1,0,0,0,0,0\n0.25,0,0,0,0,0\n";
    let path = file("trajectory", "poses.csv", rows);
    let path = path.to_str().expect("UTF-8");
    let bodies = ["box:1,1,1", "sphere:0.25", "--trajectory", path];
    for (method, last) in [("tree", -0.5), ("gjk", -0.5)] {
        let lines = answers(&[&bodies[..], &["--method", method]].concat());
        assert_eq!(lines.len(), 4);
        for (row, (line, expected)) in lines.iter().zip([1.25, 2.25, 0.25, last]).enumerate() {
            assert_eq!(line["row"], row);
            assert!((number(line, "upper") - expected).abs() < 1e-12, "{method} {line}");
            assert!(number(line, "lower") <= expected);
        }
    }
    let text = String::from_utf8(run(&bodies).stdout).expect("UTF-8");
    assert_eq!(text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count(), 4, "{text}");
}

#[test]
fn the_json_object_has_the_fields_it_promises_and_the_same_bytes_every_time() {
    let arguments = ["cylinder:0.5,1", "capsule:0.1,1", "--b-pose", "-1,-2,3,0.1,0.2,0.3", "--json"];
    let (first, second) = (run(&arguments), run(&arguments));
    assert_eq!(first.stdout, second.stdout);
    let answer: Value = serde_json::from_slice(&first.stdout).expect("JSON");
    assert_eq!((&answer["schema"], &answer["method"]), (&Value::from(1), &Value::from("tree")));
    for field in ["lower", "upper", "distance", "points", "counters", "warnings"] {
        assert!(answer.get(field).is_some_and(|value| !value.is_null()), "{field}");
    }
    assert_eq!(answer["points"].as_array().map(Vec::len), Some(2));
}

#[test]
fn wrong_input_is_refused_with_status_2_and_a_message_that_names_it() {
    let cube_file = file("refused", "cube.obj", &cube(0.5));
    let cube_file = cube_file.to_str().expect("UTF-8");
    let text = file("refused", "text.stl", "this is no mesh");
    let nan = file("refused", "nan.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n");
    let [text, nan] = [&text, &nan].map(|path| path.to_str().expect("UTF-8"));
    let cases: [(&[&str], &str); 18] = [
        (&["missing.stl", "sphere:1"], "missing.stl"),
        (&[text, "sphere:1"], "text.stl"),
        (&[nan, "sphere:1"], "line 2"),
        (&["hull:", "sphere:1"], "hull:FILE"),
        (&["cube:1,1,1", "sphere:1"], "box:x,y,z"),
        (&["box:1,1", "sphere:1"], "2 numbers"),
        (&["box:1,nan,1", "sphere:1"], "not a finite number"),
        (&["box:1,inf,1", "sphere:1"], "not a finite number"),
        (&["box:1,0,1", "sphere:1"], "greater than 0"),
        (&["sphere:-1", "sphere:1"], "greater than 0"),
        (&["sphere:1e300", "sphere:1"], "1e12"),
        (&["sphere:1", "sphere:1", "--a-pose", "1,2,3"], "--a-pose"),
        (&["sphere:1", "sphere:1", "--b-pose", "-1,2,3,x,0,0"], "\"x\" is not a number"),
        (&["sphere:1", "sphere:1", "--b-pose", "NaN,0,0,0,0,0"], "not a finite number"),
        (&["sphere:1", "sphere:1", "--b-pose", "1e13,0,0,0,0,0"], "1e12"),
        (&["sphere:1", "sphere:1", "--method", "greedy", "--delta", "-1"], "--delta"),
        (&["sphere:1", "sphere:1", "--delta", "1"], "greedy only"),
        (&[cube_file, "sphere:1", "--method", "gjk"], "hull:"),
    ];
    for (arguments, expected) in cases {
        let message = refusal(arguments);
        assert!(message.contains(expected), "{arguments:?}: {expected:?} is not in {message}");
        assert_eq!(message.trim_end().lines().count(), 1, "one message: {message}");
    }
    // Usage: the parser's own messages.
    for arguments in [&["sphere:1"][..], &[], &["sphere:1", "sphere:1", "--nonsense"]] {
        refusal(arguments);
    }
    refusal(&["sphere:1", "sphere:1", "--b-pose", "0,0,0,0,0,0", "--trajectory", "poses.csv"]);
}

#[test]
fn a_bad_trajectory_is_refused_before_anything_is_written() {
    let cases = [
        ("header", "x,y,z,qx,qy,qz\n0,0,0,0,0,0\n", "line 1"),
        ("short", "x,y,z,r,p,y\n0,0,0,0,0,0\n0,0,0\n", "line 3"),
        ("nan", "x,y,z,r,p,y\n0,0,0,0,0,0\n\n0,nan,0,0,0,0\n", "line 4"),
        ("empty", "x,y,z,r,p,y\n", "no pose"),
        ("nothing", "", "line 1"),
    ];
    for (name, text, expected) in cases {
        let path = file("bad-trajectory", &format!("{name}.csv"), text);
        let path = path.to_str().expect("UTF-8");
        let message = refusal(&["sphere:1", "sphere:1", "--trajectory", path]);
        assert!(message.contains(expected) && message.contains(path), "{name}: {message}");
    }
    assert!(refusal(&["sphere:1", "sphere:1", "--trajectory", "missing.csv"]).contains("missing.csv"));
}
