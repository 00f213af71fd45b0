//! Bodies as convex pieces: read from groups of a mesh file or files of a folder, or decomposed; and the methods that
//! work on them: the exact tree, mindist on all pairs, and SOPA, which its answers call a heuristic.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use pathproof::numeric::Pose;
use pathproof::shapes::{Body, Shape, TriangleMesh};
use pathproof_formats::mesh::{self, MeshFile, MeshFormat};
use pathproof_papers::concave::{
    ConvexPieces, Coverage, DecomposeSettings, Density, NamedPiece, Niche, NotConvex, PairDistance, PieceDistance,
    PieceQuery, SopaMemory, SopaSettings, Starts, SurfaceNodes, TreeMemory, convex_groups, decompose,
};

use super::answer::{Answer, Minimum};
use super::{Job, Method};
use crate::shape_argument::{self, Loaded};

/// Source of pieces.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum PiecesName {
    /// The groups (solids, objects, instances) of a mesh file or the files of a folder; each must be convex, or its shells.
    Groups,
    /// A convex decomposition (VHACD) of every group; a warning reports what it leaves uncovered.
    Decompose,
}

/// Settings of sopa.
#[derive(Clone, Copy)]
pub(super) struct Sopa {
    pub(super) spacing: Option<f64>,
    pub(super) starts: usize,
    pub(super) seed: u64,
    pub(super) has_minima: bool,
}

/// Body of pieces, and the warnings about it.
pub(super) struct Pieces {
    /// The argument.
    pub(super) name: String,
    pub(super) body: ConvexPieces,
    pub(super) description: String,
    pub(super) warnings: Vec<String>,
    /// Upper bound on the distance from the mesh's surface to the pieces; 0 if these are the mesh.
    upper_gap: f64,
}

/// Named part of the input.
struct Part {
    name: String,
    mesh: TriangleMesh,
}

/// Reads or makes the body named by `argument`, as pieces.
pub(super) fn load(argument: &str, how: PiecesName) -> Result<Pieces> {
    let files = files(argument)?;
    if files.is_empty() {
        return whole(shape_argument::load(argument)?);
    }
    let (mut groups, mut pieces, mut warnings, mut upper_gap) = (0, Vec::<NamedPiece>::new(), Vec::new(), 0.0);
    for file in &files {
        let read = mesh::read(file)?;
        warnings.extend(read.report.notes.iter().map(|note| format!("{}: {note}", file.display())));
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let prefix = if files.len() > 1 { format!("{stem}/") } else { String::new() };
        let parts = parts_of(&read, file, &prefix, &stem)?;
        groups += parts.len();
        if how == PiecesName::Groups {
            pieces.extend(
                convex_groups(parts.iter().map(|part| (part.name.as_str(), &part.mesh)))
                    .map_err(|(group, error)| not_convex(argument, &group, error))?,
            );
            continue;
        }
        for Part { name, mesh } in &parts {
            let (made, covered) = decompose(name, mesh, &DecomposeSettings::default())
                .with_context(|| format!("{argument}: group {name:?} cannot be decomposed"))?;
            pieces.extend(made);
            warnings.extend(holes(argument, name, &covered));
            upper_gap = if covered.upper_gap <= upper_gap { upper_gap } else { covered.upper_gap };
        }
    }
    let body = ConvexPieces::new(pieces).with_context(|| argument.to_owned())?;
    let mut description = format!("{} convex pieces of {} groups, {} faces", body.len(), groups, body.faces());
    if how == PiecesName::Decompose {
        description += &format!("\n  decomposed: no point of the surface is farther than {upper_gap:e} m from a piece");
    }
    for warning in &warnings {
        description += &format!("\n  {warning}");
    }
    Ok(Pieces { name: argument.to_owned(), body, description, warnings, upper_gap })
}

/// Mesh files that an argument names: the file itself, or those in a folder, by name; none for a primitive.
fn files(argument: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(argument);
    if !path.is_dir() {
        // An argument that looks like a primitive and is no file is one, or is refused as such.
        let is_primitive = argument.contains(':') && !path.exists();
        return Ok(if is_primitive { Vec::new() } else { vec![path.to_owned()] });
    }
    let listed = std::fs::read_dir(path).with_context(|| format!("{argument}: the folder cannot be read"))?;
    let mut files = Vec::new();
    for entry in listed {
        let file = entry.with_context(|| format!("{argument}: the folder cannot be read"))?.path();
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if ["stl", "obj", "dae", "gltf", "glb"].contains(&extension.as_str()) {
            files.push(file);
        }
    }
    ensure!(!files.is_empty(), "{argument}: there is no mesh file in this folder; name a file, or put some there");
    files.sort();
    Ok(files)
}

/// A primitive or the hull of a file: one piece.
fn whole(loaded: Loaded) -> Result<Pieces> {
    let Loaded { name, shape, description, warnings } = loaded;
    let Shape::Convex(shape) = shape else { bail!("{name}: a mesh is read by its groups") };
    let piece = NamedPiece { name: name.clone(), shape };
    let body = ConvexPieces::new(vec![piece]).with_context(|| name.clone())?;
    Ok(Pieces { name, body, description, warnings, upper_gap: 0.0 })
}

/// Groups of a file. OBJ may return to a group: its triangles are one part.
fn parts_of(read: &MeshFile, file: &Path, prefix: &str, stem: &str) -> Result<Vec<Part>> {
    let mut groups: Vec<(String, Vec<[u32; 3]>)> = Vec::new();
    for (number, part) in read.parts.iter().enumerate() {
        let triangles = &read.triangles[part.first_triangle..part.first_triangle + part.triangle_count];
        let name = match (part.name.as_str(), read.parts.len()) {
            ("", 1) => stem.to_owned(),
            ("", _) => format!("{prefix}group {number}"),
            (name, _) => format!("{prefix}{name}"),
        };
        let known = groups.iter_mut().find(|(other, _)| read.report.format == MeshFormat::Obj && *other == name);
        match known {
            Some((_, list)) => list.extend_from_slice(triangles),
            None => groups.push((name, triangles.to_vec())),
        }
    }
    if groups.is_empty() {
        groups.push((stem.to_owned(), read.triangles.clone()));
    }
    let part = |(name, triangles): (String, Vec<[u32; 3]>)| {
        let mesh = TriangleMesh::new(read.vertices.clone(), triangles)
            .with_context(|| format!("{}: group {name:?}", file.display()))?;
        Ok(Part { name, mesh })
    };
    groups.into_iter().map(part).collect()
}

/// Error for groups that are not convex pieces, with a remedy.
fn not_convex(argument: &str, group: &str, error: NotConvex) -> anyhow::Error {
    let remedy = match error {
        // A decomposition fills cavities too.
        NotConvex::Cavity { .. } => "leave --pieces out: --method tree takes the mesh as it is",
        _ => "use --pieces decompose, or split it",
    };
    let problem = format!("{argument}: group {group:?} is not one convex piece; {remedy}");
    anyhow::Error::new(error).context(problem)
}

/// Warning about the parts that a decomposition left out, if any.
fn holes(argument: &str, group: &str, covered: &Coverage) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(widest) = covered.holes.first() {
        lines.push(format!(
            "{argument}: group {group:?}: the pieces leave {} triangles uncovered in part, {:.3} % of the surface; the \
             farthest is {:e} m from a piece, at ({:.6}, {:.6}, {:.6})",
            covered.holes.len(),
            100.0 * covered.area_of_holes / covered.area,
            widest.upper_gap,
            widest.at.x,
            widest.at.y,
            widest.at.z
        ));
    }
    if covered.points_in_no_piece > 0 {
        lines.push(format!(
            "{argument}: group {group:?}: {} of {} points inside are in no piece",
            covered.points_in_no_piece, covered.points_inside
        ));
    }
    lines
}

/// Two bodies of pieces, and the state that one query leaves to the next.
pub(super) struct PieceSolver<'j> {
    job: &'j Job,
    bodies: &'j [Pieces; 2],
    nodes: Option<[SurfaceNodes; 2]>,
    tree: TreeMemory,
    starts: Starts,
    sopa: SopaMemory,
}

/// Warning beside every answer of SOPA.
const HEURISTIC: &str =
    "sopa is a heuristic: the distance is at most upper, and nothing is proven from below; --method tree is exact";

impl<'j> PieceSolver<'j> {
    /// Both bodies, all pieces of each as one.
    pub(super) fn bodies(&self) -> [&Body; 2] {
        self.bodies.each_ref().map(|pieces| pieces.body.indexed().body())
    }

    /// Makes nodes if needed; refuses curved pieces for mindist and sopa.
    pub(super) fn new(job: &'j Job, bodies: &'j [Pieces; 2]) -> Result<Self> {
        if matches!(job.method, Method::Mindist | Method::Sopa(_)) {
            for Pieces { name, body, .. } in bodies {
                body.polytopes().with_context(|| name.clone())?;
            }
        }
        let nodes = match job.method {
            Method::Sopa(sopa) => Some([nodes(&bodies[0], &sopa)?, nodes(&bodies[1], &sopa)?]),
            _ => None,
        };
        let (tree, starts, sopa) = (TreeMemory::default(), Starts::default(), SopaMemory::default());
        Ok(Self { job, bodies, nodes, tree, starts, sopa })
    }

    pub(super) fn answer(&mut self, world_from_b: &Pose) -> Answer {
        let [a, b] = self.bodies;
        let query = PieceQuery::new(&a.body, &b.body, &self.job.world_from_a, world_from_b);
        let exact = match (self.job.method, &self.nodes) {
            (Method::Sopa(sopa), Some(nodes)) => {
                let poses = [&self.job.world_from_a, world_from_b];
                return by_sopa(&query, self.bodies, poses, nodes, &sopa, &mut self.sopa);
            }
            (Method::Mindist, _) => query.exhaustive(Some(&mut self.starts), |_, _| {}).ok(),
            _ => None,
        };
        let found = exact.unwrap_or_else(|| query.tree(&mut self.tree));
        by_bounds(&found, self.bodies)
    }
}

fn nodes(pieces: &Pieces, sopa: &Sopa) -> Result<SurfaceNodes> {
    let spacing = sopa.spacing.unwrap_or(pieces.body.aabb().size().length() / 30.0);
    SurfaceNodes::new(&pieces.body, Density::Spacing(spacing)).with_context(|| pieces.name.clone())
}

fn names(bodies: &[Pieces; 2], pair: &PairDistance) -> [String; 2] {
    [bodies[0].body.name(pair.pieces[0]).to_owned(), bodies[1].body.name(pair.pieces[1]).to_owned()]
}

fn by_bounds(found: &PieceDistance, bodies: &[Pieces; 2]) -> Answer {
    let gap = bodies[0].upper_gap + bodies[1].upper_gap;
    let upper = found.nearest.map(|pair| pair.upper);
    let is_wide = upper.is_none_or(|upper| !(upper - found.lower < 1e-6 * (1.0 + upper.abs())));
    Answer {
        // A decomposition's pieces differ slightly from the mesh; this lower bound also holds for the surface of the
        // mesh.
        lower: Some(found.lower - gap),
        upper,
        points: found.nearest.map(|pair| pair.points_in_world),
        primitives: None,
        pieces: found.nearest.map(|pair| names(bodies, &pair)),
        minima: None,
        inside: false,
        counters: vec![
            ("piece_pairs", found.work.piece_pairs),
            ("surfaces", found.work.surfaces),
            ("volume_pairs", found.work.volume_pairs),
        ],
        warning: is_wide.then_some("the search ended before the bounds met; both hold"),
    }
}

fn by_sopa(
    query: &PieceQuery<'_>,
    bodies: &[Pieces; 2],
    poses: [&Pose; 2],
    nodes: &[SurfaceNodes; 2],
    sopa: &Sopa,
    memory: &mut SopaMemory,
) -> Answer {
    let settings = SopaSettings { starts: sopa.starts, seed: sopa.seed, is_warm: true, ..SopaSettings::default() };
    let (nearest, minima, work) = match query.sopa([&nodes[0], &nodes[1]], &settings, memory) {
        Ok(found) => {
            let node = |side: usize, number: u32| poses[side].point(nodes[side].points()[number as usize]);
            let minimum = |niche: &Niche| Minimum {
                nodes: [node(0, niche.minimum.nodes[0]), node(1, niche.minimum.nodes[1])],
                node_distance: niche.minimum.distance,
                lower: niche.nearest.lower,
                upper: niche.nearest.upper,
                points: niche.nearest.points_in_world,
                pieces: names(bodies, &niche.nearest),
            };
            let minima = sopa.has_minima.then(|| found.niches.iter().map(minimum).collect());
            (found.nearest, minima, found.work)
        }
        // Curved pieces were refused earlier.
        Err(_) => (None, None, Default::default()),
    };
    Answer {
        lower: None,
        upper: nearest.map(|pair| pair.upper),
        points: nearest.map(|pair| pair.points_in_world),
        primitives: None,
        pieces: nearest.map(|pair| names(bodies, &pair)),
        minima,
        inside: false,
        counters: vec![
            ("nodes_a", nodes[0].len() as u64),
            ("nodes_b", nodes[1].len() as u64),
            ("piece_pairs", work.piece_pairs),
            ("surfaces", work.surfaces),
        ],
        warning: Some(HEURISTIC),
    }
}
