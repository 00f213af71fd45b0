//! Writes coloured, named, placed triangle meshes as one binary glTF file (`.glb`), for any viewer.
//!
//! Coordinates are `f32`: for display, never for a proof. glTF has y up and scenes here have z up, so a root node
//! rotates them. Without normals, viewers shade triangles flat, as the specification requires.

use std::path::Path;

use serde_json::json;

use super::FormatError;
use pathproof::numeric::{DVec3, Pose};

/// Object to show.
#[derive(Clone, Debug)]
pub struct GlbObject {
    /// Its name.
    pub name: String,
    /// Red, green, blue and opacity, linear, from 0 to 1.
    pub colour: [f32; 4],
    /// Pose in the world.
    pub world_from_object: Pose,
    /// Corners, in the object's frame.
    pub vertices: Vec<DVec3>,
    /// Three corners each.
    pub triangles: Vec<[u32; 3]>,
}

/// The content of a file with these objects; `path` is only named in messages.
pub fn file(path: &Path, objects: &[GlbObject]) -> Result<Vec<u8>, FormatError> {
    if let Some(object) = objects.iter().find(|object| !is_writable(object)) {
        let problem = format!("{:?} is empty, or has coordinates that single precision cannot hold", object.name);
        return Err(FormatError::new(path, problem).remedy("bring the scene nearer to the origin"));
    }
    let bytes = to_bytes(objects);
    if u32::try_from(bytes.len()).is_err() {
        return Err(FormatError::new(path, "the file would be larger than 4 GB").remedy("export fewer bodies"));
    }
    Ok(bytes)
}

fn is_writable(object: &GlbObject) -> bool {
    let fits = |p: &DVec3| p.to_array().iter().all(|c| (*c as f32).is_finite());
    !object.triangles.is_empty() && object.vertices.iter().all(fits) && object.world_from_object.is_finite()
}

/// The bytes of the file: header, JSON chunk, binary chunk.
pub fn to_bytes(objects: &[GlbObject]) -> Vec<u8> {
    let mut binary: Vec<u8> = Vec::new();
    let (mut views, mut accessors, mut meshes, mut materials) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // Node 0 rotates z up to y up.
    let children: Vec<usize> = (1..=objects.len()).collect();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let mut nodes = vec![json!({"name": "z up", "rotation": [-half, 0.0, 0.0, half], "children": children})];
    if objects.is_empty() {
        nodes = vec![json!({"name": "empty"})];
    }
    for object in objects {
        let mesh = meshes.len();
        materials.push(json!({
            "name": object.name, "doubleSided": true,
            "alphaMode": if object.colour[3] < 1.0 { "BLEND" } else { "OPAQUE" },
            "pbrMetallicRoughness": {"baseColorFactor": object.colour, "metallicFactor": 0.1, "roughnessFactor": 0.7},
        }));
        let position = accessors.len();
        push_positions(object, &mut binary, &mut views, &mut accessors);
        push_indices(object, &mut binary, &mut views, &mut accessors);
        let primitive =
            json!({"attributes": {"POSITION": position}, "indices": position + 1, "material": mesh, "mode": 4});
        meshes.push(json!({"name": object.name, "primitives": [primitive]}));
        nodes.push(json!({"name": object.name, "mesh": mesh, "matrix": column_major(&object.world_from_object)}));
    }
    let mut document = json!({
        "asset": {"version": "2.0", "generator": "pathproof"},
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
    });
    if !objects.is_empty() {
        document["meshes"] = json!(meshes);
        document["materials"] = json!(materials);
        document["accessors"] = json!(accessors);
        document["bufferViews"] = json!(views);
        document["buffers"] = json!([{"byteLength": binary.len()}]);
    }
    container(document.to_string().into_bytes(), binary)
}

fn push_positions(
    object: &GlbObject,
    binary: &mut Vec<u8>,
    views: &mut Vec<serde_json::Value>,
    accessors: &mut Vec<serde_json::Value>,
) {
    let start = binary.len();
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for vertex in &object.vertices {
        for (axis, value) in vertex.to_array().into_iter().enumerate() {
            let single = value as f32;
            (min[axis], max[axis]) = (min[axis].min(single), max[axis].max(single));
            binary.extend(single.to_le_bytes());
        }
    }
    views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": binary.len() - start, "target": 34962}));
    accessors.push(json!({
        "bufferView": views.len() - 1, "componentType": 5126, "count": object.vertices.len(), "type": "VEC3", "min": min, "max": max,
    }));
}

fn push_indices(
    object: &GlbObject,
    binary: &mut Vec<u8>,
    views: &mut Vec<serde_json::Value>,
    accessors: &mut Vec<serde_json::Value>,
) {
    let start = binary.len();
    binary.extend(object.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()));
    views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": binary.len() - start, "target": 34963}));
    let count = 3 * object.triangles.len();
    accessors.push(json!({"bufferView": views.len() - 1, "componentType": 5125, "count": count, "type": "SCALAR"}));
}

fn column_major(pose: &Pose) -> [f64; 16] {
    let [x, y, z] = [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis];
    let t = pose.translation;
    [x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0]
}

/// glTF's container: chunks are padded to four bytes, JSON with blanks, binary with zeros.
fn container(mut json: Vec<u8>, mut binary: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let has_binary = !binary.is_empty();
    let total = 12 + 8 + json.len() + if has_binary { 8 + binary.len() } else { 0 };
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(b"glTF");
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((total as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    if has_binary {
        bytes.extend((binary.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(binary);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Limits, read_bytes};

    #[test]
    fn what_is_written_reads_back_in_place() {
        let object = |name: &str, shift: f64| GlbObject {
            name: name.into(),
            colour: [1.0, 0.5, 0.25, 1.0],
            world_from_object: Pose::from_xyz_rpy([shift, 0.0, 2.0], [0.0, 0.0, std::f64::consts::FRAC_PI_2]),
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            triangles: vec![[0, 1, 2]],
        };
        let bytes = to_bytes(&[object("a/one", 1.0), object("two", 5.0)]);
        assert_eq!(bytes.len() % 4, 0);
        let mesh = read_bytes("x.glb", &bytes, &|_| panic!("no sibling"), &Limits::default()).unwrap();
        assert_eq!((mesh.triangles.len(), mesh.parts.len()), (2, 2));
        // (1, 0, 0) of the first object: rotated about z to y, moved to (1, 1, 2), then z up becomes y up: (1, 2, −1).
        let expected = DVec3::new(1.0, 2.0, -1.0);
        assert!(mesh.vertices.iter().any(|v| (*v - expected).length() < 1e-6), "{:?}", mesh.vertices);
    }
}
