//! What the tests of the checker share: worlds described once (`world`, `meshes`) and built twice, as a scene of the
//! library and as an oracle that knows nothing of it (`oracle`, on `solids`, `triangles` and `insides`); worlds at random
//! (`random`) and with real robots (`real`); and what came out (`verdicts`).
#![allow(dead_code, unreachable_pub, unused_imports)]

mod insides;
mod meshes;
mod oracle;
pub mod random;
pub mod real;
mod solids;
mod triangles;
mod verdicts;
mod world;

pub use meshes::{box_mesh, inside_out, joined, opened, torus};
pub use oracle::{Oracle, Sampled};
pub use triangles::triangle_distance;
pub use verdicts::{Tally, finding, word};
pub use world::{Form, Thing, World, at};
