//! Adds pairs of links that need no check to an existing SRDF; all other bytes of the file stay as they are.
//!
//! Invariant: the merged text without the added lines is the text that was read. A pair that the file already disables
//! is not added again, whatever its reason.

use std::collections::HashSet;
use std::path::Path;

use roxmltree::{Document, Node};

use super::robot_xml::{self, Reader, elements};
use super::srdf_writer::{self, Entry};
use super::urdf::Urdf;
use super::{FormatError, srdf};

/// An SRDF that pairs can be added to.
#[derive(Clone, Debug)]
pub struct Existing {
    text: String,
    place: Place,
    /// Pairs of links that the file disables, by name, with the file's reason.
    pub disabled: Vec<([String; 2], String)>,
    /// Warnings of the reader.
    pub warnings: Vec<String>,
}

/// The place of the added lines in the text.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// After the line that ends here.
    After(usize),
    /// Inside `<robot …/>`, the last two bytes of which start here.
    EmptyRobot(usize),
}

impl Existing {
    /// Reads the file if it exists and has content. Refuses a file that is not an SRDF of this robot.
    pub fn read(path: &Path, urdf: &Urdf) -> Result<Option<Self>, FormatError> {
        // Devices and pipes hold nothing to keep. A file that cannot be accessed is reported when it is written.
        if !std::fs::metadata(path).is_ok_and(|about| about.is_file()) {
            return Ok(None);
        }
        let text = robot_xml::read_text(path)?;
        if text.trim().is_empty() {
            return Ok(None);
        }
        Self::parse(text, path, urdf).map(Some)
    }

    /// Same for a text; `file` is only named in messages.
    fn parse(text: String, file: &Path, urdf: &Urdf) -> Result<Self, FormatError> {
        let read = srdf::parse(&text, file, urdf).map_err(not_merged)?;
        let name = |link: usize| urdf.links[link].name.clone();
        let disabled = read.disabled.into_iter().map(|([a, b], reason)| ([name(a), name(b)], reason)).collect();
        let place = {
            let tidied = robot_xml::tidied(&text);
            let document = robot_xml::parse(&tidied, file).map_err(not_merged)?;
            require_mergeable(&document, &Reader::new(file, &tidied), urdf)?;
            place(&document, &tidied)
        };
        Ok(Self { text, place, disabled, warnings: read.warnings })
    }

    /// Text with the pairs that the file does not disable yet, and their number.
    pub fn merged(&self, entries: &[Entry]) -> (String, usize) {
        let known: HashSet<[&str; 2]> = self.disabled.iter().map(|([a, b], _)| sorted([a, b])).collect();
        let is_new = |entry: &&Entry| {
            let [a, b] = &entry.links;
            entry.reason.is_some() && !known.contains(&sorted([a, b]))
        };
        let added: Vec<&Entry> = entries.iter().filter(is_new).collect();
        if added.is_empty() {
            return (self.text.clone(), 0);
        }
        let end = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let lines: String = added.iter().map(|entry| srdf_writer::line(entry) + end).collect();
        let text = match self.place {
            Place::After(at) => {
                let (before, after) = self.text.split_at(at);
                let gap = if before.ends_with('\n') { "" } else { end };
                format!("{before}{gap}{lines}{after}")
            }
            Place::EmptyRobot(at) => {
                let (before, after) = self.text.split_at(at);
                format!("{before}>{end}{lines}</robot>{}", &after["/>".len()..])
            }
        };
        (text, added.len())
    }
}

fn sorted([a, b]: [&String; 2]) -> [&str; 2] {
    let mut pair = [a.as_str(), b.as_str()];
    pair.sort_unstable();
    pair
}

/// Same error, for the target of a merge.
fn not_merged(error: FormatError) -> FormatError {
    let remedy = match error.remedy.as_str() {
        "" => "mend it, or name a new file".to_owned(),
        remedy => format!("{remedy}, or name a new file"),
    };
    FormatError { problem: format!("nothing can be added to this file: {}", error.problem), ..error }.remedy(remedy)
}

/// Refuses a robot description and the SRDF of another robot: both start with `<robot>`.
fn require_mergeable(document: &Document<'_>, reader: &Reader, urdf: &Urdf) -> Result<(), FormatError> {
    const REMEDY: &str = "name the SRDF of this robot, or a new file";
    let root = document.root_element();
    if let Some(node) = elements(root).find(|node| node.has_tag_name("link") || node.has_tag_name("joint")) {
        let problem = "nothing can be added to this file: it describes a robot (URDF) and is no SRDF";
        return Err(reader.error(node, problem, REMEDY));
    }
    match root.attribute("name") {
        Some(name) if name != urdf.name => {
            let [name, known] = [name, &urdf.name].map(super::excerpt);
            let problem = format!("nothing can be added to this file: it is for the robot {name:?}, not for {known:?}");
            Err(reader.error(root, problem, REMEDY))
        }
        _ => Ok(()),
    }
}

/// After the last pair that is disabled and the comment on its line; else before the end of the root.
fn place(document: &Document<'_>, text: &str) -> Place {
    let root = document.root_element();
    let last = elements(root).filter(|node| node.has_tag_name("disable_collisions")).last();
    if let Some(last) = last {
        let of_line = |node: &Node<'_, '_>| {
            node.is_comment() || node.text().is_some_and(|text| !text.contains('\n') && text.trim().is_empty())
        };
        let comment = last.next_siblings().skip(1).take_while(of_line).filter(Node::is_comment).last();
        let at = comment.unwrap_or(last).range().end;
        return Place::After(after_line_break(text, at));
    }
    let end = root.range().end;
    let before = &text[..end];
    match before.ends_with("/>") && !root.has_children() {
        true => Place::EmptyRobot(end - "/>".len()),
        false => {
            let closing = before.rfind("</").unwrap_or(end);
            // The line of `</robot>`, if nothing else is on it.
            let line = text[..closing].rfind('\n').map_or(closing, |at| at + 1);
            Place::After(if text[line..closing].trim().is_empty() { line } else { closing })
        }
    }
}

/// Past the end of the line, if nothing else is on it.
fn after_line_break(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    match rest.find('\n') {
        Some(end) if rest[..end].trim().is_empty() => at + end + 1,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::urdf;

    const URDF: &str = "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
        <joint name='i' type='fixed'><parent link='a'/><child link='b'/></joint>
        <joint name='j' type='fixed'><parent link='b'/><child link='c'/></joint></robot>";

    fn robot() -> Urdf {
        urdf::parse(URDF, "r.urdf".as_ref()).expect("a robot")
    }

    fn entry(a: &str, b: &str, reason: Option<&'static str>) -> Entry {
        Entry { links: [a.to_owned(), b.to_owned()], reason, comment: "known".to_owned() }
    }

    fn read(text: &str) -> Result<Existing, FormatError> {
        Existing::parse(text.to_owned(), "r.srdf".as_ref(), &robot())
    }

    const LINE: &str = "  <disable_collisions link1=\"a\" link2=\"c\" reason=\"Never\"/> <!-- known -->";

    #[test]
    fn new_pairs_are_added_after_those_of_the_file_and_nothing_else_changes() {
        let entries = [entry("b", "a", Some("Adjacent")), entry("a", "c", Some("Never")), entry("b", "c", None)];
        let disabled = "<disable_collisions link1='a' link2='b' reason='User'/>";
        for (before, after) in [
            (
                format!("\n<!-- mine -->\n<robot name='r' >\n {disabled} <!-- x -->\n"),
                " <group name='é'/>\n</robot>\n".to_owned(),
            ),
            (format!("\u{2003}\n<?xml version='1.0'?><robot>{disabled}\n"), "</robot>\0".to_owned()),
        ] {
            let (text, added) = read(&format!("{before}{after}")).expect("an SRDF").merged(&entries);
            assert_eq!((text, added), (format!("{before}{LINE}\n{after}"), 1));
        }
        let (before, after) = (format!("<robot name='r'>{disabled}"), "<group name='g'/></robot>");
        let (text, _) = read(&format!("{before}{after}")).expect("an SRDF").merged(&entries);
        assert_eq!(text, format!("{before}\n{LINE}\n{after}"));
    }

    #[test]
    fn files_without_pairs_get_them_before_their_end() {
        let entries = [entry("a", "c", Some("Never"))];
        for (text, expected) in [
            ("<robot name='r'>\r\n\t</robot>\r\n", format!("<robot name='r'>\r\n{LINE}\r\n\t</robot>\r\n")),
            ("<robot name='r'></robot>", format!("<robot name='r'>\n{LINE}\n</robot>")),
            ("<robot name='r'/>\n<!-- end -->", format!("<robot name='r'>\n{LINE}\n</robot>\n<!-- end -->")),
        ] {
            let existing = read(text).expect("an SRDF");
            let (merged, _) = existing.merged(&entries);
            assert_eq!(merged, expected);
            // Existing pairs are not added again.
            assert_eq!(read(&merged).expect("an SRDF").merged(&entries), (expected, 0));
        }
    }

    #[test]
    fn what_is_no_srdf_of_the_robot_is_refused() {
        for (text, problem) in [
            (URDF, "describes a robot (URDF)"),
            ("<robot name='s'/>", "for the robot \"s\", not for \"r\""),
            ("<scene/>", "the first element is not <robot>"),
            ("<robot name='r'><group></robot>", "the XML cannot be read"),
            ("<robot name='r'><disable_collisions link1='a'/></robot>", "\"link2\" is missing"),
            ("clearance = 0.1", "the XML cannot be read"),
        ] {
            let error = read(text).expect_err("must be refused").to_string();
            assert!(error.contains("nothing can be added to this file") && error.contains(problem), "{error}");
            assert!(error.contains("a new file"), "{error}");
        }
    }
}
