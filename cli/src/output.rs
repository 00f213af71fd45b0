//! Standard output that may be cut off: whoever reads it (`head`, say) may stop, and that is no error.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};

/// Lets `report` write to standard output; the status is 0 also where the reader has gone away.
pub(crate) fn write(report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<ExitCode> {
    let mut output = BufWriter::new(io::stdout().lock());
    match report(&mut output).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("cannot write the answer"),
        _ => Ok(ExitCode::SUCCESS),
    }
}
