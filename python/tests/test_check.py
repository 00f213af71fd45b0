from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pathproof as pp


def test_a_free_path_is_proven_with_its_clearance(slide: pp.Scene) -> None:
    answer = pp.Checker(slide).check(np.array([[0.0], [0.8]]))
    assert answer.free and answer.verdict == "free" and answer.complete
    assert answer.lower_clearance is not None and 0.0 < answer.lower_clearance <= 0.09
    assert answer.bodies is None and answer.t is None and answer.configuration is None and answer.points is None
    assert answer.clearance == 0.0 and answer.tolerance == pytest.approx(0.001)
    assert answer.statistics["configurations"] > 0 and answer.seconds > 0


def test_a_collision_comes_with_its_evidence(slide: pp.Scene) -> None:
    answer = pp.Checker(slide).check([[0.0], [1.5]])
    assert answer.verdict == "collision" and not answer.free
    assert answer.bodies == ("r/ball", "wall") and answer.segment == 0
    assert answer.t is not None and answer.configuration is not None
    assert answer.configuration[0] == pytest.approx(1.5 * answer.t)
    assert 0.89 <= answer.configuration[0] <= 1.11
    assert answer.distance is not None and answer.distance <= 0
    assert answer.points is not None and answer.points.shape == (2, 3)
    assert answer.lower_clearance is None


def test_the_other_verdicts(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    near = pp.Checker(slide, clearance=0.05).check([[0.0], [0.8405]])
    assert near.verdict == "too_close" and near.distance is not None and 0.049 < near.distance <= 0.051
    open_ = checker.check([[0.0], [0.889]], max_queries=0)
    assert open_.verdict == "undecided" and open_.limit == "queries" and open_.interval == (0.0, 1.0)
    assert open_.bodies is not None and not open_.complete


def test_first_and_all(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    path = [[0.0], [1.0], [-1.0]]
    first = checker.check(path, report="first")
    assert first.free_until is not None and first.free_until[0] == 0
    assert first.free_until[1] == pytest.approx(0.89, abs=0.002)
    all_ = checker.check(path, report="all")
    assert [(f.bodies, f.segment) for f in all_.findings] == [
        (("r/ball", "wall"), 0),
        (("r/ball", "wall"), 1),
        (("r/ball", "post"), 1),
    ]
    assert all(f.verdict == "collision" and f.distance <= 0 for f in all_.findings)
    with pytest.raises(pp.InputError, match='report must be "any", "first" or "all"'):
        checker.check(path, report="some")  # type: ignore[arg-type]


def test_an_answer_is_neither_true_nor_false(slide: pp.Scene) -> None:
    with pytest.raises(TypeError, match="answer.free"):
        bool(pp.Checker(slide).check([[0.0], [1.5]]))


def test_a_path_file_with_times(slide: pp.Scene, tmp_path: Path) -> None:
    (tmp_path / "path.csv").write_text("time,slide\n0,0\n3,1.5\n")
    answer = pp.Checker(slide).check(tmp_path / "path.csv")
    assert answer.verdict == "collision" and answer.time == pytest.approx(3 * (answer.t or 0))
    assert pp.Checker(slide).check(str(tmp_path / "path.csv")).verdict == "collision"


def test_one_waypoint_checks_that_configuration(slide: pp.Scene) -> None:
    assert pp.Checker(slide).check([[0.5]]).free
    assert not pp.Checker(slide).check([[0.95]]).free


def test_is_free_is_the_verdict_of_the_segment(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    for a, b in [(0.0, 0.8), (0.0, 0.8895), (0.0, 1.5), (-0.7, 0.0), (1.2, 1.9)]:
        free = checker.check([[a], [b]]).free
        assert checker.is_free(np.array([a]), np.array([b])) is free
        assert checker.is_free([a], [b]) is free


def test_clearance_and_tolerance(slide: pp.Scene) -> None:
    path = [[0.0], [0.8]]
    assert pp.Checker(slide, clearance=0.05).check(path).free
    assert pp.Checker(slide, clearance=0.095).check(path).verdict == "too_close"
    assert pp.Checker(slide.with_clearance(0.095)).check(path).verdict == "too_close"
    assert slide.with_tolerance(0.01).tolerance == 0.01
    with pytest.raises(pp.SceneError, match="tolerance"):
        slide.with_tolerance(-1)


def test_segments_say_what_single_checks_say(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    random = np.random.default_rng(3)
    a, b = random.uniform(-1, 2, (5000, 1)), random.uniform(-1, 2, (5000, 1))
    rows = checker.segments(a, b, threads=2)
    assert rows.dtype == pp.SEGMENT_DTYPE and len(rows) == 5000
    assert rows.tobytes() == checker.segments(a, b, threads=1).tobytes()
    assert 100 < np.count_nonzero(rows["verdict"] == pp.Verdict.FREE) < 4900
    names = slide.bodies
    for i in range(0, 5000, 97):
        answer = checker.check(np.stack([a[i], b[i]]), report="any")
        assert pp.Verdict(rows["verdict"][i]).name.lower() == answer.verdict
        if answer.free:
            assert rows["lower_clearance"][i] == answer.lower_clearance and rows["free_until"][i] == 1
            assert rows["body_a"][i] == -1 and np.isnan(rows["t"][i])
        elif answer.verdict != "undecided":
            assert rows["t"][i] == answer.t and rows["distance"][i] == answer.distance
            assert (names[rows["body_a"][i]], names[rows["body_b"][i]]) == answer.bodies


def test_segments_tell_how_far_they_are_free(slide: pp.Scene) -> None:
    rows = pp.Checker(slide).segments([[0.0], [0.0]], [[1.0], [0.5]], report="first")
    assert rows["free_until"][0] == pytest.approx(0.89, abs=0.002) and rows["free_until"][1] == 1
    rows = pp.Checker(slide).segments([[0.0]], [[1.0]])
    assert rows["free_until"][0] == 0, "nothing is claimed where it was not asked for"


def test_segments_of_nothing(slide: pp.Scene) -> None:
    assert len(pp.Checker(slide).segments(np.zeros((0, 1)), np.zeros((0, 1)))) == 0


def test_profile_and_smallest_distance(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    path = [[0.0], [0.8]]
    profile = checker.profile(path)
    columns = profile.columns()
    older = ["is_older_controller"]
    assert set(columns) == {"segment", "t_from", "t_to", "body_a", "body_b", "lower", "upper", "t_upper", *older}
    assert len(profile) == len(columns["lower"]) and profile.complete
    assert np.all(profile.lower <= profile.upper) and np.all(profile.upper - profile.lower <= 0.001 + 1e-12)
    for t_from, t_to, b, lower in zip(profile.t_from, profile.t_to, profile.body_b, profile.lower):
        x = 0.8 * np.linspace(t_from, t_to, 9)
        true = 0.89 - x if slide.bodies[b] == "wall" else x + 0.6
        assert np.all(true >= lower - 1e-12)
    nearest = checker.min_distance(path)
    assert nearest is not None and nearest.bodies == ("r/ball", "wall") and nearest.complete
    assert nearest.lower <= 0.09 <= nearest.upper + 1e-12 <= 0.091 + 1e-9
    assert nearest.t > 0.99 and nearest.segment == 0 and nearest.time is None


def test_an_open_scene_is_refused_unless_meant(cell: Path) -> None:
    alone = pp.Scene.load(cell.parent / "r.urdf")
    with pytest.raises(pp.SceneError, match="no pair of bodies is checked"):
        pp.Checker(alone)
    assert pp.Checker(alone, allow_empty=True).check([[0.0]]).free
