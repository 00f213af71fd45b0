//! `pathproof acm` as a user runs it.

use crate::cell::Cell;
use serde_json::Value;

/// An arm whose pairs are known by hand. `pole` is rigid with the base; `tip` turns at radius 1 about the base and never
/// reaches `far` (at 2 m) but meets `near` (at 1 m); `core` is inside the closed `shell`, which is made of the same joint; `lid`
/// is fixed to the base and overlaps it without a joint that names both.
const ARM: &str = "<robot name='arm'>
    <link name='base'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
    <link name='near'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
    <link name='far'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
    <link name='lid'><collision><geometry><sphere radius='0.15'/></geometry></collision></link>
    <link name='bracket'/>
    <link name='upper'/>
    <link name='tip'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
    <joint name='n' type='fixed'><origin xyz='1 0 0'/><parent link='base'/><child link='near'/></joint>
    <joint name='f' type='fixed'><origin xyz='2 0 0'/><parent link='base'/><child link='far'/></joint>
    <joint name='b' type='fixed'><parent link='base'/><child link='bracket'/></joint>
    <joint name='l' type='fixed'><parent link='bracket'/><child link='lid'/></joint>
    <joint name='turn' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/></joint>
    <joint name='t' type='fixed'><origin xyz='1 0 0'/><parent link='upper'/><child link='tip'/></joint></robot>";

const MATRIX: &str = "<robot name='arm'>
    <disable_collisions link1='base' link2='near' reason='Adjacent'/>
    <disable_collisions link1='near' link2='tip' reason='Never'/>
    <disable_collisions link1='far' link2='tip' reason='Never'/>
    <disable_collisions link1='base' link2='lid' reason='Default'/>
    <disable_collisions link1='upper' link2='lid' reason='Never'/></robot>";

fn arm(test: &str) -> Cell {
    let cell = Cell::new(test);
    cell.write("arm.urdf", ARM);
    cell.write("matrix.srdf", MATRIX);
    cell
}

fn pair<'a>(answer: &'a Value, a: &str, b: &str) -> &'a Value {
    let is_it =
        |pair: &&Value| pair["links"] == serde_json::json!([a, b]) || pair["links"] == serde_json::json!([b, a]);
    answer["pairs"]
        .as_array()
        .and_then(|pairs| pairs.iter().find(is_it))
        .unwrap_or_else(|| panic!("{a}, {b}: {answer}"))
}

#[test]
fn pairs_have_the_classes_known_by_hand() {
    let cell = arm("acm-classes");
    let answer = cell.json(&["acm", "arm.urdf"], 0);
    assert_eq!((&answer["schema"], &answer["robot"]), (&1.into(), &"arm".into()));
    assert_eq!(answer["pairs"].as_array().map(Vec::len), Some(10));
    assert_eq!(pair(&answer, "base", "near")["class"], "adjacent");
    let never = pair(&answer, "far", "tip");
    assert_eq!(
        (&never["class"], &never["proven"], &never["joints_between"]),
        (&"never".into(), &true.into(), &1.into())
    );
    let clearance = never["clearance"].as_f64().expect("a bound");
    assert!(clearance > 0.0 && clearance <= 0.8, "{never}");
    assert_eq!(never["joints"], serde_json::json!(["turn"]));
    let sometimes = pair(&answer, "near", "tip");
    assert_eq!(sometimes["class"], "sometimes");
    assert_eq!(answer["joints"], serde_json::json!(["turn"]), "a name per value of a configuration");
    let turn = sometimes["configuration"][0].as_f64().expect("an angle");
    assert!(turn.abs() < 0.21, "{sometimes}");
    // Rigid with each other: one look is a proof.
    let always = pair(&answer, "base", "lid");
    assert_eq!(
        (&always["class"], &always["proven"], &always["joints_between"]),
        (&"always".into(), &true.into(), &0.into())
    );
    let apart = pair(&answer, "near", "far");
    assert_eq!(apart["class"], "never");
    assert!((apart["clearance"].as_f64().expect("a bound") - 0.8).abs() < 1e-6, "{apart}");
    assert_eq!(answer["counts"], serde_json::json!({"adjacent": 2, "always": 1, "never": 6, "sometimes": 1}));
    assert_eq!(cell.json(&["acm", "arm.urdf"], 0)["pairs"], answer["pairs"], "the same answer twice");
}

#[test]
fn the_matrix_is_written_with_what_is_proven_and_read_again() {
    let cell = arm("acm-written");
    let text = cell.output(&["acm", "arm.urdf", "-o", "arm.srdf"], 0);
    for part in ["never: 6\n", "proven: at least", "in contact at turn = ", "written: arm.srdf", "joints between"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let written = std::fs::read_to_string(cell.folder.join("arm.srdf")).expect("the file");
    for part in
        ["reason=\"Never\"/> <!-- proven: at least ", "reason=\"Adjacent\"", "checked: near and tip: in contact at"]
    {
        assert!(written.contains(part), "{part:?} is not in {written}");
    }
    assert!(!written.contains("link1=\"near\" link2=\"tip\""), "{written}");
    // Beside the robot it is used: one pair is left.
    let shown = cell.json(&["scene", "arm.urdf"], 0);
    assert_eq!(shown["pairs"]["checked"], 1, "{shown}");
}

/// Groups, states and end effectors of a file that existed were replaced without a word.
#[test]
fn an_srdf_that_exists_keeps_all_that_it_says() {
    let cell = arm("acm-merged");
    let before = "<?xml version=\"1.0\"?>\n<!-- by hand -->\n<robot name='arm' >\n  <group name='g'><link name='tip'/></group>\n\
                  \t<disable_collisions link1='tip' link2='near' reason='User'/> <!-- why -->\n";
    let after = "  <group_state name='up' group='g'><joint name='turn' value='1.5'/></group_state>\n\
                 <end_effector name='e' parent_link='tip' group='g'/>\n</robot>\n";
    // One is used beside the robot, and one is not.
    for name in ["arm.srdf", "other.srdf"] {
        cell.write(name, &format!("{before}{after}"));
        let text = cell.output(&["acm", "arm.urdf", "-o", name], 0);
        assert!(text.contains("added to the file: 9 pairs; the rest is as it was"), "{text}");
        let doubt =
            format!("{name}: of the pairs that it disabled before, 1 can touch (near – tip); they stay as written");
        assert!(text.contains(&doubt), "{text}");
        let merged = std::fs::read_to_string(cell.folder.join(name)).expect("the file");
        let added = merged.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).expect("the rest stays");
        assert_eq!(added.matches("<disable_collisions ").count(), 9, "{added}");
        assert!(added.lines().all(|line| line.starts_with("  <disable_collisions ")), "{added}");
        // Pairs that the file has are not added again.
        assert_eq!(cell.json(&["acm", "arm.urdf", "-o", name], 0)["added"], 0);
        assert_eq!(std::fs::read_to_string(cell.folder.join(name)).expect("the file"), merged);
    }
    assert_eq!(cell.json(&["scene", "arm.urdf"], 0)["states"][0]["name"], "up");
    let audit = cell.json(&["acm", "arm.urdf", "--audit", "other.srdf"], 1);
    assert_eq!(audit["audit"].as_array().map(Vec::len), Some(10));
}

#[test]
fn a_file_that_nothing_can_be_added_to_is_refused_and_stays() {
    let cell = arm("acm-not-merged");
    for (text, problem) in [
        (ARM, "it describes a robot (URDF) and is no SRDF"),
        ("<robot name='leg'/>", "it is for the robot \"leg\", not for \"arm\""),
        ("<robot name='arm'><group name='g'></robot>", "the XML cannot be read"),
        ("slide\n0\n", "the XML cannot be read"),
    ] {
        cell.write("there.srdf", text);
        let message = cell.refusal(&["acm", "arm.urdf", "-o", "there.srdf"]);
        assert!(message.contains("there.srdf: ") && message.contains(problem), "{message}");
        assert!(message.contains("nothing can be added to this file") && message.contains("a new file"), "{message}");
        assert_eq!(std::fs::read_to_string(cell.folder.join("there.srdf")).expect("the file"), text);
    }
    // A file without content has nothing to keep.
    cell.write("empty.srdf", "");
    cell.output(&["acm", "arm.urdf", "-o", "empty.srdf"], 0);
    assert_eq!(cell.json(&["acm", "arm.urdf", "--audit", "empty.srdf"], 0)["audit"].as_array().map(Vec::len), Some(9));
}

/// After `acm -o` contacts were reported that no configuration within the limits has.
#[test]
fn contacts_are_looked_for_within_the_limits() {
    let cell = Cell::new("acm-limits");
    // In contact below 0.2 alone, where it may not go.
    let urdf = std::fs::read_to_string(cell.folder.join("r.urdf")).expect("the robot");
    let post = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
    let urdf = urdf.replace("<link name='rail'/>", &format!("<link name='rail'>{post}</link><link name='slider'/>"));
    let urdf = urdf.replace("<parent link='rail'/><child link='ball'/>", "<parent link='slider'/><child link='ball'/>");
    let fixed = "<joint name='f' type='fixed'><parent link='rail'/><child link='slider'/></joint></robot>";
    cell.write("s.urdf", &urdf.replace("lower='-1'", "lower='0.5'").replace("</robot>", fixed));
    let shown = cell.json(&["scene", "s.urdf"], 0);
    assert_eq!((&shown["contacts"], &shown["warnings"]), (&serde_json::json!([]), &serde_json::json!([])), "{shown}");
    assert!(cell.output(&["scene", "s.urdf", "--at", "0", "--ignore-limits"], 0).contains("are in contact at the"));
}

/// A pair that is proven to touch always was once called proven, though the matrix says that it never does.
#[test]
fn what_never_touches_is_refuted_where_it_always_does() {
    let cell = arm("acm-always");
    for (reason, verdict, status) in [("Never", "refuted", 1), ("Default", "proven", 0)] {
        let line = format!("<disable_collisions link1='base' link2='lid' reason='{reason}'/>");
        cell.write("one.srdf", &format!("<robot name='arm'>{line}</robot>"));
        let answer = cell.json(&["acm", "arm.urdf", "--audit", "one.srdf"], status);
        assert_eq!(answer["audit"][0]["verdict"], verdict, "{answer}");
    }
}

#[test]
fn an_audit_refutes_with_a_configuration() {
    let cell = arm("acm-audit");
    let answer = cell.json(&["acm", "arm.urdf", "--audit", "matrix.srdf"], 1);
    let verdicts: Vec<[&str; 3]> = answer["audit"]
        .as_array()
        .expect("an audit")
        .iter()
        .map(|line| [&line["links"][0], &line["links"][1], &line["verdict"]].map(|v| v.as_str().unwrap_or_default()))
        .collect();
    assert_eq!(verdicts.len(), 5, "{verdicts:?}");
    for expected in [
        ["base", "near", "adjacent"],
        ["near", "tip", "refuted"],
        ["far", "tip", "proven"],
        ["base", "lid", "proven"],
        ["lid", "upper", "no geometry"],
    ] {
        assert!(verdicts.contains(&expected), "{expected:?} is not in {verdicts:?}");
    }
    let refuted = answer["audit"].as_array().expect("an audit").iter().find(|line| line["verdict"] == "refuted");
    assert!(refuted.is_some_and(|line| line["configuration"].is_array()), "{answer}");
    cell.write("good.srdf", "<robot name='arm'><disable_collisions link1='far' link2='tip' reason='Never'/></robot>");
    let text = cell.output(&["acm", "arm.urdf", "--audit", "good.srdf"], 0);
    assert!(text.contains("proven: far – tip (Never): never, proven: at least"), "{text}");
}

#[test]
fn what_is_left_unproven_says_how_much_is_proven() {
    let cell = arm("acm-unproven");
    let answer = cell.json(&["acm", "arm.urdf", "--boxes", "1"], 0);
    let left = pair(&answer, "far", "tip");
    assert_eq!((&left["class"], &left["proven"], &left["boxes"]), (&"unproven".into(), &false.into(), &1.into()));
    assert!(left["proven_share"].as_f64().is_some_and(|share| share < 1.0), "{left}");
    let answer = cell.json(&["acm", "arm.urdf", "--seconds", "0"], 0);
    // Samples took any time.
    for [a, b] in [["far", "tip"], ["near", "tip"]] {
        let left = pair(&answer, a, b);
        assert_eq!(
            (&left["class"], &left["samples"], &left["limit"]),
            (&"unproven".into(), &0.into(), &"seconds".into())
        );
    }
    let text = cell.output(&["acm", "arm.urdf", "--seconds", "0", "-o", "short.srdf"], 0);
    assert!(text.contains("the time was over after 0 configurations and 0 boxes; 0 % of the joint range"), "{text}");
    let written = std::fs::read_to_string(cell.folder.join("short.srdf")).expect("the file");
    assert_eq!(written.matches("<disable_collisions").count(), 2, "adjacent ones alone: {written}");
    let slide = ARM.replace("type='continuous'", "type='floating'");
    cell.write("loose.urdf", &slide);
    let answer = cell.json(&["acm", "loose.urdf"], 0);
    assert!(pair(&answer, "far", "tip")["no_map"].as_str().is_some_and(|why| why.contains("floating")), "{answer}");
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let cell = arm("acm-bad");
    let cases: &[(&[&str], &str)] = &[
        (&["cell.toml"], "name its URDF"),
        (&["no.urdf"], "no.urdf"),
        (&["arm.urdf", "-o", "arm.urdf"], "is also read"),
        (&["arm.urdf", "--seconds", "-1"], "--seconds"),
        (&["arm.urdf", "--audit", "no.srdf"], "no.srdf"),
    ];
    for (arguments, problem) in cases {
        let message = cell.refusal(&[&["acm"], *arguments].concat());
        assert!(message.contains(problem), "{arguments:?}: {message}");
    }
}
