//! The `pathproof` program: raw arguments → resolved job → report.

pub mod scene_command;

fn main() {}
