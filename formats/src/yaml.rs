//! YAML as used in messages: the events of a pull parser become a tree that `serde` reads, with the line of every
//! value.
//!
//! Hostile text ends in an error, in linear time: the parser's work per token grows with the depth, so reading stops
//! where nesting exceeds [`DEEPEST`]. Anchors and aliases are refused: messages have none, and aliases of aliases grow
//! without bound.

use std::borrow::Cow;
use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Deepest nesting. The messages read here nest eight deep.
const DEEPEST: usize = 64;

/// A value and the line it starts on.
#[derive(Clone, Debug)]
pub(crate) struct Node<'t> {
    pub(crate) line: usize,
    value: Value<'t>,
}

#[derive(Clone, Debug)]
enum Value<'t> {
    /// Text without quotes, which may be a number, a truth value or nothing.
    Plain(Cow<'t, str>),
    Quoted(Cow<'t, str>),
    Sequence(Vec<Node<'t>>),
    Mapping(Vec<(Node<'t>, Node<'t>)>),
}

/// Problem, and its line if known.
#[derive(Debug)]
pub(crate) struct YamlError {
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for YamlError {}

impl de::Error for YamlError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { line: None, message: message.to_string() }
    }
}

impl YamlError {
    fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }
}

/// The documents of a text; empty ones (`ros2 topic echo` ends every message with `---`) are left out.
pub(crate) fn documents(text: &str) -> Result<Vec<Node<'_>>, YamlError> {
    let mut documents = Vec::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut parser = Parser::new(StrInput::new(text));
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| YamlError::at(error.marker().line(), error.info()))?;
        let line = span.start.line();
        let finished = match event {
            Event::Alias(_)
            | Event::Scalar(_, _, 1.., _)
            | Event::SequenceStart(1.., _)
            | Event::MappingStart(1.., _) => {
                return Err(YamlError::at(line, "anchors and aliases (& and *) are not read: write the values out"));
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= DEEPEST => {
                return Err(YamlError::at(line, "the YAML is nested too deeply"));
            }
            Event::SequenceStart(..) => {
                open.push(Open { line, values: Vec::new(), is_mapping: false });
                None
            }
            Event::MappingStart(..) => {
                open.push(Open { line, values: Vec::new(), is_mapping: true });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(Open::close),
            Event::Scalar(text, ScalarStyle::Plain, ..) => Some(Node { line, value: Value::Plain(text) }),
            Event::Scalar(text, ..) => Some(Node { line, value: Value::Quoted(text) }),
            _ => None,
        };
        let Some(node) = finished else { continue };
        match open.last_mut() {
            Some(around) => around.values.push(node),
            None if node.is_nothing() => {}
            None => documents.push(node),
        }
    }
    Ok(documents)
}

/// Sequence or mapping being read; keys and values alternate.
struct Open<'t> {
    line: usize,
    values: Vec<Node<'t>>,
    is_mapping: bool,
}

impl<'t> Open<'t> {
    fn close(self) -> Node<'t> {
        let mut values = self.values.into_iter();
        let value = if self.is_mapping {
            Value::Mapping(std::iter::from_fn(|| Some((values.next()?, values.next()?))).collect())
        } else {
            Value::Sequence(values.collect())
        };
        Node { line: self.line, value }
    }
}

impl Node<'_> {
    fn is_nothing(&self) -> bool {
        matches!(&self.value, Value::Plain(text) if matches!(&**text, "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The keys and values of a mapping, in the order of the file.
    pub(crate) fn entries(&self) -> Option<&[(Self, Self)]> {
        match &self.value {
            Value::Mapping(entries) => Some(entries),
            _ => None,
        }
    }

    /// The values of a list.
    pub(crate) fn items(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Sequence(values) => Some(values),
            _ => None,
        }
    }

    /// The text of a word, number or quoted value.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Plain(text) | Value::Quoted(text) => Some(text),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }
}

/// The number that a plain text is in YAML.
fn number(text: &str) -> Option<f64> {
    let (sign, rest) =
        text.strip_prefix('-').map_or((1.0, text.strip_prefix('+').unwrap_or(text)), |rest| (-1.0, rest));
    match rest {
        ".inf" | ".Inf" | ".INF" => Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        // Rust reads "inf" and "nan", which are words in YAML.
        _ if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            rest.parse().ok().map(|value: f64| sign * value)
        }
        _ => None,
    }
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = YamlError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlError> {
        let line = self.line;
        let is_nothing = self.is_nothing();
        let read = match self.value {
            Value::Plain(_) if is_nothing => visitor.visit_unit(),
            Value::Plain(text) => match (&*text, text.parse::<i64>(), number(&text)) {
                ("true" | "True" | "TRUE", ..) => visitor.visit_bool(true),
                ("false" | "False" | "FALSE", ..) => visitor.visit_bool(false),
                (_, Ok(value), _) => visitor.visit_i64(value),
                (_, _, Some(value)) => visitor.visit_f64(value),
                _ => visitor.visit_str(&text),
            },
            Value::Quoted(text) => visitor.visit_str(&text),
            Value::Sequence(values) => visitor.visit_seq(SeqDeserializer::new(values.into_iter())),
            Value::Mapping(entries) => visitor.visit_map(MapDeserializer::new(entries.into_iter())),
        };
        // The innermost value knows its line best.
        read.map_err(|error| YamlError { line: error.line.or(Some(line)), ..error })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlError> {
        if self.is_nothing() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    /// A name may look like a number.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlError> {
        match self.text() {
            Some(text) if !self.is_nothing() => visitor.visit_str(text),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlError> {
        self.deserialize_str(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum ignored_any
    }
}

impl<'de> IntoDeserializer<'de, YamlError> for Node<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Message {
        names: Vec<String>,
        values: Vec<f64>,
        more: Option<Box<Message>>,
    }

    fn read(text: &str) -> Result<Vec<Message>, YamlError> {
        documents(text)?.into_iter().map(Message::deserialize).collect()
    }

    #[test]
    fn numbers_names_nothing_and_several_documents_are_read() {
        let text = "names: [a, '2', 3, true]\nvalues:\n- 1\n- -2.5e-1\n- .5\n- +7.\nmore: ~\n---\nnames: []\nvalues: [-.inf]\nmore:\n  names: []\n  values: []\n---\n";
        let found = read(text).expect("it is YAML");
        assert_eq!(found[0].names, ["a", "2", "3", "true"]);
        assert_eq!(found[0].values, [1.0, -0.25, 0.5, 7.0]);
        assert_eq!((found.len(), found[1].values[0]), (2, f64::NEG_INFINITY));
        assert!(found[1].more.is_some() && found[0].more.is_none());
        assert!(read("names: []\nvalues: [.nan]\n").expect("it is YAML")[0].values[0].is_nan());
        assert!(read("").expect("nothing").is_empty() && read("---\n---\n").expect("nothing").is_empty());
    }

    #[test]
    fn errors_name_the_line_of_the_innermost_value() {
        let line = |text: &str| read(text).map_err(|error| (error.line, error.message)).expect_err(text);
        assert_eq!(line("names: []\nvalues:\n- 1\n- x\n").0, Some(4));
        assert_eq!(line("names: []\nvalues: []\nwhat: 1\n").0, Some(1));
        assert!(line("names: []\nvalues: [nan]\n").1.contains("invalid type: string \"nan\""));
        assert_eq!(line("names: [\n").0, Some(2));
        assert_eq!(line("names: &a []\nvalues: *a\n").0, Some(1));
        assert!(line("a: 1\na: 1\n").1.contains("unknown field"));
        assert!(line("names: []\nnames: []\n").1.contains("duplicate field"));
    }

    /// Regression: the previous reader took over a minute for 200 kB of brackets behind a quoted "#".
    #[test]
    fn deep_nesting_is_refused_before_the_rest_is_read() {
        for deep in ["[", "{a: ", "- ", "? ", "[\n", "[\"]\",", "- [", "{a: [", "!!seq [", "[[],"] {
            for start in ["", "x: [\"a #\", ", "x: \n  "] {
                let text = format!("{start}{}", deep.repeat(4_000_000 / deep.len()));
                let error = documents(&text).expect_err(deep);
                assert!(error.line.is_some(), "{deep}: {error}");
            }
        }
        let error = documents(&"[".repeat(100)).expect_err("too deep");
        assert!(error.message.contains("nested too deeply"), "{error}");
        assert!(documents(&format!("{}{}", "[".repeat(64), "]".repeat(64))).is_ok());
    }
}
