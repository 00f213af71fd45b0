//! `pathproof traffic` as a user runs it: every verdict and field, many candidates in order on any number of threads, the
//! shared CommonRoad scenarios, and every kind of refusal.

use std::path::PathBuf;

use crate::cell::Cell;
use serde_json::{Value, json};

/// A road along x: a car ahead, one that crosses at t = 1 s where x = 0, and a post beside the road.
const ROAD: &str = r#"{"agents": [
  {"name": "ahead", "shape": {"box": [4, 2]}, "poses": [[0, 30, 0, 0], [2, 50, 0, 0]]},
  {"name": "crossing", "shape": {"box": [4, 2]}, "poses": [[0, 0, -20, 1.5707963267948966], [2, 0, 20, 1.5707963267948966]]},
  {"name": "post", "shape": {"disc": 0.5}, "pose": [10, 2.5, 0]}],
  "ego": {"shape": {"box": [4, 2]}}}"#;

fn lines(cell: &Cell, arguments: &[&str]) -> Vec<Value> {
    let text = cell.output(&[&["traffic"], arguments, &["--json"]].concat(), 0);
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn keys(answer: &Value) -> Vec<&str> {
    answer.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn number(answer: &Value, field: &str) -> f64 {
    answer[field].as_f64().unwrap_or_else(|| panic!("{field} is no number in {answer}"))
}

fn road(test: &str) -> Cell {
    let cell = Cell::new(test);
    cell.write("road.json", ROAD);
    cell
}

#[test]
fn what_samples_miss_is_found_by_hulls_with_time_agent_and_gap() {
    let cell = road("traffic-crossing");
    cell.write("ego.csv", "t,x,y,theta\n0,-20,0,0\n2,20,0,0\n");
    for method in ["naive", "isolated", "trees"] {
        let [answer] = &lines(&cell, &["road.json", "--ego", "ego.csv", "--method", method])[..] else { panic!() };
        assert_eq!(keys(answer), ["schema", "path", "method", "verdict", "time_gap_asked", "warnings", "stats"]);
        assert_eq!((&answer["method"], &answer["verdict"]), (&json!(method), &json!("sampled_free")));
        let text = cell.output(&["traffic", "road.json", "--ego", "ego.csv", "--method", method], 0);
        assert!(text.contains("samples only, which prove nothing") && !text.contains("ego: free"), "{text}");
    }
    let [answer] = &lines(&cell, &["road.json", "--ego", "ego.csv", "--first"])[..] else { panic!() };
    assert_eq!(answer["agent"], "crossing");
    // They meet when both are 3 m from the crossing: 17 m at 20 m/s.
    assert!((number(answer, "t") - 0.85).abs() < 1e-3 && number(answer, "t") == number(answer, "t_agent"), "{answer}");
    assert!(number(answer, "free_until") <= number(answer, "t") && number(answer, "distance_m") <= 0.001, "{answer}");
    assert_eq!(number(answer, "time_gap_s"), 0.0);
    let expected = [
        "schema",
        "path",
        "method",
        "verdict",
        "t",
        "t_agent",
        "agent",
        "distance_m",
        "time_gap_s",
        "free_until",
        "time_gap_asked",
        "tolerance",
        "warnings",
        "stats",
    ];
    assert_eq!(keys(answer), expected);
    let text = cell.output(&["traffic", "road.json", "--ego", "ego.csv"], 0);
    assert!(text.contains("with crossing at ") && text.contains("agents     3, of which 1 at rest"), "{text}");
}

#[test]
fn a_free_trajectory_says_its_smallest_distance_and_time_gap() {
    let cell = road("traffic-free");
    // 5 s behind the crossing car, and as fast as the one ahead.
    cell.write("ego.json", r#"{"poses": [[0, -50, 0, 0], [2, -30, 0, 0]]}"#);
    let [answer] = &lines(&cell, &["road.json", "--ego", "ego.json", "--gaps"])[..] else { panic!() };
    assert_eq!(answer["verdict"], "free");
    let distance = &answer["min_distance"];
    assert!(
        number(distance, "lower") > 27.0 && number(distance, "upper") - number(distance, "lower") <= 0.001,
        "{answer}"
    );
    assert_eq!(answer["min_time_gap"], Value::Null, "it does not come as far as any of them: {answer}");
    cell.write("behind.json", r#"{"poses": [[0, 0, 0, 0], [2, 20, 0, 0]]}"#);
    let [answer] = &lines(&cell, &["road.json", "--ego", "behind.json", "--gaps", "--method", "hulls"])[..] else {
        panic!()
    };
    assert_eq!((&answer["verdict"], &answer["min_distance"]["agent"]), (&json!("free"), &json!("post")));
    assert!((number(&answer["min_distance"], "upper") - 1.0).abs() < 0.001, "{answer}");
    // Its rear leaves the crossing at 0.3 s, the other's front comes at 0.85 s.
    assert_eq!(answer["min_time_gap"]["agent"], "crossing");
    assert!((number(&answer["min_time_gap"], "upper") - 0.55).abs() < 0.002, "{answer}");
    let text = cell.output(&["traffic", "road.json", "--ego", "ego.json", "--gaps"], 0);
    assert!(
        text.contains("smallest distance between 3") && text.contains("never pass through the same place"),
        "{text}"
    );
}

#[test]
fn a_time_gap_turns_a_near_follower_into_a_finding() {
    let cell = Cell::new("traffic-gap");
    let scenario = r#"{"agents": [{"name": "lead", "shape": {"box": [4, 2]}, "poses": [[0, 24, 0, 0], [4, 64, 0, 0]]}],
        "ego": {"shape": {"box": [4, 2]}, "poses": [[0, 0, 0, 0], [4, 40, 0, 0]]}}"#;
    cell.write("s.json", scenario);
    // 20 m from bumper to bumper at 10 m/s: 2 s.
    for (gap, verdict) in [("0", "free"), ("1.9", "free"), ("2.1", "found"), ("3", "found")] {
        let [answer] = &lines(&cell, &["s.json", "--time-gap", gap])[..] else { panic!() };
        assert_eq!(answer["verdict"] == "free", verdict == "free", "{gap}: {answer}");
        if verdict == "found" {
            let found = number(answer, "time_gap_s");
            assert!(found <= gap.parse::<f64>().expect("a number") + 1e-9 && found > 1.9, "{answer}");
            assert!((number(answer, "t") - number(answer, "t_agent") - found).abs() < 1e-12, "{answer}");
        }
    }
    let [answer] = &lines(&cell, &["s.json", "--gaps"])[..] else { panic!() };
    let gap = &answer["min_time_gap"];
    assert!(
        (number(gap, "upper") - 2.0).abs() < 0.002 && number(gap, "upper") - number(gap, "lower") <= 0.001,
        "{answer}"
    );
}

#[test]
fn many_candidates_are_answered_in_order_with_the_same_bytes_on_any_number_of_threads() {
    let cell = road("traffic-many");
    let mut table = "candidate,t,x,y,theta\n".to_owned();
    for i in 0..3000 {
        let y = -15.0 + 0.01 * f64::from(i);
        table += &format!("c{i},0,-20,{y},0\nc{i},1,0,{y},0.1\nc{i},2,20,{y},0\n");
    }
    cell.write("fan.csv", &table);
    for options in [&["--method", "trees"][..], &["--first"], &["--all"]] {
        let run = |threads| {
            let arguments =
                [&["traffic", "road.json", "--ego", "fan.csv", "--json", "--threads", threads], options].concat();
            cell.output(&arguments, 0)
        };
        let one = run("1");
        assert_eq!(one, run("3"), "{options:?}");
        let names: Vec<Value> =
            one.lines().map(|l| serde_json::from_str::<Value>(l).expect("JSON")["path"].clone()).collect();
        assert_eq!(names, (0..3000).map(|i| json!(format!("c{i}"))).collect::<Vec<_>>());
        let is_found = one.contains("\"collision\"") || one.contains("\"too_close\"");
        assert!(is_found && one.contains("free\""), "{options:?}");
    }
}

#[test]
fn all_findings_are_listed_and_agents_are_checked_against_each_other() {
    let cell = Cell::new("traffic-all");
    let scenario = r#"{"agents": [
      {"name": "a", "shape": {"box": [2, 2]}, "poses": [[0, 0, 0, 0], [1, 5, 0, 0], [2, 10, 0, 0], [3, 15, 0, 0]]},
      {"name": "b", "shape": {"box": [2, 2]}, "poses": [[0, 0.5, 0, 0], [1, 5.5, 0, 0], [2, 30, 0, 0], [3, 40, 0, 0]]},
      {"name": "wall", "shape": {"box": [1, 9]}, "pose": [16, 0, 0]}, {"name": "other wall", "shape": {"box": [1, 9]}, "pose": [16.5, 0, 0]}]}"#;
    cell.write("s.json", scenario);
    let answers = lines(&cell, &["s.json", "--all"]);
    assert_eq!(answers.iter().map(|a| a["path"].as_str().expect("a name")).collect::<Vec<_>>(), ["a", "b"]);
    let found: Vec<(u64, &str)> = answers[0]["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| (f["segment"].as_u64().expect("a number"), f["agent"].as_str().expect("a name")))
        .collect();
    assert_eq!(found, [(0, "b"), (1, "b"), (2, "wall"), (2, "other wall")]);
    // b starts in a, and drives through both walls in its segment 1.
    let found: Vec<&str> = answers[1]["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| f["agent"].as_str().expect("a name"))
        .collect();
    assert_eq!(found, ["a", "a", "wall", "other wall"]);
}

/// Where two paths cross.
fn crossing([first, second]: [&str; 2]) -> String {
    let agent = |name: &str| match name {
        "a" => r#"{"name": "a", "shape": {"box": [1, 1]}, "poses": [[0, -5, 0, 0], [1, 5, 0, 0]]}"#,
        _ => r#"{"name": "b", "shape": {"box": [1, 1]}, "poses": [[0, 0, -5, 0], [1, 0, 5, 0]]}"#,
    };
    format!(r#"{{"agents": [{}, {}]}}"#, agent(first), agent(second))
}

/// The later of two agents that collide was once called free, because the pair was told on the line of the first.
#[test]
fn of_two_agents_that_collide_neither_is_free_whatever_their_order() {
    let cell = Cell::new("traffic-mutual");
    for order in [["a", "b"], ["b", "a"]] {
        cell.write("s.json", &crossing(order));
        for options in [&[][..], &["--first"], &["--all"], &["--time-gap", "0.2"], &["--time-gap", "0.2", "--first"]] {
            let answers = lines(&cell, &[&["s.json"], options].concat());
            assert_eq!(answers.len(), 2);
            for (answer, other) in answers.iter().zip([order[1], order[0]]) {
                let is_found = answer["verdict"] == "collision" || answer["verdict"] == "too_close";
                assert!(is_found && answer["agent"] == other, "{options:?}: {answer}");
                assert!((number(answer, "t") - 0.5).abs() < 0.11 && number(answer, "distance_m") < 0.002, "{answer}");
                let gap = (number(answer, "t") - number(answer, "t_agent")).abs();
                assert!((gap - number(answer, "time_gap_s")).abs() < 1e-12 && gap < 0.2 + 1e-9, "{answer}");
            }
        }
        let [first, second] = &lines(&cell, &["s.json", "--gaps"])[..] else { panic!() };
        for (answer, other) in [(first, order[1]), (second, order[0])] {
            assert_eq!(
                (&answer["min_distance"]["agent"], number(&answer["min_distance"], "upper")),
                (&json!(other), 0.0)
            );
            assert_eq!(number(&answer["min_time_gap"], "upper"), 0.0);
        }
        cell.output(&["traffic", "s.json", "--report", "out.html"], 0);
        let page = std::fs::read_to_string(cell.folder.join("out.html")).expect("the page");
        assert!(page.contains("2 agents against each other: 2 collision") && page.contains("0 of 2 free"));
        assert!(page.contains("a: collision with b") && page.contains("b: collision with a"));
    }
}

/// With a time gap each answer has its own agent's time in `t`: b comes to the crossing 1 s after a.
#[test]
fn an_answer_has_the_time_of_its_own_agent_first() {
    let cell = Cell::new("traffic-mirrored");
    let late = crossing(["a", "b"]).replace("[[0, 0, -5, 0], [1, 0, 5, 0]]", "[[1, 0, -5, 0], [2, 0, 5, 0]]");
    cell.write("s.json", &late);
    for options in [&[][..], &["--all"], &["--first"], &["--method", "trees"], &["--method", "naive", "--all"]] {
        // For samples to see it: poses where they are at the crossing.
        let poses = late.replace("[0, -5, 0, 0], ", "[0, -5, 0, 0], [0.5, 0, 0, 0], ");
        cell.write("s.json", &poses.replace("[1, 0, -5, 0], ", "[1, 0, -5, 0], [1.5, 0, 0, 0], "));
        let answers = lines(&cell, &[&["s.json", "--time-gap", "1.1"], options].concat());
        for (answer, [own, agent]) in answers.iter().zip([[0.5, 1.5], [1.5, 0.5]]) {
            assert!((number(answer, "t") - own).abs() < 0.21, "{options:?}: {answer}");
            assert!((number(answer, "t_agent") - agent).abs() < 0.21, "{options:?}: {answer}");
        }
    }
}

/// The samples of one agent find what those of the other miss: it is told of both.
#[test]
fn what_the_samples_of_one_agent_find_is_told_of_the_other() {
    let cell = Cell::new("traffic-samples");
    let fine = crossing(["a", "b"]).replace("[0, -5, 0, 0], ", "[0, -5, 0, 0], [0.5, 0, 0, 0], ");
    cell.write("s.json", &fine);
    for method in ["naive", "isolated", "trees"] {
        for options in [&[][..], &["--first"], &["--all"]] {
            let answers = lines(&cell, &[&["s.json", "--method", method], options].concat());
            for answer in &answers {
                assert_eq!(
                    (&answer["verdict"], number(answer, "t")),
                    (&json!("collision"), 0.5),
                    "{options:?}: {answer}"
                );
                assert_eq!(answer["findings"].is_array(), options == ["--all"], "{answer}");
            }
        }
    }
}

#[test]
fn nothing_to_compare_is_an_error_unless_it_is_accepted() {
    let cell = Cell::new("traffic-nothing");
    let standing = r#"{"name": "a", "shape": {"box": [1, 1]}, "pose": [0, 0, 0]}"#;
    let moving = |name: &str, from: u32| {
        format!(
            r#"{{"name": "{name}", "shape": {{"disc": 1}}, "poses": [[{from}, 0, 0, 0], [{}, 5, 0, 0]]}}"#,
            from + 1
        )
    };
    let ego = r#""ego": {"shape": {"disc": 1}, "poses": [[5, 0, 0, 0], [6, 0, 0, 0]]}"#;
    for (scenario, why) in [
        (format!(r#"{{"agents": [{standing}, {}]}}"#, standing.replace("\"a\"", "\"b\"")), "all 2 agents stand"),
        (format!(r#"{{"agents": [{standing}]}}"#), "there is one agent only, and it stands"),
        (format!(r#"{{"agents": [{}]}}"#, moving("a", 0)), "there is one agent only"),
        (
            format!(r#"{{"agents": [{}, {}]}}"#, moving("a", 0), moving("b", 3)),
            "no two agents are known at the same time",
        ),
        (format!(r#"{{"agents": [{}], {ego}}}"#, moving("a", 0)), "no agent is known at the times of ego (5 to 6 s)"),
    ] {
        cell.write("s.json", &scenario);
        let message = cell.refusal(&["traffic", "s.json"]);
        assert!(message.contains("there is nothing to compare: ") && message.contains(why), "{message}");
        assert!(message.contains("--allow-empty"), "{message}");
        let text = cell.output(&["traffic", "s.json", "--allow-empty"], 0);
        assert!(text.contains("warning: no") && !text.contains("free"), "{text}");
        // Where there is no line to carry the warning it is said beside them.
        let output = cell.run(&["traffic", "s.json", "--allow-empty", "--json"]);
        assert_eq!(output.stdout.is_empty(), !output.stderr.is_empty(), "{output:?}");
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let answer: Value = serde_json::from_str(line).expect("JSON");
            let warnings = answer["warnings"].as_array().expect("a list");
            assert!(answer["checked"] == json!([]) && warnings.len() == 1, "{answer}");
        }
    }
    cell.write("s.json", &format!(r#"{{"agents": [{standing}]}}"#));
    assert!(cell.refusal(&["traffic", "s.json", "--allow-empty", "--report", "out.html"]).contains("nothing to show"));
    // One that stands is compared with one that moves.
    cell.write("s.json", &format!(r#"{{"agents": [{standing}, {}]}}"#, moving("b", 0)));
    assert_eq!(lines(&cell, &["s.json"])[0]["verdict"], "collision");
}

/// What was proven ends where the last agent is known; "for all times" was once said of times without agents.
#[test]
fn what_is_proven_free_is_said_with_the_times_at_which_agents_are_known() {
    let cell = Cell::new("traffic-known");
    let scenario = |agents: &[[f64; 2]]| {
        let agents: Vec<Value> = agents
            .iter()
            .enumerate()
            .map(|(i, [from, to])| {
                json!({"name": format!("a{i}"), "shape": {"disc": 1}, "poses": [[from, 9, 0, 0], [to, 20, 0, 0]]})
            })
            .collect();
        let ego = json!({"shape": {"disc": 1}, "poses": [[0, 0, 0, 0], [5, 0, 9, 0]]});
        json!({"agents": agents, "ego": ego}).to_string()
    };
    let whole = [0.0, 5.0];
    for (agents, proven, checked, expected) in [
        (&[whole][..], "for all times", None, &[][..]),
        (&[[-1.0, 9.0]], "for all times", None, &[]),
        (
            &[[0.0, 3.1]],
            "from 0 to 3.1 s",
            Some(json!([[0.0, 3.1]])),
            &["ego runs until 5 s, the agent is known until 3.1 s only: after that nothing is checked"],
        ),
        (
            &[[1.0, 5.0], [1.0, 5.0]],
            "from 1 to 5 s",
            Some(json!([[1.0, 5.0]])),
            &["ego starts at 0 s, the agents are known from 1 s on only: before that nothing is checked"],
        ),
        (
            &[[0.0, 1.0], [4.0, 5.0]],
            "from 0 to 1 s and from 4 to 5 s",
            Some(json!([[0.0, 1.0], [4.0, 5.0]])),
            &[
                "ego runs from 1 to 4 s where no agent is known: nothing is checked then",
                "ego runs from 0 to 5 s, 2 of 2 agents are not known all that time: 1 from later on (from 4 s), 1 until earlier (until 1 s)",
            ],
        ),
        (
            &[whole, [0.0, 2.0], [0.0, 3.0]],
            "for all times",
            None,
            &[
                "ego runs from 0 to 5 s, 2 of 3 agents are not known all that time: 2 until earlier (the first until 2 s)",
            ],
        ),
        (
            &[[0.0, 2.0], [0.0, 3.0]],
            "from 0 to 3 s",
            Some(json!([[0.0, 3.0]])),
            &[
                "ego runs until 5 s, the agents are known until 3 s only: after that nothing is checked",
                "ego runs from 0 to 5 s, 2 of 2 agents are not known all that time: 2 until earlier (the first until 2 s)",
            ],
        ),
    ] {
        cell.write("s.json", &scenario(agents));
        let text = cell.output(&["traffic", "s.json", "--report", "out.html"], 0);
        assert!(text.contains(&format!("ego: free, proven {proven}\n")), "{agents:?}: {text}");
        let told: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("warning: ")).collect();
        assert_eq!(told, expected, "{agents:?}");
        let [answer] = &lines(&cell, &["s.json"])[..] else { panic!() };
        assert_eq!((&answer["warnings"], answer.get("checked")), (&json!(expected), checked.as_ref()));
        let page = std::fs::read_to_string(cell.folder.join("out.html")).expect("the page");
        assert!(expected.iter().all(|warning| page.matches(warning).count() >= 2), "{agents:?}");
        assert_eq!(
            page.contains("apart from 1 agent at all times from 0 to 5 s"),
            agents.len() == 1 && expected.is_empty()
        );
        let [answer] = &lines(&cell, &["s.json", "--method", "trees"])[..] else { panic!() };
        assert_eq!(answer["warnings"], json!(expected), "samples see no more");
    }
    // With a time gap agents are compared a little longer.
    cell.write("s.json", &scenario(&[[0.0, 3.0]]));
    let text = cell.output(&["traffic", "s.json", "--time-gap", "0.5"], 0);
    assert!(text.contains("known until 3 s only: after 3.5 s nothing is checked"), "{text}");
    assert!(text.contains("free, proven from 0 to 3.5 s"), "{text}");
    // Many trajectories: each line of JSON has its own, the text has the first and counts.
    let mut table = "candidate,t,x,y,theta\n".to_owned();
    (0..9).for_each(|i| table += &format!("c{i},0,0,{i},0\nc{i},{},0,{i},0\n", i + 1));
    cell.write("fan.csv", &table);
    let text = cell.output(&["traffic", "s.json", "--ego", "fan.csv"], 0);
    assert!(text.contains("warning: 3 more trajectories run while agents are not known"), "{text}");
    let answers = lines(&cell, &["s.json", "--ego", "fan.csv"]);
    let warned = answers.iter().map(|answer| answer["warnings"].as_array().expect("a list").len());
    assert_eq!(warned.collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn a_verdict_that_is_named_fails_the_command() {
    let cell = Cell::new("traffic-fail-on");
    cell.write("s.json", &crossing(["a", "b"]));
    let status = |arguments: &[&str]| cell.run(&[&["traffic", "s.json"], arguments].concat()).status.code();
    assert_eq!(status(&[]), Some(0));
    assert_eq!(status(&["--fail-on", "too_close,undecided"]), Some(0));
    for fails in [&["--fail-on", "collision"][..], &["--fail-on", "undecided,collision", "--json"]] {
        let output = cell.run(&[&["traffic", "s.json"], fails].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).lines().count() >= 2, "all is answered: {output:?}");
    }
    assert_eq!(status(&["--method", "trees", "--fail-on", "collision"]), Some(0), "samples do not see it");
    assert!(cell.refusal(&["traffic", "s.json", "--fail-on", "free"]).contains("invalid value 'free'"));
    cell.write("ego.json", r#"{"shape": {"disc": 0.1}, "poses": [[0, 0, 0.4, 0], [1, 0, 0.4, 0]]}"#);
    assert_eq!(status(&["--ego", "ego.json", "--fail-on", "collision"]), Some(1));
}

#[test]
fn flat_boxes_at_their_own_times_are_an_option_of_sampled_methods() {
    let cell = Cell::new("traffic-flat");
    // Half a step apart: the paper's Fig. 4b.
    let poses = |shift: f64, sideways: bool| -> Vec<[f64; 4]> {
        (0..10)
            .map(|k| {
                let along = -18.0 + 4.0 * f64::from(k);
                if sideways { [f64::from(k) + shift, 0.0, along, 1.5] } else { [f64::from(k) + shift, along, 0.0, 0.0] }
            })
            .collect()
    };
    let scenario = json!({"agents": [{"name": "x", "shape": {"box": [4, 2]}, "poses": poses(0.5, true)}],
        "ego": {"shape": {"box": [4, 2]}, "poses": poses(0.0, false)}});
    cell.write("s.json", &scenario.to_string());
    for method in ["naive", "isolated", "trees"] {
        assert_eq!(lines(&cell, &["s.json", "--method", method, "--own-times"])[0]["verdict"], "sampled_free");
        assert_eq!(lines(&cell, &["s.json", "--method", method])[0]["verdict"], "collision");
    }
    assert_ne!(lines(&cell, &["s.json"])[0]["verdict"], "free");
}

#[test]
fn spatial_scenarios_are_checked_in_space() {
    let cell = Cell::new("traffic-space");
    let scenario = r#"{"agents": [{"name": "drone", "shape": {"box": [1, 1, 0.2]},
        "poses": [[0, 5, 0, 3, 0, 0, 0, 1], [2, -5, 0, 3, 0, 0, 0.6, 0.8]]}],
        "ego": {"shape": {"sphere": 0.5}, "candidates": [
          {"name": "level", "poses": [[0, -5, 0, 3, 0, 0, 0, 1], [2, 5, 0, 3, 0, 0, 0, 1]]},
          {"name": "above", "poses": [[0, -5, 0, 3.7, 0, 0, 0, 1], [2, 5, 0, 3.7, 0, 0, 0, 1]]}]}}"#;
    cell.write("s.json", scenario);
    let answers = lines(&cell, &["s.json"]);
    assert_eq!((&answers[0]["verdict"] == "free", &answers[1]["verdict"] == "free"), (false, true), "{answers:?}");
}

#[test]
fn bad_input_and_options_without_effect_are_refused() {
    let cell = road("traffic-refused");
    cell.write("ego.csv", "t,x,y,theta\n0,-20,0,0\n2,20,0,0\n");
    cell.write("back.csv", "t,x,y,theta\n1,-20,0,0\n0,20,0,0\n");
    cell.write("nan.csv", "t,x,y,theta\n0,NaN,0,0\n");
    cell.write("half.csv", "t,x,y,theta\n0,0,0,0\n1,0,0,3.141592653589793\n");
    cell.write("turn.csv", "t,x,y\n0,0,0\n");
    cell.write("none.json", r#"{"agents": []}"#);
    cell.write("flat.json", r#"{"agents": [{"name": "a", "shape": {"box": [0, 2]}, "pose": [0, 0, 0]}]}"#);
    cell.write("space.json", r#"{"shape": {"sphere": 1}, "poses": [[0, 0, 0, 0, 0, 0, 0, 1]]}"#);
    cell.write("empty.json", r#"{}"#);
    for (arguments, expected) in [
        (&["missing.json"][..], "missing.json: cannot open it"),
        (&["none.json"], "none.json: agents: there is no agent"),
        (&["flat.json"], "a rectangle's length must be finite and greater than 0"),
        (&["road.json", "--ego", "back.csv"], "back.csv: line 2, candidate \"ego\": pose 1 is at 0 s, after 1 s"),
        (&["road.json", "--ego", "nan.csv"], "pose 0 has the x NaN"),
        (
            &["road.json", "--ego", "turn.csv"],
            "turn.csv: line 1: the column \"theta\" is missing; the first line is t,x,y,theta, ",
        ),
        (&["road.json", "--ego", "half.csv"], "the heading turns by π"),
        (&["road.json", "--ego", "space.json"], "not of the scenario's workspace"),
        (&["road.json", "--ego", "empty.json"], "there is no trajectory in it"),
        (&["road.json", "--ego", "ego.csv", "--time-gap", "-1"], "--time-gap: -1 is not a finite number of at least 0"),
        (&["road.json", "--ego", "ego.csv", "--tolerance", "nan"], "--tolerance: nan is not"),
        (
            &["road.json", "--method", "trees", "--tolerance", "0.1"],
            "--tolerance has a meaning for --method hulls only",
        ),
        (&["road.json", "--method", "naive", "--gaps"], "--gaps is proven"),
        (&["road.json", "--own-times"], "--own-times has a meaning for sampled methods only"),
        (&["road.json", "--first", "--all"], "cannot be used with"),
        (&["road.json", "--threads", "0"], "invalid value '0'"),
        (&["road.json", "--method", "guess"], "invalid value 'guess'"),
    ] {
        let message = cell.refusal(&[&["traffic"], arguments].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn a_million_poses_are_read_and_answered() {
    let cell = road("traffic-million");
    let mut table = "t,x,y,theta\n".to_owned();
    for k in 0..1_000_000 {
        table += &format!("{:.4},{:.3},-9,0\n", 1e-4 * f64::from(k), 1e-3 * f64::from(k) - 500.0);
    }
    cell.write("long.csv", &table);
    let [answer] = &lines(&cell, &["road.json", "--ego", "long.csv"])[..] else { panic!() };
    assert_eq!(answer["verdict"], "free", "{answer}");
}

/// The shared CommonRoad files, or `None` with a word about it.
fn shared() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/scenarios/commonroad");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: the shared CommonRoad scenarios are not there");
    None
}

#[test]
fn the_shared_commonroad_scenarios_load_and_the_recorded_overlap_is_found_at_its_two_steps() {
    let Some(folder) = shared() else { return };
    let cell = Cell::new("traffic-shared");
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "xml") {
            continue;
        }
        files += 1;
        let name = path.to_str().expect("UTF-8");
        if name.contains("ZAM_Tutorial-1_1") {
            assert!(cell.refusal(&["traffic", name]).contains("there is one agent only"));
            continue;
        }
        let answers = lines(&cell, &[name]);
        let is_lanker = name.contains("USA_Lanker-1_1");
        let found: Vec<&Value> = answers.iter().filter(|answer| answer["verdict"] != "free").collect();
        if name.contains("DEU_A9-3_1") {
            // Positions are regions here, and two of them overlap: the cars need not.
            assert!(found.len() == 2 && found.iter().all(|found| found["uncertain"] == true), "{found:?}");
            assert_eq!(found[0]["agent"], found[1]["path"]);
        } else {
            assert_eq!(found.is_empty(), !is_lanker, "{name}: {found:?}");
        }
        if is_lanker {
            // 1266 was once free, because it is listed after 1247.
            let who: Vec<&Value> = found.iter().map(|answer| &answer["path"]).collect();
            assert_eq!(who, ["1247", "1266"]);
            let answers = lines(&cell, &[name, "--method", "trees", "--all"]);
            for (own, other) in [("1247", "1266"), ("1266", "1247")] {
                let answer = answers.iter().find(|answer| answer["path"] == own).expect("it is asked about");
                let found = answer["findings"].as_array().expect("a list");
                let steps: Vec<u64> = found.iter().map(|found| found["segment"].as_u64().expect("a number")).collect();
                assert_eq!(steps, [2, 3], "{found:?}");
                assert!(found.iter().all(|found| found["agent"] == other), "one pair: {found:?}");
            }
        }
    }
    assert!(files >= 7, "{files}");
}

#[test]
fn the_shared_solutions_are_free_with_positive_gaps() {
    let Some(folder) = shared() else { return };
    let cell = Cell::new("traffic-solutions");
    for (solution, scenario) in [
        ("KS3_WX1_USA_US101-3_3_T-1_2018b__cb25750a", "USA_US101-3_3_T-1"),
        ("KS3_WX1_ZAM_Tutorial-1_1_T-1_2018b__a6d3733b", "ZAM_Tutorial-1_1_T-1"),
        ("KS3_WX1_ZAM_Tutorial-1_2_T-1_2018b__c3f7bba9", "ZAM_Tutorial-1_2_T-1"),
        ("PM3_WX1_ZAM_Tutorial-1_1_T-1_2020a__875948f7", "ZAM_Tutorial-1_1_T-1"),
    ] {
        let ego = folder.join("solutions").join(format!("{solution}.xml"));
        let scenario = folder.join(format!("{scenario}.xml"));
        let (ego, scenario) = (ego.to_str().expect("UTF-8"), scenario.to_str().expect("UTF-8"));
        let [answer] = &lines(&cell, &[scenario, "--ego", ego, "--gaps"])[..] else { panic!() };
        assert_eq!(answer["verdict"], "free", "{solution}: {answer}");
        assert!(number(&answer["min_distance"], "lower") > 0.0, "{solution}: {answer}");
        let gap = &answer["min_time_gap"];
        assert!(gap.is_null() || number(gap, "lower") > 0.0, "{solution}: {answer}");
        if scenario.contains("US101") {
            let warnings = answer["warnings"].to_string();
            assert!(
                warnings.contains("396 runs until 5 s, the agents are known until 3.1 s only: after that"),
                "{warnings}"
            );
        }
        println!("{solution}: {} {}", answer["min_distance"], answer["min_time_gap"]);
    }
}
