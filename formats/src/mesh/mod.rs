//! Triangle meshes from files: STL, OBJ, COLLADA, glTF, PLY, OFF.
//!
//! Every reader works on bytes in memory, keeps coordinates in `f64` where the file has them, and reports what it did.
//! Invariant: in a [`MeshFile`] all indices are in range, all coordinates finite and below
//! [`MAX_COORDINATE`](pathproof::shapes::MAX_COORDINATE), and all vertices used. The shapes layer handles other defects
//! (degenerate, duplicate, open). Memory grows with the size of the file, never with its claims, and [`Limits`] bound
//! instances.

mod builder;
mod collada;
mod gltf;
mod obj;
mod off;
mod ply;
mod polygon;
mod stl;
mod write;

use std::fmt;
use std::path::Path;

use super::error::FormatError;
use super::input_file::{self, Limit};
use pathproof::numeric::DVec3;
use pathproof::shapes::Aabb;

pub use write::write_stl_binary;

/// Contents of a mesh file: vertices and triangles as written, instances placed.
#[derive(Clone, Debug)]
pub struct MeshFile {
    /// Positions: metres where the format knows its unit, as written where it does not (STL, OBJ).
    pub vertices: Vec<DVec3>,
    /// Three vertex indices each, counter-clockwise seen from outside where the file keeps that rule.
    pub triangles: Vec<[u32; 3]>,
    /// The named pieces of the file; their ranges tile `triangles` in order.
    pub parts: Vec<Part>,
    /// Report of what was read and what was not.
    pub report: MeshReport,
}

/// A named piece: an STL solid, an OBJ object or group, an instance of a COLLADA or glTF geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name in the file; empty if it has none.
    pub name: String,
    /// Index of its first triangle.
    pub first_triangle: usize,
    /// Number of triangles.
    pub triangle_count: usize,
}

/// Report of a reader.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshReport {
    /// The format of the file.
    pub format: MeshFormat,
    /// Number of triangles read.
    pub triangles: usize,
    /// Number of parts.
    pub parts: usize,
    /// The length of the file's unit, already applied; `None` where the format has no unit (STL, OBJ: as written).
    pub metres_per_unit: Option<f64>,
    /// Up axis according to the file; `None` if the format does not define it. **Never applied**: like RViz, MoveIt and
    /// Gazebo, and unlike plain assimp, coordinates keep the axes in which they are written.
    pub up_axis: Option<UpAxis>,
    /// The box of all triangles.
    pub bounds: Aabb,
    /// One line for everything that was ignored, unusual, or changed.
    pub notes: Vec<String>,
}

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Binary STL.
    StlBinary,
    /// STL as text.
    StlAscii,
    /// Wavefront OBJ.
    Obj,
    /// COLLADA 1.4 or 1.5.
    Collada,
    /// glTF 2.0 as JSON.
    Gltf,
    /// glTF 2.0 in one binary file.
    Glb,
    /// PLY as text.
    PlyAscii,
    /// Binary PLY of either byte order.
    PlyBinary,
    /// Object file format, as text.
    Off,
}

/// Axis that points up according to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// The x axis.
    X,
    /// The y axis.
    Y,
    /// The z axis.
    Z,
}

/// Limits for a file. Exceeding one is an error, never a shortened mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Triangles after instancing; vertices may be three times as many. Default: 20 million (about 1.7 GB).
    pub triangles: usize,
    /// Bytes of one file. Default: 4 GiB.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { triangles: 20_000_000, bytes: 4 << 30 }
    }
}

/// Returns the bytes of a file that a mesh file references, by its path relative to that file.
pub type Siblings<'a> = dyn Fn(&Path) -> Result<Vec<u8>, FormatError> + 'a;

/// Reads a mesh file; the extension (`.stl`, `.obj`, `.dae`, `.gltf`, `.glb`, `.ply`, `.off`) selects the format.
pub fn read(path: impl AsRef<Path>) -> Result<MeshFile, FormatError> {
    let (path, limits) = (path.as_ref(), Limits::default());
    extension_of(path)?;
    let bytes = read_file(path, limits.bytes)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    read_bytes(path, &bytes, &|sibling| read_file(&folder.join(sibling), limits.bytes), &limits)
}

/// Reads a mesh from memory. `name` appears in messages, and its extension selects the format. `siblings` supplies the
/// buffers that a glTF file references. Nothing else is needed: materials and images are ignored.
pub fn read_bytes(
    name: impl AsRef<Path>,
    bytes: &[u8],
    siblings: &Siblings<'_>,
    limits: &Limits,
) -> Result<MeshFile, FormatError> {
    let name = name.as_ref();
    let extension = extension_of(name)?;
    if bytes.is_empty() {
        return Err(FormatError::new(name, "the file is empty").remedy("export the mesh again"));
    }
    match extension {
        Extension::Stl => stl::read(name, bytes, limits),
        Extension::Obj => obj::read(name, bytes, limits),
        Extension::Dae => collada::read(name, bytes, limits),
        Extension::Gltf => gltf::read(name, bytes, siblings, limits),
        Extension::Ply => ply::read(name, bytes, limits),
        Extension::Off => off::read(name, bytes, limits),
    }
}

#[derive(Clone, Copy)]
enum Extension {
    Stl,
    Obj,
    Dae,
    Gltf,
    Ply,
    Off,
}

fn extension_of(path: &Path) -> Result<Extension, FormatError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    Ok(match extension.as_str() {
        "stl" => Extension::Stl,
        "obj" => Extension::Obj,
        "dae" => Extension::Dae,
        "gltf" | "glb" => Extension::Gltf,
        "ply" => Extension::Ply,
        "off" => Extension::Off,
        "" => return Err(FormatError::new(path, "no extension says which mesh format this is").remedy(CAN_READ)),
        other => {
            let problem = format!("meshes of type .{other} cannot be read");
            return Err(FormatError::new(path, problem).remedy(conversion(other)));
        }
    })
}

const CAN_READ: &str = "convert it to .stl, .obj, .ply, .off, .dae, .gltf or .glb";

/// Advice on converting a file of another known kind.
fn conversion(extension: &str) -> &'static str {
    match extension {
        "step" | "stp" | "iges" | "igs" | "brep" => {
            "it holds exact CAD surfaces; mesh them with FreeCAD, or with `gmsh IN.step -2 -o OUT.stl`"
        }
        "3mf" | "amf" => "convert it with Blender, PrusaSlicer or `assimp export IN.3mf OUT.stl`",
        "fbx" | "blend" | "3ds" | "wrl" | "x3d" | "usd" | "usda" | "usdc" | "usdz" => {
            "convert it with Blender or `assimp export IN OUT.stl`"
        }
        _ => CAN_READ,
    }
}

/// Fails if no readable format has this extension.
pub(crate) fn check_extension(path: &Path) -> Result<(), FormatError> {
    extension_of(path).map(drop)
}

/// Reads a mesh file completely, if it has at most `bytes`.
pub(crate) fn read_file(path: &Path, bytes: u64) -> Result<Vec<u8>, FormatError> {
    input_file::bytes(path, Limit::new(bytes, "split or simplify the mesh"))
}

/// Text of a file without its byte order mark.
fn utf8<'a>(name: &Path, bytes: &'a [u8]) -> Result<&'a str, FormatError> {
    let bytes = without_byte_order_mark(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        FormatError::new(name, "the text is not UTF-8").at_line(line).remedy("save the file as UTF-8")
    })
}

fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

impl fmt::Display for MeshFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StlBinary => "STL (binary)",
            Self::StlAscii => "STL (text)",
            Self::Obj => "OBJ",
            Self::Collada => "COLLADA",
            Self::Gltf => "glTF",
            Self::Glb => "glTF (binary)",
            Self::PlyAscii => "PLY (text)",
            Self::PlyBinary => "PLY (binary)",
            Self::Off => "OFF",
        })
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        })
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} triangles in {} parts, ", self.format, self.triangles, self.parts)?;
        match self.metres_per_unit {
            Some(metres) => write!(f, "unit {metres} m, ")?,
            None => f.write_str("unit as written, ")?,
        }
        if let Some(axis) = self.up_axis {
            write!(f, "{axis} up by the file's word, ")?;
        }
        write!(f, "from {} to {}", self.bounds.min, self.bounds.max)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n  note: {note}"))
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Reads from memory; there are no siblings.
    pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<MeshFile, FormatError> {
        parse_within(name, bytes, &Limits::default())
    }

    /// Reads from memory within limits.
    pub(crate) fn parse_within(name: &str, bytes: &[u8], limits: &Limits) -> Result<MeshFile, FormatError> {
        let mesh = read_bytes(name, bytes, &|path| Err(FormatError::new(path, "no such sibling")), limits)?;
        assert_eq!(mesh.broken_invariant(), None);
        Ok(mesh)
    }

    /// Message of the error that reading must return.
    pub(crate) fn refusal(name: &str, bytes: &[u8]) -> String {
        let error = parse(name, bytes).map(|mesh| mesh.report).expect_err("must be refused");
        assert_eq!(error.file, Path::new(name));
        error.to_string()
    }

    /// Total area of the triangles.
    pub(crate) fn area(mesh: &MeshFile) -> f64 {
        let corner = |i: u32| mesh.vertices[i as usize];
        mesh.triangles
            .iter()
            .map(|&[a, b, c]| 0.5 * (corner(b) - corner(a)).cross(corner(c) - corner(a)).length())
            .sum()
    }

    /// Volume by the divergence theorem: positive when a closed mesh is counter-clockwise seen from outside.
    pub(crate) fn volume(mesh: &MeshFile) -> f64 {
        let corner = |i: u32| mesh.vertices[i as usize];
        mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum()
    }
}

impl MeshFile {
    /// First violated invariant, if any; for tests and fuzzers.
    pub fn broken_invariant(&self) -> Option<String> {
        let mut used = vec![false; self.vertices.len()];
        for (t, &index) in self.triangles.iter().flatten().enumerate() {
            match used.get_mut(index as usize) {
                Some(used) => *used = true,
                None => return Some(format!("triangle {}: vertex {index} is out of range", t / 3)),
            }
        }
        let outside = |p: &DVec3| !builder::in_range(*p);
        let mut next = 0;
        for part in &self.parts {
            if part.first_triangle != next {
                return Some(format!("part {:?} does not start at triangle {next}", part.name));
            }
            next += part.triangle_count;
        }
        if self.triangles.is_empty() {
            Some("no triangles".into())
        } else if let Some(vertex) = self.vertices.iter().position(outside) {
            Some(format!("vertex {vertex} is {}", self.vertices[vertex]))
        } else if let Some(vertex) = used.iter().position(|used| !used) {
            Some(format!("vertex {vertex} is not used"))
        } else if next != self.triangles.len() {
            Some(format!("the parts hold {next} of {} triangles", self.triangles.len()))
        } else if self.report.triangles != self.triangles.len() || self.report.parts != self.parts.len() {
            Some("the report miscounts".into())
        } else if self.report.bounds != Aabb::of(self.vertices.iter().copied()) {
            Some("the box is not that of the vertices".into())
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
