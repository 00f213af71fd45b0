"""What of a mesh is solid, and what is inside: shells, cavities, overlaps, surfaces; and points beside a random solid."""

import math
import unittest

import support
from support import direction, seeded, times
from answers import OutsideScope, Refused
from solids import DOUBLE_SIDED, OPEN, SOLID, Mesh, require_outside, winding

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CUBE = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]


def cubes(*cells):
    """Cubes as one mesh: a place, a size, and whether it is inside out."""
    vertices, triangles = [], []
    for place, size, is_reversed in cells:
        first = len(vertices)
        vertices += [tuple(p + size * c for p, c in zip(place, corner)) for corner in CORNERS]
        for triangle in CUBE:
            a, b, c = (first + v for v in triangle)
            triangles.append((a, c, b) if is_reversed else (a, b, c))
    return vertices, triangles


def mesh(vertices, triangles):
    return Mesh([tuple(map(float, p)) for p in vertices], triangles, "a mesh")


class Solids(unittest.TestCase):
    def test_parts_are_solid_open_or_double_sided(self):
        vertices, triangles = cubes(((0, 0, 0), 1, False), ((5, 0, 0), 1, True))
        self.assertEqual(mesh(vertices, triangles).kinds, [SOLID, SOLID])
        self.assertEqual(mesh(vertices, triangles[1:]).kinds, [OPEN, SOLID])
        both = triangles + [(a, c, b) for a, b, c in triangles[:12]]
        self.assertEqual(mesh(vertices, both).kinds[:1], [DOUBLE_SIDED])
        # Repeated triangles count once.
        twice = mesh(vertices, triangles + triangles[:5])
        self.assertEqual((twice.kinds, len(twice.triangles)), ([SOLID, SOLID], 24))

    def test_vertices_are_one_where_their_coordinates_are(self):
        vertices, triangles = cubes(((0, 0, 0), 1, False))
        soup = [vertices[v] for t in triangles for v in t]
        soup = [tuple(-0.0 if c == 0 else float(c) for c in p) for p in soup]
        found = mesh(soup, [(3 * i, 3 * i + 1, 3 * i + 2) for i in range(12)])
        self.assertEqual((len(found.vertices), found.kinds), (8, [SOLID]))
        apart = [(c[0] + 1e-12 * (i == 0), c[1], c[2]) for i, c in enumerate(soup)]
        self.assertIn(OPEN, mesh(apart, [(3 * i, 3 * i + 1, 3 * i + 2) for i in range(12)]).kinds)

    def test_triangles_without_area_stay_unless_an_edge_covers_them(self):
        vertices, triangles = cubes(((0, 0, 0), 1, False))
        self.assertEqual(len(mesh(vertices, triangles + [(0, 1, 1), (2, 2, 2)]).triangles), 12)
        kept = mesh(vertices + [(9, 9, 9)], triangles + [(0, 8, 8), (8, 0, 0)])
        self.assertEqual((len(kept.triangles), kept.kinds), (13, [SOLID, DOUBLE_SIDED]))

    def test_closed_parts_of_which_this_verifier_cannot_tell_are_outside_the_scope(self):
        vertices, triangles = cubes(((0, 0, 0), 1, False))
        a, b, c = triangles[0]
        with self.assertRaises(OutsideScope):
            mesh(vertices, [(a, c, b)] + triangles[1:])
        folded = [(0, 1, 2), (0, 2, 3), (1, 0, 3), (2, 1, 3)]
        with self.assertRaises(OutsideScope):
            mesh([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 1e-9)], folded)

    def test_shells_unite_and_reversed_inner_ones_are_cavities(self):
        cavity = mesh(*cubes(((0, 0, 0), 3, False), ((1, 1, 1), 1, True)))
        overlap = mesh(*cubes(((0, 0, 0), 2, False), ((1, 1, 1), 2, False)))
        apart = mesh(*cubes(((0, 0, 0), 1, True), ((2, 0, 0), 1, False)))
        opened = mesh(cubes(((0, 0, 0), 1, False))[0], CUBE[1:])
        cases = [(cavity, (0.5, 0.51, 0.52), 1), (cavity, (1.5, 1.51, 1.52), 0), (cavity, (3.5, 1.51, 1.52), 0),
                 (overlap, (1.5, 1.51, 1.52), 2), (overlap, (0.5, 0.51, 0.52), 1), (overlap, (2.5, 2.51, 2.52), 1),
                 (overlap, (0.5, 2.51, 2.52), 0), (apart, (0.5, 0.51, 0.52), -1), (apart, (2.5, 0.51, 0.52), 1),
                 (apart, (1.5, 0.51, 0.52), 0), (opened, (0.5, 0.51, 0.52), 0), (opened, (-0.5, 0.51, 0.52), 0)]
        for number, (one, p, expected) in enumerate(cases):
            self.assertEqual(winding(one.vertices, one, p), expected, number)

    def test_rays_that_meet_edges_and_corners_are_avoided(self):
        cube = mesh(*cubes(((0, 0, 0), 1, False)))
        for p in ((-1.0, 0.5, 0.5), (-1.0, 0.0, 0.0), (-1.0, 0.25, 0.25), (-1.0, 1.0, 0.5), (2.0, 0.5, 0.5), (-1.0, 0.5, 0.0)):
            require_outside([p], [(cube.vertices, cube)], 1e-9)
        for p in ((0.5, 0.5, 0.5), (0.25, 0.25, 0.25), (0.5, 0.125, 0.875)):
            with self.assertRaises(Refused):
                require_outside([p], [(cube.vertices, cube)], 1e-9)
        # On the surface no ray tells.
        with self.assertRaises(Refused):
            require_outside([(0.0, 0.5, 0.5)], [(cube.vertices, cube)], 0.0)

    def test_winding_numbers_are_those_of_a_ball(self):
        """A ball of triangles, and points a little inside and outside of it: the solid angle decides as well."""
        source, n = seeded(41), 12
        vertices = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
        for i in range(1, n):
            for j in range(2 * n):
                u, v = math.pi * i / n, math.pi * j / n
                vertices.append((math.sin(u) * math.cos(v), math.sin(u) * math.sin(v), math.cos(u)))

        def at(i, j):
            return 0 if i == 0 else 1 if i == n else 2 + (i - 1) * 2 * n + j % (2 * n)

        triangles = [t for i in range(n) for j in range(2 * n)
                     for t in ((at(i, j), at(i + 1, j), at(i + 1, j + 1)), (at(i, j), at(i + 1, j + 1), at(i, j + 1)))
                     if len(set(t)) == 3]
        ball = mesh(vertices, triangles)
        self.assertEqual(ball.kinds, [SOLID])
        for _ in range(times(40)):
            for radius, expected in ((0.95, 1), (1.001, 0)):
                p = tuple(radius * c for c in direction(source))
                self.assertEqual(winding(ball.vertices, ball, p), expected)


if __name__ == "__main__":
    unittest.main()
