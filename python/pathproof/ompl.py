"""OMPL with proven edges: every motion that a planner accepts is free at every configuration on it.

    si = pathproof.ompl.space_information(checker)      # bounds, states and motions by the checker
    planner = ompl.geometric.RRTConnect(si)

Needs OMPL's wheel (`pip install ompl`, 2.0 or newer). Its Python bindings do not hand on where a motion stopped being
valid: see `warn_of_lost_progress`.
"""

from ._ompl import MotionValidator, space_information, state_space, warn_of_lost_progress

__all__ = ["MotionValidator", "space_information", "state_space", "warn_of_lost_progress"]
