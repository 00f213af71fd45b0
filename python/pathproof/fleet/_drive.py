"""`decide_parquet`: a run from its start to its summary."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from . import _parts
from ._engines import ENGINES
from ._progress import Progress
from ._run import start
from ._settings import FleetError, Settings


def decide_parquet(
    scene: str | os.PathLike[str],
    table: str | os.PathLike[str],
    out: str | os.PathLike[str],
    settings: Settings = Settings(),
    *,
    engine: Literal["local", "ray", "daft"] = "local",
    threads: int | None = None,
    rows_per_part: int | None = None,
    address: str | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """Decides all rows of a Parquet file (or of a folder of them) into the parts of a folder; returns the summary.

    Parts that are there already are not made again, so that a run that was killed goes on. A folder with parts of another
    scene, input, version or settings is refused with `FleetError`.
    """
    if engine not in ENGINES:
        raise FleetError(f"engine must be one of {sorted(ENGINES)}, not {engine!r}")
    if address is not None and engine == "local":
        raise FleetError("an address is for the engines ray and daft")
    if threads is not None and threads < 1:
        raise FleetError(f"threads must be at least 1, not {threads}")
    run = start(os.fspath(scene), os.fspath(table), os.fspath(out), settings, rows_per_part)
    folder = Path(run.out)
    folder.mkdir(parents=True, exist_ok=True)
    counts = _parts.done(run)
    resumed = len(counts)
    shown = Progress(run.rows, sum(sum(one.values()) for one in counts.values()))
    missing = [part for part in run.parts if part.number not in counts]
    for number, made in ENGINES[engine](run, missing, threads, address):
        counts[number] = made
        if progress:
            shown.add(sum(made.values()))
    if progress:
        shown.clear()
    verdicts = _parts.summary(run, counts)
    _parts.clear_away(run)
    summary = {
        "rows": run.rows,
        **verdicts,
        "parts": len(run.parts),
        "parts_of_earlier_runs": resumed,
        "rows_per_second": round(shown.rate()),
        "fingerprint": run.fingerprint,
    }
    _parts.write_summary(folder, summary)
    return summary
