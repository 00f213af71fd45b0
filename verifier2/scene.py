"""A scene file (TOML, or a URDF alone): joints in a tree under the world, bodies with their shapes, and rules for pairs.

Links and joints are numbered depth first from the world, siblings in the order of the files; link 0 is the world and joint
j carries link j + 1. A key that is not known here is outside the scope.
"""

from dataclasses import dataclass, field
from math import isfinite

import fixed
import pairs
import urdf
from answers import BadInput, OutsideScope
from files import mesh_file
from meshes import read as read_mesh, text_of
from motion import Frame
from solids import DOUBLE_SIDED, OPEN, Mesh

try:
    import tomllib
except ImportError as error:
    raise SystemExit("Python 3.11 or newer is needed: its standard library reads TOML") from error

# A pose that no file states.
NOWHERE = ((0.0, 0.0, 0.0), None)
SHAPES = ("box", "sphere", "cylinder", "capsule", "plane", "mesh")
SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "plane": 3}
ROBOT_KEYS = {"name", "urdf", "srdf", "packages", "geometry", "base", "xyz", "rpy", "positions", "bounds", "solid", "surface"}
OBSTACLE_KEYS = {"name", "scale", "solid", "surface", "xyz", "rpy", "attach", "touch", *SHAPES}


@dataclass
class Part:
    """A shape in a body: its pose there, its kind, and its sizes or its mesh."""

    xyz: tuple
    rpy: tuple | None
    kind: str
    sizes: tuple = ()
    mesh: Mesh | None = None


@dataclass
class Body:
    name: str
    role: str
    link: str
    # Of a link's plane and of an obstacle in its link; the parts of other links say themselves where they are.
    xyz: tuple
    rpy: tuple
    parts: list
    touch: set = field(default_factory=set)
    frame: int = 0


@dataclass
class Joint:
    """A joint of the scene, by number of its links; `source` is first variable, multiplier and offset."""

    name: str
    kind: str
    parent: int
    child: int
    xyz: tuple
    rpy: tuple
    axis: tuple
    limits: list
    source: tuple | None = None
    follows: str | None = None


class Scene:
    """Everything that the files say, resolved."""

    def __init__(self, path):
        self.path, self.robots, self.meshes = path, {}, {}
        self.links, self.joints, self.variables = {"world": 0}, [], []
        # Pairs of links that are not checked, and why.
        self.positions, self.bodies, self.never = {}, [], {}
        table = self.table_of(path)
        for key in table.keys() - {"clearance", "self_clearance", "tolerance", "robots", "obstacles", "pairs"}:
            raise OutsideScope(f"{path}: the key {key!r}")
        self.clearance = number(table.get("clearance", 0.0), "clearance")
        self.self_clearance = number(table.get("self_clearance", 0.0), "self_clearance")
        self.entries = [self.entry(one) for one in tables(table, "pairs")]
        self.robot_tables = tables(table, "robots")
        self.obstacle_tables = tables(table, "obstacles")
        if not self.robot_tables and not self.obstacle_tables:
            raise BadInput(f"{path}: the scene has neither robots nor obstacles")
        for robot in self.robot_tables:
            self.read_robot(robot)
        self.number_joints()
        self.make_frames()
        for name, robot in self.robots.items():
            self.add_robot(name, robot)
        for obstacle in self.obstacle_tables:
            self.add_obstacle(obstacle)
        for body in self.bodies:
            body.frame = self.frame_of[self.links[body.link]]
        del self.links["world"]
        self.resolve_touching()
        self.checked, self.unchecked = pairs.decide(self)

    def table_of(self, path):
        if path.suffix.lower() == ".urdf":
            robot, srdf = urdf.read(path, "collision"), path.with_suffix(".srdf")
            alone = {"name": robot.name if is_name(robot.name) else path.stem, "urdf": path.name}
            return {"robots": [alone | {"srdf": srdf.name} if srdf.is_file() else alone]}
        if path.suffix.lower() in (".sdf", ".world", ".yaml", ".yml", ".json", ".scene", ".xacro"):
            raise OutsideScope(f"{path}: a scene in another format than TOML or URDF")
        try:
            return tomllib.loads(text_of(path.read_bytes(), path))
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from error
        except tomllib.TOMLDecodeError as error:
            raise BadInput(f"{path}: {error}") from error

    def entry(self, one):
        known(one, {"bodies", "clearance", "check"}, "[[pairs]]")
        names = one.get("bodies")
        if not isinstance(names, list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise BadInput("[[pairs]]: `bodies` are two names")
        if not isinstance(one.get("check", True), bool):
            raise BadInput(f"[[pairs]] {names}: `check` is true or false")
        return one | ({"clearance": number(one["clearance"], "clearance")} if "clearance" in one else {})

    def read_robot(self, table):
        known(table, ROBOT_KEYS, "[[robots]]")
        if table.get("base", "fixed") != "fixed":
            raise OutsideScope("[[robots]]: a base that moves")
        name = named(table, "[[robots]]")
        if name in self.robots:
            raise BadInput(f"[[robots]] {name!r}: a second robot has this name")
        geometry = table.get("geometry", "collision")
        if geometry not in ("collision", "visual"):
            raise BadInput(f"[[robots]] {name!r}: geometry is \"collision\" or \"visual\"")
        robot = urdf.read(self.sibling(table.get("urdf"), "urdf"), geometry)
        if "srdf" in table:
            robot.disabled = urdf.read_disabled(self.sibling(table["srdf"], "srdf"), robot)
        table["packages"] = {key: self.sibling(at, "packages") for key, at in table.get("packages", {}).items()}
        self.robots[name] = robot

    def sibling(self, name, key):
        if not isinstance(name, str):
            raise BadInput(f"{self.path}: `{key}` is missing, or is no name of a file")
        return self.path.parent / name

    def number_joints(self):
        """Links and joints depth first; variables in the order of their joints; mimics once all joints are known."""
        children, mimics = {}, []
        for table in self.robot_tables:
            name, robot = table["name"], self.robots[table["name"]]
            foot = urdf.Joint("", "fixed", "", robot.root, vector(table, "xyz"), vector(table, "rpy"))
            children.setdefault("world", []).append((name, f"{name}/{robot.root}", foot))
            for joint in robot.joints:
                entry = (f"{name}/{joint.name}", f"{name}/{joint.child}", joint)
                children.setdefault(f"{name}/{joint.parent}", []).append(entry)
        pending = [("world", *one) for one in children.get("world", [])[::-1]]
        while pending:
            parent, name, child, joint = pending.pop()
            self.links[child] = len(self.links)
            pending += [(child, *one) for one in children.get(child, [])[::-1]]
            limits = [joint.limits] if joint.limits else []
            made = Joint(name, joint.kind, self.links[parent], self.links[child], joint.xyz, joint.rpy, joint.axis, limits)
            self.joints.append(made)
            if joint.mimic:
                followed, multiplier, offset = joint.mimic
                mimics.append((made, f"{name.split('/')[0]}/{followed}", multiplier, offset))
            elif joint.kind != "fixed":
                made.source = (len(self.variables), 1.0, 0.0)
                self.variables += [name + suffix for suffix in suffixes(joint.kind)]
        by_name = {joint.name: joint for joint in self.joints}
        if len(set(self.variables)) < len(self.variables) or len(by_name) < len(self.joints):
            raise BadInput(f"{self.path}: two joints or joint variables have one name")
        for joint, followed, multiplier, offset in mimics:
            if max(abs(multiplier), abs(offset)) > 1e6:
                raise OutsideScope(f"{joint.name}: a mimic factor or offset above 1e6")
            joint.source, joint.follows = (by_name[followed].source[0], multiplier, offset), followed
        for table in self.robot_tables:
            self.read_values(table)

    def read_values(self, table):
        """`positions` and `bounds` of a robot; both name columns of joints that move by themselves."""
        name = table["name"]
        for key in ("positions", "bounds"):
            for column, value in table.get(key, {}).items():
                full = f"{name}/{column}"
                if full not in self.variables:
                    raise BadInput(f"[[robots]] {name!r}: `{key}` names {column!r}, which is no value of a joint")
                if key == "positions":
                    self.positions[full] = number(value, key)
                    continue
                lower, upper = numbers(value, 2, key)
                joint = next(j for j in self.joints if full.startswith(j.name) and full[len(j.name):] in suffixes(j.kind))
                joint.limits += [None] * (len(suffixes(joint.kind)) - len(joint.limits))
                place = suffixes(joint.kind).index(full[len(joint.name):])
                if lower > upper or joint.limits[place] is not None:
                    raise BadInput(f"[[robots]] {name!r}: the bounds of {column!r} are reversed, or it has limits already")
                joint.limits[place] = (lower, upper)

    def make_frames(self):
        """Folds fixed joints away: for each link its frame and where it is in that."""
        self.frames = [Frame(0, fixed.IDENTITY, "fixed", (), None)]
        self.frame_of, self.frame_from_link = [0], [fixed.IDENTITY]
        for joint in self.joints:
            pose = self.frame_from_link[joint.parent].after(fixed.of_xyz_rpy(joint.xyz, joint.rpy))
            frame = self.frame_of[joint.parent]
            if joint.kind != "fixed":
                self.frames.append(Frame(frame, pose, joint.kind, axes(joint), joint.source))
                frame, pose = len(self.frames) - 1, fixed.IDENTITY
                ends = (joint.parent, joint.child)
                pair = frozenset(link for link, number in self.links.items() if number in ends)
                self.never[pair] = f"parent and child of the joint {joint.name}"
            self.frame_of.append(frame)
            self.frame_from_link.append(pose)

    def add_robot(self, name, robot):
        table = next(table for table in self.robot_tables if table["name"] == name)
        for pair, reason in robot.disabled.items():
            words = f"disabled by the SRDF ({reason})" if reason else "disabled by the SRDF"
            self.never.setdefault(frozenset(f"{name}/{link}" for link in pair), words)
        path = self.sibling(table["urdf"], "urdf")
        marked = {key: marked_links(table, key, robot) for key in ("solid", "surface")}
        for link in robot.links:
            full, elements = f"{name}/{link.name}", link.elements
            meant = {"packages": table["packages"]} | {key: link.name in links for key, links in marked.items()}
            if not elements:
                continue
            if elements[0].shape[0] == "plane" and len(elements) == 1:
                one = elements[0]
                part = Part(*NOWHERE, "plane", one.shape[1])
                self.bodies.append(Body(full, pairs.LINK, full, one.xyz, one.rpy, [part]))
                continue
            shapes = [self.part(one.xyz, one.rpy, one.shape, path, meant) for one in elements]
            self.bodies.append(Body(full, pairs.LINK, full, *NOWHERE, shapes))

    def part(self, xyz, rpy, shape, named_by, table):
        kind = shape[0]
        if kind == "plane":
            raise BadInput(f"{named_by}: a plane reaches to infinity and cannot share its link")
        if kind != "mesh":
            if not all(0.0 < size < 1e12 for size in shape[1]):
                raise BadInput(f"{named_by}: a {kind} with a size that is not above 0")
            return Part(xyz, rpy, kind, shape[1])
        mesh = self.mesh(mesh_file(shape[1], named_by, table.get("packages", {})), shape[2])
        if table.get("solid") and {OPEN, DOUBLE_SIDED} & set(mesh.kinds):
            raise OutsideScope(f"{named_by}: solid = true for a mesh that has holes to be closed ({shape[1]})")
        if table.get("solid") and table.get("surface"):
            raise BadInput(f"{named_by}: it is said to be a solid and a surface")
        return Part(xyz, rpy, kind, (), mesh)

    def mesh(self, path, scale):
        """A mesh, scaled; where an odd number of factors mirror it, its triangles are turned over."""
        key = (path, scale)
        if 0.0 in scale:
            raise BadInput(f"{path}: a scale of 0 flattens the mesh")
        if key not in self.meshes:
            vertices, triangles = read_mesh(path)
            scaled = [tuple(c * factor for c, factor in zip(p, scale)) for p in vertices]
            if not all(abs(c) < 1e12 for p in scaled for c in p):
                raise BadInput(f"{path}: a scaled coordinate is not below 1e12")
            if sum(factor < 0.0 for factor in scale) % 2 == 1:
                triangles = [(a, c, b) for a, b, c in triangles]
            self.meshes[key] = Mesh(scaled, triangles, str(path))
        return self.meshes[key]

    def add_obstacle(self, table):
        known(table, OBSTACLE_KEYS, "[[obstacles]]")
        name = named(table, "[[obstacles]]")
        given = [key for key in SHAPES if key in table]
        if len(given) != 1 or any(body.name == name for body in self.bodies):
            raise BadInput(f"[[obstacles]] {name!r}: it has not one shape, or a second obstacle has this name")
        kind, link = given[0], table.get("attach", "world")
        if link not in self.links or "attach" in table and (link == "world" or kind == "plane"):
            raise BadInput(f"[[obstacles]] {name!r}: it cannot be attached to {link!r}")
        if kind != "mesh" and table.keys() & {"scale", "solid", "surface"}:
            raise BadInput(f"[[obstacles]] {name!r}: only a mesh has a scale, can be open")
        for key in ("solid", "surface"):
            if not isinstance(table.get(key, False), bool):
                raise BadInput(f"[[obstacles]] {name!r}: `{key}` is true or false")
        if kind == "mesh":
            scale = table.get("scale", 1.0)
            scale = numbers(scale, 3, "scale") if isinstance(scale, list) else (number(scale, "scale"),) * 3
            part = self.part(*NOWHERE, ("mesh", table["mesh"], scale), self.path, table)
        elif kind == "plane":
            part = Part(*NOWHERE, kind, numbers(table[kind], 3, kind))
        else:
            sizes = table[kind] if isinstance(table[kind], list) else [table[kind]]
            part = self.part(*NOWHERE, (kind, numbers(sizes, SIZES[kind], kind)), self.path, table)
        role = pairs.ATTACHED if "attach" in table else pairs.OBSTACLE
        self.bodies.append(Body(name, role, link, vector(table, "xyz"), vector(table, "rpy"), [part]))

    def resolve_touching(self):
        bodies = {body.name: body for body in self.bodies}
        for table in self.obstacle_tables:
            for name in table.get("touch", []):
                found, is_exact = pairs.find(name, self)
                if not is_exact:
                    raise BadInput(f"[[obstacles]] {table['name']!r}: `touch` names bodies one by one")
                bodies[table["name"]].touch |= found

    def required(self, clearance, self_clearance=None):
        """For each checked pair the clearance that must be shown, and whether that is the default for pairs with the world;
        `clearance` and `self_clearance` replace the scene's defaults."""
        world = self.clearance if clearance is None else clearance
        within = self.self_clearance if self_clearance is None else self_clearance
        found = {}
        for pair, own in self.checked.items():
            is_world = not self.are_own_links(*pair)
            found[pair] = ((world if is_world else within) if own is None else own, own is None and is_world)
        if any(value < 0.0 for value, _ in found.values()):
            raise OutsideScope("a negative clearance, which allows penetration")
        return found

    def are_own_links(self, a, b):
        """Whether two bodies are links of one robot, to which `self_clearance` applies."""
        robots = [body.name.partition("/")[0] for body in (self.bodies[a], self.bodies[b]) if body.role == pairs.LINK]
        return len(robots) == 2 and robots[0] == robots[1]


def marked_links(table, key, robot):
    """The links of a robot that `solid` or `surface` means: all, none, or those that patterns stand for."""
    names, said = {link.name for link in robot.links}, table.get(key, False)
    if isinstance(said, bool):
        return names if said else set()
    found = [pairs.matching(pattern, names) for pattern in said]
    if not all(found):
        raise BadInput(f"[[robots]] {table['name']!r}: `{key}` names a link that is not there")
    return set().union(*found)


def suffixes(kind):
    return {"fixed": [], "turn": [""], "slide": [""], "planar": [".x", ".y", ".theta"]}[kind]


def axes(joint):
    """The axis as a unit vector; of a planar joint also the directions of its x and y: those of the joint frame, turned by
    the smallest rotation that takes z to the axis (for −z the half turn about x)."""
    unit = fixed.unit_vector(joint.axis)
    if joint.kind != "planar":
        return (unit,)
    o, n = fixed.ONE, -fixed.ONE
    planes = {(0, 0, o): ((o, 0, 0), (0, o, 0)), (0, 0, n): ((o, 0, 0), (0, n, 0)), (o, 0, 0): ((0, 0, n), (0, o, 0)),
              (n, 0, 0): ((0, 0, o), (0, o, 0)), (0, o, 0): ((o, 0, 0), (0, 0, n)), (0, n, 0): ((o, 0, 0), (0, 0, o))}
    if unit not in planes:
        raise OutsideScope(f"{joint.name}: a planar joint with an axis that is none of x, y and z")
    return (unit, *planes[unit])


def is_name(name):
    return isinstance(name, str) and bool(name) and not {"/", "*"} & set(name) and name.isprintable()


def named(table, kind):
    if not is_name(table.get("name")):
        raise BadInput(f"{kind}: {table.get('name')!r} cannot be a name")
    return table["name"]


def tables(table, key):
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadInput(f"`{key}` is a list of tables: write [[{key}]]")
    return found


def known(table, keys, kind):
    for key in table.keys() - keys:
        raise OutsideScope(f"{kind}: the key {key!r}")


def number(value, key):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OutsideScope(f"`{key}`: {value!r} is not a plain number")
    if not isfinite(value) or abs(value) >= 1e12:
        raise BadInput(f"`{key}`: {value!r} is not a finite number below 1e12")
    return float(value)


def numbers(value, count, key):
    if not isinstance(value, list) or len(value) != count:
        raise BadInput(f"`{key}` takes {count} numbers")
    return tuple(number(one, key) for one in value)


def vector(table, key):
    found = numbers(table.get(key, [0, 0, 0]), 3, key)
    if key == "rpy" and not all(abs(angle) < urdf.LARGEST_ANGLE for angle in found):
        raise OutsideScope(f"`rpy`: an angle of {urdf.LARGEST_ANGLE:g} rad or more")
    return found
