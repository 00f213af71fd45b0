//! Goal regions in command-line syntax: `"arm/* z<0.6"`; semicolons separate several.

use super::{FormatError, excerpt, quantity};
use pathproof::numeric::DVec3;
use pathproof::plan::{HalfSpace, Region};
use pathproof::scene::matches as name_matches;
use pathproof::scene::{Role, Scene};

/// Reads a region: a body, link or pattern, then `x`, `y` or `z`, `<` or `>`, and a length in the world (metres, or
/// with a unit).
pub fn parse(text: &str, scene: &Scene) -> Result<Region, FormatError> {
    let half_spaces: Result<Vec<HalfSpace>, FormatError> =
        text.split(';').map(|condition| half_space(condition.trim(), scene)).collect();
    Ok(Region { half_spaces: half_spaces? })
}

fn half_space(condition: &str, scene: &Scene) -> Result<HalfSpace, FormatError> {
    let refuse = |problem: String| {
        FormatError::new("goal region", problem)
            .at(format!("{:?}", excerpt(condition)))
            .remedy("write bodies and a half-space, as in \"arm/* z<0.6\"")
    };
    let no_condition = || refuse("it has no condition such as z<0.6".to_owned());
    let sign = condition.find(['<', '>']).ok_or_else(no_condition)?;
    let (left, right) = condition.split_at(sign);
    let left = left.trim_end();
    let axis = left.chars().next_back().ok_or_else(no_condition)?;
    let pattern = left[..left.len() - axis.len_utf8()].trim();
    let normal = match axis {
        'x' => DVec3::X,
        'y' => DVec3::Y,
        'z' => DVec3::Z,
        _ => return Err(refuse(format!("{axis:?} is not x, y or z"))),
    };
    let value = quantity::length(&right[1..]).map_err(|error| refuse(error.to_string()))?;
    if !value.is_finite() {
        return Err(refuse(format!("{value} is not a finite number")));
    }
    let is_meant = |name: &str| {
        name_matches(pattern, name) || name.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'))
    };
    let named = scene.bodies().iter().enumerate().filter(|(_, body)| body.role != Role::Obstacle);
    let bodies: Vec<usize> = named.filter(|(_, body)| is_meant(&body.name)).map(|(number, _)| number).collect();
    if pattern.is_empty() || bodies.is_empty() {
        return Err(refuse(format!("no link with geometry is called {:?}", excerpt(pattern))));
    }
    let is_below = right.starts_with('<');
    let (normal, offset) = if is_below { (normal, value) } else { (-normal, -value) };
    Ok(HalfSpace { bodies, normal, offset })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathproof::numeric::Pose;
    use pathproof::robot::{JointKind, JointSpec, Model};
    use pathproof::scene::{BodyShape, SceneBody, SceneParts};
    use pathproof::shapes::{Body, Convex};

    fn scene() -> Scene {
        let slide = |name: &str, link: &str| {
            JointSpec::new(name, JointKind::Prismatic { axis: DVec3::X }, "world", link, Pose::IDENTITY)
        };
        let links = ["world", "arm/a", "arm/x", "armed/b"].map(String::from).to_vec();
        let joints = vec![slide("j1", "arm/a"), slide("j2", "arm/x"), slide("j3", "armed/b")];
        let mut parts = SceneParts::new(Model::new("world", links.clone(), joints).unwrap());
        for (link, name) in links.into_iter().enumerate() {
            let role = if link == 0 { Role::Obstacle } else { Role::Link };
            let shape = BodyShape::Parts(Body::from_convex(Convex::sphere(0.1).unwrap()));
            let link_from_body = Pose::IDENTITY;
            parts.bodies.push(SceneBody { name, role, link, link_from_body, shape });
        }
        Scene::new(parts).unwrap()
    }

    #[test]
    fn regions_are_read_and_mistakes_are_told() {
        let scene = scene();
        let one = |text: &str| parse(text, &scene).unwrap().half_spaces.remove(0);
        assert_eq!(one("arm/* z<0.6"), HalfSpace { bodies: vec![1, 2], normal: DVec3::Z, offset: 0.6 });
        assert_eq!(one("arm z < 0.6"), one("arm/* z<0.6"));
        assert_eq!(one("arm/x x>-1e-1"), HalfSpace { bodies: vec![2], normal: -DVec3::X, offset: 0.1 });
        assert_eq!(one("* y<1").bodies, [1, 2, 3], "obstacles do not move");
        assert_eq!(parse("arm/* z<1; armed/b x>2", &scene).unwrap().half_spaces.len(), 2);
        for (wrong, told) in [
            ("", "condition"),
            ("arm/*", "condition"),
            ("z<1", "no link"),
            ("arm/* w<1", "not x, y or z"),
            ("arm/* z<", "not a number"),
            ("arm/* z<nan", "not a finite"),
            ("leg/* z<1", "no link"),
            ("arm/* z<1;", "condition"),
        ] {
            let message = parse(wrong, &scene).unwrap_err().to_string();
            assert!(message.contains(told), "{wrong}: {message}");
        }
    }
}
