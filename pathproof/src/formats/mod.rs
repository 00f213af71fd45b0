//! Files: the only layer that reads or writes them. Every error names the file, the place and the remedy.

// What is computed here names, measures and shows; nothing of it enters a proof.
#![allow(clippy::disallowed_methods)]

pub mod certificate;
mod error;
pub mod glb_writer;
pub mod goal_region;
pub mod mesh;
mod mesh_paths;
pub mod output_file;
pub mod path_file;
pub mod profile_file;
mod robot_xml;
pub mod scene_file;
pub mod srdf;
pub mod srdf_writer;
pub mod traffic;
pub mod urdf;
mod xml;
mod yaml;

pub use error::{FormatError, excerpt};
