//! Two clearances: to the world, and between links of one robot.

use crate::cell::Cell;
use serde_json::json;

/// An arm whose tip is always 22 mm from its base, 0.4 m below a shelf at its nearest.
const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="mid"/>
  <link name="tip"><collision><origin xyz="0 0 0.122"/><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="mid"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="spin" type="revolute"><parent link="mid"/><child link="tip"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"#;

fn cell(name: &str) -> Cell {
    let cell = Cell::new(name);
    let write = |file: &str, text: &str| std::fs::write(cell.folder.join(file), text).expect("written");
    write("arm.urdf", ARM);
    let robot = "[[robots]]\nname = \"arm\"\nurdf = \"arm.urdf\"\n";
    write("alone.toml", robot);
    write("both.toml", &format!("{robot}[[obstacles]]\nname = \"shelf\"\nbox = [1, 1, 0.1]\nxyz = [0, 0, 0.622]\n"));
    write(
        "strict.toml",
        &format!(
            "clearance = 0.2\nself_clearance = 0.02\n{}",
            std::fs::read_to_string(cell.folder.join("both.toml")).expect("there")
        ),
    );
    write("turn.csv", "turn,spin\n0,0\n1,1\n");
    cell
}

/// A clearance of 30 mm was once refused for every path of a robot two of whose links are 22 mm apart.
#[test]
fn a_clearance_to_the_world_does_not_apply_to_links_of_one_robot() {
    let cell = cell("two-clearances");
    let answer = cell.json(&["check", "both.toml", "turn.csv", "--clearance", "0.03"], 0);
    assert_eq!(answer["verdict"], "free");
    let lower = |kind: &str| answer["lower"][kind].as_f64().expect("a number");
    assert!((0.03..=0.4).contains(&lower("world")) && (0.0..=0.022).contains(&lower("self")), "{answer}");
    assert_eq!((&answer["proven"]["clearance"], &answer["proven"]["self_clearance"]), (&json!(0.03), &json!(0.0)));
    let text = cell.output(&["check", "both.toml", "turn.csv", "--clearance", "0.03"], 0);
    assert!(text.contains("clearance 0.03 m to the world, 0 m between links of one robot"), "{text}");
    let close = cell.json(&["check", "both.toml", "turn.csv", "--self-clearance", "0.03"], 1);
    assert_eq!((&close["verdict"], &close["clearance"]), (&json!("too_close"), &json!(0.03)));
    assert_eq!(close["bodies"], json!(["arm/tip", "arm/base"]));
}

#[test]
fn the_scene_states_both_clearances_and_the_options_replace_them() {
    let cell = cell("stated-clearances");
    let scene = cell.json(&["scene", "strict.toml"], 0);
    assert_eq!((&scene["clearance"], &scene["self_clearance"]), (&json!(0.2), &json!(0.02)));
    assert_eq!(cell.json(&["check", "strict.toml", "turn.csv"], 0)["verdict"], "free");
    cell.json(&["check", "strict.toml", "turn.csv", "--clearance", "0.41"], 1);
    cell.json(&["check", "strict.toml", "turn.csv", "--self-clearance", "0.023"], 1);
    cell.output(&["check", "strict.toml", "turn.csv", "--certificate", "proof.ppc"], 0);
    for (options, status) in
        [(["--self-clearance", "0.01"], 0), (["--self-clearance", "0.021"], 1), (["--clearance", "0.3"], 1)]
    {
        let arguments = ["verify", "strict.toml", "turn.csv", "proof.ppc", options[0], options[1]];
        cell.output(&arguments, status);
    }
}

#[test]
fn smallest_distances_and_profiles_tell_both_kinds_apart() {
    let cell = cell("kinds-apart");
    let answer = cell.json(&["check", "both.toml", "turn.csv", "--min-distance", "--profile", "out.csv"], 0);
    for smallest in [&answer["min_distance"], &answer["profile"]] {
        for (kind, distance, body) in [("world", 0.4, "shelf"), ("self", 0.022, "arm/base")] {
            let of_kind = &smallest[kind];
            let [lower, upper] = ["lower", "upper"].map(|bound| of_kind[bound].as_f64().expect("a number"));
            assert!(lower <= distance + 1e-9 && distance <= upper + 1e-9 && upper - lower < 0.0011, "{kind}: {answer}");
            assert!(of_kind["bodies"].as_array().expect("two").contains(&json!(body)), "{answer}");
        }
    }
    assert_eq!(answer["min_distance"]["upper"], answer["min_distance"]["self"]["upper"]);
    let table = std::fs::read_to_string(cell.folder.join("out.csv")).expect("the profile is there");
    assert!(table.starts_with("segment,t_from,t_to,body_a,body_b,lower,upper,t_upper,kind\n"), "{table}");
    for line in table.lines().skip(1) {
        assert_eq!(line.ends_with(",world"), line.contains("shelf"), "{line}");
        assert_eq!(line.ends_with(",self"), !line.contains("shelf"), "{line}");
    }
    let text = cell.output(&["check", "both.toml", "turn.csv", "--min-distance"], 0);
    assert!(text.contains("to the world   between") && text.contains("own links      between"), "{text}");
    let path = cell.output(&["plan", "both.toml", "--start", "0,0", "--goal", "1,1", "-o", "path.csv"], 0);
    assert!(path.contains("to the world") && path.contains("between links of one robot"), "{path}");
}

#[test]
fn an_option_that_applies_to_no_pair_is_named() {
    let cell = cell("no-such-pair");
    let warnings = |arguments: &[&str]| cell.json(arguments, 0)["warnings"].to_string();
    let alone = warnings(&["check", "alone.toml", "turn.csv", "--clearance", "0.03"]);
    assert!(alone.contains("--clearance applies to no pair") && alone.contains("--self-clearance"), "{alone}");
    assert!(!warnings(&["check", "alone.toml", "turn.csv", "--self-clearance", "0.01"]).contains("no pair"));
}
