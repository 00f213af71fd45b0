//! Scene files (TOML): robots, obstacles, attached objects, exceptions → one immutable [`Scene`].
//!
//! Raw tables are read first, with unknown keys refused (`raw`), then resolved into a scene (`build`). Every error
//! names the file, the table and the key. Nothing is skipped: an unreadable body is an error.

mod alone;
mod base;
mod build;
mod exceptions;
mod memory;
mod mistaken;
mod names;
mod obstacles;
mod raw;
mod reach;
mod robots;
mod still;
mod surfaces;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use memory::Memory;
pub(crate) use names::near;

use super::FormatError;
use super::mesh::{self, Limits, MeshFile, MeshReport};
use super::robot_xml;
use pathproof::scene::Scene;

/// Largest scene file in bytes: the parser needs some fifty times that in memory. 10,000 obstacles are about 1 MB.
const MAX_BYTES: usize = 8 << 20;

/// Scene with the remarks made while reading it.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    /// Source of each body of the scene.
    pub sources: Vec<BodySource>,
    /// Possible mistakes of the author; one line each, with file and place.
    pub warnings: Vec<String>,
    /// Usual but useful facts: links without geometry, remarks about meshes.
    pub notes: Vec<String>,
    /// Unstated assumptions, which every answer about the scene should mention.
    pub told: Vec<String>,
    /// The mesh files that were read, each once.
    pub meshes: Vec<(PathBuf, MeshReport)>,
    /// All files that were read: the scene, and those that it and its robots name.
    pub files: Vec<PathBuf>,
}

/// Source of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodySource {
    /// Triangles as its files have them, before identical ones were merged.
    pub triangles: usize,
    /// Its mesh files, in order.
    pub files: Vec<PathBuf>,
    /// True if the scene sets `surface = true` for it.
    pub is_meant_surface: bool,
    /// Scale factors of each file, as bits.
    pub(crate) scales: Vec<[u64; 3]>,
    /// True if the scene states the size of a mesh, so it need not be questioned.
    pub(crate) has_meant_scale: bool,
}

/// Source of files: the disk, or memory (an embedded cell, a test, a fuzzer).
pub trait Files {
    /// The text of a file.
    fn text(&self, path: &Path) -> Result<String, FormatError>;
    /// The bytes of a file that holds a mesh or a part of one.
    fn bytes(&self, path: &Path) -> Result<Vec<u8>, FormatError>;
    /// True if there is such a file.
    fn is_file(&self, path: &Path) -> bool;
    /// Absolute form of a path; packages are searched in the folders above it.
    fn absolute(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
    /// Same path without links in it: a link may lead to a folder of another name.
    fn resolved(&self, path: &Path) -> PathBuf {
        self.absolute(path)
    }
    /// Folders that an environment variable lists.
    fn search_path(&self, variable: &str) -> Vec<PathBuf> {
        let _ = variable;
        Vec::new()
    }
    /// The folders in a folder, in order.
    fn folders(&self, path: &Path) -> Vec<PathBuf> {
        let _ = path;
        Vec::new()
    }
    /// Files in a folder with this extension, in order.
    fn files(&self, path: &Path, extension: &str) -> Vec<PathBuf> {
        let _ = (path, extension);
        Vec::new()
    }
}

/// The files of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn text(&self, path: &Path) -> Result<String, FormatError> {
        robot_xml::read_text(path)
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, FormatError> {
        mesh::read_file(path, Limits::default().bytes)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        let absolute = self.absolute(path);
        std::fs::canonicalize(&absolute).unwrap_or(absolute)
    }

    fn search_path(&self, variable: &str) -> Vec<PathBuf> {
        let listed = std::env::var_os(variable).unwrap_or_default();
        std::env::split_paths(&listed).filter(|folder| !folder.as_os_str().is_empty()).collect()
    }

    fn folders(&self, path: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    }

    fn files(&self, path: &Path, extension: &str) -> Vec<PathBuf> {
        let folder = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| path.join(entry.file_name()));
        let is_meant = |file: &PathBuf| file.is_file() && file.extension().is_some_and(|own| own == extension);
        let mut files: Vec<PathBuf> = names.filter(is_meant).collect();
        files.sort();
        files
    }
}

/// Files from another source, with a record of those that were read.
struct Noted<'a> {
    files: &'a dyn Files,
    read: RefCell<BTreeSet<PathBuf>>,
}

impl Noted<'_> {
    fn note(&self, path: &Path) {
        self.read.borrow_mut().insert(path.to_path_buf());
    }
}

impl Files for Noted<'_> {
    fn text(&self, path: &Path) -> Result<String, FormatError> {
        self.note(path);
        self.files.text(path)
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, FormatError> {
        self.note(path);
        self.files.bytes(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.is_file(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.files.absolute(path)
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        self.files.resolved(path)
    }

    fn search_path(&self, variable: &str) -> Vec<PathBuf> {
        self.files.search_path(variable)
    }

    fn folders(&self, path: &Path) -> Vec<PathBuf> {
        self.files.folders(path)
    }

    fn files(&self, path: &Path, extension: &str) -> Vec<PathBuf> {
        self.files.files(path, extension)
    }
}

/// Reads a scene file and everything it refers to. A `.urdf` is read as a scene with only that robot.
pub fn read(path: &Path) -> Result<LoadedScene, FormatError> {
    read_from(&Disk, path)
}

/// Same with files from another source than the disk.
pub fn read_from(files: &dyn Files, path: &Path) -> Result<LoadedScene, FormatError> {
    if let Some(error) = mistaken::by_name(path).filter(|_| files.is_file(path)) {
        return Err(error);
    }
    parse(&files.text(path)?, path, files)
}

/// Mesh and the files that it names.
fn read_mesh(files: &dyn Files, path: &Path) -> Result<MeshFile, FormatError> {
    mesh::check_extension(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    mesh::read_bytes(path, &files.bytes(path)?, &|sibling| files.bytes(&folder.join(sibling)), &Limits::default())
}

/// Reads the text of a scene file, or of a URDF by the extension of `path`; names in it are relative to `path`.
pub fn parse(text: &str, path: &Path, files: &dyn Files) -> Result<LoadedScene, FormatError> {
    if text.len() > MAX_BYTES {
        let problem = format!("the scene is larger than {} MB", MAX_BYTES >> 20);
        return Err(
            FormatError::new(path, problem).remedy("name the scene file itself; meshes go into files of their own")
        );
    }
    let (raw, mut told, lines) = if alone::is_urdf(path) {
        let (raw, told) = alone::scene(text, path, files)?;
        (raw, told, raw::Lines::without_tables(path))
    } else if let Some(error) = mistaken::by_name(path).or_else(|| mistaken::by_text(text, path)) {
        return Err(error);
    } else {
        (raw::parse(text, path)?, Vec::new(), raw::Lines::new(path, text))
    };
    let noted = Noted { files, read: RefCell::new(BTreeSet::from([path.to_path_buf()])) };
    let mut loaded = build::build(raw, lines, &noted)?;
    told.append(&mut loaded.told);
    Ok(LoadedScene { told, files: noted.read.into_inner().into_iter().collect(), ..loaded })
}

#[cfg(test)]
mod tests;
