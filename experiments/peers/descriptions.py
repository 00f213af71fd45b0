"""A scene file of this project as the files that other programs read: URDF with STL meshes, SRDF, obstacles as a URDF.

Meshes are handed over as STL, because coal's and pinocchio's reader scrambles OBJ files with several materials. Pairs that
this project does not check (the SRDF's, the scene's `check = false`, links joined by a movable joint) are switched off.
"""

import struct
import sys
import tomllib
import xml.etree.ElementTree as ET


def read_scene(path):
    """The scene file; one robot, obstacles that are boxes, cylinders or spheres."""
    scene = tomllib.loads(path.read_text())
    if len(scene["robots"]) != 1:
        sys.exit(f"{path}: one robot, please")
    return scene


def obj_to_stl(source, target):
    """All faces of an OBJ file, as a binary STL."""
    vertices, triangles = [], []
    for line in source.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(w) for w in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(w.split("/")[0]) for w in words[1:]]
            corners = [c - 1 if c > 0 else len(vertices) + c for c in corners]
            triangles += [(corners[0], b, c) for b, c in zip(corners[1:], corners[2:])]
    with target.open("wb") as out:
        out.write(bytes(80) + struct.pack("<I", len(triangles)))
        for triangle in triangles:
            out.write(struct.pack("<12f", 0, 0, 0, *(x for v in triangle for x in vertices[v])) + bytes(2))


def disabled_pairs(scene, tree, srdf):
    """Pairs of links that are not checked, by name."""
    pairs = [(pair.get("link1"), pair.get("link2")) for pair in ET.parse(srdf).iter("disable_collisions")] if srdf else []
    links = {link.get("name") for link in tree.iter("link")}
    for rule in scene.get("pairs", []):
        names = [name.partition("/")[2] for name in rule["bodies"]]
        if rule.get("check") is not False or not links.issuperset(names):
            sys.exit(f"the rule {rule} cannot be handed to other programs")
        pairs.append(tuple(names))
    movable = (joint for joint in tree.iter("joint") if joint.get("type") != "fixed")
    return pairs + [(joint.find("parent").get("link"), joint.find("child").get("link")) for joint in movable]


def write_robot(scene, scene_folder, folder):
    """`robot.urdf` with absolute STL files, and `robot.srdf`."""
    base = scene["robots"][0]
    source = (scene_folder / base["urdf"]).resolve()
    tree = ET.parse(source)
    for mesh in tree.iter("mesh"):
        path = source.parent / mesh.get("filename")
        if path.suffix.lower() == ".obj":
            stl = folder / (path.stem + ".stl")
            if not stl.exists():
                obj_to_stl(path, stl)
            path = stl
        elif path.suffix.lower() != ".stl":
            sys.exit(f"{source}: {path.name}: only STL and OBJ can be handed to other programs")
        mesh.set("filename", f"file://{path}")
    tree.write(folder / "robot.urdf")
    srdf = (scene_folder / base["srdf"]).resolve() if "srdf" in base else None
    pairs = disabled_pairs(scene, tree, srdf)
    text = "".join(f'<disable_collisions link1="{a}" link2="{b}" reason="Never"/>' for a, b in pairs)
    (folder / "robot.srdf").write_text(f'<robot name="{tree.getroot().get("name")}">{text}</robot>')


def shape_element(obstacle):
    """The obstacle's shape as URDF has it."""
    if "box" in obstacle:
        return f'<box size="{" ".join(map(repr, obstacle["box"]))}"/>'
    if "cylinder" in obstacle:
        radius, length = obstacle["cylinder"]
        return f'<cylinder radius="{radius!r}" length="{length!r}"/>'
    if "sphere" in obstacle:
        return f'<sphere radius="{obstacle["sphere"]!r}"/>'
    return sys.exit(f"obstacle {obstacle['name']} is neither box, cylinder nor sphere")


def write_obstacles(scene, path):
    """The obstacles as a URDF of one link each, fixed to a root."""
    text = '<robot name="obstacles"><link name="root"/>'
    for obstacle in scene.get("obstacles", []):
        name = obstacle["name"]
        xyz, rpy = (" ".join(map(repr, obstacle.get(key, [0, 0, 0]))) for key in ("xyz", "rpy"))
        text += f'<link name="{name}"><collision><geometry>{shape_element(obstacle)}</geometry></collision></link>'
        text += f'<joint name="{name}_mount" type="fixed"><parent link="root"/><child link="{name}"/>'
        text += f'<origin xyz="{xyz}" rpy="{rpy}"/></joint>'
    path.write_text(text + "</robot>")


def write(scene, scene_folder, folder):
    """All three files; meshes that are there already are kept."""
    write_robot(scene, scene_folder, folder)
    write_obstacles(scene, folder / "obstacles.urdf")
