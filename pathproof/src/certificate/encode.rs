//! Writes certificates to bytes.

use super::{CONTROLLER, Certificate, CurveClaim, LINES, MAGIC, SUM, SceneClaim, TiledCell, VERSION};
use crate::numeric::{DVec3, Sha256};

impl Certificate {
    /// The bytes of the certificate, with the checksum at their end. Version 1 has no curve.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.scene.bytes_of_version(self.version);
        put_count(&mut out, self.waypoints.len());
        self.waypoints.iter().flatten().for_each(|value| out.extend(value.to_le_bytes()));
        if self.version == 1 {
            self.tilings.iter().for_each(|tiling| put_tiling(&mut out, tiling));
        } else {
            put_curve(&mut out, self.curve.as_ref());
            let mut bits = Bits { out: &mut out, used: 8 };
            self.tilings.iter().for_each(|tiling| bits.put_tiling(tiling));
        }
        let sum = Sha256::of(&out);
        out.extend(&sum[..SUM]);
        out
    }
}

/// Bits, the lowest of a byte first.
struct Bits<'o> {
    out: &'o mut Vec<u8>,
    /// Number of bits used in the last byte.
    used: u32,
}

impl Bits<'_> {
    fn put(&mut self, value: u32, count: u32) {
        for place in 0..count {
            if self.used == 8 {
                self.out.push(0);
                self.used = 0;
            }
            if let Some(last) = self.out.last_mut() {
                *last |= ((value >> place & 1) as u8) << self.used;
            }
            self.used += 1;
        }
    }

    /// The number of cells plus one (as many zeros as it has bits after its highest, a one, these bits). For each
    /// cell, the halves that it covers and, if any, a bit for a stated direction and that direction.
    fn put_tiling(&mut self, cells: &[TiledCell]) {
        let count = cells.len() as u32 + 1;
        let places = count.ilog2();
        self.put(0, places);
        self.put(1, 1);
        self.put(count ^ 1 << places, places);
        for cell in cells {
            self.put(u32::from(cell.covered[0]) | u32::from(cell.covered[1]) << 1, 2);
            if cell.covered != [false; 2] {
                self.put(u32::from(cell.direction_in_world.is_some()), 1);
                let parts = cell.direction_in_world.map(octahedral);
                parts.into_iter().flatten().for_each(|part| self.put(u32::from(part), 16));
            }
        }
    }
}

impl SceneClaim {
    /// Everything up to the waypoints.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes_of_version(VERSION)
    }

    fn bytes_of_version(&self, version: u32) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(version.to_le_bytes());
        self.hashes.iter().for_each(|hash| out.extend(hash));
        out.extend(self.clearance.to_le_bytes());
        for texts in [&self.assumptions, &self.variables, &self.bodies] {
            put_texts(&mut out, texts.iter().map(String::as_str));
        }
        if version > 2 {
            self.body_hashes.iter().for_each(|hash| out.extend(hash));
        }
        let mut reasons: Vec<&str> = self.unchecked.iter().map(|(_, _, reason)| reason.as_str()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        put_texts(&mut out, reasons.iter().copied());
        put_count(&mut out, self.unchecked.len());
        for (a, b, reason) in &self.unchecked {
            let reason = reasons.binary_search(&reason.as_str()).unwrap_or(0);
            [*a, *b, reason].into_iter().for_each(|number| put_count(&mut out, number));
        }
        put_count(&mut out, self.groups.len());
        for members in &self.groups {
            put_count(&mut out, members.len());
            members.iter().for_each(|body| put_count(&mut out, *body));
        }
        put_count(&mut out, self.pairs.len());
        for (a, b, clearance) in &self.pairs {
            [*a, *b].into_iter().for_each(|group| put_count(&mut out, group));
            out.extend(clearance.to_le_bytes());
        }
        out
    }
}

/// The name of the interpolation; then, for a curve, per waypoint its time, flags for velocities (1) and accelerations
/// (2), and these.
fn put_curve(out: &mut Vec<u8>, curve: Option<&CurveClaim>) {
    put_texts(out, [if curve.is_some() { CONTROLLER } else { LINES }].into_iter());
    let Some(curve) = curve else { return };
    for ((time, velocities), accelerations) in curve.times.iter().zip(&curve.velocities).zip(&curve.accelerations) {
        out.extend(time.to_le_bytes());
        out.push(u8::from(velocities.is_some()) | u8::from(accelerations.is_some()) << 1);
        let values = [velocities, accelerations].into_iter().flatten().flatten();
        values.for_each(|value| out.extend(value.to_le_bytes()));
    }
}

/// Version 1: the number of cells, two bits for each (the halves that it covered), and the directions of those that
/// covered any.
fn put_tiling(out: &mut Vec<u8>, cells: &[TiledCell]) {
    put_count(out, cells.len());
    for four in cells.chunks(4) {
        let bits =
            |(i, cell): (usize, &TiledCell)| (u8::from(cell.covered[0]) | u8::from(cell.covered[1]) << 1) << (2 * i);
        out.push(four.iter().enumerate().map(bits).sum());
    }
    for cell in cells.iter().filter(|cell| cell.covered != [false; 2]) {
        for part in octahedral(cell.direction_in_world.unwrap_or(DVec3::X)) {
            out.extend(part.to_le_bytes());
        }
    }
}

/// A unit vector, divided by the sum of its sizes: a point of an octahedron with its lower half folded over the upper.
/// Two numbers in [−1, 1], each in 16 bits.
fn octahedral(n: DVec3) -> [u16; 2] {
    let p = n / (n.x.abs() + n.y.abs() + n.z.abs());
    let fold = |own: f64, other: f64| if p.z < 0.0 { (1.0 - other.abs()).copysign(own) } else { own };
    [fold(p.x, p.y), fold(p.y, p.x)].map(|c| ((c * 0.5 + 0.5) * 65535.0).round() as u16)
}

/// Seven bits per byte, least first, the highest bit set on all but the last.
fn put_count(out: &mut Vec<u8>, count: usize) {
    let mut left = count;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

fn put_texts<'t>(out: &mut Vec<u8>, texts: impl ExactSizeIterator<Item = &'t str>) {
    put_count(out, texts.len());
    for text in texts {
        put_count(out, text.len());
        out.extend(text.as_bytes());
    }
}
