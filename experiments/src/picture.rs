//! Pictures of triangles: seen along a slanted direction without perspective, the nearest surface per pixel, shaded by
//! its slope, as PNG. Small for any number of triangles, so that a page can hold one per scene.

use std::io::Write as _;

use anyhow::Result;
use base64::Engine as _;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use glam::DVec3;

use crate::bodies::Mesh;

/// A mesh in world coordinates and its colour.
pub(crate) struct Painted {
    pub(crate) mesh: Mesh,
    pub(crate) colour: [u8; 3],
}

/// Pixels of a picture.
const WIDTH: usize = 420;
const HEIGHT: usize = 340;
/// Samples per pixel and direction, averaged.
const SAMPLES: usize = 2;

/// An `<img>` element of the bodies seen from the direction `from`, z up.
pub(crate) fn image(bodies: &[Painted], from: DVec3, description: &str) -> Result<String> {
    let encoded = base64::engine::general_purpose::STANDARD.encode(png(&pixels(bodies, from))?);
    Ok(format!(
        "<img width=\"{WIDTH}\" height=\"{HEIGHT}\" alt=\"{}\" src=\"data:image/png;base64,{encoded}\">",
        crate::plot::escaped(description)
    ))
}

/// Rows of RGB.
fn pixels(bodies: &[Painted], from: DVec3) -> Vec<[u8; 3]> {
    let (width, height) = (WIDTH * SAMPLES, HEIGHT * SAMPLES);
    let towards = from.normalize();
    let right = DVec3::Z.cross(towards).normalize();
    let up = towards.cross(right);
    let in_view = |p: DVec3| DVec3::new(p.dot(right), p.dot(up), p.dot(towards));
    let all = || bodies.iter().flat_map(|b| &b.mesh.0).map(|p| in_view(*p));
    let (low, high) = all().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    let size = high - low;
    let scale = 0.96 * (width as f64 / size.x).min(height as f64 / size.y);
    let middle = 0.5 * (low + high);
    let place = |p: DVec3| {
        let v = (in_view(p) - middle) * scale;
        DVec3::new(0.5 * width as f64 + v.x, 0.5 * height as f64 - v.y, v.z)
    };
    let mut nearest = vec![f64::NEG_INFINITY; width * height];
    let mut colours = vec![[255.0; 3]; width * height];
    let light = (towards + 0.6 * up - 0.5 * right).normalize();
    for body in bodies {
        for triangle in &body.mesh.1 {
            let corners = triangle.map(|v| body.mesh.0[v as usize]);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            // Sheets are seen from both sides.
            let shade = 0.35 + 0.65 * normal.dot(light).abs();
            let colour = body.colour.map(|c| f64::from(c) * shade);
            fill(corners.map(place), [width, height], |pixel, depth| {
                if depth > nearest[pixel] {
                    nearest[pixel] = depth;
                    colours[pixel] = colour;
                }
            });
        }
    }
    let average = |pixel: usize| {
        let (row, column) = (pixel / WIDTH * SAMPLES, pixel % WIDTH * SAMPLES);
        let samples = (0..SAMPLES * SAMPLES).map(|k| colours[(row + k / SAMPLES) * width + column + k % SAMPLES]);
        let sum = samples.fold([0.0; 3], |sum, c| std::array::from_fn(|k| sum[k] + c[k]));
        sum.map(|c| (c / (SAMPLES * SAMPLES) as f64) as u8)
    };
    (0..WIDTH * HEIGHT).map(average).collect()
}

/// Calls `paint` with every pixel centred in the triangle, and its depth there.
fn fill([a, b, c]: [DVec3; 3], [width, height]: [usize; 2], mut paint: impl FnMut(usize, f64)) {
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    let range =
        |low: f64, high: f64, most: usize| (low - 0.5).ceil().max(0.0) as usize..((high + 0.5) as usize).min(most);
    for row in range(low.y, high.y, height) {
        for column in range(low.x, high.x, width) {
            let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
            let of_b = ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x)) / area;
            let of_c = ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)) / area;
            if of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= 1.0 {
                paint(row * width + column, a.z + of_b * (b.z - a.z) + of_c * (c.z - a.z));
            }
        }
    }
}

/// The file: 8 bits per channel, no filters.
fn png(pixels: &[[u8; 3]]) -> Result<Vec<u8>> {
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in pixels.chunks(WIDTH) {
        rows.write_all(&[0])?;
        rows.write_all(row.as_flattened())?;
    }
    let mut header = Vec::new();
    header.extend((WIDTH as u32).to_be_bytes());
    header.extend((HEIGHT as u32).to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, content) in [(b"IHDR", header), (b"IDAT", rows.finish()?), (b"IEND", Vec::new())] {
        file.extend((content.len() as u32).to_be_bytes());
        let named = [kind.as_slice(), &content].concat();
        let mut crc = Crc::new();
        crc.update(&named);
        file.extend(&named);
        file.extend(crc.sum().to_be_bytes());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::{append, cuboid};
    use pathproof::numeric::Pose;

    #[test]
    fn the_nearer_body_hides_the_farther_one() {
        let at = |x: f64, size: f64, colour| {
            let mut mesh = Mesh::default();
            append(&mut mesh, &cuboid(DVec3::splat(size)), &Pose::from_translation(DVec3::X * x));
            Painted { mesh, colour }
        };
        let bodies = [at(0.0, 2.0, [0, 0, 255]), at(3.0, 1.0, [255, 0, 0])];
        let drawn = pixels(&bodies, DVec3::X);
        let middle = drawn[HEIGHT / 2 * WIDTH + WIDTH / 2];
        let edge = drawn[HEIGHT / 2 * WIDTH + WIDTH / 2 - 2 * HEIGHT / 5];
        assert!(middle[0] > 0 && middle[2] == 0, "{middle:?}");
        assert!(edge[0] == 0 && edge[2] > 0, "{edge:?}");
        assert_eq!(drawn[0], [255; 3]);
    }
}
