"""A run: what is asked of which rows, cut into parts, and a fingerprint of all that answers depend on.

The fingerprint covers the version, the settings, every scene that the rows name and every byte of the input. It is in
every part, so that parts of another run are never taken for this one's. Cost: the input is read once to hash it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .._errors import InputError
from .._pathproof import __version__
from ._decider import Decider
from ._scenes import Scenes
from ._settings import FleetError, Settings

FORMAT = 1
"""Of parts; a change of their columns or meaning gets the next number."""

ROWS_PER_PART = {"segments": 65_536, "paths": 4_096}
ROWS_AT_A_TIME = {"segments": 16_384, "paths": 256}
"""Rows in memory; certificates count as paths."""


@dataclass(frozen=True)
class Input:
    """A file of rows, as it was when the run was started."""

    path: str
    rows: int
    sha256: str
    size: int
    changed_ns: int

    def require_unchanged(self) -> None:
        """That nobody has written to the file since."""
        if _stamp(Path(self.path)) != (self.size, self.changed_ns):
            raise FleetError(f"{self.path} was written to during the run; start a new run in another folder")


@dataclass(frozen=True)
class Part:
    """Rows `start` to `stop` of a file; `first` is the number of the first one among all rows of the run."""

    number: int
    file: int
    start: int
    stop: int
    first: int

    @property
    def name(self) -> str:
        return f"part-{self.number:06}.parquet"


@dataclass(frozen=True)
class Run:
    """All that a worker needs to know. It can be pickled; files are named, not carried."""

    scene: str
    out: str
    settings: Settings
    inputs: tuple[Input, ...]
    pins: tuple[tuple[str, str], ...]
    rows_per_part: int
    rows_at_a_time: int

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What answers depend on."""
        return {
            "format": FORMAT,
            "version": __version__,
            "settings": asdict(self.settings),
            "scenes": dict(self.pins),
            "input": [[one.rows, one.sha256] for one in self.inputs],
            "rows_per_part": self.rows_per_part,
        }

    @cached_property
    def fingerprint(self) -> str:
        """One hash of the facts."""
        return hashlib.sha256(json.dumps(self.facts, sort_keys=True).encode()).hexdigest()

    @property
    def rows(self) -> int:
        return sum(one.rows for one in self.inputs)

    def decider(self, threads: int) -> Decider:
        return Decider(self.scene, self.settings, threads=threads, pins=dict(self.pins))

    @cached_property
    def parts(self) -> list[Part]:
        """In the order of the rows. They end where row groups end, so that workers read little that they do not need."""
        parts: list[Part] = []
        first = 0
        for number, one in enumerate(self.inputs):
            for start, stop in _cuts(Path(one.path), self.rows_per_part):
                parts.append(Part(len(parts), number, start, stop, first + start))
            first += one.rows
        return parts


def start(scene: str, table: str, out: str, settings: Settings, rows_per_part: int | None = None) -> Run:
    """A run over a Parquet file, or all of a folder in the order of their names. Nothing is decided yet."""
    if rows_per_part is not None and rows_per_part < 1:
        raise InputError(f"rows per part must be at least 1, not {rows_per_part}")
    files = _files(Path(table))
    schema = _schema(files)
    Decider(scene, settings).schema(schema, str(table))
    if "row" in schema.names:
        raise InputError(f"{table}: parts have a column row of their own, the number of the row; rename the table's")
    kind = "paths" if "path" in schema.names or settings.certificates else "segments"
    scenes = Scenes(scene, settings)
    if not scenes.are_named:
        # With one scene there is nothing to do where it cannot be read.
        scenes.checker("", None)
    names = sorted(_names(files)) if scenes.are_named else [""]
    return Run(
        scene=os.path.abspath(scene),
        out=os.path.abspath(out),
        settings=settings,
        inputs=tuple(_input(file) for file in files),
        pins=tuple((name, scenes.pin(name)) for name in names),
        rows_per_part=rows_per_part or ROWS_PER_PART[kind],
        rows_at_a_time=ROWS_AT_A_TIME[kind],
    )


def _files(table: Path) -> list[Path]:
    if not table.is_dir():
        return [table]
    files = sorted(table.glob("*.parquet"))
    if not files:
        raise InputError(f"{table}: the folder has no *.parquet file")
    return files


def open_parquet(path: Path) -> Any:
    """Reads as it goes: no more of a row group than is needed at a time."""
    try:
        return pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)
    except (OSError, pa.ArrowInvalid) as fault:
        raise InputError(f"{path}: cannot be read as Parquet: {fault}") from fault


def _schema(files: list[Path]) -> Any:
    schemas = [open_parquet(file).schema_arrow.remove_metadata() for file in files]
    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            raise InputError(f"{file} has other columns than {files[0]}: {schema} and {schemas[0]}")
    return schemas[0]


def _names(files: list[Path]) -> set[str]:
    """The scenes that rows name."""
    names: set[str] = set()
    for file in files:
        for batch in open_parquet(file).iter_batches(columns=["scene"]):
            names.update(name or "" for name in batch.column(0).unique().to_pylist())
    return names


def _input(file: Path) -> Input:
    stamp = _stamp(file)
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    one = Input(str(file.absolute()), open_parquet(file).metadata.num_rows, digest.hexdigest(), *stamp)
    one.require_unchanged()
    return one


def _stamp(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


def _cuts(file: Path, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows: several small row groups together, or a slice of a large one."""
    metadata = open_parquet(file).metadata
    start = stop = 0
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group).num_rows
        if stop > start and stop - start + rows > most:
            yield start, stop
            start = stop
        stop += rows
        while stop - start > most:
            yield start, start + most
            start += most
    if stop > start:
        yield start, stop
