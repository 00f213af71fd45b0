use super::*;
use pathproof::numeric::DVec3;

fn parse_text(text: &str) -> Result<Urdf, FormatError> {
    parse(text, Path::new("arm.urdf"))
}

/// A robot with links a, b, c and whatever else is given.
fn with(rest: &str) -> Result<Urdf, FormatError> {
    parse_text(&format!("<robot name='r'>\n<link name='a'/><link name='b'/><link name='c'/>\n{rest}\n</robot>"))
}

const AB: &str = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>";
const BC: &str = "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>";

#[test]
fn every_joint_type_is_read() {
    let text = "<robot name='r'>
        <link name='l0'/><link name='l1'/><link name='l2'/><link name='l3'/><link name='l4'/><link name='l5'/><link name='l6'/>
        <joint name='revolute' type='revolute'><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>
          <parent link='l0'/><child link='l1'/><axis xyz='0 0 -2'/><limit lower='-1' upper='2' effort='0' velocity='0'/></joint>
        <joint name='continuous' type='continuous'><parent link='l1'/><child link='l2'/></joint>
        <joint name='prismatic' type='prismatic'><parent link='l2'/><child link='l3'/><limit upper='0.5' effort='0' velocity='0'/>
          <mimic joint='revolute' multiplier='-0.5' offset='0.25'/></joint>
        <joint name='planar' type='planar'><parent link='l3'/><child link='l4'/><axis xyz='0 1 0'/></joint>
        <joint name='floating' type='floating'><parent link='l4'/><child link='l5'/></joint>
        <joint name='fixed' type='fixed'><parent link='l5'/><child link='l6'/><mimic joint='nothing'/></joint>
        </robot>";
    let urdf = parse_text(text).unwrap();
    let joint = |name: &str| urdf.joints.iter().find(|joint| joint.name == name).unwrap();
    assert_eq!(joint("revolute").kind, JointKind::Revolute { axis: -DVec3::Z });
    assert_eq!(joint("revolute").limit, Some([-1.0, 2.0]));
    assert_eq!(joint("revolute").parent_from_joint.translation, DVec3::new(1.0, 2.0, 3.0));
    assert!((joint("revolute").parent_from_joint.vector(DVec3::X) - DVec3::Y).length() < 1e-15);
    assert_eq!(joint("continuous").kind, JointKind::Revolute { axis: DVec3::X }, "x is the axis where none is given");
    assert_eq!(joint("continuous").limit, None);
    assert_eq!(joint("prismatic").limit, Some([0.0, 0.5]), "lower is 0 where only upper is given");
    let mimic = joint("prismatic").mimic.unwrap();
    assert_eq!((mimic.joint, mimic.multiplier, mimic.offset), (0, -0.5, 0.25));
    assert_eq!(joint("planar").kind, JointKind::Planar { axis: DVec3::Y });
    assert_eq!(joint("floating").kind, JointKind::Floating);
    assert_eq!(joint("fixed").kind, JointKind::Fixed);
    assert_eq!(joint("fixed").mimic, None, "a mimic tag on a fixed joint occurs in real files and is ignored");
    assert_eq!(urdf.links[urdf.root].name, "l0");
    let warnings = urdf.warnings.join("\n");
    assert!(warnings.contains("length 2") && warnings.contains("<mimic> in <joint name=\"fixed\">"), "{warnings}");
    assert_eq!(urdf.warnings.len(), 2, "{warnings}");
}

#[test]
fn primitives_and_meshes_are_kept_as_written() {
    let text = "<robot name='r'><link name='l'>
        <collision name='first'><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry></collision>
        <collision><geometry><sphere radius='0.5'/></geometry></collision>
        <collision><geometry><cylinder radius='0.5' length='2'/></geometry></collision>
        <collision><geometry><capsule radius='0.5' length='2'/></geometry></collision>
        <collision><geometry><mesh filename='package://p/m.stl' scale='1 -1 0.001'/></geometry><material name='x'/></collision>
        <visual><geometry><mesh filename='m.dae'/></geometry><material name='x'><color rgba='1 1 1 1'/></material></visual>
        <inertial><mass value='1'/></inertial></link>
        <transmission name='t'><type>x</type></transmission><gazebo reference='l'><sensor/></gazebo><material name='x'/>
        <ros2_control name='c' type='system'><joint name='nothing'/></ros2_control></robot>";
    let urdf = parse_text(text).unwrap();
    let link = &urdf.links[0];
    let convex = |index: usize| match &link.collision[index].as_ref().unwrap().shape {
        UrdfShape::Convex(convex) => convex.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(convex(0), Convex::cuboid([1.0, 2.0, 3.0]).unwrap());
    assert_eq!(convex(1), Convex::sphere(0.5).unwrap());
    assert_eq!(convex(2), Convex::cylinder(0.5, 2.0).unwrap());
    assert_eq!(convex(3), Convex::capsule(0.5, 2.0).unwrap());
    assert_eq!(link.collision[0].as_ref().unwrap().link_from_element.translation, DVec3::Z);
    assert!(
        matches!(&link.collision[4].as_ref().unwrap().shape, UrdfShape::Mesh { uri, scale: [1.0, -1.0, 0.001] } if uri == "package://p/m.stl")
    );
    assert!(matches!(&link.visual[0].as_ref().unwrap().shape, UrdfShape::Mesh { scale: [1.0, 1.0, 1.0], .. }));
    assert_eq!(urdf.warnings, Vec::<String>::new());
}

#[test]
fn what_is_not_known_is_warned_about() {
    let text = "<robot name='r'><spam/><link name='l'><colision/><collision><origin xyz='0 0 0' ryp='1 0 0'/>
        <geometry><sphere radius='1'/></geometry><eggs/></collision></link></robot>";
    let warnings = parse_text(text).unwrap().warnings.join("\n");
    for part in ["<spam>", "<colision>", "<eggs>", "\"ryp\"", "arm.urdf: line 1"] {
        assert!(warnings.contains(part), "{part} is not in\n{warnings}");
    }
}

/// Requires an error with these parts in its message: place, problem, remedy.
fn refused(result: Result<Urdf, FormatError>, parts: &[&str]) {
    let error = result.expect_err("it must be refused");
    let text = error.to_string();
    assert!(text.starts_with("arm.urdf: ") && !error.remedy.is_empty(), "{text}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}

#[test]
fn bad_trees_are_refused_with_file_element_and_remedy() {
    let ba = "<joint name='back' type='fixed'><parent link='b'/><child link='a'/></joint>";
    refused(with(&format!("{AB}{ba}{BC}")), &["loop", "line 3, <joint name=\"j\">", "open the loop"]);
    let ac = "<joint name='other' type='fixed'><parent link='a'/><child link='c'/></joint>";
    refused(with(&format!("{AB}{BC}{ac}")), &["two parents", "\"c\"", "\"k\"", "<joint name=\"other\">"]);
    let unknown = "<joint name='k' type='fixed'><parent link='x'/><child link='c'/></joint>";
    refused(
        with(&format!("{AB}{unknown}")),
        &["parent link \"x\"", "<parent> in <joint name=\"k\">", "correct the name"],
    );
    let unknown = "<joint name='k' type='fixed'><parent link='b'/><child link='x'/></joint>";
    refused(with(&format!("{AB}{unknown}")), &["child link \"x\"", "add that link"]);
    refused(with(AB), &["2 links without a parent", "\"a\" and \"c\"", "one root"]);
    let all = "<joint name='m' type='fixed'><parent link='c'/><child link='a'/></joint>";
    refused(with(&format!("{AB}{BC}{all}")), &["loop"]);
    refused(with("<joint name='m' type='fixed'><parent link='c'/><child link='c'/></joint>"), &["same link"]);
    refused(with(&format!("{AB}{BC}<link name='a'/>")), &["second link", "\"a\"", "its own name"]);
    refused(with(&format!("{AB}{}", AB.replace("'b'", "'c'"))), &["second joint", "\"j\""]);
    refused(parse_text("<robot name='r'/>"), &["no link"]);
    refused(parse_text("<sdf/>"), &["this is an SDF file"]);
    refused(parse_text("<mujoco/>"), &["not <robot>"]);
    refused(parse_text("<robot name='r'><link name=' '/></robot>"), &["name is empty"]);
}

#[test]
fn bad_joints_are_refused_with_file_element_and_remedy() {
    let joint = |kind: &str, inside: &str| {
        with(&format!("<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>{inside}</joint>{BC}"))
    };
    let limit = "<limit lower='-1' upper='1'/>";
    refused(joint("revolute", ""), &["no <limit>", "<joint name=\"j\">", "add <limit"]);
    refused(joint("prismatic", ""), &["no <limit>"]);
    refused(
        joint("revolute", &format!("<axis xyz='0 0 0'/>{limit}")),
        &["axis has length 0", "<axis> in <joint name=\"j\">"],
    );
    refused(joint("revolute", &format!("<axis xyz='0 nan 1'/>{limit}")), &["\"nan\"", "not a finite number"]);
    refused(joint("revolute", &format!("<axis xyz='0 1'/>{limit}")), &["2 numbers where 3"]);
    refused(joint("revolute", "<limit lower='1e999' upper='2'/>"), &["not a finite number"]);
    refused(joint("screw", ""), &["\"screw\"", "use revolute"]);
    refused(joint("spherical", ""), &["\"spherical\"", "three continuous joints"]);
    refused(joint("continuous", "<mimic joint='x'/>"), &["mimics the joint \"x\"", "name a joint"]);
    refused(joint("continuous", "<mimic joint='j'/>"), &["mimics itself"]);
    refused(joint("continuous", "<mimic joint='k'/>"), &["one value"]);
    refused(joint("continuous", "<origin xyz='1 2 3'/><origin/>"), &["second <origin>"]);
    refused(joint("continuous", "<origin xyz='1 2 inf'/>"), &["<origin> in <joint name=\"j\">"]);
    let chain = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><mimic joint='k'/></joint>
        <joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic joint='j'/></joint>";
    refused(with(chain), &["itself a mimic", "<joint name=\"j\">"]);
}

#[test]
fn bad_geometry_is_refused_with_file_element_and_remedy() {
    let shape = |shape: &str| {
        let text = format!("<robot name='r'>\n<link name='l'><collision>{shape}</collision></link></robot>");
        let urdf = parse_text(&text).expect("the fault is kept for whoever uses the geometry");
        urdf.links[0].collision[0].clone().map(|_| urdf)
    };
    refused(shape(""), &["no <geometry>", "line 2, <collision> in <link name=\"l\">"]);
    refused(shape("<geometry/>"), &["exactly one shape"]);
    refused(
        shape("<geometry><box size='1 1 1'/><box size='1 1 1'/></geometry>"),
        &["exactly one shape", "several <collision>"],
    );
    refused(shape("<geometry><octomap/></geometry>"), &["<octomap>", "use box"]);
    refused(shape("<geometry><box size='1 1 0'/></geometry>"), &["greater than 0", "<box> in <link name=\"l\">"]);
    refused(shape("<geometry><sphere/></geometry>"), &["\"radius\" is missing"]);
    refused(shape("<geometry><mesh filename='x.stl' scale='1 0 1'/></geometry>"), &["scale of 0"]);
    refused(shape("<geometry><mesh filename=''/></geometry>"), &["filename is empty"]);
}

/// Oddities of real files that other readers overlook are read with a warning, if they can mean only one thing.
#[test]
fn small_faults_of_real_files_are_read_with_a_warning() {
    let joint = |inside: &str| {
        let text = format!(
            "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/>{inside}</joint></robot>"
        );
        let urdf = parse_text(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(urdf.warnings.len(), 1, "{:?}", urdf.warnings);
        (urdf.joints[0].clone(), urdf.warnings.concat())
    };
    let limit = "<limit lower='-1' upper='1'/>";
    let (found, warning) = joint(&format!("{limit}<origin xyz='0.5, 0, -0.25'/>"));
    assert_eq!(found.parent_from_joint.translation, DVec3::new(0.5, 0.0, -0.25));
    assert!(warning.contains("separated by commas"), "{warning}");
    let (found, warning) = joint(&format!("{limit}<axis xyz='0 1 0'/><axis xyz='0 1 0'/>"));
    assert!(found.kind == JointKind::Revolute { axis: DVec3::Y } && warning.contains("twice"), "{warning}");
    let (found, warning) = joint("<limit lower='1' upper='-1'/>");
    assert!(found.limit.is_none() && warning.contains("no limits"), "{warning}");
    let (found, warning) = joint("<limit lower='-1.5.' upper='1.'/>");
    assert!(found.limit == Some([-1.5, 1.0]) && warning.contains("\"-1.5.\" in lower is read as -1.5"), "{warning}");
    let mesh = |scale: &str| {
        let text = format!(
            "<robot name='r'><link name='a'><collision><geometry><mesh filename='m.stl' scale='{scale}'/></geometry></collision></link></robot>"
        );
        let urdf = parse_text(&text).unwrap_or_else(|error| panic!("{error}"));
        urdf.links[0].collision[0].clone().map(|element| (format!("{:?}", element.shape), urdf.warnings.len()))
    };
    assert!(mesh("2 2 2 2").is_ok_and(|(shape, warnings)| shape.contains("[2.0, 2.0, 2.0]") && warnings == 1));
    assert!(mesh("0.001").is_ok_and(|(shape, warnings)| shape.contains("[0.001, 0.001, 0.001]") && warnings == 1));
    // Ambiguous values are refused.
    assert!(mesh("1 1 2 1").is_err() && mesh("1 2").is_err() && mesh("").is_err());
    refused(with(&AB.replace("<parent", "<origin xyz='0,5 0 0'/><parent")), &["\"0,5\""]);
    refused(with(&AB.replace("<parent", "<origin xyz='1, 2, 3,'/><parent")), &["\"3,\""]);
    refused(with(&AB.replace("<parent", "<axis xyz='0 1 0'/><axis xyz='1 0 0'/><parent")), &["a second <axis>"]);
    let bare = parse_text("\n\n <?xml version='1.0'?>\n<robot><link name='a'/></robot>\n\0").unwrap();
    assert!(
        bare.name == "arm" && bare.warnings[0].contains("line 4, <robot>: the robot has no name"),
        "{:?}",
        bare.warnings
    );
}

#[test]
fn warnings_that_repeat_are_counted() {
    let joint = |name: &str, child: &str| {
        format!("<joint name='{name}' type='fixed'><parent link='a'/><child link='{child}'/><spring/></joint>")
    };
    let urdf = with(&format!("{}{}", joint("j", "b"), joint("k", "c"))).unwrap();
    let told = "line 3, <spring> in <joint name=\"j\">: <spring> is not known inside <joint> and was ignored (and 1 more like it)";
    assert!(urdf.warnings.len() == 1 && urdf.warnings[0].contains(told), "{:?}", urdf.warnings);
}

#[test]
fn xacro_files_are_refused_with_the_command_that_expands_them() {
    let declared = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:include filename='x'/></robot>";
    refused(parse_text(declared), &["xacro file", "`xacro arm.urdf -o arm.expanded.urdf`"]);
    refused(parse_text("<robot name='r'><xacro:arm/></robot>"), &["xacro file"]);
    refused(
        with("<joint name='j' type='fixed'><origin xyz='${x} 0 0'/><parent link='a'/><child link='b'/></joint>"),
        &["xacro"],
    );
    let error = parse(declared, Path::new("robots/arm.urdf.xacro")).unwrap_err().to_string();
    assert!(error.contains("`xacro robots/arm.urdf.xacro -o robots/arm.urdf`"), "{error}");
    // Expanded files still declare the name space.
    parse_text("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='a'/></robot>").unwrap();
}

#[test]
fn hostile_xml_ends_in_an_error() {
    let bomb =
        "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;']>
        <robot name='&c;'><link name='a'/></robot>";
    refused(parse_text(bomb), &["DOCTYPE", "remove"]);
    refused(parse_text("<robot name='r'><link name='a'></robot>"), &["line 1", "cannot be read"]);
    let nested = "<a>".repeat(4_000_000);
    refused(parse_text(&nested), &["elements"]);
    let closed = format!("<robot name='r'><link name='a'/>{}{}</robot>", "<g>".repeat(400_000), "</g>".repeat(400_000));
    assert_eq!(parse_text(&closed).unwrap().warnings.len(), 1);
    let attributes: String = (0..20_000).map(|i| format!(" a{i}='1'")).collect();
    refused(parse_text(&format!("<robot{attributes}/>")), &["attributes"]);
    refused(parse_text(""), &["cannot be read"]);
}

#[test]
fn a_file_of_100_mb_is_refused_without_being_parsed() {
    let folder = std::env::temp_dir().join(format!("pathproof-urdf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("nested.urdf");
    std::fs::write(&path, vec![b'<'; 100 << 20]).unwrap();
    let error = read(&path).unwrap_err().to_string();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(error.contains("larger than the limit of 64 MiB"), "{error}");
}
