//! Obstacles made in code: validated once, when they are made, and shared by all scenes that hold them.

use std::path::Path;
use std::sync::Arc;

use pathproof::numeric::{DVec3, Pose};
use pathproof::scene::BodyShape;
use pathproof::shapes::{Body, Convex, ShapeError, TriangleMesh};
use pathproof_formats::mesh;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::{arrays, errors};

/// A body at rest in the world, or attached to a link. Made by `Box`, `Sphere`, `Cylinder`, `Capsule`, `Plane`, `Hull`,
/// `Mesh`.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct Obstacle {
    pub(crate) data: Arc<Data>,
}

/// Contents of an obstacle.
pub(crate) struct Data {
    pub(crate) name: String,
    kind: Kind,
    xyz: [f64; 3],
    rpy: [f64; 3],
    pub(crate) pose: Pose,
    /// The link that carries it.
    pub(crate) attach: Option<String>,
    /// Bodies that it may touch while it is attached.
    pub(crate) touch: Vec<String>,
    pub(crate) shape: BodyShape,
    /// Warning for the scene.
    pub(crate) warning: Option<String>,
}

/// The arguments it was made from.
enum Kind {
    Numbers { class: &'static str, key: &'static str, values: Vec<f64> },
    Hull(Vec<DVec3>),
    Mesh { mesh: TriangleMesh, solid: bool, surface: bool },
}

/// Its pose and its name.
struct Placed {
    name: String,
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
}

impl Placed {
    fn obstacle(self, kind: Kind, shape: BodyShape) -> PyResult<Obstacle> {
        let Self { name, xyz, rpy, attach, touch } = self;
        let is_name = !name.is_empty() && !name.contains(['/', '*']) && !name.contains(char::is_control);
        if !is_name {
            return Err(errors::input(format!(
                "{name:?} cannot be a name; write one that is not empty and has neither \"/\", which separates robot and \
                 link, nor \"*\", which stands for any letters where pairs are named"
            )));
        }
        if shape.is_half_space() && attach.is_some() {
            return Err(errors::input(format!(
                "{name:?}: a plane reaches to infinity and cannot be attached; attach a box instead"
            )));
        }
        for (key, values) in [("xyz", xyz), ("rpy", rpy)] {
            if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                return Err(errors::input(format!("{name:?}: {key}: {value} is not a finite number")));
            }
        }
        let warning = surfaces(&name, &kind, &shape);
        let pose = Pose::from_xyz_rpy(xyz, rpy);
        Ok(Obstacle { data: Arc::new(Data { name, kind, xyz, rpy, pose, attach, touch, shape, warning }) })
    }

    fn convex(self, class: &'static str, key: &'static str, values: Vec<f64>, shape: Made) -> PyResult<Obstacle> {
        let shape = shape.map_err(|error| self.bad_size(key, &error))?;
        self.obstacle(Kind::Numbers { class, key, values }, BodyShape::Parts(Body::from_convex(shape)))
    }

    fn bad_size(&self, key: &str, error: &ShapeError) -> PyErr {
        errors::input(format!("{:?}: {key}: {error}; give sizes in metres, greater than 0", self.name))
    }
}

type Made = Result<Convex, ShapeError>;

/// The command line's warning about meshes that are treated as surfaces but were not declared so.
fn surfaces(name: &str, kind: &Kind, shape: &BodyShape) -> Option<String> {
    let (Kind::Mesh { surface: false, .. }, BodyShape::Parts(body)) = (kind, shape) else { return None };
    let found = body.surfaces();
    (!found.is_empty()).then(|| {
        format!(
            "surfaces, not solids: {}; what is wholly inside them is not found: say solid=True to close small holes, or \
             surface=True where that is meant",
            found.describe(name)
        )
    })
}

#[pymethods]
impl Obstacle {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.data.name
    }

    /// Its position in metres.
    #[getter]
    fn xyz(&self) -> (f64, f64, f64) {
        self.data.xyz.into()
    }

    /// Its rotation in radians about the fixed axes x, y, z.
    #[getter]
    fn rpy(&self) -> (f64, f64, f64) {
        self.data.rpy.into()
    }

    /// The link that carries it, if any.
    #[getter]
    fn attach(&self) -> Option<&str> {
        self.data.attach.as_deref()
    }

    /// Bodies that it may touch while it is attached.
    #[getter]
    fn touch(&self) -> Vec<String> {
        self.data.touch.clone()
    }

    fn __repr__(&self) -> String {
        let Data { name, kind, xyz, rpy, .. } = &*self.data;
        let shape = match kind {
            Kind::Numbers { class, key, values } => {
                let shown: Vec<String> = values.iter().map(f64::to_string).collect();
                let value = if let [one] = &shown[..] { one.clone() } else { format!("({})", shown.join(", ")) };
                return format!("{class}({name:?}, {key}={value}, xyz={xyz:?}, rpy={rpy:?})");
            }
            Kind::Hull(points) => format!("Hull({name:?}, <{} points>", points.len()),
            Kind::Mesh { mesh, .. } => format!("Mesh({name:?}, <{} triangles>", mesh.triangles().len()),
        };
        format!("{shape}, xyz={xyz:?}, rpy={rpy:?})")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let module = py.import("pathproof._pathproof")?;
        let Data { name, kind, xyz, rpy, attach, touch, .. } = &*self.data;
        let placed = (xyz, rpy, attach, touch);
        let flat = |points: &[DVec3]| points.iter().map(|p| p.to_array()).collect::<Vec<_>>();
        let (class, arguments) = match kind {
            Kind::Numbers { class, values, .. } => {
                let size = if let [one] = values[..] {
                    one.into_pyobject(py)?.into_any()
                } else {
                    values.into_pyobject(py)?
                };
                (*class, (name, size, placed.0, placed.1, placed.2, placed.3).into_pyobject(py)?)
            }
            Kind::Hull(points) => {
                ("Hull", (name, flat(points), placed.0, placed.1, placed.2, placed.3).into_pyobject(py)?)
            }
            Kind::Mesh { mesh, solid, surface } => {
                let triangles: Vec<Vec<u32>> = mesh.triangles().iter().map(|triangle| triangle.to_vec()).collect();
                let shape = (flat(mesh.vertices()), triangles, solid, surface);
                let make = (name, shape.0, shape.1, shape.2, shape.3, placed.0, placed.1, placed.2, placed.3);
                ("_mesh", make.into_pyobject(py)?)
            }
        };
        Ok((module.getattr(class)?, arguments))
    }
}

/// Adds the functions that make obstacles.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(cuboid, module)?)?;
    module.add_function(wrap_pyfunction!(sphere, module)?)?;
    module.add_function(wrap_pyfunction!(cylinder, module)?)?;
    module.add_function(wrap_pyfunction!(capsule, module)?)?;
    module.add_function(wrap_pyfunction!(plane, module)?)?;
    module.add_function(wrap_pyfunction!(hull, module)?)?;
    module.add_function(wrap_pyfunction!(mesh_from_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(mesh_from_file, module)?)
}

const ORIGIN: [f64; 3] = [0.0; 3];

/// A box, centred: full sizes along x, y, z in metres.
#[pyfunction(name = "Box")]
#[pyo3(signature = (name, size, xyz=ORIGIN, rpy=ORIGIN, attach=None, touch=vec![]))]
fn cuboid(
    name: String,
    size: [f64; 3],
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
) -> PyResult<Obstacle> {
    Placed { name, xyz, rpy, attach, touch }.convex("Box", "size", size.to_vec(), Convex::cuboid(size))
}

/// A ball.
#[pyfunction(name = "Sphere")]
#[pyo3(signature = (name, radius, xyz=ORIGIN, rpy=ORIGIN, attach=None, touch=vec![]))]
fn sphere(
    name: String,
    radius: f64,
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
) -> PyResult<Obstacle> {
    Placed { name, xyz, rpy, attach, touch }.convex("Sphere", "radius", vec![radius], Convex::sphere(radius))
}

/// A cylinder along z, centred: radius and length.
#[pyfunction(name = "Cylinder")]
#[pyo3(signature = (name, size, xyz=ORIGIN, rpy=ORIGIN, attach=None, touch=vec![]))]
fn cylinder(
    name: String,
    size: [f64; 2],
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
) -> PyResult<Obstacle> {
    let shape = Convex::cylinder(size[0], size[1]);
    Placed { name, xyz, rpy, attach, touch }.convex("Cylinder", "size", size.to_vec(), shape)
}

/// A capsule along z, centred: radius, and length of the cylindrical part.
#[pyfunction(name = "Capsule")]
#[pyo3(signature = (name, size, xyz=ORIGIN, rpy=ORIGIN, attach=None, touch=vec![]))]
fn capsule(
    name: String,
    size: [f64; 2],
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
) -> PyResult<Obstacle> {
    let shape = Convex::capsule(size[0], size[1]);
    Placed { name, xyz, rpy, attach, touch }.convex("Capsule", "size", size.to_vec(), shape)
}

/// Everything below a plane through the given place; its normal points out of the solid side.
#[pyfunction(name = "Plane")]
#[pyo3(signature = (name, normal=[0.0, 0.0, 1.0], xyz=ORIGIN, rpy=ORIGIN, attach=None, touch=vec![]))]
fn plane(
    name: String,
    normal: [f64; 3],
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
) -> PyResult<Obstacle> {
    let direction = DVec3::from_array(normal);
    // Scaled first, so that very short or long normals neither vanish nor overflow.
    let scaled = direction / direction.abs().max_element();
    if !scaled.is_finite() {
        return Err(errors::input(format!(
            "{name:?}: the normal {normal:?} is no direction; write one such as (0, 0, 1) (solid below)"
        )));
    }
    let shape = BodyShape::HalfSpace { normal: scaled / scaled.length() };
    let kind = Kind::Numbers { class: "Plane", key: "normal", values: normal.to_vec() };
    Placed { name, xyz, rpy, attach, touch }.obstacle(kind, shape)
}

/// The convex hull of points, exactly: an (n, 3) array.
#[pyfunction(name = "Hull")]
#[pyo3(signature = (name, points, xyz=ORIGIN, rpy=ORIGIN, attach=None, touch=vec![]))]
fn hull(
    name: String,
    points: &Bound<'_, PyAny>,
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
) -> PyResult<Obstacle> {
    let points = read_points(points, "points")?;
    let shape = Convex::hull(&points).map_err(|error| errors::input(format!("{name:?}: {error}")))?;
    let placed = Placed { name, xyz, rpy, attach, touch };
    placed.obstacle(Kind::Hull(points), BodyShape::Parts(Body::from_convex(shape)))
}

/// A mesh from arrays.
#[pyfunction(name = "_mesh")]
#[pyo3(signature = (name, vertices, triangles, solid, surface, xyz, rpy, attach, touch))]
#[allow(clippy::too_many_arguments, reason = "Python calls it by `Mesh`, with names")]
fn mesh_from_arrays(
    name: String,
    vertices: &Bound<'_, PyAny>,
    triangles: &Bound<'_, PyAny>,
    solid: bool,
    surface: bool,
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
) -> PyResult<Obstacle> {
    let vertices = read_points(vertices, "vertices")?;
    let triangles = read_triangles(triangles)?;
    let placed = Placed { name, xyz, rpy, attach, touch };
    mesh_obstacle(placed, vertices, triangles, solid, surface)
}

/// A mesh from a file, scaled.
#[pyfunction(name = "_mesh_file")]
#[pyo3(signature = (name, file, scale, solid, surface, xyz, rpy, attach, touch))]
#[allow(clippy::too_many_arguments, reason = "Python calls it by `Mesh`, with names")]
fn mesh_from_file(
    py: Python<'_>,
    name: String,
    file: std::path::PathBuf,
    scale: [f64; 3],
    solid: bool,
    surface: bool,
    xyz: [f64; 3],
    rpy: [f64; 3],
    attach: Option<String>,
    touch: Vec<String>,
) -> PyResult<Obstacle> {
    if !scale.iter().all(|factor| factor.is_finite() && *factor != 0.0) {
        return Err(errors::input(format!("{name:?}: scale: factors must be finite and not 0; 1 keeps the size")));
    }
    let read = py.detach(|| mesh::read(Path::new(&file))).map_err(|error| errors::file(&error))?;
    let factors = DVec3::from_array(scale);
    let vertices = read.vertices.into_iter().map(|p| p * factors).collect();
    // Mirrored meshes keep their outside.
    let is_mirrored = scale.iter().filter(|factor| **factor < 0.0).count() % 2 == 1;
    let oriented = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
    let triangles = read.triangles.into_iter().map(oriented).collect();
    let placed = Placed { name, xyz, rpy, attach, touch };
    mesh_obstacle(placed, vertices, triangles, solid, surface)
}

fn mesh_obstacle(
    placed: Placed,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    solid: bool,
    surface: bool,
) -> PyResult<Obstacle> {
    let name = placed.name.clone();
    if solid && surface {
        return Err(errors::input(format!("{name:?} is said to be a solid and a surface; leave one of the two")));
    }
    let mesh = TriangleMesh::new(vertices, triangles).map_err(|error| errors::input(format!("{name:?}: {error}")))?;
    let as_meant = match solid {
        true => mesh.clone().closed().map_err(|error| {
            let remedy = "mend the mesh, or say surface=True and nothing is found inside it";
            errors::input(format!("{name:?} has {error}; {remedy}"))
        })?,
        false => mesh.clone(),
    };
    placed.obstacle(Kind::Mesh { mesh, solid, surface }, BodyShape::Parts(Body::from_mesh(as_meant)))
}

fn read_points(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<DVec3>> {
    let expected = || "an array of shape (n, 3), metres".to_owned();
    let table = arrays::table(value, what, &expected)?;
    if table.columns != 3 {
        let shape = arrays::shape_text(&[table.values.len() / table.columns.max(1), table.columns]);
        return Err(errors::input(format!("{what} must be {}, but its shape is {shape}", expected())));
    }
    if let Some(row) = table.rows().position(|row| !row.iter().all(|value| value.is_finite())) {
        return Err(errors::input(format!("{what}: row {row} has a value that is not a finite number")));
    }
    Ok(table.rows().map(DVec3::from_slice).collect())
}

/// Indices of corners; integers, which a float64 holds exactly up to 2⁵³.
fn read_triangles(value: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let expected = || "an array of shape (n, 3) of whole numbers, the corners of each triangle".to_owned();
    let table = arrays::table(value, "triangles", &expected)?;
    if table.columns != 3 {
        let shape = arrays::shape_text(&[table.values.len() / table.columns.max(1), table.columns]);
        return Err(errors::input(format!("triangles must be {}, but its shape is {shape}", expected())));
    }
    let index = |value: f64| {
        let is_index = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
        is_index.then_some(value as u32)
    };
    let corners = |(row, values): (usize, &[f64])| match (index(values[0]), index(values[1]), index(values[2])) {
        (Some(a), Some(b), Some(c)) => Ok([a, b, c]),
        _ => Err(errors::input(format!("triangles: row {row} is {values:?}; triangles must be {}", expected()))),
    };
    table.rows().enumerate().map(corners).collect()
}
