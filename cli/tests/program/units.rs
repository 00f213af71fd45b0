//! Lengths and angles with units, on the command line and in scene files.

use crate::cell::Cell;

const ARM: &str = "<robot name='r'><link name='base'/>
    <link name='bar'><collision><origin xyz='0.5 0 0'/><geometry><box size='1 0.1 0.1'/></geometry></collision></link>
    <joint name='turn' type='revolute'><parent link='base'/><child link='bar'/><axis xyz='0 0 1'/>
    <limit lower='-3.2' upper='3.2' effort='1' velocity='1'/></joint></robot>";

/// The ball ends 9 cm from the wall.
#[test]
fn a_unit_on_the_command_line_is_the_same_number() {
    let cell = Cell::new("units");
    cell.path("p.csv", &[0.0, 0.8]);
    let answer =
        |clearance: &str, status| cell.json(&["check", "cell.toml", "p.csv", "--clearance", clearance], status);
    for (unit, plain) in [("80mm", "0.08"), ("8cm", "0.08"), ("0.08 m", "0.08"), ("-5mm", "-0.005")] {
        let [mut a, mut b] = [unit, plain].map(|text| answer(text, 0));
        (a["stats"], b["stats"]) = Default::default();
        assert_eq!(a, b, "{unit}");
    }
    assert_eq!(answer("10cm", 1)["clearance"], 0.1);
    let refusal = |option: &str, value: &str| cell.refusal(&["check", "cell.toml", "p.csv", option, value]);
    let message = refusal("--clearance", "30deg");
    assert!(message.contains("--clearance") && message.contains("an angle where a length is needed"), "{message}");
    let message = refusal("--tolerance", "1in");
    assert!(message.contains("--tolerance") && message.contains("write m, cm, mm, deg or rad"), "{message}");
}

#[test]
fn configurations_poses_shapes_and_regions_take_units() {
    let cell = Cell::new("units-everywhere");
    cell.write("arm.urdf", ARM);
    let contacts = |q: &str| cell.json(&["scene", "cell.toml", "--at", q], 0)["contacts"].as_array().map(Vec::len);
    assert_eq!([contacts("-70cm"), contacts("-500mm")], [Some(1), Some(0)]);
    let message = cell.refusal(&["scene", "arm.urdf", "--at", "5mm"]);
    assert!(message.contains("turn\": \"5mm\" is a length where an angle is needed"), "{message}");
    let distance =
        |a: &str, pose: &str| cell.json(&["distance", a, "sphere:0.1", "--b-pose", pose], 0)["lower"].clone();
    assert_eq!(
        distance("box:200mm,1,1", "50cm,0,0,90deg,0,0"),
        distance("box:0.2,1,1", "0.5,0,0,1.5707963267948966,0,0")
    );
    let message = cell.refusal(&["distance", "sphere:1", "sphere:1", "--b-pose", "0,0,0,5cm,0,0"]);
    assert!(message.contains("--b-pose") && message.contains("a length where an angle is needed"), "{message}");
    let plan = ["plan", "cell.toml", "--start", "0mm", "--goal-region", "r/ball x>300mm", "-o", "out.csv"];
    cell.json(&plan, 0);
}

#[test]
fn scene_files_take_units_in_quotes() {
    let cell = Cell::new("units-scene");
    cell.write("arm.urdf", ARM);
    let scene = |pose: &str, size: &str, bounds: &str| {
        format!(
            "tolerance = \"1mm\"\n[[robots]]\nname = \"r\"\nurdf = \"arm.urdf\"\nrpy = [0, 0, {pose}]\n\
             positions = {{ turn = {bounds} }}\n[[obstacles]]\nname = \"o\"\nbox = [{size}, 0.3, \"0.3m\"]\n\
             xyz = [\"150cm\", 0, 0]\n[[pairs]]\nbodies = [\"r\", \"o\"]\nclearance = {size}\n"
        )
    };
    let shown = |text: String| {
        cell.write("units.toml", &text);
        cell.json(&["scene", "units.toml"], 0)
    };
    let with_units = shown(scene("\"90deg\"", "\"200mm\"", "\"-45deg\""));
    assert_eq!(with_units, shown(scene("1.5707963267948966", "0.2", "-0.7853981633974483")));
    cell.write("wrong.toml", &scene("\"9cm\"", "0.2", "0"));
    let message = cell.refusal(&["scene", "wrong.toml"]);
    assert!(
        message.contains("line 5") && message.contains("rpy") && message.contains("an angle is needed"),
        "{message}"
    );
    cell.write("wrong.toml", &scene("0", "0.2", "\"9cm\""));
    let message = cell.refusal(&["scene", "wrong.toml"]);
    assert!(message.contains("positions") && message.contains("\"turn\": \"9cm\" is a length"), "{message}");
}

/// 5 m in place of 5 mm makes every cell "too close", and the answer did not say why.
#[test]
fn a_clearance_above_a_metre_asks_whether_millimetres_were_meant() {
    let cell = Cell::new("units-doubt");
    cell.path("p.csv", &[0.0, 0.5]);
    let warnings = |arguments: &[&str]| cell.json(&[&["check"], arguments].concat(), 1)["warnings"].to_string();
    let told = warnings(&["cell.toml", "p.csv", "--clearance", "5"]);
    assert!(told.contains("--clearance: a clearance of 5 m: were millimetres meant? write 5mm, or 5m"), "{told}");
    assert_eq!(warnings(&["cell.toml", "p.csv", "--clearance", "5m"]), "[]");
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    cell.write("far.toml", &format!("clearance = 5\n{scene}[[pairs]]\nbodies = [\"r\", \"wall\"]\nclearance = 20\n"));
    let told = warnings(&["far.toml", "p.csv"]);
    assert!(told.contains("far.toml: a clearance of 5 m") && told.contains("[[pairs]]"), "{told}");
}
