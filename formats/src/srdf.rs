//! SRDF files: pairs of links that need no check, and named configurations.
//!
//! A planar or floating virtual joint moves the robot's base. Groups, end effectors and passive joints have no effect.
//! Names that are not in the URDF are usual (one SRDF serves several variants of a robot). One warning each lists such
//! links and joints; no pair is skipped because of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use roxmltree::Node;

use super::robot_xml::{self, Reader, elements};
use super::urdf::Urdf;
use super::{FormatError, excerpt};

/// Relevant contents of an SRDF.
#[derive(Clone, Debug, Default)]
pub struct Srdf {
    /// Pairs of links (by index in the URDF) that need no check, with the file's reason.
    pub disabled: Vec<([usize; 2], String)>,
    /// Named configurations.
    pub states: Vec<SrdfState>,
    /// Joint by which the robot's root moves in the world, if the file has one that is not fixed.
    pub virtual_joint: Option<VirtualJoint>,
    /// Warnings about input that may not be what its author meant.
    pub warnings: Vec<String>,
}

/// A `<virtual_joint>` that moves the robot's root link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualJoint {
    /// Its name.
    pub name: String,
    /// True for a planar joint, false for a floating one.
    pub is_planar: bool,
}

/// A `<group_state>`.
#[derive(Clone, Debug)]
pub struct SrdfState {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Joints (by index in the URDF) and the values of all their variables.
    pub values: Vec<(usize, Vec<f64>)>,
}

/// Reads the SRDF file that belongs to a robot.
pub fn read(path: &Path, urdf: &Urdf) -> Result<Srdf, FormatError> {
    parse(&robot_xml::read_text(path)?, path, urdf)
}

/// Reads the text of an SRDF file; `file` is only named in messages.
pub fn parse(text: &str, file: &Path, urdf: &Urdf) -> Result<Srdf, FormatError> {
    let text = &*robot_xml::tidied(text);
    let document = robot_xml::parse(text, file)?;
    let root = document.root_element();
    let reader = Reader::new(file, text);
    if !root.has_tag_name("robot") {
        let remedy = "an SRDF file starts with <robot name=\"…\">; name that file";
        return Err(reader.error(root, "the first element is not <robot>", remedy));
    }
    let mut srdf = SrdfReader::new(urdf, reader);
    srdf.read(root)?;
    let (disabled, unknown) = (srdf.disabled_pairs(), srdf.unknown());
    let mut warnings = srdf.reader.into_warnings();
    warnings.extend(unknown);
    Ok(Srdf { disabled, states: srdf.states, virtual_joint: srdf.virtual_joint, warnings })
}

struct SrdfReader<'a> {
    urdf: &'a Urdf,
    links: HashMap<&'a str, usize>,
    joints: HashMap<&'a str, usize>,
    virtual_joints: HashSet<String>,
    virtual_joint: Option<VirtualJoint>,
    disabled: BTreeMap<[usize; 2], String>,
    /// Links with all pairs disabled unless enabled one by one.
    off_by_default: Vec<usize>,
    enabled: HashSet<[usize; 2]>,
    states: Vec<SrdfState>,
    unknown_links: Unknown,
    unknown_joints: Unknown,
    reader: Reader,
}

/// Names that are not in the URDF: number of occurrences, and the first place.
#[derive(Default)]
struct Unknown {
    names: BTreeSet<String>,
    times: usize,
    first: String,
}

impl Unknown {
    fn add(&mut self, name: &str, place: String) {
        if self.times == 0 {
            self.first = place;
        }
        self.names.insert(excerpt(name));
        self.times += 1;
    }

    /// `3 links (a, b, c), named 7 times, first at line 4, <group>`
    fn describe(&self, what: &str) -> Option<String> {
        const MOST: usize = 8;
        let mut named: Vec<&str> = self.names.iter().take(MOST).map(String::as_str).collect();
        if self.names.len() > MOST {
            named.push("…");
        }
        let (count, times, first) = (self.names.len(), self.times, &self.first);
        (times > 0).then(|| format!("{count} {what} ({}), named {times} times, first at {first}", named.join(", ")))
    }
}

impl<'a> SrdfReader<'a> {
    fn new(urdf: &'a Urdf, reader: Reader) -> Self {
        Self {
            urdf,
            links: urdf.links.iter().enumerate().map(|(index, link)| (link.name.as_str(), index)).collect(),
            joints: urdf.joints.iter().enumerate().map(|(index, joint)| (joint.name.as_str(), index)).collect(),
            virtual_joints: HashSet::new(),
            virtual_joint: None,
            disabled: BTreeMap::new(),
            off_by_default: Vec::new(),
            enabled: HashSet::new(),
            states: Vec::new(),
            unknown_links: Unknown::default(),
            unknown_joints: Unknown::default(),
            reader,
        }
    }

    fn read(&mut self, root: Node<'_, '_>) -> Result<(), FormatError> {
        if let Some(name) = root.attribute("name")
            && name != self.urdf.name
        {
            let message = format!(
                "the file is for the robot {:?}, the URDF describes {:?}",
                excerpt(name),
                excerpt(&self.urdf.name)
            );
            self.reader.warn(root, message);
        }
        for node in elements(root).filter(|n| n.has_tag_name("virtual_joint")) {
            self.read_virtual_joint(node)?;
        }
        for node in elements(root) {
            match node.tag_name().name() {
                "disable_collisions" => {
                    let pair = self.pair(node)?;
                    let reason = node.attribute("reason").unwrap_or_default().to_owned();
                    self.disabled.extend(pair.map(|pair| (pair, reason)));
                }
                "enable_collisions" => {
                    let pair = self.pair(node)?;
                    self.enabled.extend(pair);
                }
                "disable_default_collisions" => {
                    let link = self.link(node, "link")?;
                    self.off_by_default.extend(link);
                }
                "group" => self.read_group(node)?,
                "group_state" => self.read_state(node)?,
                "end_effector" => {
                    self.link(node, "parent_link")?;
                }
                "passive_joint" => self.known_joint(node)?,
                "virtual_joint" | "joint_property" | "link_sphere_approximation" => {}
                // Other programs write these for themselves.
                "kinematics_plugin_config"
                | "contact_managers_plugin_config"
                | "calibration_config"
                | "group_tcps"
                | "group_opw"
                | "collision_margins" => {}
                other => {
                    let message = format!("<{}> is not known in an SRDF and was ignored", excerpt(other));
                    self.reader.warn(node, message);
                }
            }
        }
        Ok(())
    }

    /// As in MoveIt, the joint must hold the root link, and the first one counts.
    fn read_virtual_joint(&mut self, node: Node<'_, '_>) -> Result<(), FormatError> {
        let name = self.reader.name(node)?;
        let child = self.link(node, "child_link")?;
        let is_planar = match self.reader.required(node, "type")?.trim() {
            "fixed" => None,
            "planar" => Some(true),
            "floating" => Some(false),
            other => {
                let problem = format!("{:?} is no type of a virtual joint", excerpt(other));
                return Err(self.reader.error(node, problem, "write fixed, planar or floating"));
            }
        };
        let root = &self.urdf.links[self.urdf.root].name;
        // The joint may exist already: a scene adds it, and so do some URDFs.
        let is_there =
            self.joints.get(name.as_str()).is_some_and(|&joint| Some(self.urdf.joints[joint].child) == child);
        match is_planar.filter(|_| !is_there) {
            // A warning lists unknown links together.
            Some(_) if child.is_none() => {}
            Some(_) if child != Some(self.urdf.root) => {
                let message = format!("ignored: its child_link is not {:?}, the root of the robot", excerpt(root));
                self.reader.warn(node, message);
            }
            Some(_) if self.virtual_joint.is_some() => self.reader.warn(node, "ignored: a second joint of the root"),
            Some(is_planar) => self.virtual_joint = Some(VirtualJoint { name: name.clone(), is_planar }),
            None => {}
        }
        self.virtual_joints.insert(name);
        Ok(())
    }

    /// All disabled pairs, in the order of their links; pairs off by default come with that reason.
    fn disabled_pairs(&self) -> Vec<([usize; 2], String)> {
        let mut disabled = self.disabled.clone();
        for &link in &self.off_by_default {
            for other in (0..self.urdf.links.len()).filter(|&other| other != link) {
                let pair = [link.min(other), link.max(other)];
                if !self.enabled.contains(&pair) {
                    disabled.entry(pair).or_insert_with(|| "disabled by default".to_owned());
                }
            }
        }
        disabled.into_iter().collect()
    }

    /// Link by name; `None`, and recorded, if it is not in the URDF.
    fn link(&mut self, node: Node<'_, '_>, attribute: &str) -> Result<Option<usize>, FormatError> {
        let name = self.reader.required(node, attribute)?.trim();
        let found = self.links.get(name).copied();
        if found.is_none() {
            self.unknown_links.add(name, self.reader.place(node));
        }
        Ok(found)
    }

    /// Two links; `None` if one of them is unknown, so that nothing is skipped for it.
    fn pair(&mut self, node: Node<'_, '_>) -> Result<Option<[usize; 2]>, FormatError> {
        let (Some(a), Some(b)) = (self.link(node, "link1")?, self.link(node, "link2")?) else { return Ok(None) };
        if a == b {
            self.reader.warn(node, "link1 and link2 are the same link; ignored");
            return Ok(None);
        }
        Ok(Some([a.min(b), a.max(b)]))
    }

    fn known_joint(&mut self, node: Node<'_, '_>) -> Result<(), FormatError> {
        let name = self.reader.name(node)?;
        if !self.joints.contains_key(name.as_str()) && !self.virtual_joints.contains(&name) {
            self.unknown_joints.add(&name, self.reader.place(node));
        }
        Ok(())
    }

    /// One warning each for unknown links and unknown joints.
    fn unknown(&self) -> Vec<String> {
        let kinds = [self.unknown_links.describe("links"), self.unknown_joints.describe("joints")];
        let (file, robot) = (self.reader.file.display(), excerpt(&self.urdf.name));
        let tell = |unknown: String| {
            format!(
                "{file}: the robot {robot:?} does not have {unknown}; what is said of them is ignored and skips nothing"
            )
        };
        kinds.into_iter().flatten().map(tell).collect()
    }

    fn read_group(&mut self, group: Node<'_, '_>) -> Result<(), FormatError> {
        for node in elements(group) {
            match node.tag_name().name() {
                "link" => {
                    self.link(node, "name")?;
                }
                "joint" => self.known_joint(node)?,
                "chain" => {
                    self.link(node, "base_link")?;
                    self.link(node, "tip_link")?;
                }
                "group" | "passive_joint" => {}
                _ => self.reader.warn(node, "not known inside <group> and ignored"),
            }
        }
        Ok(())
    }

    fn read_state(&mut self, node: Node<'_, '_>) -> Result<(), FormatError> {
        let name = self.reader.name(node)?;
        let group = node.attribute("group").unwrap_or_default().trim().to_owned();
        self.reader.warn_unknown_children(node, &["joint"], &[]);
        let mut values: Vec<(usize, Vec<f64>)> = Vec::new();
        let mut followers = Vec::new();
        for joint_node in elements(node).filter(|n| n.has_tag_name("joint")) {
            let Some((joint, value)) = self.read_state_value(joint_node)? else { continue };
            if values.iter().any(|(other, _)| *other == joint) {
                return Err(self.reader.error(joint_node, "a second value for this joint", "leave one of them"));
            }
            if self.urdf.joints[joint].mimic.is_some() {
                followers.push((joint_node, joint, value[0]));
            } else {
                values.push((joint, value));
            }
        }
        for (joint_node, joint, value) in followers {
            self.warn_where_follower_differs(joint_node, joint, value, &values);
        }
        self.states.push(SrdfState { name, group, values });
        Ok(())
    }

    /// A joint and its values; `None` for joints without any.
    fn read_state_value(&mut self, node: Node<'_, '_>) -> Result<Option<(usize, Vec<f64>)>, FormatError> {
        let name = self.reader.name(node)?;
        let Some(&joint) = self.joints.get(name.as_str()) else {
            if self.virtual_joints.contains(&name) {
                self.reader.warn(node, "a virtual joint; the robot's base stands where the scene puts it");
                return Ok(None);
            }
            self.unknown_joints.add(&name, self.reader.place(node));
            return Ok(None);
        };
        let needed = self.urdf.joints[joint].kind.variable_count();
        if needed == 0 {
            self.reader.warn(node, "a fixed joint has no value; ignored");
            return Ok(None);
        }
        let values = self.reader.list(node, "value")?;
        if values.len() != needed {
            // Other programs write a continuous joint as cosine and sine.
            let given = values.len();
            self.reader.warn(node, format!("{given} values where the joint has {needed}; left out of the state"));
            return Ok(None);
        }
        Ok(Some((joint, values)))
    }

    /// Warns about a mimic joint's value in a state: it is not used, but may contradict the joint that it follows.
    fn warn_where_follower_differs(
        &mut self,
        node: Node<'_, '_>,
        joint: usize,
        value: f64,
        values: &[(usize, Vec<f64>)],
    ) {
        let Some(mimic) = self.urdf.joints[joint].mimic else { return };
        let followed = values.iter().find(|(other, _)| *other == mimic.joint);
        let agrees = followed.is_some_and(|(_, v)| (mimic.multiplier * v[0] + mimic.offset - value).abs() <= 1e-9);
        if !agrees {
            let name = excerpt(&self.urdf.joints[mimic.joint].name);
            self.reader.warn(node, format!("a mimic joint follows {name:?}; its value here was ignored"));
        }
    }
}
