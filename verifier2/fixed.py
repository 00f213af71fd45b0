"""Numbers and poses in fixed point, each with the error that it may have.

A real number x stands as an integer m: x is within e of m, where m and e count units of 2^-128. Python's integers do not
overflow, so that sums are exact and a product loses less than one unit when it is shifted back. Nothing here is rounded
to a machine number; `floats` does that at the end, for the geometry.
"""

from math import isqrt

from answers import OutsideScope

BITS = 128
ONE = 1 << BITS
# An error of 2^-68 is the most that `floats` allows for: a trillionth of a millionth of a millimetre.
MOST_ERROR = 1 << 60


def of_float(x):
    """A finite float, rounded down: off by less than one unit."""
    numerator, denominator = x.as_integer_ratio()
    return (numerator << BITS) // denominator


def times(a, b):
    """The product, rounded down: less than one unit off the exact product of a and b."""
    return (a * b) >> BITS


def _half_pi(bits):
    """π/2 in units of 2^-bits, off by less than 2^13 units.

    Machin: π/4 = 4 arctan 1/5 − arctan 1/239, with arctan 1/n = Σ (−1)^k / ((2k + 1) n^(2k + 1)). Each power is off by
    less than 2 units and each quotient by one more; there are fewer than `bits` terms of each series that are not 0, and
    what follows them is below one unit. 2 · (4 + 1) · 3 · 257 < 2^13.
    """
    def arctan_of_inverse(n):
        power, total, k = (1 << bits) // n, 0, 0
        while power:
            total += (-1) ** k * (power // (2 * k + 1))
            power //= n * n
            k += 1
        return total
    return 2 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))


_LONG = 256
_HALF_PI = _half_pi(_LONG)
SINE_ERROR = 128


def sine_cosine(angle):
    """Sine and cosine of an angle below 2^40 rad, each off by less than SINE_ERROR units.

    The angle less n quarter turns is in ±0.79. The error of π/2, 2^13 · 2^-256, times n < 2^40 is far below a unit. Twenty
    terms of each Taylor series leave out less than 0.8^40/40! < 2^-128. Every term is the one before times r²/(k (k + 1)),
    r² < 0.64 being off by one unit: its error is less than 0.32 of the one before's, plus 3 units, hence below 5. Together
    below 20 · 5 + 2 units.
    """
    quarters = ((angle << (_LONG - BITS)) + _HALF_PI // 2) // _HALF_PI
    r = ((angle << (_LONG - BITS)) - quarters * _HALF_PI) >> (_LONG - BITS)
    square = times(r, r)
    sine, cosine, odd, even = 0, 0, r, ONE
    for k in range(1, 41, 2):
        sine, cosine = sine + odd, cosine + even
        even = -times(even, square) // (k * (k + 1))
        odd = -times(odd, square) // ((k + 1) * (k + 2))
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][quarters % 4]


def unit_vector(xyz):
    """A vector of three floats scaled to length 1; its error is below 4 units. `None` for the zero vector.

    Over a common denominator the components are integers X, Y, Z, and X/√(X² + Y² + Z²) does not depend on it. The root
    is taken with 160 bits or more, so that the quotient is off by less than 2 units.
    """
    ratios = [x.as_integer_ratio() for x in xyz]
    common = max(denominator for _, denominator in ratios)
    whole = [numerator * (common // denominator) for numerator, denominator in ratios]
    square = sum(x * x for x in whole)
    if square == 0:
        return None
    shift = 160
    length = isqrt(square << (2 * shift))
    return tuple((x << (BITS + shift)) // length for x in whole)


class Pose:
    """A rigid motion: a rotation matrix (nine numbers, row by row) and a translation.

    No vector is turned wrongly by more than `turned` units of its own length (the error of the matrix in the operator
    norm), and the translation is off by at most `moved` units.
    """

    __slots__ = ("rotation", "translation", "turned", "moved")

    def __init__(self, rotation, translation, turned, moved):
        if turned > MOST_ERROR or moved > MOST_ERROR:
            raise OutsideScope("chains so long, or numbers so large, that 128 bits do not suffice")
        self.rotation, self.translation = rotation, translation
        self.turned, self.moved = turned, moved

    def after(self, inner):
        """This motion after `inner`: outer_from_middle after middle_from_inner.

        Let R, S be the exact rotations, M, N the stored ones: RS − MN = R (S − N) + (R − M) N, whose norm is at most
        `inner.turned` + `turned` (1 + tiny); nine entries that are rounded down once add less than 3. Likewise
        R s − M n = R (s − n) + (R − M) n for the translations, with 2 for rounding.
        """
        m, n, t = self.rotation, inner.rotation, inner.translation
        rotation = tuple(
            (m[i] * n[j] + m[i + 1] * n[j + 3] + m[i + 2] * n[j + 6]) >> BITS for i in (0, 3, 6) for j in (0, 1, 2))
        length = sum(map(abs, t))
        return Pose(
            rotation,
            tuple(self.translation[k] + ((m[3 * k] * t[0] + m[3 * k + 1] * t[1] + m[3 * k + 2] * t[2]) >> BITS)
                  for k in (0, 1, 2)),
            self.turned + inner.turned + 4,
            self.moved + inner.moved + times(self.turned, length) + 4,
        )

    def inverse(self):
        """The motion back. The transpose is as far off as the matrix; −Rᵀ t as in `after`."""
        m, t = self.rotation, self.translation
        transpose = (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])
        back = tuple(-((m[k] * t[0] + m[3 + k] * t[1] + m[6 + k] * t[2]) >> BITS) for k in (0, 1, 2))
        return Pose(transpose, back, self.turned, self.moved + times(self.turned, sum(map(abs, t))) + 4)

    def floats(self):
        """Rotation (row by row) and translation as twelve floats.

        Dividing integers rounds correctly: each entry is off by 2^-53 of itself, the matrix by less than 2^-52 in the
        operator norm, a translation p by less than 2^-53 |p|; beside that `turned` and `moved`, which are below 2^-68.
        So no point at distance r from the origin is misplaced by more than 2^-51 (1 + r + |p|).
        """
        return tuple(x / ONE for x in self.rotation) + tuple(x / ONE for x in self.translation)

    def point(self, p):
        """The image of a point of floats, as floats: misplaced by less than 2^-51 (1 + |p| + |image|)."""
        m, t = self.rotation, self.translation
        x, y, z = (of_float(c) for c in p)
        return tuple((((m[i] * x + m[i + 1] * y + m[i + 2] * z) >> BITS) + t[i // 3]) / ONE for i in (0, 3, 6))


IDENTITY = Pose((ONE, 0, 0, 0, ONE, 0, 0, 0, ONE), (0, 0, 0), 0, 0)
_AXES = ((ONE, 0, 0), (0, ONE, 0), (0, 0, ONE))


def slide(translation, error=2):
    """A translation, off by at most `error` units."""
    return Pose(IDENTITY.rotation, tuple(translation), 0, error)


def turn(axis, angle, error=0):
    """The rotation about a unit vector (within 4 units) by an angle (within `error` units).

    Rodrigues: R = c + s [u]× + (1 − c) u uᵀ. As c, s and u change, R changes in norm by at most |Δc|, |Δs| and
    (|s| + 2 (1 − c)) |Δu| ≤ 5 |Δu|; nine entries of three products that are rounded down add less than 9, and
    products of two errors less than one.
    """
    s, c = sine_cosine(angle)
    x, y, z = axis
    k = ONE - c
    xs, ys, zs = times(x, s), times(y, s), times(z, s)
    xk, yk, zk = times(x, k), times(y, k), times(z, k)
    xy, yz, zx = times(xk, y), times(yk, z), times(zk, x)
    rotation = (c + times(xk, x), xy - zs, zx + ys, xy + zs, c + times(yk, y), yz - xs, zx - ys, yz + xs, c + times(zk, z))
    return Pose(rotation, (0, 0, 0), 2 * (SINE_ERROR + error) + 5 * 4 + 10, 0)


def of_xyz_rpy(xyz, rpy):
    """URDF's pose: roll, pitch and yaw turn about the fixed axes x, y and z in this order; then comes the translation.
    No rpy is no rotation."""
    pose = slide(of_float(c) for c in xyz)
    for axis in (2, 1, 0):
        if rpy and rpy[axis] != 0.0:
            pose = pose.after(turn(_AXES[axis], of_float(rpy[axis]), 1))
    return pose
