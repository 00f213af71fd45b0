//! Shapes in JSON: `{"box": [4.5, 2]}` and the like, parts, and their poses.

use serde::Deserialize;

use pathproof::numeric::{DQuat, DVec3, Pose};
use pathproof::shapes::Convex;
use pathproof_traffic::{Compound, Workspace};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawShape {
    /// Length and width, or three edges in space.
    #[serde(rename = "box")]
    cuboid: Option<Vec<f64>>,
    disc: Option<f64>,
    sphere: Option<f64>,
    polygon: Option<Vec<[f64; 2]>>,
    hull: Option<Vec<[f64; 3]>>,
    parts: Option<Vec<RawShape>>,
    /// Pose of the shape in its body: [x, y, heading], or [x, y, z, qx, qy, qz, qw] in space.
    at: Option<Vec<f64>>,
}

type Problem = (String, &'static str);

/// Maximum nesting of parts.
const DEEPEST: usize = 16;

impl RawShape {
    /// The compound, or the problem with it.
    pub(super) fn compound(&self) -> Result<Compound, Problem> {
        self.placed(0)
    }

    fn placed(&self, depth: usize) -> Result<Compound, Problem> {
        if depth > DEEPEST {
            return Err(("its parts are nested too deeply".to_owned(), "list all parts in one shape"));
        }
        let shape = self.kind(depth)?;
        let Some(at) = &self.at else { return Ok(shape) };
        let wrong = |error: &dyn std::fmt::Display| (error.to_string(), "");
        match (shape.workspace(), &at[..]) {
            (Workspace::Plane, &[x, y, heading]) => shape.at(x, y, heading).map_err(|error| wrong(&error)),
            (Workspace::Plane, _) => Err((format!("\"at\" has {} numbers", at.len()), "write [x, y, heading]")),
            (Workspace::Volume, _) if self.parts.is_none() => Ok(shape),
            (Workspace::Volume, _) => {
                Err(("\"at\" of parts in space is not known".to_owned(), "place each part by itself"))
            }
        }
    }

    fn kind(&self, depth: usize) -> Result<Compound, Problem> {
        let wrong = |error: &dyn std::fmt::Display| (error.to_string(), "sizes are in metres and above 0");
        let planar =
            |shape: Result<Compound, _>| shape.map_err(|error: pathproof_traffic::CompoundError| wrong(&error));
        let given = [
            self.cuboid.is_some(),
            self.disc.is_some(),
            self.sphere.is_some(),
            self.polygon.is_some(),
            self.hull.is_some(),
            self.parts.is_some(),
        ];
        if given.iter().filter(|given| **given).count() != 1 {
            let problem = "a shape needs exactly one of box, disc, polygon, sphere, hull and parts".to_owned();
            return Err((problem, "docs/traffic-file.md lists them"));
        }
        if let Some(sizes) = &self.cuboid {
            return match sizes[..] {
                [length, width] => planar(Compound::rectangle(length, width)),
                [x, y, z] => self.spatial(Convex::cuboid([x, y, z])),
                _ => {
                    Err((format!("a box has 2 or 3 sizes, not {}", sizes.len()), "write [length, width] or [x, y, z]"))
                }
            };
        }
        if let Some(radius) = self.disc {
            return planar(Compound::disc(radius));
        }
        if let Some(radius) = self.sphere {
            return self.spatial(Convex::sphere(radius));
        }
        if let Some(corners) = &self.polygon {
            return planar(Compound::polygon(corners));
        }
        if let Some(points) = &self.hull {
            let points: Vec<DVec3> = points.iter().map(|&point| DVec3::from_array(point)).collect();
            return self.spatial(Convex::hull(&points));
        }
        let parts = self.parts.iter().flatten().map(|part| part.placed(depth + 1)).collect::<Result<Vec<_>, _>>()?;
        planar(Compound::union(parts))
    }

    fn spatial(&self, convex: Result<Convex, pathproof::shapes::ShapeError>) -> Result<Compound, Problem> {
        let wrong = |error: &dyn std::fmt::Display| (error.to_string(), "sizes are in metres and above 0");
        let convex = convex.map_err(|error| wrong(&error))?;
        let pose = match self.at.as_deref() {
            None => Pose::IDENTITY,
            Some(&[x, y, z, qx, qy, qz, qw]) => {
                let q = DQuat::from_xyzw(qx, qy, qz, qw);
                if !((q.length() - 1.0).abs() <= 1e-6) {
                    return Err((format!("\"at\" has a quaternion of length {}", q.length()), "it must be 1 to 1e-6"));
                }
                Pose::from_quaternion(q.normalize(), DVec3::new(x, y, z))
            }
            Some(other) => {
                return Err((format!("\"at\" has {} numbers", other.len()), "write [x, y, z, qx, qy, qz, qw]"));
            }
        };
        Compound::convex(convex, pose).map_err(|error| wrong(&error))
    }
}
