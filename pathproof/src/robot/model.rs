//! The kinematic forest of a scene, validated once and immutable: link 0 is the world, robots hang off it.
//!
//! Links and joints are stored depth first, so that parents come before children and a robot's links lie
//! together. Fixed joints are folded away: a [`Frame`] is one rigid group of links behind one movable joint,
//! turned so that the joint's axis is its z axis, and kinematics multiplies once per frame. Invariant: the
//! parent of frame f has an index below f; frame 0 is the world's.

use std::collections::HashMap;

use crate::numeric::{DVec3, Pose, ROUNDOFF_F64, add_up, most, norm_up};

use super::description::{ModelError, check_numbers, depth_first};
use super::joint::{JointKind, JointSpec};

/// A rigid body of the tree.
#[derive(Clone, Debug)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// The joint that has it as child; `None` for the root.
    pub joint: Option<usize>,
    /// The frame that it is rigidly part of.
    pub frame: usize,
    /// Its pose in that frame.
    pub frame_from_link: Pose,
    /// Number and summed offsets of the fixed joints between the frame's movable joint and this link.
    fixed: (usize, f64),
}

/// A validated joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// Kind of its motion; axis of unit length.
    pub kind: JointKind,
    /// Index of the parent link.
    pub parent: usize,
    /// Index of the child link.
    pub child: usize,
    /// Pose of the joint frame in the parent link's frame.
    pub parent_from_joint: Pose,
    /// Limits per variable of the joint; one entry per variable. A mimic joint keeps its own here.
    pub limits: Vec<Option<(f64, f64)>>,
    /// Largest speed (radians or metres per second), if known.
    pub speed_limit: Option<f64>,
    /// Source of its value; `None` for fixed joints.
    pub source: Option<Source>,
    /// The joint it follows, if it is a mimic joint.
    pub follows: Option<usize>,
}

/// Source of a joint's values: `multiplier · q[variable] + offset`, or `q[variable..]` for joints of several variables
/// (multiplier 1, offset 0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// First index into the configuration.
    pub variable: usize,
    /// Factor; 1 for joints that do not follow another.
    pub multiplier: f64,
    /// Offset in radians or metres; 0 for joints that do not follow another.
    pub offset: f64,
}

impl Source {
    /// The value of a joint of one variable at configuration `q`.
    #[inline]
    pub fn value(&self, q: &[f64]) -> f64 {
        self.multiplier * q[self.variable] + self.offset
    }
}

/// Unit of a number of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// Radians.
    Angle,
    /// Metres.
    Length,
    /// One of the four components of a unit quaternion.
    Quaternion,
}

/// One number of a configuration.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name of the joint, or `J.x`, `J.theta`, `J.qw`, … for joints of several variables.
    pub name: String,
    /// Its unit.
    pub kind: VariableKind,
    /// Index of the joint.
    pub joint: usize,
    /// Index among the joint's variables.
    pub component: usize,
    /// Lower and upper limit, if any.
    pub limits: Option<(f64, f64)>,
}

/// A rigid group of links behind one movable joint, turned so that the joint's axis is z.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The movable joint; frame 0 (the world) has none.
    pub joint: Option<usize>,
    /// The frame that carries it; 0 for frame 0.
    pub parent: usize,
    /// Number of movable joints between it and the world.
    pub depth: usize,
    /// Largest number of fixed joints between the movable joint and one of the links.
    pub fixed_joints: usize,
    /// Largest sum of those fixed joints' offsets in metres: bounds the rounding of folding them.
    pub fixed_length: f64,
    /// Constant part: pose of this frame in its parent when the joint is at zero.
    pub parent_from_zero: Pose,
    /// Upper bound on the distance between the parent's origin and this one's when the joint is at zero.
    pub upper_offset: f64,
    /// Upper bound on the distance between the axis the parent turns on and this origin when the joint is at zero.
    pub upper_axis_offset: f64,
    /// Kind of the joint's motion.
    pub kind: JointKind,
    /// Source of the joint's value (unused for frame 0).
    pub source: Source,
}

/// The kinematic forest; see the module.
#[derive(Clone, Debug)]
pub struct Model {
    links: Vec<Link>,
    joints: Vec<Joint>,
    frames: Vec<Frame>,
    variables: Vec<Variable>,
    link_by_name: HashMap<String, usize>,
    joint_by_name: HashMap<String, usize>,
}

impl Model {
    /// Validates and orders a description. `root` is one of `links` and the child of no joint.
    pub fn new(root: &str, links: Vec<String>, joints: Vec<JointSpec>) -> Result<Self, ModelError> {
        let order = depth_first(root, &links, &joints)?;
        let mut model = Self {
            links: Vec::with_capacity(links.len()),
            joints: Vec::with_capacity(joints.len()),
            frames: vec![world_frame()],
            variables: Vec::new(),
            link_by_name: HashMap::from([(root.to_owned(), 0)]),
            joint_by_name: HashMap::new(),
        };
        let world =
            Link { name: root.to_owned(), joint: None, frame: 0, frame_from_link: Pose::IDENTITY, fixed: (0, 0.0) };
        model.links.push(world);
        let specs: Vec<&JointSpec> = order.iter().map(|&index| &joints[index]).collect();
        for spec in &specs {
            model.push_joint(spec)?;
        }
        for (joint, spec) in specs.iter().enumerate() {
            model.resolve_mimic(joint, spec)?;
        }
        for joint in 0..model.joints.len() {
            model.push_frame(joint);
        }
        Ok(model)
    }

    /// Links, parents before children; link 0 is the root.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Joints in the order of their child links: joint j has the child link j + 1.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Frames, parents before children; frame 0 is the world's.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Names and meanings of the numbers of a configuration, in order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Index of the link called `name`.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.link_by_name.get(name).copied()
    }

    /// Index of the joint called `name`.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joint_by_name.get(name).copied()
    }

    /// Index of the variable called `name`.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    /// The frame of a link. Links of one frame never move relative to each other.
    pub fn frame_of(&self, link: usize) -> usize {
        self.links[link].frame
    }

    /// The deepest frame that carries both frames (possibly one of them).
    pub fn common_ancestor(&self, mut a: usize, mut b: usize) -> usize {
        // Parents have lower indices, so the higher one of the two cannot be the ancestor.
        while a != b {
            if a > b {
                a = self.frames[a].parent;
            } else {
                b = self.frames[b].parent;
            }
        }
        a
    }

    /// The first variable in `q` that is outside its limits, or NaN.
    pub fn limit_violation(&self, q: &[f64]) -> Option<&Variable> {
        let is_inside = |(variable, value): &(&Variable, &f64)| match variable.limits {
            Some((lower, upper)) => (lower..=upper).contains(*value),
            None => !value.is_nan(),
        };
        self.variables.iter().zip(q).find(|pair| !is_inside(pair)).map(|(variable, _)| variable)
    }

    /// The first broken rule of this structure, for tests and fuzzers.
    pub fn broken_invariant(&self) -> Option<&'static str> {
        let frames = self.frames.iter().enumerate().skip(1);
        let is_below = |(index, frame): (usize, &Frame)| frame.parent < index && frame.joint.is_some();
        if !frames.clone().all(is_below) {
            return Some("a frame comes before its parent, or has no joint");
        }
        if !frames.clone().all(|(_, frame)| frame.depth == self.frames[frame.parent].depth + 1) {
            return Some("a frame's depth is not its parent's plus one");
        }
        let mut joints = self.joints.iter().enumerate();
        if !joints.all(|(index, joint)| joint.child == index + 1 && joint.parent <= index) {
            return Some("a joint comes before its parent link's joint");
        }
        if !self.links.iter().all(|link| link.frame_from_link.is_rigid(1e-9)) {
            return Some("a link's pose in its frame is not rigid");
        }
        None
    }

    /// The zero configuration: all variables 0, quaternions the identity, ignoring limits.
    pub fn zero_configuration(&self) -> Vec<f64> {
        let is_qw = |v: &Variable| self.joints[v.joint].kind == JointKind::Floating && v.component == 6;
        self.variables.iter().map(|v| if is_qw(v) { 1.0 } else { 0.0 }).collect()
    }

    /// Upper bounds on the distances of the point `in_zero` of a joint's zero frame from the origin of the frame
    /// `parent` that carries it, and from the axis on which that one turns (z, but any axis if it floats).
    pub(super) fn upper_offsets(&self, parent: usize, parent_from_zero: &Pose, in_zero: DVec3) -> [f64; 2] {
        let origin = parent_from_zero.point(in_zero);
        let slack = 64.0 * ROUNDOFF_F64 * add_up(norm_up(parent_from_zero.translation), norm_up(in_zero));
        let is_floating = self.frames[parent].kind == JointKind::Floating;
        let off_axis = if is_floating { origin } else { DVec3::new(origin.x, origin.y, 0.0) };
        [origin, off_axis].map(|offset| add_up(norm_up(offset), slack))
    }

    fn push_joint(&mut self, spec: &JointSpec) -> Result<(), ModelError> {
        let joint = self.joints.len();
        check_numbers(spec)?;
        let Some(kind) = spec.kind.normalised() else {
            return Err(ModelError::BadAxis { joint: spec.name.clone() });
        };
        let mut limits = spec.limits.clone();
        limits.resize(kind.variable_count(), None);
        let is_mimic = spec.mimic.is_some() && kind != JointKind::Fixed;
        let mut source = None;
        if kind != JointKind::Fixed {
            source = Some(Source { variable: self.variables.len(), multiplier: 1.0, offset: 0.0 });
        }
        for (component, suffix) in kind.variable_suffixes().iter().enumerate().filter(|_| !is_mimic) {
            let name = format!("{}{suffix}", spec.name);
            if self.variable(&name).is_some() {
                return Err(ModelError::DuplicateJoint { joint: name });
            }
            let measures = kind.variable_kinds()[component];
            self.variables.push(Variable { name, kind: measures, joint, component, limits: limits[component] });
        }
        if self.joint_by_name.insert(spec.name.clone(), joint).is_some() {
            return Err(ModelError::DuplicateJoint { joint: spec.name.clone() });
        }
        let parent = self.link_by_name[&spec.parent];
        let child = self.links.len();
        self.link_by_name.insert(spec.child.clone(), child);
        let (name, frame_from_link) = (spec.child.clone(), Pose::IDENTITY);
        self.links.push(Link { name, joint: Some(joint), frame: 0, frame_from_link, fixed: (0, 0.0) });
        let parent_from_joint = spec.parent_from_joint;
        let (name, speed_limit) = (spec.name.clone(), spec.speed_limit);
        self.joints.push(Joint {
            name,
            kind,
            parent,
            child,
            parent_from_joint,
            limits,
            speed_limit,
            source,
            follows: None,
        });
        Ok(())
    }

    fn resolve_mimic(&mut self, joint: usize, spec: &JointSpec) -> Result<(), ModelError> {
        let Some(mimic) = spec.mimic.as_ref().filter(|_| spec.kind != JointKind::Fixed) else { return Ok(()) };
        let (name, followed) = (spec.name.clone(), mimic.joint.clone());
        let Some(driver) = self.joint(&mimic.joint) else {
            return Err(ModelError::MimicOfNothing { joint: name, followed });
        };
        // A joint that follows has no variable of its own: none of the variables belongs to it.
        let is_driven = !self.variables.iter().any(|variable| variable.joint == driver);
        let counts = [joint, driver].map(|j| self.joints[j].kind.variable_count());
        if counts != [1, 1] {
            return Err(ModelError::MimicKind { joint: name, followed });
        }
        if is_driven {
            return Err(ModelError::MimicOfMimic { joint: name, followed });
        }
        let variable = self.joints[driver].source.map_or(0, |source| source.variable);
        self.joints[joint].source = Some(Source { variable, multiplier: mimic.multiplier, offset: mimic.offset });
        self.joints[joint].follows = Some(driver);
        Ok(())
    }

    fn push_frame(&mut self, joint: usize) {
        let Joint { kind, parent, child, parent_from_joint, source, .. } = self.joints[joint];
        let parent_link = &self.links[parent];
        let (parent_frame, frame_from_joint) = (parent_link.frame, parent_link.frame_from_link * parent_from_joint);
        let (frame, frame_from_link) = match source {
            None => {
                let (count, length) = parent_link.fixed;
                let fixed = (count + 1, add_up(length, norm_up(parent_from_joint.translation)));
                self.links[child].fixed = fixed;
                let frame = &mut self.frames[parent_frame];
                frame.fixed_joints = frame.fixed_joints.max(fixed.0);
                frame.fixed_length = most(frame.fixed_length, fixed.1);
                (parent_frame, frame_from_joint)
            }
            Some(source) => {
                let joint_from_aligned = kind.joint_from_aligned();
                let rotation = frame_from_joint.rotation * joint_from_aligned;
                let parent_from_zero = Pose { rotation, ..frame_from_joint };
                let depth = self.frames[parent_frame].depth + 1;
                let (joint, parent) = (Some(joint), parent_frame);
                let [upper_offset, upper_axis_offset] = self.upper_offsets(parent, &parent_from_zero, DVec3::ZERO);
                let frame = Frame { joint, parent, depth, parent_from_zero, kind, source, ..world_frame() };
                self.frames.push(Frame { upper_offset, upper_axis_offset, ..frame });
                (self.frames.len() - 1, Pose { rotation: joint_from_aligned.transpose(), ..Pose::IDENTITY })
            }
        };
        self.links[child].frame = frame;
        self.links[child].frame_from_link = frame_from_link;
    }
}

fn world_frame() -> Frame {
    Frame {
        joint: None,
        parent: 0,
        depth: 0,
        fixed_joints: 0,
        fixed_length: 0.0,
        parent_from_zero: Pose::IDENTITY,
        upper_offset: 0.0,
        upper_axis_offset: 0.0,
        kind: JointKind::Fixed,
        source: Source { variable: 0, multiplier: 0.0, offset: 0.0 },
    }
}
