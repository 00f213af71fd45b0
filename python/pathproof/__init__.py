"""Decides whether a robot's path is free of collisions for every configuration on it, and proves it.

>>> import pathproof as pp
>>> scene = pp.Scene.load("cell.toml")              # doctest: +SKIP
>>> answer = pp.Checker(scene).check("path.csv")    # doctest: +SKIP
>>> answer.free, answer.verdict, answer.bodies      # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from . import _pathproof
from ._errors import FileError, InputError, NotFreeError, PathproofError, RefusedError, SceneError
from ._pathproof import (
    Accepted,
    Answer,
    Box,
    Capsule,
    Certificate,
    Checker,
    Cylinder,
    Distance,
    Finding,
    Hull,
    LinkPair,
    MinDistance,
    Obstacle,
    Plan,
    Plane,
    Profile,
    Scene,
    Smoothed,
    Sphere,
    TrafficAnswer,
    Trajectory,
    __version__,
    acm,
    distance,
    plan,
    smooth,
    traffic,
    verify,
)
from ._segments import SEGMENT_DTYPE, Verdict

__all__ = [
    "SEGMENT_DTYPE",
    "Accepted",
    "Answer",
    "Box",
    "Capsule",
    "Certificate",
    "Checker",
    "Cylinder",
    "Distance",
    "FileError",
    "Finding",
    "Hull",
    "InputError",
    "LinkPair",
    "Mesh",
    "MinDistance",
    "NotFreeError",
    "Obstacle",
    "PathproofError",
    "Plan",
    "Plane",
    "Profile",
    "RefusedError",
    "Scene",
    "SceneError",
    "Smoothed",
    "Sphere",
    "TrafficAnswer",
    "Trajectory",
    "Verdict",
    "__version__",
    "acm",
    "distance",
    "plan",
    "smooth",
    "traffic",
    "verify",
]


def Mesh(  # noqa: N802 - it makes an obstacle, like Box
    name: str,
    file: str | os.PathLike[str] | None = None,
    *,
    vertices: npt.ArrayLike | None = None,
    triangles: npt.ArrayLike | None = None,
    scale: float | tuple[float, float, float] = 1.0,
    solid: bool = False,
    surface: bool = False,
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0),
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0),
    attach: str | None = None,
    touch: Sequence[str] = (),
) -> Obstacle:
    """A mesh from a file, or from arrays: vertices (n, 3) in metres, triangles (m, 3) of their numbers.

    A closed mesh is solid. An open one is a surface, which the scene warns of: `solid=True` closes small holes,
    `surface=True` says that it is meant.
    """
    factors = (float(scale),) * 3 if isinstance(scale, (int, float)) else scale
    place: tuple[Any, ...] = (solid, surface, xyz, rpy, attach, list(touch))
    if file is not None:
        if vertices is not None or triangles is not None:
            raise InputError(f"{name!r}: a mesh comes from a file or from vertices and triangles, not from both")
        return _pathproof._mesh_file(name, file, factors, *place)
    if vertices is None or triangles is None:
        raise InputError(f"{name!r}: a mesh needs a file, or vertices and triangles")
    if factors != (1.0, 1.0, 1.0):
        raise InputError(f"{name!r}: scale is for files; multiply the vertices instead")
    return _pathproof._mesh(name, vertices, triangles, *place)
