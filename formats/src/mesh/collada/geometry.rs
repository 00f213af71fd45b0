//! One COLLADA `<geometry>`: its sources and primitives, in its own frame and unit.

use std::collections::HashMap;

use roxmltree::{Node, NodeId};

use super::super::builder::{PolygonCount, coordinate};
use super::super::polygon::{Scratch, triangulate};
use super::{REPAIR, Reader, child, words_of};
use crate::error::{FormatError, excerpt};
use pathproof::numeric::DVec3;

/// Vertices and triangles of a geometry; all indices are in range.
#[derive(Default)]
pub(super) struct Geometry {
    pub(super) vertices: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) polygons: PolygonCount,
    pub(super) skipped_lines_and_points: usize,
}

/// Rule by which a primitive turns its list of corners into triangles.
#[derive(Clone, Copy)]
enum Kind {
    Triangles,
    Strip,
    Fan,
    /// One polygon per `<p>`.
    Polygon,
    /// `<vcount>` groups the corners of `<p>`.
    Polylist,
}

/// Positions that a primitive refers to, and the offset of their indices in `<p>`.
struct Corners {
    first_vertex: usize,
    vertices: usize,
    offset: usize,
    stride: usize,
}

impl Geometry {
    pub(super) fn read<'d>(reader: &Reader<'_, 'd>, node: Node<'d, 'd>) -> Result<Self, FormatError> {
        let Some(mesh) = child(node, "mesh") else {
            let problem = "the geometry is no <mesh> (splines, hulls and exact surfaces are not read)";
            return Err(reader.error(node, problem).remedy("export it as a mesh"));
        };
        let mut geometry = Self::default();
        let mut sources = HashMap::new();
        let mut scratch = Scratch::default();
        for primitive in mesh.children().filter(Node::is_element) {
            let kind = match primitive.tag_name().name() {
                "triangles" => Kind::Triangles,
                "tristrips" => Kind::Strip,
                "trifans" => Kind::Fan,
                "polygons" => Kind::Polygon,
                "polylist" => Kind::Polylist,
                "lines" | "linestrips" => {
                    let skipped = &mut geometry.skipped_lines_and_points;
                    *skipped = skipped.saturating_add(claimed_count(primitive).unwrap_or(1));
                    continue;
                }
                "source" | "vertices" | "extra" => continue,
                other => {
                    let problem = format!("<{}> is no primitive of a mesh", excerpt(other));
                    return Err(reader.error(primitive, problem).remedy(REPAIR));
                }
            };
            let Some(corners) = geometry.corners(reader, primitive, &mut sources)? else { continue };
            geometry.primitive(reader, primitive, kind, &corners, &mut scratch)?;
        }
        Ok(geometry)
    }

    /// Finds and reads the positions of a primitive, unless they were read for another one. `None` for a primitive
    /// without any corner: exporters write them, without inputs.
    fn corners<'d>(
        &mut self,
        reader: &Reader<'_, 'd>,
        primitive: Node<'d, 'd>,
        sources: &mut HashMap<NodeId, (usize, usize)>,
    ) -> Result<Option<Corners>, FormatError> {
        let mut stride = 1;
        let mut position = None;
        for input in primitive.children().filter(|n| n.tag_name().name() == "input") {
            let text = input.attribute("offset").unwrap_or("0").trim();
            // 255 inputs are far more than any exporter writes; the limit keeps the products below small.
            let Some(offset) = text.parse::<usize>().ok().filter(|&o| o < 255) else {
                let problem = format!("the offset is \"{}\"", excerpt(text));
                return Err(reader.error(input, problem).remedy(REPAIR));
            };
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                position = Some((input, offset));
            }
        }
        let Some((input, offset)) = position else {
            if primitive.children().all(|n| !matches!(n.tag_name().name(), "p" | "ph")) {
                return Ok(None);
            }
            return Err(reader.error(primitive, "it has no <input semantic=\"VERTEX\">").remedy(REPAIR));
        };
        let vertices = reader.referred(input, "source", "vertices")?;
        let is_position = |n: &Node<'d, 'd>| n.attribute("semantic") == Some("POSITION");
        let Some(input) = vertices.children().find(is_position) else {
            return Err(reader.error(vertices, "it has no <input semantic=\"POSITION\">").remedy(REPAIR));
        };
        let source = reader.referred(input, "source", "source")?;
        let (first_vertex, vertices) = match sources.get(&source.id()) {
            Some(&range) => range,
            None => {
                let first = self.vertices.len();
                read_positions(reader, source, &mut self.vertices)?;
                let range = (first, self.vertices.len() - first);
                sources.insert(source.id(), range);
                range
            }
        };
        Ok(Some(Corners { first_vertex, vertices, offset, stride }))
    }

    fn primitive<'d>(
        &mut self,
        reader: &Reader<'_, 'd>,
        primitive: Node<'d, 'd>,
        kind: Kind,
        corners: &Corners,
        scratch: &mut Scratch,
    ) -> Result<(), FormatError> {
        if let Some(hole) = primitive.children().find(|n| n.tag_name().name() == "ph") {
            let problem = "polygons with holes (<ph>) are not read";
            return Err(reader.error(hole, problem).remedy("triangulate the mesh on export"));
        }
        let mut indices = Vec::new();
        for p in primitive.children().filter(|n| n.tag_name().name() == "p") {
            indices.clear();
            corners.read(reader, p, &mut indices)?;
            match kind {
                Kind::Triangles => {
                    let (triangles, rest) = indices.as_chunks::<3>();
                    if !rest.is_empty() {
                        let problem = format!("it holds {} corners, which is no multiple of 3", indices.len());
                        return Err(reader.error(p, problem).remedy(REPAIR));
                    }
                    self.triangles.extend(triangles);
                }
                // Every other triangle of a strip has the opposite orientation.
                Kind::Strip => self.triangles.extend(
                    indices
                        .windows(3)
                        .enumerate()
                        .map(|(i, w)| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] }),
                ),
                Kind::Fan => {
                    self.triangles.extend((2..indices.len()).map(|i| [indices[0], indices[i - 1], indices[i]]))
                }
                Kind::Polygon => self.polygon(reader, p, &indices, scratch)?,
                Kind::Polylist => self.polylist(reader, primitive, p, &indices, scratch)?,
            }
        }
        Ok(())
    }

    fn polylist<'d>(
        &mut self,
        reader: &Reader<'_, 'd>,
        primitive: Node<'d, 'd>,
        p: Node<'d, 'd>,
        indices: &[u32],
        scratch: &mut Scratch,
    ) -> Result<(), FormatError> {
        let Some(counts) = child(primitive, "vcount") else {
            return Err(reader.error(primitive, "it has no <vcount>").remedy(REPAIR));
        };
        let mut rest = indices;
        for word in words_of(counts) {
            let split = word.parse::<usize>().ok().and_then(|count| rest.split_at_checked(count));
            let Some((polygon, after)) = split else {
                let problem = format!("a polygon of \"{}\" corners: <p> has {} left", excerpt(word), rest.len());
                return Err(reader.error(counts, problem).remedy(REPAIR));
            };
            self.polygon(reader, p, polygon, scratch)?;
            rest = after;
        }
        if !rest.is_empty() {
            let problem = format!("<vcount> leaves {} corners without a polygon", rest.len());
            return Err(reader.error(p, problem).remedy(REPAIR));
        }
        Ok(())
    }

    fn polygon<'d>(
        &mut self,
        reader: &Reader<'_, 'd>,
        p: Node<'d, 'd>,
        corners: &[u32],
        scratch: &mut Scratch,
    ) -> Result<(), FormatError> {
        match *corners {
            [a, b, c] => self.triangles.push([a, b, c]),
            [] | [_] | [_, _] => self.skipped_lines_and_points += 1,
            _ => {
                let quality = triangulate(corners, &self.vertices, scratch)
                    .map_err(|problem| reader.error(p, problem).remedy("triangulate the mesh on export"))?;
                self.polygons.count(quality);
                self.triangles.extend(&scratch.triangles);
            }
        }
        Ok(())
    }
}

impl Corners {
    /// The vertex indices of a `<p>`, checked.
    fn read<'d>(&self, reader: &Reader<'_, 'd>, p: Node<'d, 'd>, into: &mut Vec<u32>) -> Result<(), FormatError> {
        let mut words = 0;
        for word in words_of(p) {
            let is_vertex = words % self.stride == self.offset;
            match word.parse::<u32>() {
                Ok(index) if is_vertex && (index as usize) < self.vertices => {
                    into.push(self.first_vertex as u32 + index)
                }
                Ok(_) if !is_vertex => {}
                _ => {
                    let problem = format!("\"{}\" is no index below {}", excerpt(word), self.vertices);
                    return Err(reader.error(p, problem).remedy(REPAIR));
                }
            }
            words += 1;
        }
        if words % self.stride != 0 {
            let problem = format!("it holds {words} indices, which is no multiple of {} inputs", self.stride);
            return Err(reader.error(p, problem).remedy(REPAIR));
        }
        Ok(())
    }
}

/// Reads the positions of a `<source>`.
fn read_positions<'d>(
    reader: &Reader<'_, 'd>,
    source: Node<'d, 'd>,
    vertices: &mut Vec<DVec3>,
) -> Result<(), FormatError> {
    let accessor = child(source, "technique_common").and_then(|t| child(t, "accessor"));
    let Some(accessor) = accessor else {
        return Err(reader.error(source, "it has no <accessor>").remedy(REPAIR));
    };
    let array = reader.referred(accessor, "source", "float_array")?;
    let mut values = Vec::new();
    for (i, word) in words_of(array).enumerate() {
        let value =
            coordinate(word).map_err(|e| reader.error(array, format!("number {i}: {e}")).remedy("repair the mesh"))?;
        values.push(value);
    }
    if let Some(claim) = claimed_count(array).filter(|&claim| claim != values.len()) {
        let problem = format!("it claims {claim} numbers and holds {}", values.len());
        return Err(reader.error(array, problem).remedy(REPAIR));
    }
    let attribute = |key: &str, default: usize| match accessor.attribute(key) {
        None => Ok(default),
        Some(text) => text
            .trim()
            .parse::<usize>()
            .map_err(|_| reader.error(accessor, format!("{key} is \"{}\"", excerpt(text))).remedy(REPAIR)),
    };
    let (count, stride, offset) = (attribute("count", 0)?, attribute("stride", 1)?, attribute("offset", 0)?);
    let [x, y, z] = axes(reader, accessor, stride)?;
    let end = count.checked_mul(stride).and_then(|length| length.checked_add(offset));
    if end.is_none_or(|end| end > values.len()) || u32::try_from(vertices.len() + count).is_err() {
        let problem =
            format!("{count} vertices of {stride} numbers from {offset} on do not fit into {} numbers", values.len());
        return Err(reader.error(accessor, problem).remedy(REPAIR));
    }
    vertices.extend(values[offset..offset + count * stride].chunks_exact(stride).map(|v| DVec3::new(v[x], v[y], v[z])));
    Ok(())
}

/// Indices of x, y and z among the numbers of one vertex.
fn axes<'d>(reader: &Reader<'_, 'd>, accessor: Node<'d, 'd>, stride: usize) -> Result<[usize; 3], FormatError> {
    let names = || accessor.children().filter(|n| n.tag_name().name() == "param").map(|n| n.attribute("name"));
    let find = |axis: &str| names().position(|name| name.is_some_and(|n| n.eq_ignore_ascii_case(axis)));
    let axes = match (find("X"), find("Y"), find("Z")) {
        (Some(x), Some(y), Some(z)) => [x, y, z],
        // Without names, the first three count.
        _ if names().count() == 0 || (names().count() >= 3 && names().all(|n| n.is_none())) => [0, 1, 2],
        _ => return Err(reader.error(accessor, "its <param>s do not name X, Y and Z").remedy(REPAIR)),
    };
    if axes.iter().any(|&axis| axis >= stride) {
        return Err(reader.error(accessor, format!("the stride {stride} is too small for X, Y, Z")).remedy(REPAIR));
    }
    Ok(axes)
}

fn claimed_count(node: Node<'_, '_>) -> Option<usize> {
    node.attribute("count")?.trim().parse().ok()
}
