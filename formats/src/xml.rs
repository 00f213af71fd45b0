//! XML from any source: parsed within bounds on memory and time.
//!
//! The parser does not recurse, and without a document type there are no entities to expand. It is quadratic in the
//! attributes of one element and in namespace declarations, so both are held to a thousand before it starts.

use std::path::Path;

use roxmltree::{Document, Error, ParsingOptions};

use super::error::FormatError;

/// Maximum number of elements and texts in a document: a bound on memory (about 100 bytes each).
const MOST_NODES: u32 = 10_000_000;
/// Maximum number of attributes of one element, and of namespace declarations of a document.
const MOST_ATTRIBUTES: usize = 1000;

/// Parses a document; errors name the line.
pub(crate) fn parse<'t>(name: &Path, text: &'t str) -> Result<Document<'t>, FormatError> {
    refuse_quadratic(name, text)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let located = FormatError::new(name, error.to_string()).at_line(error.pos().row as usize);
        match error {
            Error::DtdDetected => located.remedy("remove the document type (DOCTYPE) from the file"),
            Error::NodesLimitReached => located.remedy("split or simplify the file"),
            _ => located.remedy("the file is damaged or no XML: export it again"),
        }
    })
}

/// Fails if the parser would take quadratic time.
pub(crate) fn refuse_quadratic(name: &Path, text: &str) -> Result<(), FormatError> {
    if text.matches("xmlns").nth(MOST_ATTRIBUTES).is_some() {
        let problem = format!("it declares more than {MOST_ATTRIBUTES} namespaces");
        return Err(FormatError::new(name, problem).remedy("declare each namespace once, in the first element"));
    }
    // An attribute cannot contain "<", so between two of them there is at most one element's list. Each attribute has
    // two quotation marks.
    let mut line = 1;
    for piece in text.split('<') {
        let quotes = piece.bytes().filter(|&b| b == b'"' || b == b'\'').count();
        if quotes > 2 * MOST_ATTRIBUTES {
            let problem = format!("an element has more than {MOST_ATTRIBUTES} attributes or quotation marks");
            return Err(FormatError::new(name, problem).at_line(line).remedy("remove what is not geometry"));
        }
        line += piece.bytes().filter(|&b| b == b'\n').count();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(Path::new("a.xml"), text).expect_err("must be refused").to_string()
    }

    #[test]
    fn documents_that_would_take_quadratic_time_are_refused_first() {
        let attributes: String = (0..300_000).map(|i| format!(" a{i}=''")).collect();
        assert!(refusal(&format!("<a>\n<b{attributes}/></a>")).starts_with("a.xml: line 2: an element has more than"));
        let namespaces: String = (0..60_000).map(|i| format!(" xmlns:n{i}='u{i}'")).collect();
        let copies = "<b xmlns:n0='u1'/>".repeat(100_000);
        assert!(refusal(&format!("<a{namespaces}>{copies}</a>")).contains("more than 1000 namespaces"));
    }

    #[test]
    fn depth_costs_no_stack_and_entities_are_refused() {
        refusal(&"<a>".repeat(2_000_000));
        let deep = "<a>".repeat(1_000_000) + &"</a>".repeat(1_000_000);
        assert!(parse(Path::new("a.xml"), &deep).is_ok());
        let laughs = "<!DOCTYPE a [<!ENTITY x \"ha\"><!ENTITY y \"&x;&x;\">]>\n<a>&y;</a>";
        assert!(refusal(laughs).contains("remove the document type (DOCTYPE)"));
        assert!(refusal("<a>\n<b></a>").starts_with("a.xml: line 2: "));
    }
}
