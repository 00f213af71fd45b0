//! The end of a run: standard output, and the files that appear with it or not at all.
//!
//! Standard output may be cut off: whoever reads it (`head`, say) may stop, and that is no error. Where it cannot be written,
//! on a full disk, no file appears either.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use pathproof_formats::OutputSet;

use crate::printable::Printable;

/// Lets `report` write to standard output; the status is 0 also where the reader has gone away.
pub(crate) fn write(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<ExitCode> {
    write_with(OutputSet::default(), report)
}

/// The same, with files that appear where all of it was written.
pub(crate) fn write_with(
    mut files: OutputSet,
    report: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<ExitCode> {
    files.settle()?;
    let mut output = Printable::new(BufWriter::new(io::stdout().lock()));
    match report(&mut output).and_then(|()| output.finish()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            return Err(error).context("cannot write the answer");
        }
        _ => {}
    }
    files.commit()?;
    Ok(ExitCode::SUCCESS)
}
