//! `pathproof scene` as a user runs it.

mod cell;

use cell::Cell;

#[test]
fn a_scene_is_described_and_exported() {
    let cell = Cell::new("scene");
    let text = cell.output(&["scene", "cell.toml"], 0);
    for part in ["r/ball", "wall", "post", "r/slide  prismatic [-1, 2]", "pairs checked: 2", "warnings: 0"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let text = cell.output(&["scene", "cell.toml", "--at", "-0.7", "-o", "out.glb"], 0);
    assert!(text.contains("r/ball and post are in contact"), "{text}");
    let file = std::fs::read(cell.folder.join("out.glb")).expect("the file was written");
    assert!(file.starts_with(b"glTF"));
}

#[test]
fn what_cannot_be_shown_is_refused_and_nothing_is_written() {
    let cell = Cell::new("scene-bad");
    let cases: &[(&[&str], &str)] = &[
        (&["no.toml"], "no.toml: cannot open it"),
        (&["cell.toml", "-o", "out.obj"], "ends in .glb"),
        (&["cell.toml", "--at", "3", "-o", "out.glb"], "outside its limits"),
        (&["cell.toml", "--at", "home"], "neither numbers nor a group state"),
    ];
    for (arguments, problem) in cases {
        let message = cell.refusal(&[&["scene"], *arguments].concat());
        assert!(message.contains(problem) && message.lines().count() == 1, "{problem:?}: {message}");
    }
    assert!(!cell.folder.join("out.glb").exists() && !cell.folder.join("out.obj").exists());
    let text = cell.output(&["scene", "cell.toml", "--at", "3", "--ignore-limits"], 0);
    assert!(text.contains("outside its limits"), "{text}");
}
