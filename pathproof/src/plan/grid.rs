//! A grid over two coordinates, by which milestones are picked where there are few of them (docs/design.md#planning).
//!
//! Cells are listed in the order in which they became occupied, never in that of a hash, so that a seed means the same
//! everywhere.

use std::collections::HashMap;

use super::space::Space;
use crate::numeric::Random;

/// Cells along each coordinate.
const CELLS: f64 = 10.0;

type Key = [i32; 2];

/// Milestones by cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    axes: [usize; 2],
    cells: Vec<(Key, Vec<usize>)>,
    places: HashMap<Key, usize>,
}

impl Grid {
    /// An empty grid over two coordinates.
    pub(super) fn over(axes: [usize; 2]) -> Self {
        Self { axes, ..Self::default() }
    }

    /// Two different coordinates, drawn at random; twice the same where there is only one.
    pub(super) fn draw_axes(space: &Space<'_>, random: &mut Random) -> [usize; 2] {
        let count = space.coordinates();
        if count < 2 {
            return [0; 2];
        }
        let first = random.below(count);
        let second = random.below(count - 1);
        [first, if second < first { second } else { second + 1 }]
    }

    fn key(&self, space: &Space<'_>, q: &[f64]) -> Key {
        self.axes.map(|axis| if space.coordinates() == 0 { 0 } else { (space.coordinate(q, axis) * CELLS) as i32 })
    }

    pub(super) fn insert(&mut self, space: &Space<'_>, q: &[f64], milestone: usize) {
        let key = self.key(space, q);
        let place = *self.places.entry(key).or_insert(self.cells.len());
        if place == self.cells.len() {
            self.cells.push((key, Vec::new()));
        }
        self.cells[place].1.push(milestone);
    }

    pub(super) fn remove(&mut self, space: &Space<'_>, q: &[f64], milestone: usize) {
        let key = self.key(space, q);
        let Some(&place) = self.places.get(&key) else { return };
        let milestones = &mut self.cells[place].1;
        milestones.retain(|other| *other != milestone);
        if milestones.is_empty() {
            self.cells.swap_remove(place);
            self.places.remove(&key);
            if let Some((moved, _)) = self.cells.get(place) {
                self.places.insert(*moved, place);
            }
        }
    }

    /// A milestone of a random occupied cell.
    pub(super) fn pick(&self, random: &mut Random) -> usize {
        let milestones = &self.cells[random.below(self.cells.len())].1;
        milestones[random.below(milestones.len())]
    }

    /// The milestones in the cell of `q` and in those around it.
    pub(super) fn around<'a>(&'a self, space: &Space<'_>, q: &[f64]) -> impl Iterator<Item = usize> + 'a {
        let [x, y] = self.key(space, q);
        let keys = (-1..=1).flat_map(move |dx| (-1..=1).map(move |dy| [x + dx, y + dy]));
        let places = keys.filter_map(|key| self.places.get(&key));
        places.flat_map(|place| self.cells[*place].1.iter().copied())
    }

    /// The first broken rule of this structure, for tests.
    #[cfg(test)]
    pub(super) fn broken_invariant(&self) -> Option<&'static str> {
        let is_listed =
            |(place, (key, of)): (usize, &(Key, Vec<usize>))| self.places.get(key) == Some(&place) && !of.is_empty();
        if self.places.len() != self.cells.len() || !self.cells.iter().enumerate().all(is_listed) {
            return Some("a cell is empty, or not where the table says");
        }
        None
    }
}
