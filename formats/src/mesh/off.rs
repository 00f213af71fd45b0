//! Object file format (OFF): counts of vertices and faces, then a line for each. Colours and normals are not geometry.
//!
//! Refused: binary files, vertices of four or n coordinates, and lines after the last face, because skipping them would
//! drop part of a body.

use std::path::Path;

use super::builder::{Builder, coordinate};
use super::polygon::Scratch;
use super::{Limits, MeshFile, MeshFormat, utf8};
use crate::error::{FormatError, excerpt};
use pathproof::numeric::DVec3;

pub(super) fn read(name: &Path, bytes: &[u8], limits: &Limits) -> Result<MeshFile, FormatError> {
    let mut builder = Builder::new(name, limits);
    let text = utf8(name, bytes)?;
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.split('#').next().unwrap_or_default().trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty()).peekable();
    let counts = read_header(&builder, &mut lines)?;
    builder.start_part("");
    for _ in 0..counts[0] {
        let (number, line) = lines.next().ok_or_else(|| ends_early(&builder))?;
        let mut words = line.split_ascii_whitespace();
        let mut p = [0.0; 3];
        for value in &mut p {
            let word =
                words.next().ok_or_else(|| wrong(&builder, number, "a vertex has fewer than three coordinates"))?;
            *value = coordinate(word).map_err(|problem| wrong(&builder, number, &problem))?;
        }
        builder.add_vertex(DVec3::from_array(p))?;
    }
    let mut scratch = Scratch::default();
    for _ in 0..counts[1] {
        let (number, line) = lines.next().ok_or_else(|| ends_early(&builder))?;
        let corners = corners(line, builder.vertices.len()).map_err(|problem| wrong(&builder, number, &problem))?;
        let added = match corners[..] {
            // An edge becomes a triangle without area.
            [a, b] => builder.add_triangle([a, b, b]),
            _ => builder.add_polygon(&corners, &mut scratch),
        };
        added.map_err(|error| error.at_line(number))?;
    }
    if let Some((number, line)) = lines.next() {
        let problem = format!("\"{}\" follows the last face that the header counts", excerpt(line));
        return Err(wrong(&builder, number, &problem));
    }
    builder.finish(MeshFormat::Off, None, None)
}

fn wrong(builder: &Builder<'_>, line: usize, problem: &str) -> FormatError {
    builder.error(problem).at_line(line).remedy("export the mesh again")
}

fn ends_early(builder: &Builder<'_>) -> FormatError {
    builder.error("it ends before all vertices and faces that its header counts").remedy("copy or export it again")
}

/// Numbers of vertices and faces. They may stand on the first line.
fn read_header<'t>(
    builder: &Builder<'_>,
    lines: &mut impl Iterator<Item = (usize, &'t str)>,
) -> Result<[u64; 2], FormatError> {
    let (number, first) = lines.next().ok_or_else(|| ends_early(builder))?;
    let mut words: Vec<&str> = first.split_ascii_whitespace().collect();
    let kind = words.remove(0);
    let is_known = ["OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCOFF", "STNOFF", "STCNOFF"].contains(&kind);
    if !is_known || words.first() == Some(&"BINARY") {
        let problem = format!("\"{}\" is no OFF mesh with three coordinates as text", excerpt(first));
        return Err(wrong(builder, number, &problem));
    }
    let (number, counts) = match words.is_empty() {
        true => lines.next().ok_or_else(|| ends_early(builder))?,
        false => (number, first.strip_prefix(kind).unwrap_or_default()),
    };
    let counts: Option<Vec<u64>> = counts.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    match counts.as_deref() {
        Some([vertices, faces] | [vertices, faces, _]) => Ok([*vertices, *faces]),
        _ => Err(wrong(builder, number, "the numbers of vertices, faces and edges are needed here")),
    }
}

/// Corners of a face; its colour follows them.
fn corners(line: &str, vertices: usize) -> Result<Vec<u32>, String> {
    let mut words = line.split_ascii_whitespace();
    let index = |word: Option<&str>| -> Result<usize, String> {
        let word = word.ok_or("a face has fewer corners than it says")?;
        word.parse().map_err(|_| format!("\"{}\" is not a count or an index", excerpt(word)))
    };
    let count = index(words.next())?;
    if count < 2 {
        return Err(format!("a face has {count} corners"));
    }
    let mut corners = Vec::new();
    for _ in 0..count {
        let vertex = index(words.next())?;
        if vertex >= vertices {
            return Err(format!("a face refers to vertex {vertex}, but there are {vertices}"));
        }
        corners.push(vertex as u32);
    }
    Ok(corners)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{area, parse, refusal};
    use super::*;

    #[test]
    fn counts_comments_colours_and_polygons_are_read() {
        for text in [
            "OFF\n# a comment\n4 2 0\n0 0 0\n1 0 0\n1 1 0 # here\n0 1 0\n\n3 0 1 2 255 0 0\n4 0 1 2 3\n",
            "COFF 4 2 5\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n1 1 0 1 1 1 1\n0 1 0 1 1 1 1\n3 0 1 2\n4 0 1 2 3 0.5 0.5 0.5\n",
        ] {
            let mesh = parse("a.off", text.as_bytes()).unwrap();
            assert_eq!((mesh.triangles.len(), mesh.report.format), (3, MeshFormat::Off));
            assert!((area(&mesh) - 1.5).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_files_are_refused_with_their_line() {
        let good = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        parse("a.off", good.as_bytes()).unwrap();
        let cases = [
            (good.replace("OFF", "4OFF"), "line 1"),
            (good.replace("OFF", "OFF BINARY"), "line 1"),
            (good.replace("3 1 0", "3 x 0"), "line 2"),
            (good.replace("1 0 0", "1 0"), "line 4: a vertex has fewer"),
            (good.replace("1 0 0", "1 nan 0"), "line 4: the coordinate nan"),
            (good.replace("3 0 1 2", "3 0 1 5"), "line 6: a face refers to vertex 5"),
            (good.replace("3 0 1 2", "1 0"), "line 6: a face has 1 corners"),
            (good.replace("3 0 1 2", "3 0 1"), "line 6: a face has fewer"),
            (good.replace("3 1 0", "3 4000000000 0"), "it ends before"),
            (good.replace("3 1 0", "4000000000 1 0"), "it ends before"),
            (format!("{good}3 0 1 2\n"), "line 7: \"3 0 1 2\" follows"),
            ("OFF".into(), "it ends before"),
        ];
        for (text, problem) in cases {
            let message = refusal("a.off", text.as_bytes());
            assert!(message.contains(problem), "{problem}: {message}");
        }
    }
}
