//! `pathproof view` and `check --report` as a user runs them: what is in the page, and that nothing else is needed.

mod cell;

use std::io::Read as _;

use base64::Engine as _;
use cell::Cell;
use serde_json::Value;

/// A page, taken apart.
struct Page {
    html: String,
    data: Value,
    blob: Vec<u8>,
}

impl Page {
    fn read(cell: &Cell, file: &str) -> Self {
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
    assert!(page.facts("facts").contains("1 segments, 2 pairs of bodies, at every configuration"));
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
    let told = cell.output(&["view", "cell.toml", "p.csv", "-o", "out.html", "--max-queries", "1"], 0);
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
    for (arguments, says) in [
        (vec!["view", "cell.toml", "p.csv"], "--output"),
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
