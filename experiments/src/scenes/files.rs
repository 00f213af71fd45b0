//! A case as files that a user can open: `scene.toml`, one URDF per robot model, binary STL, start and goal.
//!
//! Layout of a case's folder: `scene.toml`, `start.csv`, `goal.csv`, `MODEL/MODEL.urdf` (and `.srdf` if links overlap
//! by design), `MODEL/LINK.stl`, `obstacles/NAME.stl`. Replaces existing files of these names.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context, Result};

use super::{CaseScene, JointKind, Placement, RobotDescription};
use crate::bodies::Mesh;

/// Writes all files of `scene` into `folder`, which is created if needed.
pub(crate) fn write(scene: &CaseScene, folder: &Path) -> Result<()> {
    make(&folder.join("obstacles"))?;
    let mut models = BTreeSet::new();
    for robot in &scene.robots {
        if models.insert(robot.model) {
            write_model(robot, &folder.join(robot.model))?;
        }
    }
    for obstacle in &scene.obstacles {
        write_stl(&obstacle.mesh, &folder.join("obstacles").join(format!("{}.stl", obstacle.name)))?;
    }
    write_text(&folder.join("scene.toml"), &scene_toml(scene))?;
    write_text(&folder.join("start.csv"), &waypoint_csv(scene, &scene.start()))?;
    match scene.goal() {
        Some(goal) => write_text(&folder.join("goal.csv"), &waypoint_csv(scene, &goal)),
        None => Ok(()),
    }
}

/// Binary STL with outward normals.
pub(crate) fn write_stl(mesh: &Mesh, path: &Path) -> Result<()> {
    let file = fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut out = BufWriter::new(file);
    let mut bytes = vec![0u8; 80];
    bytes.extend((mesh.1.len() as u32).to_le_bytes());
    out.write_all(&bytes)?;
    for t in &mesh.1 {
        let [a, b, c] = t.map(|v| mesh.0[v as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for p in [normal, a, b, c] {
            for x in p.to_array() {
                out.write_all(&(x as f32).to_le_bytes())?;
            }
        }
        out.write_all(&[0; 2])?;
    }
    out.flush().with_context(|| format!("cannot write {}", path.display()))
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn write_model(robot: &RobotDescription, folder: &Path) -> Result<()> {
    make(folder)?;
    for link in &robot.links {
        if let Some(mesh) = &link.mesh {
            write_stl(mesh, &folder.join(format!("{}.stl", link.name)))?;
        }
    }
    write_text(&folder.join(format!("{}.urdf", robot.model)), &urdf(robot))?;
    if !robot.disabled.is_empty() {
        write_text(&folder.join(format!("{}.srdf", robot.model)), &srdf(robot))?;
    }
    Ok(())
}

fn numbers(values: [f64; 3]) -> String {
    let [x, y, z] = values;
    format!("{x} {y} {z}")
}

fn urdf(robot: &RobotDescription) -> String {
    let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", robot.model);
    for link in &robot.links {
        if link.mesh.is_none() {
            let _ = writeln!(text, "  <link name=\"{}\"/>", link.name);
            continue;
        }
        let _ = writeln!(text, "  <link name=\"{}\">", link.name);
        for element in ["visual", "collision"] {
            let mesh = format!("<mesh filename=\"{}.stl\"/>", link.name);
            let _ = writeln!(text, "    <{element}><geometry>{mesh}</geometry></{element}>");
        }
        text.push_str("  </link>\n");
    }
    for joint in &robot.joints {
        let kind = match joint.kind {
            JointKind::Fixed => "fixed",
            JointKind::Revolute => "revolute",
        };
        let Placement { xyz, rpy } = joint.parent_from_joint;
        let _ = writeln!(text, "  <joint name=\"{}\" type=\"{kind}\">", joint.name);
        let _ = writeln!(text, "    <origin xyz=\"{}\" rpy=\"{}\"/>", numbers(xyz), numbers(rpy));
        let _ = writeln!(text, "    <parent link=\"{}\"/>", robot.links[joint.parent].name);
        let _ = writeln!(text, "    <child link=\"{}\"/>", robot.links[joint.child].name);
        if joint.kind == JointKind::Revolute {
            let [lower, upper] = joint.limits;
            let _ = writeln!(text, "    <axis xyz=\"{}\"/>", numbers(joint.axis.to_array()));
            let _ = writeln!(text, "    <limit lower=\"{lower}\" upper=\"{upper}\" effort=\"0\" velocity=\"1\"/>");
        }
        text.push_str("  </joint>\n");
    }
    text.push_str("</robot>\n");
    text
}

fn srdf(robot: &RobotDescription) -> String {
    let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", robot.model);
    for [a, b] in &robot.disabled {
        let (a, b) = (&robot.links[*a].name, &robot.links[*b].name);
        let _ = writeln!(text, "  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"overlap by design\"/>");
    }
    text.push_str("</robot>\n");
    text
}

fn scene_toml(scene: &CaseScene) -> String {
    let mut text =
        format!("# Case {} of the experiments, generated.\nclearance = 0.0\ntolerance = 0.001\n", scene.name);
    let pose = |text: &mut String, placement: &Placement| {
        let _ = writeln!(text, "xyz = {:?}\nrpy = {:?}", placement.xyz, placement.rpy);
    };
    for robot in &scene.robots {
        let model = robot.model;
        let _ = writeln!(text, "\n[[robots]]\nname = {:?}\nurdf = \"{model}/{model}.urdf\"", robot.name);
        if !robot.disabled.is_empty() {
            let _ = writeln!(text, "srdf = \"{model}/{model}.srdf\"");
        }
        pose(&mut text, &robot.world_from_base);
    }
    for obstacle in &scene.obstacles {
        let name = &obstacle.name;
        let _ = writeln!(text, "\n[[obstacles]]\nname = {name:?}\nmesh = \"obstacles/{name}.stl\"");
        pose(&mut text, &obstacle.world_from_body);
    }
    text
}

/// A path of one waypoint. Joint names include the robot's if there are several.
fn waypoint_csv(scene: &CaseScene, configuration: &[f64]) -> String {
    let mut names = Vec::new();
    for robot in &scene.robots {
        let prefix = if scene.robots.len() > 1 { format!("{}/", robot.name) } else { String::new() };
        names.extend(robot.movable().map(|joint| format!("{prefix}{}", joint.name)));
    }
    let values: Vec<String> = configuration.iter().map(f64::to_string).collect();
    format!("{}\n{}\n", names.join(","), values.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::{CASES, case};

    /// A folder of its own under the build's temporary files, removed at the end.
    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("pathproof-{name}-{}", std::process::id())))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_holds_the_very_coordinates_of_the_scene_in_memory() {
        let folder = Folder::new("scene-files");
        let scene = case("fig2").unwrap();
        write(&scene, &folder.0).unwrap();
        let bytes = fs::read(folder.0.join("obstacles/frame.stl")).unwrap();
        let mesh = &scene.obstacles[0].mesh;
        assert_eq!(bytes.len(), 84 + 50 * mesh.1.len());
        for (k, t) in mesh.1.iter().enumerate() {
            for (corner, v) in t.iter().enumerate() {
                for axis in 0..3 {
                    let start = 84 + 50 * k + 12 + 12 * corner + 4 * axis;
                    let value = f32::from_le_bytes(bytes[start..start + 4].try_into().unwrap());
                    assert_eq!(f64::from(value), mesh.0[*v as usize][axis]);
                }
            }
        }
    }

    #[test]
    fn every_file_that_a_scene_names_is_there() {
        let folder = Folder::new("scene-names");
        for name in CASES.iter().filter(|name| !["7a", "7b", "7c"].contains(name)) {
            let scene = case(name).unwrap();
            let here = folder.0.join(name);
            write(&scene, &here).unwrap();
            let toml = fs::read_to_string(here.join("scene.toml")).unwrap();
            let quoted =
                toml.lines().filter(|l| l.starts_with("urdf") || l.starts_with("mesh") || l.starts_with("srdf"));
            for file in quoted.map(|line| line.split('"').nth(1).unwrap()) {
                assert!(here.join(file).is_file(), "{name}: {file}");
            }
            for robot in &scene.robots {
                for link in robot.links.iter().filter(|l| l.mesh.is_some()) {
                    assert!(here.join(robot.model).join(format!("{}.stl", link.name)).is_file());
                }
            }
            assert_eq!(toml.matches("[[robots]]").count(), scene.robots.len());
            assert_eq!(toml.matches("[[obstacles]]").count(), scene.obstacles.len());
        }
    }
}
