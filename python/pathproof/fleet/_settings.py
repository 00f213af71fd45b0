"""What is asked of every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .._errors import InputError, PathproofError


class FleetError(PathproofError):
    """Why a run cannot start or go on. What is wrong with a single row is in that row instead."""


@dataclass(frozen=True)
class Settings:
    """Part of a run's fingerprint: parts that were made with others are refused."""

    report: Literal["any", "first"] = "any"
    """"first" finds the earliest contact, and how far each row is proven free (`free_until`)."""
    clearance: float | None = None
    """Metres, instead of the scene's; a row's own wins over it."""
    self_clearance: float | None = None
    """Metres between links of one robot, instead of the scene's."""
    tolerance: float | None = None
    """Metres, instead of the scene's."""
    certificates: bool = False
    """A proof for every row that is free, for `pathproof.verify`. Rows take some ten times as long."""
    max_queries: int | None = None
    """Distance queries after which a row is left undecided. Reproducible, unlike a limit in seconds."""
    ignore_limits: bool = False
    """Accept configurations outside of joint limits."""
    allow_empty: bool = False
    """Accept scenes in which no pair of bodies is checked."""

    def __post_init__(self) -> None:
        if self.report not in ("any", "first"):
            raise InputError(f'report must be "any" or "first", not {self.report!r}: a row has one verdict')
        if self.max_queries is not None and self.max_queries < 0:
            raise InputError(f"max_queries must be at least 0, not {self.max_queries}")
