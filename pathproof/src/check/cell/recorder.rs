//! Probes noted down while a path is checked, so that a certificate can be written of them.
//!
//! Every probe of a cell is noted; of a free path the probes of a pair on a segment are a binary tree that tiles it. While
//! probes are noted margins are a little larger than rounding asks for, so that other arithmetic comes to the same end.

use crate::robot::Dyadic;

/// Room for the verifier's own rounding, as a fraction of how far a group reaches from the world's origin.
pub(in crate::check) const ROOM: f64 = 1e-9;

/// What is noted while a path is checked.
#[derive(Debug, Default)]
pub(in crate::check) struct Recorder {
    probes: Vec<ProbeNote>,
}

/// A probe of a cell in its middle.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct ProbeNote {
    pub(in crate::check) segment: u32,
    pub(in crate::check) pair: u32,
    level: u32,
    from: u64,
    /// Which halves it covered.
    pub(in crate::check) covered: [bool; 2],
}

impl Recorder {
    /// Notes a probe.
    pub(super) fn note(&mut self, segment: usize, pair: u32, [from, to]: [u64; 2], covered: [bool; 2]) {
        let (segment, level) = (segment as u32, Dyadic::DEEPEST - (to - from).ilog2());
        self.probes.push(ProbeNote { segment, pair, level, from, covered });
    }

    /// All notes in the order of segments, pairs, and of a tree walk that visits a cell, then what is left of its earlier
    /// half, then of its later one.
    pub(in crate::check) fn in_order(mut self) -> Vec<ProbeNote> {
        self.probes.sort_unstable_by_key(|note| (note.segment, note.pair, note.from, note.level));
        self.probes
    }
}
