//! `plan` and `smooth` as a user runs them: in the small cell, where the answers are known by hand, and in one with two
//! slides in which there is something to plan.

use std::fs;

use crate::cell::Cell;
use serde_json::Value;

/// A ball of radius 0.1 on two slides of 2 m, and a wall across x = 0 that ends at y = 0.5.
fn two_slides(test: &str) -> Cell {
    let cell = Cell::new(test);
    let joint = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name='{name}' type='prismatic'><parent link='{parent}'/><child link='{child}'/><axis xyz='{axis}'/>\
             <limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        )
    };
    let urdf = format!(
        "<robot name='r'><link name='rail'/><link name='cart'/><link name='ball'><collision><geometry>\
         <sphere radius='0.1'/></geometry></collision></link>{}{}</robot>",
        joint("x", "rail", "cart", "1 0 0"),
        joint("y", "cart", "ball", "0 1 0")
    );
    cell.write("two.urdf", &urdf);
    cell.write(
        "two.toml",
        "[[robots]]\nname = \"r\"\nurdf = \"two.urdf\"\n[[obstacles]]\nname = \"wall\"\nbox = [0.02, 2, 1]\nxyz = [0, -0.5, 0]\n",
    );
    cell
}

const PLAN: [&str; 7] = ["plan", "two.toml", "--start", "-0.6,-0.5", "--goal", "0.6,-0.5", "-o"];

fn plan<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&PLAN, &[out][..], more].concat()
}

fn read(cell: &Cell, name: &str) -> String {
    fs::read_to_string(cell.folder.join(name)).expect("the file was written")
}

#[test]
fn a_plan_is_written_checked_and_verified_by_every_planner() {
    let cell = two_slides("plan");
    for planner in ["a-sbl", "rrt-connect"] {
        let answer = cell.json(&plan("p.csv", &["--planner", planner, "--certificate", "p.ppc"]), 0);
        assert_eq!(
            (&answer["found"], &answer["proven"], &answer["planner"]),
            (&true.into(), &true.into(), &planner.into())
        );
        assert!(answer["lower_clearance"].as_f64().unwrap() > 0.0 && answer["warnings"] == Value::Array(vec![]));
        let text = read(&cell, "p.csv");
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!((rows[0], rows[1], *rows.last().unwrap()), ("r/x,r/y", "-0.6,-0.5", "0.6,-0.5"));
        assert_eq!(rows.len() as u64, 1 + answer["waypoints"].as_u64().unwrap());
        cell.output(&["check", "two.toml", "p.csv"], 0);
        cell.output(&["verify", "two.toml", "p.csv", "p.ppc"], 0);
        // The same seed gives the same bytes, another one another path.
        cell.json(&plan("again.csv", &["--planner", planner]), 0);
        assert_eq!(read(&cell, "again.csv"), text);
        cell.json(&plan("other.csv", &["--planner", planner, "--seed", "2"]), 0);
        assert_ne!(read(&cell, "other.csv"), text);
    }
    let answer = cell.json(&plan("s.csv", &["--planner", "sbl", "--step", "0.02"]), 0);
    assert_eq!((&answer["proven"], &answer["step"]), (&false.into(), &0.02.into()));
    assert!(answer["warnings"][0].as_str().unwrap().contains("nothing is proven"));
    let text = cell.output(&plan("t.csv", &[]), 0);
    assert!(text.starts_with("found: a path of ") && text.contains("proven free"), "{text}");
}

#[test]
fn clearance_is_kept() {
    let cell = two_slides("plan-clearance");
    let answer = cell.json(&plan("p.csv", &["--clearance", "0.2"]), 0);
    assert!(answer["lower_clearance"].as_f64().unwrap() >= 0.2);
    cell.output(&["check", "two.toml", "p.csv", "--clearance", "0.2"], 0);
    // 0.5 m of room between the wall's end and the limit, a ball of radius 0.1: no way with 0.45 of clearance.
    let answer = cell.json(&plan("q.csv", &["--clearance", "0.45", "--max-steps", "300"]), 1);
    assert_eq!((&answer["found"], &answer["limit"]), (&false.into(), &"steps".into()));
    assert_eq!(answer["stats"]["steps"], 300);
    assert!(answer["nearest"].as_f64().unwrap() > 0.0 && !cell.folder.join("q.csv").exists());
    let text = cell.output(&plan("q.csv", &["--clearance", "0.45", "--max-seconds", "0"]), 1);
    assert!(text.starts_with("not found: the time allowed"), "{text}");
}

#[test]
fn any_of_several_goals_will_do() {
    let cell = two_slides("plan-goals");
    cell.write("goals.csv", "x,y\n0,-0.5\n0.6,-0.5\n0.6,0.9\n");
    let arguments = ["plan", "two.toml", "--start", "-0.6,-0.5", "--goal", "goals.csv", "-o", "p.csv"];
    let answer = cell.json(&arguments, 0);
    assert_eq!(answer["warnings"][0], "1 of 3 goals are not free and left out");
    let last = read(&cell, "p.csv").lines().last().unwrap().to_owned();
    assert!(["0.6,-0.5", "0.6,0.9"].contains(&&*last), "{last}");
}

#[test]
fn a_region_is_reached_with_all_of_the_geometry() {
    let cell = two_slides("plan-region");
    for planner in [&[][..], &["--planner", "a-sbl"], &["--planner", "random-walk"]] {
        let region = ["plan", "two.toml", "--start", "-0.6,-0.5", "--goal-region", "r/* x>0.3", "-o", "p.csv"];
        let answer = cell.json(&[&region, planner].concat(), 0);
        assert_eq!(answer["planner"], *planner.get(1).unwrap_or(&"rrt-connect"));
        let last = read(&cell, "p.csv").lines().last().unwrap().to_owned();
        let x: f64 = last.split(',').next().unwrap().parse().unwrap();
        assert!(x > 0.4, "the ball's radius counts: {x}");
        cell.output(&["check", "two.toml", "p.csv"], 0);
    }
}

/// Only a walk measures in metres how far it is from a region; where no root is drawn there is no path, and nothing wrong
/// with the input.
#[test]
fn a_region_that_is_not_reached_is_told_in_its_unit() {
    let cell = two_slides("plan-no-region");
    let region = |region: &'static str| {
        ["plan", "two.toml", "--start", "-0.6,-0.5", "--goal-region", region, "-o", "p.csv", "--max-steps", "1"]
    };
    let tree = cell.json(&[&region("r/* x>0.3")[..], &["--planner", "rrt-connect"]].concat(), 1);
    assert_eq!((&tree["nearest_in"], &tree["limit"]), (&"ranges".into(), &"steps".into()));
    let walk = cell.json(&[&region("r/* x>0.3")[..], &["--planner", "random-walk"]].concat(), 1);
    assert_eq!(walk["nearest_in"], "metres");
    // Where no root is drawn, a walk is what is left.
    let walk = cell.json(&region("r/* x>0.95"), 1);
    assert_eq!((&walk["planner"], &walk["limit"]), (&"random-walk".into(), &"steps".into()), "{walk}");
    assert!(walk["notes"].to_string().contains("random-walk was taken instead"), "{walk}");
    let none = cell.json(&[&region("r/* x>0.95")[..], &["--planner", "a-sbl"]].concat(), 1);
    assert_eq!((&none["found"], &none["limit"]), (&false.into(), &"no_root".into()));
    let text = cell.output(&[&region("r/* x>0.95")[..], &["--planner", "a-sbl"]].concat(), 1);
    assert!(text.starts_with("not found: of 20000 configurations drawn none"), "{text}");
}

/// The range of a joint without limits follows from the path that was given, not from what is left of it.
#[test]
fn lengths_before_and_after_are_on_one_scale() {
    let cell = two_slides("smooth-scale");
    let urdf = "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='0.1'/></geometry>\
                </collision></link><joint name='t' type='continuous'><parent link='a'/><child link='b'/>\
                <axis xyz='0 0 1'/></joint></robot>";
    cell.write("turn.urdf", urdf);
    cell.write(
        "turn.toml",
        "[[robots]]\nname = \"r\"\nurdf = \"turn.urdf\"\n[[obstacles]]\nname = \"o\"\nsphere = 1\nxyz = [9,0,0]\n",
    );
    cell.write("p.csv", "t\n0\n10\n0.1\n");
    let answer = cell.json(&["smooth", "turn.toml", "p.csv", "-o", "s.csv"], 0);
    let length = |key: &str| answer[key].as_f64().expect("a length");
    assert!((length("length") / length("length_before") - 0.1 / 19.9).abs() < 1e-9, "{answer}");
}

#[test]
fn a_page_shows_what_was_planned_and_smoothed() {
    let cell = two_slides("plan-page");
    cell.output(&plan("p.csv", &["--report", "p.html", "--certificate", "p.ppc"]), 0);
    let page = read(&cell, "p.html");
    assert!(page.contains("written to p.ppc") && page.contains("free: proven"), "the page of plan");
    cell.output(&["smooth", "two.toml", "p.csv", "-o", "s.csv", "--report", "s.html"], 0);
    assert!(read(&cell, "s.html").contains("free: proven"), "the page of smooth");
    assert!(cell.refusal(&plan("p.csv", &["--report", "p.csv"])).contains("also written by"));
}

#[test]
fn a_smoothed_path_is_shorter_and_proven() {
    let cell = two_slides("smooth");
    cell.write("p.csv", "x,y\n-0.6,-0.5\n-0.9,0.9\n-0.3,0.8\n0.2,0.95\n0.9,0.2\n0.6,-0.5\n");
    let answer = cell.json(&["smooth", "two.toml", "p.csv", "-o", "s.csv", "--certificate", "s.ppc"], 0);
    assert_eq!((&answer["proven"], &answer["end"]), (&true.into(), &"converged".into()));
    let length = |key: &str| answer[key].as_f64().unwrap();
    // Straight lines around the corner at a radius of 0.1: 1.22 m each and an arc, over a range of 2 m.
    assert!(length("length") < 0.8 * length("length_before") && length("length") > 1.2, "{answer}");
    let text = read(&cell, "s.csv");
    assert_eq!((text.lines().nth(1), text.lines().last()), (Some("-0.6,-0.5"), Some("0.6,-0.5")));
    cell.output(&["check", "two.toml", "s.csv"], 0);
    cell.output(&["verify", "two.toml", "s.csv", "s.ppc"], 0);
    cell.json(&["smooth", "two.toml", "p.csv", "-o", "again.csv"], 0);
    assert_eq!(read(&cell, "again.csv"), text);
    let answer = cell.json(&["smooth", "two.toml", "p.csv", "-o", "few.csv", "--steps", "7", "--clearance", "0.01"], 0);
    assert_eq!((&answer["end"], &answer["stats"]["steps"]), (&"steps".into(), &7.into()));
    cell.output(&["check", "two.toml", "few.csv", "--clearance", "0.01"], 0);
}

#[test]
fn ends_that_are_not_free_are_refused_with_what_is_free_nearby() {
    let cell = two_slides("plan-refusals");
    let from =
        |start: &str, goal: &str| cell.refusal(&["plan", "two.toml", "--start", start, "--goal", goal, "-o", "p.csv"]);
    let message = from("-0.105,-0.5", "0.6,-0.5");
    for part in ["the start is not free: r/ball and wall are in contact", "a free configuration was found nearby"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(from("-0.6,-0.5", "0,0").contains("the goal is not free: r/ball and wall"));
    assert!(from("-0.6,-1.5", "0.6,0").contains("r/y\" is -1.5, outside its limits [-1, 1]"));
    cell.write("through.csv", "x,y\n-0.6,-0.5\n0.6,-0.5\n");
    let text = cell.output(&["smooth", "two.toml", "through.csv", "-o", "s.csv"], 1);
    assert!(text.starts_with("not smoothed: the path is not free: "), "{text}");
    assert!(text.contains("r/ball and wall, segment 0"), "{text}");
    let answer = cell.json(&["smooth", "two.toml", "through.csv", "-o", "s.csv"], 1);
    assert_eq!((&answer["proven"], &answer["verdict"]), (&false.into(), &"collision".into()));
    assert!(!cell.folder.join("p.csv").exists() && !cell.folder.join("s.csv").exists());
}

/// A path whose proof the time did not suffice for was called "not free".
#[test]
fn a_path_that_is_not_decided_in_time_is_told_so() {
    let cell = two_slides("smooth-no-time");
    cell.write("p.csv", "x,y\n-0.6,-0.5\n-0.9,0.9\n0.6,0.9\n");
    let arguments = ["smooth", "two.toml", "p.csv", "-o", "s.csv", "--max-seconds", "0"];
    let text = cell.output(&arguments, 1);
    assert!(text.starts_with("not smoothed: whether the path is free is not decided: "), "{text}");
    assert_eq!(cell.json(&arguments, 1)["verdict"], "undecided");
    assert!(!cell.folder.join("s.csv").exists());
}

/// A start that is the goal, values outside limits, and files that are read and written at once.
#[test]
fn ends_of_all_sorts_are_taken_or_refused() {
    let cell = two_slides("plan-ends");
    let home = "-0.6,-0.5";
    for planner in ["a-sbl", "rrt-connect", "sbl"] {
        let answer =
            cell.json(&["plan", "two.toml", "--start", home, "--goal", home, "--planner", planner, "-o", "p.csv"], 0);
        assert_eq!((&answer["waypoints"], answer["length"].as_f64()), (&2.into(), Some(0.0)), "{planner}");
    }
    cell.write("goals.csv", "x,y\n0.6,-0.5\n0.6,1.5\n");
    let outside = cell.refusal(&["plan", "two.toml", "--start", home, "--goal", "goals.csv", "-o", "q.csv"]);
    assert!(outside.contains("r/y") && outside.contains("outside its limits"), "{outside}");
    for output in ["goals.csv", "./goals.csv"] {
        let refused = cell.refusal(&["plan", "two.toml", "--start", home, "--goal", "goals.csv", "-o", output]);
        assert!(refused.contains("is also read"), "{refused}");
        let refused = cell.refusal(&["smooth", "two.toml", "goals.csv", "-o", output]);
        assert!(refused.contains("is also read"), "{refused}");
    }
    for region in ["", "r/*", "r/* z<", "r/* z<nan", "q/* z<1", "wall x>0.3", "r/* x>=0", "r/ball x>0;"] {
        let refused = cell.refusal(&["plan", "two.toml", "--start", home, "--goal-region", region, "-o", "q.csv"]);
        assert!(refused.contains("--goal-region: "), "{region}: {refused}");
    }
    assert!(!cell.folder.join("q.csv").exists());
}

/// A planner uses one thread, whatever there are.
#[test]
fn the_number_of_threads_changes_no_byte() {
    let cell = two_slides("plan-threads");
    for threads in ["1", "3"] {
        let file = format!("t{threads}.csv");
        let status =
            cell.command(&plan(&file, &[])).env("RAYON_NUM_THREADS", threads).output().expect("it runs").status;
        assert!(status.success());
    }
    assert_eq!(read(&cell, "t1.csv"), read(&cell, "t3.csv"));
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let cell = two_slides("plan-usage");
    for (more, told) in [
        (&["--step", "0.1"][..], "only sbl and random-walk"),
        (&["--planner", "random-walk"], "takes a region"),
        (&["--planner", "sbl", "--certificate", "p.ppc"], "proves nothing"),
        (&["--planner", "sbl", "--step", "0"], "not a fraction"),
        (&["--goal-region", "r/* x>0"], "cannot be used with"),
        (&["--max-seconds", "-1"], "--max-seconds"),
        (&["--tolerance", "-1"], "--tolerance"),
        (&["--certificate", "p.csv"], "also written by"),
    ] {
        let message = cell.refusal(&plan("p.csv", more));
        assert!(message.contains(told), "{more:?}: {message}");
    }
    assert!(cell.refusal(&plan("p.txt", &[])).contains("written as .csv"));
    assert!(cell.refusal(&plan("two.toml", &[])).contains(".csv"));
    let region = ["plan", "two.toml", "--start", "0,0", "--goal-region", "r/* w<1", "-o", "p.csv"];
    assert!(cell.refusal(&region).contains("not x, y or z"));
    let unbounded = "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='0.1'/></geometry>\
                     </collision></link><joint name='f' type='floating'><parent link='a'/><child link='b'/></joint></robot>";
    cell.write("free.urdf", unbounded);
    cell.write(
        "free.toml",
        "[[robots]]\nname = \"r\"\nurdf = \"free.urdf\"\n[[obstacles]]\nname = \"o\"\nsphere = 1\nxyz = [9,0,0]\n",
    );
    let floating = ["plan", "free.toml", "--start", "0,0,0,0,0,0,1", "--goal", "1,0,0,0,0,0,1", "-o", "p.csv"];
    let message = cell.refusal(&floating);
    assert!(message.contains("r/f.x") && message.contains("bounds"), "{message}");
}

/// Ctrl-C ends smoothing with the best path so far, and planning without a path.
#[cfg(unix)]
#[test]
fn an_interruption_returns_what_there_is() {
    use std::io::Read as _;
    use std::process::{Command, Stdio};
    let cell = two_slides("interrupt");
    cell.write("p.csv", "x,y\n-0.6,-0.5\n-0.9,0.9\n-0.3,0.8\n0.2,0.95\n0.9,0.2\n0.6,-0.5\n");
    let interrupted = |arguments: &[&str]| {
        // A program that does not listen yet is ended by the signal: it is started again and given more time.
        for tries in 0..12 {
            let mut child = cell.command(arguments).stdout(Stdio::piped()).spawn().expect("the program starts");
            std::thread::sleep(std::time::Duration::from_millis(50 << tries));
            let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
            assert!(sent.success());
            let mut text = String::new();
            child.stdout.take().expect("piped").read_to_string(&mut text).expect("text");
            if let Some(code) = child.wait().expect("it ends").code() {
                return (code, text);
            }
        }
        panic!("it never listened")
    };
    let (status, text) = interrupted(&["smooth", "two.toml", "p.csv", "-o", "s.csv", "--steps", "100000000000"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("ended by an interruption"), "{text}");
    cell.output(&["check", "two.toml", "s.csv"], 0);
    // What is quickly made is made; a page that takes longer is left out, and a warning says so.
    let asked = ["smooth", "two.toml", "p.csv", "-o", "s.csv", "--steps", "100000000000", "--certificate", "s.ppc"];
    let (status, text) = interrupted(&[&asked[..], &["--report", "s.html"]].concat());
    assert_eq!(status, 0, "{text}");
    cell.output(&["verify", "two.toml", "s.csv", "s.ppc"], 0);
    assert_ne!(cell.folder.join("s.html").exists(), text.contains("s.html was not written: interrupted"), "{text}");
    let (status, text) = interrupted(&plan("p2.csv", &["--clearance", "0.45"]));
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("not found: an interruption") && !cell.folder.join("p2.csv").exists(), "{text}");
}

/// The configurations of one long edge took any time.
#[test]
fn a_fine_step_does_not_outlast_the_time_allowed() {
    let cell = two_slides("plan-fine");
    let asked = ["plan", "two.toml", "--start", "-0.6,-0.5", "--goal", "0.6,0.9", "-o", "p.csv", "--planner", "sbl"];
    let answer = cell.json(&[&asked[..], &["--step", "1e-9", "--max-seconds", "0.2"]].concat(), 1);
    assert_eq!((&answer["found"], &answer["limit"]), (&false.into(), &"seconds".into()), "{answer}");
}

/// "waypoints 5, from 4" read as if some had been taken away, and "at least 0 m everywhere" stood beside "proven free".
#[test]
fn words_do_not_contradict_each_other() {
    let cell = Cell::new("planning-words");
    cell.path("p.csv", &[0.0, 0.4, 0.2, 0.889_999_9]);
    let smooth = ["smooth", "cell.toml", "p.csv", "-o", "out.csv", "--tolerance", "0"];
    let text = cell.output(&smooth, 0);
    for part in [
        "smoothed: proven free, ",
        " before)\n",
        "  waypoints      2 (4 before)\n",
        "  clearance      more than 0 m everywhere\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    cell.path("p.csv", &[0.0, 0.4]);
    let text = cell.output(&smooth, 0);
    assert!(
        text.contains("  clearance      at least 0.48") || text.contains("  clearance      at least 0.49 m"),
        "{text}"
    );
}
