//! `pathproof scene` as a user runs it.

use crate::cell::Cell;

#[test]
fn a_scene_is_described_and_exported() {
    let cell = Cell::new("scene");
    let text = cell.output(&["scene", "cell.toml"], 0);
    for part in ["r/ball", "wall", "post", "r/slide  prismatic [-1, 2]", "pairs checked: 2", "warnings: 0"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let text = cell.output(&["scene", "cell.toml", "--at", "-0.7", "-o", "out.glb"], 0);
    assert!(text.contains("r/ball and post are in contact"), "{text}");
    let file = std::fs::read(cell.folder.join("out.glb")).expect("the file was written");
    assert!(file.starts_with(b"glTF"));
}

/// 4,000 obstacles once made 156 MB of text and took 1 GB, 20,000 over 9 GB: every pair of obstacles was listed.
#[test]
fn many_obstacles_are_summarised_by_rule_and_listed_on_request() {
    let cell = Cell::new("scene-many");
    let stones = |count: usize| {
        let stone = |i: usize| format!("[[obstacles]]\nname = \"s{i}\"\nsphere = 0.01\nxyz = [0, 1, {i}e-5]\n");
        let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
        format!("{scene}{}", (0..count).map(stone).collect::<String>())
    };
    cell.write("many.toml", &stones(20_000));
    let text = cell.output(&["scene", "many.toml"], 0);
    for part in ["pairs checked: 20002\n  r – obstacles: 20002\n", "cannot move relative to each other: 200030001\n"]
    {
        assert!(text.contains(part), "{part:?} is not there");
    }
    assert!(text.len() < 2_000_000 && !text.contains("s1 – s2"), "{} bytes", text.len());
    cell.path("p.csv", &[0.0, 0.5]);
    let answer = cell.json(&["check", "many.toml", "p.csv"], 0);
    assert_eq!(answer["proven"]["pairs"], 20_002);
    let shown = cell.json(&["scene", "many.toml"], 0);
    assert_eq!((&shown["pairs"]["checked"], &shown["pairs"]["unchecked"]), (&20_002.into(), &200_030_001_u64.into()));
    assert!(shown["pairs"].get("list").is_none());
    cell.write("some.toml", &stones(3));
    let text = cell.output(&["scene", "some.toml", "--pairs"], 0);
    for part in ["  r/ball – wall\n", "cannot move relative to each other: 10\n    wall – post\n", "    s1 – s2\n"]
    {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let list = cell.json(&["scene", "some.toml", "--pairs"], 0)["pairs"]["list"].clone();
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), 15);
    assert_eq!(list[0], serde_json::json!({"bodies": ["r/ball", "wall"], "checked": true, "clearance": 0.0}));
    assert_eq!(list[14]["reason"], "cannot move relative to each other");
}

#[test]
fn json_says_what_the_text_says() {
    let cell = Cell::new("scene-json");
    let shown = cell.json(&["scene", "cell.toml", "--at", "-0.7"], 0);
    assert_eq!(shown["schema"], 1);
    let names: Vec<&str> =
        shown["bodies"].as_array().expect("bodies").iter().filter_map(|b| b["name"].as_str()).collect();
    assert_eq!(names, ["r/ball", "wall", "post"]);
    assert_eq!((&shown["bodies"][0]["static"], &shown["bodies"][1]["role"]), (&false.into(), &"obstacle".into()));
    let joint = serde_json::json!([{"name": "r/slide", "kind": "prismatic", "limits": [-1.0, 2.0], "position": null}]);
    assert_eq!(shown["joints"], joint);
    assert_eq!(shown["contacts"], serde_json::json!([{"bodies": ["r/ball", "post"]}]));
    assert!(shown["warnings"].to_string().contains("r/ball and post are in contact"), "{shown}");
}

#[test]
fn what_cannot_be_shown_is_refused_and_nothing_is_written() {
    let cell = Cell::new("scene-bad");
    let cases: &[(&[&str], &str)] = &[
        (&["no.toml"], "no.toml: cannot open it"),
        (&["cell.toml", "-o", "out.obj"], "ends in .glb"),
        (&["cell.toml", "--at", "3", "-o", "out.glb"], "outside its limits"),
        (&["cell.toml", "--at", "home"], "neither numbers nor a group state"),
    ];
    for (arguments, problem) in cases {
        let message = cell.refusal(&[&["scene"], *arguments].concat());
        assert!(message.contains(problem) && message.lines().count() == 1, "{problem:?}: {message}");
    }
    assert!(!cell.folder.join("out.glb").exists() && !cell.folder.join("out.obj").exists());
    let text = cell.output(&["scene", "cell.toml", "--at", "3", "--ignore-limits"], 0);
    assert!(text.contains("outside its limits"), "{text}");
}
