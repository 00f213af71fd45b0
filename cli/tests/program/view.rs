//! `pathproof view` and `check --report` as a user runs them: what is in the page, and that nothing else is needed.

use std::io::Read as _;

use crate::cell::Cell;
use base64::Engine as _;
use serde_json::Value;

/// A page, taken apart.
pub(crate) struct Page {
    html: String,
    pub(crate) data: Value,
    blob: Vec<u8>,
}

impl Page {
    pub(crate) fn read(cell: &Cell, file: &str) -> Self {
        let html = std::fs::read_to_string(cell.folder.join(file)).expect("the page is there");
        let between = |start: &str, end: &str| {
            let rest = html.split_once(start).expect(start).1;
            rest.split_once(end).expect(end).0.to_owned()
        };
        let data = serde_json::from_str(&between("id=\"data\">", "</script>")).expect("the data is JSON");
        let packed = base64::engine::general_purpose::STANDARD
            .decode(between("id=\"blob\">", "</script>"))
            .expect("the block is base64");
        let mut blob = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut blob).expect("the block is compressed");
        Self { html, data, blob }
    }

    /// An array of the block.
    fn numbers(&self, section: &Value) -> Vec<f64> {
        let number = |i: usize| section[i].as_u64().expect("a number") as usize;
        let (start, count) = (number(1), number(2));
        let bytes = |size: usize| self.blob[start..start + size * count].chunks_exact(size);
        match section[0].as_str().expect("a type") {
            "f64" => bytes(8).map(|b| f64::from_le_bytes(b.try_into().expect("8"))).collect(),
            "f32" => bytes(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("4")))).collect(),
            "u32" => bytes(4).map(|b| f64::from(u32::from_le_bytes(b.try_into().expect("4")))).collect(),
            "u16" => bytes(2).map(|b| f64::from(u16::from_le_bytes(b.try_into().expect("2")))).collect(),
            other => panic!("{other}"),
        }
    }

    fn facts(&self, list: &str) -> String {
        self.data[list].to_string()
    }
}

#[test]
fn a_page_needs_nothing_but_itself() {
    let cell = Cell::new("view-alone");
    cell.path("p.csv", &[-0.5, 0.5]);
    let told = cell.output(&["view", "cell.toml", "p.csv", "-o", "out.html"], 0);
    assert!(told.starts_with("free: proven for every configuration of the path\n"), "{told}");
    assert!(told.contains("written: out.html, "), "{told}");
    let page = Page::read(&cell, "out.html");
    assert!(page.html.contains("content=\"default-src 'none'; script-src 'sha256-"));
    for outside in ["src=", "href=", "@import", "url("] {
        let markup = page.html.split("<script>").next().expect("what is before the script");
        assert!(!markup.contains(outside), "{outside}");
    }
    assert_eq!(page.data["verdict"], "free");
    let about = page.facts("about");
    assert!(about.contains("pathproof view cell.toml p.csv -o out.html"), "{about}");
    assert!(about.contains(concat!("pathproof ", env!("CARGO_PKG_VERSION"))), "{about}");
    assert!(page.facts("facts").contains("1 segment, 2 pairs of bodies, at every configuration"));
}

#[test]
fn bounds_in_the_page_hold_everywhere() {
    let cell = Cell::new("view-bounds");
    // The ball at x is 0.89 − x from the wall and x + 0.6 from the post.
    cell.path("p.csv", &[-0.5, 0.5, 0.8]);
    cell.output(&["view", "cell.toml", "p.csv", "-o", "out.html"], 0);
    let page = Page::read(&cell, "out.html");
    let clearance = &page.data["clearance"];
    let x_at = |along: f64| if along <= 1.0 { -0.5 + along } else { 0.5 + 0.3 * (along - 1.0) };
    let truth = |along: f64| (0.89 - x_at(along)).min(x_at(along) + 0.6);
    let (until, lower) = (page.numbers(&clearance["until"]), page.numbers(&clearance["lower"]));
    assert_eq!((until.len(), until.last()), (lower.len(), Some(&2.0)));
    let mut from = 0.0;
    for (until, lower) in until.iter().zip(&lower) {
        assert!(from < *until);
        // The distance is concave along x, so it is least at an end.
        for along in [from, *until] {
            assert!(*lower <= truth(along), "{lower} at {along}: {}", truth(along));
        }
        from = *until;
    }
    let (places, upper) = (page.numbers(&clearance["measured"]), page.numbers(&clearance["upper"]));
    assert!(places.len() > 300 && places.len() == upper.len());
    for (along, upper) in places.iter().zip(&upper) {
        assert!((upper - truth(*along)).abs() < 1e-6 && *upper >= truth(*along) - 1e-12, "{upper} at {along}");
    }
    let first = &page.data["pairs"][0];
    let metres = |name: &str| -> f64 {
        first[name]
            .as_str()
            .and_then(|text| text.strip_suffix(" m"))
            .and_then(|text| text.parse().ok())
            .expect("metres")
    };
    assert!((0.089..=0.09).contains(&metres("lower")) && (0.09..=0.091).contains(&metres("upper")), "{first}");
}

#[test]
fn poses_are_those_of_the_library_and_findings_are_among_them() {
    let cell = Cell::new("view-poses");
    cell.path("p.csv", &[0.0, 0.9]);
    cell.output(&["view", "cell.toml", "p.csv", "-o", "out.html"], 0);
    let page = Page::read(&cell, "out.html");
    let track = &page.data["track"];
    let along = page.numbers(&track["along"]);
    let poses = page.numbers(&track["poses"]);
    assert_eq!(poses.len(), 7 * along.len());
    for (i, along) in along.iter().enumerate() {
        assert!((poses[i] - 0.9 * along).abs() < 1e-6);
    }
    let finding = &page.data["findings"][0];
    assert_eq!(finding["kind"], "collision");
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--all"], 1);
    let t = answer["findings"][0]["t"].as_f64().expect("a place");
    assert_eq!(along[finding["sample"].as_u64().expect("a number") as usize], t);
    assert!(page.html.contains("collision: r/ball and wall"), "the answer as text");
}

#[test]
fn check_writes_the_page_of_its_own_answer() {
    let cell = Cell::new("view-report");
    cell.path("p.csv", &[0.0, 0.5]);
    cell.path("bad.csv", &[0.0, 0.9]);
    let args = ["check", "cell.toml", "p.csv", "--report", "r.html", "--certificate", "p.ppc"];
    assert_eq!(cell.json(&args, 0)["verdict"], "free");
    let page = Page::read(&cell, "r.html");
    assert!(page.facts("facts").contains("`pathproof verify cell.toml p.csv p.ppc`"), "{}", page.facts("facts"));
    // With a profile beside it, from one computation.
    cell.output(&["check", "cell.toml", "bad.csv", "--report", "r.html", "--profile", "p.profile.csv"], 1);
    let page = Page::read(&cell, "r.html");
    assert_eq!(
        (page.data["verdict"].as_str(), page.data["findings"].as_array().map(Vec::len)),
        (Some("collision"), Some(1))
    );
    let refused = cell.run(&["check", "cell.toml", "p.csv", "bad.csv", "--report", "r.html"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--report: there are 2 paths"));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let cell = Cell::new("view-same");
    cell.path("p.csv", &[-0.5, 0.9, 0.2]);
    let bytes = |name: &str| {
        cell.output(&["view", "cell.toml", "p.csv", "-o", name], 0);
        std::fs::read(cell.folder.join(name)).expect("the page")
    };
    let first = bytes("out.html");
    std::fs::remove_file(cell.folder.join("out.html")).expect("it was there");
    assert!(first == bytes("out.html"));
}

#[test]
fn odd_paths_have_a_page_too() {
    let cell = Cell::new("view-odd");
    cell.path("one.csv", &[0.2]);
    cell.path("still.csv", &[0.2, 0.2]);
    cell.write("timed.csv", "time,slide\n100,0\n100,0.1\n103,0.4\n");
    cell.write("stopped.csv", "time,slide\n5,0\n5,0.1\n");
    for (path, waypoints, timed) in [
        ("one.csv", vec![0.0, 1.0], false),
        ("still.csv", vec![0.0, 1.0], false),
        ("timed.csv", vec![0.0, 0.0, 3.0], true),
        ("stopped.csv", vec![0.0, 0.1], false),
    ] {
        cell.output(&["view", "cell.toml", path, "-o", "out.html"], 0);
        let axis = &Page::read(&cell, "out.html").data["axis"];
        assert_eq!(axis["waypoints"], Value::from(waypoints), "{path}");
        assert_eq!(axis["timed"], timed, "{path}");
    }
}

#[test]
fn limits_of_the_user_are_said_in_the_page() {
    let cell = Cell::new("view-limits");
    cell.path("p.csv", &[-0.5, 0.5]);
    let told = cell.output(&["view", "cell.toml", "p.csv", "-o", "out.html", "--max-queries", "0"], 0);
    assert!(told.starts_with("undecided: "), "{told}");
    let page = Page::read(&cell, "out.html");
    assert_eq!(page.data["verdict"], "undecided");
    assert!(page.data["open"].is_array());
    assert!(page.facts("facts").contains("--max-queries ended the refining"), "{}", page.facts("facts"));
}

#[test]
fn what_cannot_be_written_or_read_is_told_before_anything_else() {
    let cell = Cell::new("view-wrong");
    cell.path("p.csv", &[-0.5, 0.5]);
    cell.path("kept.csv", &[-0.5, 0.5]);
    cell.write("kept.html", "<p>kept</p>");
    for (arguments, says) in [
        (vec!["view", "cell.toml", "kept.csv"], "kept.html: the file is there already and is no page of pathproof"),
        (vec!["view", "cell.toml", "p.csv", "-o", "p.csv"], "is also read"),
        (vec!["view", "cell.toml", "p.csv", "-o", "no/such/folder.html"], "folder.html"),
        (vec!["view", "cell.toml", "none.csv", "-o", "out.html"], "none.csv"),
    ] {
        let output = cell.run(&arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(says) && output.stdout.is_empty(), "{message}");
    }
    assert!(!cell.folder.join("out.html").exists());
}

#[test]
fn a_page_without_a_name_is_named_after_the_path() {
    let cell = Cell::new("view-name");
    cell.folder("paths");
    cell.path("paths/p.q.csv", &[-0.5, 0.5]);
    // The second one replaces the first.
    for _ in 0..2 {
        assert!(cell.output(&["view", "cell.toml", "paths/p.q.csv"], 0).contains("written: p.q.html, "));
        assert_eq!(Page::read(&cell, "p.q.html").data["verdict"], "free");
    }
}

#[test]
fn names_cannot_leave_the_data() {
    let cell = Cell::new("view-names");
    cell.path("p.csv", &[-0.5, 0.5]);
    let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the scene");
    cell.write("cell.toml", &scene.replace("\"wall\"", "\"<script>alert(1)\""));
    cell.output(&["view", "cell.toml", "p.csv", "-o", "out.html", "--clearance", "5"], 0);
    let page = Page::read(&cell, "out.html");
    assert!(!page.html.contains("<script>alert"));
    assert!(page.data["bodies"].to_string().contains("<script>alert"));
}

#[test]
fn the_demo_has_a_page_without_any_files() {
    let cell = Cell::new("view-demo");
    cell.output(&["demo", "--report", "demo.html"], 0);
    let page = Page::read(&cell, "demo.html");
    assert_eq!(page.data["verdict"], "collision");
    assert!(page.facts("about").contains("pathproof demo --report demo.html"));
    assert!(page.html.contains("accepted by the verifier"));
}

/// A disc passes another that stands and one that crosses later: distances and time gaps are known.
#[test]
fn bounds_in_the_page_of_traffic_hold_everywhere() {
    let cell = Cell::new("view-traffic");
    let poses: Vec<String> = (0..=10).map(|k| format!("[{}, {}, 0, 0]", k, 2 * k - 10)).collect();
    cell.write(
        "road.json",
        &format!(
            r#"{{"agents": [{{"name": "<b>post", "pose": [0, 4, 0], "shape": {{"disc": 1}}}},
                {{"name": "later", "shape": {{"disc": 1}}, "poses": [[0, 3, -10, 0], [10, 3, 20, 0]]}}],
               "ego": {{"shape": {{"disc": 1}}, "poses": [{}]}}}}"#,
            poses.join(", ")
        ),
    );
    let told = cell.output(&["traffic", "road.json", "--report", "out.html"], 0);
    let page = Page::read(&cell, "out.html");
    assert!(told.contains("free, proven for all times") && page.html.contains(&told), "the answer as text");
    assert!(page.html.contains("<header data-verdict=\"free\">") && !page.html.contains("<b>post"));
    let start = page.data["axis"]["start"].as_f64().expect("a time");
    let times: Vec<f64> = page.data["axis"]["waypoints"]
        .as_array()
        .expect("times")
        .iter()
        .map(|t| start + t.as_f64().expect("a time"))
        .collect();
    let ego = |t: f64| [2.0 * t - 10.0, 0.0];
    let later = |t: f64| [3.0, 3.0 * t - 10.0];
    let apart = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).hypot(p[1] - q[1]) - 2.0;
    let truth = |t: f64| apart(ego(t), [0.0, 4.0]).min(apart(ego(t), later(t)));
    let subject = &page.data["subjects"][0];
    let (places, upper) =
        (page.numbers(&subject["clearance"]["measured"]), page.numbers(&subject["clearance"]["upper"]));
    assert!(places.len() > 300 && places.len() == times.len());
    for (time, upper) in times.iter().zip(&upper) {
        assert!((upper - truth(*time)).abs() < 1e-6 && *upper >= truth(*time) - 1e-12, "{upper} at {time}");
    }
    let gaps = &subject["gaps"];
    let (until, lower) = (page.numbers(&gaps["until"]), page.numbers(&subject["clearance"]["lower"]));
    let (least, most) = (page.numbers(&gaps["lower"]), page.numbers(&gaps["upper"]));
    assert_eq!((until.len(), lower.len(), least.len(), most.len()), (10, 10, 10, 20));
    let mut from = times[0];
    let mut shared = 0;
    for (stretch, until) in until.iter().enumerate() {
        let until = times[*until as usize];
        let steps = |i: usize, n: usize, [a, b]: [f64; 2]| a + (b - a) * i as f64 / n as f64;
        let own: Vec<f64> = (0..=200).map(|i| steps(i, 200, [from, until])).collect();
        let nearest = own.iter().map(|t| truth(*t)).fold(f64::INFINITY, f64::min);
        assert!(lower[stretch] <= nearest && lower[stretch] > nearest - 0.02, "{} {nearest}", lower[stretch]);
        let others: Vec<f64> = (0..=2000).map(|i| steps(i, 2000, [0.0, 10.0])).collect();
        let meets =
            |t: f64| others.iter().filter(move |o| apart(ego(t), later(**o)) <= 0.0).map(move |o| (t - o).abs());
        let gap = own.iter().flat_map(|t| meets(*t)).fold(f64::INFINITY, f64::min);
        assert!(least[stretch] <= gap && most[2 * stretch] == most[2 * stretch + 1]);
        assert!(!gap.is_finite() || (gap - most[2 * stretch]).abs() < 0.05, "{gap} {}", most[2 * stretch]);
        shared += usize::from(gap.is_finite());
        from = until;
    }
    assert!((2..9).contains(&shared), "{shared}");
}

#[test]
fn candidates_and_agents_have_a_page_and_what_proves_nothing_says_so() {
    let cell = Cell::new("view-candidates");
    cell.write(
        "road.json",
        r#"{"agents": [{"name": "crossing", "shape": {"box": [4.5, 2]}, "poses": [[5, 0, -20, 1.57], [7, 0, 20, 1.57]]},
                       {"name": "other", "shape": {"box": [4.5, 2]}, "poses": [[5, -20, 0, 0], [7, 20, 0, 0]]}],
            "ego": {"shape": {"box": [4.5, 2]}}}"#,
    );
    cell.write("fan.csv", "candidate,t,x,y,theta\ngo,5,-20,1,0\ngo,7,20,1,0\nwait,5,-20,9,0\nwait,7,-12,9,0\n");
    cell.output(&["traffic", "road.json", "--ego", "fan.csv", "--report", "out.html", "--time-gap", "0.1"], 0);
    let page = Page::read(&cell, "out.html");
    assert!(
        page.html.contains("1 of 2 free") && page.html.contains("2 trajectories among 2 agents: 1 collision, 1 free")
    );
    let finding = &page.data["subjects"][0]["findings"][0];
    assert_eq!((finding["kind"].as_str(), page.data["axis"]["start"].as_f64()), (Some("collision"), Some(5.0)));
    let sample = finding["sample"].as_u64().expect("a number") as usize;
    let time = 5.0 + page.data["axis"]["waypoints"][sample].as_f64().expect("a time");
    let answer = cell.output(&["traffic", "road.json", "--ego", "fan.csv", "--time-gap", "0.1", "--json"], 0);
    let answer: Value = serde_json::from_str(answer.lines().next().expect("a line")).expect("JSON");
    assert!((time - answer["t"].as_f64().expect("a time")).abs() < 1e-12, "{time} {answer}");
    cell.output(&["traffic", "road.json", "--report", "agents.html", "--method", "trees"], 0);
    let page = Page::read(&cell, "agents.html");
    assert!(page.html.contains("2 agents against each other") && page.html.contains("sampled free"));
    assert!(page.numbers(&page.data["subjects"][0]["clearance"]["until"]).is_empty(), "nothing is proven");
    assert!(page.facts("about").contains("prove nothing"));
}

#[test]
fn the_rows_of_a_distance_are_those_that_are_printed() {
    let cell = Cell::new("view-rows");
    cell.write("poses.csv", "x,y,z,r,p,y\n2,0,0,0,0,0\n1.2,0,0,0,0,0.5\n0.7,0,0,0,0,0\n0,3,0,1,0,0\n");
    let ask = ["distance", "box:1,1,1", "sphere:0.3", "--trajectory", "poses.csv", "--method", "gjk", "--json"];
    let printed = cell.output(&ask, 0);
    let with_page = cell.output(&[&ask[..], &["--report", "out.html"]].concat(), 0);
    assert_eq!(printed, with_page);
    let page = Page::read(&cell, "out.html");
    let bounds = ["lower", "upper"].map(|name| page.numbers(&page.data["clearance"][name]));
    let points = page.numbers(&page.data["points"]);
    for (row, line) in printed.lines().enumerate() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let [lower, upper] = ["lower", "upper"].map(|name| line[name].as_f64().expect("a bound"));
        assert!(bounds[0][row] <= lower && bounds[0][row] > lower - 1e-6, "{row}");
        assert!(bounds[1][row] >= upper && bounds[1][row] < upper + 1e-6, "{row}");
        assert!((points[6 * row] - line["points"][0][0].as_f64().expect("x")).abs() < 1e-6);
    }
    assert_eq!(page.data["findings"].as_array().map(Vec::len), Some(1));
    assert!(page.html.contains("at 1 of 4 rows; nothing is said between rows"));
    let track = page.numbers(&page.data["track"]["poses"]);
    assert_eq!(track[..8], [2.0, 1.2_f32.into(), 0.7_f32.into(), 0.0, 0.0, 0.0, 0.0, 3.0]);
}

#[test]
fn pages_that_cannot_be_are_refused_before_anything_is_answered() {
    let cell = Cell::new("view-refused");
    cell.write("poses.csv", "x,y,z,r,p,y\n2,0,0,0,0,0\n");
    cell.write("road.json", r#"{"agents": [{"name": "a", "pose": [0, 4, 0], "shape": {"disc": 1}}], "ego": {"shape": {"disc": 1}, "poses": [[0, 0, 0, 0]]}}"#);
    for (arguments, says) in [
        (vec!["distance", "sphere:1", "sphere:1", "--report", "out.html"], "--trajectory"),
        (
            vec!["distance", "sphere:1", "sphere:1", "--trajectory", "poses.csv", "--report", "poses.csv"],
            "is also read",
        ),
        (vec!["traffic", "road.json", "--report", "road.json"], "is also read"),
        (vec!["traffic", "road.json", "--report", "no/such/folder.html"], "folder.html"),
    ] {
        let output = cell.run(&arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(says) && output.stdout.is_empty(), "{message}");
    }
    // One instant has a page as well.
    cell.output(&["traffic", "road.json", "--report", "out.html"], 0);
    assert_eq!(Page::read(&cell, "out.html").data["axis"]["waypoints"], Value::from(vec![0.0, 1.0]));
}
