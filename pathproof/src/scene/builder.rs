//! [`SceneBuilder`]: a scene put together in code, by names. It has no rules of its own: [`Scene::new`] validates the parts.

use thiserror::Error;

use super::{BodyShape, PairRule, Role, Scene, SceneBody, SceneError, SceneParts};
use crate::numeric::Pose;
use crate::robot::{JointKind, JointSpec, Model, ModelError};
use crate::shapes::{Body, Convex, TriangleMesh};

/// Builds a scene in code. Links are made by the joints that carry them; link `world` stands still. Links belong to one
/// robot if their names agree up to the first `/`, or have none: call them `left/tool` and `right/tool` in a cell of two.
///
/// ```
/// use pathproof::numeric::{DVec3, Pose};
/// use pathproof::robot::JointKind;
/// use pathproof::scene::SceneBuilder;
/// use pathproof::shapes::Convex;
/// use pathproof::{CheckScratch, Checker, Motion, Settings, Verdict};
/// // A ball that slides along x, and a wall 1 m away.
/// let mut cell = SceneBuilder::new();
/// cell.joint("slide", JointKind::Prismatic { axis: DVec3::X }, "world", "ball", Pose::IDENTITY).limited(-1.0, 3.0);
/// cell.link_body("ball", Convex::sphere(0.1)?);
/// cell.obstacle("wall", Convex::cuboid([0.01, 2.0, 2.0])?, Pose::from_translation(DVec3::X));
/// let checker = Checker::new(cell.build()?);
/// let mut scratch = CheckScratch::new(&checker);
/// let mut check = |to: f64| checker.path(&Motion::lines([vec![0.0], vec![to]]), &Settings::default(), &mut scratch);
/// assert!(matches!(check(0.8)?.verdict, Verdict::Free(_)));
/// assert!(matches!(check(2.0)?.verdict, Verdict::Collision(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SceneBuilder {
    joints: Vec<JointSpec>,
    bodies: Vec<Placed>,
    unchecked: Vec<[String; 2]>,
    clearance: f64,
    self_clearance: f64,
    tolerance: Option<f64>,
}

/// A body on a link that is known by name.
#[derive(Clone, Debug)]
struct Placed {
    name: String,
    role: Role,
    link: String,
    link_from_body: Pose,
    shape: Body,
}

/// A part of a scene that is not there, or does not fit the others.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BuildError {
    /// The links and joints make no tree.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The parts make no scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A body is on a link that no joint carries.
    #[error("{body:?} is on the link {link:?}, which no joint carries")]
    UnknownLink {
        /// The body.
        body: String,
        /// The link.
        link: String,
    },
    /// A pair names a body that is not there.
    #[error("a pair names {0:?}, which is no body of the scene")]
    UnknownBody(String),
}

impl From<Convex> for Body {
    fn from(convex: Convex) -> Self {
        Self::from_convex(convex)
    }
}

impl From<TriangleMesh> for Body {
    fn from(mesh: TriangleMesh) -> Self {
        Self::from_mesh(mesh)
    }
}

impl SceneBuilder {
    /// An empty scene: clearances 0, tolerance 1 mm.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a joint and the link that it carries. Its limits can be set on what is returned.
    pub fn joint(
        &mut self,
        name: &str,
        kind: JointKind,
        parent: &str,
        child: &str,
        parent_from_joint: Pose,
    ) -> &mut JointSpec {
        self.joints.push(JointSpec::new(name, kind, parent, child, parent_from_joint));
        self.joints.last_mut().expect("one was pushed")
    }

    /// Gives a link its geometry. The body has the link's name.
    pub fn link_body(&mut self, link: &str, shape: impl Into<Body>) -> &mut Self {
        self.body(link, Role::Link, link, Pose::IDENTITY, shape.into())
    }

    /// Adds an obstacle that stands in the world.
    pub fn obstacle(&mut self, name: &str, shape: impl Into<Body>, world_from_body: Pose) -> &mut Self {
        self.body(name, Role::Obstacle, "world", world_from_body, shape.into())
    }

    /// Adds an object that a link holds.
    pub fn attached(&mut self, name: &str, link: &str, shape: impl Into<Body>, link_from_body: Pose) -> &mut Self {
        self.body(name, Role::Attached, link, link_from_body, shape.into())
    }

    fn body(&mut self, name: &str, role: Role, link: &str, link_from_body: Pose, shape: Body) -> &mut Self {
        let (name, link) = (name.to_owned(), link.to_owned());
        self.bodies.push(Placed { name, role, link, link_from_body, shape });
        self
    }

    /// Leaves a pair of bodies unchecked.
    pub fn skip_pair(&mut self, a: &str, b: &str) -> &mut Self {
        self.unchecked.push([a.to_owned(), b.to_owned()]);
        self
    }

    /// Sets the distance to everything but links of the same robot that must be exceeded, in metres.
    pub fn clearance(&mut self, metres: f64) -> &mut Self {
        self.clearance = metres;
        self
    }

    /// Sets the distance between links of one robot that must be exceeded, in metres.
    pub fn self_clearance(&mut self, metres: f64) -> &mut Self {
        self.self_clearance = metres;
        self
    }

    /// Sets how close to the clearance a search stops trying to prove, in metres.
    pub fn tolerance(&mut self, metres: f64) -> &mut Self {
        self.tolerance = Some(metres);
        self
    }

    /// Validates the parts.
    pub fn build(&self) -> Result<Scene, BuildError> {
        let links = std::iter::once("world".to_owned()).chain(self.joints.iter().map(|joint| joint.child.clone()));
        let mut parts = SceneParts::new(Model::new("world", links.collect(), self.joints.clone())?);
        for Placed { name, role, link, link_from_body, shape } in &self.bodies {
            let unknown = || BuildError::UnknownLink { body: name.clone(), link: link.clone() };
            let link = parts.model.link(link).ok_or_else(unknown)?;
            let (name, shape) = (name.clone(), BodyShape::Parts(shape.clone()));
            parts.bodies.push(SceneBody { name, role: *role, link, link_from_body: *link_from_body, shape });
        }
        for pair in &self.unchecked {
            let find = |name: &String| {
                let found = parts.bodies.iter().position(|body| body.name == *name);
                found.ok_or_else(|| BuildError::UnknownBody(name.clone()))
            };
            let pair = [find(&pair[0])?, find(&pair[1])?];
            parts.rules.exceptions.push((pair, PairRule::Skip));
        }
        (parts.clearance, parts.self_clearance) = (self.clearance, self.self_clearance);
        parts.tolerance = self.tolerance.unwrap_or(parts.tolerance);
        Ok(Scene::new(parts)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::DVec3;

    fn arm() -> SceneBuilder {
        let mut cell = SceneBuilder::new();
        let turn = JointKind::Revolute { axis: DVec3::Z };
        cell.joint("shoulder", turn, "world", "upper", Pose::IDENTITY).limited(-3.0, 3.0);
        cell.joint("elbow", turn, "upper", "lower", Pose::from_translation(DVec3::X));
        cell.link_body("upper", Convex::sphere(0.1).unwrap()).link_body("lower", Convex::sphere(0.1).unwrap());
        cell.obstacle("post", Convex::sphere(0.2).unwrap(), Pose::from_translation(DVec3::Y * 2.0));
        cell
    }

    #[test]
    fn parts_are_where_they_were_put_and_pairs_as_asked_for() {
        let mut cell = arm();
        cell.attached("part", "lower", Convex::sphere(0.05).unwrap(), Pose::from_translation(DVec3::X * 0.3));
        cell.clearance(0.02).self_clearance(0.01).tolerance(0.002);
        let scene = cell.build().unwrap();
        let names: Vec<&str> = scene.bodies().iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["upper", "lower", "post", "part"]);
        assert_eq!((scene.clearance(), scene.self_clearance(), scene.tolerance()), (0.02, 0.01, 0.002));
        assert_eq!(scene.model().variables()[0].limits, Some((-3.0, 3.0)));
        assert_eq!(scene.model().variables()[1].limits, None);
        assert!(scene.checked_pair([0, 2]).is_some());
        let without = cell.skip_pair("post", "upper").build().unwrap();
        assert!(without.checked_pair([0, 2]).is_none() && without.checked_pair([1, 2]).is_some());
    }

    #[test]
    fn names_that_are_not_there_are_errors() {
        let mut cell = arm();
        cell.link_body("hand", Convex::sphere(0.1).unwrap());
        assert!(matches!(cell.build(), Err(BuildError::UnknownLink { link, .. }) if link == "hand"));
        let mut cell = arm();
        cell.skip_pair("post", "wall");
        assert_eq!(cell.build().unwrap_err(), BuildError::UnknownBody("wall".into()));
        let mut cell = arm();
        cell.joint("again", JointKind::Fixed, "world", "upper", Pose::IDENTITY);
        assert!(matches!(cell.build(), Err(BuildError::Model(_))));
        let mut cell = arm();
        cell.clearance(f64::NAN);
        assert!(matches!(cell.build(), Err(BuildError::Scene(_))));
    }
}
