//! Files that a run writes: all of them are looked at before anything is computed or written.

use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use pathproof::formats::output_file;

/// Refuses what cannot be written, and an output that is an input, another output, or where the answer goes. Outputs come
/// with the option that names them.
pub(crate) fn check(outputs: &[(&str, &PathBuf)], inputs: &[PathBuf]) -> Result<()> {
    for (i, (option, path)) in outputs.iter().enumerate() {
        if let Some(input) = inputs.iter().find(|input| output_file::is_same(path, input)) {
            bail!("{option}: {} is also read, as {}; name another file", path.display(), input.display());
        }
        if let Some((other, _)) = outputs[..i].iter().find(|(_, other)| output_file::is_same(path, other)) {
            bail!("{option}: {} is also written by {other}; name another file", path.display());
        }
        if is_standard_output(path).unwrap_or(false) {
            bail!("{option}: {} is also where the answer goes; name another file", path.display());
        }
        output_file::check(path).context(option.to_string())?;
    }
    Ok(())
}

/// Whether standard output goes into that plain file.
#[cfg(unix)]
fn is_standard_output(path: &PathBuf) -> io::Result<bool> {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;
    let answer = std::fs::File::from(io::stdout().as_fd().try_clone_to_owned()?).metadata()?;
    let named = std::fs::metadata(path)?;
    Ok(answer.is_file() && (answer.dev(), answer.ino()) == (named.dev(), named.ino()))
}

#[cfg(not(unix))]
fn is_standard_output(_: &PathBuf) -> io::Result<bool> {
    Ok(false)
}
