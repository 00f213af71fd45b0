//! `--limits`, `--acceleration`, the scaling factors and `--corner`: options for velocities and times of a path.
//! `time`, `plan` and `smooth` share them.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, ensure};
use pathproof::robot::Model;
use pathproof_formats::joint_limits::{self, JointLimits};
use pathproof_formats::quantity;
use pathproof_motion::time::{Limits, MissingLimit, Rate, TimeSettings};

/// Options of timing.
#[derive(clap::Args)]
pub(crate) struct TimingArgs {
    /// MoveIt's joint_limits.yaml: accelerations, and velocities if they are lower than the URDF's.
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,
    /// Largest acceleration of all joints (per second squared), or of each: joint=5,other=3.
    #[arg(long, value_name = "A")]
    acceleration: Option<String>,
    /// Share of the velocity limits to use [default: the limits file's, else 1].
    #[arg(long, value_name = "F")]
    velocity_scale: Option<f64>,
    /// Share of the acceleration limits to use [default: the limits file's, else 1].
    #[arg(long, value_name = "F")]
    acceleration_scale: Option<f64>,
    /// Largest distance of a rounded corner from its waypoint, per joint (radians or metres) [default: as far as is
    /// free]; 0 stops at every waypoint.
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = quantity::length_or_angle)]
    corner: Option<f64>,
}

/// Requested limits.
pub(crate) struct Timing {
    file: Option<(PathBuf, JointLimits)>,
    accelerations: Accelerations,
    scales: [f64; 2],
    pub(crate) settings: TimeSettings,
    /// Assumptions that the user did not state.
    pub(crate) notes: Vec<String>,
}

/// Value of `--acceleration`.
enum Accelerations {
    OfAll(Option<f64>),
    OfEach(Vec<(String, f64)>),
}

impl TimingArgs {
    /// Input files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.limits.iter()
    }

    /// Reads the limits.
    pub(crate) fn resolve(&self) -> Result<Timing> {
        let file = self.limits.as_ref().map(|file| Ok::<_, anyhow::Error>((file.clone(), joint_limits::read(file)?)));
        let file = file.transpose()?;
        let mut notes = Vec::new();
        let mut scale = |option: &str, typed: Option<f64>, of_file: Option<f64>| {
            let scale = typed.or(of_file).unwrap_or(1.0);
            ensure!(scale > 0.0 && scale <= 1.0, "--{option}: {scale} is not a number above 0, at most 1");
            if let (None, Some(scale)) = (typed, of_file) {
                notes.push(format!("the limits file scales limits by {scale}; --{option} says otherwise"));
            }
            Ok(scale)
        };
        let of_file = file.as_ref().map(|(_, limits)| [limits.velocity_scale, limits.acceleration_scale]);
        let of_file = of_file.unwrap_or_default();
        let scales = [
            scale("velocity-scale", self.velocity_scale, of_file[0])?,
            scale("acceleration-scale", self.acceleration_scale, of_file[1])?,
        ];
        let accelerations = self.acceleration.as_deref().map_or(Ok(Accelerations::OfAll(None)), accelerations)?;
        let settings = TimeSettings { corner: self.corner, ..TimeSettings::default() };
        Ok(Timing { file, accelerations, scales, settings, notes })
    }
}

impl Timing {
    /// Limits of a model's joints for a path. Every typed name must be a joint that the path can move.
    pub(crate) fn limits(&self, model: &Model, waypoints: &[Vec<f64>]) -> Result<Limits> {
        if let Accelerations::OfEach(list) = &self.accelerations {
            let is_known = |name: &str| model.joints().iter().any(|joint| is_same(&joint.name, name));
            let unknown = list.iter().find(|(name, _)| !is_known(name) && model.variable(name).is_none());
            if let Some((name, _)) = unknown {
                return Err(anyhow!("--acceleration: there is no joint {name:?}"));
            }
        }
        let rate_of = |rate: Rate, name: &str| match rate {
            Rate::Velocity => self.velocity(model, name).map(|limit| limit * self.scales[0]),
            Rate::Acceleration => self.acceleration(name).map(|limit| limit * self.scales[1]),
        };
        Limits::of_joints(model, waypoints, rate_of).map_err(|missing| self.remedy(&missing))
    }

    /// Lower of the URDF's and the file's limit.
    fn velocity(&self, model: &Model, name: &str) -> Option<f64> {
        let of_robot = model.joints().iter().find(|joint| joint.name == name).and_then(|joint| joint.speed_limit);
        let of_file = self.of_file(name).and_then(|limits| limits.velocity);
        of_robot.into_iter().chain(of_file).min_by(f64::total_cmp)
    }

    /// Typed limit, else the file's.
    fn acceleration(&self, name: &str) -> Option<f64> {
        let typed = match &self.accelerations {
            Accelerations::OfAll(limit) => *limit,
            Accelerations::OfEach(list) => list.iter().find(|(joint, _)| is_same(name, joint)).map(|(_, limit)| *limit),
        };
        typed.or_else(|| self.of_file(name)?.acceleration)
    }

    fn of_file(&self, name: &str) -> Option<joint_limits::RateLimits> {
        let joints = &self.file.as_ref()?.1.joints;
        joints.iter().find(|(joint, _)| is_same(name, joint)).map(|(_, limits)| *limits)
    }

    fn remedy(&self, missing: &MissingLimit) -> anyhow::Error {
        let joint = missing.joint.rsplit('/').next().unwrap_or_default();
        let file = self.file.as_ref().map(|(file, _)| file.display().to_string());
        let elsewhere = file
            .map_or_else(|| "give a joint_limits.yaml with --limits".to_owned(), |file| format!("add it to {file}"));
        anyhow!(match missing.rate {
            Rate::Velocity => format!("{missing}; write <limit velocity=\"…\"/> in the URDF, or {elsewhere}"),
            Rate::Acceleration => format!("{missing}; pass --acceleration {joint}=A, or {elsewhere}"),
        })
    }
}

/// True if a joint has this name in the scene or in the URDF.
fn is_same(name: &str, typed: &str) -> bool {
    name == typed || name.split_once('/').is_some_and(|(_, short)| short == typed)
}

/// Parses a number, or a list of joint=number.
fn accelerations(text: &str) -> Result<Accelerations> {
    let positive = |word: &str| {
        let value: f64 = word.trim().parse().with_context(|| format!("--acceleration: {word:?} is not a number"))?;
        ensure!(value > 0.0 && value.is_finite(), "--acceleration: {value} is not a positive number");
        Ok(value)
    };
    if !text.contains('=') {
        return Ok(Accelerations::OfAll(Some(positive(text)?)));
    }
    let each = text.split(',').map(|word| {
        let (joint, value) =
            word.split_once('=').with_context(|| format!("--acceleration: {word:?} is not JOINT=NUMBER"))?;
        Ok((joint.trim().to_owned(), positive(value)?))
    });
    Ok(Accelerations::OfEach(each.collect::<Result<_>>()?))
}
