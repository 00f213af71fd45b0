//! Supports by a table of directions: for each cell of the cube of directions, the vertices that may be farthest along
//! one of its directions. A support is then a scan of a few vertices, independent of the hull's size and of the last
//! support.
//!
//! Invariant: no vertex left out of a cell is farther along any of its directions than all that are in it. A cell is
//! the cone over a rectangle on a side of the cube, and n·(w − v) is linear in n: if it is positive at the four
//! corners, w is farther than v along every direction of the cell. Cells overlap by far more than rounding can move a
//! direction.

use std::sync::OnceLock;

use super::Hull;
use crate::numeric::DVec3;

/// Cells along an edge of the cube, as a power of two: enough that most have no more than four candidates, up to a few
/// hundred vertices.
fn levels_for(vertices: usize) -> u32 {
    if vertices < 160 { 3 } else { 4 }
}

/// Widening of a cell, relative to the cube's half edge; directions round by a few u.
const WIDENED: f64 = 1e-9;

/// Margin by which a vertex must be beaten at a corner, relative to the hull's size: more than differences and
/// products round.
const CLEARLY: f64 = 1e-13;

/// Lists up to this long are compared with each other, vertex by vertex.
const FEW: usize = 24;

/// The candidates of all cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Candidates {
    /// Cells along an edge of the cube.
    cells: usize,
    /// For each cell four candidates; fewer are filled up by repeating the first. If there are more, three and
    /// [`MORE`] with the place of the others. Always four, because a loop with an unpredictable end costs more.
    four: Vec<[u32; 4]>,
    /// The others of a cell: their number, then the vertices.
    others: Vec<u32>,
}

/// The table of a hull, made on first use: most hulls within a fine mesh never meet anything, and their tables are
/// half of the build time.
#[derive(Clone, Debug, Default)]
pub(super) struct LazyTable(OnceLock<Candidates>);

/// The table follows from the hull's vertices, whenever it is made.
impl PartialEq for LazyTable {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl LazyTable {
    /// The table of `hull`, which must be its owner.
    #[inline(always)]
    pub(super) fn of(&self, hull: &Hull) -> &Candidates {
        self.0.get_or_init(|| Candidates::new(hull))
    }

    /// Memory used so far, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.get().map_or(0, Candidates::bytes)
    }

    /// True if the table, if made, is for this many vertices.
    pub(super) fn is_for(&self, count: usize) -> bool {
        self.0.get().is_none_or(|table| table.is_for(count))
    }
}

/// Marks the place of further candidates; indices of vertices are less.
const MORE: u32 = 1 << 31;

/// The cell of the cube of directions that contains `direction`. Every direction has one, including 0 and NaN.
#[inline(always)]
fn cell_of(direction: DVec3, cells: usize) -> usize {
    let size = direction.abs();
    // The largest coordinate is hard to predict: computed without a branch.
    let is_x = (size.x >= size.y) & (size.x >= size.z);
    let axis = usize::from(!is_x) * (2 - usize::from(size.y >= size.z));
    let around = [direction.x, direction.y, direction.z, direction.x, direction.y];
    let along = around[axis].abs();
    let side = usize::from(around[axis] > 0.0);
    // Quotients are within ±1 however small the direction is: the inverse of a tiny length would overflow. Casting
    // saturates and takes NaN to 0.
    let cell = |c: f64| (((c / along + 1.0) * (0.5 * cells as f64)) as usize).min(cells - 1);
    let (u, v) = (cell(around[axis + 1]), cell(around[axis + 2]));
    ((axis * 2 + side) * cells + u) * cells + v
}

/// A square on a side of the cube.
#[derive(Clone, Copy)]
struct Square {
    axis: usize,
    side: usize,
    /// It is 1 / 2^level as wide as the cube.
    level: u32,
    place: [usize; 2],
}

impl Square {
    /// Its corners, widened, and its middle.
    fn directions(&self) -> [DVec3; 5] {
        let width = 2.0 / f64::from(1u32 << self.level);
        let at = |place: usize, end: f64| -1.0 + width * (place as f64 + end);
        let point = |[u, v]: [f64; 2]| {
            let mut direction = DVec3::ZERO;
            direction[self.axis] = if self.side == 1 { 1.0 } else { -1.0 };
            direction[(self.axis + 1) % 3] = at(self.place[0], u);
            direction[(self.axis + 2) % 3] = at(self.place[1], v);
            direction
        };
        let (low, high) = (-WIDENED / width, 1.0 + WIDENED / width);
        [[low, low], [low, high], [high, low], [high, high], [0.5, 0.5]].map(point)
    }

    fn quarters(&self) -> [Self; 4] {
        [[0, 0], [0, 1], [1, 0], [1, 1]].map(|[u, v]| {
            let place = [2 * self.place[0] + u, 2 * self.place[1] + v];
            Self { level: self.level + 1, place, ..*self }
        })
    }
}

impl Candidates {
    /// The table of a hull.
    pub(super) fn new(hull: &Hull) -> Self {
        let levels = levels_for(hull.vertices.len());
        let cells = 1 << levels;
        let mut of_cells = vec![Vec::new(); 6 * cells * cells];
        let all: Vec<u32> = (0..hull.vertices.len() as u32).collect();
        for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            fill(hull, Square { axis, side, level: 0, place: [0; 2] }, levels, &all, &mut of_cells);
        }
        let mut table = Self { cells, four: Vec::with_capacity(of_cells.len()), others: Vec::new() };
        for cell in of_cells {
            let mut four = std::array::from_fn(|i| *cell.get(i).unwrap_or(&cell[0]));
            if cell.len() > 4 {
                four[3] = MORE | table.others.len() as u32;
                table.others.push(cell.len() as u32 - 3);
                table.others.extend(&cell[3..]);
            }
            table.four.push(four);
        }
        table.others.shrink_to_fit();
        table
    }

    /// The vertex farthest along `direction`.
    #[inline(always)]
    pub(super) fn farthest(&self, vertices: &[DVec3], direction: DVec3) -> u32 {
        let four = self.four[cell_of(direction, self.cells)];
        if four[3] & MORE != 0 {
            return self.farthest_of_many(four, vertices, direction);
        }
        let reach = four.map(|v| vertices[v as usize].dot(direction));
        // Selects, not branches: the winner is hard to predict. In pairs, so that none waits for all before it.
        let farther = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 { b } else { a };
        let one = farther((reach[0], four[0]), (reach[1], four[1]));
        farther(one, farther((reach[2], four[2]), (reach[3], four[3]))).1
    }

    #[inline(never)]
    fn farthest_of_many(&self, four: [u32; 4], vertices: &[DVec3], direction: DVec3) -> u32 {
        let (mut best, mut farthest) = (f64::NEG_INFINITY, four[0]);
        for &v in four[..3].iter().chain(self.others(four[3])) {
            let reach = vertices[v as usize].dot(direction);
            let better = reach > best;
            best = if better { reach } else { best };
            farthest = if better { v } else { farthest };
        }
        farthest
    }

    /// The further candidates at a place marked by [`MORE`].
    #[inline(always)]
    fn others(&self, marked: u32) -> &[u32] {
        let place = (marked & !MORE) as usize;
        let count = self.others[place] as usize;
        &self.others[place + 1..][..count]
    }

    /// The candidates of a cell, possibly repeated.
    fn of_cell(&self, cell: usize) -> Vec<u32> {
        let four = self.four[cell];
        if four[3] & MORE == 0 { four.to_vec() } else { [&four[..3], self.others(four[3])].concat() }
    }

    /// Memory used, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.four.capacity() * size_of::<[u32; 4]>() + self.others.capacity() * size_of::<u32>()
    }

    /// True if it is a table for this many vertices.
    pub(super) fn is_for(&self, count: usize) -> bool {
        let is_whole = self.four.len() == 6 * self.cells * self.cells;
        is_whole && (0..self.four.len()).all(|cell| self.of_cell(cell).iter().all(|&v| (v as usize) < count))
    }
}

/// Fills the cells of a square, given candidates for all of it.
fn fill(hull: &Hull, square: Square, levels: u32, candidates: &[u32], of_cells: &mut [Vec<u32>]) {
    let directions = square.directions();
    let kept = undominated(hull, &directions, candidates);
    if square.level < levels {
        square.quarters().into_iter().for_each(|quarter| fill(hull, quarter, levels, &kept, of_cells));
    } else {
        of_cells[cell_of(directions[4], 1 << levels)] = kept;
    }
}

/// The candidates that no other certainly beats along all directions of a square.
fn undominated(hull: &Hull, directions: &[DVec3; 5], candidates: &[u32]) -> Vec<u32> {
    let clearly = CLEARLY * (hull.upper_extent + hull.upper_diameter);
    let vertex = |v: u32| hull.vertices[v as usize];
    let is_beaten = |v: u32, by: u32| {
        let ahead = vertex(by) - vertex(v);
        directions[..4].iter().all(|d| ahead.dot(*d) > clearly)
    };
    let farthest = directions.map(|d| {
        let farther = |a: u32, b: u32| if vertex(b).dot(d) > vertex(a).dot(d) { b } else { a };
        candidates.iter().copied().reduce(farther)
    });
    let is_open = |v: &u32| !farthest.iter().flatten().any(|&by| is_beaten(*v, by));
    let kept: Vec<u32> = candidates.iter().copied().filter(is_open).collect();
    if kept.len() > FEW {
        return kept;
    }
    kept.iter().copied().filter(|&v| !kept.iter().any(|&by| is_beaten(v, by))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;

    /// Directions on the borders of cells and on axes are the hard ones: rounding may put them on either side.
    #[test]
    fn no_vertex_left_out_is_farther_along_any_direction_of_its_cell() {
        let mut random = Random::new(91);
        let (mut asked, mut scanned) = (0, 0);
        for case in 0..120 {
            let count = [5, 9, 30, 120, 500][case % 5];
            let stretch = DVec3::new(1.0, [1.0, 0.01, 100.0][case % 3], [1.0, 1e-4][case % 2]);
            let points: Vec<DVec3> = (0..count).map(|_| random.direction() * stretch + random.point(0.1)).collect();
            let hull = Hull::new(&points).expect("a hull");
            let table = Candidates::new(&hull);
            assert!(table.is_for(hull.vertices.len()));
            for i in 0..1_000 {
                let mut n = random.direction();
                if i % 2 == 0 {
                    // On a border, or a few units in the last place beside it.
                    let axis = random.below(3);
                    let half_cells = 0.5 * table.cells as f64;
                    let grid = |x: f64| (x * half_cells).round() / half_cells * (1.0 + random_ulps(i));
                    n = n / n[axis];
                    n = DVec3::from_array(std::array::from_fn(|k| if k == axis { n[k] } else { grid(n[k]) }));
                }
                // Tiny displacements of a motion are directions, too.
                let n = n * if i % 5 == 0 { 1e-309 } else { 10f64.powf(random.between(-3.0, 3.0)) };
                let reach = |v: &u32| hull.vertices[*v as usize].dot(n);
                let all: Vec<u32> = (0..hull.vertices.len() as u32).collect();
                let truth = all.iter().map(reach).fold(f64::NEG_INFINITY, f64::max);
                let few = table.of_cell(cell_of(n, table.cells));
                let found = few.iter().map(reach).fold(f64::NEG_INFINITY, f64::max);
                let rounded = 1e-14 * hull.upper_extent * n.abs().max_element() + 1e-320;
                assert!(found >= truth - rounded, "{case}: {n} {found} {truth}");
                assert_eq!(reach(&table.farthest(&hull.vertices, n)), found, "{case}: {n}");
                asked += 1;
                scanned += few.len();
            }
        }
        println!("{asked} directions, {:.1} vertices each", scanned as f64 / asked as f64);
        assert!(scanned < 8 * asked, "{scanned} for {asked}");
    }

    fn random_ulps(i: usize) -> f64 {
        (i % 7) as f64 * f64::EPSILON - 3.0 * f64::EPSILON
    }
}
