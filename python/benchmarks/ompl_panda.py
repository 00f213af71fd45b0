"""OMPL's RRT-Connect on MotionBenchMaker's problems, with proven edges and with OMPL's own discrete checks.

    python ompl_panda.py ../shared/data/problems/panda_paths [COUNT] [SECONDS]

Both see the same meshes: states are valid where `is_free(q, q)`. How many of the paths that discrete checks accept really
collide is what the exact checker says of them. Seconds are the processor's, of which SECONDS are allowed per problem.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from ompl import base as ob
from ompl import geometric as og
from ompl import util

import pathproof as pp
import pathproof.ompl


def solve(si: Any, start: np.ndarray, goal: np.ndarray, seconds: float) -> tuple[np.ndarray | None, float]:
    problem = ob.ProblemDefinition(si)
    ends = [si.allocState(), si.allocState()]
    for state, q in zip(ends, (start, goal)):
        for i, value in enumerate(q):
            state[i] = float(value)
    problem.setStartAndGoalStates(ends[0], ends[1], 1e-9)
    planner = og.RRTConnect(si)
    planner.setProblemDefinition(problem)
    planner.setup()
    before = time.process_time()
    solved = planner.solve(ob.PlannerTerminationCondition(lambda: time.process_time() - before > seconds))
    elapsed = time.process_time() - before
    if not solved or not problem.hasExactSolution():
        return None, elapsed
    states = problem.getSolutionPath().getStates()
    return np.array([[state[i] for i in range(len(start))] for state in states]), elapsed


def discrete(checker: pp.Checker) -> Any:
    """States by the checker, motions by OMPL's default: a DiscreteMotionValidator at its default resolution."""
    si = ob.SpaceInformation(pathproof.ompl.state_space(checker))
    dimensions = range(checker.scene.dof)

    def is_valid(state: Any) -> bool:
        q = [state[i] for i in dimensions]
        return checker.is_free(q, q, ignore_limits=True)

    si.setStateValidityChecker(is_valid)
    si.setup()
    return si


def main(folder: Path, count: int, seconds: float) -> None:
    util.setLogLevel(util.LOG_NONE)
    problems = sorted(folder.glob("*/scene.toml"))
    problems = problems[:: max(1, len(problems) // count)][:count]
    times: dict[str, list[float]] = {"proven": [], "discrete": []}
    verdicts: dict[str, dict[str, int]] = {"proven": {}, "discrete": {}}
    for number, file in enumerate(problems):
        checker = pp.Checker(pp.Scene.load(file))
        waypoints = checker.check(file.with_name("path.csv")).waypoints
        for kind in ("proven", "discrete"):
            si = pathproof.ompl.space_information(checker) if kind == "proven" else discrete(checker)
            path, elapsed = solve(si, waypoints[0], waypoints[-1], seconds)
            times[kind].append(elapsed)
            verdict = "unsolved" if path is None else checker.check(path, ignore_limits=True).verdict
            verdicts[kind][verdict] = verdicts[kind].get(verdict, 0) + 1
        print(f"{number + 1}/{len(problems)} {file.parent.name}: {verdicts} {times['proven'][-1]:.2f} s {times['discrete'][-1]:.2f} s", flush=True)
    for kind in times:
        print(f"{kind}: {verdicts[kind]}, median {statistics.median(times[kind]):.3f} s, mean {statistics.mean(times[kind]):.3f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50, float(sys.argv[3]) if len(sys.argv) > 3 else 30.0)
