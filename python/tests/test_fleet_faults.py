"""Tables, folders and disks as they should not be: refused with words, or one row lost and never the run."""

from __future__ import annotations

import json
import os
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


def table(rows: int, **more: Any) -> Any:
    ends = np.linspace(-0.5, 0.8, max(rows, 1))[:rows].tolist()
    kind = pa.list_(pa.float64(), 1)
    return pa.table({"a": pa.array([[0.0]] * rows, kind), "b": pa.array([[x] for x in ends], kind), **more})


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def all_parts(folder: Path) -> Any:
    return pa.concat_tables([pq.read_table(file) for file in sorted(folder.glob("part-*.parquet"))])


def test_a_table_without_rows_is_done_at_once(cell: Path, tmp_path: Path, capsys: Any) -> None:
    pq.write_table(table(0), tmp_path / "none.parquet")
    assert main([str(cell), str(tmp_path / "none.parquet"), str(tmp_path / "out")]) == 0
    assert "0 rows: no verdicts" in capsys.readouterr().out
    assert json.loads((tmp_path / "out" / "_summary.json").read_text())["parts"] == 0


def test_a_column_called_row_is_refused(cell: Path, tmp_path: Path, capsys: Any) -> None:
    """Parts once had two columns of that name, which no reader takes."""
    pq.write_table(table(3, row=pa.array([5, 6, 7])), tmp_path / "rows.parquet")
    assert main([str(cell), str(tmp_path / "rows.parquet"), str(tmp_path / "out")]) == 2
    assert "a column row of their own" in capsys.readouterr().err


def test_ids_that_are_there_twice_or_not_at_all_are_carried(cell: Path, tmp_path: Path) -> None:
    ids = pa.array(["x", "x", None, "ß/日本"])
    pq.write_table(table(4, id=ids), tmp_path / "rows.parquet")
    fleet.decide_parquet(cell, tmp_path / "rows.parquet", tmp_path / "out")
    found = all_parts(tmp_path / "out")
    assert found.column("id").to_pylist() == ids.to_pylist() and found.column("row").to_pylist() == [0, 1, 2, 3]


def test_names_may_be_of_any_language(cell: Path, tmp_path: Path) -> None:
    folder = tmp_path / "Fräser 工場"
    folder.mkdir()
    for name in ("r.urdf", "cell.toml"):
        (folder / name).write_text((cell.parent / name).read_text())
    (folder / "cell.toml").rename(folder / "zelle ü.toml")
    pq.write_table(table(5, scene=pa.array(["zelle ü.toml"] * 5)), folder / "строки.parquet")
    summary = fleet.decide_parquet(folder, folder / "строки.parquet", folder / "répónses")
    assert (summary["free"], summary["error"]) == (5, 0)


def test_other_kinds_of_numbers_and_lists(slide: pp.Scene) -> None:
    expected = fleet.Decider(slide)(table(20)).column("verdict").to_pylist()
    given = table(20)
    ends = [row[0] for row in given.column("b").to_pylist()]
    for kind in (pa.list_(pa.float32(), 1), pa.large_list(pa.float64()), pa.list_(pa.float16())):
        b = pa.array([[np.float16(x)] if kind.value_type == pa.float16() else [x] for x in ends], kind)
        assert fleet.Decider(slide)(given.set_column(1, "b", b)).column("verdict").to_pylist() == expected
    whole = pa.array([[0]] * 20, pa.list_(pa.int8(), 1))
    clearance = pa.array([0] * 19 + [None], pa.int64())
    answers = fleet.Decider(slide)(given.set_column(0, "a", whole).append_column("clearance", clearance))
    assert answers.column("verdict").to_pylist() == expected
    paths = pa.array([[[0.0], [x]] for x in ends], pa.large_list(pa.list_(pa.float32(), 1)))
    assert fleet.Decider(slide)(pa.table({"path": paths})).column("verdict").to_pylist() == expected
    with pytest.raises(pp.InputError, match="a must be fixed-size lists of doubles, not .*decimal"):
        fleet.Decider(slide).schema(pa.schema([("a", pa.list_(pa.decimal128(5, 2))), ("b", pa.list_(pa.float64()))]))


def test_a_path_with_poison_in_it_costs_one_row(slide: pp.Scene) -> None:
    paths = [[[0.0], None], [[0.0], [None]], [[0.0], [float("inf")]], [[], []], [[0.0], [0.5]]]
    given = pa.table({"path": pa.array(paths, pa.list_(pa.list_(pa.float64())))})
    answers = fleet.Decider(slide)(given).to_pylist()
    assert [row["verdict"] for row in answers] == [None] * 4 + ["free"]
    assert all(row["error"] for row in answers[:4])


def test_folders_of_something_else(cell: Path, tmp_path: Path, capsys: Any) -> None:
    rows = tmp_path / "rows.parquet"
    pq.write_table(table(10), rows)
    (tmp_path / "file").write_text("mine")
    assert main([str(cell), str(rows), str(tmp_path / "file")]) == 2
    assert (tmp_path / "file").read_text() == "mine"
    mine = tmp_path / "mine"
    mine.mkdir()
    pq.write_table(table(10), mine / "data.parquet")
    assert main([str(cell), str(rows), str(mine)]) == 2
    assert "of another run: it has no fingerprint" in capsys.readouterr().err
    assert [file.name for file in mine.iterdir()] == ["data.parquet"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(cell: Path, tmp_path: Path, capsys: Any) -> None:
    pq.write_table(table(10), tmp_path / "rows.parquet")
    (tmp_path / "out").mkdir(mode=0o500)
    assert main([str(cell), str(tmp_path / "rows.parquet"), str(tmp_path / "out")]) == 2
    assert "Permission denied" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
def test_a_disk_that_is_full_loses_nothing(cell: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: writing fails in the middle of a part."""
    import resource

    rows, out = tmp_path / "rows.parquet", tmp_path / "out"
    pq.write_table(table(20_000), rows)
    command = [sys.executable, "-m", "pathproof.fleet", str(cell), str(rows), str(out), "--rows-per-part", "15000"]

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    full = subprocess.run(command, preexec_fn=little_room, capture_output=True, text=True)
    assert full.returncode == 2 and full.stderr.startswith("error: "), full.stderr
    assert not list(out.glob("*.unfinished")), "what was begun is taken away"
    subprocess.run(command, check=True, capture_output=True)
    assert all_parts(out).column("row").to_pylist() == list(range(20_000))


def test_an_unreadable_scene_of_a_relative_folder_loses_its_rows_alone(
    cell: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers are given the whole path of the folder: the other text of the same fault ended the run."""
    (cell.parent / "bad.toml").write_text("[[robots]]\n")
    names = pa.array(["cell.toml", "bad.toml", "nowhere.toml", "cell.toml"])
    pq.write_table(table(4, scene=names), tmp_path / "rows.parquet")
    monkeypatch.chdir(cell.parent.parent)
    summary = fleet.decide_parquet(cell.parent.name, tmp_path / "rows.parquet", tmp_path / "out")
    assert summary["error"] == 2 and summary["rows"] == 4
    errors = all_parts(tmp_path / "out").column("error").to_pylist()
    assert [error is None for error in errors] == [True, False, False, True]
