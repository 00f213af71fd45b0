//! Runs the examples.

#[path = "../examples/check_urdf.rs"]
mod check_urdf;
#[path = "../examples/distances.rs"]
mod distances;
#[path = "../examples/own_planner.rs"]
mod own_planner;
#[path = "../examples/plan_and_certify.rs"]
mod plan_and_certify;

use std::fs;
use std::path::PathBuf;

#[test]
fn a_urdf_is_checked() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("examples-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let urdf = "<robot name='r'><link name='rail'/><link name='ball'><collision><geometry><sphere radius='0.1'/></geometry>\
        </collision></link><joint name='slide' type='prismatic'><parent link='rail'/><child link='ball'/><axis xyz='1 0 0'/>\
        <limit lower='0' upper='3' effort='1' velocity='1'/></joint></robot>";
    let scene =
        "[[robots]]\nname = 'r'\nurdf = 'r.urdf'\n[[obstacles]]\nname = 'wall'\nbox = [0.1, 2, 2]\nxyz = [1, 0, 0]\n";
    for (file, text) in
        [("r.urdf", urdf), ("cell.toml", scene), ("near.csv", "slide\n0\n0.7\n"), ("far.csv", "slide\n0\n2\n")]
    {
        fs::write(folder.join(file), text).expect("written");
    }
    let answer = |path: &str| check_urdf::run(&folder.join("cell.toml"), &folder.join(path)).expect("an answer");
    assert!(answer("near.csv").starts_with("free: at least"));
    assert!(answer("far.csv").starts_with("r/ball and wall are "), "{}", answer("far.csv"));
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_path_is_planned_certified_and_verified() {
    let found = plan_and_certify::run().expect("a path");
    assert!(found.waypoints.len() > 2 && found.bytes > 100);
}

#[test]
fn a_planner_of_ones_own_finds_a_path() {
    let path = own_planner::run().expect("a path");
    assert_eq!((path[0], path[path.len() - 1]), ([-0.8, -0.8], [0.8, 0.8]));
}

#[test]
fn distances_are_bounded_from_both_sides() {
    for ([lower, upper], truth) in distances::run().expect("bounds").into_iter().zip([2.5, 1.5, 0.5, 0.1]) {
        assert!(lower <= truth && truth <= upper && upper - lower < 1e-9, "{lower} {truth} {upper}");
    }
}
