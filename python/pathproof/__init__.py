"""Decides whether a robot's path is free of collisions for every configuration on it, and proves it.

>>> import pathproof as pp
>>> scene = pp.Scene.load("cell.toml")              # doctest: +SKIP
>>> answer = pp.Checker(scene).check("path.csv")    # doctest: +SKIP
>>> answer.free, answer.verdict, answer.bodies      # doctest: +SKIP
"""

from ._errors import FileError, InputError, NotFreeError, PathproofError, RefusedError, SceneError
from ._mesh import Mesh
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
