"""Checks trajectories that MoveIt or ROS wrote (YAML or JSON), in a scene or for a robot alone.

    python check_moveit_trajectory.py cell.toml trajectory.yaml [more.yaml]

Ends with status 0 where all are proven free.
"""

from __future__ import annotations

import sys

import pathproof as pp


def main(scene_file: str, *trajectories: str) -> int:
    checker = pp.Checker(pp.Scene.load(scene_file))
    all_free = True
    for file in trajectories:
        answer = checker.check(file, report="first")
        all_free &= answer.free
        if answer.free:
            print(f"{file}: free at every configuration, at least {answer.lower_clearance:.4f} m apart")
        elif answer.bodies is not None:
            when = "" if answer.time is None else f" at {answer.time:.3f} s"
            print(f"{file}: {answer.verdict}, {' and '.join(answer.bodies)}, segment {answer.segment}{when}")
        for warning in answer.warnings:
            print(f"warning: {warning}")
    return 0 if all_free else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
