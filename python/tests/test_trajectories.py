"""Curves that a controller runs: the same answers for files and arrays, and proofs of what is run."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pathproof as pp

POSITIONS = [[0.0], [0.4], [0.8]]
TIMES = [0.0, 4.0, 8.0]
TOO_FAST = [[0.0], [0.6], [0.0]]
"""Made for half the time: the cubic of the last piece swings over to 0.9, and the wall is touched at 0.89."""
SLOW = [[0.0], [0.15], [0.0]]


def too_fast(**more: Any) -> pp.Trajectory:
    return pp.Trajectory(POSITIONS, times=TIMES, velocities=TOO_FAST, **more)


def slow() -> pp.Trajectory:
    return pp.Trajectory(np.array(POSITIONS), times=np.array(TIMES), velocities=np.array(SLOW))


def message(velocities: list[list[float]] | None, times: list[float] = TIMES) -> str:
    points = []
    for i, (positions, time) in enumerate(zip(POSITIONS, times, strict=True)):
        point: dict[str, Any] = {"positions": positions, "time_from_start": {"sec": int(time), "nanosec": 0}}
        points.append(point if velocities is None else {**point, "velocities": velocities[i]})
    return json.dumps({"joint_names": ["slide"], "points": points})


def test_the_curve_is_checked_and_not_its_waypoints(slide: pp.Scene, tmp_path: Path) -> None:
    checker = pp.Checker(slide)
    assert checker.check(POSITIONS).free and checker.check(POSITIONS).interpolation == "linear"
    (tmp_path / "fast.json").write_text(message(TOO_FAST))
    for path in (too_fast(), tmp_path / "fast.json", pp.Trajectory(tmp_path / "fast.json")):
        answer = checker.check(path, report="all")
        assert answer.verdict == "collision" and answer.interpolation == "controller"
        assert answer.segment == 1 and answer.time is not None and answer.t is not None
        assert answer.time == pytest.approx(4 + 4 * answer.t)
        s = answer.t
        at = 0.4 * (2 * s**3 - 3 * s**2 + 1) + 0.6 * 4 * (s**3 - 2 * s**2 + s) + 0.8 * (3 * s**2 - 2 * s**3)
        assert answer.configuration is not None and answer.configuration[0] == pytest.approx(at, abs=1e-9)
        assert answer.findings[0].time is not None
        assert any("start at the first waypoint" in note and "--" not in note for note in answer.notes)
    assert checker.check(too_fast(interpolation="linear")).free
    lines = checker.check(pp.Trajectory(tmp_path / "fast.json", interpolation="linear"))
    assert lines.free and any("velocities" in warning for warning in lines.warnings)
    assert checker.check(slow()).free


def test_files_and_arrays_get_the_same_answer(slide: pp.Scene, tmp_path: Path) -> None:
    checker = pp.Checker(slide)
    (tmp_path / "slow.json").write_text(message(SLOW))
    from_file, from_arrays = checker.check(tmp_path / "slow.json"), checker.check(slow())
    assert from_file.lower_clearance == from_arrays.lower_clearance is not None
    assert np.array_equal(from_file.waypoints, from_arrays.waypoints)
    assert from_file.certificate() == from_arrays.certificate()


def test_times_alone_are_straight_lines_with_times(slide: pp.Scene) -> None:
    answer = pp.Checker(slide).check(pp.Trajectory([[0.0], [1.5]], times=[0, 3]))
    assert answer.interpolation == "linear" and answer.time == pytest.approx(3 * (answer.t or 0))


def test_quintics_and_splines(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    quintic = pp.Trajectory(POSITIONS, times=TIMES, velocities=TOO_FAST, accelerations=np.zeros((3, 1)))
    assert checker.check(quintic).verdict == "collision"
    spline = checker.check(pp.Trajectory(POSITIONS, times=TIMES, interpolation="natural-cubic"))
    assert spline.free and spline.interpolation == "natural-cubic"
    with pytest.raises(pp.InputError, match="this is the natural cubic spline"):
        spline.certificate()


def test_positions_alone_are_upsampled(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    points = [[0.0], [0.8], [0.8], [0.0]]
    assert checker.check(points).free
    chunk = pp.Trajectory(points, interpolation="upsampled", policy_frequency=0.5)
    answer = checker.check(chunk)
    assert answer.verdict == "collision" and answer.interpolation == "upsampled"
    assert any("policy frequency, 0.5 Hz" in note for note in answer.notes)
    assert checker.check(pickle.loads(pickle.dumps(chunk))).verdict == "collision"
    gentle = pp.Trajectory([[0.0], [0.4], [0.4], [0.0]], times=[0, 2, 4, 6], interpolation="upsampled")
    proof = checker.check(gentle).certificate()
    assert pp.verify(slide, gentle, proof).interpolation == "upsampled"
    with pytest.raises(pp.InputError, match="pass policy_frequency"):
        checker.check(pp.Trajectory(points, interpolation="upsampled"))
    with pytest.raises(pp.InputError, match="upsamples positions alone"):
        checker.check(pp.Trajectory(POSITIONS, times=TIMES, velocities=SLOW, interpolation="upsampled"))


def test_the_controllers_parameters_say_what_runs(slide: pp.Scene, tmp_path: Path) -> None:
    file = tmp_path / "controllers.yaml"
    file.write_text("arm:\n  ros__parameters:\n    joints: [slide]\n    positions_upsampling.enable: true\n")
    path = {"times": [0, 2, 4, 6], "controller": file}
    answer = pp.Checker(slide).check(pp.Trajectory([[0.0], [0.8], [0.8], [0.0]], **path))
    assert answer.verdict == "collision" and answer.interpolation == "upsampled"
    assert any("positions_upsampling on" in note for note in answer.notes)
    file.write_text("arm:\n  ros__parameters:\n    joints: [slide]\n    interpolation_method: none\n")
    trajectory = pp.Trajectory([[0.0], [0.8]], times=[0, 2], controller=file, controller_name="arm")
    with pytest.raises(pp.InputError, match="in steps"):
        pp.Checker(slide).check(pickle.loads(pickle.dumps(trajectory)))
    with pytest.raises(pp.InputError, match="give controller"):
        pp.Trajectory([[0.0]], controller_name="arm")


def test_polynomials_of_a_file(slide: pp.Scene, tmp_path: Path) -> None:
    file = tmp_path / "power.json"
    file.write_text('{"joint_names": ["slide"], "basis": "power", "knots": [0, 1], "pieces": [[[0, 3.6, -3.6]]]}')
    answer = pp.Checker(slide).check(file)
    assert answer.verdict == "collision" and answer.interpolation == "polynomials"
    with pytest.raises(pp.FileError, match="leave interpolation out"):
        pp.Checker(slide).check(pp.Trajectory(file, interpolation="linear"))


def test_a_certificate_is_of_the_curve_or_of_the_lines(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    proof = checker.check(slow()).certificate()
    assert proof.interpolation == "controller"
    assert pp.verify(slide, slow(), proof).interpolation == "controller"
    assert pickle.loads(pickle.dumps(proof)) == proof
    lines = checker.check(POSITIONS).certificate()
    assert pp.verify(slide, POSITIONS, lines).interpolation == lines.interpolation == "linear"
    for path, other in ((POSITIONS, proof), (slow(), lines), (too_fast(), proof), (too_fast(), lines)):
        with pytest.raises(pp.RefusedError) as caught:
            pp.verify(slide, path, other)
        assert caught.value.fault == "other_path"


def test_distances_along_the_curve(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    nearest = checker.min_distance(slow())
    assert nearest is not None and nearest.lower <= 0.09 <= nearest.upper + 1e-9 and nearest.time == pytest.approx(8, abs=0.3)
    profile = checker.profile(slow())
    assert profile.nearest is not None and profile.nearest.time == pytest.approx(8, abs=0.3)
    contact = checker.min_distance(too_fast())
    assert contact is not None and contact.upper <= 0 and 4 < (contact.time or 0) < 8
    assert np.min(checker.profile(too_fast()).upper) <= 0


def test_the_robot_may_start_elsewhere(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    late = {"times": [1.0, 5.0, 9.0], "velocities": SLOW}
    at_rest = checker.check(pp.Trajectory(POSITIONS, **late))
    assert at_rest.free and len(at_rest.waypoints) == 3
    from_post = pp.Trajectory(POSITIONS, **late, start=[-0.7], start_velocities=[0.0])
    answer = checker.check(from_post)
    assert answer.verdict == "collision" and answer.bodies == ("r/ball", "post") and answer.segment == 0
    assert len(answer.waypoints) == 4 and answer.waypoints[0] == [-0.7]
    assert any("from the current state" in note for note in answer.notes)
    with pytest.raises(pp.InputError, match="no time to get there"):
        checker.check(pp.Trajectory(POSITIONS, times=TIMES, velocities=SLOW, start=[0.1]))
    with pytest.raises(pp.InputError, match="give start"):
        pp.Trajectory(POSITIONS, times=TIMES, velocities=SLOW, wrap=["slide"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"velocities": SLOW}, "no times"),
        ({"times": [0.0, 4.0]}, "2 times for 3 waypoints"),
        ({"times": [0.0, 4.0, 3.0]}, r"times must not go back, but times\[2\] is 3"),
        ({"times": [-1.0, 4.0, 5.0]}, r"times\[0\] is -1"),
        ({"times": [0.0, np.nan, 5.0]}, r"times\[1\] is NaN"),
        ({"times": [[0.0, 1.0, 5.0]]}, r"its shape is \(1, 3\)"),
        ({"times": [0.0, 4.0, 4.0], "velocities": SLOW}, "not after the one before it.*interpolation=\"linear\""),
        ({"times": TIMES, "velocities": [[0.0], [1.0]]}, r"velocities must be .* for 3 waypoints, but its shape is \(2, 1\)"),
        ({"times": TIMES, "velocities": [[0.0, 1.0]] * 3}, r"its shape is \(3, 2\)"),
        ({"times": TIMES, "velocities": [[0.0], [np.inf], [0.0]]}, "velocities: row 1 has a value that is not a finite"),
        ({"times": TIMES, "velocities": np.zeros((3, 1), dtype=complex)}, "dtype is complex128"),
        ({"times": TIMES, "accelerations": SLOW}, "accelerations and not both velocities"),
        ({"times": TIMES, "interpolation": "cubic"}, 'must be "linear", "controller", "upsampled" or "natural-cubic", not "cubic"'),
        ({"times": TIMES, "velocities": [[0.0], [9.0], [0.0]]}, "along the curve the joint .*ignore_limits=True"),
    ],
)
def test_what_is_no_trajectory_says_why(slide: pp.Scene, given: dict[str, Any], words: str) -> None:
    with pytest.raises(pp.InputError, match=words):
        pp.Checker(slide).check(pp.Trajectory(POSITIONS, **given))


def test_limits_along_the_curve_can_be_ignored(slide: pp.Scene) -> None:
    wild = pp.Trajectory(POSITIONS, times=TIMES, velocities=[[0.0], [9.0], [0.0]])
    answer = pp.Checker(slide).check(wild, ignore_limits=True)
    assert answer.verdict == "collision" and any("above its limit" in warning for warning in answer.warnings)


def test_a_file_has_its_own_times(tmp_path: Path) -> None:
    with pytest.raises(pp.InputError, match="a file has its own"):
        pp.Trajectory(tmp_path / "some.json", times=[0.0])


def test_trajectories_can_be_pickled(slide: pp.Scene, tmp_path: Path) -> None:
    checker = pp.Checker(slide)
    again = pickle.loads(pickle.dumps(too_fast()))
    assert checker.check(again).t == checker.check(too_fast()).t
    (tmp_path / "fast.json").write_text(message(TOO_FAST))
    assert checker.check(pickle.loads(pickle.dumps(pp.Trajectory(tmp_path / "fast.json")))).verdict == "collision"


def test_straight_lines_are_smoothed(slide: pp.Scene, tmp_path: Path) -> None:
    checker = pp.Checker(slide)
    with pytest.raises(pp.InputError, match="not a Trajectory"):
        pp.smooth(checker, slow())  # type: ignore[arg-type]
    (tmp_path / "slow.json").write_text(message(SLOW))
    assert any("velocities" in warning for warning in pp.smooth(checker, tmp_path / "slow.json", steps=5).warnings)
