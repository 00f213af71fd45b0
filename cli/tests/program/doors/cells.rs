//! Small cells with distances in closed form: a slide, an arm that turns without end, a cart and a drone.

use crate::cell::Cell;

/// A robot among obstacles, and how far its nearest pair is apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// The cell of all tests: the ball touches the wall at 0.89 and the post at −0.6.
    Slide,
    /// The same with a ball of 5 cm held 20 cm ahead, which may touch the wall or not.
    Held { may_touch: bool },
    /// The same ball as an obstacle there, until `--attach` gives it to the robot at 0.
    Given { may_touch: bool },
    /// A ball of 10 cm, 1 m from the axis of a continuous joint, and a post as large at this angle.
    Turn { post: f64 },
    /// A ball of 10 cm, 0.5 m ahead of the middle of a planar joint, and a post of 10 cm at (1, 0.6).
    Cart,
    /// The same on a floating joint, and a post at (1, 0.6, 0.3).
    Drone,
}

const SPHERE: &str = "<collision><origin xyz='{at}'/><geometry><sphere radius='0.1'/></geometry></collision>";

impl Place {
    /// Names of the variables, as messages write them.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Slide | Self::Held { .. } | Self::Given { .. } => &["slide"],
            Self::Turn { .. } => &["turn"],
            Self::Cart => &["drive.x", "drive.y", "drive.theta"],
            Self::Drone => &["fly.x", "fly.y", "fly.z", "fly.qx", "fly.qy", "fly.qz", "fly.qw"],
        }
    }

    /// True for joints that run straight whatever the velocities: the drone's yaw turns along the shortest arc.
    pub(super) fn is_straight(self, joint: usize) -> bool {
        self == Self::Drone && joint == 3
    }

    /// A configuration (or its rates) as messages have it: the drone's yaw becomes a quaternion (without rates).
    pub(super) fn written(self, q: &[f64], is_rate: bool) -> Vec<f64> {
        match (self, is_rate) {
            (Self::Drone, false) => [&q[..3], &[0.0, 0.0, (q[3] / 2.0).sin(), (q[3] / 2.0).cos()]].concat(),
            (Self::Drone, true) => [&q[..3], &[0.0; 4]].concat(),
            _ => q.to_vec(),
        }
    }

    /// Writes its files beside those of the slide.
    pub(super) fn write(self, cell: &Cell) {
        let tool = |attach: &str, xyz: &str, may_touch: bool| {
            let touch = if may_touch { "touch = [\"wall\"]\n" } else { "" };
            format!("\n[[obstacles]]\nname = \"tool\"\nsphere = 0.05\nxyz = {xyz}\n{attach}{touch}")
        };
        let scene = std::fs::read_to_string(cell.folder.join("cell.toml")).expect("the cell is there");
        let robot = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n";
        let post = |xyz: String| format!("{robot}\n[[obstacles]]\nname = \"post\"\nsphere = 0.1\nxyz = {xyz}\n");
        let moved = |kind: &str, at: &str, name: &str| {
            let sphere = SPHERE.replace("{at}", at);
            format!(
                "<robot name='r'><link name='base'/><link name='ball'>{sphere}</link><joint name='{name}' type='{kind}'>\
                 <parent link='base'/><child link='ball'/><axis xyz='0 0 1'/></joint></robot>"
            )
        };
        let (urdf, scene) = match self {
            Self::Slide => return,
            Self::Held { may_touch } => {
                cell.write("cell.toml", &(scene + &tool("attach = \"r/ball\"\n", "[0.2, 0, 0]", may_touch)));
                return;
            }
            Self::Given { may_touch } => {
                cell.write("cell.toml", &(scene + &tool("", "[0.2, 0, 0]", may_touch)));
                return;
            }
            Self::Turn { post: angle } => {
                (moved("continuous", "1 0 0", "turn"), post(format!("[{}, {}, 0]", angle.cos(), angle.sin())))
            }
            Self::Cart => (moved("planar", "0.5 0 0", "drive"), post("[1, 0.6, 0]".into())),
            Self::Drone => (moved("floating", "0.5 0 0", "fly"), post("[1, 0.6, 0.3]".into())),
        };
        cell.write("r.urdf", &urdf);
        cell.write("cell.toml", &scene);
    }

    /// The distance of the nearest checked pair.
    pub(super) fn distance(self, q: &[f64]) -> f64 {
        let slide = |x: f64| f64::min(0.89 - x, (x + 0.8).abs() - 0.2);
        // Its own post is 0.05 + 0.1 away from touching, and the wall 0.05.
        let tool = |x: f64, may_touch: bool| {
            let wall = if may_touch { f64::INFINITY } else { 0.94 - (x + 0.2) };
            f64::min(wall, (x + 1.0).abs() - 0.15)
        };
        let apart = |[x, y, z]: [f64; 3], [a, b, c]: [f64; 3]| {
            ((x - a).powi(2) + (y - b).powi(2) + (z - c).powi(2)).sqrt() - 0.2
        };
        match self {
            Self::Slide => slide(q[0]),
            Self::Held { may_touch } | Self::Given { may_touch } => f64::min(slide(q[0]), tool(q[0], may_touch)),
            Self::Turn { post } => apart([q[0].cos(), q[0].sin(), 0.0], [post.cos(), post.sin(), 0.0]),
            Self::Cart => apart([q[0] + 0.5 * q[2].cos(), q[1] + 0.5 * q[2].sin(), 0.0], [1.0, 0.6, 0.0]),
            Self::Drone => apart([q[0] + 0.5 * q[3].cos(), q[1] + 0.5 * q[3].sin(), q[2]], [1.0, 0.6, 0.3]),
        }
    }
}
