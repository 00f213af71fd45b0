//! Decides whether a robot's path is free of collisions *for every configuration on it*, and proves it.
//!
//! The layers, each importing only from those above it:
//! [`numeric`] → [`shapes`] → [`trees`] → [`distance`] → [`robot`] → [`scene`] → [`certificate`] → [`maps`] → [`check`] →
//! [`plan`] → [`spacetime`] → [`formats`]. Only [`formats`] touches files; nothing prints.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod numeric;

pub mod shapes;

pub mod trees;

pub mod distance;

pub mod robot;

pub mod scene;

pub mod certificate;

pub mod maps;

pub mod check;

pub mod plan;

pub mod spacetime;

pub mod formats;
