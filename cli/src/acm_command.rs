//! `pathproof acm`: finds the links of a robot that can ever touch. Pairs that never do are proven apart over all of
//! the joint ranges; the rest are reported by class. Threads share the pairs; answers are in order.

mod audit;
mod json;
mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use pathproof::maps::{Class, ClassSettings, Classified, Links, MapSettings, Shown, classify};
use pathproof::scene::Scene;
use pathproof_formats::scene_file::{self, LoadedScene};
use pathproof_formats::srdf_merge::Existing;
use pathproof_formats::srdf_writer::{self, Entry};
use pathproof_formats::{OutputSet, output_file, urdf};
use rayon::prelude::*;

use crate::{numbers, output, output_files};
use audit::Audited;

/// Find which links of a robot can ever touch: adjacent, never (proven), always, sometimes, unproven.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 all pairs were answered, 1 a pair that --audit's file disables is refuted, 2 the \
                        input or the usage is wrong."
)]
pub(crate) struct Args {
    /// The robot (URDF).
    robot: PathBuf,
    /// Write the pairs that need no check as an SRDF. An existing SRDF keeps its contents and gets them added.
    #[arg(short, long, value_name = "OUT.srdf")]
    output: Option<PathBuf>,
    /// Judge the pairs that this SRDF disables.
    #[arg(long, value_name = "ROBOT.srdf")]
    audit: Option<PathBuf>,
    /// Maximum number of boxes of joint values examined per pair.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    boxes: usize,
    /// Stop after this many seconds in total, including reading; the results then depend on the machine. Reading is not
    /// interrupted.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    seconds: Option<f64>,
    /// One JSON object and nothing else on standard output.
    #[arg(long)]
    json: bool,
}

/// Content of both output formats.
struct Report<'a> {
    loaded: &'a LoadedScene,
    robot: &'a str,
    urdf: &'a Path,
    settings: ClassSettings,
    pairs: &'a [Classified],
    audited: Option<&'a [Audited]>,
    warnings: Vec<String>,
    written: Option<Written<'a>>,
    seconds: f64,
}

/// SRDF that was written.
#[derive(Clone, Copy)]
struct Written<'a> {
    path: &'a Path,
    /// Number of added pairs, if the file existed.
    added: Option<usize>,
}

impl Report<'_> {
    fn scene(&self) -> &Scene {
        &self.loaded.scene
    }
}

/// Runs the command. Errors concern input or usage.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let start = Instant::now();
    let deadline = match args.seconds {
        None => None,
        Some(seconds) if (0.0..=1e9).contains(&seconds) => Some(start + Duration::from_secs_f64(seconds)),
        Some(seconds) => bail!("--seconds {seconds}: give a number of seconds of at least 0"),
    };
    // A file that is not a scene either is reported by its kind.
    let loaded = scene_file::read(&args.robot)?;
    if args.robot.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("urdf")) {
        bail!("{}: the matrix is about one robot; name its URDF, a file that ends in .urdf", args.robot.display());
    }
    check_output(args, &loaded)?;
    let mut warnings = loaded.warnings.clone();
    let urdf = urdf::read(&args.robot)?;
    let existing = args.output.as_deref().map(|path| Existing::read(path, &urdf)).transpose()?.flatten();
    let matrix = args.audit.as_deref().map(|path| audit::read(&urdf, path, &mut warnings)).transpose()?;
    let map = MapSettings { boxes: args.boxes, deadline, ..MapSettings::default() };
    let settings = ClassSettings { map, ..ClassSettings::default() };
    let pairs = classify_all(&loaded.scene, &settings);
    let audited = matrix.as_ref().map(|matrix| audit::judge(matrix, &loaded.scene, &pairs));
    if let Some(existing) = &existing {
        warnings.extend(existing.warnings.iter().filter(|warning| !loaded.warnings.contains(warning)).cloned());
        let kept = audit::judge(&existing.disabled, &loaded.scene, &pairs);
        warnings.extend(args.output.as_deref().and_then(|path| audit::doubts(&kept, path)));
    }
    let mut files = OutputSet::default();
    let written = match args.output.as_deref() {
        Some(path) => {
            let (text, added) = matrix_text(&urdf.name, existing.as_ref(), &loaded.scene, &pairs);
            files.add(path, text.into_bytes())?;
            Some(Written { path, added })
        }
        None => None,
    };
    let shown = Report {
        loaded: &loaded,
        robot: &urdf.name,
        urdf: &args.robot,
        settings,
        pairs: &pairs,
        audited: audited.as_deref(),
        warnings,
        written,
        seconds: start.elapsed().as_secs_f64(),
    };
    let status =
        output::write_with(files, |out| if args.json { json::write(&shown, out) } else { text::write(&shown, out) })?;
    let is_refuted = audited.iter().flatten().any(|audited| audited.verdict == audit::Verdict::Refuted);
    Ok(if is_refuted { ExitCode::from(1) } else { status })
}

/// Refuses an output that is also read. The SRDF next to the robot may be both: pairs are added to its contents.
fn check_output(args: &Args, loaded: &LoadedScene) -> Result<()> {
    let beside = args.robot.with_extension("srdf");
    let is_merged = |input: &&PathBuf| {
        output_file::is_same(input, &beside)
            && args.output.as_deref().is_some_and(|output| output_file::is_same(output, input))
    };
    let read = loaded.files.iter().filter(|input| !is_merged(input));
    let inputs: Vec<PathBuf> = read.chain(&args.audit).cloned().collect();
    let outputs: Vec<(&str, &PathBuf)> = args.output.iter().map(|path| ("--output", path)).collect();
    output_files::check(&outputs, &inputs)
}

/// Content of a new file with the pairs that need no check, or of the existing one with the number of added pairs.
fn matrix_text(
    robot: &str,
    existing: Option<&Existing>,
    scene: &Scene,
    pairs: &[Classified],
) -> (String, Option<usize>) {
    let entries: Vec<Entry> = pairs.iter().map(|pair| entry(scene, pair)).collect();
    match existing {
        Some(existing) => {
            let (text, added) = existing.merged(&entries);
            (text, Some(added))
        }
        None => (srdf_writer::text(robot, HEADER, &entries), None),
    }
}

const HEADER: &str = "Written by pathproof acm. Adjacent: one joint names both links. Never: proven apart at every \
                      configuration within the joint limits. Always: in contact at \
                      every configuration, as far as the comment says. All other pairs stay checked.";

/// Classifies all pairs, those with the fewest joints between first if time is short; the answers are in the order of
/// the links.
fn classify_all(scene: &Scene, settings: &ClassSettings) -> Vec<Classified> {
    let links = Links::new(scene);
    let model = scene.model();
    let frame = |body: usize| model.frame_of(scene.bodies()[body].link);
    let depth = |frame: usize| model.frames()[frame].depth;
    let mut pairs = links.pairs();
    pairs.sort_by_key(|&[a, b]| {
        depth(frame(a)) + depth(frame(b)) - 2 * depth(model.common_ancestor(frame(a), frame(b)))
    });
    let mut found: Vec<Classified> =
        pairs.into_iter().par_bridge().map(|bodies| classify(&links, bodies, settings)).collect();
    found.sort_by_key(|pair| pair.bodies);
    found
}

/// A body's link, by its name in the URDF.
fn link_name(scene: &Scene, body: usize) -> &str {
    without_robot(&scene.bodies()[body].name)
}

/// A link or joint, by its name in the URDF.
fn without_robot(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, name)| name)
}

fn link_names<'s>(scene: &'s Scene, pair: &Classified) -> [&'s str; 2] {
    pair.bodies.map(|body| link_name(scene, body))
}

fn class_name(class: &Class) -> &'static str {
    match class {
        Class::Adjacent { .. } => "adjacent",
        Class::Never { .. } => "never",
        Class::Always { .. } => "always",
        Class::Sometimes { .. } => "sometimes",
        Class::Unproven { .. } => "unproven",
    }
}

/// Share below 1 in per cent, rounded down, so that 100 % is never printed for less.
fn per_cent(share: f64) -> String {
    format!("{} %", numbers::rounded((share * 1e4).floor() / 1e2))
}

fn boxes(count: usize) -> String {
    if count == 1 { "1 box".to_owned() } else { format!("{count} boxes") }
}

/// Evidence for a class, in words.
fn explain(scene: &Scene, pair: &Classified) -> String {
    match &pair.class {
        Class::Adjacent { joint } => {
            format!("named by the joint {}; not looked at", without_robot(joint))
        }
        Class::Never { lower } if *lower < 1e-6 => {
            format!("proven: apart at every configuration ({})", boxes(pair.boxes))
        }
        Class::Never { lower } => {
            let distance = numbers::at_least(*lower);
            format!("proven: at least {distance} apart at every configuration ({})", boxes(pair.boxes))
        }
        Class::Always { shown: Shown::Proven, .. } => "proven: in contact at every configuration".to_owned(),
        Class::Always { shown: Shown::Sampled(count), .. } => {
            format!("sampled, not proven: in contact in all {count} configurations looked at")
        }
        Class::Sometimes { configuration } => format!("in contact at {}", place(scene, pair, configuration)),
        Class::Unproven { share, no_map: None, is_cut_short: true } => format!(
            "the time was over after {} configurations and {}; {} of the joint range proven; stays checked",
            pair.samples,
            boxes(pair.boxes),
            per_cent(*share)
        ),
        Class::Unproven { share, no_map: None, .. } => format!(
            "no contact in {} configurations; {} of the joint range proven with {} boxes; stays checked",
            pair.samples,
            per_cent(*share),
            pair.boxes
        ),
        Class::Unproven { no_map: Some(why), .. } => format!("nothing can be proven: {why}; stays checked"),
    }
}

/// Variables between two links, by name in the URDF.
fn variables_between<'s>(scene: &'s Scene, pair: &Classified) -> Vec<(usize, &'s str)> {
    let model = scene.model();
    let frames = pair.bodies.map(|body| model.frame_of(scene.bodies()[body].link));
    let Ok(chain) = pathproof::maps::Chain::new(model, frames[0], frames[1]) else { return Vec::new() };
    let ranges = chain.ranges.iter().map(|range| range.variable);
    ranges.map(|variable| (variable, without_robot(&model.variables()[variable].name))).collect()
}

/// `joint_1 = 0.3, joint_2 = 1`: the relevant joints.
fn place(scene: &Scene, pair: &Classified, configuration: &[f64]) -> String {
    let variables = variables_between(scene, pair);
    let values = variables.iter().map(|(v, name)| format!("{name} = {}", numbers::rounded(configuration[*v])));
    values.collect::<Vec<_>>().join(", ")
}

fn entry(scene: &Scene, pair: &Classified) -> Entry {
    let reason = match pair.class {
        Class::Adjacent { .. } => Some("Adjacent"),
        Class::Never { .. } => Some("Never"),
        Class::Always { .. } => Some("Always"),
        Class::Sometimes { .. } | Class::Unproven { .. } => None,
    };
    Entry { links: link_names(scene, pair).map(str::to_owned), reason, comment: explain(scene, pair) }
}
