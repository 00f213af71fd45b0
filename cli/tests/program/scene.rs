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
    assert_eq!(
        list[0],
        serde_json::json!({"bodies": ["r/ball", "wall"], "checked": true, "kind": "world", "clearance": 0.0})
    );
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

/// A mesh in millimetres was a number of triangles like any other, and a box was "0 triangles  convex".
#[test]
fn bodies_are_shown_with_their_size_and_place() {
    let cell = Cell::new("scene-sizes");
    cell.write("part.obj", "v 0 0 0\nv 300 0 0\nv 0 200 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    let part = "[[obstacles]]\nname = \"part\"\nmesh = \"part.obj\"\nxyz = [0, 0, 0.02]\nscale = 1\n";
    let pole =
        "[[obstacles]]\nname = \"pole\"\ncylinder = [0.02, 0.6]\nxyz = [0.1, -0.3, 0.7]\nrpy = [0.1, 0.2, 0.3]\n";
    let floor = "[[obstacles]]\nname = \"floor\"\nplane = [0, 0, 1]\nxyz = [0, 0, -2]\n";
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    cell.write("sizes.toml", &format!("{scene}{part}{pole}{floor}"));
    let text = cell.output(&["scene", "sizes.toml", "--at", "-0.7"], 0);
    for line in [
        "  r/ball  sphere, 0.2 × 0.2 × 0.2 m at (-0.7, 0, 0), moves with r/ball\n",
        "  wall    box, 0.02 × 2 × 2 m at (1, 0, 0), static\n",
        "  pole    cylinder, 0.04 × 0.04 × 0.6 m at (0.1, -0.3, 0.7), static\n",
        "  part    4 triangles, solid, 300 × 200 × 100 m at (150, 100, 50.02), static\n",
        "  floor   plane, static\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in {text}");
    }
    let shown = cell.json(&["scene", "sizes.toml", "--at", "-0.7"], 0);
    let body = |index: usize| shown["bodies"][index].clone();
    let wall = body(1);
    assert_eq!((&wall["shape"], &wall["size"]), (&"box".into(), &serde_json::json!([0.02, 2.0, 2.0])));
    assert_eq!(body(4)["centre"], serde_json::json!([0.1, -0.3, 0.7]));
    assert_eq!((&body(5)["shape"], &body(5)["size"]), (&"plane".into(), &serde_json::Value::Null));
}

#[test]
fn a_quaternion_is_the_same_rotation_as_rpy() {
    let cell = Cell::new("scene-quat");
    cell.path("p.csv", &[0.0, 0.5]);
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    let bar = |rotation: &str| {
        format!("{scene}[[obstacles]]\nname = \"bar\"\nbox = [2, 0.1, 0.1]\nxyz = [0.3, 1.4, 0]\n{rotation}\n")
    };
    let bound = |rotation: &str| {
        cell.write("quat.toml", &bar(rotation));
        cell.json(&["check", "quat.toml", "p.csv", "--min-distance"], 0)["min_distance"]["lower"]
            .as_f64()
            .expect("a bound")
    };
    let [a, b] = ["rpy = [0, 0, \"80deg\"]", "quat = [0, 0, 0.6427876096865393, 0.766044443118978]"].map(bound);
    assert!((a - b).abs() < 1e-9 && a < 0.4, "{a} {b}");
    let robot = scene.replace("urdf = ", "quat = [0, 0, 1, 0]\nurdf = ");
    cell.write("turned.toml", &robot);
    let shown = cell.json(&["scene", "turned.toml", "--at", "0.5"], 0);
    assert_eq!(shown["bodies"][0]["centre"], serde_json::json!([-0.5, 0.0, 0.0]));
    let refused = |rotation: &str| {
        cell.write("quat.toml", &bar(rotation));
        cell.refusal(&["scene", "quat.toml"])
    };
    let message = refused("quat = [1, 1, 0, 0]");
    assert!(message.contains("key quat") && message.contains("has the length 1.414"), "{message}");
    assert!(refused("quat = [0, 0, 0, nan]").contains("key quat"));
    let message = refused("quat = [0, 0, 0, 1]\nrpy = [0, 0, 0]");
    assert!(message.contains("write rpy or quat, not both"), "{message}");
}

#[test]
fn an_obstacle_may_be_a_urdf_whose_links_stand_still() {
    let cell = Cell::new("scene-still");
    cell.path("p.csv", &[0.0, 0.4]);
    let rack = "<robot name='rack'><link name='post'><collision><geometry><box size='0.1 0.1 2'/></geometry></collision></link>
        <link name='drawer'><collision><origin xyz='0 -0.3 0'/><geometry><box size='0.2 0.4 0.1'/></geometry></collision></link>
        <link name='knob'><visual><geometry><sphere radius='0.02'/></geometry></visual></link>
        <joint name='pull' type='prismatic'><parent link='post'/><child link='drawer'/><origin xyz='0 0 0.02'/><axis xyz='0 -1 0'/>
        <limit lower='0' upper='0.5' effort='1' velocity='1'/></joint>
        <joint name='weld' type='fixed'><parent link='drawer'/><child link='knob'/></joint></robot>";
    cell.write("rack.urdf", rack);
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    let bound = |obstacles: &str| {
        cell.write("still.toml", &format!("{scene}{obstacles}"));
        let answer = cell.json(&["check", "still.toml", "p.csv", "--min-distance"], 0);
        answer["min_distance"]["lower"].as_f64().expect("a bound")
    };
    let rack =
        |more: &str| format!("[[obstacles]]\nname = \"rack\"\nurdf = \"rack.urdf\"\nxyz = [0.2, 1, 0]\n{more}\n");
    let boxes = |y: f64| {
        format!(
            "[[obstacles]]\nname = \"a\"\nbox = [0.1, 0.1, 2]\nxyz = [0.2, 1, 0]\n\
             [[obstacles]]\nname = \"b\"\nbox = [0.2, 0.4, 0.1]\nxyz = [0.2, {y}, 0.02]\n"
        )
    };
    for (more, y) in [("", 0.7), ("configuration = { pull = \"25cm\" }", 0.45)] {
        let [a, b] = [rack(more), boxes(y)].map(|obstacles| bound(&obstacles));
        assert!((a - b).abs() < 0.0011 && (a - (y - 0.3)).abs() < 0.0011, "{a} {b}");
    }
    let text = cell.output(&["scene", "still.toml"], 0);
    assert!(text.contains("bodies: 5"), "{text}");
    cell.write("still.toml", &format!("{scene}{}", rack("")));
    let text = cell.output(&["scene", "still.toml"], 0);
    assert!(text.contains("rack    2 boxes, 0.2 × 0.55 × 2 m"), "{text}");
    assert!(text.contains("1 links have geometry of the other kind only and are not checked: knob"), "{text}");
    let refused = |obstacle: &str| {
        cell.write("bad.toml", &format!("{scene}{obstacle}"));
        cell.refusal(&["scene", "bad.toml"])
    };
    let message = refused(&rack("configuration = { push = 1 }"));
    assert!(message.contains("key configuration") && message.contains("no joint \"push\""), "{message}");
    let message = refused("[[obstacles]]\nname = \"x\"\nsphere = 1\nconfiguration = { pull = 1 }\n");
    assert!(message.contains("only an obstacle by `urdf` has it"), "{message}");
    let message = refused(&rack("").replace("rack.urdf", "no.urdf"));
    assert!(message.contains("key urdf") && message.contains("no.urdf is not there"), "{message}");
}
