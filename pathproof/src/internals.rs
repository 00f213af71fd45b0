//! Seams for the other crates of this workspace, its experiments and fuzz targets. No promise is kept about them.

pub use crate::check::extents::extent;
pub use crate::trees::{Direction, Slot, Step, Visit};

/// SIMD kernels, compiled for every width.
pub mod simd {
    pub use crate::numeric::simd::*;
}
