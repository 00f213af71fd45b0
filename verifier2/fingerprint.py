"""The three hashes of a scene: of its joints, of its bodies and of its checked pairs.

No step of the proof leans on them: they say whether a certificate was made for this scene or for another one that may be as
free. They are taken over the numbers that `pathproof` computes with, to the last bit (docs/certificate-format.md), so this
file rounds as that program does: sums and products from left to right in double precision, and sine and cosine after the
FreeBSD library (s_sin.c, k_sin.c, k_cos.c, e_rem_pio2.c; Copyright (C) 1993 by Sun Microsystems, Inc., freely granted).
"""

import struct
from hashlib import sha256
from math import copysign, frexp, nextafter, sqrt

from answers import OutsideScope
from pairs import LINK

KINDS = {"fixed": 0, "turn": 1, "slide": 2, "planar": 3}
ROUNDOFF = 2.0**-53


class Writer:
    def __init__(self):
        self.parts = []

    def counts(self, *values):
        self.parts.append(struct.pack(f"<{len(values)}Q", *values))

    def numbers(self, *values):
        self.parts.append(struct.pack(f"<{len(values)}d", *values))

    def pose(self, rows, translation):
        """Matrices go by columns."""
        self.numbers(*(rows[i][j] for j in (0, 1, 2) for i in (0, 1, 2)), *translation)

    def hash(self):
        return sha256(b"".join(self.parts)).digest()


def of(scene):
    """Hashes of kinematics, geometry and pairs."""
    pairs = Writer()
    pairs.counts(len(scene.checked), *(number for pair in sorted(scene.checked) for number in pair))
    return [kinematics(scene), geometry(scene), pairs.hash()]


def kinematics(scene):
    out = Writer()
    out.counts(len(scene.variables), len(scene.joints))
    for joint in scene.joints:
        out.counts(KINDS[joint.kind])
        out.numbers(*((0.0, 0.0, 0.0) if joint.kind == "fixed" else axis(joint.axis)))
        out.counts(joint.parent, joint.child)
        out.pose(rotation(joint.rpy), joint.xyz)
        if joint.source:
            variable, multiplier, offset = joint.source
            out.counts(variable)
            out.numbers(multiplier, offset)
    return out.hash()


def axis(written):
    """The axis that its reader scaled to length 1, and the model once more; what is below 1e-150 is none."""
    x, y, z = scaled(written)
    length = sqrt(x * x + y * y + z * z)
    return tuple(0.0 if abs(c / length) < 1e-150 else c / length for c in (x, y, z))


def scaled(v):
    """A vector over its largest component, then over its length."""
    largest = max(map(abs, v))
    x, y, z = (c / largest for c in v)
    length = sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def geometry(scene):
    out = Writer()
    out.counts(len(scene.bodies))
    for body in scene.bodies:
        put_body(out, scene, body)
    return out.hash()


def of_bodies(scene):
    """The first bytes of a hash of each body alone."""
    def of_body(body):
        out = Writer()
        put_body(out, scene, body)
        return out.hash()[:8]
    return [of_body(body) for body in scene.bodies]


def put_body(out, scene, body):
    out.counts(scene.links.get(body.link, 0))
    out.pose(rotation(body.rpy), body.xyz)
    if body.parts[0].kind == "plane":
        out.counts(0)
        out.numbers(*scaled(body.parts[0].sizes))
    else:
        out.counts(1)
        parts(out, body)


def parts(out, body):
    """A body of meshes and convex pieces, about its centre."""
    placed = [(rotation(part.rpy), part.xyz, part) for part in body.parts]
    low, high = [float("inf")] * 3, [-float("inf")] * 3
    for rows, translation, part in placed:
        for p in corners(rows, translation, part):
            low, high = [min(a, b) for a, b in zip(low, p)], [max(a, b) for a, b in zip(high, p)]
    size = max(b - a for a, b in zip(low, high))
    centre = coarse([(a + b) * 0.5 for a, b in zip(low, high)], size)
    vertices, triangles, components, pieces = [], [], [], []
    meshes = 0
    for rows, translation, part in placed:
        if part.kind != "mesh":
            pieces.append((rows, [t - c for t, c in zip(translation, centre)], part))
            continue
        mesh, first = part.mesh, len(vertices)
        sizes, firsts = {}, {}
        for number, own in enumerate(mesh.part_of):
            sizes[own] = sizes.get(own, 0) + 1
            firsts.setdefault(own, number)
        components += [(mesh.kinds[own], sizes[own], len(triangles) + firsts[own], meshes) for own in sorted(sizes)]
        meshes += 1
        is_moved = is_not_identity(rows, translation)
        vertices += [[a - b for a, b in zip(point(rows, translation, p) if is_moved else p, centre)] for p in mesh.vertices]
        triangles += [[v + first for v in triangle] for triangle in mesh.triangles]
    out.numbers(*centre)
    out.counts(len(vertices))
    out.numbers(*(c for p in vertices for c in p))
    out.counts(len(triangles))
    out.parts.append(struct.pack(f"<{3 * len(triangles)}I", *(v for triangle in triangles for v in triangle)))
    out.counts(len(components), *(number for component in components for number in component), len(pieces))
    for rows, translation, part in pieces:
        out.pose(rows, translation)
        piece(out, part)


def piece(out, part):
    """The radius swept over a core, the core's kind and its sizes."""
    sizes = part.sizes
    out.numbers(sizes[0] if part.kind in ("sphere", "capsule") else 0.0)
    out.counts({"sphere": 0, "capsule": 1, "box": 3, "cylinder": 4}[part.kind])
    out.numbers(*{"sphere": (), "capsule": (0.5 * sizes[-1],), "box": tuple(0.5 * size for size in sizes),
                  "cylinder": (sizes[0], 0.5 * sizes[-1])}[part.kind])


def corners(rows, translation, part):
    """Points that have the box which a placed part is taken to have."""
    if part.kind == "mesh":
        return [point(rows, translation, p) for p in part.mesh.vertices]
    sizes, half, radius = part.sizes, 0.5 * part.sizes[-1], 0.0
    if part.kind == "box":
        halves = [0.5 * size for size in sizes]
        core = norm_up(halves)

        def support(d):
            return [copysign(h, c) for h, c in zip(halves, d)]
    elif part.kind == "cylinder":
        core = norm_up((sizes[0], 0.0, half))

        def support(d):
            across = sqrt(d[0] * d[0] + d[1] * d[1])
            rim = (d[0] / across, d[1] / across) if across > 0.0 else (0.0, 0.0)
            return [sizes[0] * rim[0], sizes[0] * rim[1], copysign(half, d[2])]
    else:
        radius, core = sizes[0], half if part.kind == "capsule" else 0.0

        def support(d):
            return [0.0, 0.0, copysign(half, d[2]) if part.kind == "capsule" else 0.0]
    size = nextafter(core + radius, float("inf")) + max(map(abs, translation))
    margin = radius + 32.0 * ROUNDOFF * size
    extents = {}
    for sign in (1.0, -1.0):
        for k in (0, 1, 2):
            direction = [sign * (k == i) if k == i else sign * 0.0 for i in (0, 1, 2)]
            along = [dot([rows[i][j] for i in (0, 1, 2)], direction) for j in (0, 1, 2)]
            extents[sign, k] = dot(point(rows, translation, support(along)), direction)
    return [[extents[1.0, k] + margin for k in (0, 1, 2)], [-extents[-1.0, k] - margin for k in (0, 1, 2)]]


def norm_up(v):
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * (1.0 + 8.0 * ROUNDOFF) + 1e-150


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def point(rows, translation, p):
    return [row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + t for row, t in zip(rows, translation)]


def is_not_identity(rows, translation):
    return [list(row) for row in rows] != [[1, 0, 0], [0, 1, 0], [0, 0, 1]] or list(translation) != [0, 0, 0]


def coarse(p, size):
    """A point on a grid of 1/1024 to 1/512 of a size."""
    if not size > 0.0:
        return p
    grid = 2.0 ** (frexp(size)[1] - 1 - 9)
    return [half_away(c / grid) * grid for c in p]


def half_away(x):
    """The nearest integer, halves away from 0; the sign of 0 stays."""
    down = float(int(x))
    return copysign(down + copysign(1.0, x) if abs(x - down) >= 0.5 else down, x)


def rotation(rpy):
    """The rows of the matrix of roll, pitch and yaw. Where a file states none, no 0 of it is negative."""
    if rpy is None:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    (sr, cr), (sp, cp), (sy, cy) = map(sine_cosine, rpy)
    return ((cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr))


def high_word(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0] >> 32 & 0x7FFFFFFF


def sine_cosine(x):
    word = high_word(x)
    if word <= 0x3FE921FB:
        return (x, 1.0) if word < 0x3E46A09E else (small_sine(x, 0.0, False), small_cosine(x, 0.0))
    quarters, y0, y1 = reduced(x, word)
    s, c = small_sine(y0, y1, True), small_cosine(y0, y1)
    return [(s, c), (c, -s), (-s, -c), (-c, s)][quarters % 4]


def small_sine(x, y, has_tail):
    z = x * x
    w = z * z
    r = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) \
        + z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    v = z * x
    s1 = -1.66666666666666324348e-01
    return x - ((z * (0.5 * y - v * r) - y) - v * s1) if has_tail else x + v * (s1 + z * r)


def small_cosine(x, y):
    z = x * x
    w = z * z
    r = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) \
        + w * w * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (z * r - x * y))


PIO2_1, PIO2_1T = 1.57079632673412561417e+00, 6.07710050650619224932e-11
PIO2_2, PIO2_2T = 6.07710050630396597660e-11, 2.02226624879595063154e-21
PIO2_3, PIO2_3T = 2.02226624871116645580e-21, 8.47842766036889956997e-32


def reduced(x, word):
    """x less a number of quarter turns, as two floats."""
    if word >= 0x413921FB:
        raise OutsideScope("an angle of 2^20 quarter turns")
    is_near_quarter = word & 0xFFFFF == 0x921FB if word <= 0x400F6A7A else word in (0x4012D97C, 0x401921FB)
    if word <= 0x401C463B and not is_near_quarter:
        steps = (0x4002D97C, 0x400F6A7A, 0x4015FDBC, 0x401C463B)
        n = next(k for k, limit in enumerate(steps, 1) if word <= limit)
        n = n if x > 0.0 else -n
        z = x - n * PIO2_1
        y0 = z - n * PIO2_1T
        return n, y0, (z - y0) - n * PIO2_1T
    to_int = 1.5 / 2.0**-52
    n = x * 6.36619772367581382433e-01 + to_int - to_int
    r, w = x - n * PIO2_1, n * PIO2_1T
    y0 = r - w
    for limit, part, tail in ((16, PIO2_2, PIO2_2T), (49, PIO2_3, PIO2_3T)):
        if (word >> 20) - (high_word(y0) >> 20) <= limit:
            break
        t, w = r, n * part
        r = t - w
        w = n * tail - ((t - r) - w)
        y0 = r - w
    return int(n), y0, (r - y0) - w
