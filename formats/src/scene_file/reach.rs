//! Finds obstacles far beyond the reach of any robot, and bodies of another order of size: most often millimetres taken
//! for metres. A hint from estimates; nothing depends on it.

use pathproof::numeric::DVec3;
use pathproof::robot::{Joint, JointKind, Model};
use pathproof::scene::{BodyShape, Role, Scene, SceneBody};

/// Obstacles are reported from this multiple of a robot's reach: many cells have some just out of reach.
const FAR_RATIO: f64 = 10.0;

/// Obstacles are reported if they are this many times larger or smaller than a robot.
const ODD_RATIO: f64 = 500.0;

/// Meshes are questioned if they are this many times larger than the thing they belong to. A hall or a scan of the
/// ground is up to that much larger than an arm, and millimetres are a thousand times.
const MILLIMETRE_RATIO: f64 = 20.0;
/// Thinner meshes are ground or a wall, not a part in millimetres: that would be thinner than 0.1 mm. Metres.
const THINNEST: f64 = 0.1;
/// Smaller meshes of a link are not questioned: joints may be anywhere on their links. Metres.
const SMALLEST_LINK: f64 = 10.0;

/// Remedy for a mesh of the scene in millimetres.
const IN_A_SCENE: &str = "scale = 0.001, or scale = 1 where they are metres";

/// Objects that may not be in metres.
pub(super) struct Odd {
    /// Obstacles far out of reach or of another order of size.
    pub(super) obstacles: Vec<String>,
    /// Meshes that seem to be in millimetres: the comparison, and the remedy.
    pub(super) millimetres: Vec<(String, &'static str)>,
}

/// Extent of a robot, in metres.
struct Robot {
    base_in_world: DVec3,
    /// Largest distance from its base that any part of it can reach; infinite if a joint has no end.
    reach: f64,
    /// Same with all joints at rest.
    size: f64,
    /// Distance from the base to the farthest joint at rest, along the links: needs no geometry.
    joints: f64,
}

impl Robot {
    /// Size of the place that it needs; its own size if a joint has no end.
    fn extent(&self) -> f64 {
        if self.reach.is_finite() { self.reach } else { self.size }
    }
}

/// Odd sizes; `sizes` has the size of the largest mesh of every body that has one, unless the scene marks it as
/// intended.
pub(super) fn odd_sizes(scene: &Scene, names: &[String], sizes: &[Option<DVec3>]) -> Odd {
    let robots: Vec<Robot> = names.iter().filter_map(|name| robot(scene, name)).collect();
    let mut odd = Odd { obstacles: Vec::new(), millimetres: Vec::new() };
    if robots.is_empty() {
        return odd;
    }
    let reach = robots.iter().map(Robot::extent).fold(0.0, f64::max);
    let joints = robots.iter().map(|robot| robot.joints).fold(0.0, f64::max);
    for (body, size) in scene.bodies().iter().zip(sizes) {
        let (wide, thin) = size.map_or((0.0, 0.0), |size| (size.max_element(), size.min_element()));
        if body.role != Role::Obstacle {
            if joints > 0.0 && wide > SMALLEST_LINK.max(MILLIMETRE_RATIO * joints) {
                let told = format!("{} is {wide:.1} m wide, the robot's joints span {joints:.1} m", body.name);
                let remedy = match body.role {
                    Role::Link => "scale=\"0.001 0.001 0.001\" in the URDF",
                    _ => IN_A_SCENE,
                };
                odd.millimetres.push((told, remedy));
            }
        } else if wide > MILLIMETRE_RATIO * reach && thin > THINNEST {
            let told = format!("{} is {wide:.1} m wide, the robot reaches {reach:.1} m", body.name);
            odd.millimetres.push((told, IN_A_SCENE));
        } else {
            odd.obstacles.extend(self::odd(body, &robots));
        }
    }
    odd
}

fn odd(body: &SceneBody, robots: &[Robot]) -> Option<String> {
    let BodyShape::Parts(parts) = &body.shape else { return None };
    let (centre, radius) = (body.link_from_body.point(parts.centre()), parts.radius());
    let distance = |robot: &Robot| (centre - robot.base_in_world).length() - radius;
    let largest = robots.iter().map(Robot::extent).fold(0.0, f64::max);
    let smallest = robots.iter().map(|robot| robot.size).fold(f64::INFINITY, f64::min);
    if robots.iter().all(|robot| distance(robot) > FAR_RATIO * robot.reach) {
        let nearest = robots.iter().map(distance).fold(f64::INFINITY, f64::min);
        let reach = robots.iter().map(|robot| robot.reach).fold(0.0, f64::max);
        Some(format!("{} (at least {nearest:.1} m away, the reach is {reach:.1} m)", body.name))
    } else if 2.0 * radius > ODD_RATIO * largest {
        Some(format!("{} ({:.1} m large, the robot {largest:.1} m)", body.name, 2.0 * radius))
    } else if 2.0 * radius < smallest / ODD_RATIO {
        Some(format!("{} ({:.6} m large, the robot {smallest:.1} m)", body.name, 2.0 * radius))
    } else {
        None
    }
}

fn robot(scene: &Scene, name: &str) -> Option<Robot> {
    let model = scene.model();
    let base = model.joints().iter().find(|joint| joint.parent == 0 && joint.name == name)?;
    let from_base = distances(model, base.child);
    let mut robot = Robot { base_in_world: base.parent_from_joint.translation, reach: 0.0, size: 0.0, joints: 0.0 };
    for body in scene.bodies() {
        let (Some((size, reach)), BodyShape::Parts(parts)) = (from_base[body.link], &body.shape) else { continue };
        let own = body.link_from_body.translation.length() + parts.centre().length() + parts.radius();
        robot.joints = robot.joints.max(size);
        robot.size = robot.size.max(size + own);
        robot.reach = robot.reach.max(reach + own);
    }
    (robot.size > 0.0).then_some(robot)
}

/// For each link below a base, upper estimates of its distance from it: at rest, and for any joint positions.
fn distances(model: &Model, base: usize) -> Vec<Option<(f64, f64)>> {
    let mut children: Vec<Vec<&Joint>> = vec![Vec::new(); model.links().len()];
    model.joints().iter().for_each(|joint| children[joint.parent].push(joint));
    let mut found = vec![None; model.links().len()];
    found[base] = Some((0.0, 0.0));
    let mut open = vec![base];
    while let Some(link) = open.pop() {
        let (size, reach) = found[link].unwrap_or_default();
        for joint in &children[link] {
            let offset = joint.parent_from_joint.translation.length();
            found[joint.child] = Some((size + offset, reach + offset + travel(model, joint)));
            open.push(joint.child);
        }
    }
    found
}

/// Distance by which a joint can move its child away.
fn travel(model: &Model, joint: &Joint) -> f64 {
    match joint.kind {
        JointKind::Fixed | JointKind::Revolute { .. } => 0.0,
        JointKind::Planar { .. } | JointKind::Floating => f64::INFINITY,
        JointKind::Prismatic { .. } => {
            // A mimic joint has its own limits, and those of the joint that it follows.
            let own = joint.limits.first().copied().flatten().map(|(lower, upper)| lower.abs().max(upper.abs()));
            let by_source = joint.source.and_then(|source| {
                let (lower, upper) = model.variables()[source.variable].limits?;
                Some([lower, upper].map(|q| (source.multiplier * q + source.offset).abs()))
            });
            let by_source = by_source.map_or(f64::INFINITY, |[a, b]| a.max(b));
            own.unwrap_or(f64::INFINITY).min(by_source)
        }
    }
}

/// One warning about all meshes that may be in millimetres.
pub(super) fn millimetres_warning(odd: &[(String, &'static str)]) -> Option<String> {
    let ((first, remedy), others) = odd.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!(", and {} more like it", others.len()) };
    Some(format!("{first}{more}: are these millimetres? ({remedy})"))
}

/// One warning about all odd obstacles.
pub(super) fn warning(odd: &[String]) -> Option<String> {
    const MOST: usize = 5;
    let mut named: Vec<&str> = odd.iter().take(MOST).map(String::as_str).collect();
    let more = format!("{} more", odd.len().saturating_sub(MOST));
    if odd.len() > MOST {
        named.push(&more);
    }
    (!odd.is_empty())
        .then(|| format!("far out of reach or of another order of size: {}; are these millimetres?", named.join(", ")))
}
