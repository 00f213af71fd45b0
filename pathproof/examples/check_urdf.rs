//! Checks a path of a robot: `cargo run --example check_urdf -- robot.urdf path.csv` (or a scene file, cell.toml).

use std::error::Error;
use std::path::Path;

use pathproof::check::{Report, Settings};
use pathproof::{CheckScratch, Checker, Verdict};
use pathproof_formats::{path_file, scene_file};

/// Answers in one line.
pub(crate) fn run(scene: &Path, path: &Path) -> Result<String, Box<dyn Error>> {
    let scene = scene_file::read(scene)?.scene;
    let motion = path_file::read(path, &scene, &Default::default())?.motion;
    let checker = Checker::new(scene);
    let settings = Settings { report: Report::First, ..Settings::default() };
    let answer = checker.path(&motion, &settings, &mut CheckScratch::new(&checker))?;
    let name = |body: usize| checker.scene().bodies()[body].name.clone();
    Ok(match answer.verdict {
        Verdict::Free(free) => format!("free: at least {} m apart everywhere", free.lower_clearance()),
        Verdict::Collision(found) | Verdict::TooClose(found) => {
            let [a, b] = found.bodies.map(name);
            format!("{a} and {b} are {} m apart in segment {}, t = {}", found.distance, found.segment, found.t)
        }
        Verdict::Undecided(open) => format!("undecided in segment {}: {}", open.segment, open.limit.name()),
    })
}

#[allow(dead_code, reason = "a test calls `run` alone")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scene, path] = &arguments[..] else { return Err("usage: check_urdf SCENE PATH".into()) };
    println!("{}", run(Path::new(scene), Path::new(path))?);
    Ok(())
}
