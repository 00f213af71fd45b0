//! The `pathproof` program: raw arguments → resolved job → report.

fn main() {}
