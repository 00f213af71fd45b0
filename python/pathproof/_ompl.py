"""What `pathproof.ompl` exports."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from ompl import base as ob

from ._errors import InputError

if TYPE_CHECKING:
    from ._pathproof import Checker

    _MotionValidator = Any
else:
    _MotionValidator = ob.MotionValidator

# They keep the free part of a motion that is not free as a whole, if they are told where it ends.
_KEEP_PARTS = ("KPIECE", "SBL", "EST", "STRIDE", "PDST", "Syclop")


class MotionValidator(_MotionValidator):  # type: ignore[misc]
    """A motion is valid where it is proven free. Between states joints run straight, as in a real vector space."""

    def __init__(self, si: Any, checker: Checker) -> None:
        super().__init__(si)
        dimension = int(si.getStateDimension())
        if dimension != checker.scene.dof:
            raise InputError(
                f"the state space has {dimension} dimensions, the scene {checker.scene.dof} joints: {checker.scene.joints}"
            )
        self._is_free = checker.is_free
        self._range = range(dimension)

    def checkMotion(self, s1: Any, s2: Any) -> bool:  # noqa: N802 - OMPL's name
        # Limits are OMPL's business: its bounds hold but for rounding.
        return self._is_free([s1[i] for i in self._range], [s2[i] for i in self._range], ignore_limits=True)


def state_space(checker: Checker) -> Any:
    """The joints within their limits, as a real vector space: angles are not wrapped, as in path files."""
    limits = checker.scene.limits
    space = ob.RealVectorStateSpace(checker.scene.dof)
    bounds = ob.RealVectorBounds(checker.scene.dof)
    for i, (name, (lower, upper)) in enumerate(zip(checker.scene.joints, limits, strict=True)):
        if not (math.isfinite(lower) and math.isfinite(upper)):
            raise InputError(f"{name!r} has no limits, and planning needs them; give the scene `bounds`")
        bounds.setLow(i, float(lower))
        bounds.setHigh(i, float(upper))
    space.setBounds(bounds)
    return space


def space_information(checker: Checker) -> Any:
    """What planners need: the state space, valid states, valid motions; set up."""
    space = state_space(checker)
    si = ob.SpaceInformation(space)
    dimensions = range(checker.scene.dof)

    def is_valid(state: Any) -> bool:
        q = [state[i] for i in dimensions]
        return checker.is_free(q, q, ignore_limits=True)

    si.setStateValidityChecker(is_valid)
    si.setMotionValidator(MotionValidator(si, checker))
    si.setup()
    return si


def warn_of_lost_progress(planner: Any) -> bool:
    """Warns where a planner would use what OMPL's bindings (2.0.1) lose, and says whether it does.

    Planners such as KPIECE1 ask how far a motion is valid and keep that part. The bindings call `checkMotion(s1, s2)` for
    this question too and never write the answer back, so that these planners keep nothing of a motion that is not free as
    a whole: what they return is proven as ever, but they need longer. RRTConnect, PRM and the like do not ask.
    """
    name = str(planner.getName())
    is_lost = any(word in name for word in _KEEP_PARTS)
    if is_lost:
        warnings.warn(
            f"{name} keeps the free part of a motion, but OMPL's Python bindings do not tell it where that ends; "
            "RRTConnect or PRM will do better",
            stacklevel=2,
        )
    return is_lost
