"""Bends and speeds against sampled motions, by kinematics of the tests' own; and closed forms, in which nothing is spare."""

import math
import unittest
from unittest import mock

import support
from support import direction, seeded, times
import fixed
import motion
from motion import Chain, Frame, Segment

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STEPS = 16


class Joint:
    """A joint of the tests: parent frame, offset and tilt of its frame, kind, axis, variable, multiplier and offset."""

    def __init__(self, parent, kind, axis, offset=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0), source=None):
        self.parent, self.kind, self.axis, self.offset, self.rpy, self.source = parent, kind, axis, offset, rpy, source


def frames(joints):
    found, variable = [Frame(0, fixed.IDENTITY, "fixed", (), None)], 0
    for joint in joints:
        pose = fixed.of_xyz_rpy(joint.offset, joint.rpy)
        axes = (fixed.unit_vector(joint.axis),)
        if joint.kind == "planar":
            axes += (tuple(fixed.of_float(c) for c in X), tuple(fixed.of_float(c) for c in Y))
        joint.source = joint.source or (variable, 1.0, 0.0)
        if joint.source[1:] == (1.0, 0.0):
            variable += 3 if joint.kind == "planar" else 1
        found.append(Frame(joint.parent, pose, joint.kind, axes, joint.source))
    return found, variable


def rodrigues(axis, angle, p):
    s, c = math.sin(angle), math.cos(angle)
    d = sum(a * x for a, x in zip(axis, p)) * (1.0 - c)
    cross = [axis[1] * p[2] - axis[2] * p[1], axis[2] * p[0] - axis[0] * p[2], axis[0] * p[1] - axis[1] * p[0]]
    return [x * c + w * s + a * d for x, w, a in zip(p, cross, axis)]


def forward(joints, q, frame, p):
    """A point of a frame in the world."""
    while frame:
        joint = joints[frame - 1]
        variable, multiplier, offset = joint.source
        value = multiplier * q[variable] + offset
        if joint.kind == "turn":
            p = rodrigues(joint.axis, value, p)
        elif joint.kind == "slide":
            p = [x + a * value for x, a in zip(p, joint.axis)]
        else:
            p = rodrigues(Z, q[variable + 2], p)
            p = [p[0] + q[variable], p[1] + q[variable + 1], p[2]]
        for axis, angle in zip((X, Y, Z), joint.rpy):
            p = rodrigues(axis, angle, p)
        p = [x + o for x, o in zip(p, joint.offset)]
        frame = joint.parent
    return p


def backward(joints, q, frame, p):
    """A point of the world in a frame."""
    o, *axes = (forward(joints, q, frame, e) for e in ((0.0,) * 3, X, Y, Z))
    return [sum((x - c) * (a - c) for x, a, c in zip(p, axis, o)) for axis in axes]


class Case:
    """Two frames of some joints, a ball of points in the second, a segment and a cell of it."""

    def __init__(self, joints, first, second, ends, cell, centre=(0.0, 0.0, 0.0), radius=0.0):
        self.joints, self.first, self.second, self.ends, self.cell = joints, first, second, ends, cell
        self.frames, _ = frames(joints)
        self.segment = Segment(self.frames, *ends)
        self.chain = Chain(self.frames, first, second)
        extent = math.hypot(*centre) + radius
        self.ball = (centre, radius, extent, second)
        self.speeds = self.segment.speeds(self.chain, self.ball, cell)
        self.bend = self.segment.bend(self.chain, self.speeds, cell[1] - cell[0])
        self.travel = sum(self.speeds) * (cell[1] - cell[0])

    def place(self, t, p):
        q = [(1.0 - t) * a + t * b for a, b in zip(*self.ends)]
        return backward(self.joints, q, self.first, forward(self.joints, q, self.second, p))

    def shares(self, points):
        """How much of bend and travel points use up at most."""
        t0, t1 = self.cell
        bend = travel = 0.0
        for p in points:
            a, b = self.place(t0, p), self.place(t1, p)
            for k in range(1, STEPS + 1):
                u = k / STEPS
                x = self.place(t0 + u * (t1 - t0), p)
                chord = [(1.0 - u) * c + u * d for c, d in zip(a, b)]
                bend, travel = max(bend, math.dist(x, chord)), max(travel, math.dist(x, a))
        return (bend - 1e-13) / max(self.bend, 1e-300), (travel - 1e-13) / max(self.travel, 1e-300)


def closed_forms():
    """Cases in which some point bends, or goes, nearly as far as the bound says."""
    small = (0.0, 1.0 / 64.0)
    tip = (0.7, 0.0, 0.0)
    start = [0.0, 0.0, 0.0]
    # A turn: ρ w² h²/8.
    yield Case([Joint(0, "turn", Z)], 0, 1, ([0.0], [3.0]), small, tip)
    # Seen from the frame that turns.
    yield Case([Joint(0, "turn", Z), Joint(0, "slide", X)], 1, 2, ([0.0, 0.7], [3.0, 0.7]), small)
    # An elbow, stretched: the second turn is carried by the first.
    yield Case([Joint(0, "turn", Z), Joint(1, "turn", Z, tip)], 0, 2, ([-0.02, -0.02], [1.98, 1.98]), small, tip)
    # A slide on a turn: 2 w v.
    yield Case([Joint(0, "turn", Z), Joint(1, "slide", X)], 0, 2, ([0.0, 0.0], [2.0, 3.0]), small)
    # The same in one joint, seen from outside and from within.
    yield Case([Joint(0, "turn", Z), Joint(1, "planar", Z)], 0, 2, ([0.0] * 4, [2.0, 3.0, 0.0, 0.0]), small)
    yield Case([Joint(0, "planar", Z), Joint(0, "slide", X)], 1, 2, (start + [0.0], [0.0, 3.0, 2.0, 0.0]), small)
    # A mimic joint that turns twice as fast, about the same axis.
    mimic = Joint(1, "turn", Z, source=(0, 2.0, 0.1))
    yield Case([Joint(0, "turn", Z), mimic], 0, 2, ([0.0], [1.0]), small, tip)


def random_joint(source, number):
    kind = source.choice(["turn", "turn", "turn", "slide", "planar"])
    axis = Z if kind == "planar" else source.choice([X, Y, Z, direction(source)])
    offset = [source.uniform(-0.5, 0.5) for _ in range(3)]
    rpy = [source.choice([0.0, source.uniform(-3.0, 3.0)]) for _ in range(3)]
    return Joint(source.randrange(max(number - 1, 0), number + 1), kind, axis, offset, rpy)


def random_case(source):
    joints = [random_joint(source, number) for number in range(source.randint(1, 5))]
    if joints[0].kind != "planar" and source.random() < 0.3:
        multiplier = source.uniform(-2.0, 2.0)
        joints.append(Joint(len(joints), source.choice(["turn", "slide"]), direction(source), source=(0, multiplier, 0.3)))
    _, variables = frames(joints)
    most = source.choice([0.3, 2.0, 6.0])
    start = [source.uniform(-2.0, 2.0) for _ in range(variables)]
    ends = (start, [a + source.choice([0.0, source.uniform(-most, most)]) for a in start])
    length = 2.0 ** -source.randrange(6)
    t0 = source.randrange(int(1.0 / length)) * length
    first, second = source.sample(range(len(joints) + 1), 2)
    centre = tuple(source.uniform(-0.5, 0.5) for _ in range(3))
    return Case(joints, first, second, ends, (t0, t0 + length), centre, source.choice([0.0, 0.3]))


def points(case, source):
    centre, radius, _, _ = case.ball
    return [tuple(c + radius * d for c, d in zip(centre, direction(source))) for _ in range(3)]


class Motion(unittest.TestCase):
    def test_poses_are_those_of_other_kinematics(self):
        source = seeded(11)
        for _ in range(times(100)):
            case, p = random_case(source), [source.uniform(-0.5, 0.5) for _ in range(3)]
            t = source.choice(case.cell)
            m = case.segment.relative(case.first, case.second, t)
            found = [sum(m[3 * i + k] * p[k] for k in range(3)) + m[9 + i] for i in range(3)]
            self.assertLess(math.dist(found, case.place(t, p)), 1e-12)

    def test_closed_forms_use_the_bounds_up(self):
        for number, case in enumerate(closed_forms()):
            bend, travel = case.shares([case.ball[0]])
            self.assertLess(max(bend, travel), 1.0, number)
            self.assertGreater(bend, 0.9, number)
            self.assertGreater(travel, 0.9, number)

    def test_no_point_bends_or_goes_farther_than_its_bounds(self):
        source, used = seeded(12), [0.0, 0.0]
        for number in range(times(800)):
            case = random_case(source)
            shares = case.shares(points(case, source))
            self.assertLess(max(shares), 1.0, f"case {number}")
            used = [max(a, b) for a, b in zip(used, shares)]
        self.assertGreater(min(used), 0.5)

    def test_no_screw_moves_a_point_faster_than_its_speed(self):
        """The rate of a turn times the distance from its axis, at every sampled time of the cell."""
        source = seeded(13)
        # Stretched in the middle of the cell, bent at its ends: the distance from the first axis grows in between.
        elbow = [Joint(0, "turn", Z), Joint(1, "turn", Z, (5.0, 0.0, 0.0))]
        cases = [Case(elbow, 0, 2, ([0.0, -2.33], [1.0, 2.33]), (0.0, 1.0), X)]
        cases += [Case(elbow, 1, 0, ([0.0, -2.33], [1.0, 2.33]), (0.0, 1.0), X)]
        for case in cases + [random_case(source) for _ in range(times(150))]:
            for screw, speed in zip(case.chain.screws, case.speeds):
                for p in points(case, source) if screw.is_turn else []:
                    for k in range(9):
                        t = case.cell[0] + (case.cell[1] - case.cell[0]) * k / 8
                        rate = case.segment.rates[screw.frame, screw.part]
                        self.assertLess(rate * self.from_axis(case, screw, p, t), speed + 1e-12)

    @staticmethod
    def from_axis(case, screw, p, t):
        q = [(1.0 - t) * a + t * b for a, b in zip(*case.ends)]
        axis = case.joints[screw.frame - 1].axis
        o, a, x = (forward(case.joints, q, *of) for of in (
            (screw.frame, (0.0,) * 3), (screw.frame, axis), (case.second, p)))
        axis, d = [c - b for c, b in zip(a, o)], [c - b for c, b in zip(x, o)]
        along = sum(c * b for c, b in zip(axis, d))
        return math.dist(d, [along * c for c in axis])

    def test_a_bound_that_is_halved_is_noticed(self):
        """Each term of the bend by itself, halved, is too small for one of the closed forms."""
        def halved_speeds(self, *arguments):
            return [0.5 * speed for speed in speeds(self, *arguments)]

        def bend(own, carried):
            def halved(self, chain, speeds, length):
                total = turning = 0.0
                for screw, speed in zip(chain.screws, speeds):
                    rate = self.rates[screw.frame, screw.part] if screw.is_turn else 0.0
                    total += speed * (own * rate + carried * turning)
                    turning += rate
                return 0.125 * length * length * total
            return halved

        speeds = Segment.speeds
        for name, broken in (("speeds", halved_speeds), ("bend", bend(0.5, 2.0)), ("bend", bend(1.0, 1.0))):
            with mock.patch.object(motion.Segment, name, broken):
                self.assertGreater(max(share for case in closed_forms() for share in case.shares([case.ball[0]])), 1.0)


if __name__ == "__main__":
    unittest.main()
