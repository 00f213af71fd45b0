"""Where frames are along a segment, and how far a motion strays from its chord.

A frame is all links that no joint moves against each other; frame 0 is the world. On a segment every joint value is a
straight line in t, so that the way from one frame to another is a product of screws G₁(t) G₂(t) … G_m(t), each a turn about
a fixed axis or a slide along one, at a constant rate.

*Chord.* Let x(t) be a point of the second frame as the first one sees it. On a cell of length h every x(t) differs from the
chord between its two ends by at most (h²/8) sup |x''|, and so does n·x(t) for every unit vector n: at the ends of a cell
and along one n two bodies need a gap of that much more than the clearance, and they keep the clearance on all of the cell.

*Bend.* x'' is the sum over k of the second derivative in screw k and over j < k of twice the mixed ones. About its own axis
a turn at rate w moves a point at distance ρ by ρ w in a circle: its second derivative has length ρ w², a slide's is 0. In
screw j < k the vector ∂x/∂k is carried rigidly: a turn at rate w turns it, which adds w |∂x/∂k|, a slide leaves it. So

    |x''| ≤ Σ_k s_k (own_k + 2 Σ_{j<k} w_j),    s_k = ρ_k w_k, own_k = w_k for a turn; s_k = |rate|, own_k = 0 for a slide,

w_j being 0 for slides. The same sums bound the speed: |x'| ≤ Σ_k s_k.

*ρ_k* is the farthest that a point gets from axis k on the cell. Offsets between the origins of frames, with what slides
move them, add up to a bound for all t (`reach`). On a cell a better one: the distance of the body's ball from the axis at
either end, plus half the cell times the speeds that the screws beyond k give to it.
"""

from math import sqrt

from fixed import BITS, ONE, IDENTITY, Pose, of_float, slide, times, turn

# All bounds here are sums and products of a few hundred positive floats: they round by less than this share.
UP = 1.0 + 2.0**-40


class Frame:
    """A movable joint and what it carries, in fixed point; `kind` is turn, slide or planar."""

    def __init__(self, parent, parent_from_zero, kind, axes, source):
        self.parent, self.parent_from_zero, self.kind = parent, parent_from_zero, kind
        # Unit vectors: of the turn, then of the slides.
        self.axes = axes
        # First variable, multiplier and offset.
        self.source = source
        self.offset = norm(parent_from_zero.floats()[9:]) * UP + 2.0**-60


class Screw:
    """A turn or slide between two frames: of which frame's joint, and which of its values."""

    def __init__(self, frame, part, is_turn, beyond):
        self.frame, self.part, self.is_turn = frame, part, is_turn
        # Frames whose offsets lie between this axis and the second frame's origin.
        self.beyond = beyond


class Chain:
    """The screws from one frame to another, the first frame's side (walked backwards, towards the world) first."""

    def __init__(self, frames, first, second):
        up, down = path_to_world(frames, first), path_to_world(frames, second)
        while up and down and up[-1] == down[-1]:
            up.pop(), down.pop()
        down.reverse()
        self.screws = []
        for i, frame in enumerate(up):
            # Backwards a planar joint first turns, about its own origin.
            self.screws += [Screw(frame, part, is_turn, up[i:] + down) for part, is_turn in parts(frames[frame])[::-1]]
        for i, frame in enumerate(down):
            self.screws += [Screw(frame, part, is_turn, down[i + 1:]) for part, is_turn in parts(frames[frame])]


def path_to_world(frames, frame):
    path = []
    while frame != 0:
        path.append(frame)
        frame = frames[frame].parent
    return path


def parts(frame):
    """The values of a frame's joint, from the world outwards: which one, and whether it turns."""
    return {"turn": [(0, True)], "slide": [(0, False)], "planar": [(0, False), (1, False), (2, True)]}[frame.kind]


class Segment:
    """A straight line in joint space: poses at t, and bounds for all t in [0, 1]."""

    def __init__(self, frames, start, goal):
        self.frames = frames
        self.ends = [(of_float(a), of_float(b)) for a, b in zip(start, goal)]
        self.poses, self.places = {}, {}
        # Per frame and value: an upper bound on the rate, and on the size of the value.
        self.rates, self.sizes = {}, {}
        for number, frame in enumerate(frames[1:], 1):
            variable, multiplier, _ = frame.source
            for part, _ in parts(frame):
                rate = abs(multiplier) * abs(goal[variable + part] - start[variable + part])
                self.rates[number, part] = rate * UP
                size = max(abs(self.value(number, part, t)[0]) for t in (0.0, 1.0)) / ONE
                self.sizes[number, part] = size * UP + 2.0**-60

    def value(self, frame, part, t):
        """A joint's value at a dyadic t, in fixed point, and its error.

        Both ends are off by less than 1 unit, and so is the line between them; dividing loses one more. With multiplier m
        and offset: 2 |m|, plus the size of the value for the error of m, plus 3.
        """
        variable, multiplier, offset = self.frames[frame].source
        (a, b), (k, whole) = self.ends[variable + part], t.as_integer_ratio()
        value = (a * (whole - k) + b * k) // whole
        if (multiplier, offset) == (1.0, 0.0):
            return value, 2
        m = of_float(multiplier)
        return times(m, value) + of_float(offset), 2 * (abs(m) >> BITS) + (abs(value) >> BITS) + 8

    def world_from(self, number, t):
        """The exact pose of a frame at t, with its error."""
        if number == 0:
            return IDENTITY
        key = (number, t)
        if key not in self.poses:
            frame = self.frames[number]
            pose = self.world_from(frame.parent, t).after(frame.parent_from_zero)
            self.poses[key] = pose.after(self.moved(number, frame, t))
        return self.poses[key]

    def moved(self, number, frame, t):
        """What the joint does to its frame."""
        value, error = self.value(number, 0, t)
        if frame.kind == "turn":
            return turn(frame.axes[0], value, error)
        if frame.kind == "slide":
            # An axis is off by 4 units, each product by one.
            return slide((times(c, value) for c in frame.axes[0]), error + 4 * (abs(value) >> BITS) + 8)
        normal, u, v = frame.axes
        (y, _), (angle, error) = self.value(number, 1, t), self.value(number, 2, t)
        place = slide((times(a, value) + times(b, y) for a, b in zip(u, v)), 16)
        return place.after(turn(normal, angle, error))

    def relative(self, first, second, t):
        """Where the second frame is in the first one, as floats (fixed.py says how exactly)."""
        key = (first, second, t)
        if key not in self.places:
            pose = self.world_from(second, t)
            self.places[key] = (pose if first == 0 else self.world_from(first, t).inverse().after(pose)).floats()
        return self.places[key]

    def speeds(self, chain, ball, cell):
        """For each screw of a chain the bound s_k on what it adds to the speed of any point of a ball in the second frame
        (centre there and radius, bound on the distance of its points from the origin), on a cell."""
        centre, radius, extent, frame = ball
        t0, t1 = cell
        later, speeds = 0.0, []
        for screw in reversed(chain.screws):
            rate = self.rates[screw.frame, screw.part]
            arm = 1.0
            if screw.is_turn:
                reach = extent + sum(self.frames[f].offset + self.slid(f) for f in screw.beyond)
                near = max(self.from_axis(screw, frame, centre, t) for t in cell)
                arm = min(reach, near + radius + 0.5 * (t1 - t0) * later)
            speeds.append(arm * rate * UP)
            later += speeds[-1]
        return speeds[::-1]

    def slid(self, frame):
        """How far a frame's joint can have moved its origin."""
        return sum(self.sizes[frame, part] for part, is_turn in parts(self.frames[frame]) if not is_turn)

    def from_axis(self, screw, frame, point, t):
        """Upper bound on the distance of a point of a frame from the axis of a turn, at t: |(p − o) × a|."""
        o = self.relative(0, screw.frame, t)
        x, y, z = (c / ONE for c in self.frames[screw.frame].axes[0])
        ax, ay, az = (o[i] * x + o[i + 1] * y + o[i + 2] * z for i in (0, 3, 6))
        p = self.relative(0, frame, t)
        dx, dy, dz = (p[3 * i] * point[0] + p[3 * i + 1] * point[1] + p[3 * i + 2] * point[2] + p[9 + i] - o[9 + i]
                      for i in (0, 1, 2))
        cross = (dy * az - dz * ay, dz * ax - dx * az, dx * ay - dy * ax)
        # What floats lose is below 2^-46 of the numbers involved.
        sizes = 1.0 + norm(p[9:]) + norm(o[9:]) + norm(point)
        return norm(cross) + 2.0**-44 * sizes

    def bend(self, chain, speeds, length):
        """Upper bound on (h²/8) sup |x''| for a cell of this length."""
        total = turning = 0.0
        for screw, speed in zip(chain.screws, speeds):
            rate = self.rates[screw.frame, screw.part] if screw.is_turn else 0.0
            total += speed * (rate + 2.0 * turning)
            turning += rate
        return 0.125 * length * length * total * UP


def norm(v):
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
