"""That two bodies keep more than a clearance from each other on a whole segment.

On a cell [t0, t1] a pair of volumes is done if some n has a gap at both ends of more than

    need = clearance + bend + room,

bend being what any point strays from its chord (motion.py) and room what floats may have lost: then no two of their points
come nearer than the clearance at any t of the cell. Pairs of nodes that are not done are opened, or left to both halves of
the cell. A pair of primitives that is too near at an end of a cell refutes the claim, or cannot be told from one that does.

*Room.* A gap is n·p less two farthest values. Places are off by 2^-51 (1 + r + |p|) and vertices by 2^-50 of their distance
r from the origin; each of the three terms and the turned n lose below 2^-50 of it, and n has length 1 to 2^-50, which
counts for the clearance. All that is below 2^-46 (1 + r_a + r_b + |p| + clearance); room is 2^-44 of it, so that at the
first configuration three quarters of it are left for the inside test (solids.py).
"""

from answers import Refused
from motion import UP, norm
from nearest import gap_along, separate
from volumes import HalfSpace

# A cell of this length cannot be cut further: poses at its ends could not be told apart.
SHORTEST = 2.0**-48
# Nodes smaller than this many times what they move on a cell are left to its halves.
GRAIN = 1.0


class Pair:
    """Two bodies, the first the one whose frame is nearer to the world, and the clearance to be shown."""

    def __init__(self, first, second, clearance, chain):
        self.first, self.second, self.clearance, self.chain = first, second, clearance, chain

    def room(self, poses):
        far = max(norm(pose[9:]) for pose in poses)
        return 2.0**-44 * (1.0 + self.clearance + self.first.extent + self.second.extent + far)

    def is_parted_at_start(self, segment):
        """Whether the hulls of both bodies are apart at t = 0: then nothing of one is inside the other."""
        poses = [segment.relative(self.first.frame, self.second.frame, 0.0)]
        gap, _, _ = look(self.first.tree.volume, self.second.tree.volume, poses, self.room(poses), (1.0, 0.0, 0.0))
        return gap > self.room(poses)

    def show(self, segment, tick):
        """Shows the claim for all of a segment; raises Refused with the place where that failed. Calls `tick` per cell."""
        root = (self.first.tree, self.second.tree, (1.0, 0.0, 0.0))
        cells = [(0.0, 1.0, [root])]
        while cells:
            tick()
            t0, t1, pairs = cells.pop()
            left = self.cell(segment, t0, t1, pairs)
            if left:
                middle = 0.5 * (t0 + t1)
                if t1 - t0 < SHORTEST:
                    raise Refused(f"not shown to be {self.clearance!r} m apart near t = {middle!r}")
                cells += [(middle, t1, left), (t0, middle, left)]

    def cell(self, segment, t0, t1, pairs):
        """The pairs of nodes that are left to the halves of a cell."""
        poses = [segment.relative(self.first.frame, self.second.frame, t) for t in (t0, t1)]
        speeds = segment.speeds(self.chain, self.second.ball, (t0, t1))
        bend = segment.bend(self.chain, speeds, t1 - t0)
        travel = sum(speeds) * (t1 - t0)
        if travel == 0.0:
            poses = poses[:1]
        bare = (self.clearance + self.room(poses)) * UP
        need = (bare + bend) * UP
        left, pending = [], list(pairs)
        while pending:
            a, b, n = pending.pop()
            gap, n, most = look(a.volume, b.volume, poses, need, n)
            if gap > need:
                continue
            # Where the gap is large against the bend, a shorter cell will do; so it will where the nodes are small.
            is_cut = 4.0 * (most - bare) > bend or max(a.size, b.size) <= GRAIN * travel
            if is_cut or not (a.children or b.children):
                if not (a.children or b.children or gap > bare):
                    self.require_apart(a, b, (t0, t1), poses, bare, n)
                left.append((a, b, n))
            elif a.children and (a.size > b.size or not b.children):
                pending += [(child, b, n) for child in a.children]
            else:
                pending += [(a, child, n) for child in b.children]
        return left

    def require_apart(self, a, b, times, poses, bare, n):
        """Refuses two primitives that are too near at an end of a cell."""
        for t, pose in zip(times, poses):
            gap, _, most = look(a.volume, b.volume, [pose], bare, n)
            if not gap > bare:
                raise Refused(f"not shown to be {self.clearance!r} m apart at t = {t!r}: about {most:.3g} m")


def look(a, b, poses, need, n):
    if isinstance(a, HalfSpace):
        # Only along its normal is anything apart from a half-space.
        gap, _ = gap_along(a.normal, a, b, poses)
        return gap, a.normal, max(gap, 0.0)
    return separate(a, b, poses, need, n)
