//! `pathproof distance`: proven bounds on the distance of two bodies, at one pose or along a trajectory of B.

mod answer;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use pathproof::numeric::Pose;

use crate::shape_argument::{self, Loaded};
use crate::{output, pose_argument};

/// What was typed.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 answered, 2 the input or the usage is wrong.")]
pub(crate) struct Args {
    /// A mesh file (.stl, .obj, .ply, .off, .dae, .gltf, .glb), hull:FILE, box:x,y,z, sphere:radius, cylinder:radius,length,
    /// capsule:radius,length (of the cylindrical part) or cone:radius,height; metres, centred, along z.
    a: String,
    /// The other body.
    b: String,
    /// Where A is: metres, then radians about the fixed axes x, y, z. Default: the origin.
    #[arg(long, value_name = "x,y,z,r,p,y", allow_hyphen_values = true)]
    a_pose: Option<String>,
    /// Where B is.
    #[arg(long, value_name = "x,y,z,r,p,y", allow_hyphen_values = true, conflicts_with = "trajectory")]
    b_pose: Option<String>,
    /// A CSV file of poses of B with the header x,y,z,r,p,y: an answer a row.
    #[arg(long, value_name = "POSES.csv")]
    trajectory: Option<PathBuf>,
    /// How to find it.
    #[arg(long, value_enum, default_value_t = MethodName::Tree)]
    method: MethodName,
    /// For greedy: the separation (metres) that must be exceeded; a bound of 0 says it is not. Default: 0.
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<String>,
    /// One JSON object (a row) and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodName {
    /// Exact distance by bounding-volume trees; any bodies.
    Tree,
    /// GREEDY-DIST: a lower bound for little more than a collision test; any bodies.
    Greedy,
    /// Signed distance (negative: penetration) of convex bodies.
    Gjk,
    #[value(hide = true)]
    Mindist,
    #[value(hide = true)]
    Sopa,
}

/// How the distance is found.
#[derive(Clone, Copy)]
enum Method {
    Tree,
    Greedy { delta: f64 },
    Gjk,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Greedy { .. } => "greedy",
            Self::Gjk => "gjk",
        }
    }
}

/// What is to be done, everything read and checked.
struct Job {
    a: Loaded,
    b: Loaded,
    world_from_a: Pose,
    /// One pose, or those of the trajectory.
    world_from_b: Vec<Pose>,
    is_trajectory: bool,
    method: Method,
    json: bool,
}

/// Answers, or says what is wrong.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let job = resolve(args)?;
    let mut solver = answer::Solver::new(&job)?;
    output::write(|out| report::write(&job, &mut solver, out))
}

fn resolve(args: Args) -> Result<Job> {
    // The cheap things first, so that a typing error does not wait for a large mesh.
    let method = method(args.method, args.delta.as_deref())?;
    let pose = |text: &Option<String>, option: &str| match text {
        Some(text) => pose_argument::pose(text).context(option.to_owned()),
        None => Ok(Pose::IDENTITY),
    };
    let world_from_a = pose(&args.a_pose, "--a-pose")?;
    let world_from_b = match &args.trajectory {
        Some(path) => pose_argument::poses(path)?,
        None => vec![pose(&args.b_pose, "--b-pose")?],
    };
    Ok(Job {
        a: shape_argument::load(&args.a)?,
        b: shape_argument::load(&args.b)?,
        world_from_a,
        world_from_b,
        is_trajectory: args.trajectory.is_some(),
        method,
        json: args.json,
    })
}

fn method(name: MethodName, delta: Option<&str>) -> Result<Method> {
    let method = match name {
        MethodName::Tree => Method::Tree,
        MethodName::Gjk => Method::Gjk,
        MethodName::Greedy => {
            let text = delta.unwrap_or("0");
            let delta: f64 = text.parse().ok().with_context(|| format!("--delta: {text:?} is not a number"))?;
            ensure!(delta.is_finite() && delta >= 0.0, "--delta: {text} is not a finite number of at least 0");
            Method::Greedy { delta }
        }
        MethodName::Mindist => bail!("--method mindist is not there yet; there are tree, greedy and gjk"),
        MethodName::Sopa => bail!("--method sopa is not there yet; there are tree, greedy and gjk"),
    };
    if delta.is_some() && !matches!(method, Method::Greedy { .. }) {
        bail!("--delta has a meaning for --method greedy only, not for {}", method.name());
    }
    Ok(method)
}
