//! Tables 2 and 3 of the exact-collision-checking paper: time per segment, fixed resolution against the exact checker.
//!
//! Segments are seeded. Free ones are those the exact checker proves at that tolerance; colliding ones have free ends
//! and a contact found at tolerance 0. The methods of a segment run in turn; figures are means of processor time.

use anyhow::{Result, ensure};
use pathproof::check::{CheckScratch, Checker, Sampled, Settings, Verdict};
use pathproof::numeric::Random;
use pathproof::scene::Scene;
use pathproof_papers::bisection::{BisectionScratch, BisectionSettings, Bisector};
use serde_json::json;

use crate::report::Report;
use crate::scenes::{self, in_memory};
use crate::{Options, real_cells, timing};

pub(crate) type Configuration = Vec<f64>;

/// The paper's ε: a fraction of each joint's range.
pub(crate) const PAPER_STEP: [(&str, f64); 6] =
    [("6a", 0.012), ("6a-wires", 0.012), ("6b", 0.006), ("7a", 0.0012), ("7b", 0.012), ("7c", 0.012)];

/// All cases: the paper's, and cells with real robots.
pub(crate) const CASES: &[&str] = &["6a", "6a-wires", "6b", "7a", "7b", "7c", "godel", "car-seat", "panda-mbm"];

/// The paper's milliseconds: colliding (simple, new), free (simple, new at 0.001, new at 0.01).
pub(crate) const PAPER_TIMES: [(&str, [f64; 5]); 5] = [
    ("6a", [2.04, 2.97, 90.0, 44.0, 14.0]),
    ("6b", [2.18, 3.38, 104.0, 31.0, 14.0]),
    ("7a", [0.96, 0.99, 52.0, 26.0, 6.5]),
    ("7b", [2.2, 1.3, 56.0, 24.0, 6.6]),
    ("7c", [3.2, 15.0, 295.0, 81.0, 16.0]),
];

/// Runs the experiment.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    // For any number of free ones, 1,000 colliding segments decide which step is safe.
    let colliding = if options.quick { 5 } else { 1_000 };
    let counts = [colliding, options.samples(colliding)];
    for (case, step) in PAPER_STEP.into_iter().filter(|(case, _)| options.wants(case)) {
        if let Some((_, times)) = PAPER_TIMES.iter().find(|(name, _)| *name == case) {
            report.note(&format!(
                "{case}, the paper (ms, 1 GHz Pentium III): colliding simple {} new {}; free simple {} new(0.001) {} new(0.01) {}",
                times[0], times[1], times[2], times[3], times[4]
            ));
        }
        let Some(description) = scenes::case(case) else { continue };
        measure(case, step, &in_memory::scene(&description)?, counts, report)?;
    }
    for case in real_cells::CASES.into_iter().filter(|case| options.wants(case)) {
        match real_cells::scene(case)? {
            Some(scene) => measure(case, real_cells::STEP, &scene, counts, report)?,
            None => report.note(real_cells::ABSENT),
        }
    }
    Ok(())
}

/// All rows of a case.
fn measure(
    case: &str,
    step: f64,
    scene: &Scene,
    [colliding_count, free_count]: [usize; 2],
    report: &mut Report,
) -> Result<()> {
    let colliding = Checker::new(scene.clone().with_tolerance(0.0)?);
    let segments = draw(&colliding, "full", colliding_count, is_colliding)?;
    let safe = colliding_rows(case, step, &colliding, &segments, report)?;
    for tolerance in [0.001, 0.01] {
        let checker = Checker::new(scene.clone().with_tolerance(tolerance)?);
        for reach in ["0.3", "1", "full"] {
            let segments = draw(&checker, reach, free_count, is_free)?;
            free_rows(case, reach, tolerance, step, safe, &checker, &segments, report)?;
        }
    }
    Ok(())
}

pub(crate) fn is_free(checker: &Checker, a: &[f64], b: &[f64], scratch: &mut CheckScratch) -> Result<bool> {
    Ok(matches!(checker.segment(a, b, &Settings::default(), scratch)?.verdict, Verdict::Free(_)))
}

pub(crate) fn is_colliding(checker: &Checker, a: &[f64], b: &[f64], scratch: &mut CheckScratch) -> Result<bool> {
    if checker.is_configuration_in_contact(a, scratch)? || checker.is_configuration_in_contact(b, scratch)? {
        return Ok(false);
    }
    Ok(matches!(checker.segment(a, b, &Settings::default(), scratch)?.verdict, Verdict::Collision(_)))
}

/// Bisects a segment as published; true if a collision is not reported.
fn bisection_misses(bisector: &Bisector<'_>, segment: &[Configuration; 2], scratch: &mut BisectionScratch) -> bool {
    let answer = bisector.path(segment, &BisectionSettings::default(), scratch);
    !answer.is_ok_and(|answer| matches!(answer.verdict, Verdict::Collision(_)))
}

/// True if no collision is reported on a segment that collides.
fn misses_collision(
    checker: &Checker,
    segment: &[Configuration; 2],
    settings: &Settings,
    scratch: &mut CheckScratch,
) -> bool {
    let answer = checker.segment(&segment[0], &segment[1], settings, scratch);
    !answer.is_ok_and(|answer| matches!(answer.verdict, Verdict::Collision(_)))
}

/// Works on a segment; returns true if it missed a collision.
pub(crate) type Method<'a> = &'a mut dyn FnMut(&[Configuration; 2]) -> bool;

pub(crate) type Wanted = fn(&Checker, &[f64], &[f64], &mut CheckScratch) -> Result<bool>;

/// Seeded segments that are `wanted`: ends uniform within limits, or each joint moving by at most `reach` radians.
pub(crate) fn draw(checker: &Checker, reach: &str, count: usize, wanted: Wanted) -> Result<Vec<[Configuration; 2]>> {
    let ranges: Vec<(f64, f64)> = checker
        .scene()
        .model()
        .variables()
        .iter()
        .map(|v| v.limits.unwrap_or((-std::f64::consts::PI, std::f64::consts::PI)))
        .collect();
    let mut random = Random::new(20021);
    let mut scratch = CheckScratch::new(checker);
    let mut result = Vec::with_capacity(count);
    let within: Option<f64> = reach.parse().ok();
    let mut drawn = 0;
    while result.len() < count {
        drawn += 1;
        ensure!(drawn <= 2_000 * count, "of {drawn} segments drawn with reach {reach} only {} serve", result.len());
        let a: Configuration = ranges.iter().map(|r| random.between(r.0, r.1)).collect();
        let b: Configuration = match within {
            None => ranges.iter().map(|r| random.between(r.0, r.1)).collect(),
            Some(most) => {
                ranges.iter().zip(&a).map(|(r, q)| (q + random.between(-most, most)).clamp(r.0, r.1)).collect()
            }
        };
        if wanted(checker, &a, &b, &mut scratch)? {
            result.push([a, b]);
        }
    }
    Ok(result)
}

/// Bisections after which neighbours are closer than `step`, a fraction of each joint's range (L∞).
fn levels(checker: &Checker, segment: &[Configuration; 2], step: f64) -> u32 {
    let length = checker
        .scene()
        .model()
        .variables()
        .iter()
        .enumerate()
        .map(|(i, v)| {
            let (low, high) = v.limits.unwrap_or((-std::f64::consts::PI, std::f64::consts::PI));
            (segment[1][i] - segment[0][i]).abs() / (high - low)
        })
        .fold(0.0, f64::max);
    (0..30).find(|level| length / f64::from(1u32 << level) < step).unwrap_or(30)
}

/// Segments that a method gets in a row. A planner stays with its method: none may run in the caches of another, and
/// the machine should not change between them.
pub(crate) const IN_A_ROW: usize = 25;

/// Processor time of a method's untimed run before a row, to fill the caches: a row of a fast method is over before
/// they are filled.
const WARM_UP: f64 = 2e-3;

/// Runs a method on the segments before a row, for a while.
pub(crate) fn warm_up<T>(segments: &[T], row: usize, mut method: impl FnMut(&T)) {
    // Before the first row come the last segments.
    let first = (row * IN_A_ROW + segments.len()).saturating_sub(IN_A_ROW);
    let start = timing::thread_seconds();
    for segment in segments.iter().cycle().skip(first).take(IN_A_ROW) {
        if timing::thread_seconds() - start > WARM_UP {
            break;
        }
        method(segment);
    }
}

/// Mean microseconds per segment of each method, and the number of collisions it missed. The methods take turns after
/// some segments.
fn interleaved<const N: usize>(segments: &[[Configuration; 2]], mut methods: [Method<'_>; N]) -> [(f64, usize); N] {
    let mut results = [(0.0, 0); N];
    for (row, some) in segments.chunks(IN_A_ROW).enumerate() {
        for (method, (seconds, missed)) in methods.iter_mut().zip(&mut results) {
            warm_up(segments, row, |segment| {
                method(segment);
            });
            let start = timing::thread_seconds();
            *missed += some.iter().filter(|segment| method(segment)).count();
            *seconds += timing::thread_seconds() - start;
        }
    }
    results.map(|(seconds, missed)| (seconds * 1e6 / segments.len() as f64, missed))
}

/// The coarsest ε/2ᵏ, k ≤ 8, at which sampling misses none of the colliding segments, with its misses there, and its
/// misses at ε.
pub(crate) fn safe_step(
    checker: &Checker,
    segments: &[[Configuration; 2]],
    step: f64,
    scratch: &mut CheckScratch,
) -> Result<((f64, usize), usize)> {
    let mut misses = |step: f64| -> Result<usize> {
        let mut missed = 0;
        for segment in segments {
            let (sampled, _) =
                checker.sample(&segment[0], &segment[1], Some(levels(checker, segment, step)), scratch)?;
            missed += usize::from(sampled == Sampled::NoneFound);
        }
        Ok(missed)
    };
    let missed_at_paper = misses(step)?;
    let mut safe = (step, missed_at_paper);
    for k in 1..=8 {
        if safe.1 == 0 {
            break;
        }
        let finer = step / f64::from(1 << k);
        safe = (finer, misses(finer)?);
    }
    Ok((safe, missed_at_paper))
}

/// Rows for colliding segments; returns the safe step: the coarsest ε/2ᵏ that misses none of them.
fn colliding_rows(
    case: &str,
    step: f64,
    checker: &Checker,
    segments: &[[Configuration; 2]],
    report: &mut Report,
) -> Result<(f64, usize)> {
    let mut scratch = [CheckScratch::new(checker), CheckScratch::new(checker)];
    let (safe, missed_at_paper) = safe_step(checker, segments, step, &mut scratch[0])?;
    let bisector = Bisector::new(checker.scene())?;
    let mut bisection = BisectionScratch::new(&bisector);
    let [first, second] = &mut scratch;
    let results = interleaved(
        segments,
        [
            &mut |s| !matches!(checker.sample(&s[0], &s[1], None, first), Ok((Sampled::Contact { .. }, _))),
            &mut |s| misses_collision(checker, s, &Settings::default(), second),
            &mut |s| bisection_misses(&bisector, s, &mut bisection),
        ],
    );
    let row = |method: &str, step: &str, fraction: f64, microseconds: f64, missed: usize| {
        json!({"kind": "colliding", "reach": "full", "tolerance": 0.0, "method": method, "step": step,
               "step_fraction": fraction, "microseconds": microseconds, "missed": missed})
    };
    let names = [("fixed", "zero"), ("directional", ""), ("paper", "")];
    for ((method, step), (microseconds, missed)) in names.into_iter().zip(results) {
        report.row(case, row(method, step, 0.0, microseconds, missed));
    }
    report.row(case, row("fixed", "paper", step, f64::NAN, missed_at_paper));
    report.row(case, row("fixed", "safe", safe.0, f64::NAN, safe.1));
    Ok(safe)
}

#[allow(clippy::too_many_arguments)]
fn free_rows(
    case: &str,
    reach: &str,
    tolerance: f64,
    step: f64,
    safe: (f64, usize),
    checker: &Checker,
    segments: &[[Configuration; 2]],
    report: &mut Report,
) -> Result<()> {
    let mut scratch: Vec<CheckScratch> = (0..4).map(|_| CheckScratch::new(checker)).collect();
    let bisector = Bisector::new(checker.scene())?;
    let mut bisection = BisectionScratch::new(&bisector);
    let [a, b, c, d] = &mut scratch[..] else { unreachable!("four were made") };
    // There is no collision to miss.
    let sample = |s: &[Configuration; 2], step: f64, scratch: &mut CheckScratch| {
        drop(checker.sample(&s[0], &s[1], Some(levels(checker, s, step)), scratch));
        false
    };
    let check = |s: &[Configuration; 2], settings: &Settings, scratch: &mut CheckScratch| {
        drop(checker.segment(&s[0], &s[1], settings, scratch));
        false
    };
    let results = interleaved(
        segments,
        [
            &mut |s| sample(s, step, a),
            &mut |s| sample(s, step / 8.0, b),
            &mut |s| sample(s, safe.0, c),
            &mut |s| check(s, &Settings::default(), d),
            &mut |s| {
                drop(bisector.path(s, &BisectionSettings::default(), &mut bisection));
                false
            },
        ],
    );
    let names = [
        ("fixed", "paper", step),
        ("fixed", "eighth", step / 8.0),
        ("fixed", "safe", safe.0),
        ("directional", "", 0.0),
        ("paper", "", 0.0),
    ];
    for ((method, name, fraction), (microseconds, missed)) in names.into_iter().zip(results) {
        report.row(
            case,
            json!({"kind": "free", "reach": reach, "tolerance": tolerance, "method": method, "step": name,
                   "step_fraction": fraction, "microseconds": microseconds, "missed": missed}),
        );
    }
    Ok(())
}
