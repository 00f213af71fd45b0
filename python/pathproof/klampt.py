"""Klampt's planners with proven edges: `klampt.plan.cspace.MotionPlan(pathproof.klampt.CSpace(checker), type="rrt")`."""

from ._klampt import CSpace

__all__ = ["CSpace"]
