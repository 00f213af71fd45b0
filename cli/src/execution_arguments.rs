//! `--interpolation`, `--controller`, `--from`, `--wrap` and `--ignore-limits`: the execution of a path. `check` and
//! `view` share them; `verify` takes those about the motion between waypoints.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pathproof::robot::Interpolation;
use pathproof::scene::Scene;
use pathproof_formats::controllers;
use pathproof_formats::path_file::{self, CurrentState, Execution, PathFormat, PathSettings};

/// Options for the motion between waypoints.
#[derive(clap::Args)]
pub(crate) struct CurveArgs {
    /// Interpolation between waypoints [default: controller if the path has velocities, else linear].
    #[arg(long, value_name = "KIND", value_enum)]
    pub(crate) interpolation: Option<Kind>,
    /// For --interpolation upsampled: points per second if the controller generates times (its policy_frequency).
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub(crate) policy_frequency: Option<f64>,
    /// Parameters of ros2_control (ros2_controllers.yaml), which determine the curve of the controller that moves the
    /// joints.
    #[arg(long, value_name = "FILE.yaml")]
    pub(crate) controller: Option<PathBuf>,
    /// Controller to use from --controller, if several can move the joints.
    #[arg(long, value_name = "NAME", requires = "controller")]
    pub(crate) controller_name: Option<String>,
}

impl CurveArgs {
    /// Execution of a path, from its first waypoint on.
    pub(crate) fn resolve(&self, ignore_limits: bool) -> Result<Execution> {
        let controllers = match (&self.controller, &self.controller_name) {
            (None, _) => None,
            (Some(file), None) => Some(controllers::read(file)?),
            (Some(file), Some(name)) => Some(controllers::read(file)?.only(name)?),
        };
        Ok(Execution {
            interpolation: self.interpolation.map(Interpolation::from),
            policy_frequency: self.policy_frequency,
            controllers,
            ignore_limits,
            ..Execution::default()
        })
    }
}

/// Options for the execution of a path.
#[derive(clap::Args)]
pub(crate) struct ExecutionArgs {
    #[command(flatten)]
    pub(crate) curve: CurveArgs,
    /// State of the robot before the path, for the controller: positions, or positions;velocities, or a file with one
    /// state [default: at the first waypoint, at rest].
    #[arg(long, value_name = "Q[;V]", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Joint that the controller lets wrap: from --from to the first waypoint it turns the shorter way round.
    #[arg(long, value_name = "JOINT")]
    pub(crate) wrap: Vec<String>,
    /// Accept violations of joint limits, at waypoints and between them.
    #[arg(long)]
    pub(crate) ignore_limits: bool,
}

/// Values of `--interpolation`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Kind {
    /// Straight lines in joint space.
    Linear,
    /// Curve of joint_trajectory_controller: linear, cubic or quintic, depending on the data of both waypoints.
    Controller,
    /// Curve of joint_trajectory_controller for positions alone with positions_upsampling: one spline from rest to
    /// rest.
    Upsampled,
    /// The natural cubic spline through the waypoints at their times.
    NaturalCubic,
}

impl From<Kind> for Interpolation {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Linear => Self::Linear,
            Kind::Controller => Self::Controller,
            Kind::Upsampled => Self::Upsampled,
            Kind::NaturalCubic => Self::NaturalCubic,
        }
    }
}

/// Resolves the arguments against a scene.
pub(crate) fn resolve(args: &ExecutionArgs, scene: &Scene) -> Result<Execution> {
    let how = args.curve.resolve(args.ignore_limits)?;
    let settings = PathSettings { ignore_limits: args.ignore_limits };
    let from = match &args.from {
        Some(text) => Some(current_state(text, scene, settings).context("--from")?),
        None => None,
    };
    ensure!(
        args.wrap.is_empty() || from.is_some(),
        "--wrap says how to get from --from to the path, which is not given"
    );
    let wrap = |name: &String| scene.column(name).with_context(|| format!("--wrap {name}"));
    let wraps = args.wrap.iter().map(wrap).collect::<Result<_>>()?;
    Ok(Execution { from, wraps, ..how })
}

/// Positions, positions;velocities, or a file with one state.
pub(crate) fn current_state(text: &str, scene: &Scene, settings: PathSettings) -> Result<CurrentState> {
    let file = Path::new(text);
    if PathFormat::of(file).is_ok() {
        let path = path_file::read_points(file, scene, settings)?;
        ensure!(path.waypoints.len() == 1, "{text}: it has {} states where one is needed", path.waypoints.len());
        let velocities = path.derivatives.and_then(|all| all.velocities.into_iter().next().flatten());
        return Ok(CurrentState { positions: path.waypoints[0].clone(), velocities });
    }
    let (positions, velocities) = match text.split_once(';') {
        Some((positions, velocities)) => (positions, Some(velocities)),
        None => (text, None),
    };
    let positions = path_file::parse_configuration(positions, scene, settings)?;
    let velocities = velocities.map(|text| spread(text, scene)).transpose()?;
    Ok(CurrentState { positions, velocities })
}

/// Velocities of all variables, or of those without positions in the scene.
fn spread(text: &str, scene: &Scene) -> Result<Vec<f64>> {
    let values: Result<Vec<f64>, _> = text.split(',').map(|word| word.trim().parse::<f64>()).collect();
    let values = values.with_context(|| format!("{text:?} is not a list of velocities"))?;
    ensure!(values.iter().all(|value| value.is_finite()), "{text:?} has a velocity that is not a finite number");
    let all = scene.positions().len();
    if values.len() == all {
        return Ok(values);
    }
    let open: Vec<usize> = (0..all).filter(|&variable| scene.positions()[variable].is_none()).collect();
    ensure!(values.len() == open.len(), "{} velocities where {} are needed", values.len(), open.len());
    let mut spread = vec![0.0; all];
    for (variable, value) in open.into_iter().zip(values) {
        spread[variable] = value;
    }
    Ok(spread)
}
