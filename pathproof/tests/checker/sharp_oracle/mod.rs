//! The sharp oracle of a world: its own kinematics in double-double, closed forms for distances, and the least distance
//! over a segment, shown to be the least up to [`SURE`] by the bodies' largest speeds and refined by golden section.

mod distance;
mod kinematics;
mod real;

use std::collections::{BinaryHeap, HashMap};

use pathproof::numeric::{DVec3, Pose};

use self::distance::{Cuboid, Facet, facets, point_cuboid, separation};
pub(crate) use self::kinematics::Ends;
use self::kinematics::{Chains, Placed, Vector, dot, sub, vector};
use self::real::{Double, Real};
use crate::common::{Form, Thing, World};

/// How far below the oracle's minimum the true one can be, beside what cylinders are off by (metres).
pub(crate) const SURE: f64 = 3e-4;

/// Sides of the prism inside a cylinder that stands for it.
const SIDES: u32 = 32;

struct Piece {
    kind: Kind,
    link_from_piece: Pose,
    /// Farthest point from the piece's origin.
    radius: f64,
}

enum Kind {
    /// Corners of points, segments and triangles, with the ball that sweeps them.
    Facets(Vec<Vec<DVec3>>, f64),
    Cuboid(DVec3),
    Plane(DVec3),
}

struct Solid {
    link: usize,
    pieces: Vec<Piece>,
    /// About the link's origin.
    radius: f64,
}

/// A piece placed in the world, about some origin.
enum PlacedPiece<R> {
    Facets(Vec<Facet<R>>),
    Cuboid(Cuboid<R>, Vec<Facet<R>>),
    /// Normal and a point of it.
    Plane(Vector<R>, Vector<R>),
}

/// The oracle of a world.
pub(crate) struct Sharp {
    chains: Chains,
    solids: Vec<Solid>,
    pub(crate) pairs: Vec<[usize; 2]>,
    /// Distances are negative where pieces overlap.
    pub(crate) is_signed: bool,
    /// How far the prisms of cylinders are inside of them, twice.
    pub(crate) inscribed: f64,
}

/// The least distance of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least {
    pub(crate) distance: f64,
    pub(crate) t: f64,
    pub(crate) pair: usize,
    /// The minimum is no smaller than `distance` − [`SURE`] − `inscribed`.
    pub(crate) is_shown: bool,
}

/// A part of a segment that may hold a smaller distance of a pair.
#[derive(PartialEq)]
struct Stretch {
    lower: f64,
    pair: usize,
    interval: [f64; 2],
    distances: [f64; 2],
}

impl Eq for Stretch {}

impl Ord for Stretch {
    /// The least bound first.
    fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        let by_place = || o.pair.cmp(&self.pair).then(o.interval[0].total_cmp(&self.interval[0]));
        o.lower.total_cmp(&self.lower).then_with(by_place)
    }
}

impl PartialOrd for Stretch {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(o))
    }
}

impl Sharp {
    pub(crate) fn new(world: &World, pairs: Vec<[usize; 2]>, is_signed: bool) -> Self {
        let chains = Chains::new(world);
        let mut inscribed: f64 = 0.0;
        let solids = world.things.iter().map(|thing| {
            for (_, form) in &thing.parts {
                if let Form::Cylinder(r, _) = form {
                    let sagitta = r * (1.0 - (std::f64::consts::PI / f64::from(SIDES)).cos());
                    inscribed = inscribed.max(2.0 * sagitta);
                }
            }
            solid(thing, chains.links[&thing.link])
        });
        let solids: Vec<Solid> = solids.collect();
        Self { chains, solids, pairs, is_signed, inscribed }
    }

    /// Distance of two bodies in double-double at q(t) of a segment.
    pub(crate) fn distance(&self, ends: Ends<'_>, t: f64, [a, b]: [usize; 2]) -> f64 {
        self.distance_in::<Double>(&self.chains.at(ends, t), [a, b], f64::INFINITY)
    }

    /// The distance, or something above `limit` where it is larger than that.
    fn distance_in<R: Real>(&self, links: &[Placed<Double>], [a, b]: [usize; 2], limit: f64) -> f64 {
        // About an origin near both, exactly the same for both.
        let moving = if self.solids[a].link == 0 { b } else { a };
        let origin = links[self.solids[moving].link].translation.map(|x| Double::from(x.to_f64()));
        let place = |body: usize| -> Vec<PlacedPiece<R>> {
            let solid = &self.solids[body];
            let link = links[solid.link].about::<R>(origin);
            // The world's link may be far from there, and so may a body in it: their sum is near.
            let exact = &links[solid.link];
            solid.pieces.iter().map(|piece| place(piece, exact, &link, origin)).collect()
        };
        let (of_a, of_b) = (place(a), place(b));
        let mut best = R::from_f64(f64::INFINITY);
        for x in &of_a {
            for y in &of_b {
                best = best.smaller(pieces(x, y, R::from_f64(limit).smaller(best), self.is_signed));
            }
        }
        if self.is_signed { best.to_f64() } else { best.to_f64().max(0.0) }
    }

    /// Lower bound on the distance by balls around the bodies; −∞ with a plane.
    fn lower_distance(&self, links: &[Placed<Double>], [a, b]: [usize; 2]) -> f64 {
        let (sa, sb) = (&self.solids[a], &self.solids[b]);
        let middle = |s: &Solid| {
            let piece = &s.pieces[0];
            links[s.link].point(vector(piece.link_from_piece.translation))
        };
        let spread = |s: &Solid| {
            let first = s.pieces[0].link_from_piece.translation;
            s.pieces.iter().map(|p| (p.link_from_piece.translation - first).length() + p.radius).fold(0.0, f64::max)
        };
        let apart = sub(middle(sa), middle(sb));
        dot(apart, apart).sqrt().to_f64() - spread(sa) - spread(sb)
    }

    /// The least distance over all pairs and a segment, by branch and bound over at most `most` distances.
    pub(crate) fn least(&self, ends: Ends<'_>, most: usize) -> Least {
        let mut known: HashMap<u64, Vec<Placed<Double>>> = HashMap::new();
        let speeds: Vec<f64> = self.pairs.iter().map(|pair| self.upper_speed(*pair, ends)).collect();
        let mut best = Least { distance: f64::INFINITY, t: 0.0, pair: 0, is_shown: false };
        let mut evaluate = |pair: usize, t: f64, best: &mut Least| -> f64 {
            let links = known.entry(t.to_bits()).or_insert_with(|| self.chains.at(ends, t));
            let far = self.lower_distance(links, self.pairs[pair]);
            // Good enough to leave out all that is near.
            if far > best.distance + speeds[pair] {
                return far;
            }
            let d = self.distance_in::<f64>(links, self.pairs[pair], f64::INFINITY);
            if d < best.distance {
                *best = Least { distance: d, t, pair, is_shown: false };
            }
            d
        };
        let mut waiting = BinaryHeap::new();
        let push = |waiting: &mut BinaryHeap<Stretch>, pair, interval: [f64; 2], distances: [f64; 2]| {
            let lower = (distances[0] + distances[1] - speeds[pair] * (interval[1] - interval[0])) / 2.0;
            waiting.push(Stretch { lower, pair, interval, distances });
        };
        for pair in 0..self.pairs.len() {
            let distances = [0.0, 1.0].map(|t| evaluate(pair, t, &mut best));
            push(&mut waiting, pair, [0.0, 1.0], distances);
        }
        let mut minima: Vec<(f64, usize, f64, f64)> = Vec::new();
        for _ in 0..most {
            // Where bodies touch nothing is left to find, unless distances are signed.
            if best.distance <= 0.0 && !self.is_signed {
                return Least { is_shown: true, ..best };
            }
            let Some(next) = waiting.pop().filter(|next| next.lower < best.distance - SURE) else {
                best.is_shown = true;
                break;
            };
            let [from, to] = next.interval;
            let middle = 0.5 * (from + to);
            let d = evaluate(next.pair, middle, &mut best);
            minima.push((d, next.pair, middle, 0.5 * (to - from)));
            push(&mut waiting, next.pair, [from, middle], [next.distances[0], d]);
            push(&mut waiting, next.pair, [middle, to], [d, next.distances[1]]);
        }
        minima.sort_by(|x, y| x.0.total_cmp(&y.0));
        let found = (best.pair, best.t);
        minima.truncate(4);
        minima.push((best.distance, found.0, found.1, 1e-3));
        for (_, pair, t, half) in minima {
            self.refine(ends, pair, [(t - half).max(0.0), (t + half).min(1.0)], &mut best);
        }
        best.distance = self.distance(ends, best.t, self.pairs[best.pair]);
        best
    }

    /// Golden section.
    fn refine(&self, ends: Ends<'_>, pair: usize, [mut from, mut to]: [f64; 2], best: &mut Least) {
        const RATIO: f64 = 0.618_033_988_749_894_8;
        let mut at = |t: f64| {
            let d = self.distance_in::<f64>(&self.chains.at(ends, t), self.pairs[pair], f64::INFINITY);
            if d < best.distance {
                (best.distance, best.t, best.pair) = (d, t, pair);
            }
            d
        };
        let (mut low, mut high) = (to - RATIO * (to - from), from + RATIO * (to - from));
        let (mut at_low, mut at_high) = (at(low), at(high));
        // Near a smooth minimum the square of what is left counts.
        while to - from > 1e-7 {
            if at_low < at_high {
                (to, high, at_high) = (high, low, at_low);
                low = to - RATIO * (to - from);
                at_low = at(low);
            } else {
                (from, low, at_low) = (low, high, at_high);
                high = from + RATIO * (to - from);
                at_high = at(high);
            }
        }
    }

    fn upper_speed(&self, pair: [usize; 2], ends: Ends<'_>) -> f64 {
        pair.map(|body| self.chains.upper_speed(self.solids[body].link, self.solids[body].radius, ends)).iter().sum()
    }
}

fn solid(thing: &Thing, link: usize) -> Solid {
    let pieces: Vec<Piece> = thing.parts.iter().map(|(pose, form)| piece(*pose, form)).collect();
    let radius = pieces.iter().map(|p| p.link_from_piece.translation.length() + p.radius).fold(0.0, f64::max);
    // What stands in the world does not move, however far it is.
    Solid { link, pieces, radius }
}

fn piece(link_from_piece: Pose, form: &Form) -> Piece {
    let ends = |l: f64| vec![DVec3::Z * (-l / 2.0), DVec3::Z * (l / 2.0)];
    let (kind, swept) = match form {
        Form::Ball(r) => (Kind::Facets(vec![vec![DVec3::ZERO]], *r), *r),
        Form::Capsule(r, l) => (Kind::Facets(vec![ends(*l)], *r), *r),
        Form::Cuboid(size) => (Kind::Cuboid(DVec3::from_array(*size) / 2.0), DVec3::from_array(*size).length()),
        Form::Mesh(vertices, triangles) => {
            (Kind::Facets(triangles.iter().map(|t| t.map(|i| vertices[i as usize]).to_vec()).collect(), 0.0), 0.0)
        }
        Form::Cylinder(r, l) => (Kind::Facets(prism(*r, *l), 0.0), 0.0),
        Form::Plane(normal) => (Kind::Plane(*normal), f64::INFINITY),
    };
    let radius = match &kind {
        Kind::Facets(facets, _) => facets.iter().flatten().map(|p| p.length()).fold(0.0, f64::max) + swept,
        _ => swept,
    };
    // A cylinder sticks out of its prism.
    let radius = radius * (1.0 + 1e-9) + if let Form::Cylinder(r, _) = form { 0.01 * r } else { 0.0 };
    Piece { kind, link_from_piece, radius }
}

/// The surface of a prism inside a cylinder.
fn prism(r: f64, l: f64) -> Vec<Vec<DVec3>> {
    let corner = |i: u32, z: f64| {
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(SIDES)).sin_cos();
        // A hair inside, whatever rounding does.
        DVec3::new(r * c * (1.0 - 1e-15), r * s * (1.0 - 1e-15), z)
    };
    let mut triangles = Vec::new();
    for i in 0..SIDES {
        let [a, b] = [i, i + 1].map(|i| [corner(i, -l / 2.0), corner(i, l / 2.0)]);
        triangles.extend([vec![a[0], b[0], b[1]], vec![a[0], b[1], a[1]]]);
        triangles.extend([-l / 2.0, l / 2.0].map(|z| vec![DVec3::Z * z, corner(i, z), corner(i + 1, z)]));
    }
    triangles
}

fn place<R: Real>(piece: &Piece, exact: &Placed<Double>, link: &Placed<R>, origin: Vector<Double>) -> PlacedPiece<R> {
    let in_link = Placed::<R>::from_pose(&piece.link_from_piece);
    // Where the piece is, in double-double; its own extent in either.
    let centre = exact.point(vector(piece.link_from_piece.translation));
    let placed =
        Placed { columns: in_link.columns.map(|c| link.turned(c)), translation: sub(centre, origin).map(R::of) };
    let facet = |corners: &[DVec3], radius: f64| {
        let placed_corners: Vec<Vector<R>> = corners.iter().map(|p| placed.point(vector(*p))).collect();
        let last = placed_corners[placed_corners.len() - 1];
        let mut three = [last; 3];
        three[..placed_corners.len()].copy_from_slice(&placed_corners);
        let near = three.map(|p| p.map(Real::to_f64));
        let centre: [f64; 3] = std::array::from_fn(|i| (near[0][i] + near[1][i] + near[2][i]) / 3.0);
        let reach = near.iter().map(|p| kinematics::length(sub(*p, centre))).fold(0.0, f64::max) + radius;
        Facet { corners: three, count: corners.len(), radius: R::from_f64(radius), centre, reach: reach + 1e-9 }
    };
    match &piece.kind {
        Kind::Facets(all, radius) => PlacedPiece::Facets(all.iter().map(|corners| facet(corners, *radius)).collect()),
        Kind::Cuboid(half) => {
            let corner = |i: u32| {
                let side = |bit: u32, s: f64| if i & bit == 0 { -s } else { s };
                DVec3::new(side(1, half.x), side(2, half.y), side(4, half.z))
            };
            let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
            let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
            let facets = triangles.map(|t| facet(&t.map(corner), 0.0)).collect();
            PlacedPiece::Cuboid(Cuboid { placed, half: vector(*half) }, facets)
        }
        Kind::Plane(normal) => PlacedPiece::Plane(placed.turned(vector(*normal)), placed.translation),
    }
}

/// Distance of two placed pieces, or something above `limit`.
fn pieces<R: Real>(x: &PlacedPiece<R>, y: &PlacedPiece<R>, limit: R, is_signed: bool) -> R {
    use PlacedPiece::{Cuboid, Facets, Plane};
    match (x, y) {
        (Plane(n, at), Facets(other) | Cuboid(_, other)) | (Facets(other) | Cuboid(_, other), Plane(n, at)) => {
            let height = |f: &Facet<R>| {
                let heights = f.corners.map(|p| dot(*n, sub(p, *at)));
                heights[0].smaller(heights[1]).smaller(heights[2]) - f.radius
            };
            other.iter().map(height).fold(R::from_f64(f64::INFINITY), R::smaller)
        }
        (Cuboid(a, fa), Cuboid(b, fb)) => {
            let apart = separation(a, b);
            if apart <= R::from_f64(0.0) { apart } else { least_of_facets(fa, fb, limit) }
        }
        (Cuboid(c, fc), Facets(other)) | (Facets(other), Cuboid(c, fc)) => match &other[..] {
            [ball] if ball.count == 1 => point_cuboid(ball.corners[0], c) - ball.radius,
            _ => {
                assert!(!is_signed, "no closed form");
                let zero = R::from_f64(0.0);
                let is_in = |f: &Facet<R>| f.corners.iter().any(|p| point_cuboid(*p, c) <= zero);
                if other.iter().any(is_in) { zero } else { least_of_facets(fc, other, limit) }
            }
        },
        (Facets(a), Facets(b)) => least_of_facets(a, b, limit),
        (Plane(..), Plane(..)) => unreachable!("two planes are never checked"),
    }
}

fn least_of_facets<R: Real>(a: &[Facet<R>], b: &[Facet<R>], limit: R) -> R {
    let mut best = limit;
    let mut bound = best.to_f64();
    for f in a {
        for g in b {
            let apart = sub(f.centre, g.centre);
            let reach = f.reach + g.reach + bound.max(0.0);
            if dot(apart, apart) > reach * reach {
                continue;
            }
            let d = facets(f, g);
            if d < best {
                best = d;
                bound = best.to_f64();
            }
        }
    }
    // Nothing nearer than the limit: that, which is no distance, but no smaller than one.
    best
}
