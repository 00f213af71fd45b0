"""Beside the Rust program: certificates that it writes, what both say of them, and what both read in a scene.

Needs the program (built by `cargo build`, or named by PATHPROOF); the shared paths and the exported forgeries where they are.
"""

import collections
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import support
from support import Folder, IS_LONG, ROOT, pathproof, program, seeded, times
import certificate as certificates
import test_pairs as pairs
from answers import OutsideScope, Refused
from scene import Scene
from test_apart import CELL, SLIDE
from verify import Verifier

SHARED = ROOT.parent / "shared" / "data"
EXPORTED = Path(os.environ.get("VERIFIER2_FORGERIES", "none"))
MANUAL = ROOT / "docs" / "scene-file.md"


def skipped(reason):
    print(f"SKIPPED: {reason}")
    return unittest.SkipTest(reason)


def answer(*arguments):
    """Exit status and output of this program, run as a user does."""
    done = subprocess.run([sys.executable, str(ROOT / "verifier2" / "verify.py"), *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def judge(verifier, path, proof):
    """What this verifier says of a certificate: accepted, refused or outside."""
    try:
        if isinstance(verifier, Exception):
            raise verifier
        verifier.verify(support.read_path(verifier.scene, Path(path), True), certificates.parse(Path(proof).read_bytes()))
    except Refused as refusal:
        return "refused", str(refusal)
    except OutsideScope as refusal:
        return "outside", str(refusal)
    return "accepted", ""


def verifier_of(scene):
    try:
        return Verifier(Scene(Path(scene)))
    except OutsideScope as refusal:
        return refusal


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not program():
            raise skipped("the program pathproof is not built")

    def proof(self, folder, name="proof.ppc", *options):
        made = folder / name
        done = pathproof("check", folder / "cell.toml", folder / "path.csv", "--certificate", made, *options)
        return made if made.is_file() else self.fail(done.stdout + done.stderr)

    def test_what_the_program_proves_is_accepted_and_tampering_is_refused(self):
        folder = Folder(self, r__urdf=SLIDE, path__csv="x\n0\n0.8\n-0.5\n", cell__toml=CELL + "box = [0.1, 2, 2]\nxyz = [1, 0, 0]\n").path
        files = [folder / "cell.toml", folder / "path.csv", self.proof(folder)]
        status, text = answer(*files)
        self.assertEqual(status, 0, text)
        self.assertIn("accepted: 2 segments, 1 pairs of bodies", text)
        self.assertEqual(answer(*files, "--clearance", "0.01")[0], 1)
        self.assertEqual(answer(*files, "--max-seconds", "0")[0], 1)
        (folder / "path.csv").write_text("x\n0\n0.81\n-0.5\n")
        self.assertEqual(answer(*files)[0], 1)
        for text in ("x\n0\n9.5\n", "y\n0\n", ""):
            (folder / "path.csv").write_text(text)
            self.assertEqual(answer(*files)[0], 2)
        self.assertEqual(answer(folder / "cell.toml", folder / "none.csv", files[2])[0], 2)

    def test_the_cell_of_the_manual_is_read_and_proven_alike(self):
        """Every key of a scene file, by the page that documents them."""
        blocks = MANUAL.read_text(encoding="utf-8").split("<!-- file: ")[1:]
        files = {name: body.split("```")[1].partition("\n")[2] for name, body in (block.split(" -->", 1) for block in blocks)}
        folder = Folder(self, **{name.replace(".", "__"): text for name, text in files.items()}).path
        cell = (folder / "cell.toml").read_text()
        # Holes to be closed are outside the scope of this verifier.
        cell = cell.replace("solid = true ", "solid = false ")
        # And so is an obstacle that is a URDF.
        obstacles = cell.split("[[obstacles]]")
        kept = [one for one in obstacles if "urdf = \"rack.urdf\"" not in one]
        self.assertEqual(len(kept), len(obstacles) - 1)
        (folder / "cell.toml").write_text("[[obstacles]]".join(kept))
        (folder / "crate.obj").write_text(files["crate.obj"] + "f 8 10 9\n")
        self.assertEqual(*self.both(folder))

    def both(self, folder):
        """What both verifiers say of the program's own certificate."""
        proof = self.proof(folder)
        rust = pathproof("verify", folder / "cell.toml", folder / "path.csv", proof)
        status, text = answer(folder / "cell.toml", folder / "path.csv", proof)
        return (rust.returncode, rust.stdout[:8]), (status, text[:8])

    def test_random_rules_lead_to_the_same_pairs_and_clearances(self):
        source, compared = seeded(61), 0
        names = ["r/a", "r/b", "r/c", "r/base", "s/c", "wall", "rod", "r", "s", "*", "r/*", "*a*", "*/d"]
        for _ in range(times(6)):
            text = pairs.CELL
            for _ in range(source.randint(1, 6)):
                rule = source.choice(["check = true", "check = false", "clearance = 0.001", "check = true\nclearance = 0.5"])
                text += "[[pairs]]\nbodies = [\"{}\", \"{}\"]\n{}\n".format(*source.sample(names, 2), rule)
            robot = pairs.ROBOT.format(links=pairs.LINKS, joints=pairs.JOINTS)
            folder = Folder(self, r__urdf=robot, r__srdf=pairs.SRDF, cell__toml=text).path
            said = pathproof("scene", folder / "cell.toml", "--pairs", "--json")
            if said.returncode != 0:
                continue
            compared += 1
            rust = {frozenset(one["bodies"]): one["clearance"] for one in json.loads(said.stdout)["pairs"]["list"] if one["checked"]}
            scene = Scene(folder / "cell.toml")
            own = {frozenset(scene.bodies[body].name for body in pair): c for pair, (c, _) in scene.required(None).items()}
            self.assertEqual(own, rust, text)
        self.assertGreater(compared, 0)


class Shared(unittest.TestCase):
    """The paths of a sampling planner for a Panda among shelves and boxes: 140, a seeded dozen in the short form."""

    def test_shared_paths_are_judged_alike(self):
        folders = sorted(folder for folder in (SHARED / "problems" / "panda_paths").glob("*") if folder.is_dir())
        if not folders or not program():
            raise skipped("the shared paths or the program are not there")
        folders = folders if IS_LONG else seeded(71).sample(folders, 12)
        out, tally = Folder(self).path, collections.Counter()
        for folder in folders:
            proof = out / f"{folder.name}.ppc"
            said = pathproof("check", folder / "scene.toml", folder / "path.csv", "--certificate", proof, "--any", "--json")
            verdict = json.loads(said.stdout)["verdict"]
            verifier = Verifier(Scene(folder / "scene.toml"))
            if verdict == "free":
                self.assertEqual(judge(verifier, folder / "path.csv", proof), ("accepted", ""), folder.name)
            elif verdict == "collision":
                waypoints = support.read_path(verifier.scene, folder / "path.csv", True)
                with self.assertRaises(Refused, msg=folder.name):
                    verifier.show(waypoints, {pair: c for pair, (c, _) in verifier.scene.required(None).items()})
            tally[verdict] += 1
        print(f"shared paths: {dict(tally)}")
        self.assertGreater(tally["free"], 0)


class Exported(unittest.TestCase):
    """Forgeries and changes that the Rust tests make (verifier/tests/verifier/exports.rs), with what Rust says of each."""

    def setUp(self):
        if not (EXPORTED / "manifest.tsv").is_file():
            raise skipped("VERIFIER2_FORGERIES names no folder of exported forgeries")

    def test_forgeries_are_refused_as_the_rust_verifier_refuses_them(self):
        tally, scene, verifier = collections.Counter(), None, None
        for line in (EXPORTED / "manifest.tsv").read_text(encoding="utf-8").splitlines():
            at, path, proof, rust, is_refuted, kind = line.split("\t")
            if at != scene:
                scene, verifier = at, verifier_of(at)
            mine, why = judge(verifier, path, proof)
            tally[kind, rust, mine] += 1
            if is_refuted == "1":
                self.assertNotEqual(mine, "accepted", line)
            if mine == "accepted":
                # Cells that show too little are no concern of this verifier, which finds its own: the claim holds.
                self.assertIn(rust, ("accepted", "not_shown", "too_much_work"), line)
            if rust == "accepted":
                self.assertNotEqual(mine, "refused", line + why)
        for (kind, rust, mine), count in sorted(tally.items()):
            print(f"{count:6} {kind}: {rust}, here {mine}")
        self.assertGreater(sum(tally.values()), 100)

    def test_the_proof_of_the_demo_is_accepted(self):
        demo = EXPORTED / "demo"
        if not demo.is_dir():
            raise skipped("the demo was not exported")
        files = (demo / "back.csv", demo / "back.ppc")
        verifier = verifier_of(demo / "scene.toml")
        self.assertEqual(judge(verifier, *files), ("accepted", ""))
        certificate = certificates.parse(files[1].read_bytes())
        waypoints = support.read_path(verifier.scene, files[0])
        self.assertEqual(verifier.verify(waypoints, certificate, 0.005)[0], len(waypoints) - 1)
        with self.assertRaises(Refused):
            verifier.verify(waypoints, certificate, 0.00501)


if __name__ == "__main__":
    unittest.main()
