//! The body in question: its track, its boxes, and its frames, which are computed on demand.

use super::boxes::Boxes;
use super::descent::Lie;
use super::narrow::Space;
use super::track::{Piece, Track};

/// Frames at knots, made on demand and kept for one query.
#[derive(Clone, Debug)]
pub(crate) struct FrameCache<F> {
    frames: Vec<Option<F>>,
}

impl<F> Default for FrameCache<F> {
    fn default() -> Self {
        Self { frames: Vec::new() }
    }
}

/// Source of frames.
pub(crate) enum Frames<'a, F> {
    /// Computed before, in the trajectory's own coordinates.
    Ready(&'a [F]),
    /// Sines and cosines only where boxes and discs overlap.
    OnDemand(&'a mut FrameCache<F>),
}

/// See the module.
pub(crate) struct Body<'a, S: Space> {
    pub(crate) track: Track<'a, S>,
    pub(crate) frames: Frames<'a, S::Frame>,
}

impl<'a, S: Space> Body<'a, S> {
    pub(crate) fn new(track: Track<'a, S>, mut frames: Frames<'a, S::Frame>) -> Self {
        if let Frames::OnDemand(cache) = &mut frames {
            cache.frames.clear();
            cache.frames.resize(track.trajectory.knots(), None);
        }
        Self { track, frames }
    }

    /// Frame at a knot, in the world.
    #[inline]
    pub(crate) fn frame(&mut self, knot: usize) -> S::Frame {
        match &mut self.frames {
            Frames::Ready(frames) => self.track.placed(&frames[knot]),
            Frames::OnDemand(cache) => *cache.frames[knot].get_or_insert_with(|| self.track.knot(knot)),
        }
    }

    /// World times of the ends of a piece; of a single knot both are its time.
    #[inline]
    pub(crate) fn piece_times(&self, piece: usize) -> [f64; 2] {
        let last = self.track.trajectory.knots() - 1;
        [self.track.time(piece), self.track.time(if piece < last { piece + 1 } else { last })]
    }

    /// A piece with its frames.
    #[inline]
    pub(crate) fn piece_frames(&mut self, piece: usize) -> [S::Frame; 2] {
        let last = self.track.trajectory.knots() - 1;
        [self.frame(piece), self.frame(if piece < last { piece + 1 } else { last })]
    }
}

/// Placement about the slots' origin of a placed trajectory's boxes, grown by `grow`.
pub(crate) fn lie<S: Space>(track: &Track<'_, S>, boxes: &Boxes, origin: [f64; 3], grow: f64) -> Lie<S> {
    let own = boxes.origin();
    let placed = track.world_from_local.as_ref().map_or(own, |frame| S::point(frame, own));
    let shift = std::array::from_fn(|axis| placed[axis] - origin[axis]);
    Lie::Moved { turn: track.world_from_local, shift, grow }
}

/// A piece of an agent, from its frames.
#[inline]
pub(crate) fn agent_piece<'a, S: Space>(track: &'a Track<'a, S>, frames: &[S::Frame], index: usize) -> Piece<'a, S> {
    if track.is_static {
        let times = [f64::NEG_INFINITY, f64::INFINITY];
        return Piece { track, index: 0, times, frames: [frames[0]; 2] };
    }
    let next = if index + 1 < frames.len() { index + 1 } else { index };
    Piece { track, index, times: [track.time(index), track.time(next)], frames: [frames[index], frames[next]] }
}
