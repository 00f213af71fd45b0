use super::*;
use crate::scene::{BodyShape, Reason, Role};

/// Base (fixed to the world) – j1 – upper – j2 – lower – fixed – tool; finger mimics j2.
const URDF: &str = "<robot name='two'>
  <link name='base'><collision><geometry><box size='1 1 1'/></geometry></collision></link>
  <link name='upper'><collision><geometry><sphere radius='0.1'/></geometry></collision>
    <collision><origin xyz='0 0 1'/><geometry><mesh filename='package://two_support/meshes/tetra.stl' scale='1 1 -2'/></geometry></collision>
    <visual><geometry><mesh filename='meshes/tetra.stl'/></geometry></visual></link>
  <link name='lower'><collision><geometry><cylinder radius='0.1' length='1'/></geometry></collision></link>
  <link name='tool'/>
  <link name='finger'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>
  <joint name='j1' type='revolute'><parent link='base'/><child link='upper'/><limit lower='-1' upper='1'/></joint>
  <joint name='j2' type='continuous'><parent link='upper'/><child link='lower'/></joint>
  <joint name='weld' type='fixed'><parent link='lower'/><child link='tool'/></joint>
  <joint name='grip' type='prismatic'><parent link='tool'/><child link='finger'/><limit lower='0' upper='1'/>
    <mimic joint='j2' multiplier='0.5'/></joint>
</robot>";

const SRDF: &str = "<robot name='two'><group name='g'><chain base_link='base' tip_link='tool'/></group>
  <virtual_joint name='v' type='floating' parent_frame='world' child_link='base'/>
  <group_state name='home' group='g'><joint name='j1' value='0.5'/><joint name='j2' value='-0.25'/></group_state>
  <disable_collisions link1='base' link2='lower' reason='Never'/></robot>";

const TETRA: &str = "solid t
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet
facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet
endsolid t\n";

fn files() -> Memory {
    Memory::new()
        .with("cell/two_support/two.urdf", URDF)
        .with("cell/two_support/two.srdf", SRDF)
        .with("cell/two_support/meshes/tetra.stl", TETRA)
        .with("cell/empty.stl", "solid x\nendsolid x\n")
        .with("cell/arm.xacro", "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:a/></robot>")
}

const ROBOT: &str = "[[robots]]\nname = \"arm\"\nurdf = \"two_support/two.urdf\"\n";

fn load(text: &str) -> Result<LoadedScene, FormatError> {
    parse(text, Path::new("cell/scene.toml"), &files())
}

fn names(scene: &Scene) -> Vec<(&str, &str)> {
    let name = |body: usize| scene.bodies()[body].name.as_str();
    scene.pairs().iter().map(|pair| (name(pair.a), name(pair.b))).collect()
}

fn reason(scene: &Scene, a: &str, b: &str) -> Option<Reason> {
    scene.reason(scene.body(a).unwrap(), scene.body(b).unwrap())
}

#[test]
fn a_whole_scene_is_read_with_the_default_pairs_of_the_contract() {
    let text = format!(
        "clearance = 0.002\n{ROBOT}srdf = \"two_support/two.srdf\"\nxyz = [1, 0, 0]\npositions = {{ j2 = 0.125 }}\nbounds = {{ j2 = [-3, 3] }}
[[obstacles]]\nname = \"table\"\nbox = [1, 1, 1]\nxyz = [5, 0, 0]
[[obstacles]]\nname = \"ground\"\nplane = [0, 0, 2]
[[obstacles]]\nname = \"rod\"\ncylinder = [0.01, 1.5]\nattach = \"arm/tool\"\ntouch = [\"arm/finger\"]
[[pairs]]\nbodies = [\"table\", \"arm/lower\"]\nclearance = 0.01
[[pairs]]\nbodies = [\"arm/upper\", \"ground\"]\ncheck = false
[[pairs]]\nbodies = [\"arm/base\", \"arm/upper\"]\ncheck = true\n"
    );
    let loaded = load(&text).unwrap_or_else(|error| panic!("{error}"));
    let scene = &loaded.scene;
    let bodies: Vec<&str> = scene.bodies().iter().map(|body| body.name.as_str()).collect();
    assert_eq!(bodies, ["arm/base", "arm/upper", "arm/lower", "arm/finger", "table", "ground", "rod"]);
    assert_eq!(
        names(scene),
        [
            ("arm/base", "arm/upper"), // forced
            ("arm/base", "arm/finger"),
            ("arm/base", "rod"),
            ("arm/upper", "arm/finger"),
            ("arm/upper", "table"),
            ("arm/upper", "rod"),
            ("arm/lower", "arm/finger"),
            ("arm/lower", "table"),
            ("arm/lower", "ground"),
            ("arm/finger", "table"),
            ("arm/finger", "ground"),
            ("table", "rod"),
            ("ground", "rod"),
        ]
    );
    assert_eq!(reason(scene, "arm/base", "table"), Some(Reason::CannotMove));
    assert_eq!(reason(scene, "ground", "table"), Some(Reason::CannotMove));
    assert_eq!(reason(scene, "arm/upper", "arm/lower"), Some(Reason::Adjacent { joint: "arm/j2".into() }));
    assert_eq!(reason(scene, "arm/base", "arm/lower"), Some(Reason::Srdf { reason: "Never".into() }));
    assert_eq!(reason(scene, "rod", "arm/lower"), Some(Reason::AttachedOrTouch), "rigid with its link");
    assert_eq!(reason(scene, "rod", "arm/finger"), Some(Reason::AttachedOrTouch), "touch");
    assert_eq!(reason(scene, "arm/upper", "ground"), Some(Reason::Exception));
    let own: Vec<f64> = scene.pairs().iter().filter(|pair| pair.has_own_clearance).map(|pair| pair.clearance).collect();
    assert_eq!((own, scene.pairs()[0].clearance, scene.tolerance()), (vec![0.01], 0.002, 0.001));
    assert_eq!(scene.bodies()[6].role, Role::Attached);
    assert_eq!(scene.model().links()[scene.bodies()[6].link].name, "arm/tool");
    assert_eq!(scene.model().variables()[1].limits, Some((-3.0, 3.0)));
    assert_eq!(scene.positions(), [None, Some(0.125)]);
    assert_eq!(scene.state("home").unwrap().unwrap(), [0.5, -0.25]);
    assert!(matches!(scene.bodies()[5].shape, BodyShape::HalfSpace { normal } if normal == crate::numeric::DVec3::Z));
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert!(
        loaded.notes.iter().any(|note| note.contains("links without geometry, not checked: tool")),
        "{:?}",
        loaded.notes
    );
}

#[test]
fn another_default_clearance_leaves_a_pairs_own() {
    let text = format!(
        "{ROBOT}[[obstacles]]\nname = \"t\"\nbox = [1, 1, 1]\n[[pairs]]\nbodies = [\"t\", \"arm/lower\"]\nclearance = 0.01\n"
    );
    let scene = load(&text).unwrap().scene.with_clearance(0.5).unwrap();
    assert!(scene.pairs().iter().all(|pair| pair.clearance == if pair.has_own_clearance { 0.01 } else { 0.5 }));
    assert!(scene.clone().with_clearance(f64::NAN).is_err() && scene.with_tolerance(-1.0).is_err());
}

#[test]
fn a_mirrored_mesh_keeps_its_outside_outside() {
    let scene = load(ROBOT).unwrap().scene;
    let BodyShape::Parts(body) = &scene.bodies()[1].shape else { panic!("a plane") };
    let corner = |v: u32| body.vertices()[v as usize] + body.centre();
    let volumes = body.triangles().iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0);
    let volume: f64 = volumes.sum();
    assert!((volume - 2.0 / 6.0).abs() < 1e-12, "{volume}");
    assert_eq!(scene.bodies()[1].shape.summary().to_string(), "solid + convex");
    let lowest = body.vertices().iter().map(|v| v.z + body.centre().z).fold(f64::INFINITY, f64::min);
    assert_eq!(lowest, -1.0, "scaled by −2 and placed at 1");
}

#[test]
fn links_of_two_robots_are_checked_against_each_other_where_they_can_move() {
    let two = format!("{ROBOT}{}", ROBOT.replace("\"arm\"", "\"other\""));
    let scene = load(&two).unwrap().scene;
    let names = names(&scene);
    assert!(names.contains(&("arm/base", "other/upper")) && names.contains(&("arm/upper", "other/upper")));
    assert_eq!(reason(&scene, "arm/base", "other/base"), Some(Reason::CannotMove));
    assert_eq!(scene.model().variables().len(), 4);
}

#[test]
fn visual_geometry_replaces_collision_geometry_on_request() {
    let loaded = load(&format!("{ROBOT}geometry = \"visual\"\n")).unwrap();
    let bodies: Vec<&str> = loaded.scene.bodies().iter().map(|body| body.name.as_str()).collect();
    assert_eq!(bodies, ["arm/upper"]);
    assert!(loaded.warnings[0].contains("\"base\" has collision geometry but no visual"), "{:?}", loaded.warnings);
}

#[test]
fn packages_are_found_by_the_scenes_map_by_folder_name_and_by_manifest() {
    let urdf = "<robot name='r'><link name='l'><collision><geometry><mesh filename='package://pkg/m/t.stl'/></geometry></collision></link></robot>";
    let scene = |more: &str| format!("[[robots]]\nname = \"r\"\nurdf = \"a/b/r.urdf\"\n{more}");
    let base = Memory::new().with("a/b/r.urdf", urdf);
    let cases = [
        (base.clone().with("else/m/t.stl", TETRA), "packages = { pkg = \"else\" }\n"),
        (base.clone().with("a/pkg/m/t.stl", TETRA), ""),
        (base.clone().with("a/m/t.stl", TETRA).with("a/package.xml", "<package><name>pkg</name></package>"), ""),
    ];
    for (files, more) in cases {
        let loaded = parse(&scene(more), Path::new("s.toml"), &files).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(loaded.sources[0].triangles, 4);
    }
    let error = parse(&scene(""), Path::new("s.toml"), &base).unwrap_err().to_string();
    assert!(
        error.contains("\"pkg\"")
            && error.contains("packages = {")
            && error.contains("<collision> in <link name=\"l\">"),
        "{error}"
    );
}

#[test]
fn bad_scenes_are_refused_with_file_place_and_remedy() {
    let obstacle = |body: &str| format!("{ROBOT}\n[[obstacles]]\nname = \"o\"\n{body}\n");
    let pair = |body: &str| format!("{ROBOT}\n[[pairs]]\n{body}\n");
    let cases: Vec<(String, &[&str])> = vec![
        (String::new(), &["neither robots nor obstacles"]),
        (format!("colour = 1\n{ROBOT}"), &["line 1", "unknown field `colour`"]),
        (format!("{ROBOT}urfd = 1"), &["line 4", "unknown field `urfd`"]),
        (format!("clearance = \"x\"\n{ROBOT}"), &["line 1", "invalid type"]),
        (format!("clearance = nan\n{ROBOT}"), &["clearance", "finite"]),
        (format!("tolerance = -1\n{ROBOT}"), &["tolerance", "at least 0"]),
        (format!("{ROBOT}{ROBOT}"), &["second robot", "[[robots]] \"arm\"", "key name"]),
        (ROBOT.replace("two.urdf", "no.urdf"), &["key urdf", "no.urdf is not there", "correct the name"]),
        (format!("{ROBOT}srdf = \"no.srdf\""), &["key srdf", "not there"]),
        (
            ROBOT.replace("two_support/two.urdf", "arm.xacro"),
            &["cell/arm.xacro", "xacro file", "`xacro cell/arm.xacro -o cell/arm.urdf`"],
        ),
        (ROBOT.replace("arm", "a/b"), &["cannot be a name"]),
        (format!("{ROBOT}xyz = [0, 0]"), &["line 4", "length"]),
        (format!("{ROBOT}rpy = [0, 0, inf]"), &["key rpy", "not a finite number"]),
        (format!("{ROBOT}geometry = \"both\""), &["unknown variant `both`", "line 4"]),
        (format!("{ROBOT}positions = {{ j9 = 1 }}"), &["key positions", "no joint \"j9\"", "did you mean \"j1\"?"]),
        (format!("{ROBOT}positions = {{ grip = 1 }}"), &["mimic joint", "\"j2\""]),
        (format!("{ROBOT}positions = {{ weld = 1 }}"), &["fixed joint"]),
        (format!("{ROBOT}positions = {{ j1 = nan }}"), &["key positions", "finite"]),
        (format!("{ROBOT}bounds = {{ j1 = [0, 1] }}"), &["key bounds", "limits in the URDF already"]),
        (format!("{ROBOT}bounds = {{ j2 = [1, 0] }}"), &["lower one first"]),
        (obstacle(""), &["line 5, [[obstacles]] \"o\"", "no shape", "exactly one of box"]),
        (obstacle("sphere = 1\nbox = [1, 1, 1]"), &["several shapes", "box, sphere"]),
        (obstacle("sphere = 0"), &["key sphere", "greater than 0"]),
        (obstacle("plane = [0, 0, 0]"), &["key plane", "length 0"]),
        (obstacle("plane = [0, 0, 1]\nattach = \"arm/tool\""), &["key plane", "cannot be attached"]),
        (obstacle("mesh = \"no.stl\""), &["key mesh", "no.stl", "not there"]),
        (obstacle("mesh = \"empty.stl\""), &["cell/empty.stl"]),
        (obstacle("mesh = \"http://x/y.stl\""), &["http://", "relative path"]),
        (obstacle("mesh = \"two_support/meshes/tetra.stl\"\nscale = [1, 0, 1]"), &["key scale", "flattens"]),
        (obstacle("sphere = 1\nscale = [1, 1, 1]"), &["key scale", "only a mesh"]),
        (
            obstacle("sphere = 1\nattach = \"arm/tol\""),
            &["key attach", "no link \"arm/tol\"", "did you mean \"arm/tool\"?"],
        ),
        (obstacle("sphere = 1\nattach = \"world\""), &["key attach"]),
        (obstacle("sphere = 1\ntouch = [\"arm/tool\"]"), &["key touch", "attached"]),
        (obstacle("sphere = 1\nattach = \"arm/tool\"\ntouch = [\"arm/x\"]"), &["key touch", "\"arm/x\""]),
        (obstacle("sphere = 1\n[[obstacles]]\nname = \"o\"\nsphere = 1"), &["second obstacle"]),
        (pair("bodies = [\"arm/base\", \"arm/lower\"]"), &["[[pairs]]", "neither clearance nor check"]),
        (
            pair("bodies = [\"arm/base\", \"arm/lover\"]\ncheck = true"),
            &["key bodies", "\"arm/lover\"", "did you mean \"arm/lower\"?"],
        ),
        (pair("bodies = [\"arm/base\", \"arm/tool\"]\ncheck = true"), &["no geometry to check"]),
        (pair("bodies = [\"arm/base\"]\ncheck = true"), &["length"]),
        (pair("bodies = [\"arm/base\", \"arm/base\"]\ncheck = true"), &["same body"]),
        (pair("bodies = [\"arm/base\", \"arm/lower\"]\ncheck = false\nclearance = 1"), &["key check", "leave one"]),
        (
            pair(
                "bodies = [\"arm/base\", \"arm/lower\"]\ncheck = true\n[[pairs]]\nbodies = [\"arm/lower\", \"arm/base\"]\ncheck = false",
            ),
            &["second entry"],
        ),
        (
            pair("bodies = [\"arm/base\", \"arm/upper\"]\nclearance = -0.01"),
            &["negative clearance", "convex pieces only", "\"arm/upper\"", "model \"arm/upper\" by primitives"],
        ),
        (format!("clearance = -0.01\n{ROBOT}"), &["negative clearance", "\"arm/upper\""]),
    ];
    for (text, parts) in cases {
        let error = match load(&text) {
            Ok(_) => panic!("accepted:\n{text}"),
            Err(error) => error.to_string(),
        };
        assert!(error.starts_with("cell/"), "{error}");
        for part in parts {
            assert!(error.contains(part), "{part:?} is not in: {error}\n{text}");
        }
    }
}

#[test]
fn deep_nesting_ends_in_an_error() {
    assert!(load(&format!("{ROBOT}\nx = {}", "[".repeat(500_000))).is_err());
    assert!(load(&format!("{ROBOT}\nx = {}", "{ a = ".repeat(200_000))).is_err());
    assert!(load(&format!("{ROBOT}\n[{}]", "a.".repeat(200_000))).is_err());
    let error = load(&format!("{ROBOT}\nx = {}", "[".repeat(9 << 20))).unwrap_err().to_string();
    assert!(error.contains("larger than 8 MB"), "{error}");
}

#[test]
fn negative_clearance_between_convex_pieces_is_accepted() {
    let text = format!("{ROBOT}\n[[pairs]]\nbodies = [\"arm/base\", \"arm/lower\"]\nclearance = -0.01\n");
    assert!(load(&text).unwrap().scene.pairs().iter().any(|pair| pair.clearance == -0.01));
}

#[test]
fn bad_srdf_files_are_refused_with_file_element_and_remedy() {
    let cases = [
        ("<disable_collisions link1='base' link2='x'/>", "link2=\"x\""),
        ("<disable_collisions link1='base' link2='base'/>", "same link"),
        ("<disable_collisions link1='base'/>", "\"link2\" is missing"),
        ("<group name='g'><link name='x'/></group>", "name=\"x\""),
        ("<group name='g'><chain base_link='base' tip_link='x'/></group>", "tip_link=\"x\""),
        ("<end_effector name='e' parent_link='x'/>", "parent_link=\"x\""),
        ("<group_state name='s' group='g'><joint name='x' value='0'/></group_state>", "no joint \"x\""),
        ("<group_state name='s' group='g'><joint name='j1' value='nan'/></group_state>", "not a finite number"),
        ("<group_state name='s' group='g'><joint name='j1' value='1 2'/></group_state>", "2 numbers where 1"),
    ];
    for (inside, part) in cases {
        let files = files().with("cell/bad.srdf", format!("<robot name='two'>\n{inside}</robot>"));
        let text = format!("{ROBOT}srdf = \"bad.srdf\"\n");
        let error = parse(&text, Path::new("cell/scene.toml"), &files).unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.starts_with("cell/bad.srdf: line 2, <") && shown.contains(part) && !error.remedy.is_empty(),
            "{shown}"
        );
    }
}

#[test]
fn srdf_defaults_can_be_switched_off_and_on_by_link() {
    let srdf =
        "<robot name='two'><disable_default_collisions link='finger'/><enable_collisions link1='finger' link2='upper'/>
        <passive_joint name='grip'/><spam/></robot>";
    let files = files().with("cell/x.srdf", srdf);
    let loaded = parse(&format!("{ROBOT}srdf = \"x.srdf\"\n"), Path::new("cell/scene.toml"), &files).unwrap();
    assert!(matches!(reason(&loaded.scene, "arm/finger", "arm/base"), Some(Reason::Srdf { .. })));
    assert_eq!(reason(&loaded.scene, "arm/finger", "arm/upper"), None);
    assert!(loaded.warnings.len() == 1 && loaded.warnings[0].contains("<spam>"), "{:?}", loaded.warnings);
}

/// A text with a few bytes removed, repeated, or replaced by what the formats use.
fn damaged(text: &str, random: &mut crate::numeric::Random) -> String {
    const WORDS: [&str; 16] =
        ["<", ">", "/>", "\"", "'", "nan", "-1e999", "0", "[", "]", "=", "\n", "joint", "link", "name", "\u{fffd}"];
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(characters.len());
        let end = (at + random.below(12)).min(characters.len());
        match random.below(4) {
            0 => drop(characters.drain(at..end)),
            1 => {
                let piece: Vec<char> = characters[at..end].to_vec();
                characters.splice(at..at, piece);
            }
            2 => drop(characters.splice(at..end, WORDS[random.below(WORDS.len())].chars())),
            _ => characters.truncate(characters.len() - random.below(3)),
        }
        if characters.is_empty() {
            characters.push(' ');
        }
    }
    characters.into_iter().collect()
}

#[test]
fn damaged_files_are_read_or_refused_in_one_line_but_never_panic() {
    use crate::formats::path_file::{PathFormat, PathSettings, parse as parse_path};
    let scene_text = format!(
        "{ROBOT}srdf = \"two_support/two.srdf\"\npositions = {{ j2 = 0.125 }}\n[[obstacles]]\nname = \"rod\"\ncylinder = [0.01, 1.5]
attach = \"arm/tool\"\ntouch = [\"arm/finger\"]\n[[pairs]]\nbodies = [\"rod\", \"arm/lower\"]\nclearance = 0.01\n"
    );
    let scene = load(&scene_text).unwrap().scene;
    let json = "{\"joint_names\":[\"j1\",\"j2\"],\"points\":[{\"positions\":[0.5,1],\"velocities\":[1,2]},{\"positions\":[0.25,0.5]}]}";
    let yaml =
        "joint_trajectory:\n  joint_names: [j1, j2]\n  points:\n    - positions: [0.5, 1]\n      velocities: [0, 0]\n";
    let paths = [("j1,j2\n0.5,0.25\n0,1e-3\n", PathFormat::Csv), (json, PathFormat::Json), (yaml, PathFormat::Yaml)];
    let mut random = crate::numeric::Random::new(3);
    let mut accepted = [0; 6];
    for _ in 0..1_500 {
        let cases = [
            load(&damaged(&scene_text, &mut random)).map(drop),
            parse(
                &scene_text,
                Path::new("cell/scene.toml"),
                &files().with("cell/two_support/two.urdf", damaged(URDF, &mut random)),
            )
            .map(drop),
            parse(
                &scene_text,
                Path::new("cell/scene.toml"),
                &files().with("cell/two_support/two.srdf", damaged(SRDF, &mut random)),
            )
            .map(drop),
        ];
        let read = |(text, format): (&str, PathFormat), random: &mut crate::numeric::Random| {
            parse_path(&damaged(text, random), Path::new("p"), format, &scene, PathSettings::default()).map(drop)
        };
        let cases = cases.into_iter().chain(paths.map(|path| read(path, &mut random)));
        for (count, case) in accepted.iter_mut().zip(cases) {
            match case {
                Ok(()) => *count += 1,
                Err(error) => assert!(!error.to_string().contains('\n') && !error.problem.is_empty(), "{error}"),
            }
        }
    }
    println!(
        "accepted of 1500: scene {}, urdf {}, srdf {}, csv {}, json {}, yaml {}",
        accepted[0], accepted[1], accepted[2], accepted[3], accepted[4], accepted[5]
    );
    assert!(accepted.iter().all(|count| *count > 0 && *count < 1_500), "{accepted:?}");
}
