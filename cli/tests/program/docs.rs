//! Runs what the manuals say: blocks that are named above become files, and every command must end with status 0.

use std::path::Path;

use crate::cell::Cell;

const README: &str = include_str!("../../../README.md");
const SCENE_FILE: &str = include_str!("../../../docs/scene-file.md");
const PATH_FILE: &str = include_str!("../../../docs/path-file.md");
const MOVEIT: &str = include_str!("../../../docs/moveit.md");
const CURVES: &str = include_str!("../../../docs/curves.md");
const TRAFFIC_FILE: &str = include_str!("../../../docs/traffic-file.md");

/// The blocks of a page: the name of the file, if it is one, the language, and the text.
fn blocks(page: &str) -> Vec<(Option<&str>, &str, String)> {
    let (mut blocks, mut name) = (Vec::new(), None);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(file) = line.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->")) {
            name = Some(file);
        } else if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((name.take(), language, text.join("\n") + "\n"));
        }
    }
    blocks
}

fn write_files(cell: &Cell, page: &str) {
    for (name, _, text) in blocks(page) {
        if let Some(name) = name {
            cell.write(name, &text);
        }
    }
}

/// Runs the commands of a page, which all end with 0; how many there were, and all that they printed.
fn run_commands(cell: &Cell, page: &str) -> (usize, String) {
    let (statuses, printed) = run_all(cell, page);
    assert!(statuses.iter().all(|status| *status == Some(0)), "{statuses:?} {printed}");
    (statuses.len(), printed)
}

/// Runs the commands of a page; how they ended, and all that they printed.
fn run_all(cell: &Cell, page: &str) -> (Vec<Option<i32>>, String) {
    let (mut statuses, mut printed) = (Vec::new(), String::new());
    for (_, _, text) in blocks(page).into_iter().filter(|(_, language, _)| *language == "sh") {
        for command in text.lines() {
            let (words, input) = command.split_once(" < ").unwrap_or((command, ""));
            let arguments: Vec<&str> = words.split(' ').skip(1).collect();
            assert!(words.starts_with("pathproof "), "{command}");
            let input = match input {
                "" => String::new(),
                file => std::fs::read_to_string(cell.folder.join(file)).expect("the input is on the page"),
            };
            let output = cell.run_with_input(&arguments, &input);
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(message, "", "{command}");
            printed += &String::from_utf8_lossy(&output.stdout);
            statuses.push(output.status.code());
        }
    }
    (statuses, printed)
}

#[test]
fn every_example_of_the_scene_file_runs() {
    let cell = Cell::new("docs-scene");
    write_files(&cell, SCENE_FILE);
    let (count, printed) = run_commands(&cell, SCENE_FILE);
    assert_eq!(count, 5);
    for part in [
        "free: proven, every pair farther",
        "with arm.srdf beside it",
        "solid (holes closed)",
        "disabled by the SRDF (Never)",
    ] {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
    assert!(!printed.contains("warning: ") && printed.contains("\"warnings\":[]"), "{printed}");
}

#[test]
fn every_example_of_the_path_file_runs() {
    let cell = Cell::new("docs-path");
    write_files(&cell, SCENE_FILE);
    write_files(&cell, PATH_FILE);
    let (count, printed) = run_commands(&cell, PATH_FILE);
    assert_eq!(count, 16);
    for part in ["5 paths: 5 free", "trajectory.yaml#1: free", "peg moves with arm/tool0", "3 paths: 3 free"] {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
}

/// From MoveIt's files to a proven trajectory; and every page that the table names is there.
#[test]
fn every_example_for_users_of_moveit_runs() {
    let cell = Cell::new("docs-moveit");
    write_files(&cell, MOVEIT);
    let (count, printed) = run_commands(&cell, MOVEIT);
    assert_eq!(count, 7);
    for part in [
        "cylinder, 0.02 × 0.02 × 0.2 m",
        "free: proven, to the world: at least 0.005 m apart",
        "found: a path of",
        "accepted: ",
    ] {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
    assert!(!printed.contains("warning: "), "{printed}");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    for target in MOVEIT.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target) {
        let (page, heading) = target.split_once('#').unwrap_or((target, ""));
        let text = std::fs::read_to_string(docs.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        let of_heading =
            |line: &str| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-").replace(',', "");
        assert!(
            heading.is_empty() || text.lines().any(|line| line.starts_with('#') && of_heading(line) == heading),
            "{target}"
        );
    }
}

/// The story: planned and its lines are free, what the controller runs is not, mended it is and verified.
#[test]
fn the_story_of_curves_runs() {
    let cell = Cell::new("docs-curves");
    write_files(&cell, SCENE_FILE);
    write_files(&cell, CURVES);
    let (statuses, printed) = run_all(&cell, CURVES);
    assert_eq!(statuses, [0, 0, 1, 0, 0, 0].map(Some));
    let told = blocks(CURVES).into_iter().find(|(_, language, _)| *language == "text").expect("what is printed");
    for line in told.2.lines().chain([
        "free: proven, to the world: at least 0.04 m apart; between links of one robot: no contact",
        "accepted: ",
    ]) {
        assert!(printed.contains(line), "{line:?} is not in\n{printed}");
    }
    assert!(printed.contains("  along          what joint_trajectory_controller runs"), "{printed}");
}

#[test]
fn every_example_of_the_traffic_file_runs() {
    let cell = Cell::new("docs-traffic");
    write_files(&cell, TRAFFIC_FILE);
    let (count, printed) = run_commands(&cell, TRAFFIC_FILE);
    assert_eq!(count, 5);
    let parts = ["straight: collision with crossing", "wait: free, proven for all times", "left: free", "ego: free"];
    for part in parts.iter().chain(&["\"verdict\":\"sampled_free\"", "ahead: free", "smallest distance between"]) {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
}

/// As for scenes: the keys that the program offers are on the page.
#[test]
fn every_key_of_a_scenario_is_on_the_page() {
    let cell = Cell::new("docs-traffic-keys");
    let mut known = 0;
    for wrong in [
        r#"{"nonsense": 1}"#,
        r#"{"agents": [{"nonsense": 1}]}"#,
        r#"{"agents": [{"shape": {"nonsense": 1}}]}"#,
        r#"{"ego": {"nonsense": 1}}"#,
        r#"{"ego": {"candidates": [{"nonsense": 1}]}}"#,
    ] {
        cell.write("wrong.json", wrong);
        let message = cell.refusal(&["traffic", "wrong.json"]);
        let offered = message.split_once("expected ").expect("it offers keys").1;
        for key in offered.split(';').next().expect("a list").split('`').skip(1).step_by(2) {
            assert!(TRAFFIC_FILE.contains(&format!("`{key}`")), "{key:?} is not in docs/traffic-file.md");
            known += 1;
        }
    }
    assert!(known >= 19, "{known}");
}

/// The keys as the program knows them: what it offers where a wrong one is written.
#[test]
fn every_key_of_a_scene_is_on_the_page() {
    let cell = Cell::new("docs-keys");
    let page: String =
        blocks(SCENE_FILE).into_iter().filter(|(_, language, _)| *language == "toml").map(|b| b.2).collect();
    let mut known = 0;
    for table in ["", "[[robots]]\nname = \"r\"\n", "[[obstacles]]\nname = \"o\"\n", "[[pairs]]\n"] {
        cell.write("wrong.toml", &format!("{table}nonsense = 1\n"));
        let message = cell.refusal(&["scene", "wrong.toml"]);
        let offered = message.split_once("expected one of ").expect("it offers keys").1;
        for key in offered.split(';').next().expect("a list").split('`').skip(1).step_by(2) {
            let is_there = page
                .lines()
                .any(|line| line.starts_with(&format!("{key} = ")) || line.starts_with(&format!("[[{key}]]")));
            assert!(is_there, "{key:?} has no example in docs/scene-file.md");
            known += 1;
        }
    }
    assert!(known > 25, "{known}");
}

/// The first five minutes of a newcomer: the commands of the front page, on the arm of the manuals.
#[test]
fn your_own_robot_in_three_steps_runs() {
    let cell = Cell::new("docs-readme");
    write_files(&cell, SCENE_FILE);
    write_files(&cell, PATH_FILE);
    let (count, printed) = run_commands(&cell, README);
    assert_eq!(count, 3);
    assert!(printed.contains("2 paths: 2 free"), "{printed}");
    assert!(cell.folder.join("path.html").exists());
    // And with the short scene that it shows.
    let shown = blocks(README).into_iter().find(|(_, language, _)| *language == "toml").expect("a scene").2;
    assert_eq!(shown.lines().count(), 5);
    cell.write("cell.toml", &shown);
    assert!(cell.output(&["check", "cell.toml", "trajectory.yaml"], 0).contains("2 paths: 2 free"));
}

#[test]
fn help_starts_with_the_first_sentence_of_the_readme() {
    let cell = Cell::new("docs-help");
    let sentence = README.lines().find(|line| line.starts_with("Decides ")).expect("it is there");
    let sentence = sentence.replace("**", "").trim_end_matches('.').to_owned();
    let help = cell.output(&["--help"], 0);
    assert_eq!(help.lines().next(), Some(&*sentence));
}

#[test]
fn the_readme_is_short_and_every_page_it_names_is_there() {
    assert!(README.lines().count() <= 150);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut named = 0;
    for target in README.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target) {
        if !target.starts_with("http") {
            assert!(root.join(target).exists(), "{target}");
            named += 1;
        }
    }
    assert!(named > 15, "{named}");
}
