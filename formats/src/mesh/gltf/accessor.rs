//! Numbers from glTF buffers. Every offset, stride and count is checked against the available bytes before anything is
//! read or allocated.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component as PathComponent, Path};
use std::rc::Rc;

use super::super::builder::in_range;
use super::super::{Limits, Siblings};
use super::EXPORT;
use super::document::{Accessor, Buffer, Document};
use crate::error::{FormatError, excerpt};
use pathproof::numeric::DVec3;

/// Buffers of a document, each loaded on first use.
pub(super) struct Buffers<'a, 'd> {
    name: &'a Path,
    document: &'d Document,
    binary_chunk: Option<&'a [u8]>,
    siblings: &'a Siblings<'a>,
    limits: Limits,
    fetched: HashMap<usize, Rc<Cow<'a, [u8]>>>,
    fetched_bytes: u64,
}

/// The type of one number in a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

/// Items at equal distances in a buffer, all of them within `bytes`.
struct Items<'b> {
    bytes: &'b [u8],
    stride: usize,
    count: usize,
}

impl<'b> Items<'b> {
    fn iter(&self) -> impl Iterator<Item = &'b [u8]> + use<'b> {
        let (bytes, stride) = (self.bytes, self.stride);
        (0..self.count).map(move |i| &bytes[i * stride..])
    }
}

/// Location of items, as the file claims it.
struct Layout {
    view: usize,
    offset: usize,
    item_size: usize,
    count: usize,
    place: String,
}

impl<'a, 'd> Buffers<'a, 'd> {
    pub(super) fn new(
        name: &'a Path,
        document: &'d Document,
        binary_chunk: Option<&'a [u8]>,
        siblings: &'a Siblings<'a>,
        limits: &Limits,
    ) -> Self {
        Self { name, document, binary_chunk, siblings, limits: *limits, fetched: HashMap::new(), fetched_bytes: 0 }
    }

    /// The positions of an accessor, finite and in range.
    pub(super) fn positions(&mut self, index: usize) -> Result<Vec<DVec3>, FormatError> {
        let (accessor, component) = self.accessor(index, "VEC3")?;
        if component == Component::U32 {
            return Err(self.error(format!("accessors[{index}]"), "positions of this type are not read"));
        }
        let decode = |bytes: &[u8]| {
            let at = |i: usize| component.real(&bytes[i * component.size()..], accessor.normalized);
            DVec3::new(at(0), at(1), at(2))
        };
        let points = self.items(index, accessor, 3 * component.size(), DVec3::ZERO, decode)?;
        if let Some(bad) = points.iter().position(|&p| !in_range(p)) {
            let problem = format!("position {bad} is {}, not finite and below 1e12", points[bad]);
            return Err(self.error(format!("accessors[{index}]"), &problem).remedy("repair the mesh"));
        }
        Ok(points)
    }

    /// The indices of an accessor; not yet checked against the positions.
    pub(super) fn indices(&mut self, index: usize) -> Result<Vec<u32>, FormatError> {
        let (accessor, component) = self.accessor(index, "SCALAR")?;
        if !component.is_index() {
            return Err(self.error(format!("accessors[{index}]"), "indices must be unsigned integers"));
        }
        self.items(index, accessor, component.size(), 0, |bytes| component.index(bytes))
    }

    fn accessor(&self, index: usize, shape: &str) -> Result<(&'d Accessor, Component), FormatError> {
        let place = || format!("accessors[{index}]");
        let Some(accessor) = self.document.accessors.get(index) else {
            return Err(self.error(place(), &format!("there are only {}", self.document.accessors.len())));
        };
        if accessor.shape != shape {
            return Err(self.error(place(), &format!("its type is {}, not {shape}", excerpt(&accessor.shape))));
        }
        let component = self.component(accessor.component_type, place())?;
        Ok((accessor, component))
    }

    fn component(&self, code: u32, place: String) -> Result<Component, FormatError> {
        Component::of(code).ok_or_else(|| self.error(place, &format!("there is no component type {code}")))
    }

    /// All items of an accessor, with sparse ones applied.
    fn items<T: Copy>(
        &mut self,
        index: usize,
        accessor: &Accessor,
        item_size: usize,
        zero: T,
        decode: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, FormatError> {
        let place = format!("accessors[{index}]");
        let count = accessor.count;
        let mut items = match accessor.buffer_view {
            Some(view) => {
                let layout = Layout { view, offset: accessor.byte_offset, item_size, count, place: place.clone() };
                self.with_items(&layout, |items| items.iter().map(&decode).collect())?
            }
            // All zeros according to the format. In practice, an extension was meant to supply the data.
            None if accessor.sparse.is_none() => {
                return Err(self.error(place, "it has no buffer view, so no data"));
            }
            // Zeros need no bytes in the file, so the count is the only bound here.
            None if count > self.limits.triangles.saturating_mul(3) => {
                return Err(self.error(place, &format!("it claims {count} zeros")));
            }
            None => vec![zero; count],
        };
        if let Some(sparse) = &accessor.sparse {
            let component = self.component(sparse.indices.component_type, format!("{place}.sparse.indices"))?;
            if !component.is_index() {
                return Err(self.error(format!("{place}.sparse.indices"), "indices must be unsigned integers"));
            }
            let layout = |view: usize, offset: usize, item_size: usize, what: &str| {
                let place = format!("{place}.sparse.{what}");
                Layout { view, offset, item_size, count: sparse.count, place }
            };
            let where_to = layout(sparse.indices.buffer_view, sparse.indices.byte_offset, component.size(), "indices");
            let what = layout(sparse.values.buffer_view, sparse.values.byte_offset, item_size, "values");
            let targets: Vec<u32> = self.with_items(&where_to, |i| i.iter().map(|b| component.index(b)).collect())?;
            let values: Vec<T> = self.with_items(&what, |i| i.iter().map(&decode).collect())?;
            for (target, value) in targets.into_iter().zip(values) {
                match items.get_mut(target as usize) {
                    Some(slot) => *slot = value,
                    None => return Err(self.error(where_to.place, &format!("{target} is not below {count}"))),
                }
            }
        }
        Ok(items)
    }

    /// Checks a layout against the available bytes and passes its items on.
    fn with_items<R>(&mut self, layout: &Layout, use_items: impl FnOnce(Items<'_>) -> R) -> Result<R, FormatError> {
        let &Layout { view: view_index, offset, item_size, count, ref place } = layout;
        let Some(view) = self.document.buffer_views.get(view_index) else {
            return Err(self.error(place.clone(), &format!("there is no buffer view {view_index}")));
        };
        let stride = view.byte_stride.unwrap_or(item_size);
        if stride < item_size {
            return Err(self.error(format!("bufferViews[{view_index}]"), &format!("the stride {stride} is too small")));
        }
        let buffer = self.buffer(view.buffer)?;
        let view_end = view.byte_offset.checked_add(view.byte_length);
        let Some(bytes) = view_end.and_then(|end| buffer.get(view.byte_offset..end)) else {
            let problem = format!("it does not fit into buffer {} of {} bytes", view.buffer, buffer.len());
            return Err(self.error(format!("bufferViews[{view_index}]"), &problem));
        };
        let length = match count.checked_sub(1) {
            None => Some(0),
            Some(steps) => steps.checked_mul(stride).and_then(|l| l.checked_add(item_size)),
        };
        let end = length.and_then(|l| l.checked_add(offset));
        let Some(bytes) = end.and_then(|end| bytes.get(offset..end)) else {
            let problem = format!("{count} items do not fit into buffer view {view_index} of {} bytes", bytes.len());
            return Err(self.error(place.clone(), &problem));
        };
        Ok(use_items(Items { bytes, stride, count }))
    }

    /// The bytes of a buffer.
    fn buffer(&mut self, index: usize) -> Result<Rc<Cow<'a, [u8]>>, FormatError> {
        if let Some(bytes) = self.fetched.get(&index) {
            return Ok(Rc::clone(bytes));
        }
        let place = format!("buffers[{index}]");
        let Some(buffer) = self.document.buffers.get(index) else {
            return Err(self.error(place, &format!("there are only {} buffers", self.document.buffers.len())));
        };
        let bytes = self.fetch(index, buffer)?;
        if bytes.len() < buffer.byte_length {
            let problem = format!("it claims {} bytes, but there are {}", buffer.byte_length, bytes.len());
            return Err(self.error(place, &problem));
        }
        self.fetched_bytes = self.fetched_bytes.saturating_add(bytes.len() as u64);
        if self.fetched_bytes > self.limits.bytes {
            let problem = format!("the buffers have more than {} bytes together", self.limits.bytes);
            return Err(self.error(place, &problem).remedy("split or simplify the mesh"));
        }
        let bytes = Rc::new(bytes);
        self.fetched.insert(index, Rc::clone(&bytes));
        Ok(bytes)
    }

    fn fetch(&self, index: usize, buffer: &Buffer) -> Result<Cow<'a, [u8]>, FormatError> {
        let refuse = |problem: &str| self.error(format!("buffers[{index}]"), problem);
        let Some(uri) = &buffer.uri else {
            let chunk = self.binary_chunk.filter(|_| index == 0);
            return chunk
                .map(Cow::Borrowed)
                .ok_or_else(|| refuse("it has no uri, and there is no binary chunk for it"));
        };
        if let Some(data) = uri.strip_prefix("data:") {
            let Some((_, text)) = data.split_once(";base64,") else {
                return Err(refuse("its data is not base64"));
            };
            return decode_base64(text).map(Cow::Owned).ok_or_else(|| refuse("its base64 text is damaged"));
        }
        let path = decode_percent(uri).ok_or_else(|| refuse("its uri is damaged"))?;
        let path = Path::new(&path);
        let is_relative = path
            .components()
            .all(|c| matches!(c, PathComponent::Normal(_) | PathComponent::ParentDir | PathComponent::CurDir));
        if uri.contains("://") || !is_relative || path.as_os_str().is_empty() {
            return Err(refuse(&format!("\"{}\" is not a file beside this one", excerpt(uri))));
        }
        (self.siblings)(path).map(Cow::Owned)
    }

    fn error(&self, place: String, problem: &str) -> FormatError {
        FormatError::new(self.name, problem).at(place).remedy(EXPORT)
    }
}

impl Component {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn is_index(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }

    /// The first number of `b` as an index.
    fn index(self, b: &[u8]) -> u32 {
        match self.size() {
            1 => u32::from(b[0]),
            2 => u32::from(u16::from_le_bytes([b[0], b[1]])),
            _ => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        }
    }

    /// The first number of `b`; normalised integers cover [0, 1] or [−1, 1].
    fn real(self, b: &[u8], normalized: bool) -> f64 {
        let (value, largest) = match self {
            Self::I8 => (f64::from(b[0] as i8), 127.0),
            Self::U8 => (f64::from(b[0]), 255.0),
            Self::I16 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            Self::U16 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
            Self::U32 => return f64::from(self.index(b)),
            Self::F32 => return f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        };
        if normalized { (value / largest).max(-1.0) } else { value }
    }
}

/// Decodes base64; `None` if a character does not belong there.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for c in text.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    // A single leftover character is half a byte: the text was cut off.
    (text.len() % 4 != 1).then_some(bytes)
}

/// Decodes `%20` and the like to bytes.
fn decode_percent(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_and_percent_signs_are_decoded() {
        assert_eq!(decode_base64("aGVsbG8="), Some(b"hello".to_vec()));
        assert_eq!(decode_base64("aGVsbG8h"), Some(b"hello!".to_vec()));
        assert_eq!(decode_base64("aGVsb"), None);
        assert_eq!(decode_base64("aG Vs"), None);
        assert_eq!(decode_percent("a%20b.bin"), Some("a b.bin".into()));
        assert_eq!(decode_percent("a%2"), None);
        assert_eq!(decode_percent("a%zz"), None);
        assert_eq!(decode_percent("%ff"), None);
    }
}
