//! Orders a description of links and joints as a kinematic tree; errors name the problem.

use std::collections::HashMap;

use crate::numeric::ROUNDOFF_F64;

use super::joint::JointSpec;

/// Reason why a description is not a kinematic tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// Two links share a name.
    #[error("two links are called {link:?}")]
    DuplicateLink {
        /// The name.
        link: String,
    },
    /// Two joints, or two variables of joints, share a name.
    #[error("two joints or joint variables are called {joint:?}")]
    DuplicateJoint {
        /// The name.
        joint: String,
    },
    /// A joint names a link that does not exist.
    #[error("joint {joint:?} names the link {link:?}, which does not exist")]
    UnknownLink {
        /// The joint.
        joint: String,
        /// The missing link.
        link: String,
    },
    /// The named root is none of the links.
    #[error("the root link {link:?} does not exist")]
    UnknownRoot {
        /// The name given.
        link: String,
    },
    /// A link is the child of two joints.
    #[error("link {link:?} is the child of two joints, {first:?} and {second:?}")]
    TwoParents {
        /// The link.
        link: String,
        /// One joint.
        first: String,
        /// The other joint.
        second: String,
    },
    /// The root is the child of a joint.
    #[error("the root link {link:?} is the child of joint {joint:?}")]
    RootHasParent {
        /// The root.
        link: String,
        /// The joint.
        joint: String,
    },
    /// A second link without a parent.
    #[error("link {link:?} hangs off no joint, but the root is {root:?}: connect it or remove it")]
    SeveralRoots {
        /// The link without a parent.
        link: String,
        /// The root.
        root: String,
    },
    /// Links that are each other's ancestors.
    #[error("link {link:?} (child of joint {joint:?}) is part of a loop")]
    Loop {
        /// A link of the loop, or below it.
        link: String,
        /// The joint above it.
        joint: String,
    },
    /// An axis of length zero, or with an infinite or NaN component.
    #[error("the axis of joint {joint:?} is zero or not finite")]
    BadAxis {
        /// The joint.
        joint: String,
    },
    /// A number that is NaN or infinite, or limits that are not `lower <= upper`.
    #[error("joint {joint:?}: {what} is not a usable number")]
    BadNumber {
        /// The joint.
        joint: String,
        /// Name of the number.
        what: &'static str,
    },
    /// Limits for another number of variables than the joint has.
    #[error("joint {joint:?} has {variables} variables but {limits} limits")]
    LimitCount {
        /// The joint.
        joint: String,
        /// Number of variables.
        variables: usize,
        /// Number of limits.
        limits: usize,
    },
    /// The followed joint does not exist.
    #[error("joint {joint:?} mimics {followed:?}, which does not exist")]
    MimicOfNothing {
        /// The joint.
        joint: String,
        /// The missing joint.
        followed: String,
    },
    /// The followed joint follows another itself.
    #[error("joint {joint:?} mimics {followed:?}, which is a mimic joint itself")]
    MimicOfMimic {
        /// The joint.
        joint: String,
        /// The joint it follows.
        followed: String,
    },
    /// Only joints with one variable can follow or be followed.
    #[error("joint {joint:?} cannot mimic {followed:?}: both must have exactly one variable")]
    MimicKind {
        /// The joint.
        joint: String,
        /// The joint it follows.
        followed: String,
    },
}

/// The joints in depth-first order from the root, siblings in the order given; an error if they do not make a tree.
pub(super) fn depth_first(root: &str, links: &[String], joints: &[JointSpec]) -> Result<Vec<usize>, ModelError> {
    let mut index_of = HashMap::new();
    for (index, link) in links.iter().enumerate() {
        if index_of.insert(link.as_str(), index).is_some() {
            return Err(ModelError::DuplicateLink { link: link.clone() });
        }
    }
    let Some(&root_index) = index_of.get(root) else {
        return Err(ModelError::UnknownRoot { link: root.to_owned() });
    };
    let mut parent_joint: Vec<Option<usize>> = vec![None; links.len()];
    let mut child_joints: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (joint, spec) in joints.iter().enumerate() {
        let find = |link: &String| {
            index_of
                .get(link.as_str())
                .copied()
                .ok_or_else(|| ModelError::UnknownLink { joint: spec.name.clone(), link: link.clone() })
        };
        let (parent, child) = (find(&spec.parent)?, find(&spec.child)?);
        if let Some(first) = parent_joint[child].replace(joint) {
            let (first, second) = (joints[first].name.clone(), spec.name.clone());
            return Err(ModelError::TwoParents { link: spec.child.clone(), first, second });
        }
        child_joints[parent].push(joint);
    }
    if let Some(joint) = parent_joint[root_index] {
        return Err(ModelError::RootHasParent { link: root.to_owned(), joint: joints[joint].name.clone() });
    }
    for (link, parent) in links.iter().zip(&parent_joint) {
        if parent.is_none() && link != root {
            return Err(ModelError::SeveralRoots { link: link.clone(), root: root.to_owned() });
        }
    }
    let mut order = Vec::with_capacity(joints.len());
    let mut reached = vec![false; links.len()];
    let mut stack: Vec<usize> = child_joints[root_index].iter().rev().copied().collect();
    while let Some(joint) = stack.pop() {
        order.push(joint);
        let child = index_of[joints[joint].child.as_str()];
        reached[child] = true;
        stack.extend(child_joints[child].iter().rev());
    }
    // Every link but the root has one parent; links that were not reached hang below a loop.
    if let Some(spec) = joints.iter().find(|spec| !reached[index_of[spec.child.as_str()]]) {
        return Err(ModelError::Loop { link: spec.child.clone(), joint: spec.name.clone() });
    }
    Ok(order)
}

/// Error if a number of the joint cannot be used in computations.
pub(super) fn check_numbers(spec: &JointSpec) -> Result<(), ModelError> {
    let bad = |what| Err(ModelError::BadNumber { joint: spec.name.clone(), what });
    // Also bounds the coordinates, so that no square overflows.
    if !(spec.parent_from_joint.is_finite() && spec.parent_from_joint.translation.abs().max_element() < 1e100) {
        return bad("its pose");
    }
    // The error bound of forward kinematics requires rigid poses.
    if !spec.parent_from_joint.is_rigid(64.0 * ROUNDOFF_F64) {
        return bad("the rotation of its pose");
    }
    let variables = spec.kind.variable_count();
    if !spec.limits.is_empty() && spec.limits.len() != variables {
        let limits = spec.limits.len();
        return Err(ModelError::LimitCount { joint: spec.name.clone(), variables, limits });
    }
    let ordered = |limits: &Option<(f64, f64)>| limits.is_none_or(|(lower, upper)| lower <= upper);
    if !spec.limits.iter().all(ordered) {
        return bad("one of its limits");
    }
    match &spec.mimic {
        Some(mimic) if !mimic.multiplier.is_finite() => bad("its mimic multiplier"),
        Some(mimic) if !mimic.offset.is_finite() => bad("its mimic offset"),
        _ => Ok(()),
    }
}
