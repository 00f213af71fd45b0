//! Claims about the COLLADA reader, on documents made here.

use super::super::testing::{area, parse, parse_within, refusal, volume};
use super::*;
use pathproof::numeric::Random;
use pathproof::shapes::Aabb;

/// A tetrahedron with its corner at the origin and legs of 1, outside counter-clockwise.
const TETRAHEDRON: &str = r##"<geometry id="tetra"><mesh>
<source id="pos"><float_array id="arr" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#arr" count="4" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
<vertices id="ver"><input semantic="POSITION" source="#pos"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#ver" offset="1"/><input semantic="NORMAL" source="#none" offset="0"/>
<p>9 0 9 2 9 1 9 0 9 1 9 3 <!-- a comment ends nothing --> 9 1 9 2 9 3 9 0 9 3 9 2</p></triangles>
</mesh></geometry>"##;

fn document(asset: &str, geometry: &str, libraries: &str, scene: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n<asset>{asset}</asset>\n\
         <library_geometries>{geometry}</library_geometries>{libraries}<library_visual_scenes><visual_scene id=\"s\">{scene}</visual_scene>\
         </library_visual_scenes>\n<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>"
    )
}

const HERE: &str = "<instance_geometry url=\"#tetra\"/>";

fn scene(nodes: &str) -> String {
    document("<up_axis>Z_UP</up_axis>", TETRAHEDRON, "", nodes)
}

/// A document with one mesh of a unit square (1, 2 or more primitives over four vertices).
fn square(primitive: &str) -> String {
    let geometry = format!(
        r##"<geometry id="tetra"><mesh><source id="pos"><float_array id="arr" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
<technique_common><accessor source="#arr" count="4" stride="3"/></technique_common></source>
<vertices id="ver"><input semantic="POSITION" source="#pos"/></vertices>{}</mesh></geometry>"##,
        primitive.replace("INPUT", "<input semantic=\"VERTEX\" source=\"#ver\" offset=\"0\"/>")
    );
    document("", &geometry, "", &format!("<node>{HERE}</node>"))
}

#[test]
fn nested_transforms_agree_with_matrices_multiplied_by_hand() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let mut xml = String::new();
        let mut point = DVec3::new(0.0, 0.0, 1.0);
        let mut steps: Vec<Box<dyn Fn(DVec3) -> DVec3>> = Vec::new();
        for _ in 0..random.below(6) {
            let v = random.point(2.0);
            match random.below(4) {
                0 => {
                    xml += &format!("<node><translate>{} {} {}</translate>", v.x, v.y, v.z);
                    steps.push(Box::new(move |p| p + v));
                }
                1 => {
                    xml += &format!("<node><scale>{} {} {}</scale>", v.x, v.y, v.z);
                    steps.push(Box::new(move |p| p * v));
                }
                2 => {
                    let degrees = random.between(-400.0, 400.0);
                    xml += &format!("<node><rotate>{} {} {} {degrees}</rotate>", v.x, v.y, v.z);
                    let turn = glam::DQuat::from_axis_angle(v.normalize(), degrees.to_radians());
                    steps.push(Box::new(move |p| turn * p));
                }
                _ => {
                    let m = [random.point(1.0), random.point(1.0), random.point(1.0)];
                    xml += &format!(
                        "<node><matrix>{} {} {} {} {} {} {} {} {} {} {} {} 0 0 0 1</matrix>",
                        m[0].x, m[0].y, m[0].z, v.x, m[1].x, m[1].y, m[1].z, v.y, m[2].x, m[2].y, m[2].z, v.z
                    );
                    steps.push(Box::new(move |p| DVec3::new(m[0].dot(p), m[1].dot(p), m[2].dot(p)) + v));
                }
            }
        }
        for step in steps.iter().rev() {
            point = step(point);
        }
        let text = scene(&format!("<node>{xml}{HERE}{}</node>", "</node>".repeat(steps.len())));
        let mesh = parse("a.dae", text.as_bytes()).unwrap();
        assert!((mesh.vertices[3] - point).length() <= 1e-12 * (1.0 + point.length()), "{text}");
        // Mirrored or not, outside stays outside.
        assert!(volume(&mesh) >= 0.0, "{text}");
    }
}

#[test]
fn the_unit_is_applied_and_the_up_axis_is_only_reported() {
    let asset = "<unit name=\"inch\" meter=\"0.0254\"/><up_axis>X_UP</up_axis>";
    let text = document(asset, TETRAHEDRON, "", &format!("<node><translate>0 0 2</translate>{HERE}</node>"));
    let mesh = parse("a.dae", text.as_bytes()).unwrap();
    assert_eq!(mesh.report.metres_per_unit, Some(0.0254));
    assert_eq!(mesh.report.up_axis, Some(UpAxis::X));
    assert_eq!(
        mesh.report.bounds,
        Aabb { min: DVec3::new(0., 0., 0.0508), max: DVec3::new(0.0254, 0.0254, 3.0 * 0.0254) }
    );
    assert!(mesh.report.notes.iter().any(|n| n.contains("x points up")), "{:?}", mesh.report.notes);
    for bad in ["0", "-1", "nan", "inf", "cm", ""] {
        let text = document(&format!("<unit meter=\"{bad}\"/>"), TETRAHEDRON, "", "");
        assert!(refusal("a.dae", text.as_bytes()).contains("line 2, <unit>: the unit is"), "{bad}");
    }
    let two = document("<unit meter=\"1\"/>", &format!("<asset><unit meter=\"0.01\"/></asset>{TETRAHEDRON}"), "", HERE);
    assert!(refusal("a.dae", two.as_bytes()).contains("differs from the unit of the file"));
}

#[test]
fn instances_of_nodes_and_geometries_become_parts() {
    let library = format!(
        "<library_nodes><node id=\"pair\">{HERE}<node name=\"second\"><translate>5 0 0</translate>{HERE}</node></node></library_nodes>"
    );
    let nodes = "<node name=\"a\"><instance_node url=\"#pair\"/><node><translate>0 5 0</translate><instance_node url=\"#pair\"/></node></node>";
    let mesh = parse("a.dae", document("<up_axis>Z_UP</up_axis>", TETRAHEDRON, &library, nodes).as_bytes()).unwrap();
    let names: Vec<&str> = mesh.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["pair", "second", "pair", "second"]);
    assert_eq!(mesh.report.bounds.max, DVec3::new(6.0, 6.0, 1.0));
    assert!(mesh.report.notes.is_empty(), "{:?}", mesh.report.notes);
}

#[test]
fn cycles_and_doubling_end_in_an_error() {
    let cycle = "<library_nodes><node id=\"n\"><instance_node url=\"#n\"/></node></library_nodes>";
    let text = document("", TETRAHEDRON, cycle, "<node><instance_node url=\"#n\"/></node>");
    assert!(refusal("a.dae", text.as_bytes()).contains("nodes that contain themselves?"));
    let doubling: String = (0..60)
        .map(|i| {
            format!("<node id=\"n{i}\"><instance_node url=\"#n{0}\"/><instance_node url=\"#n{0}\"/></node>", i + 1)
        })
        .collect();
    for end in [HERE, ""] {
        let library = format!("<library_nodes>{doubling}<node id=\"n60\">{end}</node></library_nodes>");
        let text = document("", TETRAHEDRON, &library, "<node><instance_node url=\"#n0\"/></node>");
        let limits = Limits { triangles: 100_000, ..Limits::default() };
        let error = parse_within("a.dae", text.as_bytes(), &limits).unwrap_err();
        assert!(error.to_string().contains("more than"), "{error}");
    }
}

#[test]
fn deep_nesting_and_entities_are_refused_without_harm() {
    let nested = scene(&format!("{}{HERE}{}", "<node>".repeat(100_000), "</node>".repeat(100_000)));
    assert!(refusal("a.dae", nested.as_bytes()).contains("256 deep"));
    let laughs = "<!DOCTYPE a [<!ENTITY x \"ha\"><!ENTITY y \"&x;&x;\">]><COLLADA>&y;</COLLADA>";
    assert!(refusal("a.dae", laughs.as_bytes()).contains("DOCTYPE"));
}

#[test]
fn all_primitives_give_the_same_square() {
    let primitives = [
        "<triangles>INPUT<p>0 1 2 0 2 3</p></triangles>",
        "<triangles>INPUT<p>0 1 2</p></triangles><triangles>INPUT<p>0 2 3</p></triangles>",
        "<tristrips>INPUT<p>0 1 3 2</p></tristrips>",
        "<trifans>INPUT<p>0 1 2 3</p></trifans>",
        "<polygons>INPUT<p>0 1 2 3</p></polygons>",
        "<polygons>INPUT<p>0 1 2</p><p>0 2 3</p></polygons>",
        "<polylist>INPUT<vcount>4</vcount><p>0 1 2 3</p></polylist>",
        "<polylist>INPUT<vcount>3 2 3</vcount><p>0 1 2 0 1 0 2 3</p></polylist><lines count=\"2\"/>",
    ];
    for primitive in primitives {
        let mesh = parse("a.dae", square(primitive).as_bytes()).unwrap();
        assert_eq!((mesh.triangles.len(), mesh.vertices.len(), area(&mesh)), (2, 4, 1.0), "{primitive}");
        let up = mesh.triangles.iter().all(|t| {
            let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
            (b - a).cross(c - a).z > 0.0
        });
        assert!(up, "{primitive}");
        let skipped = mesh.report.notes.iter().any(|n| n.starts_with("3 lines or points"));
        assert_eq!(skipped, primitive.contains("lines"));
    }
}

#[test]
fn bad_primitives_are_refused_with_their_line() {
    let bad = [
        "<triangles>INPUT<p>0 1 4</p></triangles>",
        "<triangles>INPUT<p>0 1 -1</p></triangles>",
        "<triangles>INPUT<p>0 1</p></triangles>",
        "<triangles>INPUT<p>0 1 x</p></triangles>",
        "<triangles>INPUT<input semantic=\"NORMAL\" offset=\"1\"/><p>0 0 1 0 2</p></triangles>",
        "<triangles>INPUT<input semantic=\"NORMAL\" offset=\"99999999999\"/><p>0 1 2</p></triangles>",
        "<triangles><p>0 1 2</p></triangles>",
        "<polylist>INPUT<vcount>3 3</vcount><p>0 1 2 0</p></polylist>",
        "<polylist>INPUT<vcount>3</vcount><p>0 1 2 0</p></polylist>",
        "<polylist>INPUT<vcount>18446744073709551615</vcount><p>0 1 2 0</p></polylist>",
        "<polylist>INPUT<p>0 1 2</p></polylist>",
        "<polygons>INPUT<ph><p>0 1 2 3</p><h>0 1 2</h></ph></polygons>",
        "<blob/>",
    ];
    for primitive in bad {
        let message = refusal("a.dae", square(primitive).as_bytes());
        assert!(message.starts_with("a.dae: line 5, <"), "{primitive}: {message}");
    }
    assert!(refusal("a.dae", square("<lines count=\"18446744073709551615\"/>").as_bytes()).contains("empty"));
    assert!(refusal("a.dae", square("<triangles count=\"0\"/>").as_bytes()).contains("empty"));
}

#[test]
fn bad_sources_references_and_transforms_are_refused() {
    let good = scene(&format!("<node id=\"n\">{HERE}</node>"));
    assert!(parse("a.dae", good.as_bytes()).is_ok());
    let changes = [
        ("0 1 0 0 0 1<", "0 1 0 0 0 nan<"),
        ("0 1 0 0 0 1<", "0 1 0 0 0 1e999<"),
        ("0 1 0 0 0 1<", "0 1 0 0 0 1e13<"),
        ("0 1 0 0 0 1<", "0 1 0 0 0<"),
        ("count=\"4\" stride", "count=\"5\" stride"),
        ("count=\"4\" stride", "count=\"9999999999999999999\" stride"),
        ("stride=\"3\"", "stride=\"2\""),
        ("stride=\"3\"", "stride=\"18446744073709551615\""),
        ("stride=\"3\"", "stride=\"3\" offset=\"1\""),
        ("name=\"Z\"", "name=\"W\""),
        ("url=\"#tetra\"", "url=\"#cube\""),
        ("url=\"#tetra\"", "url=\"other.dae#tetra\""),
        ("url=\"#s\"", "url=\"#t\""),
        ("instance_geometry", "instance_controller"),
        ("<mesh>", "<spline>"),
        ("<node id=\"n\">", "<node><skew>1 2 3 4 5 6 7</skew>"),
        ("<node id=\"n\">", "<node><lookat>1 2 3 4 5 6 7 8 9</lookat>"),
        ("<node id=\"n\">", "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>"),
        ("<node id=\"n\">", "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0</matrix>"),
        ("<node id=\"n\">", "<node><scale>1 nan 1</scale>"),
        ("<node id=\"n\">", "<node><scale>1e200 1 1</scale>"),
        ("<node id=\"n\">", "<node><rotate>0 0 0 5</rotate>"),
        ("Z_UP", "W_UP"),
        ("COLLADA", "collada"),
    ];
    for (from, to) in changes {
        let text = good.replace(from, to).replace(
            "</mesh></geometry>",
            if to == "<spline>" { "</spline></geometry>" } else { "</mesh></geometry>" },
        );
        assert_ne!(text, good);
        let message = refusal("a.dae", text.as_bytes());
        assert!(message.contains(';'), "no remedy: {message}");
        assert!(to == "collada" || message.starts_with("a.dae: line "), "no place: {message}");
    }
    // A camera may look anywhere.
    let camera = scene(&format!("<node><lookat>1 2 3</lookat><instance_camera url=\"#c\"/></node><node>{HERE}</node>"));
    assert!(parse("a.dae", camera.as_bytes()).is_ok());
    for length in (0..good.len()).step_by(7) {
        refusal("a.dae", &good.as_bytes()[..length]);
    }
    assert!(refusal("a.dae", b"<COLLADA>\n\xff</COLLADA>").contains("line 2: the text is not UTF-8"));
}

#[test]
fn without_a_scene_every_geometry_is_taken_once() {
    let text = format!("<COLLADA><library_geometries>{TETRAHEDRON}</library_geometries></COLLADA>");
    let mesh = parse("a.dae", text.as_bytes()).unwrap();
    assert_eq!((mesh.triangles.len(), mesh.parts[0].name.as_str()), (4, "tetra"));
    assert!(mesh.report.notes[0].contains("no scene"));
    let two = scene(HERE).replace("<scene>", "<nothing>").replace("</scene>", "</nothing>");
    assert!(parse("a.dae", two.as_bytes()).unwrap().report.notes[0].contains("the only one was taken"));
    let two = two.replace("<visual_scene id=\"s\">", "<visual_scene/><visual_scene>");
    assert!(refusal("a.dae", two.as_bytes()).contains("several visual scenes"));
}
