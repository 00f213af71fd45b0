//! Guarded reading of the XML that describes robots (URDF, SRDF): every value comes with its place.
//!
//! Hostile files end in an error, not in exhausted memory or time. Document type declarations (and with them entity
//! bombs) are refused, and so are files that are too large, have too many nodes, or would take the parser quadratic
//! time. The parser itself does not recurse.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Error, Node, ParsingOptions};

use super::input_file::{self, Limit};
use super::{FormatError, excerpt, xml};

/// Largest file; the largest real robot description in use is below 1 MB.
const LIMIT: Limit = Limit::new(64 << 20, "name the description itself, not a file of meshes or data");
/// Maximum number of elements, texts and comments, which take about 100 bytes of memory each.
const MAX_NODES: u32 = 1_000_000;

/// Reads a file's text; refuses it if it is too large or not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, FormatError> {
    input_file::text(path, LIMIT)
}

/// Removes what other readers overlook around the document: blank lines before the XML declaration, and zero bytes
/// after its end. Line numbers and byte offsets stay the same.
pub(crate) fn tidied(text: &str) -> Cow<'_, str> {
    let text = text.trim_end_matches(['\0', '\u{1a}']);
    let start = text.trim_start();
    let Some((declaration, _)) =
        start.split_once("?>").filter(|_| start.len() < text.len() && start.starts_with("<?xml"))
    else {
        return Cow::Borrowed(text);
    };
    let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
    let (before, rest) = text.split_at(text.len() - start.len() + declaration.len() + "?>".len());
    Cow::Owned(before.bytes().map(blank).chain(rest.chars()).collect())
}

/// Parses guarded XML. `file` is only named in errors.
pub(crate) fn parse<'a>(text: &'a str, file: &Path) -> Result<Document<'a>, FormatError> {
    xml::refuse_quadratic(file, text)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let problem = FormatError::new(file, format!("the XML cannot be read: {error}"));
        match error {
            Error::DtdDetected => FormatError::new(file, "the file declares a document type (DOCTYPE)")
                .remedy("remove the DOCTYPE; entities are not expanded"),
            Error::NodesLimitReached => {
                FormatError::new(file, format!("the file has more than {MAX_NODES} elements and texts"))
                    .remedy("check that this is the right file")
            }
            Error::UnknownNamespace(prefix, at) if prefix == "xacro" => needs_expansion(file).at_line(at.row as usize),
            _ => problem.at_line(error.pos().row as usize).remedy("mend the XML there"),
        }
    })
}

/// The error for a file that is still a xacro program.
pub(crate) fn needs_expansion(file: &Path) -> FormatError {
    let mut expanded = file.to_path_buf();
    expanded.set_extension(if file.extension().is_some_and(|e| e == "xacro") { "" } else { "expanded.urdf" });
    if expanded.extension().is_none() {
        expanded.set_extension("urdf");
    }
    FormatError::new(file, "this is a xacro file, a program that makes a robot description").remedy(format!(
        "expand it with `xacro {} -o {}` and name the result",
        file.display(),
        expanded.display()
    ))
}

/// State of a reader: the file's name, the lines, and the warnings so far.
pub(crate) struct Reader {
    /// The file, for messages.
    pub(crate) file: PathBuf,
    line_starts: Vec<usize>,
    warnings: Vec<Warning>,
    /// Index of each message among the warnings.
    known: HashMap<String, usize>,
}

/// Warning about input that may not be what its author meant.
struct Warning {
    /// First place.
    place: String,
    message: String,
    times: usize,
}

impl Reader {
    /// Reader of `text`, which came from `file`.
    pub(crate) fn new(file: &Path, text: &str) -> Self {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Self { file: file.to_path_buf(), line_starts, warnings: Vec::new(), known: HashMap::new() }
    }

    /// `line 12, <joint name="elbow">`: the node, or the nearest named one around it if it has no name.
    pub(crate) fn place(&self, node: Node<'_, '_>) -> String {
        let line = self.line_starts.partition_point(|&start| start <= node.range().start);
        let mut place = format!("line {line}, {}", tag(node));
        if node.attribute("name").is_none()
            && let Some(named) =
                node.ancestors().skip(1).find(|a| a.attribute("name").is_some() && a.parent_element().is_some())
        {
            place.push_str(" in ");
            place.push_str(&tag(named));
        }
        place
    }

    /// An error at a node.
    pub(crate) fn error(
        &self,
        node: Node<'_, '_>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> FormatError {
        FormatError::new(&self.file, problem).at(self.place(node)).remedy(remedy)
    }

    /// Adds a warning at a node. Repetitions are counted: files repeat their habits.
    pub(crate) fn warn(&mut self, node: Node<'_, '_>, message: impl AsRef<str>) {
        let message = message.as_ref();
        match self.known.get(message) {
            Some(&place) => self.warnings[place].times += 1,
            None => {
                self.known.insert(message.to_owned(), self.warnings.len());
                self.warnings.push(Warning { place: self.place(node), message: message.to_owned(), times: 1 });
            }
        }
    }

    /// All warnings, a line each, with file and place.
    pub(crate) fn into_warnings(self) -> Vec<String> {
        let file = self.file.display();
        let line = |warning: &Warning| {
            let Warning { place, message, times } = warning;
            let more = if *times > 1 { format!(" (and {} more like it)", times - 1) } else { String::new() };
            format!("{file}: {place}: {message}{more}")
        };
        self.warnings.iter().map(line).collect()
    }

    /// Attribute that must be present.
    pub(crate) fn required<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<&'n str, FormatError> {
        node.attribute(name).ok_or_else(|| {
            self.error(node, format!("the attribute {name:?} is missing"), format!("write {name}=\"…\""))
        })
    }

    /// The name of an element; never empty.
    pub(crate) fn name(&self, node: Node<'_, '_>) -> Result<String, FormatError> {
        let name = self.required(node, "name")?.trim();
        if name.is_empty() {
            return Err(self.error(node, "the name is empty", "give it a name"));
        }
        Ok(name.to_owned())
    }

    /// Only child element called `tag`; an error if two of them differ.
    pub(crate) fn only_child<'n, 'i>(
        &mut self,
        node: Node<'n, 'i>,
        tag: &str,
    ) -> Result<Option<Node<'n, 'i>>, FormatError> {
        let mut found = elements(node).filter(|c| c.has_tag_name(tag));
        let first = found.next();
        for second in found {
            if !first.is_some_and(|first| is_repeated(first, second)) {
                return Err(self.error(second, format!("a second <{tag}>"), "leave one of them"));
            }
            self.warn(second, format!("the same <{tag}> is there twice"));
        }
        Ok(first)
    }

    /// Warns about child elements that are neither in `read` nor known to be `harmless`.
    pub(crate) fn warn_unknown_children(&mut self, node: Node<'_, '_>, read: &[&str], harmless: &[&str]) {
        for child in elements(node) {
            let name = child.tag_name().name();
            if !read.contains(&name) && !harmless.contains(&name) {
                self.warn(
                    child,
                    format!("<{}> is not known inside <{}> and was ignored", excerpt(name), node.tag_name().name()),
                );
            }
        }
    }

    /// Warns about attributes that are not in `known`.
    pub(crate) fn warn_unknown_attributes(&mut self, node: Node<'_, '_>, known: &[&str]) {
        for attribute in node.attributes() {
            if !known.contains(&attribute.name()) {
                self.warn(
                    node,
                    format!("the attribute {:?} is not known here and was ignored", excerpt(attribute.name())),
                );
            }
        }
    }

    /// A number; `default` if the attribute is absent.
    pub(crate) fn number(&mut self, node: Node<'_, '_>, name: &str, default: Option<f64>) -> Result<f64, FormatError> {
        match (node.attribute(name), default) {
            (None, Some(default)) => Ok(default),
            _ => Ok(self.numbers::<1>(node, name)?[0]),
        }
    }

    /// Exactly `N` finite numbers separated by blanks.
    pub(crate) fn numbers<const N: usize>(&mut self, node: Node<'_, '_>, name: &str) -> Result<[f64; N], FormatError> {
        let values = self.list(node, name)?;
        let count = values.len();
        values.try_into().map_err(|_| {
            let text = excerpt(node.attribute(name).unwrap_or_default());
            let problem = format!("{name}={text:?} has {count} numbers where {N} are needed");
            self.error(node, problem, format!("write {N}, separated by blanks"))
        })
    }

    /// Finite numbers separated by blanks; commas before the blanks are ignored, with a warning.
    pub(crate) fn list(&mut self, node: Node<'_, '_>, name: &str) -> Result<Vec<f64>, FormatError> {
        let text = self.required(node, name)?;
        if text.contains("${") || text.contains("$(") {
            return Err(FormatError { place: self.place(node), ..needs_expansion(&self.file) });
        }
        let mut values = Vec::new();
        let mut words = text.split_whitespace().peekable();
        let mut has_commas = false;
        while let Some(word) = words.next() {
            // A comma inside a word may be a decimal point.
            let plain = word.strip_suffix(',').filter(|_| words.peek().is_some());
            has_commas |= plain.is_some();
            let plain = plain.unwrap_or(word);
            // A second decimal point at the end can mean nothing else.
            let short = plain.strip_suffix('.').filter(|short| short.contains('.'));
            if let Some(short) = short.filter(|short| short.parse::<f64>().is_ok()) {
                self.warn(node, format!("{:?} in {name} is read as {short}", excerpt(plain)));
            }
            let value = short.unwrap_or(plain).parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(|| {
                let shown = excerpt(word);
                self.error(
                    node,
                    format!("{shown:?} in {name}={:?} is not a finite number", excerpt(text)),
                    "write a number such as 0.25",
                )
            })?;
            values.push(value);
        }
        if has_commas {
            self.warn(
                node,
                format!("the numbers of {name} are separated by commas, which the URDF standard does not know"),
            );
        }
        Ok(values)
    }
}

/// True if two elements are the same: equal attributes and nothing inside.
fn is_repeated(a: Node<'_, '_>, b: Node<'_, '_>) -> bool {
    let attributes = |node: Node<'_, '_>| {
        let mut all: Vec<(String, String)> =
            node.attributes().map(|one| (one.name().to_owned(), one.value().to_owned())).collect();
        all.sort();
        all
    };
    !a.has_children() && !b.has_children() && attributes(a) == attributes(b)
}

/// Child elements.
pub(crate) fn elements<'n, 'i>(node: Node<'n, 'i>) -> impl Iterator<Item = Node<'n, 'i>> {
    node.children().filter(Node::is_element)
}

/// `<joint name="elbow">`
fn tag(node: Node<'_, '_>) -> String {
    let name = excerpt(node.tag_name().name());
    match node.attribute("name") {
        Some(value) => format!("<{name} name=\"{}\">", excerpt(value)),
        None => format!("<{name}>"),
    }
}
