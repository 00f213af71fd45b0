"""Fixed point against rational arithmetic: every stated error bound holds, and is not far from what happens."""

import math
import unittest
from fractions import Fraction

import support
from support import direction, seeded, times
import fixed


def exact_sine_cosine(x):
    """Sine and cosine of a rational number below 8 to 1e-60, by Taylor series in rationals."""
    sine, cosine, term = Fraction(0), Fraction(0), Fraction(1)
    for k in range(120):
        if k % 2 == 0:
            cosine += term if k % 4 == 0 else -term
        else:
            sine += term if k % 4 == 1 else -term
        term = Fraction(int(term * x * 10**70 / (k + 1)), 10**70)
    return sine, cosine


def in_units(m):
    return Fraction(m, fixed.ONE)


def matrix_error(pose, rows):
    """The Frobenius norm of the difference, in units: no less than the error in the operator norm."""
    return math.sqrt(sum(float((in_units(m) - x) * fixed.ONE) ** 2 for m, x in zip(pose.rotation, sum(rows, []))))


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


class FixedPoint(unittest.TestCase):
    def test_pi_is_known_to_more_digits_than_are_used(self):
        digits = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214"
        error = Fraction(fixed._HALF_PI * 2, 1 << 256) - Fraction(digits)
        self.assertLess(abs(error), Fraction(1 << 14, 1 << 256))

    def test_sine_and_cosine_are_within_their_error(self):
        source, worst = seeded(1), 0
        for _ in range(times(300)):
            x = source.uniform(-7.0, 7.0)
            for found, true in zip(fixed.sine_cosine(fixed.of_float(x)), exact_sine_cosine(Fraction(x))):
                worst = max(worst, abs(in_units(found) - true) * fixed.ONE)
        self.assertLess(worst, fixed.SINE_ERROR)
        # Far from 0 the library's functions tell whether a quarter was lost.
        for x in (1e3, -1e4, 1e5, 123456.789, math.pi, -math.pi / 2, 5e5):
            s, c = fixed.sine_cosine(fixed.of_float(x))
            self.assertAlmostEqual(s / fixed.ONE, math.sin(x), 12)
            self.assertAlmostEqual(c / fixed.ONE, math.cos(x), 12)

    def test_unit_vectors_have_length_1_and_their_direction(self):
        source = seeded(2)
        for _ in range(times(200)):
            scale = 10.0 ** source.randint(-200, 11)
            v = [c * scale for c in direction(source)]
            u = [in_units(c) for c in fixed.unit_vector(v)]
            square = sum(c * c for c in u)
            self.assertLess(abs(square - 1), Fraction(8, fixed.ONE))
            exact = [Fraction(c) for c in v]
            cross = [exact[i - 2] * u[i - 1] - exact[i - 1] * u[i - 2] for i in range(3)]
            self.assertLess(math.sqrt(sum(float(c) ** 2 for c in cross)), 4.0 / fixed.ONE * scale * 1.01)
        self.assertIsNone(fixed.unit_vector((0.0, 0.0, 0.0)))

    def test_poses_are_within_their_errors_after_long_chains(self):
        source, used = seeded(3), 0.0
        for _ in range(times(20)):
            pose, rows, place = fixed.IDENTITY, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]
            for _ in range(8):
                angle, k = source.uniform(-3.0, 3.0), source.randrange(3)
                offset = [source.uniform(-2.0, 2.0) for _ in range(3)]
                s, c = exact_sine_cosine(Fraction(angle))
                turn = {0: [[1, 0, 0], [0, c, -s], [0, s, c]], 1: [[c, 0, s], [0, 1, 0], [-s, 0, c]],
                        2: [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[k]
                step = fixed.slide(fixed.of_float(x) for x in offset)
                axis = tuple(fixed.ONE if i == k else 0 for i in range(3))
                pose = pose.after(step).after(fixed.turn(axis, fixed.of_float(angle), 1))
                place = [p + sum(r * Fraction(x) for r, x in zip(row, offset)) for p, row in zip(place, rows)]
                rows = product(rows, turn)
            error = matrix_error(pose, rows)
            moved = math.sqrt(sum(float((in_units(m) - x) * fixed.ONE) ** 2 for m, x in zip(pose.translation, place)))
            # The Frobenius norm may be √3 times the operator norm.
            self.assertLess(error, 1.8 * pose.turned)
            self.assertLess(moved, pose.moved)
            used = max(used, moved / pose.moved)
            back = pose.after(pose.inverse())
            self.assertLess(matrix_error(back, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]), 1.8 * back.turned)
            self.assertLess(max(map(abs, back.translation)), back.moved)
        self.assertGreater(used, 0.005)

    def test_roll_pitch_and_yaw_turn_about_the_fixed_axes_in_this_order(self):
        roll, pitch, yaw = 0.3, -0.7, 1.1
        found = fixed.of_xyz_rpy((1.0, 2.0, 3.0), (roll, pitch, yaw)).floats()
        (sr, cr), (sp, cp), (sy, cy) = ((math.sin(x), math.cos(x)) for x in (roll, pitch, yaw))
        x = product([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]], [[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        expected = sum(product(x, [[1, 0, 0], [0, cr, -sr], [0, sr, cr]]), [])
        for a, b in zip(found, expected + [1.0, 2.0, 3.0]):
            self.assertAlmostEqual(a, b, 15)

    def test_floats_misplace_no_point_by_more_than_stated(self):
        source, worst = seeded(4), 0.0
        for _ in range(times(200)):
            pose = fixed.of_xyz_rpy([source.uniform(-9, 9) for _ in range(3)], [source.uniform(-3, 3) for _ in range(3)])
            p = [source.uniform(-5, 5) for _ in range(3)]
            floats = list(map(Fraction, pose.floats()))
            exact = list(map(in_units, pose.rotation + pose.translation))
            places = [[sum(m[3 * i + k] * Fraction(p[k]) for k in range(3)) + m[9 + i] for i in range(3)]
                      for m in (floats, exact)]
            off = math.sqrt(sum(float(a - b) ** 2 for a, b in zip(*places)))
            worst = max(worst, off / (2.0**-51 * (1 + math.hypot(*p) + math.hypot(*map(float, exact[9:])))))
            image = [abs(float(Fraction(a) - b)) for a, b in zip(pose.point(p), places[1])]
            self.assertLess(math.hypot(*image), 2.0**-51 * (1 + math.hypot(*p) + math.hypot(*map(float, places[1]))))
        self.assertLess(worst, 1.0)
        self.assertGreater(worst, 0.05)


if __name__ == "__main__":
    unittest.main()
