//! Planners and the smoother on top of the exact checker.
