//! The posed bodies for a viewer.

use pathproof::robot::Kinematics;
use pathproof::scene::Scene;
use pathproof_formats::glb_writer::GlbObject;

/// Bodies as they are at a configuration, coloured by link; obstacles grey, attached objects like their link.
pub(super) fn posed_objects(scene: &Scene, q: &[f64]) -> Vec<GlbObject> {
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(q);
    let object = |(index, body): (usize, &pathproof::scene::SceneBody)| {
        let (link_from_mesh, mesh) = scene.display(index);
        GlbObject {
            name: body.name.clone(),
            colour: if body.link == 0 { [0.55, 0.55, 0.55, 1.0] } else { colour(body.link) },
            world_from_object: kinematics.world_from_link(scene.model(), body.link) * link_from_mesh,
            vertices: mesh.vertices,
            triangles: mesh.triangles,
        }
    };
    scene.bodies().iter().enumerate().map(object).collect()
}

/// Neighbouring links get well separated hues.
fn colour(link: usize) -> [f32; 4] {
    const PALETTE: [[f32; 3]; 8] = [
        [0.90, 0.32, 0.05],
        [0.02, 0.35, 0.70],
        [0.95, 0.65, 0.05],
        [0.05, 0.50, 0.25],
        [0.60, 0.20, 0.55],
        [0.20, 0.65, 0.75],
        [0.70, 0.10, 0.12],
        [0.45, 0.55, 0.10],
    ];
    let [red, green, blue] = PALETTE[link % PALETTE.len()];
    [red, green, blue, 1.0]
}
