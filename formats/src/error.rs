//! Error of every reader and writer of files: the file, the place in it, the problem and the remedy. It is one line, so
//! a program can print it as it is.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Error while reading or writing a file.
///
/// Prints as `robot.stl: line 12: the facet has 2 vertices; a facet has exactly three vertices`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}: {}{problem}{}", file.display(), Prefix(place), Suffix(remedy))]
pub struct FormatError {
    /// File, as named by the caller or by the file that refers to it.
    pub file: PathBuf,
    /// Place in the file: `line 12`, `byte 84`, `<node id="arm">`; empty for the file as a whole.
    pub place: String,
    /// Problem at that place.
    pub problem: String,
    /// Remedy; empty if the problem implies it.
    pub remedy: String,
}

impl FormatError {
    /// A problem with the file as a whole.
    pub fn new(file: impl AsRef<Path>, problem: impl Into<String>) -> Self {
        Self {
            file: file.as_ref().to_path_buf(),
            place: String::new(),
            problem: one_line(problem.into()),
            remedy: String::new(),
        }
    }

    /// The operating system refused to read, write, or list the file.
    pub fn io(file: impl AsRef<Path>, doing: &str, error: &std::io::Error) -> Self {
        let remedy = match error.kind() {
            // Names in files are already joined to the file's folder, so a relative name starts at the working
            // directory.
            std::io::ErrorKind::NotFound => match std::path::absolute(&file) {
                Ok(whole) if file.as_ref().is_relative() => {
                    format!("check the name; it was looked for at {}", whole.display())
                }
                _ => "check the name".to_owned(),
            },
            std::io::ErrorKind::PermissionDenied => "check the permissions of the file and its folder".to_owned(),
            std::io::ErrorKind::IsADirectory => "name a file, not a folder".to_owned(),
            _ => String::new(),
        };
        Self::new(file, format!("cannot {doing}: {error}")).remedy(remedy)
    }

    /// Same problem, with a place in the file.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = one_line(place.into());
        self
    }

    /// Same problem, with a line, counted from 1.
    #[must_use]
    pub fn at_line(self, line: usize) -> Self {
        self.at(format!("line {line}"))
    }

    /// Same problem, with a byte, counted from 0.
    #[must_use]
    pub fn at_byte(self, byte: usize) -> Self {
        self.at(format!("byte {byte}"))
    }

    /// Same problem, with a remedy.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = one_line(remedy.into());
        self
    }
}

/// Text from a file, made fit for a message: short, on one line, and without control characters.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Removes line breaks, which messages of libraries and names from files may contain.
fn one_line(text: String) -> String {
    if text.contains(char::is_control) { text.replace(char::is_control, " ") } else { text }
}

struct Prefix<'a>(&'a str);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "{}: ", self.0) }
    }
}

struct Suffix<'a>(&'a str);

impl fmt::Display for Suffix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "; {}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_prints_as_one_line_with_file_place_problem_and_remedy() {
        let error = FormatError::new("robot.stl", "two\nlines").at_line(12).remedy("write one");
        assert_eq!(error.to_string(), "robot.stl: line 12: two lines; write one");
        assert_eq!(FormatError::new("a/b.obj", "is empty").to_string(), "a/b.obj: is empty");
    }

    #[test]
    fn an_excerpt_is_short_and_printable() {
        assert_eq!(excerpt("a\tb"), "a\u{fffd}b");
        assert_eq!(excerpt(&"x".repeat(100)).chars().count(), 41);
    }
}
