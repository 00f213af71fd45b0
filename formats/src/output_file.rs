//! Writes complete files where the user says. A file is replaced in one step: readers see the old content or the new,
//! never half of one.
//!
//! Only plain files are replaced: links are followed, devices and pipes are written to. An existing file keeps its
//! mode; a read-only one is refused. [`check`] finds all these problems before a long computation.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::FormatError;

/// Checks that a file can be written, without changing anything.
pub fn check(path: &Path) -> Result<(), FormatError> {
    let failed = |error: io::Error| refused(path, &error);
    match target(path)? {
        Target::Special | Target::InPlace => Ok(()),
        Target::Replace { file, .. } => {
            let beside = beside(&file);
            create_new(&beside).map_err(failed)?;
            fs::remove_file(&beside).map_err(failed)
        }
    }
}

/// Writes a complete file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FormatError> {
    let written = match target(path)? {
        Target::Special => OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(bytes)),
        Target::InPlace => File::create(path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        }),
        Target::Replace { file, old } => replace(&file, old.as_ref(), bytes),
    };
    written.map_err(|error| refused(path, &error))
}

/// True if two names lead to one file, through links and `..`, even if it does not exist yet. Devices never count as
/// the same: a terminal is read and written at once.
pub fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(of_a), Ok(of_b)) => !is_device(&of_a) && (is_same_file(&of_a, &of_b) || full(a) == full(b)),
        (Err(_), Err(_)) => full(a).is_some() && full(a) == full(b),
        _ => false,
    }
}

/// Error for a file that cannot be written, most often because its folder does not exist.
pub(crate) fn refused(path: &Path, error: &io::Error) -> FormatError {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| error.kind() == io::ErrorKind::NotFound && !folder.exists()) {
        Some(folder) => FormatError::new(path, format!("the folder {} does not exist", folder.display()))
            .remedy("make it first, or name another"),
        None => FormatError::io(path, "write it", error),
    }
}

/// Way of writing a file.
pub(crate) enum Target {
    /// A device or a pipe.
    Special,
    /// File with several names, or in a folder where nothing can be added.
    InPlace,
    /// Plain file, links followed; it may not exist yet.
    Replace { file: PathBuf, old: Option<Metadata> },
}

pub(crate) fn target(path: &Path) -> Result<Target, FormatError> {
    let failed = |error: io::Error| refused(path, &error);
    if path.file_name().is_none() {
        return Err(FormatError::new(path, "the path names no file").remedy("name a file"));
    }
    let old = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Target::Replace { file: followed(path), old: None });
        }
        old => old.map_err(failed)?,
    };
    if old.is_dir() {
        return Err(FormatError::new(path, "it is a folder").remedy("name a file"));
    }
    if !old.is_file() {
        return Ok(Target::Special);
    }
    if old.permissions().readonly() {
        return Err(FormatError::new(path, "it is read-only").remedy("name another file, or make this one writable"));
    }
    // A file without write permission must not be replaced either, even if the folder allows it.
    OpenOptions::new().write(true).open(path).map_err(failed)?;
    let file = followed(path);
    let beside = beside(&file);
    let can_add = create_new(&beside).is_ok();
    if can_add {
        fs::remove_file(&beside).map_err(failed)?;
    }
    Ok(if can_add && !has_other_names(&old) { Target::Replace { file, old: Some(old) } } else { Target::InPlace })
}

fn replace(file: &Path, old: Option<&Metadata>, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(file);
    let written = write_new(&beside, old, bytes).and_then(|()| fs::rename(&beside, file));
    written.inspect_err(|_| {
        // The first error is the one to report; the leftover may not even exist.
        let _ = fs::remove_file(&beside);
    })
}

/// Writes a new file, down to the disk, with the mode of another.
pub(crate) fn write_new(path: &Path, mode_of: Option<&Metadata>, bytes: &[u8]) -> io::Result<()> {
    let mut new = create_new(path)?;
    new.write_all(bytes)?;
    if let Some(old) = mode_of {
        new.set_permissions(old.permissions())?;
    }
    new.sync_all()
}

/// Creates a file; never follows a link that another process put there.
fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Name beside a file that no other run of this program uses.
pub(crate) fn beside(file: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    file.with_file_name(name)
}

/// Target of links. Too many of them are a ring, which opening the file refuses.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    path
}

/// Absolute name, links followed; the file itself need not exist.
fn full(path: &Path) -> Option<PathBuf> {
    let path = followed(path);
    if let Ok(full) = fs::canonicalize(&path) {
        return Some(full);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

#[cfg(unix)]
fn is_device(about: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    about.file_type().is_char_device() || about.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Compares the full names only.
#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn has_other_names(about: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    about.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}
