#!/usr/bin/env python3
"""Static distance and collision between two meshes: ours, coal (OBBRSS tree) and FCL in turn, in one run.

    experiments/peers/static_distance.py DIR [--rounds 5] [--peers-only] [-- options of `experiments static`]

Each round runs `experiments static -o DIR --json`, then coal, then FCL on what it wrote:

    DIR/bodies/CASE-a.stl, CASE-b.stl    binary STL
    DIR/poses/CASE-SET.csv               x,y,z,qx,qy,qz,qw of b in a's frame; optional column `distance`: ours

Prints one JSON object a line: the median over rounds of each method's median time a pose in microseconds.
The cost of the call from Python is measured on two spheres and subtracted. One thread, processor time.
"""

import argparse
import csv
import json
import math
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import environment

environment.enter("requirements.txt")

import coal  # noqa: E402
import fcl  # noqa: E402
import numpy as np  # noqa: E402

WORKSPACE = Path(__file__).resolve().parents[2]
BATCH_NS = 20_000  # calls are repeated until a pose has taken this long, so that the clock does not show


def read_stl(path):
    """Vertices (merged where identical) and triangles of a binary STL file."""
    data = path.read_bytes()
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        sys.exit(f"{path}: {len(data)} bytes is not a binary STL of {count} triangles")
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    corners = np.frombuffer(data, record, offset=84)["corners"].reshape(-1, 3).astype(float)
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)


def read_poses(path):
    """A list of (translation, quaternion xyzw, our distance or None)."""
    with path.open() as file:
        return [
            (
                np.array([float(row[c]) for c in ("x", "y", "z")]),
                np.array([float(row[c]) for c in ("qx", "qy", "qz", "qw")]),
                float(row["distance"]) if row.get("distance") else None,
            )
            for row in csv.DictReader(file)
        ]


class Coal:
    name = "coal"

    def __init__(self):
        self.distance_request = coal.DistanceRequest()
        self.collide_request = coal.CollisionRequest()
        self.collide_request.enable_contact = False  # else collide also computes where and how deep
        self.collide_request.num_max_contacts = 1
        self.distance_result, self.collide_result = coal.DistanceResult(), coal.CollisionResult()

    def mesh(self, vertices, triangles):
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(triangles), len(vertices))
        model.addVertices(vertices)
        model.addTriangles(triangles.astype(np.int64))
        model.endModel()
        return model

    def sphere(self):
        return coal.Sphere(0.1)

    def pair(self, a, b, translation, quaternion):
        x, y, z, w = quaternion
        return a, coal.Transform3s(), b, coal.Transform3s(coal.Quaternion(w, x, y, z).matrix(), translation)

    def distance(self, pair):
        self.distance_result.clear()
        return coal.distance(*pair, self.distance_request, self.distance_result)

    def collide(self, pair):
        self.collide_result.clear()
        return coal.collide(*pair, self.collide_request, self.collide_result) > 0


class Fcl:
    name = "fcl"

    def __init__(self):
        self.distance_request = fcl.DistanceRequest(enable_nearest_points=False)
        self.collide_request = fcl.CollisionRequest(num_max_contacts=1, enable_contact=False)

    def mesh(self, vertices, triangles):
        model = fcl.BVHModel()
        model.beginModel(len(triangles), len(vertices))
        model.addSubModel(vertices, triangles)
        model.endModel()
        return model

    def sphere(self):
        return fcl.Sphere(0.1)

    def pair(self, a, b, translation, quaternion):
        x, y, z, w = quaternion
        placed = fcl.Transform(np.array([w, x, y, z]), translation)
        return fcl.CollisionObject(a, fcl.Transform()), fcl.CollisionObject(b, placed)

    def distance(self, pair):
        return fcl.distance(*pair, self.distance_request, fcl.DistanceResult())

    def collide(self, pair):
        return fcl.collide(*pair, self.collide_request, fcl.CollisionResult()) > 0


def nanoseconds_a_call(query, pair):
    """Processor time of one call, from as many calls as fill BATCH_NS."""
    repeats = 1
    while True:
        start = time.thread_time_ns()
        for _ in range(repeats):
            query(pair)
        taken = time.thread_time_ns() - start
        if taken >= BATCH_NS:
            return taken / repeats
        repeats = min(4 * repeats, math.ceil(repeats * 1.5 * BATCH_NS / max(taken, 1)))


def overhead(library, query):
    """What the call itself costs: two spheres, whose own answer takes next to nothing."""
    sphere = library.sphere()
    pair = library.pair(sphere, sphere, np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 0.0, 1.0]))
    return statistics.median(nanoseconds_a_call(query, pair) for _ in range(200))


def measure(library, bodies, poses):
    """By (case, set, query), one pass: median µs, answers, and the µs of the bare call that were subtracted."""
    medians, answers, calls = {}, {}, {}
    for name in ("distance", "collide"):
        query = getattr(library, name)
        spent_on_call = overhead(library, query)
        for (case, pose_set), rows in poses.items():
            pairs = [library.pair(*bodies[case], t, q) for t, q, _ in rows]
            times = [nanoseconds_a_call(query, pair) for pair in pairs]
            # Not clamped: a value near or below zero says that the call's own cost hides the answer's.
            medians[case, pose_set, name] = (statistics.median(times) - spent_on_call) / 1000
            calls[case, pose_set, name] = spent_on_call / 1000
            answers[case, pose_set, name] = [query(pair) for pair in pairs]
    return medians, answers, calls


def ours(folder, extra):
    """One run of our side: {(case, set, method): median µs}."""
    command = environment.experiments("static", "-o", folder, "--json", *extra)
    result = subprocess.run(command, cwd=WORKSPACE, check=True, stdout=subprocess.PIPE, text=True)
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return {(r["case"], r["pose_set"], r["method"]): r["median_us"] for r in rows if "median_us" in r}


def read_folder(folder):
    """{case: (a, b)} as vertices and triangles, {(case, set): poses}."""
    poses = {}
    for path in sorted((folder / "poses").glob("*.csv")):
        case, _, pose_set = path.stem.rpartition("-")
        poses[case, pose_set] = read_poses(path)
    if not poses:
        sys.exit(f"{folder}/poses has no CASE-SET.csv")
    cases = sorted({case for case, _ in poses})
    return {case: [read_stl(folder / "bodies" / f"{case}-{side}.stl") for side in "ab"] for case in cases}, poses


def answers_apart(coal_answers, fcl_answers, poses):
    """Worst differences of distances (coal–FCL; ours, where written, against coal; metres) and poses on which collide disagrees."""
    differences = {}
    for (case, pose_set), rows in poses.items():
        key = (case, pose_set, "distance")
        # A peer says −1 where ours says 0.
        theirs, others = (np.maximum(np.array(a[key]), 0.0) for a in (coal_answers, fcl_answers))
        row = {"coal_fcl_distance": float(np.abs(theirs - others).max())}
        if all(d is not None for _, _, d in rows):
            row["ours_coal_distance"] = float(np.abs(theirs - np.array([d for _, _, d in rows])).max())
        hits = [np.array(a[case, pose_set, "collide"]) for a in (coal_answers, fcl_answers)]
        row["collide_disagrees"] = int((hits[0] != hits[1]).sum())
        # An upper bound of exactly 0 is ours only where triangles are proven to cross.
        meets = np.array([d == 0.0 for _, _, d in rows])
        row["meeting"] = int(meets.sum())
        row["coal_missed"], row["fcl_missed"] = (int((meets & ~hit.astype(bool)).sum()) for hit in hits)
        row["poses"], row["colliding"] = len(rows), int(hits[0].sum())
        differences[case, pose_set] = row
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda p: Path(p).resolve())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers-only", action="store_true", help="DIR is there already; do not run ours")
    # What follows `--` is for `experiments static`.
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options, extra = parser.parse_args(sys.argv[1:cut]), sys.argv[cut + 1 :]

    libraries, models = [Coal(), Fcl()], {}
    times, call_us = defaultdict(list), defaultdict(list)
    for round_number in range(options.rounds):
        if not options.peers_only:
            for key, median in ours(options.folder, extra).items():
                times[key].append(median)
        if round_number == 0:
            bodies, poses = read_folder(options.folder)
            for library in libraries:
                models[library.name] = {c: [library.mesh(*m) for m in pair] for c, pair in bodies.items()}
        answers = {}
        for library in libraries:
            medians, answers[library.name], calls = measure(library, models[library.name], poses)
            for (case, pose_set, query), median in medians.items():
                key = (case, pose_set, f"{library.name}_{query}")
                times[key].append(median)
                call_us[key].append(calls[case, pose_set, query])

    median_us = {key: statistics.median(values) for key, values in times.items()}
    for (case, pose_set, method), median in sorted(median_us.items()):
        row = {"experiment": "static", "case": case, "pose_set": pose_set, "method": method}
        row |= {"median_us": round(median, 3), "rounds": len(times[case, pose_set, method])}
        if call_us[case, pose_set, method]:
            # Medians well below this are not resolved from Python.
            row["call_us"] = round(statistics.median(call_us[case, pose_set, method]), 3)
        else:
            query = "collide" if "collide" in method or "greedy" in method else "distance"
            for library in libraries:
                theirs = median_us.get((case, pose_set, f"{library.name}_{query}"))
                if theirs is not None and median > 0:
                    row[f"{library.name}_{query}_over_ours"] = round(theirs / median, 3)
        print(json.dumps(row))
    for (case, pose_set), row in sorted(answers_apart(answers["coal"], answers["fcl"], poses).items()):
        print(json.dumps({"experiment": "static_answers", "case": case, "pose_set": pose_set} | row))


if __name__ == "__main__":
    main()
