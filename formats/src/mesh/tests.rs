//! Tests of all readers together: choice of format, missing files, and the real meshes of the shared data, which other
//! libraries read as well.

use std::path::{Path, PathBuf};

use super::testing::{area, refusal};
use super::*;

/// The shared data, if it is there.
fn shared_data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: the shared data is not at {}", folder.display());
    None
}

/// All files below a folder with one of the extensions, in order.
fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            if path.is_dir() {
                folders.push(path);
            } else if extensions.contains(&extension.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn triangles_of(folder: &Path, files: &[&str]) -> usize {
    files.iter().map(|file| read(folder.join(file)).unwrap().triangles.len()).sum()
}

#[test]
fn names_decide_the_format_and_others_are_refused() {
    assert!(refusal("a.xyz", b"x").contains("convert it to .stl, .obj, .ply, .off, .dae, .gltf or .glb"));
    assert!(refusal("a.step", b"x").contains("FreeCAD") && refusal("a.STP", b"x").contains("gmsh"));
    assert!(refusal("a.3mf", b"x").contains("assimp export"));
    assert!(refusal("mesh", b"x").contains("no extension"));
    for name in ["a.stl", "a.obj", "a.dae", "a.gltf", "a.glb", "a.ply", "a.off", "a.STL"] {
        assert!(refusal(name, b"").contains("the file is empty"));
        refusal(name, b"hello\n");
        refusal(name, &[0; 100]);
        refusal(name, &[0xff; 100]);
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = std::env::temp_dir().join(format!("pathproof-read-{}.stl", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let error = read(&folder).unwrap_err();
    assert!(error.to_string().contains("it is a folder, not a file"), "{error}");
    let missing = folder.join("missing.obj");
    let error = read(&missing).unwrap_err();
    assert!(error.file == missing && error.to_string().contains("check the name"), "{error}");
    let long = folder.join("long.stl");
    std::fs::write(&long, [0; 1000]).unwrap();
    assert!(read_file(&long, 999).unwrap_err().to_string().contains("it is larger than the limit of 999 bytes"));
    assert_eq!(read_file(&long, 1000).unwrap().len(), 1000);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_gltf_file_finds_the_buffer_beside_it() {
    let folder = std::env::temp_dir().join(format!("pathproof-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"buffers":[{"uri":"a.bin","byteLength":36}],
        "bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}]}"#;
    std::fs::write(folder.join("a.gltf"), json).unwrap();
    let error = read(folder.join("a.gltf")).unwrap_err();
    assert_eq!(error.file, folder.join("a.bin"));
    let data = [0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0].map(f32::to_le_bytes).concat();
    std::fs::write(folder.join("a.bin"), data).unwrap();
    assert_eq!(area(&read(folder.join("a.gltf")).unwrap()), 1.0);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_report_prints_what_was_read() {
    let mesh = testing::parse("a.obj", b"o tip\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n").unwrap();
    assert_eq!(
        mesh.report.to_string(),
        "OBJ: 1 triangles in 1 parts, unit as written, from [0, 0, 0] to [1, 1, 0]\n  note: 1 lines or points were skipped: they have no surface"
    );
}

#[test]
fn all_real_meshes_load_with_the_numbers_that_come_with_them() {
    let Some(data) = shared_data() else { return };
    for (extension, expected_files) in [("stl", 121), ("obj", 12), ("dae", 23)] {
        let folders = ["robots", "cells", "oracle/fcl_rob_env"].map(|folder| data.join(folder));
        let files: Vec<PathBuf> = folders.iter().flat_map(|folder| files_below(folder, &[extension])).collect();
        let mut triangles = 0;
        for file in &files {
            let mesh = read(file).unwrap();
            assert_eq!(mesh.broken_invariant(), None, "{}", file.display());
            triangles += mesh.triangles.len();
        }
        println!("{extension}: {} files, {triangles} triangles", files.len());
        assert_eq!(files.len(), expected_files, "{extension}");
    }
    let links = ["base_link", "link_1", "link_2", "link_3", "link_4", "link_5", "link_6"];
    let irb = data.join("robots/irb2400/meshes/irb2400");
    let collision =
        links.map(|l| if l == "link_2" { "collision/link_2_whole.stl".into() } else { format!("collision/{l}.stl") });
    assert_eq!(triangles_of(&irb, &collision.each_ref().map(String::as_str)), 1_918);
    let visual = links.map(|l| format!("visual/{l}.dae"));
    assert_eq!(triangles_of(&irb, &visual.each_ref().map(String::as_str)), 12_640);
    let cell = data.join("cells/godel_irb2400_workcell/meshes");
    let tools = ["Adapter_Tube", "Blending_Tool", "Ensenso", "Laser_Sensor", "Tool_Mounting_Plate"]
        .map(|t| format!("visual/{t}.STL"));
    let arm = triangles_of(&cell.join("irb2400"), &visual.each_ref().map(String::as_str));
    assert_eq!(arm + triangles_of(&cell, &tools.each_ref().map(String::as_str)), 118_456);
    let panda = data.join("robots/panda_mbm/meshes/collision");
    let objs = files_below(&panda, &["obj"]);
    // Two fingers share one file.
    let total: usize = objs.iter().map(|f| read(f).unwrap().triangles.len()).sum();
    assert_eq!(total + triangles_of(&panda, &["finger.obj"]), 3_472);
}

#[test]
fn real_collada_meshes_lie_where_the_stl_meshes_of_the_same_links_lie() {
    let Some(data) = shared_data() else { return };
    let mut compared = 0;
    for visual in files_below(&data.join("robots"), &["dae"]) {
        let stem = visual.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = visual.parent().unwrap().parent().unwrap().join("collision");
        let collision = [folder.join(format!("{stem}.stl")), folder.join(format!("{stem}_whole.stl"))];
        let Some(collision) = collision.iter().find(|c| c.is_file()) else { continue };
        let (visual_box, collision_box) =
            (read(&visual).unwrap().report.bounds, read(collision).unwrap().report.bounds);
        let off =
            (visual_box.min - collision_box.min).abs().max((visual_box.max - collision_box.max).abs()).max_element();
        println!("{stem}: boxes differ by {off:.4} m of {:.3} m", visual_box.size().max_element());
        // Collision meshes are simplified; a rotation or a unit would be off by the size of the link.
        if !collision.to_string_lossy().contains("whole") {
            assert!(off < 0.05 * visual_box.size().max_element(), "{stem}: {visual_box:?} against {collision_box:?}");
        }
        compared += 1;
    }
    assert_eq!(compared, 16);
}

#[test]
fn other_libraries_read_the_same_real_meshes() {
    let Some(data) = shared_data() else { return };
    for file in files_below(&data, &["stl"]) {
        let ours = read(&file).unwrap();
        let mut reader = std::io::BufReader::new(std::fs::File::open(&file).unwrap());
        let theirs = stl_io::create_stl_reader(&mut reader).unwrap();
        let mut corners = ours.vertices.iter();
        for triangle in theirs {
            for corner in triangle.unwrap().vertices {
                assert_eq!(corners.next().unwrap().to_array(), corner.0.map(f64::from), "{}", file.display());
            }
        }
        assert!(corners.next().is_none(), "{}", file.display());
    }
    for file in files_below(&data.join("robots"), &["obj"]) {
        let ours = read(&file).unwrap();
        let options =
            tobj::LoadOptions { triangulate: true, ignore_lines: true, ignore_points: true, ..Default::default() };
        let (models, _) = tobj::load_obj(&file, &options).unwrap();
        let mut theirs = 0.0;
        for model in &models {
            let point = |i: &u32| DVec3::from_slice(&model.mesh.positions[3 * *i as usize..]);
            let corners: Vec<DVec3> = model.mesh.indices.iter().map(point).collect();
            theirs += corners.chunks_exact(3).map(|c| 0.5 * (c[1] - c[0]).cross(c[2] - c[0]).length()).sum::<f64>();
        }
        // Compare areas, because concave polygons may be cut along other lines.
        assert!((area(&ours) - theirs).abs() <= 1e-9 * theirs, "{}: {} and {theirs}", file.display(), area(&ours));
    }
}
