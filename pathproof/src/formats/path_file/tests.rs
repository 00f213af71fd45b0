use super::*;
use crate::numeric::{Pose, Random};
use crate::robot::{JointKind, JointSpec, Mimic, Model};
use crate::scene::{GroupState, SceneParts};

/// Two robots that share the joint `j`; `b` has a mimic joint, `f` floats, `p` is planar.
fn scene(with_free_joints: bool) -> Scene {
    let z = crate::numeric::DVec3::Z;
    let joint = |name: &str, kind, parent: &str, child: &str| JointSpec::new(name, kind, parent, child, Pose::IDENTITY);
    let mut links: Vec<String> = ["world", "a/l", "a/m", "b/l", "b/m", "b/n"].map(str::to_owned).to_vec();
    let mut joints = vec![
        JointSpec { limits: vec![Some((-1.0, 1.0))], ..joint("a/j", JointKind::Revolute { axis: z }, "world", "a/l") },
        joint("a/slide", JointKind::Prismatic { axis: z }, "a/l", "a/m"),
        joint("b/j", JointKind::Revolute { axis: z }, "world", "b/l"),
        JointSpec {
            limits: vec![Some((-0.5, 0.5))],
            mimic: Some(Mimic { joint: "b/j".into(), multiplier: 0.5, offset: 0.0 }),
            ..joint("b/follower", JointKind::Revolute { axis: z }, "b/l", "b/m")
        },
        joint("b/weld", JointKind::Fixed, "b/m", "b/n"),
    ];
    if with_free_joints {
        links.extend(["a/p".to_owned(), "a/f".to_owned()]);
        joints.push(joint("a/planar", JointKind::Planar { axis: z }, "world", "a/p"));
        joints.push(joint("a/float", JointKind::Floating, "world", "a/f"));
    }
    let mut parts = SceneParts::new(Model::new("world", links, joints).unwrap());
    parts.positions = vec![(1, 0.125)];
    let state = |name: &str, robot: &str, values: &[(usize, f64)]| GroupState {
        name: name.into(),
        group: "arm".into(),
        robot: robot.into(),
        values: values.to_vec(),
    };
    parts.states = vec![
        state("home", "a", &[(0, 0.5)]),
        state("home", "b", &[(2, 0.75)]),
        state("far", "a", &[(0, 5.0), (2, 0.0)]),
    ];
    Scene::new(parts).unwrap()
}

fn csv(text: &str) -> Result<Vec<Vec<f64>>, FormatError> {
    let path = parse(text, Path::new("p.csv"), PathFormat::Csv, &scene(false), PathSettings::default())?;
    Ok(path.waypoints)
}

#[test]
fn columns_come_in_any_order_and_positions_fill_the_rest() {
    assert_eq!(csv("b/j, a/j\n1, 0.5\n-2e-1,-1\n").unwrap(), [[0.5, 0.125, 1.0], [-1.0, 0.125, -0.2]]);
    assert_eq!(csv("\u{feff}slide,b/j,a/j\r\n3,1,0\r\n\r\n").unwrap(), [[0.0, 3.0, 1.0]]);
}

#[test]
fn written_paths_read_back_bit_by_bit() {
    let scene = scene(false);
    let mut random = Random::new(5);
    let waypoints: Vec<Vec<f64>> = (0..2_000)
        .map(|_| vec![random.between(-1.0, 1.0), random.between(-1e-9, 1e12), random.between(-1.0, 1.0)])
        .collect();
    assert_eq!(csv(&to_csv(&scene, &waypoints)).unwrap(), waypoints);
}

#[test]
fn bad_paths_are_refused_with_file_line_and_remedy() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["empty"]),
        ("a/j,b/j\n", &["no line of values"]),
        ("0.5,1\n", &["line 1", "\"0.5\"", "joint names"]),
        ("a/j;b/j\n1;2\n", &["semicolons", "commas"]),
        ("j,b/j\n1,2\n", &["\"j\" could be \"a/j\" or \"b/j\"", "robot's name"]),
        ("a/x,b/j\n1,2\n", &["no joint is called \"a/x\"", "a/j, a/slide, b/j"]),
        ("a/j,a/j,b/j\n1,1,1\n", &["second column"]),
        ("a/j,b/j,follower\n0,0,0\n", &["mimic joint", "follows \"b/j\"", "leave it out"]),
        ("a/j,b/j,weld\n0,0,0\n", &["fixed joint"]),
        ("a/j\n0\n", &["line 2, waypoint 0", "no value for b/j", "`positions`"]),
        ("a/j,b/j\n0,0\n0\n", &["line 3", "1 values", "2 columns"]),
        ("a/j,b/j\n0,0,0\n", &["line 2", "3 values"]),
        ("a/j,b/j\n0,NaN\n", &["line 2", "\"NaN\"", "\"b/j\"", "finite"]),
        ("a/j,b/j\n0,1e999\n", &["finite"]),
        ("a/j,b/j\n0,\n", &["line 2", "\"\""]),
        ("a/j,b/j\n0,0\n1.5,0\n", &["line 3, waypoint 1", "\"a/j\" is 1.5", "[-1, 1]", "--ignore-limits"]),
        ("a/j,b/j\n0,1.1\n", &["\"b/follower\" is 0.55"]),
    ];
    for (text, parts) in cases {
        let error = csv(text).expect_err(text).to_string();
        assert!(error.starts_with("p.csv: "), "{error}");
        for part in *parts {
            assert!(error.contains(part), "{part:?} is not in: {error}");
        }
    }
    let settings = PathSettings { ignore_limits: true };
    assert!(parse("a/j,b/j\n1.5,9\n", Path::new("p.csv"), PathFormat::Csv, &scene(false), settings).is_ok());
}

#[test]
fn floating_and_planar_joints_have_their_columns() {
    let header = "a/j,b/j,planar.x,planar.y,planar.theta,float.x,float.y,float.z,float.qx,float.qy,float.qz,float.qw\n";
    let read = |rows: &str| {
        parse(&format!("{header}{rows}"), Path::new("p.csv"), PathFormat::Csv, &scene(true), PathSettings::default())
    };
    let path = read("0,0,1,2,3,4,5,6,0,0,0,1.0000005\n").unwrap();
    assert_eq!(path.waypoints, [[0.0, 0.125, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 1.0]]);
    let error = read("0,0,1,2,3,4,5,6,0,0,0,1.1\n").unwrap_err().to_string();
    assert!(error.contains("quaternion of \"a/float\" has the norm 1.1") && error.contains("line 2"), "{error}");
    let error = read("0,0,1,2,3,4,5,6,0,0,0,1\n0,0,1,2,3,4,5,6,0,1,0,0\n").unwrap_err().to_string();
    assert!(error.contains("waypoints 0 and 1") && error.contains("180°") && error.contains("in between"), "{error}");
    let error = parse("float\n0\n", Path::new("p.csv"), PathFormat::Csv, &scene(true), PathSettings::default());
    assert!(error.unwrap_err().to_string().contains("write float.x, float.y, float.z, float.qx"));
}

#[test]
fn trajectories_of_ros_and_moveit_are_read_and_velocities_warned_about() {
    let json = r#"{"header":{"frame_id":"x"},"joint_names":["a/j","b/j"],"points":[
        {"positions":[0.5,1],"velocities":[1,2],"accelerations":[],"effort":[],"time_from_start":{"sec":0,"nanosec":1}},
        {"positions":[0.25,0.5]}]}"#;
    let read = |text: &str, format| parse(text, Path::new("t"), format, &scene(false), PathSettings::default());
    let path = read(json, PathFormat::Json).unwrap();
    assert_eq!(path.waypoints, [[0.5, 0.125, 1.0], [0.25, 0.125, 0.5]]);
    assert!(path.warnings.len() == 1 && path.warnings[0].contains("carries velocities:"), "{:?}", path.warnings);
    let yaml = "# a comment with & and *\njoint_trajectory:\n  header: {seq: 0}\n  joint_names: [a/j, b/j]\n  points:\n    - positions: [0.5, 1]\n      time_from_start: {secs: 0, nsecs: 0}\n---\n";
    let path = read(yaml, PathFormat::Yaml).unwrap();
    assert_eq!((path.waypoints, path.warnings), (vec![vec![0.5, 0.125, 1.0]], Vec::new()));
    let multi = r#"{"joint_trajectory":{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0]}]},
        "multi_dof_joint_trajectory":{"joint_names":["float"],"points":[{"transforms":[
        {"translation":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":0,"z":0,"w":1}}]}]}}"#;
    let mut free = scene(true);
    let error = parse(multi, Path::new("t"), PathFormat::Json, &free, PathSettings::default()).unwrap_err();
    assert!(error.to_string().contains("no value for a/planar.x"), "{error}");
    let mut parts = SceneParts::new(free.model().clone());
    parts.positions = vec![(1, 0.0), (3, 0.0), (4, 0.0), (5, 0.0)];
    free = Scene::new(parts).unwrap();
    let path = parse(multi, Path::new("t"), PathFormat::Json, &free, PathSettings::default()).unwrap();
    assert_eq!(path.waypoints[0][6..], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn bad_trajectories_are_refused_with_place_and_remedy() {
    let cases: &[(&str, &[&str])] = &[
        ("{", &["line 1"]),
        (r#"{"joint_names":["a/j","b/j"],"points":[]}"#, &["no points"]),
        (r#"{"joint_names":["a/j","b/j"],"points":[{"positions":[1]}]}"#, &["waypoint 0", "1 positions", "2 names"]),
        (r#"{"joint_names":["a/j","a/j"],"points":[{"positions":[1,1]}]}"#, &["twice"]),
        (r#"{"joint_names":["a/j","b/j"],"points":[{"position":[1,1]}]}"#, &["unknown field `position`"]),
        (r#"{"joint_names":["a/j","b/j"],"points":[{"velocities":[1,1]}]}"#, &["missing field `positions`"]),
        (r#"{"joint_names":["a/j","follower"],"points":[{"positions":[1,1]}]}"#, &["joint_names", "mimic"]),
        (
            r#"{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0]},{"positions":[2,0]}]}"#,
            &["waypoint 1", "\"a/j\" is 2"],
        ),
        ("joint_names: [a/j, b/j]\npoints:\n  - positions: [.nan, 0]\n", &["waypoint 0", "NaN", "finite"]),
        ("a: &a [1]\nb: *a\n", &["anchors", "write the values out"]),
        ("joint_names: [a/j, b/j]\npoints: [{positions: [0, 0]}]\n---\njoint_names: []\n", &["several messages"]),
        ("---\n", &["empty"]),
    ];
    for (text, parts) in cases {
        let format = PathFormat::of_text(text);
        let error =
            parse(text, Path::new("t"), format, &scene(false), PathSettings::default()).expect_err(text).to_string();
        for part in *parts {
            assert!(error.contains(part), "{part:?} is not in: {error}");
        }
    }
    let nested = "[".repeat(1_000_000);
    assert!(parse(&nested, Path::new("t"), PathFormat::Yaml, &scene(false), PathSettings::default()).is_err());
    assert!(parse(&nested, Path::new("t"), PathFormat::Json, &scene(false), PathSettings::default()).is_err());
    for deep in [
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        format!("header:\n  {}", "- ".repeat(100_000)),
        "a: ".repeat(100_000),
    ] {
        assert!(parse(&deep, Path::new("t"), PathFormat::Yaml, &scene(false), PathSettings::default()).is_err());
    }
}

#[test]
fn a_configuration_is_values_a_state_or_a_file() {
    let scene = scene(false);
    let read = |text: &str| parse_configuration(text, &scene, PathSettings::default());
    assert_eq!(read("-0.5,2,-1").unwrap(), [-0.5, 2.0, -1.0]);
    assert_eq!(read("-0.5, -1").unwrap(), [-0.5, 0.125, -1.0], "without those that have positions");
    assert_eq!(read("home").unwrap(), [0.5, 0.125, 0.75], "both robots have one");
    assert!(read("a/home").unwrap_err().to_string().contains("no value for b/j"));
    assert!(read("far").unwrap_err().to_string().contains("\"a/j\" is 5"));
    assert!(read("nowhere").unwrap_err().to_string().contains("home, home, far"));
    assert!(read("1").unwrap_err().to_string().contains("1 values where 3"));
    assert!(read("0,0,nan").unwrap_err().to_string().contains("finite"));
    assert!(read("no.csv").unwrap_err().to_string().contains("cannot open"));
}

#[test]
fn segments_have_a_start_and_a_goal_a_row() {
    let read = |text: &str| parse_segments(text, Path::new("s.csv"), &scene(false), PathSettings::default());
    let segments = read("a_a/j,a_b/j,b_a/j,b_b/j\n0,1,0.5,0.25\n").unwrap();
    assert_eq!(segments, [[vec![0.0, 0.125, 1.0], vec![0.5, 0.125, 0.25]]]);
    assert!(read("a/j,b_b/j\n0,0\n").unwrap_err().to_string().contains("a_<column>"));
    assert!(
        read("a_a/j,a_b/j,b_a/j\n0,1,0.5\n")
            .unwrap_err()
            .to_string()
            .contains("line 2, row 0: there is no value for b/j")
    );
}

#[test]
fn segments_stream_until_the_first_error_which_names_its_line() {
    let scene = scene(false);
    let header = "a_a/j,a_b/j,b_a/j,b_b/j\n";
    let read = |text: &[u8]| -> Vec<Result<[Vec<f64>; 2], FormatError>> {
        match SegmentReader::new(text, Path::new("s.csv"), &scene, PathSettings::default()) {
            Ok(reader) => reader.collect(),
            Err(error) => vec![Err(error)],
        }
    };
    let good = read(format!("\u{feff}{header}0,1,0.5,0.25\r\n\r\n0.5,0,0,0\r\n").as_bytes());
    assert_eq!(good.len(), 2);
    assert_eq!(good[1], Ok([vec![0.5, 0.125, 0.0], vec![0.0, 0.125, 0.0]]));
    let cases: &[(&[u8], usize, &str)] = &[
        (b"", 0, "the file is empty"),
        (b"a_a/j,a_b/j,b_a/j,b_b/j\n", 0, "no line of values"),
        (b"0,1\n", 0, "line 1: the column \"0\" does not say"),
        (b"a_a/j,a_b/j,b_a/j,b_b/j\n0,0,0,0\n0,0,0\n0,0,0,0\n", 1, "line 3: 3 values"),
        (b"a_a/j,a_b/j,b_a/j,b_b/j\n0,0,0,0\n0,0,0,x\n", 1, "line 3: \"x\""),
        (b"a_a/j,a_b/j,b_a/j,b_b/j\n0,0,0,0\n0,0,7,0\n", 1, "line 3, row 1: the joint \"a/j\" is 7"),
        (b"a_a/j,a_b/j,b_a/j,b_b/j\n0,0,0,0\n0,0,0,\xff\n", 1, "line 3"),
    ];
    for (text, good, problem) in cases {
        let rows = read(text);
        assert_eq!(rows.len(), good + 1, "{problem}: {rows:?}");
        let error = rows[*good].as_ref().expect_err(problem).to_string();
        assert!(error.starts_with("s.csv: ") && error.contains(problem), "{error}");
    }
    let endless = std::io::Read::chain("a_a/j".as_bytes(), std::io::repeat(b' '));
    let error = SegmentReader::new(endless, Path::new("s.csv"), &scene, PathSettings::default()).unwrap_err();
    assert!(error.to_string().contains("a row is longer than 16 MB"), "{error}");
}

#[test]
fn standard_input_is_recognised_by_how_it_starts() {
    assert_eq!(PathFormat::of_text("\n {\"joint_names\": []}"), PathFormat::Json);
    assert_eq!(PathFormat::of_text("header:\n  seq: 0"), PathFormat::Yaml);
    assert_eq!(PathFormat::of_text("joint_names: [a]"), PathFormat::Yaml);
    assert_eq!(PathFormat::of_text("joint_1,joint_2\n0,0"), PathFormat::Csv);
    let mut stream = "a/j,b/j\n0,0\n".as_bytes();
    assert_eq!(
        read_from(&mut stream, Path::new("-"), &scene(false), PathSettings::default()).unwrap().waypoints.len(),
        1
    );
}
