"""Which pairs are checked: every rule by itself, later entries over earlier ones, patterns; and random rules against a
plain reading of docs/scene-file.md."""

import fnmatch
import unittest

import support
from support import Folder, seeded, times
from answers import OutsideScope  # noqa: E402

ROBOT = """<robot name="r"><link name="base"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
{links}{joints}</robot>"""
LINK = "<link name=\"{}\"><collision><geometry><sphere radius=\"0.01\"/></geometry></collision></link>"
JOINT = "<joint name=\"{0}\" type=\"{1}\"><parent link=\"{2}\"/><child link=\"{3}\"/></joint>"
# base – turning – a – fixed – b – turning – c, and d turning on a.
LINKS = "".join(map(LINK.format, "abcd")) + "<link name=\"bare\"/>"
JOINTS = "".join(JOINT.format(*one) for one in (
    ("1", "continuous", "base", "a"), ("2", "fixed", "a", "b"), ("3", "continuous", "b", "c"), ("4", "continuous", "a", "d"),
    ("5", "fixed", "c", "bare")))
CELL = """robots = [{ name = "r", urdf = "r.urdf", srdf = "r.srdf" }, { name = "s", urdf = "r.urdf" }]
[[obstacles]]
name = "wall"
sphere = 1
[[obstacles]]
name = "floor"
plane = [0, 0, 1]
[[obstacles]]
name = "rod"
sphere = 0.1
attach = "r/bare"
touch = ["r/d", "r/bare"]
"""
SRDF = """<robot name="r"><disable_collisions link1="base" link2="c" reason="Never"/><disable_collisions link1="a" link2="nobody"/>
<disable_default_collisions link="d"/><enable_collisions link1="d" link2="b"/></robot>"""


class Pairs(unittest.TestCase):
    def scene(self, more=""):
        robot = ROBOT.format(links=LINKS, joints=JOINTS)
        return Folder(self, r__urdf=robot, r__srdf=SRDF, cell__toml=CELL + more).scene()

    def names(self, scene, pairs):
        return {frozenset(scene.bodies[body].name for body in pair[:2]) for pair in pairs}

    def checked(self, more=""):
        scene = self.scene(more)
        return self.names(scene, scene.checked)

    def test_defaults(self):
        scene = self.scene()
        checked, unchecked = (self.names(scene, pairs) for pairs in (scene.checked, scene.unchecked))
        own = {frozenset(f"s/{link}" for link in pair) for pair in (("base", "b"), ("base", "c"), ("base", "d"), ("a", "c"), ("b", "d"), ("c", "d"))}
        # The fixed link between two joints does not hide a neighbour: base and b, a and c are checked.
        self.assertLessEqual(own, checked)
        self.assertEqual({p for p in checked if all(name.startswith("s/") for name in p)}, own)
        disabled = {frozenset(("r/base", "r/c"))} | {frozenset(("r/d", other)) for other in ("r/base", "r/a", "r/c")}
        self.assertLessEqual(disabled, unchecked)
        self.assertIn(frozenset(("r/d", "r/b")), checked)
        # Adjacent by one movable joint.
        self.assertLessEqual({frozenset(p) for p in (("r/base", "r/a"), ("r/b", "r/c"), ("s/a", "s/d"))}, unchecked)
        # Rigid: in neither.
        for pair in (("r/a", "r/b"), ("wall", "floor"), ("r/base", "s/base"), ("r/base", "wall")):
            self.assertNotIn(frozenset(pair), checked | unchecked)
        # An object in hand is checked like a link, but for its links and what it may touch; no SRDF holds for it.
        self.assertLessEqual({frozenset(("rod", other)) for other in ("r/base", "r/a", "r/b", "wall", "floor", "s/c")}, checked)
        self.assertLessEqual({frozenset(("rod", "r/c")), frozenset(("rod", "r/d"))}, unchecked)
        self.assertEqual(len(checked) + len(unchecked), 13 * 12 // 2 - 8)

    def test_reasons_are_told_in_words(self):
        entry = "[[pairs]]\nbodies = [\"r/a\", \"r/b\"]\ncheck = false\n[[pairs]]\nbodies = [\"s\", \"wall\"]\ncheck = false\n"
        scene = self.scene(entry)
        reasons = {frozenset((scene.bodies[a].name, scene.bodies[b].name)): reason for a, b, reason in scene.unchecked}
        for a, b, expected in (("r/base", "r/a", "parent and child of the joint r/1"), ("r/base", "r/c", "disabled by the SRDF (Never)"),
                               ("r/c", "r/d", "disabled by the SRDF (disabled by default)"), ("rod", "r/c", "attached there, or may touch"),
                               ("rod", "r/d", "attached there, or may touch"), ("r/a", "r/b", "check = false in the scene"),
                               ("s/c", "wall", "check = false in the scene"), ("s/base", "wall", None), ("s/a", "s/b", None)):
            self.assertEqual(reasons.get(frozenset((a, b))), expected, (a, b))
        self.assertEqual(scene.unchecked, sorted(scene.unchecked))

    def test_later_entries_override_earlier_ones(self):
        entry = "[[pairs]]\nbodies = [\"{}\", \"{}\"]\n{}\n".format
        pair = frozenset(("r/c", "wall"))
        off, on = "check = false", "check = true"
        for entries, expected in (
                ([("r/c", "wall", off)], False), ([("r/c", "wall", off), ("wall", "r/c", on)], True),
                ([("r", "wall", off)], False), ([("r/*", "w*l", off), ("*", "*", on)], True),
                ([("r/c", "wall", off), ("r/c", "wall", "clearance = 0.1")], True),
                ([("r/c", "wall", off), ("r/*", "wall", "clearance = 0.1")], False),
                ([("r/*", "wall", off), ("r/bare", "wall", off)], False)):
            self.assertEqual(pair in self.checked("".join(entry(*one) for one in entries)), expected, entries)
        # A pattern does not reach what nothing can move; two names do.
        rigid = frozenset(("r/a", "r/b"))
        self.assertNotIn(rigid, self.checked(entry("*", "*", on)))
        self.assertIn(rigid, self.checked(entry("r/a", "r/b", on)))
        self.assertIn(frozenset(("r/base", "r/a")), self.checked(entry("*", "*", on)))

    def test_a_virtual_joint_moves_nothing_and_a_base_that_moves_is_out_of_scope(self):
        robot = ROBOT.format(links=LINKS, joints=JOINTS)
        for kind in ("fixed", "planar", "floating"):
            joint = f'<virtual_joint name="v" type="{kind}" parent_frame="w" child_link="base"/></robot>'
            files = {"r__urdf": robot, "r__srdf": SRDF.replace("</robot>", joint)}
            self.assertEqual(Folder(self, **files, cell__toml=CELL).scene().variables, self.scene().variables)
            moving = CELL.replace('name = "r",', 'name = "r", base = "planar",', 1)
            self.assertRaises(OutsideScope, Folder(self, **files, cell__toml=moving).scene)

    def test_clearances_are_the_scenes_or_a_pairs_own(self):
        more = "".join("[[pairs]]\nbodies = [\"{}\", \"{}\"]\nclearance = {}\n".format(*one) for one in (
            ("r", "wall", 0.25), ("r/c", "wall", 0.5), ("*", "floor", 0.125)))
        scene = Folder(self, r__urdf=ROBOT.format(links=LINKS, joints=JOINTS), r__srdf=SRDF,
                       cell__toml="clearance = 0.01\nself_clearance = 0.003\n" + CELL + more).scene()
        number = {body.name: i for i, body in enumerate(scene.bodies)}
        for replaced in (None, 0.02):
            required = scene.required(replaced)
            default = replaced or 0.01
            for a, b, expected, keeps_default in (
                    ("r/a", "wall", 0.25, False), ("r/c", "wall", 0.5, False), ("s/c", "floor", 0.125, False),
                    ("s/c", "wall", default, True), ("rod", "wall", default, True), ("r/c", "s/c", default, True),
                    ("s/base", "s/c", 0.003, False)):
                self.assertEqual(required[tuple(sorted((number[a], number[b])))], (expected, keeps_default), (a, b))
        within = scene.required(None, 0.004)[tuple(sorted((number["s/base"], number["s/c"])))]
        self.assertEqual(within, (0.004, False))

    def test_random_entries_are_applied_as_the_manual_says(self):
        source = seeded(51)
        scene = self.scene()
        bodies = [body.name for body in scene.bodies]
        frames = [body.frame for body in scene.bodies]
        defaults = {(a, b): (a, b) in scene.checked for a in range(len(bodies)) for b in range(a + 1, len(bodies))}
        for _ in range(times(25)):
            entries, state = [], {pair: [is_checked, None] for pair, is_checked in defaults.items()}
            for _ in range(source.randint(1, 6)):
                names = [source.choice([*bodies, "r", "s", "*", "r/*", "*a*", "s/*"]) for _ in range(2)]
                check, clearance = source.choice([(True, None), (False, None), (None, 0.5), (True, 0.25)])
                if names[0] == names[1] and names[0] in bodies:
                    continue
                entries.append((names, check, clearance))
                patterns = [name + "/*" if name in "rs" else name for name in names]
                is_exact = all(name in bodies for name in names)
                for (a, b), pair in state.items():
                    first, second = ([fnmatch.fnmatchcase(bodies[body], pattern) for pattern in patterns] for body in (a, b))
                    if not (first[0] and second[1] or first[1] and second[0]):
                        continue
                    pair[1] = clearance if clearance is not None else pair[1]
                    if is_exact or clearance is None and (check is False or frames[a] != frames[b]):
                        pair[0] = check is not False
            text = ""
            for names, check, clearance in entries:
                text += f"[[pairs]]\nbodies = [\"{names[0]}\", \"{names[1]}\"]\n"
                text += "" if check is None else f"check = {str(check).lower()}\n"
                text += "" if clearance is None else f"clearance = {clearance}\n"
            expected = {pair: own for pair, (is_checked, own) in state.items() if is_checked}
            self.assertEqual(self.scene(text).checked, expected, text)


if __name__ == "__main__":
    unittest.main()
