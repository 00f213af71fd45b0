//! End of a run: standard output, and the files that appear with it or not at all.
//!
//! A reader of standard output (`head`, say) may stop early, which is not an error. If it cannot be written because a
//! disk is full, no file appears either.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use pathproof_formats::OutputSet;

use crate::printable::Printable;

/// Lets `report` write to standard output; the status is 0 even if the reader has gone away.
pub(crate) fn write(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<ExitCode> {
    write_with(OutputSet::default(), report)
}

/// Same, with files that appear once all of it is written.
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
