//! Records the probes of a path check, so that a certificate can be written from them.
//!
//! Every probe of a cell is recorded. If the path is free, the probes of a pair on a segment form a binary tree that
//! tiles it. While recording, margins are a little larger than rounding requires, so that other arithmetic reaches the
//! same result.

use crate::robot::Dyadic;

/// Room for the verifier's own rounding, as a fraction of a group's reach from the world's origin.
pub(in crate::check) const ROOM: f64 = 1e-9;

/// Probes recorded while a path is checked.
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
    /// Halves that it covered.
    pub(in crate::check) covered: [bool; 2],
}

impl Recorder {
    /// Records a probe.
    pub(super) fn note(&mut self, segment: usize, pair: u32, [from, to]: [u64; 2], covered: [bool; 2]) {
        let (segment, level) = (segment as u32, Dyadic::DEEPEST - (to - from).ilog2());
        self.probes.push(ProbeNote { segment, pair, level, from, covered });
    }

    /// All notes, ordered by segment, then pair, then depth first: a cell, the rest of its earlier half, the rest of
    /// its later half.
    pub(in crate::check) fn in_order(mut self) -> Vec<ProbeNote> {
        self.probes.sort_unstable_by_key(|note| (note.segment, note.pair, note.from, note.level));
        self.probes
    }
}
