//! Holds the crate to its layer: of the core it imports numbers, shapes and distances, and nothing of robots or the checker.

use std::fs;
use std::path::Path;

const IMPORTED: [&str; 4] = ["numeric", "shapes", "distance", "internals"];

#[test]
fn nothing_of_robots_or_the_checker_is_used() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = fs::read_to_string(&path).expect("text");
            let other = modules(&text).into_iter().find(|module| !IMPORTED.contains(module));
            assert_eq!(other, None, "{}", path.display());
        }
    }
    assert!(files > 20, "{files} files");
    assert_eq!(modules("use pathproof::check::Checker; // of pathproof_formats::x"), ["check"]);
    assert_eq!(modules("use pathproof::{check, plan};"), [""], "braces name no module and are refused");
}

/// The first names after `pathproof::`.
fn modules(text: &str) -> Vec<&str> {
    text.split("pathproof::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(""))
        .collect()
}
