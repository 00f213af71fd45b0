//! `Scene`: read from files, changed in code, pickled by value.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pathproof::numeric::Pose;
use pathproof::robot::Kinematics;
use pathproof::scene::Scene as LibraryScene;
use pathproof_formats::scene_file::{Disk, Files};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors;
use crate::obstacle::Obstacle;
use crate::path::Columns;
use crate::recipe::{self, Recipe, State, add, find, find_link};

/// Robots, obstacles and the pairs to check. Immutable: every change returns another scene.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Scene {
    pub(crate) data: Arc<Data>,
}

/// Contents of a scene.
pub(crate) struct Data {
    pub(crate) scene: LibraryScene,
    pub(crate) columns: Columns,
    recipe: Recipe,
    pub(crate) warnings: Vec<String>,
    notes: Vec<String>,
}

impl Scene {
    fn cooked(recipe: Recipe, files: &dyn Files) -> PyResult<Self> {
        let (scene, warnings, notes) = recipe.cook(files)?;
        Ok(Self::of(scene, recipe, warnings, notes))
    }

    fn of(scene: LibraryScene, recipe: Recipe, warnings: Vec<String>, notes: Vec<String>) -> Self {
        let columns = Columns::of(&scene);
        Self { data: Arc::new(Data { scene, columns, recipe, warnings, notes }) }
    }

    fn library(&self) -> &LibraryScene {
        &self.data.scene
    }

    /// The same with another library scene, and the recorded change.
    fn changed(&self, scene: LibraryScene, change: impl FnOnce(&mut Recipe)) -> Self {
        let mut recipe = self.data.recipe.clone();
        change(&mut recipe);
        let (warnings, notes) = (self.data.warnings.clone(), self.data.notes.clone());
        Self::of(scene, recipe, warnings, notes)
    }

    /// The same with an object moved to its pose in the library's scene.
    fn with_placed(&self, scene: LibraryScene, name: &str) -> PyResult<Self> {
        let body = &scene.bodies()[find(&scene, name)?];
        let place = (scene.model().links()[body.link].name.clone(), body.link_from_body);
        Ok(self.changed(scene, |recipe| drop(recipe.placed.insert(name.to_owned(), place))))
    }
}

/// The SRDF to use, and a warning about it: the named one, none, or the one beside the URDF.
fn chosen_srdf(urdf: &Path, named: Option<&Bound<'_, PyAny>>) -> PyResult<(Option<PathBuf>, Option<String>)> {
    let Some(named) = named else {
        let beside = urdf.with_extension("srdf");
        let warning = || format!("{} is used, for it lies beside the URDF; srdf=False uses none", beside.display());
        return Ok(if beside.is_file() { (Some(beside.clone()), Some(warning())) } else { (None, None) });
    };
    match named.extract::<bool>() {
        Ok(false) => Ok((None, None)),
        Ok(true) => {
            Err(errors::bad_scene("srdf=True names no file; leave it out to use the one beside the URDF".to_owned()))
        }
        Err(_) => Ok((Some(named.extract()?), None)),
    }
}

/// A row-major matrix of 16 numbers.
fn matrix(pose: &Pose) -> [[f64; 4]; 4] {
    let (rotation, at) = (pose.rotation.transpose().to_cols_array_2d(), pose.translation.to_array());
    let row = |i: usize| [rotation[i][0], rotation[i][1], rotation[i][2], at[i]];
    [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
}

#[pymethods]
impl Scene {
    /// Reads a scene file (TOML), or a URDF as a scene of that robot alone.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Self::cooked(Recipe { path, ..Recipe::default() }, &Disk))
    }

    /// A scene of one robot, and obstacles made in code. Uses an SRDF of the same name beside the URDF and reports it
    /// in `warnings`; `srdf` names another, `srdf=False` uses none.
    #[staticmethod]
    #[pyo3(signature = (urdf, *, srdf=None, obstacles=vec![], name=None, packages=None, geometry="collision", xyz=[0.0; 3],
                        rpy=[0.0; 3], positions=None, bounds=None, clearance=0.0, self_clearance=0.0, tolerance=0.001))]
    #[allow(clippy::too_many_arguments, reason = "Python calls it with names")]
    fn from_urdf(
        py: Python<'_>,
        urdf: PathBuf,
        srdf: Option<Bound<'_, PyAny>>,
        obstacles: Vec<Bound<'_, Obstacle>>,
        name: Option<String>,
        packages: Option<BTreeMap<String, PathBuf>>,
        geometry: &str,
        xyz: [f64; 3],
        rpy: [f64; 3],
        positions: Option<BTreeMap<String, f64>>,
        bounds: Option<BTreeMap<String, (f64, f64)>>,
        clearance: f64,
        self_clearance: f64,
        tolerance: f64,
    ) -> PyResult<Self> {
        let stem = urdf.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.or(stem).unwrap_or_default();
        let text = |path: &Path| toml::Value::String(path.to_string_lossy().into_owned());
        let mut robot = toml::Table::new();
        robot.insert("name".into(), name.into());
        robot.insert("urdf".into(), text(&urdf));
        let (srdf, warning) = chosen_srdf(&urdf, srdf.as_ref())?;
        robot.extend(srdf.map(|srdf| ("srdf".into(), text(&srdf))));
        let packages = packages.unwrap_or_default().into_iter().map(|(package, folder)| (package, text(&folder)));
        robot.insert("packages".into(), toml::Value::Table(packages.collect()));
        robot.insert("geometry".into(), geometry.into());
        robot.insert("xyz".into(), xyz.to_vec().into());
        robot.insert("rpy".into(), rpy.to_vec().into());
        let positions = positions.unwrap_or_default().into_iter().map(|(joint, value)| (joint, value.into()));
        robot.insert("positions".into(), toml::Value::Table(positions.collect()));
        let bounds = bounds.unwrap_or_default().into_iter();
        let bounds = bounds.map(|(joint, (lower, upper))| (joint, vec![lower, upper].into()));
        robot.insert("bounds".into(), toml::Value::Table(bounds.collect()));
        let mut file = toml::Table::new();
        file.insert("clearance".into(), clearance.into());
        file.insert("self_clearance".into(), self_clearance.into());
        file.insert("tolerance".into(), tolerance.into());
        file.insert("robots".into(), toml::Value::Array(vec![toml::Value::Table(robot)]));
        let recipe = Recipe {
            // Names in it are relative to Python's working directory.
            path: PathBuf::from("from_urdf"),
            text: Some(file.to_string()),
            ..Recipe::default()
        };
        let mut scene = py.detach(|| Self::cooked(recipe, &Disk))?;
        if let Some(data) = Arc::get_mut(&mut scene.data) {
            data.warnings.extend(warning);
        }
        obstacles.iter().try_fold(scene, |scene, obstacle| scene.with_obstacle(obstacle.get()))
    }

    /// A hash of everything that an answer can depend on, in hexadecimal: equal scenes have equal hashes.
    #[getter]
    fn fingerprint(&self) -> String {
        recipe::digest(self.library()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The scene with one more obstacle. Entries of `[[pairs]]` with `*` apply to it if its name matches.
    fn with_obstacle(&self, obstacle: &Obstacle) -> PyResult<Self> {
        let obstacle = &obstacle.data;
        let find = |name: &String| find(self.library(), name);
        let touching = obstacle.touch.iter().map(find).collect::<PyResult<Vec<usize>>>()?;
        let scene = add(self.library(), obstacle, &touching)?;
        let mut changed = self.changed(scene, |recipe| recipe.added.push(Arc::clone(obstacle)));
        if let (Some(data), Some(warning)) = (Arc::get_mut(&mut changed.data), &obstacle.warning) {
            data.warnings.push(warning.clone());
        }
        Ok(changed)
    }

    /// The scene without an object; entries of `[[pairs]]` that name it are removed with it.
    fn without(&self, name: &str) -> PyResult<Self> {
        let scene =
            self.library().without_object(find(self.library(), name)?).map_err(|error| errors::scene(&error))?;
        let made_here = self.data.recipe.added.iter().position(|obstacle| obstacle.name == name);
        let mut changed = self.changed(scene, |recipe| {
            recipe.placed.remove(name);
            match made_here {
                Some(place) => drop(recipe.added.remove(place)),
                None => recipe.removed.push(name.to_owned()),
            }
        });
        let warning = made_here.and_then(|place| self.data.recipe.added[place].warning.as_ref());
        if let (Some(data), Some(warning)) = (Arc::get_mut(&mut changed.data), warning) {
            data.warnings.retain(|other| other != warning);
        }
        Ok(changed)
    }

    /// The scene with an object moved: in the world, or in the link that it is attached to.
    #[pyo3(signature = (name, xyz, rpy=[0.0; 3]))]
    fn moved(&self, name: &str, xyz: [f64; 3], rpy: [f64; 3]) -> PyResult<Self> {
        let object = find(self.library(), name)?;
        let (link, pose) = (self.library().bodies()[object].link, Pose::from_xyz_rpy(xyz, rpy));
        let moved = self.library().with_object_at(object, link, pose);
        self.with_placed(moved.map_err(|error| errors::scene(&error))?, name)
    }

    /// The scene in which an object moves with a link, from its place at the configuration `q`.
    #[pyo3(signature = (name, link, q, *, ignore_limits=false))]
    fn attached(&self, name: &str, link: &str, q: &Bound<'_, PyAny>, ignore_limits: bool) -> PyResult<Self> {
        let scene = self.library();
        let q = self.data.columns.configuration(scene, q, "q", ignore_limits)?;
        let number = find_link(scene, link)?;
        if number == 0 {
            return Err(errors::bad_scene(format!("{link:?} is no robot's link; `detached` lets an object go")));
        }
        let held = scene.attached(find(scene, name)?, number, &q);
        self.with_placed(held.map_err(|error| errors::scene(&error))?, name)
    }

    /// The scene in which an object stays at its place at the configuration `q`.
    #[pyo3(signature = (name, q, *, ignore_limits=false))]
    fn detached(&self, name: &str, q: &Bound<'_, PyAny>, ignore_limits: bool) -> PyResult<Self> {
        let scene = self.library();
        let q = self.data.columns.configuration(scene, q, "q", ignore_limits)?;
        let object = find(scene, name)?;
        if scene.bodies()[object].link == 0 {
            return Err(errors::bad_scene(format!("{name:?} is not attached to anything")));
        }
        let left = scene.attached(object, 0, &q);
        self.with_placed(left.map_err(|error| errors::scene(&error))?, name)
    }

    /// The scene with another clearance to the world (obstacles, other robots, attached objects), in metres; pairs with
    /// their own keep it.
    pub(crate) fn with_clearance(&self, clearance: f64) -> PyResult<Self> {
        let scene = self.library().clone().with_clearance(clearance).map_err(|error| errors::scene(&error))?;
        Ok(self.changed(scene, |recipe| recipe.clearance = Some(clearance)))
    }

    /// The scene with another clearance between links of one robot, in metres; pairs with their own keep it.
    pub(crate) fn with_self_clearance(&self, clearance: f64) -> PyResult<Self> {
        let scene = self.library().clone().with_self_clearance(clearance).map_err(|error| errors::scene(&error))?;
        Ok(self.changed(scene, |recipe| recipe.self_clearance = Some(clearance)))
    }

    /// The scene with another tolerance, in metres.
    pub(crate) fn with_tolerance(&self, tolerance: f64) -> PyResult<Self> {
        let scene = self.library().clone().with_tolerance(tolerance).map_err(|error| errors::scene(&error))?;
        Ok(self.changed(scene, |recipe| recipe.tolerance = Some(tolerance)))
    }

    /// Clearance to the world of pairs without their own, in metres.
    #[getter]
    fn clearance(&self) -> f64 {
        self.library().clearance()
    }

    /// Clearance between links of one robot of pairs without their own, in metres.
    #[getter]
    fn self_clearance(&self) -> f64 {
        self.library().self_clearance()
    }

    /// Distance above the clearance at which the search stops trying to prove, in metres.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.library().tolerance()
    }

    /// Number of values of a configuration.
    #[getter]
    fn dof(&self) -> usize {
        self.data.columns.count
    }

    /// Names of the values of a configuration, in order: `robot/joint`.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.library().model().variables().iter().map(|variable| variable.name.as_str()))
    }

    /// Lower and upper limits, a row per joint; infinite if there are none.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let limits = self.library().model().variables().iter().flat_map(|variable| {
            let (lower, upper) = variable.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            [lower, upper]
        });
        PyArray1::from_iter(py, limits).reshape([self.data.columns.count, 2])
    }

    /// Names of all bodies: links with geometry, obstacles, attached objects. Answers number them in this order.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.library().bodies().iter().map(|body| body.name.as_str()))
    }

    /// Names of all links.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.library().model().links()[1..].iter().map(|link| link.name.as_str()))
    }

    /// The pairs that are checked, with their clearances.
    #[getter]
    fn pairs(&self) -> Vec<(String, String, f64)> {
        let name = |body: usize| self.library().bodies()[body].name.clone();
        self.library().pairs().iter().map(|pair| (name(pair.a), name(pair.b), pair.clearance)).collect()
    }

    /// The pairs that could move and are not checked, with the reasons.
    #[getter]
    fn unchecked(&self) -> Vec<(String, String, String)> {
        let name = |body: usize| self.library().bodies()[body].name.clone();
        let unchecked = self.library().unchecked().iter();
        unchecked.map(|pair| (name(pair.a), name(pair.b), pair.reason.to_string())).collect()
    }

    /// Things that may not be what the writer meant.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.data.warnings.clone()
    }

    /// Things that are usual but good to know.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.data.notes.clone()
    }

    /// Names of the states that the SRDF describes.
    #[getter]
    fn states(&self) -> Vec<String> {
        let mut names: Vec<String> = self.library().states().iter().map(|state| state.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The configuration that a state of the SRDF describes.
    fn state<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let state = self
            .library()
            .state(name)
            .ok_or_else(|| errors::input(format!("no state is called {name:?}; there are {:?}", self.states())))?;
        let q = state.map_err(|error| errors::input(format!("{name:?}: {error}")))?;
        Ok(PyArray1::from_vec(py, q))
    }

    /// A configuration from values by joint; omitted ones come from the scene's positions.
    fn configuration<'py>(
        &self,
        py: Python<'py>,
        values: BTreeMap<String, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let scene = self.library();
        let named = values.iter().map(|(joint, value)| Ok((scene.column(joint)?, *value)));
        let named = named.collect::<Result<Vec<_>, pathproof::scene::ColumnError>>();
        let named = named.map_err(|error| errors::input(error.to_string()))?;
        let q = scene.configuration(&named).map_err(|error| errors::input(error.to_string()))?;
        Ok(PyArray1::from_vec(py, q))
    }

    /// Poses of all links at a configuration: a 4 × 4 matrix each, that takes points of the link to the world.
    #[pyo3(signature = (q, *, ignore_limits=false))]
    fn poses<'py>(&self, q: &Bound<'py, PyAny>, ignore_limits: bool) -> PyResult<Bound<'py, PyDict>> {
        let scene = self.library();
        let q_values = self.data.columns.configuration(scene, q, "q", ignore_limits)?;
        let mut kinematics = Kinematics::new(scene.model());
        kinematics.set_configuration(&q_values);
        let poses = PyDict::new(q.py());
        for (number, link) in scene.model().links().iter().enumerate().skip(1) {
            let pose = kinematics.world_from_link(scene.model(), number);
            let rows: Vec<Vec<f64>> = matrix(&pose).iter().map(|row| row.to_vec()).collect();
            poses
                .set_item(&link.name, PyArray2::from_vec2(q.py(), &rows).map_err(|e| errors::input(e.to_string()))?)?;
        }
        Ok(poses)
    }

    fn __repr__(&self) -> String {
        let scene = self.library();
        format!(
            "<pathproof.Scene {:?}: {} joints, {} bodies, {} pairs checked>",
            self.data.recipe.path,
            self.data.columns.count,
            scene.bodies().len(),
            scene.pairs().len()
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (State<'py>,))> {
        let state = self.data.recipe.state(py, self.library())?;
        Ok((py.get_type::<Self>().getattr("_restore")?, (state,)))
    }

    /// Restores a scene from a pickle; refused if it is not the scene that was pickled.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(state: State<'_>) -> PyResult<Self> {
        let (recipe, files, expected) = Recipe::from_state(state);
        let scene = Self::cooked(recipe, &files)?;
        if recipe::digest(scene.library()) != expected {
            return Err(errors::bad_scene(
                "the files of this scene were changed between its loading and its pickling; load it again, then pickle it",
            ));
        }
        Ok(scene)
    }
}
