//! What goes wrong in the first hour, and that the message says what to do: other files than scenes and paths, names that
//! lead nowhere, millimetres, degrees, contact at the start.

use crate::cell::Cell;

fn has_all(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

/// They went to the TOML parser, which said "key with no value, expected `=`".
#[test]
fn what_is_no_scene_is_told_as_what_it_is() {
    let cell = Cell::new("errors-no-scene");
    cell.path("p.csv", &[0.0, 0.5]);
    let xacro = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:include filename='x'/></robot>";
    let files = [
        ("arm.urdf.xacro", xacro, "`xacro arm.urdf.xacro -o arm.urdf`"),
        ("arm.xacro", xacro, "`xacro arm.xacro -o arm.urdf`"),
        ("arm.xml", xacro, "xacro file"),
        ("model.sdf", "<sdf version='1.9'><model name='m'/></sdf>", "SDF file, which is not read; name the URDF"),
        ("world", "<?xml version='1.0'?>\n<sdf version='1.9'/>", "SDF file"),
        ("arm.srdf", "<robot name='r'/>", "srdf = \"…\" under [[robots]]"),
        (
            "robot.xml",
            "<robot name='r'><link name='a'/></robot>",
            "URDF under another name; give it a name that ends in .urdf",
        ),
        ("cube.stl", "solid", "mesh = \"…\""),
    ];
    for (name, text, said) in files {
        cell.write(name, text);
        for arguments in [&["scene", name][..], &["check", name, "p.csv"], &["acm", name]] {
            let message = cell.refusal(arguments);
            assert!(message.starts_with(&format!("pathproof: {name}: this is")) && message.contains(said), "{message}");
        }
    }
    has_all(&cell.refusal(&["check", "p.csv", "cell.toml"]), &["p.csv: this is a path", "the order is SCENE PATH"]);
    has_all(&cell.refusal(&["check", "cell.toml", "cell.toml"]), &["this is a scene", "the order is SCENE PATH"]);
    has_all(&cell.refusal(&["acm", "cell.toml"]), &["one robot", "ends in .urdf"]);
    let single = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n\n[obstacles]\nname = \"o\"\nsphere = 1\n";
    cell.write("single.toml", single);
    has_all(
        &cell.refusal(&["scene", "single.toml"]),
        &["single.toml: line 5: ", "write [[obstacles]], with two brackets"],
    );
    cell.write("model.urdf", "<sdf version='1.9'/>");
    has_all(&cell.refusal(&["scene", "model.urdf"]), &["this is an SDF file"]);
}

#[test]
fn names_that_lead_nowhere_are_shown_whole_with_where_they_were_looked_for() {
    let cell = Cell::new("errors-names");
    cell.path("p.csv", &[0.0, 0.5]);
    let message = cell.refusal(&["check", "nope.toml", "p.csv"]);
    let whole = cell.folder.join("nope.toml").display().to_string();
    has_all(&message, &["nope.toml: cannot open it", "looked for at ", &whole]);
    assert!(!message.contains("refers to them"), "{message}");
    for option in ["--report", "--junit", "--profile", "--certificate"] {
        let message = cell.refusal(&["check", "cell.toml", "p.csv", option, "no/such/out.html"]);
        has_all(&message, &[option, "the folder no/such does not exist"]);
    }
    has_all(&cell.refusal(&["check", "cell.toml", "-", "-"]), &["standard input twice", "once"]);
    has_all(&cell.refusal(&["check", "-", "p.csv"]), &["a scene is a file"]);
    let mesh = "package://some_robot_support/meshes/collision/a_link_with_a_long_name.stl";
    let urdf = format!(
        "<robot name='r'><link name='a'><collision><geometry><mesh filename='{mesh}'/></geometry></collision></link></robot>"
    );
    cell.write("mesh.urdf", &urdf);
    cell.write(
        "pkg.toml",
        "[[robots]]\nname = \"r\"\nurdf = \"mesh.urdf\"\npackages = { some_robot_support = \"wrong\" }\n",
    );
    let message = cell.refusal(&["scene", "pkg.toml"]);
    has_all(&message, &[mesh, "`packages` of the scene file says that \"some_robot_support\" is wrong"]);
}

/// Advice about links was given where an object that is to be picked up stands in the gripper.
#[test]
fn contact_at_the_start_gets_the_advice_that_fits() {
    let cell = Cell::new("errors-contact");
    cell.path("p.csv", &[0.9, 0.5]);
    let answer = cell.json(&["check", "cell.toml", "p.csv"], 1);
    let warning = answer["warnings"][0].as_str().expect("a warning");
    has_all(warning, &["is wall in its place?", "attach = \"r/ball\" in the scene", "--attach wall=r/ball"]);
    assert!(!warning.contains("acm"), "{warning}");
    let refused = cell.refusal(&["plan", "cell.toml", "--start", "0.9", "--goal", "0", "-o", "o.csv"]);
    has_all(&refused, &["the start is not free", "is wall in its place?"]);
    let two = "<robot name='two'><link name='a'><collision><geometry><sphere radius='0.1'/></geometry></collision></link><link name='m'/>
        <link name='b'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
        <joint name='j' type='revolute'><parent link='a'/><child link='m'/><axis xyz='0 0 1'/><limit lower='-1' upper='1'/></joint>
        <joint name='k' type='prismatic'><parent link='m'/><child link='b'/><axis xyz='1 0 0'/><limit lower='0' upper='1'/></joint></robot>";
    cell.write("two.urdf", two);
    cell.write("q.csv", "j,k\n0,0.1\n0,0.5\n");
    let answer = cell.json(&["check", "two.urdf", "q.csv"], 1);
    let warning = answer["warnings"][0].as_str().expect("a warning");
    has_all(warning, &["how links are built", "`pathproof acm`", "[[pairs]]"]);
    for (start, goal, end) in [("0,0.1", "0,0.5", "start"), ("0,0.5", "0,0.1", "goal")] {
        let refused = cell.refusal(&["plan", "two.urdf", "--start", start, "--goal", goal, "-o", "o.csv"]);
        has_all(&refused, &[&format!("the {end} is not free"), "`pathproof acm`", "[[pairs]]"]);
    }
    // One pair alone is listed too.
    let shown = cell.output(&["scene", "two.urdf", "--at", "0,0.1"], 0);
    has_all(&shown, &["pairs in contact: 1\n  two/a and two/b"]);
}

/// A cube of `size` metres.
fn cube(size: f64) -> String {
    let corner = |i: usize| [i & 1, i >> 1 & 1, i >> 2].map(|bit| (bit as f64 - 0.5) * size);
    let points: String = (0..8).map(corner).map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    format!("OFF\n8 6 0\n{points}4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n")
}

#[test]
fn millimetres_are_asked_about_in_obstacles_and_in_robots() {
    let cell = Cell::new("errors-millimetres");
    let warned = |scene: &str| {
        let warnings = cell.json(&["scene", scene], 0)["warnings"].to_string();
        warnings.contains("are these millimetres?").then_some(warnings)
    };
    let scene = |mesh: &str, more: &str| {
        let robot = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n";
        cell.write("s.toml", &format!("{robot}[[obstacles]]\nname = \"part\"\nmesh = \"{mesh}\"\n{more}"));
        warned("s.toml")
    };
    for (size, is_odd) in [(100.0, true), (200.0, true), (30.0, false), (2.0, false)] {
        cell.write("part.off", &cube(size));
        assert_eq!(scene("part.off", "").is_some(), is_odd, "{size}");
        assert!(scene("part.off", "scale = 1\n").is_none(), "{size}");
    }
    cell.write("part.off", &cube(200.0));
    let warning = scene("part.off", "").expect("it is odd");
    has_all(
        &warning,
        &["part is 200.0 m wide, the robot reaches ", "(scale = 0.001, or scale = 1 where they are metres)"],
    );
    // The ground may be large.
    cell.write("ground.obj", "v -100 -100 0\nv 100 -100 0\nv 100 100 0\nv -100 100 0\nf 1 2 3 4\n");
    assert!(scene("ground.obj", "surface = true\n").is_none());
    let arm = |scale: &str| {
        format!(
            "<robot name='arm'><link name='base'><collision><geometry><mesh filename='part.off'{scale}/></geometry></collision></link>
             <link name='hand'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
             <joint name='j' type='continuous'><parent link='base'/><child link='hand'/><origin xyz='0 0 0.8'/><axis xyz='0 0 1'/></joint></robot>"
        )
    };
    cell.write("arm.urdf", &arm(""));
    has_all(&warned("arm.urdf").expect("it is odd"), &["arm/base is 200.0 m wide", "joints span 0.8 m", "in the URDF"]);
    cell.write("arm.urdf", &arm(" scale='0.001 0.001 0.001'"));
    assert!(warned("arm.urdf").is_none());
}

#[test]
fn wrong_joints_degrees_and_ambiguous_names_get_a_question_or_the_remedy() {
    let cell = Cell::new("errors-joints");
    cell.write("typo.csv", "slidee\n0\n");
    has_all(&cell.refusal(&["check", "cell.toml", "typo.csv"]), &["no joint is called", "did you mean \"slide\"?"]);
    cell.write("robot.csv", "r/silde\n0\n");
    has_all(&cell.refusal(&["check", "cell.toml", "robot.csv"]), &["did you mean \"r/slide\"?"]);
    cell.write("far.csv", "gripper_finger_left\n0\n");
    let message = cell.refusal(&["check", "cell.toml", "far.csv"]);
    assert!(!message.contains("did you mean"), "{message}");
    let arm = "<robot name='arm'><link name='a'/><link name='b'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
        <joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><limit lower='-3' upper='3'/></joint></robot>";
    cell.write("arm.urdf", arm);
    let robot = |name: &str, y: f64| format!("[[robots]]\nname = \"{name}\"\nurdf = \"arm.urdf\"\nxyz = [0, {y}, 0]\n");
    cell.write("two.toml", &format!("{}{}", robot("left", 0.0), robot("right", 1.0)));
    cell.write("degrees.csv", "left/j,right/j\n0,0\n90,-45\n");
    has_all(&cell.refusal(&["check", "two.toml", "degrees.csv"]), &["outside its limits", "are these degrees?"]);
    cell.write("outside.csv", "left/j,right/j\n0,0\n3.2,0\n");
    let message = cell.refusal(&["check", "two.toml", "outside.csv"]);
    assert!(message.contains("--ignore-limits") && !message.contains("degrees"), "{message}");
    cell.path("metres.csv", &[0.0, 90.0]);
    assert!(!cell.refusal(&["check", "cell.toml", "metres.csv"]).contains("degrees"), "a slide has no degrees");
    cell.write("both.csv", "j\n0\n");
    has_all(&cell.refusal(&["check", "two.toml", "both.csv"]), &["write the robot's name before it, as in `left/j`"]);
}

#[test]
fn an_srdf_is_told_how_to_be_used() {
    let cell = Cell::new("errors-srdf");
    let text = cell.output(&["acm", "r.urdf", "-o", "out.srdf"], 0);
    has_all(&text, &["if it is called r.srdf", "srdf = \"out.srdf\" under [[robots]]"]);
    let text = cell.output(&["scene", "r.urdf"], 0);
    has_all(
        &text,
        &["without an SRDF; out.srdf lies beside it and is not used: call it r.srdf, or write srdf = \"out.srdf\""],
    );
    let text = cell.output(&["acm", "r.urdf", "-o", "r.srdf"], 0);
    has_all(&text, &["used where r.urdf is checked alone, for it has the same name"]);
    has_all(&cell.output(&["scene", "r.urdf"], 0), &["with r.srdf beside it"]);
}

/// "at least 0.002 m apart" read as a failure where other pairs were asked for 10 mm.
#[test]
fn a_free_path_with_clearances_of_pairs_says_that_each_is_kept() {
    let cell = Cell::new("errors-own-clearance");
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the cell is there");
    let own = "[[pairs]]\nbodies = [\"r/ball\", \"wall\"]\nclearance = 0.002\n";
    cell.write("own.toml", &format!("clearance = 0.01\n{scene}{own}"));
    cell.path("p.csv", &[0.0, 0.5]);
    let text = cell.output(&["check", "own.toml", "p.csv"], 0);
    assert!(text.starts_with("free: proven, every pair farther apart than its clearance\n"), "{text}");
    let text = cell.output(&["check", "cell.toml", "p.csv", "--clearance", "0.01"], 0);
    assert!(text.starts_with("free: proven, at least 0.01 m apart\n"), "{text}");
}

#[test]
fn failures_in_junit_say_when() {
    let cell = Cell::new("errors-junit");
    cell.write("t.csv", "time,slide\n0,0\n2,1.5\n");
    let failure = |more: &[&str]| {
        cell.output(&[&["check", "cell.toml", "t.csv", "--junit", "j.xml"], more].concat(), 1);
        std::fs::read_to_string(cell.folder.join("j.xml")).expect("it is written")
    };
    for more in [&[][..], &["--all"], &["--max-queries", "0"]] {
        let xml = failure(more);
        let message = xml.split("message=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a message");
        assert!(message.ends_with(" s") && (message.contains(", at ") || message.contains(", from ")), "{message}");
    }
}
