//! Reads and writes pathproof's files; no other crate does. Turns them into scenes and motions, and decides nothing.
//! Every error names the file, the place and the remedy.
//!
//! [`scene_file`] reads cells, [`path_file`] paths, [`mesh`] geometry, [`urdf`] and [`srdf`] robots, [`traffic`] scenarios.

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
pub mod certificate;
pub mod controllers;
mod error;
pub mod glb_writer;
pub mod goal_region;
pub mod input_file;
pub mod joint_limits;
pub mod mesh;
mod mesh_paths;
pub mod output_file;
mod output_set;
pub mod path_file;
pub mod quantity;
mod robot_xml;
pub mod scene_file;
pub mod srdf;
pub mod srdf_merge;
pub mod srdf_writer;
pub mod traffic;
pub mod urdf;
mod xml;
mod yaml;

pub use error::{FormatError, excerpt};
pub use output_set::OutputSet;
