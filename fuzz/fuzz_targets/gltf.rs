#![no_main]

mod mesh;

// The first bytes say which form it is, so that one target covers `.gltf` and `.glb`.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mesh::check("mesh.glb", bytes));
