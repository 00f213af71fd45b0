//! Lists in words the bodies that differ between the scene of a certificate and another. No proof depends on it.

use super::SceneClaim;
use crate::scene::Scene;

impl SceneClaim {
    /// Describes the difference if one of the three hashes differs.
    pub fn difference(&self, scene: &Scene, hash: usize) -> String {
        match hash {
            0 => "the joints are not the same".to_owned(),
            1 => self.other_bodies(scene),
            _ => "the checked pairs are not the same".to_owned(),
        }
    }

    /// The bodies that differ, as far as the certificate shows.
    fn other_bodies(&self, scene: &Scene) -> String {
        const MOST: usize = 3;
        let (stated, own) = (&self.bodies, scene.bodies());
        let describe = |names: Vec<&str>, what: &str| -> Option<String> {
            let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("{name:?}")).collect();
            let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
            let noun = if names.len() == 1 { "body" } else { "bodies" };
            (!names.is_empty()).then(|| format!("the {noun} {}{more} {what}", shown.join(", ")))
        };
        let is_known = |name: &str| stated.iter().any(|stated| stated == name);
        let is_own = |name: &str| own.iter().any(|body| body.name == name);
        let gone = stated.iter().map(String::as_str).filter(|name| !is_own(name)).collect();
        let new = own.iter().map(|body| body.name.as_str()).filter(|name| !is_known(name)).collect();
        let hashes = scene.body_fingerprints();
        let stated_hash = |name: &str| {
            let number = stated.iter().position(|stated| stated == name)?;
            self.body_hashes.get(number)
        };
        let names = own.iter().map(|body| body.name.as_str()).zip(&hashes);
        let is_changed = |(name, hash): &(&str, &[u8; 8])| stated_hash(name).is_some_and(|stated| stated != *hash);
        let changed: Vec<&str> = names.filter(is_changed).map(|(name, _)| name).collect();
        let is_one = changed.len() == 1;
        let parts = [
            describe(changed, if is_one { "is not the same" } else { "are not the same" }),
            describe(gone, "of the certificate not in the scene"),
            describe(new, "of the scene not in the certificate"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "the bodies are not the same".to_owned() } else { parts.join("; ") }
    }
}
