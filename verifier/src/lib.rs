//! Re-checks certificates of `pathproof`, trusting nothing of the checker (docs/design.md#certificates).
//!
//! A certificate proves a path free: for each segment and pair it holds the cells that tile it, and a direction for
//! each. The [`Verifier`] recomputes forward kinematics, velocities and accelerations in outward-rounded intervals and
//! shows for every cell, by a descent over trees of its own, that the pair stays apart. It shares file readers,
//! validated geometry and scenes (which pairs must be checked) with the checker; everything else it uses of the library
//! only proposes directions. Invariant: a mistake anywhere but here, in `shapes` or in `scene` cannot make it accept.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod ball;
mod chain;
mod curve;
mod header;
mod inside;
mod interval;
mod motion;
mod segment;
mod separate;
mod solid;
mod tree;
mod verify;
mod walk;
mod work;

pub use verify::{Accepted, Fault, Refusal, Verifier};
