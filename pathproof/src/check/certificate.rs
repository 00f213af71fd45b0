//! Writing a proof down, byte by byte as in docs/certificate-format.md.
//!
//! What is stored of a probe is which halves it covered and, as a hint, along which direction. A half is covered by what
//! its probe shows together with what the probes above it showed (fronts); the verifier finds both by descents of its own.

use super::checker::{CheckScratch, Checker};
use super::error::CheckError;
use super::groups::Opposite;
use super::search::recorder::{ProbeNote, Recorder};
use super::settings::Settings;
use super::verdict::{Answer, Verdict};
use crate::numeric::{DVec3, Sha256};

/// First bytes of every certificate: not text, and damaged by programs that change line ends.
pub const MAGIC: [u8; 8] = *b"\x89PPC\r\n\x1a\n";
/// Version of the format.
pub const VERSION: u32 = 1;

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

/// Checks paths and writes down why they are free. What all certificates of a scene share is made once.
///
/// ```
/// use pathproof::check::{Certifier, CheckScratch, Checker, Settings};
/// use pathproof::robot::Model;
/// use pathproof::scene::{Scene, SceneParts};
/// let nothing = Scene::new(SceneParts::new(Model::new("world", vec!["world".into()], vec![])?))?;
/// let checker = Checker::new(nothing);
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
    /// without certificate: some 1e-9 of the robot's size must be left above the clearance. The method is always the
    /// directional one, and any contact ends the search.
    pub fn path(
        &self,
        waypoints: &[Vec<f64>],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Option<Vec<u8>>), CheckError> {
        let (answer, recorder) = self.checker.path_with_notes(waypoints, settings, scratch)?;
        let is_free = matches!(answer.verdict, Verdict::Free(_));
        let bytes = is_free.then(|| self.written(waypoints, recorder));
        Ok((answer, bytes))
    }

    fn written(&self, waypoints: &[Vec<f64>], recorder: Recorder) -> Vec<u8> {
        let notes = recorder.in_order();
        let mut out = self.header.clone();
        put_count(&mut out, waypoints.len());
        for value in waypoints.iter().flatten() {
            out.extend(value.to_le_bytes());
        }
        let mut rest = &notes[..];
        for segment in 0..(waypoints.len() - 1).max(1) {
            for pair in 0..self.checker.groups().pairs.len() {
                let is_here = |note: &ProbeNote| (note.segment, note.pair) == (segment as u32, pair as u32);
                let count = rest.iter().take_while(|note| is_here(note)).count();
                put_tree(&mut out, &rest[..count]);
                rest = &rest[count..];
            }
        }
        debug_assert!(rest.is_empty(), "notes in order");
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
    let groups = checker.groups();
    put_count(&mut out, groups.groups.len() + groups.half_spaces.len());
    let half_spaces = groups.half_spaces.iter().map(|half_space| std::slice::from_ref(&half_space.body));
    for members in groups.groups.iter().map(|group| group.members()).chain(half_spaces) {
        put_count(&mut out, members.len());
        members.iter().for_each(|body| put_count(&mut out, *body));
    }
    put_count(&mut out, groups.pairs.len());
    for pair in &groups.pairs {
        put_count(&mut out, pair.a);
        let opposite = match pair.b {
            Opposite::Group(b) => b,
            Opposite::HalfSpace(b) => groups.groups.len() + b,
        };
        put_count(&mut out, opposite);
        out.extend(pair.clearance.to_le_bytes());
    }
    out
}

/// How many probes, two bits for each (which halves it covered), and the directions of those that covered any.
fn put_tree(out: &mut Vec<u8>, notes: &[ProbeNote]) {
    put_count(out, notes.len());
    for four in notes.chunks(4) {
        let bits =
            |(i, note): (usize, &ProbeNote)| (u8::from(note.covered[0]) | u8::from(note.covered[1]) << 1) << (2 * i);
        out.push(four.iter().enumerate().map(bits).sum());
    }
    for note in notes.iter().filter(|note| note.covered != [false; 2]) {
        for part in octahedral(note.direction_in_world.unwrap_or(DVec3::X)) {
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

/// Seven bits per byte, least first, the highest bit set on all but the last.
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
