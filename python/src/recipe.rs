//! Origin of a scene: its files, and the changes since. Changes are kept in a normal form, so that they do not pile up.
//! A pickle is the recipe, all files that it names, and a hash of the scene that it must make.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pathproof::numeric::{DMat3, DVec3, Pose, Sha256};
use pathproof::scene::{Role, Scene as LibraryScene, SceneBody};
use pathproof_formats::scene_file::{self, Files, LoadedScene};
use pyo3::prelude::*;

use crate::errors;
use crate::files::{Answers, Recording};
use crate::obstacle::{Data as ObstacleData, Obstacle};

/// Origin of a scene: its files, and the changes since.
#[derive(Clone, Default)]
pub(crate) struct Recipe {
    /// The scene file, or the URDF.
    pub(crate) path: PathBuf,
    /// The text of a scene that was never a file.
    pub(crate) text: Option<String>,
    pub(crate) clearance: Option<f64>,
    pub(crate) self_clearance: Option<f64>,
    pub(crate) tolerance: Option<f64>,
    /// Objects of the file that were removed.
    pub(crate) removed: Vec<String>,
    pub(crate) added: Vec<Arc<ObstacleData>>,
    /// Objects moved from where the file or their maker put them: the link, and the pose in it.
    pub(crate) placed: BTreeMap<String, (String, Pose)>,
}

impl Recipe {
    fn load(&self, files: &dyn Files) -> PyResult<LoadedScene> {
        let loaded = match &self.text {
            Some(text) => scene_file::parse(text, &self.path, files),
            None => scene_file::read_from(files, &self.path),
        };
        loaded.map_err(|error| errors::file(&error))
    }

    /// Builds everything from the start: the scene, its warnings and its notes.
    pub(crate) fn cook(&self, files: &dyn Files) -> PyResult<(LibraryScene, Vec<String>, Vec<String>)> {
        let loaded = self.load(files)?;
        let mut scene = loaded.scene;
        let mut warnings = loaded.warnings;
        if let Some(clearance) = self.clearance {
            scene = scene.with_clearance(clearance).map_err(|error| errors::scene(&error))?;
        }
        if let Some(clearance) = self.self_clearance {
            scene = scene.with_self_clearance(clearance).map_err(|error| errors::scene(&error))?;
        }
        if let Some(tolerance) = self.tolerance {
            scene = scene.with_tolerance(tolerance).map_err(|error| errors::scene(&error))?;
        }
        for name in &self.removed {
            scene = scene.without_object(find(&scene, name)?).map_err(|error| errors::scene(&error))?;
        }
        for obstacle in &self.added {
            // Bodies that it may touch may have been removed since.
            let touching: Vec<usize> = obstacle.touch.iter().filter_map(|name| scene.body(name)).collect();
            scene = add(&scene, obstacle, &touching)?;
            warnings.extend(obstacle.warning.clone());
        }
        for (name, (link, pose)) in &self.placed {
            let (object, link) = (find(&scene, name)?, find_link(&scene, link)?);
            scene = scene.with_object_at(object, link, *pose).map_err(|error| errors::scene(&error))?;
        }
        let notes = loaded.notes.into_iter().chain(loaded.told).collect();
        Ok((scene, warnings, notes))
    }

    /// Contents of a pickle, including every file that the scene was read from.
    pub(crate) fn state<'py>(&self, py: Python<'py>, scene: &LibraryScene) -> PyResult<State<'py>> {
        let recording = Recording::default();
        self.load(&recording)?;
        let obstacle = |data: &Arc<ObstacleData>| Bound::new(py, Obstacle { data: Arc::clone(data) });
        let added = self.added.iter().map(obstacle).collect::<PyResult<Vec<_>>>()?;
        let place = |(name, (link, pose)): (&String, &(String, Pose))| (name.clone(), (link.clone(), twelve(pose)));
        Ok((
            (self.path.clone(), self.text.clone(), recording.answers()),
            (self.clearance, self.self_clearance, self.tolerance, self.removed.clone()),
            added,
            self.placed.iter().map(place).collect(),
            digest(scene),
        ))
    }

    /// The recipe of a pickle, its files, and the digest of the scene that it should make.
    pub(crate) fn from_state(state: State<'_>) -> (Self, Answers, Vec<u8>) {
        let ((path, text, files), (clearance, self_clearance, tolerance, removed), added, placed, expected) = state;
        let added = added.iter().map(|obstacle| Arc::clone(&obstacle.get().data)).collect();
        let placed = placed.into_iter().map(|(name, (link, pose))| (name, (link, from_twelve(pose)))).collect();
        (Self { path, text, clearance, self_clearance, tolerance, removed, added, placed }, files, expected)
    }
}

/// The number of an object or a link with geometry.
pub(crate) fn find(scene: &LibraryScene, name: &str) -> PyResult<usize> {
    scene.body(name).ok_or_else(|| {
        let objects = scene.bodies().iter().filter(|body| body.role != Role::Link).map(|body| body.name.as_str());
        let known: Vec<&str> = objects.collect();
        errors::bad_scene(format!("the scene has no object {name:?}; there are {known:?}"))
    })
}

/// The number of a link.
pub(crate) fn find_link(scene: &LibraryScene, name: &str) -> PyResult<usize> {
    scene
        .model()
        .link(name)
        .ok_or_else(|| errors::bad_scene(format!("no robot has the link {name:?}; write ROBOT/LINK")))
}

/// The scene with an obstacle that may touch some bodies.
pub(crate) fn add(scene: &LibraryScene, obstacle: &ObstacleData, touching: &[usize]) -> PyResult<LibraryScene> {
    let (role, link) = match &obstacle.attach {
        None => (Role::Obstacle, 0),
        Some(name) => (Role::Attached, find_link(scene, name)?),
    };
    let (name, shape) = (obstacle.name.clone(), obstacle.shape.clone());
    let body = SceneBody { name, role, link, link_from_body: obstacle.pose, shape };
    scene.with_object(body, touching).map_err(|error| errors::scene(&error))
}

/// A pose bit by bit: columns of the rotation, then the translation.
fn twelve(pose: &Pose) -> [f64; 12] {
    let mut numbers = [0.0; 12];
    numbers[..9].copy_from_slice(&pose.rotation.to_cols_array());
    numbers[9..].copy_from_slice(&pose.translation.to_array());
    numbers
}

fn from_twelve(numbers: [f64; 12]) -> Pose {
    let mut rotation = [0.0; 9];
    rotation.copy_from_slice(&numbers[..9]);
    Pose { rotation: DMat3::from_cols_array(&rotation), translation: DVec3::from_slice(&numbers[9..]) }
}

/// Hash of everything that an answer can depend on.
pub(crate) fn digest(scene: &LibraryScene) -> Vec<u8> {
    let mut hash = Sha256::default();
    let fingerprint = scene.fingerprint();
    for part in [fingerprint.kinematics, fingerprint.geometry, fingerprint.pairs] {
        hash.add(&part);
    }
    let limits = scene.model().variables().iter().flat_map(|variable| {
        let (lower, upper) = variable.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        [lower, upper]
    });
    let clearances = scene.pairs().iter().map(|pair| pair.clearance);
    let positions = scene.positions().iter().map(|position| position.unwrap_or(f64::NAN));
    for number in
        limits.chain(clearances).chain(positions).chain([scene.clearance(), scene.self_clearance(), scene.tolerance()])
    {
        hash.add(&number.to_bits().to_le_bytes());
    }
    for name in scene.model().variables().iter().map(|v| &v.name).chain(scene.bodies().iter().map(|body| &body.name)) {
        hash.add(name.as_bytes());
        hash.add(&[0]);
    }
    hash.finish().to_vec()
}

/// A pickled scene.
pub(crate) type State<'py> = (
    (PathBuf, Option<String>, Answers),
    (Option<f64>, Option<f64>, Option<f64>, Vec<String>),
    Vec<Bound<'py, Obstacle>>,
    BTreeMap<String, (String, [f64; 12])>,
    Vec<u8>,
);
