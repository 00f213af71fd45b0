#!/usr/bin/env python3
"""MotionBenchMaker's Panda problems: our planners, and OMPL's RRT-Connect with coal at its default resolution.

    experiments/peers/planning_ompl.py DIR [--count 10] [--seconds 5] [--peers-only]

The first COUNT problems (at most ten) of each of the seven sets. Runs `experiments mbm --count COUNT --json`, then OMPL on the
same scenes and meshes. OMPL asks coal (by pinocchio) about states and samples motions at its default: 1 % of the space's
extent. Every path it returns is then checked by `pathproof check`, as it came and after OMPL's own simplification.

Prints one JSON object per line. Times are processor time in milliseconds; what OMPL's calls into Python cost (measured on a
check that does nothing) is subtracted. `colliding`: paths on which the exact checker shows a collision.
"""

import argparse
import gzip
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import environment

environment.enter("requirements-ompl.txt", ".venv/ompl")

import descriptions  # noqa: E402
import numpy as np  # noqa: E402
import robots  # noqa: E402
from ompl import base as ob  # noqa: E402
from ompl import geometric as og  # noqa: E402
from ompl import util as ou  # noqa: E402

WORKSPACE = Path(__file__).resolve().parents[2]
DATA = WORKSPACE.parent / "shared/data"


def euler(q):
    """Roll, pitch and yaw about fixed axes of a quaternion xyzw."""
    x, y, z, w = np.array(q) / np.linalg.norm(q)
    roll = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x))))
    return [roll, pitch, math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))]


def scene_text(problem):
    """A problem as a scene file of this project."""
    robot = DATA / "robots/panda_mbm"
    text = f'[[robots]]\nname = "r"\nurdf = "{robot}/panda.urdf"\nsrdf = "{robot}/panda.srdf"\n'
    for thing in problem["objects"]:
        size = [float(x) for x in thing["dimensions"]]
        shape = {"box": f"box = {size}", "cylinder": f"cylinder = {size[::-1]}", "sphere": f"sphere = {size[0]}"}[thing["type"]]
        xyz, rpy = [float(x) for x in thing["position"]], euler(thing["orientation_xyzw"])
        text += f'[[obstacles]]\nname = "{thing["id"]}"\n{shape}\nxyz = {xyz}\nrpy = {rpy}\n'
    return text


def write_path(path, joints, states):
    path.write_text(",".join(joints) + "\n" + "".join(",".join(repr(float(x)) for x in q) + "\n" for q in states))


def exact_verdict(folder):
    """What the exact checker says of folder/path.csv: a verdict."""
    command = [WORKSPACE / "target/release/pathproof", "check", folder / "scene.toml", folder / "path.csv", "--json"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode not in (0, 1):
        sys.exit(f"pathproof check: {result.stderr}")
    return json.loads(result.stdout)["verdict"]


class Space:
    """The robot's joints as OMPL wants them, with coal for states."""

    def __init__(self, robot):
        self.robot, self.calls, self.is_idle = robot, 0, False
        self.dimension = robot.model.nq
        space = ob.RealVectorStateSpace(self.dimension)
        bounds = ob.RealVectorBounds(self.dimension)
        for joint, (low, high) in enumerate(zip(robot.model.lowerPositionLimit, robot.model.upperPositionLimit)):
            bounds.setLow(joint, float(low))
            bounds.setHigh(joint, float(high))
        space.setBounds(bounds)
        self.setup = og.SimpleSetup(space)
        self.setup.setStateValidityChecker(self.is_valid)
        self.space = space

    def values(self, state):
        return np.array([state[joint] for joint in range(self.dimension)])

    def is_valid(self, state):
        self.calls += 1
        q = self.values(state)
        return True if self.is_idle else not self.robot.collides(q)

    def state(self, values):
        state = self.space.allocState()
        for joint, value in enumerate(values):
            state[joint] = float(value)
        return state

    def call_us(self, q):
        """What a call from OMPL into Python and back costs, without coal."""
        self.is_idle = True
        information, state = self.setup.getSpaceInformation(), self.state(q)
        information.setup()
        start = time.thread_time_ns()
        for _ in range(5000):
            information.isValid(state)
        self.is_idle = False
        return (time.thread_time_ns() - start) / 1000 / 5000


def plan(robot, start, goal, seconds, call_us):
    """(path or None, milliseconds, calls, simplified path, milliseconds of that)."""
    problem = Space(robot)
    setup = problem.setup
    setup.setStartAndGoalStates(problem.state(start), problem.state(goal))
    setup.setPlanner(og.RRTConnect(setup.getSpaceInformation()))
    setup.setup()
    problem.calls = 0
    began = time.thread_time_ns()
    # The clock may run out later than the processor time: other programs do not count.
    setup.solve(4 * seconds)
    taken = (time.thread_time_ns() - began) / 1e6 - problem.calls * call_us / 1e3
    if not setup.haveExactSolutionPath() or taken > 1e3 * seconds:
        return None, taken, problem.calls, None, None
    path = [problem.values(state) for state in setup.getSolutionPath().getStates()]
    problem.calls = 0
    began = time.thread_time_ns()
    setup.simplifySolution()
    simplifying = (time.thread_time_ns() - began) / 1e6 - problem.calls * call_us / 1e3
    simple = [problem.values(state) for state in setup.getSolutionPath().getStates()]
    return path, taken, problem.calls, simple, simplifying


def run_ours(count):
    command = environment.experiments("mbm", "--count", count, "--json")
    lines = subprocess.run(command, cwd=WORKSPACE, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def build_program():
    if "PATHPROOF_EXPERIMENTS" in os.environ:
        return  # built by run.py
    subprocess.run(["cargo", "build", "-q", "--release", "-p", "pathproof-cli"], cwd=WORKSPACE, check=True)


def summary(case, results, call_us):
    """A row of a set: results are (milliseconds, verdict or None, milliseconds, verdict or None)."""
    solved = [r for r in results if r[1]]

    def both(values):
        ordered = sorted(values)
        return [round(statistics.median(ordered), 2), round(ordered[int((len(ordered) - 1) * 0.95)], 2)] if ordered else None

    def told(place, verdict):
        return sum(r[place] == verdict for r in solved)

    return {
        "experiment": "mbm", "case": case, "planner": "ompl-rrt-connect-coal", "problems": len(results), "solved": len(solved),
        "plan_ms": both([r[0] for r in results]), "colliding": told(1, "collision"), "too_close": told(1, "too_close"),
        "simplify_ms": both([r[2] for r in solved]), "colliding_simplified": told(3, "collision"), "call_us": round(call_us, 2),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda p: Path(p).resolve())
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--peers-only", action="store_true", help="do not run ours")
    options = parser.parse_args()
    file = DATA / "problems/motionbenchmaker/panda.json.gz"
    if not file.exists():
        sys.exit(f"the shared data is not at {DATA}")
    build_program()
    sets = json.loads(gzip.open(file).read())["problems"]
    ou.setLogLevel(ou.LOG_ERROR)
    ou.RNG.setSeed(1)
    rows = [] if options.peers_only else run_ours(options.count)
    everything, call_us = [], None
    for name, problems in sets.items():
        results = []
        for problem in problems[: options.count]:
            folder = options.folder / f"{name}-{problem['index']}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "scene.toml").write_text(scene_text(problem))
            scene = descriptions.read_scene(folder / "scene.toml")
            with tempfile.TemporaryDirectory() as temporary:
                descriptions.write(scene, folder, Path(temporary))
                robot = robots.CoalRobot(Path(temporary), scene, False)
            start, goal = ([problem[end][joint] for joint in robot.joints] for end in ("start", "goal"))
            if call_us is None:
                call_us = Space(robot).call_us(start)
            path, taken, _, simple, simplifying = plan(robot, start, goal, options.seconds, call_us)
            verdicts = [None, None]
            for place, states in enumerate((path, simple)):
                if states:
                    write_path(folder / "path.csv", robot.joints, states)
                    verdicts[place] = exact_verdict(folder)
            results.append((taken, verdicts[0], simplifying, verdicts[1]))
        rows.append(summary(name, results, call_us))
        everything += results
    rows.append(summary("all", everything, call_us))
    for row in rows:
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
