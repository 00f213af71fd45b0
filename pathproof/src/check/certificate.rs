//! Writing a proof down (DESIGN §9; byte by byte in docs/certificate-format.md).
//!
//! Every look at a cell is noted; of a free path the looks at a pair on a segment are a binary tree that tiles it. What
//! is stored of a look is which halves it covered and, as a hint, along which direction. A half is covered by what its
//! look shows together with what the looks above it showed (fronts); the verifier finds both by descents of its own.
//! While looks are noted margins are a little larger than rounding asks for, so that other arithmetic comes to the same
//! end.

use super::cell::Cell;
use super::checker::{Answer, CheckError, CheckScratch, Checker, Settings};
use super::directional::Judged;
use super::paper::Judge;
use super::units::Unit;
use super::verdict::Verdict;
use crate::numeric::{DVec3, Sha256};
use crate::robot::Motion;

/// First bytes of every certificate: not text, and damaged by whoever changes line ends.
pub const MAGIC: [u8; 8] = *b"\x89PPC\r\n\x1a\n";
/// Version of the format.
pub const VERSION: u32 = 1;

/// Room for the verifier's own rounding, as a fraction of how far a unit reaches from the world's origin.
const ROOM: f64 = 1e-9;

/// What a proof leans on besides the scene, in plain words.
const ASSUMPTIONS: [&str; 5] = [
    "Lengths are in metres and angles in radians.",
    "Between two waypoints every joint value runs along a straight line; the rotation of a floating joint runs along \
     the shortest arc at constant rate. Angles are not wrapped.",
    "Bodies are rigid and have exactly the shapes, places and joints whose hashes are given; how far the real machine \
     departs from them is what the clearance is for.",
    "A body that is inside a closed mesh counts as touching it; an open mesh is a surface without inside, but for meshes \
     that the scene calls solid, whose holes of at most 10 mm are closed for that test.",
    "Pairs of bodies that no joint can move relative to each other are not checked; other pairs that are not checked \
     are listed with the reason.",
];

/// What is noted while a path is checked.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    looks: Vec<Look>,
}

/// A cell that was looked at.
#[derive(Clone, Copy, Debug)]
struct Look {
    segment: u32,
    pair: u32,
    level: u32,
    index: u64,
    covered: [bool; 2],
    direction_in_world: DVec3,
}

impl Look {
    /// The order of a tree walk that visits a cell, then what is left of its earlier half, then of its later one.
    fn key(&self) -> (u32, u32, u64, u32) {
        (self.segment, self.pair, self.index << (52 - self.level), self.level)
    }
}

impl Recorder {
    pub(super) fn note(&mut self, segment: usize, cell: &Cell, judged: &Judged) {
        self.looks.push(Look {
            segment: segment as u32,
            pair: cell.pair,
            level: cell.level,
            index: cell.index,
            covered: judged.covered,
            direction_in_world: judged.direction_in_world,
        });
    }
}

/// What is added to the margin of a unit while looks are noted, in metres.
pub(super) fn room(unit: &Unit, motion: &Motion) -> f64 {
    ROOM * (motion.rate(unit.frame).from_world.offset + unit.reach())
}

/// Checks paths and writes down why they are free. What all certificates of a scene share is made once.
///
/// ```
/// use pathproof::check::{Certifier, CheckScratch, Checker, Settings};
/// use pathproof::robot::Model;
/// use pathproof::scene::{Scene, SceneParts};
/// let nothing = Scene::new(SceneParts::new(Model::new("world", vec!["world".into()], vec![])?))?;
/// let checker = Checker::new(nothing)?;
/// let certifier = Certifier::new(&checker);
/// let (answer, certificate) = certifier.path(&[vec![]], &Settings::default(), &mut CheckScratch::new(&checker))?;
/// assert!(certificate.is_some_and(|bytes| bytes.starts_with(&pathproof::check::CERTIFICATE_MAGIC)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Certifier<'a> {
    checker: &'a Checker,
    /// Everything up to the waypoints.
    header: Vec<u8>,
}

impl<'a> Certifier<'a> {
    /// Prepares certificates for the checker's scene.
    pub fn new(checker: &'a Checker) -> Self {
        Self { checker, header: header(checker) }
    }

    /// How many bytes of a certificate do not depend on the path.
    pub fn shared_bytes(&self) -> usize {
        self.header.len()
    }

    /// As [`Checker::path`], and the bytes of a certificate if the verdict is free. Finds a little less free than a check
    /// without certificate: some 1e-9 of the robot's size must be left above the clearance. The judge is always the
    /// directional one.
    pub fn path(
        &self,
        waypoints: &[Vec<f64>],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Option<Vec<u8>>), CheckError> {
        scratch.search.recorder = Some(Recorder::default());
        let settings = Settings { judge: Judge::Directional, ..*settings };
        let answer = self.checker.path(waypoints, &settings, scratch);
        let recorder = scratch.search.recorder.take();
        let answer = answer?;
        let bytes = match (&answer.verdict, recorder) {
            (Verdict::Free(_), Some(recorder)) => Some(self.written(waypoints, recorder)),
            _ => None,
        };
        Ok((answer, bytes))
    }

    fn written(&self, waypoints: &[Vec<f64>], mut recorder: Recorder) -> Vec<u8> {
        recorder.looks.sort_unstable_by_key(Look::key);
        let mut out = self.header.clone();
        put_count(&mut out, waypoints.len());
        for value in waypoints.iter().flatten() {
            out.extend(value.to_le_bytes());
        }
        let mut rest = &recorder.looks[..];
        for segment in 0..(waypoints.len() - 1).max(1) {
            for pair in 0..self.checker.pairs.len() {
                let is_here = |look: &Look| (look.segment, look.pair) == (segment as u32, pair as u32);
                let count = rest.iter().take_while(|look| is_here(look)).count();
                put_tree(&mut out, &rest[..count]);
                rest = &rest[count..];
            }
        }
        debug_assert!(rest.is_empty(), "looks in order");
        let sum = Sha256::of(&out);
        out.extend(&sum[..8]);
        out
    }
}

fn header(checker: &Checker) -> Vec<u8> {
    let scene = checker.scene();
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    let fingerprint = scene.fingerprint();
    for hash in [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs] {
        out.extend(hash);
    }
    out.extend(scene.clearance().to_le_bytes());
    put_texts(&mut out, ASSUMPTIONS.iter().copied());
    put_texts(&mut out, scene.model().variables().iter().map(|variable| variable.name.as_str()));
    put_texts(&mut out, scene.bodies().iter().map(|body| body.name.as_str()));
    let told = scene.unchecked();
    let mut reasons: Vec<String> = told.iter().map(|pair| pair.reason.to_string()).collect();
    reasons.sort();
    reasons.dedup();
    put_texts(&mut out, reasons.iter().map(String::as_str));
    put_count(&mut out, told.len());
    for pair in told {
        let reason = reasons.binary_search(&pair.reason.to_string()).unwrap_or(0);
        [pair.a, pair.b, reason].into_iter().for_each(|number| put_count(&mut out, number));
    }
    put_count(&mut out, checker.units.len());
    for unit in &checker.units {
        put_count(&mut out, unit.members().len());
        unit.members().iter().for_each(|body| put_count(&mut out, *body));
    }
    put_count(&mut out, checker.pairs.len());
    for pair in &checker.pairs {
        put_count(&mut out, pair.a);
        put_count(&mut out, pair.b);
        out.extend(pair.clearance.to_le_bytes());
    }
    out
}

/// How many looks, two bits for each (which halves it covered), and the directions of those that covered any.
fn put_tree(out: &mut Vec<u8>, looks: &[Look]) {
    put_count(out, looks.len());
    for four in looks.chunks(4) {
        let bits = |(i, look): (usize, &Look)| (u8::from(look.covered[0]) | u8::from(look.covered[1]) << 1) << (2 * i);
        out.push(four.iter().enumerate().map(bits).sum());
    }
    for look in looks.iter().filter(|look| look.covered != [false; 2]) {
        for part in octahedral(look.direction_in_world) {
            out.extend(part.to_le_bytes());
        }
    }
}

/// A unit vector projected along the axes' sum onto an octahedron, whose lower half is folded over the upper: two numbers
/// in [−1, 1], each in 16 bits.
fn octahedral(n: DVec3) -> [u16; 2] {
    let p = n / (n.x.abs() + n.y.abs() + n.z.abs());
    let fold = |own: f64, other: f64| if p.z < 0.0 { (1.0 - other.abs()).copysign(own) } else { own };
    [fold(p.x, p.y), fold(p.y, p.x)].map(|c| ((c * 0.5 + 0.5) * 65535.0).round() as u16)
}

/// Seven bits a byte, least first, the highest bit set on all but the last.
fn put_count(out: &mut Vec<u8>, count: usize) {
    let mut left = count;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

fn put_texts<'t>(out: &mut Vec<u8>, texts: impl ExactSizeIterator<Item = &'t str>) {
    put_count(out, texts.len());
    for text in texts {
        put_count(out, text.len());
        out.extend(text.as_bytes());
    }
}
