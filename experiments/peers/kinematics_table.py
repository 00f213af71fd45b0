#!/usr/bin/env python3
"""Writes pathproof/tests/data/kinematics.csv: link poses of real robots, computed by pinocchio.

Run it with any Python 3.9 or later; it makes a virtual environment of its own (in the temporary folder, or where
PATHPROOF_VENV points) and installs pinocchio (`pin`) from PyPI. Robots come from ../shared/data beside the project.
Only numbers go into the table, a row a link and configuration:

    urdf           file, relative to the data folder
    configuration  joint=value pairs, separated by spaces; mimic joints are left out
    link           name of the link
    x,y,z          origin of the link in the frame of the robot's root link, metres
    r11,...,r33    its rotation, row by row
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
TABLE = ROOT / "pathproof" / "tests" / "data" / "kinematics.csv"
CONFIGURATIONS = 3
# The wheel does not say which versions of these it was built with; newer ones do not load.
PINOCCHIO = ["pin==3.4.0", "cmeel-urdfdom==4.0.1", "cmeel-tinyxml2==10.0.0"]


def into_virtual_environment():
    """Starts this script again inside the environment, which is made if it is not there."""
    folder = Path(os.environ.get("PATHPROOF_VENV", Path(tempfile.gettempdir()) / "pathproof-kinematics-venv"))
    python = folder / "bin" / "python"
    if Path(sys.prefix) == folder:
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PINOCCHIO], check=True)
    os.execv(str(python), [str(python), __file__])


def configurations(names, limits):
    """Zero, then values spread over the limits (±3 rad without) by a fixed recurrence: no random state."""
    state = 12345
    for number in range(CONFIGURATIONS):
        values = {}
        for name in names:
            state = (1103515245 * state + 12345) % 2**31
            low, high = limits[name]
            value = low + (high - low) * state / 2**31
            values[name] = 0.0 if number == 0 else round(value, 6)
        yield values


def rows(urdf):
    import xml.etree.ElementTree as xml

    import numpy
    import pinocchio

    mimic, limits, names = {}, {}, []
    for joint in xml.parse(urdf).getroot().findall("joint"):
        kind, follow, limit = joint.get("type"), joint.find("mimic"), joint.find("limit")
        if kind not in ("revolute", "continuous", "prismatic"):
            continue
        name = joint.get("name")
        if follow is not None:
            mimic[name] = (follow.get("joint"), float(follow.get("multiplier", 1)), float(follow.get("offset", 0)))
            continue
        names.append(name)
        bounded = kind != "continuous" and limit is not None
        limits[name] = (float(limit.get("lower", 0)), float(limit.get("upper", 0))) if bounded else (-3.0, 3.0)
    model = pinocchio.buildModelFromUrdf(str(urdf))
    data = model.createData()
    for values in configurations(names, limits):
        q = pinocchio.neutral(model)
        everything = dict(values)
        everything.update({name: values[j] * m + o for name, (j, m, o) in mimic.items()})
        for name, value in everything.items():
            joint = model.joints[model.getJointId(name)]
            # Continuous joints are stored as cosine and sine.
            q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [numpy.cos(value), numpy.sin(value)]
        pinocchio.framesForwardKinematics(model, data, q)
        text = " ".join(f"{name}={value!r}" for name, value in values.items())
        for frame, pose in zip(model.frames, data.oMf):
            if frame.type == pinocchio.FrameType.BODY:
                numbers = [*pose.translation, *pose.rotation.flatten()]
                yield [urdf.relative_to(DATA).as_posix(), text, frame.name, *(repr(float(x)) for x in numbers)]


def main():
    into_virtual_environment()
    # The spherized file has the same joints as the one beside it.
    files = sorted(f for f in (DATA / "robots").rglob("*.urdf") if "spherized" not in f.name)
    if not files:
        sys.exit(f"no robots under {DATA}")
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    with TABLE.open("w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        entries = [f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]
        table.writerow(["urdf", "configuration", "link", "x", "y", "z", *entries])
        for urdf in files:
            table.writerows(rows(urdf))


if __name__ == "__main__":
    main()
