"""What is converted, and what is refused with which words."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pathproof as pp


def test_float32_strided_and_lists_are_converted(arm: pp.Scene) -> None:
    checker = pp.Checker(arm)
    path = np.array([[0.0, 0.0], [0.25, -0.5], [0.5, 0.25]])
    expected = checker.check(path)
    strided = np.zeros((3, 4))
    strided[:, ::2] = path
    for given in (path.astype(np.float32), strided[:, ::2], np.asfortranarray(path), path.tolist(), path[::-1][::-1]):
        answer = checker.check(given)
        assert answer.verdict == expected.verdict and answer.lower_clearance == expected.lower_clearance
        assert np.array_equal(answer.waypoints, path)
    a, b = path[:2], path[1:]
    rows = checker.segments(a, b)
    assert checker.segments(a.astype(np.float32), np.asfortranarray(b)).tobytes() == rows.tobytes()
    assert checker.is_free(path[0].astype(np.float32), strided[1, ::2])
    assert checker.is_free(np.array([0, 0]), [0.25, -0.5])
    odd_bytes = np.frombuffer(b"0" + path.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(path.shape)
    for given in (odd_bytes, path.astype(">f8"), path.astype(np.float16)):
        assert np.array_equal(checker.check(given).waypoints, path)
    read_only = path.copy()
    read_only.flags.writeable = False
    assert checker.check(read_only).verdict == expected.verdict


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (np.zeros(2), r"an array of shape \(waypoints, 2\).*arm/shoulder, arm/elbow.*its shape is \(2,\)"),
        (np.zeros((3, 5)), r"its shape is \(3, 5\)"),
        (np.zeros((0, 2)), r"its shape is \(0, 2\)"),
        (np.zeros((2, 2, 2)), r"its shape is \(2, 2, 2\)"),
        (np.zeros((2, 2), dtype=complex), "dtype is complex128"),
        (np.zeros((2, 2), dtype=bool), "dtype is bool"),
        ([["a", "b"]], "dtype is <U1"),
        ([[0.0, 1.0], [0.0]], "a path must be an array of shape"),
        ([[0.0, 0.0], [float("nan"), 0.0]], 'waypoint 1: the value NaN of "arm/shoulder" is not a finite number'),
        ([[0.0, float("inf")]], 'waypoint 0: the value inf of "arm/elbow" is not a finite number'),
        ([[0.0, 0.0], [3.5, 0.0]], r'waypoint 1: the joint "arm/shoulder" is 3.5, outside its limits \[-3, 3\]'),
        (None, "dtype is object"),
    ],
)
def test_a_path_that_is_none_says_what_was_expected(arm: pp.Scene, path: object, words: str) -> None:
    with pytest.raises(pp.InputError, match=words):
        pp.Checker(arm).check(path)  # type: ignore[arg-type]


def test_masked_arrays_are_refused_by_name(arm: pp.Scene) -> None:
    """What is under a mask was once taken for a number."""
    checker = pp.Checker(arm)
    path = np.ma.array(np.zeros((2, 2)), mask=[[False, False], [False, True]])
    unmasked = np.ma.array(np.zeros((2, 2)), mask=False)
    rows = np.zeros((2, 2))
    calls: list[tuple[str, Callable[[], object]]] = [
        ("a path", lambda: checker.check(path)),
        ("a path", lambda: checker.check(unmasked)),
        ("a path", lambda: checker.check([path[0], path[1]])),
        ("a path", lambda: checker.check([[0.0, np.ma.masked]])),
        ("a path", lambda: checker.profile(path)),
        ("a path", lambda: checker.min_distance(path)),
        ("a path", lambda: pp.smooth(checker, path)),
        ("a path", lambda: pp.Trajectory(path)),
        ("velocities", lambda: pp.Trajectory(rows, times=[0, 1], velocities=path)),
        ("times", lambda: pp.Trajectory(rows, times=path[1])),
        ("a", lambda: checker.is_free(path[1], [0.0, 0.0])),
        ("b", lambda: checker.is_free([0.0, 0.0], [0.0, np.ma.masked])),
        ("a", lambda: checker.segments(path, rows)),
        ("b", lambda: checker.segments(rows, path)),
        ("goal", lambda: pp.plan(checker, rows[0], path)),
        ("q", lambda: arm.poses(path[1])),
        ("points", lambda: pp.Hull("h", np.ma.array(np.eye(4, 3), mask=False))),
    ]
    for name, call in calls:
        with pytest.raises(TypeError, match=f"^{name} is a masked array"):
            call()


def test_nan_never_certifies(arm: pp.Scene) -> None:
    checker = pp.Checker(arm)
    nan = np.array([float("nan"), 0.0])
    for call in (
        lambda: checker.is_free(nan, np.zeros(2)),
        lambda: checker.is_free(np.zeros(2), nan, ignore_limits=True),
        lambda: checker.segments(nan[None], np.zeros((1, 2)), ignore_limits=True),
        lambda: checker.profile(nan[None]),
        lambda: arm.poses(nan),
        lambda: arm.attached("post", "arm/tool", nan),
    ):
        with pytest.raises(pp.InputError, match="not a finite number"):
            call()


def test_segments_name_the_row(arm: pp.Scene) -> None:
    checker = pp.Checker(arm)
    a = np.zeros((9000, 2))
    a[8500, 1] = np.nan
    with pytest.raises(pp.InputError, match='row 8500 of a: the value NaN of "arm/elbow"'):
        checker.segments(a, np.zeros((9000, 2)))
    with pytest.raises(pp.InputError, match=r"their shapes are \(2, 2\) and \(3, 2\)"):
        checker.segments(np.zeros((2, 2)), np.zeros((3, 2)))
    with pytest.raises(pp.InputError, match="threads must be at least 1"):
        checker.segments(np.zeros((2, 2)), np.zeros((2, 2)), threads=0)


def test_limits_can_be_ignored(arm: pp.Scene) -> None:
    checker = pp.Checker(arm)
    with pytest.raises(pp.InputError, match="pass ignore_limits=True"):
        checker.is_free([0.0, 0.0], [0.0, 2.7])
    checker.is_free([0.0, 0.0], [0.0, 2.7], ignore_limits=True)


def test_files_that_are_wrong_say_so_as_on_the_command_line(cell: Path) -> None:
    with pytest.raises(pp.FileError, match="nowhere.toml: cannot .*No such file") as caught:
        pp.Scene.load(cell.parent / "nowhere.toml")
    assert caught.value.file.endswith("nowhere.toml") and "check the name" in caught.value.remedy
    cell.write_text(cell.read_text() + "colour = 'red'\n")
    with pytest.raises(pp.FileError, match="line 14.*unknown field `colour`"):
        pp.Scene.load(cell)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.remedy == caught.value.remedy


def test_errors_are_of_one_kind(slide: pp.Scene, tmp_path: Path) -> None:
    for kind in (pp.InputError, pp.SceneError, pp.FileError, pp.NotFreeError, pp.RefusedError):
        assert issubclass(kind, pp.PathproofError)
    with pytest.raises(ValueError):
        pp.Scene.load(tmp_path / "nothing.toml")
    with pytest.raises(pp.InputError, match="max_seconds: -1"):
        pp.Checker(slide).check([[0.0]], max_seconds=-1)
    with pytest.raises(pp.FileError, match="ends in .csv, .json or .yaml"):
        pp.Checker(slide).check("path.txt")
