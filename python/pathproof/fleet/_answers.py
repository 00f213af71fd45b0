"""The answers of a batch, column by column, before they become Arrow columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .._pathproof import Answer
from .._segments import Verdict
from ._columns import Rows

NAMES = [verdict.name.lower() for verdict in Verdict]
"""Verdicts in words, by their numbers."""

_NONE = -1
"""In columns of numbers that count something: null."""


def fields(certificates: bool) -> list[Any]:
    """The columns of answers."""
    columns = [
        pa.field("verdict", pa.string()),
        pa.field("body_a", pa.string()),
        pa.field("body_b", pa.string()),
        pa.field("segment", pa.int32()),
        pa.field("t", pa.float64()),
        pa.field("distance", pa.float64()),
        pa.field("lower_clearance", pa.float64()),
        pa.field("free_until_segment", pa.int32()),
        pa.field("free_until", pa.float64()),
        pa.field("error", pa.string()),
    ]
    return columns + [pa.field("certificate", pa.binary())] * certificates


class Answers:
    """Nothing is known of any row until it is set."""

    def __init__(self, rows: int) -> None:
        self._verdict = np.full(rows, _NONE, dtype=np.int32)
        self._bodies = np.full((2, rows), _NONE, dtype=np.int32)
        self._segment = np.full(rows, _NONE, dtype=np.int32)
        self._free_until_segment = np.full(rows, _NONE, dtype=np.int32)
        self._numbers = {name: np.full(rows, np.nan) for name in ("t", "distance", "lower_clearance", "free_until")}
        self._errors: dict[int, str] = {}
        self._certificates: dict[int, bytes] = {}
        self._names: list[str] = []
        self._first_name: dict[tuple[str, ...], int] = {}

    def fail(self, rows: Rows, why: str) -> None:
        """These rows have no verdict."""
        self._errors.update((int(row), why) for row in rows)

    def set_segments(
        self, rows: Rows, found: npt.NDArray[Any], faults: Mapping[int, str], bodies: tuple[str, ...], is_first: bool
    ) -> None:
        """What `segments` returned for these rows."""
        if faults:
            bad = np.fromiter(faults, dtype=np.int64)
            self._errors.update(zip(rows[bad].tolist(), faults.values(), strict=True))
            good = np.ones(len(rows), dtype=bool)
            good[bad] = False
            rows, found = rows[good], found[good]
        self._verdict[rows] = found["verdict"]
        first = self._number_of(bodies)
        for side, column in enumerate(("body_a", "body_b")):
            self._bodies[side, rows] = np.where(found[column] < 0, _NONE, found[column] + first)
        self._segment[rows] = np.where(found["body_a"] < 0, _NONE, 0)
        for name in ("t", "distance", "lower_clearance"):
            self._numbers[name][rows] = found[name]
        # Unless the earliest is asked for, nothing is known of a part of a row.
        is_known = (found["verdict"] == Verdict.FREE) | is_first
        self._free_until_segment[rows] = np.where(is_known, 0, _NONE)
        self._numbers["free_until"][rows] = np.where(is_known, found["free_until"], np.nan)

    def set_answer(self, row: int, answer: Answer, bodies: tuple[str, ...]) -> None:
        """What `check` returned for a row."""
        self._verdict[row] = NAMES.index(answer.verdict)
        if answer.bodies is not None and answer.segment is not None:
            first = self._number_of(bodies)
            self._bodies[:, row] = [first + bodies.index(name) for name in answer.bodies]
            self._segment[row] = answer.segment
        place = answer.interval[0] if answer.interval is not None else answer.t
        until = (max(len(answer.waypoints) - 2, 0), 1.0) if answer.free else answer.free_until
        if until is not None:
            self._free_until_segment[row], self._numbers["free_until"][row] = until
        for name, value in (("t", place), ("distance", answer.distance), ("lower_clearance", answer.lower_clearance)):
            if value is not None:
                self._numbers[name][row] = value

    def set_certificate(self, row: int, proof: bytes) -> None:
        self._certificates[row] = proof

    def set_error(self, row: int, why: str) -> None:
        self._errors[row] = why

    def columns(self, certificates: bool) -> list[Any]:
        """In the order of `fields`."""
        count = len(self._verdict)
        columns = [
            _words(self._verdict, NAMES),
            _words(self._bodies[0], self._names),
            _words(self._bodies[1], self._names),
            pa.array(self._segment, mask=self._segment == _NONE),
            *(pa.array(self._numbers[name], from_pandas=True) for name in ("t", "distance", "lower_clearance")),
            pa.array(self._free_until_segment, mask=self._free_until_segment == _NONE),
            pa.array(self._numbers["free_until"], from_pandas=True),
            _sparse(self._errors, count, pa.string()),
        ]
        return columns + ([_sparse(self._certificates, count, pa.binary())] if certificates else [])

    def _number_of(self, bodies: tuple[str, ...]) -> int:
        """Where the names of a scene's bodies begin among all names."""
        if bodies not in self._first_name:
            self._first_name[bodies] = len(self._names)
            self._names.extend(bodies)
        return self._first_name[bodies]


def _words(numbers: npt.NDArray[np.int32], words: list[str]) -> Any:
    indices = pa.array(numbers, mask=numbers == _NONE)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words, pa.string())).cast(pa.string())


def _sparse(values: Mapping[int, Any], count: int, kind: Any) -> Any:
    if not values:
        return pa.nulls(count, kind)
    return pa.array([values.get(row) for row in range(count)], kind)
