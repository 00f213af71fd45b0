//! The library's public items, listed in `docs/public-api.txt` so that a change of them is seen: a line per public module,
//! with the names of what it holds, methods left out. `PATHPROOF_BLESS=1` writes the list anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The library's crates: folder, name, and most public names. A crate that needs more needs a reason, or fewer.
const CRATES: [(&str, &str, usize); 4] = [
    ("pathproof", "pathproof", 235),
    ("formats", "pathproof_formats", 100),
    ("traffic", "pathproof_traffic", 40),
    ("papers", "pathproof_papers", 50),
];

#[test]
fn the_list_of_public_items_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut lines = Vec::new();
    for (folder, name, most) in CRATES {
        let before = lines.len();
        list(&root.join(folder).join("src"), &[name.to_owned()], &mut lines);
        let names: usize = lines[before..].iter().map(|line| line.split(' ').count() - 1).sum();
        assert!(names <= most, "{name} has {names} public names");
    }
    let text = format!("{}\n", lines.join("\n"));
    let file = root.join("docs/public-api.txt");
    if std::env::var_os("PATHPROOF_BLESS").is_some() {
        fs::write(&file, &text).expect("the list is written");
    }
    let listed = fs::read_to_string(&file).expect("docs/public-api.txt is there");
    assert_eq!(listed, text, "PATHPROOF_BLESS=1 writes docs/public-api.txt anew");
}

/// Adds the line of a module, named from its crate, and those of the public modules in it.
fn list(source: &Path, module: &[String], lines: &mut Vec<String>) {
    let folder: PathBuf = module[1..].iter().fold(source.to_path_buf(), |path, name| path.join(name));
    let candidates = [folder.join("lib.rs"), folder.join("mod.rs"), folder.with_extension("rs")];
    let file = candidates.iter().find(|path| path.is_file()).expect("a module has a file");
    let text = fs::read_to_string(file).expect("the source can be read");
    let mut names = BTreeSet::new();
    let mut modules = Vec::new();
    for item in public_items(&text) {
        let words: Vec<&str> =
            item.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        match words[..] {
            ["mod", name, ..] => modules.push(name.to_owned()),
            ["use", ..] => names.extend(imported(&item)),
            ["const" | "unsafe", "fn", name, ..] => drop(names.insert(name.to_owned())),
            ["struct" | "enum" | "trait" | "fn" | "const" | "type" | "static", name, ..] => {
                names.insert(name.to_owned());
            }
            _ => panic!("{}: pub {item}", file.display()),
        }
    }
    let path = module.join("::");
    if !names.is_empty() {
        lines.push(format!("{path}: {}", names.into_iter().collect::<Vec<_>>().join(" ")));
    }
    for name in modules {
        list(source, &[module, &[name]].concat(), lines);
    }
}

/// What follows `pub` at the beginning of a line, up to a semicolon or brace outside of `use`; seams that are hidden from
/// users are no promise to them, and left out.
fn public_items(text: &str) -> Vec<String> {
    let shown = text.match_indices("\npub ").filter(|(at, _)| !text[..*at].ends_with("#[doc(hidden)]"));
    let starts = shown.map(|(at, _)| &text[at + 5..]);
    let end = |item: &str| if item.starts_with("use ") { item.find(';') } else { item.find([';', '{', '(', '=']) };
    starts.map(|item| item[..end(item).unwrap_or(item.len())].to_owned()).collect()
}

/// The names that a `use` brings.
fn imported(item: &str) -> Vec<String> {
    let inner = item.find('{').map_or(item, |at| item[at + 1..].trim_end().trim_end_matches('}'));
    let last = |path: &str| path.rsplit([':', ' ']).next().map(str::to_owned);
    inner.split(',').map(str::trim).filter(|path| !path.is_empty()).filter_map(last).collect()
}

#[test]
fn public_items_are_found_however_they_are_written() {
    let text = "\n//! pub x\npub mod a;\npub use b::{C, D as E,\n    F};\npub const fn g() {}\n    pub fn method() {}\npub(crate) fn h() {}\n#[doc(hidden)]\npub mod k;\npub use i::J;\n";
    let items = public_items(text);
    assert_eq!(items.len(), 4, "{items:?}");
    assert_eq!(imported(&items[1]), ["C", "E", "F"]);
    assert_eq!(imported(&items[3]), ["J"]);
}
