//! A URDF in place of a scene: a scene with only that robot.

use std::path::{Path, PathBuf};

use toml::Spanned;

use super::Files;
use super::raw::{RawRobot, RawScene, is_name};
use crate::{FormatError, urdf};

/// True if the name says that the file is a URDF and not a scene.
pub(super) fn is_urdf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf"))
}

/// Scene with only this robot, and notes on it. Uses an SRDF of the same name in the same folder.
pub(super) fn scene(text: &str, path: &Path, files: &dyn Files) -> Result<(RawScene, Vec<String>), FormatError> {
    let own = urdf::parse(text, path)?.name;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = [own, stem].into_iter().find(|name| is_name(name)).unwrap_or_else(|| "robot".to_owned());
    let srdf = path.with_extension("srdf");
    let has_srdf = files.is_file(&srdf);
    let beside = |path: &Path| path.file_name().map(PathBuf::from).unwrap_or_default();
    let told = match has_srdf {
        true => format!("{} is checked alone, as {name:?}, with {} beside it", path.display(), srdf.display()),
        false => format!(
            "{} is checked alone, as {name:?}, without an SRDF{}",
            path.display(),
            other_srdf(path, &srdf, files).unwrap_or_default()
        ),
    };
    let robot = RawRobot { srdf: has_srdf.then(|| beside(&srdf)), ..RawRobot::new(name, beside(path)) };
    Ok((RawScene { robots: vec![Spanned::new(0..0, robot)], ..RawScene::default() }, vec![told]))
}

/// Note if an SRDF in the same folder has another name: it is not used, because it may belong to another robot.
fn other_srdf(path: &Path, srdf: &Path, files: &dyn Files) -> Option<String> {
    let others = files.files(path.parent().unwrap_or(Path::new("")), "srdf");
    let other = others.first()?.file_name()?.to_string_lossy().into_owned();
    let more = if others.len() > 1 { format!(" (and {} more)", others.len() - 1) } else { String::new() };
    let wanted = srdf.file_name()?.to_string_lossy();
    Some(format!(
        "; {other}{more} lies beside it and is not used: call it {wanted}, or write srdf = {other:?} under [[robots]] of a \
         scene file"
    ))
}
