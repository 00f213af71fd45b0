//! `pathproof verify`: checks that a certificate proves a path free, without trusting the checker.
//! `pathproof certificate show`: prints the contents of a certificate.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, anyhow, ensure};
use pathproof::certificate::{Certificate, TiledCell};
use pathproof::check::CheckError;
use pathproof::robot::Interpolation;
use pathproof_formats::certificate;
use pathproof_formats::path_file::{self, PathSettings};
use pathproof_verifier::{Accepted, Refusal, Verifier};
use serde_json::{Value, json};

use crate::check_command::{max_time, nothing_checked};
use crate::execution_arguments::{CurveArgs, Kind};
use crate::output;
use crate::path_argument::{path_name, read_paths};
use crate::scene_argument::ClearanceArgs;

/// Command-line arguments.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 accepted, 1 refused, 2 the input or the usage is wrong.")]
pub(crate) struct Args {
    /// Scene file (TOML), or a robot (URDF) alone.
    scene: PathBuf,
    /// Path: CSV with a header of joint names, or a ROS message (.json, .yaml); - reads standard input.
    path: PathBuf,
    /// Certificate written by `check --certificate`.
    proof: PathBuf,
    #[command(flatten)]
    clearances: ClearanceArgs,
    /// Maximum time in seconds; a certificate not verified by then is refused.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    #[command(flatten)]
    curve: CurveArgs,
    /// Accept a scene in which no pair of bodies is checked.
    #[arg(long)]
    allow_empty: bool,
    /// Accept waypoints outside joint limits.
    #[arg(long)]
    ignore_limits: bool,
    /// One JSON object and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

/// Command-line arguments of `certificate`.
#[derive(clap::Subcommand)]
pub(crate) enum CertificateCommand {
    /// Print the contents of a certificate as one JSON object, without verifying it.
    Show {
        /// The certificate.
        proof: PathBuf,
    },
}

/// Runs the command. The status is 0 for accepted, 1 for refused.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let max_time = max_time(args.max_seconds)?;
    let proof = certificate::read(&args.proof)?;
    let loaded = args.clearances.read(&args.scene)?;
    let (scene, mut warnings) = (loaded.scene, loaded.warnings);
    let paths = read_paths(&args.path, &scene, PathSettings { ignore_limits: args.ignore_limits })?;
    let name = path_name(&args.path);
    let how = args.curve.resolve(args.ignore_limits)?;
    let executed = path_file::only(paths, name.as_ref())?.executed(&scene, &how, name.as_ref())?;
    let motion = executed.motion;
    ensure!(
        motion.is_certifiable(),
        "{name}: {}",
        CheckError::NoCertificate {
            interpolation: motion.interpolation(),
            has_older_version: motion.has_older_version()
        }
    );
    warnings.extend(nothing_checked(&scene, args.allow_empty)?);
    warnings.extend(executed.warnings);
    let verifier = Verifier::new(&scene).map_err(|error| anyhow!("{}: {error}", args.scene.display()))?;
    let deadline = max_time.and_then(|time| Instant::now().checked_add(time));
    let answer = verifier.verify_until(&motion, &proof, deadline);
    let curve = motion.interpolation().meaning();
    warnings.extend(other_curve(!motion.is_straight(), proof.curve.is_some(), motion.interpolation()));
    let is_accepted = answer.is_ok();
    let written = output::write(|out| match args.json {
        true => writeln!(out, "{}", answer_json(&answer, motion.interpolation().name(), &warnings)),
        false => {
            match &answer {
                Ok(Accepted { segments, pairs, halves }) => {
                    writeln!(out, "accepted: the path is proven free, without trusting the checker")?;
                    writeln!(
                        out,
                        "  shown          {segments} segments, {pairs} pairs of bodies, {halves} half cells"
                    )?;
                    writeln!(out, "  along          {curve}")?;
                }
                Err(refusal) => writeln!(out, "refused: {refusal}")?,
            }
            warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
        }
    })?;
    Ok(if is_accepted { written } else { ExitCode::from(1) })
}

/// Remedy if the certificate proves another curve than the one that was read.
fn other_curve(is_curved: bool, proves_curve: bool, along: Interpolation) -> Option<String> {
    let (proven, option) = match (is_curved, proves_curve) {
        (true, false) => ("straight lines between waypoints", Kind::Linear),
        (false, true) => ("what a controller runs", Kind::Controller),
        _ => return None,
    };
    let option = Interpolation::from(option).name();
    let along = along.meaning();
    Some(format!(
        "the certificate is about {proven}, but the path was read as {along}; --interpolation {option} verifies that"
    ))
}

fn answer_json(answer: &Result<Accepted, Refusal>, interpolation: &str, warnings: &[String]) -> Value {
    match answer {
        Ok(Accepted { segments, pairs, halves }) => json!({
            "schema": 1, "accepted": true, "interpolation": interpolation, "segments": segments, "pairs": pairs, "halves": halves, "warnings": warnings,
        }),
        Err(Refusal { fault, segment, interval, bodies, message }) => json!({
            "schema": 1, "accepted": false, "fault": fault.name(), "segment": segment, "interval": interval,
            "bodies": bodies, "message": message, "warnings": warnings,
        }),
    }
}

/// Prints a certificate.
pub(crate) fn show(command: &CertificateCommand) -> Result<ExitCode> {
    let CertificateCommand::Show { proof } = command;
    let shown = certificate_json(&certificate::read(proof)?);
    output::write(|out| writeln!(out, "{shown}"))
}

fn certificate_json(c: &Certificate) -> Value {
    let hex = |hash: &[u8]| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let scene = &c.scene;
    let name = |body: usize| scene.bodies[body].as_str();
    let group = |number: usize| scene.groups[number].iter().map(|&body| name(body)).collect::<Vec<_>>();
    let cells = |tiling: &Vec<TiledCell>| {
        let evidence = |cell: &TiledCell| match cell.covered {
            [false, false] => json!({"covered": []}),
            covered => {
                let halves: Vec<&str> =
                    ["earlier", "later"].into_iter().zip(covered).filter(|half| half.1).map(|half| half.0).collect();
                let direction = cell.direction_in_world.map(|n| n.normalize_or_zero().to_array());
                json!({"covered": halves, "direction": direction})
            }
        };
        tiling.iter().map(evidence).collect::<Vec<_>>()
    };
    let segments: Vec<Value> = (0..c.segments())
        .map(|segment| {
            let tilings = c.tilings.iter().skip(segment * scene.pairs.len()).take(scene.pairs.len());
            Value::Array(tilings.map(|tiling| Value::Array(cells(tiling))).collect())
        })
        .collect();
    let mut shown = json!({
        "schema": 1,
        "version": c.version,
        "hashes": {"kinematics": hex(&scene.hashes[0]), "geometry": hex(&scene.hashes[1]), "pairs": hex(&scene.hashes[2]),
            "bodies": scene.body_hashes.iter().map(|hash| hex(hash)).collect::<Vec<_>>()},
        "assumptions": scene.assumptions,
        "joints": scene.variables,
        "bodies": scene.bodies,
        "unchecked": scene.unchecked.iter().map(|(a, b, why)| json!({"bodies": [name(*a), name(*b)], "reason": why})).collect::<Vec<_>>(),
        "pairs": scene.pairs.iter().map(|&(a, b, clearance)| json!({"a": group(a), "b": group(b), "clearance": clearance})).collect::<Vec<_>>(),
        "waypoints": c.waypoints,
        "segments": segments,
    });
    if let Some(curve) = &c.curve {
        let stated = json!({
            "interpolation": Interpolation::Controller.name(), "times": curve.times, "velocities": curve.velocities,
            "accelerations": curve.accelerations,
        });
        shown["curve"] = stated;
    }
    shown
}
