//! `pathproof check --profile` as a user runs it: the file, its columns, and what the answer says about it.

use crate::cell::Cell;

/// Segment, interval, bodies, lower and upper bound, and where.
type Row = (usize, [f64; 2], [String; 2], [f64; 2], f64);

fn rows(cell: &Cell, file: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(cell.folder.join(file)).expect("the profile is there");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("segment,t_from,t_to,body_a,body_b,lower,upper,t_upper"));
    let row = |line: &str| {
        let values: Vec<&str> = line.split(',').collect();
        let number = |i: usize| -> f64 { values[i].parse().unwrap_or_else(|_| panic!("{line}")) };
        assert_eq!(values.len(), 8, "{line}");
        let bodies = [values[3].to_owned(), values[4].to_owned()];
        (values[0].parse().expect("a number"), [number(1), number(2)], bodies, [number(5), number(6)], number(7))
    };
    lines.map(row).collect()
}

#[test]
fn a_profile_has_a_line_a_piece_within_the_tolerance() {
    let cell = Cell::new("profile");
    cell.path("p.csv", &[-0.5, 0.5, 0.8]);
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--profile", "out.csv"], 0);
    let rows = rows(&cell, "out.csv");
    // The ball is 0.09 m from the wall at the end and 0.1 m from the post at the start.
    for (segment, obstacle, truth) in [(0, "wall", 0.39), (0, "post", 0.1), (1, "wall", 0.09), (1, "post", 1.1)] {
        let of_pair: Vec<_> = rows.iter().filter(|row| row.0 == segment && row.2 == ["r/ball", obstacle]).collect();
        let least = |i: usize| of_pair.iter().map(|row| row.3[i]).fold(f64::INFINITY, f64::min);
        assert!(least(0) <= truth && truth <= least(1) + 1e-9 && truth - least(0) <= 0.001 + 1e-9, "{of_pair:?}");
        assert_eq!((of_pair[0].1[0], of_pair[of_pair.len() - 1].1[1]), (0.0, 1.0));
        assert!(of_pair.windows(2).all(|two| two[0].1[1] == two[1].1[0]));
        for (_, [from, to], _, [lower, upper], t) in &of_pair {
            assert!(upper - lower <= 0.001 && (from..=to).contains(&t), "{of_pair:?}");
            let x = if segment == 0 { -0.5 + t } else { 0.5 + 0.3 * t };
            let distance = if obstacle == "wall" { 0.89 - x } else { x + 0.6 };
            assert!((upper - distance).abs() < 1e-9, "{of_pair:?}");
        }
    }
    let lower = answer["lower_clearance"].as_f64().expect("a number");
    assert!((0.089 - 1e-9..=0.09).contains(&lower), "{answer}");
    let profile = &answer["profile"];
    assert_eq!((&profile["pieces"], &profile["complete"]), (&rows.len().into(), &true.into()));
    assert_eq!(profile["nearest"]["bodies"], serde_json::json!(["r/ball", "wall"]));
    let text = cell.output(&["check", "cell.toml", "p.csv", "--profile", "out.csv"], 0);
    assert!(text.contains("smallest") && text.contains("pieces in out.csv"), "{text}");
}

#[test]
fn a_path_that_collides_has_a_profile_with_its_depth() {
    let cell = Cell::new("profile-collision");
    cell.path("p.csv", &[0.0, 0.9]);
    assert_eq!(cell.json(&["check", "cell.toml", "p.csv", "--profile", "out.csv"], 1)["verdict"], "collision");
    let deepest = rows(&cell, "out.csv").iter().map(|row| row.3[0]).fold(f64::INFINITY, f64::min);
    assert!((-0.011 - 1e-9..=-0.01 + 1e-9).contains(&deepest), "{deepest}");
}

#[test]
fn a_limit_is_named_and_the_file_is_written() {
    let cell = Cell::new("profile-limit");
    cell.path("p.csv", &[-0.5, 0.5]);
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--max-queries", "0", "--profile", "out.csv"], 1);
    assert!(answer["warnings"].to_string().contains("wider than the tolerance"), "{answer}");
    assert_eq!(answer["profile"]["complete"], false);
    assert_eq!(rows(&cell, "out.csv").len(), 2);
}

#[test]
fn the_same_question_writes_the_same_bytes() {
    let cell = Cell::new("profile-bytes");
    cell.path("p.csv", &[-0.5, 0.7, 0.1]);
    let ask = |file: &str| {
        cell.json(&["check", "cell.toml", "p.csv", "--profile", file], 0);
        std::fs::read(cell.folder.join(file)).expect("the profile is there")
    };
    assert_eq!(ask("one.csv"), ask("two.csv"));
}

/// `lower_clearance` fell out of the proof and was 8.8e-9 where the truth was 21 mm.
#[test]
fn the_smallest_distance_is_given_with_pair_and_place_on_request() {
    let cell = Cell::new("min-distance");
    cell.path("p.csv", &[-0.5, 0.5, 0.8]);
    cell.path("deep.csv", &[0.0, 0.9, 0.0]);
    let answer = cell.json(&["check", "cell.toml", "p.csv", "--min-distance"], 0);
    let smallest = &answer["min_distance"];
    let keys: Vec<&str> = smallest.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["lower", "upper", "segment", "t", "bodies"]);
    let number = |name: &str| smallest[name].as_f64().expect("a number");
    // The ball is nearest to the wall at the end of the path.
    assert!(number("lower") <= 0.09 && number("lower") >= 0.089 - 1e-9 && number("upper") >= 0.09 - 1e-9, "{answer}");
    assert!(number("upper") - number("lower") <= 0.001 && number("t") > 0.9, "{answer}");
    assert_eq!((&smallest["segment"], &smallest["bodies"]), (&1.into(), &serde_json::json!(["r/ball", "wall"])));
    assert_eq!(answer["lower_clearance"], smallest["lower"]);
    let text = cell.output(&["check", "cell.toml", "p.csv", "--min-distance"], 0);
    assert!(text.contains("smallest       between 0.089") && text.contains("r/ball and wall, segment 1"), "{text}");
    // In collision it is the depth of convex pieces, over all paths that are asked about.
    let answers = cell.output(&["check", "cell.toml", "p.csv", "deep.csv", "--min-distance", "--json"], 1);
    let deep: serde_json::Value = serde_json::from_str(answers.lines().nth(1).expect("two lines")).expect("JSON");
    let upper = deep["min_distance"]["upper"].as_f64().expect("a number");
    assert!(deep["verdict"] == "collision" && (-0.01 - 1e-9..=-0.009).contains(&upper), "{deep}");
    let limited = cell.json(&["check", "cell.toml", "p.csv", "--max-queries", "1", "--min-distance"], 1);
    assert!(limited["warnings"].to_string().contains("the smallest distance hold, but are wide"), "{limited}");
}
