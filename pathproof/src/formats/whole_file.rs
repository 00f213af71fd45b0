//! Replaces files in one step: whoever reads the target sees the old content or the new, never half of one.

use std::io::Write as _;
use std::path::Path;

use super::FormatError;

/// Writes beside the target, then renames over it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), FormatError> {
    let Some(file_name) = path.file_name() else {
        return Err(FormatError::new(path, "the path names no file").remedy("name a file"));
    };
    let mut beside = std::ffi::OsString::from(".");
    beside.push(file_name);
    beside.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = std::fs::File::create(&beside)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        // The first error is the one to report; the leftover may not even exist.
        let _ = std::fs::remove_file(&beside);
        FormatError::io(path, "write it", &error)
    })
}
