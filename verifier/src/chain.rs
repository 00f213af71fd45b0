//! The kinematic forest rebuilt from the joints' own descriptions, in intervals.
//!
//! A frame is everything that moves as one behind a movable joint, turned so that the joint's axis is its z axis; fixed
//! joints are folded into constants. Frames are numbered in the order of joints, parents first; frame 0 is the world.

use pathproof::numeric::{DMat3, DVec3, ROUNDOFF_F64};
use pathproof::robot::{JointKind, Model, Source};

use crate::ball::{Placed, Rotation, Vector};
use crate::interval::Interval;

/// A movable joint and the links that it carries.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) parent: usize,
    pub(crate) kind: JointKind,
    pub(crate) source: Source,
    /// Its pose in its parent when the joint is at zero.
    pub(crate) parent_from_zero: Placed,
}

#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) frames: Vec<Frame>,
    /// For each link the frame that carries it and its pose there.
    links: Vec<(usize, Placed)>,
}

impl Chain {
    pub(crate) fn new(model: &Model) -> Self {
        let source = Source { variable: 0, multiplier: 0.0, offset: 0.0 };
        let world = Frame { parent: 0, kind: JointKind::Fixed, source, parent_from_zero: Placed::IDENTITY };
        let mut chain = Self { frames: vec![world], links: vec![(0, Placed::IDENTITY); model.links().len()] };
        for joint in model.joints() {
            let (parent, frame_from_parent) = chain.links[joint.parent];
            let frame_from_joint = frame_from_parent.after(&Placed::new(&joint.parent_from_joint));
            chain.links[joint.child] = match joint.source {
                None => (parent, frame_from_joint),
                Some(source) => {
                    let aligned = joint.kind.axis().map_or(Rotation::IDENTITY, aligned);
                    let parent_from_zero =
                        Placed { rotation: frame_from_joint.rotation.after(&aligned), ..frame_from_joint };
                    chain.frames.push(Frame { parent, kind: joint.kind, source, parent_from_zero });
                    let back = Placed { rotation: aligned.transpose(), translation: Vector::ZERO };
                    (chain.frames.len() - 1, back)
                }
            };
        }
        chain
    }

    /// The frame that carries a link, and the link's pose there.
    pub(crate) fn link(&self, link: usize) -> &(usize, Placed) {
        &self.links[link]
    }

    /// The lowest common ancestor frame.
    pub(crate) fn common_ancestor(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if a > b {
                a = self.frames[a].parent;
            } else {
                b = self.frames[b].parent;
            }
        }
        a
    }
}

/// The smallest rotation that takes z to `axis`, a unit vector with components good to 4 u; the half turn about x for
/// −z.
fn aligned(axis: DVec3) -> Rotation {
    if axis.x * axis.x + axis.y * axis.y == 0.0 {
        let way = if axis.z < 0.0 { -1.0 } else { 1.0 };
        return Rotation::new(&DMat3::from_diagonal(DVec3::new(1.0, way, way)));
    }
    let [x, y, z] = axis.to_array().map(|c| Interval::around(c, 4.0 * ROUNDOFF_F64 * c.abs()));
    let one = Interval::ONE;
    // 1/(1 + z), written without cancellation for axes near −z.
    let k = if axis.z >= 0.0 { one.over(one + z) } else { (one - z).over(x.square() + y.square()) };
    let cross = -(x * y * k);
    Rotation::of_columns([[one - x.square() * k, cross, -x], [cross, one - y.square() * k, -y], [x, y, z]])
}
