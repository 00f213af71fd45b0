#![no_main]
//! Any bytes as a path in every format: an error of one line, or finite configurations within
//! limits, also along the curve that is executed.

use std::path::Path;
use std::sync::OnceLock;

use pathproof_formats::path_file::{self, Execution, PathFormat, PathSettings};
use pathproof_formats::scene_file::{self, Memory};
use pathproof::scene::Scene;

const ROBOT: &str = "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='-1' upper='1'/></joint>
<joint name='m' type='continuous'><parent link='b'/><child link='c'/><mimic joint='j'/></joint>
<joint name='f' type='floating'><parent link='c'/><child link='d'/></joint></robot>";
const SCENE: &str = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\npositions = { \"f.x\" = 0, \"f.y\" = 0, \"f.z\" = 0, \"f.qx\" = 0, \"f.qy\" = 0, \"f.qz\" = 0, \"f.qw\" = 1 }\n";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    static LOADED: OnceLock<Scene> = OnceLock::new();
    let scene = LOADED.get_or_init(|| {
        let files = Memory::new().with("r.urdf", ROBOT);
        scene_file::parse(SCENE, Path::new("s.toml"), &files).expect("the scene is well formed").scene
    });
    for format in [PathFormat::Csv, PathFormat::Json, PathFormat::Yaml] {
        match path_file::parse_all_points(text, Path::new("p"), format, scene, PathSettings::default()) {
            Ok(paths) => {
                assert!(!paths.is_empty());
                for path in paths {
                    assert!(!path.waypoints.is_empty());
                    assert!(path.waypoints.iter().all(|q| q.iter().all(|v| v.is_finite()) && scene.limit_violation(q).is_none()));
                    let times = path.times.as_ref();
                    assert!(times.is_none_or(|times| times.len() == path.waypoints.len() && times.is_sorted()));
                    let Ok(executed) = path.executed(scene, &Execution::default(), Path::new("p")) else { continue };
                    for piece in executed.motion.curves().flat_map(|(_, curve)| curve.pieces()) {
                        let [low, high] = piece.position(0).range_over(0.25, 0.5);
                        let value = piece.position(0).value_at(0.375);
                        assert!(low <= value && value <= high && value.abs() <= 1.0 + 1e-9);
                    }
                }
            }
            Err(error) => {
                let message = error.to_string();
                assert!(message.starts_with("p: ") && !message.contains('\n'), "{message}");
            }
        }
    }
});
