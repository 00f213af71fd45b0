#![allow(missing_docs)]
use crate::{
    numeric::{DVec3, Pose},
    shapes::Convex,
};
#[derive(Default)]
pub struct Tracker;
pub struct R {
    pub lower: f64,
    pub upper: f64,
    pub point_on_a: DVec3,
    pub point_on_b: DVec3,
}
pub fn distance(_a: &Convex, _b: &Convex, _p: &Pose, _g: f64, _t: &mut Tracker) -> R {
    R { lower: 0.0, upper: 1e9, point_on_a: DVec3::ZERO, point_on_b: DVec3::ZERO }
}
