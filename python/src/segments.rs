//! `Checker.segments`: many segments over several threads, a chunk of rows at a time.
//!
//! Rows are copied chunk by chunk while the interpreter is held and decided while it is released, so that memory beside the
//! result does not grow with their number. Answers are in order and do not depend on the threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use numpy::{Element, PyArray1};
use pathproof::check::{CheckError, CheckScratch, Checker, Settings, Verdict};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::checker::Inner;
use crate::scene::Data as SceneData;
use crate::{arrays, errors, interrupt};

/// Rows that are copied at a time.
const CHUNK: usize = 4096;

/// Rows that a thread takes at a time.
const BATCH: usize = 8;

/// Memory of checks that one call keeps for each of its threads.
type Scratches = Vec<CheckScratch>;

/// The answer for one row.
#[derive(Clone, Copy)]
struct Row {
    verdict: u8,
    t: f64,
    bodies: [i32; 2],
    distance: f64,
    lower_clearance: f64,
    free_until: f64,
}

impl Row {
    /// As Python's `Verdict` counts them.
    fn of(answer: &pathproof::check::Answer) -> Self {
        let none = Self {
            verdict: 0,
            t: f64::NAN,
            bodies: [-1; 2],
            distance: f64::NAN,
            lower_clearance: f64::NAN,
            free_until: answer.free_until.map_or(0.0, |place| place.t),
        };
        let numbers = |bodies: [usize; 2]| bodies.map(|body| body as i32);
        match &answer.verdict {
            Verdict::Free(free) => Self { lower_clearance: free.lower_clearance, free_until: 1.0, ..none },
            Verdict::Collision(found) | Verdict::TooClose(found) => {
                let verdict = if found.is_collision() { 1 } else { 2 };
                Self { verdict, t: found.t, bodies: numbers(found.bodies), distance: found.distance, ..none }
            }
            Verdict::Undecided(open) => Self { verdict: 3, t: open.interval[0], bodies: numbers(open.bodies), ..none },
        }
    }
}

/// Rarely an error, so that it must not make rows larger.
type Decided = Result<Row, Box<CheckError>>;

/// A chunk of segments, by their ends.
struct Chunk<'a> {
    checker: &'a Checker,
    settings: &'a Settings,
    dof: usize,
    starts: &'a [f64],
    goals: &'a [f64],
}

impl Chunk<'_> {
    fn rows(&self) -> usize {
        self.starts.len() / self.dof
    }

    fn decide(&self, row: usize, scratch: &mut CheckScratch) -> Decided {
        let ends = row * self.dof..(row + 1) * self.dof;
        let answer = self.checker.segment(&self.starts[ends.clone()], &self.goals[ends], self.settings, scratch);
        Ok(Row::of(&answer.map_err(Box::new)?))
    }

    /// All rows, in order; fewer where a signal ended the work.
    fn decide_all(&self, scratches: &mut Scratches) -> Vec<Decided> {
        let Some((own, others)) = scratches.split_first_mut() else { return Vec::new() };
        let (next, is_over) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
        let mut decided = std::thread::scope(|scope| {
            let (done, all_done) = mpsc::channel();
            for scratch in others {
                let (next, is_over, done) = (&next, Arc::clone(&is_over), done.clone());
                scope.spawn(move || {
                    interrupt::follow(&is_over);
                    // The receiver outlives all senders.
                    let _ = done.send(self.take_batches(next, scratch));
                });
            }
            drop(done);
            let mut decided = self.take_batches(&next, own);
            loop {
                is_over.fetch_or(interrupt::is_wanted(), Ordering::Relaxed);
                match all_done.recv_timeout(interrupt::EVERY) {
                    Ok(more) => decided.extend(more),
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => return decided,
                }
            }
        });
        decided.sort_unstable_by_key(|(row, _)| *row);
        decided.into_iter().map(|(_, result)| result).collect()
    }

    fn take_batches(&self, next: &AtomicUsize, scratch: &mut CheckScratch) -> Vec<(usize, Decided)> {
        let mut decided = Vec::with_capacity(self.rows());
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= self.rows() || interrupt::is_wanted() {
                return decided;
            }
            let batch = first..(first + BATCH).min(self.rows());
            decided.extend(batch.map(|row| (row, self.decide(row, scratch))));
        }
    }
}

/// Decides all segments.
pub(crate) fn decide<'py>(
    inner: &Inner,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    threads: Option<usize>,
    settings: &Settings,
    ignore_limits: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let SceneData { scene, columns, .. } = &*inner.scene;
    let expected = || columns.expected_rows("segments", scene);
    let [a, b] = [(a, "a"), (b, "b")].map(|(array, what)| arrays::real_array(array, what, &expected));
    let (a, b) = (a?, b?);
    let shapes = [arrays::shape_of_table(&a, "a", &expected)?, arrays::shape_of_table(&b, "b", &expected)?];
    let [(rows, given), (rows_of_b, given_of_b)] = shapes;
    if rows != rows_of_b || given != given_of_b || !columns.fits(given) {
        let [a, b] = shapes.map(|(rows, columns)| arrays::shape_text(&[rows, columns]));
        return Err(errors::input(format!("a and b must each be {}, but their shapes are {a} and {b}", expected())));
    }
    let threads = match threads {
        Some(0) => return Err(errors::input("threads must be at least 1")),
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    let module = py.import("pathproof._segments")?;
    let out = module.call_method1("empty", (rows,))?;
    let mut scratches: Scratches = (0..threads).map(|_| CheckScratch::new(&inner.checker)).collect();
    let (mut starts, mut goals) = (Vec::new(), Vec::new());
    for first in (0..rows).step_by(CHUNK) {
        let last = (first + CHUNK).min(rows);
        for (array, name, flat) in [(&a, "a", &mut starts), (&b, "b", &mut goals)] {
            flat.clear();
            let values = arrays::some_rows(array, first, last, given)?;
            for (row, values) in values.chunks_exact(given.max(1)).enumerate() {
                let place = || format!("row {} of {name}", first + row);
                columns.push(scene, values, ignore_limits, &place, flat)?;
            }
        }
        let chunk = Chunk { checker: &inner.checker, settings, dof: columns.count, starts: &starts, goals: &goals };
        let decided = interrupt::detached(py, || chunk.decide_all(&mut scratches))?;
        let decided: Vec<Row> = decided
            .into_iter()
            .enumerate()
            .map(|(row, result)| result.map_err(|error| errors::input(format!("row {}: {error}", first + row))))
            .collect::<PyResult<_>>()?;
        write(&out, first, &decided)?;
    }
    Ok(out)
}

/// Writes some rows of the result, column by column.
fn write(out: &Bound<'_, PyAny>, first: usize, rows: &[Row]) -> PyResult<()> {
    column(out, "verdict", first, rows, |row| row.verdict)?;
    column(out, "t", first, rows, |row| row.t)?;
    column(out, "body_a", first, rows, |row| row.bodies[0])?;
    column(out, "body_b", first, rows, |row| row.bodies[1])?;
    column(out, "distance", first, rows, |row| row.distance)?;
    column(out, "lower_clearance", first, rows, |row| row.lower_clearance)?;
    column(out, "free_until", first, rows, |row| row.free_until)
}

fn column<T: Element>(
    out: &Bound<'_, PyAny>,
    name: &str,
    first: usize,
    rows: &[Row],
    value: impl Fn(&Row) -> T,
) -> PyResult<()> {
    let values = PyArray1::from_iter(out.py(), rows.iter().map(value));
    let place = PySlice::new(out.py(), first as isize, (first + rows.len()) as isize, 1);
    out.get_item(name)?.set_item(place, values)
}

/// Seconds that the library's own loop takes for all segments, one thread, nothing kept: what `decide` is measured by.
pub(crate) fn time_bare_loop(inner: &Inner, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    let SceneData { scene, columns, .. } = &*inner.scene;
    let expected = || columns.expected_rows("segments", scene);
    let [starts, goals] = [arrays::table(a, "a", &expected)?.values, arrays::table(b, "b", &expected)?.values];
    let settings = Settings::default();
    let chunk =
        Chunk { checker: &inner.checker, settings: &settings, dof: columns.count, starts: &starts, goals: &goals };
    a.py().detach(|| {
        let mut scratch = CheckScratch::new(&inner.checker);
        let start = std::time::Instant::now();
        let decided = (0..chunk.rows()).try_for_each(|row| chunk.decide(row, &mut scratch).map(drop));
        decided.map(|()| start.elapsed().as_secs_f64()).map_err(|error| errors::input(error.to_string()))
    })
}
