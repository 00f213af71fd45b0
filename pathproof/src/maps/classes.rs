//! The pairs of links that can ever touch: the certified allowed-collision matrix.
//!
//! A pair is tested in a few random configurations. If it is in contact in some and apart in others, that is the
//! answer. If no contact was found, a map is built: if it covers all of the joint ranges the pair is proven never to
//! touch. Otherwise more configurations are drawn, and contact is searched downhill from the nearest ones. Samples
//! refute and never prove: remaining pairs are unproven, with the proven share of the joint ranges. The deadline of
//! the map ends sampling too; a pair not decided by then is unproven.

use super::chain::{NoMap, frames_between};
use super::links::{LinkPair, Links, Look};
use super::map::{Map, MapEnd, MapSettings};
use crate::distance::Scratch;
use crate::numeric::{Random, most};
use crate::robot::Kinematics;

/// Effort to spend on a pair.
#[derive(Clone, Copy, Debug)]
pub struct ClassSettings {
    /// Limits of its map, which a contact ends. Its deadline applies to samples and descents, too.
    pub map: MapSettings,
    /// Random configurations before the map. Default 200.
    pub first_samples: usize,
    /// Random configurations in all, if the map does not decide. Default 10,000.
    pub samples: usize,
    /// Number of the nearest of them from which contact is searched downhill. Default 8.
    pub descents: usize,
}

impl Default for ClassSettings {
    fn default() -> Self {
        Self { map: MapSettings::default(), first_samples: 200, samples: 10_000, descents: 8 }
    }
}

/// Evidence that something holds at every configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Proven.
    Proven,
    /// Found in each of this many random configurations.
    Sampled(usize),
}

/// Class of two links by contact.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Class {
    /// One joint connects both; they are not tested.
    Adjacent {
        /// Its name.
        joint: String,
    },
    /// Proven: farther apart than this (metres) at every configuration, and not inside each other.
    Never {
        /// Lower bound on their distance; not negative.
        lower: f64,
    },
    /// In contact at every configuration.
    Always {
        /// Evidence for that.
        shown: Shown,
        /// One of the configurations.
        configuration: Vec<f64>,
    },
    /// In contact at this configuration, and not at all others.
    Sometimes {
        /// The configuration in contact.
        configuration: Vec<f64>,
    },
    /// Not proven apart, and never found in contact; or the deadline came before the search for contact was complete.
    Unproven {
        /// Share of the joint ranges over which they are proven apart, below 1.
        share: f64,
        /// Reason why there is no map, if there is none.
        no_map: Option<NoMap>,
        /// True if the deadline ended the search for contacts.
        is_cut_short: bool,
    },
}

/// The class of a pair, and the work behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Classified {
    /// Indices of the bodies in the scene.
    pub bodies: [usize; 2],
    /// The class.
    pub class: Class,
    /// Number of movable joints between the links.
    pub joints: usize,
    /// Number of boxes of the map that were tested.
    pub boxes: usize,
    /// Number of random configurations that were tested.
    pub samples: usize,
}

/// Finds the class of a pair of links, given by their bodies in the scene.
pub fn classify(links: &Links<'_>, bodies: [usize; 2], settings: &ClassSettings) -> Classified {
    let scene = links.scene();
    let model = scene.model();
    let ends = bodies.map(|body| scene.bodies()[body].link);
    let joints = frames_between(model, model.frame_of(ends[0]), model.frame_of(ends[1])).len();
    let done = |class: Class| Classified { bodies, class, joints, boxes: 0, samples: 0 };
    let mut named = model.joints().iter().filter(|j| [j.parent, j.child] == ends || [j.child, j.parent] == ends);
    if let Some(joint) = named.next() {
        return done(Class::Adjacent { joint: joint.name.clone() });
    }
    if settings.map.is_over() {
        return done(Class::Unproven { share: 0.0, no_map: None, is_cut_short: true });
    }
    match links.pair(bodies) {
        Err(no_map) => done(Class::Unproven { share: 0.0, no_map: Some(no_map), is_cut_short: false }),
        Ok(pair) => {
            let mut sampler = Sampler::new(&pair, settings.map);
            let (class, boxes) = decide(&pair, &mut sampler, settings);
            Classified { bodies, class, joints, boxes, samples: sampler.drawn }
        }
    }
}

fn decide(pair: &LinkPair<'_>, sampler: &mut Sampler<'_>, settings: &ClassSettings) -> (Class, usize) {
    sampler.draw_until(settings.first_samples);
    if let Some(class) = sampler.sometimes() {
        return (class, 0);
    }
    if let Some(contact) = &sampler.contact
        && pair.chain.ranges.is_empty()
    {
        // Nothing moves between them: one configuration stands for all.
        return (Class::Always { shown: Shown::Proven, configuration: contact.clone() }, 0);
    }
    // If all were in contact, one link may be inside the other everywhere, which a map shows.
    let limits = MapSettings { stops_at_contact: true, ..settings.map };
    let map = Map::build(pair, &limits);
    if let Some(lower) = map.lower_everywhere() {
        // Nothing moves between them: one distance is that of all configurations.
        let is_rigid = pair.chain.ranges.is_empty();
        let lower = if is_rigid { most(lower, sampler.lower_at_rest()) } else { lower };
        return (Class::Never { lower }, map.boxes());
    }
    if map.is_inside_everywhere() {
        let configuration = sampler.contact.clone().unwrap_or_else(|| sampler.middle());
        return (Class::Always { shown: Shown::Proven, configuration }, map.boxes());
    }
    if let MapEnd::Contact(configuration) = map.end() {
        sampler.note(Look::Contact, configuration);
    }
    if let Some(values) = map.somewhere_inside() {
        sampler.note(Look::Contact, &pair.configuration(values));
    }
    if map.share_apart() > 0.0 {
        sampler.is_elsewhere_apart = true;
    }
    let class = sampler.sometimes().unwrap_or_else(|| {
        sampler.draw_until(settings.samples);
        sampler.descend(settings.descents);
        let all_in_contact = |configuration: &Vec<f64>| Class::Always {
            shown: Shown::Sampled(sampler.contacts),
            configuration: configuration.clone(),
        };
        let is_cut_short = sampler.is_cut_short;
        // Contact in all of a few configurations proves nothing about the others.
        let always = || sampler.contact.as_ref().filter(|_| !is_cut_short).map(all_in_contact);
        let seen = sampler.sometimes().or_else(always);
        // 1 is for proofs only: a share that rounding raised to 1 is lowered.
        let share = map.share_apart().clamp(0.0, 1.0f64.next_down());
        seen.unwrap_or(Class::Unproven { share, no_map: None, is_cut_short })
    });
    (class, map.boxes())
}

/// Draws configurations of the joints between two links.
struct Sampler<'p> {
    pair: &'p LinkPair<'p>,
    /// Only its deadline is used.
    limits: MapSettings,
    /// True if the deadline ended the drawing.
    is_cut_short: bool,
    random: Random,
    kinematics: Kinematics,
    scratch: Scratch,
    drawn: usize,
    /// Number of drawn configurations in which they are in contact.
    contacts: usize,
    contact: Option<Vec<f64>>,
    /// True if they are known to be apart in one.
    is_elsewhere_apart: bool,
}

impl<'p> Sampler<'p> {
    fn new(pair: &'p LinkPair<'p>, limits: MapSettings) -> Self {
        let [a, b] = pair.bodies;
        Self {
            pair,
            limits,
            is_cut_short: false,
            random: Random::new(0x5EED ^ ((a as u64) << 32) ^ b as u64),
            kinematics: Kinematics::new(pair.scene.model()),
            scratch: Scratch::default(),
            drawn: 0,
            contacts: 0,
            contact: None,
            is_elsewhere_apart: false,
        }
    }

    fn middle(&self) -> Vec<f64> {
        self.pair.configuration(self.pair.chain.ranges.iter().map(|range| range.lower / 2.0 + range.upper / 2.0))
    }

    /// A random configuration; the first is the one at rest, as near to zero as limits allow.
    fn next(&mut self) -> Vec<f64> {
        if self.drawn == 0 {
            return self.pair.configuration([]);
        }
        let (pair, random) = (self.pair, &mut self.random);
        let value = |lower: f64, upper: f64, random: &mut Random| random.between(lower, upper).clamp(lower, upper);
        pair.configuration(pair.chain.ranges.iter().map(|range| value(range.lower, range.upper, random)))
    }

    fn note(&mut self, look: Look, q: &[f64]) {
        match look {
            Look::Contact => {
                self.contact.get_or_insert_with(|| q.to_vec());
            }
            Look::Apart => self.is_elsewhere_apart = true,
            Look::Unclear => {}
        }
    }

    /// Tests random configurations up to this number, or until both contact and no contact were found.
    fn draw_until(&mut self, count: usize) {
        // Nothing moves: they are all the same.
        let count = if self.pair.chain.ranges.is_empty() { 1 } else { count };
        while self.drawn < count && self.sometimes().is_none() && self.has_time() {
            let q = self.next();
            self.drawn += 1;
            let look = self.pair.look(&mut self.kinematics, &q, &mut self.scratch);
            self.contacts += usize::from(look == Look::Contact);
            self.note(look, &q);
        }
    }

    /// True if the deadline is still ahead; remembers if it was not.
    fn has_time(&mut self) -> bool {
        self.is_cut_short |= self.limits.is_over();
        !self.is_cut_short
    }

    /// The answer if both were found.
    fn sometimes(&self) -> Option<Class> {
        let configuration = self.contact.clone().filter(|_| self.is_elsewhere_apart)?;
        Some(Class::Sometimes { configuration })
    }

    /// Follows decreasing distance from the nearest of some random configurations until there is contact.
    fn descend(&mut self, starts: usize) {
        if self.contact.is_some() || self.pair.chain.ranges.is_empty() {
            return;
        }
        let mut candidates = Vec::with_capacity(32 * starts);
        for _ in 0..32 * starts {
            if !self.has_time() {
                return;
            }
            let q = self.next();
            candidates.push((self.distance(&q), q));
        }
        candidates.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        for (distance, q) in candidates.into_iter().take(starts) {
            self.go_down(distance, q);
            if self.contact.is_some() {
                return;
            }
        }
    }

    fn distance(&mut self, q: &[f64]) -> f64 {
        let distance = self.pair.distance(&mut self.kinematics, q, &mut self.scratch).upper;
        if distance == 0.0 {
            self.note(Look::Contact, q);
        }
        distance
    }

    fn lower_at_rest(&mut self) -> f64 {
        let q = self.pair.configuration([]);
        self.pair.distance(&mut self.kinematics, &q, &mut self.scratch).lower
    }

    /// Steps along one variable at a time, halved if none leads down.
    fn go_down(&mut self, mut distance: f64, mut q: Vec<f64>) {
        let mut step = 0.125;
        while step > 1e-5 && self.contact.is_none() {
            let before = distance;
            for range in self.pair.chain.ranges.clone() {
                for sign in [-1.0, 1.0] {
                    if !self.has_time() {
                        return;
                    }
                    let mut other = q.clone();
                    let moved = other[range.variable] + sign * step * (range.upper - range.lower);
                    other[range.variable] = moved.clamp(range.lower, range.upper);
                    let there = self.distance(&other);
                    if there < distance {
                        (distance, q) = (there, other);
                    }
                }
            }
            if !(distance < before) {
                step /= 2.0;
            }
        }
    }
}
