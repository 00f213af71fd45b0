"""Paths that are found and shortened: proven, seeded, and ended by limits and signals."""

from __future__ import annotations

import _thread
import threading

import numpy as np
import pytest

import pathproof as pp


@pytest.fixture
def checker(arm: pp.Scene) -> pp.Checker:
    """The post stands between start and goal: the arm must fold."""
    return pp.Checker(arm)


START, GOAL = [0.6, 0.0], [2.6, 0.0]


@pytest.mark.parametrize("planner", ["rrt-connect", "a-sbl"])
def test_a_plan_is_proven_and_joins_its_ends(checker: pp.Checker, planner: str) -> None:
    assert not checker.is_free(START, GOAL)
    plan = pp.plan(checker, START, GOAL, planner=planner, max_steps=100_000, max_seconds=None)  # type: ignore[arg-type]
    assert plan.found and plan.proven and plan.planner == planner and plan.limit is None
    assert plan.waypoints is not None and plan.length is not None and plan.length > 0
    assert plan.waypoints[0].tolist() == START and plan.waypoints[-1].tolist() == GOAL
    assert checker.check(plan.waypoints).free
    again = pp.plan(checker, START, GOAL, planner=planner, max_steps=100_000, max_seconds=None)  # type: ignore[arg-type]
    assert np.array_equal(again.waypoints, plan.waypoints), "the same seed"
    assert plan.statistics["segments"] > 0 and plan.seconds >= 0


def test_sbl_says_that_it_proves_nothing(checker: pp.Checker) -> None:
    plan = pp.plan(checker, START, GOAL, planner="sbl", max_steps=100_000)
    assert plan.found and not plan.proven and "not proven" in repr(plan)


def test_any_of_several_goals_will_do(checker: pp.Checker, arm: pp.Scene) -> None:
    blocked = [np.pi / 2, 0.0]
    plan = pp.plan(checker, START, [blocked, [0.8, 0.2]])
    assert plan.found and plan.waypoints is not None and plan.waypoints[-1].tolist() == [0.8, 0.2]
    assert plan.warnings == ["1 of 2 goals are not free and left out"]


def test_a_region_is_reached(checker: pp.Checker) -> None:
    plan = pp.plan(checker, START, goal_region="arm/lower y<0.3", max_steps=100_000)
    assert plan.found and plan.planner == "rrt-connect" and plan.proven
    assert plan.waypoints is not None and checker.check(plan.waypoints).free


def test_without_a_path_the_limit_is_told(checker: pp.Checker) -> None:
    plan = pp.plan(checker, START, GOAL, max_steps=1)
    assert not plan.found and plan.waypoints is None and plan.limit == "steps" and plan.length is None
    assert pp.plan(checker, START, GOAL, max_seconds=0.0).limit == "seconds"


@pytest.mark.parametrize(
    ("asked", "kind", "words"),
    [
        ({"start": [np.pi / 2, 0.0]}, pp.NotFreeError, "the start is not free: .* in contact.*nearby"),
        ({"goal": [np.pi / 2, 0.0]}, pp.NotFreeError, "the goal is not free"),
        ({"goal": None}, pp.InputError, "give a goal or a goal_region"),
        ({"goal_region": "arm/* z<1"}, pp.InputError, "not both"),
        ({"goal": None, "goal_region": "leg/* z<1"}, pp.InputError, "no link with geometry"),
        ({"goal": [0.0]}, pp.InputError, r"goal must be 2 numbers"),
        ({"goal": [[0.0]]}, pp.InputError, r"its shape is \(1, 1\)"),
        ({"goal": [0.0, float("nan")]}, pp.InputError, "not a finite number"),
        ({"start": [99.0, 0.0]}, pp.InputError, "outside its limits"),
        ({"planner": "prm"}, pp.InputError, "planner must be"),
        ({"planner": "random-walk"}, pp.InputError, "takes a region"),
        ({"step": 0.1}, pp.InputError, "only sbl and random-walk"),
        ({"step": 0.0, "planner": "sbl"}, pp.InputError, "above 0"),
        ({"max_seconds": -1.0}, pp.InputError, "max_seconds: -1"),
    ],
)
def test_what_cannot_be_planned_says_why(checker: pp.Checker, asked: dict[str, object], kind: type, words: str) -> None:
    arguments: dict[str, object] = {"start": START, "goal": GOAL, **asked}
    with pytest.raises(kind, match=words):
        pp.plan(checker, **arguments)  # type: ignore[arg-type]


def test_smoothing_shortens_and_stays_proven(checker: pp.Checker) -> None:
    plan = pp.plan(checker, START, GOAL, seed=3)
    assert plan.waypoints is not None
    smoothed = pp.smooth(checker, plan.waypoints)
    assert smoothed.end == "converged" and smoothed.length <= smoothed.length_before == plan.length
    assert checker.check(smoothed.waypoints).free
    assert smoothed.waypoints[0].tolist() == START and smoothed.waypoints[-1].tolist() == GOAL
    few = pp.smooth(checker, plan.waypoints, steps=3, keep_waypoints=True)
    assert few.end == "steps" and few.length >= smoothed.length
    assert np.array_equal(pp.smooth(checker, plan.waypoints).waypoints, smoothed.waypoints), "the same seed"
    assert pp.smooth(checker, plan.waypoints, max_seconds=0.0).end == "seconds"


def test_only_free_paths_are_smoothed(checker: pp.Checker) -> None:
    with pytest.raises(pp.NotFreeError, match="the path is not free, and only free paths are smoothed: .*post"):
        pp.smooth(checker, [START, GOAL])


@pytest.mark.parametrize("call", ["plan", "smooth"])
def test_ctrl_c_ends_a_search(checker: pp.Checker, call: str) -> None:
    """The goal of the plan cannot be reached; without an answer to the signal neither call ends."""
    walled = checker.scene.with_obstacle(pp.Box("wall", size=(0.02, 0.9, 1), xyz=(-0.6, 0.9, 0), rpy=(0, 0, 0.6)))
    timer = threading.Timer(0.3, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        if call == "plan":
            unreachable = pp.Checker(walled, clearance=0.05)
            assert unreachable.is_free(GOAL, GOAL) and unreachable.is_free(START, START)
            timer.start()
            pp.plan(unreachable, START, GOAL, max_seconds=None)
        else:
            timer.start()
            pp.smooth(checker, [[0.0, 0.0], [0.3, 0.4], [0.6, 0.0]], steps=10**12)
    timer.join()
