"""Tables of rows in, verdicts out: the same answers as the library's, for every row, whatever happens in between."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pathproof as pp

pa = pytest.importorskip("pyarrow", reason="needs pyarrow (pip install pathproof[fleet])")
pq = pytest.importorskip("pyarrow.parquet")

from pathproof import fleet  # noqa: E402
from pathproof.fleet.__main__ import main  # noqa: E402


def lists(values: np.ndarray) -> Any:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])


def segments(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.uniform(-0.5, 0.8, (rows, 1)), random.uniform(-0.5, 1.2, (rows, 1))


def table(rows: int, **more: Any) -> Any:
    a, b = segments(rows)
    return pa.table({"id": np.arange(rows) + 7, "a": lists(a), "b": lists(b), **more})


def all_parts(folder: Path) -> Any:
    return pa.concat_tables([pq.read_table(file) for file in sorted(folder.glob("part-*.parquet"))])


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers look for packages in the folder of their driver, and the sources are not built."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    pq.write_table(table(1_000), tmp_path / "rows.parquet", row_group_size=300)
    return tmp_path / "rows.parquet"


def test_a_batch_is_answered_as_segments_are(slide: pp.Scene) -> None:
    answers = fleet.Decider(slide, fleet.Settings(report="first"))(table(500))
    expected = pp.Checker(slide).segments(*segments(500), report="first")
    names = [pp.Verdict(verdict).name.lower() for verdict in expected["verdict"]]
    assert answers.column("verdict").to_pylist() == names and len(set(names)) >= 2
    assert answers.column("id").to_pylist() == list(range(7, 507))
    for name in ("t", "distance", "lower_clearance", "free_until"):
        assert np.array_equal(answers.column(name).to_numpy(), expected[name], equal_nan=True), name
    for name in ("body_a", "body_b"):
        bodies = [None if number < 0 else slide.bodies[number] for number in expected[name]]
        assert answers.column(name).to_pylist() == bodies
    assert answers.column("error").null_count == 500
    assert answers.schema.equals(fleet.Decider(slide).schema(table(1).schema))


def test_unless_the_first_is_asked_for_no_prefix_is_claimed(slide: pp.Scene) -> None:
    answers = fleet.Decider(slide)(table(500)).to_pylist()
    for row in answers:
        assert (row["free_until"], row["free_until_segment"]) == ((1.0, 0) if row["verdict"] == "free" else (None, None))


def test_threads_slices_and_kinds_of_lists_do_not_change_answers(slide: pp.Scene) -> None:
    expected = fleet.Decider(slide)(table(300))
    given = table(300)
    loose = given.set_column(1, "a", given.column("a").cast(pa.list_(pa.float64())))
    assert fleet.Decider(slide, threads=3)(loose).equals(expected)
    chunks = pa.concat_tables([given.slice(0, 7), given.slice(7, 193), given.slice(200)])
    assert fleet.Decider(slide)(chunks).combine_chunks().equals(expected.combine_chunks())
    batch = given.combine_chunks().to_batches()[0].slice(100, 50)
    answers = fleet.Decider(slide)(batch)
    assert isinstance(answers, pa.RecordBatch)
    assert pa.table(answers).equals(expected.slice(100, 50).combine_chunks())
    assert fleet.Decider(slide)(given.slice(0, 0)).num_rows == 0


def test_a_column_per_joint_is_the_same_as_lists(slide: pp.Scene) -> None:
    a, b = segments(500)
    by_joint = pa.table({"id": np.arange(500) + 7, "a_slide": a[:, 0], "b_slide": b[:, 0]})
    expected = fleet.Decider(slide)(table(500))
    assert fleet.Decider(slide)(by_joint).equals(expected)
    proofs = fleet.Decider(slide, fleet.Settings(certificates=True))
    assert proofs(by_joint.slice(0, 20)).equals(proofs(table(500).slice(0, 20)))
    poisoned = fleet.Decider(slide)(pa.table({"a_slide": [0.0, None, 0.0], "b_slide": [0.1, 0.1, 9.0]}))
    assert poisoned.column("verdict").to_pylist() == ["free", None, None]
    assert "limits" in poisoned.column("error")[2].as_py()
    unknown = fleet.Decider(slide)(pa.table({"a_slid": [0.0], "b_slid": [0.1]}))
    assert "no joint is called" in unknown.column("error")[0].as_py()
    kept = fleet.Decider(slide)(table(3, a_note=["x", "y", "z"]))
    assert "a_note" in kept.schema.names, "with lists, other columns are carried"


def test_a_poisoned_row_has_an_error_and_the_others_their_verdicts(slide: pp.Scene) -> None:
    good = [[0.0], [0.5], [1.5]]
    poison = [[float("nan")], [99.0], None, [], [0.0, 1.0], [None], [float("inf")]]
    a = [*good, *poison]
    b = [[0.1]] * len(a)
    kind = pa.list_(pa.float64())
    answers = fleet.Decider(slide)(pa.table({"a": pa.array(a, kind), "b": pa.array(b, kind)})).to_pylist()
    assert [row["verdict"] for row in answers] == ["free", "free", "collision", *[None] * len(poison)]
    errors = [row["error"] for row in answers]
    assert errors[:3] == [None] * 3
    for error, words in zip(
        errors[3:],
        [
            "a: the value NaN",
            "a: the joint .* is 99, outside its limits",
            "a is null",
            "a has 0 values",
            "a has 2 values and b has 1",
            "a: the value NaN",
            "a: the value inf",
        ],
        strict=True,
    ):
        assert error is not None and re.search(words, error), (words, error)
    assert all(row["free_until"] is None and row["t"] is None for row in answers[3:])


def test_a_panic_of_the_library_costs_one_row(slide: pp.Scene) -> None:
    class PanicException(BaseException):
        pass

    class Fragile:
        scene = slide

        def _segments_and_faults(self, a: np.ndarray, b: np.ndarray, **asked: Any) -> Any:
            if 0.25 in a:
                raise PanicException("index out of bounds")
            return pp.Checker(slide)._segments_and_faults(a, b, **asked)

    decider = fleet.Decider(slide)
    decider._scenes.checker = lambda name, clearance: Fragile()  # type: ignore[assignment, method-assign, return-value]
    column = lists(np.array([[0.0], [0.25], [0.5]]))
    answers = decider(pa.table({"a": column, "b": column})).to_pylist()
    assert [row["verdict"] for row in answers] == ["free", None, "free"]
    assert "please report it: index out of bounds" in answers[1]["error"]


def test_rows_have_their_own_clearance(slide: pp.Scene) -> None:
    """The ball comes within 0.09 m of the wall."""
    a, b = lists(np.zeros((5, 1))), lists(np.full((5, 1), 0.8))
    clearance = pa.array([None, 0.05, 0.2, float("nan"), 0.05])
    answers = fleet.Decider(slide)(pa.table({"a": a, "b": b, "clearance": clearance})).to_pylist()
    assert [row["verdict"] for row in answers] == ["free", "free", "too_close", None, "free"]
    assert "clearance" in answers[3]["error"] and answers[2]["clearance"] == 0.2


def test_a_row_wins_over_the_run(slide: pp.Scene) -> None:
    """The run's clearance once hid the row's, and called free what was asked to keep more of a distance."""
    a, b = lists(np.zeros((3, 1))), lists(np.full((3, 1), 0.8))
    given = pa.table({"a": a, "b": b, "clearance": pa.array([None, 0.2, 0.01])})
    for run, expected in ((0.05, ["free", "too_close", "free"]), (0.3, ["too_close", "too_close", "free"])):
        answers = fleet.Decider(slide, fleet.Settings(clearance=run, tolerance=0.002))(given)
        assert answers.column("verdict").to_pylist() == expected


def test_two_scenes_in_one_table(cell: Path) -> None:
    (cell.parent / "near.toml").write_text(cell.read_text().replace("xyz = [1, 0, 0]", "xyz = [0.5, 0, 0]"))
    (cell.parent / "broken.toml").write_text("colour = 'red'")
    names = ["cell.toml", "near.toml", None, "near.toml", "nowhere.toml", "cell.toml", "broken.toml", "../cell.toml"]
    a, b = lists(np.zeros((8, 1))), lists(np.full((8, 1), 0.7))
    answers = fleet.Decider(cell.parent)(pa.table({"a": a, "b": b, "scene": names})).to_pylist()
    assert [row["verdict"] for row in answers] == ["free", "collision", None, "collision", None, "free", None, None]
    errors = [row["error"] for row in answers]
    assert "names no scene" in errors[2] and "nowhere.toml" in errors[4] and "colour" in errors[6]
    assert "not the name of a file" in errors[7]
    by_name = {"cell.toml": pp.Scene.load(cell), "near.toml": cell.parent / "near.toml"}
    again = fleet.Decider(by_name)(pa.table({"a": a, "b": b, "scene": names})).to_pylist()
    assert [row["verdict"] for row in again[:4]] == ["free", "collision", None, "collision"]


def test_paths_are_rows_too(slide: pp.Scene) -> None:
    paths = [[[0.0], [0.5], [0.8]], [[0.0], [0.5], [1.5]], [[0.3]], None, [], [[0.0], [0.0, 1.0]], [[0.0], [99.0]]]
    given = pa.table({"path": pa.array(paths, pa.list_(pa.list_(pa.float64()))), "id": list("abcdefg")})
    for threads in (1, 2):
        answers = fleet.Decider(slide, fleet.Settings(report="first"), threads=threads)(given).to_pylist()
        assert [row["verdict"] for row in answers] == ["free", "collision", "free", None, None, None, None]
        assert (answers[0]["free_until_segment"], answers[0]["free_until"]) == (1, 1.0)
        found = answers[1]
        assert (found["segment"], found["body_a"], found["body_b"]) == (1, "r/ball", "wall")
        assert found["free_until_segment"] == 1 and 0.3 < found["free_until"] <= found["t"]
        assert ["path is null" in answers[3]["error"], "waypoint 1" in answers[6]["error"]] == [True, True]
        assert [row["id"] for row in answers] == list("abcdefg")


def test_certificates_prove_their_rows(slide: pp.Scene) -> None:
    settings = fleet.Settings(certificates=True)
    answers = fleet.Decider(slide, settings)(table(50))
    plain = fleet.Decider(slide)(table(50))
    for name in plain.schema.names:
        assert answers.column(name).equals(plain.column(name)), name
    a, b = segments(50)
    for row, proof in enumerate(answers.column("certificate").to_pylist()):
        assert (proof is not None) == (answers.column("verdict")[row].as_py() == "free")
        if proof is not None:
            pp.verify(slide, np.stack([a[row], b[row]]), pp.Certificate.from_bytes(proof))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"a": [[0.0]]}, "must have the columns a and b, or the column path"),
        ({"id": [0]}, "must have the columns a and b, or the column path, or a_<joint>"),
        ({"a_slide": [0.0]}, "has no column b_slide"),
        ({"a_slide": [0.0], "b_slide": ["x"]}, "b_slide must be doubles"),
        ({"a": [[0.0]], "b": [[0.0]], "path": [[[0.0]]]}, "must have the columns"),
        ({"a": [0.0], "b": [[0.0]]}, "a must be fixed-size lists of doubles, not double"),
        ({"a": [["x"]], "b": [[0.0]]}, "a must be fixed-size lists of doubles, not list<.*string>"),
        ({"path": [[0.0]]}, "path must be lists of waypoints"),
        ({"a": [[0.0]], "b": [[0.0]], "verdict": ["mine"]}, "same names as .'verdict'.; rename"),
        ({"a": [[0.0]], "b": [[0.0]], "clearance": ["wide"]}, "clearance must be metres"),
        ({"a": [[0.0]], "b": [[0.0]], "scene": ["x.toml"]}, "one scene was given; give the folder"),
    ],
)
def test_tables_that_cannot_be_answered_are_refused(slide: pp.Scene, columns: dict[str, Any], words: str) -> None:
    with pytest.raises(pp.InputError, match=words):
        fleet.Decider(slide)(pa.table(columns))


def test_the_command_answers_every_row_once(cell: Path, rows_file: Path, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out"
    assert main([str(cell), str(rows_file), str(out), "--rows-per-part", "128", "--threads", "2"]) == 0
    assert "1,000 rows: " in capsys.readouterr().out
    found = all_parts(out)
    assert found.column("row").to_pylist() == list(range(1_000))
    expected = fleet.Decider(pp.Scene.load(cell))(pq.read_table(rows_file))
    assert found.drop_columns(["row"]).combine_chunks().equals(expected.combine_chunks())
    summary = json.loads((out / "_summary.json").read_text())
    assert summary["rows"] == sum(summary[name] for name in ("free", "collision", "too_close", "undecided", "error"))


def test_a_second_run_makes_only_what_is_missing(cell: Path, rows_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fleet.decide_parquet(cell, rows_file, out, rows_per_part=128)
    before = all_parts(out)
    (out / "part-000002.parquet").unlink()
    (out / "part-000005.parquet").rename(out / "part-000005.parquet.0.unfinished")
    kept = {file: file.stat().st_mtime_ns for file in out.glob("part-*.parquet")}
    summary = fleet.decide_parquet(cell, rows_file, out, rows_per_part=128)
    assert summary["parts"] - summary["parts_of_earlier_runs"] == 2
    assert all_parts(out).equals(before)
    assert all(file.stat().st_mtime_ns == time for file, time in kept.items())
    assert not list(out.glob("*.unfinished")), "what killed workers left is cleared away"


def test_parts_of_another_run_are_refused(cell: Path, rows_file: Path, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out"
    given = [str(cell), str(rows_file), str(out)]
    assert main(given) == 0
    assert main([*given, "--clearance", "0.01"]) == 2
    assert "clearance was None and is 0.01; take another folder" in capsys.readouterr().err
    assert main([*given, "--certificates"]) == 2
    assert main([*given, "--rows-per-part", "10"]) == 2
    assert "rows_per_part was 65536 and is 10" in capsys.readouterr().err
    scene = cell.read_text()
    cell.write_text(scene.replace("xyz = [1, 0, 0]", "xyz = [1.5, 0, 0]"))
    assert main(given) == 2
    assert "the scenes changed" in capsys.readouterr().err
    cell.write_text(scene)
    assert main(given) == 0
    pq.write_table(table(1_000).slice(1), rows_file)
    assert main(given) == 2
    assert "the input changed" in capsys.readouterr().err
    (out / "part-000000.parquet").write_bytes(b"PAR1")
    assert main(given) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_what_changes_during_a_run_ends_it(cell: Path, rows_file: Path, tmp_path: Path) -> None:
    from pathproof.fleet._parts import Worker
    from pathproof.fleet._run import start

    (tmp_path / "out").mkdir()
    run = start(str(cell), str(rows_file), str(tmp_path / "out"), fleet.Settings(), 400)
    worker = Worker(run, 1)
    worker.make(run.parts[0])
    os.utime(rows_file, ns=(1, 1))
    with pytest.raises(fleet.FleetError, match="was written to during the run"):
        worker.make(run.parts[1])
    run = start(str(cell), str(rows_file), str(tmp_path / "out"), fleet.Settings(), 400)
    cell.write_text(cell.read_text().replace("xyz = [1, 0, 0]", "xyz = [1.5, 0, 0]"))
    with pytest.raises(fleet.FleetError, match="is not what it was when the run was started"):
        Worker(run, 1).make(run.parts[1])
    assert len(list((tmp_path / "out").iterdir())) == 1, "no half of a part is left"


def test_a_folder_of_tables_and_of_scenes(cell: Path, tmp_path: Path, capsys: Any) -> None:
    (cell.parent / "near.toml").write_text(cell.read_text().replace("xyz = [1, 0, 0]", "xyz = [0.5, 0, 0]"))
    folder = tmp_path / "tables"
    folder.mkdir()
    for number, rows in enumerate((70, 0, 30)):
        names = pa.array([("cell.toml", "near.toml", "nowhere.toml")[i % 3] for i in range(rows)], pa.string())
        pq.write_table(table(rows, scene=names), folder / f"{number}.parquet")
    out = tmp_path / "out"
    assert main([str(cell.parent), str(folder), str(out), "--rows-per-part", "16"]) == 1, "some rows have errors"
    assert "33 errors" in capsys.readouterr().out
    found = all_parts(out)
    assert found.column("row").to_pylist() == list(range(100))
    assert {row["scene"] for row in found.to_pylist() if row["error"]} == {"nowhere.toml"}


def test_killed_runs_go_on(cell: Path, tmp_path: Path) -> None:
    """Killed by SIGKILL after some parts are there, several times; nothing is lost and nothing is there twice."""
    rows = tmp_path / "rows.parquet"
    pq.write_table(table(40_000), rows)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "pathproof.fleet", str(cell), str(rows), str(out), "--rows-per-part", "500"]
    for parts in (1, 20, 45):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while process.poll() is None and len(list(out.glob("part-*.parquet"))) < parts:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    found = all_parts(out)
    assert found.column("row").to_pylist() == list(range(40_000))
    expected = fleet.Decider(pp.Scene.load(cell))(pq.read_table(rows))
    assert found.drop_columns(["row"]).combine_chunks().equals(expected.combine_chunks())


def test_usage_errors_end_with_2(cell: Path, rows_file: Path, tmp_path: Path, capsys: Any) -> None:
    out = str(tmp_path / "out")
    assert main([str(tmp_path / "nowhere.toml"), str(rows_file), out]) == 2
    assert main([str(cell), str(tmp_path / "nowhere.parquet"), out]) == 2
    assert main([str(cell), str(cell), out]) == 2
    assert "cannot be read as Parquet" in capsys.readouterr().err
    assert main([str(cell), str(rows_file), out, "--address", "auto"]) == 2
    assert main([str(cell), str(rows_file), out, "--tolerance", "nan"]) == 2
    assert not Path(out).exists() or not list(Path(out).glob("part-*")), "nothing is written"


@pytest.mark.parametrize("engine", ["ray", "daft"])
def test_engines_give_the_same_parts(cell: Path, rows_file: Path, tmp_path: Path, engine: str) -> None:
    pytest.importorskip(engine, reason=f"needs {engine}'s wheel (scripts/test --peers)")
    fleet.decide_parquet(cell, rows_file, tmp_path / "local", rows_per_part=128)
    fleet.decide_parquet(cell, rows_file, tmp_path / "out", rows_per_part=128, engine=engine)  # type: ignore[arg-type]
    assert all_parts(tmp_path / "out").equals(all_parts(tmp_path / "local"))


def test_inside_a_ray_data_pipeline(cell: Path, rows_file: Path) -> None:
    ray = pytest.importorskip("ray", reason="needs Ray's wheel (scripts/test --peers)")
    ray_data = pytest.importorskip("ray.data")
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        decided = fleet.on_ray(ray_data.read_parquet(str(rows_file)), str(cell))
        found = pa.Table.from_pylist(decided.take_all()).sort_by("id")
    finally:
        ray.shutdown()
    expected = fleet.Decider(cell)(pq.read_table(rows_file))
    for name in ("id", "verdict", "body_a", "t", "lower_clearance"):
        assert found.column(name).to_pylist() == expected.column(name).to_pylist()


def test_inside_a_daft_pipeline(cell: Path, rows_file: Path) -> None:
    daft = pytest.importorskip("daft", reason="needs Daft's wheel (scripts/test --peers)")
    found = fleet.on_daft(daft.read_parquet(str(rows_file)), str(cell)).to_arrow().sort_by("id")
    expected = fleet.Decider(cell)(pq.read_table(rows_file))
    for name in ("id", "verdict", "body_a", "t", "lower_clearance"):
        assert found.column(name).to_pylist() == expected.column(name).to_pylist()
