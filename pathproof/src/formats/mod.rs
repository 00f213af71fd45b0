//! Files: the only layer that reads or writes them. Every error names the file, the place and the remedy.

mod error;
mod robot_xml;
pub mod srdf;
pub mod urdf;

pub use error::{FormatError, excerpt};
