"""What the package exports, and what a pickle of it keeps."""

from __future__ import annotations

import importlib
import importlib.metadata
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pathproof as pp

SUBPACKAGES = {"fleet", "klampt", "ompl"}


def exported(module: ModuleType) -> set[str]:
    return {name for name in dir(module) if not name.startswith("_")}


def test_names_are_the_package_s_own() -> None:
    """`Any`, `os`, `npt` and others were exported as well."""
    assert exported(pp) - SUBPACKAGES == set(pp.__all__) - {"__version__"}
    for name in pp.__all__:
        assert hasattr(pp, name), name
    star: dict[str, object] = {}
    exec("from pathproof import *", star)
    assert set(star) - {"__builtins__"} == set(pp.__all__)


@pytest.mark.parametrize(("name", "needs"), [("fleet", "pyarrow"), ("ompl", "ompl"), ("klampt", "klampt")])
def test_so_are_those_of_its_parts(name: str, needs: str) -> None:
    pytest.importorskip(needs)
    module = importlib.import_module(f"pathproof.{name}")
    assert exported(module) == set(module.__all__)


def test_the_wheel_carries_its_licences() -> None:
    """It named them and did not have them."""
    package = importlib.metadata.distribution("pathproof")
    assert package.metadata["License-Expression"] == "MIT OR Apache-2.0"
    files = {Path(file).name: file for file in package.files or [] if "licenses" in Path(file).parts}
    assert set(files) == {"LICENSE-MIT", "LICENSE-APACHE"}
    root = Path(__file__).parents[2]
    for name, file in files.items():
        assert Path(str(package.locate_file(file))).read_bytes() == (root / name).read_bytes()


def plain(value: Any) -> Any:
    """Everything that a result says, as values that can be compared."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if type(value).__module__ != "pathproof":
        return value
    names = [name for name in dir(value) if not name.startswith("_") and not callable(getattr(value, name))]
    return {name: plain(getattr(value, name)) for name in names} | {"repr": repr(value)}


SCENARIO = """{"agents": [{"name": "crossing", "shape": {"box": [4.5, 2.0]}, "poses": [[0, 0, -20, 1.57], [2, 0, 20, 1.57]]}],
"ego": {"shape": {"box": [4.5, 2.0]}, "candidates": [{"name": "on", "poses": [[0, -20, 0, 0], [2, 20, 0, 0]]}]}}"""


def results(scene: pp.Scene, arm: pp.Scene, folder: Path) -> dict[str, object]:
    """One of every class of results, with its fields in use."""
    (folder / "scenario.json").write_text(SCENARIO)
    checker = pp.Checker(scene)
    path = pp.Trajectory([[0.0], [0.4], [1.0]], times=[0, 4, 8], velocities=[[0.0], [0.6], [0.0]])
    near = scene.with_obstacle(pp.Box("near", (0.1, 2, 2), xyz=(-0.27, 0, 0)))
    rates = {"velocities": [[1.0], [0.0]], "accelerations": [[8.0], [0.0]]}
    ahead = pp.Trajectory([[0.0], [0.7]], times=[1, 2], **rates)
    answers = {report: checker.check(path, report=report) for report in ("any", "first", "all")}
    free = checker.check([[0.0], [0.5]])
    plan = pp.plan(checker, [0.0], [0.5])
    assert plan.waypoints is not None
    return {
        **answers,
        "free": free,
        "undecided": checker.check([[0.0], [0.889]], max_queries=0),
        "older": pp.Checker(near).check(ahead),
        "finding": answers["all"].findings[0],
        "profile": checker.profile(path),
        "nearest": checker.min_distance(path),
        "accepted": pp.verify(scene, [[0.0], [0.5]], free.certificate()),
        "plan": plan,
        "none": pp.plan(checker, [0.0], [1.5], max_steps=20),
        "smoothed": pp.smooth(checker, plan.waypoints, steps=2),
        "distance": pp.distance(pp.Box("a", (1, 1, 1)), pp.Sphere("b", 0.2, xyz=(1, 0, 0))),
        "traffic": pp.traffic(folder / "scenario.json", report="all")[0],
        "links": pp.acm(arm),
    }


def test_results_survive_a_pickle(slide: pp.Scene, arm: pp.Scene, tmp_path: Path) -> None:
    """Answers could not be handed from one process to another."""
    given = results(slide, arm, tmp_path)
    found = pickle.loads(pickle.dumps(given))
    for name in given:
        assert plain(found[name]) == plain(given[name]), name
    assert found["older"].version == "older-controller" and found["links"] and found["undecided"].limit == "queries"
    assert found["all"].findings[0].time == given["all"].findings[0].time is not None  # type: ignore[attr-defined]


def test_every_class_of_results_is_pickled(slide: pp.Scene, arm: pp.Scene, tmp_path: Path) -> None:
    elsewhere = {"Obstacle", "Scene", "Checker", "Certificate", "Trajectory"}
    exported = [getattr(pp, name) for name in pp.__all__]
    classes = {value.__name__ for value in exported if isinstance(value, type) and value.__module__ == "pathproof"}
    made = {type(value).__name__ for value in results(slide, arm, tmp_path).values()}
    assert classes - elsewhere - {"LinkPair"} == made - {"list"}


def test_a_pickled_answer_says_that_it_has_no_checker(slide: pp.Scene) -> None:
    answer = pickle.loads(pickle.dumps(pp.Checker(slide).check([[0.0], [0.5]])))
    assert answer.free
    with pytest.raises(pp.InputError, match="pickles of answers hold none"):
        answer.certificate()
