//! Claims about the glTF reader: on random scenes against the `gltf` crate, and on documents with one fault each.

use super::super::read_bytes;
use super::super::testing::{area, parse, parse_within, refusal, volume};
use super::*;
use pathproof::numeric::Random;

/// File under construction: the contents of its one buffer, and the views and accessors on it.
#[derive(Default)]
struct Maker {
    data: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Maker {
    fn view(&mut self, bytes: &[u8], stride: Option<usize>) -> usize {
        self.data.resize(self.data.len().next_multiple_of(4), 0);
        let stride = stride.map_or(String::new(), |s| format!(r#","byteStride":{s}"#));
        self.views.push(format!(
            r#"{{"buffer":0,"byteOffset":{},"byteLength":{}{stride}}}"#,
            self.data.len(),
            bytes.len()
        ));
        self.data.extend(bytes);
        self.views.len() - 1
    }

    fn positions(&mut self, points: &[[f32; 3]], stride: usize) -> usize {
        let mut bytes = Vec::new();
        for p in points {
            bytes.extend(p.iter().flat_map(|c| c.to_le_bytes()));
            bytes.resize(bytes.len() + stride - 12, 0xaa);
        }
        let view = self.view(&bytes, Some(stride));
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for p in points {
            (0..3).for_each(|i| (low[i], high[i]) = (low[i].min(p[i]), high[i].max(p[i])));
        }
        self.accessor(&format!(
            r#""bufferView":{view},"componentType":5126,"count":{},"type":"VEC3","min":{low:?},"max":{high:?}"#,
            points.len()
        ))
    }

    fn indices(&mut self, indices: &[u32], component: u32) -> usize {
        let size = match component {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes().into_iter().take(size)).collect();
        let view = self.view(&bytes, None);
        self.accessor(&format!(
            r#""bufferView":{view},"componentType":{component},"count":{},"type":"SCALAR""#,
            indices.len()
        ))
    }

    fn accessor(&mut self, fields: &str) -> usize {
        self.accessors.push(format!("{{{fields}}}"));
        self.accessors.len() - 1
    }

    fn json(&self, uri: &str, meshes: &str, nodes: &str, scene: &str) -> String {
        format!(
            r#"{{"asset":{{"version":"2.0"}},{scene},"nodes":[{nodes}],"meshes":[{meshes}],"accessors":[{}],"bufferViews":[{}],"buffers":[{{{uri}"byteLength":{}}}]}}"#,
            self.accessors.join(","),
            self.views.join(","),
            self.data.len()
        )
    }

    fn glb(&self, json: &str) -> Vec<u8> {
        let padded = |bytes: &[u8], with: u8| {
            let mut bytes = bytes.to_vec();
            bytes.resize(bytes.len().next_multiple_of(4), with);
            bytes
        };
        let (json, data) = (padded(json.as_bytes(), b' '), padded(&self.data, 0));
        let mut glb = b"glTF\x02\0\0\0".to_vec();
        glb.extend((28 + json.len() as u32 + data.len() as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", json), (b"BIN\0", data)] {
            glb.extend((chunk.len() as u32).to_le_bytes());
            glb.extend(kind);
            glb.extend(chunk);
        }
        glb
    }
}

const SCENE: &str = r#""scene":0,"scenes":[{"nodes":[0]}]"#;
const SQUARE: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

/// A square of two triangles as `.gltf` with its data inside.
fn square() -> (Maker, String) {
    let mut maker = Maker::default();
    let (positions, indices) = (maker.positions(&SQUARE, 12), maker.indices(&[0, 1, 2, 0, 2, 3], 5123));
    let mesh = format!(
        r#"{{"name":"square","primitives":[{{"attributes":{{"POSITION":{positions}}},"indices":{indices}}}]}}"#
    );
    let json = maker.json(&format!("\"uri\":\"{}\",", base64(&maker.data)), &mesh, r#"{"mesh":0}"#, SCENE);
    (maker, json)
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("data:application/octet-stream;base64,");
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().chain(&[0; 2]).take(3).fold(0_usize, |w, &b| w << 8 | usize::from(b));
        (0..4).for_each(|i| text.push(if i <= chunk.len() { LETTERS[word >> (18 - 6 * i) & 63] as char } else { '=' }));
    }
    text
}

/// Triangles of a `.glb` as the `gltf` crate reads them, placed in `f32`.
fn by_the_crate(bytes: &[u8]) -> Vec<[DVec3; 3]> {
    fn walk(node: &::gltf::Node<'_>, parent: glam::DMat4, blob: &[u8], out: &mut Vec<[DVec3; 3]>) {
        let columns = node.transform().matrix().map(|c| c.map(f64::from));
        let placed = parent * glam::DMat4::from_cols_array_2d(&columns);
        for primitive in node.mesh().into_iter().flat_map(|m| m.primitives().collect::<Vec<_>>()) {
            let reader = primitive.reader(|_| Some(blob));
            let points: Vec<DVec3> =
                reader.read_positions().unwrap().map(|p| DVec3::from_array(p.map(f64::from))).collect();
            let corners: Vec<usize> = match reader.read_indices() {
                Some(indices) => indices.into_u32().map(|i| i as usize).collect(),
                None => (0..points.len()).collect(),
            };
            let at = |i: usize| placed.transform_point3(points[corners[i]]);
            let n = corners.len();
            match primitive.mode() {
                ::gltf::mesh::Mode::Triangles => {
                    out.extend((0..n / 3).map(|i| [at(3 * i), at(3 * i + 1), at(3 * i + 2)]))
                }
                ::gltf::mesh::Mode::TriangleStrip => out.extend((2..n).map(|i| [at(i - 2), at(i - 1), at(i)])),
                ::gltf::mesh::Mode::TriangleFan => out.extend((2..n).map(|i| [at(0), at(i - 1), at(i)])),
                _ => {}
            }
        }
        node.children().for_each(|child| walk(&child, placed, blob, out));
    }
    let file = ::gltf::Gltf::from_slice(bytes).unwrap();
    let blob = file.blob.clone().unwrap();
    let mut triangles = Vec::new();
    let scene = file.default_scene().unwrap();
    scene.nodes().for_each(|node| walk(&node, glam::DMat4::IDENTITY, &blob, &mut triangles));
    triangles
}

fn random_scene(random: &mut Random) -> Vec<u8> {
    let mut maker = Maker::default();
    let mut meshes = Vec::new();
    for _ in 0..1 + random.below(3) {
        let primitives: Vec<String> = (0..1 + random.below(3))
            .map(|_| {
                let n = 3 * (1 + random.below(20));
                let points: Vec<[f32; 3]> = (0..n).map(|_| random.point(5.0).as_vec3().to_array()).collect();
                let positions = maker.positions(&points, 12 + 4 * random.below(3));
                let mode = [1, 4, 4, 5, 6][random.below(5)];
                let corners: Vec<u32> = (0..3 * (1 + random.below(20))).map(|_| random.below(n) as u32).collect();
                let indices = match random.below(4) {
                    0 => String::new(),
                    i => format!(r#","indices":{}"#, maker.indices(&corners, [5121, 5123, 5125][i - 1])),
                };
                format!(r#"{{"attributes":{{"POSITION":{positions}}},"mode":{mode}{indices}}}"#)
            })
            .collect();
        meshes.push(format!(r#"{{"primitives":[{}]}}"#, primitives.join(",")));
    }
    let count = 1 + random.below(6);
    let mut children = vec![Vec::new(); count];
    (1..count).for_each(|i| children[random.below(i)].push(i.to_string()));
    let nodes: Vec<String> = (0..count)
        .map(|i| {
            let (p, s, pose) = (random.point(3.0), random.point(2.0), random.pose(1.0));
            let q = DQuat::from_mat3(&pose.rotation).as_quat();
            let place = match random.below(3) {
                0 => String::new(),
                1 => format!(r#","matrix":[{},0,0,0,0.5,{},0,0,0,0.25,{},0,{},{},{},1]"#, s.x, s.y, s.z, p.x, p.y, p.z),
                _ => format!(
                    r#","translation":[{},{},{}],"rotation":{:?},"scale":[{},{},{}]"#,
                    p.x,
                    p.y,
                    p.z,
                    q.to_array(),
                    s.x,
                    s.y,
                    s.z
                ),
            };
            let kids = if children[i].is_empty() {
                String::new()
            } else {
                format!(r#","children":[{}]"#, children[i].join(","))
            };
            format!(r#"{{"mesh":{}{place}{kids}}}"#, random.below(meshes.len()))
        })
        .collect();
    maker.glb(&maker.json("", &meshes.join(","), &nodes.join(","), SCENE))
}

#[test]
fn random_scenes_agree_with_the_gltf_crate() {
    let mut random = Random::new(9);
    let mut compared = 0;
    for _ in 0..1000 {
        let bytes = random_scene(&mut random);
        let expected = by_the_crate(&bytes);
        if expected.is_empty() {
            assert!(refusal("a.glb", &bytes).contains("the mesh is empty"));
            continue;
        }
        let mesh = parse("a.glb", &bytes).unwrap();
        assert_eq!(mesh.triangles.len(), expected.len());
        compared += expected.len();
        for (triangle, expected) in mesh.triangles.iter().zip(expected) {
            let found = triangle.map(|i| mesh.vertices[i as usize]);
            // The order of corners within a triangle may differ (strips, mirrors): compare as sets.
            let near = |p: &DVec3| found.iter().any(|f| (*f - *p).length() <= 1e-5 * (10.0 + p.length()));
            assert!(expected.iter().all(near), "{found:?} is not {expected:?}");
        }
    }
    assert!(compared > 20_000, "{compared}");
}

#[test]
fn data_may_be_inside_beside_or_in_the_binary_chunk() {
    let (maker, json) = square();
    let inside = parse("a.gltf", json.as_bytes()).unwrap();
    assert_eq!((area(&inside), inside.parts[0].name.as_str()), (1.0, "square"));
    assert_eq!(inside.report.up_axis, Some(UpAxis::Y));
    let uri = format!("\"uri\":\"{}\",", base64(&maker.data));
    let binary = parse("a.GLB", &maker.glb(&json.replace(&uri, ""))).unwrap();
    assert_eq!((binary.vertices, binary.report.format), (inside.vertices.clone(), MeshFormat::Glb));
    let beside = json.replace(&uri, r#""uri":"my%20data.bin","#);
    let siblings = |path: &Path| {
        assert_eq!(path, Path::new("my data.bin"));
        Ok(maker.data.clone())
    };
    let mesh = read_bytes("a.gltf", beside.as_bytes(), &siblings, &Limits::default()).unwrap();
    assert_eq!(mesh.vertices, inside.vertices);
    for uri in ["/etc/passwd", "http://example.com/a.bin", "", "%ff"] {
        let text = beside.replace("my%20data.bin", uri);
        assert!(refusal("a.gltf", text.as_bytes()).contains("buffers[0]"), "{uri}");
    }
    let error = parse("a.gltf", beside.as_bytes()).unwrap_err();
    assert_eq!(error.file, Path::new("my data.bin"), "the missing file is the one that is named");
}

#[test]
fn sparse_and_quantised_positions_are_read() {
    let mut maker = Maker::default();
    let indices = maker.view(&[1, 2], None);
    let values = maker.view(&[1.0_f32, 0.0, 0.0, 0.0, 1.0, 0.0].map(f32::to_le_bytes).concat(), None);
    let sparse = maker.accessor(&format!(
        r#""componentType":5126,"count":3,"type":"VEC3","sparse":{{"count":2,"indices":{{"bufferView":{indices},"componentType":5121}},"values":{{"bufferView":{values}}}}}"#
    ));
    let view = maker.view(&[0, 0, 0, 127, 0, 0, 0, 129, 0], Some(3));
    let quantised = maker
        .accessor(&format!(r#""bufferView":{view},"componentType":5120,"normalized":true,"count":3,"type":"VEC3""#));
    for (accessor, corner) in [(sparse, DVec3::Y), (quantised, DVec3::NEG_Y)] {
        let mesh = format!(r#"{{"primitives":[{{"attributes":{{"POSITION":{accessor}}}}}]}}"#);
        let json = maker.json("", &mesh, r#"{"mesh":0}"#, SCENE);
        let mesh = parse("a.glb", &maker.glb(&json)).unwrap();
        assert_eq!(mesh.vertices, [DVec3::ZERO, DVec3::X, corner]);
        if accessor == sparse {
            let beyond =
                json.replace("\"count\":3,\"type\":\"VEC3\",\"sparse\"", "\"count\":2,\"type\":\"VEC3\",\"sparse\"");
            assert!(refusal("a.glb", &maker.glb(&beyond)).contains("accessors[0].sparse.indices: 2 is not below 2"));
            let huge = json.replace(
                "\"count\":3,\"type\":\"VEC3\",\"sparse\"",
                "\"count\":4000000000,\"type\":\"VEC3\",\"sparse\"",
            );
            assert!(refusal("a.glb", &maker.glb(&huge)).contains("it claims 4000000000 zeros"));
        }
    }
}

#[test]
fn mirrored_nodes_keep_the_outside_outside() {
    let mut maker = Maker::default();
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let positions = maker.positions(&points, 12);
    let indices = maker.indices(&[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], 5121);
    let mesh = format!(r#"{{"primitives":[{{"attributes":{{"POSITION":{positions}}},"indices":{indices}}}]}}"#);
    let six = 1.0 / 6.0;
    for (scale, expected) in
        [("1,1,1", six), ("-1,1,1", six), ("-2,-1,1", 2.0 * six), ("-1,-1,-1", six), ("1,1,0", 0.0)]
    {
        let json = maker.json("", &mesh, &format!(r#"{{"mesh":0,"scale":[{scale}]}}"#), SCENE);
        let mesh = parse("a.glb", &maker.glb(&json)).unwrap();
        assert!((volume(&mesh) - expected).abs() < 1e-12, "{scale}");
        assert_eq!(mesh.report.notes.iter().any(|n| n.contains("flatten")), expected == 0.0);
    }
}

#[test]
fn every_fault_is_refused_with_its_place() {
    let (_, good) = square();
    let changes = [
        ("\"version\":\"2.0\"", "\"version\":\"1.0\"", "asset"),
        ("\"scene\":0", "\"scene\":1", "scene"),
        ("\"scene\":0", "\"scene\":-1", "line 1"),
        ("\"nodes\":[0]", "\"nodes\":[1]", "nodes"),
        ("\"nodes\":[0]", "\"nodes\":[0,0]", "nodes[0]"),
        ("{\"mesh\":0}", "{\"mesh\":0,\"children\":[0]}", "nodes[0]"),
        ("{\"mesh\":0}", "{\"mesh\":7}", "nodes[0]"),
        ("{\"mesh\":0}", "{\"mesh\":0,\"skin\":0}", "nodes[0]"),
        ("{\"mesh\":0}", "{\"mesh\":0,\"weights\":[0.5]}", "nodes[0]"),
        ("{\"mesh\":0}", "{\"mesh\":0,\"rotation\":[0,0,0,0]}", "nodes[0]"),
        ("{\"mesh\":0}", "{\"mesh\":0,\"matrix\":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}", "nodes[0]"),
        ("{\"mesh\":0}", "{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{}}}", "nodes[0]"),
        ("{\"mesh\":0}", "{\"mesh\":0,\"scale\":[1e200,1,1]}", "meshes[0].primitives[0]"),
        ("{\"mesh\":0}", "{\"mesh\":0,\"scale\":[1e999,1,1]}", "line 1"),
        ("\"POSITION\":0", "\"POSITION\":1", "accessors[1]"),
        ("\"POSITION\":0", "\"POSITION\":9", "accessors[9]"),
        ("\"POSITION\":0", "\"NORMAL\":0", "meshes[0].primitives[0]"),
        ("\"indices\":1", "\"indices\":0", "accessors[0]"),
        ("\"indices\":1", "\"indices\":1,\"mode\":7", "meshes[0].primitives[0]"),
        ("\"count\":6", "\"count\":5", "meshes[0].primitives[0]"),
        ("\"count\":6", "\"count\":7", "accessors[1]"),
        ("\"count\":6", "\"count\":18446744073709551615", "accessors[1]"),
        ("\"count\":4", "\"count\":2", "meshes[0].primitives[0]"),
        ("\"count\":4", "\"count\":10000000000", "accessors[0]"),
        ("\"componentType\":5126", "\"componentType\":5125", "accessors[0]"),
        ("\"componentType\":5126", "\"componentType\":1", "accessors[0]"),
        ("\"componentType\":5123", "\"componentType\":5122", "accessors[1]"),
        ("{\"bufferView\":0,", "{", "accessors[0]"),
        ("\"byteStride\":12", "\"byteStride\":8", "bufferViews[0]"),
        ("\"byteStride\":12", "\"byteStride\":18446744073709551615", "accessors[0]"),
        ("\"byteOffset\":0", "\"byteOffset\":18446744073709551615", "bufferViews[0]"),
        ("\"buffer\":0", "\"buffer\":3", "buffers[3]"),
        ("\"byteLength\":60}]", "\"byteLength\":10000000000}]", "buffers[0]"),
        (";base64,A", ";base64,!", "buffers[0]"),
        (";base64,", ",", "buffers[0]"),
        ("{\"asset\"", "{\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"asset\"", "extensionsRequired"),
    ];
    for (from, to, place) in changes {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let message = refusal("a.gltf", text.as_bytes());
        assert!(message.starts_with(&format!("a.gltf: {place}")), "{to}: {message}");
        assert!(message.contains(';'), "no remedy: {message}");
    }
    for bad in [f32::NAN, f32::INFINITY, 1e13] {
        let mut maker = Maker::default();
        let positions = maker.positions(&[[0.0; 3], [1.0; 3], [0.0, 0.0, bad]], 12);
        let mesh = format!(r#"{{"primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}"#);
        maker.accessors[0] = r#"{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}"#.into();
        let glb = maker.glb(&maker.json("", &mesh, r#"{"mesh":0}"#, SCENE));
        assert!(refusal("a.glb", &glb).starts_with("a.glb: accessors[0]: position 2 is"));
    }
}

#[test]
fn cut_files_and_small_files_with_large_wishes_are_refused() {
    let (maker, json) = square();
    for length in 0..json.len() {
        refusal("a.gltf", &json.as_bytes()[..length]);
    }
    let glb = maker.glb(&json);
    for length in 0..glb.len() {
        refusal("a.glb", &glb[..length]);
    }
    // A thousand nodes that share one mesh are fine, unless they exceed the limit.
    let nodes = vec![r#"{"mesh":0}"#; 1000].join(",");
    let list: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
    let many =
        json.replace(r#"{"mesh":0}"#, &nodes).replace("\"nodes\":[0]", &format!("\"nodes\":[{}]", list.join(",")));
    assert_eq!(parse("a.gltf", many.as_bytes()).unwrap().parts.len(), 1000);
    let error = parse_within("a.gltf", many.as_bytes(), &Limits { triangles: 1999, ..Limits::default() }).unwrap_err();
    assert!(error.to_string().contains("more than 1999 triangles"), "{error}");
    assert!(refusal("a.gltf", "[".repeat(1_000_000).as_bytes()).contains("line 1"));
    assert!(refusal("a.gltf", b"{\"asset\":{\"version\":\"2.0\"}}").contains("the mesh is empty"));
    assert!(refusal("a.gltf", b"\xff").contains("not UTF-8"));
}
