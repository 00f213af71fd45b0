//! `Checker.segments`: many segments over several threads, a chunk of rows at a time.
//!
//! Rows are copied chunk by chunk while the interpreter is held and decided while it is released, so memory beside the
//! result does not grow with their number. Answers are in order and do not depend on the threads.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
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
    /// A row before it is decided; rows that cannot be decided stay like this.
    const OPEN: Self = Self {
        verdict: 3,
        t: f64::NAN,
        bodies: [-1; 2],
        distance: f64::NAN,
        lower_clearance: f64::NAN,
        free_until: 0.0,
    };

    /// Verdicts numbered as in Python's `Verdict`.
    fn of(answer: &pathproof::check::Answer) -> Self {
        let none = Self { free_until: answer.free_until.map_or(0.0, |place| place.t), ..Self::OPEN };
        let numbers = |bodies: [usize; 2]| bodies.map(|body| body as i32);
        match &answer.verdict {
            Verdict::Free(free) => {
                Self { verdict: 0, lower_clearance: free.lower_clearance(), free_until: 1.0, ..none }
            }
            Verdict::Collision(found) | Verdict::TooClose(found) => {
                let verdict = if found.is_collision() { 1 } else { 2 };
                Self { verdict, t: found.t, bodies: numbers(found.bodies), distance: found.distance, ..none }
            }
            Verdict::Undecided(open) => Self { t: open.interval[0], bodies: numbers(open.bodies), ..none },
        }
    }
}

/// Boxed: errors are rare and must not make rows larger.
type Decided = Result<Row, Box<CheckError>>;

/// A chunk of segments, by their ends.
struct Chunk<'a> {
    checker: &'a Checker,
    settings: &'a Settings,
    rows: usize,
    dof: usize,
    starts: &'a [f64],
    goals: &'a [f64],
}

impl Chunk<'_> {
    fn decide(&self, row: usize, scratch: &mut CheckScratch) -> Decided {
        let ends = row * self.dof..(row + 1) * self.dof;
        let answer = self.checker.segment(&self.starts[ends.clone()], &self.goals[ends], self.settings, scratch);
        Ok(Row::of(&answer.map_err(Box::new)?))
    }

    /// All rows, in order; fewer if a signal ended the work.
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
        let mut decided = Vec::with_capacity(self.rows);
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= self.rows || interrupt::is_wanted() {
                return decided;
            }
            let batch = first..(first + BATCH).min(self.rows);
            decided.extend(batch.map(|row| (row, self.decide(row, scratch))));
        }
    }
}

/// Treatment of a row that cannot be decided: a NaN, a joint outside its limits, a turn of 180°.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadRow {
    /// It ends the call.
    Raise,
    /// It stays undecided, and its fault is reported beside the answers.
    Tell,
}

/// Settings for all rows.
pub(crate) struct Asked {
    pub(crate) settings: Settings,
    pub(crate) threads: Option<usize>,
    pub(crate) ignore_limits: bool,
    pub(crate) bad_row: BadRow,
}

/// Rows that cannot be decided.
struct Faults {
    bad_row: BadRow,
    told: BTreeMap<usize, String>,
}

impl Faults {
    fn add(&mut self, py: Python<'_>, row: usize, error: PyErr) -> PyResult<()> {
        match self.bad_row {
            BadRow::Raise => Err(error),
            BadRow::Tell => {
                self.told.insert(row, error.value(py).to_string());
                Ok(())
            }
        }
    }

    /// Faults reported by row need no number; `end` is "a" or "b", or none for the segment.
    fn place(&self, row: usize, end: Option<&str>) -> String {
        match (self.bad_row, end) {
            (BadRow::Raise, Some(end)) => format!("row {row} of {end}"),
            (BadRow::Raise, None) => format!("row {row}"),
            (BadRow::Tell, end) => end.unwrap_or("the segment").to_owned(),
        }
    }
}

/// The rows of a chunk that can be decided.
#[derive(Default)]
struct Ends {
    rows: Vec<usize>,
    starts: Vec<f64>,
    goals: Vec<f64>,
}

impl Ends {
    /// Takes the rows from `first` on with both ends valid configurations of the scene.
    fn take(
        &mut self,
        py: Python<'_>,
        SceneData { scene, columns, .. }: &SceneData,
        given: [&[f64]; 2],
        rows: Range<usize>,
        ignore_limits: bool,
        faults: &mut Faults,
    ) -> PyResult<()> {
        self.rows.clear();
        self.starts.clear();
        self.goals.clear();
        let width = given[0].len() / rows.len();
        for (i, row) in rows.enumerate() {
            let [start, goal] = given.map(|values| &values[i * width..(i + 1) * width]);
            let place = |end| faults.place(row, Some(end));
            let pushed = columns
                .push(scene, start, ignore_limits, &|| place("a"), &mut self.starts)
                .and_then(|()| columns.push(scene, goal, ignore_limits, &|| place("b"), &mut self.goals));
            match pushed {
                Ok(()) => self.rows.push(row),
                Err(error) => {
                    self.starts.truncate(self.rows.len() * columns.count);
                    self.goals.truncate(self.rows.len() * columns.count);
                    faults.add(py, row, error)?;
                }
            }
        }
        Ok(())
    }
}

/// Number of threads allowed on any machine; more only if it has processors for them.
const MOST_THREADS: usize = 16;

/// Decides all segments; beside the answers, the rows that could not be decided.
pub(crate) fn decide<'py>(
    inner: &Inner,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    asked: &Asked,
) -> PyResult<(Bound<'py, PyAny>, BTreeMap<usize, String>)> {
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
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = match asked.threads {
        Some(0) => return Err(errors::input("threads must be at least 1")),
        // A scratch for each takes time and memory.
        Some(threads) => threads.min(MOST_THREADS.max(4 * processors)),
        None => processors,
    }
    .min(rows.max(1));
    let out = py.import("pathproof._segments")?.call_method1("empty", (rows,))?;
    let mut scratches: Scratches = (0..threads).map(|_| CheckScratch::new(&inner.checker)).collect();
    let mut faults = Faults { bad_row: asked.bad_row, told: BTreeMap::new() };
    let mut ends = Ends::default();
    for first in (0..rows).step_by(CHUNK) {
        let last = (first + CHUNK).min(rows);
        let (starts, goals) = (arrays::some_rows(&a, first, last, given)?, arrays::some_rows(&b, first, last, given)?);
        ends.take(py, &inner.scene, [&starts, &goals], first..last, asked.ignore_limits, &mut faults)?;
        let chunk = Chunk {
            checker: &inner.checker,
            settings: &asked.settings,
            rows: ends.rows.len(),
            dof: columns.count,
            starts: &ends.starts,
            goals: &ends.goals,
        };
        let decided = interrupt::detached(py, || chunk.decide_all(&mut scratches))?;
        // A chunk may be done before its first poll.
        py.check_signals()?;
        let mut answers = vec![Row::OPEN; last - first];
        for (&row, result) in ends.rows.iter().zip(decided) {
            match result {
                Ok(answer) => answers[row - first] = answer,
                Err(error) => faults.add(py, row, errors::input(format!("{}: {error}", faults.place(row, None))))?,
            }
        }
        write(&out, first, &answers)?;
    }
    Ok((out, faults.told))
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

/// Seconds of the library's own loop for all segments, one thread, nothing kept: the baseline for `decide`.
pub(crate) fn time_bare_loop(inner: &Inner, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    let SceneData { scene, columns, .. } = &*inner.scene;
    let expected = || columns.expected_rows("segments", scene);
    let [starts, goals] = [arrays::table(a, "a", &expected)?.values, arrays::table(b, "b", &expected)?.values];
    let settings = Settings::default();
    let (checker, dof) = (&inner.checker, columns.count);
    let rows = starts.len() / dof.max(1);
    let chunk = Chunk { checker, settings: &settings, rows, dof, starts: &starts, goals: &goals };
    a.py().detach(|| {
        let mut scratch = CheckScratch::new(&inner.checker);
        let start = std::time::Instant::now();
        let decided = (0..chunk.rows).try_for_each(|row| chunk.decide(row, &mut scratch).map(drop));
        decided.map(|()| start.elapsed().as_secs_f64()).map_err(|error| errors::input(error.to_string()))
    })
}
