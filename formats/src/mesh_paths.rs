//! Finds the mesh that a robot description names: relative to the description, `file://`, `package://` or `model://`.
//!
//! Looks for a package or model first where the scene says, then in the nearest folder upward from the description that
//! has its name, contains a folder of its name, or has a `package.xml` that declares it, then where the environment
//! says. The upward search follows the description's name first, then the folders that its links lead to. Invariant: an
//! address names a file inside the package, never one above it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::scene_file::Files;

/// Environment variables that list folders of packages or models, and the place of these in such a folder. Tried in
/// this order.
const SEARCH_PATHS: [(&str, &str); 3] =
    [("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share"), ("GZ_SIM_RESOURCE_PATH", "")];

/// Path of a mesh, or the problem and its remedy.
pub(crate) fn resolve(
    uri: &str,
    description: &Path,
    packages: &BTreeMap<String, PathBuf>,
    files: &dyn Files,
) -> Result<PathBuf, (String, String)> {
    let folder = description.parent().unwrap_or(Path::new(""));
    let in_packages = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"));
    let path = if let Some(rest) = in_packages {
        in_package(uri, rest, description, packages, files)?
    } else if let Some(rest) = uri.strip_prefix("file://") {
        // `file:///C:/…` on Windows: the slash is not part of the path.
        let has_drive = rest.as_bytes().get(2) == Some(&b':') && rest.starts_with('/');
        folder.join(if has_drive { &rest[1..] } else { rest })
    } else if let Some((scheme, _)) = uri.split_once("://") {
        let problem = format!("meshes at {:?} addresses cannot be read", super::excerpt(&format!("{scheme}://")));
        return Err((problem, "copy the mesh beside the description and name it by a relative path".into()));
    } else {
        folder.join(uri)
    };
    if files.is_file(&path) {
        Ok(path)
    } else {
        let problem = format!("the mesh {:?} is not there (looked for {})", shown(uri), path.display());
        let said = in_packages.and_then(|rest| packages.get_key_value(rest.split('/').next()?));
        let remedy = match said {
            Some((name, root)) => format!(
                "`packages` of the scene file says that {name:?} is {}; correct it, relative to the scene file",
                root.display()
            ),
            None => "put the file there, or correct the name; relative names start at the file that names them".into(),
        };
        Err((problem, remedy))
    }
}

/// Name as shown in a message: whole, unless it is too long for a name.
fn shown(name: &str) -> String {
    const LONGEST: usize = 200;
    if name.len() <= LONGEST { name.to_owned() } else { super::excerpt(name) }
}

fn in_package(
    uri: &str,
    rest: &str,
    description: &Path,
    packages: &BTreeMap<String, PathBuf>,
    files: &dyn Files,
) -> Result<PathBuf, (String, String)> {
    let (name, inside) = package_and_file(uri, rest)?;
    let inside = inside.as_path();
    if let Some(root) = packages.get(name) {
        return Ok(root.join(inside));
    }
    let (full, resolved) = (files.absolute(description), files.resolved(description));
    let folders = [&full, &resolved].into_iter().flat_map(|path| path.ancestors().skip(1));
    let mut candidates = folders.flat_map(|folder| in_folder(folder, name, inside, files));
    if let Some(found) = candidates.find(|path| files.is_file(path)) {
        return Ok(found);
    }
    for (variable, below) in SEARCH_PATHS {
        for root in files.search_path(variable) {
            let root = root.join(below);
            let nested = files.folders(&root).into_iter().map(|stack| stack.join(name).join(inside));
            let candidates = in_folder(&root, name, inside, files).chain(nested);
            if let Some(found) = candidates.into_iter().find(|path| files.is_file(path)) {
                return Ok(found);
            }
        }
    }
    let (name, variables) = (super::excerpt(name), SEARCH_PATHS.map(|(variable, _)| variable));
    let problem = format!(
        "the package {name:?} was not found at or above the description's folder nor by {}, or lacks {:?}",
        variables.join(", "),
        shown(&inside.to_string_lossy())
    );
    Err((problem, format!("say where it is in the scene file: packages = {{ {name} = \"FOLDER\" }}")))
}

/// Splits an address into the package and the file inside it, without `..`. Refuses an address that leaves the package.
fn package_and_file<'u>(uri: &str, rest: &'u str) -> Result<(&'u str, PathBuf), (String, String)> {
    let (name, file) = rest.split_once('/').unwrap_or((rest, ""));
    let mut of_name = Path::new(name).components();
    if !matches!((of_name.next(), of_name.next()), (Some(Component::Normal(_)), None)) {
        let problem = format!("the address {:?} names no package, and nothing outside of packages is read", shown(uri));
        return Err((problem, "write package://NAME/PATH, or a path relative to the description".into()));
    }
    let mut inside = PathBuf::new();
    for component in Path::new(file.trim_start_matches('/')).components() {
        let stays = match component {
            Component::Normal(part) => {
                inside.push(part);
                true
            }
            Component::CurDir => true,
            Component::ParentDir => inside.pop(),
            Component::RootDir | Component::Prefix(_) => false,
        };
        if !stays {
            let problem = format!("the address {:?} leaves the package {:?}", shown(uri), super::excerpt(name));
            return Err((problem, "name a file inside the package, or the package in which it is".into()));
        }
    }
    Ok((name, inside))
}

/// Candidate paths for a file of a package, if `folder` is the package or contains it.
fn in_folder(folder: &Path, name: &str, inside: &Path, files: &dyn Files) -> impl Iterator<Item = PathBuf> {
    let is_package = folder.file_name().is_some_and(|f| f == name) || declares(folder, name, files);
    let own = is_package.then(|| folder.join(inside));
    own.into_iter().chain([folder.join(name).join(inside)])
}

/// True if the folder has a `package.xml` that declares the package.
fn declares(folder: &Path, name: &str, files: &dyn Files) -> bool {
    let manifest = folder.join("package.xml");
    files.is_file(&manifest)
        && files.text(&manifest).is_ok_and(|text| {
            let declared = text.split_once("<name>").and_then(|(_, rest)| rest.split_once("</name>"));
            declared.is_some_and(|(declared, _)| declared.trim() == name)
        })
}
