//! The robots and cells of the shared data load, with the counts their README states. Skipped, and said so, where the
//! data is absent.

use std::path::{Path, PathBuf};

use pathproof::formats::scene_file::{self, Disk, LoadedScene};
use pathproof::scene::{Reason, Scene};

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
            scene.unchecked().len()
        );
        for warning in loaded.warnings.iter().chain(&loaded.notes) {
            println!("    {warning}");
        }
        assert_eq!(scene.model().variables().len(), variables, "{urdf}");
        assert!(expected == 0 || count == expected, "{urdf}: {count} triangles");
    }
}
