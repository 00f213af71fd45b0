//! Checker of a scene with its trees, which take seconds for robots of hundreds of thousands of triangles. A line on
//! the terminal says so meanwhile, and the command's time includes it.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use pathproof::check::Checker;
use pathproof::scene::{BodyShape, Scene};

/// Scenes with fewer triangles are ready before a line could be read.
const MANY: usize = 50_000;

/// Checker, and the time to build its trees.
pub(crate) struct Built {
    pub(crate) checker: Checker,
    pub(crate) time: Duration,
}

/// Builds the trees of a scene. Draws on standard error if it is a terminal.
pub(crate) fn build(scene: Scene) -> Built {
    let begun = Instant::now();
    let triangles: usize = scene.bodies().iter().map(|body| triangles(&body.shape)).sum();
    let line = (triangles >= MANY).then(|| {
        let line = ProgressBar::new_spinner();
        line.set_message(format!("building trees of {triangles} triangles"));
        line.enable_steady_tick(Duration::from_millis(100));
        line
    });
    let checker = Checker::new(scene);
    if let Some(line) = line {
        line.finish_and_clear();
    }
    Built { checker, time: begun.elapsed() }
}

fn triangles(shape: &BodyShape) -> usize {
    match shape {
        BodyShape::Parts(parts) => parts.triangles().len(),
        BodyShape::HalfSpace { .. } => 0,
    }
}
