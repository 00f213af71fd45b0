from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest

import pathproof as pp


def test_joints_limits_states_and_bodies(arm: pp.Scene) -> None:
    assert arm.joints == ("arm/shoulder", "arm/elbow") and arm.dof == 2
    assert np.array_equal(arm.limits, [[-3, 3], [-2.5, 2.5]])
    assert arm.bodies == ("arm/upper", "arm/lower", "post")
    assert "arm/tool" in arm.links
    assert arm.states == ["home"] and np.array_equal(arm.state("home"), [0.5, -0.5])
    assert ("arm/upper", "post", 0.0) in arm.pairs
    assert any("parent and child" in reason for _, _, reason in arm.unchecked)
    assert np.array_equal(arm.configuration({"elbow": 1.0, "arm/shoulder": 0.5}), [0.5, 1.0])
    with pytest.raises(pp.InputError, match="no joint is called"):
        arm.configuration({"knee": 1.0})
    with pytest.raises(pp.InputError, match="no state is called 'away'|no state is called \"away\""):
        arm.state("away")


def test_forward_kinematics(arm: pp.Scene) -> None:
    poses = arm.poses([0.3, 0.4])
    tool = poses["arm/tool"]
    assert tool.shape == (4, 4)
    x, y = np.cos(0.3) + np.cos(0.7), np.sin(0.3) + np.sin(0.7)
    assert np.allclose(tool[:, 3], [x, y, 0, 1])
    assert np.allclose(tool[:2, :2], [[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])


def test_objects_are_added_taken_and_moved(slide: pp.Scene) -> None:
    path = [[0.0], [0.8]]
    assert pp.Checker(slide).check(path).free
    more = slide.with_obstacle(pp.Sphere("ball", radius=0.1, xyz=(0.5, 0.15, 0)))
    assert pp.Checker(more).check(path).bodies == ("r/ball", "ball")
    assert pp.Checker(more.moved("ball", xyz=(0.5, 0.3, 0))).check(path).free
    assert pp.Checker(more.without("ball")).check(path).free
    assert slide.bodies == ("r/ball", "wall", "post"), "a scene never changes"
    assert pp.Checker(slide.without("wall")).check([[0.0], [1.9]]).free
    assert pp.Checker(slide.moved("wall", xyz=(1.9, 0, 0))).check([[0.0], [1.7]]).free
    with pytest.raises(pp.SceneError, match='no object "floor"'):
        slide.without("floor")
    with pytest.raises(pp.SceneError, match="is a link of a robot"):
        slide.without("r/ball")
    with pytest.raises(pp.SceneError, match='two bodies are called "wall"'):
        slide.with_obstacle(pp.Sphere("wall", 0.1))


def test_objects_change_hands(arm: pp.Scene) -> None:
    scene = arm.with_obstacle(pp.Sphere("part", radius=0.02, xyz=(2.1, 0, 0)))
    grip = np.array([0.0, 0.0])
    held = scene.attached("part", "arm/tool", grip)
    assert ("part", "arm/lower", "attached there, or may touch") in held.unchecked or any(
        {"part", "arm/lower"} == {a, b} for a, b, _ in held.unchecked
    )
    path = [[0.0, 0.0], [0.9, 0.9]]
    later = held.detached("part", [0.9, 0.9])
    where = held.poses([0.9, 0.9])["arm/tool"] @ [0.1, 0, 0, 1]
    near = later.with_obstacle(pp.Sphere("probe", radius=0.001, xyz=tuple(where[:3])))
    assert near.bodies[-2:] == ("part", "probe")
    assert pp.Checker(held).check(path).verdict in ("free", "collision", "too_close")
    with pytest.raises(pp.SceneError, match="not attached to anything"):
        later.detached("part", grip)
    with pytest.raises(pp.SceneError, match="no robot has the link"):
        scene.attached("part", "arm/nose", grip)


def test_wildcards_of_the_file_hold_for_what_is_added(cell: Path) -> None:
    cell.write_text(cell.read_text() + '[[pairs]]\nbodies = ["r/*", "t*"]\nclearance = 0.05\n'.replace("t*", "*"))
    scene = pp.Scene.load(cell).with_obstacle(pp.Sphere("ball", radius=0.1, xyz=(0.5, 0.22, 0)))
    assert ("r/ball", "ball", 0.05) in scene.pairs
    assert pp.Checker(scene).check([[0.0], [0.8]]).verdict == "too_close"


def cube() -> tuple[np.ndarray, np.ndarray]:
    vertices = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float) - 0.5
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return vertices, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def test_meshes_from_arrays(slide: pp.Scene) -> None:
    vertices, triangles = cube()
    box = pp.Mesh("box", vertices=vertices * 0.1, triangles=triangles, xyz=(0.5, 0.16, 0))
    scene = slide.with_obstacle(box)
    assert scene.warnings == []
    assert pp.Checker(scene).check([[0.0], [0.8]]).free
    assert not pp.Checker(scene.moved("box", xyz=(0.5, 0.1, 0))).check([[0.0], [0.8]]).free
    exact = pp.distance(box, pp.Sphere("s", 0.05, xyz=(0.5, 0.4, 0)))
    assert exact.lower <= 0.14 <= (exact.upper or 0) + 1e-12
    # What is wholly inside a solid collides with it.
    inside = pp.distance(pp.Mesh("b", vertices=vertices, triangles=triangles), pp.Sphere("s", 0.05))
    assert inside.inside and inside.lower == 0 and inside.upper == 0
    holed = pp.Mesh("open", vertices=vertices * 0.1, triangles=triangles[1:], xyz=(0, 3, 0))
    assert "open edges" in slide.with_obstacle(holed).warnings[0]
    assert slide.with_obstacle(holed).without("open").warnings == []
    meant = pp.Mesh("open", vertices=vertices * 0.1, triangles=triangles[1:], xyz=(0, 3, 0), surface=True)
    assert slide.with_obstacle(meant).warnings == []
    with pytest.raises(pp.InputError, match="hole of"):
        pp.Mesh("open", vertices=vertices, triangles=triangles[1:], solid=True)
    with pytest.raises(pp.InputError, match=r"triangles: row 0"):
        pp.Mesh("odd", vertices=vertices, triangles=triangles + 0.5)
    with pytest.raises(pp.InputError, match=r"vertices must be an array of shape \(n, 3\)"):
        pp.Mesh("flat", vertices=vertices[:, :2], triangles=triangles)
    with pytest.raises(pp.InputError, match="row 3 has a value that is not a finite number"):
        pp.Mesh("nan", vertices=np.where(np.arange(8)[:, None] == 3, np.nan, vertices), triangles=triangles)
    with pytest.raises(pp.InputError):
        pp.Mesh("far", vertices=vertices, triangles=triangles + 100)


def test_obstacles_that_cannot_be_are_refused() -> None:
    with pytest.raises(pp.InputError, match="size"):
        pp.Box("box", size=(1, 0, 1))
    with pytest.raises(pp.InputError, match="cannot be a name"):
        pp.Box("a/b", size=(1, 1, 1))
    with pytest.raises(pp.InputError, match="xyz: NaN is not a finite number"):
        pp.Sphere("ball", 0.1, xyz=(0, float("nan"), 0))
    with pytest.raises(pp.InputError, match="is no direction"):
        pp.Plane("floor", normal=(0, 0, 0))
    with pytest.raises(pp.InputError, match="reaches to infinity"):
        pp.Plane("floor", attach="arm/tool")


def test_all_kinds_of_obstacles_are_pickled_by_value(tmp_path: Path, slide: pp.Scene) -> None:
    vertices, triangles = cube()
    kinds = [
        pp.Box("box", size=(0.1, 0.2, 0.3), xyz=(0.1, 2, 0), rpy=(0.1, 0.2, 0.3)),
        pp.Sphere("sphere", 0.1, xyz=(0, 3, 0)),
        pp.Cylinder("cylinder", (0.1, 0.4), xyz=(0, 4, 0)),
        pp.Capsule("capsule", (0.1, 0.4), xyz=(0, 5, 0)),
        pp.Plane("floor", xyz=(0, 0, -2)),
        pp.Hull("hull", vertices + [0.3, 6, 0]),
        pp.Mesh("mesh", vertices=vertices, triangles=triangles, xyz=(0, 7, 0)),
    ]
    scene = slide
    for obstacle in kinds:
        again = pickle.loads(pickle.dumps(obstacle))
        assert repr(again) == repr(obstacle) and again.name == obstacle.name
        scene = scene.with_obstacle(again)
    assert pickle.loads(pickle.dumps(scene)).bodies == scene.bodies


def test_scenes_are_pickled_by_value_whatever_was_done_to_them(cell: Path, arm: pp.Scene) -> None:
    scene = (
        arm.with_obstacle(pp.Sphere("part", radius=0.02, xyz=(2.05, 0, 0)))
        .with_obstacle(pp.Box("gone", size=(1, 1, 1), xyz=(5, 5, 5)))
        .attached("part", "arm/tool", [0.0, 0.0])
        .moved("post", xyz=(0.1, 1.6, 0), rpy=(0, 0, 0.3))
        .without("gone")
        .with_clearance(0.01)
        .with_tolerance(0.002)
    )
    data = pickle.dumps(scene)
    (cell.parent / "arm.urdf").unlink()
    again = pickle.loads(data)
    assert again.pairs == scene.pairs and again.bodies == scene.bodies and again.tolerance == 0.002
    path = [[0.0, 0.0], [0.5, 0.2]]
    one, other = pp.Checker(scene).check(path), pp.Checker(again).check(path)
    assert (one.verdict, one.lower_clearance) == (other.verdict, other.lower_clearance)


def test_a_scene_whose_files_changed_is_not_pickled_as_another(cell: Path) -> None:
    scene = pp.Scene.load(cell)
    cell.write_text(cell.read_text().replace("xyz = [1, 0, 0]", "xyz = [1.5, 0, 0]"))
    with pytest.raises(pp.SceneError, match="were changed"):
        pickle.loads(pickle.dumps(scene))


def test_many_changes_do_not_pile_up(slide: pp.Scene) -> None:
    few = len(pickle.dumps(slide.moved("wall", xyz=(1.5, 0, 0))))
    scene = slide
    for i in range(200):
        scene = scene.moved("wall", xyz=(1.5 + i / 1000, 0, 0)).with_obstacle(pp.Sphere("s", 0.1, xyz=(0, 5, 0)))
        scene = scene.without("s")
    assert len(pickle.dumps(scene)) < few + 100


def _check(checker: pp.Checker, path: list[list[float]]) -> tuple[str, float | None]:
    answer = checker.check(path)
    return answer.verdict, answer.lower_clearance


def test_checkers_go_to_other_processes(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    path = [[0.0], [0.8]]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_check, (checker, path)) == _check(checker, path)


def test_a_checker_follows_its_scene(slide: pp.Scene) -> None:
    checker = pp.Checker(slide)
    path = [[0.0], [0.8]]
    nearer = checker.updated(slide.moved("wall", xyz=(0.7, 0, 0)))
    assert checker.check(path).free and nearer.check(path).bodies == ("r/ball", "wall")
    assert nearer.scene.bodies == slide.bodies


def test_classes_are_frozen(slide: pp.Scene) -> None:
    for thing in (slide, pp.Checker(slide), pp.Sphere("s", 0.1), pp.Checker(slide).check([[0.0]])):
        with pytest.raises(AttributeError):
            thing.clearance = 1.0  # type: ignore[misc, union-attr]


def test_an_updated_checker_keeps_the_clearance_that_was_given(slide: pp.Scene) -> None:
    """It once fell back to the scene's own, and called free what was asked to keep a distance."""
    checker = pp.Checker(slide, clearance=0.125, tolerance=0.0625)
    for updated in (checker.updated(slide), pickle.loads(pickle.dumps(checker)).updated(slide)):
        assert (updated.scene.clearance, updated.scene.tolerance) == (0.125, 0.0625)


def test_an_updated_checker_answers_as_a_new_one(arm: pp.Scene) -> None:
    """To the last bit, whatever it keeps of the one before."""
    bench = pp.Box("bench", size=(0.3, 0.3, 0.3), xyz=(-1.2, -0.6, 0.0))
    scene = arm.with_obstacle(bench).with_obstacle(pp.Sphere("lamp", radius=0.1, xyz=(1.0, -1.5, 0.0)))
    checker = pp.Checker(scene)
    rows = np.random.default_rng(3).uniform(-2, 2, (400, 2))
    for changed in (
        scene,
        scene.with_clearance(0.02),
        scene.moved("lamp", xyz=(0.9, -1.4, 0.0)),
        scene.without("bench"),
        scene.attached("lamp", "arm/tool", [0.0, 0.0]),
    ):
        checker = checker.updated(changed)
        found = checker.segments(rows, rows[::-1], threads=1, report="first")
        assert found.tobytes() == pp.Checker(changed).segments(rows, rows[::-1], threads=1, report="first").tobytes()


def test_an_srdf_beside_the_urdf_is_used_and_said(arm: pp.Scene, tmp_path: Path) -> None:
    """It was overlooked, so that Python and the program checked other pairs."""
    assert arm.warnings == []
    beside = pp.Scene.from_urdf(tmp_path / "arm.urdf")
    assert beside.states == ["home"]
    assert any("arm.srdf is used" in warning and "srdf=False" in warning for warning in beside.warnings)
    assert beside.states == pp.Scene.load(tmp_path / "arm.urdf").states
    none = pp.Scene.from_urdf(tmp_path / "arm.urdf", srdf=False)
    assert none.states == [] and none.warnings == []
    named = pp.Scene.from_urdf(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf")
    assert named.states == ["home"] and named.warnings == []
    with pytest.raises(pp.PathproofError, match="names no file"):
        pp.Scene.from_urdf(tmp_path / "arm.urdf", srdf=True)  # type: ignore[arg-type]
