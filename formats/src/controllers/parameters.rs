//! Nodes and parameters of a ROS 2 parameter file, limited to what affects a controller's curve.

use std::path::Path;

use crate::yaml::{self, YamlError};
use crate::{FormatError, excerpt};

/// Maximum number of nodes in a file; each is compared with all others.
const MOST_NODES: usize = 200;

/// Maximum number of parts in a node's name.
const MOST_PARTS: usize = 16;

/// Longest name of a node or parameter, in bytes.
const LONGEST_NAME: usize = 256;

const REMEDY: &str =
    "give the file that ros2_control reads (ros2_controllers.yaml), with ros__parameters under each controller";

/// A node's name and parameters.
#[derive(Debug)]
pub(super) struct Node<'t> {
    /// Namespaces, then the node's own name.
    parts: Vec<String>,
    /// Full name (`constraints.goal_time`) and value, in the order of the file.
    pub(super) parameters: Vec<(String, Value<'t>)>,
}

/// A parameter's value.
#[derive(Debug)]
pub(super) struct Value<'t> {
    node: yaml::Node<'t>,
}

/// The nodes of a text.
pub(super) fn nodes<'t>(text: &'t str, file: &Path) -> Result<Vec<Node<'t>>, FormatError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let failed = |error: YamlError| {
        let place = error.line.map_or(String::new(), |line| format!("line {line}"));
        FormatError::new(file, error.message).at(place).remedy(REMEDY)
    };
    let mut reader = Reader { file, nodes: Vec::new() };
    for document in yaml::documents(text).map_err(failed)? {
        reader.read(&document, &[])?;
    }
    if reader.nodes.is_empty() {
        return Err(FormatError::new(file, "there are no ros__parameters in it").remedy(REMEDY));
    }
    Ok(reader.nodes)
}

/// Names and types of controllers, from the parameters of the controller manager.
pub(super) fn controller_types<'n>(nodes: &'n [Node<'_>]) -> Vec<(&'n str, &'n str)> {
    let managers = nodes.iter().filter(|node| node.own_name() == "controller_manager" || node.is_for_all());
    let typed = |(name, value): &'n (String, Value<'_>)| Some((name.strip_suffix(".type")?, value.text()?));
    managers.flat_map(|manager| manager.parameters.iter().filter_map(typed)).collect()
}

struct Reader<'f, 't> {
    file: &'f Path,
    nodes: Vec<Node<'t>>,
}

impl<'t> Reader<'_, 't> {
    /// Reads the nodes below a mapping; `parts` is the name so far.
    fn read(&mut self, node: &yaml::Node<'t>, parts: &[String]) -> Result<(), FormatError> {
        for (key, value) in node.entries().unwrap_or_default() {
            let name = self.name(key)?;
            if name == "ros__parameters" {
                let mut parameters = Vec::new();
                self.add(value, "", &mut parameters)?;
                if parts.is_empty() || self.nodes.len() >= MOST_NODES {
                    let problem = match parts.is_empty() {
                        true => "ros__parameters without a node's name above them".to_owned(),
                        false => format!("it has more than {MOST_NODES} nodes"),
                    };
                    return Err(self.error(key.line, problem));
                }
                self.nodes.push(Node { parts: parts.to_vec(), parameters });
            } else {
                let more = name.split('/').filter(|part| !part.is_empty()).map(str::to_owned);
                let parts: Vec<String> = parts.iter().cloned().chain(more).collect();
                if parts.len() > MOST_PARTS || name.len() > LONGEST_NAME {
                    return Err(self.error(key.line, "this name of a node is too long".to_owned()));
                }
                self.read(value, &parts)?;
            }
        }
        Ok(())
    }

    /// Adds the parameters of a mapping, by their full names.
    fn add(
        &self,
        node: &yaml::Node<'t>,
        prefix: &str,
        parameters: &mut Vec<(String, Value<'t>)>,
    ) -> Result<(), FormatError> {
        let mut seen: Vec<&str> = Vec::new();
        for (key, value) in node.entries().unwrap_or_default() {
            let own = self.name(key)?;
            let name = if prefix.is_empty() { own.to_owned() } else { format!("{prefix}.{own}") };
            if name.len() > LONGEST_NAME {
                return Err(self.error(key.line, "this name of a parameter is too long".to_owned()));
            }
            seen.push(own);
            match value.entries() {
                Some(_) => self.add(value, &name, parameters)?,
                None => parameters.push((name, Value { node: value.clone() })),
            }
        }
        seen.sort_unstable();
        match seen.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => Err(self.error(node.line, format!("{:?} is there twice", excerpt(pair[0])))),
        }
    }

    fn name<'n>(&self, key: &'n yaml::Node<'_>) -> Result<&'n str, FormatError> {
        key.text().ok_or_else(|| self.error(key.line, "a key is no name".to_owned()))
    }

    fn error(&self, line: usize, problem: String) -> FormatError {
        FormatError::new(self.file, problem).at_line(line).remedy(REMEDY)
    }
}

impl Node<'_> {
    /// The name with its namespace.
    pub(super) fn name(&self) -> String {
        self.parts.join("/")
    }

    /// The name without namespaces.
    pub(super) fn own_name(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// True for patterns that name no particular node.
    pub(super) fn is_for_all(&self) -> bool {
        ["*", "**"].contains(&self.own_name())
    }

    /// True if the name is not a pattern.
    pub(super) fn is_plain(&self) -> bool {
        !self.parts.iter().any(|part| part == "*" || part == "**")
    }

    /// True if the parameters also apply to a node of this name: `*` matches one part of it, `**` any number.
    pub(super) fn matches(&self, node: &Self) -> bool {
        // reach[i]: the parts so far match the first i parts of the name.
        let mut reach = vec![false; node.parts.len() + 1];
        reach[0] = true;
        for part in &self.parts {
            let mut next = vec![false; reach.len()];
            for i in 0..reach.len() {
                next[i] = match part.as_str() {
                    "**" => reach[i] || i > 0 && next[i - 1],
                    "*" => i > 0 && reach[i - 1],
                    _ => i > 0 && reach[i - 1] && node.parts[i - 1] == *part,
                };
            }
            reach = next;
        }
        reach[node.parts.len()]
    }
}

impl Value<'_> {
    /// A word, number or quoted value.
    pub(super) fn text(&self) -> Option<&str> {
        self.node.text()
    }

    pub(super) fn texts(&self) -> Option<Vec<String>> {
        self.node.items()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    pub(super) fn number(&self) -> Option<f64> {
        self.text()?.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Truth value, by ROS's rules.
    pub(super) fn truth(&self) -> Option<bool> {
        match self.text()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => Some(true),
            "false" | "no" | "off" | "n" => Some(false),
            _ => None,
        }
    }

    /// Error for a value of the wrong kind.
    pub(super) fn wrong(&self, file: &Path, name: &str, expected: &str) -> FormatError {
        let found = self.text().map_or("a list".to_owned(), |text| format!("{:?}", excerpt(text)));
        FormatError::new(file, format!("{} is {found}", excerpt(name)))
            .at_line(self.node.line)
            .remedy(format!("write {expected}"))
    }
}
