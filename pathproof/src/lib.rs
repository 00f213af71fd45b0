//! Decides whether a robot's path is free of collisions *for every configuration on it*, and proves it.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("pathproof-example-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # std::fs::write(folder.join("r.urdf"), "<robot name='r'><link name='rail'/><link name='ball'><collision><geometry>\
//! #     <sphere radius='0.1'/></geometry></collision></link><joint name='slide' type='prismatic'><parent link='rail'/>\
//! #     <child link='ball'/><axis xyz='1 0 0'/><limit lower='0' upper='3' effort='1' velocity='1'/></joint></robot>")?;
//! # std::fs::write(folder.join("cell.toml"), "[[robots]]\nname = 'r'\nurdf = 'r.urdf'\n[[obstacles]]\nname = 'wall'\n\
//! #     box = [0.1, 2, 2]\nxyz = [1, 0, 0]\n")?;
//! # std::fs::write(folder.join("path.csv"), "slide\n0\n0.7\n")?;
//! use pathproof_formats::{path_file, scene_file};
//! use pathproof::{CheckScratch, Checker, Settings, Verdict};
//! let scene = scene_file::read(&folder.join("cell.toml"))?.scene;
//! let motion = path_file::read(&folder.join("path.csv"), &scene, &Default::default())?.motion;
//! let checker = Checker::new(scene);
//! match checker.path(&motion, &Settings::default(), &mut CheckScratch::new(&checker))?.verdict {
//!     Verdict::Free(free) => assert!(free.lower_clearance() > 0.0, "proven, for every configuration"),
//!     Verdict::Collision(found) | Verdict::TooClose(found) => panic!("{:?} at t = {}", found.bodies, found.t),
//!     Verdict::Undecided(rest) => panic!("a limit left {rest:?}"),
//! }
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(()) }
//! ```
//!
//! The layers, each importing only from those above it:
//! [`numeric`] → [`shapes`] → [`trees`] → [`distance`] → [`robot`] → [`scene`] → [`path`] → [`certificate`] → [`maps`]
//! → [`check`] → [`plan`]. Nothing here touches files or prints: the crate `pathproof-formats` reads and writes them.

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod numeric;

pub mod shapes;

pub mod trees;

pub mod distance;

pub mod robot;

pub mod scene;

pub mod path;

pub mod certificate;

pub mod maps;

pub mod check;

pub mod plan;

#[doc(hidden)]
pub mod internals;

pub use certificate::Certificate;
pub use check::{Answer, CheckScratch, Checker, Finding, Settings, Verdict};
pub use path::Motion;
pub use scene::Scene;
