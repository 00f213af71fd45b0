"""Klampt's planners with proven edges (pip install Klampt).

    python klampt_planner.py cell.toml start.csv goal.csv
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from klampt.plan.cspace import MotionPlan

import pathproof as pp
import pathproof.klampt


def plan(
    checker: pp.Checker, start: npt.NDArray[np.float64], goal: npt.NDArray[np.float64], rounds: int = 200
) -> npt.NDArray[np.float64] | None:
    """Waypoints from start to goal, or None where the rounds did not suffice."""
    # Its "sbl" aborts on spaces that are defined in Python (0.10.1).
    planner = MotionPlan(pathproof.klampt.CSpace(checker), type="rrt", bidirectional=True)
    planner.setEndpoints(start.tolist(), goal.tolist())
    for _ in range(rounds):
        planner.planMore(10)
        path = planner.getPath()
        if path:
            return np.array(path)
    return None


def main(scene_file: str, start_file: str, goal_file: str) -> int:
    checker = pp.Checker(pp.Scene.load(scene_file))
    start, goal = (checker.check(Path(file)).waypoints[0] for file in (start_file, goal_file))
    path = plan(checker, start, goal)
    if path is None:
        print("no path was found")
        return 1
    answer = checker.check(path)
    print(f"{len(path)} waypoints: {answer}")
    return 0 if answer.free else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
