//! What the tests of the checker share: worlds described once (`world`, `meshes`) and built twice, as a scene of the
//! library and as an oracle that knows nothing of it (`oracle`, on `solids`, `triangles` and `insides`); worlds at random
//! (`random`) and with real robots (`real`); and what came out (`verdicts`).

pub(crate) mod controlled;
mod insides;
mod meshes;
mod oracle;
pub(crate) mod random;
pub(crate) mod real;
mod solids;
mod triangles;
mod verdicts;
mod world;

pub(crate) use meshes::{box_mesh, inside_out, joined, opened, torus};
pub(crate) use oracle::{Oracle, Sampled};
pub(crate) use verdicts::{Tally, finding, word};
pub(crate) use world::{Form, Thing, World, at};
