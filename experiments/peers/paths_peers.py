#!/usr/bin/env python3
"""Segments of the shared planner paths: ours, HPP's continuous validation (hulls and meshes), and coal sampled at 1/32 rad.

    experiments/peers/paths_peers.py DIR [--every N] [--peers-only] [--quick]

Runs `experiments paths -o DIR --json`, which writes DIR/segments.csv (problem, segment, our verdict and microseconds), then
the peers on the same segments, segment by segment in turn. Every N-th problem only, with `--every`.

Prints one JSON object per line: microseconds per segment that ours proves free (processor time, one thread), and how many of
the segments on which ours shows a collision the peer calls free (`missed`). coal is asked by pinocchio, one call per
configuration; what a call costs from Python is measured on an empty robot and subtracted. HPP's one call per segment is not
corrected.
"""

import argparse
import csv
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import environment

environment.enter("requirements-hpp.txt", ".venv/hpp", library_path=True)

import descriptions  # noqa: E402
import numpy as np  # noqa: E402
import pyhpp.core as core  # noqa: E402
import robots  # noqa: E402

WORKSPACE = Path(__file__).resolve().parents[2]
PROBLEMS = WORKSPACE.parent / "shared/data/problems/panda_paths"
STEP = 1 / 32  # radians, Euclidean: the planner's own resolution
GEOMETRIES = ("hulls", "meshes")


def timed(work):
    """What `work` returns, and its processor time in microseconds."""
    start = time.thread_time_ns()
    result = work()
    return result, (time.thread_time_ns() - start) / 1000


def run_ours(folder, quick):
    """Our own rows; writes segments.csv."""
    command = environment.experiments("paths", "-o", folder, "--json", *(["--quick"] if quick else []))
    lines = subprocess.run(command, cwd=WORKSPACE, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def sampled_free(robot, a, b):
    """Whether coal finds no contact at steps of at most STEP from a to b, and how many configurations it was asked."""
    steps = max(1, math.ceil(np.linalg.norm(b - a) / STEP))
    configurations = [a + (b - a) * (i / steps) for i in range(steps + 1)]

    def look():
        for number, q in enumerate(configurations):
            if robot.collides(q):
                return False, number + 1
        return True, len(configurations)

    return look


def measure(problem, temporary, overhead_us, keep):
    """Every segment of a problem by every peer; `keep(method, segment, is_free, microseconds)`."""
    scene = descriptions.read_scene(problem / "scene.toml")
    descriptions.write(scene, problem, temporary)
    devices = {name: robots.hpp_device(temporary, scene, name == "hulls") for name in GEOMETRIES}
    validations = {name: core.Dichotomy(device, 0.0) for name, device in devices.items()}
    posed = {name: core.Problem(device) for name, device in devices.items()}  # steering does not keep it alive
    straight = {name: core.Straight(posed[name]) for name in GEOMETRIES}
    sampled = {name: robots.CoalRobot(temporary, scene, name == "hulls") for name in GEOMETRIES}
    with (problem / "path.csv").open() as file:
        waypoints = [np.array([float(row[joint]) for joint in sampled["meshes"].joints]) for row in csv.DictReader(file)]
    for segment, (a, b) in enumerate(zip(waypoints, waypoints[1:])):
        for name in GEOMETRIES:
            path = straight[name](a, b)
            answer, taken = timed(lambda: validations[name].validate(path, False)[0])
            keep(f"hpp-dichotomy-{name}", segment, bool(answer), taken)
            (is_free, calls), taken = timed(sampled_free(sampled[name], a, b))
            keep(f"coal-1/32-{name}", segment, is_free, taken - calls * overhead_us)


def spread(times):
    """Mean, median and 90th percentile."""
    ordered = sorted(times)
    return {
        "mean_us": round(statistics.fmean(times), 1),
        "median_us": round(statistics.median(times), 1),
        "p90_us": round(ordered[(len(ordered) - 1) * 9 // 10], 1),
    }


def read_ours(folder):
    """{(problem, segment): row}."""
    with (folder / "segments.csv").open() as file:
        return {(row["problem"], int(row["segment"])): row for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda p: Path(p).resolve())
    parser.add_argument("--every", type=int, default=1, help="take every N-th problem")
    parser.add_argument("--peers-only", action="store_true", help="DIR/segments.csv is there already")
    parser.add_argument("--quick", action="store_true", help="the first problem of each of the seven families")
    options = parser.parse_args()
    if not PROBLEMS.is_dir():
        sys.exit(f"the shared data is not at {PROBLEMS}")
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.peers_only:
        run_ours(options.folder, options.quick)
    ours = read_ours(options.folder)
    problems = sorted({problem for problem, _ in ours})[:: options.every]

    overhead_us = robots.call_overhead_us()
    times, missed, only_ours = defaultdict(list), defaultdict(int), defaultdict(int)
    counted, colliding = 0, sum(row["verdict"] == "collision" for (p, _), row in ours.items() if p in problems)
    for problem in problems:

        def keep(method, segment, is_free, taken):
            verdict = ours[problem, segment]["verdict"]
            if verdict == "free":
                times[method].append(taken)
                only_ours[method] += not is_free
            missed[method] += verdict == "collision" and is_free

        # A folder per problem: the disabled pairs may differ.
        with tempfile.TemporaryDirectory() as temporary:
            measure(PROBLEMS / problem, Path(temporary), overhead_us, keep)
        for (name, _), row in ours.items():
            if name == problem and row["verdict"] == "free":
                counted += 1
                for column, method in (("ours_us", "ours-meshes"), ("hulls_us", "ours-hulls"), ("fixed_us", "fixed-trees")):
                    times[method].append(float(row[column]))
                missed["fixed-trees"] += 0
            if name == problem and row["verdict"] == "collision":
                missed["fixed-trees"] += row["fixed_free"] == "1"

    base = statistics.fmean(times["ours-meshes"])
    for method, values in times.items():
        row = {"experiment": "paths", "case": "peers", "method": method, "problems": len(problems), "free": counted}
        row |= spread(values) | {"over_ours": round(statistics.fmean(values) / base, 2)}
        row |= {"colliding": colliding, "missed": missed[method], "refused_though_free": only_ours[method]}
        if method.startswith("coal"):
            row["call_us"] = round(overhead_us, 2)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
