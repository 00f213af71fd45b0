//! Opens files for reading; no other module does.
//!
//! Opens only regular files: a pipe may never answer, and a device may never end. Reads no more of a file than its
//! reader can use. Standard input is a stream and has the same size limits.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use super::FormatError;

/// Largest input that a reader takes from one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// In bytes.
    pub bytes: u64,
    /// Remedy for a larger file.
    pub remedy: &'static str,
}

impl Limit {
    /// Limit in bytes, with the remedy for a larger file.
    pub const fn new(bytes: u64, remedy: &'static str) -> Self {
        Self { bytes, remedy }
    }

    fn exceeded(self, file: &Path) -> FormatError {
        let limit = match self.bytes {
            bytes if bytes > 0 && bytes % (1 << 30) == 0 => format!("{} GiB", bytes >> 30),
            bytes if bytes > 0 && bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
            bytes => format!("{bytes} bytes"),
        };
        FormatError::new(file, format!("it is larger than the limit of {limit}")).remedy(self.remedy)
    }
}

/// Opens a regular file.
pub(crate) fn open(path: &Path) -> Result<File, FormatError> {
    let failed = |error: std::io::Error| FormatError::io(path, "open it", &error);
    // Checked before opening, because opening a pipe waits for a writer, and again afterwards, because the name may
    // refer to another file by then.
    require_regular(path, &std::fs::metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    require_regular(path, &file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// Reads a regular file completely.
pub(crate) fn bytes(path: &Path, limit: Limit) -> Result<Vec<u8>, FormatError> {
    let mut file = open(path)?;
    let length = file.metadata().map_err(|error| FormatError::io(path, "read it", &error))?.len();
    if length > limit.bytes {
        return Err(limit.exceeded(path));
    }
    let mut bytes = Vec::new();
    bytes.reserve_exact(usize::try_from(length).unwrap_or(0).saturating_add(1));
    read_into(&mut bytes, &mut file, path, limit)?;
    Ok(bytes)
}

/// Reads a regular file completely; it must be UTF-8 text.
pub fn text(path: &Path, limit: Limit) -> Result<String, FormatError> {
    utf8(bytes(path, limit)?, path)
}

/// Reads the rest of a stream, which must be UTF-8 text; `name` appears in messages.
pub(crate) fn text_of(stream: &mut dyn Read, name: &Path, limit: Limit) -> Result<String, FormatError> {
    let mut bytes = Vec::new();
    read_into(&mut bytes, stream, name, limit)?;
    utf8(bytes, name)
}

fn read_into(bytes: &mut Vec<u8>, stream: &mut dyn Read, name: &Path, limit: Limit) -> Result<(), FormatError> {
    let read = stream.take(limit.bytes.saturating_add(1)).read_to_end(bytes);
    read.map_err(|error| FormatError::io(name, "read it", &error))?;
    if bytes.len() as u64 > limit.bytes { Err(limit.exceeded(name)) } else { Ok(()) }
}

fn utf8(bytes: Vec<u8>, name: &Path) -> Result<String, FormatError> {
    String::from_utf8(bytes).map_err(|error| {
        FormatError::new(name, "it is not text in UTF-8")
            .at_byte(error.utf8_error().valid_up_to())
            .remedy("save it as UTF-8 text")
    })
}

fn require_regular(path: &Path, about: &Metadata) -> Result<(), FormatError> {
    if about.is_file() {
        return Ok(());
    }
    Err(match about.is_dir() {
        true => FormatError::new(path, "it is a folder, not a file").remedy("name a file"),
        false => FormatError::new(path, "it is a pipe, a device or a socket, and only regular files are opened")
            .remedy("save it as a file; paths are also read from standard input, as -"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Limit = Limit::new(1000, "cut it");

    #[test]
    fn files_are_read_up_to_their_limit_and_not_beyond() {
        let folder = std::env::temp_dir().join(format!("pathproof-input-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.txt");
        let name = file.display();
        std::fs::write(&file, [b'a'; 1000]).unwrap();
        assert_eq!(bytes(&file, SMALL).unwrap().len(), 1000);
        std::fs::write(&file, [b'a'; 1001]).unwrap();
        let refused = |result: Result<String, FormatError>| result.unwrap_err().to_string();
        let expected = format!("{name}: it is larger than the limit of 1000 bytes; cut it");
        assert_eq!(refused(text(&file, SMALL)), expected);
        assert_eq!(text(&file, Limit::new(1 << 20, "")).unwrap().len(), 1001);
        std::fs::write(&file, b"caf\xe9").unwrap();
        assert_eq!(
            refused(text(&file, SMALL)),
            format!("{name}: byte 3: it is not text in UTF-8; save it as UTF-8 text")
        );
        assert_eq!(
            refused(text(&folder, SMALL)),
            format!("{}: it is a folder, not a file; name a file", folder.display())
        );
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(refused(text(&file, SMALL)).contains("cannot open it"));
    }

    #[test]
    fn streams_without_end_are_left_at_the_limit() {
        let mut endless = std::io::repeat(b'0');
        let error = text_of(&mut endless, Path::new("standard input"), Limit::new(2 << 20, "end it")).unwrap_err();
        assert_eq!(error.to_string(), "standard input: it is larger than the limit of 2 MiB; end it");
        let gib = Limit::new(4 << 30, "");
        assert_eq!(gib.exceeded(Path::new("a")).to_string(), "a: it is larger than the limit of 4 GiB");
    }

    /// Regression: a system device took 4 GB of memory, and opening a pipe without a writer blocked.
    #[cfg(unix)]
    #[test]
    fn devices_are_refused_before_they_are_read() {
        let error = bytes(Path::new("/dev/zero"), SMALL).unwrap_err().to_string();
        assert!(error.starts_with("/dev/zero: it is a pipe, a device or a socket"), "{error}");
    }
}
