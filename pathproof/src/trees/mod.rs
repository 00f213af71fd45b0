//! Bounding volumes and trees over them, and the one traversal of a pair of trees.
