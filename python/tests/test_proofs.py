from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import pathproof as pp

PATH = [[0.0], [0.8]]


def test_a_certificate_is_written_read_and_verified(slide: pp.Scene, tmp_path: Path) -> None:
    proof = pp.Checker(slide).check(PATH).certificate()
    proof.save(tmp_path / "proof.ppc")
    accepted = pp.verify(slide, PATH, tmp_path / "proof.ppc")
    assert (accepted.segments, accepted.pairs) == (1, 2) and accepted.halves > 0
    assert pp.Certificate.load(tmp_path / "proof.ppc") == proof
    assert pickle.loads(pickle.dumps(proof)) == proof
    assert proof.joints == ("r/slide",) and proof.waypoints.tolist() == PATH and proof.clearance == 0
    assert any("straight line" in line for line in proof.assumptions)
    assert pp.verify(slide, PATH, proof).segments == 1


def test_another_path_scene_or_clearance_is_refused(slide: pp.Scene) -> None:
    proof = pp.Checker(slide).check(PATH).certificate()
    with pytest.raises(pp.RefusedError) as caught:
        pp.verify(slide, [[0.0], [0.85]], proof)
    assert caught.value.fault == "other_path"
    with pytest.raises(pp.RefusedError) as caught:
        pp.verify(slide.moved("wall", xyz=(1.1, 0, 0)), PATH, proof)
    assert caught.value.fault == "other_scene"
    with pytest.raises(pp.RefusedError, match="the scene requires 0.05 m clearance") as caught:
        pp.verify(slide.with_clearance(0.05), PATH, proof)
    assert caught.value.fault == "clearance" and caught.value.bodies is not None


def test_what_is_not_free_has_no_certificate(slide: pp.Scene) -> None:
    with pytest.raises(pp.NotFreeError, match="this is collision"):
        pp.Checker(slide).check([[0.0], [1.5]]).certificate()


def test_a_damaged_certificate_is_refused(slide: pp.Scene, tmp_path: Path) -> None:
    data = bytearray(pp.Checker(slide).check(PATH).certificate().to_bytes())
    data[len(data) // 2] ^= 1
    with pytest.raises(pp.InputError):
        pp.Certificate.from_bytes(bytes(data))
    with pytest.raises(pp.FileError):
        pp.verify(slide, PATH, tmp_path / "none.ppc")


def test_distances() -> None:
    box, ball = pp.Box("box", (1, 1, 1)), pp.Sphere("ball", 0.2, xyz=(1.0, 0, 0))
    for method in ("tree", "gjk"):
        found = pp.distance(box, ball, method=method)  # type: ignore[arg-type]
        assert found.lower <= 0.3 <= (found.upper or 0) + 1e-9 and found.points is not None
        assert (found.upper or 0) - found.lower < 1e-6
        cylinder, other = pp.Cylinder("c", (0.2, 1)), pp.Box("b", (1, 1, 1), xyz=(0.6, 0, 0))
        deep = pp.distance(cylinder, other, method=method)  # type: ignore[arg-type]
        assert deep.lower <= -0.1 <= (deep.upper or 0)
    assert pp.distance(box, ball, method="greedy", delta=0.1).lower > 0.1
    with pytest.raises(pp.InputError, match="delta"):
        pp.distance(box, ball, delta=0.1)
    with pytest.raises(pp.InputError, match="plane"):
        pp.distance(box, pp.Plane("floor"))


def test_traffic(tmp_path: Path) -> None:
    scenario = """{"agents": [{"name": "crossing", "shape": {"box": [4.5, 2.0]},
        "poses": [[0, 0, -20, 1.57], [2, 0, 20, 1.57]]}],
        "ego": {"shape": {"box": [4.5, 2.0]}, "candidates": [
        {"name": "on", "poses": [[0, -20, 0, 0], [2, 20, 0, 0]]},
        {"name": "wait", "poses": [[0, -20, 0, 0], [2, -20, 0, 0]]}]}}"""
    (tmp_path / "scenario.json").write_text(scenario)
    on, wait = pp.traffic(tmp_path / "scenario.json")
    assert (on.name, on.verdict, on.agent) == ("on", "collision", "crossing") and abs((on.t or 0) - 1) < 0.2
    assert wait.free and wait.verdict == "free" and wait.checked == [(0.0, 2.0)]
    first = pp.traffic(tmp_path / "scenario.json", report="first")[0]
    assert first.free_until is not None and first.free_until <= (first.t or 0)
    assert {a.verdict for a in pp.traffic(tmp_path / "scenario.json", method="trees")} == {"sampled_free"}
    with pytest.raises(pp.FileError):
        pp.traffic(tmp_path / "none.json")
    with pytest.raises(pp.InputError, match="tolerance"):
        pp.traffic(tmp_path / "scenario.json", method="naive", tolerance=0.1)
