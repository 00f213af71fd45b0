"""Certificates as bytes (docs/certificate-format.md): versions 1 to 3.

Reading checks all that the format itself asks for: the sum, that numbers are finite, that indices refer to something, that
nothing follows, and that the cells of every tiling tile the segment. Directions are hints and are passed over.
"""

import hashlib
import struct
from dataclasses import dataclass
from math import isfinite

from answers import BadInput, OutsideScope, Refused

MAGIC = b"\x89PPC\r\n\x1a\n"
DEEPEST = 50


@dataclass
class Certificate:
    version: int
    hashes: list
    clearance: float
    assumptions: list
    variables: list
    bodies: list
    # Two bodies and a reason.
    unchecked: list
    groups: list
    # Two groups and the clearance that is claimed.
    pairs: list
    waypoints: list
    # For each segment and pair how many cells there are.
    cells: list
    # The first bytes of the hash of each body; none before version 3.
    body_hashes: list = None


class Bytes:
    """What is left of the bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Refused("the certificate is malformed: it ends early")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self):
        (value,) = struct.unpack("<d", self.take(8))
        if not isfinite(value):
            raise Refused("the certificate is malformed: a number is not finite")
        return value

    def count(self):
        """Groups of seven bits, least significant first; the highest bit of a byte says that another follows."""
        value = 0
        for place in range(5):
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value
        raise Refused("the certificate is malformed: a count is too large")

    def counts(self, size):
        """The number of things that take `size` bytes each at least."""
        count = self.count()
        if count * size > len(self.data) - self.at:
            raise Refused("the certificate is malformed: it ends early")
        return range(count)

    def below(self, limit):
        index = self.count()
        if index >= limit:
            raise Refused("the certificate is malformed: an index refers to nothing")
        return index

    def texts(self):
        try:
            return [self.take(self.count()).decode("utf-8") for _ in self.counts(1)]
        except UnicodeDecodeError as error:
            raise Refused("the certificate is malformed: a text is not UTF-8") from error


def read(path):
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error


def parse(data):
    """The certificate that some bytes hold; raises Refused where they hold none."""
    if not data.startswith(MAGIC):
        raise Refused("it is not a certificate of pathproof")
    version = int.from_bytes(data[8:12], "little")
    if version not in (1, 2, 3) or len(data) < 20:
        raise OutsideScope(f"a certificate of version {version}; 1 to 3 are read")
    if hashlib.sha256(data[:-8]).digest()[:8] != data[-8:]:
        raise Refused("the certificate is damaged: its bytes do not add up to the sum at its end")
    source = Bytes(data[12:-8])
    hashes = [source.take(32) for _ in range(3)]
    clearance = source.number()
    assumptions, variables, bodies = (source.texts() for _ in range(3))
    body_hashes = [source.take(8) for _ in bodies] if version > 2 else None
    reasons = source.texts()
    unchecked = [(source.below(len(bodies)), source.below(len(bodies)), reasons[source.below(len(reasons))])
                 for _ in source.counts(3)]
    groups = [[source.below(len(bodies)) for _ in source.counts(1)] for _ in source.counts(1)]
    pairs = [(source.below(len(groups)), source.below(len(groups)), source.number()) for _ in source.counts(10)]
    waypoints = [[source.number() for _ in variables] for _ in waypoint_count(source, len(variables))]
    if version > 1 and source.texts() != ["lines"]:
        raise OutsideScope("a certificate for another curve than straight lines")
    wanted = max(len(waypoints) - 1, 1) * len(pairs)
    cells = tilings_2(source, wanted) if version > 1 else tilings_1(source, wanted)
    if source.at != len(source.data):
        raise Refused("the certificate is malformed: something follows its end")
    return Certificate(version, hashes, clearance, assumptions, variables, bodies, unchecked, groups, pairs, waypoints, cells,
                       body_hashes)


def waypoint_count(source, variables):
    count = source.counts(8 * variables)
    # Without variables waypoints take no bytes.
    if not count or variables == 0 and len(count) > 1 << 16:
        raise Refused("the certificate is malformed: the number of waypoints cannot be")
    return count


def tilings_1(source, wanted):
    """A count, two bits per cell in whole bytes, and two numbers of 16 bits for each cell that covers anything."""
    cells = []
    for _ in range(wanted):
        count = source.count()
        packed = source.take((count + 3) // 4)
        covered = [packed[i // 4] >> 2 * (i % 4) & 3 for i in range(count)]
        source.take(4 * sum(two != 0 for two in covered))
        require_tiling(covered)
        cells.append(count)
    return cells


def tilings_2(source, wanted):
    """One row of bits, the lowest of a byte first. A tiling is one more than its number of cells (as many zeros as that has
    bits below its highest, a one, those bits), and for each cell two bits; if one is set, whether a direction follows."""
    at, end = 8 * source.at, 8 * len(source.data)

    def bits(count):
        nonlocal at
        if at + count > end:
            raise Refused("the certificate is malformed: it ends early")
        value = 0
        for place in range(count):
            value |= (source.data[at >> 3] >> (at & 7) & 1) << place
            at += 1
        return value

    cells = []
    for _ in range(wanted):
        places = 0
        while bits(1) == 0:
            places += 1
        if places > 31:
            raise Refused("the certificate is malformed: a count is too large")
        count = (1 << places | bits(places)) - 1
        if 2 * count > end - at:
            raise Refused("the certificate is malformed: it ends early")
        covered = []
        for _ in range(count):
            covered.append(bits(2))
            if covered[-1] and bits(1):
                bits(32)
        require_tiling(covered)
        cells.append(count)
    if at & 7 and source.data[at >> 3] >> (at & 7):
        raise Refused("the certificate is malformed: bits follow its end")
    source.at = (at + 7) >> 3
    return cells


def require_tiling(covered):
    """A cell, what is left of its earlier half, what is left of its later half: they must come out even."""
    levels = [0]
    for two in covered:
        if not levels or levels[-1] > DEEPEST:
            raise Refused("its cells do not tile the segment")
        level = levels.pop()
        levels += [level + 1] * (2 - two.bit_count())
    if levels:
        raise Refused("its cells do not tile the segment")
