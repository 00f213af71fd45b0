//! The `pathproof` program: raw arguments → resolved job → report.
//!
//! One file a subcommand, each with its `Args` and a `run` that returns the exit status. Invariant: what is wrong
//! with the input or the usage ends in one message on standard error, status 2 and nothing on standard output.

mod batch_command;
mod check_command;
mod demo_command;
mod demo_scene;
mod distance_command;
mod output;
mod pose_argument;
mod profile_output;
mod report;
mod scene_command;
mod shape_argument;
mod traffic_command;
mod verify_command;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Decides whether a robot's path is free of collisions for every configuration on it, and proves it.
#[derive(Parser)]
#[command(name = "pathproof", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show it at work, without any files: what sampling misses, and a proof.
    Demo,
    Scene(scene_command::SceneArgs),
    /// Decide whether a path is free for every configuration on it.
    Check(check_command::Args),
    /// Re-check a certificate, trusting nothing of the checker.
    Verify(verify_command::Args),
    /// Look into certificates.
    #[command(subcommand)]
    Certificate(verify_command::CertificateCommand),
    /// Decide many segments: a verdict a row.
    Batch(batch_command::Args),
    /// Proven bounds on the distance of two bodies: mesh files or primitives.
    Distance(distance_command::Args),
    /// Decide trajectories among moving agents, an answer per candidate.
    Traffic(traffic_command::Args),
}

/// The input or the usage is wrong.
const WRONG_INPUT: u8 = 2;

fn main() -> ExitCode {
    // On an error clap prints its own message and exits with status 2.
    let result = match Cli::parse().command {
        Command::Demo => demo_command::run(),
        Command::Scene(args) => scene_command::run(&args),
        Command::Check(args) => check_command::run(args),
        Command::Verify(args) => verify_command::run(&args),
        Command::Certificate(command) => verify_command::show(&command),
        Command::Batch(args) => batch_command::run(args),
        Command::Distance(args) => distance_command::run(args),
        Command::Traffic(args) => traffic_command::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("pathproof: {error:#}");
        ExitCode::from(WRONG_INPUT)
    })
}
