"""The manuals' Python, run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"

SCENARIO = """{"agents": [{"name": "crossing", "shape": {"box": [4.5, 2.0]}, "poses": [[0, 0, -20, 1.57], [2, 0, 20, 1.57]]}],
"ego": {"shape": {"box": [4.5, 2.0]}, "candidates": [{"name": "on", "poses": [[0, -20, 0, 0], [2, 20, 0, 0]]}]}}"""


def run(page: str, least: int) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= least
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_manual(cell: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(cell.parent)
    (cell.parent / "scenario.json").write_text(SCENARIO)
    run("python.md", 8)
    printed = capsys.readouterr().out
    assert "collision ('r/ball', 'wall') 0" in printed
    assert "a path must be an array of shape (waypoints, 1)" in printed
    assert "[('on', 'collision'" in printed


def test_the_manual_of_fleets(cell: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow (pip install pathproof[fleet])")
    monkeypatch.chdir(cell.parent)
    run("fleet.md", 1)
    assert (cell.parent / "answers" / "_summary.json").exists()
