//! The papers' drawings, of the scenes measured here: robots at their start, covering discs of a real segment,
//! trajectories in workspace-time, concave bodies piece by piece.

use anyhow::{Context, Result};
use glam::DVec3;
use pathproof::check::Checker;
use pathproof::numeric::{Pose, Random};
use pathproof::robot::Kinematics;
use pathproof::shapes::{Aabb, Convex, Core};
use pathproof_papers::concave::{ConvexPieces, Density, Niche, PieceQuery, SopaMemory, SopaSettings, SurfaceNodes};

use super::Paper;
use super::discs;
use crate::bodies::{self, Mesh, posed};
use crate::concave::motion;
use crate::picture::{Painted, image};
use crate::plot::{Axis, Plot, Series};
use crate::scenes::{self, in_memory};
use crate::{cycle, walks};

/// A picture and its caption.
pub(super) struct Drawing {
    pub(super) paper: Paper,
    pub(super) caption: &'static str,
    pub(super) content: String,
}

const ROBOT: [u8; 3] = [240, 140, 40];
const OBSTACLE: [u8; 3] = [130, 160, 190];
const EGO: [u8; 3] = [60, 170, 80];
/// Metres of height per second, where time is drawn upward.
const METRES_PER_SECOND: f64 = 6.0;

/// Case, caption, and viewing direction.
const SCENES: [(&str, &str, [f64; 3]); 9] = [
    ("fig1", "Fig. 1: two skinny arms of 20 joints in three thin tori", [1.0, -1.2, 0.7]),
    ("fig2", "Fig. 2: an arm that carries a thin rod, a frame of thin bars", [1.0, -1.2, 0.5]),
    ("6a", "Fig. 6(a): IRB 2400 in a wire cage", [1.0, -1.2, 0.5]),
    ("6b", "Fig. 6(b): LR Mate 200i with a welding gun in a wire cage", [1.0, -1.2, 0.5]),
    ("7a", "Fig. 7(a): the same before a machine tool", [-1.2, -0.7, 0.6]),
    ("7b", "Fig. 7(b): IRB 2400 in a workshop", [1.0, -1.2, 0.9]),
    ("7c", "Fig. 7(c): six IRB 2400 around a car body", [1.0, -1.2, 0.7]),
    ("fig8", "Fig. 8: a skinny linkage of 20 joints among thin lattices", [1.0, -1.2, 0.4]),
    ("fig8x9", "Fig. 8, nine of them", [1.0, -1.2, 0.4]),
];

/// All drawings, in the order of the page.
pub(super) fn all() -> Result<Vec<Drawing>> {
    let mut drawings = Vec::new();
    for (case, caption, from) in SCENES {
        let content = image(&painted_scene(case)?, DVec3::from_array(from), caption)?;
        drawings.push(Drawing { paper: Paper::ExactChecking, caption, content });
    }
    let covering = Checker::new(in_memory::scene(&scenes::case("6a").context("no such case")?)?);
    let captions = [
        "Fig. 3: a segment of case 6a, torch link against the cage: discs as wide as the distance at the configurations \
         tested cover the length that the link can move at most",
        "Fig. 4: the same segment, covered in the paper's three ways; it prefers (a), where all pairs share configurations",
    ];
    for (place, (caption, content)) in captions.into_iter().zip(discs::covering(&covering)?).enumerate() {
        drawings.insert(2 + place, Drawing { paper: Paper::ExactChecking, caption, content });
    }
    drawings.extend(workspace_time()?);
    drawings.extend(concave_bodies()?);
    Ok(drawings)
}

/// Bodies of a case, robots at their start.
fn painted_scene(case: &str) -> Result<Vec<Painted>> {
    let description = scenes::case(case).context("no such case")?;
    let scene = in_memory::scene(&description)?;
    let mut kinematics = Kinematics::new(scene.model());
    kinematics.set_configuration(&description.start());
    let mut painted = Vec::new();
    for robot in &description.robots {
        for link in &robot.links {
            let (Some(mesh), Some(number)) = (&link.mesh, scene.model().link(&format!("{}/{}", robot.name, link.name)))
            else {
                continue;
            };
            painted
                .push(Painted { mesh: posed(mesh, &kinematics.world_from_link(scene.model(), number)), colour: ROBOT });
        }
    }
    for obstacle in &description.obstacles {
        painted.push(Painted { mesh: posed(&obstacle.mesh, &obstacle.world_from_body.pose()), colour: OBSTACLE });
    }
    Ok(painted)
}

/// A pose with its time as height.
fn raised([t, x, y, heading]: [f64; 4]) -> Pose {
    Pose::from_axis_angle(DVec3::Z, heading, DVec3::new(x, y, t * METRES_PER_SECOND))
}

fn corners(pose: [f64; 4]) -> impl Iterator<Item = DVec3> {
    let half = [walks::CAR[0] / 2.0, walks::CAR[1] / 2.0];
    [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]
        .into_iter()
        .map(move |[x, y]| raised(pose).point(DVec3::new(x * half[0], y * half[1], 0.0)))
}

fn workspace_time() -> Result<Vec<Drawing>> {
    let mut random = Random::new(30);
    // From the first walks, those with an ego that passes through the middle of the others.
    let walks: Vec<Vec<[f64; 4]>> = (0..4).map(|_| centred(walks::walk(&mut random))).collect();
    let coloured = |mesh: fn(&[[f64; 4]]) -> Result<Mesh>| -> Result<Vec<Painted>> {
        let colour = |k: usize| if k == 0 { EGO } else { OBSTACLE };
        walks.iter().enumerate().map(|(k, walk)| Ok(Painted { mesh: mesh(walk)?, colour: colour(k) })).collect()
    };
    let from = DVec3::new(1.0, -1.2, 0.6);
    let drawing = |caption: &'static str, content: String| Drawing { paper: Paper::WorkspaceTime, caption, content };
    Ok(vec![
        drawing(
            "Fig. 1: three obstacles and the ego (green) on random walks, time upward",
            image(&coloured(sheets)?, from, "cars in workspace-time")?,
        ),
        drawing("Fig. 2: candidates and agents of a planning cycle, from above (m)", fan()),
        drawing(
            "Fig. 3: boxes around ten poses each, of the ego (green) and the obstacles",
            image(&coloured(boxes)?, from, "boxes of trees")?,
        ),
        drawing("Fig. 4: two cars at their own poses, 2 s apart, never overlap; in between they do (m)", crossing()),
        drawing(
            "Fig. 5: hulls of consecutive poses leave no gap in time",
            image(&coloured(hulls)?, from, "hulls in workspace-time")?,
        ),
    ])
}

/// The walk moved so that its middle is at the origin, the meeting point of all.
fn centred(walk: Vec<[f64; 4]>) -> Vec<[f64; 4]> {
    let [_, x, y, _] = walk[walk.len() / 2];
    walk.into_iter().map(|[t, px, py, heading]| [t, px - x, py - y, heading]).collect()
}

/// The car at every third pose.
fn sheets(walk: &[[f64; 4]]) -> Result<Mesh> {
    let sheet = bodies::cuboid(DVec3::new(walks::CAR[0], walks::CAR[1], 0.3));
    Ok(bodies::union(walk.iter().step_by(3).map(|pose| posed(&sheet, &raised(*pose)))))
}

fn boxes(walk: &[[f64; 4]]) -> Result<Mesh> {
    let around = |poses: &[[f64; 4]]| {
        let aabb = Aabb::of(poses.iter().flat_map(|pose| corners(*pose)));
        posed(&bodies::cuboid(aabb.size()), &Pose::from_translation(aabb.centre()))
    };
    Ok(bodies::union(walk.chunks(10).map(around)))
}

fn hulls(walk: &[[f64; 4]]) -> Result<Mesh> {
    let hull = |poses: &[[f64; 4]]| -> Result<Mesh> {
        let points: Vec<DVec3> = poses.iter().flat_map(|pose| corners(*pose)).collect();
        Ok(surface(&Convex::hull(&points)?))
    };
    let every: Vec<[f64; 4]> = walk.iter().copied().step_by(6).collect();
    Ok(bodies::union(every.windows(2).map(hull).collect::<Result<Vec<_>>>()?))
}

fn fan() -> String {
    let gap = [f64::NAN; 2];
    let lines = |walks: &[Vec<[f64; 4]>]| -> Vec<[f64; 2]> {
        walks.iter().flat_map(|walk| walk.iter().map(|[_, x, y, _]| [*x, *y]).chain([gap])).collect()
    };
    let mut random = Random::new(5);
    let agents: Vec<Vec<[f64; 4]>> = (0..10).map(|i| cycle::prediction(i, &mut random)).collect();
    let series = vec![
        Series { name: "candidates".into(), points: lines(&cycle::fan(60)) },
        Series { name: "agents".into(), points: lines(&agents) },
    ];
    Plot { title: String::new(), x: Axis::linear("x"), y: Axis::linear("y"), series }.svg()
}

fn crossing() -> String {
    let outline = |poses: &[[f64; 4]]| -> Vec<[f64; 2]> {
        let ring =
            |pose: [f64; 4]| corners(pose).chain(corners(pose).take(1)).map(|p| [p.x, p.y]).chain([[f64::NAN; 2]]);
        poses.iter().flat_map(|pose| ring(*pose)).collect()
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    let series = [
        ("ego at its poses", vec![[0.0, -20.0, 0.0, 0.0], [2.0, 20.0, 0.0, 0.0]]),
        ("other at its poses", vec![[0.0, 0.0, -10.0, quarter], [2.0, 0.0, 10.0, quarter]]),
        ("both after 1 s", vec![[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, quarter]]),
    ];
    let series = series.map(|(name, poses)| Series { name: name.into(), points: outline(&poses) }).into();
    Plot { title: String::new(), x: Axis::linear("x"), y: Axis::linear("y"), series }.svg()
}

/// The surface of a polytope; empty for round shapes.
fn surface(shape: &Convex) -> Mesh {
    match shape.core() {
        Core::Hull(hull) => (hull.vertices().to_vec(), hull.triangles().to_vec()),
        Core::Box { half } => bodies::cuboid(2.0 * *half),
        _ => Mesh::default(),
    }
}

/// The pieces of a body, in distinct shades.
fn pieces(body: &ConvexPieces, pose: &Pose, tint: [f64; 3]) -> Vec<Painted> {
    let shade = |k: usize| 0.55 + 0.45 * ((k * 7 % 10) as f64 / 9.0);
    let colour = |k: usize| tint.map(|c| (c * shade(k)) as u8);
    (0..body.len()).map(|k| Painted { mesh: posed(&surface(body.shape(k)), pose), colour: colour(k) }).collect()
}

/// Figs. 1 and 2: the local minima that descents from 200 pairs of nodes end in, and the pieces of the nearest.
fn niches() -> Result<[Drawing; 2]> {
    let case = motion::hands()?;
    let pose = case.poses[60];
    let [coarse_a, coarse_b] = case.nodes[1];
    let nodes =
        [SurfaceNodes::new(&case.a, Density::Count(coarse_a))?, SurfaceNodes::new(&case.b, Density::Count(coarse_b))?];
    let query = PieceQuery::new(&case.a, &case.b, &Pose::IDENTITY, &pose);
    let (settings, mut memory) = (SopaSettings { starts: 200, ..SopaSettings::default() }, SopaMemory::default());
    let found = query.sopa([&nodes[0], &nodes[1]], &settings, &mut memory)?;
    let ends = |niche: &Niche| {
        let [a, b] = niche.minimum.nodes;
        [nodes[0].points()[a as usize], pose.point(nodes[1].points()[b as usize])]
    };
    let line = |niche: &Niche, colour: [u8; 3], thickness: f64| {
        let [from, to] = ends(niche);
        Painted { mesh: bodies::wire(from, to, thickness), colour }
    };
    let nearest = found.niches.first().context("no niche")?;
    let pale = [[205.0, 215.0, 235.0], [245.0, 225.0, 205.0]];
    let both = || {
        let mut painted = pieces(&case.a, &Pose::IDENTITY, pale[0]);
        painted.extend(pieces(&case.b, &pose, pale[1]));
        painted
    };
    let (dark, light, from) = ([20, 20, 20], [210, 60, 60], DVec3::new(1.0, -0.7, 0.5));
    let mut minima = both();
    minima.extend(found.niches.iter().skip(1).map(|niche| line(niche, light, 0.0012)));
    minima.push(line(nearest, dark, 0.003));
    let mut matched = both();
    let [of_a, of_b] = nearest.nearest.pieces;
    matched[of_a].colour = [40, 90, 200];
    matched[case.a.len() + of_b].colour = [230, 120, 20];
    matched.push(line(nearest, dark, 0.003));
    let drawing = |caption: &'static str, painted: &[Painted]| -> Result<Drawing> {
        Ok(Drawing { paper: Paper::SubObjectPruning, caption, content: image(painted, from, caption)? })
    };
    Ok([
        drawing("Fig. 1: local minima between the nodes of two hands (red), and the nearest (black)", &minima)?,
        drawing("Fig. 2: the nearest pair of nodes, and the two pieces that go to the second stage for it", &matched)?,
    ])
}

fn concave_bodies() -> Result<Vec<Drawing>> {
    let mut drawings = Vec::from(niches()?);
    for (case, step, from, caption) in [
        (
            motion::battery()?,
            100,
            [1.0, -1.4, 0.8],
            "The battery before its fixture, step 100 of 151; shades tell pieces apart",
        ),
        (motion::hands()?, 0, [1.0, -0.7, 0.5], "Fig. 3: two hands of 92 pieces each, at the start"),
    ] {
        let mut painted = pieces(&case.a, &Pose::IDENTITY, [120.0, 160.0, 230.0]);
        painted.extend(pieces(&case.b, &case.poses[step], [250.0, 150.0, 60.0]));
        let content = image(&painted, DVec3::from_array(from), caption)?;
        drawings.push(Drawing { paper: Paper::SubObjectPruning, caption, content });
    }
    Ok(drawings)
}
