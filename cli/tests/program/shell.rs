//! What the program is around its answers: completions, manual pages, help, colour, and silence on pipes.

use crate::cell::Cell;

#[test]
fn completions_are_printed_for_every_shell() {
    let cell = Cell::new("shell-completions");
    for (shell, part) in [("bash", "_pathproof()"), ("zsh", "#compdef pathproof"), ("fish", "complete -c pathproof")] {
        let script = cell.output(&["completions", shell], 0);
        assert!(script.contains(part) && script.contains("allow-empty"), "{shell}");
    }
    assert!(cell.refusal(&["completions", "tcsh"]).contains("possible values"));
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let cell = Cell::new("shell-man");
    // The folder is made.
    let said = cell.output(&["man", "man"], 0);
    assert!(said.contains("pages in man"), "{said}");
    for (page, part) in [
        ("pathproof.1", "pathproof\\-check"),
        ("pathproof-check.1", "\\-\\-junit"),
        ("pathproof-check.1", "Exit status"),
        ("pathproof-batch.1", "\\-\\-fail\\-on"),
        ("pathproof-certificate-show.1", "certificate"),
    ] {
        let text = std::fs::read_to_string(cell.folder.join("man").join(page)).expect(page);
        assert!(text.contains(part), "{part:?} is not in {page}: {text}");
    }
    assert!(cell.refusal(&["man", "cell.toml"]).contains("cell.toml: the folder cannot be made"));
}

#[test]
fn help_says_the_exit_status() {
    let cell = Cell::new("shell-help");
    for command in ["check", "batch", "verify", "scene", "distance", "traffic"] {
        assert!(cell.output(&[command, "--help"], 0).contains("Exit status: 0 "), "{command}");
    }
    assert!(cell.output(&["--help"], 0).contains("2 the input or the usage is wrong"));
}

#[test]
fn colour_is_for_terminals_and_can_be_forced_and_forbidden() {
    let cell = Cell::new("shell-colour");
    cell.path("free.csv", &[0.0, 0.5]);
    cell.path("wall.csv", &[0.0, 1.5]);
    let ask = |variables: &[(&str, &str)], path: &str| {
        let output =
            cell.command(&["check", "cell.toml", path]).envs(variables.iter().copied()).output().expect("it starts");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(!ask(&[], "free.csv").contains('\u{1b}'), "a pipe is no terminal");
    assert!(ask(&[("CLICOLOR_FORCE", "1")], "free.csv").starts_with("\u{1b}[1;32mfree\u{1b}[0m: proven"));
    assert!(ask(&[("CLICOLOR_FORCE", "1")], "wall.csv").starts_with("\u{1b}[1;31mcollision\u{1b}[0m: "));
    assert!(!ask(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], "free.csv").contains('\u{1b}'));
    let json = cell.command(&["check", "cell.toml", "free.csv", "--json"]).env("CLICOLOR_FORCE", "1").output();
    assert!(!String::from_utf8_lossy(&json.expect("it starts").stdout).contains('\u{1b}'));
}

#[test]
fn nothing_but_the_answer_is_written_to_pipes() {
    let cell = Cell::new("shell-progress");
    cell.path("p.csv", &[-0.5, 0.5]);
    let rows: String = (0..5_000).map(|i| format!("0,{}\n", f64::from(i) * 1e-4)).collect();
    cell.write("b.csv", &format!("a_slide,b_slide\n{rows}"));
    // `output` holds standard error to be empty.
    cell.output(&["check", "cell.toml", "p.csv", "--profile", "out.csv"], 0);
    assert_eq!(cell.output(&["batch", "cell.toml", "b.csv"], 0).lines().count(), 5_001);
}

#[test]
fn text_is_rounded_and_json_has_all_digits() {
    let cell = Cell::new("shell-digits");
    cell.path("p.csv", &[1.0 / 3.0, 2.0 / 3.0, 1.5]);
    let text = cell.output(&["check", "cell.toml", "p.csv"], 1);
    let longest = text
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .filter_map(|word| word.split_once('.'))
        .map(|(_, decimals)| decimals.len())
        .max();
    assert!(longest.is_some_and(|digits| digits <= 6), "{text}");
    let answer = cell.json(&["check", "cell.toml", "p.csv"], 1);
    let (t, x) = (answer["t"].as_f64().expect("t"), answer["configuration"][0].as_f64().expect("x"));
    assert!(
        (x - (2.0 / 3.0 + t * (1.5 - 2.0 / 3.0))).abs() < 1e-12 && answer["configuration"][0].to_string().len() > 10,
        "{answer}"
    );
}
