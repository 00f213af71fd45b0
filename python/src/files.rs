//! Files of a scene by value: records all reads from disk while a scene is loaded, and replays them elsewhere. So a
//! pickled scene can be loaded without any of its files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pathproof_formats::FormatError;
use pathproof_formats::scene_file::{Disk, Files};
use pyo3::prelude::*;

/// Answers by request.
#[derive(Clone, Debug, Default, FromPyObject, IntoPyObject)]
#[pyo3(transparent)]
pub(crate) struct Answers(BTreeMap<String, Reply>);

/// An answer. An empty list of paths may come back as no bytes, which means the same.
#[derive(Clone, Debug, FromPyObject, IntoPyObject)]
pub(crate) enum Reply {
    Is(bool),
    Text(String),
    Bytes(Vec<u8>),
    Paths(Vec<PathBuf>),
}

/// Reads the disk and records every answer.
#[derive(Default)]
pub(crate) struct Recording(RefCell<Answers>);

impl Recording {
    pub(crate) fn answers(self) -> Answers {
        self.0.into_inner()
    }

    fn note(&self, asked: &str, of: &Path, reply: Reply) {
        self.0.borrow_mut().0.insert(key(asked, of), reply);
    }
}

fn key(asked: &str, of: &Path) -> String {
    format!("{asked} {}", of.to_string_lossy())
}

impl Files for Recording {
    fn text(&self, path: &Path) -> Result<String, FormatError> {
        let text = Disk.text(path)?;
        self.note("text", path, Reply::Text(text.clone()));
        Ok(text)
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, FormatError> {
        let bytes = Disk.bytes(path)?;
        self.note("bytes", path, Reply::Bytes(bytes.clone()));
        Ok(bytes)
    }

    fn is_file(&self, path: &Path) -> bool {
        let is = Disk.is_file(path);
        self.note("is_file", path, Reply::Is(is));
        is
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let absolute = Disk.absolute(path);
        self.note("absolute", path, Reply::Paths(vec![absolute.clone()]));
        absolute
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        let resolved = Disk.resolved(path);
        self.note("resolved", path, Reply::Paths(vec![resolved.clone()]));
        resolved
    }

    fn search_path(&self, variable: &str) -> Vec<PathBuf> {
        let paths = Disk.search_path(variable);
        self.note("search_path", Path::new(variable), Reply::Paths(paths.clone()));
        paths
    }

    fn folders(&self, path: &Path) -> Vec<PathBuf> {
        let folders = Disk.folders(path);
        self.note("folders", path, Reply::Paths(folders.clone()));
        folders
    }
}

impl Answers {
    fn paths(&self, asked: &str, of: &Path) -> Vec<PathBuf> {
        match self.0.get(&key(asked, of)) {
            Some(Reply::Paths(paths)) => paths.clone(),
            _ => Vec::new(),
        }
    }
}

/// A request that was not recorded is answered as a missing file.
fn absent(path: &Path) -> FormatError {
    FormatError::new(path, "it is not in the pickled scene").remedy("pickle the scene again")
}

impl Files for Answers {
    fn text(&self, path: &Path) -> Result<String, FormatError> {
        match self.0.get(&key("text", path)) {
            Some(Reply::Text(text)) => Ok(text.clone()),
            _ => Err(absent(path)),
        }
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, FormatError> {
        match self.0.get(&key("bytes", path)) {
            Some(Reply::Bytes(bytes)) => Ok(bytes.clone()),
            _ => Err(absent(path)),
        }
    }

    fn is_file(&self, path: &Path) -> bool {
        matches!(self.0.get(&key("is_file", path)), Some(Reply::Is(true)))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.paths("absolute", path).pop().unwrap_or_else(|| path.to_path_buf())
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        self.paths("resolved", path).pop().unwrap_or_else(|| self.absolute(path))
    }

    fn search_path(&self, variable: &str) -> Vec<PathBuf> {
        self.paths("search_path", Path::new(variable))
    }

    fn folders(&self, path: &Path) -> Vec<PathBuf> {
        self.paths("folders", path)
    }
}
