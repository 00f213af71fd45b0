#!/usr/bin/env python3
"""One thousand trajectories of 150 poses against 30 moving obstacles: ours and CommonRoad's drivability checker in turn.

    experiments/peers/spacetime_commonroad.py DIR [--rounds 3] [--peers-only]

Each round runs `experiments spacetime -o DIR --json`, then the peer on what it wrote:

    DIR/obstacles.csv, candidates.csv    candidate,t,x,y,theta
    DIR/about.json                       length and width of the cars; which candidates overlap at 1/20 of a step

Prints one JSON object per line: microseconds per candidate (processor time, one thread, least over the rounds) and how
many of the colliding candidates were missed. Ours counts everything from raw poses to the answer. The peer's batches are
timed twice: the query alone, its objects made before, and with making the candidates' objects from Python. `swept` puts
boxes around consecutive poses on both sides first (its preparation is timed by itself).
"""

import argparse
import csv
import json
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import environment

environment.enter("requirements-commonroad.txt", ".venv/commonroad")

import commonroad_dc.pycrcc as pycrcc  # noqa: E402
from commonroad_dc.collision.trajectory_queries import trajectory_queries  # noqa: E402

WORKSPACE = Path(__file__).resolve().parents[2]
METHODS = ("grid", "box2d", "fcl")


def read_walks(path):
    """The poses (x, y, heading) of each trajectory, in order."""
    walks = defaultdict(list)
    with path.open() as file:
        for row in csv.DictReader(file):
            walks[int(row["candidate"])].append(tuple(float(row[c]) for c in ("x", "y", "theta")))
    return [walks[i] for i in sorted(walks)]


def moving(poses, half_length, half_width):
    """A trajectory as the peer knows it."""
    body = pycrcc.TimeVariantCollisionObject(0)
    for x, y, heading in poses:
        body.append_obstacle(pycrcc.RectOBB(half_length, half_width, heading, x, y))
    return body


def timed(work):
    """What `work` returns, and the processor time it took in microseconds."""
    start = time.thread_time_ns()
    result = work()
    return result, (time.thread_time_ns() - start) / 1000


def swept(bodies):
    prepared = []
    for body in bodies:
        box, failed = trajectory_queries.trajectory_preprocess_obb_sum(body)
        if failed:
            sys.exit("the peer could not sweep a trajectory")
        prepared.append(box)
    return prepared


def ours(folder, rows):
    """One run of our side: the batch rows, least times kept."""
    command = environment.experiments("spacetime", "--count", 3, "-o", folder, "--json")
    result = subprocess.run(command, cwd=WORKSPACE, check=True, stdout=subprocess.PIPE, text=True)
    for line in result.stdout.splitlines():
        row = json.loads(line)
        if row["case"] == "batch":
            known = rows.setdefault(row["method"], row)
            known["us_per_candidate"] = min(known["us_per_candidate"], row["us_per_candidate"])


def peer(folder, rows):
    """One round of the peer: {name: microseconds per candidate and misses}."""
    about = json.loads((folder / "about.json").read_text())
    half = about["length"] / 2, about["width"] / 2
    walks, truth = read_walks(folder / "candidates.csv"), about["colliding"]
    obstacles = [moving(poses, *half) for poses in read_walks(folder / "obstacles.csv")]
    candidates, made = timed(lambda: [moving(poses, *half) for poses in walks])
    (obstacle_boxes, boxes), prepared = timed(lambda: (swept(obstacles), swept(candidates)))

    def keep(name, microseconds, hits):
        missed = sum(collides and not hit for collides, hit in zip(truth, hits))
        row = {"us_per_candidate": microseconds / len(walks), "missed": missed, "found": sum(hits)}
        if name not in rows or row["us_per_candidate"] < rows[name]["us_per_candidate"]:
            rows[name] = row

    for method in METHODS:
        for kind, bodies, against in (("", candidates, obstacles), ("-swept", boxes, obstacle_boxes)):
            answer = lambda: trajectory_queries.trajectories_collision_dynamic_obstacles(bodies, against, method=method)  # noqa: E731
            steps, taken = timed(answer)
            hits = [step != -1 for step in steps]
            keep(f"{method}{kind}", taken, hits)
            if not kind:
                keep(f"{method} with its objects made", taken + made, hits)
    checker = pycrcc.CollisionChecker()
    for obstacle in obstacles:
        checker.add_collision_object(obstacle)
    hits, taken = timed(lambda: [checker.collide(candidate) for candidate in candidates])
    keep("one call per candidate", taken, hits)
    rows["preparing swept boxes"] = {"us_per_candidate": prepared / (len(walks) + len(obstacles))}
    rows["making a candidate's objects"] = {"us_per_candidate": made / len(walks)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda p: Path(p).resolve())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers-only", action="store_true", help="DIR is there already; do not run ours")
    options = parser.parse_args()
    our_rows, peer_rows = {}, {}
    for _ in range(options.rounds):
        if not options.peers_only:
            ours(options.folder, our_rows)
        peer(options.folder, peer_rows)
    for row in our_rows.values():
        print(json.dumps(row))
    for name, row in peer_rows.items():
        print(json.dumps({"experiment": "spacetime", "case": "commonroad", "method": name} | row))
    best = min(row["us_per_candidate"] for name, row in peer_rows.items() if name in METHODS)
    if "hulls" in our_rows:
        ratio = best / our_rows["hulls"]["us_per_candidate"]
        print(json.dumps({"experiment": "spacetime", "case": "commonroad", "method": "best over hulls", "times": round(ratio, 2)}))


if __name__ == "__main__":
    main()
