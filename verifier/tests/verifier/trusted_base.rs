//! What the verifier must not lean on, read from its sources: the checker, the traversal of trees, the library's
//! kinematics and motion bounds, unsafe code; and that it stays small enough to be read in one sitting.

use std::fs;
use std::path::Path;

/// Words that may not occur in its code.
const FORBIDDEN: [&str; 11] =
    ["check", "trees", "bounds", "CellBound", "Kinematics", "PoseCache", "Twist", "Query", "Indexed", "unsafe", "simd"];

/// Most lines of code, without comments, blank lines and tests. A reader's sitting: 70 of them are the limit on the work
/// that a hostile certificate may ask for, 190 are curves, which the library's own code must not be believed about, 160 are
/// planes between whole bodies and the cutting of cells, for which certificates need state no direction, 14 are the names of
/// faults, 40 are the header.
const MOST_LINES: usize = 2_010;

/// Lines of code of every source file.
fn code() -> Vec<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: Vec<_> = fs::read_dir(folder).expect("sources").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 8 && files.iter().all(|file| file.extension().is_some_and(|e| e == "rs")), "{files:?}");
    let lines = |text: &str| {
        let own = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
        own.lines().filter(is_code).map(|line| line.split(" // ").next().unwrap_or_default().to_owned()).collect()
    };
    files.iter().map(|file| (file.display().to_string(), lines(&fs::read_to_string(file).expect("text")))).collect()
}

#[test]
fn nothing_of_the_checker_is_used() {
    for (file, lines) in code() {
        for line in lines.iter().filter(|line| !line.contains("forbid(unsafe_code)")) {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let found = line.split(|c| !is_word(c)).find(|word| FORBIDDEN.contains(word));
            assert_eq!(found, None, "{file}: {line}");
        }
    }
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("lib.rs");
    assert!(lib.contains("#![forbid(unsafe_code)]"));
}

#[test]
fn it_is_small() {
    let lines: usize = code().iter().map(|(_, lines)| lines.len()).sum();
    println!("{lines} lines of code");
    assert!(lines < MOST_LINES, "{lines}");
}
