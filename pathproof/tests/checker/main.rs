//! The checker against oracles, closed forms and its own words. What the tests share is in `common`; `sharp_oracle` is the
//! oracle in higher precision that `sharp` asks.

mod adversary;
mod answers;
mod cache;
mod closed_forms;
mod common;
mod curves;
mod edges;
mod far;
mod first;
mod fronts;
mod many_pairs;
mod maps;
mod motions;
mod oracle;
mod planners;
mod profile;
mod regions;
mod sharp;
mod sharp_oracle;
mod smoothing;
mod undirected;
