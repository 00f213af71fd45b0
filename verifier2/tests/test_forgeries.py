"""False claims that are in order in every other respect, and changed bytes: each check of the verifier by itself.

The scenes and claims are those that the Rust verifier is tested with (verifier/tests/verifier: checks, evidence,
closed_holes); tests of this verifier have no need to forge tilings well, for it does not lean on them.
"""

import struct
import unittest

import support
from support import Folder, changed, claim, encode, refusal, seeded, summed, times
import certificate as certificates
from answers import BadInput, OutsideScope, Refused
from scene import Scene
from test_apart import ARM, CELL, SLIDE
from verify import Clock, Verifier

WALL = CELL + "box = [0.1, 2, 2]\nxyz = [1, 0, 0]\n"
POST = "[[obstacles]]\nname = \"post\"\nsphere = 0.1\nxyz = [-1, 0, 0]\n"


def box_obj(size):
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    text = "".join("v {} {} {}\n".format(*(0.5 * s * c for s, c in zip(size, corner))) for corner in corners)
    return text + "".join("f {} {} {}\nf {} {} {}\n".format(*(i + 1 for i in (a, b, c, a, c, d))) for a, b, c, d in quads)


class Forgeries(unittest.TestCase):
    def scene(self, toml=WALL, urdf=SLIDE, **files):
        return Folder(self, r__urdf=urdf, cell__toml=toml, **files).scene()

    def test_a_true_claim_is_accepted(self):
        scene = self.scene()
        self.assertIsNone(refusal(scene, [[0.0], [0.8]]))
        self.assertEqual(Verifier(scene).verify([[0.0], [0.8], [0.0]], claim(scene, [[0.0], [0.8], [0.0]])), (2, 1))

    def test_contact_in_the_middle_at_the_end_and_in_the_second_segment_is_refused(self):
        scene = self.scene()
        for path in ([[0.0], [2.0]], [[0.2], [1.2]], [[0.0], [0.8], [0.9]], [[0.9]], [[0.0], [0.849999], [0.8500001], [0.0]]):
            self.assertIn("not shown", refusal(scene, path), path)
        self.assertIn("segment 1: wall and r/ball", refusal(scene, [[0.0], [0.8], [0.9]]))

    def test_another_path_is_refused(self):
        scene = self.scene()
        true = encode(claim(scene, [[0.0], [0.8]]))
        for path in ([[0.0], [0.7]], [[-0.0], [0.8]], [[0.8], [0.0]], [[0.0]], [[0.0], [0.8], [0.8]]):
            with self.assertRaisesRegex(Refused, "another path"):
                Verifier(scene).verify(path, certificates.parse(true))

    def test_another_scene_is_refused_with_the_hash_that_differs(self):
        proof = certificates.parse(encode(claim(self.scene(), [[0.0], [0.5]])))
        others = {
            "joints": self.scene(urdf=SLIDE.replace("1 0 0", "1 0 1e-9")),
            "bodies": self.scene(WALL.replace("[1, 0, 0]", "[1.0000001, 0, 0]")),
            "checked pairs": self.scene(WALL + "[[pairs]]\nbodies = [\"r/ball\", \"wall\"]\ncheck = false\n"),
        }
        for what, scene in others.items():
            with self.assertRaisesRegex(Refused, f"another scene: the hash of its {what}"):
                Verifier(scene).verify([[0.0], [0.5]], proof)
        renamed = self.scene(WALL.replace("wall", "fence"))
        with self.assertRaisesRegex(Refused, "names other bodies"):
            Verifier(renamed).verify([[0.0], [0.5]], proof)

    def test_a_pair_that_must_be_checked_and_is_left_out_is_refused(self):
        scene, path = self.scene(WALL + POST), [[0.0], [0.8]]
        honest = claim(scene, path)
        self.assertIsNone(refusal(scene, path))
        self.assertIn("are not in it", refusal(scene, path, pairs=honest.pairs[1:]))
        self.assertIn("are not in it", refusal(scene, path, groups=[[0], [1], []]))
        self.assertIn("two of its groups", refusal(scene, path, groups=[[0], [1], [2, 1]]))
        self.assertIn("is there twice", refusal(scene, path, pairs=honest.pairs + [(1, 0, 9.0)]))
        # Grouped with the post, the wall is looked at with it.
        self.assertIsNone(refusal(scene, path, groups=[[0], [1, 2]], pairs=[(0, 1, 0.0)]))
        self.assertIn("not shown", refusal(scene, [[0.0], [0.9]], groups=[[0], [1, 2]], pairs=[(0, 1, 0.0)]))

    def test_what_it_says_of_unchecked_pairs_must_be_so(self):
        toml = WALL + POST + "[[pairs]]\nbodies = [\"r/ball\", \"post\"]\ncheck = false\n"
        scene, path = self.scene(toml), [[0.0], [-1.0]]
        self.assertIsNone(refusal(scene, path))
        reason = "check = false in the scene"
        self.assertEqual(scene.unchecked, [(0, 2, reason)])
        for unchecked in ([], [(0, 1, reason)], [(0, 2, "Never")], [(2, 0, reason)], [(0, 2, reason), (0, 1, reason)]):
            self.assertIn("other pairs that are not checked", refusal(scene, path, unchecked=unchecked))

    def test_words_and_clearances_in_the_header_must_be_those_of_the_scene(self):
        scene, path = self.scene(), [[0.0], [0.5]]
        self.assertIsNone(refusal(scene, path, pairs=[(0, 1, 0.3)]))
        honest = claim(scene, path)
        for change in ({"assumptions": []}, {"assumptions": honest.assumptions[:-1] + ["All pairs are checked."]},
                       {"variables": ["r/y"]}, {"bodies": ["wall", "r/ball"]}, {"clearance": 0.1}, {"clearance": 1e-320}):
            with self.assertRaisesRegex(Refused, "its header"):
                Verifier(scene).verify(path, changed(honest, **change))
        # A lower one says less, a higher one must be proven.
        Verifier(scene).verify(path, changed(honest, clearance=-0.5))
        Verifier(scene).verify(path, changed(honest, clearance=0.1, pairs=[(0, 1, 0.1)]))
        own = self.scene(WALL + "[[pairs]]\nbodies = [\"r/ball\", \"wall\"]\nclearance = 0.1\n")
        with self.assertRaisesRegex(Refused, "there are none"):
            Verifier(own).verify(path, changed(claim(own, path), clearance=0.1))

    def test_less_clearance_than_is_asked_for_and_more_than_there_is_are_refused(self):
        for toml in ("clearance = 0.1\n" + WALL, WALL + "[[pairs]]\nbodies = [\"r\", \"wall\"]\nclearance = 0.1\n"):
            scene = self.scene(toml)
            self.assertIsNone(refusal(scene, [[0.0], [0.7]]))
            self.assertIn("requires 0.1 m", refusal(scene, [[0.0], [0.7]], pairs=[(0, 1, 0.0999)]))
            self.assertIn("not shown", refusal(scene, [[0.0], [0.8]]))
            # More than is asked for must be so, as it is claimed.
            self.assertIsNone(refusal(scene, [[0.0], [0.7]], pairs=[(0, 1, 0.14)]))
            self.assertIn("not shown", refusal(scene, [[0.0], [0.7]], pairs=[(0, 1, 0.16)]))
        self.assertIn("requires 0.2 m", refusal(self.scene(), [[0.0], [0.5]], 0.2, pairs=[(0, 1, 0.1)]))

    def test_a_body_that_starts_inside_a_closed_mesh_is_refused(self):
        shell = CELL.replace("wall", "shell") + "mesh = \"shell.obj\"\n"
        inner = "<mesh filename=\"inner.obj\"/>"
        closed, opened = box_obj((2, 2, 2)), box_obj((2, 2, 2)).rsplit("f", 1)[0]
        for urdf in (SLIDE, SLIDE.replace("<sphere radius=\"0.1\"/>", inner)):
            files = {"urdf": urdf, "inner__obj": box_obj((0.1, 0.1, 0.1))}
            self.assertIsNone(refusal(self.scene(shell, shell__obj=opened, **files), [[0.0], [0.1]]))
            found = refusal(self.scene(shell, shell__obj=closed, **files), [[0.0], [0.1]])
            self.assertIn("inside the other at the first configuration", found)
        # The other way round, and from another place: outside.
        holds = SLIDE.replace("<sphere radius=\"0.1\"/>", "<mesh filename=\"inner.obj\"/>")
        small = CELL + "sphere = 0.1\n"
        self.assertIn("inside", refusal(self.scene(small, holds, inner__obj=closed), [[0.0], [0.1]]))
        self.assertIsNone(refusal(self.scene(shell, shell__obj=closed), [[1.2], [1.4]]))

    def test_a_mesh_whose_holes_would_be_closed_is_outside_the_scope(self):
        toml = CELL + "mesh = \"m.obj\"\nsolid = true\n"
        self.assertIsNone(refusal(self.scene(toml, m__obj=box_obj((1, 1, 1))), [[2.0]]))
        with self.assertRaises(OutsideScope):
            self.scene(toml, m__obj=box_obj((1, 1, 1)).rsplit("f", 1)[0])

    def test_what_is_not_judged_is_outside_the_scope(self):
        floating = SLIDE.replace("prismatic", "floating")
        for toml, urdf in ((WALL, floating), (WALL.replace("box = [0.1, 2, 2]", "mesh = \"m.dae\""), SLIDE),
                           ("cell = 1\n" + WALL, SLIDE), (WALL + "colour = \"red\"\n", SLIDE),
                           (WALL, "<!DOCTYPE robot>" + SLIDE), (WALL, SLIDE.replace("<robot", "<robot xmlns=\"x\""))):
            with self.assertRaises(OutsideScope):
                self.scene(toml, urdf, m__dae="")
        with self.assertRaises(OutsideScope):
            refusal(self.scene("clearance = -0.02\n" + WALL), [[0.0], [0.86]])
        with self.assertRaises(OutsideScope):
            certificates.parse(summed(certificates.MAGIC + struct.pack("<I", 4) + bytes(200)))
        curve = encode(claim(self.scene(), [[0.0]])).replace(b"\x05lines", b"\x05cubic")
        with self.assertRaises(OutsideScope):
            certificates.parse(summed(curve[:-8]))

    def test_what_takes_longer_than_is_allowed_is_refused(self):
        scene = self.scene()
        for most in (0.0, -1.0, float("nan")):
            with self.assertRaisesRegex(Refused, "not shown within"):
                Verifier(scene).verify([[0.0], [0.8]], claim(scene, [[0.0], [0.8]]), clock=Clock(most))


class Bytes(unittest.TestCase):
    def setUp(self):
        self.scene = Folder(self, r__urdf=ARM, cell__toml=CELL + "sphere = 0.05\nxyz = [0, 1, 0]\n" + POST).scene()
        self.path = [[-0.5], [0.5], [1.0]]
        self.true = claim(self.scene, self.path)

    def refused(self, data):
        """Whether bytes are refused, one way or another."""
        try:
            Verifier(self.scene).verify(self.path, certificates.parse(data))
        except (Refused, OutsideScope):
            return True
        return False

    def test_all_versions_and_all_tilings_are_read(self):
        tilings = [[3], [0, 3, 3], [1, 3], [2, 0, 1, 2, 3, 3]]
        for version in (1, 2, 3):
            data = encode(changed(self.true, version=version), tilings)
            read = certificates.parse(data)
            self.assertEqual((read.version, read.cells), (version, [1, 3, 2, 6]))
            hashes = self.true.body_hashes
            self.assertEqual(read.body_hashes, hashes if version > 2 else None)
            self.assertEqual(changed(read, cells=[], version=3, body_hashes=hashes), self.true)
            self.assertFalse(self.refused(data))

    def test_cells_that_do_not_tile_are_refused(self):
        for tiling in ([], [1], [0, 3], [3, 3], [2] * 200, [1] * 52 + [3], [0, 3, 1]):
            for version in (1, 2, 3):
                with self.assertRaisesRegex(Refused, "do not tile"):
                    certificates.parse(encode(changed(self.true, version=version), [[3], tiling, [3], [3]]))
        self.assertFalse(self.refused(encode(self.true, [[1] * 50 + [3], [3], [3], [3]])))

    def test_counts_that_cannot_be_are_refused(self):
        data = encode(self.true, [])
        body = data[:-8]
        for tail in (b"", bytes(3), bytes(400), b"\x00\x00\x00\x80\xff\xff\xff\xff", b"\xff", b"\x00\x01\xff"):
            self.assertTrue(self.refused(summed(body + tail)), tail)
        self.assertTrue(self.refused(summed(encode(self.true)[:-8] + b"\x00")))
        for value in (float("nan"), float("inf")):
            self.assertTrue(self.refused(encode(changed(self.true, clearance=value))))

    def test_damage_is_noticed_and_no_cut_is_accepted(self):
        data = encode(self.true)
        for i in range(len(data)):
            self.assertTrue(self.refused(data[:i] + bytes([data[i] ^ 1]) + data[i + 1:]), i)
            self.assertTrue(self.refused(data[:i]))
        for i in range(len(data) - 8):
            self.assertTrue(self.refused(summed(data[:i])), i)

    def test_bytes_that_are_turned_and_summed_again_are_refused_or_say_the_same(self):
        """What is accepted says what was said before: cells alone, groups that agree and lower clearances may differ."""
        source, accepted = seeded(31), 0
        tilings = [[0, 3, 3], [3], [1, 3], [2, 1, 3]]
        body = encode(self.true, tilings)[:-8]
        for _ in range(times(1500)):
            data = bytearray(body)
            for _ in range(source.randint(1, 3)):
                data[source.randrange(12, len(data))] ^= 1 << source.randrange(8)
            data = summed(bytes(data))
            if self.refused(data):
                continue
            accepted += 1
            read = certificates.parse(data)
            for key in ("hashes", "variables", "bodies", "waypoints", "assumptions", "unchecked"):
                self.assertEqual(getattr(read, key), getattr(self.true, key))
            self.assertTrue(all(c >= 0.0 for _, _, c in read.pairs))
        self.assertGreater(accepted, 0)


if __name__ == "__main__":
    unittest.main()
