#!/usr/bin/env python3
"""Ours and HPP's continuous validation (Dichotomy) on the same edges in one run: hulls and meshes.

    experiments/peers/edges_hpp.py DIR [--rounds 3] [--discretized STEP] [--peers-only] [--quick]

Each round runs `experiments edges -o DIR --json`, then HPP on what it wrote:

    DIR/scene.toml          one robot, obstacles that are boxes, cylinders or spheres (docs/scene-file.md)
    DIR/edges-LENGTH.csv    one edge a row: a_<joint>…, b_<joint>…; LENGTH in radians, for the report only

Checked: every link against every box, and the pairs of links that the scene's SRDF leaves. The methods take turns edge file
by edge file. Prints one JSON object a line: mean microseconds an edge (processor time, one thread, median over the rounds), over all edges and over those that are free or not; how many are free; and, beside ours on the same geometry,
how many only the one and only the other calls free (ours also refuses what is within its tolerance of 1 mm); writes the
answers beside the edges as DIR/hpp-METHOD-LENGTH.csv.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import environment

environment.enter("requirements-hpp.txt", ".venv/hpp", library_path=True)

import descriptions  # noqa: E402
import numpy as np  # noqa: E402
import pyhpp.core as core  # noqa: E402
import robots  # noqa: E402

WORKSPACE = Path(__file__).resolve().parents[2]


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


def run_ours(folder, quick):
    """Rows of our own experiment, which writes scene, edges and answers."""
    command = environment.experiments("edges", "-o", folder, "--json")
    command += ["--quick"] if quick else []
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
    parser.add_argument("--quick", action="store_true", help="20 edges of each length")
    options = parser.parse_args()
    ours = [] if options.peers_only else [run_ours(options.folder, options.quick)]
    scene = descriptions.read_scene(options.folder / "scene.toml")
    files = sorted(options.folder.glob("edges-*.csv"))
    if not files:
        sys.exit(f"{options.folder} has no edges-LENGTH.csv")

    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        descriptions.write(scene, options.folder, temporary)
        devices = {name: robots.hpp_device(temporary, scene, name == "hulls") for name in ("hulls", "meshes")}

    methods = {}
    for name, robot in devices.items():
        methods[f"dichotomy-{name}"] = robot, core.Dichotomy(robot, 0.0)
        if options.discretized:
            methods[f"discretized-{name}"] = robot, core.Discretized(robot, options.discretized)
    measured = {path: ({name: [] for name in methods}, {}) for path in files}
    for number in range(options.rounds):
        if number > 0 and not options.peers_only:
            ours.append(run_ours(options.folder, options.quick))
        for path in files:
            times, answers = measured[path]
            for name, (robot, validation) in methods.items():
                joints = [n for n in robot.model().names if n != "universe"]
                problem = core.Problem(robot)  # the steering method does not keep it alive
                straight = core.Straight(problem)
                paths = [straight(a, b) for a, b in read_edges(path, joints)]
                each, answers[name] = check(validation, paths)
                times[name].append(each)
    ours_us = {}
    for rows in zip(*ours):
        middle = {key: round(statistics.median(row[key] or 0 for row in rows), 1) for key in ("mean_us", "free_us", "colliding_us") if key in rows[0]}
        print(json.dumps(rows[0] | middle), flush=True)
        ours_us[rows[0].get("method"), rows[0]["case"]] = middle.get("mean_us")
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
            for geometry in ("meshes", "hulls", "meshes-maps"):
                if ours_us.get((f"ours-{geometry}", length)):
                    row[f"over_ours_{geometry}"] = round(row["mean_us"] / ours_us[f"ours-{geometry}", length], 1)
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
