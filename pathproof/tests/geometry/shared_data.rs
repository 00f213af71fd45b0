//! The robots and cells of the shared data load, with the counts their README states. Skipped, and said so, where the
//! data is absent.

use std::path::{Path, PathBuf};

use pathproof::robot::Kinematics;
use pathproof::scene::{BodyShape, Reason, Scene};
use pathproof_formats::scene_file::{self, Disk, LoadedScene};

fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if !folder.is_dir() {
        eprintln!("SKIPPED: the shared data is not at ../shared/data");
        return None;
    }
    Some(folder)
}

fn load(folder: &Path, text: &str) -> LoadedScene {
    scene_file::parse(text, &folder.join("scene.toml"), &Disk).unwrap_or_else(|error| panic!("{error}"))
}

fn robot(folder: &Path, urdf: &str, more: &str) -> LoadedScene {
    load(folder, &format!("[[robots]]\nname = \"r\"\nurdf = \"{urdf}\"\n{more}\n"))
}

fn triangles(loaded: &LoadedScene) -> usize {
    loaded.sources.iter().map(|source| source.triangles).sum()
}

#[test]
fn every_robot_and_cell_loads_with_the_stated_triangles() {
    let Some(folder) = data() else { return };
    // urdf, further keys, triangles, variables
    let cases = [
        ("robots/irb2400/irb2400_deprecated.urdf", "srdf = \"robots/irb2400/abb_irb2400.srdf\"", 1_918, 6),
        ("robots/irb2400/irb2400_deprecated.urdf", "geometry = \"visual\"", 12_640, 6),
        ("robots/irb2400/irb2400_12_155.urdf", "srdf = \"robots/irb2400/abb_irb2400.srdf\"", 0, 6),
        (
            "robots/fanuc_lrmate200i/lrmate200i.urdf",
            "srdf = \"robots/fanuc_lrmate200i/fanuc_lrmate200i.srdf\"",
            4_278,
            6,
        ),
        ("robots/fanuc_m10ia/m10ia.urdf", "srdf = \"robots/fanuc_m10ia/fanuc_m10ia.srdf\"", 6_934, 6),
        ("robots/ur5e_rosi/ur5e.urdf", "srdf = \"robots/ur5e_rosi/ur5e.srdf\"", 7_558, 6),
        ("robots/panda_mbm/panda.urdf", "srdf = \"robots/panda_mbm/panda.srdf\"", 3_472, 7),
        ("robots/panda_mbm/panda_spherized.urdf", "srdf = \"robots/panda_mbm/panda.srdf\"", 0, 7),
        ("robots/panda_moveit/panda.urdf", "srdf = \"robots/panda_moveit/panda.srdf\"", 0, 8),
        (
            "cells/godel_irb2400_workcell/irb2400_workspace.urdf",
            "srdf = \"cells/godel_irb2400_workcell/irb2400_workspace.srdf\"",
            0,
            6,
        ),
        ("cells/godel_irb2400_workcell/irb2400_workspace.urdf", "geometry = \"visual\"", 118_456, 6),
        (
            "cells/tesseract_car_seat/car_seat_demo.urdf",
            "srdf = \"cells/tesseract_car_seat/car_seat_demo.srdf\"",
            29_060,
            8,
        ),
        ("cells/mbm_table_bars/table_bars.urdf", "", 12_784, 2),
    ];
    for (urdf, more, expected, variables) in cases {
        let loaded = robot(&folder, urdf, more);
        let scene = &loaded.scene;
        let count = triangles(&loaded);
        println!(
            "{urdf} {more}: {count} triangles, {} bodies, {} pairs, {} not checked",
            scene.bodies().len(),
            scene.pairs().len(),
            scene.unchecked().len() as u64 + scene.rigid_pair_count()
        );
        for warning in loaded.warnings.iter().chain(&loaded.notes) {
            println!("    {warning}");
        }
        assert_eq!(scene.model().variables().len(), variables, "{urdf}");
        assert!(expected == 0 || count == expected, "{urdf}: {count} triangles");
    }
}

fn reason(scene: &Scene, a: &str, b: &str) -> Option<Reason> {
    let find = |name: &str| scene.body(name).unwrap_or_else(|| panic!("no body {name}"));
    scene.reason(find(a), find(b))
}

#[test]
fn the_mimic_finger_of_the_panda_follows_the_other() {
    let Some(folder) = data() else { return };
    let loaded = robot(
        &folder,
        "robots/panda_moveit/panda.urdf",
        "srdf = \"robots/panda_moveit/panda.srdf\"\npositions = { panda_finger_joint1 = 0.03 }",
    );
    let scene = &loaded.scene;
    let ready = scene.state("ready").unwrap().unwrap();
    assert_eq!(ready.len(), 8);
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(&ready);
    let mut place = |name: &str| kinematics.world_from_link(scene.model(), scene.model().link(name).unwrap());
    let (hand, left, right) = (place("r/panda_hand"), place("r/panda_leftfinger"), place("r/panda_rightfinger"));
    let (left, right) = (hand.inverse_mul(&left).translation, hand.inverse_mul(&right).translation);
    assert!((left.y - 0.03).abs() < 1e-12 && (right.y + 0.03).abs() < 1e-12, "{left} {right}");
    assert!(scene.column("panda_finger_joint2").unwrap_err().to_string().contains("mimic joint"));
    assert!(matches!(reason(scene, "r/panda_hand", "r/panda_leftfinger"), Some(Reason::Adjacent { .. })));
    let mut outside = ready.clone();
    outside[3] = 1.0;
    assert_eq!(scene.limit_violation(&ready), None);
    assert!(scene.limit_violation(&outside).unwrap().variable.contains("panda_joint4"));
}

#[test]
fn the_levers_of_the_irb2400_follow_joint_3_and_are_checked() {
    let Some(folder) = data() else { return };
    let loaded = robot(&folder, "robots/irb2400/irb2400_12_155.urdf", "srdf = \"robots/irb2400/abb_irb2400.srdf\"");
    let scene = &loaded.scene;
    assert_eq!(scene.model().variables().len(), 6);
    let followers: Vec<_> = scene.model().joints().iter().filter(|joint| joint.follows.is_some()).collect();
    let mut factors: Vec<f64> = followers.iter().map(|joint| joint.source.unwrap().multiplier).collect();
    factors.sort_by(f64::total_cmp);
    assert_eq!(factors, [-1.0, 1.0]);
    assert_eq!(reason(scene, "r/link_lever_a", "r/link_1"), None, "the SRDF does not know the levers");
    assert!(
        loaded.warnings.iter().any(|warning| warning.contains("abb_irb2400")),
        "it is for another robot: {:?}",
        loaded.warnings
    );
}

#[test]
fn the_car_of_the_seat_cell_is_one_body_of_24_meshes() {
    let Some(folder) = data() else { return };
    let loaded = robot(
        &folder,
        "cells/tesseract_car_seat/car_seat_demo.urdf",
        "srdf = \"cells/tesseract_car_seat/car_seat_demo.srdf\"",
    );
    let car = loaded.scene.body("r/car").unwrap();
    assert_eq!(loaded.sources[car].files.len(), 24);
    assert!(loaded.scene.is_static(car));
    assert!(
        loaded.warnings.iter().any(|warning| warning.contains("\"ryp\"")),
        "a slip of the pen in the file: {:?}",
        loaded.warnings
    );
}

#[test]
fn the_sphere_model_of_the_panda_keeps_59_exact_spheres() {
    let Some(folder) = data() else { return };
    let loaded = robot(&folder, "robots/panda_mbm/panda_spherized.urdf", "srdf = \"robots/panda_mbm/panda.srdf\"");
    let pieces = loaded.scene.bodies().iter().map(|body| match &body.shape {
        BodyShape::Parts(parts) => parts.pieces().len(),
        BodyShape::HalfSpace { .. } => 0,
    });
    assert_eq!(pieces.sum::<usize>(), 59);
    // Exact pieces may be allowed to penetrate, meshes may not.
    assert!(loaded.scene.with_self_clearance(-0.01).is_ok());
    let meshes = robot(&folder, "robots/panda_mbm/panda.urdf", "srdf = \"robots/panda_mbm/panda.srdf\"");
    assert!(meshes.scene.with_self_clearance(-0.01).unwrap_err().to_string().contains("convex pieces only"));
}

#[test]
fn robots_and_cells_combine_in_one_scene() {
    let Some(folder) = data() else { return };
    let text = "[[robots]]\nname = \"left\"\nurdf = \"robots/panda_mbm/panda.urdf\"\nsrdf = \"robots/panda_mbm/panda.srdf\"
[[robots]]\nname = \"right\"\nurdf = \"robots/panda_mbm/panda.urdf\"\nsrdf = \"robots/panda_mbm/panda.srdf\"\nxyz = [1, 0, 0]\nrpy = [0, 0, 3.14]
[[robots]]\nname = \"cell\"\nurdf = \"cells/mbm_table_bars/table_bars.urdf\"\n";
    let scene = load(&folder, text).scene;
    assert_eq!(scene.model().variables().len(), 7 + 7 + 2);
    assert_eq!(reason(&scene, "left/panda_link3", "right/panda_link3"), None);
    assert_eq!(reason(&scene, "left/panda_link0", "right/panda_link0"), Some(Reason::CannotMove));
    assert!(scene.column("panda_joint1").unwrap_err().to_string().contains("could be"));
    assert!(scene.column("right/panda_joint1").is_ok());
}
