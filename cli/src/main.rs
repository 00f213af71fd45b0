//! The `pathproof` program: raw arguments → resolved job → report.
//!
//! One file per subcommand, each with its `Args` and a `run` that returns the exit status. Invariant: an error in the
//! input or the usage ends in one message on standard error, status 2 and nothing on standard output. `check` continues
//! with the other paths if one of several cannot be read.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod acm_command;
mod batch_command;
mod check_command;
mod clearances;
mod colour;
mod demo_command;
mod demo_plan;
mod demo_scene;
mod distance_command;
mod execution_arguments;
mod min_distance;
mod numbers;
mod output;
mod output_files;
mod path_argument;
mod plan_command;
mod planning;
mod pose_argument;
mod printable;
mod profile_file;
mod profile_output;
mod report;
mod scene_argument;
mod scene_command;
mod shape_argument;
mod shell_command;
mod smooth_command;
mod threads;
mod time_command;
mod timing_arguments;
mod traffic_command;
mod trees;
mod verify_command;
mod view;
mod view_command;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

/// Decides whether a robot's path is free of collisions for every configuration on it, not for samples of it, and proves its
/// answer.
#[derive(Parser)]
#[command(
    name = "pathproof",
    version,
    after_help = "Exit status: check 0 all free, 1 otherwise; verify 0 accepted, 1 refused; plan, smooth and \
                  time 0 with a path, 1 without; acm 0, with --audit 1 where a disabled pair is refuted; batch, distance, traffic, scene and view 0 \
                  when all was answered (batch --fail-on: 1 where a row has such a verdict); 2 the input or the usage is \
                  wrong: one message on standard error, nothing written."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a demonstration without any files: a collision that sampling misses, and a proof.
    Demo(demo_command::Args),
    Scene(scene_command::SceneArgs),
    /// Decide whether a path is free for every configuration on it.
    Check(check_command::Args),
    /// Write one page that plays the motion, its clearance and its findings, and opens anywhere.
    View(view_command::Args),
    /// Re-check a certificate without trusting the checker.
    Verify(verify_command::Args),
    Acm(acm_command::Args),
    /// Inspect certificates.
    #[command(subcommand)]
    Certificate(verify_command::CertificateCommand),
    /// Find a path that is free for every configuration on it.
    Plan(plan_command::Args),
    /// Shorten a path; every segment of the new one is proven.
    Smooth(smooth_command::Args),
    /// Give a path velocities and times; the curve that a controller executes is proven free and within its limits.
    Time(time_command::Args),
    /// Decide many segments: a verdict per row.
    Batch(batch_command::Args),
    /// Proven bounds on the distance of two bodies: mesh files or primitives.
    Distance(distance_command::Args),
    /// Print a script that completes commands and options in a shell.
    Completions(shell_command::CompletionsArgs),
    /// Write manual pages into a folder.
    Man(shell_command::ManArgs),
    /// Decide trajectories among moving agents, one answer per candidate.
    Traffic(traffic_command::Args),
}

/// The input or the usage is wrong.
const WRONG_INPUT: u8 = 2;

fn main() -> ExitCode {
    let (cli, matches) = match Cli::command().try_get_matches().and_then(|m| Ok((Cli::from_arg_matches(&m)?, m))) {
        Ok(parsed) => parsed,
        Err(said) => return say(&said),
    };
    let result = match cli.command {
        Command::Demo(args) => demo_command::run(&args),
        Command::Scene(args) => scene_command::run(&args),
        // The order of paths and options matters there.
        Command::Check(args) => check_command::run(args, matches.subcommand_matches("check").unwrap_or(&matches)),
        Command::View(args) => view_command::run(&args),
        Command::Verify(args) => verify_command::run(&args),
        Command::Acm(args) => acm_command::run(&args),
        Command::Certificate(command) => verify_command::show(&command),
        Command::Plan(args) => plan_command::run(&args),
        Command::Smooth(args) => smooth_command::run(&args),
        Command::Time(args) => time_command::run(&args),
        Command::Batch(args) => batch_command::run(args),
        Command::Distance(args) => distance_command::run(args),
        Command::Completions(args) => shell_command::completions(&args, Cli::command()),
        Command::Man(args) => shell_command::man(&args, Cli::command()),
        Command::Traffic(args) => traffic_command::run(&args),
    };
    result.unwrap_or_else(|error| {
        printable::message(&format!("pathproof: {error:#}"));
        ExitCode::from(WRONG_INPUT)
    })
}

/// Prints clap's output: help and versions, which are answers, or errors in the command line.
fn say(said: &clap::Error) -> ExitCode {
    let printed = said.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if !said.use_stderr() && error.kind() != std::io::ErrorKind::BrokenPipe => {
            printable::message(&format!("pathproof: cannot write the answer: {error}"));
            ExitCode::from(WRONG_INPUT)
        }
        _ if said.use_stderr() => ExitCode::from(WRONG_INPUT),
        _ => ExitCode::SUCCESS,
    }
}
