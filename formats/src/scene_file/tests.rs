use super::*;
use pathproof::scene::{BodyShape, CheckedPair, PairKind, Reason, Role};

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
  <virtual_joint name='v' type='fixed' parent_frame='world' child_link='base'/>
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
        "clearance = 0.002\nself_clearance = 0.004\n{ROBOT}srdf = \"two_support/two.srdf\"\nxyz = [1, 0, 0]\npositions = {{ j2 = 0.125 }}\nbounds = {{ j2 = [-3, 3] }}
[[obstacles]]\nname = \"table\"\nbox = [1, 1, 1]\nxyz = [2, 0, 0]
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
    assert_eq!((own, scene.tolerance()), (vec![0.01], 0.001));
    let kept = |pair: &&CheckedPair| !pair.has_own_clearance;
    let default = |kind| if kind == PairKind::World { 0.002 } else { 0.004 };
    assert!(scene.pairs().iter().filter(kept).all(|pair| pair.clearance == default(pair.kind)));
    assert_eq!(scene.pairs()[0].kind, PairKind::OwnLinks);
    assert_eq!(scene.bodies()[6].role, Role::Attached);
    assert_eq!(scene.model().links()[scene.bodies()[6].link].name, "arm/tool");
    assert_eq!(scene.model().variables()[1].limits, Some((-3.0, 3.0)));
    assert_eq!(scene.positions(), [None, Some(0.125)]);
    assert_eq!(scene.state("home").unwrap().unwrap(), [0.5, -0.25]);
    assert!(
        matches!(scene.bodies()[5].shape, BodyShape::HalfSpace { normal } if normal == pathproof::numeric::DVec3::Z)
    );
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
        "self_clearance = 0.02\n{ROBOT}[[obstacles]]\nname = \"t\"\nbox = [1, 1, 1]\n[[pairs]]\nbodies = [\"t\", \"arm/lower\"]\nclearance = 0.01\n"
    );
    let scene = load(&text).unwrap().scene.with_clearance(0.5).unwrap();
    let expected = |pair: &CheckedPair| match (pair.has_own_clearance, pair.kind) {
        (true, _) => 0.01,
        (false, PairKind::World) => 0.5,
        (false, PairKind::OwnLinks) => 0.02,
    };
    assert!(scene.pairs().iter().all(|pair| pair.clearance == expected(pair)));
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
    let told = "3 links have collision geometry but no visual geometry and are not checked: base, lower, finger";
    assert!(loaded.warnings.len() == 1 && loaded.warnings[0].contains(told), "{:?}", loaded.warnings);
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

/// Regression: `package:///etc/x` was looked for at the root of the disk, and `..` led out of every package.
#[test]
fn an_address_names_a_file_inside_its_package() {
    let load = |uri: &str, more: &str| {
        let urdf = format!(
            "<robot name='r'><link name='l'><collision><geometry><mesh filename='{uri}'/></geometry></collision></link></robot>"
        );
        let files = ["secret/t.stl", "t.stl", "a/b/pkg/m/t.stl", "a/t.stl", "a/b/t.stl"]
            .into_iter()
            .fold(Memory::new().with("a/b/r.urdf", urdf), |files, name| files.with(name, TETRA));
        let text = format!("[[robots]]\nname = \"r\"\nurdf = \"a/b/r.urdf\"\n{more}");
        parse(&text, Path::new("s.toml"), &files).map(|loaded| loaded.sources[0].files[0].clone())
    };
    let inside = "a/b/pkg/m/t.stl";
    for uri in
        ["package://pkg/m/t.stl", "model://pkg//m/t.stl", "package://pkg/./m/t.stl", "package://pkg/x/../m/t.stl"]
    {
        for more in ["", "packages = { pkg = \"a/b/pkg\" }\n"] {
            assert_eq!(load(uri, more).unwrap_or_else(|error| panic!("{error}")), Path::new(inside), "{uri}");
        }
    }
    for (uri, told) in [
        (
            "package:///secret/t.stl",
            "names no package, and nothing outside of packages is read; write package://NAME/PATH",
        ),
        ("package://../t.stl", "names no package"),
        ("model://./t.stl", "names no package"),
        ("package://pkg/../t.stl", "leaves the package \"pkg\"; name a file inside the package"),
        ("package://pkg/m/../../../t.stl", "leaves the package"),
    ] {
        for more in ["", "packages = { pkg = \"a/b/pkg\" }\n"] {
            let message = load(uri, more).unwrap_err().to_string();
            assert!(message.contains(&format!("the address {uri:?} {told}")), "{message}");
        }
    }
}

#[test]
fn bad_scenes_are_refused_with_file_place_and_remedy() {
    let obstacle = |body: &str| format!("{ROBOT}\n[[obstacles]]\nname = \"o\"\n{body}\n");
    let pair = |body: &str| format!("{ROBOT}\n[[pairs]]\n{body}\n");
    let cases: Vec<(String, &[&str])> = vec![
        (String::new(), &["neither robots nor obstacles"]),
        (format!("colour = 1\n{ROBOT}"), &["line 1", "unknown field `colour`"]),
        (format!("{ROBOT}urfd = 1"), &["line 4", "unknown field `urfd`"]),
        (format!("clearance = \"x\"\n{ROBOT}"), &["line 1", "is not a number, with or without a unit"]),
        (format!("clearance = nan\n{ROBOT}"), &["clearance", "finite"]),
        (format!("self_clearance = inf\n{ROBOT}"), &["clearance", "finite"]),
        (format!("tolerance = -1\n{ROBOT}"), &["tolerance", "at least 0"]),
        (format!("{ROBOT}{ROBOT}"), &["second robot", "[[robots]] \"arm\"", "key name"]),
        (ROBOT.replace("two.urdf", "no.urdf"), &["key urdf", "no.urdf is not there", "correct the name"]),
        (format!("{ROBOT}srdf = \"no.srdf\""), &["key srdf", "not there"]),
        (
            ROBOT.replace("two_support/two.urdf", "arm.xacro"),
            &["cell/arm.xacro", "xacro file", "`xacro cell/arm.xacro -o cell/arm.urdf`"],
        ),
        (ROBOT.replace("arm", "a/b"), &["cannot be a name"]),
        (ROBOT.replace("arm", "a*"), &["\"a*\" cannot be a name", "any letters"]),
        (
            "[[obstacles]]\nname = \"*\"\nsphere = 1\n".to_owned(),
            &["[[obstacles]] \"*\", key name", "cannot be a name"],
        ),
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
        (obstacle("sphere = 1\nattach = \"arm/tool\"\ntouch = [\"arm/*\"]"), &["key touch", "several bodies"]),
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
        (pair("bodies = [\"arm/lo*\", \"arm/lower\"]\ncheck = true"), &["same body"]),
        (pair("bodies = [\"arm/x*\", \"arm/lower\"]\ncheck = true"), &["nothing is called \"arm/x*\""]),
        (pair("bodies = [\"arm/to*\", \"arm/lower\"]\ncheck = true"), &["no geometry to check"]),
        (
            pair("bodies = [\"arm/base\", \"arm/upper\"]\nclearance = -0.01"),
            &["negative clearance", "convex pieces only", "\"arm/upper\"", "model \"arm/upper\" by primitives"],
        ),
        (format!("self_clearance = -0.01\n{ROBOT}"), &["negative clearance", "\"arm/upper\""]),
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
        ("<disable_collisions link1='base'/>", "\"link2\" is missing"),
        ("<group_state name='s' group='g'><joint name='j1' value='nan'/></group_state>", "not a finite number"),
        (
            "<group_state name='s'><joint name='j1' value='0'/><joint name='j1' value='1'/></group_state>",
            "second value",
        ),
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

/// Regression: one SRDF serves several variants of a robot; 17 of 36 real ones were refused.
#[test]
fn names_that_an_srdf_has_and_the_urdf_has_not_are_told_and_skip_nothing() {
    let plain = load(ROBOT).unwrap().scene;
    let srdf = "<robot name='two'>
        <disable_collisions link1='base' link2='x'/><disable_collisions link1='y' link2='x'/><disable_collisions link1='base' link2='base'/>
        <group name='g'><link name='x'/><joint name='root_joint'/><chain base_link='base' tip_link='z'/></group>
        <end_effector name='e' parent_link='x' group='g'/><disable_default_collisions link='x'/>
        <virtual_joint name='v' type='floating' parent_frame='world' child_link='x'/>
        <group_state name='s' group='g'><joint name='root_joint' value='0 0 0 0 0 0 1'/><joint name='j1' value='0.5'/>
        <joint name='j2' value='1 0'/></group_state></robot>";
    let files = files().with("cell/x.srdf", srdf);
    let loaded = parse(&format!("{ROBOT}srdf = \"x.srdf\"\n"), Path::new("cell/scene.toml"), &files).unwrap();
    assert_eq!(loaded.scene.pairs(), plain.pairs());
    let warnings = loaded.warnings.join("\n");
    for part in [
        "3 links (x, y, z), named 8 times, first at line 5, <virtual_joint name=\"v\">",
        "1 joints (root_joint), named 2 times",
        "skips nothing",
        "the same link; ignored",
        "2 values where the joint has 1",
    ] {
        assert!(warnings.contains(part), "{part:?} is not in\n{warnings}");
    }
    assert_eq!(loaded.warnings.len(), 4, "{warnings}");
    assert!(loaded.scene.state("s").unwrap().unwrap_err().to_string().contains("no value for arm/j2"));
}

#[test]
fn rules_with_wildcards_are_applied_in_order() {
    let rules = |text: &str| {
        let table = "[[obstacles]]\nname = \"table\"\nbox = [1, 1, 1]\nxyz = [5, 0, 0]\n";
        let loaded = load(&format!("{ROBOT}{table}{text}")).unwrap_or_else(|error| panic!("{error}"));
        let pairs: Vec<(String, f64)> = loaded
            .scene
            .pairs()
            .iter()
            .map(|pair| {
                let name = |body: usize| loaded.scene.bodies()[body].name.replace("arm/", "");
                (format!("{}-{}", name(pair.a), name(pair.b)), pair.clearance)
            })
            .collect();
        pairs
    };
    let pair = |a: &str, b: &str, what: &str| format!("[[pairs]]\nbodies = [\"{a}\", \"{b}\"]\n{what}\n");
    let names = |pairs: &[(String, f64)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(" ");
    let all = rules("");
    assert_eq!(names(&all), "base-lower base-finger upper-finger upper-table lower-finger lower-table finger-table");
    // A robot's name means its links.
    for arm in ["arm", "arm/*", "*"] {
        let off = rules(&pair(arm, arm, "check = false"));
        let left = if arm == "*" { "" } else { "upper-table lower-table finger-table" };
        assert_eq!(names(&off), left, "{arm}");
    }
    // A clearance for many changes no decision; later rules win, and a named pair is checked.
    let near = rules(&(pair("*", "*", "clearance = 0.1") + &pair("arm/l*", "table", "clearance = 0.2")));
    assert_eq!(names(&near), names(&all));
    assert!(near.iter().all(|(name, clearance)| *clearance == if name == "lower-table" { 0.2 } else { 0.1 }));
    let order = pair("*", "*", "check = false") + &pair("arm/lower", "table", "clearance = 0.3");
    assert_eq!(rules(&order), [("lower-table".to_owned(), 0.3)]);
    let turned = pair("arm/lower", "table", "clearance = 0.3") + &pair("*", "*", "check = false");
    assert_eq!(names(&rules(&turned)), "");
    // Wildcards select neighbours, but never bodies that cannot move: the base and the table.
    let on = rules(&pair("arm", "*", "check = true"));
    assert_eq!(names(&on).split(' ').count(), all.len() + 2);
    assert!(!names(&on).contains("base-table") && names(&on).contains("base-upper"));
    assert!(names(&rules(&pair("arm/base", "table", "check = true"))).contains("base-table"));
}

#[test]
fn a_urdf_in_place_of_a_scene_is_that_robot_alone() {
    let loaded = parse(URDF, Path::new("cell/two_support/two.urdf"), &files()).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<&str> = loaded.scene.bodies().iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["two/base", "two/upper", "two/lower", "two/finger"]);
    assert_eq!(
        loaded.told,
        ["cell/two_support/two.urdf is checked alone, as \"two\", with cell/two_support/two.srdf beside it"]
    );
    assert!(matches!(reason(&loaded.scene, "two/base", "two/lower"), Some(Reason::Srdf { .. })));
    let odd = URDF.replace("name='two'", "name='a/b'").replace("package://two_support/", "two_support/");
    let files = files().with("cell/odd.urdf", odd.clone());
    let loaded = parse(&odd, Path::new("cell/odd.urdf"), &files).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(loaded.scene.bodies()[0].name, "odd/base", "a name with a slash cannot be one");
    assert!(loaded.told[0].contains("without an SRDF"), "{:?}", loaded.told);
    let broken = odd.replace("<link name='tool'/>", "");
    let files = files.with("cell/odd.urdf", broken.clone());
    let error = parse(&broken, Path::new("cell/odd.urdf"), &files).unwrap_err().to_string();
    assert!(error.starts_with("cell/odd.urdf: line ") && !error.contains("[["), "{error}");
}

#[test]
fn obstacles_out_of_reach_or_of_another_size_are_named_once() {
    let obstacle = |name: &str, shape: &str| format!("[[obstacles]]\nname = \"{name}\"\n{shape}\n");
    let warned = |text: &str| {
        let loaded = load(&format!("{ROBOT}{text}")).unwrap_or_else(|error| panic!("{error}"));
        let told: Vec<String> = loaded.warnings.into_iter().filter(|w| w.contains("are these millimetres?")).collect();
        assert!(told.len() <= 1, "{told:?}");
        told.concat()
    };
    assert_eq!(warned(&obstacle("near", "box = [1, 1, 1]\nxyz = [2, 0, 0]")), "");
    assert_eq!(warned(&obstacle("ground", "plane = [0, 0, 1]")), "");
    let far = obstacle("far", "box = [1, 1, 1]\nxyz = [900, 0, 0]");
    let told = warned(&(far + &obstacle("huge", "box = [1e6, 1, 1]") + &obstacle("tiny", "sphere = 0.0001")));
    for part in ["far (at least 899", "huge (1000000.0 m large", "tiny (0.000200 m large"] {
        assert!(told.contains(part), "{part:?} is not in {told}");
    }
    let many: String = (0..9).map(|i| obstacle(&format!("f{i}"), "sphere = 1\nxyz = [900, 0, 0]")).collect();
    assert!(warned(&many).contains("4 more"), "{}", warned(&many));
    // A joint that slides without end reaches everything.
    let mobile =
        URDF.replace("type='continuous'", "type='floating'").replace("<mimic joint='j2' multiplier='0.5'/>", "");
    let files = files().with("cell/two_support/two.urdf", mobile);
    let scene = format!("{ROBOT}{}", obstacle("far", "box = [1, 1, 1]\nxyz = [900, 0, 0]"));
    let loaded = parse(&scene, Path::new("cell/scene.toml"), &files).unwrap_or_else(|error| panic!("{error}"));
    assert!(!loaded.warnings.join(" ").contains("millimetres"), "{:?}", loaded.warnings);
}

#[test]
fn a_scale_is_one_number_or_three() {
    let size = |scale: &str| {
        let text =
            format!("{ROBOT}[[obstacles]]\nname = \"o\"\nmesh = \"two_support/meshes/tetra.stl\"\nscale = {scale}\n");
        let scene = load(&text).map(|loaded| loaded.scene);
        scene.map(|scene| match &scene.bodies()[4].shape {
            BodyShape::Parts(body) => body.vertices().iter().map(|v| v.z).fold(0.0, f64::max) * 2.0,
            BodyShape::HalfSpace { .. } => panic!("a plane"),
        })
    };
    assert_eq!(size("0.25").unwrap(), size("[0.25, 0.25, 0.25]").unwrap());
    assert_eq!(size("2").unwrap(), size("[2, 2.0, 2]").unwrap());
    for bad in ["\"1\"", "[1, 1]", "0", "nan", "true"] {
        let error = size(bad).unwrap_err().to_string();
        assert!(error.contains("scale"), "{error}");
    }
}

#[test]
fn a_plane_of_a_robot_is_a_half_space_where_it_stands_still() {
    let urdf = |joint: &str, more: &str| {
        format!("<robot name='p'><link name='w'/><link name='ground'><collision><origin xyz='0 0 1'/><geometry><plane normal='0 0 2'/></geometry></collision>{more}</link>
            <joint name='j' type='{joint}'><parent link='w'/><child link='ground'/></joint></robot>")
    };
    let load = |text: &str| {
        let files = Memory::new().with("p.urdf", text);
        parse("[[robots]]\nname = \"p\"\nurdf = \"p.urdf\"\n", Path::new("s.toml"), &files)
    };
    let scene = load(&urdf("fixed", "")).unwrap().scene;
    let body = &scene.bodies()[0];
    assert!(matches!(body.shape, BodyShape::HalfSpace { normal } if normal == pathproof::numeric::DVec3::Z));
    assert_eq!(body.link_from_body.translation.z, 1.0);
    assert!(load(&urdf("continuous", "")).unwrap_err().to_string().contains("it can only stand still"));
    let more = "<collision><geometry><sphere radius='1'/></geometry></collision>";
    assert!(load(&urdf("fixed", more)).unwrap_err().to_string().contains("cannot share its link"));
}

#[test]
fn faults_in_geometry_that_is_not_used_are_no_error() {
    for fault in [
        "<geometry><sphere radius='0'/></geometry>",
        "<geometry><mesh filename='gone.dae'/></geometry>",
        "<geometry/>",
        "<origin xyz='1 2'/><geometry><box size='1 1 1'/></geometry>",
        "<geometry><box size='1 1 1'/><material name='grey'/></geometry>",
    ] {
        let urdf = URDF.replace("<link name='tool'/>", &format!("<link name='tool'><visual>{fault}</visual></link>"));
        let files = files().with("cell/two_support/two.urdf", urdf);
        let load = |more: &str| parse(&format!("{ROBOT}{more}"), Path::new("cell/scene.toml"), &files);
        let loaded = load("").unwrap_or_else(|error| panic!("{fault}: {error}"));
        assert!(fault.contains("gone") || loaded.notes.iter().any(|note| note.contains("faults in visual geometry")));
        let error = load("geometry = \"visual\"\n").expect_err(fault).to_string();
        assert!(error.contains("<visual>") || error.contains("tool"), "{error}");
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
fn damaged(text: &str, random: &mut pathproof::numeric::Random) -> String {
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
    use crate::path_file::{PathFormat, PathSettings, parse_points as parse_path};
    let scene_text = format!(
        "{ROBOT}srdf = \"two_support/two.srdf\"\npositions = {{ j2 = 0.125 }}\n[[obstacles]]\nname = \"rod\"\ncylinder = [0.01, 1.5]
attach = \"arm/tool\"\ntouch = [\"arm/finger\"]\n[[pairs]]\nbodies = [\"rod\", \"arm/lower\"]\nclearance = 0.01\n"
    );
    let scene = load(&scene_text).unwrap().scene;
    let json = "{\"joint_names\":[\"j1\",\"j2\"],\"points\":[{\"positions\":[0.5,1],\"velocities\":[1,2]},{\"positions\":[0.25,0.5]}]}";
    let yaml =
        "joint_trajectory:\n  joint_names: [j1, j2]\n  points:\n    - positions: [0.5, 1]\n      velocities: [0, 0]\n";
    let paths = [("j1,j2\n0.5,0.25\n0,1e-3\n", PathFormat::Csv), (json, PathFormat::Json), (yaml, PathFormat::Yaml)];
    let mut random = pathproof::numeric::Random::new(3);
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
        let read = |(text, format): (&str, PathFormat), random: &mut pathproof::numeric::Random| {
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
