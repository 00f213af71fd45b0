#![no_main]
//! Any bytes as a scene file beside a robot and a mesh: an error of one line, or a scene in which every pair of
//! bodies is either checked or has a reason.

use std::path::Path;

use pathproof_formats::scene_file::{self, Memory};

const ROBOT: &str = "<robot name='r'><link name='a'><collision><geometry><box size='1 1 1'/></geometry></collision></link>
<link name='b'><collision><geometry><mesh filename='m.stl'/></geometry></collision></link>
<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
const MESH: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let files = Memory::new().with("r.urdf", ROBOT).with("m.stl", MESH).with("r.srdf", "<robot name='r'/>");
    match scene_file::parse(text, Path::new("s.toml"), &files) {
        Ok(loaded) => {
            let scene = &loaded.scene;
            let bodies = scene.bodies().len();
            let accounted = scene.pairs().len() + scene.unchecked().len() + scene.rigid_pair_count() as usize;
            assert_eq!(accounted, bodies * bodies.saturating_sub(1) / 2);
            assert!(scene.pairs().iter().all(|pair| pair.a < pair.b && pair.clearance.is_finite()));
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
});
