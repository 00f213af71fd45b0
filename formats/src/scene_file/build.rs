//! Resolves the raw tables: names to indices, files to geometry, rules to pairs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::names::{Named, Names, suggest};
use super::raw::{Lines, RawObstacle, RawScene};
use super::robots::{self, LinkShape, Robot};
use super::{BodySource, Files, LoadedScene, exceptions, obstacles, reach, surfaces};
use crate::mesh::MeshReport;
use crate::quantity::Length;
use crate::{FormatError, excerpt};
use pathproof::numeric::DVec3;
use pathproof::robot::Model;
use pathproof::scene::{BodyShape, GroupState, Role, Scene, SceneBody, SceneParts};
use pathproof::shapes::{Surfaces, TriangleMesh};

/// Name of link 0. Names of robots' links contain a `/`, so none can be equal.
pub(super) const WORLD: &str = "world";

/// Results collected while reading.
pub(super) struct Builder<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
    /// Assumptions that every answer about the scene should name.
    pub(super) told: Vec<String>,
    /// Meshes by file and scale: each is read and kept once.
    cache: BTreeMap<(PathBuf, [u64; 3]), TriangleMesh>,
    reports: BTreeMap<PathBuf, MeshReport>,
    /// Parallel to the bodies.
    sources: Vec<BodySource>,
}

impl Builder<'_> {
    /// Reads a mesh and scales it; mirrored ones keep their outside outside.
    pub(super) fn mesh(
        &mut self,
        path: &Path,
        scale: [f64; 3],
        source: &mut BodySource,
    ) -> Result<TriangleMesh, FormatError> {
        let key = (path.to_path_buf(), scale.map(f64::to_bits));
        source.files.push(path.to_path_buf());
        source.scales.push(key.1);
        if let Some(mesh) = self.cache.get(&key) {
            source.triangles += self.reports.get(path).map_or(0, |report| report.triangles);
            return Ok(mesh.clone());
        }
        let file = super::read_mesh(self.files, path)?;
        source.triangles += file.report.triangles;
        let factors = DVec3::from_array(scale);
        let vertices = file.vertices.into_iter().map(|p| p * factors).collect();
        let is_mirrored = scale.iter().filter(|factor| **factor < 0.0).count() % 2 == 1;
        let oriented = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
        let mesh = TriangleMesh::new(vertices, file.triangles.into_iter().map(oriented).collect())
            .map_err(|error| FormatError::new(path, error.to_string()).remedy("mend or export the mesh again"))?;
        self.note_cleaning(path, &mesh);
        self.cache.insert(key, mesh.clone());
        self.reports.insert(path.to_path_buf(), file.report);
        Ok(mesh)
    }

    /// Size of the largest mesh of a body, along its axes.
    fn largest_mesh(&self, source: &BodySource) -> Option<DVec3> {
        let meshes =
            source.files.iter().cloned().zip(source.scales.iter().copied()).filter_map(|key| self.cache.get(&key));
        let sizes = meshes.map(|mesh| mesh.aabb().max - mesh.aabb().min);
        sizes.max_by(|a, b| a.max_element().total_cmp(&b.max_element()))
    }

    fn note_cleaning(&mut self, path: &Path, mesh: &TriangleMesh) {
        let cleaning = mesh.cleaning();
        let counts = [
            (cleaning.duplicates_dropped, "repeated triangles dropped"),
            (cleaning.degenerate_dropped, "triangles without area dropped"),
            (cleaning.degenerate_kept, "triangles without area kept as segments or points"),
            (cleaning.reoriented, "triangles turned over"),
        ];
        let changes: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{what}: {count}")).collect();
        if !changes.is_empty() {
            self.notes.push(format!("{}: {}", path.display(), changes.join(", ")));
        }
    }
}

pub(super) fn build(raw: RawScene, lines: Lines, files: &dyn Files) -> Result<LoadedScene, FormatError> {
    if raw.robots.is_empty() && raw.obstacles.is_empty() {
        let remedy = "add [[robots]] and [[obstacles]]";
        return Err(FormatError::new(&lines.path, "the scene has neither robots nor obstacles").remedy(remedy));
    }
    let mut builder = Builder {
        files,
        warnings: Vec::new(),
        notes: Vec::new(),
        told: Vec::new(),
        cache: BTreeMap::new(),
        reports: BTreeMap::new(),
        sources: Vec::new(),
    };
    let robots = read_robots(&raw, &lines, &mut builder)?;
    let names: Vec<String> = robots.iter().map(|robot| robot.name.clone()).collect();
    let model = make_model(&robots, &lines)?;
    let mut parts = SceneParts::new(model);
    parts.clearance = raw.clearance.map_or(parts.clearance, |length| length.metres);
    parts.self_clearance = raw.self_clearance.map_or(parts.self_clearance, |length| length.metres);
    parts.tolerance = raw.tolerance.map_or(parts.tolerance, |length| length.metres);
    let doubt = raw.clearance.into_iter().chain(raw.self_clearance).find_map(Length::doubt);
    builder.warnings.extend(doubt.map(|doubt| format!("{}: {doubt}", lines.path.display())));
    for robot in robots {
        add_robot(robot, &mut parts, &mut builder);
    }
    add_obstacles(&raw, &lines, &mut parts, &mut builder)?;
    add_touching(&raw, &lines, &names, &mut parts)?;
    let waiting = raw.obstacles.iter().map(|item| item.get_ref()).filter(|o| o.touch.is_some() && o.attach.is_none());
    builder.notes.extend(waiting.map(|obstacle| format!("`touch` of {:?} counts while it is attached", obstacle.name)));
    exceptions::add(&raw, &lines, &names, &mut parts, &mut builder)?;
    let scene = Scene::new(parts).map_err(|error| FormatError::new(&lines.path, error.to_string()))?;
    builder.warnings.extend(surfaces::warning(&unmarked_surfaces(&scene, &builder.sources)));
    let asked = builder.sources.iter().map(|source| builder.largest_mesh(source).filter(|_| !source.has_meant_scale));
    let largest: Vec<Option<DVec3>> = asked.collect();
    let odd = reach::odd_sizes(&scene, &names, &largest);
    builder.warnings.extend(reach::millimetres_warning(&odd.millimetres));
    let odd = odd.obstacles;
    builder.warnings.extend(reach::warning(&odd));
    builder
        .notes
        .extend(odd.into_iter().map(|obstacle| format!("far out of reach or of another order of size: {obstacle}")));
    let Builder { warnings, notes, told, reports, sources, .. } = builder;
    Ok(LoadedScene { scene, sources, warnings, notes, meshes: reports.into_iter().collect(), told, files: Vec::new() })
}

/// Bodies that are surfaces, entirely or in part, without being marked in the scene.
fn unmarked_surfaces(scene: &Scene, sources: &[BodySource]) -> Vec<(String, Surfaces)> {
    let bodies = scene.bodies().iter().zip(sources).filter(|(_, source)| !source.is_meant_surface);
    let found = bodies.filter_map(|(body, _)| match &body.shape {
        BodyShape::Parts(parts) => Some((body.name.clone(), parts.surfaces())),
        BodyShape::HalfSpace { .. } => None,
    });
    found.filter(|(_, surfaces)| !surfaces.is_empty()).collect()
}

fn read_robots(raw: &RawScene, lines: &Lines, builder: &mut Builder<'_>) -> Result<Vec<Robot>, FormatError> {
    let mut names = HashSet::new();
    let mut robots = Vec::new();
    for item in &raw.robots {
        let robot = item.get_ref();
        let place = lines.place("robots", &robot.name, item);
        if !names.insert(robot.name.as_str()) {
            return Err(place.error("name", "a second robot has this name", "give every robot its own name"));
        }
        robots.push(robots::read(robot, &place, builder)?);
    }
    Ok(robots)
}

fn make_model(robots: &[Robot], lines: &Lines) -> Result<Model, FormatError> {
    let mut links = vec![WORLD.to_owned()];
    let mut joints = Vec::new();
    for robot in robots {
        links.extend((0..robot.urdf.links.len()).map(|link| robot.link_name(link)));
        joints.extend(robot.joints.iter().cloned());
    }
    Model::new(WORLD, links, joints).map_err(|error| {
        FormatError::new(&lines.path, format!("the robots do not make a kinematic tree: {error}"))
            .remedy("correct the URDF")
    })
}

/// Bodies, SRDF pairs, states and positions of one robot. All names are known to be in the model.
fn add_robot(robot: Robot, parts: &mut SceneParts, builder: &mut Builder<'_>) {
    let link_index = |parts: &SceneParts, link: usize| parts.model.link(&robot.link_name(link));
    for (pair, reason) in &robot.srdf.disabled {
        if let (Some(a), Some(b)) = (link_index(parts, pair[0]), link_index(parts, pair[1])) {
            parts.rules.disabled_links.push(([a, b], reason.clone()));
        }
    }
    for state in &robot.srdf.states {
        let mut values = Vec::new();
        for (joint, joint_values) in &state.values {
            let name = format!("{}/{}", robot.name, robot.urdf.joints[*joint].name);
            let source = parts.model.joint(&name).and_then(|joint| parts.model.joints()[joint].source);
            let first = source.map_or(0, |source| source.variable);
            values.extend(joint_values.iter().enumerate().map(|(component, value)| (first + component, *value)));
        }
        let (name, group, robot) = (state.name.clone(), state.group.clone(), robot.name.clone());
        parts.states.push(GroupState { name, group, robot, values });
    }
    let positions = robot.positions.iter();
    parts.positions.extend(positions.filter_map(|(column, value)| Some((parts.model.variable(column)?, *value))));
    let names: Vec<String> = (0..robot.urdf.links.len()).map(|link| robot.link_name(link)).collect();
    for (name, shape) in names.into_iter().zip(robot.shapes) {
        let Some(LinkShape { link_from_body, shape, source }) = shape else { continue };
        let link = parts.model.link(&name).unwrap_or_default();
        parts.bodies.push(SceneBody { name, role: Role::Link, link, link_from_body, shape });
        builder.sources.push(source);
    }
}

fn add_obstacles(
    raw: &RawScene,
    lines: &Lines,
    parts: &mut SceneParts,
    builder: &mut Builder<'_>,
) -> Result<(), FormatError> {
    // Links have a "/" in their names and obstacles cannot.
    let mut names = HashSet::new();
    for item in &raw.obstacles {
        let obstacle: &RawObstacle = item.get_ref();
        let place = lines.place("obstacles", &obstacle.name, item);
        place.check_name(&obstacle.name)?;
        if !names.insert(obstacle.name.as_str()) {
            return Err(place.error("name", "a second obstacle has this name", "give every obstacle its own name"));
        }
        let link_from_body = place.pose(obstacle.xyz, obstacle.rpy, obstacle.quat)?;
        let (role, link) = match &obstacle.attach {
            None => (Role::Obstacle, 0),
            Some(name) => match parts.model.link(name).filter(|&link| link != 0) {
                Some(link) => (Role::Attached, link),
                None => {
                    let links: Vec<&str> = parts.model.links()[1..].iter().map(|link| link.name.as_str()).collect();
                    let remedy = suggest(name, &links).unwrap_or_else(|| "write robot/link".to_owned());
                    return Err(place.error("attach", format!("there is no link {:?}", excerpt(name)), remedy));
                }
            },
        };
        let mut source = BodySource::default();
        let shape = obstacles::shape(obstacle, &place, &mut source, builder)?;
        if shape.is_half_space() && role == Role::Attached {
            let remedy = "attach a box instead";
            return Err(place.error("plane", "a plane reaches to infinity and cannot be attached", remedy));
        }
        parts.bodies.push(SceneBody { name: obstacle.name.clone(), role, link, link_from_body, shape });
        builder.sources.push(source);
    }
    Ok(())
}

fn add_touching(raw: &RawScene, lines: &Lines, robots: &[String], parts: &mut SceneParts) -> Result<(), FormatError> {
    let names = Names::new(parts, robots);
    let own: HashMap<&str, usize> =
        parts.bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect();
    let mut touching = Vec::new();
    for item in &raw.obstacles {
        let obstacle = item.get_ref();
        let place = lines.place("obstacles", &obstacle.name, item);
        for name in obstacle.touch.iter().flatten() {
            match names.find(name, "touch", &place)? {
                Named::Body(other) => touching.push([own[obstacle.name.as_str()], other]),
                // A link without geometry touches nothing, so naming it is harmless.
                Named::BareLink => {}
                Named::Bodies(..) => {
                    let problem = format!("{:?} stands for several bodies", excerpt(name));
                    return Err(place.error("touch", problem, "name each body that it may touch"));
                }
            }
        }
    }
    parts.rules.touching_bodies = touching;
    Ok(())
}
