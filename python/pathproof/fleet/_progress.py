"""How far a run has come, on standard error: a line that is rewritten on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time

EVERY_SECONDS = {True: 0.2, False: 10.0}
"""On a terminal, and elsewhere."""


class Progress:
    """Counts rows."""

    def __init__(self, rows: int, before: int) -> None:
        self._rows = rows
        self._before = before
        self._done = before
        self._begun = time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        self._next = self._begun

    def add(self, rows: int) -> None:
        self._done += rows
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY_SECONDS[self._is_terminal]
            self._show(now)

    def _show(self, now: float) -> None:
        rate = self.rate(now)
        left = f", {(self._rows - self._done) / rate:,.0f} s left" if rate else ""
        text = f"{self._done:,} of {self._rows:,} rows, {rate:,.0f} rows/s{left}"
        if self._is_terminal:
            text = f"\r{text:<78}"
        print(text, end="" if self._is_terminal else "\n", file=sys.stderr, flush=True)

    def rate(self, now: float | None = None) -> float:
        """Rows per second since the start, without those that were there before."""
        seconds = (time.monotonic() if now is None else now) - self._begun
        return (self._done - self._before) / seconds if seconds > 0 else 0.0

    def clear(self) -> None:
        if self._is_terminal:
            print(f"\r{'':<78}\r", end="", file=sys.stderr, flush=True)
