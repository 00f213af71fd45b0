"""Robot descriptions (URDF) and their companions (SRDF): what they say of geometry, motion and pairs of links.

Read with a plain XML tree. Documents with a type declaration or with names in namespaces (xacro) are outside the scope.
Axes need not be of unit length; a limit's lower value above its upper one stands for none, as in Bullet's files.
"""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

from answers import BadInput, OutsideScope
from meshes import NUMBER, text_of

LARGEST_ANGLE = 1e6


@dataclass
class Element:
    """A collision or visual element: its pose in the link and a shape, ("box", size), ("mesh", uri, scale), …"""

    xyz: tuple
    rpy: tuple | None
    shape: tuple


@dataclass
class Link:
    name: str
    elements: list


@dataclass
class Joint:
    """`kind` is fixed, turn, slide or planar; `axis` as written; `limits` one pair of numbers, or none."""

    name: str
    kind: str
    parent: str
    child: str
    xyz: tuple
    rpy: tuple | None
    axis: tuple = (1.0, 0.0, 0.0)
    limits: tuple | None = None
    # Joint, multiplier and offset.
    mimic: tuple | None = None


@dataclass
class Robot:
    name: str
    links: list
    joints: list
    root: str = ""
    # Pairs of link names that an SRDF disables, and its reasons.
    disabled: dict = field(default_factory=dict)


class Reader:
    """A document and its name, for messages."""

    def __init__(self, path):
        self.path = path
        try:
            text = text_of(path.read_bytes(), path)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from error
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise OutsideScope(f"{path}: a document type declaration")
        try:
            self.root = ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            raise BadInput(f"{path}: {error}") from error
        if any("}" in str(node.tag) for node in self.root.iter()):
            raise OutsideScope(f"{path}: names in a namespace; a xacro file must be expanded")
        if self.root.tag != "robot":
            raise BadInput(f"{path}: the first element is not <robot>")

    def error(self, node, problem):
        return BadInput(f"{self.path}: <{node.tag} name={node.get('name', '')!r}>: {problem}")

    def attribute(self, node, name):
        value = node.get(name)
        if value is None or not value.strip():
            raise self.error(node, f"the attribute {name!r} is missing or empty")
        return value.strip()

    def only(self, node, tag):
        found = node.findall(tag)
        if len(found) > 1:
            raise self.error(node, f"a second <{tag}>")
        return found[0] if found else None

    def numbers(self, node, name, count, default=None):
        if node.get(name) is None and default is not None:
            return default
        words = self.attribute(node, name).split()
        if len(words) != count or not all(NUMBER.fullmatch(word) for word in words):
            raise self.error(node, f"{name}={node.get(name)!r} is not {count} numbers")
        values = tuple(map(float, words))
        if not all(abs(value) < 1e12 for value in values):
            raise self.error(node, f"{name}={node.get(name)!r}: a number is too large")
        return values

    def origin(self, node):
        origin = self.only(node, "origin")
        if origin is None:
            return (0.0,) * 3, None
        rpy = self.numbers(origin, "rpy", 3, (0.0,) * 3)
        if not all(abs(angle) < LARGEST_ANGLE for angle in rpy):
            raise OutsideScope(f"{self.path}: an angle of {LARGEST_ANGLE:g} rad or more")
        return self.numbers(origin, "xyz", 3, (0.0,) * 3), rpy


def read(path, geometry):
    """A robot, with the elements of one kind of geometry, `collision` or `visual`."""
    reader = Reader(path)
    links = [Link(reader.attribute(node, "name"), [element(part, reader) for part in node.findall(geometry)])
             for node in reader.root.findall("link")]
    joints = [joint(node, reader) for node in reader.root.findall("joint")]
    robot = Robot((reader.root.get("name") or path.stem).strip() or path.stem, links, joints)
    require_tree(robot, path)
    return robot


def element(node, reader):
    xyz, rpy = reader.origin(node)
    geometry = reader.only(node, "geometry")
    shapes = [] if geometry is None else list(geometry)
    if len(shapes) != 1:
        raise reader.error(node, "<geometry> does not hold exactly one shape")
    shape = shapes[0]
    if shape.tag == "box":
        return Element(xyz, rpy, ("box", reader.numbers(shape, "size", 3)))
    if shape.tag == "sphere":
        return Element(xyz, rpy, ("sphere", reader.numbers(shape, "radius", 1)))
    if shape.tag in ("cylinder", "capsule"):
        return Element(xyz, rpy, (shape.tag, reader.numbers(shape, "radius", 1) + reader.numbers(shape, "length", 1)))
    if shape.tag == "mesh":
        scale = reader.numbers(shape, "scale", 3, (1.0,) * 3)
        return Element(xyz, rpy, ("mesh", reader.attribute(shape, "filename"), scale))
    if shape.tag == "plane":
        return Element(xyz, rpy, ("plane", reader.numbers(shape, "normal", 3)))
    raise reader.error(node, f"the shape <{shape.tag}> is not known")


def joint(node, reader):
    written = reader.attribute(node, "type")
    if written == "floating":
        raise OutsideScope(f"{reader.path}: a floating joint")
    kinds = {"revolute": "turn", "continuous": "turn", "prismatic": "slide", "planar": "planar", "fixed": "fixed"}
    if written not in kinds:
        raise reader.error(node, f"the joint type {written!r} is not known")
    ends = [reader.only(node, tag) for tag in ("parent", "child")]
    if None in ends:
        raise reader.error(node, "it has no parent or no child")
    xyz, rpy = reader.origin(node)
    found = Joint(reader.attribute(node, "name"), kinds[written], *(reader.attribute(end, "link") for end in ends), xyz, rpy)
    if found.kind == "fixed":
        return found
    axis = reader.only(node, "axis")
    if axis is not None:
        found.axis = reader.numbers(axis, "xyz", 3)
    if found.axis == (0.0, 0.0, 0.0):
        raise reader.error(node, "the axis has length 0")
    if written in ("revolute", "prismatic"):
        limit = reader.only(node, "limit")
        if limit is None:
            raise reader.error(node, "it has no <limit>, which its type requires")
        (lower,), (upper,) = (reader.numbers(limit, name, 1, (0.0,)) for name in ("lower", "upper"))
        found.limits = (lower, upper) if lower <= upper else None
    mimic = reader.only(node, "mimic")
    if mimic is not None:
        (multiplier,), (offset,) = reader.numbers(mimic, "multiplier", 1, (1.0,)), reader.numbers(mimic, "offset", 1, (0.0,))
        found.mimic = (reader.attribute(mimic, "joint"), multiplier, offset)
    return found


def require_tree(robot, path):
    """Names are unique, every link but one is the child of one joint, and mimics follow joints that move by themselves."""
    links = [link.name for link in robot.links]
    joints = {joint.name: joint for joint in robot.joints}
    if len(set(links)) < len(links) or len(joints) < len(robot.joints):
        raise BadInput(f"{path}: two links or two joints have one name")
    children = [joint.child for joint in robot.joints]
    roots = [link for link in links if link not in children]
    if len(set(children)) < len(children) or len(roots) != 1:
        raise BadInput(f"{path}: the joints do not make a tree with one root")
    if not set(links) >= {end for joint in robot.joints for end in (joint.parent, joint.child)}:
        raise BadInput(f"{path}: a joint names a link that is not there")
    robot.root = roots[0]
    reached, parents = {robot.root}, {joint.child: joint.parent for joint in robot.joints}
    for joint in robot.joints:
        way, link = [], joint.child
        while link not in reached:
            if link in way:
                raise BadInput(f"{path}: the joints form a loop through {link!r}")
            way.append(link)
            link = parents[link]
        reached.update(way)
    for joint in robot.joints:
        if joint.mimic is None:
            continue
        followed = joints.get(joint.mimic[0])
        if followed is None or followed.mimic is not None or {joint.kind, followed.kind} - {"turn", "slide"}:
            raise BadInput(f"{path}: joint {joint.name!r} mimics {joint.mimic[0]!r}, which it cannot")


def read_disabled(path, robot):
    """Pairs of links that an SRDF disables, with its reasons. A name that the robot does not have skips nothing."""
    reader = Reader(path)
    links = [link.name for link in robot.links]

    def pair(node):
        return frozenset(reader.attribute(node, name) for name in ("link1", "link2"))

    disabled = {pair(node): node.get("reason", "") for node in reader.root.findall("disable_collisions")}
    enabled = {pair(node) for node in reader.root.findall("enable_collisions")}
    for node in reader.root.findall("disable_default_collisions"):
        own = reader.attribute(node, "link")
        for other in {frozenset((own, other)) for other in links} - enabled:
            disabled.setdefault(other, "disabled by default")
    return {pair: reason for pair, reason in disabled.items() if len(pair) == 2 and pair <= set(links)}
