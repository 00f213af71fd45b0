//! Scene files (TOML): robots, obstacles, attached objects, exceptions → one immutable [`Scene`].
//!
//! Raw tables are read first, unknown keys refused (`raw`), then resolved into a scene (`build`). Every
//! error names the file, the table and the key. Nothing is skipped: a body that cannot be read is an error.

mod build;
mod memory;
mod obstacles;
mod raw;
mod robots;

use std::path::{Path, PathBuf};

pub use memory::Memory;

use super::FormatError;
use super::mesh::{self, MeshFile, MeshReport};
use super::robot_xml;
use crate::scene::Scene;

/// Largest scene file in bytes: the parser takes some fifty times that in memory. 10,000 obstacles are about 1 MB.
const MAX_BYTES: usize = 8 << 20;

/// A scene and what was noticed while reading it.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    /// What each body of the scene was made from.
    pub sources: Vec<BodySource>,
    /// What may not be what the writer meant; one line each, with file and place.
    pub warnings: Vec<String>,
    /// What is usual but good to know: links without geometry, remarks about meshes.
    pub notes: Vec<String>,
    /// The mesh files that were read, each once.
    pub meshes: Vec<(PathBuf, MeshReport)>,
}

/// What a body was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodySource {
    /// Triangles as its files have them, before identical ones were merged.
    pub triangles: usize,
    /// Its mesh files, in order.
    pub files: Vec<PathBuf>,
}

/// Where files come from: the disk, or memory (an embedded cell, a test, a fuzzer).
pub trait Files {
    /// The text of a file.
    fn text(&self, path: &Path) -> Result<String, FormatError>;
    /// A mesh.
    fn mesh(&self, path: &Path) -> Result<MeshFile, FormatError>;
    /// Whether there is such a file.
    fn is_file(&self, path: &Path) -> bool;
    /// The absolute form of a path; packages are looked for in the folders above it.
    fn absolute(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
}

/// The files of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn text(&self, path: &Path) -> Result<String, FormatError> {
        robot_xml::read_text(path)
    }

    fn mesh(&self, path: &Path) -> Result<MeshFile, FormatError> {
        mesh::read(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
    }
}

/// Reads a scene file and everything it refers to.
pub fn read(path: &Path) -> Result<LoadedScene, FormatError> {
    read_from(&Disk, path)
}

/// The same with files from elsewhere than the disk.
pub fn read_from(files: &dyn Files, path: &Path) -> Result<LoadedScene, FormatError> {
    parse(&files.text(path)?, path, files)
}

/// Reads the text of a scene file; names in it are relative to `path`.
pub fn parse(text: &str, path: &Path, files: &dyn Files) -> Result<LoadedScene, FormatError> {
    if text.len() > MAX_BYTES {
        let problem = format!("the scene is larger than {} MB", MAX_BYTES >> 20);
        return Err(
            FormatError::new(path, problem).remedy("name the scene file itself; meshes go into files of their own")
        );
    }
    let raw = raw::parse(text, path)?;
    build::build(raw, raw::Lines::new(path, text), files)
}

#[cfg(test)]
mod tests;
