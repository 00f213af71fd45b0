//! GREEDY-DIST against collision, exact and 0.5-approximate distance, with both trees (exact-collision-checking paper
//! §3.2, Table 1): all links of the paper's six robot scenes against all obstacles, and pairs of generated bodies.
//!
//! Averages over random configurations or poses, some in contact: volume and triangle pairs tested, and the lower
//! bounds as fractions of the exact distance where the bodies are apart.

use anyhow::Result;
use pathproof::distance::{Contact, Counters, Indexed, Query, Scratch};
use pathproof::numeric::{Pose, Random};
use pathproof::robot::Kinematics;
use pathproof::scene::{BodyShape, Scene};
use pathproof::trees::{BoxTree, RssTree, VolumeTree};
use serde_json::{Value, json};

use crate::Options;
use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::static_distance::{cases, indexed};

/// The paper's Table 1: pairs of volumes and of triangles of collision, GREEDY-DIST, exact and 0.5-approximate
/// distance, all links against all obstacles; then the mean fraction of the exact distance in % by GREEDY-DIST and by
/// the approximation.
pub(crate) const PAPER: [(&str, [f64; 10]); 6] = [
    ("fig1", [2.1, 0.03, 2.1, 0.03, 822.0, 226.0, 8.0, 0.17, 78.0, 59.0]),
    ("6a", [11.0, 0.12, 13.0, 0.15, 502.0, 51.0, 29.0, 0.66, 91.0, 64.0]),
    ("6b", [4.8, 0.17, 4.7, 0.14, 466.0, 47.0, 23.0, 0.78, 88.0, 63.0]),
    ("7a", [14.0, 0.52, 14.0, 0.45, 2342.0, 458.0, 69.0, 2.4, 65.0, 60.0]),
    ("7b", [73.0, 2.1, 85.0, 2.2, 1363.0, 216.0, 174.0, 6.6, 52.0, 57.0]),
    ("7c", [44.0, 0.52, 52.0, 0.66, 1845.0, 215.0, 172.0, 4.2, 58.0, 59.0]),
];

/// The queries, in the order of the sums below.
const QUERIES: [&str; 4] = ["collide", "greedy", "exact", "half"];

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.note(
        "paper, Table 1: volume/triangle pairs of collision, GREEDY-DIST, exact and half; then both fractions in %",
    );
    for (case, [a, b, c, d, e, f, g, h, greedy, half]) in PAPER {
        report.note(&format!("  {case:<5} {a}/{b}  {c}/{d}  {e}/{f}  {g}/{h}  {greedy} {half}"));
    }
    let configurations = options.samples(if options.quick { 5 } else { 1_000 });
    for (case, _) in PAPER {
        let Some(description) = scenes::case(case) else { continue };
        let scene = in_memory::scene(&description)?;
        compare_in::<RssTree>("rss", case, &scene, configurations, report)?;
        compare_in::<BoxTree>("boxes", case, &scene, configurations, report)?;
    }
    report.note(
        "ours: pairs of bodies at random poses (a volume pair of `boxes` is one of the up to 8 of an opened node)",
    );
    let count = options.samples(if options.quick { 50 } else { 1_000 });
    for case in cases() {
        compare::<RssTree>("rss", case.name, &indexed(&case.a)?, &indexed(&case.b)?, count, report);
        compare::<BoxTree>("boxes", case.name, &indexed(&case.a)?, &indexed(&case.b)?, count, report);
    }
    Ok(())
}

/// Sums over poses.
#[derive(Default)]
struct Sums {
    volume_pairs: [u64; 4],
    triangle_pairs: [u64; 4],
    /// Poses at which the bodies are apart.
    apart: usize,
    /// Lower bounds over exact distances, summed over those: greedy, half.
    fractions: [f64; 2],
}

fn compare<T: VolumeTree>(tree: &str, case: &str, a: &Indexed<T>, b: &Indexed<T>, count: usize, report: &mut Report) {
    let mut random = Random::new(0x6EED);
    let mut scratch = Scratch::default();
    let reach = a.body().radius() + b.body().radius();
    let mut sums = Sums::default();
    for _ in 0..count {
        // Centres up to 1.5 times the reach apart: from deep in each other to well apart, the same for both trees.
        let direction = random.direction();
        let distance = reach * random.between(0.0, 1.5);
        let a_from_b = Pose { translation: direction * distance, ..random.pose(0.0) };
        sums.add(&Query::new(a, b, &Pose::IDENTITY, &a_from_b), &mut scratch);
    }
    report.row(case, sums.fields(tree, count));
}

/// All links against all obstacles at configurations drawn uniformly within limits.
fn compare_in<T: VolumeTree>(
    tree: &str,
    case: &str,
    scene: &Scene,
    configurations: usize,
    report: &mut Report,
) -> Result<()> {
    let model = scene.model();
    let trees: Vec<Option<Indexed<T>>> = scene
        .bodies()
        .iter()
        .map(|body| match &body.shape {
            BodyShape::Parts(parts) => Some(Indexed::new(parts.clone())),
            BodyShape::HalfSpace { .. } => None,
        })
        .collect();
    let is_wanted = |i: usize, j: usize| !scene.is_static(i) && scene.is_static(j) && scene.bodies()[j].link == 0;
    let pairs: Vec<(usize, usize)> = scene
        .pairs()
        .iter()
        .map(|pair| if scene.is_static(pair.a) { (pair.b, pair.a) } else { (pair.a, pair.b) })
        .filter(|(i, j)| is_wanted(*i, *j))
        .collect();
    let mut random = Random::new(0x6EED);
    let mut scratch = Scratch::default();
    let mut kinematics = Kinematics::new(model);
    let mut sums = Sums::default();
    for _ in 0..configurations {
        let q: Vec<f64> = model
            .variables()
            .iter()
            .map(|v| v.limits.unwrap_or((-std::f64::consts::PI, std::f64::consts::PI)))
            .map(|(low, high)| random.between(low, high))
            .collect();
        kinematics.set_configuration(&q);
        let mut place = |body: usize| {
            let body = &scene.bodies()[body];
            kinematics.world_from_link(model, body.link) * body.link_from_body
        };
        for &(i, j) in &pairs {
            if let (Some(a), Some(b)) = (&trees[i], &trees[j]) {
                sums.add(&Query::new(a, b, &place(i), &place(j)), &mut scratch);
            }
        }
    }
    report.row(case, sums.fields(tree, configurations * pairs.len()));
    Ok(())
}

impl Sums {
    /// The fields of a row: means over `count` pairs.
    fn fields(&self, tree: &str, count: usize) -> Value {
        let mean = |sums: &[u64; 4]| -> Value {
            let mean = |sum: &u64| json!(*sum as f64 / count.max(1) as f64);
            QUERIES.iter().zip(sums).map(|(name, sum)| ((*name).to_owned(), mean(sum))).collect()
        };
        let [greedy, half] = self.fractions.map(|sum| sum / self.apart.max(1) as f64);
        json!({
            "tree": tree,
            "poses": count,
            "apart": self.apart,
            "volume_pairs": mean(&self.volume_pairs),
            "triangle_pairs": mean(&self.triangle_pairs),
            "quality": {"greedy": greedy, "half": half},
        })
    }

    fn add<T: VolumeTree>(&mut self, query: &Query<'_, T>, scratch: &mut Scratch) {
        let (Contact::Apart(collide) | Contact::Unclear(collide) | Contact::Meets(collide)) = query.collide(scratch);
        let (greedy, exact, half) = (query.greedy(0.0, scratch), query.exact(scratch), query.approximate(0.5, scratch));
        for (i, found) in [&collide, &greedy, &exact, &half].into_iter().enumerate() {
            let Counters { volume_pairs, primitive_pairs } = found.counters;
            self.volume_pairs[i] += volume_pairs;
            self.triangle_pairs[i] += primitive_pairs;
        }
        if exact.lower > 0.0 {
            self.apart += 1;
            self.fractions[0] += greedy.lower / exact.upper;
            self.fractions[1] += half.lower / exact.upper;
        }
    }
}
