//! `pathproof distance` over convex pieces as a user runs it: tree, mindist and sopa, groups, folders and decompositions.

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

fn answers(arguments: &[&str]) -> Vec<Value> {
    let output = run(&[arguments, &["--json"]].concat());
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*message), (Some(0), ""), "{arguments:?}");
    let text = String::from_utf8(output.stdout).expect("the output is UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn answer(arguments: &[&str]) -> Value {
    let lines = answers(arguments);
    assert_eq!(lines.len(), 1, "{arguments:?}");
    lines[0].clone()
}

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

fn file(test: &str, name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pieces").join(test).join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the test");
    fs::write(&path, text).expect("a file for the test");
    path.to_str().expect("a UTF-8 path").to_owned()
}

/// A box as OBJ text, its vertices counted from `before` + 1.
fn cuboid(name: &str, low: [f64; 3], high: [f64; 3], before: usize) -> String {
    let mut text = format!("o {name}\n");
    for i in 0..8 {
        let side = |k: usize| if i >> k & 1 == 1 { high[k] } else { low[k] };
        text += &format!("v {} {} {}\n", side(0), side(1), side(2));
    }
    for face in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        text += &format!("f {}\n", face.map(|v: usize| (v + before).to_string()).join(" "));
    }
    text
}

/// A grip with two tines that point down.
fn fork(test: &str) -> String {
    let text = cuboid("grip", [0.0, 0.0, 1.0], [3.0, 1.0, 2.0], 0)
        + &cuboid("left", [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 8)
        + &cuboid("right", [2.0, 0.0, 0.0], [3.0, 1.0, 1.0], 16);
    file(test, "fork.obj", &text)
}

#[test]
fn all_methods_agree_on_groups_and_name_the_pieces() {
    let fork = fork("agree");
    // A post between the tines, nearer to the right one.
    let post = ["box:0.5,0.5,1", "--a-pose", "0,0,0,0,0,0", "--b-pose", "1.6,0.5,0.25,0,0,0"];
    for (method, pieces) in [("tree", "groups"), ("mindist", "groups"), ("sopa", "groups"), ("tree", "decompose")] {
        let arguments = [&[fork.as_str()], &post[..], &["--method", method, "--pieces", pieces]].concat();
        let found = answer(&arguments);
        assert!((number(&found, "upper") - 0.15).abs() < 1e-9, "{method}: {found}");
        assert_eq!(found["pieces"][0], "right", "{method}: {found}");
        assert_eq!(found["pieces"][1], "box:0.5,0.5,1");
        if method == "sopa" {
            assert!(found["lower"].is_null(), "a heuristic proves nothing from below: {found}");
            assert!(found["warnings"].to_string().contains("heuristic"), "{found}");
        } else {
            let lower = number(&found, "lower");
            assert!(lower <= 0.15 && lower > 0.15 - 1e-9, "{found}");
        }
    }
    // Groups are what mindist and sopa take by default; the whole mesh is what tree takes.
    let by_default = answer(&[&[fork.as_str()], &post[..], &["--method", "mindist"]].concat());
    assert_eq!(by_default["pieces"][0], "right");
    assert!(answer(&[&[fork.as_str()], &post[..]].concat()).get("pieces").is_none());
}

/// Broke once: the reversed inner shell became a solid piece, and what was in the cavity was 0.6 m deep in it.
#[test]
fn a_cavity_is_refused_as_a_piece_and_kept_without_pieces() {
    let outer = cuboid("wall", [-0.5; 3], [0.5; 3], 0);
    // Seen from outside its faces run the other way.
    let inner = cuboid("cavity", [-0.3; 3], [0.3; 3], 8).replace("f ", "r ");
    let inner: String = inner
        .lines()
        .map(|line| match line.strip_prefix("r ") {
            Some(face) => format!("f {}\n", face.split(' ').rev().collect::<Vec<_>>().join(" ")),
            None => format!("{line}\n"),
        })
        .collect();
    let groups = file("cavity", "groups.obj", &(outer.clone() + &inner));
    let one = file("cavity", "one.obj", &(outer + &inner).replace("o cavity\n", ""));
    let ball = ["sphere:0.1", "--b-pose", "0,0,0,0,0,0"];
    for mesh in [&groups, &one] {
        let whole = answer(&[&[mesh.as_str()], &ball[..]].concat());
        assert!((number(&whole, "upper") - 0.2).abs() < 1e-9 && whole["inside"] == false, "{whole}");
        for method in [&["--pieces", "groups"][..], &["--method", "mindist"], &["--method", "sopa"]] {
            let message = refusal(&[&[mesh.as_str(), "box:0.1,0.1,0.1"], method].concat());
            for part in [mesh.as_str(), "inside out", "cavity", "leave --pieces out"] {
                assert!(message.contains(part), "{part:?} is not in {message}");
            }
        }
    }
}

#[test]
fn overlapping_pieces_have_a_negative_distance_in_every_method() {
    let fork = fork("overlap");
    for method in ["tree", "mindist", "sopa"] {
        let bar = ["box:5,1,1", "--b-pose", "1.5,0.5,-0.4,0,0,0", "--method", method, "--pieces", "groups"];
        let found = answer(&[&[fork.as_str()], &bar[..]].concat());
        assert!((number(&found, "upper") + 0.1).abs() < 1e-9, "{method}: {found}");
        let height = |i: usize| found["points"][i][2].as_f64().expect("a coordinate");
        assert!((height(1) - height(0) - 0.1).abs() < 1e-9, "the points are the deepest: {found}");
    }
}

#[test]
fn a_trajectory_is_answered_in_csv_and_nothing_else_with_all_local_minima_on_request() {
    let fork = fork("trajectory");
    let bar = file("trajectory", "bar.obj", &cuboid("bar", [-1.0, 0.0, -1.0], [4.0, 1.0, 0.0], 0));
    let poses = file("trajectory", "poses.csv", "x,y,z,r,p,y\n0,0,-0.1,0,0.01,0\n0,0,-0.05,0,0.01,0\n0,0,0.05,0,0,0\n");
    let read = |extra: &[&str]| {
        let output = run(&[&[fork.as_str(), &bar, "--trajectory", &poses], extra].concat());
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let lines: Vec<Vec<String>> = text
            .lines()
            .map(|line| {
                // The remark, last, may hold commas in quotes.
                let (plain, _) = line.split_once(",\"").unwrap_or((line, ""));
                plain.split(',').map(str::to_owned).collect()
            })
            .collect();
        (lines, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for method in ["tree", "mindist", "sopa"] {
        let (lines, message) = read(&["--method", method, "--pieces", "groups"]);
        assert_eq!(lines.len(), 4, "{method}");
        assert_eq!(lines[0][..3], ["row", "lower", "upper"]);
        let column = lines[0].iter().position(|name| name == "piece_a").expect("a column");
        for (row, (line, expected)) in lines[1..].iter().zip([0.099995, 0.049998, -0.05]).enumerate() {
            assert_eq!(line[0], row.to_string());
            let upper: f64 = line[2].parse().expect("a number");
            assert!((upper - expected).abs() < 1e-6, "{method}: {line:?}");
            assert_eq!(line[1].is_empty(), method == "sopa");
            assert!(["left", "right"].contains(&line[column].as_str()), "{line:?}");
        }
        assert!(message.contains("3 convex pieces of 3 groups, 18 faces"), "what was read is said: {message}");
    }
    let (lines, _) = read(&["--method", "sopa", "--minima", "--spacing", "0.2"]);
    let (minimum, piece) = (1, lines[0].iter().position(|name| name == "piece_a").expect("a column"));
    let of_first: Vec<&Vec<String>> = lines[1..].iter().filter(|line| line[0] == "0").collect();
    assert!(of_first.len() > 1 && of_first[1][minimum] == "1");
    for tine in ["left", "right"] {
        assert!(of_first.iter().any(|line| line[piece] == tine), "{tine} approaches the bar too");
    }
    let json = answers(&[&fork, &bar, "--trajectory", &poses, "--method", "sopa", "--minima", "--spacing", "0.2"]);
    let minima = json[0]["minima"].as_array().expect("minima");
    assert_eq!(minima.len(), of_first.len());
    assert!(minima.iter().all(|m| number(m, "lower") <= number(m, "node_distance") + 1e-9));
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_other_starts() {
    let fork = fork("seed");
    let with = |seed: &str| {
        let starts = ["--method", "sopa", "--starts", "2", "--spacing", "0.4", "--minima", "--seed", seed, "--json"];
        run(&[&[fork.as_str(), &fork, "--b-pose", "0,0,3,0.1,0.2,0.3"], &starts[..]].concat()).stdout
    };
    assert_eq!(with("1"), with("1"));
    assert!((2..8).any(|seed| with(&seed.to_string()) != with("1")));
}

#[test]
fn a_folder_of_meshes_is_a_body_of_their_pieces() {
    let folder = PathBuf::from(file("folder", "left.obj", &cuboid("block", [0.0; 3], [1.0; 3], 0)));
    let right = cuboid("block", [2.0, 0.0, 0.0], [3.0, 1.0, 1.0], 0).replace("o block\n", "");
    file("folder", "right.obj", &right);
    file("folder", "notes.txt", "not a mesh");
    let folder = folder.parent().expect("a folder").to_str().expect("UTF-8");
    let found = answer(&[folder, "box:1,1,1", "--b-pose", "5,0.5,0.5,0,0,0", "--method", "tree", "--pieces", "groups"]);
    assert!((number(&found, "upper") - 1.5).abs() < 1e-12, "{found}");
    assert_eq!(found["pieces"][0], "right");
    let found = answer(&[folder, "box:1,1,1", "--b-pose", "-2,0.5,0.5,0,0,0", "--method", "mindist"]);
    assert_eq!(found["pieces"][0], "left/block");
}

#[test]
fn a_concave_group_is_refused_as_a_piece_and_cut_by_a_decomposition() {
    // An L of one group: its two boxes share an edge of the notch.
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let mut text = String::from("o ell\n");
    for z in [0.0, 1.0] {
        for [x, y] in outline {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    text += "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n";
    for i in 0..6 {
        let j = (i + 1) % 6;
        text += &format!("f {} {} {} {}\n", i + 1, j + 1, j + 7, i + 7);
    }
    let ell = file("concave", "ell.obj", &text);
    for method in ["tree", "mindist", "sopa"] {
        let message = refusal(&[&ell, "box:1,1,1", "--method", method, "--pieces", "groups"]);
        assert!(message.contains("ell.obj") && message.contains("\"ell\"") && message.contains("--pieces decompose"));
    }
    // A ball's worth of room in the notch: the hull would be in the way.
    let notch = ["box:0.5,0.5,0.5", "--b-pose", "1.75,1.75,0.5,0,0,0", "--pieces", "decompose"];
    for method in ["tree", "mindist"] {
        let found = answer(&[&[ell.as_str()], &notch[..], &["--method", method]].concat());
        let (lower, upper) = (number(&found, "lower"), number(&found, "upper"));
        assert!(lower <= 0.5 && (upper - 0.5).abs() < 0.05, "{method}: {found}");
        assert!(found["pieces"][0].as_str().expect("a name").starts_with("ell/"), "{found}");
    }
    let text = run(&[&[ell.as_str()], &notch[..]].concat());
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("decomposed: no point of the surface is farther than"), "{text}");
}

#[test]
fn what_has_no_meaning_for_a_method_and_what_cannot_be_used_is_refused() {
    let fork = fork("refused");
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pieces/empty");
    fs::create_dir_all(&empty).expect("a folder");
    let empty = empty.to_str().expect("UTF-8");
    let cases: [(&[&str], &str); 13] = [
        (&[&fork, "sphere:1", "--method", "mindist"], "curved"),
        (&[&fork, "sphere:1", "--method", "sopa"], "curved"),
        (&[&fork, "box:1,1,1", "--spacing", "0.1"], "sopa only"),
        (&[&fork, "box:1,1,1", "--method", "mindist", "--starts", "5"], "sopa only"),
        (&[&fork, "box:1,1,1", "--method", "tree", "--seed", "5"], "sopa only"),
        (&[&fork, "box:1,1,1", "--method", "mindist", "--minima"], "sopa only"),
        (&[&fork, "box:1,1,1", "--method", "greedy", "--pieces", "groups"], "--pieces"),
        (&[&fork, "box:1,1,1", "--method", "sopa", "--spacing", "0"], "--spacing"),
        (&[&fork, "box:1,1,1", "--method", "sopa", "--spacing", "nan"], "--spacing"),
        (&[&fork, "box:1,1,1", "--method", "sopa", "--spacing", "1e-7"], "wider"),
        (&[&fork, "box:1,1,1", "--method", "sopa", "--starts", "0"], "--starts"),
        (&[empty, "box:1,1,1", "--method", "mindist"], "no mesh file"),
        (&["missing.obj", "box:1,1,1", "--method", "mindist"], "missing.obj"),
    ];
    for (arguments, expected) in cases {
        let message = refusal(arguments);
        assert!(message.contains(expected), "{arguments:?}: {expected:?} is not in {message}");
        assert_eq!(message.trim_end().lines().count(), 1, "one message: {message}");
    }
    refusal(&[&fork, "box:1,1,1", "--method", "sopa", "--starts", "many"]);
}
