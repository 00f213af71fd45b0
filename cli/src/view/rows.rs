//! Page of `distance --trajectory`: two bodies and their distance at each row of a file of poses.
//!
//! Nothing is known between two rows, so nothing is shown there: the page steps from row to row.

use anyhow::Result;
use pathproof::numeric::{DVec3, Pose, f32_down, f32_up, least};
use pathproof::scene::DisplayMesh;
use pathproof::shapes::Body;
use serde::Serialize;

use super::blob::{Blob, Section};
use super::clearance::Clearance;
use super::document::{Axis, file_name, moved, origin_near};
use super::meshes::{self, Shape, Shapes};
use super::motion::Track;
use super::{command_line, html};
use crate::numbers::{at_least, at_most, metres, rounded};

/// Rows that are listed, and rows in contact.
const MOST_LISTED: usize = 500;
const MOST_FOUND: usize = 1_000;

/// Bodies, poses and answers.
pub(crate) struct Shown<'a> {
    pub(crate) names: [&'a str; 2],
    pub(crate) descriptions: [&'a str; 2],
    pub(crate) bodies: [&'a Body; 2],
    pub(crate) world_from_a: Pose,
    /// One per row.
    pub(crate) world_from_b: &'a [Pose],
    pub(crate) rows: Vec<Row>,
    pub(crate) method: &'static str,
    /// File of poses, as typed.
    pub(crate) file: String,
    pub(crate) warnings: Vec<String>,
    /// Answers as text, for readers without a script.
    pub(crate) text: String,
}

/// Answer at one pose.
pub(crate) struct Row {
    /// Proven; `None` if the method proves nothing.
    pub(crate) lower: Option<f64>,
    pub(crate) upper: Option<f64>,
    /// A point of A and one of B, in the world.
    pub(crate) points: Option<[DVec3; 2]>,
    /// Further labels and texts.
    pub(crate) remarks: Vec<(&'static str, String)>,
}

impl Row {
    fn is_contact(&self) -> bool {
        self.upper.is_some_and(|upper| upper <= 0.0)
    }
}

/// The page's content.
#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    kind: &'static str,
    verdict: &'static str,
    facts: Vec<(&'static str, String)>,
    about: Vec<(&'static str, String)>,
    warnings: &'a [String],
    notes: [String; 0],
    bodies: Vec<Shape<'a>>,
    track: Track,
    axis: Axis,
    clearance: Clearance,
    /// For each row: a point of A and one of B, in metres, relative to the page's origin; NaN if there is none.
    points: Section,
    asked: Option<[f64; 2]>,
    findings: Vec<Found>,
    open: Option<()>,
    pairs: Vec<Listed>,
}

/// A row in contact.
#[derive(Serialize)]
struct Found {
    kind: &'static str,
    word: &'static str,
    sample: usize,
    bodies: [usize; 2],
    place: String,
    distance: String,
    points: Option<[[f64; 3]; 2]>,
    rows: Vec<(&'static str, String)>,
}

/// A row, in the list of the nearest.
#[derive(Serialize)]
struct Listed {
    label: String,
    bodies: [usize; 2],
    lower: String,
    upper: String,
    sample: usize,
    state: &'static str,
}

impl Shown<'_> {
    /// The page.
    pub(crate) fn page(&self) -> Result<Vec<u8>> {
        let mut blob = Blob::default();
        let names = [format!("A, {}", self.names[0]), format!("B, {}", self.names[1])];
        let document = self.document(&names, &mut blob);
        let head = html::Head {
            title: &format!("{} along {}", self.names[1], file_name(&self.file)),
            verdict: document.verdict,
            word: if document.verdict == "collision" { "contact" } else { "distance" },
            headline: &self.headline(),
            text: &self.text,
        };
        html::page(&head, &document, &blob)
    }

    fn document<'a>(&'a self, names: &'a [String; 2], blob: &mut Blob) -> Document<'a> {
        let count = self.rows.len();
        let origin = origin_near(self.world_from_a.translation);
        let mut order: Vec<usize> = (0..count).collect();
        let upper = |row: usize| self.rows[row].upper.unwrap_or(f64::INFINITY);
        order.sort_by(|x, y| upper(*x).total_cmp(&upper(*y)).then(x.cmp(y)));
        let contacts: Vec<usize> = (0..count).filter(|row| self.rows[*row].is_contact()).collect();
        let (bodies, told) = self.shapes(names, origin, blob);
        let alongs: Vec<f64> = (0..count).map(|row| row as f64).collect();
        Document {
            schema: 1,
            kind: "rows",
            verdict: if contacts.is_empty() { "none" } else { "collision" },
            facts: self.facts(&order, contacts.len()),
            about: self.about(told, origin),
            warnings: &self.warnings,
            notes: [],
            bodies,
            track: Track::new(&alongs, self.world_from_b, origin, blob),
            axis: axis(count),
            clearance: self.clearance(blob),
            points: blob.singles(self.rows.iter().flat_map(|row| {
                let points = row.points.map(|points| points.map(|point| point - origin));
                points.unwrap_or([DVec3::NAN; 2]).into_iter().flat_map(|p| p.to_array()).map(|x| x as f32)
            })),
            asked: None,
            findings: contacts.iter().take(MOST_FOUND).map(|row| self.found(*row, origin)).collect(),
            open: None,
            pairs: order.iter().take(MOST_LISTED).map(|row| self.listed(*row)).collect(),
        }
    }

    fn shapes<'a>(&self, names: &'a [String; 2], origin: DVec3, blob: &mut Blob) -> (Vec<Shape<'a>>, String) {
        let meshes = self.bodies.map(DisplayMesh::of_body);
        let mut shapes = Shapes::of(meshes.iter().map(|mesh| mesh.triangles.len()).sum());
        for (number, mesh) in meshes.iter().enumerate() {
            let centre = self.bodies[number].centre();
            let corners: Vec<DVec3> = mesh.vertices.iter().map(|v| *v + centre).collect();
            // A stands still, so it is placed in the world at once.
            let placed = || corners.iter().map(|v| self.world_from_a.point(*v) - origin).collect::<Vec<_>>();
            let (corners, role, link) =
                if number == 0 { (placed(), "obstacle", None) } else { (corners, "link", Some(0)) };
            shapes.add((&names[number], role, link, false), &corners, &mesh.triangles, blob);
        }
        let told = meshes::told([shapes.shown, shapes.all]);
        (shapes.bodies, told)
    }

    fn clearance(&self, blob: &mut Blob) -> Clearance {
        let count = self.rows.len();
        Clearance {
            from: 0.0,
            until: blob.doubles([]),
            lower: blob.singles(self.rows.iter().map(|row| row.lower.map_or(f32::NAN, f32_down))),
            pair: blob.words([]),
            measured: blob.doubles((0..count).map(|row| row as f64)),
            upper: blob.singles(self.rows.iter().map(|row| row.upper.map_or(f32::INFINITY, f32_up))),
            nearest: blob.words((0..count).map(|_| 0)),
            lines: Vec::new(),
        }
    }

    fn headline(&self) -> String {
        let count = self.rows.len();
        let contacts = self.rows.iter().filter(|row| row.is_contact()).count();
        if contacts > 0 {
            return format!("at {contacts} of {count} rows; nothing is said between rows");
        }
        match self.least() {
            Some(lower) => {
                format!("at least {} (proven) at each of {count} rows; nothing is said between rows", at_least(lower))
            }
            None => format!("{count} rows, by a method that proves nothing from below"),
        }
    }

    /// Least proven bound; `None` if some row has none.
    fn least(&self) -> Option<f64> {
        let bounds: Option<Vec<f64>> = self.rows.iter().map(|row| row.lower).collect();
        bounds?.into_iter().reduce(least)
    }

    fn facts(&self, order: &[usize], contacts: usize) -> Vec<(&'static str, String)> {
        let count = self.rows.len();
        let mut facts = vec![("Asked about", format!("{count} poses of B; between them nothing"))];
        let apart = self.rows.iter().filter(|row| row.lower.is_some_and(|lower| lower > 0.0)).count();
        facts.push(match self.least() {
            Some(lower) if lower > 0.0 => {
                ("Proven", format!("at least {} apart at every row, rounding included", at_least(lower)))
            }
            Some(_) => ("Proven", format!("apart at {apart} of {count} rows, rounding included")),
            None => ("Proven", "nothing from below by this method".into()),
        });
        if let Some(upper) = order.first().and_then(|row| self.rows[*row].upper) {
            facts.push(("Nearest", format!("{} at row {}", at_most(upper), order[0])));
        }
        if contacts > 0 {
            facts.push(("Contact", format!("at {contacts} of {count} rows")));
        }
        for (all, listed, what) in
            [(contacts, MOST_FOUND, "rows in contact"), (count, MOST_LISTED, "rows, by distance")]
        {
            if all > listed {
                facts.push(("Listed", format!("the first {listed} of {all} {what}")));
            }
        }
        facts
    }

    fn about(&self, triangles: String, origin: DVec3) -> Vec<(&'static str, String)> {
        let mut about = vec![
            ("A", format!("{}: {}", self.names[0], self.descriptions[0])),
            ("B", format!("{}: {}", self.names[1], self.descriptions[1])),
            ("Poses of B", format!("{}, {} rows", self.file, self.rows.len())),
            ("Method", self.method.to_owned()),
            ("Made by", command_line()),
            ("Version", format!("pathproof {}", env!("CARGO_PKG_VERSION"))),
            ("Display", format!("{triangles}, coordinates rounded; distances are of the bodies as they were read")),
        ];
        about.extend(moved(origin));
        about
    }

    fn found(&self, number: usize, origin: DVec3) -> Found {
        let row = &self.rows[number];
        let distance = row.upper.map_or_else(String::new, metres);
        let mut rows = vec![("Where", format!("row {number}")), ("Distance", distance.clone())];
        rows.extend(self.told(row));
        Found {
            kind: "collision",
            word: "contact",
            sample: number,
            bodies: [0, 1],
            place: format!("row {number}"),
            distance,
            points: row.points.map(|points| points.map(|point| (point - origin).to_array())),
            rows,
        }
    }

    fn told(&self, row: &Row) -> Vec<(&'static str, String)> {
        let point = |p: DVec3| format!("({}, {}, {}) m", rounded(p.x), rounded(p.y), rounded(p.z));
        let points = row.points.iter().flat_map(|[a, b]| [("Point of A", point(*a)), ("Point of B", point(*b))]);
        points.chain(row.remarks.iter().cloned()).collect()
    }

    fn listed(&self, number: usize) -> Listed {
        let row = &self.rows[number];
        Listed {
            label: format!("row {number}"),
            bodies: [0, 1],
            lower: row.lower.map_or_else(|| "nothing".to_owned(), at_least),
            upper: row.upper.map_or_else(|| "none".to_owned(), at_most),
            sample: number,
            state: if row.is_contact() { "found" } else { "apart" },
        }
    }
}

/// Each row is a waypoint; ten are played per second, within the time that people wait.
fn axis(count: usize) -> Axis {
    let waypoints: Vec<f64> = (0..count.max(2)).map(|row| row as f64).collect();
    let seconds = ((count.max(2) - 1) as f64 / 10.0).clamp(2.0, 40.0);
    Axis { waypoints, timed: false, start: 0.0, seconds }
}
