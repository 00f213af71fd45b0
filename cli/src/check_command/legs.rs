//! Legs of a job: every path with its scene, which changes when objects are picked up or put down.

use anyhow::{Context, Result, bail, ensure};
use pathproof::path::Motion;
use pathproof::scene::Scene;
use pathproof_formats::path_file::{Executed, Execution, PathSettings};

use super::steps::Step;
use crate::path_argument::{path_name, read_paths};

/// Largest gap between the end of a path and the start of the next one at an attach or detach, in radians or metres.
const MOST_JUMP: f64 = 1e-6;

/// Paths that are checked in one scene.
pub(super) struct Stage {
    pub(super) scene: Scene,
    pub(super) legs: Vec<Result<Leg, Unread>>,
}

impl Stage {
    /// Paths that were read.
    pub(super) fn read(&self) -> impl Iterator<Item = &Leg> {
        self.legs.iter().filter_map(|leg| leg.as_ref().ok())
    }
}

/// A path among several that cannot be checked.
pub(super) struct Unread {
    pub(super) name: String,
    pub(super) error: anyhow::Error,
}

/// Path and its name.
pub(super) struct Leg {
    pub(super) name: String,
    /// All versions of the motion that may run.
    pub(super) motion: Motion,
    /// Warnings about the path.
    pub(super) warnings: Vec<String>,
    /// True if answers name the interpolation between waypoints.
    pub(super) names_interpolation: bool,
    /// Notes on its execution.
    pub(super) notes: Vec<String>,
}

/// State of resolving the steps.
struct Walk {
    stages: Vec<Stage>,
    /// Steps since the last path.
    pending: Vec<Step>,
    /// Last configuration of the last path, and its name.
    last: Option<(Vec<f64>, String)>,
    notes: Vec<String>,
}

/// Reads all paths, builds the scenes in which they are checked, and collects warnings. Checks speed limits unless they
/// are ignored. If one of several paths cannot be read, the others are still checked, unless objects are attached or
/// detached: then each path starts where the one before it ends.
pub(super) fn resolve(
    scene: Scene,
    steps: &[Step],
    how: &Execution,
    ignores_speed: bool,
) -> Result<(Vec<Stage>, Vec<String>)> {
    let settings = PathSettings { ignore_limits: how.ignore_limits };
    let first = Stage { scene, legs: Vec::new() };
    let mut walk = Walk { stages: vec![first], pending: Vec::new(), last: None, notes: Vec::new() };
    let are_apart = steps.len() > 1 && steps.iter().all(|step| matches!(step, Step::Path(_)));
    for step in steps {
        let Step::Path(file) = step else {
            walk.pending.push(step.clone());
            continue;
        };
        let name = path_name(file);
        let paths = match read_paths(file, walk.scene(), settings) {
            Err(error) if are_apart => {
                walk.stage().legs.push(Err(Unread { name, error }));
                continue;
            }
            paths => paths?,
        };
        let count = paths.len();
        for (number, path) in paths.into_iter().enumerate() {
            let name = if count > 1 { format!("{name}#{number}") } else { name.clone() };
            let executed = match path.executed(walk.scene(), how, name.as_ref()) {
                Err(error) if are_apart => {
                    walk.stage().legs.push(Err(Unread { name, error: error.into() }));
                    continue;
                }
                executed => executed?,
            };
            let Executed { motion, mut warnings, notes, speed_warnings, names_interpolation } = executed;
            warnings.extend(speed_warnings.into_iter().filter(|_| !ignores_speed));
            walk.change_hands(&motion.waypoints()[0], &name)?;
            walk.last = motion.waypoints().last().map(|q| (q.clone(), name.clone()));
            walk.stage().legs.push(Ok(Leg { name, motion, warnings, names_interpolation, notes }));
        }
    }
    walk.stages.retain(|stage| !stage.legs.is_empty());
    Ok((walk.stages, walk.notes))
}

impl Walk {
    fn stage(&mut self) -> &mut Stage {
        self.stages.last_mut().expect("there is always one")
    }

    fn scene(&self) -> &Scene {
        &self.stages.last().expect("there is always one").scene
    }

    /// Applies the steps typed since the last path, at the configuration where the next one starts.
    fn change_hands(&mut self, q: &[f64], next: &str) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        if let Some((end, previous)) = &self.last {
            let far = self.scene().model().variables().iter().zip(end.iter().zip(q));
            // Written so that NaN counts as far.
            let mut far = far.filter(|(_, (a, b))| !((*a - *b).abs() <= MOST_JUMP));
            if let Some((variable, (a, b))) = far.next() {
                bail!(
                    "{next}: an object is picked up or put down before it, but {previous} ends with {} at {a} and it starts \
                     at {b}; let both be the same",
                    variable.name
                );
            }
        }
        let mut scene = self.scene().clone();
        for step in pending {
            let (scene_after, note) = apply(&scene, &step, q, next)?;
            scene = scene_after;
            self.notes.push(note);
        }
        self.stages.push(Stage { scene, legs: Vec::new() });
        Ok(())
    }
}

fn apply(scene: &Scene, step: &Step, q: &[f64], next: &str) -> Result<(Scene, String)> {
    let find = |object: &str, option: &str| {
        scene.body(object).with_context(|| format!("{option}: the scene has no object {object:?}"))
    };
    match step {
        Step::Attach { object, link } => {
            let body = find(object, "--attach")?;
            let number = scene.model().link(link).filter(|&link| link != 0);
            let number =
                number.with_context(|| format!("--attach: no robot has the link {link:?}; write ROBOT/LINK"))?;
            let held = scene.attached(body, number, q).context("--attach")?;
            Ok((held, format!("{object} moves with {link} from the start of {next}")))
        }
        Step::Detach { object } => {
            let body = find(object, "--detach")?;
            ensure!(scene.bodies()[body].link != 0, "--detach: {object:?} is not attached to anything");
            let left = scene.attached(body, 0, q).context("--detach")?;
            Ok((left, format!("{object} stays where it is from the start of {next}")))
        }
        Step::Path(_) => unreachable!("paths are not pending"),
    }
}
