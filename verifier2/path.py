"""Path files: a header of joint names, then a waypoint per line; straight lines run between them.

Columns are separated by commas, or by semicolons or tabs where the header has no comma; lines that start with # are
comments. A column may leave out the robot's name where only one robot has such a joint. Other formats are outside the scope.
"""

from math import isfinite

from answers import BadInput, OutsideScope
from meshes import NUMBER, text_of

# How far a mimic joint's own column may be from what it follows, and how far its value may be outside its limits.
AGREEMENT, LIMIT_SLACK = 1e-6, 1e-9
LARGEST = 1e6


def read(path, scene, ignore_limits):
    """Full configurations, in the order of the scene's variables."""
    if path.suffix.lower() in (".json", ".yaml", ".yml"):
        raise OutsideScope(f"{path}: a path in another format than CSV")
    try:
        text = text_of(path.read_bytes(), path)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    text = text.replace("\r\n", "\n")
    if '"' in text or "\r" in text:
        raise OutsideScope(f"{path}: quoted columns, or carriage returns within a line")
    lines = [line for line in text.split("\n") if line.strip(" ") and not line.lstrip(" ").startswith("#")]
    if len(lines) < 2:
        raise BadInput(f"{path}: a header and one line of values at least are needed")
    delimiter = next((mark for mark in ",;\t" if mark in lines[0]), ",")
    columns = [column(name.strip(), scene, path) for name in lines[0].split(delimiter)]
    for one in columns:
        if columns.count(one) > 1:
            raise BadInput(f"{path}: {one[1]!r} is there twice")
    waypoints = []
    for number, line in enumerate(lines[1:]):
        words = [word.strip() for word in line.split(delimiter)]
        if len(words) != len(columns) or not all(NUMBER.fullmatch(word) for word in words):
            raise BadInput(f"{path}: waypoint {number}: {len(columns)} numbers are needed")
        values = dict(zip(columns, map(float, words)))
        q = configuration(values, scene, f"{path}: waypoint {number}")
        if not ignore_limits:
            require_within_limits(q, scene, f"{path}: waypoint {number}")
        waypoints.append(q)
    return waypoints


def column(name, scene, path):
    """What a column holds: ("value", variable), ("mimic", joint) or ("time", "time")."""
    known = [("value", variable) for variable in scene.variables]
    known += [("mimic", joint.name) for joint in scene.joints if joint.follows]
    found = [one for one in known if one[1] == name] or [one for one in known if one[1].partition("/")[2] == name]
    if not found and name.lower() == "time":
        return "time", "time"
    if len(found) != 1:
        raise BadInput(f"{path}: the column {name!r} names {len(found)} values of joints")
    return found[0]


def configuration(values, scene, place):
    q = [values.get(("value", variable), scene.positions.get(variable)) for variable in scene.variables]
    if None in q:
        raise BadInput(f"{place}: there is no value for {scene.variables[q.index(None)]}")
    if not all(isfinite(value) and abs(value) < LARGEST for value in q):
        raise OutsideScope(f"{place}: a value that is not below {LARGEST:g}")
    for joint in scene.joints:
        given = values.get(("mimic", joint.name))
        if given is not None and not abs(given - following(joint, q)) <= AGREEMENT:
            raise BadInput(f"{place}: the mimic joint {joint.name} does not agree with what it follows")
    return q


def following(joint, q):
    variable, multiplier, offset = joint.source
    return multiplier * q[variable] + offset


def require_within_limits(q, scene, place):
    for joint in scene.joints:
        for part, limit in enumerate(joint.limits if joint.source else []):
            if limit is None:
                continue
            value = following(joint, q) if joint.follows else q[joint.source[0] + part]
            slack = LIMIT_SLACK if joint.follows else 0.0
            if not limit[0] - slack <= value <= limit[1] + slack:
                raise BadInput(f"{place}: {joint.name} is {value!r}, outside its limits [{limit[0]!r}, {limit[1]!r}]")
