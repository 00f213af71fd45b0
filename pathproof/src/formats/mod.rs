//! Files: the only layer that reads or writes them. Every error names the file, the place and the remedy.

pub mod certificate;
mod error;
pub mod glb_writer;
pub mod mesh;
mod mesh_paths;
pub mod path_file;
pub mod profile_file;
mod robot_xml;
pub mod scene_file;
pub mod srdf;
pub mod traffic;
pub mod urdf;
mod whole_file;
mod xml;

pub use error::{FormatError, excerpt};
