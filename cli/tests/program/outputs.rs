//! Where files are written: through links, into devices and pipes, with the mode they had; never over an input, another
//! output, or what is read-only. For every case the name is tried with `--certificate`, `--profile`, `--report`, `view -o` and
//! `scene -o`.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cell::Cell;

/// The ways to write a file, with a name in place of NAME.
const WAYS: [&[&str]; 5] = [
    &["check", "cell.toml", "p.csv", "--certificate", "NAME"],
    &["check", "cell.toml", "p.csv", "--profile", "NAME"],
    &["check", "cell.toml", "p.csv", "--report", "NAME"],
    &["view", "cell.toml", "p.csv", "-o", "NAME"],
    &["scene", "cell.toml", "-o", "NAME"],
];

fn arguments<'a>(way: &[&'a str], name: &'a str) -> Vec<&'a str> {
    way.iter().map(|word| if *word == "NAME" { name } else { *word }).collect()
}

fn prepared(test: &str) -> Cell {
    let cell = Cell::new(test);
    cell.path("p.csv", &[0.0, 0.5]);
    cell
}

/// Everything in the folder, so that what a refused run leaves behind is seen.
fn listing(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.file_name() != "standard_input")
        .map(|entry| {
            let content = if entry.file_type().expect("a type").is_file() { fs::read(entry.path()).ok() } else { None };
            (entry.file_name().to_string_lossy().into_owned(), content.unwrap_or_default())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_symlink_stays_and_what_it_leads_to_is_written() {
    for way in WAYS {
        let cell = prepared("outputs-link");
        cell.write("target.glb", "old");
        fs::create_dir(cell.folder.join("sub")).expect("a folder");
        symlink("target.glb", cell.folder.join("middle")).expect("a link");
        symlink("../middle", cell.folder.join("sub/link.glb")).expect("a link");
        symlink("new.glb", cell.folder.join("dangling.glb")).expect("a link");
        for (name, written) in [("sub/link.glb", "target.glb"), ("dangling.glb", "new.glb")] {
            cell.output(&arguments(way, name), 0);
            assert!(fs::symlink_metadata(cell.folder.join(name)).expect("the link").is_symlink(), "{name}");
            let content = fs::read(cell.folder.join(written)).expect("it is written");
            assert!(content.len() > 20 && fs::read(cell.folder.join(name)).expect("through the link") == content);
        }
    }
}

#[test]
fn devices_are_written_to_and_stay_devices() {
    // Replacing /dev/null needs the right to write into /dev, which tests in a container have.
    for way in &WAYS[..2] {
        let cell = prepared("outputs-null");
        cell.output(&arguments(way, "/dev/null"), 0);
        assert!(fs::metadata("/dev/null").expect("it is there").file_type().is_char_device());
        let message = cell.refusal(&arguments(way, "/dev/full"));
        assert!(message.contains("/dev/full: cannot write it"), "{message}");
    }
}

#[test]
fn a_pipe_is_written_to_and_stays_a_pipe() {
    for way in &WAYS[..2] {
        let cell = prepared("outputs-pipe");
        let pipe = cell.folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        let mut reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().expect("cat runs");
        cell.output(&arguments(way, "pipe"), 0);
        let is_pipe = fs::metadata(&pipe).expect("the pipe").file_type().is_fifo();
        if !is_pipe {
            // Nobody will ever write to what it reads.
            reader.kill().expect("cat is there");
        }
        let read = reader.wait_with_output().expect("cat ends").stdout;
        assert!(is_pipe && read.len() > 20);
    }
}

#[test]
fn the_mode_and_other_names_of_a_file_stay() {
    for way in WAYS {
        let cell = prepared("outputs-mode");
        let out = cell.folder.join("out.glb");
        cell.write("out.glb", "old");
        fs::set_permissions(&out, fs::Permissions::from_mode(0o640)).expect("a mode");
        cell.output(&arguments(way, "out.glb"), 0);
        assert_eq!(fs::metadata(&out).expect("the file").mode() & 0o7777, 0o640);
        assert_ne!(fs::read(&out).expect("the file"), b"old");
        cell.write("named.glb", "old");
        fs::hard_link(cell.folder.join("named.glb"), cell.folder.join("other")).expect("another name");
        cell.output(&arguments(way, "named.glb"), 0);
        let content = |name: &str| fs::read(cell.folder.join(name)).expect("the file");
        assert!(content("other") == content("named.glb") && content("other") != b"old");
        let left = listing(&cell.folder).into_iter().filter(|(name, _)| name.ends_with(".part")).count();
        assert_eq!(left, 0);
    }
}

#[test]
fn read_only_files_folders_and_missing_folders_are_refused() {
    for way in WAYS {
        let cell = prepared("outputs-refused");
        cell.write("kept.glb", "kept");
        fs::set_permissions(cell.folder.join("kept.glb"), fs::Permissions::from_mode(0o444)).expect("a mode");
        symlink("kept.glb", cell.folder.join("link.glb")).expect("a link");
        fs::create_dir(cell.folder.join("folder.glb")).expect("a folder");
        symlink("ring.glb", cell.folder.join("ring.glb")).expect("a link");
        let before = listing(&cell.folder);
        for (name, problem) in [
            ("kept.glb", "kept.glb: it is read-only"),
            ("link.glb", "link.glb: it is read-only"),
            ("folder.glb", "folder.glb: it is a folder"),
            ("no/such/out.glb", "no/such/out.glb: the folder no/such does not exist"),
            ("ring.glb", "ring.glb: cannot write it"),
        ] {
            let message = cell.refusal(&arguments(way, name));
            assert!(message.contains(problem) && message.lines().count() == 1, "{problem}: {message}");
        }
        assert!(listing(&cell.folder) == before, "nothing is written");
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_by_whatever_name() {
    let cell = prepared("outputs-inputs");
    cell.write("part.gltf.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let scene = fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    cell.write(
        "cell.toml",
        &format!("{scene}[[obstacles]]\nname = \"m\"\nmesh = \"part.gltf.obj\"\nxyz = [0, 9, 0]\n"),
    );
    fs::create_dir(cell.folder.join("sub")).expect("a folder");
    symlink("../p.csv", cell.folder.join("sub/link.csv")).expect("a link");
    fs::hard_link(cell.folder.join("p.csv"), cell.folder.join("hard.csv")).expect("another name");
    let before = listing(&cell.folder);
    let full = cell.folder.join("p.csv").display().to_string();
    for way in &WAYS[..2] {
        for name in
            ["cell.toml", "p.csv", "r.urdf", "part.gltf.obj", "./sub/../p.csv", "sub/link.csv", "hard.csv", &full]
        {
            let message = cell.refusal(&arguments(way, name));
            assert!(message.contains("is also read") && message.lines().count() == 1, "{name}: {message}");
        }
    }
    assert!(listing(&cell.folder) == before, "nothing is written");
}

/// A file that comes in by standard input has no name, and is an input all the same.
#[test]
fn an_output_that_is_standard_input_is_refused() {
    let cell = prepared("outputs-stdin");
    let path = cell.folder.join("p.csv");
    let before = fs::read(&path).expect("the path");
    let input = fs::File::open(&path).expect("the path");
    let output = cell
        .command(&["check", "cell.toml", "-", "--profile", "p.csv"])
        .stdin(Stdio::from(input))
        .output()
        .expect("the program starts");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is also read, as standard input"), "{output:?}");
    assert_eq!(fs::read(&path).expect("the path"), before);
}

#[test]
fn two_outputs_in_one_file_are_refused() {
    let cell = prepared("outputs-twice");
    symlink("new.csv", cell.folder.join("link.csv")).expect("a link");
    for other in ["new.csv", "./new.csv", "link.csv"] {
        let message = cell.refusal(&["check", "cell.toml", "p.csv", "--profile", "new.csv", "--certificate", other]);
        assert!(message.contains("is also written by --profile"), "{message}");
    }
    assert!(!cell.folder.join("new.csv").exists());
    // One that can be written and one that cannot: neither is.
    let message = cell.refusal(&["check", "cell.toml", "p.csv", "--certificate", "a.ppc", "--profile", "no/b.csv"]);
    assert!(message.contains("no/b.csv") && !cell.folder.join("a.ppc").exists(), "{message}");
    cell.output(&["check", "cell.toml", "p.csv", "--profile", "/dev/null", "--certificate", "/dev/null"], 0);
}

#[test]
fn the_file_that_takes_the_answer_is_not_an_output_too() {
    let cell = prepared("outputs-answer");
    let answer = cell.folder.join("answer.txt");
    let output = Command::new(env!("CARGO_BIN_EXE_pathproof"))
        .current_dir(&cell.folder)
        .args(["check", "cell.toml", "p.csv", "--profile", "answer.txt"])
        .stdout(fs::File::create(&answer).expect("a file"))
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("also where the answer goes"));
}
