use super::*;

fn read(text: &str) -> Result<Controllers, FormatError> {
    parse(text, Path::new("c.yaml"))
}

/// Typical file of a robot: a manager with types, an arm, a gripper, a broadcaster.
const ROBOT: &str = "controller_manager:
  ros__parameters:
    update_rate: 100  # Hz
    arm_controller:
      type: joint_trajectory_controller/JointTrajectoryController
    gripper_controller:
      type: position_controllers/GripperActionController
    joint_state_broadcaster:
      type: joint_state_broadcaster/JointStateBroadcaster

arm_controller:
  ros__parameters:
    joints:
      - shoulder
      - elbow
    command_interfaces: [position]
    state_interfaces: [position, velocity]
    constraints:
      stopped_velocity_tolerance: 0.01
      goal_time: 0.0
      shoulder: {trajectory: 0.1, goal: 0.05}
      elbow.goal: 0.02
      other: {trajectory: 3}
    gains:
      shoulder: {p: 1.0, i: 0.0}

gripper_controller:
  ros__parameters:
    joints: [finger]
";

#[test]
fn files_of_robots_are_read() {
    let found = read(ROBOT).expect("controllers");
    let [arm] = &found.list[..] else { panic!("{found:?}") };
    assert_eq!((arm.name.as_str(), arm.method, arm.upsampling), ("arm_controller", Method::Splines, None));
    assert_eq!(arm.joints, ["shoulder", "elbow"]);
    assert_eq!(arm.tolerances["shoulder"], Tolerance { trajectory: 0.1, goal: 0.05 });
    assert_eq!(arm.tolerances["elbow"], Tolerance { trajectory: 0.0, goal: 0.02 });
    assert_eq!((arm.tolerances.len(), arm.tolerances_text()), (2, Some("shoulder 0.1".into())));
}

#[test]
fn nested_and_dotted_parameters_are_the_same() {
    for text in [
        "a:\n  ros__parameters:\n    joints: [j]\n    interpolation_method: none\n    positions_upsampling:\n      \
         enable: true\n      policy_frequency: 30.0\n",
        "a:\n  ros__parameters:\n    joints: [j]\n    interpolation_method: \"none\"\n    positions_upsampling.enable: yes\n    \
         positions_upsampling.policy_frequency: 30\n",
    ] {
        let found = read(text).expect("a controller");
        assert_eq!((found.list[0].method, found.list[0].upsampling), (Method::None, Some(30.0)), "{text}");
    }
    let off = read("a:\n  ros__parameters: {joints: [j], positions_upsampling: {policy_frequency: 30.0}}\n");
    assert_eq!(off.expect("a controller").list[0].upsampling, None);
}

/// Node names are patterns, nested or with slashes; later values win.
#[test]
fn namespaces_and_wildcards_apply_as_in_ros() {
    let joints = "{ros__parameters: {joints: [j]}}";
    let none = "{ros__parameters: {interpolation_method: none}}";
    for (text, name, method) in [
        (format!("/**: {none}\narm: {joints}\n"), "arm", Method::None),
        (format!("/*: {none}\n/left/arm: {joints}\n"), "left/arm", Method::Splines),
        (format!("/*/arm: {none}\nleft: {{arm: {joints}}}\n"), "left/arm", Method::None),
        (format!("/**/arm: {none}\n/a/b/arm: {joints}\n"), "a/b/arm", Method::None),
        (format!("/**/arm: {joints}\n"), "**/arm", Method::Splines),
        (format!("/**/arm: {joints}\n/left/arm: {none}\n"), "left/arm", Method::None),
        (format!("leg: {none}\narm: {joints}\n"), "arm", Method::Splines),
        (
            format!("/**: {none}\narm: {{ros__parameters: {{joints: [j], interpolation_method: splines}}}}\n"),
            "arm",
            Method::Splines,
        ),
        (
            format!("arm: {{ros__parameters: {{joints: [j], interpolation_method: splines}}}}\n/**: {none}\n"),
            "arm",
            Method::None,
        ),
        (format!("arm: {joints}\n---\narm: {none}\n"), "arm", Method::None),
    ] {
        let found = read(&text).expect(&text);
        let [only] = &found.list[..] else { panic!("{text}: {found:?}") };
        assert_eq!((only.name.as_str(), only.method), (name, method), "{text}");
    }
}

#[test]
fn one_is_chosen_by_its_name() {
    let text = "left: {arm: {ros__parameters: {joints: [a]}}}\nright: {arm: {ros__parameters: {joints: [b]}}}\n\
                leg: {ros__parameters: {joints: [c]}}\n";
    let all = read(text).expect("controllers");
    assert_eq!(all.list.len(), 3);
    for name in ["leg", "/leg", "left/arm", "/right/arm"] {
        let one = all.clone().only(name).expect(name);
        assert_eq!((one.list.len(), one.list[0].name.as_str()), (1, name.trim_start_matches('/')));
    }
    let message = |name: &str| all.clone().only(name).expect_err(name).to_string();
    assert!(message("arm").contains("2 controllers are called \"arm\"; write the namespace"), "{}", message("arm"));
    assert!(message("wing").contains("no controller \"wing\"; there are \"left/arm\" (a), \"right/arm\" (b)"));
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let arm = |lines: &str| format!("arm:\n  ros__parameters:\n    joints: [j]\n    {lines}\n");
    for (text, part) in [
        (arm("interpolation_method: cubic"), "line 4: interpolation_method is \"cubic\"; write splines or none"),
        (arm("interpolation_method: [none]"), "is a list"),
        (arm("positions_upsampling: {enable: maybe}"), "write true or false"),
        (arm("positions_upsampling: {policy_frequency: -1}"), "at least 0"),
        (arm("positions_upsampling: {policy_frequency: .nan}"), "at least 0"),
        (arm("constraints: {j: {trajectory: wide}}"), "constraints.j.trajectory is \"wide\""),
        (arm("joints: [k]"), "\"joints\" is there twice"),
        (arm("gains: &a {p: 1}"), "line 4"),
        ("arm: {ros__parameters: {joints: shoulder}}".into(), "write a list of joints"),
        ("ros__parameters: {joints: [j]}".into(), "without a node's name"),
        ("arm_controller:\n  type: position_controllers/JointTrajectoryController\n".into(), "no ros__parameters"),
        ("controller_names: [arm]\n".into(), "no ros__parameters"),
        ("a: {ros__parameters: {update_rate: 100}}".into(), "no joint_trajectory_controller with joints"),
        (String::new(), "no ros__parameters"),
        ("? [a]\n: 1\n".into(), "a key is no name"),
        (format!("{}: 1\n", "x".repeat(300)), "too long"),
    ] {
        let message = read(&text).expect_err(&text).to_string();
        assert!(message.starts_with("c.yaml: ") && message.contains(part), "{text}: {message}");
    }
}
