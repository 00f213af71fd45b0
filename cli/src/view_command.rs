//! `pathproof view`: one page that plays a path, the clearance along it, and everything found on it.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use pathproof::check::{CheckScratch, Report, Settings};
use pathproof_formats::OutputSet;
use pathproof_formats::path_file::{self, PathSettings};

use crate::check_command::{add_warnings, max_time, nothing_checked};
use crate::colour::Paint;
use crate::execution_arguments::{self, ExecutionArgs};
use crate::path_argument::{is_standard_input, path_name, read_paths};
use crate::report::{self, Reported};
use crate::scene_argument::SceneArgs;
use crate::{output, output_files, profile_output, view};

/// Command-line arguments.
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 the page is written, whatever the verdict (`check --report` tells by its status), \
                        2 the input or the usage is wrong."
)]
pub(crate) struct Args {
    /// Scene file (TOML), or a robot (URDF) alone.
    scene: PathBuf,
    /// Path: CSV with a header of joint names, or a ROS message (.json, .yaml); - reads standard input.
    path: PathBuf,
    /// Output page [default: named after the path, in the working directory].
    #[arg(short, long, value_name = "OUT.html")]
    output: Option<PathBuf>,
    #[command(flatten)]
    change: SceneArgs,
    /// Maximum number of distance queries for the check, for the profile and for the measurements; if they do not
    /// suffice, the page says so.
    #[arg(long, value_name = "N")]
    max_queries: Option<u64>,
    /// Maximum time in seconds for each of the three.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    /// Accept a scene in which no pair of bodies is checked.
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    execution: ExecutionArgs,
}

/// Writes the page and reports its contents.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let max_time = max_time(args.max_seconds)?;
    let settings = Settings { report: Report::All, max_queries: args.max_queries, max_time, ..Settings::default() };
    let loaded = args.change.read(&args.scene)?;
    let (scene, mut warnings, mut notes) = (loaded.scene, loaded.warnings, loaded.told);
    let mut inputs = loaded.files;
    inputs.push(args.path.clone());
    inputs.extend(args.execution.curve.controller.clone());
    let output = match &args.output {
        Some(output) => output.clone(),
        None => by_default(&args.path)?,
    };
    output_files::check(&[("--output", &output)], &inputs)?;
    let path_name = path_name(&args.path);
    let how = execution_arguments::resolve(&args.execution, &scene)?;
    let paths = read_paths(&args.path, &scene, PathSettings { ignore_limits: how.ignore_limits })?;
    let executed = path_file::only(paths, path_name.as_ref())?.executed(&scene, &how, path_name.as_ref())?;
    let motion = &executed.motion;
    notes.extend(executed.notes);
    nothing_checked(&scene, args.allow_empty)?;

    let checker = crate::trees::build(scene).checker;
    let mut scratch = CheckScratch::new(&checker);
    let answer = checker.path(motion, &settings, &mut scratch).with_context(|| path_name.clone())?;
    let of_path: Vec<String> = executed.speed_warnings.into_iter().chain(executed.warnings).collect();
    add_warnings(checker.scene(), &of_path, &answer, &mut warnings);
    let profile = profile_output::shown(&checker, motion, &answer, &settings, &mut scratch)?;
    let reported = Reported {
        scene: checker.scene(),
        joints: &report::joint_names(checker.scene()),
        answer: &answer,
        path: None,
        motion: Some(motion),
        names_interpolation: executed.names_interpolation,
        segments: motion.segments(),
        report: settings.report,
        warnings: &warnings,
        notes: &notes,
        time: None,
        row: None,
        profile: None,
        smallest: None,
        paint: Paint::of_standard_output(),
    };
    let shown = view::Shown {
        checker: &checker,
        motion,
        scene_name: args.scene.display().to_string(),
        path_name,
        answer: &answer,
        profile: &profile,
        warnings: &warnings,
        notes: &notes,
        certificate: view::NO_CERTIFICATE.to_owned(),
        text: view::text_of(&reported)?,
        settings: &settings,
    };
    let page = shown.page()?;
    let size = page.len() as f64 / 1e6;
    let mut files = OutputSet::default();
    files.add(&output, page)?;
    let word = answer.verdict.name().replace('_', " ");
    let word = reported.paint.verdict(&word, &answer.verdict);
    output::write_with(files, |out| {
        writeln!(out, "{word}: {}", shown.headline())?;
        warnings.iter().try_for_each(|warning| writeln!(out, "{}: {warning}", reported.paint.warning("warning")))?;
        writeln!(out, "written: {}, {:.1} MB", output.display(), size)
    })
}

/// Page of a path for which no name was given. Replaces only pages of this program.
fn by_default(path: &Path) -> Result<PathBuf> {
    let stem = if is_standard_input(path) { Some("path".as_ref()) } else { path.file_stem() };
    let output = Path::new(stem.unwrap_or("path".as_ref())).with_added_extension("html");
    // The page's head names the program that made it.
    let mut start = Vec::new();
    let read = File::open(&output).and_then(|file| file.take(4096).read_to_end(&mut start));
    let is_ours = read.is_ok() && String::from_utf8_lossy(&start).contains("content=\"pathproof view\"");
    ensure!(
        is_ours || !output.exists(),
        "{}: the file is there already and is no page of pathproof; name the page with --output",
        output.display()
    );
    Ok(output)
}
