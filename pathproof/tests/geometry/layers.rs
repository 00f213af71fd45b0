//! Holds the library to its layers: imports go only to the same layer or up the list in `lib.rs`, and nothing
//! touches files. Reads the sources as tokens, so that comments and strings do not count.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules of `std` that reach outside the program.
const OUTSIDE: [&str; 3] = ["fs", "io", "net"];

#[test]
fn layers_import_only_upward() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layers = layers();
    let mut broken = Vec::new();
    for (path, tokens) in sources() {
        let path = path.strip_prefix(&source).expect("under src").to_path_buf();
        broken.extend(downward_imports(&layers, &path, &tokens));
    }
    assert!(broken.is_empty(), "layers must not know those below them:\n{}", broken.join("\n"));
}

/// The code that decides a cell does not know the search that chose it, and file readers do not know the checker.
#[test]
fn cells_know_no_search_and_readers_no_checker() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (folder, forbidden) in [(root.join("src/check/cell"), "search"), (root.join("../formats/src"), "check")] {
        let mut files = vec![folder];
        let mut seen = 0;
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
                continue;
            }
            seen += 1;
            let text = fs::read_to_string(&path).expect("a source file");
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in lines.filter(|line| line.contains("use ") || line.contains("pathproof::")) {
                let names = |path: &str| line.contains(&format!("{path}::{forbidden}"));
                let is_named = names("crate::check") || names("super::super") || names("pathproof");
                assert!(!is_named, "{} names {forbidden}: {line}", path.display());
            }
        }
        assert!(seen > 5, "{seen} files");
    }
}

/// Data goes one way: the facade, `Checker` with its scratch, asks the searches, and nothing that it asks knows it. Files that
/// hold methods of `Checker` are the facade.
#[test]
fn nothing_below_the_facade_imports_it() {
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check");
    let below = |path: &Path, tokens: &[String]| {
        let is_facade = tokens.windows(2).any(|w| w[0] == "impl" && w[1] == "Checker");
        path.starts_with(&check) && path != check.join("mod.rs") && !is_facade
    };
    let all = sources();
    let knows = |tokens: &[String]| names_the_facade(&without_test_modules(tokens));
    let broken: Vec<_> = all.iter().filter(|(path, t)| below(path, t) && knows(t)).map(|(path, _)| path).collect();
    assert!(broken.is_empty(), "these are below the facade and name it: {broken:?}");
    let facade = all.iter().filter(|(path, t)| path.starts_with(&check) && !below(path, t)).count();
    assert!((2..=8).contains(&facade), "{facade} files of the facade");
    for (is_named, text) in [
        (true, "use super::checker::CheckScratch;"),
        (true, "use crate::check::{Checker, Settings};"),
        (false, "/// For [`super::Checker`].\nuse super::settings::Settings; fn of(checker: u64) {}"),
    ] {
        assert_eq!(names_the_facade(&tokens(text)), is_named, "{text}");
    }
}

fn names_the_facade(tokens: &[String]) -> bool {
    let is_type = tokens.iter().any(|token| ["Checker", "CheckScratch"].contains(&token.as_str()));
    // As a module, not as the name of a value.
    is_type || (0..tokens.len()).any(|i| tokens[i] == "checker" && is_path_separator(tokens, i + 1))
}

#[test]
fn nothing_touches_files() {
    let all = sources();
    let tests: BTreeSet<PathBuf> = all.iter().flat_map(|(path, tokens)| test_files(path, tokens)).collect();
    let mut broken = Vec::new();
    for (path, tokens) in &all {
        // `tests.rs` and everything under `tests/`, where a test-only module has files of its own.
        if path.ancestors().any(|folder| tests.contains(&folder.with_extension("rs")) || tests.contains(folder)) {
            continue;
        }
        let code = without_test_modules(tokens);
        broken.extend(outside_world(&code).iter().map(|what| format!("{}: {what}", path.display())));
    }
    assert!(broken.is_empty(), "the core does no input or output:\n{}", broken.join("\n"));
}

#[test]
fn a_downward_import_is_found_however_it_is_written() {
    let layers = ["numeric", "shapes", "trees"].map(str::to_owned).to_vec();
    let count = |path: &str, text: &str| downward_imports(&layers, Path::new(path), &tokens(text)).len();
    for bad in [
        "use crate::trees::BoxTree;",
        "pub(crate) use crate::{numeric::{self, Pose}, trees as t};",
        "use crate::{\n  numeric::Pose,\n  trees::{A, B},\n};",
        "fn f() -> crate::trees::BoxTree { todo!() }",
        "use crate::{numeric::Pose, shapes::{Body, Hull}, trees};",
        "use super::trees::BoxTree;",
        "use super::super::trees::BoxTree;",
        "use crate::missing::Thing;",
        "use crate::*;",
        "/* a // comment */ use crate /* here */ :: trees;",
        "const C: char = '\"'; use crate::trees; const D: char = '\"';",
    ] {
        assert_eq!(count("shapes/mod.rs", bad), 1, "{bad}");
    }
    for good in [
        "use crate::{numeric::{Pose, trees}, shapes::trees::Thing};",
        "use crate::shapes::Body; // not crate::trees",
        "//! [`crate::trees`]\n/* crate::trees /* nested */ crate::trees */",
        "const S: &str = \"crate::trees\"; const R: &str = r#\"crate::trees\"# ;",
        "fn f<'a>(x: &'a str) -> &'a str { x }",
        "use super::trees_of_another_name;",
    ] {
        assert_eq!(count("shapes/mod.rs", good), 0, "{good}");
    }
    assert_eq!(count("shapes/mesh.rs", "use super::trees::Thing;"), 0, "a submodule of shapes by that name");
    assert_eq!(count("shapes/mesh.rs", "use super::super::trees::Thing;"), 1);
    assert_eq!(count("trees/mod.rs", "use crate::shapes::Body; use super::numeric::Pose;"), 0);
}

#[test]
fn files_are_found_however_they_are_written() {
    let found = |text: &str| outside_world(&without_test_modules(&tokens(text))).len();
    for bad in ["use std::fs;", "use std::{fmt, io::{self, Read}};", "fn f() { std::fs::read(\"x\"); }"] {
        assert_eq!(found(bad), 1, "{bad}");
    }
    let quiet = "use std::fmt; fn fs() {} #[cfg(test)] mod tests { fn f() { std::fs::read(\"{{\"); } } fn g() {}";
    assert_eq!(found(quiet), 0);
    assert_eq!(found(&format!("{quiet} use std::fs;")), 1, "code after a test module counts");
}

/// The layers, in the order of `lib.rs`.
fn layers() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let tokens = tokens(&fs::read_to_string(path).expect("lib.rs can be read"));
    let layers: Vec<String> =
        tokens.windows(3).filter(|w| w[0] == "mod" && w[2] == ";").map(|w| w[1].clone()).collect();
    assert!(layers.len() >= 10, "lib.rs lists the layers; found only {layers:?}");
    layers
}

/// Every source file but `lib.rs`, in a fixed order, as tokens.
fn sources() -> Vec<(PathBuf, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && path != root.join("lib.rs") {
                let text = fs::read_to_string(&path).expect("the source can be read");
                found.push((path, tokens(&text)));
            }
        }
    }
    found.sort();
    assert!(found.len() > 20, "found only {} files", found.len());
    found
}

/// What `path` (relative to `src`) imports from below its own layer, or by a name that is no layer.
fn downward_imports(layers: &[String], path: &Path, tokens: &[String]) -> Vec<String> {
    let rank = |name: &str| layers.iter().position(|layer| layer == name);
    let mut modules: Vec<String> =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if modules.last().is_some_and(|last| last == "mod") {
        modules.pop();
    }
    let own = rank(&modules[0]).unwrap_or_else(|| panic!("{} belongs to no layer", path.display()));
    let mut broken = Vec::new();
    for name in paths_from(tokens, "crate") {
        match rank(&name) {
            Some(other) if other <= own => {}
            Some(_) => broken.push(format!("{}: crate::{name}", path.display())),
            None => broken.push(format!("{}: crate::{name} is not a layer", path.display())),
        }
    }
    // As many `super` as there are modules lead to the root of the crate, out of which a layer can be named too.
    for (supers, name) in paths_from_super(tokens) {
        if supers >= modules.len() && rank(&name).is_some_and(|other| other > own) {
            broken.push(format!("{}: {}{name}", path.display(), "super::".repeat(supers)));
        }
    }
    broken
}

/// Uses of files.
fn outside_world(tokens: &[String]) -> Vec<String> {
    let files = paths_from(tokens, "std").into_iter().filter(|name| OUTSIDE.contains(&name.as_str()));
    files.map(|name| format!("std::{name}")).collect()
}

/// The first names after `root::`, braces opened.
fn paths_from(tokens: &[String], root: &str) -> Vec<String> {
    let starts = (0..tokens.len()).filter(|&i| tokens[i] == root && is_path_separator(tokens, i + 1));
    starts.flat_map(|i| first_names(tokens, i + 3)).collect()
}

/// The first names after each chain of `super::`, with its length.
fn paths_from_super(tokens: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let mut supers = 0;
        while i < tokens.len() && tokens[i] == "super" && is_path_separator(tokens, i + 1) {
            supers += 1;
            i += 3;
        }
        if supers > 0 {
            found.extend(first_names(tokens, i).into_iter().map(|name| (supers, name)));
        } else {
            i += 1;
        }
    }
    found
}

fn is_path_separator(tokens: &[String], i: usize) -> bool {
    tokens.get(i..i + 2).is_some_and(|pair| pair[0] == ":" && pair[1] == ":")
}

/// The name at `i`, or the first name of every branch of the braces that open there.
fn first_names(tokens: &[String], i: usize) -> Vec<String> {
    if tokens.get(i).is_none_or(|token| token != "{") {
        return tokens.get(i).cloned().into_iter().collect();
    }
    let (mut depth, mut names, mut at_start) = (0, Vec::new(), false);
    for token in &tokens[i..] {
        match token.as_str() {
            "{" => {
                depth += 1;
                at_start = depth == 1;
            }
            "}" => {
                depth -= 1;
                at_start = false;
                if depth == 0 {
                    break;
                }
            }
            "," => at_start = depth == 1,
            name if at_start => {
                names.push(name.to_owned());
                at_start = false;
            }
            _ => {}
        }
    }
    names
}

/// Where `#[cfg(test)] mod name` starts, past its attribute: index of the token after the name.
fn test_modules(tokens: &[String]) -> Vec<usize> {
    let attribute = ["#", "[", "cfg", "(", "test", ")", "]"];
    let starts = (0..tokens.len()).filter(|&i| tokens[i..].iter().zip(attribute).all(|(a, b)| a == b));
    starts
        .filter_map(|i| {
            let after = i + attribute.len();
            // `pub(crate)` and the like may stand between.
            let place = tokens[after..].iter().take(5).position(|token| token == "mod")?;
            Some(after + place + 2)
        })
        .collect()
}

/// The files of modules that `path` declares for tests only.
fn test_files(path: &Path, tokens: &[String]) -> Vec<PathBuf> {
    let folder = if path.ends_with("mod.rs") { path.with_file_name("") } else { path.with_extension("") };
    let declared = test_modules(tokens).into_iter().filter(|&i| tokens.get(i).is_some_and(|token| token == ";"));
    declared.flat_map(|i| [folder.join(format!("{}.rs", tokens[i - 1])), folder.join(&tokens[i - 1])]).collect()
}

/// The tokens without the bodies of test modules.
fn without_test_modules(tokens: &[String]) -> Vec<String> {
    let mut skip = vec![false; tokens.len()];
    for open in test_modules(tokens) {
        let mut depth = 0;
        for (i, token) in tokens.iter().enumerate().skip(open) {
            depth += match token.as_str() {
                "{" => 1,
                "}" => -1,
                _ => 0,
            };
            skip[i] = true;
            if depth <= 0 {
                break;
            }
        }
    }
    tokens.iter().zip(skip).filter(|(_, skip)| !skip).map(|(token, _)| token.clone()).collect()
}

/// Identifiers and punctuation; comments, strings and characters left out.
fn tokens(text: &str) -> Vec<String> {
    let text: Vec<char> = text.chars().collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < text.len() {
        let next = text.get(i + 1).copied();
        match text[i] {
            '/' if next == Some('/') => i += text[i..].iter().take_while(|&&c| c != '\n').count(),
            '/' if next == Some('*') => i = end_of_comment(&text, i),
            '"' => i = end_of_string(&text, i),
            '\'' if next == Some('\\') => i += 3 + text[i + 3..].iter().take_while(|&&c| c != '\'').count() + 1,
            '\'' if text.get(i + 2) == Some(&'\'') => i += 3,
            'r' if matches!(next, Some('"' | '#')) && raw_hashes(&text, i).is_some() => i = end_of_raw(&text, i),
            c if is_word(c) => {
                let word: String = text[i..].iter().take_while(|&&c| is_word(c)).collect();
                i += word.chars().count();
                // The r of a byte string br"…" is part of the word before its quote.
                if word == "br" && raw_hashes(&text, i - 1).is_some() {
                    i = end_of_raw(&text, i - 1);
                }
                tokens.push(word);
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push(c.to_string());
                }
                i += 1;
            }
        }
    }
    tokens
}

fn end_of_comment(text: &[char], start: usize) -> usize {
    let (mut i, mut depth) = (start, 0);
    while i < text.len() {
        match text.get(i..i + 2) {
            Some(['/', '*']) => (i, depth) = (i + 2, depth + 1),
            Some(['*', '/']) => (i, depth) = (i + 2, depth - 1),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

fn end_of_string(text: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < text.len() && text[i] != '"' {
        i += if text[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// How many # follow the r at `start`, if a quote comes after them.
fn raw_hashes(text: &[char], start: usize) -> Option<usize> {
    let hashes = text[start + 1..].iter().take_while(|&&c| c == '#').count();
    (text.get(start + 1 + hashes) == Some(&'"')).then_some(hashes)
}

fn end_of_raw(text: &[char], start: usize) -> usize {
    let hashes = raw_hashes(text, start).unwrap_or(0);
    let mut i = start + 2 + hashes;
    while i < text.len() && !(text[i] == '"' && text[i + 1..].iter().take_while(|&&c| c == '#').count() >= hashes) {
        i += 1;
    }
    i + 1 + hashes
}
