//! Files: the only layer that reads or writes them. Every error names the file, the place and the remedy.

mod error;
pub mod mesh;
mod xml;

pub use error::{FormatError, excerpt};
