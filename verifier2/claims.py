"""That a certificate speaks of the scene and path given, and claims for every pair what must be shown of it."""

from answers import Refused
from fingerprint import of as fingerprint, of_bodies


# What a proof for straight lines leans on, as certificates put it.
ASSUMPTIONS = [
    "Lengths are in metres and angles in radians.",
    "Between two waypoints every joint value runs along a straight line; the rotation of a floating joint runs along the "
    "shortest arc at constant rate. Angles are not wrapped.",
    "Bodies are rigid and have exactly the shapes, places and joints whose hashes are given; how far the real machine departs "
    "from them is what the clearance is for.",
    "A body that is inside a closed mesh counts as touching it; an open mesh is a surface without inside, but for meshes that "
    "the scene calls solid, whose holes of at most 10 mm are closed for that test.",
    "Pairs of bodies that no joint can move relative to each other are not checked; other pairs that are not checked are "
    "listed with the reason.",
]


def require_same_scene(certificate, scene):
    """Hashes, and words that a reader takes for what was proven."""
    for stated, own, what in zip(certificate.hashes, fingerprint(scene), ("joints", "bodies", "checked pairs")):
        if stated != own:
            raise Refused(f"it is for another scene: the hash of its {what} is {stated.hex()[:16]}…, "
                          f"that of the scene {own.hex()[:16]}…")
    if certificate.variables != scene.variables:
        raise Refused("its header names other joints than the scene")
    if certificate.bodies != [body.name for body in scene.bodies]:
        raise Refused("its header names other bodies than the scene")
    if certificate.version > 2 and certificate.body_hashes != of_bodies(scene):
        raise Refused("its header states hashes of bodies that are not those of the scene")
    if certificate.assumptions != ASSUMPTIONS:
        raise Refused("its header states assumptions that are not those of this proof")
    if certificate.unchecked != scene.unchecked:
        raise Refused("its header states other pairs that are not checked, or other reasons, than the scene has")


def require_same_path(certificate, waypoints):
    if len(certificate.waypoints) != len(waypoints):
        raise Refused(f"it is for another path: it has {len(certificate.waypoints)} waypoints, the path {len(waypoints)}")
    for number, (stated, given) in enumerate(zip(certificate.waypoints, waypoints)):
        # By bits, so that −0 is not 0.
        if [value.hex() for value in stated] != [value.hex() for value in given]:
            raise Refused(f"it is for another path: waypoint {number} is another")


def claimed(certificate, scene, clearance, self_clearance=None):
    """The clearance that the certificate claims for every checked pair; at least what the scene asks for it (`clearance`
    and `self_clearance` in place of the defaults, where they are given)."""
    group_of = {}
    for number, members in enumerate(certificate.groups):
        for body in members:
            if body in group_of:
                raise Refused("a body is in two of its groups")
            group_of[body] = number
    stated = {}
    for a, b, value in certificate.pairs:
        key = (min(a, b), max(a, b))
        if key in stated:
            raise Refused("a pair of groups is there twice")
        stated[key] = value
    found = {}
    required_of = scene.required(clearance, self_clearance)
    for (a, b), (required, keeps_default) in required_of.items():
        names = f"{scene.bodies[a].name} and {scene.bodies[b].name}"
        groups = (group_of.get(a, -1), group_of.get(b, -1))
        value = stated.get((min(groups), max(groups)))
        if value is None:
            raise Refused(f"{names}: they must be checked and are not in it")
        if not value >= required:
            raise Refused(f"{names}: the scene requires {required!r} m clearance; the certificate proves {value!r} m")
        if keeps_default and not value >= certificate.clearance:
            raise Refused(f"{names}: its header states {certificate.clearance!r} m for pairs without their own clearance, "
                          f"and {value!r} m for these")
        found[a, b] = value
    default = scene.clearance if clearance is None else clearance
    if not any(keeps_default for _, keeps_default in required_of.values()) and certificate.clearance != default:
        raise Refused(f"its header states {certificate.clearance!r} m for pairs without their own clearance: there are none")
    return found
