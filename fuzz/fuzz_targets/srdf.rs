#![no_main]
//! Any bytes: an error of one line that names the file, or pairs and states that refer to the robot.

use std::path::Path;

use pathproof_formats::{srdf, urdf};

const ROBOT: &str = "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>
<joint name='f' type='floating'><parent link='b'/><child link='c'/></joint></robot>";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let robot = urdf::parse(ROBOT, Path::new("r.urdf")).expect("the robot is well formed");
    match srdf::parse(text, Path::new("r.srdf"), &robot) {
        Ok(srdf) => {
            assert!(srdf.disabled.iter().all(|([a, b], _)| a < b && *b < 3));
            assert!(srdf.states.iter().flat_map(|state| &state.values).all(|(joint, values)| *joint < 2 && !values.is_empty()));
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("r.srdf: ") && !message.contains('\n'), "{message}");
        }
    }
});
