//! Files mistaken for scenes: a description that is not a URDF yet, a path if the arguments are swapped, a mesh.
//! Detected by the name and the start of the text, before a parser complains in its own terms.

use std::path::Path;

use crate::{FormatError, robot_xml};

/// Error for a file that cannot be a scene by its name; for files that may not even be text.
pub(super) fn by_name(path: &Path) -> Option<FormatError> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    match extension.as_str() {
        "xacro" => Some(robot_xml::needs_expansion(path)),
        "sdf" | "world" => Some(sdf(path)),
        "srdf" => Some(srdf(path)),
        "csv" | "json" | "yaml" | "yml" => Some(wrong(path, "this is a path, not a scene", "the order is SCENE PATH")),
        "ppc" => Some(wrong(path, "this is a certificate, not a scene", "the order is SCENE PATH PROOF.ppc")),
        "stl" | "obj" | "dae" | "ply" | "off" | "glb" | "gltf" => Some(wrong(
            path,
            "this is a mesh, not a scene",
            "name it in a scene file: [[obstacles]] with name = \"…\" and mesh = \"…\"",
        )),
        _ => None,
    }
}

/// Error for a text that is XML, because a scene is TOML.
pub(super) fn by_text(text: &str, path: &Path) -> Option<FormatError> {
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return None;
    }
    Some(if text.contains("<xacro:") {
        robot_xml::needs_expansion(path)
    } else if text.contains("<sdf") {
        sdf(path)
    } else if text.contains("<disable_collisions") {
        srdf(path)
    } else if text.contains("<robot") {
        wrong(path, "this is a URDF under another name", "give it a name that ends in .urdf")
    } else {
        wrong(path, "this is XML, and a scene is TOML", "name a scene file, or a robot by a file that ends in .urdf")
    })
}

fn sdf(path: &Path) -> FormatError {
    let remedy = "name the URDF of the robot; write the models around it as [[obstacles]] of a scene file";
    wrong(path, "this is an SDF file, which is not read", remedy)
}

fn srdf(path: &Path) -> FormatError {
    let remedy = "name the robot's URDF, beside which an .srdf of the same name is used, or write srdf = \"…\" under \
                  [[robots]] of a scene file";
    wrong(path, "this is an SRDF, which says of a robot what needs no check", remedy)
}

fn wrong(path: &Path, problem: &str, remedy: &str) -> FormatError {
    FormatError::new(path, problem).remedy(remedy)
}
