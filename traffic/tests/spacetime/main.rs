//! Trajectories among moving agents against closed forms and an oracle that samples.

mod closed_forms;
mod common;
mod instants;
mod layer;
mod methods;
mod oracle;
mod space;
