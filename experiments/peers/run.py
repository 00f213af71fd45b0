#!/usr/bin/env python3
"""Measures other programs beside ours, each in a virtual environment of its own made from PyPI, and writes rows for the report.

    experiments/peers/run.py OUT_DIR [--only NAME…] [--quick]
    cargo run --release -p experiments -- all -o DIR        # takes DIR/peers/*.jsonl into its page

OUT_DIR/NAME.jsonl has one JSON object per line; OUT_DIR/NAME has what was handed over, so that a row can be looked into. A peer
that cannot be installed, or fails, is a line with a note that says so. Any Python 3.11 or later; needs no package itself.

    static    coal, FCL (meshes of 3,000 × 30,000 triangles), parry in process
    gjk       parry in process (convex hulls and boxes)
    edges     HPP's continuous validation on random edges of a Panda among boxes     (shared data)
    paths     HPP, and coal sampled at 1/32 rad, on real planner paths               (shared data)
    planning  OMPL's RRT-Connect with coal on MotionBenchMaker's problems            (shared data)
    traffic   CommonRoad's drivability checker
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import environment

WORKSPACE = environment.HERE.parents[1]

# Name: peers, script, its requirements and environment, options, options of the quick form.
SUITES = {
    "static": ("coal, python-fcl", "static_distance.py", "requirements.txt", ".venv", ["--rounds", "3"], ["--rounds", "1", "--", "--quick"]),
    "gjk": ("parry", None, None, None, [], ["--quick"]),
    "edges": ("hpp-python", "edges_hpp.py", "requirements-hpp.txt", ".venv/hpp", [], ["--rounds", "1", "--quick"]),
    "paths": ("hpp-python, coal", "paths_peers.py", "requirements-hpp.txt", ".venv/hpp", [], ["--quick"]),
    "planning": ("ompl, coal", "planning_ompl.py", "requirements-ompl.txt", ".venv/ompl", [], ["--count", "1"]),
    "traffic": (
        "commonroad-drivability-checker", "spacetime_commonroad.py", "requirements-commonroad.txt", ".venv/commonroad", [],
        ["--rounds", "1"],
    ),
}  # fmt: skip


def command_of(name, folder, quick):
    _, script, _, _, options, quick_options = SUITES[name]
    extra = quick_options if quick else options
    if script is None:
        return environment.experiments(name, "--json", *extra)
    return [sys.executable, environment.HERE / script, folder, *extra]


def rows_of(name, folder, quick):
    """What a suite prints, or notes why it did not."""
    peers, _, requirements, environment_folder, _, _ = SUITES[name]
    if requirements is not None:
        try:
            environment.make(requirements, environment_folder)
        except environment.NotInstalled as error:
            return [{"note": f"{peers} cannot be installed here: {error}"}]
    start = time.monotonic()
    command = command_of(name, folder, quick)
    result = subprocess.run(command, cwd=WORKSPACE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    if result.returncode != 0:
        last = " ".join(result.stderr.split())[-400:]
        rows.append({"note": f"{peers}: ended with {result.returncode}: {last}"})
    taken = f"{peers} beside ours, {time.monotonic() - start:.0f} s{', quick: shapes, not figures' if quick else ''}"
    return [{"note": taken}, *rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda p: Path(p).resolve(), metavar="OUT_DIR")
    parser.add_argument("--only", nargs="+", choices=SUITES, default=list(SUITES), metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="small: shows that everything runs")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    # Built before anything is timed.
    build = ["cargo", "build", "-q", "--release", "-p", "experiments", "-p", "pathproof-cli"]
    subprocess.run(build, cwd=WORKSPACE, check=True)
    os.environ["PATHPROOF_EXPERIMENTS"] = str(WORKSPACE / "target/release/experiments")
    failed = []
    for name in options.only:
        print(f"{name}: runs", file=sys.stderr, flush=True)
        rows = rows_of(name, options.folder / name, options.quick)
        (options.folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        notes = [row["note"] for row in rows if "note" in row]
        print(f"{name}: {len(rows) - len(notes)} rows; {'; '.join(notes)}", file=sys.stderr, flush=True)
        if len(rows) == len(notes):
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
