//! The bodies of the sub-object-pruning paper, rebuilt with its sizes and counts (its §4.1, Table 1): a battery of 14
//! pieces and 97 faces, its fixture of 9 and 64, and a hand of 92 and 1,058 with fingertips of 82 faces. Metres.

use anyhow::Result;
use glam::DVec3;
use pathproof::numeric::{Pose, sin_cos};
use pathproof::shapes::{Aabb, Convex};
use pathproof_papers::concave::{ConvexPieces, NamedPiece};

use crate::bodies::along;

/// Corners of a piece and its name, before it is scaled into place.
type Draft = (String, Vec<DVec3>);

fn cuboid(name: &str, low: [f64; 3], high: [f64; 3]) -> Draft {
    let corner = |i: usize| DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { high[k] } else { low[k] }));
    (name.into(), (0..8).map(corner).collect())
}

/// A frustum with regular `sides`-gons of circumradii `radii` at `from` and `to`: `sides` + 2 faces.
fn frustum(name: &str, from: DVec3, to: DVec3, radii: [f64; 2], sides: u32) -> Draft {
    let (pose, length) = (along(from, to), (to - from).length());
    let ring = |radius: f64, z: f64| {
        (0..sides).map(move |k| {
            let (s, c) = sin_cos(std::f64::consts::TAU * (f64::from(k) + 0.5) / f64::from(sides));
            DVec3::new(radius * c, radius * s, z)
        })
    };
    (name.into(), ring(radii[0], 0.0).chain(ring(radii[1], length)).map(|p| pose.point(p)).collect())
}

/// A box along x with the corner at +y, +z cut off: 7 faces.
fn chamfered(name: &str, low: [f64; 3], high: [f64; 3], cut: f64, towards: f64) -> Draft {
    let (near, far) = if towards > 0.0 { (low[1], high[1]) } else { (high[1], low[1]) };
    let section =
        [[near, low[2]], [far, low[2]], [far, high[2] - cut], [far - cut * towards, high[2]], [near, high[2]]];
    let at = |x: f64| section.map(|[y, z]| DVec3::new(x, y, z));
    (name.into(), at(low[0]).into_iter().chain(at(high[0])).collect())
}

/// Stretches drafts so that their box has the given size, its lowest corner at the origin.
fn fitted(drafts: Vec<Draft>, size: [f64; 3]) -> Result<ConvexPieces> {
    let bounds = Aabb::of(drafts.iter().flat_map(|(_, corners)| corners.iter().copied()));
    let scale = DVec3::from_array(size) / bounds.size();
    let pieces: Result<Vec<NamedPiece>> = drafts
        .into_iter()
        .map(|(name, corners)| {
            let placed: Vec<DVec3> = corners.iter().map(|p| (*p - bounds.min) * scale).collect();
            Ok(NamedPiece { name, shape: Convex::hull(&placed)? })
        })
        .collect();
    Ok(ConvexPieces::new(pieces?)?)
}

/// 31 × 74 × 92 cm: a core with flanges, skids and a handle; its back, at +x, has a channel for the fixture's pins.
pub(crate) fn battery() -> Result<ConvexPieces> {
    let drafts = vec![
        cuboid("core", [0.04, -0.33, 0.06], [0.27, 0.33, 0.86]),
        cuboid("flange left", [0.06, -0.37, 0.10], [0.27, -0.33, 0.82]),
        cuboid("flange right", [0.06, 0.33, 0.10], [0.27, 0.37, 0.82]),
        cuboid("lid", [0.04, -0.33, 0.86], [0.27, 0.33, 0.90]),
        cuboid("skid left", [0.04, -0.33, 0.0], [0.27, -0.20, 0.06]),
        cuboid("skid right", [0.04, 0.20, 0.0], [0.27, 0.33, 0.06]),
        cuboid("back low", [0.27, -0.33, 0.06], [0.31, 0.33, 0.36]),
        cuboid("back high", [0.27, -0.33, 0.52], [0.31, 0.33, 0.86]),
        cuboid("panel", [0.03, -0.28, 0.12], [0.04, 0.28, 0.80]),
        cuboid("connector", [0.27, -0.10, 0.39], [0.30, 0.10, 0.49]),
        frustum("handle", DVec3::new(0.01, -0.2, 0.46), DVec3::new(0.01, 0.2, 0.46), [0.0108; 2], 8),
        frustum("handle post left", DVec3::new(0.01, -0.15, 0.46), DVec3::new(0.035, -0.15, 0.46), [0.009; 2], 8),
        frustum("handle post right", DVec3::new(0.01, 0.15, 0.46), DVec3::new(0.035, 0.15, 0.46), [0.009; 2], 8),
        chamfered("latch", [0.10, -0.06, 0.90], [0.22, 0.06, 0.92], 0.01, 1.0),
    ];
    fitted(drafts, [0.31, 0.74, 0.92])
}

/// 62 × 86 × 99 cm: a cradle that is open at −x.
pub(crate) fn fixture() -> Result<ConvexPieces> {
    let pin = |name: &str, y: f64| frustum(name, DVec3::new(0.54, y, 0.48), DVec3::new(0.57, y, 0.48), [0.04, 0.05], 8);
    let drafts = vec![
        cuboid("back", [0.57, -0.43, 0.0], [0.62, 0.43, 0.99]),
        cuboid("floor", [0.0, -0.385, 0.0], [0.57, 0.385, 0.03]),
        cuboid("wall left", [0.0, -0.43, 0.0], [0.57, -0.385, 0.70]),
        cuboid("wall right", [0.0, 0.385, 0.0], [0.57, 0.43, 0.70]),
        cuboid("beam", [0.30, -0.43, 0.97], [0.57, 0.43, 0.99]),
        chamfered("rail left", [0.10, -0.385, 0.40], [0.57, -0.378, 0.46], 0.005, 1.0),
        chamfered("rail right", [0.10, 0.378, 0.40], [0.57, 0.385, 0.46], 0.005, -1.0),
        pin("pin left", -0.25),
        pin("pin right", 0.25),
    ];
    fitted(drafts, [0.62, 0.86, 0.99])
}

/// 131 × 185 × 90 mm: a palm of 24 blocks, four fingers of 13 slices and a thumb of 11, each with a tip. Fingers point
/// along +y and curl towards −z, where the palm faces; the thumb is at +x.
pub(crate) fn hand() -> Result<ConvexPieces> {
    let mut drafts = Vec::new();
    let (width, rows) = (0.021, 6);
    for column in 0..4 {
        for row in 0..rows {
            // The heel and the ball of the thumb are thicker than the hollow.
            let (x, y) = (width * f64::from(column), 0.016 * f64::from(row));
            let hollow = (f64::from(column) - 1.2).abs() * 0.003 + (f64::from(row) - 3.0).abs() * 0.002;
            let low = [x, y, -0.016 - hollow];
            let high = [x + width, y + 0.016, 0.008 + 0.001 * f64::from(column.min(3 - column))];
            drafts.push(cuboid(&format!("palm {column}.{row}"), low, high));
        }
    }
    let names = ["little", "ring", "middle", "index"];
    for (finger, name) in names.into_iter().enumerate() {
        let x = width * (finger as f64 + 0.5);
        let (length, radius) = ([0.070, 0.084, 0.090, 0.082][finger], [0.0085, 0.0095, 0.0100, 0.0098][finger]);
        let spread = (finger as f64 - 1.6) * 0.05;
        let bends = [0.25, 0.75 - 0.05 * finger as f64, 1.2 - 0.05 * finger as f64];
        let root = DVec3::new(x, 0.094, -0.006);
        limb(
            &mut drafts,
            name,
            root,
            length,
            radius,
            spread,
            &[(5, 0.45, bends[0]), (4, 0.30, bends[1]), (4, 0.25, bends[2])],
        );
    }
    let root = DVec3::new(4.0 * width - 0.004, 0.030, -0.012);
    limb(&mut drafts, "thumb", root, 0.075, 0.0115, 0.75, &[(6, 0.55, 0.35), (5, 0.45, 0.65)]);
    fitted(drafts, [0.131, 0.185, 0.090])
}

/// A finger: straight segments of (slices, share of the length, bend from the y axis towards −z), then a tip.
fn limb(
    drafts: &mut Vec<Draft>,
    name: &str,
    root: DVec3,
    length: f64,
    radius: f64,
    spread: f64,
    segments: &[(u32, f64, f64)],
) {
    let (s, c) = sin_cos(spread);
    let aside = DVec3::new(s, c, 0.0);
    let (mut at, mut size, mut slice) = (root, radius, 0);
    for (place, &(slices, share, bend)) in segments.iter().enumerate() {
        let (s, c) = sin_cos(bend);
        let way = aside * c - DVec3::Z * s;
        if place > 0 {
            // Back into the joint, so that the outside of the bend has no gap.
            at -= way * (0.5 * size);
        }
        let step = length * share / f64::from(slices);
        for _ in 0..slices {
            let next = size - 0.25 * radius / 13.0;
            drafts.push(frustum(&format!("{name} {slice}"), at, at + way * step, [size, next], 6));
            (at, size, slice) = (at + way * step, next, slice + 1);
        }
        if place + 1 == segments.len() {
            drafts.push(tip(name, at - way * (0.3 * size), way, size));
        }
    }
}

/// A rounded end of 5 bands of 16 faces and two flat ends: 82 faces.
fn tip(name: &str, at: DVec3, way: DVec3, radius: f64) -> Draft {
    let pose: Pose = along(at, at + way);
    let ring = |k: u32| {
        let (s, c) = sin_cos(1.35 * f64::from(k) / 5.0);
        (0..16).map(move |i| {
            let (sine, cosine) = sin_cos(std::f64::consts::TAU * f64::from(i) / 16.0);
            DVec3::new(radius * c * cosine, radius * c * sine, 1.2 * radius * s)
        })
    };
    (format!("{name} tip"), (0..6).flat_map(ring).map(|p| pose.point(p)).collect())
}

/// A worm of `count` slices along a helix: for measuring costs against the number of pieces.
pub(crate) fn worm(count: usize, turns_per_piece: f64) -> Result<ConvexPieces> {
    let at = |i: usize| {
        let angle = std::f64::consts::TAU * turns_per_piece * i as f64;
        let (s, c) = sin_cos(angle);
        DVec3::new(0.2 * c, 0.2 * s, 0.02 * i as f64)
    };
    let pieces: Result<Vec<NamedPiece>> = (0..count)
        .map(|i| {
            let (name, corners) = frustum(&format!("slice {i}"), at(i), at(i + 1), [0.03; 2], 6);
            Ok(NamedPiece { name, shape: Convex::hull(&corners)? })
        })
        .collect();
    Ok(ConvexPieces::new(pieces?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_faces_and_sizes_are_those_of_the_paper() {
        let cases = [
            ("battery", battery(), 14, 97, [0.31, 0.74, 0.92]),
            ("fixture", fixture(), 9, 64, [0.62, 0.86, 0.99]),
            ("hand", hand(), 92, 1_058, [0.131, 0.185, 0.090]),
        ];
        for (name, body, pieces, faces, size) in cases {
            let body = body.expect(name);
            assert_eq!((body.len(), body.faces()), (pieces, faces), "{name}");
            let off = (body.aabb().size() - DVec3::from_array(size)).abs().max_element();
            assert!(off < 1e-9, "{name}: {}", body.aabb().size());
        }
        let hand = hand().expect("a hand");
        let polytopes = hand.polytopes().expect("polytopes");
        let of_tips: Vec<usize> = (0..hand.len())
            .filter(|&i| hand.name(i).ends_with(" tip"))
            .map(|i| polytopes[i].half_spaces().len())
            .collect();
        assert_eq!(of_tips, [82; 5]);
    }
}
