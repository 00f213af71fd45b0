//! Writes an allowed-collision matrix as an SRDF: pairs of links that need no check, and why.

/// A line of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Names of the two links, as in the URDF.
    pub links: [String; 2],
    /// `Adjacent`, `Never`, `Always`: the reasons that other programs write and read. `None`: the pair stays checked,
    /// and the line is a comment.
    pub reason: Option<&'static str>,
    /// Evidence; becomes a comment.
    pub comment: String,
}

/// The text of the file; `header` becomes a comment at its top.
pub fn text(robot: &str, header: &str, entries: &[Entry]) -> String {
    let mut text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {} -->\n", comment(header));
    text.push_str(&format!("<robot name=\"{}\">\n", attribute(robot)));
    for entry in entries {
        text.push_str(&line(entry));
        text.push('\n');
    }
    text.push_str("</robot>\n");
    text
}

/// The line of one pair, without its end.
pub(crate) fn line(Entry { links: [a, b], reason, comment: said }: &Entry) -> String {
    let said = comment(said);
    match reason {
        Some(reason) => {
            let (a, b) = (attribute(a), attribute(b));
            format!("  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/> <!-- {said} -->")
        }
        None => format!("  <!-- checked: {} and {}: {said} -->", comment(a), comment(b)),
    }
}

fn attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => escaped.push_str(&format!("&#{};", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Two hyphens would end a comment; one before a number is its sign and stays. Every comment ends in a blank.
fn comment(text: &str) -> String {
    text.replace("--", "-\u{2010}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_xml_cannot_hold_are_escaped() {
        let entry = |reason| Entry {
            links: ["a<\"&".to_owned(), "b--".to_owned()],
            reason,
            comment: "proven -- so --> it is -".to_owned(),
        };
        let text = text("r & d", "first line --", &[entry(Some("Never")), entry(None)]);
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let root = document.root_element();
        assert_eq!(root.attribute("name"), Some("r & d"));
        let disabled: Vec<_> = root.children().filter(roxmltree::Node::is_element).collect();
        assert_eq!(disabled.len(), 1, "{text}");
        assert_eq!(disabled[0].attribute("link1"), Some("a<\"&"));
        assert_eq!(disabled[0].attribute("link2"), Some("b--"));
    }
}
