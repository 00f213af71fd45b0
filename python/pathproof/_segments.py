"""The array that `Checker.segments` returns."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import numpy.typing as npt


class Verdict(enum.IntEnum):
    """The numbers in the column `verdict`."""

    FREE = 0
    COLLISION = 1
    TOO_CLOSE = 2
    UNDECIDED = 3


SEGMENT_DTYPE: np.dtype[np.void] = np.dtype(
    [
        ("verdict", np.uint8),
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("t", np.float64),
        ("distance", np.float64),
        ("lower_clearance", np.float64),
        ("free_until", np.float64),
    ],
    align=True,
)
"""A row per segment. Where a verdict has no such value there is NaN, or -1 for bodies."""


def empty(rows: int) -> npt.NDArray[Any]:
    """An array of so many rows, none of them free before they are decided."""
    out = np.zeros(rows, dtype=SEGMENT_DTYPE)
    out["verdict"] = Verdict.UNDECIDED
    return out
