//! Mesh under construction, filled by every reader. It counts, enforces the limits, and names the place in errors.

use std::path::Path;

use glam::DAffine3;

use super::polygon::{self, Quality};
use super::{Limits, MeshFile, MeshFormat, MeshReport, Part, UpAxis};
use crate::error::{FormatError, excerpt};
use pathproof::numeric::DVec3;
use pathproof::shapes::{Aabb, MAX_COORDINATE};

/// Vertices and triangles so far, and remarks about them.
pub(super) struct Builder<'a> {
    name: &'a Path,
    limits: Limits,
    pub(super) vertices: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    parts: Vec<Part>,
    /// Lines for the report.
    pub(super) notes: Vec<String>,
    /// Counts of polygons with more than three sides.
    pub(super) polygons: PolygonCount,
    /// Lines and points, which have no surface.
    pub(super) skipped_lines_and_points: usize,
    /// Number of instances that have no volume because of their transforms, and the first of them.
    flattened: Option<(usize, String)>,
}

/// Number of polygons cut into triangles, and of the doubtful ones among them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PolygonCount {
    cut: usize,
    bent: usize,
    crossing: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(name: &'a Path, limits: &Limits) -> Self {
        Self {
            name,
            limits: *limits,
            vertices: Vec::new(),
            triangles: Vec::new(),
            parts: Vec::new(),
            notes: Vec::new(),
            polygons: PolygonCount::default(),
            skipped_lines_and_points: 0,
            flattened: None,
        }
    }

    /// An error about this file.
    pub(super) fn error(&self, problem: impl Into<String>) -> FormatError {
        FormatError::new(self.name, problem)
    }

    /// Starts a part; a part without triangles is left out unless it stays the only one.
    pub(super) fn start_part(&mut self, name: &str) {
        self.close_part();
        self.parts.push(Part { name: name.into(), first_triangle: self.triangles.len(), triangle_count: 0 });
    }

    fn close_part(&mut self) {
        if let Some(part) = self.parts.last_mut() {
            part.triangle_count = self.triangles.len() - part.first_triangle;
            if part.triangle_count == 0 {
                self.parts.pop();
            }
        }
    }

    /// Adds a vertex with checked coordinates.
    pub(super) fn add_vertex(&mut self, p: DVec3) -> Result<u32, FormatError> {
        let most = self.limits.triangles.saturating_mul(3).min(u32::MAX as usize);
        if self.vertices.len() >= most {
            return Err(self.error(format!("it has more than {most} vertices")).remedy(TOO_LARGE));
        }
        self.vertices.push(p);
        Ok((self.vertices.len() - 1) as u32)
    }

    /// Adds a triangle with checked indices.
    pub(super) fn add_triangle(&mut self, triangle: [u32; 3]) -> Result<(), FormatError> {
        if self.triangles.len() >= self.limits.triangles {
            let problem = format!("it has more than {} triangles", self.limits.triangles);
            return Err(self.error(problem).remedy(TOO_LARGE));
        }
        self.triangles.push(triangle);
        Ok(())
    }

    /// Adds a polygon over checked indices, cut into triangles.
    pub(super) fn add_polygon(&mut self, corners: &[u32], scratch: &mut polygon::Scratch) -> Result<(), FormatError> {
        if let &[a, b, c] = corners {
            return self.add_triangle([a, b, c]);
        }
        let quality = polygon::triangulate(corners, &self.vertices, scratch)
            .map_err(|problem| self.error(problem).remedy("triangulate the mesh on export"))?;
        self.polygons.count(quality);
        scratch.triangles.iter().try_for_each(|&triangle| self.add_triangle(triangle))
    }

    /// Adds an instance of a geometry. Errors name `place_in_file` if a coordinate leaves the allowed range. A
    /// mirroring transform reverses the triangles, so that outside stays outside.
    pub(super) fn add_instance(
        &mut self,
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        scene_from_geometry: &DAffine3,
        place_in_file: &dyn Fn() -> String,
    ) -> Result<(), FormatError> {
        let first = self.vertices.len();
        for &p in vertices {
            let p = scene_from_geometry.transform_point3(p);
            if !in_range(p) {
                let problem = format!("its transforms put a vertex at {p}, which is not below 1e12");
                return Err(self.error(problem).at(place_in_file()).remedy("check transforms and unit"));
            }
            self.add_vertex(p)?;
        }
        let determinant = scene_from_geometry.matrix3.determinant();
        if determinant == 0.0 {
            self.flattened.get_or_insert_with(|| (0, place_in_file())).0 += 1;
        }
        for &triangle in triangles {
            // `add_vertex` keeps the sum below `u32::MAX`.
            let [a, b, c] = triangle.map(|i| (first + i as usize) as u32);
            self.add_triangle(if determinant < 0.0 { [a, c, b] } else { [a, b, c] })?;
        }
        Ok(())
    }

    /// Finished mesh; an error if it has no triangle.
    pub(super) fn finish(
        mut self,
        format: MeshFormat,
        metres_per_unit: Option<f64>,
        up_axis: Option<UpAxis>,
    ) -> Result<MeshFile, FormatError> {
        self.close_part();
        if self.triangles.is_empty() {
            let skipped = self.skipped_lines_and_points;
            let seen = if skipped > 0 { format!(" (only {skipped} lines or points)") } else { String::new() };
            return Err(self.error(format!("the mesh is empty: no triangle in it{seen}")).remedy("export it again"));
        }
        self.drop_unused_vertices();
        self.note_counts();
        if let Some(axis @ (UpAxis::X | UpAxis::Y)) = up_axis {
            self.notes.push(format!("the file says that {axis} points up; its axes are kept as written, as in RViz"));
        }
        let report = MeshReport {
            format,
            triangles: self.triangles.len(),
            parts: self.parts.len(),
            metres_per_unit,
            up_axis,
            bounds: Aabb::of(self.vertices.iter().copied()),
            notes: self.notes,
        };
        Ok(MeshFile { vertices: self.vertices, triangles: self.triangles, parts: self.parts, report })
    }

    /// Drops vertices without a triangle: they are not part of the surface, but would count in a hull or a box.
    fn drop_unused_vertices(&mut self) {
        let mut is_used = vec![false; self.vertices.len()];
        for &index in self.triangles.iter().flatten() {
            is_used[index as usize] = true;
        }
        let before = self.vertices.len();
        let kept = is_used.iter().filter(|&&used| used).count();
        if kept < before {
            let used_before = is_used.iter().scan(0, |count, &used| {
                let before = *count;
                *count += u32::from(used);
                Some(before)
            });
            let new_index: Vec<u32> = used_before.collect();
            let mut old = is_used.iter();
            self.vertices.retain(|_| old.next() == Some(&true));
            self.triangles.iter_mut().flatten().for_each(|index| *index = new_index[*index as usize]);
            self.notes.push(format!("{} vertices that no triangle uses were left out", before - kept));
        }
    }

    fn note_counts(&mut self) {
        let PolygonCount { cut, bent, crossing } = self.polygons;
        if cut > 0 {
            self.notes.push(format!("{cut} polygons of more than three sides were cut into triangles"));
        }
        if bent > 0 {
            self.notes
                .push(format!("{bent} of these are not flat (by over 0.1 % of their size): their surface is a choice"));
        }
        if crossing > 0 {
            self.notes.push(format!("{crossing} of these cross themselves or have no area: they were cut as a fan"));
        }
        if let Some((count, first)) = &self.flattened {
            self.notes.push(format!("transforms flatten {count} geometries, the first at {first}"));
        }
        if self.skipped_lines_and_points > 0 {
            let skipped = self.skipped_lines_and_points;
            self.notes.push(format!("{skipped} lines or points were skipped: they have no surface"));
        }
    }
}

impl PolygonCount {
    pub(super) fn count(&mut self, quality: Quality) {
        self.cut += 1;
        self.bent += usize::from(quality.bent);
        self.crossing += usize::from(quality.crossing);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.cut += other.cut;
        self.bent += other.bent;
        self.crossing += other.crossing;
    }
}

const TOO_LARGE: &str = "simplify the mesh, split it, or raise the limit";

/// True if a point is finite and within the range of coordinates.
pub(super) fn in_range(p: DVec3) -> bool {
    p.abs().cmplt(DVec3::splat(MAX_COORDINATE)).all()
}

/// Parses a coordinate; the error describes the problem.
pub(super) fn coordinate(token: &str) -> Result<f64, String> {
    let value = number(token)?;
    if value.abs() < MAX_COORDINATE {
        Ok(value)
    } else {
        Err(format!("the coordinate {} is not a finite number below 1e12", excerpt(token)))
    }
}

/// Parses a number, NaN and infinities included.
pub(super) fn number(token: &str) -> Result<f64, String> {
    token.parse().map_err(|_| format!("\"{}\" is not a number", excerpt(token)))
}
