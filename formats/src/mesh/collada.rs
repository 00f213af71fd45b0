//! COLLADA 1.4 and 1.5: the visual scene with its nested transforms and instances, in metres.
//!
//! The unit is applied; the up-axis is reported and **not** applied. Plain assimp turns every file to y-up, but RViz,
//! MoveIt, Gazebo and Tesseract undo that rotation, so robot meshes fit their links as written. Refused, because
//! skipping them would drop or misplace part of a body: skins, splines, holes in polygons, references to other files.
//! The walk uses its own stack, at most [`DEEPEST`] deep and [`MOST_NODES`] long, which also ends cycles and repeated
//! doubling.

mod geometry;

use std::collections::HashMap;
use std::path::Path;

use glam::{DAffine3, DMat3};
use roxmltree::{Document, Node, NodeId};

use self::geometry::Geometry;
use super::builder::{Builder, number};
use super::{Limits, MeshFile, MeshFormat, UpAxis};
use crate::error::{FormatError, excerpt};
use crate::xml;
use pathproof::numeric::{DVec3, sin_cos};

/// Maximum nesting of nodes, instances included.
const DEEPEST: usize = 256;
/// Maximum number of nodes in the scene after instancing.
const MOST_NODES: usize = 1_000_000;

pub(super) fn read(name: &Path, bytes: &[u8], limits: &Limits) -> Result<MeshFile, FormatError> {
    let text = super::utf8(name, bytes)?;
    let document = xml::parse(name, text)?;
    if document.root_element().tag_name().name() != "COLLADA" {
        let tag = excerpt(document.root_element().tag_name().name());
        let problem = format!("the first element is <{tag}>, not <COLLADA>");
        return Err(FormatError::new(name, problem).remedy("check that the file is a COLLADA mesh"));
    }
    let mut reader =
        Reader { builder: Builder::new(name, limits), by_id: index_ids(&document), geometries: HashMap::new() };
    let asset = Asset::read(&reader, document.root_element())?;
    reader.scene(document.root_element(), DAffine3::from_scale(DVec3::splat(asset.metres_per_unit)))?;
    reader.builder.finish(MeshFormat::Collada, Some(asset.metres_per_unit), asset.up_axis)
}

/// Target of an identifier.
enum Named<'d> {
    One(Node<'d, 'd>),
    /// An error only when it is referenced: exporters repeat identifiers of things that do not matter here.
    Several,
}

fn index_ids<'d>(document: &'d Document<'d>) -> HashMap<(&'d str, &'d str), Named<'d>> {
    let mut by_id = HashMap::new();
    for node in document.descendants() {
        if let Some(id) = node.attribute("id") {
            by_id
                .entry((node.tag_name().name(), id))
                .and_modify(|named| *named = Named::Several)
                .or_insert(Named::One(node));
        }
    }
    by_id
}

struct Asset {
    metres_per_unit: f64,
    up_axis: Option<UpAxis>,
}

impl Asset {
    fn read<'d>(reader: &Reader<'_, 'd>, root: Node<'d, 'd>) -> Result<Self, FormatError> {
        let asset = child(root, "asset");
        let mut metres_per_unit = 1.0;
        if let Some(unit) = asset.and_then(|a| child(a, "unit")) {
            metres_per_unit = metres(reader, unit)?;
        }
        let up_axis = match asset.and_then(|a| child(a, "up_axis")) {
            // The default of the format.
            None => UpAxis::Y,
            Some(node) => match node.text().unwrap_or_default().trim() {
                "X_UP" => UpAxis::X,
                "Y_UP" => UpAxis::Y,
                "Z_UP" => UpAxis::Z,
                other => {
                    let problem = format!("the up-axis is \"{}\"", excerpt(other));
                    return Err(reader.error(node, problem).remedy("write X_UP, Y_UP or Z_UP"));
                }
            },
        };
        // Parts of a file may have their own assets.
        for unit in root.descendants().filter(|n| n.tag_name().name() == "unit") {
            if unit.parent().is_some_and(|p| p.tag_name().name() == "asset") && metres(reader, unit)? != metres_per_unit
            {
                let problem = "this unit differs from the unit of the file";
                return Err(reader.error(unit, problem).remedy("export everything in one unit"));
            }
        }
        Ok(Self { metres_per_unit, up_axis: Some(up_axis) })
    }
}

fn metres<'d>(reader: &Reader<'_, 'd>, unit: Node<'d, 'd>) -> Result<f64, FormatError> {
    let text = unit.attribute("meter").unwrap_or("1").trim();
    match number(text) {
        Ok(metres) if metres.is_finite() && metres > 0.0 => Ok(metres),
        _ => {
            let problem = format!("the unit is \"{}\" metres long", excerpt(text));
            Err(reader.error(unit, problem).remedy("write a positive number in <unit meter=…>"))
        }
    }
}

/// The state of reading one document.
struct Reader<'a, 'd> {
    builder: Builder<'a>,
    by_id: HashMap<(&'d str, &'d str), Named<'d>>,
    geometries: HashMap<NodeId, Geometry>,
}

/// A node still to be visited.
struct Visit<'d> {
    node: Node<'d, 'd>,
    scene_from_parent: Transform<'d>,
    depth: usize,
}

/// Transform, or an element that is refused as soon as a geometry depends on it.
#[derive(Clone, Copy)]
enum Transform<'d> {
    Affine(DAffine3),
    Refused(Node<'d, 'd>),
}

impl<'d> Reader<'_, 'd> {
    /// An error at an element, with its line.
    fn error(&self, node: Node<'d, 'd>, problem: impl Into<String>) -> FormatError {
        self.builder.error(problem).at(place(node))
    }

    fn scene(&mut self, root: Node<'d, 'd>, metres_from_units: DAffine3) -> Result<(), FormatError> {
        let Some(scene) = self.choose_scene(root)? else {
            self.builder.notes.push("the file has no scene: every geometry was taken once, where it is".into());
            for library in root.children().filter(|n| n.tag_name().name() == "library_geometries") {
                for geometry in library.children().filter(|n| n.tag_name().name() == "geometry") {
                    self.instance(geometry, geometry, Transform::Affine(metres_from_units))?;
                }
            }
            return Ok(());
        };
        let mut stack = Vec::new();
        push_children(&mut stack, scene, Transform::Affine(metres_from_units), 0);
        let mut visited = 0;
        while let Some(visit) = stack.pop() {
            visited += 1;
            if visited > MOST_NODES || visit.depth > DEEPEST {
                let problem = format!(
                    "the scene has more than {MOST_NODES} nodes, or nodes more than {DEEPEST} deep (nodes that contain themselves?)"
                );
                return Err(self.error(visit.node, problem).remedy("export the scene without instances of nodes"));
            }
            self.visit(&visit, &mut stack)?;
        }
        Ok(())
    }

    /// Visual scene that `<scene>` names, or the only one there is.
    fn choose_scene(&mut self, root: Node<'d, 'd>) -> Result<Option<Node<'d, 'd>>, FormatError> {
        if let Some(instance) = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene")) {
            return self.referred(instance, "url", "visual_scene").map(Some);
        }
        let libraries = root.children().filter(|n| n.tag_name().name() == "library_visual_scenes");
        let mut scenes = libraries.flat_map(|l| l.children()).filter(|n| n.tag_name().name() == "visual_scene");
        let (first, second) = (scenes.next(), scenes.next());
        match (first, second) {
            (Some(_), Some(second)) => {
                let problem = "there are several visual scenes and no <scene> says which one is meant";
                Err(self.error(second, problem).remedy("add <scene><instance_visual_scene url=…/></scene>"))
            }
            (Some(_), None) => {
                self.builder.notes.push("no <scene> names the visual scene: the only one was taken".into());
                Ok(first)
            }
            (None, _) => Ok(None),
        }
    }

    fn visit(&mut self, visit: &Visit<'d>, stack: &mut Vec<Visit<'d>>) -> Result<(), FormatError> {
        let node = visit.node;
        match node.tag_name().name() {
            "node" => {
                let scene_from_node = self.transform_of(node, visit.scene_from_parent)?;
                push_children(stack, node, scene_from_node, visit.depth + 1);
            }
            "instance_node" => {
                let target = self.referred(node, "url", "node")?;
                let scene_from_parent = visit.scene_from_parent;
                stack.push(Visit { node: target, scene_from_parent, depth: visit.depth + 1 });
            }
            "instance_geometry" => {
                let geometry = self.referred(node, "url", "geometry")?;
                self.instance(node, geometry, visit.scene_from_parent)?;
            }
            "instance_controller" => {
                let problem = "skins and morphs (instance_controller) are not read";
                return Err(self.error(node, problem).remedy("apply the modifier and export a plain mesh"));
            }
            // Cameras, lights, and transforms, which `transform_of` has seen.
            _ => {}
        }
        Ok(())
    }

    /// The product of a node's transforms, in the order in which they are written.
    fn transform_of(&self, node: Node<'d, 'd>, scene_from_parent: Transform<'d>) -> Result<Transform<'d>, FormatError> {
        let mut product = scene_from_parent;
        for element in node.children().filter(Node::is_element) {
            let Transform::Affine(so_far) = product else { break };
            product = match element.tag_name().name() {
                "lookat" | "skew" => Transform::Refused(element),
                name => match self.transform(element, name)? {
                    Some(transform) => Transform::Affine(so_far * transform),
                    None => product,
                },
            };
        }
        Ok(product)
    }

    /// One transform element; `None` if it is something else.
    fn transform(&self, element: Node<'d, 'd>, name: &str) -> Result<Option<DAffine3>, FormatError> {
        Ok(Some(match name {
            "matrix" => {
                let m = self.numbers::<16>(element)?;
                if m[12..] != [0.0, 0.0, 0.0, 1.0] {
                    let problem = "the last row of the matrix is not 0 0 0 1";
                    return Err(self.error(element, problem).remedy("write affine transforms, row by row"));
                }
                let column = |i: usize| DVec3::new(m[i], m[4 + i], m[8 + i]);
                DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
            }
            "translate" => DAffine3::from_translation(DVec3::from_array(self.numbers::<3>(element)?)),
            "scale" => DAffine3::from_scale(DVec3::from_array(self.numbers::<3>(element)?)),
            "rotate" => {
                let [x, y, z, degrees] = self.numbers::<4>(element)?;
                DAffine3::from_mat3(self.rotation(element, DVec3::new(x, y, z), degrees)?)
            }
            _ => return Ok(None),
        }))
    }

    fn rotation(&self, element: Node<'d, 'd>, axis: DVec3, degrees: f64) -> Result<DMat3, FormatError> {
        // Exporters write rotations by zero about a zero axis.
        if degrees == 0.0 {
            return Ok(DMat3::IDENTITY);
        }
        let Some(axis) = axis.try_normalize() else {
            return Err(self.error(element, "the axis of the rotation has no direction").remedy("repair the file"));
        };
        // Quarter turns are common and exact.
        let (s, c) = match degrees.rem_euclid(360.0) {
            0.0 => (0.0, 1.0),
            90.0 => (1.0, 0.0),
            180.0 => (0.0, -1.0),
            270.0 => (-1.0, 0.0),
            turn => sin_cos(turn.to_radians()),
        };
        let cross = DMat3::from_cols(axis.cross(DVec3::X), axis.cross(DVec3::Y), axis.cross(DVec3::Z));
        let outer = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        Ok(DMat3::from_diagonal(DVec3::splat(c)) + cross * s + outer * (1.0 - c))
    }

    /// The finite numbers of an element, which must be `N`.
    fn numbers<const N: usize>(&self, element: Node<'d, 'd>) -> Result<[f64; N], FormatError> {
        let mut values = [0.0; N];
        let mut count = 0;
        for word in words_of(element) {
            let value = number(word).ok().filter(|v| v.is_finite());
            let Some(value) = value else {
                return Err(self
                    .error(element, format!("\"{}\" is not a finite number", excerpt(word)))
                    .remedy(REPAIR));
            };
            if let Some(slot) = values.get_mut(count) {
                *slot = value;
            }
            count += 1;
        }
        if count != N {
            return Err(self.error(element, format!("it holds {count} numbers, not {N}")).remedy(REPAIR));
        }
        Ok(values)
    }

    /// Adds a geometry for an instance.
    fn instance(
        &mut self,
        instance: Node<'d, 'd>,
        geometry: Node<'d, 'd>,
        scene_from_geometry: Transform<'d>,
    ) -> Result<(), FormatError> {
        let scene_from_geometry = match scene_from_geometry {
            Transform::Affine(affine) => affine,
            Transform::Refused(element) => {
                let problem = format!("<{}> transforms of geometry are not read", element.tag_name().name());
                return Err(self.error(element, problem).remedy("export with matrices (\"bake transforms\")"));
            }
        };
        if !self.geometries.contains_key(&geometry.id()) {
            let read = Geometry::read(self, geometry)?;
            self.builder.polygons.add(read.polygons);
            let skipped = &mut self.builder.skipped_lines_and_points;
            *skipped = skipped.saturating_add(read.skipped_lines_and_points);
            self.geometries.insert(geometry.id(), read);
        }
        let mesh = &self.geometries[&geometry.id()];
        let parent = instance.parent().filter(|p| p.tag_name().name() == "node").unwrap_or(geometry);
        let label = |n: Node<'d, 'd>| n.attribute("name").or(n.attribute("id"));
        self.builder.start_part(label(parent).or(label(geometry)).unwrap_or_default());
        self.builder.add_instance(&mesh.vertices, &mesh.triangles, &scene_from_geometry, &|| place(instance))
    }

    /// The element with the given tag that an attribute (`#id`) refers to.
    fn referred(&self, from: Node<'d, 'd>, attribute: &str, tag: &'static str) -> Result<Node<'d, 'd>, FormatError> {
        let url = from.attribute(attribute).unwrap_or_default();
        let Some(id) = url.strip_prefix('#') else {
            let problem = format!("{attribute}=\"{}\" does not name an element of this file", excerpt(url));
            return Err(self.error(from, problem).remedy("export everything into one file"));
        };
        match self.by_id.get(&(tag, id)) {
            Some(Named::One(node)) => Ok(*node),
            Some(Named::Several) => {
                let problem = format!("there are several <{tag} id=\"{}\">", excerpt(id));
                Err(self.error(from, problem).remedy("give every element an identifier of its own"))
            }
            None => {
                let problem = format!("there is no <{tag} id=\"{}\">", excerpt(id));
                Err(self.error(from, problem).remedy(REPAIR))
            }
        }
    }
}

const REPAIR: &str = "repair the file or export it again";

fn push_children<'d>(stack: &mut Vec<Visit<'d>>, node: Node<'d, 'd>, transform: Transform<'d>, depth: usize) {
    // Reversed, so that the stack gives them in the order of the file.
    let elements = node.children().rev().filter(Node::is_element);
    stack.extend(elements.map(|node| Visit { node, scene_from_parent: transform, depth }));
}

fn child<'d>(node: Node<'d, 'd>, tag: &str) -> Option<Node<'d, 'd>> {
    node.children().find(|n| n.is_element() && n.tag_name().name() == tag)
}

/// Words of all text in an element. A comment between them separates words and ends nothing.
fn words_of<'d>(node: Node<'d, 'd>) -> impl Iterator<Item = &'d str> {
    let texts = node.children().filter(Node::is_text);
    texts.flat_map(|text| text.text().unwrap_or_default().split_ascii_whitespace())
}

/// `line 12, <node id="arm">`.
fn place(node: Node<'_, '_>) -> String {
    // Counts lines from the start, so it is called only for errors.
    let row = node.document().text_pos_at(node.range().start).row;
    let tag = excerpt(node.tag_name().name());
    let named = ["id", "url", "name", "source"].into_iter().find_map(|key| Some((key, node.attribute(key)?)));
    match named {
        Some((key, value)) => format!("line {row}, <{tag} {key}=\"{}\">", excerpt(value)),
        None => format!("line {row}, <{tag}>"),
    }
}

#[cfg(test)]
mod tests;
