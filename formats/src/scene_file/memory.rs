//! Files in memory: embedded cells, tests and fuzzers read scenes without a disk.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::Files;
use crate::FormatError;

/// Files by name; `..` and `.` in names are resolved.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Memory {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one file.
    #[must_use]
    pub fn with(mut self, name: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(plain(name.as_ref()), content.into());
        self
    }

    fn find(&self, path: &Path) -> Result<&[u8], FormatError> {
        self.files
            .get(&plain(path))
            .map(Vec::as_slice)
            .ok_or_else(|| FormatError::new(path, "there is no such file").remedy("correct the name"))
    }
}

impl Files for Memory {
    fn text(&self, path: &Path) -> Result<String, FormatError> {
        let text = std::str::from_utf8(self.find(path)?);
        text.map(str::to_owned).map_err(|_| FormatError::new(path, "the file is not text in UTF-8"))
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, FormatError> {
        self.find(path).map(<[u8]>::to_vec)
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.contains_key(&plain(path))
    }
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            _ => plain.push(component),
        }
    }
    plain
}
