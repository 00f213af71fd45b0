//! Names of the output files for one path each: the given name, or a file in the given folder, named after the path.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::Args;
use super::legs::{Leg, Stage};
use crate::output_files;

/// True if the name of an output is that of a folder: it ends in a slash.
pub(super) fn is_folder(given: &Path) -> bool {
    given.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Certificate file of a path, if requested.
pub(super) fn certificate(args: &Args, leg: &Leg) -> Option<PathBuf> {
    args.certificate.as_deref().map(|given| of(given, &leg.name, "ppc"))
}

/// Page of a path, if requested.
pub(super) fn report(args: &Args, leg: &Leg) -> Option<PathBuf> {
    args.report.as_deref().map(|given| of(given, &leg.name, "html"))
}

fn of(given: &Path, path: &str, extension: &str) -> PathBuf {
    if !is_folder(given) {
        return given.to_path_buf();
    }
    // If a file has several paths, a number follows its name.
    let (file, number) = match path.rsplit_once('#') {
        Some((file, number)) if number.parse::<usize>().is_ok() => (file, format!("#{number}")),
        _ => (path, String::new()),
    };
    let stem = Path::new(file).file_stem().map_or_else(|| file.into(), |stem| stem.to_string_lossy());
    given.join(format!("{stem}{number}.{extension}"))
}

/// Refuses one file for several paths, and two paths with outputs of the same name in a folder.
pub(super) fn check(args: &Args, stages: &[Stage], count: usize, inputs: &[PathBuf]) -> Result<()> {
    ensure!(
        args.profile.is_none() || count == 1,
        "--profile: there are {count} paths, and one file holds one; ask for each"
    );
    let mut outputs: Vec<(&str, PathBuf, &str)> = Vec::new();
    type Named = fn(&Args, &Leg) -> Option<PathBuf>;
    let options: [(&str, &Option<PathBuf>, Named); 2] =
        [("--certificate", &args.certificate, certificate), ("--report", &args.report, report)];
    for (option, given, named) in options {
        let Some(given) = given else { continue };
        if !is_folder(given) {
            ensure!(
                count == 1,
                "{option}: there are {count} paths, and one file holds one; name a folder with a slash at its end, as in \
                 {option} OUT/"
            );
            continue;
        }
        ensure!(given.is_dir(), "{option}: the folder {} does not exist; make it first", given.display());
        for leg in stages.iter().flat_map(Stage::read) {
            let Some(file) = named(args, leg) else { continue };
            if let Some((_, _, other)) = outputs.iter().find(|(_, known, _)| *known == file) {
                bail!(
                    "{option}: {other} and {} would both be written to {}; give them names that differ",
                    leg.name,
                    file.display()
                );
            }
            outputs.push((option, file, &leg.name));
        }
    }
    let named: Vec<(&str, &PathBuf)> = outputs.iter().map(|(option, file, _)| (*option, file)).collect();
    output_files::check(&named, inputs)
}
