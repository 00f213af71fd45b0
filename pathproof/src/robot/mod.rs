//! Joints, models, kinematics, motions and motion bounds ; see ARCHITECTURE.md.
