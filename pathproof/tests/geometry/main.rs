//! Meshes, trees and distances against brute force; the shared data, where it is there; and what the sources must not hold.

mod closing;
mod common;
mod kinematics_table;
mod layers;
mod meshes;
mod oracle_data;
mod public_api;
mod queries;
mod shared_data;
mod slivers;
mod trees;
