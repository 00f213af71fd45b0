//! Goal regions: bodies inside half-spaces of the world, as in "retract below the obstacles" (exact-collision-checking
//! paper §4.3, Figs. 1 and 8).

use super::error::PlanError;
use super::space::Space;
use crate::numeric::{DVec3, Pose, most};
use crate::robot::Kinematics;
use crate::scene::{BodyShape, Scene};

/// Requires bodies to be below a plane: n · x < offset for every point x of every body.
#[derive(Clone, Debug, PartialEq)]
pub struct HalfSpace {
    /// Indices of the bodies in the scene.
    pub bodies: Vec<usize>,
    /// A unit vector in the world.
    pub normal: DVec3,
    /// Offset in metres.
    pub offset: f64,
}

/// Bodies inside half-spaces: all of them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Region {
    /// The half-spaces.
    pub half_spaces: Vec<HalfSpace>,
}

/// Generous upper bound on the effect of the rounding of poses on a distance, in metres.
const SLACK: f64 = 1e-9;

impl Region {
    /// Requires that bodies which no degree of freedom moves are inside already, because they stay where they are at
    /// the start.
    pub(super) fn require_reachable(&self, space: &Space<'_>, start: &[f64]) -> Result<(), PlanError> {
        let (scene, moved) = (space.scene(), space.moved_links());
        let mut kinematics = Kinematics::new(scene.model());
        kinematics.set_configuration(start);
        let stays = |body: usize| !moved.iter().any(|links| links[scene.bodies()[body].link]);
        for half_space in &self.half_spaces {
            for &body in half_space.bodies.iter().filter(|body| stays(**body)) {
                if !(beyond(scene, body, half_space, &mut kinematics) < 0.0) {
                    return Err(PlanError::StuckOutside { body: scene.bodies()[body].name.clone() });
                }
            }
        }
        Ok(())
    }

    /// A watcher that tests configurations for being inside.
    pub(super) fn watcher<'a>(&'a self, scene: &'a Scene) -> Watcher<'a> {
        let conditions = self.half_spaces.iter().enumerate();
        let conditions = conditions.flat_map(|(number, of)| of.bodies.iter().map(move |body| (number, *body)));
        let conditions = conditions.filter(|(_, body)| !scene.is_static(*body)).collect();
        Watcher { region: self, scene, kinematics: Kinematics::new(scene.model()), conditions }
    }
}

/// Tests configurations for being inside a region.
#[derive(Debug)]
pub(super) struct Watcher<'a> {
    region: &'a Region,
    scene: &'a Scene,
    kinematics: Kinematics,
    /// Half-space and body; the condition that failed last comes first.
    conditions: Vec<(usize, usize)>,
}

impl Watcher<'_> {
    /// True if all bodies are inside at a configuration.
    pub(super) fn is_inside(&mut self, q: &[f64]) -> bool {
        self.kinematics.set_configuration(q);
        for place in 0..self.conditions.len() {
            if !(self.beyond(place) < 0.0) {
                self.conditions.swap(0, place);
                return false;
            }
        }
        true
    }

    /// Distance by which the farthest body reaches beyond its plane, in metres.
    pub(super) fn farthest(&mut self, q: &[f64]) -> f64 {
        self.kinematics.set_configuration(q);
        (0..self.conditions.len()).map(|place| self.beyond(place)).fold(f64::NEG_INFINITY, most)
    }

    /// The links that have a body outside.
    pub(super) fn links_outside(&mut self, q: &[f64], links: &mut Vec<usize>) {
        self.kinematics.set_configuration(q);
        links.clear();
        for place in 0..self.conditions.len() {
            if !(self.beyond(place) < 0.0) {
                links.push(self.scene.bodies()[self.conditions[place].1].link);
            }
        }
    }

    fn beyond(&mut self, place: usize) -> f64 {
        let (half_space, body) = self.conditions[place];
        beyond(self.scene, body, &self.region.half_spaces[half_space], &mut self.kinematics)
    }
}

/// Distance by which a body reaches beyond a plane, in metres: negative inside.
fn beyond(scene: &Scene, number: usize, half_space: &HalfSpace, kinematics: &mut Kinematics) -> f64 {
    let body = &scene.bodies()[number];
    let BodyShape::Parts(parts) = &body.shape else { return f64::INFINITY };
    let world_from_body = kinematics.world_from_link(scene.model(), body.link) * body.link_from_body;
    let world_from_centre = world_from_body * Pose::from_translation(parts.centre());
    let direction = world_from_centre.inverse_vector(half_space.normal);
    let corners = parts.vertices().iter().map(|corner| direction.dot(*corner));
    let pieces = parts.pieces().iter().map(|piece| {
        let core = piece.shape.core_support(piece.centre_from_piece.inverse_vector(direction));
        direction.dot(piece.centre_from_piece.point(core)) + piece.shape.radius()
    });
    let reach = corners.chain(pieces).fold(f64::NEG_INFINITY, most);
    half_space.normal.dot(world_from_centre.translation) + reach + SLACK - half_space.offset
}
