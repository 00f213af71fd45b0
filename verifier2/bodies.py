"""A body of the scene as the proof sees it: primitives in the coordinates of its frame, a tree over them, what is solid.

Triangles and boxes are their corners, balls and capsules one or two points with a radius, cylinders themselves. Each point
is placed in fixed point and rounded once, so that it is within 2^-50 (1 + its distance from the frame's origin) of where
it belongs: scaling a mesh rounded by 2^-53, placing by 2^-51, doubling of what was exact by nothing.
"""

from itertools import product
from math import dist

import fixed
from motion import UP, norm
from volumes import Cylinder, HalfSpace, Node, Points, tree


class Solid:
    """Geometry of a body: a tree of primitives in the coordinates of `frame`.

    `extent` bounds the distance of its points from the frame's origin; `ball` holds a centre and a radius around them,
    the extent and the frame. `meshes` are those with closed parts, each with its placed vertices; `samples` one point of
    each connected part, and of each primitive.
    """

    def __init__(self, body, scene):
        self.name, self.frame = body.name, body.frame
        frame_from_body = scene.frame_from_link[scene.links.get(body.link, 0)].after(fixed.of_xyz_rpy(body.xyz, body.rpy))
        self.meshes, self.samples = [], []
        self.is_plane = body.parts[0].kind == "plane"
        if self.is_plane:
            normal, point = plane(body.parts[0].sizes, frame_from_body)
            self.tree, self.extent = Node(HalfSpace(normal, point), 0.0, ()), norm(point) * UP
            self.ball = (point, 0.0, self.extent, self.frame)
            return
        primitives = []
        for part in body.parts:
            frame_from_part = frame_from_body.after(fixed.of_xyz_rpy(part.xyz, part.rpy))
            if part.kind == "mesh":
                vertices = [frame_from_part.point(p) for p in part.mesh.vertices]
                primitives += [triangle(vertices, corners) for corners in part.mesh.triangles]
                self.samples += [vertices[v] for v in part.mesh.samples()]
                if part.mesh.has_solid():
                    self.meshes.append((vertices, part.mesh))
            else:
                primitives.append(primitive(part, frame_from_part))
                self.samples.append(frame_from_part.floats()[9:])
        corners = [p for _, some in primitives for p in some]
        most = max(volume.radius for volume, _ in primitives)
        centre = tuple(0.5 * (min(p[k] for p in corners) + max(p[k] for p in corners)) for k in (0, 1, 2))
        self.extent = (max(map(norm, corners)) + most) * UP
        radius = (max(dist(p, centre) for p in corners) + most) * UP + 2.0**-48 * self.extent
        self.ball = (centre, radius, self.extent, self.frame)
        self.tree = tree(primitives)


def triangle(vertices, corners):
    points = tuple(vertices[v] for v in dict.fromkeys(corners))
    return Points(points), points


def primitive(part, pose):
    """A convex part as a volume, and points whose hull its core is in."""
    def at(*p):
        return pose.point(p)

    if part.kind == "box":
        points = tuple(at(*(0.5 * size * side for size, side in zip(part.sizes, sides)))
                       for sides in product((-1.0, 1.0), repeat=3))
        return Points(points), points
    if part.kind == "sphere":
        points = (at(0.0, 0.0, 0.0),)
        return Points(points, part.sizes[0]), points
    radius, half = part.sizes[0], 0.5 * part.sizes[1]
    if part.kind == "capsule":
        points = (at(0.0, 0.0, -half), at(0.0, 0.0, half))
        return Points(points, radius), points
    floats = pose.floats()
    axis = (floats[2], floats[5], floats[8])
    around = tuple(at(*p) for p in product((-radius, radius), (-radius, radius), (-half, half)))
    return Cylinder(floats[9:], axis, radius, half), around


def plane(normal, pose):
    """The normal of a half-space in its frame, of length 1 to 2^-51, and a point of its surface."""
    unit = fixed.unit_vector(normal)
    m = pose.rotation
    turned = tuple(sum(m[i + k] * unit[k] for k in (0, 1, 2)) / fixed.ONE**2 for i in (0, 3, 6))
    return turned, pose.floats()[9:]
