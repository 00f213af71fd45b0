//! `pathproof batch` as a user runs it: a verdict a row, in order, the same bytes for any number of threads.

use crate::cell::Cell;
use serde_json::Value;

const HEADER: &str = "a_slide,b_slide\n";

/// Rows spread over the slide; more than fit one chunk.
fn many_rows(count: u64) -> String {
    let value = |k: u64| -1.0 + 3.0 * (k.wrapping_mul(7919) % 1000) as f64 / 1000.0;
    let rows: Vec<String> = (0..count).map(|k| format!("{},{}\n", value(k), value(k * k + 1))).collect();
    format!("{HEADER}{}", rows.concat())
}

#[test]
fn every_row_is_answered_in_order() {
    let cell = Cell::new("batch-rows");
    cell.write("s.csv", &format!("{HEADER}0,0.5\n0,1.5\n-0.5,0.8\n0.5,-1\n"));
    let text = cell.output(&["batch", "cell.toml", "s.csv"], 0);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "row,verdict,t,body_a,body_b,distance,lower_clearance");
    assert!(lines[1].starts_with("0,free,,,,,0."), "{text}");
    assert!(lines[2].starts_with("1,collision,0.") && lines[2].contains(",r/ball,wall,"), "{text}");
    assert!(lines[3].starts_with("2,free,,,,,0."), "{text}");
    assert!(lines[2].ends_with(',') && lines[4].ends_with(','), "no bound where something was found: {text}");
    assert!(lines[4].starts_with("3,collision,0.") && lines[4].contains(",r/ball,post,"), "{text}");
    assert_eq!(lines.len(), 5);
    let json = cell.output(&["batch", "cell.toml", "s.csv", "--json"], 0);
    let rows: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 4);
    for (k, row) in rows.iter().enumerate() {
        assert_eq!((&row["schema"], &row["row"]), (&1.into(), &k.into()));
        assert!(row["stats"].get("seconds").is_none() && row["stats"]["distance_queries"].is_u64(), "{row}");
    }
    assert_eq!(rows[1]["bodies"], serde_json::json!(["r/ball", "wall"]));
    assert!(rows[0]["lower_clearance"].as_f64().is_some_and(|lower| lower > 0.0 && lower <= 0.39), "{json}");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let cell = Cell::new("batch-threads");
    cell.write("s.csv", &many_rows(9_000));
    for form in [&[][..], &["--json"]] {
        let ask =
            |threads: &str| cell.output(&[&["batch", "cell.toml", "s.csv", "--threads", threads], form].concat(), 0);
        let one = ask("1");
        assert_eq!(one.lines().count(), if form.is_empty() { 9_001 } else { 9_000 });
        assert!(one.contains("free") && one.contains("collision"));
        for (row, line) in one.lines().skip(usize::from(form.is_empty())).enumerate() {
            let start = if form.is_empty() { format!("{row},") } else { format!("{{\"schema\":1,\"row\":{row},") };
            assert!(line.starts_with(&start), "{line}");
        }
        assert!(one == ask("2") && one == ask("4"), "threads change the answer");
    }
}

#[test]
fn batch_and_check_agree() {
    let cell = Cell::new("batch-check");
    cell.write("s.csv", &many_rows(12));
    let json = cell.output(&["batch", "cell.toml", "s.csv", "--json"], 0);
    let segments = many_rows(12);
    for (line, row) in json.lines().zip(segments.lines().skip(1)) {
        let mut batch: Value = serde_json::from_str(line).expect("JSON");
        cell.write("p.csv", &format!("slide\n{}\n", row.replace(',', "\n")));
        let status = i32::from(batch["verdict"] != "free");
        let mut check = cell.json(&["check", "cell.toml", "p.csv", "--any"], status);
        batch.as_object_mut().expect("an object").shift_remove("row");
        check["stats"].as_object_mut().expect("an object").shift_remove("seconds");
        // `check` also looks at the first configuration by itself.
        check["warnings"] = serde_json::json!([]);
        assert_eq!(batch, check);
    }
}

#[test]
fn clearance_and_tolerance_are_those_of_check() {
    let cell = Cell::new("batch-clearance");
    cell.write("s.csv", &format!("{HEADER}0,0.5\n0,0.8\n0.95,0.96\n"));
    let ask = |more: &[&str]| {
        let rows = cell.lines(&[&["batch", "cell.toml", "s.csv"], more].concat(), 0);
        rows.iter().map(|row| row["verdict"].as_str().expect("a verdict").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ask(&[]), ["free", "free", "collision"]);
    assert_eq!(ask(&["--clearance", "0.2"]), ["free", "too_close", "collision"]);
    let row = &cell.lines(&["batch", "cell.toml", "s.csv", "--clearance", "0.2", "--tolerance", "0.01"], 0)[0];
    assert_eq!(
        (&row["clearance"], &row["tolerance"], &row["proven"]["clearance"]),
        (&0.2.into(), &0.01.into(), &0.2.into())
    );
    for (option, problem) in [("--clearance", "--clearance: "), ("--tolerance", "--tolerance: ")] {
        assert!(cell.refusal(&["batch", "cell.toml", "s.csv", option, "nan"]).contains(problem));
    }
}

#[test]
fn a_verdict_that_must_not_be_ends_with_1_and_all_rows_are_answered() {
    let cell = Cell::new("batch-fail");
    cell.write("s.csv", &format!("{HEADER}0.95,0.96\n0,0.8\n0,0.5\n"));
    let ask = |more: &[&str], status: i32| {
        let text = cell.output(&[&["batch", "cell.toml", "s.csv", "--clearance", "0.2"], more].concat(), status);
        assert_eq!(text.lines().count(), 4, "{text}");
    };
    ask(&[], 0);
    ask(&["--fail-on", "collision"], 1);
    ask(&["--fail-on", "too_close"], 1);
    ask(&["--fail-on", "undecided"], 0);
    ask(&["--fail-on", "undecided,collision"], 1);
    ask(&["--fail-on", "undecided", "--fail-on", "too_close"], 1);
    cell.write("s.csv", &format!("{HEADER}0,0.5\n0,0.4\n0,0.3\n"));
    ask(&["--fail-on", "collision,too_close,undecided"], 0);
    assert!(cell.refusal(&["batch", "cell.toml", "s.csv", "--fail-on", "free"]).contains("possible values"));
}

#[test]
fn rows_come_from_standard_input_too() {
    let cell = Cell::new("batch-stdin");
    let output = cell.run_with_input(&["batch", "cell.toml", "-"], &many_rows(5));
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 6);
}

#[test]
fn a_bad_row_far_down_is_refused_before_anything_is_printed() {
    let cell = Cell::new("batch-bad-row");
    cell.write("s.csv", &format!("{}0,nan\n", many_rows(5_000)));
    let message = cell.refusal(&["batch", "cell.toml", "s.csv"]);
    assert!(message.starts_with("pathproof: s.csv: line 5002: \"nan\"") && message.lines().count() == 1, "{message}");
}

#[test]
fn bad_input_is_refused_with_one_message() {
    let cell = Cell::new("batch-bad");
    cell.write("s.csv", &format!("{HEADER}0,3\n"));
    cell.write("header.csv", "slide\n0\n");
    cell.write("empty.csv", HEADER);
    cell.write("half.csv", "a_slide\n0\n");
    let cases: &[(&[&str], &str)] = &[
        (&["cell.toml", "s.csv"], "--ignore-limits"),
        (&["cell.toml", "header.csv"], "a_<column>"),
        (&["cell.toml", "empty.csv"], "no line of values"),
        (&["cell.toml", "half.csv"], "no value for r/slide"),
        (&["cell.toml", "no.csv"], "no.csv: cannot open it"),
        (&["no.toml", "s.csv"], "no.toml: cannot open it"),
    ];
    for (arguments, problem) in cases {
        let message = cell.refusal(&[&["batch"], *arguments].concat());
        assert!(message.contains(problem) && message.lines().count() == 1, "{problem:?}: {message}");
    }
    assert!(cell.refusal(&["batch", "cell.toml", "s.csv", "--threads", "0"]).starts_with("error: "));
    assert!(cell.output(&["batch", "cell.toml", "s.csv", "--ignore-limits"], 0).contains("0,collision,"));
}

#[test]
fn lists_of_values_are_the_same_as_a_column_per_joint() {
    let cell = Cell::new("batch-lists");
    let rows = [[0.0, 0.5], [0.0, 0.95], [-0.2, 0.85]];
    let text = |header: &str, of: &dyn Fn(&[f64; 2]) -> String| {
        format!("{header}\n{}\n", rows.iter().map(of).collect::<Vec<_>>().join("\n"))
    };
    cell.write("columns.csv", &text("a_slide,b_slide", &|[a, b]| format!("{a},{b}")));
    cell.write("lists.csv", &text("a,b", &|[a, b]| format!("\"[{a}]\",\"{b}\"")));
    let answer = |file: &str| cell.output(&["batch", "cell.toml", file], 0);
    assert_eq!(answer("lists.csv"), answer("columns.csv"));
    let refused = |row: &str| {
        cell.write("bad.csv", &format!("b,a\n{row}\n"));
        cell.refusal(&["batch", "cell.toml", "bad.csv"])
    };
    assert!(refused("\"0,1\",0").contains("line 2, row 0: 2 values where 1 are needed"));
    assert!(refused("x,0").contains("\"x\" in the list \"x\" is not a number"));
    assert!(refused("nan,0").contains("not a finite number"));
    assert!(refused("9,0").contains("outside its limits"));
    assert!(refused("0,1,2").contains("lists stand in quotes"));
}

/// A scratch was made for every thread, which took half a minute for one row.
#[test]
fn more_threads_than_the_machine_can_use_are_not_made() {
    let cell = Cell::new("batch-most-threads");
    cell.write("s.csv", &many_rows(1));
    cell.path("p.csv", &[0.0, 0.5]);
    for arguments in [&["batch", "cell.toml", "s.csv"][..], &["check", "cell.toml", "p.csv", "--any"]] {
        let few = cell.output(&[arguments, &["--threads", "2"]].concat(), 0);
        let many = cell.run(&[arguments, &["--threads", "1000000000"]].concat());
        let message = String::from_utf8_lossy(&many.stderr);
        assert!(message.starts_with("note: --threads 1000000000: ") && message.lines().count() == 1, "{message}");
        let verdict = |text: &str| text.lines().nth(1).map(str::to_owned);
        assert_eq!(verdict(&String::from_utf8_lossy(&many.stdout)), verdict(&few));
    }
}
