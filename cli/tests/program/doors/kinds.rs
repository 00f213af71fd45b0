//! Every kind of motion, once free and once not, with the least distance that sampling finds.

use super::cells::Place;
use super::oracle::{Point, point, run, run_from, spline};
use serde_json::{Value, json};

/// A motion, its file and the options it is asked with.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) place: Place,
    pub(super) text: String,
    /// Options of every command.
    pub(super) options: &'static [&'static str],
    /// Options that `check` has alone; no other door is asked then.
    pub(super) before: &'static [&'static str],
    pub(super) is_free: bool,
    /// True if a certificate can state it.
    pub(super) is_certifiable: bool,
    /// The least distance of all samples.
    pub(super) least: f64,
    /// Positions of the points where straight lines run between them.
    pub(super) lines: Option<Vec<Vec<f64>>>,
}

impl Kind {
    fn new(name: &'static str, place: Place, points: &[Point]) -> Self {
        Self {
            name,
            place,
            text: message(place, points, true).to_string(),
            options: &[],
            before: &[],
            is_free: true,
            is_certifiable: true,
            least: 0.0,
            lines: None,
        }
        .along(&run(place, points))
    }

    /// With the samples of what runs.
    fn along(self, samples: &[Vec<f64>]) -> Self {
        let distances = samples.iter().map(|q| self.place.distance(q));
        Self { least: distances.fold(f64::INFINITY, f64::min), ..self }
    }

    fn hits(self) -> Self {
        Self { is_free: false, ..self }
    }

    fn without_certificate(self) -> Self {
        Self { is_certifiable: false, ..self }
    }

    fn with(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }

    /// Straight lines between these points.
    fn straight(self, points: &[Point]) -> Self {
        let bare: Vec<Point> = points.iter().map(|p| point(p.time, &p.q)).collect();
        let lines = bare.iter().map(|p| p.q.clone()).collect();
        let samples = run(self.place, &bare);
        Self { lines: Some(lines), ..self.along(&samples) }
    }
}

/// A JointTrajectory.
fn message(place: Place, points: &[Point], has_times: bool) -> Value {
    let shown = |p: &Point| {
        let mut shown = json!({"positions": place.written(&p.q, false)});
        if has_times {
            shown["time_from_start"] = json!(p.time);
        }
        for (key, rates) in [("velocities", &p.v), ("accelerations", &p.a)] {
            if let Some(rates) = rates {
                shown[key] = json!(place.written(rates, true));
            }
        }
        shown
    };
    json!({"joint_names": place.names(), "points": points.iter().map(shown).collect::<Vec<_>>()})
}

/// All of them.
pub(super) fn kinds() -> Vec<Kind> {
    [of_the_slide(), from_a_state(), made_splines(), that_wrap(), of_bases(), of_objects()]
        .into_iter()
        .flatten()
        .collect()
}

fn of_the_slide() -> Vec<Kind> {
    let place = Place::Slide;
    let bow = |v: f64| vec![point(0.0, &[0.0]).v(&[v]), point(2.0, &[0.0]).v(&[-v])];
    let pull = |a: f64| [0.0, 2.0].map(|t| point(t, &[0.0]).v(&[0.0]).a(&[a])).to_vec();
    let line = |xs: &[f64]| xs.iter().zip(0..).map(|(x, t)| point(f64::from(t), &[*x])).collect::<Vec<_>>();
    let kind = |name, points: &[Point]| Kind::new(name, place, points);
    let power = |name, peak: f64| {
        let text = format!(
            "{{\"joint_names\": [\"slide\"], \"basis\": \"power\", \"knots\": [0, 1], \"pieces\": [[[0, {}, {}]]]}}",
            4.0 * peak,
            -4.0 * peak
        );
        let samples: Vec<Vec<f64>> =
            (0..=1000).map(|i| f64::from(i) / 1000.0).map(|t| vec![4.0 * peak * t * (1.0 - t)]).collect();
        Kind { text, ..kind(name, &bow(0.0)).along(&samples).without_certificate() }
    };
    vec![
        kind("lines", &line(&[0.0, 0.8])).straight(&line(&[0.0, 0.8])),
        kind("lines that hit", &line(&[0.0, 0.8, 1.2])).straight(&line(&[0.0, 0.8, 1.2])).hits(),
        kind("cubic", &bow(1.0)),
        kind("cubic that hits", &bow(1.9)).hits(),
        kind("cubic as lines", &bow(1.9)).straight(&bow(1.9)).with(&["--interpolation", "linear"]),
        kind("quintic", &pull(1.0)),
        kind("quintic that hits", &pull(-6.0)).hits(),
        power("polynomials", 0.8),
        power("polynomials that hit", 0.9).hits(),
    ]
}

/// Motions from the current state to a first point in the future, in both versions.
fn from_a_state() -> Vec<Kind> {
    let place = Place::Slide;
    // An older controller runs a cubic from the current state, a newer one a quintic that swings less far.
    let start = |a: f64| vec![point(1.0, &[0.0]).v(&[1.0]).a(&[a]), point(2.0, &[0.5]).v(&[0.0]).a(&[0.0])];
    let rest = |x: f64| point(0.0, &[x]).v(&[0.0]);
    let fast = [point(1.0, &[0.0]).v(&[4.0])];
    let kind = |name, points: &[Point], current: Point| {
        Kind::new(name, place, points).along(&run_from(place, current, points)).without_certificate()
    };
    vec![
        kind("two versions", &start(0.0), rest(0.0)),
        kind("two versions, an older one hits", &start(40.0), rest(0.0)).with(&["--ignore-limits"]).hits(),
        kind("from a state", &start(0.0), point(0.0, &[0.2]).v(&[0.1])).with(&["--from", "0.2;0.1"]),
        kind("from a state that hits", &start(0.0), point(0.0, &[-0.59]).v(&[-0.5]))
            .with(&["--from", "-0.59;-0.5"])
            .hits(),
        kind("from positions", &start(0.0), point(0.0, &[0.3])).with(&["--from", "0.3"]),
        // The line from there is free, the cubic swings back into the post.
        kind("from positions, a newer one hits", &fast, point(0.0, &[-0.58])).with(&["--from", "-0.58"]).hits(),
    ]
}

/// Splines that the program makes of positions.
fn made_splines() -> Vec<Kind> {
    let place = Place::Slide;
    let points =
        |x: f64, first: f64| [0.0, x, x, 0.0].into_iter().zip(0..).map(move |(x, t)| point(first + f64::from(t), &[x]));
    let kind = |name, x: f64, is_at_rest| {
        let points: Vec<Point> = points(x, 0.0).collect();
        Kind::new(name, place, &points).along(&run(place, &spline(&points, is_at_rest)))
    };
    let natural = |name, x| kind(name, x, false).with(&["--interpolation", "natural-cubic"]).without_certificate();
    let upsampled = |name, x| kind(name, x, true).with(&["--interpolation", "upsampled"]);
    let untimed = |name, x: f64| {
        let points: Vec<Point> = points(x, 1.0).collect();
        let text = message(place, &points, false).to_string();
        Kind { text, ..upsampled(name, x) }.with(&["--interpolation", "upsampled", "--policy-frequency", "1"])
    };
    let later = |name, x: f64, from: f64, options| {
        let points: Vec<Point> = points(x, 2.0).collect();
        let samples = run_from(place, point(0.0, &[from]), &spline(&points, true));
        Kind::new(name, place, &points).along(&samples).with(options).without_certificate()
    };
    vec![
        natural("natural spline", 0.7),
        natural("natural spline that hits", 0.85).hits(),
        upsampled("upsampled", 0.7),
        upsampled("upsampled, hits", 0.75).hits(),
        untimed("upsampled without times", 0.7),
        untimed("upsampled without times, hits", 0.75).hits(),
        // From rest to rest the start is the same curve in any version of the controller, once it has the option.
        later("upsampled from elsewhere", 0.7, -0.55, &["--interpolation", "upsampled", "--from", "-0.55"]),
        later("upsampled from elsewhere, hits", 0.7, -0.61, &["--interpolation", "upsampled", "--from", "-0.61"])
            .hits(),
    ]
}

/// Joints that take the shorter way round, from 5 rad apart.
fn that_wrap() -> Vec<Kind> {
    let points = [point(2.0, &[5.5]).v(&[0.1]), point(3.0, &[5.6]).v(&[0.0])];
    let kind = |name, post: f64, is_wrapped: bool| {
        let place = Place::Turn { post };
        let from = if is_wrapped { 0.5 + std::f64::consts::TAU } else { 0.5 };
        let samples = run_from(place, point(0.0, &[from]), &points);
        let options: &[&str] = if is_wrapped { &["--from", "0.5", "--wrap", "turn"] } else { &["--from", "0.5"] };
        Kind::new(name, place, &points).along(&samples).with(options).without_certificate()
    };
    vec![
        kind("wraps past the post", 1.57, true),
        kind("does not wrap and hits", 1.57, false).hits(),
        kind("does not wrap", 6.05, false),
        kind("wraps and hits", 6.05, true).hits(),
    ]
}

/// Planar and floating joints on curves.
fn of_bases() -> Vec<Kind> {
    let cart = |bend: f64| {
        let rates = |x: f64, y: f64, turn: f64| [x * bend, y * bend, turn * bend];
        vec![point(0.0, &[0.0; 3]).v(&rates(0.6, -0.9, 0.5)), point(2.0, &[0.5, 0.0, 0.9]).v(&rates(0.3, 0.9, 0.5))]
    };
    let drone = |rise: f64, y: f64| {
        let start = point(0.0, &[0.0, 0.0, 0.0, -0.4]).v(&[0.4, 0.2, rise, 0.0]).a(&[0.0, 0.3, 0.0, 0.0]);
        vec![start, point(2.0, &[0.9, y, 0.3, 0.8]).v(&[0.0, 0.2, rise, 0.0]).a(&[0.1, 0.0, 0.0, 0.0])]
    };
    let later: Vec<Point> = cart(0.3).into_iter().map(|p| Point { time: p.time + 1.0, ..p }).collect();
    let from = |name, q: [f64; 3], options| {
        let samples = run_from(Place::Cart, point(0.0, &q), &later);
        Kind::new(name, Place::Cart, &later).along(&samples).with(options).without_certificate()
    };
    let bases = |name, place, points: &[Point]| {
        Kind::new(name, place, points).along(&run(place, &spline(points, true))).with(&["--interpolation", "upsampled"])
    };
    let tour = |x: f64| {
        [[0.0, 0.0, 0.0], [x, 0.1, 0.5], [x, 0.2, 0.9], [0.0, 0.0, 0.0]]
            .iter()
            .zip(0..)
            .map(|(q, t)| point(f64::from(t), q))
            .collect::<Vec<_>>()
    };
    vec![
        Kind::new("cart on cubics", Place::Cart, &cart(0.3)),
        Kind::new("cart on cubics that hit", Place::Cart, &cart(-1.3)).hits(),
        Kind::new("drone on quintics", Place::Drone, &drone(4.0, 0.5)),
        Kind::new("drone on quintics that hit", Place::Drone, &drone(0.1, 0.8)).hits(),
        from("cart from a state", [-0.3, 0.2, 0.1], &["--from", "-0.3,0.2,0.1"]),
        from("cart from a state that hits", [0.7, 0.9, 0.0], &["--from", "0.7,0.9,0"]).hits(),
        bases("cart, upsampled", Place::Cart, &tour(0.3)),
        bases("cart, upsampled, hits", Place::Cart, &tour(0.7)).hits(),
    ]
}

/// Objects in hand from the start, or given to the robot; that may touch the wall or not.
fn of_objects() -> Vec<Kind> {
    let bow = |v: f64| vec![point(0.0, &[0.0]).v(&[v]), point(2.0, &[0.0]).v(&[-v])];
    let held = |name, v: f64, may_touch| Kind::new(name, Place::Held { may_touch }, &bow(v));
    let given = |name, v: f64, may_touch| {
        let kind = Kind::new(name, Place::Given { may_touch }, &bow(v));
        Kind { before: &["--attach", "tool=r/ball"], ..kind }.without_certificate()
    };
    vec![
        held("held", 1.4, false),
        held("held, hits", 1.6, false).hits(),
        held("held, may touch", 1.7, true),
        held("held, may touch, the ball hits", 1.9, true).hits(),
        given("given", 1.4, false),
        given("given, hits", 1.6, false).hits(),
        given("given, may touch", 1.7, true),
        given("given, may touch, the ball hits", 1.9, true).hits(),
    ]
}
