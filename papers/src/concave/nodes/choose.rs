//! Chooses nodes among samples: each time the sample farthest from all nodes so far, along the edges between samples;
//! then finds the regions that meet. Dijkstra's distances are kept and only shortened, so a new node costs its own
//! region.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::Density;
use super::sample::Samples;

/// Chosen samples by number, the neighbours of each, ascending, and the largest distance of a sample from its node.
pub(super) struct Chosen {
    pub(super) nodes: Vec<u32>,
    pub(super) neighbours: Vec<Vec<u32>>,
    pub(super) spacing: f64,
}

/// A distance that can be ordered: none is NaN.
#[derive(Clone, Copy, PartialEq)]
struct Length(f64);

impl Eq for Length {}

impl Ord for Length {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Length {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

pub(super) fn nodes(samples: &Samples, density: Density) -> Chosen {
    let count = samples.points.len();
    let mut far = vec![f64::INFINITY; count];
    let mut owner = vec![u32::MAX; count];
    let mut nodes = Vec::new();
    let mut queue = BinaryHeap::new();
    loop {
        // The first of the farthest; parts that no node has reached yet count as farthest.
        let farthest = (0..count).reduce(|a, b| if far[b] > far[a] { b } else { a }).unwrap_or(0);
        let is_enough = match density {
            Density::Spacing(spacing) => far[farthest] <= spacing,
            Density::Count(wanted) => nodes.len() >= wanted || far[farthest] == 0.0,
        };
        if is_enough {
            let spacing = far[farthest];
            return Chosen { neighbours: regions_that_meet(samples, &owner, nodes.len()), nodes, spacing };
        }
        let node = nodes.len() as u32;
        nodes.push(farthest as u32);
        (far[farthest], owner[farthest]) = (0.0, node);
        queue.push(Reverse((Length(0.0), farthest as u32)));
        while let Some(Reverse((Length(length), at))) = queue.pop() {
            if length > far[at as usize] {
                continue;
            }
            for &(next, way) in &samples.near[at as usize] {
                let through = length + way;
                if through < far[next as usize] {
                    (far[next as usize], owner[next as usize]) = (through, node);
                    queue.push(Reverse((Length(through), next)));
                }
            }
        }
    }
}

fn regions_that_meet(samples: &Samples, owner: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut sets = vec![BTreeSet::new(); count];
    for (i, near) in samples.near.iter().enumerate() {
        for &(j, _) in near {
            let (a, b) = (owner[i], owner[j as usize]);
            if a != b {
                sets[a as usize].insert(b);
                sets[b as usize].insert(a);
            }
        }
    }
    sets.into_iter().map(|set| set.into_iter().collect()).collect()
}
