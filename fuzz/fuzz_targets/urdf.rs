#![no_main]
//! Any bytes: an error of one line that names the file, or a robot whose joints make one tree.

use std::path::Path;

use pathproof_formats::urdf;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match urdf::parse(text, Path::new("r.urdf")) {
        Ok(robot) => {
            assert_eq!(robot.joints.len() + 1, robot.links.len());
            assert!(robot.joints.iter().all(|joint| joint.child != robot.root && joint.parent_from_joint.is_finite()));
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("r.urdf: ") && !message.contains('\n'), "{message}");
        }
    }
});
