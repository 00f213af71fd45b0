"""What `pathproof.klampt` exports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from klampt.plan import cspace

from ._errors import InputError

if TYPE_CHECKING:
    from ._pathproof import Checker

    _CSpace = Any
else:
    _CSpace = cspace.CSpace


class CSpace(_CSpace):  # type: ignore[misc]
    """The joints of a scene within their limits. Two configurations see each other where the segment is proven free."""

    def __init__(self, checker: Checker) -> None:
        super().__init__()
        limits = checker.scene.limits
        for name, (lower, upper) in zip(checker.scene.joints, limits, strict=True):
            if not (math.isfinite(lower) and math.isfinite(upper)):
                raise InputError(f"{name!r} has no limits, and planning needs them; give the scene `bounds`")
        self.setBounds([(float(lower), float(upper)) for lower, upper in limits])
        self._is_free = checker.is_free

    def feasible(self, q: Sequence[float]) -> bool:
        """Whether a configuration is free; outside of the limits none is."""
        inside = all(lower <= value <= upper for value, (lower, upper) in zip(q, self.bound, strict=True))
        return inside and self._is_free(list(q), list(q), ignore_limits=True)

    def visible(self, a: Sequence[float], b: Sequence[float]) -> bool:
        """Whether the segment is proven free."""
        return self._is_free(list(a), list(b), ignore_limits=True)
