use crate::numeric::{DMat3, DVec3, Pose};
use crate::robot::{JointKind, JointSpec, Mimic, Model, ModelError, VariableKind};

fn links(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn joint(name: &str, parent: &str, child: &str) -> JointSpec {
    JointSpec::new(name, JointKind::Revolute { axis: DVec3::Z }, parent, child, Pose::IDENTITY)
}

fn error_of(names: &[&str], joints: Vec<JointSpec>) -> ModelError {
    Model::new("w", links(names), joints).expect_err("an error")
}

#[test]
fn what_is_not_a_tree_is_refused_by_name() {
    let error = error_of(&["w", "a"], vec![joint("j", "w", "a"), joint("k", "w", "a")]);
    let (link, first, second) = ("a".into(), "j".into(), "k".into());
    assert_eq!(error, ModelError::TwoParents { link, first, second });
    let error = error_of(&["w", "a", "b"], vec![joint("j", "a", "b"), joint("k", "b", "a")]);
    assert_eq!(error, ModelError::Loop { link: "b".into(), joint: "j".into() });
    let error = error_of(&["w", "a"], vec![joint("j", "a", "a")]);
    assert_eq!(error, ModelError::Loop { link: "a".into(), joint: "j".into() });
    let error = error_of(&["w", "a"], vec![joint("j", "a", "w")]);
    assert_eq!(error, ModelError::RootHasParent { link: "w".into(), joint: "j".into() });
    let error = error_of(&["w", "a"], vec![]);
    assert_eq!(error, ModelError::SeveralRoots { link: "a".into(), root: "w".into() });
    let error = error_of(&["a"], vec![]);
    assert_eq!(error, ModelError::UnknownRoot { link: "w".into() });
    let error = error_of(&["w", "a"], vec![joint("j", "x", "a")]);
    assert_eq!(error, ModelError::UnknownLink { joint: "j".into(), link: "x".into() });
    let error = error_of(&["w", "a", "a"], vec![]);
    assert_eq!(error, ModelError::DuplicateLink { link: "a".into() });
    let error = error_of(&["w", "a", "b"], vec![joint("j", "w", "a"), joint("j", "a", "b")]);
    assert_eq!(error, ModelError::DuplicateJoint { joint: "j".into() });
}

#[test]
fn unusable_numbers_are_refused_by_name() {
    let broken = |change: &dyn Fn(&mut JointSpec)| {
        let mut spec = joint("j", "w", "a");
        change(&mut spec);
        error_of(&["w", "a"], vec![spec])
    };
    let bad_axis = ModelError::BadAxis { joint: "j".into() };
    assert_eq!(broken(&|j| j.kind = JointKind::Prismatic { axis: DVec3::ZERO }), bad_axis);
    assert_eq!(broken(&|j| j.kind = JointKind::Planar { axis: DVec3::NAN }), bad_axis);
    let bad = |what| ModelError::BadNumber { joint: "j".into(), what };
    assert_eq!(broken(&|j| j.parent_from_joint.translation.x = f64::NAN), bad("its pose"));
    assert_eq!(broken(&|j| j.parent_from_joint.translation.x = 1e200), bad("its pose"));
    let mirror = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
    assert_eq!(broken(&|j| j.parent_from_joint.rotation = mirror), bad("the rotation of its pose"));
    assert_eq!(broken(&|j| j.parent_from_joint.rotation *= 1.000001), bad("the rotation of its pose"));
    assert_eq!(broken(&|j| j.limits = vec![Some((1.0, 0.0))]), bad("one of its limits"));
    assert_eq!(broken(&|j| j.limits = vec![Some((f64::NAN, 0.0))]), bad("one of its limits"));
    let count = ModelError::LimitCount { joint: "j".into(), variables: 1, limits: 2 };
    assert_eq!(broken(&|j| j.limits = vec![None, None]), count);
}

#[test]
fn mimic_joints_follow_a_single_joint_of_one_variable() {
    let follow = |name: &str, parent: &str, child: &str, followed: &str| {
        let mimic = Some(Mimic { joint: followed.into(), multiplier: 2.0, offset: 0.5 });
        JointSpec { mimic, ..joint(name, parent, child) }
    };
    // The driver may come later in the tree than the joint that follows it.
    let specs = vec![follow("j", "w", "a", "k"), joint("k", "a", "b")];
    let model = Model::new("w", links(&["w", "a", "b"]), specs).expect("a model");
    assert_eq!(model.variables().len(), 1);
    assert_eq!(model.frames()[1].source.value(&[0.25]), 1.0);
    let pair = || ("j".to_owned(), "k".to_owned());
    let (joint_name, followed) = pair();
    let error = error_of(&["w", "a"], vec![follow("j", "w", "a", "k")]);
    assert_eq!(error, ModelError::MimicOfNothing { joint: joint_name, followed });
    let (joint_name, followed) = pair();
    let error = error_of(
        &["w", "a", "b", "c"],
        vec![follow("j", "w", "a", "k"), follow("k", "a", "b", "i"), joint("i", "b", "c")],
    );
    assert_eq!(error, ModelError::MimicOfMimic { joint: joint_name, followed });
    let error = error_of(&["w", "a"], vec![follow("j", "w", "a", "j")]);
    assert_eq!(error, ModelError::MimicOfMimic { joint: "j".into(), followed: "j".into() });
    for kind in [JointKind::Fixed, JointKind::Floating] {
        let (joint_name, followed) = pair();
        let driver = JointSpec { kind, ..joint("k", "a", "b") };
        let error = error_of(&["w", "a", "b"], vec![follow("j", "w", "a", "k"), driver]);
        assert_eq!(error, ModelError::MimicKind { joint: joint_name, followed });
    }
    // Real files carry mimic tags on fixed joints.
    let fixed = JointSpec { kind: JointKind::Fixed, ..follow("j", "w", "a", "nothing") };
    assert!(Model::new("w", links(&["w", "a"]), vec![fixed]).is_ok());
}

#[test]
fn variables_are_named_like_the_columns_of_a_path() {
    let planar = JointSpec { kind: JointKind::Planar { axis: DVec3::X }, ..joint("p", "w", "a") };
    let floating = JointSpec { kind: JointKind::Floating, ..joint("f", "w", "b") };
    let limited = JointSpec { limits: vec![Some((-1.0, 2.0))], ..joint("r", "b", "c") };
    let model = Model::new("w", links(&["c", "b", "a", "w"]), vec![limited, floating, planar]).expect("a model");
    let names: Vec<&str> = model.variables().iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["f.x", "f.y", "f.z", "f.qx", "f.qy", "f.qz", "f.qw", "r", "p.x", "p.y", "p.theta"]);
    assert_eq!(model.variables()[7].limits, Some((-1.0, 2.0)));
    assert_eq!(model.zero_configuration()[6], 1.0);
    assert_eq!(model.variables()[10].kind, VariableKind::Angle);
    let mut q = model.zero_configuration();
    assert!(model.limit_violation(&q).is_none());
    q[7] = 2.0f64.next_up();
    assert_eq!(model.limit_violation(&q).map(|variable| variable.name.as_str()), Some("r"));
    assert_eq!(model.common_ancestor(model.frame_of(1), model.frame_of(2)), 1);
    assert_eq!(model.common_ancestor(model.frame_of(2), model.frame_of(3)), 0);
    assert_eq!(model.joints()[1].child, 2);
}
