//! The program as it is run: every subcommand, what it prints and writes, and the examples of the documentation. `cell` is
//! the small cell most of it happens in. One program, because each costs a link.

mod acm;
mod batch;
mod cell;
mod check;
mod clearances;
mod curves;
mod demo;
mod distance;
mod distance_pieces;
mod docs;
mod doors;
mod edges_of_arithmetic;
mod first_errors;
mod inputs;
mod messages;
mod mobile;
mod outputs;
mod planning;
mod profile;
mod robots;
mod scene;
mod several;
mod shell;
mod surfaces;
mod terminal;
mod time;
mod traffic;
mod units;
mod verify;
mod view;
