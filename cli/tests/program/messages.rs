//! Trajectories as other programs write them, read by the real program, and times in the answer.

use crate::cell::Cell;

/// A JointTrajectory of the slide, from 0 to a goal, with times 2 s apart.
fn joints(goal: f64) -> String {
    format!(
        "{{\"joint_names\": [\"slide\"], \"points\": [{{\"positions\": [0], \"time_from_start\": {{\"sec\": 1, \"nanosec\": 0}}}}, \
         {{\"positions\": [{goal}], \"time_from_start\": {{\"sec\": 3, \"nanosec\": 0}}}}]}}"
    )
}

#[test]
fn every_kind_of_message_is_checked_and_its_times_are_in_the_answer() {
    let cell = Cell::new("messages-kinds");
    let kinds = [
        joints(1.5),
        format!("{{\"joint_trajectory\": {}}}", joints(1.5)),
        format!(
            "{{\"model_id\": \"r\", \"trajectory\": [{{\"joint_trajectory\": {}}}], \"trajectory_start\": {{}}}}",
            joints(1.5)
        ),
        format!(
            "{{\"trajectory\": {}, \"goal_tolerance\": [], \"goal_time_tolerance\": {{\"sec\": 0, \"nanosec\": 0}}}}",
            joints(1.5)
        ),
        format!("{{\"goal_id\": {{}}, \"goal\": {{\"trajectory\": {}}}}}", joints(1.5)),
    ];
    for message in kinds {
        for name in ["t.json", "t.yaml"] {
            cell.write(name, &message);
            let answer = cell.json(&["check", "cell.toml", name], 1);
            let (t, time) = (answer["t"].as_f64().expect("a number"), answer["time"].as_f64().expect("a time"));
            assert!(answer["verdict"] == "collision" && (time - (1.0 + 2.0 * t)).abs() < 1e-12, "{answer}");
            let text = cell.output(&["check", "cell.toml", name], 1);
            assert!(text.contains("segment 0, t = ") && text.contains(", at ") && text.contains(" s\n"), "{text}");
        }
    }
    let all = cell.json(&["check", "cell.toml", "t.json", "--all"], 1);
    assert_eq!(all["findings"][0]["time"], all["time"]);
}

/// `ros2 topic echo /joint_states` for a while.
#[test]
fn recorded_joint_states_are_one_path() {
    let cell = Cell::new("messages-states");
    let state = |sec: u32, x: f64| {
        format!(
            "header:\n  stamp:\n    sec: {sec}\n    nanosec: 500000000\n  frame_id: ''\nname:\n- slide\nposition:\n- {x}\nvelocity: []\neffort: []\n---\n"
        )
    };
    cell.write("states.yaml", &format!("{}{}{}", state(100, 0.0), state(101, 0.5), state(103, 1.5)));
    let answer = cell.json(&["check", "cell.toml", "states.yaml"], 1);
    assert_eq!((&answer["verdict"], &answer["segment"]), (&"collision".into(), &1.into()));
    let time = answer["time"].as_f64().expect("a time");
    assert!((1.0..3.0).contains(&time), "counted from the first state: {answer}");
    cell.write("back.yaml", &format!("{}{}", state(101, 0.0), state(100, 0.5)));
    let message = cell.refusal(&["check", "cell.toml", "back.yaml"]);
    assert!(message.contains("back.yaml: waypoint 1: the time -1 s is before"), "{message}");
}

#[test]
fn tables_with_semicolons_tabs_comments_and_times_are_read() {
    let cell = Cell::new("messages-tables");
    for (name, text) in [
        ("a.csv", "# recorded\ntime;slide\n0;0\n# half way\n2;1.5\n"),
        ("b.csv", "slide\ttime\n0\t0\n1.5\t2\n"),
        ("c.csv", "time,slide\n0,0\n2,1.5\n"),
    ] {
        cell.write(name, text);
        let answer = cell.json(&["check", "cell.toml", name], 1);
        let (t, time) = (answer["t"].as_f64().expect("a number"), answer["time"].as_f64().expect("a time"));
        assert!((time - 2.0 * t).abs() < 1e-12, "{name}: {answer}");
    }
    cell.write("back.csv", "time,slide\n1,0\n0.5,0.5\n");
    assert!(cell.refusal(&["check", "cell.toml", "back.csv"]).contains("the time 0.5 s is before"));
    cell.write("comma.csv", "slide;time\n0,5;0\n");
    assert!(cell.refusal(&["check", "cell.toml", "comma.csv"]).contains("write a number with a point"));
    // Without times there is none in the answer.
    cell.path("p.csv", &[0.0, 1.5]);
    assert!(cell.json(&["check", "cell.toml", "p.csv"], 1).get("time").is_none());
}

#[test]
fn mimic_joints_are_accepted_where_they_agree() {
    let cell = Cell::new("messages-mimic");
    cell.write(
        "g.urdf",
        "<robot name='g'><link name='palm'/><link name='left'><collision><geometry><sphere radius='0.1'/></geometry></collision></link><link name='right'/>
         <joint name='a' type='prismatic'><parent link='palm'/><child link='left'/><limit lower='0' upper='1'/></joint>
         <joint name='b' type='prismatic'><parent link='palm'/><child link='right'/><limit lower='-1' upper='1'/><mimic joint='a' multiplier='-1'/></joint></robot>",
    );
    let wall = "[[obstacles]]\nname = \"wall\"\nbox = [0.1, 1, 1]\nxyz = [0.6, 0, 0]\n";
    cell.write("g.toml", &format!("[[robots]]\nname = \"g\"\nurdf = \"g.urdf\"\n{wall}"));
    cell.write("good.csv", "a,b\n0,0\n0.25,-0.2500004\n");
    cell.write("good.json", "{\"name\": [\"b\", \"a\"], \"position\": [-0.25, 0.25]}");
    for name in ["good.csv", "good.json"] {
        assert_eq!(cell.json(&["check", "g.toml", name], 0)["verdict"], "free");
    }
    cell.write("bad.csv", "a,b\n0,0\n0.25,0.25\n");
    let message = cell.refusal(&["check", "g.toml", "bad.csv"]);
    assert!(
        message.contains("line 3, waypoint 1: the mimic joint \"g/b\" is 0.25, and what it follows makes it -0.25"),
        "{message}"
    );
}
