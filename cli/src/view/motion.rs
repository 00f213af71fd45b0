//! Poses of all moving links along the path: at the waypoints, at the findings, and between them often enough for a
//! straight line between two poses to look like the motion.

use anyhow::Result;
use pathproof::numeric::{DQuat, DVec3, Pose};
use pathproof::path::Motion;
use pathproof::robot::{Kinematics, SegmentMotion};
use pathproof::scene::Scene;
use serde::Serialize;

use super::blob::{Blob, Section};

/// Largest deviation of a displayed body between two poses, in metres.
const FINE: f64 = 0.001;
/// Maximum number of poses of a page; if they do not suffice, the motion is shown more coarsely.
const MOST_SAMPLES: usize = 12_000;
/// Deepest bisection between two places, beyond the needs of the plot.
const DEEPEST: u32 = 6;
/// Minimum number of places, evenly along the plot: distances are measured there too.
const LEAST_PLACES: f64 = 400.0;

/// Place on the path with its poses in the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) segment: usize,
    pub(super) t: f64,
}

impl Place {
    /// Segment number and fraction on one axis.
    pub(super) fn along(self) -> f64 {
        self.segment as f64 + self.t
    }
}

/// The sampled motion.
pub(super) struct Sampled {
    pub(super) places: Vec<Place>,
    /// Largest deviation of displayed bodies between two places, in metres.
    pub(super) error: f64,
    /// The links that move and carry bodies.
    pub(super) links: Vec<usize>,
    /// For each place and link.
    poses: Vec<Pose>,
}

/// Track data for the page.
#[derive(Serialize)]
pub(super) struct Track {
    /// For each place: segment number plus fraction.
    along: Section,
    /// For each link, component and place: position, then quaternion.
    poses: Section,
    links: usize,
    places: usize,
}

impl Sampled {
    /// Samples a path; `kept` are places that must be among the samples, `axis` has the position of each waypoint in
    /// the plot.
    pub(super) fn new(scene: &Scene, path: &Motion, axis: &[f64], kept: &[Place]) -> Result<Self> {
        let mut sampler = Sampler::new(scene);
        let mut error = FINE;
        loop {
            sampler.places.clear();
            sampler.poses.clear();
            for segment in 0..path.segments() {
                let motion = path.segment(scene.model(), segment)?;
                let share = (axis[segment + 1] - axis[segment]) / axis[axis.len() - 1];
                sampler.segment(&motion, segment, kept, (error, share * LEAST_PLACES));
            }
            // Waypoints and findings alone always get twice their number of samples.
            let most = MOST_SAMPLES.max(2 * (path.waypoints().len() + kept.len()));
            if sampler.places.len() <= most || error > 1.0 {
                let Sampler { places, poses, links, .. } = sampler;
                return Ok(Self { places, error, links: links.into_iter().map(|link| link.0).collect(), poses });
            }
            error *= 2.0;
        }
    }

    /// Number of a kept place.
    pub(super) fn index(&self, place: Place) -> usize {
        let at = self.places.partition_point(|other| other.along() < place.along());
        at.min(self.places.len() - 1)
    }

    /// Pose of a link at a sample; `None` if it stands still.
    pub(super) fn pose(&self, sample: usize, link: usize) -> Option<&Pose> {
        let number = self.links.iter().position(|other| *other == link)?;
        self.poses.get(sample * self.links.len() + number)
    }

    /// Track for the page, with the world's origin moved.
    pub(super) fn track(&self, blob: &mut Blob, origin: DVec3) -> Track {
        let alongs: Vec<f64> = self.places.iter().map(|place| place.along()).collect();
        Track::new(&alongs, &self.poses, origin, blob)
    }
}

impl Track {
    /// Track from poses for each place and link, with the world's origin moved.
    pub(super) fn new(alongs: &[f64], poses: &[Pose], origin: DVec3, blob: &mut Blob) -> Self {
        let links = poses.len() / alongs.len().max(1);
        let mut values = Vec::with_capacity(7 * poses.len());
        for link in 0..links {
            let mut last = DQuat::IDENTITY;
            let of_link = poses.iter().skip(link).step_by(links.max(1));
            let numbers: Vec<[f64; 7]> = of_link
                .map(|pose| {
                    let turned = DQuat::from_mat3(&pose.rotation);
                    // Take the quaternion of a rotation that is nearer to the last one: the short way round.
                    last = if turned.dot(last) < 0.0 { -turned } else { turned };
                    let p = pose.translation - origin;
                    [p.x, p.y, p.z, last.x, last.y, last.z, last.w]
                })
                .collect();
            values.extend((0..7).flat_map(|i| numbers.iter().map(move |number| number[i] as f32)));
        }
        let along = blob.doubles(alongs.iter().copied());
        Self { along, poses: blob.singles(values), links, places: alongs.len() }
    }
}

/// Condition to stop the bisection.
#[derive(Clone, Copy)]
struct Fineness {
    /// Largest deviation of a displayed body, in metres.
    error: f64,
    /// Minimum number of cuts.
    cuts: u32,
}

impl Fineness {
    fn after_a_cut(self) -> Self {
        Self { cuts: self.cuts.saturating_sub(1), ..self }
    }
}

struct Sampler<'a> {
    scene: &'a Scene,
    kinematics: Kinematics,
    /// Links that move and carry bodies, and the distance from each origin to the link's farthest point.
    links: Vec<(usize, f64)>,
    places: Vec<Place>,
    poses: Vec<Pose>,
}

impl<'a> Sampler<'a> {
    fn new(scene: &'a Scene) -> Self {
        let mut links: Vec<(usize, f64)> = Vec::new();
        for (number, body) in scene.bodies().iter().enumerate().filter(|(number, _)| !scene.is_static(*number)) {
            let (link_from_mesh, mesh) = scene.display(number);
            let reach = mesh.vertices.iter().map(|v| link_from_mesh.point(*v).length()).fold(0.0, f64::max);
            match links.iter_mut().find(|link| link.0 == body.link) {
                Some(link) => link.1 = link.1.max(reach),
                None => links.push((body.link, reach)),
            }
        }
        let kinematics = Kinematics::new(scene.model());
        Self { scene, kinematics, links, places: Vec::new(), poses: Vec::new() }
    }

    fn segment(&mut self, motion: &SegmentMotion, segment: usize, kept: &[Place], (error, places): (f64, f64)) {
        let mut stops: Vec<f64> = kept.iter().filter(|place| place.segment == segment).map(|place| place.t).collect();
        stops.extend([0.0, 1.0]);
        stops.sort_by(f64::total_cmp);
        stops.dedup();
        let mut from = self.poses_at(motion, stops[0]);
        if segment == 0 {
            self.keep(Place { segment, t: stops[0] }, &from);
        }
        for two in stops.windows(2) {
            let to = self.poses_at(motion, two[1]);
            let cuts = (places * (two[1] - two[0])).log2().ceil().clamp(0.0, 9.0) as u32;
            let fineness = Fineness { error, cuts };
            self.between(motion, segment, [two[0], two[1]], [&from, &to], fineness, DEEPEST + fineness.cuts);
            self.keep(Place { segment, t: two[1] }, &to);
            from = to;
        }
    }

    /// Keeps the samples needed between two places.
    fn between(
        &mut self,
        motion: &SegmentMotion,
        segment: usize,
        [a, b]: [f64; 2],
        [at_a, at_b]: [&[Pose]; 2],
        fineness: Fineness,
        depth: u32,
    ) {
        let middle = 0.5 * (a + b);
        let at_middle = self.poses_at(motion, middle);
        let is_near = (0..self.links.len())
            .all(|i| distance(&halfway(&at_a[i], &at_b[i]), &at_middle[i], self.links[i].1) <= fineness.error);
        if depth == 0 || (fineness.cuts == 0 && is_near) {
            return;
        }
        let fineness = fineness.after_a_cut();
        self.between(motion, segment, [a, middle], [at_a, &at_middle], fineness, depth - 1);
        self.keep(Place { segment, t: middle }, &at_middle);
        self.between(motion, segment, [middle, b], [&at_middle, at_b], fineness, depth - 1);
    }

    fn keep(&mut self, place: Place, poses: &[Pose]) {
        self.places.push(place);
        self.poses.extend_from_slice(poses);
    }

    fn poses_at(&mut self, motion: &SegmentMotion, t: f64) -> Vec<Pose> {
        self.kinematics.set_time(motion, t);
        let Self { scene, kinematics, links, .. } = self;
        links.iter().map(|link| kinematics.world_from_link(scene.model(), link.0)).collect()
    }
}

/// Pose that the page shows in the middle between two poses.
fn halfway(a: &Pose, b: &Pose) -> Pose {
    let [qa, qb] = [a, b].map(|pose| DQuat::from_mat3(&pose.rotation));
    Pose::from_quaternion(qa.slerp(qb, 0.5), 0.5 * (a.translation + b.translation))
}

/// Displacement of a point at most `reach` from the origin between two poses: an estimate.
fn distance(a: &Pose, b: &Pose, reach: f64) -> f64 {
    let turn = (a.rotation - b.rotation).to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
    (a.translation - b.translation).length() + reach * turn
}
