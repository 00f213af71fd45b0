//! What pathproof does not do: configurations tested at steps along a path. The demo shows it beside the proof, with the
//! same trees and the same distance code; it proves nothing.

use anyhow::{Context, Result, ensure};
use pathproof::distance::{Contact, Indexed, Query, Scratch};
use pathproof::numeric::Pose;
use pathproof::robot::{Kinematics, Motion};
use pathproof::scene::{BodyShape, Role, Scene};
use pathproof::shapes::Body;

/// A scene made ready to be sampled. All obstacles are one tree, as in the checker.
pub(crate) struct Sampler<'s> {
    scene: &'s Scene,
    bodies: Vec<Indexed>,
    obstacles: Indexed,
    /// Bodies that are tested against the obstacles.
    against_obstacles: Vec<usize>,
    pairs: Vec<[usize; 2]>,
    kinematics: Kinematics,
    scratch: Scratch,
}

/// What sampling saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sampled {
    /// Configurations tested.
    pub(crate) configurations: u64,
    /// Whether one of them was in collision.
    pub(crate) is_hit: bool,
}

impl<'s> Sampler<'s> {
    /// Builds the trees. All obstacles must have the same rules.
    pub(crate) fn new(scene: &'s Scene) -> Result<Self> {
        let is_obstacle = |body: usize| scene.bodies()[body].role == Role::Obstacle;
        let body = |index: usize| match &scene.bodies()[index].shape {
            BodyShape::Parts(body) => Ok(body),
            BodyShape::HalfSpace { .. } => anyhow::bail!("planes are not sampled"),
        };
        let mut fixed: Vec<(Pose, &Body)> = Vec::new();
        let mut bodies = Vec::new();
        for index in 0..scene.bodies().len() {
            match is_obstacle(index) {
                true => fixed.push((scene.bodies()[index].link_from_body, body(index)?)),
                false => bodies.push(Indexed::new(body(index)?.clone())),
            }
        }
        ensure!((0..bodies.len()).all(|index| !is_obstacle(index)), "obstacles come after links");
        let mut against_obstacles: Vec<usize> =
            scene.pairs().iter().filter(|p| is_obstacle(p.b)).map(|p| p.a).collect();
        ensure!(against_obstacles.len() % fixed.len() == 0, "obstacles have different rules");
        against_obstacles.dedup();
        let pairs = scene.pairs().iter().filter(|pair| !is_obstacle(pair.b)).map(|pair| [pair.a, pair.b]).collect();
        let obstacles = Indexed::new(Body::merged(&fixed).context("the obstacles")?);
        let kinematics = Kinematics::new(scene.model());
        Ok(Self { scene, bodies, obstacles, against_obstacles, pairs, kinematics, scratch: Scratch::default() })
    }

    /// Tests configurations along a path, both ends of each segment included, no joint moving by more than `step`
    /// (radians) from one to the next.
    pub(crate) fn path(&mut self, waypoints: &[Vec<f64>], step: f64) -> Result<Sampled> {
        let mut configurations = 0;
        let mut q = vec![0.0; self.scene.model().variables().len()];
        for ends in waypoints.windows(2) {
            let motion = Motion::new(self.scene.model(), &ends[0], &ends[1])?;
            let farthest = ends[0].iter().zip(&ends[1]).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
            let steps = (farthest / step).ceil().max(1.0) as u32;
            for k in 0..=steps {
                motion.configuration_at(f64::from(k) / f64::from(steps), &mut q);
                configurations += 1;
                if self.is_hit(&q) {
                    return Ok(Sampled { configurations, is_hit: true });
                }
            }
        }
        Ok(Sampled { configurations, is_hit: false })
    }

    fn is_hit(&mut self, q: &[f64]) -> bool {
        let Self { scene, bodies, obstacles, kinematics, scratch, .. } = self;
        kinematics.set_configuration(q);
        let mut pose = |index: usize| {
            let body = &scene.bodies()[index];
            kinematics.world_from_link(scene.model(), body.link) * body.link_from_body
        };
        let mut meets = |query: Query<'_>| !matches!(query.collide(scratch), Contact::Apart(_));
        for &a in &self.against_obstacles {
            if meets(Query::new(&bodies[a], obstacles, &pose(a), &Pose::IDENTITY)) {
                return true;
            }
        }
        self.pairs.iter().any(|&[a, b]| meets(Query::new(&bodies[a], &bodies[b], &pose(a), &pose(b))))
    }
}
