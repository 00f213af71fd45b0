"""Triangle meshes: cleaned, cut into connected parts, and which of them enclose a volume; what is inside.

Vertices are one where their coordinates are. A triangle that is there several times counts once; it bounds something only
if it is there more often one way round than the other. Edges join triangles that bound something, and edges join those that
do not. A part is closed, and solid, if as many of its triangles run every edge one way as the other; a part with an edge
where an odd number meets is an open surface; one whose triangles bound nothing is a double-sided surface.

Inside a mesh is where the winding number of its closed parts is not 0.
"""

from fractions import Fraction
from random import Random

from answers import BadInput, OutsideScope, Refused

SOLID, OPEN, DOUBLE_SIDED = 0, 2, 3
# Thinner than this part of its size, a closed part may enclose nothing: not for us to say.
THIN = 1e-6


class Mesh:
    """A cleaned mesh: vertices, triangles (three indices), the part of each triangle, and for each part what it is."""

    def __init__(self, vertices, triangles, name):
        if not triangles:
            raise BadInput(f"{name}: the mesh is empty")
        self.vertices, triangles = merge(vertices, triangles)
        self.triangles, self.bounds = settle(triangles)
        edges = edges_of(self.triangles, self.bounds)
        self.part_of = parts_of(edges, len(self.triangles))
        self.kinds = self.kinds_of(edges, name)

    def kinds_of(self, edges, name):
        kinds = [DOUBLE_SIDED] * (1 + max(self.part_of))
        is_unbalanced = set()
        for (bounds, _, _), sides in edges.items():
            part = self.part_of[sides[0][0]]
            if not bounds:
                continue
            if len(sides) % 2 == 1:
                kinds[part] = OPEN
            elif kinds[part] != OPEN:
                kinds[part] = SOLID
                if 2 * sum(forward for _, forward in sides) != len(sides):
                    is_unbalanced.add(part)
        if any(kinds[part] == SOLID for part in is_unbalanced):
            raise OutsideScope(f"{name}: a closed part whose triangles do not agree on an orientation")
        if any(self.is_thin(part) for part, kind in enumerate(kinds) if kind == SOLID):
            raise OutsideScope(f"{name}: a closed part that encloses next to nothing")
        return kinds

    def is_thin(self, part):
        """Whether a closed part has next to no volume for its area and size; written so that NaN is thin."""
        own = [t for t, p in zip(self.triangles, self.part_of) if p == part]
        ox, oy, oz = self.vertices[own[0][0]]
        volume = area = size = 0.0
        for triangle in own:
            (px, py, pz), (qx, qy, qz), (rx, ry, rz) = (
                (x - ox, y - oy, z - oz) for x, y, z in (self.vertices[v] for v in triangle))
            ux, uy, uz, vx, vy, vz = qx - px, qy - py, qz - pz, rx - px, ry - py, rz - pz
            nx, ny, nz = uy * vz - vy * uz, uz * vx - vz * ux, ux * vy - vx * uy
            volume += px * nx + py * ny + pz * nz
            area += (nx * nx + ny * ny + nz * nz) ** 0.5
            size = max(size, *(abs(c) for c in (px, py, pz, qx, qy, qz, rx, ry, rz)))
        return not abs(volume) / 6.0 > THIN * (0.5 * area) * size

    def has_solid(self):
        return SOLID in self.kinds

    def samples(self):
        """The number of one vertex of each part."""
        first = {}
        for triangle, part in zip(self.triangles, self.part_of):
            first.setdefault(part, triangle[0])
        return list(first.values())


def merge(vertices, triangles):
    """One number for equal coordinates (−0 is 0), in the order of their first use."""
    numbers, merged, renamed = {}, [], []
    for triangle in triangles:
        for v in triangle:
            p = tuple(c + 0.0 for c in vertices[v])
            if p not in numbers:
                numbers[p] = len(merged)
                merged.append(p)
        renamed.append(tuple(numbers[tuple(c + 0.0 for c in vertices[v])] for v in triangle))
    return merged, renamed


def settle(triangles):
    """Each triangle once, turned the way that it is there more often; and whether it bounds anything. Triangles without
    area stay, behind the others, unless an edge of another covers them."""
    net, flat = {}, []
    for a, b, c in triangles:
        if a == b or b == c or c == a:
            flat.append((min(a, b, c), max(a, b, c)))
            continue
        x, y, z = key = tuple(sorted((a, b, c)))
        net[key] = net.get(key, 0) + (1 if (a, b, c) in (key, (y, z, x), (z, x, y)) else -1)
    kept = [(a, c, b) if count < 0 else (a, b, c) for (a, b, c), count in net.items()]
    bounds = [count != 0 for count in net.values()]
    covered = {(min(u, v), max(u, v)) for a, b, c in kept for u, v in ((a, b), (b, c), (c, a), (a, a), (b, b), (c, c))}
    for low, high in flat:
        if (low, high) not in covered:
            covered.add((low, high))
            kept.append((low, high, high))
            bounds.append(False)
    return kept, bounds


def edges_of(triangles, bounds):
    """For every edge (and whether its triangles bound anything) the triangles at it, and whether they run it upwards."""
    edges = {}
    for number, (a, b, c) in enumerate(triangles):
        for u, v in ((a, b), (b, c), (c, a)):
            edges.setdefault((bounds[number], min(u, v), max(u, v)), []).append((number, u < v))
    return edges


def parts_of(edges, count):
    """The number of each triangle's part, parts numbered in the order of their first triangle."""
    leader = list(range(count))

    def find(i):
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    for sides in edges.values():
        for other, _ in sides[1:]:
            a, b = find(sides[0][0]), find(other)
            leader[max(a, b)] = min(a, b)
    numbers = {}
    return [numbers.setdefault(find(i), len(numbers)) for i in range(count)]


def winding(vertices, mesh, p):
    """The winding number about p of the closed parts of a mesh, with these vertices; `None` where the ray from p along x
    meets an edge or a corner. Exact: the signs are those of rational numbers."""
    x, y, z = p
    total = 0
    for triangle, part in zip(mesh.triangles, mesh.part_of):
        if mesh.kinds[part] != SOLID:
            continue
        a, b, c = (vertices[v] for v in triangle)
        if (a[0] < x and b[0] < x and c[0] < x
                or a[1] < y and b[1] < y and c[1] < y or a[1] > y and b[1] > y and c[1] > y
                or a[2] < z and b[2] < z and c[2] < z or a[2] > z and b[2] > z and c[2] > z):
            continue
        a, b, c = (tuple(Fraction(s) - Fraction(o) for s, o in zip(corner, p)) for corner in (a, b, c))
        turns = [u[1] * v[2] - v[1] * u[2] for u, v in ((a, b), (b, c), (c, a))]
        if 0 in turns:
            return None
        if len({turn > 0 for turn in turns}) == 2:
            continue
        # The ray's line crosses the triangle; its normal's x component is the sum of the turns, and the crossing is where
        # n·(s, 0, 0) = n·a.
        ux, uy, uz, vx, vy, vz = (q[k] - a[k] for q in (b, c) for k in (0, 1, 2))
        n = (uy * vz - vy * uz, uz * vx - vz * ux, ux * vy - vx * uy)
        ahead = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) * n[0]
        if ahead == 0:
            return None
        if ahead > 0:
            total += 1 if n[0] > 0 else -1
    return total


def require_outside(points, meshes, room):
    """Refuses points that are inside a mesh: pairs (vertices, mesh) in the points' frame.

    All surfaces are known to be farther from the points than three quarters of `room`, of which a sixteenth is enough for
    what floats lost (apart.py): a point may be moved by an eighth, and vertices to where they really are, and no surface
    passes it. So the winding number does not change, and a ray that meets an edge can be avoided.
    """
    random = Random(1)
    for point in points:
        for vertices, mesh in meshes:
            found = winding(vertices, mesh, point)
            for _ in range(100):
                if found is not None:
                    break
                moved = tuple(c + random.uniform(-0.07, 0.07) * room for c in point)
                found = winding(vertices, mesh, moved)
            if found != 0:
                raise Refused("one is inside the other at the first configuration")
