//! Files that a run writes: all are checked before anything is computed or written.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pathproof_formats::output_file;

use crate::path_argument::is_standard_input;

/// Refuses outputs that cannot be written, and an output that is also an input, another output, or the destination of
/// the answer. Outputs come with the option that names them; `-` among the inputs is standard input.
pub(crate) fn check(outputs: &[(&str, &PathBuf)], inputs: &[PathBuf]) -> Result<()> {
    let reads_standard_input = inputs.iter().any(|input| is_standard_input(input));
    for (i, (option, path)) in outputs.iter().enumerate() {
        if let Some(input) = inputs.iter().find(|input| output_file::is_same(path, input)) {
            bail!("{option}: {} is also read, as {}; name another file", path.display(), input.display());
        }
        if let Some((other, _)) = outputs[..i].iter().find(|(_, other)| output_file::is_same(path, other)) {
            bail!("{option}: {} is also written by {other}; name another file", path.display());
        }
        if reads_standard_input && is_open_as(path, &io::stdin()).unwrap_or(false) {
            bail!("{option}: {} is also read, as standard input; name another file", path.display());
        }
        if is_open_as(path, &io::stdout()).unwrap_or(false) {
            bail!("{option}: {} is also where the answer goes; name another file", path.display());
        }
        output_file::check(path).context(option.to_string())?;
    }
    Ok(())
}

/// True if a stream of this process is that plain file.
#[cfg(unix)]
fn is_open_as(path: &Path, stream: &impl std::os::fd::AsFd) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let open = std::fs::File::from(stream.as_fd().try_clone_to_owned()?).metadata()?;
    let named = std::fs::metadata(path)?;
    Ok(open.is_file() && (open.dev(), open.ino()) == (named.dev(), named.ino()))
}

#[cfg(not(unix))]
fn is_open_as<S>(_: &Path, _: &S) -> io::Result<bool> {
    Ok(false)
}
