#!/usr/bin/env python3
"""Verifies a certificate of pathproof, sharing nothing with it: python3 verify.py cell.toml path.csv proof.ppc

Shows for every pair of bodies that the scene checks, and every t of every segment of the path, that the two are farther
apart than the certificate claims, which is at least what the scene asks for. README.md says how, and what is in scope.
Exit status: 0 accepted, 1 refused, 2 outside the scope or not readable.
"""

import argparse
import sys
import time
from pathlib import Path

import certificate as certificates
import claims
import path as paths
from answers import BadInput, OutsideScope, Refused
from apart import Pair
from bodies import Solid
from motion import Chain, Segment
from scene import Scene
from solids import require_outside


class Verifier:
    """A scene made ready: certificates for any of its paths can be verified against it."""

    def __init__(self, scene):
        self.scene = scene
        self.solids = [Solid(body, scene) for body in scene.bodies]
        self.chains = {}

    def verify(self, waypoints, certificate, clearance=None, clock=None, self_clearance=None):
        """Raises Refused unless the certificate proves the path; returns how many segments and pairs were shown."""
        claims.require_same_scene(certificate, self.scene)
        claims.require_same_path(certificate, waypoints)
        claimed = claims.claimed(certificate, self.scene, clearance, self_clearance)
        self.show(waypoints, claimed, clock)
        return max(len(waypoints) - 1, 1), len(claimed)

    def show(self, waypoints, clearances, clock=None):
        """Shows for pairs of bodies that they are farther apart than their clearances along a path."""
        clock = clock or Clock()
        pairs = [self.pair(a, b, clearance) for (a, b), clearance in clearances.items()]
        goals = waypoints[1:] or waypoints
        for number, (start, goal) in enumerate(zip(waypoints, goals)):
            segment = Segment(self.scene.frames, start, goal)
            for done, pair in enumerate(pairs):
                clock.place = f"segment {number + 1} of {len(goals)}, pair {done + 1} of {len(pairs)}"
                try:
                    if number == 0:
                        starts_outside(pair, segment)
                    pair.show(segment, clock.tick)
                except Refused as refusal:
                    names = f"{pair.first.name} and {pair.second.name}"
                    raise Refused(f"segment {number}: {names}: {refusal}") from None

    def pair(self, a, b, clearance):
        """A plane comes first, and so does the body that is carried by fewer joints."""
        first, second = self.solids[a], self.solids[b]
        if first.is_plane and second.is_plane:
            raise BadInput(f"{first.name} and {second.name}: two planes are never apart")
        if second.is_plane or not first.is_plane and second.frame < first.frame:
            first, second = second, first
        if first.is_plane and first.frame != 0:
            raise OutsideScope(f"{first.name}: a plane that moves")
        key = (first.frame, second.frame)
        if key not in self.chains:
            self.chains[key] = Chain(self.scene.frames, *key)
        return Pair(first, second, clearance, self.chains[key])


def starts_outside(pair, segment):
    """Refuses a pair of which a part of one starts inside a closed mesh of the other. Surfaces are shown apart elsewhere."""
    for outer, inner in ((pair.first, pair.second), (pair.second, pair.first)):
        pose = segment.relative(outer.frame, inner.frame, 0.0)
        if outer.meshes and not pair.is_parted_at_start(segment):
            points = [tuple(pose[3 * i] * x + pose[3 * i + 1] * y + pose[3 * i + 2] * z + pose[9 + i] for i in (0, 1, 2))
                      for x, y, z in inner.samples]
            require_outside(points, outer.meshes, pair.room([pose]))


class Clock:
    """Shows progress on a terminal, and ends a verification that takes longer than is allowed."""

    def __init__(self, most_seconds=float("inf"), is_shown=False):
        self.started = self.shown = time.monotonic()
        self.most_seconds, self.is_shown, self.place = most_seconds, is_shown, ""

    def seconds(self):
        return time.monotonic() - self.started

    def tick(self):
        now = time.monotonic()
        # Written so that NaN is no time at all.
        if not now - self.started <= self.most_seconds:
            raise Refused(f"not shown within {self.most_seconds:g} s")
        if self.is_shown and now - self.shown > 0.5:
            self.shown = now
            print(f"\r{self.place} ({now - self.started:.0f} s)\x1b[K", end="", file=sys.stderr, flush=True)


def main(arguments):
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("scene", type=Path)
    options.add_argument("path", type=Path)
    options.add_argument("proof", type=Path)
    options.add_argument("--clearance", type=float, help="in place of the scene's default, in metres")
    options.add_argument("--self-clearance", type=float, help="the same between links of one robot")
    options.add_argument("--max-seconds", type=float, default=float("inf"), help="refuse what is not shown by then")
    options.add_argument("--ignore-limits", action="store_true", help="accept waypoints outside joint limits")
    options.add_argument("--allow-empty", action="store_true", help="accept a scene in which no pair is checked")
    options = options.parse_args(arguments)
    clock = Clock(options.max_seconds, sys.stderr.isatty())
    try:
        scene = Scene(options.scene)
        if not scene.checked and not options.allow_empty:
            raise BadInput(f"{options.scene}: no pair of bodies is checked")
        waypoints = paths.read(options.path, scene, options.ignore_limits)
        certificate = certificates.read(options.proof)
        segments, pairs = Verifier(scene).verify(waypoints, certificate, options.clearance, clock, options.self_clearance)
    except Refused as refusal:
        print(f"refused: {refusal}")
        return 1
    except (OutsideScope, BadInput) as problem:
        print(f"not verified: {problem}", file=sys.stderr)
        return 2
    except Exception as error:  # Whatever was not foreseen is no acceptance, and no refusal either.
        print(f"not verified: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print(f"accepted: {segments} segments, {pairs} pairs of bodies, along straight lines between waypoints; "
          f"{len(scene.unchecked)} pairs are not checked ({clock.seconds():.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
