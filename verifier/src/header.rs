//! Checks the header of a certificate: names, texts and the default clearance, which no step of the proof needs.
//!
//! A reader of the certificate takes them as proven, so each must match the scene; the clearance may be higher, if
//! every pair to which it applies is proven with as much.

use pathproof::certificate::{Certificate, assumptions};
use pathproof::scene::Scene;

use crate::verify::{Fault, Refusal, Task, Verifier};

/// Refuses a header that states anything else than the scene holds and the pairs prove.
pub(crate) fn require_true(by: &Verifier<'_>, certificate: &Certificate, tasks: &[Vec<Task>]) -> Result<(), Refusal> {
    let (scene, header) = (by.scene, &certificate.scene);
    let no = |what: String| Err(Refusal::new(Fault::Header, format!("its header states {what}")));
    let variables = scene.model().variables().iter().map(|variable| variable.name.as_str());
    if let Some((stated, own)) = first_difference(&header.variables, variables) {
        return no(format!("the joint {stated:?} where the scene has {own:?}"));
    }
    if let Some((stated, own)) = first_difference(&header.bodies, scene.bodies().iter().map(|body| body.name.as_str()))
    {
        return no(format!("the body {stated:?} where the scene has {own:?}"));
    }
    if certificate.version > 2 && header.body_hashes != by.body_hashes {
        return no("hashes of bodies that are not those of the scene".to_owned());
    }
    if header.assumptions != assumptions(certificate.curve.is_some()) {
        return no("assumptions that are not those of this proof".to_owned());
    }
    let unchecked = scene.unchecked().iter().map(|pair| (pair.a, pair.b, pair.reason.to_string()));
    if !header.unchecked.iter().cloned().eq(unchecked) {
        return no("other pairs that are not checked, or other reasons, than the scene has".to_owned());
    }
    require_true_clearance(scene, header.clearance, tasks)
}

/// A stated clearance is proven if it applies to some pairs and each of them is proven with as much.
fn require_true_clearance(scene: &Scene, stated: f64, tasks: &[Vec<Task>]) -> Result<(), Refusal> {
    let mut default_tasks = tasks.iter().flatten().filter(|task| task.keeps_default).peekable();
    let is_proven = default_tasks.peek().is_some() && default_tasks.all(|task| task.clearance >= stated);
    if is_proven || stated.to_bits() == scene.clearance().to_bits() {
        return Ok(());
    }
    let own = scene.clearance();
    let message =
        format!("its header states a clearance of {stated:?} m, which it does not prove; the scene requires {own:?} m");
    Err(Refusal::new(Fault::Header, message))
}

/// The first place where two lists of names differ.
fn first_difference<'a>(
    stated: &'a [String],
    own: impl Iterator<Item = &'a str>,
) -> Option<(Option<&'a str>, Option<&'a str>)> {
    let own: Vec<&str> = own.collect();
    let at = |i: usize| (stated.get(i).map(String::as_str), own.get(i).copied());
    (0..stated.len().max(own.len())).map(at).find(|(a, b)| a != b)
}
