"""OMPL's RRT-Connect with proven edges (pip install ompl).

    python rrt_connect_ompl.py cell.toml start.csv goal.csv

Every motion that the planner accepts is free at every configuration; the path is checked once more as a whole.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from ompl import base as ob
from ompl import geometric as og

import pathproof as pp
import pathproof.ompl


def plan(
    checker: pp.Checker, start: npt.NDArray[np.float64], goal: npt.NDArray[np.float64], seconds: float = 10.0
) -> npt.NDArray[np.float64] | None:
    """Waypoints from start to goal, or None where time ran out."""
    si = pathproof.ompl.space_information(checker)
    problem = ob.ProblemDefinition(si)
    ends = [si.allocState(), si.allocState()]
    for state, q in zip(ends, (start, goal)):
        for i, value in enumerate(q):
            state[i] = float(value)
    problem.setStartAndGoalStates(ends[0], ends[1], 1e-9)
    planner = og.RRTConnect(si)
    pathproof.ompl.warn_of_lost_progress(planner)
    planner.setProblemDefinition(problem)
    planner.setup()
    if not planner.solve(seconds):
        return None
    states = problem.getSolutionPath().getStates()
    return np.array([[state[i] for i in range(checker.scene.dof)] for state in states])


def main(scene_file: str, start_file: str, goal_file: str) -> int:
    checker = pp.Checker(pp.Scene.load(scene_file))
    start, goal = (checker.check(Path(file)).waypoints[0] for file in (start_file, goal_file))
    path = plan(checker, start, goal)
    if path is None:
        print("no path was found in time")
        return 1
    answer = checker.check(path)
    print(f"{len(path)} waypoints: {answer}")
    return 0 if answer.free else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
