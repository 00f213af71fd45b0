//! Bases that move: SRDF virtual joints, `base` of a scene, multi-DOF trajectories. The oracle has kinematics of its own: a
//! ball on the robot, a ball in the world, poses sampled along the segment.

use crate::cell::Cell;

/// A ball of radius 0.1 m at (0.5, 0, 0.2) in the base, and one on a slide along the base's y.
const URDF: &str =
    "<robot name='m'><link name='chassis'><collision><origin xyz='0.5 0 0.2'/><geometry><sphere radius='0.1'/>
    </geometry></collision></link>
    <link name='hand'><collision><geometry><sphere radius='0.01'/></geometry></collision></link>
    <joint name='lift' type='prismatic'><parent link='chassis'/><child link='hand'/><axis xyz='0 1 0'/>
    <limit lower='-2' upper='2' effort='1' velocity='1'/></joint></robot>";

fn srdf(kind: &str) -> String {
    format!(
        "<robot name='m'><virtual_joint name='world_joint' type='{kind}' parent_frame='odom' child_link='chassis'/>\
         <group_state name='there' group='g'><joint name='lift' value='1'/><joint name='world_joint' value='{}'/>\
         </group_state><disable_collisions link1='chassis' link2='hand'/></robot>",
        if kind == "planar" { "1 0 0" } else { "1 0 0 0 0 0 1" }
    )
}

/// The robot starts at (1, 2, 0), turned by 90°: its x is the world's y. The post has a radius of 0.2 m.
const POSE: &str = "xyz = [1, 2, 0]\nrpy = [0, 0, 1.5707963267948966]\n";
const POST: &str = "[[obstacles]]\nname = \"post\"\nsphere = 0.2\nxyz = [1, 3.5, 0.3]\n";

fn cell(test: &str, kind: &str, keys: &str) -> Cell {
    let cell = Cell::new(test);
    cell.write("m.urdf", URDF);
    cell.write("m.srdf", &srdf(kind));
    cell.write("m.toml", &format!("[[robots]]\nname = \"m\"\nurdf = \"m.urdf\"\n{keys}{POSE}{POST}"));
    cell
}

/// A point of the base in the world, and its distance from the post, less both radii.
fn distance(turned: [f64; 3], moved: [f64; 3]) -> f64 {
    let in_scene = [turned[0] + moved[0], turned[1] + moved[1], turned[2] + moved[2]];
    let in_world = [1.0 - in_scene[1], 2.0 + in_scene[0], in_scene[2]];
    let [x, y, z] = [in_world[0] - 1.0, in_world[1] - 3.5, in_world[2] - 0.3];
    (x * x + y * y + z * z).sqrt() - 0.3
}

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
}

/// The answer for a segment, held against 4,000 sampled poses.
fn compare(cell: &Cell, header: &str, ends: [&[f64]; 2], at: impl Fn(f64) -> f64) -> bool {
    let row = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    cell.write("p.csv", &format!("lift,{header}\n2,{}\n2,{}\n", row(ends[0]), row(ends[1])));
    let sampled = (0..=4000).map(|i| at(f64::from(i) / 4000.0)).fold(f64::INFINITY, f64::min);
    let is_free = sampled > 0.002;
    let output = cell.run(&["check", "m.toml", "p.csv", "--min-distance", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an answer");
    assert_eq!(answer["verdict"] == "free", is_free, "{sampled} {answer}");
    if is_free {
        let [lower, upper] = ["lower", "upper"].map(|key| answer["min_distance"][key].as_f64().expect("a bound"));
        assert!(lower <= sampled + 1e-12 && sampled <= upper + 1e-3 && upper - lower <= 0.0011, "{sampled} {answer}");
    }
    is_free
}

#[test]
fn a_planar_base_is_where_its_own_kinematics_say() {
    let (mut seed, mut free) = (7, 0);
    for kind in ["planar", "floating"] {
        // The scene decides, whatever the SRDF's virtual joint is.
        let cell = cell("mobile-planar", kind, "base = \"planar\"\nsrdf = \"m.srdf\"\n");
        for _ in 0..8 {
            let end = |seed: &mut u64| [1.5 + random(seed), random(seed), 3.0 * random(seed)];
            let (a, b) = (end(&mut seed), end(&mut seed));
            let at = |t: f64| {
                let [x, y, theta] = [0, 1, 2].map(|i| (1.0 - t) * a[i] + t * b[i]);
                distance([0.5 * theta.cos(), 0.5 * theta.sin(), 0.2], [x, y, 0.0])
            };
            let hand_is_far = (0..=100).all(|i| {
                let t = f64::from(i) / 100.0;
                let [x, y, theta] = [0, 1, 2].map(|i| (1.0 - t) * a[i] + t * b[i]);
                distance([-2.0 * theta.sin(), 2.0 * theta.cos(), 0.0], [x, y, 0.0]) > 0.5
            });
            if !hand_is_far {
                continue;
            }
            let header = "world_joint.x,world_joint.y,world_joint.theta";
            free += usize::from(compare(&cell, header, [&a, &b], at));
        }
    }
    assert!(free >= 2, "{free}");
}

#[test]
fn a_floating_base_is_where_its_own_kinematics_say() {
    let cell = cell("mobile-floating", "floating", "base = \"floating\"\nsrdf = \"m.srdf\"\n");
    let scene = format!(
        "[[robots]]\nname = \"m\"\nurdf = \"m.urdf\"\nbase = \"floating\"\nsrdf = \"m.srdf\"\n{POSE}{POST}[[pairs]]\nbodies = [\"m/hand\", \"post\"]\n\
         check = false\n"
    );
    cell.write("m.toml", &scene);
    let (mut seed, mut free) = (11, 0);
    for _ in 0..12 {
        let end = |seed: &mut u64| {
            let mut q = [1.5 + random(seed), random(seed), random(seed), 0.0, 0.0, 0.0, 0.0];
            q[3..].fill_with(|| random(seed));
            let norm = q[3..].iter().map(|c| c * c).sum::<f64>().sqrt();
            q[3..].iter_mut().for_each(|c| *c /= norm);
            q
        };
        let (a, b) = (end(&mut seed), end(&mut seed));
        let at = |t: f64| {
            let dot: f64 = (3..7).map(|i| a[i] * b[i]).sum();
            let (sign, angle) = (dot.signum(), dot.abs().min(1.0).acos());
            let (u, v) = match angle < 1e-9 {
                true => (1.0 - t, t),
                false => (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin()),
            };
            let [x, y, z, w] = [3, 4, 5, 6].map(|i| u * a[i] + sign * v * b[i]);
            // The rotation of (0.5, 0, 0.2), from the quaternion's matrix.
            let columns = [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
                [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
            ];
            let turned = [0, 1, 2].map(|i| 0.5 * columns[0][i] + 0.2 * columns[1][i]);
            distance(turned, [0, 1, 2].map(|i| (1.0 - t) * a[i] + t * b[i]))
        };
        let header = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|name| format!("world_joint.{name}")).join(",");
        free += usize::from(compare(&cell, &header, [&a, &b], at));
    }
    assert!(free >= 3, "{free}");
}

/// `virtual_joint` was dropped in silence. It moves nothing by itself, since arms that are bolted down have floating ones.
#[test]
fn a_virtual_joint_moves_the_base_where_the_scene_says_so_and_is_noted_elsewhere() {
    let cell = cell("mobile-rest", "floating", "srdf = \"m.srdf\"\n");
    cell.write("arm.csv", "lift\n-1\n-1.5\n");
    let answer = cell.json(&["check", "m.toml", "arm.csv"], 0);
    let note = answer["notes"].to_string();
    assert!(note.contains("floating virtual joint") && note.contains("base = \\\"floating\\\""), "{note}");
    cell.write("drive.csv", "lift,world_joint.x,world_joint.y,world_joint.theta\n-1,0,0,0\n-1,1.2,0,0\n");
    let message = cell.refusal(&["check", "m.toml", "drive.csv"]);
    assert!(message.contains("world_joint.x"), "{message}");
    cell.json(&["plan", "m.toml", "--start", "-1", "--goal", "-1.5", "-o", "out.csv"], 0);
    let scene = std::fs::read_to_string(cell.folder.join("m.toml")).expect("the scene");
    cell.write("fixed.toml", &scene.replace("srdf = ", "base = \"fixed\"\nsrdf = "));
    assert!(cell.json(&["check", "fixed.toml", "arm.csv"], 0).get("notes").is_none());
    cell.write("m.srdf", &srdf("planar"));
    cell.write("moves.toml", &scene.replace("srdf = ", "base = \"planar\"\nsrdf = "));
    assert_eq!(cell.json(&["check", "moves.toml", "drive.csv"], 1)["verdict"], "collision");
    let there = cell.json(&["scene", "moves.toml", "--at", "there"], 0);
    assert_eq!(there["contacts"][0]["bodies"], serde_json::json!(["m/chassis", "post"]), "{there}");
    cell.write("stated.toml", &scene.replace("srdf = \"m.srdf\"", "base = \"planar\""));
    let message = cell.refusal(&["check", "stated.toml", "arm.csv"]);
    assert!(message.contains("no value for m/base.x, m/base.y, m/base.theta"), "{message}");
}

#[test]
fn transforms_of_robot_trajectories_move_the_base_straight() {
    let cell = cell("mobile-messages", "planar", "base = \"planar\"\nsrdf = \"m.srdf\"\n");
    let message = |joints: &str, transforms: &[[f64; 5]]| {
        let joint = |_: &[f64; 5]| format!("{{\"positions\":[2]{joints},\"time_from_start\":0}}");
        let base = |[x, y, z, c, s]: &[f64; 5]| {
            format!(
                "{{\"transforms\":[{{\"translation\":{{\"x\":{x},\"y\":{y},\"z\":{z}}},\
                 \"rotation\":{{\"x\":0,\"y\":0,\"z\":{s},\"w\":{c}}}}}]}}"
            )
        };
        let list = |of: &dyn Fn(&[f64; 5]) -> String| transforms.iter().map(of).collect::<Vec<_>>().join(",");
        format!(
            "{{\"joint_trajectory\":{{\"joint_names\":[\"lift\"],\"points\":[{}]}},\"multi_dof_joint_trajectory\":\
             {{\"joint_names\":[\"world_joint\"],\"points\":[{}]}}}}",
            list(&joint),
            list(&base)
        )
    };
    let turned = |x: f64, degrees: f64| {
        let (s, c) = (degrees / 2.0).to_radians().sin_cos();
        [x, 0.0, 0.0, c, s]
    };
    // From 170° on to 190°, which the quaternion has as -170°.
    cell.write("p.json", &message("", &[turned(0.0, 170.0), turned(0.2, -170.0)]));
    cell.write(
        "p.csv",
        &format!(
            "lift,world_joint.x,world_joint.y,world_joint.theta\n2,0,0,{}\n2,0.2,0,{}\n",
            170f64.to_radians(),
            190f64.to_radians()
        ),
    );
    let bound =
        |file: &str| cell.json(&["check", "m.toml", file, "--min-distance"], 0)["min_distance"]["lower"].as_f64();
    let [a, b] = ["p.json", "p.csv"].map(|file| bound(file).expect("a bound"));
    assert!((a - b).abs() < 1e-9, "{a} {b}");
    let refused = |text: String| {
        cell.write("bad.json", &text);
        cell.refusal(&["check", "m.toml", "bad.json"])
    };
    let message_of_half = refused(message("", &[turned(0.0, 0.0), turned(0.2, 180.0)]));
    assert!(message_of_half.contains("waypoint 1") && message_of_half.contains("turns by 180°"), "{message_of_half}");
    let raised = refused(message("", &[[0.0, 0.0, 0.1, 1.0, 0.0]]));
    assert!(raised.contains("the planar joint \"world_joint\" cannot reach z = 0.1"), "{raised}");
    let timed = message(",\"velocities\":[0]", &[turned(0.0, 0.0), turned(0.2, 0.0)]);
    let timed = timed.replacen("time_from_start\":0", "time_from_start\":1", 2).replacen("_start\":1", "_start\":0", 1);
    let refusal = refused(timed);
    assert!(
        refusal.contains("the base moves by transforms") && refusal.contains("--interpolation linear"),
        "{refusal}"
    );
    cell.json(&["check", "m.toml", "bad.json", "--interpolation", "linear"], 0);
}
