"""`Decider`: Arrow batches in, the same rows with verdicts out. Engines call it; it knows none of them.

Rows of one scene, clearance and width are decided together, without a copy where they are all of a batch. A row that
cannot be decided gets its error and no verdict; the others do not notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .._errors import InputError, NotFreeError
from .._pathproof import Answer, Checker
from ._answers import Answers, fields
from ._columns import ENDS, NULL, Lists, Rows, carried, is_listed, joints, plain, require_schema
from ._scenes import BAD, Scenes, Source
from ._settings import Settings

Outcome = tuple[Answer, bytes | None, str | None] | str
"""Of a row that is checked by itself: the answer, its certificate, why it has none; or why there is no answer."""


@dataclass(frozen=True)
class _Group:
    """Rows that one checker decides."""

    scene: str
    clearance: float | None
    rows: Rows


class Decider:
    """Decides the rows of Arrow tables and record batches.

    Columns `a` and `b` (lists of joint values, a segment per row), `a_<joint>` and `b_<joint>` (joints that are left out
    have the scene's positions) or `path` (lists of waypoints); optionally `scene` (a
    name) and `clearance` (metres). All columns but these of joints are in the answer too, in front of the verdicts.

    `threads` is 1 unless told: engines run a worker per core.
    """

    def __init__(
        self,
        scene: Source,
        settings: Settings = Settings(),
        *,
        threads: int = 1,
        pins: Mapping[str, str] | None = None,
    ) -> None:
        if threads < 1:
            raise InputError(f"threads must be at least 1, not {threads}")
        self._scenes = Scenes(scene, settings, pins)
        self._settings = settings
        self._threads = threads

    def schema(self, given: Any, place: str = "the table") -> Any:
        """The columns of the answers to a table with these columns, which is refused unless it can be answered."""
        require_schema(given, place)
        if ("scene" in given.names) != self._scenes.are_named:
            raise InputError(
                f"{place} has no column scene, but there are several scenes to choose from"
                if self._scenes.are_named
                else f"{place} has a column scene, but one scene was given; give the folder of the scenes it names"
            )
        answers = fields(self._settings.certificates)
        kept = [given.field(name) for name in carried(given.names)]
        taken = {field.name for field in answers} & {field.name for field in kept}
        if taken:
            raise InputError(f"{place}: answers have columns of the same names as {sorted(taken)}; rename them")
        return pa.schema(kept + answers)

    def __call__(self, batch: Any) -> Any:
        """The answers, in the order of the rows: a table for a table, a record batch for a record batch."""
        schema = self.schema(batch.schema)
        answers = Answers(batch.num_rows)
        decide = self._paths if "path" in batch.schema.names else self._segments
        if not is_listed(batch.schema.names):
            decide = self._joints
        for group in _groups(batch):
            try:
                checker = self._scenes.checker(group.scene, group.clearance)
            except BAD as fault:
                answers.fail(group.rows, str(fault))
            else:
                decide(checker, batch, group.rows, answers)
        kept = [batch.column(name) for name in carried(batch.schema.names)]
        columns = kept + answers.columns(self._settings.certificates)
        return type(batch).from_arrays(columns, schema=schema)

    def _segments(self, checker: Checker, batch: Any, rows: Rows, answers: Answers) -> None:
        starts, goals = Lists.of(batch.column("a")), Lists.of(batch.column("b"))
        numbers = starts.numbers(), goals.numbers()
        lengths = np.stack([starts.lengths[rows], goals.lengths[rows]], axis=1)
        for of_a, of_b in np.unique(lengths, axis=0).tolist():
            same = rows[(lengths[:, 0] == of_a) & (lengths[:, 1] == of_b)]
            if of_a != of_b or of_a == NULL:
                told = " and ".join(_length(name, n) for name, n in (("a", of_a), ("b", of_b)))
                answers.fail(same, f"{told}: both must be a value per joint")
                continue
            a, b = starts.table(numbers[0], same, of_a), goals.table(numbers[1], same, of_b)
            self._tables(checker, same, a, b, answers)

    def _joints(self, checker: Checker, batch: Any, rows: Rows, answers: Answers) -> None:
        names = joints(batch.schema.names)
        known = checker.scene.joints
        try:
            # Names what is unknown, ambiguous or missing; gives the positions of joints that have no column.
            rest = checker.scene.configuration({name: float(name.endswith(".qw")) for name in names})
        except BAD as fault:
            answers.fail(rows, str(fault))
            return
        places = [next(i for i, joint in enumerate(known) if name in (joint, joint.partition("/")[2])) for name in names]
        ends = []
        for end in ENDS:
            table = np.tile(rest, (len(rows), 1))
            for name, place in zip(names, places, strict=True):
                table[:, place] = plain(batch.column(end + name)).to_numpy(zero_copy_only=False)[rows]
            ends.append(table)
        self._tables(checker, rows, ends[0], ends[1], answers)

    def _tables(
        self, checker: Checker, rows: Rows, a: npt.NDArray[Any], b: npt.NDArray[Any], answers: Answers
    ) -> None:
        if self._settings.certificates:
            self._one_by_one(checker, rows, lambda i: np.stack([a[i], b[i]]), answers)
        else:
            self._together(checker, rows, a, b, answers)

    def _together(
        self, checker: Checker, rows: Rows, a: npt.NDArray[Any], b: npt.NDArray[Any], answers: Answers
    ) -> None:
        settings = self._settings
        try:
            found, faults = checker._segments_and_faults(
                a,
                b,
                threads=self._threads,
                report=settings.report,
                max_queries=settings.max_queries,
                ignore_limits=settings.ignore_limits,
            )
        except BAD as fault:
            answers.fail(rows, str(fault))
        except BaseException as fault:
            told = _panic(fault)
            if len(rows) == 1:
                answers.fail(rows, told)
                return
            for i in range(len(rows)):
                self._together(checker, rows[i : i + 1], a[i : i + 1], b[i : i + 1], answers)
        else:
            answers.set_segments(rows, found, faults, checker.scene.bodies, settings.report == "first")

    def _paths(self, checker: Checker, batch: Any, rows: Rows, answers: Answers) -> None:
        paths = Lists.of(batch.column("path"))
        waypoints = Lists.of(paths.values)
        numbers = waypoints.numbers()

        def path(i: int) -> npt.NDArray[Any]:
            first, count = int(paths.starts[rows[i]]), int(paths.lengths[rows[i]])
            if count == NULL:
                raise InputError("path is null")
            places = np.arange(first, first + count)
            widths = set(waypoints.lengths[places].tolist())
            if len(widths) > 1 or NULL in widths:
                raise InputError("path: its waypoints are not all lists of one length")
            return waypoints.table(numbers, places, widths.pop() if widths else 0)

        self._one_by_one(checker, rows, path, answers)

    def _one_by_one(
        self, checker: Checker, rows: Rows, path: Callable[[int], npt.NDArray[Any]], answers: Answers
    ) -> None:
        outcomes = self._on_threads(lambda i: self._outcome(checker, path, i), len(rows))
        for row, outcome in zip(rows.tolist(), outcomes, strict=True):
            if isinstance(outcome, str):
                answers.set_error(row, outcome)
                continue
            answer, proof, why_none = outcome
            answers.set_answer(row, answer, checker.scene.bodies)
            if proof is not None:
                answers.set_certificate(row, proof)
            if why_none is not None:
                answers.set_error(row, why_none)

    def _on_threads(self, work: Callable[[int], Outcome], count: int) -> Iterator[Outcome]:
        if self._threads == 1:
            yield from map(work, range(count))
            return
        pool = ThreadPoolExecutor(self._threads)
        try:
            yield from pool.map(work, range(count))
        finally:
            pool.shutdown(cancel_futures=True)

    def _outcome(self, checker: Checker, path: Callable[[int], npt.NDArray[Any]], i: int) -> Outcome:
        settings = self._settings
        try:
            answer = checker.check(
                path(i),
                report=settings.report,
                max_queries=settings.max_queries,
                ignore_limits=settings.ignore_limits,
            )
            if not (settings.certificates and answer.free):
                return answer, None, None
            try:
                return answer, answer.certificate().to_bytes(), None
            except NotFreeError as fault:
                return answer, None, f"no certificate: {fault}"
        except BAD as fault:
            return str(fault)
        except BaseException as fault:
            return _panic(fault)


def _groups(batch: Any) -> Iterator[_Group]:
    """Rows by scene and clearance."""
    names = [name for name in ("scene", "clearance") if name in batch.schema.names]
    if not names:
        yield _Group("", None, np.arange(batch.num_rows, dtype=np.int64))
        return
    codes, words = [], []
    for key in (plain(batch.column(name)) for name in names):
        encoded = key if pa.types.is_dictionary(key.type) else key.dictionary_encode()
        codes.append(encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64))
        words.append([*encoded.dictionary.to_pylist(), None])
    distinct, of_row = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    order = np.argsort(of_row.reshape(-1), kind="stable")
    edges = np.searchsorted(of_row.reshape(-1)[order], np.arange(len(distinct) + 1))
    for number, code in enumerate(distinct.tolist()):
        key = {name: words[i][code[i]] for i, name in enumerate(names)}
        rows = order[edges[number] : edges[number + 1]].astype(np.int64)
        yield _Group(key.get("scene") or "", key.get("clearance"), rows)


def _length(name: str, numbers: int) -> str:
    return f"{name} is null" if numbers == NULL else f"{name} has {numbers} values"


def _panic(fault: BaseException) -> str:
    """A fault of the library itself ends a row and not the run; anything else that is not about a row goes on."""
    if type(fault).__name__ != "PanicException":
        raise fault
    return f"a fault of pathproof, please report it: {fault}"
