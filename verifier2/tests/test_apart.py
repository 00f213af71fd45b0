"""Gaps against sampled points and rational arithmetic; whole proofs against distances that are known in closed form."""

import math
import unittest
from fractions import Fraction
from itertools import product
from unittest import mock

import support
from support import Folder, direction, refusal, seeded, times
import apart
import fixed
from bodies import Solid, primitive
from nearest import gap_along, separate
from scene import Part
from test_motion import Case, Joint, Z, random_case
from volumes import Box, Points, tree

NOWHERE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def random_pose(source, reach=1.0):
    return fixed.of_xyz_rpy([source.uniform(-reach, reach) for _ in range(3)], [source.uniform(-3, 3) for _ in range(3)])


def random_part(source):
    kind = source.choice(["box", "sphere", "cylinder", "capsule"])
    sizes = tuple(source.uniform(0.05, 0.8) for _ in range({"box": 3, "sphere": 1}.get(kind, 2)))
    return Part((0.0,) * 3, None, kind, sizes)


def sample(part, source):
    """A point of a shape, often on its rim, in its own frame."""
    sizes, u = part.sizes, direction(source)
    if part.kind == "box":
        return [0.5 * s * source.choice([-1.0, 1.0, source.uniform(-1, 1)]) for s in sizes]
    if part.kind == "sphere":
        return [sizes[0] * c for c in u]
    angle, z = source.uniform(0, 2 * math.pi), 0.5 * sizes[1] * source.choice([-1.0, 1.0, source.uniform(-1, 1)])
    if part.kind == "cylinder":
        return [sizes[0] * math.cos(angle), sizes[0] * math.sin(angle), z]
    return [sizes[0] * u[0], sizes[0] * u[1], sizes[0] * u[2] + z]


def moved(pose, p):
    return tuple(sum(pose[3 * i + k] * p[k] for k in range(3)) + pose[9 + i] for i in range(3))


class Gaps(unittest.TestCase):
    def test_no_point_is_farther_than_the_farthest(self):
        source, used = seeded(21), 0.0
        for _ in range(times(200)):
            part, pose = random_part(source), random_pose(source)
            volume, corners = primitive(part, pose)
            box, n = Box(corners, volume.radius), direction(source)
            for _ in range(20):
                p = moved(pose.floats(), sample(part, source))
                along = sum(a * b for a, b in zip(n, p))
                for hold, radius in ((volume, volume.radius), (box, 0.0)):
                    self.assertLess(along, hold.farthest(*n)[0] + radius + 1e-14, part)
            # Towards the farthest point the value is that of the point.
            value, at = volume.farthest(*n)
            self.assertAlmostEqual(value, sum(a * b for a, b in zip(n, at)), 13)
            used = max(used, value - box.farthest(*n)[0] + volume.radius)
        self.assertLess(used, 1e-14)

    def test_no_gap_exceeds_the_distance_of_two_points(self):
        source = seeded(22)
        for _ in range(times(200)):
            parts = [random_part(source) for _ in range(2)]
            poses = [random_pose(source, 0.7) for _ in range(2)]
            a, b = (primitive(part, fixed.IDENTITY)[0] for part in parts)
            relative = [poses[0].inverse().after(pose).floats() for pose in (poses[1], random_pose(source, 0.7))]
            gap, n, most = separate(a, b, relative, source.uniform(0.0, 0.5), (1.0, 0.0, 0.0))
            self.assertAlmostEqual(math.hypot(*n), 1.0, 14)
            self.assertLess(gap, most + 1e-12)
            for pose in relative:
                for _ in range(20):
                    p, q = sample(parts[0], source), moved(pose, sample(parts[1], source))
                    self.assertLess(gap, math.dist(p, q) + 1e-13)

    def test_the_search_finds_the_distance_of_points_boxes_and_hulls(self):
        source = seeded(23)
        for _ in range(times(200)):
            sides, place = [source.uniform(0.1, 1.0) for _ in range(3)], [source.uniform(-2, 2) for _ in range(3)]
            box = Points([tuple(0.5 * s * c for s, c in zip(sides, signs)) for signs in product((-1, 1), repeat=3)])
            distance = math.hypot(*(max(abs(c) - 0.5 * s, 0.0) for c, s in zip(place, sides)))
            gap, _, _ = separate(box, Points([tuple(place)]), [NOWHERE], 0.999 * distance, (0.0, 1.0, 0.0))
            self.assertLess(gap, distance + 1e-12)
            self.assertTrue(distance < 1e-3 or gap > 0.999 * distance)
            gap, _, most = separate(box, Points([tuple(place)]), [NOWHERE], 1.001 * distance, (0.0, 1.0, 0.0))
            self.assertTrue(gap <= distance + 1e-12 and most >= distance - 1e-12)

    def test_a_node_holds_all_primitives_below_it(self):
        source = seeded(24)
        for _ in range(times(20)):
            parts = [primitive(random_part(source), random_pose(source, 2.0)) for _ in range(source.randint(1, 30))]
            pending = [(tree(parts), [])]
            while pending:
                node, above = pending.pop()
                pending += [(child, above + [node]) for child in node.children]
                for outer in above if not node.children else []:
                    n = direction(source)
                    held, held_in = (v.farthest(*n)[0] + v.radius for v in (node.volume, outer.volume))
                    self.assertLess(held, held_in + 1e-14)

    def test_what_floats_lose_is_a_small_part_of_the_room(self):
        source, worst = seeded(25), 0.0
        for _ in range(times(150)):
            far = 10.0 ** source.randint(-1, 6)
            corners = [[tuple(source.uniform(-1, 1) * far * 10.0 ** -source.randint(0, 3) for _ in range(3))
                        for _ in range(4)] for _ in range(2)]
            exact = random_pose(source, far)
            pose, n = exact.floats(), direction(source)
            gap, _ = gap_along(n, *map(Points, corners), [pose])
            rows = [[Fraction(exact.rotation[3 * i + k], fixed.ONE) for k in range(3)] for i in range(3)]
            place = [Fraction(c, fixed.ONE) for c in exact.translation]
            normal = list(map(Fraction, n))
            true = min(
                sum(m * (sum(r * Fraction(c) for r, c in zip(row, q)) + t - Fraction(p))
                    for m, row, t, p in zip(normal, rows, place, a)) for a in corners[0] for q in corners[1])
            length = math.hypot(*n)
            extents = [max(math.hypot(*p) for p in some) for some in corners]
            room = 2.0**-44 * (1.0 + sum(extents) + math.hypot(*pose[9:]))
            worst = max(worst, (gap - float(true) / length) / room)
        self.assertLess(worst, 1.0 / 16.0)
        self.assertGreater(worst, 1e-4)


SLIDE = """<robot name="r"><link name="base"/>
<link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="ball"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9"/></joint></robot>"""
ARM = """<robot name="r"><link name="base"/>
<link name="arm"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="x" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 2"/></joint></robot>"""
CELL = "robots = [{ name = \"r\", urdf = \"r.urdf\" }]\n[[obstacles]]\nname = \"wall\"\n"


class ClosedForms(unittest.TestCase):
    def scene(self, urdf, obstacle):
        return Folder(self, r__urdf=urdf, cell__toml=CELL + obstacle).scene()

    def nearly(self, scene, path, distance, spare=1e-7):
        """A path is shown with a little less clearance than there is, and not with a little more."""
        self.assertIsNone(refusal(scene, path, distance - spare))
        for more in (spare, 1e-9, 1e-3):
            self.assertIn("not shown", refusal(scene, path, distance + more))

    def test_a_ball_that_slides_towards_a_box_a_plane_a_cylinder_and_a_capsule(self):
        for obstacle, face in (("box = [0.1, 2, 2]\nxyz = [1, 0, 0]", 0.95), ("plane = [-2, 0, 0]\nxyz = [1, 5, 0]", 1.0),
                               ("cylinder = [0.2, 3]\nxyz = [1, 0, 0]", 0.8), ("capsule = [0.2, 3]\nxyz = [1, 0, 0]", 0.8),
                               ("cylinder = [1.5, 0.2]\nxyz = [1, 0, 0]\nrpy = [0, 1.5707963267948966, 0]", 0.9)):
            scene = self.scene(SLIDE, obstacle)
            for goal in (0.5, 0.69):
                self.nearly(scene, [[-0.3], [goal]], face - 0.1 - goal)
                self.nearly(scene, [[goal], [0.0], [-2.0]], face - 0.1 - goal)
            self.assertIn("not shown", refusal(scene, [[-0.3], [face]]))

    def test_a_ball_that_passes_another_on_a_circle(self):
        for angle, radius in ((0.4, 0.3), (1.3, 0.9), (2.0, 0.05)):
            x, y = (1.2 + radius) * math.cos(angle), (1.2 + radius) * math.sin(angle)
            scene = self.scene(ARM, f"sphere = {radius}\nxyz = [{x!r}, {y!r}, 0]")
            self.nearly(scene, [[-0.7], [2.9]], 0.15)
            self.nearly(scene, [[2.9], [-0.7], [0.1]], 0.15)
        # At the end of a turn it would be met going round, and not going straight.
        scene = self.scene(ARM, "sphere = 0.05\nxyz = [0, 1, 0]")
        self.assertIn("not shown", refusal(scene, [[-math.pi / 2], [math.pi / 2]]))

    def test_a_ball_that_turns_in_place_near_a_wall(self):
        """300 rad at 2 mm, 6 rad at 2 µm: accepted, though no chord sees that it goes nowhere."""
        urdf = ARM.replace("<origin xyz=\"1 0 0\"/>", "")
        for turn, gap in ((6.0, 2e-6), (300.0, 2e-3)):
            scene = self.scene(urdf, f"box = [1, 1, 1]\nxyz = [0, 0, {0.55 + gap!r}]")
            self.assertIsNone(refusal(scene, [[0.0], [turn]]))
            self.assertIn("not shown", refusal(scene, [[0.0], [turn]], gap + 1e-9))

    def test_a_configuration_alone_is_shown(self):
        scene = self.scene(SLIDE, "box = [0.1, 2, 2]\nxyz = [1, 0, 0]")
        self.nearly(scene, [[0.5]], 0.35)

    def test_far_from_the_origin_little_is_lost(self):
        scene = self.scene(SLIDE.replace("-9", "-9000000").replace('"9"', '"9000000"'), "box = [0.1, 2, 2]\nxyz = [100001, 0, 0]")
        self.nearly(scene, [[100000.0], [100000.5]], 0.35, 1e-6)


class Spheres(unittest.TestCase):
    """Chains of random joints that carry a ball past another: the true distance is known at every sample."""

    def shown(self, case, clearance):
        pair = apart.Pair(self.ball(case.first, (0.0, 0.0, 0.0), 0.1), self.ball(case.second, case.ball[0], 0.2),
                          clearance, case.chain)
        try:
            pair.show(case.segment, lambda: None)
        except apart.Refused:
            return False
        return True

    @staticmethod
    def ball(frame, centre, radius):
        solid = Solid.__new__(Solid)
        solid.frame, solid.extent = frame, math.hypot(*centre) + radius
        solid.ball, solid.tree = (centre, radius, solid.extent, frame), tree([(Points([centre], radius), [centre])])
        return solid

    def test_the_least_sampled_distance_is_never_exceeded_and_nearly_shown(self):
        source, shown = seeded(26), 0
        for number in range(times(60)):
            case = random_case(source)
            distances = [math.dist(case.place(k / 512, case.ball[0]), (0.0, 0.0, 0.0)) - 0.3 for k in range(513)]
            least = min(distances)
            if least < 0.01:
                continue
            shown += 1
            self.assertFalse(self.shown(case, least + 1e-9), f"case {number}")
            speed = sum(case.segment.speeds(case.chain, case.ball, (0.0, 1.0)))
            self.assertTrue(self.shown(case, least - speed / 1024 - 1e-6), f"case {number}")
        self.assertGreater(shown, times(20))

    def test_bounds_that_are_halved_accept_what_is_not_so(self):
        """The ends of a turn are 2 cm farther from the other ball than its middle: without the bend, one cell is enough."""
        case = Case([Joint(0, "turn", Z)], 0, 1, ([-0.2], [0.2]), (0.0, 1.0), (1.0, 0.0, 0.0))
        other = self.ball(0, (2.0, 0.0, 0.0), 0.1)
        pair = apart.Pair(other, self.ball(1, (1.0, 0.0, 0.0), 0.2), 0.705, case.chain)
        with self.assertRaises(apart.Refused):
            pair.show(case.segment, lambda: None)
        bend = type(case.segment).bend
        with mock.patch.object(type(case.segment), "bend", lambda *arguments: 0.5 * bend(*arguments)):
            pair.show(case.segment, lambda: None)


if __name__ == "__main__":
    unittest.main()
