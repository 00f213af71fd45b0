"""The examples, run as they are. Those that need other people's wheels are skipped where these are not installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import pathproof as pp

EXAMPLES = Path(__file__).parent.parent / "examples"

TRAJECTORY = """joint_trajectory:
  joint_names: [slide]
  points:
    - positions: [0.0]
      time_from_start: {sec: 0, nanosec: 0}
    - positions: [%s]
      time_from_start: {sec: 2, nanosec: 0}
"""


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_check_moveit_trajectory(cell: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = cell.parent / "good.yaml", cell.parent / "bad.yaml"
    good.write_text(TRAJECTORY % 0.8)
    bad.write_text(TRAJECTORY % 1.5)
    main = example("check_moveit_trajectory").main
    assert main(str(cell), str(good)) == 0
    assert main(str(cell), str(good), str(bad)) == 1
    printed = capsys.readouterr().out
    assert "good.yaml: free at every configuration" in printed
    assert "bad.yaml: collision, r/ball and wall, segment 0 at 1.18" in printed


def test_certify_batch(cell: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = cell.parent / "paths"
    folder.mkdir()
    for name, goal in [("one", 0.8), ("two", -0.5), ("three", 1.5)]:
        (folder / f"{name}.csv").write_text(f"slide\n0\n{goal}\n")
    assert example("certify_batch").main(str(cell), str(folder)) == 0
    assert sorted(file.name for file in folder.glob("*.ppc")) == ["one.ppc", "two.ppc"]
    assert "three.csv: <pathproof.Answer collision" in capsys.readouterr().out


def planning_cell(arm: pp.Scene) -> tuple[pp.Checker, np.ndarray, np.ndarray]:
    """The straight way is barred by the post."""
    checker = pp.Checker(arm)
    start, goal = np.array([0.2, 0.5]), np.array([2.6, 0.2])
    assert not checker.is_free(start, goal)
    return checker, start, goal


def test_rrt_connect_ompl(arm: pp.Scene) -> None:
    pytest.importorskip("ompl", reason="needs OMPL's wheel (scripts/test --peers)")
    checker, start, goal = planning_cell(arm)
    path = example("rrt_connect_ompl").plan(checker, start, goal)
    assert path is not None and len(path) > 2
    assert np.array_equal(path[0], start) and np.allclose(path[-1], goal)
    assert checker.check(path).free


def test_ompl_bindings_do_not_tell_where_a_motion_stops(arm: pp.Scene) -> None:
    """If this fails, OMPL hands the question on: answer it (`Answer.free_until`) and stop warning."""
    pytest.importorskip("ompl", reason="needs OMPL's wheel (scripts/test --peers)")
    from ompl import base as ob
    from ompl import geometric as og

    import pathproof.ompl

    checker, start, goal = planning_cell(arm)
    si = pathproof.ompl.space_information(checker)
    counts = set()

    class Listening(ob.MotionValidator):  # type: ignore[misc]
        def checkMotion(self, *arguments: object) -> bool:  # noqa: N802
            counts.add(len(arguments))
            return False

    si.setMotionValidator(Listening(si))
    planner = og.KPIECE1(si)
    problem = ob.ProblemDefinition(si)
    states = [si.allocState(), si.allocState()]
    for state, q in zip(states, (start, goal)):
        state[0], state[1] = float(q[0]), float(q[1])
    problem.setStartAndGoalStates(states[0], states[1], 1e-9)
    planner.setProblemDefinition(problem)
    planner.setup()
    planner.solve(0.05)
    assert counts == {2}
    with pytest.warns(UserWarning, match="KPIECE1 keeps the free part"):
        assert pathproof.ompl.warn_of_lost_progress(planner)
    assert not pathproof.ompl.warn_of_lost_progress(og.RRTConnect(si))


def test_ompl_spaces_must_fit(arm: pp.Scene, slide: pp.Scene) -> None:
    pytest.importorskip("ompl", reason="needs OMPL's wheel (scripts/test --peers)")
    import pathproof.ompl

    si = pathproof.ompl.space_information(pp.Checker(arm))
    with pytest.raises(pp.InputError, match="2 dimensions, the scene 1 joints"):
        pathproof.ompl.MotionValidator(si, pp.Checker(slide))


def test_klampt_planner(arm: pp.Scene) -> None:
    pytest.importorskip("klampt", reason="needs Klampt's wheel (scripts/test --peers)")
    checker, start, goal = planning_cell(arm)
    path = example("klampt_planner").plan(checker, start, goal)
    assert path is not None and checker.check(path).free
    assert np.allclose(path[0], start) and np.allclose(path[-1], goal)


def test_the_notebook_runs() -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat, nbclient, ipykernel and matplotlib")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(EXAMPLES / "clearance_profile.ipynb", as_version=4)
    resources = {"metadata": {"path": str(EXAMPLES)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
