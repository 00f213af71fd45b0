//! The links of a scene's robots with their trees, and pairs of them ready to be placed.

use super::boxes::JointBox;
use super::chain::{Chain, NoMap};
use crate::distance::{Contact, Containment, Distance, Indexed, Query, Scratch};
use crate::numeric::{Pose, add_up, norm_up};
use crate::robot::{Kinematics, SegmentMotion};
use crate::scene::{BodyShape, Role, Scene};

/// The links of a scene, with a tree each.
#[derive(Debug)]
pub struct Links<'s> {
    scene: &'s Scene,
    /// Indices of the scene's bodies that are links, and their trees; `None` for a half-space.
    indexed: Vec<(usize, Option<Indexed>)>,
}

impl<'s> Links<'s> {
    /// Builds the trees.
    pub fn new(scene: &'s Scene) -> Self {
        let is_link = |body: &usize| scene.bodies()[*body].role == Role::Link;
        let index = |body: usize| match &scene.bodies()[body].shape {
            BodyShape::Parts(parts) => (body, Some(Indexed::new(parts.clone()))),
            BodyShape::HalfSpace { .. } => (body, None),
        };
        Self { scene, indexed: (0..scene.bodies().len()).filter(is_link).map(index).collect() }
    }

    /// The scene.
    pub fn scene(&self) -> &'s Scene {
        self.scene
    }

    /// All pairs of the scene's bodies that are links, in order.
    pub fn pairs(&self) -> Vec<[usize; 2]> {
        let all = self.indexed.iter().enumerate();
        all.flat_map(|(i, (a, _))| self.indexed[i + 1..].iter().map(|(b, _)| [*a, *b])).collect()
    }

    /// A pair of links, by their bodies in the scene.
    pub fn pair(&self, bodies: [usize; 2]) -> Result<LinkPair<'_>, NoMap> {
        LinkPair::new(self, bodies)
    }

    fn tree(&self, body: usize) -> Result<&Indexed, NoMap> {
        let found = self.indexed.iter().find(|(index, _)| *index == body).and_then(|(_, indexed)| indexed.as_ref());
        found.ok_or_else(|| NoMap::Plane { body: self.scene.bodies()[body].name.clone() })
    }
}

/// Two links, the joints between them, and bounds on their rounding.
#[derive(Debug)]
pub struct LinkPair<'s> {
    pub(super) scene: &'s Scene,
    /// Indices of the bodies in the scene.
    pub bodies: [usize; 2],
    /// The joints between.
    pub chain: Chain,
    pub(super) indexed: [&'s Indexed; 2],
    /// Upper bound on the error of both poses together, anywhere in the ranges, in metres.
    margin: f64,
    /// Upper bound on the error of a distance between a point of either link and an axis between them, in metres.
    pub(super) length_error: f64,
    /// A configuration within the limits, for variables that the chain does not drive.
    rest: Vec<f64>,
}

impl<'s> LinkPair<'s> {
    fn new(links: &'s Links<'_>, bodies: [usize; 2]) -> Result<Self, NoMap> {
        let scene = links.scene;
        let model = scene.model();
        let indexed = [links.tree(bodies[0])?, links.tree(bodies[1])?];
        let frames = bodies.map(|body| model.frame_of(scene.bodies()[body].link));
        let chain = Chain::new(model, frames[0], frames[1])?;
        let rest = rest(scene);
        // A motion over the whole ranges bounds the error of forward kinematics anywhere in them.
        let [mut lowest, mut highest] = [rest.clone(), rest.clone()];
        for range in &chain.ranges {
            (lowest[range.variable], highest[range.variable]) = (range.lower, range.upper);
        }
        let motion = SegmentMotion::new(model, &lowest, &highest).map_err(|_| NoMap::NotFinite)?;
        let (mut margin, mut reach, mut angle, mut place) = (0.0, 0.0, 0.0, 0.0);
        for side in 0..2 {
            let body = &scene.bodies()[bodies[side]];
            let frame_from_body = model.links()[body.link].frame_from_link * body.link_from_body;
            let shape = indexed[side].body();
            let radius = norm_up(frame_from_body.translation) + norm_up(shape.centre()) + shape.radius();
            let radius = (radius + shape.rounding()) * (1.0 + 1e-12);
            let sums = &motion.rate(frames[side]).from_world;
            margin = add_up(margin, motion.position_error(frames[side], radius));
            reach = add_up(reach, add_up(sums.offset, radius));
            angle = add_up(angle, sums.rotation_error);
            place = add_up(place, sums.position_error + shape.rounding());
        }
        // A point has the error of its pose, an axis that of its own: an angle, times an arm no longer than both
        // reaches, plus a position. Twice that for the point and the axis, and twice again for the arithmetic after
        // it.
        let length_error = 4.0 * add_up(angle * reach, place) + 1e-150;
        Ok(Self { scene, bodies, chain, indexed, margin, length_error, rest })
    }

    /// The box of all values of the joints between the links.
    pub(super) fn whole_box(&self) -> JointBox {
        JointBox { sides: self.chain.ranges.iter().map(|range| [range.lower, range.upper]).collect() }
    }

    /// The configuration with these values of the chain's ranges, the others at rest.
    pub fn configuration(&self, values: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let mut q = self.rest.clone();
        for (range, value) in self.chain.ranges.iter().zip(values) {
            q[range.variable] = value;
        }
        q
    }

    /// Poses of both bodies' frames.
    pub(super) fn poses(&self, kinematics: &mut Kinematics) -> [Pose; 2] {
        self.bodies.map(|body| {
            let body = &self.scene.bodies()[body];
            kinematics.world_from_link(self.scene.model(), body.link) * body.link_from_body
        })
    }

    /// Both bodies at a configuration of the chain's ranges.
    pub(super) fn query(&self, kinematics: &mut Kinematics) -> Query<'s> {
        let [world_from_a, world_from_b] = self.poses(kinematics);
        Query::within(self.indexed[0], self.indexed[1], &world_from_a, &world_from_b, self.margin)
    }

    /// State of the pair at one configuration.
    pub(super) fn look(&self, kinematics: &mut Kinematics, q: &[f64], scratch: &mut Scratch) -> Look {
        kinematics.set_configuration(q);
        let query = self.query(kinematics);
        match query.collide(scratch) {
            Contact::Meets(_) => Look::Contact,
            Contact::Unclear(_) => Look::Unclear,
            Contact::Apart(_) => match query.containment_of() {
                Containment::Inside { .. } => Look::Contact,
                Containment::Outside => Look::Apart,
                Containment::Unclear { .. } => Look::Unclear,
            },
        }
    }

    /// Bounds on the distance of the surfaces at one configuration.
    pub(super) fn distance(&self, kinematics: &mut Kinematics, q: &[f64], scratch: &mut Scratch) -> Distance {
        kinematics.set_configuration(q);
        self.query(kinematics).exact(scratch)
    }
}

/// Certain result for a pair at one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Contact,
    Apart,
    /// Rounding cannot tell.
    Unclear,
}

/// A configuration within the limits: zero, or the limit nearest to it.
fn rest(scene: &Scene) -> Vec<f64> {
    let variables = scene.model().variables().iter().zip(scene.model().zero_configuration());
    variables.map(|(variable, zero)| variable.limits.map_or(zero, |(lower, upper)| zero.clamp(lower, upper))).collect()
}
