//! `pathproof check --certificate`, `verify` and `certificate show` as a user runs them.

use std::fs;
use std::sync::Arc;

use pathproof::certificate::Certificate;

use crate::cell::Cell;

fn certified(test: &str, more: &[&str]) -> Cell {
    let cell = Cell::new(test);
    cell.path("p.csv", &[-0.5, 0.5, 0.8]);
    let text = cell.output(&[&["check", "cell.toml", "p.csv", "--certificate", "p.ppc"], more].concat(), 0);
    assert!(text.starts_with("free: "), "{text}");
    cell
}

#[test]
fn what_check_writes_is_accepted_however_it_was_asked() {
    for (name, more) in
        [("any", &[][..]), ("first", &["--first"]), ("all", &["--all"]), ("exact", &["--tolerance", "0"])]
    {
        let cell = certified(&format!("verify-{name}"), more);
        let text = cell.output(&["verify", "cell.toml", "p.csv", "p.ppc"], 0);
        assert!(text.starts_with("accepted: "), "{text}");
        let answer = cell.json(&["verify", "cell.toml", "p.csv", "p.ppc"], 0);
        assert_eq!((&answer["accepted"], &answer["segments"], &answer["pairs"]), (&true.into(), &2.into(), &2.into()));
    }
}

#[test]
fn nothing_is_written_for_a_path_that_is_not_free() {
    let cell = Cell::new("verify-none");
    cell.path("p.csv", &[0.0, 1.5]);
    let text = cell.output(&["check", "cell.toml", "p.csv", "--certificate", "p.ppc"], 1);
    assert!(text.contains("p.ppc was not written"), "{text}");
    assert!(!cell.folder.join("p.ppc").exists());
}

#[test]
fn a_certificate_is_refused_for_another_path_scene_or_clearance() {
    let cell = certified("verify-other", &["--clearance", "0.05"]);
    let fault = |scene: &str, path: &str, more: &[&str]| {
        let answer = cell.json(&[&["verify", scene, path, "p.ppc"], more].concat(), 1);
        assert_eq!(answer["accepted"], false);
        answer["fault"].as_str().expect("a fault").to_owned()
    };
    let scene = fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    cell.write("moved.toml", &scene.replace("xyz = [1, 0, 0]", "xyz = [0.85, 0, 0]"));
    cell.path("other.csv", &[-0.5, 0.5, 0.85]);
    assert_eq!(fault("moved.toml", "p.csv", &[]), "other_scene");
    assert_eq!(fault("cell.toml", "other.csv", &[]), "other_path");
    assert_eq!(fault("cell.toml", "p.csv", &["--clearance", "0.06"]), "clearance");
    let text = cell.output(&["verify", "cell.toml", "other.csv", "p.ppc"], 1);
    assert!(text.starts_with("refused: it is for another path: waypoint 2 differs"), "{text}");
    // The body is named.
    let message = |scene: &str| cell.output(&["verify", scene, "p.csv", "p.ppc"], 1);
    let text = message("moved.toml");
    assert!(text.starts_with("refused: it is for another scene: the body \"wall\" is not the same\n"), "{text}");
    cell.write("renamed.toml", &scene.replace("\"wall\"", "\"shelf\"").replace("[1, 0, 0]", "[1.1, 0, 0]"));
    let text = message("renamed.toml");
    let told =
        "the body \"wall\" of the certificate not in the scene; the body \"shelf\" of the scene not in the certificate";
    assert!(text.contains(told), "{text}");
    cell.write(
        "both.toml",
        &scene.replace("xyz = [1, 0, 0]", "xyz = [0.85, 0, 0]").replace("-0.8, 0, 0", "-0.9, 0, 0"),
    );
    assert!(
        message("both.toml").contains("the bodies \"wall\", \"post\" are not the same"),
        "{}",
        message("both.toml")
    );
    // What it states is more than what is asked for.
    assert!(cell.output(&["verify", "cell.toml", "p.csv", "p.ppc", "--clearance", "0.02"], 0).starts_with("accepted"));
}

#[test]
fn show_prints_all_of_a_certificate_as_one_object() {
    let cell = certified("verify-show", &[]);
    let text = cell.output(&["certificate", "show", "p.ppc"], 0);
    let shown: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&shown["schema"], &shown["version"]), (&1.into(), &3.into()));
    assert_eq!(shown["hashes"]["bodies"].as_array().map(Vec::len), Some(3));
    assert_eq!(shown["waypoints"], serde_json::json!([[-0.5], [0.5], [0.8]]));
    assert_eq!(shown["bodies"], serde_json::json!(["r/ball", "wall", "post"]));
    assert_eq!(shown["segments"].as_array().map(Vec::len), Some(2));
    assert_eq!(shown["hashes"]["geometry"].as_str().map(str::len), Some(64));
    assert!(shown["assumptions"].as_array().is_some_and(|list| list.len() >= 4));
}

/// `verify` accepted a header that stated 5 m of clearance, and `certificate show` printed them.
#[test]
fn a_clearance_that_is_stated_and_not_proven_is_refused_and_not_printed() {
    let cell = certified("verify-header", &[]);
    let file = cell.folder.join("p.ppc");
    let mut proof = Certificate::parse(&fs::read(&file).expect("the certificate")).expect("whole bytes");
    Arc::make_mut(&mut proof.scene).clearance = 5.0;
    fs::write(&file, proof.to_bytes()).expect("written");
    let answer = cell.json(&["verify", "cell.toml", "p.csv", "p.ppc"], 1);
    assert_eq!((&answer["accepted"], &answer["fault"]), (&false.into(), &"header".into()));
    let shown = cell.output(&["certificate", "show", "p.ppc"], 0);
    assert!(!shown.contains("5.0"), "{shown}");
}

#[test]
fn files_that_are_no_certificates_end_with_2_and_one_line() {
    let cell = certified("verify-damaged", &[]);
    let bytes = fs::read(cell.folder.join("p.ppc")).expect("the certificate");
    let broken: [(&str, Vec<u8>); 4] = [
        ("it ends early", bytes[..12].to_vec()),
        ("it is not a certificate", b"solid".to_vec()),
        ("it is damaged", bytes[..bytes.len() - 1].to_vec()),
        ("it has version 4", [&bytes[..8], &[4, 0, 0, 0], &bytes[12..]].concat()),
    ];
    for (problem, content) in broken {
        fs::write(cell.folder.join("b.ppc"), content).expect("written");
        for arguments in [&["verify", "cell.toml", "p.csv", "b.ppc"][..], &["certificate", "show", "b.ppc"]] {
            let message = cell.refusal(arguments);
            assert!(message.starts_with("pathproof: b.ppc: ") && message.contains(problem), "{problem}: {message}");
            assert_eq!(message.lines().count(), 1);
        }
    }
    assert!(cell.refusal(&["verify", "cell.toml", "p.csv", "none.ppc"]).contains("none.ppc: cannot open it"));
}
