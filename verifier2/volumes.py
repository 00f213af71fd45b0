"""Convex volumes and trees of them.

A volume is a convex core, swept by a ball of `radius`. `farthest(g)` gives n·p for a core point p that is farthest along a
direction g, and p. Every vertex, box, segment and rim is stored in floats, misplaced by less than a 2^-50 of its distance
from the origin (fixed.py); what adding three products of floats rounds is below 2^-50 |g| |p| (three products and two sums
are off by 3 · 2^-53 of Σ |g_i p_i| ≤ |g| |p|, roots and the sums of a cylinder by as much again). apart.py leaves 2^-44.
"""

from math import sqrt


class Points:
    """The convex hull of points; with a radius, a ball or a capsule."""

    __slots__ = ("points", "radius")

    def __init__(self, points, radius=0.0):
        self.points, self.radius = points, radius

    def farthest(self, gx, gy, gz):
        best, at = -float("inf"), None
        for p in self.points:
            value = gx * p[0] + gy * p[1] + gz * p[2]
            if value > best:
                best, at = value, p
        return best, at


class Box:
    """A box along the axes: what holds the content of a node."""

    __slots__ = ("centre", "half", "radius")

    def __init__(self, points, radius):
        low = [min(p[k] for p in points) - radius for k in (0, 1, 2)]
        high = [max(p[k] for p in points) + radius for k in (0, 1, 2)]
        self.centre = tuple(0.5 * (a + b) for a, b in zip(low, high))
        # Rounded up: twice the rounding of centre and half is below 2^-51 of the coordinates.
        self.half = tuple(0.5 * (b - a) + 2.0**-50 * (abs(a) + abs(b)) for a, b in zip(low, high))
        self.radius = 0.0

    def farthest(self, gx, gy, gz):
        (x, y, z), (hx, hy, hz) = self.centre, self.half
        x = x + hx if gx > 0.0 else x - hx
        y = y + hy if gy > 0.0 else y - hy
        z = z + hz if gz > 0.0 else z - hz
        return gx * x + gy * y + gz * z, (x, y, z)


class Cylinder:
    """A solid cylinder: centre, unit axis, radius of its rims and half its length."""

    __slots__ = ("centre", "axis", "rim", "half", "radius")

    def __init__(self, centre, axis, rim, half):
        self.centre, self.axis, self.rim, self.half, self.radius = centre, axis, rim, half, 0.0

    def farthest(self, gx, gy, gz):
        (x, y, z), (ax, ay, az) = self.centre, self.axis
        along = gx * ax + gy * ay + gz * az
        # What of g is across the axis.
        ux, uy, uz = gx - along * ax, gy - along * ay, gz - along * az
        across = sqrt(ux * ux + uy * uy + uz * uz)
        h = self.half if along > 0.0 else -self.half
        r = self.rim / across if across > 0.0 else 0.0
        value = gx * x + gy * y + gz * z + self.half * abs(along) + self.rim * across
        return value, (x + h * ax + r * ux, y + h * ay + r * uy, z + h * az + r * uz)


class HalfSpace:
    """Everything below a plane: the one volume that is separated along its own normal only."""

    __slots__ = ("normal", "point", "radius")

    def __init__(self, normal, point):
        self.normal, self.point, self.radius = normal, point, 0.0

    def farthest(self, gx, gy, gz):
        x, y, z = self.point
        return gx * x + gy * y + gz * z, self.point


class Node:
    """A node of a tree: a volume that holds all primitives below it; a leaf is one primitive."""

    __slots__ = ("volume", "size", "children")

    def __init__(self, volume, size, children):
        self.volume, self.size, self.children = volume, size, children


# A hull of few points is nearly as fast as a box, and tighter. At the top it spares most of the descent.
FEW = 12


def tree(primitives):
    """A tree over pairs (volume, corner points that its core lies within the hull of)."""
    def build(items, is_top):
        if len(items) == 1:
            volume, corners = items[0]
            return Node(volume, size(corners, volume.radius), ())
        corners = list(dict.fromkeys(p for _, some in items for p in some))
        radius = max(volume.radius for volume, _ in items)
        is_hull = is_top or len(corners) <= FEW
        volume = Points(corners, radius) if is_hull else Box(corners, radius)
        middles = [[sum(p[k] for p in some) / len(some) for k in (0, 1, 2)] for _, some in items]
        spreads = [max(m[k] for m in middles) - min(m[k] for m in middles) for k in (0, 1, 2)]
        axis = spreads.index(max(spreads))
        order = sorted(range(len(items)), key=lambda i: (middles[i][axis], i))
        half = len(items) // 2
        parts = [[items[i] for i in some] for some in (order[:half], order[half:])]
        return Node(volume, size(corners, radius), tuple(build(part, False) for part in parts))

    def size(corners, radius):
        return radius + 0.5 * max(max(p[k] for p in corners) - min(p[k] for p in corners) for k in (0, 1, 2))

    return build(primitives, True)
