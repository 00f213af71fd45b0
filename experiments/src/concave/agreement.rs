//! Measures how often SOPA's answer is not the least distance, by the number of random starts: the trajectory is
//! repeated with other starts, every step by itself, or from the minima of the last one. Only MLSdist runs; mindist's
//! answers are kept.

use pathproof::numeric::Random;
use pathproof_papers::concave::mls::{self, Descents, MlsMemory};

use super::prepared::{Nodes, Prepared};

/// Numbers of starts that are reported.
pub(crate) const STARTS: [usize; 12] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/// Results of a number of starts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agreement {
    pub(crate) starts: usize,
    /// Share of queries with the least distance.
    pub(crate) queries: f64,
    /// Share of trajectories with the least distance at every step.
    pub(crate) trajectories: f64,
    /// Largest excess over the least distance, in metres.
    pub(crate) worst_error: f64,
}

/// Repeats the trajectory with random starts. All numbers of starts come from one run: the first n starts of a longer
/// search are a search of n starts. A query ends once its answer is the least.
pub(crate) fn random_starts(prepared: &Prepared, nodes: &Nodes, repetitions: usize, most: usize) -> Vec<Agreement> {
    let counted: Vec<usize> = STARTS.into_iter().filter(|&n| n <= most).collect();
    let mut tally = Tally::new(&counted);
    let mut memory = MlsMemory::default();
    for repetition in 0..repetitions {
        tally.start_trajectory();
        for step in 0..prepared.least.len() {
            let starts = mls::random_starts(&nodes[0], &nodes[1], most, seed(repetition, step));
            let mut descents = prepared.descents(step, nodes, &mut memory);
            let (mut best, mut reported) = (f64::INFINITY, 0);
            for (done, start) in (1..).zip(starts) {
                if let Some(minimum) = descents.descend(start) {
                    best = best.min(prepared.behind(step, nodes, &minimum));
                }
                let error = prepared.error(step, best);
                if done == counted[reported] && error > 0.0 {
                    tally.miss(reported, error);
                    reported += 1;
                }
                if error == 0.0 || reported == counted.len() {
                    break;
                }
            }
        }
        tally.end_trajectory();
    }
    tally.agreements(repetitions, prepared.least.len())
}

/// The same with each step starting from all minima of the last one as well; each number of starts is a run of its own.
pub(crate) fn warm_starts(prepared: &Prepared, nodes: &Nodes, repetitions: usize, starts: usize) -> Agreement {
    let mut tally = Tally::new(&[starts]);
    let mut memory = MlsMemory::default();
    let mut last: Vec<mls::NodePair> = Vec::new();
    for repetition in 0..repetitions {
        tally.start_trajectory();
        last.clear();
        for step in 0..prepared.least.len() {
            let mut descents = prepared.descents(step, nodes, &mut memory);
            let random = mls::random_starts(&nodes[0], &nodes[1], starts, seed(repetition, step));
            for start in last.iter().copied().chain(random) {
                descents.descend(start);
            }
            let minima = descents.finish();
            let best = minima.iter().map(|minimum| prepared.behind(step, nodes, minimum)).fold(f64::INFINITY, f64::min);
            let error = prepared.error(step, best);
            if error > 0.0 {
                tally.miss(0, error);
            }
            last.clear();
            last.extend(minima.iter().map(|minimum| minimum.nodes));
        }
        tally.end_trajectory();
    }
    tally.agreements(repetitions, prepared.least.len())[0]
}

/// The ceiling: descents from every pair of nodes. Share of steps with the least distance, largest excess, and local
/// minima per step.
pub(crate) fn every_pair(prepared: &Prepared, nodes: &Nodes, steps: &[usize]) -> (f64, f64, f64) {
    let mut memory = MlsMemory::default();
    let (mut met, mut worst, mut minima) = (0, 0f64, 0);
    for &step in steps {
        let mut descents = prepared.descents(step, nodes, &mut memory);
        for a in 0..nodes[0].len() as u32 {
            for b in 0..nodes[1].len() as u32 {
                descents.descend([a, b]);
            }
        }
        let found = descents.finish();
        let best = found.iter().map(|minimum| prepared.behind(step, nodes, minimum)).fold(f64::INFINITY, f64::min);
        let error = prepared.error(step, best);
        met += usize::from(error == 0.0);
        worst = worst.max(error);
        minima += found.len();
    }
    (met as f64 / steps.len() as f64, worst, minima as f64 / steps.len() as f64)
}

/// A seed for each query: those of one trajectory differ from those of the next.
pub(crate) fn seed(repetition: usize, step: usize) -> u64 {
    Random::new((repetition as u64) << 32 | step as u64).bits()
}

impl Prepared {
    fn descents<'m, 'n>(&self, step: usize, nodes: &'n Nodes, memory: &'m mut MlsMemory) -> Descents<'m, 'n> {
        Descents::new(&nodes[0], &nodes[1], &self.case.poses[step], memory)
    }
}

/// Misses by number of starts.
struct Tally {
    starts: Vec<usize>,
    misses: Vec<u64>,
    failed_trajectories: Vec<u64>,
    has_failed: Vec<bool>,
    worst: Vec<f64>,
}

impl Tally {
    fn new(starts: &[usize]) -> Self {
        let n = starts.len();
        Self {
            starts: starts.to_vec(),
            misses: vec![0; n],
            failed_trajectories: vec![0; n],
            has_failed: vec![false; n],
            worst: vec![0.0; n],
        }
    }

    fn start_trajectory(&mut self) {
        self.has_failed.fill(false);
    }

    fn miss(&mut self, place: usize, error: f64) {
        self.misses[place] += 1;
        self.has_failed[place] = true;
        self.worst[place] = self.worst[place].max(error);
    }

    fn end_trajectory(&mut self) {
        for (failed, has_failed) in self.failed_trajectories.iter_mut().zip(&self.has_failed) {
            *failed += u64::from(*has_failed);
        }
    }

    fn agreements(&self, repetitions: usize, steps: usize) -> Vec<Agreement> {
        let share = |misses: u64, of: usize| 1.0 - misses as f64 / of as f64;
        (0..self.starts.len())
            .map(|i| Agreement {
                starts: self.starts[i],
                queries: share(self.misses[i], repetitions * steps),
                trajectories: share(self.failed_trajectories[i], repetitions),
                worst_error: self.worst[i],
            })
            .collect()
    }
}
