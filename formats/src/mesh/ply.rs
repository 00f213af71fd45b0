//! PLY, as text and binary of either byte order: vertices (`x`, `y`, `z`) and faces (`vertex_indices`).
//!
//! Other properties and elements are skipped and counted. Refused: triangle strips, faces before their vertices, and
//! bytes after the last element, because skipping them would drop part of a body. Memory grows with the available
//! bytes, never with the counts that the header claims.

use std::path::Path;

use super::builder::{Builder, in_range};
use super::polygon::Scratch;
use super::{Limits, MeshFile, MeshFormat, without_byte_order_mark};
use crate::error::{FormatError, excerpt};
use pathproof::numeric::DVec3;

pub(super) fn read(name: &Path, bytes: &[u8], limits: &Limits) -> Result<MeshFile, FormatError> {
    let mut builder = Builder::new(name, limits);
    let (header, data) = Header::read(&builder, without_byte_order_mark(bytes))?;
    let mut data = Data { rest: data, encoding: header.encoding };
    builder.start_part("");
    let mut scratch = Scratch::default();
    let mut has_vertices = false;
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => {
                read_vertices(&mut builder, &mut data, element)?;
                has_vertices = true;
            }
            "face" if !has_vertices => {
                let problem = "faces come before the vertices they refer to";
                return Err(builder.error(problem).at("element face").remedy(EXPORT));
            }
            "face" => read_faces(&mut builder, &mut data, element, &mut scratch)?,
            "tristrips" if element.count > 0 => {
                let problem = "triangle strips are not read";
                return Err(builder.error(problem).at("element tristrips").remedy("export the mesh as triangles"));
            }
            other => {
                skip(&builder, &mut data, element)?;
                builder.notes.push(format!("{} elements \"{}\" were ignored", element.count, excerpt(other)));
            }
        }
    }
    let left = data.rest.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != 0).count();
    if left > 0 {
        let problem = format!("{left} bytes follow the last element that the header names");
        return Err(builder.error(problem).remedy("the header miscounts; export it again"));
    }
    let format = if header.encoding == Encoding::Text { MeshFormat::PlyAscii } else { MeshFormat::PlyBinary };
    builder.finish(format, None, None)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// Type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

struct Property {
    name: String,
    /// For a list, the type of its count.
    count: Option<Scalar>,
    scalar: Scalar,
}

struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
}

impl Header {
    /// Reads the header; returns it with the rest of the file.
    fn read<'b>(builder: &Builder<'_>, bytes: &'b [u8]) -> Result<(Self, &'b [u8]), FormatError> {
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').enumerate();
        if lines.next().is_none_or(|(_, line)| line.trim_ascii() != b"ply") {
            return Err(builder.error("it does not begin with \"ply\"").remedy("check that the file is a PLY mesh"));
        }
        let mut used = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1);
        let (mut encoding, mut elements) = (None, Vec::<Element>::new());
        for (number, line) in lines {
            used += line.len();
            let wrong = |problem: String| builder.error(problem).at_line(number + 1).remedy(EXPORT);
            let text = std::str::from_utf8(line).map_err(|_| wrong("the header is not text".into()))?.trim();
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            match words[..] {
                [] | ["comment" | "obj_info", ..] => {}
                ["format", kind, _] => encoding = Some(encoding_of(kind).ok_or_else(|| wrong(unknown(text)))?),
                ["element", name, count] => {
                    let count = count.parse().map_err(|_| wrong(unknown(text)))?;
                    elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
                }
                ["property", ref rest @ ..] => {
                    let property = property(rest).ok_or_else(|| wrong(unknown(text)))?;
                    let element = elements.last_mut().ok_or_else(|| wrong("a property of no element".into()))?;
                    element.properties.push(property);
                }
                ["end_header"] => {
                    let encoding = encoding.ok_or_else(|| wrong("the header names no format".into()))?;
                    return Ok((Self { encoding, elements }, &bytes[used..]));
                }
                _ => return Err(wrong(unknown(text))),
            }
        }
        Err(builder.error("it ends within its header").remedy("copy or export it again"))
    }
}

fn unknown(line: &str) -> String {
    format!("\"{}\" is not known in a PLY header", excerpt(line))
}

fn encoding_of(word: &str) -> Option<Encoding> {
    match word {
        "ascii" => Some(Encoding::Text),
        "binary_little_endian" => Some(Encoding::LittleEndian),
        "binary_big_endian" => Some(Encoding::BigEndian),
        _ => None,
    }
}

fn property(words: &[&str]) -> Option<Property> {
    let (count, scalar, name) = match words {
        ["list", count, scalar, name] => (Some(scalar_of(count)?), scalar, name),
        [scalar, name] => (None, scalar, name),
        _ => return None,
    };
    Some(Property { name: (*name).to_owned(), count, scalar: scalar_of(scalar)? })
}

fn scalar_of(word: &str) -> Option<Scalar> {
    Some(match word {
        "char" | "int8" => Scalar::I8,
        "uchar" | "uint8" => Scalar::U8,
        "short" | "int16" => Scalar::I16,
        "ushort" | "uint16" => Scalar::U16,
        "int" | "int32" => Scalar::I32,
        "uint" | "uint32" => Scalar::U32,
        "float" | "float32" => Scalar::F32,
        "double" | "float64" => Scalar::F64,
        _ => return None,
    })
}

/// Rest of the file.
struct Data<'b> {
    rest: &'b [u8],
    encoding: Encoding,
}

impl Data<'_> {
    /// Next number; every type fits an `f64`. The error describes the problem.
    fn number(&mut self, scalar: Scalar) -> Result<f64, String> {
        if self.encoding == Encoding::Text {
            let rest = self.rest.trim_ascii_start();
            let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let (word, rest) = rest.split_at(length);
            self.rest = rest;
            let word = String::from_utf8_lossy(word);
            if word.is_empty() {
                return Err("it ends early".into());
            }
            return word.parse().map_err(|_| format!("\"{}\" is not a number", excerpt(&word)));
        }
        Ok(match scalar {
            Scalar::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Scalar::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Scalar::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Scalar::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Scalar::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Scalar::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Scalar::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    /// The next bytes, least significant first.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or("it ends early")?;
        self.rest = rest;
        let mut bytes = *bytes;
        if self.encoding == Encoding::BigEndian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// Next number, as a count.
    fn count(&mut self, scalar: Scalar) -> Result<usize, String> {
        let value = self.number(scalar)?;
        let is_whole = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
        if is_whole { Ok(value as usize) } else { Err(format!("{value} is not a count or an index")) }
    }

    /// Skips one property.
    fn skip(&mut self, property: &Property) -> Result<(), String> {
        let length = property.count.map_or(Ok(1), |scalar| self.count(scalar))?;
        (0..length).try_for_each(|_| self.number(property.scalar).map(drop))
    }
}

fn failed(builder: &Builder<'_>, element: &Element, index: u64, problem: String) -> FormatError {
    builder.error(problem).at(format!("{} {index}", excerpt(&element.name))).remedy(EXPORT)
}

fn skip(builder: &Builder<'_>, data: &mut Data<'_>, element: &Element) -> Result<(), FormatError> {
    if element.properties.is_empty() {
        return Ok(());
    }
    for index in 0..element.count {
        let mut properties = element.properties.iter();
        properties.try_for_each(|property| data.skip(property)).map_err(|e| failed(builder, element, index, e))?;
    }
    Ok(())
}

fn read_vertices(builder: &mut Builder<'_>, data: &mut Data<'_>, element: &Element) -> Result<(), FormatError> {
    let axis_of = |property: &Property| ["x", "y", "z"].iter().position(|axis| property.name == *axis);
    let axes: Vec<Option<usize>> = element.properties.iter().map(axis_of).collect();
    let is_complete = (0..3).all(|axis| axes.iter().filter(|found| **found == Some(axis)).count() == 1);
    if !is_complete {
        return Err(builder.error("the vertices do not have one x, y and z each").at("element vertex").remedy(EXPORT));
    }
    for index in 0..element.count {
        let mut p = [0.0; 3];
        for (property, axis) in element.properties.iter().zip(&axes) {
            let value = match (axis, property.count) {
                (Some(_), None) => data.number(property.scalar),
                _ => data.skip(property).map(|()| 0.0),
            };
            let value = value.map_err(|problem| failed(builder, element, index, problem))?;
            if let Some(axis) = axis {
                p[*axis] = value;
            }
        }
        let p = DVec3::from_array(p);
        if !in_range(p) {
            let problem = format!("the vertex {p} is not made of finite numbers below 1e12");
            return Err(failed(builder, element, index, problem));
        }
        builder.add_vertex(p)?;
    }
    Ok(())
}

fn read_faces(
    builder: &mut Builder<'_>,
    data: &mut Data<'_>,
    element: &Element,
    scratch: &mut Scratch,
) -> Result<(), FormatError> {
    let is_corners = |property: &Property| matches!(property.name.as_str(), "vertex_indices" | "vertex_index");
    if element.properties.iter().filter(|property| is_corners(property) && property.count.is_some()).count() != 1 {
        return Err(builder.error("the faces have no list \"vertex_indices\"").at("element face").remedy(EXPORT));
    }
    let mut corners = Vec::new();
    for index in 0..element.count {
        for property in &element.properties {
            let read = match property.count {
                Some(count) if is_corners(property) => {
                    read_corners(builder, data, count, property.scalar, &mut corners)
                }
                _ => data.skip(property),
            };
            read.map_err(|problem| failed(builder, element, index, problem))?;
        }
        match corners[..] {
            [] | [_] => {
                let problem = format!("a face has {} corners", corners.len());
                return Err(failed(builder, element, index, problem));
            }
            // An edge becomes a triangle without area.
            [a, b] => builder.add_triangle([a, b, b])?,
            _ => builder.add_polygon(&corners, scratch)?,
        }
    }
    Ok(())
}

fn read_corners(
    builder: &Builder<'_>,
    data: &mut Data<'_>,
    count: Scalar,
    scalar: Scalar,
    corners: &mut Vec<u32>,
) -> Result<(), String> {
    corners.clear();
    let length = data.count(count)?;
    for _ in 0..length {
        let vertex = data.count(scalar)?;
        if vertex >= builder.vertices.len() {
            return Err(format!("it refers to vertex {vertex}, but there are {}", builder.vertices.len()));
        }
        corners.push(vertex as u32);
    }
    Ok(())
}

const EXPORT: &str = "export the mesh again";

#[cfg(test)]
mod tests {
    use super::super::testing::{area, parse, refusal};
    use super::*;

    const HEADER: &str = "element vertex 4\nproperty float x\nproperty uchar red\nproperty double y\nproperty float z\n\
        element edge 1\nproperty int vertex1\nproperty int vertex2\n\
        element face 2\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n";
    const VERTICES: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [0.0, 0.5, 0.0]];

    fn text() -> String {
        let vertices: String = VERTICES.iter().map(|[x, y, z]| format!("{x} 7 {y} {z}\n")).collect();
        format!("ply\r\nformat ascii 1.0\ncomment a\n{HEADER}{vertices}0 1\n1 3 0 1 2\n0 4 0 1 2 3\n")
    }

    fn binary(is_big: bool) -> Vec<u8> {
        let kind = if is_big { "big" } else { "little" };
        let mut bytes = format!("ply\nformat binary_{kind}_endian 1.0\n{HEADER}").into_bytes();
        let mut put = |mut number: Vec<u8>| {
            if is_big {
                number.reverse();
            }
            bytes.extend(number);
        };
        for [x, y, z] in VERTICES {
            put(x.to_le_bytes().to_vec());
            put(vec![7]);
            put(f64::from(y).to_le_bytes().to_vec());
            put(z.to_le_bytes().to_vec());
        }
        [0, 1].into_iter().for_each(|v: i32| put(v.to_le_bytes().to_vec()));
        for face in [&[0, 1, 2][..], &[0, 1, 2, 3]] {
            put(vec![1]);
            put(vec![face.len() as u8]);
            face.iter().for_each(|v: &i32| put(v.to_le_bytes().to_vec()));
        }
        bytes
    }

    #[test]
    fn text_and_both_byte_orders_give_the_same_mesh() {
        let meshes = [text().into_bytes(), binary(false), binary(true)].map(|bytes| parse("a.ply", &bytes).unwrap());
        for mesh in &meshes {
            assert_eq!((mesh.triangles.len(), mesh.vertices.len()), (3, 4));
            assert_eq!(
                (mesh.vertices.clone(), mesh.triangles.clone()),
                (meshes[0].vertices.clone(), meshes[0].triangles.clone())
            );
            assert!((area(mesh) - 0.75).abs() < 1e-12);
            assert!(mesh.report.notes.iter().any(|note| note.contains("1 elements \"edge\" were ignored")));
        }
        assert_eq!((meshes[0].report.format, meshes[2].report.format), (MeshFormat::PlyAscii, MeshFormat::PlyBinary));
    }

    #[test]
    fn damaged_bytes_are_read_or_refused_but_never_panic() {
        let mut random = pathproof::numeric::Random::new(6);
        let mut accepted = 0;
        for whole in [text().into_bytes(), binary(false), binary(true)] {
            for _ in 0..2_000 {
                let mut bytes = whole.clone();
                for _ in 0..1 + random.below(3) {
                    let at = random.below(bytes.len());
                    match random.below(3) {
                        0 => bytes.truncate(at.max(8)),
                        1 if bytes.len() > 8 => drop(bytes.remove(at)),
                        _ => bytes[at] = random.bits() as u8,
                    }
                }
                accepted += usize::from(parse("a.ply", &bytes).is_ok());
            }
        }
        assert!(accepted > 100 && accepted < 5_900, "{accepted}");
    }

    #[test]
    fn damaged_files_are_refused_with_their_place() {
        let cases: [(String, &str); 12] = [
            ("plx\n".into(), "does not begin with"),
            ("ply\nformat ascii 1.0\n".into(), "ends within its header"),
            (text().replace("ascii", "utf16"), "line 2"),
            (text().replace("double y", "double w"), "one x, y and z"),
            (text().replace("property float z", "property quad z"), "line 8"),
            (text().replace("1 3 0 1 2", "1 3 0 1 9"), "face 0: it refers to vertex 9"),
            (text().replace("1 3 0 1 2", "1 1 0"), "face 0: a face has 1 corners"),
            (text().replace("1 3 0 1 2", "1 3 0 1 2.5"), "face 0: 2.5 is not a count"),
            (text().replace("0.5 0", "nan 0"), "vertex 2"),
            (text().replace("0 4 0 1 2 3", "0 4 0 1"), "face 1: it ends early"),
            (text() + "3 0 1 2\n", "follow the last element"),
            (text().replace("vertex_indices", "corners"), "no list \"vertex_indices\""),
        ];
        for (bytes, problem) in cases {
            let message = refusal("a.ply", bytes.as_bytes());
            assert!(message.contains(problem), "{problem}: {message}");
        }
        assert!(refusal("a.ply", &binary(false)[..binary(false).len() - 3]).contains("face 1: it ends early"));
        let huge = text().replace("element face 2", "element face 4000000000");
        assert!(refusal("a.ply", huge.as_bytes()).contains("it ends early"));
        let strips = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\n\
                      element tristrips 1\nproperty list int int vertex_indices\nend_header\n3 0 1 2\n";
        assert!(refusal("a.ply", strips.as_bytes()).contains("triangle strips"));
        assert!(refusal("a.ply", b"ply\nformat ascii 1.0\nelement x 4000000000\nend_header\n").contains("empty"));
    }
}
