//! The tree of boxes over the joints between two links.
//!
//! The largest open box is tested first, the first made among equals. It is halved along the range that moves the
//! links most where they could not be shown to stay apart. Limits are numbers of boxes, so that a map does not depend
//! on the machine; a deadline may be set in addition.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use super::boxes::JointBox;
use super::judge::{BoxJudge, Judged};
use super::links::LinkPair;
use crate::numeric::{f32_down, least};

/// Limits on the refinement of a map.
#[derive(Clone, Copy, Debug)]
pub struct MapSettings {
    /// Most boxes that are tested. Default 20,000.
    pub boxes: usize,
    /// True if the first contact in the middle of a box ends it. Default false.
    pub stops_at_contact: bool,
    /// Time at which to end in any case; the result then depends on the machine. Default none.
    pub deadline: Option<Instant>,
}

impl Default for MapSettings {
    fn default() -> Self {
        Self { boxes: 20_000, stops_at_contact: false, deadline: None }
    }
}

impl MapSettings {
    /// True if the deadline is reached.
    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

/// Most joints between the links of a map.
pub(super) const MOST_RANGES: usize = 16;

/// State of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Node {
    /// Halved along a range; the halves are this one and the next.
    Halved { range: u16, first: u32 },
    /// The links are farther apart than this in all of it.
    Apart { lower: f32 },
    /// One link is inside the other in all of it.
    Inside,
    /// Nothing is shown.
    Open,
}

/// Reason why a map was not refined further.
#[derive(Clone, Debug, PartialEq)]
pub enum MapEnd {
    /// Every box is settled.
    Settled,
    /// The links are in contact at this configuration.
    Contact(Vec<f64>),
    /// The limit of boxes or the deadline was reached, or boxes cannot be halved any more.
    Limit,
}

/// Proven lower bounds on the distance of two links over boxes of joint values.
#[derive(Clone, Debug)]
pub struct Map {
    pub(super) nodes: Vec<Node>,
    pub(super) whole: JointBox,
    /// For each range, true if it is one whole turn of a continuous joint.
    pub(super) turns: Vec<bool>,
    end: MapEnd,
    looked_at: usize,
    apart: f64,
    /// The middle of a box in which one link is inside the other.
    somewhere_inside: Option<Vec<f64>>,
    lower: f64,
}

/// A box to be tested: its level, which is the number of halvings, and its node.
type Pending = (Reverse<u32>, Reverse<u32>);

impl Map {
    /// Refines a map of two links until everything is settled or a limit is reached.
    pub fn build(pair: &LinkPair<'_>, settings: &MapSettings) -> Self {
        let whole = pair.whole_box();
        let mut map = Self {
            nodes: vec![Node::Open],
            end: MapEnd::Settled,
            looked_at: 0,
            apart: 0.0,
            somewhere_inside: None,
            lower: f64::INFINITY,
            whole: whole.clone(),
            turns: pair.chain.ranges.iter().map(|range| range.is_turn).collect(),
        };
        let mut judge = BoxJudge::new(pair);
        let mut boxes = vec![whole];
        let mut queue: BinaryHeap<Pending> = BinaryHeap::from([(Reverse(0), Reverse(0))]);
        while let Some((Reverse(level), Reverse(node))) = queue.pop() {
            if map.looked_at >= settings.boxes || settings.is_over() {
                map.end = MapEnd::Limit;
                break;
            }
            map.looked_at += 1;
            let values = std::mem::replace(&mut boxes[node as usize], JointBox { sides: Vec::new() });
            let judged = judge.judge(&values);
            if let (Judged::Contact { .. }, true) = (judged, settings.stops_at_contact) {
                let middle = (0..values.sides.len()).map(|side| values.middle(side));
                map.end = MapEnd::Contact(pair.configuration(middle));
                break;
            }
            let Some((range, halves)) = map.settle(node, level, judged, &values) else { continue };
            let first = map.nodes.len() as u32;
            map.nodes[node as usize] = Node::Halved { range: range as u16, first };
            for (i, half) in halves.into_iter().enumerate() {
                map.nodes.push(Node::Open);
                boxes.push(half);
                queue.push((Reverse(level + 1), Reverse(first + i as u32)));
            }
        }
        map
    }

    /// Records the result for a box, or returns its halves.
    fn settle(&mut self, node: u32, level: u32, judged: Judged, values: &JointBox) -> Option<(usize, [JointBox; 2])> {
        let share = 0.5f64.powi(level as i32);
        match judged {
            Judged::Apart { lower } => {
                self.nodes[node as usize] = Node::Apart { lower: f32_down(lower) };
                self.apart += share;
                self.lower = least(self.lower, lower);
                None
            }
            Judged::Inside => {
                self.nodes[node as usize] = Node::Inside;
                let middle = || (0..values.sides.len()).map(|side| values.middle(side)).collect();
                self.somewhere_inside.get_or_insert_with(middle);
                None
            }
            Judged::Contact { widest } | Judged::Open { widest } => {
                let halves = widest.and_then(|range| Some((range, values.halves(range)?)));
                if halves.is_none() {
                    self.end = MapEnd::Limit;
                }
                halves
            }
        }
    }

    /// Reason why it was not refined further.
    pub fn end(&self) -> &MapEnd {
        &self.end
    }

    /// Number of boxes that were tested.
    pub fn boxes(&self) -> usize {
        self.looked_at
    }

    /// Share of the joint ranges over which the links are proven apart, in [0, 1].
    pub fn share_apart(&self) -> f64 {
        self.apart
    }

    /// Values of the chain's ranges for which one link is proven to be inside the other, if there is such a box.
    pub(super) fn somewhere_inside(&self) -> Option<Vec<f64>> {
        self.somewhere_inside.clone()
    }

    /// Lower bound on the distance at every configuration, in metres; `None` unless the links are proven apart over
    /// all of the joint ranges.
    pub fn lower_everywhere(&self) -> Option<f64> {
        let is_apart = |node: &Node| matches!(node, Node::Apart { .. } | Node::Halved { .. });
        (self.end == MapEnd::Settled && self.nodes.iter().all(is_apart)).then_some(self.lower)
    }

    /// True if one link is proven to be inside the other at every configuration.
    pub fn is_inside_everywhere(&self) -> bool {
        let is_inside = |node: &Node| matches!(node, Node::Inside | Node::Halved { .. });
        self.end == MapEnd::Settled && self.nodes.iter().all(is_inside)
    }
}
