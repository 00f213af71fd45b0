//! `pathproof demo` as a user runs it, anywhere.

use crate::cell::Cell;

/// The text without what differs from run to run: the word before every `ms`.
fn without_times(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_time = |k: usize| words.get(k + 1).is_some_and(|next| next.starts_with("ms"));
    (0..words.len()).map(|k| if is_time(k) { "T " } else { words[k] }).collect()
}

#[test]
fn the_demo_shows_a_collision_that_sampling_misses_a_proof_and_a_verified_way_around_and_repeats_itself() {
    let cell = Cell::new("demo");
    let text = cell.output(&["demo"], 0);
    let of = |section: usize, who: &str| {
        let section = text.split("\n\n").nth(section).unwrap_or_else(|| panic!("a section is missing: {text}"));
        let line = section.lines().find(|line| line.trim_start().starts_with(who));
        line.unwrap_or_else(|| panic!("{who:?} is missing: {text}"))
    };
    assert!(of(1, "sampling every 0.05 rad").contains(" free "), "{text}");
    assert!(of(1, "pathproof").contains(" collision "), "{text}");
    assert!(of(1, "arm/").contains(" hits bar_"), "{text}");
    assert!(of(2, "sampling every 0.05 rad").contains(" free "), "{text}");
    assert!(of(2, "pathproof").contains(" free "), "{text}");
    assert!(of(2, "with 2").contains("mm of clearance") && of(2, "with 2").contains(" free "), "{text}");
    for (step, said) in [
        ("planned", "waypoints"),
        ("smoothed", "waypoints"),
        ("proof written down", "free, at least 5 mm clear everywhere"),
        ("verified on its own", "accepted"),
    ] {
        assert!(of(3, step).contains(said), "{text}");
    }
    assert_eq!(without_times(&text), without_times(&cell.output(&["demo"], 0)));
}
