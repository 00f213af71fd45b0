//! Seams for the other crates of this workspace, its experiments and fuzz targets. They may change at any time.

pub use crate::check::extents::extent;
pub use crate::trees::{Direction, Slot, Step, Visit};

/// SIMD kernels, compiled for every width.
pub mod simd {
    pub use crate::numeric::simd::*;
}
