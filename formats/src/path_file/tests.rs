use super::*;
use pathproof::numeric::{Pose, Random};
use pathproof::robot::{JointKind, JointSpec, Mimic, Model};
use pathproof::scene::{GroupState, SceneParts};

/// Two robots that share the joint `j`; `b` has a mimic joint, `f` floats, `p` is planar.
fn scene(with_free_joints: bool) -> Scene {
    let z = pathproof::numeric::DVec3::Z;
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
    let path = parse_points(text, Path::new("p.csv"), PathFormat::Csv, &scene(false), PathSettings::default())?;
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
        ("j,b/j\n1,2\n", &["\"j\" could be \"a/j\" or \"b/j\"", "robot's name"]),
        ("a/x,b/j\n1,2\n", &["no joint is called \"a/x\"", "a/j, a/slide, b/j"]),
        ("a/j,a/j,b/j\n1,1,1\n", &["line 1", "twice"]),
        ("a/j,b/j,follower\n0,0,0.1\n", &["line 2, waypoint 0", "mimic joint \"b/follower\" is 0.1", "makes it 0"]),
        ("a/j,b/j,follower,b/follower\n0,0,0,0\n", &["line 1", "twice"]),
        ("a/j;b/j\n0,5;1\n", &["line 2", "\"0,5\"", "with a point"]),
        ("a/j,b/j\n\n# one\n0,0\n\n#\n0,x\n", &["line 7", "\"x\""]),
        ("# a/j,b/j\n0,0\n", &["line 2", "stands where a joint name is needed"]),
        ("time,a/j,b/j\n0,0,0\n0.5,0,0\n0.4,0,0\n", &["waypoint 2", "the time 0.4 s is before", "0.5 s"]),
        ("time,Time,a/j,b/j\n0,0,0,0\n", &["a second column of times"]),
        ("time\n0\n", &["no value for a/j"]),
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
    assert!(parse_points("a/j,b/j\n1.5,9\n", Path::new("p.csv"), PathFormat::Csv, &scene(false), settings).is_ok());
}

#[test]
fn floating_and_planar_joints_have_their_columns() {
    let header = "a/j,b/j,planar.x,planar.y,planar.theta,float.x,float.y,float.z,float.qx,float.qy,float.qz,float.qw\n";
    let read = |rows: &str| {
        parse_points(
            &format!("{header}{rows}"),
            Path::new("p.csv"),
            PathFormat::Csv,
            &scene(true),
            PathSettings::default(),
        )
    };
    let path = read("0,0,1,2,3,4,5,6,0,0,0,1.0000005\n").unwrap();
    assert_eq!(path.waypoints, [[0.0, 0.125, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 1.0]]);
    let error = read("0,0,1,2,3,4,5,6,0,0,0,1.1\n").unwrap_err().to_string();
    assert!(error.contains("quaternion of \"a/float\" has the norm 1.1") && error.contains("line 2"), "{error}");
    let error = read("0,0,1,2,3,4,5,6,0,0,0,1\n0,0,1,2,3,4,5,6,0,1,0,0\n").unwrap_err().to_string();
    assert!(error.contains("waypoints 0 and 1") && error.contains("180°") && error.contains("in between"), "{error}");
    let error = parse_points("float\n0\n", Path::new("p.csv"), PathFormat::Csv, &scene(true), PathSettings::default());
    assert!(error.unwrap_err().to_string().contains("write float.x, float.y, float.z, float.qx"));
}

#[test]
fn trajectories_of_ros_and_moveit_are_read_with_their_velocities() {
    let json = r#"{"header":{"frame_id":"x"},"joint_names":["a/j","b/j"],"points":[
        {"positions":[0.5,1],"velocities":[1,2],"accelerations":[],"effort":[],"time_from_start":{"sec":0,"nanosec":1}},
        {"positions":[0.25,0.5],"time_from_start":{"sec":1}}]}"#;
    let read = |text: &str, format| parse_points(text, Path::new("t"), format, &scene(false), PathSettings::default());
    let path = read(json, PathFormat::Json).unwrap();
    assert_eq!(path.waypoints, [[0.5, 0.125, 1.0], [0.25, 0.125, 0.5]]);
    let all = path.derivatives.clone().expect("velocities");
    assert_eq!((all.velocities, all.accelerations), (vec![Some(vec![1.0, 0.0, 2.0]), None], vec![None, None]));
    let (_, warnings) = path.into_waypoints(Path::new("t")).unwrap();
    assert!(warnings.len() == 1 && warnings[0].contains("carries velocities:"), "{warnings:?}");
    let yaml = "# a comment with & and *\njoint_trajectory:\n  header: {seq: 0}\n  joint_names: [a/j, b/j]\n  points:\n    - positions: [0.5, 1]\n      time_from_start: {secs: 0, nsecs: 0}\n---\n";
    let path = read(yaml, PathFormat::Yaml).unwrap();
    assert_eq!((path.waypoints, path.warnings), (vec![vec![0.5, 0.125, 1.0]], Vec::new()));
    let multi = r#"{"joint_trajectory":{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0]}]},
        "multi_dof_joint_trajectory":{"joint_names":["float"],"points":[{"transforms":[
        {"translation":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":0,"z":0,"w":1}}]}]}}"#;
    let mut free = scene(true);
    let error = parse_points(multi, Path::new("t"), PathFormat::Json, &free, PathSettings::default()).unwrap_err();
    assert!(error.to_string().contains("no value for a/planar.x"), "{error}");
    let mut parts = SceneParts::new(free.model().clone());
    parts.positions = vec![(1, 0.0), (3, 0.0), (4, 0.0), (5, 0.0)];
    free = Scene::new(parts).unwrap();
    let path = parse_points(multi, Path::new("t"), PathFormat::Json, &free, PathSettings::default()).unwrap();
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
        (r#"{"joint_names":["a/j","follower","b/j"],"points":[{"positions":[1,1,1]}]}"#, &["waypoint 0", "mimic"]),
        (
            r#"{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0]},{"positions":[2,0]}]}"#,
            &["waypoint 1", "\"a/j\" is 2"],
        ),
        ("joint_names: [a/j, b/j]\npoints:\n  - positions: [.nan, 0]\n", &["waypoint 0", "NaN", "finite"]),
        ("a: &a [1]\nb: *a\n", &["anchors", "write the values out"]),
        ("joint_names: [a/j, b/j]\npoints: [{positions: [0, 0]}]\n---\njoint_names: []\n", &["message 1", "no points"]),
        ("---\n", &["empty"]),
    ];
    for (text, parts) in cases {
        let format = PathFormat::of_text(text);
        let error = parse_points(text, Path::new("t"), format, &scene(false), PathSettings::default())
            .expect_err(text)
            .to_string();
        for part in *parts {
            assert!(error.contains(part), "{part:?} is not in: {error}");
        }
    }
    let nested = "[".repeat(1_000_000);
    assert!(parse_points(&nested, Path::new("t"), PathFormat::Yaml, &scene(false), PathSettings::default()).is_err());
    assert!(parse_points(&nested, Path::new("t"), PathFormat::Json, &scene(false), PathSettings::default()).is_err());
    for deep in [
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        format!("header:\n  {}", "- ".repeat(100_000)),
        "a: ".repeat(100_000),
    ] {
        assert!(parse_points(&deep, Path::new("t"), PathFormat::Yaml, &scene(false), PathSettings::default()).is_err());
    }
}

#[test]
fn a_configuration_is_values_a_state_or_a_file() {
    let scene = scene(false);
    let read = |text: &str| parse_configuration(text, &scene, PathSettings::default());
    assert_eq!(read("-0.5,2,-1").unwrap(), [-0.5, 2.0, -1.0]);
    assert_eq!(read("-0.5, -1").unwrap(), [-0.5, 0.125, -1.0], "without those that have positions");
    assert_eq!(read("-30deg, 5mm, 1rad").unwrap(), [-30f64.to_radians(), 0.005, 1.0]);
    let error = read("30deg, 10deg, 1rad").unwrap_err().to_string();
    assert!(error.contains("\"a/slide\": \"10deg\" is an angle where a length is needed"), "{error}");
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
    assert_eq!(PathFormat::of_text("[{\"name\": []}]"), PathFormat::Json);
    let mut stream = "a/j,b/j\n0,0\n".as_bytes();
    let paths = read_all_points_from(&mut stream, Path::new("-"), &scene(false), PathSettings::default()).unwrap();
    assert_eq!((paths.len(), paths[0].waypoints.len()), (1, 1));
}

#[test]
fn tabs_semicolons_comments_times_and_consistent_mimic_joints_are_read() {
    let read =
        |text: &str| parse_points(text, Path::new("p.csv"), PathFormat::Csv, &scene(false), PathSettings::default());
    let plain = csv("a/j,b/j\n0.5,1\n-1,0.25\n").unwrap();
    for text in [
        "a/j;b/j\n0.5;1\n-1;0.25\n",
        "a/j\tb/j\r\n0.5\t1\r\n-1\t0.25\r\n",
        "# recorded\n\na/j,b/j\n# one; two\n0.5,1\n#\n-1,0.25\n",
        "#a\n#b\n a/j ; b/j \n 0.5 ; 1 \n -1 ; 0.25 \n",
        "follower,a/j,b/j\n0.5,0.5,1\n0.1250004,-1,0.25\n",
    ] {
        assert_eq!(read(text).unwrap_or_else(|error| panic!("{text}: {error}")).waypoints, plain, "{text}");
    }
    let timed = read("a/j,Time,b/j\n0,1.5,0\n0,2,0\n0,2,0\n").unwrap();
    assert_eq!(timed.times, Some(vec![1.5, 2.0, 2.0]));
    let timed = timed.lines();
    assert_eq!([timed.time_at(0, 0.25), timed.time_at(1, 0.5), timed.time_at(9, 0.0)], [Some(1.625), Some(2.0), None]);
    let untimed = read("a/j,b/j\n0,0\n").unwrap().lines();
    assert_eq!((untimed.times(), untimed.time_at(0, 0.5)), (None, None));
    // A column of times belongs to a path, not to a segment.
    let segments = parse_segments("a_time,a_a/j\n0,0\n", Path::new("s.csv"), &scene(false), PathSettings::default());
    assert!(segments.unwrap_err().to_string().contains("no joint is called \"time\""));
}

/// The messages that planners, controllers and recorders write, each as JSON and as YAML.
#[test]
fn every_message_that_holds_paths_is_read() {
    let joints = r#""joint_names":["a/j","b/j"],"points":[{"positions":[0,1],"time_from_start":{"sec":1,"nanosec":500000000}},
        {"positions":[0.5,1],"time_from_start":{"secs":2,"nsecs":0}}]"#;
    let state = |sec: u32, j: f64| {
        format!(
            r#"{{"header":{{"stamp":{{"sec":{sec},"nanosec":0}},"frame_id":""}},"name":["b/j","a/j"],"position":[1,{j}],"velocity":[],"effort":[]}}"#
        )
    };
    let robot = format!(
        r#"{{"joint_trajectory":{{{joints}}},"multi_dof_joint_trajectory":{{"header":{{}},"joint_names":[],"points":[]}}}}"#
    );
    let cases: Vec<(String, usize)> = vec![
        (format!("{{{joints}}}"), 1),
        (robot.clone(), 1),
        (
            format!(
                r#"{{"model_id":"r","trajectory":[{robot},{robot}],"trajectory_start":{{"joint_state":{{}},"is_diff":false}}}}"#
            ),
            2,
        ),
        (
            format!(
                r#"{{"trajectory":{{{joints}}},"path_tolerance":[],"goal_tolerance":[],"goal_time_tolerance":{{"sec":0}},"multi_dof_trajectory":{{}}}}"#
            ),
            1,
        ),
        (
            format!(
                r#"{{"header":{{"seq":0,"stamp":{{"secs":0,"nsecs":0}}}},"goal_id":{{"id":"x"}},"goal":{{"trajectory":{{{joints}}}}}}}"#
            ),
            1,
        ),
        (format!(r#"{{"trajectory":{robot},"controller_names":[]}}"#), 1),
        (
            format!(
                r#"{{"trajectory_start":{{}},"group_name":"arm","trajectory":{robot},"planning_time":0.1,"error_code":{{"val":1}}}}"#
            ),
            1,
        ),
        (format!("[{},{}]", state(5, 0.0), state(7, 0.5)), 1),
    ];
    for (json, count) in cases {
        for format in [PathFormat::Json, PathFormat::Yaml] {
            let paths = parse_all_points(&json, Path::new("t"), format, &scene(false), PathSettings::default())
                .unwrap_or_else(|error| panic!("{error}\n{json}"));
            assert_eq!(paths.len(), count, "{json}");
            for path in paths {
                assert_eq!(path.waypoints, [[0.0, 0.125, 1.0], [0.5, 0.125, 1.0]], "{json}");
                let times = if json.contains("stamp\":{\"sec\"") { vec![0.0, 2.0] } else { vec![1.5, 2.0] };
                assert_eq!((path.times, path.warnings), (Some(times), Vec::new()), "{json}");
            }
        }
    }
}

#[test]
fn several_documents_are_several_paths_and_states_that_follow_each_other_are_one() {
    let state = "name: [a/j, b/j]\nposition: [0, 0]\n---\n";
    let joints = "joint_names: [a/j, b/j]\npoints: [{positions: [0, 1]}]\n---\n";
    let read =
        |text: &str| parse_all_points(text, Path::new("t"), PathFormat::Yaml, &scene(false), PathSettings::default());
    let count = |text: &str| read(text).unwrap().iter().map(|path| path.waypoints.len()).collect::<Vec<_>>();
    assert_eq!(count(&state.repeat(3)), [3]);
    assert_eq!(count(&joints.repeat(3)), [1, 1, 1]);
    assert_eq!(count(&format!("{state}{joints}{state}{state}")), [1, 1, 2]);
    let json = "{\"name\": [\"a/j\", \"b/j\"], \"position\": [0, 0]}\n".repeat(2);
    let paths =
        parse_all_points(&json, Path::new("t"), PathFormat::Json, &scene(false), PathSettings::default()).unwrap();
    assert_eq!(paths[0].waypoints.len(), 2, "one object per line");
    let error =
        parse_points(&joints.repeat(2), Path::new("t"), PathFormat::Yaml, &scene(false), PathSettings::default());
    assert!(error.unwrap_err().to_string().contains("2 paths where one is needed"));
    // Without a stamp, the times of all count.
    let stamped = "header: {stamp: {sec: 9, nanosec: 0}}\n";
    assert_eq!(read(&format!("{stamped}{state}{state}")).unwrap()[0].times, None);
    // A stamp in seconds since 1970 is only known to 0.2 µs.
    let now = "header: {stamp: {sec: 1700000000, nanosec: 100000000}}\n";
    let then = "header: {stamp: {sec: 1700000001, nanosec: 200000001}}\n";
    assert_eq!(
        read(&format!("{now}{state}{then}{state}")).unwrap()[0].times,
        Some(vec![0.0, 1.0 + 100_000_001.0 * 1e-9])
    );
    let back = format!("{stamped}{state}{}{state}", stamped.replace('9', "8"));
    assert!(read(&back).unwrap_err().to_string().contains("waypoint 1: the time -1 s is before"));
}

#[test]
fn a_start_state_fills_what_a_trajectory_leaves_out() {
    let text = r#"{"trajectory":[{"joint_trajectory":{"joint_names":["a/j"],"points":[{"positions":[0.5]}]}}],
        "trajectory_start":{"joint_state":{"name":["a/j","b/j","wheel","follower"],"position":[9,0.25,1,7]},
        "multi_dof_joint_state":{"joint_names":["world"],"transforms":[{"translation":{"x":0,"y":0,"z":0},"rotation":{"x":0,"y":0,"z":0,"w":1}}]},
        "attached_collision_objects":[{"link_name":"x"}]}}"#;
    let path = parse_points(text, Path::new("t"), PathFormat::Json, &scene(false), PathSettings::default()).unwrap();
    assert_eq!(path.waypoints, [[0.5, 0.125, 0.25]]);
    let warnings = path.warnings.join("\n");
    assert!(warnings.contains("joints that are not in the scene: wheel, world; a base among them stays"), "{warnings}");
    assert!(warnings.contains("1 objects are attached in the start state and not checked"), "{warnings}");
}

#[test]
fn messages_that_are_no_path_are_refused_with_place_and_remedy() {
    let cases: &[(&str, &[&str])] = &[
        (r#"{"header":{}}"#, &["no path in it", "JointTrajectory"]),
        (r#"{"trajectory":[]}"#, &["`trajectory` is empty"]),
        (r#"{"name":["a/j","b/j"]}"#, &["needs `name` and `position`"]),
        (r#"{"name":["a/j","b/j"],"position":[1]}"#, &["1 positions where name has 2"]),
        (r#"{"name":["a/j"],"position":[1]}"#, &["no value for b/j"]),
        (r#"{"name":[],"position":[],"points":[]}"#, &["several messages at once"]),
        (r#"{"joint_trajectory":{"joint_trajectory":{}}}"#, &["RobotTrajectory inside a RobotTrajectory"]),
        (r#"{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0],"time_from_start":"x"}]}"#, &["sec and nanosec"]),
        (
            r#"{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0],"time_from_start":2},{"positions":[0,0],"time_from_start":1}]}"#,
            &["waypoint 1", "the time 1 s is before"],
        ),
        (
            r#"{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0],"time_from_start":2},{"positions":[0,0]}]}"#,
            &["points", "1 of 2 points have a time"],
        ),
        (
            r#"[{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0]}]},{"points":[{"positions":[9]}]}]"#,
            &["message 1, waypoint 0"],
        ),
        (r#""text""#, &["line 1", "a message or a list of messages"]),
        (r#"{"colour":1}"#, &["unknown field `colour`"]),
    ];
    for (text, parts) in cases {
        for format in [PathFormat::Json, PathFormat::Yaml] {
            let error = parse_all_points(text, Path::new("t"), format, &scene(false), PathSettings::default());
            let error = error.expect_err(text).to_string();
            for part in *parts {
                assert!(error.contains(part), "{part:?} is not in: {error}\n{text}");
            }
        }
    }
    // All zero means that a message has no times.
    let unset = r#"{"joint_names":["a/j","b/j"],"points":[{"positions":[0,0],"time_from_start":0},{"positions":[0,0],"time_from_start":0}]}"#;
    assert_eq!(
        parse_points(unset, Path::new("t"), PathFormat::Json, &scene(false), PathSettings::default()).unwrap().times,
        None
    );
}
