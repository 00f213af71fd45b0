"""Lists of numbers in Arrow columns as numpy arrays: views where rows lie one after the other, which they mostly do.

A row that is null or of another length than its neighbours is found by its length; nulls among numbers become NaN, which
the library refuses by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .._errors import InputError

Rows = npt.NDArray[np.int64]

NULL = -1
"""The length of a row that is null."""

ENDS = ("a_", "b_")
"""Before the names of joints, where starts and goals are a column per joint and not lists."""


def carried(names: list[str]) -> list[str]:
    """Columns that answers repeat: all but those that say what is asked."""
    asked = ("a", "b", "path") if is_listed(names) else tuple(f"{end}{joint}" for end in ENDS for joint in joints(names))
    return [name for name in names if name not in asked]


def is_listed(names: list[str]) -> bool:
    """Whether rows are lists; else starts and goals are columns per joint."""
    return not {"a", "b", "path"}.isdisjoint(names) or not joints(names)


def joints(names: list[str]) -> list[str]:
    """Joints that have a column for the start, or for the goal."""
    found = [name.removeprefix(end) for end in ENDS for name in names if name.startswith(end)]
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Lists:
    """A column of lists: each row's place in the values, and its length."""

    values: Any
    starts: Rows
    lengths: Rows

    @staticmethod
    def of(column: Any) -> Lists:
        """From a column whose type `require_schema` has accepted."""
        array = plain(column)
        count = len(array)
        if pa.types.is_fixed_size_list(array.type):
            width = array.type.list_size
            starts = (array.offset + np.arange(count, dtype=np.int64)) * width
            lengths = np.full(count, width, dtype=np.int64)
        else:
            offsets = array.offsets.to_numpy().astype(np.int64, copy=False)
            starts, lengths = offsets[:-1], np.diff(offsets)
        if array.null_count:
            lengths = np.where(array.is_null().to_numpy(zero_copy_only=False), NULL, lengths)
        return Lists(array.values, starts, lengths)

    def numbers(self) -> npt.NDArray[Any]:
        """All values in a row; nulls are NaN."""
        return np.asarray(self.values.to_numpy(zero_copy_only=False))

    def table(self, numbers: npt.NDArray[Any], rows: Rows, width: int) -> npt.NDArray[Any]:
        """These rows, all of one width: a view where they are neighbours, else a copy."""
        starts = self.starts[rows]
        first = int(starts[0]) if len(starts) else 0
        if np.array_equal(starts, first + width * np.arange(len(rows))):
            return numbers[first : first + width * len(rows)].reshape(len(rows), width)
        return np.asarray(numbers[starts[:, None] + np.arange(width)])


def plain(column: Any) -> Any:
    """One array, without an extension type around it."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return column.storage if isinstance(column, pa.ExtensionArray) else column


def require_schema(schema: Any, place: str) -> bool:
    """Whether rows are whole paths; refuses tables that this package does not understand."""
    names = set(schema.names)
    if len(names) != len(schema.names):
        raise InputError(f"{place}: two columns have one name: {schema.names}")
    if not is_listed(schema.names):
        _require_joints(schema, place)
        _require_keys(schema, place)
        return False
    has_path = "path" in names
    if has_path == ("a" in names or "b" in names) or ("a" in names) != ("b" in names):
        raise InputError(f"{place} must have the columns a and b, or the column path, or a_<joint> and b_<joint>; it has {schema.names}")
    for name in ("path",) if has_path else ("a", "b"):
        _require_lists(schema.field(name).type, name, place, depth=2 if has_path else 1)
    _require_keys(schema, place)
    return has_path


def _require_keys(schema: Any, place: str) -> None:
    names = schema.names
    if "scene" in names and not _is_text(schema.field("scene").type):
        raise InputError(f"{place}: scene must be names (strings), not {schema.field('scene').type}")
    if "clearance" in names and not _is_number(schema.field("clearance").type):
        raise InputError(f"{place}: clearance must be metres (double), not {schema.field('clearance').type}")


def _require_joints(schema: Any, place: str) -> None:
    for end in ENDS:
        for joint in joints(schema.names):
            name = end + joint
            if name not in schema.names:
                raise InputError(f"{place} has no column {name}, but one for the other end; write both")
            if not _is_number(schema.field(name).type):
                raise InputError(f"{place}: {name} must be doubles, not {schema.field(name).type}")


def _require_lists(kind: Any, name: str, place: str, depth: int) -> None:
    told = kind
    for _ in range(depth):
        if isinstance(kind, pa.ExtensionType):
            kind = kind.storage_type
        if not (pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)):
            break
        kind = kind.value_type
        depth -= 1
    if depth or not _is_number(kind):
        expected = "lists of waypoints, lists of doubles themselves" if name == "path" else "fixed-size lists of doubles"
        raise InputError(f"{place}: {name} must be {expected}, not {told}")


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _is_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
