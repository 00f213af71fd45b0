//! Parameter files of ros2_control: the curves of its joint_trajectory_controllers, their joints and tolerances
//! (docs/path-file.md).
//!
//! Nested keys or names with slashes name a node; `*` matches one part of a name and `**` any number. Later values
//! override earlier ones, as in ROS. Parameters that do not affect the curve are ignored.

mod parameters;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::input_file::{self, Limit};
use crate::{FormatError, excerpt};
use parameters::{Node, Value};
use pathproof::scene::Scene;

/// Largest file, in bytes.
const LIMIT: Limit = Limit::new(256 << 10, "give the ros2_controllers.yaml of the robot");

const REMEDY: &str = "write CONTROLLER: {ros__parameters: {joints: [J1, J2], interpolation_method: splines}}, as ros2_control \
                      reads it";

/// The joint_trajectory_controllers of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Controllers {
    file: PathBuf,
    list: Vec<Controller>,
}

/// One joint_trajectory_controller.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Controller {
    /// With its namespace, without a leading slash.
    pub(crate) name: String,
    /// Joints that it commands, named as in the file.
    pub(crate) joints: Vec<String>,
    /// Interpolation between points.
    pub(crate) method: Method,
    /// `policy_frequency` in Hz if `positions_upsampling` is on; 0 if it generates no times, as in the file.
    pub(crate) upsampling: Option<f64>,
    /// Tolerances of its joints.
    pub(crate) tolerances: BTreeMap<String, Tolerance>,
}

/// `interpolation_method`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Method {
    /// Linear, cubic or quintic, depending on the derivatives of the points.
    #[default]
    Splines,
    /// Steps from point to point.
    None,
}

/// Deviation of a joint at which the controller gives up, in radians or metres; 0 means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tolerance {
    /// During the motion.
    pub(crate) trajectory: f64,
    /// At the end.
    pub(crate) goal: f64,
}

/// Reads the controllers of a file.
pub fn read(path: &Path) -> Result<Controllers, FormatError> {
    parse(&input_file::text(path, LIMIT)?, path)
}

/// Reads controllers from a text; `file` is only named in messages.
pub fn parse(text: &str, file: &Path) -> Result<Controllers, FormatError> {
    let nodes = parameters::nodes(text, file)?;
    let types = parameters::controller_types(&nodes);
    let mut list: Vec<Controller> = Vec::new();
    for node in nodes.iter().filter(|node| !node.is_for_all()) {
        let is_other =
            types.iter().any(|(name, kind)| *name == node.own_name() && !kind.ends_with("JointTrajectoryController"));
        // If the controller also appears under its full name, the pattern adds to that entry.
        let is_elsewhere = nodes.iter().any(|other| other.is_plain() && !node.is_plain() && node.matches(other));
        if is_other || is_elsewhere || list.iter().any(|controller| controller.name == node.name()) {
            continue;
        }
        let controller = controller(node, &nodes, file)?;
        list.extend(controller.filter(|controller| !controller.joints.is_empty()));
    }
    if list.is_empty() {
        return Err(FormatError::new(file, "it has no joint_trajectory_controller with joints").remedy(REMEDY));
    }
    Ok(Controllers { file: file.to_path_buf(), list })
}

/// Controller of a node; `None` if no parameter names joints.
fn controller(node: &Node<'_>, nodes: &[Node<'_>], file: &Path) -> Result<Option<Controller>, FormatError> {
    let mut made = Controller {
        name: node.name(),
        joints: Vec::new(),
        method: Method::default(),
        upsampling: None,
        tolerances: BTreeMap::new(),
    };
    let (mut is_on, mut frequency) = (false, 0.0);
    for (name, value) in nodes.iter().filter(|other| other.matches(node)).flat_map(|other| &other.parameters) {
        let wrong = |what: &str| value.wrong(file, name, what);
        match name.as_str() {
            "joints" => made.joints = value.texts().ok_or_else(|| wrong("a list of joints"))?,
            "interpolation_method" => {
                made.method = match value.text() {
                    Some("splines") => Method::Splines,
                    Some("none") => Method::None,
                    _ => return Err(wrong("splines or none")),
                }
            }
            "positions_upsampling.enable" => is_on = value.truth().ok_or_else(|| wrong("true or false"))?,
            "positions_upsampling.policy_frequency" => {
                frequency =
                    value.number().filter(|hz| *hz >= 0.0).ok_or_else(|| wrong("a number of Hz, at least 0"))?;
            }
            _ => made.add_tolerance(name, value, file)?,
        }
    }
    made.upsampling = is_on.then_some(frequency);
    let joints: BTreeSet<&String> = made.joints.iter().collect();
    made.tolerances.retain(|joint, _| joints.contains(joint));
    Ok(Some(made).filter(|made| !made.joints.is_empty()))
}

impl Controller {
    /// Takes `constraints.JOINT.trajectory` and `.goal`.
    fn add_tolerance(&mut self, name: &str, value: &Value<'_>, file: &Path) -> Result<(), FormatError> {
        let Some((joint, kind)) = name.strip_prefix("constraints.").and_then(|rest| rest.rsplit_once('.')) else {
            return Ok(());
        };
        if !["trajectory", "goal"].contains(&kind) {
            return Ok(());
        }
        let number = value.number().ok_or_else(|| value.wrong(file, name, "a number"))?;
        let tolerance = self.tolerances.entry(joint.to_owned()).or_default();
        match kind {
            "goal" => tolerance.goal = number,
            _ => tolerance.trajectory = number,
        }
        Ok(())
    }

    /// Tolerances as text; `None` if none is set along the path.
    pub(crate) fn tolerances_text(&self) -> Option<String> {
        let set = self.tolerances.iter().filter(|(_, tolerance)| tolerance.trajectory > 0.0);
        let texts: Vec<String> = set.map(|(joint, tolerance)| format!("{joint} {}", tolerance.trajectory)).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// Variables of its joints in a scene. Robots there may be named after the controller's namespace.
    fn variables(&self, scene: &Scene) -> Vec<usize> {
        let namespace = self.name.rsplit_once('/').map(|(namespace, _)| namespace);
        let find = |joint: &String| {
            let in_robot = namespace.and_then(|robot| scene.column(&format!("{robot}/{joint}")).ok());
            in_robot.or_else(|| scene.column(joint).ok())
        };
        self.joints.iter().filter_map(find).collect()
    }

    fn runs_alike(&self, other: &Self) -> bool {
        (self.method, self.upsampling) == (other.method, other.upsampling)
    }
}

impl Controllers {
    /// File, as the caller named it.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Keeps only the controller of this name, given with or without its namespace.
    pub fn only(mut self, name: &str) -> Result<Self, FormatError> {
        let known = self.known();
        let wanted = name.trim_start_matches('/');
        let is_meant =
            |controller: &Controller| controller.name == wanted || controller.name.rsplit('/').next() == Some(wanted);
        self.list.retain(is_meant);
        if self.list.iter().any(|controller| controller.name == wanted) {
            self.list.retain(|controller| controller.name == wanted);
        }
        match self.list.len() {
            1 => Ok(self),
            0 => Err(FormatError::new(self.file, format!("it has no controller {:?}", excerpt(name)))
                .remedy(format!("there are {known}"))),
            count => Err(FormatError::new(self.file, format!("{count} controllers are called {:?}", excerpt(name)))
                .remedy(format!("write the namespace too; there are {known}"))),
        }
    }

    /// Controllers that move these variables: at least one, all with the same curve.
    pub(crate) fn for_joints(&self, moved: &[usize], scene: &Scene) -> Result<Vec<&Controller>, FormatError> {
        let commanded: Vec<Vec<usize>> = self.list.iter().map(|controller| controller.variables(scene)).collect();
        if let Some(&place) = moved.iter().find(|&place| !commanded.iter().any(|all| all.contains(place))) {
            let joint = &scene.model().variables()[place].name;
            let problem = format!("the path moves {joint:?}, which no controller of it commands");
            return Err(FormatError::new(&self.file, problem)
                .remedy(format!("name the joints as the scene does; there are {}", self.known())));
        }
        let moves = |all: &[usize]| moved.is_empty() || moved.iter().any(|place| all.contains(place));
        let chosen: Vec<&Controller> =
            self.list.iter().zip(&commanded).filter(|(_, all)| moves(all)).map(|(controller, _)| controller).collect();
        match chosen.iter().find(|controller| !controller.runs_alike(chosen[0])) {
            None => Ok(chosen),
            Some(other) => {
                let problem =
                    format!("the path is run by {:?} and {:?}, which run differently", chosen[0].name, other.name);
                Err(FormatError::new(&self.file, problem).remedy("choose one with --controller-name"))
            }
        }
    }

    /// Names and joints, for messages.
    fn known(&self) -> String {
        let shown = |controller: &Controller| {
            let joints: Vec<String> = controller.joints.iter().take(8).map(|joint| excerpt(joint)).collect();
            format!("{:?} ({})", excerpt(&controller.name), joints.join(", "))
        };
        self.list.iter().take(8).map(shown).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests;
