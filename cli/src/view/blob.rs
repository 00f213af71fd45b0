//! Numbers of a page: arrays one after the other in one block, compressed as a whole. JSON has their positions.

use std::io::Write as _;

use anyhow::Result;
use base64::Engine as _;
use serde::Serialize;

/// Arrays start at multiples of this, so that the script can use them in place.
const ALIGNMENT: usize = 8;

/// The block so far.
#[derive(Default)]
pub(super) struct Blob {
    bytes: Vec<u8>,
}

/// Position of an array: its type as the script calls it, its first byte, its number of elements.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Section(&'static str, usize, usize);

impl Blob {
    pub(super) fn doubles(&mut self, values: impl IntoIterator<Item = f64>) -> Section {
        self.add("f64", values.into_iter().map(f64::to_le_bytes))
    }

    pub(super) fn singles(&mut self, values: impl IntoIterator<Item = f32>) -> Section {
        self.add("f32", values.into_iter().map(f32::to_le_bytes))
    }

    pub(super) fn words(&mut self, values: impl IntoIterator<Item = u32>) -> Section {
        self.add("u32", values.into_iter().map(u32::to_le_bytes))
    }

    pub(super) fn shorts(&mut self, values: impl IntoIterator<Item = u16>) -> Section {
        self.add("u16", values.into_iter().map(u16::to_le_bytes))
    }

    /// Compressed (zlib) and as text.
    pub(super) fn text(&self) -> Result<String> {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(&self.bytes)?;
        Ok(base64::engine::general_purpose::STANDARD.encode(writer.finish()?))
    }

    fn add<const N: usize>(&mut self, kind: &'static str, values: impl Iterator<Item = [u8; N]>) -> Section {
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
        let start = self.bytes.len();
        self.bytes.extend(values.flatten());
        Section(kind, start, (self.bytes.len() - start) / N)
    }
}
