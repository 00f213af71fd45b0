//! glTF 2.0, as JSON or in one binary file. Written by hand on `serde_json`: the available crate keeps transforms in
//! `f32` and panics if accessors do not fit their buffers.
//!
//! Lengths are metres; y is up by definition, reported and not applied (as for COLLADA). Each node is placed once: the
//! format allows one parent, so reaching a node twice is an error in the file. Refused, because skipping them would
//! drop or misplace part of a body: skins, active morph targets, required extensions that change geometry.

mod accessor;
mod document;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use glam::{DAffine3, DMat3, DQuat};

use self::accessor::Buffers;
use self::document::{Document, Mesh, Node, Primitive};
use super::builder::Builder;
use super::{Limits, MeshFile, MeshFormat, Siblings, UpAxis};
use crate::error::{FormatError, excerpt};
use pathproof::numeric::DVec3;

pub(super) fn read(
    name: &Path,
    bytes: &[u8],
    siblings: &Siblings<'_>,
    limits: &Limits,
) -> Result<MeshFile, FormatError> {
    let mut builder = Builder::new(name, limits);
    let (format, json, binary_chunk) = if bytes.starts_with(b"glTF") {
        let (json, chunk) = split_binary(&mut builder, bytes)?;
        (MeshFormat::Glb, json, chunk)
    } else {
        (MeshFormat::Gltf, bytes, None)
    };
    let document: Document = serde_json::from_str(super::utf8(name, json)?).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let text = error.to_string();
        // The library puts the place at the end of its messages.
        let problem = text.split(" at line ").next().unwrap_or_default().to_owned();
        builder.error(problem).at(place).remedy("the file is damaged or no glTF 2.0: export it again")
    })?;
    check_version_and_extensions(&mut builder, &document)?;
    let buffers = Buffers::new(name, &document, binary_chunk, siblings, limits);
    let mut reader = Reader { document: &document, buffers, builder };
    reader.scene()?;
    reader.builder.finish(format, Some(1.0), Some(UpAxis::Y))
}

/// The JSON and the data of a `.glb` file.
fn split_binary<'b>(builder: &mut Builder<'_>, bytes: &'b [u8]) -> Result<(&'b [u8], Option<&'b [u8]>), FormatError> {
    let word = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let cut_short = |builder: &Builder<'_>, at: usize, what: &str| {
        builder.error(format!("the file ends within {what}")).at_byte(at).remedy("copy or export it again")
    };
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        return Err(cut_short(builder, bytes.len(), "its header"));
    };
    if version != 2 {
        return Err(builder.error(format!("it is glTF version {version}")).at_byte(4).remedy("export glTF 2.0"));
    }
    let length = length as usize;
    if length > bytes.len() {
        let problem = format!("the header claims {length} bytes, but there are {}", bytes.len());
        return Err(builder.error(problem).at_byte(8).remedy("copy or export it again"));
    }
    if length < bytes.len() {
        builder.notes.push(format!("{} bytes after the end of the data were ignored", bytes.len() - length));
    }
    let (mut json, mut data, mut unknown) = (None, None, 0);
    let mut at = 12;
    while at < length {
        let (Some(size), Some(kind)) = (word(at), word(at + 4)) else {
            return Err(cut_short(builder, at, "the header of a chunk"));
        };
        let end = (at + 8).checked_add(size as usize).filter(|&end| end <= length);
        let Some(end) = end else { return Err(cut_short(builder, at, &format!("a chunk of {size} bytes"))) };
        let chunk = &bytes[at + 8..end];
        match &kind.to_le_bytes() {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if data.is_none() => data = Some(chunk),
            _ => unknown += 1,
        }
        at = end;
    }
    if unknown > 0 {
        builder.notes.push(format!("{unknown} chunks of unknown kinds were ignored"));
    }
    let json = json.ok_or_else(|| builder.error("it has no JSON chunk").at_byte(12).remedy("export it again"))?;
    Ok((json, data))
}

/// Prefixes of extensions that do not touch geometry; also quantised positions, which are read.
const HARMLESS: [&str; 9] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_animation_",
    "KHR_xmp",
    "KHR_mesh_quantization",
    "EXT_texture_",
    "EXT_lights_",
    "MSFT_texture_",
];

fn check_version_and_extensions(builder: &mut Builder<'_>, document: &Document) -> Result<(), FormatError> {
    let version = document.asset.min_version.as_ref().unwrap_or(&document.asset.version);
    if version.split('.').next() != Some("2") {
        let problem = format!("it is glTF version {}", excerpt(version));
        return Err(builder.error(problem).at("asset").remedy("export glTF 2.0"));
    }
    let is_harmless = |name: &str| HARMLESS.iter().any(|start| name.starts_with(start));
    if let Some(name) = document.extensions_required.iter().find(|name| !is_harmless(name)) {
        let problem = format!("it requires the extension {}, which is not read", excerpt(name));
        let remedy = "export without compression and extensions (Draco and meshopt off)";
        return Err(builder.error(problem).at("extensionsRequired").remedy(remedy));
    }
    for name in document.extensions_used.iter().filter(|name| !is_harmless(name)) {
        builder.notes.push(format!("the extension {} was ignored: the file says it is not required", excerpt(name)));
    }
    if !document.animations.is_empty() {
        builder.notes.push(format!("{} animations were ignored: the mesh is at rest", document.animations.len()));
    }
    Ok(())
}

struct Reader<'a, 'd> {
    document: &'d Document,
    buffers: Buffers<'a, 'd>,
    builder: Builder<'a>,
}

impl Reader<'_, '_> {
    fn scene(&mut self) -> Result<(), FormatError> {
        let identity = DAffine3::IDENTITY;
        let mut stack: Vec<(usize, DAffine3)> = self.roots()?.iter().rev().map(|&node| (node, identity)).collect();
        let mut seen = vec![false; self.document.nodes.len()];
        while let Some((index, scene_from_parent)) = stack.pop() {
            let document = self.document;
            let Some(node) = document.nodes.get(index) else {
                let problem = format!("there is no node {index}, only {}", document.nodes.len());
                return Err(self.builder.error(problem).at("nodes").remedy(EXPORT));
            };
            if std::mem::replace(&mut seen[index], true) {
                let problem = "the node has two parents, or contains itself";
                return Err(self.builder.error(problem).at(format!("nodes[{index}]")).remedy(EXPORT));
            }
            let scene_from_node = scene_from_parent * self.transform_of(node, index)?;
            if let Some(mesh) = node.mesh {
                self.mesh(node, index, mesh, &scene_from_node)?;
            }
            stack.extend(node.children.iter().rev().map(|&child| (child, scene_from_node)));
        }
        let left_out = (0..seen.len()).filter(|&i| !seen[i] && self.document.nodes[i].mesh.is_some()).count();
        if left_out > 0 {
            self.builder.notes.push(format!("{left_out} nodes with meshes are not in the scene and were left out"));
        }
        Ok(())
    }

    /// Root nodes of the selected scene.
    fn roots(&mut self) -> Result<Cow<'static, [usize]>, FormatError> {
        let scenes = &self.document.scenes;
        let chosen = match (self.document.scene, scenes.len()) {
            (Some(scene), count) if scene >= count => {
                let problem = format!("there is no scene {scene}, only {count}");
                return Err(self.builder.error(problem).at("scene").remedy(EXPORT));
            }
            (Some(scene), _) => scene,
            (None, 1) => {
                self.builder.notes.push("no default scene is named: the only one was taken".into());
                0
            }
            (None, 0) => {
                self.builder.notes.push("the file has no scene: all nodes were taken".into());
                let mut is_child = vec![false; self.document.nodes.len()];
                for &child in self.document.nodes.iter().flat_map(|n| &n.children) {
                    if let Some(slot) = is_child.get_mut(child) {
                        *slot = true;
                    }
                }
                return Ok((0..is_child.len()).filter(|&i| !is_child[i]).collect::<Vec<_>>().into());
            }
            (None, count) => {
                let problem = format!("there are {count} scenes and none is the default");
                return Err(self.builder.error(problem).at("scene").remedy("export one scene"));
            }
        };
        Ok(scenes[chosen].nodes.clone().into())
    }

    fn transform_of(&self, node: &Node, index: usize) -> Result<DAffine3, FormatError> {
        let refuse = |problem: &str| self.builder.error(problem).at(format!("nodes[{index}]")).remedy(EXPORT);
        if node.extensions.contains_key("EXT_mesh_gpu_instancing") {
            return Err(refuse("instances by EXT_mesh_gpu_instancing are not read"));
        }
        if let Some(m) = node.matrix {
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                return Err(refuse("the last row of the matrix is not 0 0 0 1"));
            }
            // Column by column.
            let column = |i: usize| DVec3::new(m[i], m[i + 1], m[i + 2]);
            return Ok(DAffine3 {
                matrix3: DMat3::from_cols(column(0), column(4), column(8)),
                translation: column(12),
            });
        }
        let rotation = DQuat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
        let norm = rotation.length();
        // Exporters write seven digits; a larger deviation is not a rotation.
        if (norm - 1.0).abs() > 1e-3 || norm.is_nan() {
            return Err(refuse(&format!("the rotation has the norm {norm}, not 1")));
        }
        let rotation = if norm == 1.0 { rotation } else { rotation / norm };
        let scale = DVec3::from_array(node.scale.unwrap_or([1.0; 3]));
        let translation = DVec3::from_array(node.translation.unwrap_or([0.0; 3]));
        Ok(DAffine3::from_scale_rotation_translation(scale, rotation, translation))
    }

    fn mesh(&mut self, node: &Node, node_index: usize, index: usize, transform: &DAffine3) -> Result<(), FormatError> {
        let refuse = |reader: &Self, problem: String, remedy: &str| {
            Err(reader.builder.error(problem).at(format!("nodes[{node_index}]")).remedy(remedy))
        };
        let Some(mesh) = self.document.meshes.get(index) else {
            let problem = format!("there is no mesh {index}, only {}", self.document.meshes.len());
            return refuse(self, problem, EXPORT);
        };
        if node.skin.is_some() {
            return refuse(self, "skins are not read".into(), "apply the modifier and export a plain mesh");
        }
        let weights = node.weights.as_ref().or(mesh.weights.as_ref());
        if weights.is_some_and(|weights| weights.iter().any(|&w| w != 0.0)) {
            let problem = "morph targets with weights other than 0 are not read".into();
            return refuse(self, problem, "apply the shape keys and export a plain mesh");
        }
        let name = node.name.as_deref().or(mesh.name.as_deref()).unwrap_or_default();
        self.builder.start_part(name);
        self.primitives(mesh, index, transform)
    }

    fn primitives(&mut self, mesh: &Mesh, mesh_index: usize, transform: &DAffine3) -> Result<(), FormatError> {
        // Primitives often share one list of positions: place it once.
        let mut placed: HashMap<usize, (usize, usize)> = HashMap::new();
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let place = format!("meshes[{mesh_index}].primitives[{i}]");
            let here = |error: FormatError| if error.place.is_empty() { error.at(&place) } else { error };
            let Some(&positions) = primitive.attributes.get("POSITION") else {
                let problem = "it has no POSITION, so nothing says where it is";
                return Err(here(self.builder.error(problem).remedy(EXPORT)));
            };
            if primitive.mode < 4 {
                let skipped = &mut self.builder.skipped_lines_and_points;
                *skipped = skipped.saturating_add(1);
                continue;
            }
            let (first, count) = match placed.get(&positions) {
                Some(&range) => range,
                None => {
                    let first = self.builder.vertices.len();
                    let points = self.buffers.positions(positions)?;
                    self.builder.add_instance(&points, &[], transform, &|| place.clone())?;
                    placed.insert(positions, (first, points.len()));
                    (first, points.len())
                }
            };
            let flip = transform.matrix3.determinant() < 0.0;
            self.triangles(primitive, first, count, flip).map_err(here)?;
        }
        Ok(())
    }

    fn triangles(&mut self, primitive: &Primitive, first: usize, count: usize, flip: bool) -> Result<(), FormatError> {
        let corners = match primitive.indices {
            Some(accessor) => self.buffers.indices(accessor)?,
            None => (0..count as u32).collect(),
        };
        if let Some(at) = corners.iter().position(|&i| i as usize >= count) {
            let problem = format!("index {at} is {}, but there are {count} positions", corners[at]);
            return Err(self.builder.error(problem).remedy(EXPORT));
        }
        let mut add = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|i| (first + i as usize) as u32);
            self.builder.add_triangle(if flip { [a, c, b] } else { [a, b, c] })
        };
        match primitive.mode {
            4 => {
                let (triangles, rest) = corners.as_chunks::<3>();
                if !rest.is_empty() {
                    let problem = format!("it has {} corners, which is no multiple of 3", corners.len());
                    return Err(self.builder.error(problem).remedy(EXPORT));
                }
                triangles.iter().try_for_each(|&t| add(t))
            }
            // Every other triangle of a strip has the opposite orientation.
            5 => corners
                .windows(3)
                .enumerate()
                .try_for_each(|(i, w)| add(if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })),
            6 => (2..corners.len()).try_for_each(|i| add([corners[0], corners[i - 1], corners[i]])),
            mode => Err(self.builder.error(format!("there is no primitive mode {mode}")).remedy(EXPORT)),
        }
    }
}

const EXPORT: &str = "the file is damaged: export it again";

#[cfg(test)]
mod tests;
