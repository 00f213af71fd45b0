#!/usr/bin/env python3
"""Ours and HPP's continuous validation (Dichotomy) on the same edges in one run: hulls and meshes.

    experiments/peers/edges_hpp.py DIR [--rounds 3] [--discretized STEP] [--peers-only]

Each round runs `experiments edges -o DIR --json`, then HPP on what it wrote:

    DIR/scene.toml          one robot, obstacles that are boxes (docs/scene-file.md: `box`, `xyz`, `rpy`)
    DIR/edges-LENGTH.csv    one edge a row: a_<joint>…, b_<joint>…; LENGTH in radians, for the report only

Checked: every link against every box, and the pairs of links that the scene's SRDF leaves (none without one). The
methods take turns edge file by edge file. Prints one JSON object a line: mean microseconds an edge (processor time, one thread, median over the
rounds), over all edges and over those that are free or not; how many are free; and, beside ours on the same geometry,
how many only the one and only the other calls free (ours also refuses what is within its tolerance of 1 mm); writes the answers beside the edges as DIR/hpp-METHOD-LENGTH.csv. HPP is handed STL files made here, because its reader scrambles OBJ files with
several materials.
"""

import argparse
import csv
import json
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import environment

environment.enter("requirements-hpp.txt", ".venv/hpp", library_path=True)

import numpy as np  # noqa: E402
import pinocchio  # noqa: E402
import pyhpp.core as core  # noqa: E402
from pyhpp.pinocchio import Device, urdf  # noqa: E402


WORKSPACE = Path(__file__).resolve().parents[2]


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


def robot_description(source, srdf_source, folder):
    """URDF with absolute STL files, and the SRDF; without one every pair of links is switched off."""
    tree = ET.parse(source)
    for mesh in tree.iter("mesh"):
        path = source.parent / mesh.get("filename")
        if path.suffix.lower() == ".obj":
            stl = folder / (path.stem + ".stl")
            obj_to_stl(path, stl)
            path = stl
        elif path.suffix.lower() != ".stl":
            sys.exit(f"{source}: {path.name}: only STL and OBJ can be handed to HPP")
        mesh.set("filename", f"file://{path}")
    tree.write(folder / "robot.urdf")
    if srdf_source:
        (folder / "robot.srdf").write_text(srdf_source.read_text())
        return
    links = [link.get("name") for link in tree.iter("link")]
    pairs = [(a, b) for i, a in enumerate(links) for b in links[i + 1 :]]
    srdf = "".join(f'<disable_collisions link1="{a}" link2="{b}" reason="Never"/>' for a, b in pairs)
    (folder / "robot.srdf").write_text(f'<robot name="{tree.getroot().get("name")}">{srdf}</robot>')


def obstacle_description(scene, path):
    """The boxes as a URDF of one link each, fixed to a root."""
    text = '<robot name="obstacles"><link name="root"/>'
    for obstacle in scene["obstacles"]:
        if "box" not in obstacle:
            sys.exit(f"obstacle {obstacle['name']} is not a box")
        name = obstacle["name"]
        size, xyz, rpy = (" ".join(map(repr, v)) for v in (obstacle["box"], obstacle["xyz"], obstacle.get("rpy", [0, 0, 0])))
        text += f'<link name="{name}"><collision><geometry><box size="{size}"/></geometry></collision></link>'
        text += f'<joint name="{name}_mount" type="fixed"><parent link="root"/><child link="{name}"/>'
        text += f'<origin xyz="{xyz}" rpy="{rpy}"/></joint>'
    path.write_text(text + "</robot>")


def device(folder, scene, hulls):
    """The robot among the boxes; with `hulls` every mesh is replaced by its convex hull."""
    base = scene["robots"][0]
    rpy = pinocchio.rpy.rpyToMatrix(np.array(base.get("rpy", [0, 0, 0]), dtype=float))
    world_from_base = pinocchio.SE3(rpy, np.array(base.get("xyz", [0, 0, 0]), dtype=float))
    robot = Device("hulls" if hulls else "meshes")
    files = [str(folder / name) for name in ("robot.urdf", "robot.srdf", "obstacles.urdf")]
    urdf.loadModel(robot, 0, "", "anchor", files[0], files[1], world_from_base)
    urdf.loadModel(robot, 0, "obstacle", "anchor", files[2], "", pinocchio.SE3.Identity())
    geometry = robot.geomModel()
    if hulls:
        for item in geometry.geometryObjects:
            if hasattr(item.geometry, "buildConvexHull"):
                # Not buildConvexRepresentation: that calls the mesh itself convex, and on one that is not
                # (panda_link6) the search for support points gets stuck and collisions are missed.
                item.geometry.buildConvexHull(True, "Qt")
                item.geometry = item.geometry.convex
    return robot


def read_edges(path, joints):
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return [tuple(np.array([float(row[f"{side}_{joint}"]) for joint in joints]) for side in "ab") for row in rows]


def check(validation, paths):
    """Microseconds of each path and the answers."""
    times, answers = [], []
    for path in paths:
        start = time.thread_time_ns()
        answers.append(bool(validation.validate(path, False)[0]))
        times.append((time.thread_time_ns() - start) / 1000)
    return times, answers


def mean(values):
    return round(statistics.fmean(values), 1) if values else None


def run_ours(folder):
    """Rows of our own experiment, which writes scene, edges and answers."""
    command = ["cargo", "run", "-q", "--release", "-p", "experiments", "--", "edges", "-o", folder, "--json"]
    lines = subprocess.run(command, cwd=WORKSPACE, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def ours_free(folder, geometry, length):
    path = folder / f"ours-{geometry}-{length}.csv"
    return [row == "1" for row in path.read_text().split()[1:]] if path.exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda p: Path(p).resolve())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--discretized", type=float, help="also time sampling at this step, in radians")
    parser.add_argument("--peers-only", action="store_true", help="use the scene and the edges that are there")
    options = parser.parse_args()
    ours = [] if options.peers_only else [run_ours(options.folder)]
    scene = tomllib.loads((options.folder / "scene.toml").read_text())
    if len(scene["robots"]) != 1:
        sys.exit("one robot, please")
    files = sorted(options.folder.glob("edges-*.csv"))
    if not files:
        sys.exit(f"{options.folder} has no edges-LENGTH.csv")

    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        base = scene["robots"][0]
        srdf = (options.folder / base["srdf"]).resolve() if "srdf" in base else None
        robot_description((options.folder / base["urdf"]).resolve(), srdf, temporary)
        obstacle_description(scene, temporary / "obstacles.urdf")
        robots = {name: device(temporary, scene, name == "hulls") for name in ("hulls", "meshes")}

    methods = {}
    for name, robot in robots.items():
        methods[f"dichotomy-{name}"] = robot, core.Dichotomy(robot, 0.0)
        if options.discretized:
            methods[f"discretized-{name}"] = robot, core.Discretized(robot, options.discretized)
    measured = {path: ({name: [] for name in methods}, {}) for path in files}
    for number in range(options.rounds):
        if number > 0 and not options.peers_only:
            ours.append(run_ours(options.folder))
        for path in files:
            times, answers = measured[path]
            for name, (robot, validation) in methods.items():
                joints = [n for n in robot.model().names if n != "universe"]
                problem = core.Problem(robot)  # the steering method does not keep it alive
                straight = core.Straight(problem)
                paths = [straight(a, b) for a, b in read_edges(path, joints)]
                each, answers[name] = check(validation, paths)
                times[name].append(each)
    for rows in zip(*ours):
        middle = {key: round(statistics.median(row[key] or 0 for row in rows), 1) for key in ("mean_us", "free_us", "colliding_us")}
        print(json.dumps(rows[0] | middle), flush=True)
    for path, (times, answers) in measured.items():
        length = path.stem.partition("-")[2]
        # A hull contains its mesh, so what is free for hulls is free for meshes; anything else is a fault.
        kinds = zip(answers["dichotomy-hulls"], answers["dichotomy-meshes"])
        faults = [edge for edge, (hull, mesh) in enumerate(kinds) if hull and not mesh]
        if faults:
            sys.exit(f"{path.name}: free for hulls but not for meshes: edges {faults}; times are not to be used")
        for name, rounds in times.items():
            each = [statistics.median(edge) for edge in zip(*rounds)]
            pairs = len(methods[name][0].geomModel().collisionPairs)
            row = {"experiment": "edges", "case": length, "method": f"hpp-{name}", "pairs": pairs}
            row |= {"edges": len(answers[name]), "free": sum(answers[name]), "mean_us": mean(each)}
            row |= {
                "free_us": mean([t for t, free in zip(each, answers[name]) if free]),
                "colliding_us": mean([t for t, free in zip(each, answers[name]) if not free]),
            }
            known = ours_free(options.folder, name.rpartition("-")[2], length)
            if known:
                row |= {
                    "only_peer_free": sum(theirs and not free for theirs, free in zip(answers[name], known)),
                    "only_ours_free": sum(free and not theirs for theirs, free in zip(answers[name], known)),
                }
            print(json.dumps(row), flush=True)
            text = "free\n" + "".join(f"{int(free)}\n" for free in answers[name])
            (options.folder / f"hpp-{name}-{length}.csv").write_text(text)


if __name__ == "__main__":
    main()
