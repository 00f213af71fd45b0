//! What a terminal gets: no name of a file moves its cursor, and no stream that is full ends in a panic.
#![cfg(unix)]

use std::fs;
use std::process::{Output, Stdio};

use crate::cell::Cell;

/// ESC, the one-byte CSI, and a mark that turns the line around.
const HOSTILE: &str = "\u{1b}[2J\u{9b}2J\u{202e}";
const SHOWN: &str = "\\u001b[2J\\u009b2J\\u202e";

fn is_clean(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    !text.contains(['\u{1b}', '\u{9b}', '\u{202e}'])
}

/// A scene whose obstacle, link and files have hostile names.
fn hostile(test: &str) -> Cell {
    let cell = Cell::new(test);
    let urdf = fs::read_to_string(cell.folder.join("r.urdf")).expect("the robot");
    // XML cannot hold ESC.
    cell.write("h.urdf", &urdf.replace("'ball'", "'ball\u{9b}2J\u{202e}'"));
    let scene = fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    // Controls are refused in names of obstacles.
    cell.write("h.toml", &scene.replace("r.urdf", "h.urdf").replace("\"wall\"", "\"wall\\u202e\""));
    cell.path(&format!("p{HOSTILE}.csv"), &[0.0, 1.5]);
    cell.path("bad.csv", &[0.0]);
    cell
}

#[test]
fn names_do_not_reach_the_terminal_as_they_are() {
    let cell = hostile("terminal-names");
    let path = format!("p{HOSTILE}.csv");
    for arguments in [
        &["scene", "h.toml", "--pairs"][..],
        &["scene", "h.toml", "--at", "0.95"],
        &["scene", "h.toml", "--json"],
        &["check", "h.toml", &path, "--all"],
        &["check", "h.toml", &path, &path],
        &["check", "h.toml", &path, "--json"],
        &["check", "h.toml", &path, "no.csv"],
        &["acm", "h.urdf"],
        &["plan", "h.toml", "--start", "0", "--goal", "0.95", "-o", "o.csv"],
        &["smooth", "h.toml", &path, "-o", "o.csv"],
        &["check", "h.toml", &format!("no{HOSTILE}.csv")],
        &["verify", "h.toml", &path, "no.ppc"],
    ] {
        let Output { stdout, stderr, .. } = cell.run(arguments);
        assert!(is_clean(&stdout) && is_clean(&stderr), "{arguments:?}: {}", String::from_utf8_lossy(&stdout));
        assert!(!stdout.is_empty() || !stderr.is_empty());
    }
    // They are not lost.
    let answer = cell.run(&["check", "h.toml", &path, "--json"]);
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    assert!(answer.stderr.is_empty(), "{}", String::from_utf8_lossy(&answer.stderr));
    assert!(text.contains("r/ball\\u009b2J\\u202e") && text.contains("wall\\u202e"), "{text}");
    let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(read["bodies"], serde_json::json!(["r/ball\u{9b}2J\u{202e}", "wall\u{202e}"]));
    let several = cell.run(&["check", "h.toml", &path, &path]);
    assert!(String::from_utf8_lossy(&several.stdout).contains(&format!("p{SHOWN}.csv: collision: r/ball\\u009b2J")));
}

#[test]
fn names_in_traffic_are_escaped_and_colours_are_not() {
    let cell = hostile("terminal-traffic");
    let agent = |name: &str, x: f64| serde_json::json!({"name": name, "shape": {"circle": 0.5}, "poses": [[0.0, x, 0.0, 0.0], [1.0, x + 1.0, 0.0, 0.0]]});
    let scenario = serde_json::json!({"agents": [agent(&format!("a{HOSTILE}"), 0.0), agent("b", 0.2)]});
    cell.write("t.json", &scenario.to_string());
    for arguments in [&["traffic", "t.json"][..], &["traffic", "t.json", "--json"]] {
        let Output { stdout, stderr, .. } = cell.run(arguments);
        assert!(is_clean(&stdout) && is_clean(&stderr));
    }
    let path = format!("p{HOSTILE}.csv");
    let coloured = cell.command(&["check", "h.toml", &path]).env("CLICOLOR_FORCE", "1").output().expect("it runs");
    let text = String::from_utf8_lossy(&coloured.stdout).into_owned();
    assert!(coloured.stderr.is_empty(), "{}", String::from_utf8_lossy(&coloured.stderr));
    assert!(text.starts_with("\u{1b}[1;31mcollision\u{1b}[0m: "), "{text}");
    assert_eq!(text.matches('\u{1b}').count(), 2, "{text}");
}

#[test]
fn long_names_and_large_numbers_are_shortened_in_messages() {
    let cell = Cell::new("terminal-long");
    let name = "x".repeat(3_000_000);
    cell.write("long.csv", &format!("{name}\n0\n"));
    let message = cell.refusal(&["check", "cell.toml", "long.csv"]);
    assert!(message.len() < 5_000, "{} bytes", message.len());
    cell.path("far.csv", &[0.0, 1e300]);
    let message = cell.refusal(&["check", "cell.toml", "far.csv"]);
    assert!(message.contains("1e300") && message.len() < 500, "{message}");
    let text = cell.run(&["check", "cell.toml", "far.csv", "--ignore-limits"]);
    assert!(!String::from_utf8_lossy(&text.stdout).contains(&"0".repeat(100)), "{text:?}");
}

/// A full standard error ended in a panic with status 101, and help that could not be printed in status 0.
#[test]
fn streams_that_are_full_are_no_panic() {
    let cell = Cell::new("terminal-full");
    cell.path("p.csv", &[0.0, 0.5]);
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").expect("the device"));
    for arguments in [&["check", "no.toml", "p.csv"][..], &["check", "cell.toml", "p.csv", "no.csv"], &["check"]] {
        let status = cell.command(arguments).stdout(Stdio::null()).stderr(full()).status().expect("it runs");
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
    for arguments in [&["--help"][..], &["check", "--help"], &["--version"], &["check", "cell.toml", "p.csv"]] {
        let output = cell.command(arguments).stdout(full()).stderr(Stdio::piped()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.starts_with("pathproof: cannot write the answer: "), "{message}");
    }
}

/// `plan` with a page that did not fit on the disk left its path there.
#[test]
fn outputs_of_a_command_appear_together_or_not_at_all() {
    let cell = Cell::new("terminal-together");
    cell.path("p.csv", &[0.0, 0.5]);
    let ways: [&[&str]; 4] = [
        &["plan", "cell.toml", "--start", "0", "--goal", "0.5", "-o", "o.csv"],
        &["smooth", "cell.toml", "p.csv", "-o", "o.csv"],
        &["time", "cell.toml", "p.csv", "-o", "o.csv", "--acceleration", "1"],
        &["check", "cell.toml", "p.csv", "--certificate", "o.csv"],
    ];
    let left = || {
        let names = fs::read_dir(&cell.folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        names.filter(|name| name.to_string_lossy().contains("o.csv")).count()
    };
    for way in ways {
        let message = cell.refusal(&[way, &["--report", "/dev/full"]].concat());
        assert!(message.contains("/dev/full: cannot write it"), "{message}");
        assert_eq!(left(), 0, "{way:?}");
        // Nor where the answer cannot be written.
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let status = cell.command(way).stdout(full).stderr(Stdio::null()).status().expect("it runs");
        assert_eq!((status.code(), left()), (Some(2), 0), "{way:?}");
        cell.output(way, 0);
        assert_eq!(left(), 1, "{way:?}");
        fs::remove_file(cell.folder.join("o.csv")).expect("it is there");
    }
}
