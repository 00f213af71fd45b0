//! Paths that state their polynomials: powers (Drake's PiecewisePolynomial), Bézier control values, B-splines (cuRobo,
//! Drake). Documented in docs/path-file.md.
//!
//! All become Bernstein coefficients per piece; their error includes the rounding of this conversion. Pieces must meet
//! up to [`MOST_JUMP`]. The rest of a jump also goes into the error, so the proven curve has none.

use super::columns::Columns;
use super::messages::Message;
use super::{PathPoints, Source};
use crate::{FormatError, excerpt};
use pathproof::numeric::ROUNDOFF_F64;
use pathproof::robot::Polynomial;

/// Largest gap between two pieces where they meet, in radians or metres: the loss in printing.
const MOST_JUMP: f64 = 1e-9;

/// Rounding of a B-spline's Bernstein coefficients in units of u of its largest control value: a weight is a quotient of
/// differences (4u), a mean of two control values adds 2u, and there are at most five levels: 30u.
const SPLINE_ROUNDING: f64 = 64.0;

const REMEDY: &str = "write joint_names, knots, basis = \"power\" or \"bezier\" with pieces, or \"bspline\" with degree and control_points";

/// Path of a message that states polynomials; `start` has the positions of joints that it leaves out.
pub(super) fn path(
    message: Message,
    start: &[(usize, f64)],
    place: &str,
    source: &Source<'_>,
) -> Result<PathPoints, FormatError> {
    let names = message.joint_names.clone().unwrap_or_default();
    let columns = Columns::new(names.iter().map(String::as_str).enumerate(), place, source)?;
    let wrong = |problem: String| source.error(place, problem, REMEDY);
    let Some(knots) = &message.knots else { return Err(wrong("there are no knots".to_owned())) };
    if let Some(pair) = knots.windows(2).find(|pair| !(pair[0] <= pair[1])) {
        return Err(wrong(format!("the knots {} and {} are not in order", pair[0], pair[1])));
    }
    let (times, mut pieces) = match (message.basis.as_deref(), &message.pieces, &message.control_points) {
        (Some("power" | "bezier"), Some(pieces), None) => (knots.clone(), stated(&message, knots, pieces, &wrong)?),
        (Some("bspline"), None, Some(points)) => {
            let degree = message.degree.ok_or_else(|| wrong("a B-spline needs its degree".to_owned()))?;
            spline(degree, knots, points, names.len(), &wrong)?
        }
        (Some(basis @ ("power" | "bezier")), ..) => return Err(wrong(format!("basis {basis:?} takes pieces"))),
        (Some("bspline"), ..) => return Err(wrong("basis \"bspline\" takes degree and control_points".to_owned())),
        (basis, ..) => return Err(wrong(format!("the basis {:?} is not known", excerpt(basis.unwrap_or_default())))),
    };
    if let Some((index, piece)) = pieces.iter().enumerate().find(|(_, piece)| piece.len() != names.len()) {
        return Err(wrong(format!("piece {index} has {} joints where joint_names has {}", piece.len(), names.len())));
    }
    let numbers = pieces.iter().flatten().flat_map(|polynomial| polynomial.coefficients());
    if times.iter().chain(numbers).any(|number| !number.is_finite()) || pieces.is_empty() {
        return Err(wrong("there is no piece, or a number is not finite".to_owned()));
    }
    join(&mut pieces, &names, &wrong)?;
    let ends = pieces.iter().map(|piece| values(piece, Polynomial::start));
    let ends: Vec<Vec<f64>> = ends.chain(pieces.last().map(|piece| values(piece, Polynomial::end))).collect();
    let at = |index: usize| if place.is_empty() { format!("knot {index}") } else { format!("{place}, knot {index}") };
    let waypoint = |(index, q): (usize, &Vec<f64>)| columns.configuration(q, start, &at(index), source);
    let waypoints: Vec<Vec<f64>> = ends.iter().enumerate().map(waypoint).collect::<Result<_, _>>()?;
    // Joints that are not named stay at rest.
    let full = |(piece, q): (&Vec<Polynomial>, &Vec<f64>)| {
        let mut full: Vec<Polynomial> = q.iter().map(|q| Polynomial::constant(*q)).collect();
        for (column, variable) in columns.pairs() {
            full[variable] = piece[column];
        }
        full
    };
    let polynomials = pieces.iter().zip(&waypoints).map(full).collect();
    Ok(PathPoints { waypoints, times: Some(times), polynomials: Some(polynomials), ..PathPoints::default() })
}

fn values(piece: &[Polynomial], of: impl Fn(&Polynomial) -> f64) -> Vec<f64> {
    piece.iter().map(of).collect()
}

/// Pieces as written in the file, a list for each joint.
fn stated(
    message: &Message,
    knots: &[f64],
    pieces: &[Vec<Vec<f64>>],
    wrong: &dyn Fn(String) -> FormatError,
) -> Result<Vec<Vec<Polynomial>>, FormatError> {
    if knots.len() != pieces.len() + 1 {
        return Err(wrong(format!("{} pieces need {} knots, not {}", pieces.len(), pieces.len() + 1, knots.len())));
    }
    let is_power = message.basis.as_deref() == Some("power");
    let polynomial = |list: &Vec<f64>, duration: f64| {
        let polynomial =
            if is_power { Polynomial::from_powers(list, duration) } else { Polynomial::from_bernstein(list) };
        polynomial.ok_or_else(|| wrong(format!("a polynomial of {} coefficients; 1 to 6 are known", list.len())))
    };
    let durations = knots.windows(2).map(|pair| pair[1] - pair[0]);
    if let Some(pair) = knots.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(wrong(format!("two knots are at {}", pair[0])));
    }
    pieces
        .iter()
        .zip(durations)
        .map(|(piece, duration)| piece.iter().map(|list| polynomial(list, duration)).collect())
        .collect()
}

/// Times and pieces of a B-spline: its Bernstein coefficients on [a, b] are its blossom at a and b, n times in all.
fn spline(
    degree: usize,
    knots: &[f64],
    points: &[Vec<f64>],
    joints: usize,
    wrong: &dyn Fn(String) -> FormatError,
) -> Result<(Vec<f64>, Vec<Vec<Polynomial>>), FormatError> {
    if !(1..=Polynomial::MOST_DEGREE).contains(&degree) {
        return Err(wrong(format!("the degree {degree} is not from 1 to {}", Polynomial::MOST_DEGREE)));
    }
    let needed = points.len() + degree + 1;
    if points.len() <= degree || knots.len() != needed {
        let problem =
            format!("{} control points of degree {degree} need {needed} knots, not {}", points.len(), knots.len());
        return Err(wrong(problem));
    }
    if let Some(index) = points.iter().position(|point| point.len() != joints) {
        return Err(wrong(format!("control point {index} has not {joints} values")));
    }
    let spans: Vec<usize> = (degree..points.len()).filter(|&i| knots[i] < knots[i + 1]).collect();
    if spans.is_empty() {
        return Err(wrong("all knots are the same".to_owned()));
    }
    let piece = |&span: &usize| -> Vec<Polynomial> {
        (0..joints)
            .map(|joint| {
                let local: Vec<f64> = (0..=degree).map(|i| points[span - degree + i][joint]).collect();
                let size = local.iter().fold(0.0f64, |size, c| size.max(c.abs()));
                let coefficients: Vec<f64> = (0..=degree).map(|j| blossom(&local, knots, span, j)).collect();
                let polynomial = Polynomial::from_bernstein(&coefficients).unwrap_or(Polynomial::constant(f64::NAN));
                let is_exact = local.iter().all(|c| *c == local[0]);
                polynomial.with_error(if is_exact { 0.0 } else { SPLINE_ROUNDING * ROUNDOFF_F64 * size })
            })
            .collect()
    };
    let mut times: Vec<f64> = spans.iter().map(|&span| knots[span]).collect();
    times.extend(spans.last().map(|&span| knots[span + 1]));
    Ok((times, spans.iter().map(piece).collect()))
}

/// Blossom of a span's control values: `late` times at its end, otherwise at its start. Both are in the support of
/// every remaining value, so all are means.
fn blossom(local: &[f64], knots: &[f64], span: usize, late: usize) -> f64 {
    let degree = local.len() - 1;
    let mut c = local.to_vec();
    if c.iter().all(|value| *value == c[0]) {
        return c[0];
    }
    for level in 1..=degree {
        let t = if level <= late { knots[span + 1] } else { knots[span] };
        for i in (level..=degree).rev() {
            let (from, to) = (knots[span - degree + i], knots[span + 1 + i - level]);
            let share = (t - from) / (to - from);
            c[i] = (1.0 - share) * c[i - 1] + share * c[i];
        }
    }
    c[degree]
}

/// Makes every piece end exactly where the next one starts.
fn join(
    pieces: &mut [Vec<Polynomial>],
    names: &[String],
    wrong: &dyn Fn(String) -> FormatError,
) -> Result<(), FormatError> {
    for index in 1..pieces.len() {
        for joint in 0..names.len() {
            let (end, start) = (pieces[index - 1][joint].end(), pieces[index][joint].start());
            // Written so that NaN is a jump.
            if !((end - start).abs() <= MOST_JUMP) {
                let name = excerpt(&names[joint]);
                return Err(wrong(format!("{name:?} jumps from {end} to {start} where piece {index} begins")));
            }
            if end != start {
                pieces[index - 1][joint] = pieces[index - 1][joint].ending_at(start);
            }
        }
    }
    Ok(())
}
