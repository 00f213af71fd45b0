//! Bodies, which pairs of them are checked and why the others are not, clearance per pair.
