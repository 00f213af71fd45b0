//! Forward kinematics of the real robots, read from their files, against pinocchio's link poses. Skipped, and said so,
//! where the shared data is absent.

use std::path::Path;

use pathproof::robot::Kinematics;
use pathproof::scene::Scene;
use pathproof_formats::scene_file::{self, Disk};

fn load(folder: &Path, urdf: &str) -> Scene {
    let text = format!("[[robots]]\nname = \"r\"\nurdf = \"{urdf}\"\n");
    let loaded = scene_file::parse(&text, &folder.join("scene.toml"), &Disk);
    loaded.unwrap_or_else(|error| panic!("{error}")).scene
}

/// `joint_1=0.5 joint_2=0`
fn configuration(scene: &Scene, text: &str) -> Vec<f64> {
    let value = |word: &str| {
        let (joint, value) = word.split_once('=').expect("joint=value");
        (scene.column(joint).unwrap_or_else(|error| panic!("{error}")), value.parse().expect("a number"))
    };
    let values: Vec<(usize, f64)> = text.split_whitespace().map(value).collect();
    scene.configuration(&values).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn link_poses_agree_with_another_library_to_1e_minus_12() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if !folder.is_dir() {
        eprintln!("SKIPPED: the shared data is not at ../shared/data");
        return;
    }
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kinematics.csv");
    let mut reader = csv::Reader::from_path(table).expect("the table is part of the project");
    let mut current: Option<(String, Scene)> = None;
    let (mut rows, mut robots, mut worst) = (0, 0, 0.0_f64);
    for record in reader.records() {
        let record = record.expect("a row");
        if current.as_ref().is_none_or(|(urdf, _)| *urdf != record[0]) {
            current = Some((record[0].to_owned(), load(&folder, &record[0])));
            robots += 1;
        }
        let Some((_, scene)) = &current else { continue };
        let mut kinematics = Kinematics::new(scene.model());
        kinematics.set_configuration(&configuration(scene, &record[1]));
        let link = scene.model().link(&format!("r/{}", &record[2])).expect("the link is in the file");
        let pose = kinematics.world_from_link(scene.model(), link);
        let expected: Vec<f64> = record.iter().skip(3).map(|word| word.parse().expect("a number")).collect();
        // Translation, then the rotation row by row.
        let rows_of_rotation = pose.rotation.transpose().to_cols_array();
        let ours = pose.translation.to_array().into_iter().chain(rows_of_rotation);
        for (ours, theirs) in ours.zip(&expected) {
            let error = (ours - theirs).abs();
            assert!(error <= 1e-12, "{:?}: {ours} against {theirs}", record.iter().take(3).collect::<Vec<_>>());
            worst = worst.max(error);
        }
        rows += 1;
    }
    println!("{rows} link poses of {robots} robots, largest difference {worst:e}");
    assert!(rows > 200 && robots >= 7);
}
