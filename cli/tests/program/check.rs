//! `pathproof check` as a user runs it: every verdict with its status, its fields, and every kind of refusal.

use crate::cell::Cell;
use serde_json::Value;

fn keys(answer: &Value) -> Vec<&str> {
    answer.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn number(answer: &Value, field: &str) -> f64 {
    answer[field].as_f64().unwrap_or_else(|| panic!("{field} is no number in {answer}"))
}

const STATS: [&str; 6] =
    ["seconds", "configurations", "distance_queries", "volume_tests", "triangle_tests", "bisections"];

#[test]
fn a_free_path_ends_with_0_and_a_true_lower_clearance() {
    let cell = Cell::new("check-free");
    cell.path("p.csv", &[-0.5, 0.5, 0.8]);
    let answer = cell.json(&["check", "cell.toml", "p.csv"], 0);
    let promised = ["schema", "verdict", "lower_clearance", "proven", "clearance", "tolerance", "warnings", "stats"];
    assert_eq!(keys(&answer), promised);
    assert_eq!(answer["proven"], serde_json::json!({"segments": 2, "pairs": 2, "clearance": 0.0}));
    assert_eq!((&answer["schema"], &answer["verdict"]), (&1.into(), &"free".into()));
    assert!(number(&answer, "lower_clearance") > 0.0 && number(&answer, "lower_clearance") <= 0.09, "{answer}");
    assert_eq!(keys(&answer["stats"]), STATS);
    let text = cell.output(&["check", "cell.toml", "p.csv"], 0);
    assert!(text.starts_with("free: proven, no contact\n"), "{text}");
    assert!(text.contains("2 segments, 2 pairs of bodies, at every configuration"), "{text}");
}

/// `--clearance -1` on a path that collides was once a plain `free: proven`.
#[test]
fn a_free_path_says_what_was_proven() {
    let cell = Cell::new("check-proven");
    cell.path("p.csv", &[-0.5, 0.5]);
    cell.path("deep.csv", &[0.0, 0.9]);
    let ask = |path: &str, clearance: &str| {
        let arguments = ["check", "cell.toml", path, "--clearance", clearance];
        let proven = cell.json(&arguments, 0)["proven"]["clearance"].as_f64();
        (cell.output(&arguments, 0).lines().next().map(str::to_owned), proven)
    };
    let line = |text: &str| Some(text.to_owned());
    assert_eq!(ask("p.csv", "0.05"), (line("free: proven, at least 0.05 m apart"), Some(0.05)));
    assert_eq!(ask("deep.csv", "-1"), (line("free: proven, no overlap of more than 1 m"), Some(-1.0)));
    // Pairs that have their own: one number would read as if the others had failed.
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    cell.write("own.toml", &format!("{scene}[[pairs]]\nbodies = [\"r/ball\", \"post\"]\nclearance = 0.01\n"));
    let text = cell.output(&["check", "own.toml", "p.csv", "--clearance", "0.05"], 0);
    assert!(text.starts_with("free: proven, every pair farther apart than its clearance\n"), "{text}");
    assert!(text.contains("0.05 m but for 1 pairs that have their own"), "{text}");
    assert_eq!(cell.json(&["check", "own.toml", "p.csv", "--clearance", "0.05"], 0)["proven"]["clearance"], 0.01);
}

/// Long paths are shared out over threads; statistics included, the answer is that of one.
#[test]
fn any_number_of_threads_gives_the_same_answer() {
    let cell = Cell::new("check-threads");
    let way = |last: f64| (0..2_000).map(|k| 0.4 * (f64::from(k) * 0.37).sin()).chain([last]).collect::<Vec<f64>>();
    for (last, status) in [(0.0, 0), (1.5, 1)] {
        cell.path("p.csv", &way(last));
        for report in [&[][..], &["--all"]] {
            let ask = |threads: &str| {
                let arguments = [&["check", "cell.toml", "p.csv", "--threads", threads][..], report].concat();
                let mut answer = cell.json(&arguments, status);
                answer["stats"]["seconds"].take();
                answer
            };
            let one = ask("1");
            assert!(one == ask("2") && one == ask("5"), "threads change the answer: {one}");
        }
    }
}

#[test]
fn a_collision_ends_with_1_and_names_pair_place_and_points_in_the_promised_order() {
    let cell = Cell::new("check-collision");
    cell.path("p.csv", &[0.0, 0.5, 1.5]);
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--any"], 1);
    let promised = [
        "schema",
        "verdict",
        "segment",
        "t",
        "configuration",
        "joints",
        "bodies",
        "distance",
        "points",
        "clearance",
        "tolerance",
        "warnings",
        "stats",
    ];
    assert_eq!(keys(&answer), promised);
    let earliest = cell.json(&["check", "cell.toml", "p.csv"], 1);
    let promised = [&promised[..11], &["free_until"], &promised[11..]].concat();
    assert_eq!(keys(&earliest), promised);
    assert_eq!(answer["verdict"], "collision");
    assert_eq!(answer["segment"], 1);
    assert_eq!(answer["joints"], serde_json::json!(["r/slide"]));
    assert_eq!(answer["bodies"], serde_json::json!(["r/ball", "wall"]));
    let (t, x) = (number(&answer, "t"), answer["configuration"][0].as_f64().expect("a number"));
    assert!((x - (0.5 + t)).abs() < 1e-12 && (0.89 - 1e-9..=1.11 + 1e-9).contains(&x), "{answer}");
    assert!(number(&answer, "distance") <= 0.0, "{answer}");
    assert_eq!(answer["points"].as_array().map(Vec::len), Some(2));
    assert_eq!((number(&answer, "clearance"), number(&answer, "tolerance")), (0.0, 0.001));
    let text = cell.output(&["check", "cell.toml", "p.csv", "--any"], 1);
    assert!(text.starts_with("collision: r/ball and wall\n"), "{text}");
    for part in ["segment 1, t = ", "configuration  ", "of wall", "distance queries", "tolerance 0.001 m"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn a_path_that_keeps_less_than_the_clearance_is_too_close() {
    let cell = Cell::new("check-close");
    cell.path("p.csv", &[0.0, 0.8]);
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--clearance", "0.2", "--tolerance", "0.01"], 1);
    assert_eq!(answer["verdict"], "too_close");
    let distance = number(&answer, "distance");
    let x = answer["configuration"][0].as_f64().expect("a number");
    assert!(distance <= 0.21 && (distance - (0.89 - x)).abs() < 1e-9, "{answer}");
    assert_eq!((number(&answer, "clearance"), number(&answer, "tolerance")), (0.2, 0.01));
    assert!(cell.output(&["check", "cell.toml", "p.csv", "--clearance", "0.2"], 1).starts_with("too close: "));
    assert_eq!(cell.json(&["check", "cell.toml", "p.csv", "--clearance", "0.08"], 0)["verdict"], "free");
    // Penetration up to 0.05 m is allowed here, and 0.01 m is what there is.
    cell.path("deep.csv", &[0.0, 0.9]);
    assert_eq!(cell.json(&["check", "cell.toml", "deep.csv", "--clearance", "-0.05"], 0)["verdict"], "free");
}

#[test]
fn limits_and_grazes_are_undecided_never_free() {
    let cell = Cell::new("check-undecided");
    cell.path("p.csv", &[0.0, 0.8]);
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--max-queries", "0"], 1);
    let promised = [
        "schema",
        "verdict",
        "segment",
        "interval",
        "bodies",
        "limit",
        "clearance",
        "tolerance",
        "free_until",
        "warnings",
        "stats",
    ];
    assert_eq!(keys(&answer), promised);
    assert_eq!((&answer["verdict"], &answer["limit"]), (&"undecided".into(), &"queries".into()));
    assert_eq!(answer["interval"], serde_json::json!([0.0, 1.0]));
    assert_eq!(answer["bodies"][0], "r/ball");
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--max-seconds", "0"], 1);
    assert_eq!((&answer["verdict"], &answer["limit"]), (&"undecided".into(), &"seconds".into()));
    let text = cell.output(&["check", "cell.toml", "p.csv", "--max-queries", "0"], 1);
    assert!(text.starts_with("undecided: ") && text.contains("--max-queries"), "{text}");
    // The ball's nearest point reaches the clearance exactly.
    let graze = cell.json(&["check", "cell.toml", "p.csv", "--clearance", "0.09", "--tolerance", "0"], 1);
    assert!(graze["verdict"] != "free" && graze["verdict"] != "collision", "{graze}");
}

#[test]
fn first_is_the_earliest_and_all_are_all() {
    let cell = Cell::new("check-all");
    cell.path("p.csv", &[0.0, -0.9, 0.0, 1.5]);
    let first = cell.json(&["check", "cell.toml", "p.csv", "--first"], 1);
    assert_eq!((&first["segment"], &first["bodies"][1]), (&0.into(), &"post".into()));
    let x = first["configuration"][0].as_f64().expect("a number");
    assert!((-0.6 - 0.002..=-0.6 + 0.002).contains(&x), "{first}");
    assert!(first.get("findings").is_none());
    let all = cell.json(&["check", "cell.toml", "p.csv", "--all"], 1);
    let findings = all["findings"].as_array().expect("findings");
    let found: Vec<(u64, &str)> = findings
        .iter()
        .map(|f| (f["segment"].as_u64().expect("a number"), f["bodies"][1].as_str().expect("a name")))
        .collect();
    assert_eq!(found, [(0, "post"), (1, "post"), (2, "wall")]);
    assert_eq!(
        keys(&findings[0]),
        ["verdict", "segment", "t", "configuration", "bodies", "distance", "points", "clearance"]
    );
    assert_eq!((&all["segment"], &all["verdict"]), (&0.into(), &"collision".into()));
    assert!(cell.output(&["check", "cell.toml", "p.csv", "--all"], 1).contains("findings: 3\n"));
    // One segment through both: the obstacles share a tree in other searches, and one of them must not hide the other.
    let through = cell.path("through.csv", &[-0.95, 2.0]);
    let all = cell.json(&["check", "cell.toml", &through, "--all"], 1);
    let found: Vec<&Value> = all["findings"].as_array().expect("findings").iter().map(|f| &f["bodies"][1]).collect();
    assert_eq!(found, ["post", "wall"]);
    let free = cell.path("free.csv", &[0.0]);
    assert_eq!(cell.json(&["check", "cell.toml", &free, "--all"], 0)["findings"], serde_json::json!([]));
}

#[test]
fn a_search_for_all_that_a_limit_ended_says_so() {
    let cell = Cell::new("check-incomplete");
    cell.path("p.csv", &[0.0, -0.9, 0.0, 1.5]);
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--all", "--max-queries", "1"], 1);
    if answer["verdict"] != "undecided" {
        assert!(answer["warnings"].to_string().contains("--max-queries was reached"), "{answer}");
    }
}

#[test]
fn values_outside_limits_are_refused_unless_they_are_to_be_ignored() {
    let cell = Cell::new("check-limits");
    cell.path("p.csv", &[0.0, 3.0]);
    let message = cell.refusal(&["check", "cell.toml", "p.csv"]);
    for part in ["p.csv: line 3, waypoint 1", "\"r/slide\" is 3", "[-1, 2]", "--ignore-limits"] {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    assert_eq!(cell.json(&["check", "cell.toml", "p.csv", "--ignore-limits"], 1)["verdict"], "collision");
}

#[test]
fn straight_lines_of_a_trajectory_with_velocities_are_answered_with_a_warning() {
    let cell = Cell::new("check-ros");
    let point = |x: f64, v: f64| format!("{{\"positions\": [{x}], \"velocities\": [{v}]}}");
    let text = format!("{{\"joint_names\": [\"slide\"], \"points\": [{}, {}]}}", point(0.0, 1.0), point(0.5, 0.0));
    cell.write("t.json", &text);
    let lines = ["check", "cell.toml", "t.json", "--interpolation", "linear"];
    let answer = cell.json(&lines, 0);
    assert!(answer["warnings"].to_string().contains("another curve"), "{answer}");
    let text = cell.output(&lines, 0);
    assert!(text.contains("warning: ") && text.contains("another curve"), "{text}");
    cell.write("t.yaml", "joint_names: [slide]\npoints:\n  - positions: [0]\n  - positions: [0.5]\n");
    assert_eq!(cell.json(&["check", "cell.toml", "t.yaml"], 0)["warnings"], serde_json::json!([]));
}

#[test]
fn a_path_comes_from_standard_input_too() {
    let cell = Cell::new("check-stdin");
    let output = cell.run_with_input(&["check", "cell.toml", "-", "--json"], "slide\n0\n1.5\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"verdict\":\"collision\""));
    let output = cell.run_with_input(&["check", "cell.toml", "-"], "slide\n0\nx\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("pathproof: standard input: line 3: "));
}

#[test]
fn a_contact_at_the_first_configuration_is_named() {
    let cell = Cell::new("check-start");
    cell.path("p.csv", &[0.95, 0.0]);
    let answer = cell.json(&["check", "cell.toml", "p.csv"], 1);
    assert!(answer["warnings"].to_string().contains("r/ball and wall are in contact at the first"), "{answer}");
    assert!(answer["warnings"].to_string().contains("is wall in its place?"), "{answer}");
    cell.path("q.csv", &[0.0, 0.95]);
    assert!(!cell.json(&["check", "cell.toml", "q.csv"], 1)["warnings"].to_string().contains("first configuration"));
}

/// Nothing to check was once `free` with status 0.
#[test]
fn a_scene_without_pairs_is_an_error_unless_it_is_allowed() {
    let cell = Cell::new("check-nothing");
    cell.write("empty.toml", "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n");
    cell.path("p.csv", &[0.0]);
    cell.write("b.csv", "a_slide,b_slide\n0,0.5\n");
    for arguments in [&["check", "empty.toml", "p.csv"][..], &["batch", "empty.toml", "b.csv"]] {
        let message = cell.refusal(arguments);
        assert!(message.contains("no pair of bodies is checked") && message.contains("--allow-empty"), "{message}");
    }
    let arguments = ["check", "empty.toml", "p.csv", "--allow-empty", "--certificate", "p.ppc"];
    let answer = cell.json(&arguments, 0);
    assert!(answer["lower_clearance"].is_null() && answer["warnings"].to_string().contains("no pair"), "{answer}");
    assert_eq!(answer["proven"], serde_json::json!({"segments": 1, "pairs": 0, "clearance": null}));
    assert!(cell.output(&arguments, 0).starts_with("free: nothing was checked\n"));
    assert!(cell.refusal(&["verify", "empty.toml", "p.csv", "p.ppc"]).contains("--allow-empty"));
    assert_eq!(cell.json(&["verify", "empty.toml", "p.csv", "p.ppc", "--allow-empty"], 0)["accepted"], true);
    let output = cell.run(&["batch", "empty.toml", "b.csv", "--allow-empty"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// 200 kB of brackets in YAML once took over a minute.
#[test]
fn deep_yaml_is_refused_before_it_is_read_to_its_end() {
    let cell = Cell::new("check-yaml");
    for (name, deep) in [("a.yaml", "["), ("b.yaml", "{a: "), ("c.yaml", "- "), ("d.yaml", "? ")] {
        cell.write(name, &format!("header: [\"a #\", {}", deep.repeat(4_000_000)));
        let message = cell.refusal(&["check", "cell.toml", name]);
        assert!(message.contains(&format!("{name}: line 1: ")) && message.lines().count() == 1, "{message}");
    }
    cell.write("e.yaml", &format!("header:\n  {}", "- ".repeat(4_000_000)));
    assert!(cell.refusal(&["check", "cell.toml", "e.yaml"]).contains("nested too deeply"));
}

#[test]
fn the_same_question_gives_the_same_bytes_but_for_seconds() {
    let cell = Cell::new("check-same");
    cell.path("p.csv", &[0.0, -0.9, 0.0, 1.5]);
    let ask = || {
        let mut answer = cell.json(&["check", "cell.toml", "p.csv", "--all"], 1);
        answer["stats"]["seconds"] = Value::Null;
        answer.to_string()
    };
    assert_eq!(ask(), ask());
}

#[test]
fn bad_input_is_refused_with_one_message_and_writes_nothing() {
    let cell = Cell::new("check-bad");
    cell.path("p.csv", &[0.0, 0.5]);
    cell.write("empty.csv", "");
    cell.write("unknown.csv", "elbow\n1\n");
    cell.write("path.txt", "slide\n1\n");
    cell.write("broken.toml", "robots = 1\n");
    cell.write("m.stl", "solid m\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid m\n");
    cell.write(
        "mesh.toml",
        "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n[[obstacles]]\nname = \"m\"\nmesh = \"m.stl\"\nxyz = [0, 3, 0]\n",
    );
    let cases: &[(&[&str], &str)] = &[
        (&["no.toml", "p.csv"], "no.toml: cannot open it"),
        (&["broken.toml", "p.csv"], "broken.toml: "),
        (&["cell.toml", "no.csv"], "no.csv: cannot open it"),
        (&["cell.toml", "empty.csv"], "the file is empty"),
        (&["cell.toml", "unknown.csv"], "no joint is called \"elbow\""),
        (&["cell.toml", "path.txt"], "does not say what format"),
        (&["cell.toml", "p.csv", "--clearance", "nan"], "--clearance: "),
        (&["cell.toml", "p.csv", "--tolerance", "-1"], "--tolerance: "),
        (&["cell.toml", "p.csv", "--max-seconds", "-1"], "--max-seconds: "),
        (&["cell.toml", "p.csv", "--max-seconds", "nan"], "--max-seconds: "),
        (&["mesh.toml", "p.csv", "--clearance", "-0.01"], "--clearance: a negative clearance"),
        (
            &["cell.toml", "p.csv", "--profile", "no/folder/out.csv"],
            "no/folder/out.csv: the folder no/folder does not exist",
        ),
        (&["cell.toml", "p.csv", "--certificate", "no/out.ppc"], "no/out.ppc: the folder no does not exist"),
    ];
    for (arguments, problem) in cases {
        let message = cell.refusal(&[&["check"], *arguments].concat());
        assert!(message.starts_with("pathproof: ") && message.contains(problem), "{problem:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    for usage in
        [&["cell.toml"][..], &["cell.toml", "p.csv", "--first", "--all"], &["cell.toml", "p.csv", "--max-queries", "x"]]
    {
        assert!(cell.refusal(&[&["check"], usage].concat()).starts_with("error: "));
    }
    assert!(!cell.folder.join("out.csv").exists() && !cell.folder.join("out.ppc").exists());
}
