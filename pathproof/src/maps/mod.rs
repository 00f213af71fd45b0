//! Clearance maps: facts about two links of one robot at every configuration, proven once.
//!
//! The relative pose of two links depends on the joints between them alone ([`Chain`]). A [`Map`] is a tree of boxes
//! of joint values, halved where nothing could be shown, each with a proven lower bound on the links' distance over
//! the whole box. [`classify`] runs the same search to its end: it finds the pairs of links that can ever touch.
//! Invariant: a box is apart only if surfaces stay apart over all of it, rounding included, and neither link is inside
//! the other.

mod boxes;
mod chain;
mod classes;
mod closing;
mod judge;
mod links;
mod map;
mod walk;

#[cfg(test)]
mod tests;

pub use chain::{Chain, ChainJoint, NoMap, Range};
pub use classes::{Class, ClassSettings, Classified, Shown, classify};
pub use links::{LinkPair, Links};
pub use map::{Map, MapEnd, MapSettings};
