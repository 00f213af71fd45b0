//! Bodies on the command line: a mesh file, `hull:FILE`, or a primitive such as `box:1,2,3`.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use pathproof::shapes::{Cleaning, Component, Convex, Core, Enclosure, MAX_COORDINATE, Shape, TriangleMesh};
use pathproof_formats::mesh::{self, MeshFile};

use crate::pose_argument::lengths;

/// Body and the remarks about it.
pub(crate) struct Loaded {
    /// The argument.
    pub(crate) name: String,
    /// The geometry, in its own frame.
    pub(crate) shape: Shape,
    /// Description of the input.
    pub(crate) description: String,
    /// Dropped, changed or ignored parts of the input; empty for most files.
    pub(crate) warnings: Vec<String>,
}

/// One warning about bodies that are surfaces, entirely or in part, in the same words as for a scene.
pub(crate) fn surfaces(bodies: &[Loaded; 2]) -> Option<String> {
    let mut named: Vec<String> = Vec::new();
    for Loaded { name, shape, .. } in bodies {
        let Shape::Mesh(mesh) = shape else { continue };
        let found = mesh.surfaces();
        if !found.is_empty() {
            named.push(found.describe(name));
        }
    }
    named.dedup();
    (!named.is_empty())
        .then(|| format!("surfaces, not solids: {}; what is wholly inside them is not found", named.join(", ")))
}

/// Kinds that can precede the colon.
const PRIMITIVES: &str =
    "box:x,y,z, sphere:radius, cylinder:radius,length, capsule:radius,length, cone:radius,height, hull:FILE";

/// Reads or makes the body named by `argument`.
pub(crate) fn load(argument: &str) -> Result<Loaded> {
    match argument.split_once(':') {
        Some(("hull", file)) => load_hull(argument, file),
        Some((kind @ ("box" | "sphere" | "cylinder" | "capsule" | "cone"), sizes)) => {
            let (shape, description) = primitive(kind, sizes).with_context(|| argument.to_owned())?;
            Ok(Loaded { name: argument.to_owned(), shape: Shape::Convex(shape), description, warnings: Vec::new() })
        }
        Some((kind, _)) if !Path::new(argument).exists() => {
            bail!("{argument}: no primitive is called {kind:?}, and there is no such file; primitives are {PRIMITIVES}")
        }
        _ => load_mesh(argument),
    }
}

fn primitive(kind: &str, sizes: &str) -> Result<(Convex, String)> {
    let sizes = lengths(sizes.split(','))?;
    if let Some(size) = sizes.iter().find(|size| size.abs() >= MAX_COORDINATE) {
        bail!("the size {size:?} m is not below {MAX_COORDINATE:e} m");
    }
    Ok(match (kind, sizes.as_slice()) {
        ("box", &[x, y, z]) => (Convex::cuboid([x, y, z])?, format!("box of {x:?} × {y:?} × {z:?} m")),
        ("sphere", &[radius]) => (Convex::sphere(radius)?, format!("sphere of radius {radius:?} m")),
        ("cylinder", &[radius, length]) => {
            (Convex::cylinder(radius, length)?, format!("cylinder along z of radius {radius:?} m, length {length:?} m"))
        }
        ("capsule", &[radius, length]) => (
            Convex::capsule(radius, length)?,
            format!("capsule along z of radius {radius:?} m, length {length:?} m between the centres of its caps"),
        ),
        ("cone", &[radius, height]) => {
            (Convex::cone(radius, height)?, format!("cone along z of radius {radius:?} m, height {height:?} m"))
        }
        _ => bail!("{} numbers do not make a {kind}; primitives are {PRIMITIVES}", sizes.len()),
    })
}

fn load_hull(argument: &str, file: &str) -> Result<Loaded> {
    ensure!(!file.is_empty(), "hull: names no file; write hull:FILE");
    let read = mesh::read(file)?;
    let shape = Convex::hull(&read.vertices).with_context(|| file.to_owned())?;
    let Core::Hull(hull) = shape.core() else { bail!("{file}: its vertices have no hull") };
    let description = format!("convex hull of {} vertices; from {}", hull.vertices().len(), read.report);
    let warnings = read.report.notes.iter().map(|note| format!("{file}: {note}")).collect();
    Ok(Loaded { name: argument.to_owned(), shape: Shape::Convex(shape), description, warnings })
}

fn load_mesh(argument: &str) -> Result<Loaded> {
    let MeshFile { vertices, triangles, report, .. } = mesh::read(argument)?;
    let mesh = TriangleMesh::new(vertices, triangles).with_context(|| argument.to_owned())?;
    let changes = changes(&mesh.cleaning());
    let mut description = format!("{report}\n  {}", components(mesh.components()));
    for change in &changes {
        description += &format!("\n  {change}");
    }
    let warnings = report.notes.iter().chain(&changes).map(|note| format!("{argument}: {note}")).collect();
    Ok(Loaded { name: argument.to_owned(), shape: Shape::Mesh(mesh), description, warnings })
}

/// Numbers of solid components and of surfaces.
fn components(components: &[Component]) -> String {
    let count = |wanted: &[Enclosure]| components.iter().filter(|c| wanted.contains(&c.enclosure)).count();
    let kinds = [
        (count(&[Enclosure::Oriented, Enclosure::Parity]), "closed (solid)"),
        (count(&[Enclosure::Open]), "open (a surface)"),
        (count(&[Enclosure::DoubleSided]), "double-sided (a surface)"),
    ];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}")).collect();
    format!("connected components: {}", kinds.join(", "))
}

/// One line for every change that cleaning made to triangles.
fn changes(cleaning: &Cleaning) -> Vec<String> {
    let Cleaning { degenerate_dropped, degenerate_kept, duplicates_dropped, reoriented, .. } = *cleaning;
    let lines = [
        (duplicates_dropped, "triangles dropped that repeat another one"),
        (degenerate_dropped, "degenerate triangles dropped, whose edge another one has"),
        (degenerate_kept, "degenerate triangles kept as segments or points"),
        (reoriented, "triangles turned over to orient a closed component"),
    ];
    lines.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}
