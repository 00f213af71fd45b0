//! STL, binary and text. Written by hand, because the available readers keep `f32` for text, trust the word "solid" at
//! the start (which many binary files have), allocate what the header claims, and do not locate errors.
//!
//! A file is binary if its length fits the count in its header; else text if it begins with "solid" and has no zero
//! byte. Facet normals are ignored: the order of the corners gives the same information.

use std::path::Path;

use super::builder::{Builder, coordinate};
use super::{Limits, MeshFile, MeshFormat, without_byte_order_mark};
use crate::error::{FormatError, excerpt};
use pathproof::numeric::DVec3;
use pathproof::shapes::MAX_COORDINATE;

const HEADER: usize = 84;
const RECORD: usize = 50;

pub(super) fn read(name: &Path, bytes: &[u8], limits: &Limits) -> Result<MeshFile, FormatError> {
    let mut builder = Builder::new(name, limits);
    let claim = bytes.get(80..HEADER).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let fits = claim.is_some_and(|count| binary_length(count) == bytes.len() as u64);
    let solid = starts_with_solid(without_byte_order_mark(bytes));
    let has_zero_byte = bytes.contains(&0);
    if !fits && solid && !has_zero_byte {
        read_text(&mut builder, super::utf8(name, bytes)?)?;
        return builder.finish(MeshFormat::StlAscii, None, None);
    }
    if !fits && !has_zero_byte && std::str::from_utf8(bytes).is_ok() {
        let problem = "it is text, but does not begin with \"solid\"";
        return Err(builder.error(problem).remedy("check that the file is an STL mesh"));
    }
    let Some(count) = claim else {
        let problem = format!("it ends after {} bytes, within the header of {HEADER}", bytes.len());
        return Err(builder.error(problem).at_byte(bytes.len()).remedy("copy or export it again"));
    };
    read_binary(&mut builder, bytes, count)?;
    builder.finish(MeshFormat::StlBinary, None, None)
}

fn binary_length(count: u32) -> u64 {
    HEADER as u64 + RECORD as u64 * u64::from(count)
}

fn starts_with_solid(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

fn read_binary(builder: &mut Builder<'_>, bytes: &[u8], count: u32) -> Result<(), FormatError> {
    let (needed, length) = (binary_length(count), bytes.len() as u64);
    if needed > length {
        let problem = format!("the header claims {count} triangles, which take {needed} bytes, but there are {length}");
        return Err(builder.error(problem).at_byte(80).remedy("the file was cut short, or is no STL: export it again"));
    }
    let (records, rest) = bytes[HEADER..].split_at(needed as usize - HEADER);
    if rest.len() >= RECORD && rest.iter().any(|&b| b != 0) {
        // Writers that were stopped, or never updated the header, leave a count that is too small. Reading only that
        // many triangles would drop part of the body.
        let problem = format!("the header claims {count} triangles, but {} bytes follow the last one", rest.len());
        return Err(builder.error(problem).at_byte(needed as usize).remedy("export it again"));
    }
    if !rest.is_empty() {
        builder.notes.push(format!("{} bytes of padding after the last triangle were ignored", rest.len()));
    }
    builder.vertices.reserve(3 * count as usize);
    builder.triangles.reserve(count as usize);
    builder.start_part(binary_name(&bytes[..80]));
    let mut with_attributes = 0;
    for (i, record) in records.chunks_exact(RECORD).enumerate() {
        let mut triangle = [0; 3];
        for (corner, index) in triangle.iter_mut().enumerate() {
            *index = builder.add_vertex(binary_vertex(builder, record, i, corner)?)?;
        }
        builder.add_triangle(triangle)?;
        with_attributes += usize::from(record[48..] != [0, 0]);
    }
    if with_attributes > 0 {
        builder.notes.push(format!("attribute bytes (colours) of {with_attributes} triangles were ignored"));
    }
    Ok(())
}

/// The header up to its first zero byte, if that is text.
fn binary_name(header: &[u8]) -> &str {
    let text = header.split(|&b| b == 0).next().unwrap_or_default();
    std::str::from_utf8(text).map_or("", str::trim)
}

fn binary_vertex(builder: &Builder<'_>, record: &[u8], triangle: usize, corner: usize) -> Result<DVec3, FormatError> {
    let mut p = [0.0; 3];
    for (axis, value) in p.iter_mut().enumerate() {
        let at = 12 + 12 * corner + 4 * axis;
        *value = f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]));
        // Written so that NaN is refused too.
        let fine = value.abs() < MAX_COORDINATE;
        if !fine {
            let problem = format!("triangle {triangle} has the coordinate {value}, not a finite number below 1e12");
            let place = HEADER + RECORD * triangle + at;
            return Err(builder.error(problem).at_byte(place).remedy("repair the mesh"));
        }
    }
    Ok(DVec3::from_array(p))
}

fn read_text(builder: &mut Builder<'_>, text: &str) -> Result<(), FormatError> {
    let mut words = Words { rest: text, line: 1 };
    while let Some(word) = words.next() {
        if !word.eq_ignore_ascii_case("solid") {
            return Err(words.error(builder, &["solid"], Some(word)));
        }
        builder.start_part(words.rest_of_line());
        while words.expect(builder, &["facet", "endsolid"])? == "facet" {
            read_facet(builder, &mut words)?;
        }
        words.rest_of_line();
    }
    Ok(())
}

fn read_facet<'t>(builder: &mut Builder<'_>, words: &mut Words<'t>) -> Result<(), FormatError> {
    words.expect(builder, &["normal"])?;
    for _ in 0..3 {
        // Ignored, and "nan" is common here; but it must be a number, or something else is missing.
        let word = words.next();
        if word.is_none_or(|w| w.parse::<f64>().is_err()) {
            return Err(words.error(builder, &["a number"], word));
        }
    }
    words.expect(builder, &["outer"])?;
    words.expect(builder, &["loop"])?;
    let mut triangle = [0; 3];
    for index in &mut triangle {
        words.expect(builder, &["vertex"])?;
        let mut p = [0.0; 3];
        for value in &mut p {
            let word = words.next().ok_or_else(|| words.error(builder, &["a number"], None))?;
            *value = coordinate(word).map_err(|e| builder.error(e).at_line(words.line).remedy("repair the mesh"))?;
        }
        *index = builder.add_vertex(DVec3::from_array(p))?;
    }
    words.expect(builder, &["endloop"])?;
    words.expect(builder, &["endfacet"])?;
    builder.add_triangle(triangle)
}

/// Words of a text, with the line of the last one.
struct Words<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let start = self.rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(self.rest.len());
        self.line += self.rest[..start].bytes().filter(|&b| b == b'\n').count();
        self.rest = &self.rest[start..];
        let end = self.rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Rest of this line.
    fn rest_of_line(&mut self) -> &'t str {
        let (line, rest) = self.rest.split_at(self.rest.find('\n').unwrap_or(self.rest.len()));
        self.rest = rest;
        line.trim()
    }

    /// Next word, which must be one of those expected (in lower case).
    fn expect(&mut self, builder: &Builder<'_>, expected: &[&'static str]) -> Result<&'static str, FormatError> {
        let word = self.next();
        let found = word.and_then(|w| expected.iter().find(|e| w.eq_ignore_ascii_case(e)));
        found.copied().ok_or_else(|| self.error(builder, expected, word))
    }

    fn error(&self, builder: &Builder<'_>, expected: &[&str], found: Option<&str>) -> FormatError {
        let expected = expected.join(" or ");
        let error = match found {
            Some(word) if expected == "endloop" && word.eq_ignore_ascii_case("vertex") => {
                builder.error("a facet has more than three corners").remedy("triangulate the mesh on export")
            }
            Some(word) => builder
                .error(format!("\"{}\" where {expected} is expected", excerpt(word)))
                .remedy("export the mesh again"),
            None => builder
                .error(format!("the file ends where {expected} is expected"))
                .remedy("the file was cut short: copy or export it again"),
        };
        error.at_line(self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{parse, parse_within, refusal};
    use super::super::write::stl_binary;
    use super::*;
    use pathproof::numeric::Random;

    const TRIANGLE: &str =
        "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 0.1 0\n endloop\nendfacet\n";

    fn binary(count: usize) -> Vec<u8> {
        let mut random = Random::new(3);
        let single = |p: DVec3| p.as_vec3().as_dvec3();
        let triangles: Vec<[DVec3; 3]> = (0..count).map(|_| [(); 3].map(|()| single(random.point(10.0)))).collect();
        stl_binary(&triangles).unwrap()
    }

    #[test]
    fn text_is_read_in_double_precision() {
        let mesh = parse("a.stl", format!("solid a b\r\n{TRIANGLE}endsolid a b\r\n").as_bytes()).unwrap();
        assert_eq!(mesh.vertices[2], DVec3::new(0.0, 0.1, 0.0));
        assert_eq!((mesh.parts[0].name.as_str(), mesh.report.format), ("a b", MeshFormat::StlAscii));
        assert_eq!(mesh.report.metres_per_unit, None);
    }

    #[test]
    fn several_solids_upper_case_and_a_byte_order_mark_are_read() {
        let text = format!("\u{feff}solid one\n{TRIANGLE}endsolid one\nsolid\n{TRIANGLE}{TRIANGLE}endsolid\n");
        for text in [text.clone(), text.to_uppercase(), text.replace('\n', "\r\n"), text.replace('\n', " \n\t")] {
            let mesh = parse("a.STL", text.as_bytes()).unwrap();
            let counts: Vec<usize> = mesh.parts.iter().map(|p| p.triangle_count).collect();
            assert_eq!(counts, [1, 2]);
        }
    }

    #[test]
    fn a_binary_file_may_begin_with_solid() {
        let mut bytes = binary(7);
        bytes[..10].copy_from_slice(b"solid cube");
        let mesh = parse("a.stl", &bytes).unwrap();
        assert_eq!((mesh.triangles.len(), mesh.report.format), (7, MeshFormat::StlBinary));
        assert!(refusal("a.stl", &bytes[..bytes.len() - 1]).contains("byte 80: the header claims 7 triangles"));
    }

    #[test]
    fn the_length_of_a_binary_file_must_fit_its_claim() {
        let mut bytes = binary(3);
        bytes.truncate(HEADER);
        bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(refusal("a.stl", &bytes).contains("the header claims 4294967295 triangles, which take 214748364834"));
        assert!(refusal("a.stl", &[0; 40]).contains("within the header"));
        bytes[80..84].copy_from_slice(&0_u32.to_le_bytes());
        assert!(refusal("a.stl", &bytes).contains("the mesh is empty"));
        // A count that is too small would drop triangles.
        let mut bytes = binary(3);
        bytes[80] = 1;
        assert!(refusal("a.stl", &bytes).contains("byte 134: the header claims 1 triangles, but 100 bytes follow"));
        let mut bytes = binary(3);
        bytes.extend([0; 12]);
        assert!(parse("a.stl", &bytes).unwrap().report.notes[0].contains("12 bytes of padding"));
    }

    #[test]
    fn every_cut_of_a_file_is_refused() {
        let bytes = binary(3);
        for length in 0..bytes.len() {
            refusal("a.stl", &bytes[..length]);
        }
        let text = format!("solid a\n{TRIANGLE}endsolid");
        for length in 0..text.len() {
            refusal("a.stl", &text.as_bytes()[..length]);
        }
    }

    #[test]
    fn coordinates_that_are_no_numbers_are_refused_with_their_place() {
        for bad in ["nan", "inf", "-infinity", "1e999", "1e13", "0x10", "1,5"] {
            let text = format!("solid a\n{}endsolid", TRIANGLE.replace("0.1", bad));
            assert!(refusal("a.stl", text.as_bytes()).starts_with("a.stl: line 6: "), "{bad}");
        }
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e13] {
            let mut bytes = binary(3);
            bytes[HEADER + RECORD + 20..][..4].copy_from_slice(&bad.to_le_bytes());
            assert!(refusal("a.stl", &bytes).starts_with("a.stl: byte 154: triangle 1 has the coordinate"));
        }
    }

    #[test]
    fn text_that_is_no_stl_is_refused() {
        assert!(refusal("a.stl", b"hello\n").contains("does not begin with \"solid\""));
        assert!(refusal("a.stl", b"solid a\n\n hello").starts_with("a.stl: line 3: \"hello\" where facet or endsolid"));
        assert!(refusal("a.stl", b"solid caf\xe9\nendsolid").contains("line 1: the text is not UTF-8"));
        assert!(refusal("a.stl", b"solid a\nendsolid a").contains("empty"));
        let square = TRIANGLE.replace("endloop", "vertex 1 1 1\nendloop");
        let message = refusal("a.stl", format!("solid a\n{square}endsolid").as_bytes());
        assert!(message.starts_with("a.stl: line 7: a facet has more than three corners"), "{message}");
        // Normals are ignored, and some writers leave NaN there.
        let odd = TRIANGLE.replace("0 0 1", "nan nan nan");
        parse("a.stl", format!("solid a\n{odd}endsolid").as_bytes()).unwrap();
    }

    #[test]
    fn a_million_triangles_are_read_exactly() {
        let count = 1_000_000;
        let mut bytes = vec![0; HEADER];
        bytes[80..84].copy_from_slice(&(count as u32).to_le_bytes());
        for i in 0..count {
            let mut record = [0; RECORD];
            for corner in 0..9 {
                record[12 + 4 * corner..][..4].copy_from_slice(&((i + corner) as f32).to_le_bytes());
            }
            bytes.extend(record);
        }
        let mesh = parse("a.stl", &bytes).unwrap();
        assert_eq!((mesh.triangles.len(), mesh.vertices.len()), (count, 3 * count));
        assert_eq!(mesh.vertices[3 * (count - 1)], DVec3::new(999_999.0, 1_000_000.0, 1_000_001.0));
        let limits = Limits { triangles: count - 1, ..Limits::default() };
        let error = parse_within("a.stl", &bytes, &limits).unwrap_err();
        assert!(error.to_string().contains("more than"), "{error}");
    }
}
