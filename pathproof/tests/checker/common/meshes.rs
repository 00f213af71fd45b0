//! Meshes for bodies of worlds: boxes, tori, and what can be done to them.

use std::f64::consts::PI;

use pathproof::numeric::DVec3;

use super::world::Form;

/// The surface of a box as a mesh, normals outward.
pub(crate) fn box_mesh(size: [f64; 3]) -> Form {
    let corner = |i: u32| {
        let side = |bit: u32, s: f64| if i & bit == 0 { -s / 2.0 } else { s / 2.0 };
        DVec3::new(side(1, size[0]), side(2, size[1]), side(4, size[2]))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Form::Mesh((0..8).map(corner).collect(), triangles)
}

/// The same with normals inward.
pub(crate) fn inside_out(form: Form) -> Form {
    match form {
        Form::Mesh(vertices, triangles) => Form::Mesh(vertices, triangles.iter().map(|t| [t[0], t[2], t[1]]).collect()),
        other => other,
    }
}

/// The same without its last triangle: open.
pub(crate) fn opened(form: Form) -> Form {
    match form {
        Form::Mesh(vertices, mut triangles) => {
            triangles.pop();
            Form::Mesh(vertices, triangles)
        }
        other => other,
    }
}

/// Two meshes as one.
pub(crate) fn joined(one: Form, two: Form) -> Form {
    match (one, two) {
        (Form::Mesh(mut v, mut t), Form::Mesh(w, u)) => {
            let first = v.len() as u32;
            v.extend(w);
            t.extend(u.iter().map(|t| t.map(|i| i + first)));
            Form::Mesh(v, t)
        }
        _ => panic!("two meshes"),
    }
}

/// A torus of `around` times `across` quads, closed.
pub(crate) fn torus(major: f64, minor: f64, around: u32, across: u32) -> Form {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (2.0 * PI * f64::from(i) / f64::from(around), 2.0 * PI * f64::from(j) / f64::from(across));
            let from_axis = major + minor * v.cos();
            vertices.push(DVec3::new(from_axis * u.cos(), from_axis * u.sin(), minor * v.sin()));
            let next = |i: u32, j: u32| (i % around) * across + j % across;
            let (a, b, c, d) = (next(i, j), next(i + 1, j), next(i + 1, j + 1), next(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Form::Mesh(vertices, triangles)
}
