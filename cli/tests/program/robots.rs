//! Robots as they come: a URDF alone, SRDFs of another variant, packages by the environment, meshes of every format, and
//! robots that touch themselves.

use crate::cell::Cell;

const CUBE_OFF: &str = "OFF\n8 6 0\n-1 -1 -1\n1 -1 -1\n-1 1 -1\n1 1 -1\n-1 -1 1\n1 -1 1\n-1 1 1\n1 1 1\n\
    4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";

fn cube_ply() -> String {
    let body = CUBE_OFF.split_once("0\n").expect("the counts").1;
    format!(
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n\
         element face 6\nproperty list uchar int vertex_indices\nend_header\n{body}"
    )
}

/// An arm whose first link is a mesh.
fn urdf(mesh: &str) -> String {
    format!(
        "<robot name='arm'><link name='base'><collision><geometry><mesh filename='{mesh}' scale='0.1 0.1 0.1'/></geometry></collision></link>
         <link name='hand'><collision><origin xyz='0.5 0 0'/><geometry><sphere radius='0.1'/></geometry></collision></link>
         <link name='tip'><collision><origin xyz='0.5 0.5 0'/><geometry><sphere radius='0.1'/></geometry></collision></link>
         <joint name='a' type='continuous'><parent link='base'/><child link='hand'/><axis xyz='0 0 1'/></joint>
         <joint name='b' type='continuous'><parent link='hand'/><child link='tip'/><axis xyz='0 0 1'/></joint></robot>"
    )
}

#[test]
fn a_urdf_is_a_scene_of_that_robot_alone() {
    let cell = Cell::new("robots-alone");
    cell.write("arm.urdf", &urdf("cube.off"));
    cell.write("cube.off", CUBE_OFF);
    cell.write("p.csv", "a,b\n0,0\n1,0.5\n");
    let answer = cell.json(&["check", "arm.urdf", "p.csv"], 0);
    assert_eq!((&answer["verdict"], &answer["proven"]["pairs"]), (&"free".into(), &1.into()));
    assert!(answer["notes"][0].as_str().is_some_and(|note| note.contains("without an SRDF")), "{answer}");
    let text = cell.output(&["scene", "arm.urdf"], 0);
    assert!(text.contains("arm/hand") && text.contains("arm.urdf is checked alone, as \"arm\""), "{text}");
    // An SRDF of the same name beside it is used, and said.
    cell.write("arm.srdf", "<robot name='arm'><disable_collisions link1='base' link2='tip' reason='Never'/></robot>");
    let text = cell.output(&["scene", "arm.urdf"], 0);
    assert!(text.contains("disabled by the SRDF (Never): 1") && text.contains("with arm.srdf beside it"), "{text}");
    assert!(cell.refusal(&["check", "arm.urdf", "p.csv"]).contains("no pair of bodies is checked"));
    cell.write("s.csv", "a_a,a_b,b_a,b_b\n0,0,1,1\n");
    std::fs::remove_file(cell.folder.join("arm.srdf")).expect("it was there");
    let output = cell.run(&["batch", "arm.urdf", "s.csv"]);
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stderr).contains("note: arm.urdf is checked alone")
    );
}

#[test]
fn an_srdf_of_another_variant_warns_and_skips_nothing_more() {
    let cell = Cell::new("robots-srdf");
    cell.write("arm.urdf", &urdf("cube.off"));
    cell.write("cube.off", CUBE_OFF);
    cell.write(
        "arm.srdf",
        "<robot name='other'><group name='g'><joint name='root_joint'/><chain base_link='base' tip_link='claw'/></group>
         <group_state name='home' group='g'><joint name='root_joint' value='0 0 0 0 0 0 1'/><joint name='a' value='0.5'/><joint name='b' value='0'/></group_state>
         <end_effector name='e' parent_link='claw' group='g'/><disable_collisions link1='base' link2='claw'/><disable_collisions link1='claw' link2='jaw'/></robot>",
    );
    let shown = cell.json(&["scene", "arm.urdf", "--at", "home"], 0);
    assert_eq!(shown["pairs"]["checked"], 1);
    let warnings = shown["warnings"].to_string();
    for part in
        ["does not have 2 links (claw, jaw), named 5 times", "1 joints (root_joint)", "skips nothing", "for the robot"]
    {
        assert!(warnings.contains(part), "{part:?} is not in {warnings}");
    }
}

#[test]
fn packages_are_found_beside_the_robot_above_it_and_by_the_environment() {
    let cell = Cell::new("robots-packages");
    for folder in
        ["ws/robot/urdf", "ros/stack/pkg/m", "ros/flat/m", "ament/share/pkg/m", "gz/pkg/m", "own/m", "ws/pkg/m"]
    {
        cell.folder(folder);
    }
    let scene = |more: &str| format!("[[robots]]\nname = \"arm\"\nurdf = \"ws/robot/urdf/arm.urdf\"\n{more}");
    cell.write("s.toml", &scene(""));
    cell.write("own.toml", &scene("packages = { pkg = \"own\" }\n"));
    let found = |variables: &[(&str, &str)], scene: &str| {
        let output = cell.command(&["scene", scene]).envs(variables.iter().copied()).output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for scheme in ["package", "model"] {
        cell.write("ws/robot/urdf/arm.urdf", &urdf(&format!("{scheme}://pkg/m/cube.off")));
        let (status, message) = found(&[], "s.toml");
        assert_eq!(status, Some(2));
        for part in ["\"pkg\"", "ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, GZ_SIM_RESOURCE_PATH", "packages = { pkg"] {
            assert!(message.contains(part), "{message}");
        }
        for (place, variable, value) in [
            ("ros/stack/pkg/m/cube.off", "ROS_PACKAGE_PATH", "none:ros"),
            ("ament/share/pkg/m/cube.off", "AMENT_PREFIX_PATH", "ament"),
            ("gz/pkg/m/cube.off", "GZ_SIM_RESOURCE_PATH", "gz"),
        ] {
            cell.write(place, CUBE_OFF);
            assert_eq!(found(&[(variable, value)], "s.toml"), (Some(0), String::new()), "{variable}");
            std::fs::remove_file(cell.folder.join(place)).expect("it was there");
        }
        // A package that declares its name may lie in a folder of another.
        cell.write("ros/flat/package.xml", "<package><name>pkg</name></package>");
        cell.write("ros/flat/m/cube.off", CUBE_OFF);
        assert_eq!(found(&[("ROS_PACKAGE_PATH", "ros/flat")], "s.toml").0, Some(0));
        // What is above the robot comes before the environment, and the scene's own word before both.
        cell.write("ws/pkg/m/cube.off", "not a mesh");
        assert!(found(&[("ROS_PACKAGE_PATH", "ros/flat")], "s.toml").1.contains("ws/pkg/m/cube.off"));
        cell.write("own/m/cube.off", CUBE_OFF);
        assert_eq!(found(&[("ROS_PACKAGE_PATH", "ros/flat")], "own.toml").0, Some(0));
        std::fs::remove_file(cell.folder.join("ws/pkg/m/cube.off")).expect("it was there");
    }
}

#[test]
fn ply_and_off_are_read_and_other_formats_refused_with_what_converts_them() {
    let cell = Cell::new("robots-meshes");
    cell.write("cube.off", CUBE_OFF);
    cell.write("cube.ply", &cube_ply());
    for name in ["cube.off", "cube.ply"] {
        let scene = format!(
            "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n[[obstacles]]\nname = \"cube\"\nmesh = \"{name}\"\nscale = 0.05\nxyz = [1, 0, 0]\n"
        );
        cell.write("s.toml", &scene);
        cell.path("p.csv", &[0.0, 0.95]);
        let answer = cell.json(&["check", "s.toml", "p.csv"], 1);
        assert_eq!(answer["verdict"], "collision", "{name}");
        cell.path("p.csv", &[0.0, 0.845]);
        assert_eq!(cell.json(&["check", "s.toml", "p.csv"], 0)["verdict"], "free", "{name}");
        assert!(
            cell.output(&["scene", "s.toml"], 0)
                .contains("12 triangles, solid, 0.1 × 0.1 × 0.1 m at (1, 0, 0), static")
        );
    }
    for (name, problem) in [
        ("a.step", "gmsh IN.step"),
        ("a.STP", "FreeCAD"),
        ("a.3mf", "assimp export IN.3mf"),
        ("a.xyz", "convert it to .stl"),
    ] {
        cell.write(name, "x");
        cell.write("bad.toml", &format!("[[obstacles]]\nname = \"m\"\nmesh = \"{name}\"\n"));
        let message = cell.refusal(&["scene", "bad.toml"]);
        assert!(message.contains(name) && message.contains(problem) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn faults_in_geometry_that_is_not_used_are_no_error() {
    let cell = Cell::new("robots-unused");
    cell.write("cube.off", CUBE_OFF);
    let visual = "<visual><geometry><mesh filename='gone.dae'/></geometry></visual><visual><geometry><sphere radius='0'/></geometry></visual>";
    cell.write("arm.urdf", &urdf("cube.off").replace("<link name='tip'>", &format!("<link name='tip'>{visual}")));
    assert!(cell.output(&["scene", "arm.urdf"], 0).contains("faults in visual geometry, which is not used: 1"));
    cell.write("v.toml", "[[robots]]\nname = \"arm\"\nurdf = \"arm.urdf\"\ngeometry = \"visual\"\n");
    assert!(cell.refusal(&["scene", "v.toml"]).contains("radius"));
}

/// Of a real robot 50 pairs touch before anything moves; it was reported as one collision without a word of the others.
#[test]
fn a_robot_that_touches_itself_is_told_with_count_names_and_remedy() {
    let cell = Cell::new("robots-touching");
    let links: String = (0..6)
        .map(|i| format!("<link name='l{i}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"))
        .collect();
    let joints: String = (0..5)
        .map(|i| {
            format!("<joint name='j{i}' type='continuous'><parent link='l{i}'/><child link='l{}'/></joint>", i + 1)
        })
        .collect();
    cell.write("knot.urdf", &format!("<robot name='knot'>{links}{joints}</robot>"));
    cell.write("p.csv", "j0,j1,j2,j3,j4\n0,0,0,0,0\n1,1,1,1,1\n");
    let answer = cell.json(&["check", "knot.urdf", "p.csv"], 1);
    let warning = answer["warnings"].to_string();
    for part in [
        "10 pairs are in contact at the first configuration already: ",
        "knot/l0 – knot/l2",
        "and 7 more",
        "pathproof acm",
        "wildcards",
        "check = false",
    ] {
        assert!(warning.contains(part), "{part:?} is not in {warning}");
    }
    assert_eq!(answer["warnings"].as_array().map(Vec::len), Some(1));
    // The remedy helps; neighbours through a fixed link would stay checked.
    cell.write(
        "s.toml",
        "[[robots]]\nname = \"knot\"\nurdf = \"knot.urdf\"\n[[pairs]]\nbodies = [\"knot/*\", \"knot/*\"]\ncheck = false\n\
         [[obstacles]]\nname = \"far\"\nsphere = 0.1\nxyz = [0.5, 0, 0]\n",
    );
    assert_eq!(cell.json(&["check", "s.toml", "p.csv"], 0)["proven"]["pairs"], 5);
    assert!(cell.output(&["scene", "knot.urdf"], 0).contains("pairs in contact: 10\n  knot/l0 and knot/l2\n"));
}

#[test]
fn neighbours_through_a_fixed_link_stay_checked() {
    let cell = Cell::new("robots-fixed");
    cell.write(
        "hand.urdf",
        "<robot name='hand'><link name='arm'><collision><geometry><sphere radius='0.1'/></geometry></collision></link><link name='flange'/>
         <link name='tool'><collision><origin xyz='0.5 0 0'/><geometry><sphere radius='0.1'/></geometry></collision></link>
         <joint name='f' type='fixed'><parent link='arm'/><child link='flange'/></joint>
         <joint name='j' type='continuous'><parent link='flange'/><child link='tool'/></joint></robot>",
    );
    assert!(cell.output(&["scene", "hand.urdf", "--pairs"], 0).contains("pairs checked: 1\n  hand/arm – hand/tool\n"));
}

#[test]
fn obstacles_out_of_reach_are_named_once_with_the_question() {
    let cell = Cell::new("robots-units");
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    cell.write(
        "mm.toml",
        &format!("{scene}[[obstacles]]\nname = \"table\"\nbox = [800, 800, 20]\nxyz = [0, 0, -5000]\n"),
    );
    cell.path("p.csv", &[0.0, 0.5]);
    for arguments in [&["check", "mm.toml", "p.csv"][..], &["scene", "mm.toml"]] {
        let text = cell.output(arguments, 0);
        assert_eq!(text.matches("are these millimetres?").count(), 1, "{text}");
        assert!(text.contains("table (at least "), "{text}");
    }
    assert!(!cell.output(&["check", "cell.toml", "p.csv"], 0).contains("millimetres"));
}
