"""What the tests share: scenes as files, certificates made byte by byte, seeded random poses, kinematics of their own."""

import dataclasses
import hashlib
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import certificate as certificates  # noqa: E402
import claims  # noqa: E402
import fingerprint  # noqa: E402
import path as paths  # noqa: E402
from answers import Refused  # noqa: E402
from scene import Scene  # noqa: E402
from verify import Verifier  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
# The long form makes ten times as many random cases, and goes through all shared paths.
IS_LONG = bool(os.environ.get("VERIFIER2_LONG"))


def times(count):
    return count * (10 if IS_LONG else 1)


def program():
    """The Rust program, where it was built; else None."""
    found = os.environ.get("PATHPROOF") or ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug" / "pathproof"
    return Path(found) if Path(found).is_file() else None


def pathproof(*arguments):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True, check=False)


def write(folder, **files):
    """Writes files; two underscores of a keyword stand for the point of its name."""
    for name, text in files.items():
        (Path(folder) / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return Path(folder)


class Folder:
    """A folder that goes with the test that made it."""

    def __init__(self, test, **files):
        made = tempfile.TemporaryDirectory()
        test.addCleanup(made.cleanup)
        self.path = write(made.name, **files)

    def scene(self, name="cell.toml"):
        return Scene(self.path / name)


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def texts(values):
    return varint(len(values)) + b"".join(varint(len(text.encode())) + text.encode() for text in values)


def number(value):
    return struct.pack("<d", value)


def summed(body):
    return body + hashlib.sha256(body).digest()[:8]


def encode(claim, tilings=None):
    """A certificate as bytes of its version. Tilings are lists of cells, each two bits; by default one cell that covers all."""
    count = max(len(claim.waypoints) - 1, 1) * len(claim.pairs)
    reasons = sorted({reason for _, _, reason in claim.unchecked})
    out = certificates.MAGIC + struct.pack("<I", claim.version) + b"".join(claim.hashes) + number(claim.clearance)
    out += texts(claim.assumptions) + texts(claim.variables) + texts(claim.bodies)
    out += b"".join(claim.body_hashes if claim.version > 2 else []) + texts(reasons)
    out += varint(len(claim.unchecked))
    out += b"".join(varint(a) + varint(b) + varint(reasons.index(reason)) for a, b, reason in claim.unchecked)
    out += varint(len(claim.groups)) + b"".join(varint(len(group)) + b"".join(map(varint, group)) for group in claim.groups)
    out += varint(len(claim.pairs)) + b"".join(varint(a) + varint(b) + number(c) for a, b, c in claim.pairs)
    out += varint(len(claim.waypoints)) + b"".join(number(value) for q in claim.waypoints for value in q)
    tilings = [[3]] * count if tilings is None else tilings
    if claim.version == 1:
        return summed(out + b"".join(map(tiling_1, tilings)))
    return summed(out + texts(["lines"]) + tilings_2(tilings))


def tiling_1(cells):
    packed = bytearray((len(cells) + 3) // 4)
    for i, two in enumerate(cells):
        packed[i // 4] |= two << 2 * (i % 4)
    return varint(len(cells)) + bytes(packed) + b"\x00\x80\x00\x80" * sum(two != 0 for two in cells)


def tilings_2(tilings):
    bits = []
    for cells in tilings:
        count = len(cells) + 1
        places = count.bit_length() - 1
        bits += [0] * places + [1] + [count >> k & 1 for k in range(places)]
        for two in cells:
            bits += [two & 1, two >> 1] + ([0] if two else [])
    bits += [0] * (-len(bits) % 8)
    return bytes(sum(bit << k for k, bit in enumerate(bits[i:i + 8])) for i in range(0, len(bits), 8))


def claim(scene, waypoints, clearance=None):
    """The claim that a path is free in a scene: a certificate, true or not, with nothing but honest words in it."""
    required = scene.required(clearance)
    groups = [[body] for body in range(len(scene.bodies))]
    pairs = [(a, b, value) for (a, b), (value, _) in required.items()]
    return certificates.Certificate(
        3, fingerprint.of(scene), scene.clearance if clearance is None else clearance, list(claims.ASSUMPTIONS),
        list(scene.variables), [body.name for body in scene.bodies], list(scene.unchecked), groups, pairs,
        [list(q) for q in waypoints], [], fingerprint.of_bodies(scene))


def changed(claim, **values):
    return dataclasses.replace(claim, **values)


def refusal(scene, waypoints, clearance=None, **changes):
    """Why the claim (with changes) that a path is free is refused; None if it is accepted."""
    made = changed(claim(scene, waypoints, clearance), **changes)
    try:
        Verifier(scene).verify(waypoints, certificates.parse(encode(made)), clearance)
    except Refused as found:
        return str(found)
    return None


def read_path(scene, file, ignore_limits=False):
    return paths.read(file, scene, ignore_limits)


def direction(source):
    while True:
        v = [source.uniform(-1.0, 1.0) for _ in range(3)]
        length = math.hypot(*v)
        if 0.1 < length <= 1.0:
            return [c / length for c in v]


def seeded(seed):
    return random.Random(seed)
