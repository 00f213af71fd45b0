"""Where the files are that a scene or a robot names: beside it, or in a package."""

import os
from pathlib import Path

from answers import BadInput, OutsideScope

# Variables that list folders of packages, and where in such a folder they are.
SEARCH_PATHS = (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share"), ("GZ_SIM_RESOURCE_PATH", ""))


def mesh_file(uri, named_by, packages):
    """The file of a mesh: relative to the file that names it, `file://`, or in a package (`package://`, `model://`)."""
    folder = named_by.parent
    for scheme in ("package://", "model://"):
        if uri.startswith(scheme):
            return in_package(uri.removeprefix(scheme), named_by, packages)
    if uri.startswith("file://"):
        return existing(folder / uri.removeprefix("file://"), uri)
    if "://" in uri or "${" in uri or "$(" in uri:
        raise OutsideScope(f"{named_by}: the address {uri!r}")
    return existing(folder / uri, uri)


def existing(path, uri):
    if not path.is_file():
        raise BadInput(f"the mesh {uri!r} is not there (looked for {path})")
    return path


def in_package(rest, named_by, packages):
    """Where the scene says; else at or above the description, nearest first (along its name, then along the folders that
    links in it lead to); else where the environment says."""
    name, _, inside = rest.partition("/")
    if not name or {"", ".", ".."} & {name, *inside.split("/")}:
        raise OutsideScope(f"{named_by}: the address of a package's file {rest!r}")
    if name in packages:
        return existing(packages[name] / inside, rest)
    ways = [Path(os.path.abspath(named_by)), named_by.resolve()]
    places = [place for way in ways for folder in way.parents for place in in_folder(folder, name, inside)]
    for variable, below in SEARCH_PATHS:
        for root in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            root = Path(root) / below
            places += in_folder(root, name, inside)
            # A folder of the search path may be a stack that holds packages.
            places += [stack / name / inside for stack in sorted(root.iterdir()) if stack.is_dir()] if root.is_dir() else []
    for place in places:
        if place.is_file():
            return place
    raise BadInput(f"the package {name!r} was not found, or lacks {inside!r}")


def in_folder(folder, name, inside):
    """Where a package's file could be, if the folder is the package or holds it."""
    own = [folder / inside] if folder.name == name or declared(folder) == name else []
    return own + [folder / name / inside]


def declared(folder):
    try:
        text = (folder / "package.xml").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text.partition("<name>")[2].partition("</name>")[0].strip() or None
