//! What is opened for reading: regular files, each up to a limit that its message names, whatever door they come through.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::cell::Cell;

/// A triangle in glTF, with its buffer in the file `uri`.
fn gltf(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"buffers":[{{"uri":"{uri}","byteLength":36}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}]}}"#
    )
}

/// `verify` read 4 GB of /dev/zero before it refused it.
#[test]
fn a_device_is_refused_at_every_door() {
    let cell = Cell::new("inputs-device");
    cell.path("p.csv", &[0.0, 0.1]);
    for name in ["z.csv", "z.json", "z.toml", "z.stl", "z.ppc", "z.urdf", "z.bin", "z.xml", "z.srdf"] {
        symlink("/dev/zero", cell.folder.join(name)).expect("a link");
    }
    cell.write("a.gltf", &gltf("z.bin"));
    cell.write("plain.toml", "[[obstacles]]\nname = \"a\"\nmesh = \"a.gltf\"\n");
    let doors: [(&[&str], &str); 13] = [
        (&["check", "z.toml", "p.csv"], "z.toml"),
        (&["check", "z.urdf", "p.csv"], "z.urdf"),
        (&["check", "cell.toml", "z.csv"], "z.csv"),
        (&["check", "cell.toml", "z.json"], "z.json"),
        (&["check", "cell.toml", "p.csv", "--from", "z.csv"], "z.csv"),
        (&["plan", "cell.toml", "--start", "z.csv", "--goal", "0", "-o", "o.csv"], "z.csv"),
        (&["verify", "cell.toml", "p.csv", "z.ppc"], "z.ppc"),
        (&["certificate", "show", "z.ppc"], "z.ppc"),
        (&["batch", "cell.toml", "z.csv"], "z.csv"),
        (&["traffic", "z.xml"], "z.xml"),
        (&["distance", "z.stl", "sphere:1"], "z.stl"),
        (&["distance", "sphere:1", "sphere:1", "--trajectory", "z.csv"], "z.csv"),
        (&["scene", "plain.toml"], "z.bin"),
    ];
    for (arguments, name) in doors {
        let message = cell.refusal(arguments);
        let expected = format!("{name}: it is a pipe, a device or a socket, and only regular files are opened");
        assert!(message.contains(&expected), "{arguments:?}: {message}");
    }
}

/// A buffer of a glTF file that names a pipe was waited for without end.
#[test]
fn a_pipe_is_not_waited_for() {
    let cell = Cell::new("inputs-pipe");
    let pipe = cell.folder.join("pipe.bin");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    cell.write("a.gltf", &gltf("pipe.bin"));
    // Ends as soon as someone opens the pipe, so that a program that does so gets on and is seen to.
    let writer = Command::new("sh").args(["-c", ": > pipe.bin"]).current_dir(&cell.folder).stdin(Stdio::null()).spawn();
    let mut writer = writer.expect("sh runs");
    let message = cell.refusal(&["distance", "a.gltf", "sphere:1"]);
    writer.kill().expect("it still waits");
    writer.wait().expect("it ends");
    assert!(message.contains("pipe.bin: it is a pipe, a device or a socket"), "{message}");
}

#[test]
fn a_file_that_is_too_large_is_named_with_the_limit() {
    let cell = Cell::new("inputs-large");
    cell.path("p.csv", &[0.0, 0.1]);
    for (name, bytes, arguments, limit) in [
        ("a.csv", (1 << 30) + 1, &["check", "cell.toml", "a.csv"][..], "1 GiB"),
        ("a.ppc", (1 << 30) + 1, &["verify", "cell.toml", "p.csv", "a.ppc"], "1 GiB"),
        ("a.json", (1 << 30) + 1, &["traffic", "a.json"], "1 GiB"),
        ("a.stl", (4 << 30) + 1, &["distance", "a.stl", "sphere:1"], "4 GiB"),
        ("a.toml", (64 << 20) + 1, &["scene", "a.toml"], "64 MiB"),
    ] {
        // Without content, and so without blocks on the disk.
        let file = std::fs::File::create(cell.folder.join(name)).expect("a file");
        file.set_len(bytes).expect("a length");
        let message = cell.refusal(arguments);
        assert!(message.contains(&format!("{name}: it is larger than the limit of {limit}; ")), "{message}");
    }
}

/// The folders above a link were looked at, those above what it leads to were not.
#[test]
fn a_package_is_found_through_a_link() {
    let cell = Cell::new("inputs-package");
    cell.folder("real/arm_description/urdf");
    cell.folder("real/arm_description/meshes");
    cell.write("real/arm_description/meshes/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let urdf = "<robot name='arm'><link name='l'><collision><geometry>
        <mesh filename='package://arm_description/meshes/t.obj'/></geometry></collision></link></robot>";
    cell.write("real/arm_description/urdf/arm.urdf", urdf);
    symlink("real/arm_description", cell.folder.join("arm")).expect("a link to the package");
    symlink("real/arm_description/urdf", cell.folder.join("urdf")).expect("a link into the package");
    symlink("real/arm_description/urdf/arm.urdf", cell.folder.join("one.urdf")).expect("a link to the file");
    for name in ["real/arm_description/urdf/arm.urdf", "arm/urdf/arm.urdf", "urdf/arm.urdf", "one.urdf"] {
        let scene = cell.json(&["scene", name], 0);
        assert_eq!(scene["bodies"][0]["triangles"], 1, "{name}");
    }
}
