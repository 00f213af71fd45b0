#![no_main]

mod mesh;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mesh::check("mesh.ply", bytes));
