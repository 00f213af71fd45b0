//! `pathproof check` with several paths, for CI, and with objects that are picked up and put down between them.

use crate::cell::Cell;
use serde_json::{Value, json};

fn verdicts(answers: &[Value]) -> Vec<&str> {
    answers.iter().map(|answer| answer["verdict"].as_str().expect("a verdict")).collect()
}

fn prepared(test: &str) -> Cell {
    let cell = Cell::new(test);
    cell.path("free.csv", &[0.0, 0.5]);
    // In contact with the wall all along, and 40 mm from it all along.
    cell.path("wall.csv", &[0.95, 0.96]);
    cell.path("near.csv", &[0.85, 0.851]);
    cell
}

const CLOSE: [&str; 2] = ["--clearance", "0.05"];

#[test]
fn every_path_is_answered_and_the_status_is_0_only_if_all_are_free() {
    let cell = prepared("several");
    let answers = cell.lines(&[&["check", "cell.toml", "free.csv", "wall.csv", "near.csv"][..], &CLOSE].concat(), 1);
    assert_eq!(verdicts(&answers), ["free", "collision", "too_close"]);
    let names: Vec<&str> = answers.iter().map(|answer| answer["path"].as_str().expect("a name")).collect();
    assert_eq!(names, ["free.csv", "wall.csv", "near.csv"]);
    assert_eq!(verdicts(&cell.lines(&["check", "cell.toml", "free.csv", "free.csv"], 0)), ["free", "free"]);
    let text = cell.output(&["check", "cell.toml", "free.csv", "wall.csv"], 1);
    assert!(text.starts_with("free.csv: free: proven, no contact\n"), "{text}");
    assert!(
        text.contains("\nwall.csv: collision: r/ball and wall\n") && text.ends_with("2 paths: 1 free, 1 collision\n"),
        "{text}"
    );
    // One path has no name, as before.
    assert!(cell.json(&["check", "cell.toml", "free.csv"], 0).get("path").is_none());
}

#[test]
fn a_bad_path_among_good_ones_leaves_the_others_alone() {
    let cell = prepared("several-bad");
    cell.write("bad.csv", "slide\nx\n");
    let asked = ["check", "cell.toml", "free.csv", "bad.csv", "no.csv", "wall.csv", "--junit", "out.xml"];
    let output = cell.run(&asked);
    let (text, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("pathproof: bad.csv: line 2") && message.lines().count() == 2, "{message}");
    assert!(text.contains("free.csv: free") && text.contains("\nwall.csv: collision"), "{text}");
    assert!(text.contains("\nbad.csv: not checked: bad.csv: line 2"), "{text}");
    assert!(text.ends_with("4 paths: 1 free, 1 collision, 2 not checked\n"), "{text}");
    let xml = std::fs::read_to_string(cell.folder.join("out.xml")).expect("it is written");
    assert!(xml.contains("tests=\"4\" failures=\"1\" errors=\"2\""), "{xml}");
    assert!(xml.contains("<error type=\"input\" message=\"bad.csv: line 2"), "{xml}");
    let output = cell.run(&[&asked[..], &["--json"]].concat());
    let lines: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    assert_eq!((lines.len(), &lines[2]["path"], &lines[3]["verdict"]), (4, &"no.csv".into(), &"collision".into()));
    assert!(lines[1]["error"].as_str().is_some_and(|error| error.starts_with("bad.csv: line 2")), "{}", lines[1]);
    // Where an object changes hands, every path depends on the one before it.
    let held = ["check", "cell.toml", "bad.csv", "--attach", "post=r/ball", "free.csv"];
    assert!(cell.refusal(&held).contains("bad.csv: line 2"));
    // One path alone is refused as before.
    assert!(cell.refusal(&["check", "cell.toml", "bad.csv"]).contains("bad.csv: line 2"));
    for option in ["--profile", "--certificate"] {
        let message = cell.refusal(&["check", "cell.toml", "free.csv", "near.csv", option, "out"]);
        assert!(message.contains("there are 2 paths") && message.contains(option), "{message}");
    }
}

#[test]
fn all_messages_of_a_file_are_checked_and_named() {
    let cell = prepared("several-messages");
    let message = |x: f64| format!("joint_names: [slide]\npoints:\n- positions: [{x}]\n---\n");
    cell.write("t.yaml", &format!("{}{}{}", message(0.5), message(0.95), message(0.2)));
    let answers = cell.lines(&["check", "cell.toml", "t.yaml", "free.csv"], 1);
    assert_eq!(verdicts(&answers), ["free", "collision", "free", "free"]);
    let names: Vec<&str> = answers.iter().map(|answer| answer["path"].as_str().expect("a name")).collect();
    assert_eq!(names, ["t.yaml#0", "t.yaml#1", "t.yaml#2", "free.csv"]);
    let output = cell.run_with_input(&["check", "cell.toml", "-", "--json"], &message(0.5).repeat(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"path\":\"standard input#1\""), "{output:?}");
    // A certificate is for one.
    assert!(cell.refusal(&["verify", "cell.toml", "t.yaml", "no.ppc"]).contains("no.ppc"));
    cell.json(&["check", "cell.toml", "free.csv", "--certificate", "p.ppc"], 0);
    assert!(cell.refusal(&["verify", "cell.toml", "t.yaml", "p.ppc"]).contains("3 paths where one is needed"));
}

#[test]
fn certificates_and_pages_of_several_paths_go_into_a_folder() {
    let cell = prepared("several-folder");
    cell.folder("out");
    let asked = ["check", "cell.toml", "free.csv", "wall.csv", "near.csv", "--certificate", "out/", "--report", "out/"];
    let answers = cell.lines(&asked, 1);
    assert!(answers[1]["warnings"].to_string().contains("out/wall.ppc was not written"), "{}", answers[1]);
    let mut names: Vec<String> = std::fs::read_dir(cell.folder.join("out"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["free.html", "free.ppc", "near.html", "near.ppc", "wall.html"]);
    cell.output(&["verify", "cell.toml", "near.csv", "out/near.ppc"], 0);
    cell.folder("other");
    cell.path("other/free.csv", &[0.0, 0.1]);
    for (arguments, problem) in [
        (["free.csv", "other/free.csv", "--report", "out/"], "free.csv and other/free.csv would both be written to"),
        (["free.csv", "near.csv", "--certificate", "no/"], "the folder no/ does not exist"),
        (["free.csv", "near.csv", "--report", "out.html"], "name a folder with a slash at its end"),
    ] {
        let message = cell.refusal(&[&["check", "cell.toml"][..], &arguments].concat());
        assert!(message.contains(problem), "{message}");
    }
}

/// With a certificate asked for, `--all` and `--first` once answered as if they were not there: JUnit said that every segment
/// of a path that collides passed.
#[test]
fn a_certificate_does_not_change_what_is_reported() {
    let cell = prepared("several-certificate");
    cell.path("twice.csv", &[0.0, -0.9, 0.0, 1.5]);
    for report in ["--all", "--first"] {
        let asked = ["check", "cell.toml", "twice.csv", report];
        let plain = cell.json(&asked, 1);
        let mut answer = cell.json(&[&asked[..], &["--certificate", "no.ppc", "--junit", "out.xml"]].concat(), 1);
        let told = answer["warnings"].as_array_mut().expect("warnings").pop().expect("one");
        assert!(told.as_str().is_some_and(|told| told.contains("was not written")), "{told}");
        for key in ["verdict", "bodies", "segment", "t", "findings", "free_until"] {
            assert_eq!(answer[key], plain[key], "{report}: {key}");
        }
        let xml = std::fs::read_to_string(cell.folder.join("out.xml")).expect("it is written");
        assert!(xml.contains("<failure type="), "{report}: {xml}");
    }
    cell.output(&["check", "cell.toml", "free.csv", "--all", "--certificate", "yes.ppc"], 0);
    cell.output(&["verify", "cell.toml", "free.csv", "yes.ppc"], 0);
}

/// A time that no clock can tell once ended in a panic.
#[test]
fn a_limit_of_all_time_is_none() {
    let cell = prepared("several-for-ever");
    cell.output(&["check", "cell.toml", "free.csv", "--max-seconds", "1e19", "--certificate", "p.ppc"], 0);
    cell.output(&["verify", "cell.toml", "free.csv", "p.ppc", "--max-seconds", "1e19"], 0);
    cell.output(&["smooth", "cell.toml", "free.csv", "-o", "s.csv", "--max-seconds", "1e19"], 0);
}

/// What a CI system reads: well-formed, counted, one failure per case that fails.
#[test]
fn junit_has_a_case_per_path_and_with_all_per_segment() {
    let cell = prepared("several-junit");
    cell.path("a&<b>.csv", &[0.0, -0.9, 0.0, 1.5]);
    let read = |arguments: &[&str], status: i32| {
        cell.output(&[&["check", "cell.toml"], arguments, &["--junit", "out.xml"]].concat(), status);
        std::fs::read_to_string(cell.folder.join("out.xml")).expect("it is written")
    };
    let xml = read(&["free.csv", "wall.csv", "near.csv", CLOSE[0], CLOSE[1]], 1);
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pathproof\" tests=\"3\" failures=\"2\" errors=\"0\""), "{xml}");
    for part in [
        "<testcase classname=\"cell.toml\" name=\"free.csv\" time=\"0.",
        "<failure type=\"collision\" message=\"collision: r/ball and wall, segment 0, t = ",
        "<failure type=\"too_close\" message=\"too close: ",
    ] {
        assert!(xml.contains(part), "{part:?} is not in {xml}");
    }
    assert_eq!((xml.matches("<testcase").count(), xml.matches("<failure").count()), (3, 2));
    let xml = read(&["a&<b>.csv", "--all"], 1);
    assert_eq!((xml.matches("<testcase").count(), xml.matches("<failure").count()), (3, 3));
    assert!(xml.contains("name=\"a&amp;&lt;b&gt;.csv, segment 2\"") && !xml.contains("<b>"), "{xml}");
    let xml = read(&["a&<b>.csv", "--all", "--max-queries", "1"], 1);
    assert!(xml.contains("all of it") && xml.contains("type=\"undecided\""), "{xml}");
    // What was not decided is no pass.
    assert!(xml.contains("skipped=\"") && !xml.contains("skipped=\"0\""), "{xml}");
    let xml = read(&["free.csv", "--max-queries", "0"], 1);
    assert!(xml.contains("<failure type=\"undecided\" message=\"undecided: "), "{xml}");
    assert!(cell.refusal(&["check", "cell.toml", "free.csv", "--junit", "free.csv"]).contains("is also read"));
}

#[test]
fn strict_turns_warnings_into_failure() {
    let cell = prepared("several-strict");
    let point = |x: f64, t: u32| format!("{{\"positions\": [{x}], \"velocities\": [0], \"time_from_start\": {t}}}");
    // Faster than the robot may be.
    let points = [point(0.0, 0), point(0.8, 1)].join(",");
    cell.write("t.json", &format!("{{\"joint_names\": [\"slide\"], \"points\": [{points}]}}"));
    assert_eq!(cell.json(&["check", "cell.toml", "t.json"], 0)["verdict"], "free");
    let answer = cell.json(&["check", "cell.toml", "t.json", "--strict"], 1);
    assert_eq!((&answer["verdict"], answer["warnings"].as_array().map(Vec::len)), (&"free".into(), Some(1)));
    let text = cell.output(&["check", "cell.toml", "t.json", "--strict", "--junit", "out.xml"], 1);
    assert!(text.ends_with("failed: 1 warnings, and --strict was asked for\n"), "{text}");
    let xml = std::fs::read_to_string(cell.folder.join("out.xml")).expect("it is written");
    assert!(
        xml.contains("<failure type=\"warning\" message=\"t.json: ") && xml.contains("<system-out>warning: "),
        "{xml}"
    );
    cell.output(&["check", "cell.toml", "free.csv", "--strict"], 0);
}

#[test]
fn the_scene_is_warned_about_once_for_all_paths() {
    let cell = prepared("several-once");
    cell.write("m.obj", "v 0 1 0\nv 1 1 0\nv 0 2 0\nf 1 2 3\n");
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    cell.write("s.toml", &format!("{scene}[[obstacles]]\nname = \"sheet\"\nmesh = \"m.obj\"\n"));
    let answers = cell.lines(&["check", "s.toml", "free.csv", "free.csv"], 0);
    assert!(answers[0]["warnings"].to_string().contains("sheet (3 open edges)"), "{}", answers[0]);
    assert_eq!(answers[1]["warnings"], json!([]));
    let text = cell.output(&["check", "s.toml", "free.csv", "free.csv"], 0);
    assert_eq!(text.matches("warning: ").count(), 1, "{text}");
}

/// A slide that carries a ball of radius 0.1 m, a rod beside it that it picks up and a wall that only the rod can hit.
fn pick_cell(test: &str) -> Cell {
    let cell = Cell::new(test);
    cell.write(
        "pick.toml",
        "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n\
         [[obstacles]]\nname = \"rod\"\nbox = [0.1, 0.1, 1]\nxyz = [0.5, 0, 0.8]\n\
         [[obstacles]]\nname = \"beam\"\nbox = [0.1, 1, 0.1]\nxyz = [0, 0, 1.2]\n",
    );
    cell.path("approach.csv", &[-0.5, 0.3]);
    cell.path("carry.csv", &[0.3, 1.0]);
    cell.path("under.csv", &[0.3, -0.5]);
    cell.path("leave.csv", &[1.0, 1.5]);
    cell.path("back.csv", &[1.0, -0.5]);
    cell
}

#[test]
fn pick_carry_and_place_are_one_command() {
    let cell = pick_cell("several-pick");
    let attach = ["--attach", "rod=r/ball"];
    // The rod stands at x = 0.5 from z = 0.3 on; the beam hangs at x = 0, z = 1.2.
    assert_eq!(verdicts(&cell.lines(&["check", "pick.toml", "approach.csv", "carry.csv"], 0)), ["free", "free"]);
    let answers = cell.lines(&[&["check", "pick.toml", "approach.csv"][..], &attach, &["under.csv"]].concat(), 1);
    assert_eq!(answers[0]["verdict"], "free");
    assert_ne!(answers[1]["verdict"], "free", "carried under the beam, the rod hits it");
    let mut bodies: Vec<&str> =
        answers[1]["bodies"].as_array().expect("two").iter().filter_map(Value::as_str).collect();
    bodies.sort_unstable();
    assert_eq!(bodies, ["beam", "rod"]);
    let x = answers[1]["configuration"][0].as_f64().expect("a number");
    assert!((-0.301..=-0.099).contains(&x), "the rod is 0.2 m ahead of the ball: {x}");
    // Put down where it is then, it stands at x = 1.2; the way back under the beam is free again.
    let place =
        [&["check", "pick.toml", "approach.csv"][..], &attach, &["carry.csv", "--detach", "rod", "back.csv"]].concat();
    let answers = cell.lines(&place, 0);
    assert_eq!(verdicts(&answers), ["free", "free", "free"]);
    let notes = answers[0]["notes"].to_string();
    for part in
        ["rod moves with r/ball from the start of carry.csv", "rod stays where it is from the start of back.csv"]
    {
        assert!(notes.contains(part), "{notes}");
    }
    assert!(cell.output(&place, 0).contains("note: rod moves with r/ball"));
    // Without putting it down it would have come along.
    let kept = [&["check", "pick.toml", "approach.csv"][..], &attach, &["carry.csv", "back.csv"]].concat();
    assert_ne!(cell.lines(&kept, 1)[2]["verdict"], "free");
}

#[test]
fn what_it_may_touch_counts_while_it_is_attached() {
    let cell = pick_cell("several-touch");
    let scene = std::fs::read_to_string(cell.folder.join("pick.toml")).expect("the scene");
    // The rod reaches down to the beam's height and touches the ball's neighbour: here the beam itself.
    cell.write("touch.toml", &scene.replace("xyz = [0.5, 0, 0.8]\n", "xyz = [0.5, 0, 0.8]\ntouch = [\"beam\"]\n"));
    let held = ["check", "touch.toml", "approach.csv", "--attach", "rod=r/ball", "under.csv"];
    assert_eq!(verdicts(&cell.lines(&held, 0)), ["free", "free"]);
    assert!(cell.output(&["scene", "touch.toml"], 0).contains("`touch` of \"rod\" counts while it is attached"));
}

#[test]
fn hands_change_only_where_paths_meet_and_by_names_that_are_there() {
    let cell = pick_cell("several-hands");
    cell.path("elsewhere.csv", &[0.4, 1.0]);
    let cases: &[(&[&str], &str)] = &[
        (
            &["approach.csv", "--attach", "rod=r/ball", "elsewhere.csv"],
            "approach.csv ends with r/slide at 0.3 and it starts at 0.4",
        ),
        (&["approach.csv", "--attach", "rod=r/ball"], "nothing follows"),
        (&["--attach", "rod", "carry.csv"], "OBJECT=ROBOT/LINK"),
        (&["--attach", "rope=r/ball", "carry.csv"], "no object \"rope\""),
        (&["--attach", "rod=r/claw", "carry.csv"], "no robot has the link \"r/claw\""),
        (&["--attach", "rod=world", "carry.csv"], "no robot has the link \"world\""),
        (&["--attach", "r/ball=r/ball", "carry.csv"], "is a link of a robot"),
        (&["--detach", "rod", "carry.csv"], "is not attached"),
        (&["--attach", "rod=r/ball", "carry.csv", "--certificate", "p.ppc"], "write `attach` there"),
    ];
    for (arguments, problem) in cases {
        let message = cell.refusal(&[&["check", "pick.toml"], *arguments].concat());
        assert!(message.contains(problem) && message.lines().count() == 1, "{problem:?}: {message}");
    }
    // Before the first path it is taken from where that one starts.
    assert_ne!(cell.json(&["check", "pick.toml", "--attach", "rod=r/ball", "under.csv"], 1)["verdict"], "free");
}
