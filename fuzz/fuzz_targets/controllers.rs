#![no_main]
//! Any bytes as parameters of ros2_control: an error of one line that names the file, or controllers, and a path that
//! they run keeps its waypoints.

use std::path::Path;
use std::sync::OnceLock;

use pathproof::scene::Scene;
use pathproof_formats::controllers;
use pathproof_formats::path_file::{self, Execution, PathFormat, PathSettings};
use pathproof_formats::scene_file::{self, Memory};

const ROBOT: &str = "<robot name='r'><link name='a'/><link name='b'/>
<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
const SCENE: &str = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n";
const PATH: &str = "j\n0\n1\n-1\n0\n";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    static LOADED: OnceLock<Scene> = OnceLock::new();
    let scene = LOADED.get_or_init(|| {
        let files = Memory::new().with("r.urdf", ROBOT);
        scene_file::parse(SCENE, Path::new("s.toml"), &files).expect("the scene is well formed").scene
    });
    let one_line = |message: String, file: &str| {
        assert!(message.starts_with(file) && !message.contains('\n'), "{message}");
    };
    match controllers::parse(text, Path::new("c.yaml")) {
        Ok(found) => {
            let path = path_file::parse_points(PATH, Path::new("p"), PathFormat::Csv, scene, PathSettings::default());
            let how = Execution { controllers: Some(found), ..Execution::default() };
            match path.expect("the path is well formed").executed(scene, &how, Path::new("p")) {
                Ok(executed) => assert!(executed.motion.waypoints().len() == 4 && executed.notes.len() >= 2),
                Err(error) => one_line(error.to_string(), if error.file.ends_with("p") { "p: " } else { "c.yaml: " }),
            }
        }
        Err(error) => one_line(error.to_string(), "c.yaml: "),
    }
});
