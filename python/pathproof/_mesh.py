"""`Mesh`: the obstacle that is made of a file or of arrays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from . import _pathproof
from ._errors import InputError
from ._pathproof import Obstacle


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
