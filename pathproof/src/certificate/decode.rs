//! Reads certificates from bytes. Bounded: allocates nothing for more items than the remaining bytes can hold, and
//! rejects bytes after the end.

use std::sync::Arc;

use thiserror::Error;

use super::{CONTROLLER, Certificate, CurveClaim, LINES, MAGIC, SUM, SceneClaim, TiledCell, VERSION};
use crate::numeric::{DVec3, Sha256};

/// Reason why bytes are not a certificate.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// The first bytes differ.
    #[error("it is not a certificate of pathproof")]
    NotACertificate,
    /// An unsupported version.
    #[error("it has version {0} of the format, and this program reads versions 1 to 3")]
    Version(u32),
    /// The checksum over all bytes differs: something was changed or lost.
    #[error("it is damaged: its bytes do not add up to the sum at its end")]
    Damaged,
    /// It ends early, or contains an invalid number.
    #[error("it is malformed: {0}")]
    Malformed(&'static str),
}

impl Certificate {
    /// Parses the bytes of a certificate.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(ReadError::NotACertificate);
        }
        let mut input = Input { rest: &bytes[MAGIC.len()..] };
        let version = u32::from_le_bytes(input.array()?);
        if !(1..=VERSION).contains(&version) {
            return Err(ReadError::Version(version));
        }
        let Some(end) = input.rest.len().checked_sub(SUM) else { return Err(SHORT) };
        let (rest, sum) = input.rest.split_at(end);
        if Sha256::of(&bytes[..bytes.len() - SUM])[..SUM] != *sum {
            return Err(ReadError::Damaged);
        }
        input.rest = rest;
        let certificate = input.certificate(version)?;
        if !input.rest.is_empty() {
            return Err(ReadError::Malformed("something follows its end"));
        }
        Ok(certificate)
    }
}

const SHORT: ReadError = ReadError::Malformed("it ends early");

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn certificate(&mut self, version: u32) -> Result<Certificate, ReadError> {
        let hashes = [self.array()?, self.array()?, self.array()?];
        let clearance = self.number()?;
        let (assumptions, variables, bodies) = (self.texts()?, self.texts()?, self.texts()?);
        let hashed = if version > 2 { bodies.len() } else { 0 };
        let body_hashes = (0..hashed).map(|_| self.array()).collect::<Result<Vec<_>, _>>()?;
        let reasons = self.texts()?;
        let count = self.count_of(3)?;
        let mut unchecked = Vec::with_capacity(count);
        for _ in 0..count {
            let (a, b) = (self.below(bodies.len())?, self.below(bodies.len())?);
            unchecked.push((a, b, reasons[self.below(reasons.len())?].clone()));
        }
        let count = self.count_of(1)?;
        let mut groups = Vec::with_capacity(count);
        for _ in 0..count {
            let members = self.count_of(1)?;
            groups.push((0..members).map(|_| self.below(bodies.len())).collect::<Result<Vec<_>, _>>()?);
        }
        let count = self.count_of(10)?;
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..count {
            pairs.push((self.below(groups.len())?, self.below(groups.len())?, self.number()?));
        }
        let waypoints = self.waypoints(variables.len())?;
        let curve = if version > 1 { self.curve(waypoints.len(), variables.len())? } else { None };
        let scene =
            SceneClaim { hashes, clearance, assumptions, variables, bodies, body_hashes, unchecked, groups, pairs };
        let mut certificate = Certificate { version, scene: Arc::new(scene), waypoints, curve, tilings: Vec::new() };
        // A tiling takes a byte at least, or a bit.
        let bits = if version > 1 { 1 } else { 8 };
        let count = certificate.segments().checked_mul(certificate.scene.pairs.len());
        let count = count.filter(|count| *count <= self.rest.len() * 8 / bits);
        let count = count.ok_or(SHORT)?;
        certificate.tilings.reserve_exact(count);
        let mut bits = Bits { rest: self.rest, used: 0 };
        for _ in 0..count {
            certificate.tilings.push(if version > 1 { bits.tiling()? } else { self.tiling()? });
        }
        if version > 1 {
            self.rest = bits.end()?;
        }
        Ok(certificate)
    }

    fn waypoints(&mut self, variables: usize) -> Result<Vec<Vec<f64>>, ReadError> {
        let count = self.count()?;
        // Without variables waypoints take no bytes.
        let most = if variables == 0 { 1 << 16 } else { self.rest.len() / (8 * variables) };
        if count == 0 || count > most {
            return Err(ReadError::Malformed("the number of waypoints cannot be"));
        }
        (0..count).map(|_| (0..variables).map(|_| self.number()).collect()).collect()
    }

    fn curve(&mut self, waypoints: usize, variables: usize) -> Result<Option<CurveClaim>, ReadError> {
        match &self.texts()?[..] {
            [lines] if lines == LINES => return Ok(None),
            [controller] if controller == CONTROLLER => {}
            _ => return Err(ReadError::Malformed("the interpolation is not known")),
        }
        let mut curve = CurveClaim::default();
        for _ in 0..waypoints {
            curve.times.push(self.number()?);
            let [fields] = self.array()?;
            if fields > 3 {
                return Err(ReadError::Malformed("a waypoint has fields that are not known"));
            }
            let mut list = |is_there: bool| -> Result<Option<Vec<f64>>, ReadError> {
                is_there.then(|| (0..variables).map(|_| self.number()).collect()).transpose()
            };
            curve.velocities.push(list(fields & 1 != 0)?);
            curve.accelerations.push(list(fields & 2 != 0)?);
        }
        Ok(Some(curve))
    }

    fn tiling(&mut self) -> Result<Vec<TiledCell>, ReadError> {
        let count = self.count()?;
        let bits = self.take(count.div_ceil(4))?;
        let mut cells = Vec::with_capacity(count);
        for i in 0..count {
            let two = bits[i / 4] >> (2 * (i % 4));
            let covered = [two & 1 != 0, two & 2 != 0];
            let mut part = || Ok(u16::from_le_bytes(self.array()?));
            let direction_in_world = if covered == [false; 2] { None } else { Some(direction([part()?, part()?])) };
            cells.push(TiledCell { covered, direction_in_world });
        }
        Ok(cells)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        if count > self.rest.len() {
            return Err(SHORT);
        }
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let taken = self.take(N)?;
        let mut result = [0; N];
        result.copy_from_slice(taken);
        Ok(result)
    }

    fn number(&mut self) -> Result<f64, ReadError> {
        let number = f64::from_le_bytes(self.array()?);
        if number.is_finite() { Ok(number) } else { Err(ReadError::Malformed("a number is not finite")) }
    }

    /// Seven bits per byte, least first, the highest bit set on all but the last.
    fn count(&mut self) -> Result<usize, ReadError> {
        let mut count = 0u64;
        for place in 0..5 {
            let [byte] = self.array()?;
            count |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return usize::try_from(count).map_err(|_| SHORT);
            }
        }
        Err(ReadError::Malformed("a count is too large"))
    }

    /// The number of items that take at least `bytes` each.
    fn count_of(&mut self, bytes: usize) -> Result<usize, ReadError> {
        let count = self.count()?;
        if count > self.rest.len() / bytes { Err(SHORT) } else { Ok(count) }
    }

    /// An index below `limit`.
    fn below(&mut self, limit: usize) -> Result<usize, ReadError> {
        let index = self.count()?;
        if index < limit { Ok(index) } else { Err(ReadError::Malformed("an index refers to nothing")) }
    }

    fn texts(&mut self) -> Result<Vec<String>, ReadError> {
        let count = self.count_of(1)?;
        let mut texts = Vec::with_capacity(count);
        for _ in 0..count {
            let length = self.count()?;
            let text = std::str::from_utf8(self.take(length)?);
            texts.push(text.map_err(|_| ReadError::Malformed("a text is not UTF-8"))?.to_owned());
        }
        Ok(texts)
    }
}

/// Bits, the lowest of a byte first.
struct Bits<'a> {
    rest: &'a [u8],
    /// Number of bits already read from the first byte.
    used: u32,
}

impl<'a> Bits<'a> {
    fn take(&mut self, count: u32) -> Result<u32, ReadError> {
        let mut value = 0;
        for place in 0..count {
            let byte = self.rest.first().ok_or(SHORT)?;
            value |= u32::from(byte >> self.used & 1) << place;
            self.used += 1;
            if self.used == 8 {
                (self.rest, self.used) = (&self.rest[1..], 0);
            }
        }
        Ok(value)
    }

    /// The number of cells plus one (as many zeros as bits below its highest one, a one, these bits); then the cells.
    fn tiling(&mut self) -> Result<Vec<TiledCell>, ReadError> {
        let mut places = 0;
        while self.take(1)? == 0 {
            places += 1;
        }
        if places > 31 {
            return Err(ReadError::Malformed("a count is too large"));
        }
        let count = (1 << places | self.take(places)?) as usize - 1;
        // A cell takes two bits at least.
        if count > self.rest.len() * 4 {
            return Err(SHORT);
        }
        let mut cells = Vec::with_capacity(count);
        for _ in 0..count {
            let two = self.take(2)?;
            let covered = [two & 1 != 0, two & 2 != 0];
            let has_direction = covered != [false; 2] && self.take(1)? == 1;
            let mut part = || Ok(self.take(16)? as u16);
            let direction_in_world = if has_direction { Some(direction([part()?, part()?])) } else { None };
            cells.push(TiledCell { covered, direction_in_world });
        }
        Ok(cells)
    }

    /// The bytes after the current one; the other bits of the current byte must be zero.
    fn end(self) -> Result<&'a [u8], ReadError> {
        match self.rest.split_first() {
            Some((byte, rest)) if self.used > 0 => {
                if byte >> self.used == 0 {
                    Ok(rest)
                } else {
                    Err(ReadError::Malformed("bits follow its end"))
                }
            }
            _ => Ok(self.rest),
        }
    }
}

/// A point of the octahedron |x| + |y| + |z| = 1, the lower half folded over the upper, from two numbers of 16 bits.
fn direction(parts: [u16; 2]) -> DVec3 {
    let [u, v] = parts.map(|part| f64::from(part) / 65535.0 * 2.0 - 1.0);
    let z = 1.0 - u.abs() - v.abs();
    if z >= 0.0 { DVec3::new(u, v, z) } else { DVec3::new((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v), z) }
}
