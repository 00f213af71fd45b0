//! Runs the example.

#[path = "../examples/crossing.rs"]
mod crossing;

#[test]
fn a_crossing_between_samples_is_found() {
    let time = crossing::run().expect("an answer").expect("a collision");
    assert!((time - 1.0).abs() < 0.2, "{time}");
}
