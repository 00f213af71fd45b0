"""The readers: meshes, robots, scenes and paths, and what is refused of each."""

import math
import os
import struct
import unittest
from pathlib import Path
from unittest import mock

import support
from support import Folder, refusal
import meshes
from answers import BadInput, OutsideScope
from scene import Scene
from test_apart import CELL, SLIDE
from test_forgeries import WALL, box_obj

CORNERS = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
FACET = "facet normal nan 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 0.1 0\n endloop\nendfacet\n"


def parse(name, data):
    data = data.encode() if isinstance(data, str) else data
    with mock.patch.object(Path, "read_bytes", lambda self: data):
        return meshes.read(Path(name))


def binary(count, header=b""):
    numbers = [float(i + k) for i in range(count) for k in range(12)]
    records = b"".join(struct.pack("<12fH", *numbers[12 * i:12 * i + 12], 7) for i in range(count))
    return header.ljust(80, b" ") + struct.pack("<I", count) + records


class Meshes(unittest.TestCase):
    def refused(self, name, data, kind=(BadInput, OutsideScope)):
        with self.assertRaises(kind, msg=repr(data)):
            parse(name, data)

    def test_stl_is_read_as_text_and_binary(self):
        text = f"solid a facet b\r\n{FACET}endsolid a\nSOLID\n{FACET.upper()}endsolid\n"
        for data in (text, "\ufeff" + text):
            vertices, triangles = parse("a.stl", data)
            self.assertEqual((vertices[2], triangles), ((0.0, 0.1, 0.0), [(0, 1, 2), (3, 4, 5)]))
        vertices, triangles = parse("a.STL", binary(3, b"solid cube"))
        self.assertEqual((vertices[3], len(triangles)), ((4.0, 5.0, 6.0), 3))

    def test_stl_that_ends_early_or_goes_on_is_refused(self):
        whole, text = binary(3), f"solid a\n{FACET}endsolid"
        for length in range(len(whole)):
            self.refused("a.stl", whole[:length])
        for length in range(len(text)):
            self.refused("a.stl", text[:length])
        short = bytearray(whole)
        short[80] = 1
        self.refused("a.stl", bytes(short))
        for wrong in ("hello", text + " x\n" + FACET, text.replace("0.1", "1e13"), text.replace("0.1", "nan"),
                      text.replace("0.1", "0x1"), text.replace("endloop", "vertex 1 1 1 endloop"), "solid a\nendsolid a"):
            self.refused("a.stl", wrong)
        nan = bytearray(whole)
        nan[84 + 20:84 + 24] = struct.pack("<f", math.nan)
        self.refused("a.stl", bytes(nan))

    def test_obj_faces_are_read_in_all_spellings(self):
        for face in ("f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//1 3//1", "f -4 -3 -2", "f 1 2 \\\n 3", "f 1 2 3 # a face"):
            _, triangles = parse("a.obj", f"mtllib m.mtl\n{CORNERS}vn 0 0 1\no x\ns off\n{face}\nl 1 2\n")
            self.assertEqual(triangles, [(0, 1, 2)], face)
        self.assertEqual(parse("a.obj", CORNERS + "f 1 2\nf 1 2 3\n")[1], [(0, 1, 1), (0, 1, 2)])

    def test_obj_that_is_wrong_is_refused(self):
        for line in ("f 1", "f 1 2 5", "f 0 1 2", "f -5 1 2", "f 1 2 x", "f 1 2 3.5", "f 1/x 2 3", "v 0 0", "v 0 0 0 2", "v 0 0 x",
                     "v nan 0 0", "v 0 0 -1e13", "surf 0 1 0 1 1", "call b.obj", "what is this"):
            self.refused("a.obj", f"{CORNERS}{line}\nf 1 2 3\n")
        self.refused("a.obj", CORNERS)
        self.refused("a.obj", b"v 0 0 \xff\n")
        self.refused("a.ply", CORNERS, OutsideScope)

    def test_convex_polygons_are_cut_alike_wherever_their_list_starts(self):
        text = "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 2 2 0\nv 0 2 0\n"
        area = 0.0
        for shift in range(5):
            for step in (1, -1):
                order = [(shift + step * i) % 5 for i in range(5)]
                vertices, triangles = parse("a.obj", text + "f " + " ".join(str(i + 1) for i in order) + "\n")
                self.assertEqual({frozenset(t) for t in triangles}, {frozenset(t) for t in ((0, 1, 2), (0, 2, 3), (0, 3, 4))})
                area = sum(0.5 * ((vertices[b][0] - vertices[a][0]) * (vertices[c][1] - vertices[a][1])
                                  - (vertices[b][1] - vertices[a][1]) * (vertices[c][0] - vertices[a][0]))
                           for a, b, c in triangles)
                self.assertEqual(area, 5.0 * step)
        self.refused("a.obj", "v 0 0 0\nv 2 0 0\nv 0.1 0.1 0\nv 0 2 0\nf 1 2 3 4\n", OutsideScope)
        self.refused("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n", OutsideScope)
        star = [(math.cos(0.8 * math.pi * i), math.sin(0.8 * math.pi * i)) for i in range(5)]
        self.refused("a.obj", "".join(f"v {x} {y} 0\n" for x, y in star) + "f 1 2 3 4 5\n", OutsideScope)


class Robots(unittest.TestCase):
    def scene(self, urdf, toml=WALL, **files):
        return Folder(self, r__urdf=urdf, cell__toml=toml, **files).scene()

    def test_axes_are_scaled_to_length_1(self):
        for axis in ("5 0 0", "1e-200 0 0", "1e11 0 0", None):
            urdf = SLIDE.replace("<axis xyz=\"1 0 0\"/>", f"<axis xyz=\"{axis}\"/>" if axis else "")
            scene = self.scene(urdf)
            self.assertIsNone(refusal(scene, [[0.0], [0.8]]), axis)
            self.assertIn("not shown", refusal(scene, [[0.0], [0.86]]), axis)
        with self.assertRaises(BadInput):
            self.scene(SLIDE.replace("1 0 0", "0 0 0"))

    def test_origins_turn_about_fixed_axes(self):
        """x of the joint's frame becomes y of the world by yaw, whatever roll turned about x before."""
        urdf = SLIDE.replace("<axis", "<origin xyz=\"0 0 0.5\" rpy=\"0.7 0 1.5707963267948966\"/><axis")
        scene = self.scene(urdf, CELL + "sphere = 0.1\nxyz = [0, 1, 0.5]")
        self.assertIsNone(refusal(scene, [[0.0], [0.79]]))
        self.assertIn("not shown", refusal(scene, [[0.0], [0.81]]))

    def test_meshes_are_scaled_and_mirrored_with_their_outside_outside(self):
        for scale, is_far in (("0.001 0.001 0.001", True), ("-0.001 0.001 0.001", True), ("-0.001 -0.001 -0.001", True), ("1 1 1", False)):
            urdf = SLIDE.replace("<sphere radius=\"0.1\"/>", f"<mesh filename=\"m.obj\" scale=\"{scale}\"/>")
            scene = self.scene(urdf, m__obj=box_obj((200, 200, 200)))
            self.assertEqual(refusal(scene, [[0.0], [0.84]]) is None, is_far, scale)
            found = scene.bodies[0].parts[0].mesh
            volume = sum(
                sum(p[k] * (q[k - 2] * r[k - 1] - q[k - 1] * r[k - 2]) for k in range(3))
                for p, q, r in ([found.vertices[v] for v in t] for t in found.triangles))
            self.assertGreater(volume, 0.0)
        toml = CELL + "mesh = \"m.obj\"\nscale = 0.001\nxyz = [0.5, 0, 0]"
        scene = self.scene(SLIDE, toml, m__obj=box_obj((200, 200, 200)))
        self.assertIsNone(refusal(scene, [[0.0], [0.299]]))
        self.assertIn("not shown", refusal(scene, [[0.0], [0.301]]))
        with self.assertRaises(BadInput):
            self.scene(SLIDE, toml.replace("0.001", "[1, 0, 1]"), m__obj=box_obj((2, 2, 2)))

    def test_packages_are_found_where_the_scene_says_above_the_robot_and_in_the_environment(self):
        urdf = SLIDE.replace("<sphere radius=\"0.1\"/>", "<mesh filename=\"package://p/m.obj\"/>")
        folder = Folder(self, cell__toml=CELL.replace("r.urdf", "a/b/r.urdf") + "sphere = 0.1\nxyz = [1, 0, 0]").path
        for name in ("a/b", "a/p", "elsewhere/p", "stack/x/p", "declared"):
            (folder / name).mkdir(parents=True)
        (folder / "a/b/r.urdf").write_text(urdf)
        with self.assertRaises(BadInput):
            Scene(folder / "cell.toml")
        mesh = box_obj((0.2, 0.2, 0.2))
        for variable, place, root in (("ROS_PACKAGE_PATH", "elsewhere/p/m.obj", "elsewhere"),
                                      ("GZ_SIM_RESOURCE_PATH", "stack/x/p/m.obj", "stack"), (None, "a/p/m.obj", "")):
            (folder / place).write_text(mesh)
            with mock.patch.dict(os.environ, {variable or "NONE": f"{folder / 'nothing'}{os.pathsep}{folder / root}"}):
                self.assertEqual(len(Scene(folder / "cell.toml").bodies), 2, place)
            (folder / place).unlink()
        (folder / "declared/package.xml").write_text("<package><name> p </name></package>")
        (folder / "declared/m.obj").write_text(mesh)
        (folder / "declared/r.urdf").write_text(urdf)
        self.assertEqual(len(Scene(folder / "declared/r.urdf").bodies), 1)
        said = (folder / "cell.toml").read_text().replace("b/r.urdf\"", "b/r.urdf\", packages = { p = \"declared\" }")
        (folder / "cell.toml").write_text(said)
        self.assertEqual(len(Scene(folder / "cell.toml").bodies), 2)

    def test_robots_that_are_no_trees_are_refused(self):
        joint = "<joint name=\"{}\" type=\"{}\"><parent link=\"{}\"/><child link=\"{}\"/>{}</joint>"
        for more in (joint.format("k", "fixed", "ball", "base", ""), joint.format("k", "fixed", "base", "ball", ""),
                     joint.format("k", "fixed", "ball", "none", ""), "<link name=\"base\"/>", "<link name=\"alone\"/>",
                     "<link name=\"t\"/>" + joint.format("x", "fixed", "ball", "t", ""),
                     "<link name=\"t\"/>" + joint.format("k", "revolute", "ball", "t", ""),
                     "<link name=\"t\"/>" + joint.format("k", "ball", "ball", "t", ""),
                     "<link name=\"t\"/>" + joint.format("k", "continuous", "ball", "t", "<mimic joint=\"y\"/>"),
                     "<link name=\"a\"/><link name=\"b\"/>" + joint.format("k", "fixed", "a", "b", "") + joint.format("l", "fixed", "b", "a", "")):
            with self.assertRaises(BadInput, msg=more):
                self.scene(SLIDE.replace("</robot>", more + "</robot>"))

    def test_scenes_that_are_wrong_are_refused(self):
        for toml in ("", "clearance = nan\n" + WALL, WALL + "sphere = 1\n", WALL.replace("box", "# box"), WALL + "attach = \"r/none\"\n",
                     WALL.replace("[0.1, 2, 2]", "[0.1, 0, 2]"), WALL + WALL[WALL.index("[["):], WALL.replace("\"wall\"", "\"a/b\""),
                     WALL + "touch = [\"nobody\"]\n", WALL + "scale = 2\n", WALL.replace("[1, 0, 0]", "[1, 0]"),
                     WALL + "[[pairs]]\nbodies = [\"r/ball\", \"nobody\"]\ncheck = true\n",
                     WALL + "[[pairs]]\nbodies = [\"r/ball\", \"r/ball\"]\ncheck = true\n",
                     WALL + "[[pairs]]\nbodies = [\"r/base\", \"wall\"]\ncheck = true\n",
                     WALL + "[[pairs]]\nbodies = [\"r/ball\", \"wall\"]\n", WALL.replace("r.urdf", "none.urdf"),
                     WALL.replace("}]", ", positions = { y = 1 } }]"), WALL.replace("}]", ", bounds = { x = [0, 1] } }]")):
            with self.assertRaises((BadInput, OutsideScope), msg=toml):
                self.scene(SLIDE, toml)


TWO = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
<link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/><limit lower="-1" upper="1"/></joint>
<joint name="y" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>
<joint name="m" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/><limit lower="-0.6" upper="0.9"/>
<mimic joint="x" multiplier="-0.5" offset="0.25"/></joint>
<joint name="f" type="planar"><parent link="c"/><child link="ball"/><axis xyz="0 0 -1"/></joint></robot>"""


class Paths(unittest.TestCase):
    def read(self, text, toml=CELL + "sphere = 1\n", ignore_limits=False):
        folder = Folder(self, r__urdf=TWO, cell__toml=toml, path__csv=text)
        return support.read_path(folder.scene(), folder.path / "path.csv", ignore_limits)

    def test_columns_may_be_in_any_order_with_other_separators_and_comments(self):
        expected = [[0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.2, 0.3, 0.4, 0.5]]
        for text in ("x,y,f.x,f.y,f.theta\n0.1,.2,3e-1,0.4,5e-1\n0.2,0.2,0.3,0.4,0.5\n",
                     "# a path\ntime; r/y;x;f.theta;f.y;f.x\n\n0;0.2;0.1;0.5;0.4;0.3\r\n# and on\n1;0.2;0.2;0.5;0.4;0.3",
                     "y\tx\tf.theta\tf.y\tf.x\n0.2\t0.1\t0.5\t0.4\t0.3\n0.2\t0.2\t0.5\t0.4\t0.3\n"):
            self.assertEqual(self.read(text), expected, text)

    def test_positions_stand_for_columns_that_are_left_out(self):
        toml = CELL.replace(" }]", ", positions = { y = 0.5, \"f.x\" = 0, \"f.y\" = 0, \"f.theta\" = 1 } }]") + "sphere = 1\n"
        self.assertEqual(self.read("x\n0.1\n", toml), [[0.1, 0.5, 0.0, 0.0, 1.0]])
        self.assertEqual(self.read("x,y\n0.1,0.2\n", toml), [[0.1, 0.2, 0.0, 0.0, 1.0]])

    def test_mimic_joints_must_agree_and_keep_their_own_limits(self):
        head = "x,y,f.x,f.y,f.theta,m\n"
        self.assertEqual(self.read(head + "0.5,0,0,0,0,0.0000005\n")[0][0], 0.5)
        for row in ("0.5,0,0,0,0,0.000002\n", "0.5,0,0,0,0,0.25\n"):
            with self.assertRaises(BadInput):
                self.read(head + row)
        # 0.25 − 0.5 x is above 0.9 where x is below −1.3, and x has limits of its own.
        with self.assertRaises(BadInput):
            self.read("x,y,f.x,f.y,f.theta\n1.01,0,0,0,0\n")
        self.assertEqual(len(self.read("x,y,f.x,f.y,f.theta\n1.01,0,0,0,0\n", ignore_limits=True)), 1)
        narrow = TWO.replace("upper=\"0.9\"", "upper=\"0.5\"")
        folder = Folder(self, r__urdf=narrow, cell__toml=CELL + "sphere = 1\n", path__csv="x,y,f.x,f.y,f.theta\n-0.6,0,0,0,0\n")
        with self.assertRaisesRegex(BadInput, "r/m is 0.55"):
            support.read_path(folder.scene(), folder.path / "path.csv")

    def test_paths_that_are_wrong_are_refused(self):
        head = "x,y,f.x,f.y,f.theta\n"
        for text in ("", head, "x,y\n0,0\n", head + "0,0,0,0\n", head + "0,0,0,0,0,0\n", head + "0,0,0,0,nan\n", head + "0,0,0,0,1_0\n",
                     head.replace("y", "z") + "0,0,0,0,0\n", "x," + head + "0,0,0,0,0,0\n", head + "0,0,0,0,0x1\n",
                     head + "2,0,0,0,0\n", head + "0,0,1e7,0,0\n", "\"x\"" + head[1:] + "0,0,0,0,0\n"):
            with self.assertRaises((BadInput, OutsideScope), msg=text):
                self.read(text)

    def test_mimics_and_planar_joints_move_as_they_should(self):
        """x + m + f.x = 0.5 x + 0.25 + f.x; for the axis −z the half turn about x makes y of the plane −y."""
        toml = CELL + "sphere = 0.1\nxyz = [1, 0.5, 0]\n"
        scene = Folder(self, r__urdf=TWO, cell__toml=toml).scene()
        path = [[0.5, 0.0, 0.5, -0.5, 0.0], [0.5, 0.0, 0.5, 0.0, 9.0]]
        self.assertIn("t = 0.0", refusal(scene, path[:1]))
        self.assertIn("not shown", refusal(scene, path))
        self.assertIsNone(refusal(scene, [[0.5, 0.0, 0.5, 0.5, 0.0], [0.5, 0.0, 0.5, -0.29, 9.0]]))
        self.assertIsNone(refusal(scene, [[0.0, 0.0, 0.5, -0.5, 0.0]]))


if __name__ == "__main__":
    unittest.main()
