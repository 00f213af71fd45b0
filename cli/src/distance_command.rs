//! `pathproof distance`: proven bounds on the distance of two bodies, at one pose or along a trajectory of B.

mod answer;
mod page;
mod pieces;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use pathproof::numeric::Pose;
use pathproof_formats::OutputSet;
use pathproof_formats::quantity;

use self::pieces::{Pieces, PiecesName, Sopa};
use crate::shape_argument::{self, Loaded};
use crate::{output, output_files, pose_argument};

/// Command-line arguments.
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 answered, 2 the input or the usage is wrong.")]
pub(crate) struct Args {
    /// A mesh file (.stl, .obj, .ply, .off, .dae, .gltf, .glb), hull:FILE, box:x,y,z, sphere:radius, cylinder:radius,length,
    /// capsule:radius,length (of the cylindrical part) or cone:radius,height; metres, centred, along z.
    a: String,
    /// The other body.
    b: String,
    /// Pose of A: lengths, then angles about the fixed axes x, y, z. Default: the origin.
    #[arg(long, value_name = "x,y,z,r,p,y", allow_hyphen_values = true)]
    a_pose: Option<String>,
    /// Pose of B.
    #[arg(long, value_name = "x,y,z,r,p,y", allow_hyphen_values = true, conflicts_with = "trajectory")]
    b_pose: Option<String>,
    /// CSV file of poses of B with the header x,y,z,r,p,y; prints an answer per row.
    #[arg(long, value_name = "POSES.csv")]
    trajectory: Option<PathBuf>,
    /// Method to use.
    #[arg(long, value_enum, default_value_t = MethodName::Tree)]
    method: MethodName,
    /// Bodies as convex pieces: the groups of a mesh file (or the files of a folder), each of which must be convex, or
    /// a decomposition of them. For tree, mindist and sopa; with tree, the distance is then signed. Default for mindist
    /// and sopa: groups.
    #[arg(long, value_enum)]
    pieces: Option<PiecesName>,
    /// For sopa: largest distance from a point of a surface to its node, in metres. Default: a thirtieth of a body's
    /// diagonal.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    spacing: Option<String>,
    /// For sopa: number of random pairs of nodes to descend from. Default: 1000.
    #[arg(long, value_name = "N")]
    starts: Option<usize>,
    /// For sopa: random seed for the pairs. Default: 0.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// For sopa: list every local minimum with the distance between its pieces.
    #[arg(long)]
    minima: bool,
    /// For greedy: the separation (metres) that must be exceeded; a bound of 0 means that it is not. Default: 0.
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<String>,
    /// With --trajectory: also write a page that shows the bodies row by row. It opens anywhere and needs no network.
    #[arg(long, value_name = "OUT.html", requires = "trajectory")]
    report: Option<PathBuf>,
    /// One JSON object (per row) and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodName {
    /// Exact distance by bounding-volume trees; any bodies. Signed (negative: penetration) where both are convex, and with
    /// --pieces over convex pieces.
    Tree,
    /// GREEDY-DIST: a lower bound for little more than a collision test; any bodies.
    Greedy,
    /// Signed distance (negative: penetration) of convex bodies.
    Gjk,
    /// Signed distance by a quadratic problem on every pair of convex pieces: exact, and slow for many.
    Mindist,
    /// Signed distance by local searches over nodes, then mindist: a heuristic that may miss the nearest pieces.
    Sopa,
}

/// Method of finding the distance.
#[derive(Clone, Copy)]
enum Method {
    Tree,
    Greedy {
        delta: f64,
    },
    Gjk,
    /// Over convex pieces.
    PieceTree,
    Mindist,
    Sopa(Sopa),
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Tree | Self::PieceTree => "tree",
            Self::Greedy { .. } => "greedy",
            Self::Gjk => "gjk",
            Self::Mindist => "mindist",
            Self::Sopa(_) => "sopa",
        }
    }
}

/// Both bodies in the form that the method needs.
enum Bodies {
    Whole(Box<[Loaded; 2]>),
    Pieces(Box<[Pieces; 2]>),
}

/// Job with everything read and checked.
struct Job {
    bodies: Bodies,
    /// Warning about bodies that are surfaces.
    surfaces: Option<String>,
    world_from_a: Pose,
    /// One pose, or the poses of the trajectory.
    world_from_b: Vec<Pose>,
    /// File of the trajectory, and the requested page.
    trajectory: Option<PathBuf>,
    page: Option<PathBuf>,
    method: Method,
    json: bool,
}

impl Job {
    fn is_trajectory(&self) -> bool {
        self.trajectory.is_some()
    }
}

/// Runs the command.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let job = resolve(args)?;
    let mut solver = answer::Solver::new(&job)?;
    report::announce(&job);
    if let Some(page) = &job.page {
        let answers: Vec<_> = job.world_from_b.iter().map(|pose| solver.answer(pose)).collect();
        let mut files = OutputSet::default();
        files.add(page, page::page(&job, &solver, &answers)?)?;
        let mut answers = answers.into_iter();
        return output::write_with(files, |out| {
            report::write(&job, |_| answers.next().expect("an answer per pose"), out)
        });
    }
    output::write(|out| report::write(&job, |pose| solver.answer(pose), out))
}

fn resolve(args: Args) -> Result<Job> {
    // Do the cheap things first, so that a typing error does not wait for a large mesh.
    let method = method(&args)?;
    let pose = |text: &Option<String>, option: &str| match text {
        Some(text) => pose_argument::pose(text).context(option.to_owned()),
        None => Ok(Pose::IDENTITY),
    };
    let world_from_a = pose(&args.a_pose, "--a-pose")?;
    let world_from_b = match &args.trajectory {
        Some(path) => pose_argument::poses(path)?,
        None => vec![pose(&args.b_pose, "--b-pose")?],
    };
    if let Some(page) = &args.report {
        let inputs: Vec<PathBuf> =
            args.trajectory.iter().cloned().chain([&args.a, &args.b].map(PathBuf::from)).collect();
        output_files::check(&[("--report", page)], &inputs)?;
    }
    let (bodies, surfaces) = match method {
        Method::PieceTree | Method::Mindist | Method::Sopa(_) => {
            let how = args.pieces.unwrap_or(PiecesName::Groups);
            (Bodies::Pieces(Box::new([pieces::load(&args.a, how)?, pieces::load(&args.b, how)?])), None)
        }
        Method::Tree | Method::Greedy { .. } | Method::Gjk => {
            let bodies = [shape_argument::load(&args.a)?, shape_argument::load(&args.b)?];
            let surfaces = shape_argument::surfaces(&bodies);
            (Bodies::Whole(Box::new(bodies)), surfaces)
        }
    };
    let (trajectory, page) = (args.trajectory, args.report);
    Ok(Job { bodies, surfaces, world_from_a, world_from_b, trajectory, page, method, json: args.json })
}

fn method(args: &Args) -> Result<Method> {
    let method = match args.method {
        MethodName::Tree if args.pieces.is_some() => Method::PieceTree,
        MethodName::Tree => Method::Tree,
        MethodName::Gjk => Method::Gjk,
        MethodName::Greedy => {
            Method::Greedy { delta: positive_or_zero("--delta", args.delta.as_deref().unwrap_or("0"))? }
        }
        MethodName::Mindist => Method::Mindist,
        MethodName::Sopa => Method::Sopa(sopa(args)?),
    };
    let name = method.name();
    if args.delta.is_some() && !matches!(method, Method::Greedy { .. }) {
        bail!("--delta has a meaning for --method greedy only, not for {name}");
    }
    if args.pieces.is_some() && matches!(method, Method::Greedy { .. } | Method::Gjk) {
        bail!("--pieces has a meaning for --method tree, mindist and sopa, not for {name}");
    }
    let given = [
        ("--spacing", args.spacing.is_some()),
        ("--starts", args.starts.is_some()),
        ("--seed", args.seed.is_some()),
        ("--minima", args.minima),
    ];
    if let (Some((option, _)), false) =
        (given.iter().find(|(_, is_given)| *is_given), matches!(method, Method::Sopa(_)))
    {
        bail!("{option} has a meaning for --method sopa only, not for {name}");
    }
    Ok(method)
}

fn sopa(args: &Args) -> Result<Sopa> {
    let spacing = args.spacing.as_deref().map(|text| positive_or_zero("--spacing", text)).transpose()?;
    ensure!(spacing != Some(0.0), "--spacing: 0 is no spacing; it must be greater than 0 (metres)");
    let starts = args.starts.unwrap_or(1_000);
    ensure!(starts > 0, "--starts: 0 starts find nothing; write 1 at least");
    Ok(Sopa { spacing, starts, seed: args.seed.unwrap_or(0), has_minima: args.minima })
}

fn positive_or_zero(option: &str, text: &str) -> Result<f64> {
    let value = quantity::length(text).with_context(|| option.to_owned())?;
    ensure!(value.is_finite() && value >= 0.0, "{option}: {text} is not a finite number of at least 0");
    Ok(value)
}
