//! Writes several files that appear together or not at all.
//!
//! Each file is first written beside its name, which detects a full disk; then all are renamed. In between,
//! [`OutputSet::settle`] writes devices, pipes and files that cannot be replaced. A failure there leaves no file
//! behind.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::FormatError;
use super::output_file::{self, Target};

/// Complete files that are not in place yet. Dropping the set leaves none of them.
#[derive(Debug, Default)]
pub struct OutputSet {
    replaced: Vec<Replaced>,
    /// Content of files that are not replaced.
    direct: Vec<(PathBuf, Vec<u8>)>,
}

/// File written beside its name.
#[derive(Debug)]
struct Replaced {
    /// The name that the user gave.
    path: PathBuf,
    /// The name that links lead to.
    file: PathBuf,
    beside: PathBuf,
}

impl OutputSet {
    /// Writes a complete file beside its name.
    pub fn add(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), FormatError> {
        match output_file::target(path)? {
            Target::Special | Target::InPlace => self.direct.push((path.to_path_buf(), bytes)),
            Target::Replace { file, old } => self.replace(path, file, old.as_ref(), &bytes)?,
        }
        Ok(())
    }

    fn replace(&mut self, path: &Path, file: PathBuf, old: Option<&Metadata>, bytes: &[u8]) -> Result<(), FormatError> {
        let beside = output_file::beside(&file);
        let written = output_file::write_new(&beside, old, bytes);
        // From here on the file is removed unless it is renamed.
        self.replaced.push(Replaced { path: path.to_path_buf(), file, beside });
        written.map_err(|error| output_file::refused(path, &error))
    }

    /// Writes outputs that cannot appear in one step: devices, pipes, files with several names.
    pub fn settle(&mut self) -> Result<(), FormatError> {
        self.direct.drain(..).try_for_each(|(path, bytes)| output_file::write(&path, &bytes))
    }

    /// Renames all files into place.
    pub fn commit(mut self) -> Result<(), FormatError> {
        self.settle()?;
        while let Some(Replaced { path, file, beside }) = self.replaced.pop() {
            if let Err(error) = fs::rename(&beside, &file) {
                // The first error is the one to report; the leftover may not even exist.
                let _ = fs::remove_file(&beside);
                return Err(output_file::refused(&path, &error));
            }
        }
        Ok(())
    }
}

impl Drop for OutputSet {
    fn drop(&mut self) {
        for Replaced { beside, .. } in &self.replaced {
            // Nothing can be done about a leftover here.
            let _ = fs::remove_file(beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pathproof-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_together_at_the_end() {
        let folder = folder("set-together");
        fs::write(folder.join("a"), "old").unwrap();
        let mut set = OutputSet::default();
        for name in ["a", "b"] {
            set.add(&folder.join(name), name.as_bytes().to_vec()).unwrap();
        }
        assert_eq!(fs::read(folder.join("a")).unwrap(), b"old");
        assert!(!folder.join("b").exists());
        set.commit().unwrap();
        assert_eq!(
            (fs::read(folder.join("a")).unwrap(), fs::read(folder.join("b")).unwrap()),
            (b"a".into(), b"b".into())
        );
        assert_eq!(names(&folder), ["a", "b"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn where_one_cannot_be_written_none_appears() {
        let folder = folder("set-none");
        let mut set = OutputSet::default();
        set.add(&folder.join("a"), vec![1]).unwrap();
        let error = set.add(&folder.join("no/b"), vec![2]).unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
        drop(set);
        assert_eq!(names(&folder), [""; 0]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_that_is_full_leaves_no_file() {
        let folder = folder("set-full");
        let mut set = OutputSet::default();
        set.add(&folder.join("a"), vec![1]).unwrap();
        set.add(Path::new("/dev/full"), vec![2]).unwrap();
        assert!(set.commit().unwrap_err().to_string().starts_with("/dev/full: cannot write it"));
        assert_eq!(names(&folder), [""; 0]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
