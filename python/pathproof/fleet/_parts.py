"""Parts of a run on disk: written whole or not at all, and taken for done only with the run's fingerprint in them.

A part is written under another name, flushed, and renamed, so that a worker that is killed leaves no part and one that
comes second replaces a part by its equal. Invariant: every row of the input is in exactly one part, by its number.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ._answers import NAMES
from ._run import Input, Part, Run, open_parquet
from ._settings import FleetError

Counts = dict[str, int]
"""Rows by verdict; those without one are `error`."""

UNFINISHED = ".unfinished"


class Worker:
    """Makes parts, one after the other. A process keeps one, with the scenes it has loaded."""

    def __init__(self, run: Run, threads: int) -> None:
        self._run = run
        self._decider = run.decider(threads)
        self._reader: Reader | None = None

    def make(self, part: Part) -> Counts:
        """Decides the rows of a part and writes it."""
        run = self._run
        of = run.inputs[part.file]
        of.require_unchanged()
        if self._reader is None or not self._reader.stands_at(of, part.start):
            self._reader = Reader(of, run.rows_at_a_time, part.start)
        final = Path(run.out) / part.name
        unfinished = final.with_name(f"{final.name}.{uuid.uuid4().hex}{UNFINISHED}")
        try:
            counts = self._write(part, self._reader, unfinished)
            # What was read is only known to be what was hashed if nobody wrote to it until now.
            of.require_unchanged()
            os.replace(unfinished, final)
            _flush(final.parent)
        except BaseException:
            self._reader = None
            unfinished.unlink(missing_ok=True)
            raise
        return counts

    def _write(self, part: Part, reader: Reader, to: Path) -> Counts:
        counts: Counter[str] = Counter()
        with _Writer(to) as writer:
            for start, batch in reader.until(part.stop):
                answers = self._decider(batch)
                first = part.first + start - part.start
                numbers = pa.array(np.arange(first, first + len(batch)))
                writer.write(answers.add_column(0, pa.field("row", pa.int64()), numbers))
                counts.update(count(answers))
            writer.close(_metadata(self._run, part, counts))
        return dict(counts)


class Reader:
    """The rows of a file from a place on, in batches; it goes on where it stopped."""

    def __init__(self, of: Input, rows_at_a_time: int, start: int) -> None:
        self._of = of
        self._most = rows_at_a_time
        self._at = start
        self._rest: Any = None
        file = open_parquet(Path(of.path))
        skipped, group = 0, 0
        while group < file.num_row_groups and skipped + file.metadata.row_group(group).num_rows <= start:
            skipped += file.metadata.row_group(group).num_rows
            group += 1
        self._ahead = start - skipped
        self._batches = file.iter_batches(rows_at_a_time, row_groups=list(range(group, file.num_row_groups)))

    def stands_at(self, of: Input, row: int) -> bool:
        return self._of == of and self._at == row

    def until(self, stop: int) -> Iterator[tuple[int, Any]]:
        """Record batches up to a row, with the number of their first row in the file."""
        while self._at < stop:
            batch = self._rest if self._rest is not None else next(self._batches, None)
            if batch is None:
                raise FleetError(f"{self._of.path} has fewer rows than it says; write it anew")
            skip = min(self._ahead, len(batch))
            self._ahead -= skip
            take = min(len(batch) - skip, stop - self._at)
            self._rest = batch.slice(skip + take) if skip + take < len(batch) else None
            if take:
                self._at += take
                yield self._at - take, batch.slice(skip, take)


class _Writer:
    """A Parquet file that grows batch by batch."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: Any = None

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, batch: Any) -> None:
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, batch.schema)
        self._writer.write_batch(batch)

    def close(self, metadata: dict[str, str]) -> None:
        self._writer.add_key_value_metadata(metadata)
        self._writer.close()
        _flush(self._path)


def _flush(path: Path) -> None:
    """To the disk: a part that is named must outlive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def count(answers: Any) -> Counts:
    """Rows by verdict."""
    verdicts = pc.value_counts(answers.column("verdict"))
    return {one["values"] or "error": one["counts"] for one in verdicts.to_pylist()}


def _metadata(run: Run, part: Part, counts: Counts) -> dict[str, str]:
    return {
        "pathproof.fingerprint": run.fingerprint,
        "pathproof.run": json.dumps(run.facts),
        "pathproof.part": json.dumps({"number": part.number, "first": part.first, "rows": part.stop - part.start}),
        "pathproof.counts": json.dumps(counts),
    }


def done(run: Run) -> dict[int, Counts]:
    """The parts that are there, by number. Refuses a folder with anything in it that another run made."""
    folder = Path(run.out)
    known = {part.name: part for part in run.parts}
    found: dict[int, Counts] = {}
    for file in sorted(folder.glob("*.parquet")) if folder.is_dir() else []:
        facts = _facts(file)
        if facts.get("fingerprint") != run.fingerprint:
            why = _difference(facts, run)
            raise FleetError(f"{file} is of another run: {why}; take another folder, or remove this one")
        part = known.get(file.name)
        expected = part and {"number": part.number, "first": part.first, "rows": part.stop - part.start}
        if part is None or json.loads(facts["part"]) != expected:
            raise FleetError(f"{file} is not the part that it is called; remove it")
        found[part.number] = json.loads(facts["counts"])
    return found


def _facts(file: Path) -> dict[str, str]:
    try:
        metadata = pq.read_metadata(file).metadata or {}
    except (OSError, pa.ArrowInvalid) as fault:
        raise FleetError(f"{file} cannot be read: {fault}; remove it, and its rows are decided anew") from fault
    prefix = b"pathproof."
    return {key[len(prefix) :].decode(): metadata[key].decode() for key in metadata if key.startswith(prefix)}


def _difference(facts: dict[str, str], run: Run) -> str:
    """What differs, in words."""
    if "run" not in facts:
        return "it has no fingerprint"
    then = json.loads(facts["run"])
    differing = []
    for key, now in run.facts.items():
        before = then.get(key)
        if before == now:
            continue
        if key == "settings" and isinstance(before, dict):
            changed = (name for name in now if before.get(name) != now[name])
            differing.append(", ".join(f"{name} was {before.get(name)!r} and is {now[name]!r}" for name in changed))
        elif key in ("input", "scenes"):
            differing.append(f"the {key} changed")
        else:
            differing.append(f"{key} was {before!r} and is {now!r}")
    return "; ".join(differing)


def summary(run: Run, counts: dict[int, Counts]) -> Counts:
    """Rows by verdict, all of them accounted for."""
    total: Counter[str] = Counter()
    for one in counts.values():
        total.update(one)
    if len(counts) != len(run.parts) or sum(total.values()) != run.rows:
        raise FleetError(f"{sum(total.values())} of {run.rows} rows are answered; run it again")
    return {name: total.get(name, 0) for name in [*NAMES, "error"]}


def write_summary(folder: Path, told: dict[str, Any]) -> None:
    """Whole or not at all, as parts are."""
    unfinished = folder / f"_summary.json.{uuid.uuid4().hex}{UNFINISHED}"
    try:
        unfinished.write_text(json.dumps(told) + "\n")
        os.replace(unfinished, folder / "_summary.json")
    finally:
        unfinished.unlink(missing_ok=True)


def clear_away(run: Run) -> None:
    """What killed workers left, once all parts are there."""
    for file in Path(run.out).glob(f"*{UNFINISHED}"):
        file.unlink(missing_ok=True)
