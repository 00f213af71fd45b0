"""Directions along which two convex volumes may be apart: Gilbert, Johnson and Keerthi's search.

Nothing is believed of what it finds but one line: for any direction n of length 1, the least of n·(b − a) over both volumes
is no more than their distance. That line is evaluated for every direction that is tried, and `gap` is the largest of them.

The second volume may be in several places at once (`poses`, in the frame of the first): the search then goes through the
hull of all differences b − a, and the gap is the least over the places along one and the same n.
"""

from math import sqrt

# A search ends where the gap is this near to the distance, as a part of it, or after so many steps.
NEAR = 1e-4
STEPS = 40


def gap_along(n, a, b, poses):
    """The least n·(b − a) over all poses, along a unit vector n, and the difference b − a of cores that attains it."""
    nx, ny, nz = n
    of_a, (ax, ay, az) = a.farthest(nx, ny, nz)
    least, difference = float("inf"), None
    for r00, r01, r02, r10, r11, r12, r20, r21, r22, px, py, pz in poses:
        # −n in the second volume's frame.
        gx = -(r00 * nx + r10 * ny + r20 * nz)
        gy = -(r01 * nx + r11 * ny + r21 * nz)
        gz = -(r02 * nx + r12 * ny + r22 * nz)
        of_b, (bx, by, bz) = b.farthest(gx, gy, gz)
        gap = nx * px + ny * py + nz * pz - of_b - of_a
        # Written so that NaN becomes the least and stays it.
        if least == least and not gap >= least:
            least = gap
            difference = (
                r00 * bx + r01 * by + r02 * bz + px - ax,
                r10 * bx + r11 * by + r12 * bz + py - ay,
                r20 * bx + r21 * by + r22 * bz + pz - az,
            )
    return least - a.radius - b.radius, difference


def separate(a, b, poses, need, n):
    """Looks for a direction along which the gap exceeds `need`, starting with n.

    Returns the gap along the last direction tried, that direction, and about how far apart the volumes can be at most.
    """
    radii = a.radius + b.radius
    gap, w = gap_along(n, a, b, poses)
    simplex = [w]
    v, best, at = w, gap, n
    for _ in range(STEPS):
        if best > need:
            break
        length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if not length > 1e-12 or length - radii <= need:
            return best, at, max(length - radii, 0.0)
        n = (v[0] / length, v[1] / length, v[2] / length)
        gap, w = gap_along(n, a, b, poses)
        if gap > best:
            best, at = gap, n
        if best > need:
            break
        if length - radii - best <= NEAR * length or w in simplex:
            return best, at, length - radii
        simplex.append(w)
        v, simplex = nearest_to_origin(simplex)
    return best, at, max(best, 0.0)


def nearest_to_origin(points):
    """The point of the hull of one to four points that is nearest to the origin, and those points that it is between."""
    if len(points) == 1:
        return points[0], points
    if len(points) == 2:
        return _on_segment(*points)
    if len(points) == 3:
        return _on_triangle(*points)
    return _in_tetrahedron(*points)


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _on_segment(a, b):
    ab = _minus(b, a)
    along, square = -_dot(a, ab), _dot(ab, ab)
    if along <= 0.0 or square == 0.0:
        return a, [a]
    if along >= square:
        return b, [b]
    t = along / square
    return (a[0] + t * ab[0], a[1] + t * ab[1], a[2] + t * ab[2]), [a, b]


def _on_triangle(a, b, c):
    normal = _cross(_minus(b, a), _minus(c, a))
    square = _dot(normal, normal)
    if square > 0.0 and all(_dot(_cross(q_minus_p, p), normal) <= 0.0 for p, q_minus_p in (
            (a, _minus(b, a)), (b, _minus(c, b)), (c, _minus(a, c)))):
        t = _dot(a, normal) / square
        return (t * normal[0], t * normal[1], t * normal[2]), [a, b, c]
    return _nearest(_on_segment(a, b), _on_segment(b, c), _on_segment(c, a))


def _in_tetrahedron(a, b, c, d):
    found = []
    for p, q, r, s in ((a, b, c, d), (a, b, d, c), (a, c, d, b), (b, c, d, a)):
        normal = _cross(_minus(q, p), _minus(r, p))
        # The origin is on the other side of the face than the fourth corner, or the tetrahedron is flat.
        if _dot(normal, p) * _dot(normal, _minus(s, p)) >= 0.0:
            found.append(_on_triangle(p, q, r))
    return _nearest(*found) if found else ((0.0, 0.0, 0.0), [a, b, c, d])


def _nearest(*found):
    return min(found, key=lambda one: _dot(one[0], one[0]))
