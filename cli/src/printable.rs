//! Text that is safe on a terminal: names come from files, and a name may move the cursor or reverse the line.
//!
//! All output passes through here: standard output through [`Printable`], which escapes as it writes, and messages
//! through [`message`], which also shortens. A character that a terminal acts on becomes `\u001b`, which JSON reads as
//! that character. Line ends, tabs and the colours of [`crate::colour`] stay.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::colour;

/// True if a terminal acts on a character: controls, and marks that change the direction of writing.
fn is_acted_on(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// Text with such characters escaped.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_acted_on) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(code) = colour::CODES.iter().find(|code| rest.starts_with(**code)) {
            shown.push_str(code);
            rest = &rest[code.len()..];
            continue;
        }
        match is_acted_on(c) {
            // All of them are in the basic plane.
            true => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => shown.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    Cow::Owned(shown)
}

/// Writer that escapes its input, a line at a time.
pub(crate) struct Printable<W: Write> {
    inner: W,
    line: Vec<u8>,
}

impl<W: Write> Printable<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, line: Vec::new() }
    }

    fn pass_on(&mut self, bytes: &[u8]) -> io::Result<()> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.inner.write_all(escaped(text).as_bytes()),
            Err(_) => self.inner.write_all(escaped(&String::from_utf8_lossy(bytes)).as_bytes()),
        }
    }

    /// Writes the rest of the last line.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.pass_on(&line)?;
        self.inner.flush()
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match bytes.iter().rposition(|byte| *byte == b'\n') {
            None => self.line.extend_from_slice(bytes),
            Some(end) => {
                let mut lines = std::mem::take(&mut self.line);
                lines.extend_from_slice(&bytes[..=end]);
                self.pass_on(&lines)?;
                lines.clear();
                lines.extend_from_slice(&bytes[end + 1..]);
                self.line = lines;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Prints a message on standard error. A failure to write it cannot be reported anywhere.
pub(crate) fn message(text: &str) {
    let text = shortened(text);
    let _ = writeln!(io::stderr().lock(), "{}", escaped(&text));
}

/// Longest word of a message, in characters; longer ones are not names.
const LONGEST: usize = 1024;
/// Number of characters shown of a longer word.
const SHOWN: usize = 100;
/// Numbers with more digits than this get an exponent.
const MOST_DIGITS: usize = 32;

/// Message with readable words: long ones are cut, and numbers of many digits get an exponent.
fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST_DIGITS {
        return Cow::Borrowed(text);
    }
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        let name = word.trim_end();
        let count = if name.len() > LONGEST { name.chars().count() } else { 0 };
        if count > LONGEST {
            let end = &word[name.len()..];
            let start: String = word.chars().take(SHOWN).collect();
            return Cow::Owned(format!("{start}…({} more characters){end}", count - SHOWN));
        }
        with_exponents(word)
    });
    Cow::Owned(words.collect())
}

/// Word with its long numbers rewritten.
fn with_exponents(word: &str) -> Cow<'_, str> {
    if word.len() <= MOST_DIGITS {
        return Cow::Borrowed(word);
    }
    let is_numeric = |c: char| c.is_ascii_digit() || c == '.';
    let mut shown = String::new();
    let mut rest = word;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !is_numeric(c)).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        match number.parse::<f64>() {
            Ok(value) if number.len() > MOST_DIGITS => shown.push_str(&format!("{value:e}")),
            _ => shown.push_str(number),
        }
        let next = after.find(is_numeric).unwrap_or(after.len());
        shown.push_str(&after[..next]);
        rest = &after[next..];
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped_as_json_has_it() {
        let hostile = "a\u{1b}]0;x\u{7}\u{9b}2J\u{202e}b\u{7f}\r";
        let shown = escaped(hostile);
        assert_eq!(shown, "a\\u001b]0;x\\u0007\\u009b2J\\u202eb\\u007f\\u000d");
        let read: String = serde_json::from_str(&format!("\"{shown}\"")).expect("a string");
        assert_eq!(read, hostile);
        let plain = "Fräser – 工場\t5 µm\n";
        assert!(matches!(escaped(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn characters_are_found_wherever_writing_cuts_them() {
        let text = "a\u{9b}b – \u{202e}\n\u{1b}c";
        for size in 1..text.len() {
            let mut written = Vec::new();
            let mut out = Printable::new(&mut written);
            text.as_bytes().chunks(size).for_each(|part| out.write_all(part).expect("memory takes it"));
            out.finish().expect("memory takes it");
            assert_eq!(String::from_utf8_lossy(&written), "a\\u009bb – \\u202e\n\\u001bc");
        }
    }

    #[test]
    fn long_words_are_cut_and_long_numbers_have_exponents() {
        let text = format!("the name {} is too long: {} and -{}, 0.25", "x".repeat(3_000_000), 1e300, 1e-300);
        let shown = shortened(&text);
        let name = format!("{}…(2999900 more characters)", "x".repeat(100));
        assert_eq!(shown, format!("the name {name} is too long: 1e300 and -1e-300, 0.25"));
        assert_eq!(
            shortened("0123456789abcdef0123456789abcdef0123456789abcdef"),
            "0123456789abcdef0123456789abcdef0123456789abcdef"
        );
    }
}
