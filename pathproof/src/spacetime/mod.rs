//! Time-indexed trajectories among moving agents.
