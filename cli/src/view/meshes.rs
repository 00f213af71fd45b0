//! The bodies' triangles for the page: in the frame of the link that carries them, rounded to 16 bits, in an order that
//! compresses well. For display only: if there are very many, near corners are merged, and the page says so.

use std::collections::{HashMap, HashSet};

use pathproof::numeric::DVec3;
use pathproof::scene::{BodyShape, Role, Scene};
use serde::Serialize;

use super::blob::{Blob, Section};

/// Maximum number of triangles of a page; about 8 bytes each.
const MOST_TRIANGLES: usize = 400_000;
/// Steps of a coordinate over a body's longest side.
const STEPS: f64 = 65_535.0;

/// A body, for the page.
#[derive(Serialize)]
pub(super) struct Shape<'a> {
    name: &'a str,
    role: &'static str,
    /// Number of the link among those that move; `null` if it stands still.
    link: Option<usize>,
    /// Reaches to infinity; the page shows a part of it.
    plane: bool,
    /// Position of coordinate 0, and length of a step, in metres.
    origin: [f64; 3],
    step: f64,
    /// All x, then all y, then all z, each as the difference from the one before.
    vertices: Section,
    /// Corners of triangles, each as the difference from the one before.
    triangles: Section,
}

/// All bodies, and the numbers of shown and of all triangles.
pub(super) struct Shapes<'a> {
    pub(super) bodies: Vec<Shape<'a>>,
    pub(super) shown: usize,
    pub(super) all: usize,
}

/// Corners as whole steps, and triangles of them.
struct Rounded {
    vertices: Vec<[u16; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// Prepares all bodies; `links` are those that move, `origin` is the origin of the page's world.
pub(super) fn shapes<'a>(scene: &'a Scene, links: &[usize], origin: DVec3, blob: &mut Blob) -> Shapes<'a> {
    let meshes: Vec<_> = (0..scene.bodies().len()).map(|body| scene.display(body)).collect();
    let all: usize = meshes.iter().map(|mesh| mesh.1.triangles.len()).sum();
    let mut result = Shapes::of(all);
    for (body, (link_from_mesh, mesh)) in scene.bodies().iter().zip(meshes) {
        let link = links.iter().position(|link| *link == body.link);
        // A fixed body is placed in the world at once.
        let base = if link.is_some() { pathproof::numeric::Pose::IDENTITY } else { still_pose(scene, body.link) };
        let shift = if link.is_some() { DVec3::ZERO } else { origin };
        let corners: Vec<DVec3> = mesh.vertices.iter().map(|v| base.point(link_from_mesh.point(*v)) - shift).collect();
        let role = match body.role {
            Role::Link => "link",
            Role::Obstacle => "obstacle",
            Role::Attached => "attached",
        };
        let is_plane = matches!(body.shape, BodyShape::HalfSpace { .. });
        result.add((&body.name, role, link, is_plane), &corners, &mesh.triangles, blob);
    }
    result
}

impl<'a> Shapes<'a> {
    /// Empty set for bodies that have this many triangles in total.
    pub(super) fn of(all: usize) -> Self {
        Self { bodies: Vec::new(), shown: 0, all }
    }

    /// Adds a body by its name, its role, the number of the link that moves it, and whether it is a plane.
    pub(super) fn add(
        &mut self,
        (name, role, link, plane): (&'a str, &'static str, Option<usize>, bool),
        corners: &[DVec3],
        of_mesh: &[[u32; 3]],
        blob: &mut Blob,
    ) {
        let (low, step) = frame(corners);
        let most = if self.all > MOST_TRIANGLES {
            (MOST_TRIANGLES as f64 / self.all as f64 * of_mesh.len() as f64) as usize
        } else {
            usize::MAX
        };
        let rounded = simplified(rounded(corners, of_mesh, low, step), most.max(64));
        self.shown += rounded.triangles.len();
        self.bodies.push(Shape {
            name,
            role,
            link,
            plane,
            origin: low.to_array(),
            step,
            vertices: blob.shorts((0..3).flat_map(|axis| {
                let mut last = 0_u16;
                rounded.vertices.iter().map(move |v| v[axis].wrapping_sub(std::mem::replace(&mut last, v[axis])))
            })),
            triangles: triangles(&rounded.triangles, blob),
        });
    }
}

/// Note on the triangles shown, of all there are.
pub(super) fn told([shown, all]: [usize; 2]) -> String {
    if shown < all {
        format!("{shown} of {all} triangles, near corners merged")
    } else {
        format!("all {all} triangles")
    }
}

/// Pose of a link that no joint moves.
fn still_pose(scene: &Scene, link: usize) -> pathproof::numeric::Pose {
    let mut kinematics = pathproof::robot::Kinematics::new(scene.model());
    kinematics.set_configuration(&scene.model().zero_configuration());
    kinematics.world_from_link(scene.model(), link)
}

fn triangles(triangles: &[[u32; 3]], blob: &mut Blob) -> Section {
    let mut last = 0_u32;
    let differences = triangles.iter().flatten().map(|v| v.wrapping_sub(std::mem::replace(&mut last, *v)));
    match triangles.iter().flatten().all(|v| *v <= u32::from(u16::MAX)) {
        // The script adds them up in 16 bits too.
        true => blob.shorts(differences.map(|d| d as u16)),
        false => blob.words(differences),
    }
}

/// Corner at which coordinates start, and the length of a step.
fn frame(corners: &[DVec3]) -> (DVec3, f64) {
    let low = corners.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = corners.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let step = (high - low).max_element() / STEPS;
    (low, if step > 0.0 { step } else { 1.0 })
}

/// Corners in the order in which triangles use them, which compresses best.
fn rounded(corners: &[DVec3], triangles: &[[u32; 3]], low: DVec3, step: f64) -> Rounded {
    let mut number: Vec<Option<u32>> = vec![None; corners.len()];
    let mut vertices = Vec::new();
    let mut renamed = |v: u32| {
        *number[v as usize].get_or_insert_with(|| {
            vertices.push(((corners[v as usize] - low) / step).round().to_array().map(|x| x as u16));
            vertices.len() as u32 - 1
        })
    };
    let triangles = triangles.iter().map(|triangle| triangle.map(&mut renamed)).collect();
    Rounded { vertices, triangles }
}

/// Merges corners on ever coarser grids until at most `most` triangles are left.
fn simplified(mut mesh: Rounded, most: usize) -> Rounded {
    let mut shift = 4;
    while mesh.triangles.len() > most && shift < 14 {
        mesh = merged(&mesh, shift);
        shift += 1;
    }
    mesh
}

fn merged(mesh: &Rounded, shift: u32) -> Rounded {
    let mut numbers: HashMap<[u16; 3], u32> = HashMap::new();
    let mut vertices = Vec::new();
    let mut number = |v: u32| {
        let corner = mesh.vertices[v as usize];
        *numbers.entry(corner.map(|x| x >> shift)).or_insert_with(|| {
            vertices.push(corner);
            vertices.len() as u32 - 1
        })
    };
    let mut seen = HashSet::new();
    let mut triangles = Vec::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(&mut number);
        let mut key = [a, b, c];
        key.sort_unstable();
        if a != b && b != c && c != a && seen.insert(key) {
            triangles.push([a, b, c]);
        }
    }
    Rounded { vertices, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simplified_surface_keeps_its_extent_and_few_triangles() {
        // A square sheet of 100 × 100 cells.
        let n = 100_u16;
        let vertices: Vec<[u16; 3]> = (0..=n).flat_map(|y| (0..=n).map(move |x| [x * 655, y * 655, 0])).collect();
        let corner = |x: u16, y: u16| u32::from(y) * (u32::from(n) + 1) + u32::from(x);
        let triangles: Vec<[u32; 3]> = (0..n)
            .flat_map(|y| (0..n).map(move |x| (x, y)))
            .flat_map(|(x, y)| {
                let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
                [[a, b, c], [b, d, c]]
            })
            .collect();
        let simple = simplified(Rounded { vertices, triangles }, 2_000);
        assert!((200..=2_000).contains(&simple.triangles.len()), "{}", simple.triangles.len());
        let far = simple.vertices.iter().flatten().max().expect("a corner");
        assert!(*far > 60_000, "{far}");
        let used = simple.triangles.iter().flatten().max().expect("a triangle");
        assert!((*used as usize) < simple.vertices.len());
    }
}
