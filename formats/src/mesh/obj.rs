//! Wavefront OBJ. Written by hand, because the available reader fans concave polygons, requires material files, and
//! names no line in its errors.
//!
//! Read: `v`, `f` (negative indices, polygons), `o` and `g` as parts. Skipped and counted: lines, points, curves,
//! unknown statements. Refused: free-form surfaces and included files, because skipping them would drop part of a body.
//! Materials, texture coordinates and normals are not geometry and are ignored.

use std::path::Path;

use super::builder::{Builder, coordinate, number};
use super::polygon::Scratch;
use super::{Limits, MeshFile, MeshFormat, without_byte_order_mark};
use crate::error::{FormatError, excerpt};
use pathproof::numeric::DVec3;

pub(super) fn read(name: &Path, bytes: &[u8], limits: &Limits) -> Result<MeshFile, FormatError> {
    let mut reader = Reader {
        builder: Builder::new(name, limits),
        corners: Vec::new(),
        scratch: Scratch::default(),
        object: String::new(),
        group: String::new(),
        part_begins: true,
        unknown: None,
        curves: 0,
        edges: 0,
    };
    let mut joined = Vec::new();
    for (i, line) in without_byte_order_mark(bytes).split(|&b| b == b'\n').enumerate() {
        let line = line.trim_ascii();
        // A backslash at the end joins the next line to this one.
        if let Some(start) = line.strip_suffix(b"\\") {
            joined.extend_from_slice(start);
            joined.push(b' ');
            continue;
        }
        let place = |error: FormatError| error.at_line(i + 1);
        if joined.is_empty() {
            reader.statement(line, i + 1).map_err(place)?;
        } else {
            joined.extend_from_slice(line);
            reader.statement(&joined, i + 1).map_err(place)?;
            joined.clear();
        }
    }
    if !joined.is_empty() {
        return Err(reader.builder.error("the file ends within a statement").remedy("copy or export it again"));
    }
    reader.finish()
}

struct Reader<'a> {
    builder: Builder<'a>,
    corners: Vec<u32>,
    scratch: Scratch,
    object: String,
    group: String,
    /// True if the next face starts a part.
    part_begins: bool,
    /// Number of unknown statements, and the first one.
    unknown: Option<(usize, String)>,
    curves: usize,
    /// Faces with two corners.
    edges: usize,
}

impl Reader<'_> {
    fn statement(&mut self, line: &[u8], line_number: usize) -> Result<(), FormatError> {
        // Comments may be in any encoding.
        if line.is_empty() || line[0] == b'#' {
            return Ok(());
        }
        let line = std::str::from_utf8(line)
            .map_err(|_| self.builder.error("the text is not UTF-8").remedy("save the file as UTF-8"))?;
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        let keyword = words.next().unwrap_or_default();
        match keyword {
            "v" => self.vertex(words),
            "f" | "fo" => self.face(words),
            "o" | "g" => {
                let name = words.collect::<Vec<_>>().join(" ");
                if keyword == "o" {
                    self.object = name
                } else {
                    self.group = name
                }
                self.part_begins = true;
                Ok(())
            }
            "l" | "p" => {
                self.builder.skipped_lines_and_points += 1;
                Ok(())
            }
            "curv" | "curv2" => {
                self.curves += 1;
                Ok(())
            }
            "surf" => Err(self.refuse("free-form surfaces are not read", "export the surface as polygons")),
            "call" | "csh" => Err(self.refuse("included files and commands are not read", "export one plain file")),
            "" | "vt" | "vn" | "vp" | "s" | "mg" | "mtllib" | "usemtl" | "usemap" | "maplib" | "lod" | "bevel"
            | "c_interp" | "d_interp" | "shadow_obj" | "trace_obj" => Ok(()),
            _ => {
                let first = || format!("line {line_number}: \"{}\"", excerpt(line));
                self.unknown.get_or_insert_with(|| (0, first())).0 += 1;
                Ok(())
            }
        }
    }

    fn refuse(&self, problem: &str, remedy: &str) -> FormatError {
        self.builder.error(problem).remedy(remedy)
    }

    /// `v x y z`, optionally followed by a weight, a colour, or both.
    fn vertex<'w>(&mut self, mut words: impl Iterator<Item = &'w str>) -> Result<(), FormatError> {
        let mut p = [0.0; 3];
        for value in &mut p {
            let word = words.next().ok_or_else(|| self.refuse("a vertex has fewer than three coordinates", EXPORT))?;
            *value = coordinate(word).map_err(|e| self.refuse(&e, "repair the mesh"))?;
        }
        let mut extra = [0.0; 4];
        let mut extras = 0;
        for word in words {
            let Some(slot) = extra.get_mut(extras) else {
                return Err(self.refuse("a vertex has more than seven numbers", EXPORT));
            };
            *slot = number(word).map_err(|e| self.refuse(&e, "repair the mesh"))?;
            extras += 1;
        }
        // One number is a weight, three are a colour, four are both.
        match extras {
            0 | 3 => {}
            1 | 4 if extra[0] == 1.0 => {}
            1 | 4 => return Err(self.refuse(&format!("a vertex has the weight {}, not 1", extra[0]), EXPORT)),
            _ => return Err(self.refuse(&format!("a vertex has {} numbers", 3 + extras), EXPORT)),
        }
        self.builder.add_vertex(DVec3::from_array(p)).map(drop)
    }

    fn face<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> Result<(), FormatError> {
        self.corners.clear();
        for word in words {
            let corner = self.corner(word)?;
            self.corners.push(corner);
        }
        if self.corners.len() < 2 {
            return Err(self.refuse(&format!("a face has {} corners", self.corners.len()), EXPORT));
        }
        if self.part_begins {
            let name = match (self.object.as_str(), self.group.as_str()) {
                (object, "") => object.to_owned(),
                ("", group) => group.to_owned(),
                (object, group) => format!("{object}/{group}"),
            };
            self.builder.start_part(&name);
            self.part_begins = false;
        }
        // Two corners are an edge. It becomes a triangle without area, so that nothing of the body is dropped.
        if let &[a, b] = &self.corners[..] {
            self.edges += 1;
            return self.builder.add_triangle([a, b, b]);
        }
        self.builder.add_polygon(&self.corners, &mut self.scratch)
    }

    /// Vertex index from `1`, `1/2`, `1//3`, `1/2/3` or `-1`.
    fn corner(&self, word: &str) -> Result<u32, FormatError> {
        let mut numbers = word.split('/');
        let vertex = numbers.next().unwrap_or_default();
        let index: i64 = vertex
            .parse()
            .map_err(|_| self.refuse(&format!("\"{}\" is no vertex of a face", excerpt(word)), EXPORT))?;
        if numbers.clone().count() > 2 || numbers.any(|n| !n.is_empty() && n.parse::<i64>().is_err()) {
            return Err(self.refuse(&format!("\"{}\" is no corner of a face", excerpt(word)), EXPORT));
        }
        let before = self.builder.vertices.len() as i64;
        // Counted from 1, or back from the last one.
        let from_zero = if index > 0 { index - 1 } else { before.saturating_add(index) };
        if index == 0 || from_zero < 0 || from_zero >= before {
            let problem = format!("a face refers to vertex {index}, but {before} vertices precede it");
            return Err(self.refuse(&problem, "repair the mesh; vertices count from 1 and come before their faces"));
        }
        Ok(from_zero as u32)
    }

    fn finish(mut self) -> Result<MeshFile, FormatError> {
        if let Some((count, first)) = &self.unknown {
            self.builder
                .notes
                .push(format!("{count} statements that OBJ does not know were ignored, the first in {first}"));
        }
        if self.edges > 0 {
            self.builder.notes.push(format!("{} faces of two corners were kept as edges", self.edges));
        }
        if self.curves > 0 {
            self.builder.notes.push(format!("{} curves were skipped: they have no surface", self.curves));
        }
        self.builder.finish(MeshFormat::Obj, None, None)
    }
}

const EXPORT: &str = "export the mesh again";

#[cfg(test)]
mod tests {
    use super::super::testing::{area, parse, refusal};
    use super::*;

    const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn faces_in_all_spellings_give_the_same_triangles() {
        let faces =
            ["f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//1 3//1", "f 1/1/1 2/2/1 3/3/1", "f -4 -3 -2", "f 1 2 \\\n 3"];
        for face in faces {
            for newline in ["\n", "\r\n"] {
                let text = format!("mtllib missing.mtl\n{CORNERS}vn 0 0 1\nusemtl steel\ns 1\n{face} # a face\n");
                let mesh = parse("a.obj", text.replace('\n', newline).as_bytes()).unwrap();
                assert_eq!(mesh.vertices[mesh.triangles[0][1] as usize], DVec3::X, "{face}");
                assert_eq!(mesh.report.notes, ["1 vertices that no triangle uses were left out"]);
            }
        }
    }

    #[test]
    fn concave_polygons_cover_what_they_enclose() {
        // An L of area 3: a fan from its first corner would cover more.
        let text = "v 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 0\nf 2 3 4 5 6 1\n";
        let mesh = parse("a.obj", text.as_bytes()).unwrap();
        assert_eq!((mesh.triangles.len(), area(&mesh)), (4, 3.0));
        assert_eq!(mesh.report.notes, ["1 polygons of more than three sides were cut into triangles"]);
    }

    #[test]
    fn objects_and_groups_become_parts() {
        let text = format!("{CORNERS}f 1 2 3\no base\nf 1 2 3 4\ng left\nf 1 3 4\ng empty\no tip\ng\nf 1 2 4\n");
        let mesh = parse("a.obj", text.as_bytes()).unwrap();
        let parts: Vec<(&str, usize)> = mesh.parts.iter().map(|p| (p.name.as_str(), p.triangle_count)).collect();
        assert_eq!(parts, [("", 1), ("base", 2), ("base/left", 1), ("tip", 1)]);
    }

    #[test]
    fn faces_of_two_corners_stay_as_edges() {
        let mesh = parse("a.obj", format!("{CORNERS}f 1 2 3\nf 1 4\n").as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 3, 3]]);
        assert_eq!(mesh.report.notes, ["1 faces of two corners were kept as edges"]);
    }

    #[test]
    fn what_is_skipped_is_counted() {
        let text = format!("648 216\n{CORNERS}f 1 2 3\nl 1 2 3\np 1\nwhat is this\ncurv 0 1 1 2\n# caf\u{e9}\n");
        let notes = parse("a.obj", text.as_bytes()).unwrap().report.notes;
        assert!(
            notes
                .iter()
                .any(|n| n.starts_with("2 statements that OBJ does not know") && n.contains("line 1: \"648 216\""))
        );
        assert!(notes.iter().any(|n| n.starts_with("2 lines or points")));
        assert!(notes.iter().any(|n| n.starts_with("1 curves")));
    }

    #[test]
    fn weights_of_one_and_colours_are_read_and_the_rest_refused() {
        let face = "v 1 0 0\nv 0 1 0\nf 1 2 3\n";
        for vertex in ["v 0 0 0 1", "v 0 0 0 0.5 0.5 0.5", "v 0 0 0 1 0.5 0.5 0.5"] {
            parse("a.obj", format!("{vertex}\n{face}").as_bytes()).unwrap();
        }
        for vertex in [
            "v 0 0",
            "v 0 0 0 2",
            "v 0 0 0 1 2",
            "v 0 0 0 1 1 1 1 1",
            "v 0 0 x",
            "v nan 0 0",
            "v 0 inf 0",
            "v 1e999 0 0",
            "v 0 0 -1e13",
        ] {
            let message = refusal("a.obj", format!("# one\n{vertex}\n{face}").as_bytes());
            assert!(message.starts_with("a.obj: line 2: "), "{message}");
        }
    }

    #[test]
    fn bad_faces_are_refused_with_their_line() {
        let bad = ["f 1", "f", "f 1 2 5", "f 0 1 2", "f -5 1 2", "f 1 2 x", "f 1 2 3.5", "f 1/x 2 3", "f 1/1/1/1 2 3"];
        for face in bad.into_iter().chain([
            "f 1 2 99999999999999999999",
            "f 1 2 -9223372036854775808",
            "surf 0 1 0 1 1",
            "call b.obj",
        ]) {
            let message = refusal("a.obj", format!("{CORNERS}{face}\nf 1 2 3\n").as_bytes());
            assert!(message.starts_with("a.obj: line 5: "), "{message}");
        }
        assert!(refusal("a.obj", CORNERS.as_bytes()).contains("the mesh is empty"));
        assert!(refusal("a.obj", format!("{CORNERS}l 1 2\n").as_bytes()).contains("only 1 lines or points"));
        assert!(refusal("a.obj", b"v 0 0 \xff\n").contains("line 1: the text is not UTF-8"));
        assert!(refusal("a.obj", b"v 0 0 \\").contains("ends within a statement"));
    }

    #[test]
    fn a_polygon_too_large_to_cut_is_refused_and_a_convex_one_is_not() {
        let circle = |n: usize| -> String {
            let corner = |i: usize| {
                let angle = std::f64::consts::TAU * i as f64 / n as f64;
                format!("v {} {} 0\n", angle.cos(), angle.sin())
            };
            let face: String = (1..=n).map(|i| format!(" {i}")).collect();
            (0..n).map(corner).collect::<String>() + "f" + &face + "\n"
        };
        let mesh = parse("a.obj", circle(5000).as_bytes()).unwrap();
        assert_eq!(mesh.triangles.len(), 4998);
        let dented = circle(5000).replacen("v 1 0 0", "v 0 0 0", 1);
        assert!(
            refusal("a.obj", dented.as_bytes()).contains("line 5001: a polygon that is not convex has 5000 corners")
        );
    }
}
