//! Help for shells and manuals: `completions` and `man`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Command;
use pathproof_formats::output_file;

use crate::output;

/// Command-line arguments of `completions`.
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Command-line arguments of `man`.
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// Folder for the pages; created if it does not exist.
    dir: PathBuf,
}

/// Prints the script that completes commands and options.
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "pathproof", &mut script);
    output::write(|out| out.write_all(&script))
}

/// Writes a manual page for the program and one for each command.
pub(crate) fn man(args: &ManArgs, mut command: Command) -> Result<ExitCode> {
    command.build();
    let mut pages = Vec::new();
    gather(&command, "pathproof", &args.dir, &mut pages)?;
    std::fs::create_dir_all(&args.dir).with_context(|| format!("{}: the folder cannot be made", args.dir.display()))?;
    pages.iter().try_for_each(|(path, _)| output_file::check(path))?;
    pages.iter().try_for_each(|(path, page)| output_file::write(path, page))?;
    output::write(|out| writeln!(out, "written: {} pages in {}", pages.len(), args.dir.display()))
}

fn gather(command: &Command, name: &str, dir: &Path, pages: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).context("the manual page")?;
    pages.push((dir.join(format!("{name}.1")), page));
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        gather(inner, &format!("{name}-{}", inner.get_name()), dir, pages)?;
    }
    Ok(())
}
