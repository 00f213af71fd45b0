//! A grid over two coordinates, used to pick milestones that have few others around them (docs/design.md#planning).
//!
//! Occupied cells are listed in the order in which they became occupied, so that a seed gives the same picks
//! everywhere.

use super::space::Space;
use crate::numeric::Random;

/// Cells along each coordinate.
const CELLS: usize = 10;

/// Milestones by cell.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    axes: [usize; 2],
    /// Row by row.
    cells: Vec<Cell>,
    /// The cells with milestones.
    occupied: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Cell {
    milestones: Vec<usize>,
    /// Index among the occupied cells.
    place: usize,
}

impl Grid {
    /// An empty grid over two coordinates.
    pub(super) fn over(axes: [usize; 2]) -> Self {
        Self { axes, cells: vec![Cell::default(); CELLS * CELLS], occupied: Vec::new() }
    }

    /// Two different coordinates, drawn at random; the same one twice if there is only one.
    pub(super) fn draw_axes(space: &Space<'_>, random: &mut Random) -> [usize; 2] {
        let count = space.coordinates();
        if count < 2 {
            return [0; 2];
        }
        let first = random.below(count);
        let second = random.below(count - 1);
        [first, if second < first { second } else { second + 1 }]
    }

    /// Column and row of a configuration.
    fn place(&self, space: &Space<'_>, q: &[f64]) -> [usize; 2] {
        // The far end of a range belongs to the last cell.
        let cell = |axis: usize| ((space.coordinate(q, axis) * CELLS as f64) as usize).min(CELLS - 1);
        self.axes.map(|axis| if space.coordinates() == 0 { 0 } else { cell(axis) })
    }

    fn number(&self, space: &Space<'_>, q: &[f64]) -> usize {
        let [x, y] = self.place(space, q);
        y * CELLS + x
    }

    pub(super) fn insert(&mut self, space: &Space<'_>, q: &[f64], milestone: usize) {
        let number = self.number(space, q);
        let cell = &mut self.cells[number];
        if cell.milestones.is_empty() {
            cell.place = self.occupied.len();
            self.occupied.push(number);
        }
        cell.milestones.push(milestone);
    }

    pub(super) fn remove(&mut self, space: &Space<'_>, q: &[f64], milestone: usize) {
        let number = self.number(space, q);
        let cell = &mut self.cells[number];
        let Some(found) = cell.milestones.iter().position(|other| *other == milestone) else { return };
        cell.milestones.swap_remove(found);
        if cell.milestones.is_empty() {
            let place = cell.place;
            self.occupied.swap_remove(place);
            if let Some(&moved) = self.occupied.get(place) {
                self.cells[moved].place = place;
            }
        }
    }

    /// A milestone of a random occupied cell.
    pub(super) fn pick(&self, random: &mut Random) -> usize {
        let milestones = &self.cells[self.occupied[random.below(self.occupied.len())]].milestones;
        milestones[random.below(milestones.len())]
    }

    /// The milestones in the cell of `q` and in those around it.
    pub(super) fn around<'a>(&'a self, space: &Space<'_>, q: &[f64]) -> impl Iterator<Item = usize> + 'a {
        let [columns, rows] = self.place(space, q).map(|k| k.saturating_sub(1)..(k + 2).min(CELLS));
        let numbers = rows.flat_map(move |y| columns.clone().map(move |x| y * CELLS + x));
        numbers.flat_map(|number| self.cells[number].milestones.iter().copied())
    }

    /// The first broken rule of this structure, for tests.
    #[cfg(test)]
    pub(super) fn broken_invariant(&self) -> Option<&'static str> {
        let is_listed = |(number, cell): (usize, &Cell)| {
            cell.milestones.is_empty() || self.occupied.get(cell.place) == Some(&number)
        };
        let occupied = self.cells.iter().filter(|cell| !cell.milestones.is_empty()).count();
        if occupied != self.occupied.len() || !self.cells.iter().enumerate().all(is_listed) {
            return Some("an empty cell is listed as occupied, or one is not where it says");
        }
        None
    }
}
