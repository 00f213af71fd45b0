"""Which pairs of bodies must be checked, and with how much clearance. A pair is two numbers of bodies, the lesser first.

By default every pair is checked but these:

- two bodies that no joint can move against each other;
- an object in a robot's hand and what it may touch;
- the parent and the child link of one movable joint;
- two links that an SRDF disables.

Then the scene's [[pairs]] are applied one after the other. An entry for two names holds for that pair, whatever was said
before; one with a pattern, or the name of a robot, holds for all pairs of one body of either side that a joint can move.
"""

import re
from dataclasses import dataclass

from answers import BadInput

LINK, OBSTACLE, ATTACHED = "link", "obstacle", "attached"
RIGID, HELD, EXCEPTION = "cannot move", "attached there, or may touch", "check = false in the scene"


@dataclass
class Rule:
    """An entry of [[pairs]]: bodies on either side, and whether both were named one by one."""

    sides: tuple
    is_exact: bool
    check: bool | None
    clearance: float | None


def find(name, scene):
    """The bodies that a name stands for, and whether it names one by its own name; no body for a link without geometry."""
    bodies = [body.name for body in scene.bodies]
    if name in bodies and name in scene.robots:
        raise BadInput(f"{name!r} is both a robot and an obstacle")
    if name in bodies:
        return {bodies.index(name)}, True
    if name in scene.links:
        return set(), True
    pattern = name + "/*" if name in scene.robots else name
    found = matching(pattern, [*bodies, *scene.links])
    if "*" not in pattern or not found:
        raise BadInput(f"nothing is called {name!r}")
    return {number for number, body in enumerate(bodies) if body in found}, False


def matching(pattern, names):
    """The names that a pattern stands for: a star is any letters."""
    matches = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL).fullmatch
    return {name for name in names if matches(name)}


def rule(entry, scene):
    """An entry as a rule; `None` where it says that something without geometry is not checked."""
    names, check, clearance = entry["bodies"], entry.get("check"), entry.get("clearance")
    if check is None and clearance is None or check is False and clearance is not None:
        raise BadInput(f"[[pairs]] {names}: write one of clearance, check = true, check = false")
    (first, is_first), (second, is_second) = (find(name, scene) for name in names)
    if not first or not second:
        if check is False:
            return None
        raise BadInput(f"[[pairs]] {names}: one of them has no geometry to check")
    if first == second and len(first) == 1:
        raise BadInput(f"[[pairs]] {names}: both names are the same body")
    return Rule((first, second), is_first and is_second, check, clearance)


def by_default(scene, a, b):
    """Why a pair is not checked if no entry says otherwise; None where it is."""
    first, second = scene.bodies[a], scene.bodies[b]
    roles = {first.role, second.role}
    if first.frame == second.frame:
        return HELD if roles == {ATTACHED, LINK} else RIGID
    for held, other in ((first, b), (second, a)):
        if held.role == ATTACHED and other in held.touch:
            return HELD
    if roles == {LINK}:
        return scene.never.get(frozenset((first.link, second.link)))
    return None


def decide(scene):
    """The checked pairs in order, each with its own clearance or None; and the others in order with the reason. Pairs that
    nothing can move are in neither, but for what is held, and for what an entry names."""
    rules = [rule(entry, scene) for entry in scene.entries]
    checked, unchecked = {}, []
    for a in range(len(scene.bodies)):
        for b in range(a + 1, len(scene.bodies)):
            reason, own = by_default(scene, a, b), None
            can_move, is_held = scene.bodies[a].frame != scene.bodies[b].frame, reason == HELD
            for one in filter(None, rules):
                first, second = one.sides
                if not (a in first and b in second or b in first and a in second):
                    continue
                if one.clearance is not None:
                    own = one.clearance
                if one.is_exact:
                    reason = EXCEPTION if one.check is False else None
                elif one.check is False:
                    reason = EXCEPTION if can_move or is_held or reason is None else reason
                elif one.check and one.clearance is None and can_move:
                    reason = None
            if reason is None:
                checked[a, b] = own
            elif reason != RIGID:
                unchecked.append((a, b, reason))
    return checked, unchecked
