//! Files of the demo's cell, its way back and the proof of that, for the verifier in `verifier2/`. Writes them to
//! `PATHPROOF_EXPORT`: `PATHPROOF_EXPORT=DIR cargo test -p pathproof-cli --bin pathproof demo_scene`

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pathproof::check::{CheckScratch, Checker, Settings};
use pathproof::path::Motion;
use pathproof_formats::scene_file;
use pathproof_verifier::Verifier;

use super::{BAR, DVec3, Solid, bars, joints, link_shapes, rod};
use crate::demo_command::MISSED;
use crate::demo_plan::{self, PROVEN};

fn obj((vertices, triangles): &Solid) -> String {
    let mut text = String::new();
    for DVec3 { x, y, z } in vertices {
        let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
    }
    for [a, b, c] in triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}

fn urdf(folder: &Path) -> String {
    let mut text = "<robot name=\"arm\">\n".to_owned();
    let names = ["base", "link_1", "link_2", "link_3", "link_4", "link_5", "torch"];
    for (name, solids) in names.iter().zip(link_shapes().iter().skip(1)) {
        let _ = writeln!(text, "<link name=\"{name}\">");
        for (k, solid) in solids.iter().enumerate() {
            let file = format!("{name}_{k}.obj");
            fs::write(folder.join(&file), obj(solid)).expect("a mesh");
            let _ = writeln!(text, "<collision><geometry><mesh filename=\"{file}\"/></geometry></collision>");
        }
        text += "</link>\n";
    }
    let own = |name: &str| name.trim_start_matches("arm/").to_owned();
    for joint in joints().iter().skip(1) {
        let [name, parent, child] = [&joint.name, &joint.parent, &joint.child].map(|name| own(name));
        let axis = joint.kind.axis().expect("an axis");
        let (place, (lower, upper)) = (joint.parent_from_joint.translation, joint.limits[0].expect("limits"));
        let _ = writeln!(
            text,
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{:?} {:?} {:?}\"/><axis xyz=\"{:?} {:?} {:?}\"/>\
             <limit lower=\"{lower:?}\" upper=\"{upper:?}\" effort=\"0\" velocity=\"0\"/></joint>",
            place.x, place.y, place.z, axis.x, axis.y, axis.z
        );
    }
    text + "</robot>\n"
}

fn write(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let mut toml = "[[robots]]\nname = \"arm\"\nurdf = \"arm.urdf\"\n".to_owned();
    for (k, (from, to)) in bars().into_iter().enumerate() {
        let name = format!("bar_{}", k + 1);
        fs::write(folder.join(format!("{name}.obj")), obj(&rod(from, to, BAR, 8))).expect("a mesh");
        let _ = writeln!(toml, "\n[[obstacles]]\nname = {name:?}\nmesh = \"{name}.obj\"");
    }
    fs::write(folder.join("arm.urdf"), urdf(folder)).expect("a URDF");
    fs::write(folder.join("scene.toml"), toml).expect("a scene");
}

#[test]
fn the_cell_and_its_proof_are_written_for_the_other_verifier() {
    let Some(folder) = std::env::var_os("PATHPROOF_EXPORT").map(|folder| PathBuf::from(folder).join("demo")) else {
        println!("SKIPPED: PATHPROOF_EXPORT does not say where to");
        return;
    };
    write(&folder);
    let scene = scene_file::read(&folder.join("scene.toml")).expect("a scene that was just written").scene;
    let demo = super::scene().expect("the demo's scene");
    assert_eq!(scene.fingerprint().pairs, demo.fingerprint().pairs, "the same pairs are checked");
    let [_, before, after] = &MISSED;
    let back = demo_plan::back(&demo, after, before).expect("a way back").waypoints;
    let (checker, motion) = (Checker::new(scene.with_clearance(PROVEN).expect("a scene")), Motion::lines(&back[..]));
    let mut scratch = CheckScratch::new(&checker);
    let (_, proof) = checker.certify(&motion, &Settings::default(), &mut scratch).expect("the path of the demo");
    let proof = proof.expect("it is free there as well");
    assert!(Verifier::new(checker.scene()).expect("a verifier").verify(&motion, &proof).is_ok());
    let names: Vec<&str> = checker.scene().model().variables().iter().map(|variable| variable.name.as_str()).collect();
    let mut csv = names.join(",") + "\n";
    for q in &back {
        csv += &(q.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(",") + "\n");
    }
    fs::write(folder.join("back.csv"), csv).expect("a path");
    fs::write(folder.join("back.ppc"), proof.to_bytes()).expect("a certificate");
}
