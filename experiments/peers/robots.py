"""A scene for HPP and for pinocchio with coal, from the files that `descriptions` wrote. Only inside an environment that has them."""

import time

import coal
import numpy as np
import pinocchio


def base_pose(scene):
    base = scene["robots"][0]
    rotation = pinocchio.rpy.rpyToMatrix(np.array(base.get("rpy", [0, 0, 0]), dtype=float))
    return pinocchio.SE3(rotation, np.array(base.get("xyz", [0, 0, 0]), dtype=float))


def replace_by_hulls(geometry):
    for item in geometry.geometryObjects:
        if hasattr(item.geometry, "buildConvexHull"):
            # Not buildConvexRepresentation: that calls the mesh itself convex, and on one that is not
            # (panda_link6) the search for support points gets stuck and collisions are missed.
            item.geometry.buildConvexHull(True, "Qt")
            item.geometry = item.geometry.convex


def hpp_device(folder, scene, hulls):
    """HPP's robot among the obstacles; with `hulls` every mesh is replaced by its convex hull."""
    from pyhpp.pinocchio import Device, urdf

    robot = Device("hulls" if hulls else "meshes")
    files = [str(folder / name) for name in ("robot.urdf", "robot.srdf", "obstacles.urdf")]
    urdf.loadModel(robot, 0, "", "anchor", files[0], files[1], base_pose(scene))
    urdf.loadModel(robot, 0, "obstacle", "anchor", files[2], "", pinocchio.SE3.Identity())
    if hulls:
        replace_by_hulls(robot.geomModel())
    return robot


class CoalRobot:
    """pinocchio's robot with coal's geometry: one call tells whether a configuration collides.

    Contacts are not computed and the first one ends a call; `overhead_us` is what a call costs from Python on a robot
    without joints and bodies.
    """

    def __init__(self, folder, scene, hulls):
        self.model = pinocchio.buildModelFromUrdf(str(folder / "robot.urdf"))
        self.geometry = pinocchio.buildGeomFromUrdf(self.model, str(folder / "robot.urdf"), pinocchio.COLLISION)
        world_from_base = base_pose(scene)
        obstacle_model = pinocchio.buildModelFromUrdf(str(folder / "obstacles.urdf"))
        obstacles = pinocchio.buildGeomFromUrdf(obstacle_model, str(folder / "obstacles.urdf"), pinocchio.COLLISION)
        for item in obstacles.geometryObjects:
            # The robot stays where it is, the obstacles are moved: the same relative to each other.
            placed = world_from_base.actInv(item.placement)
            self.geometry.addGeometryObject(pinocchio.GeometryObject(item.name, 0, 0, placed, item.geometry))
        self.geometry.addAllCollisionPairs()
        pinocchio.removeCollisionPairs(self.model, self.geometry, str(folder / "robot.srdf"))
        if hulls:
            replace_by_hulls(self.geometry)
        self.data, self.geometry_data = self.model.createData(), pinocchio.GeometryData(self.geometry)
        for request in self.geometry_data.collisionRequests:
            request.enable_contact = False
            request.num_max_contacts = 1
        # A tree over the bodies' boxes: three times faster here than asking about every pair.
        manager = pinocchio.BroadPhaseManager_DynamicAABBTreeCollisionManager
        self.arguments = self.model, self.data, manager(self.model, self.geometry, self.geometry_data)
        self.joints = [name for name in self.model.names if name != "universe"]

    def collides(self, q):
        return pinocchio.computeCollisions(*self.arguments, q, True)


def call_overhead_us(rounds=2000):
    """Microseconds that the call of `CoalRobot.collides` itself costs."""
    model, geometry = pinocchio.Model(), pinocchio.GeometryModel()
    geometry_data = pinocchio.GeometryData(geometry)
    manager = pinocchio.BroadPhaseManager_DynamicAABBTreeCollisionManager(model, geometry, geometry_data)
    arguments = model, model.createData(), manager, np.zeros(0), True
    times = []
    for _ in range(5):
        start = time.thread_time_ns()
        for _ in range(rounds):
            pinocchio.computeCollisions(*arguments)
        times.append((time.thread_time_ns() - start) / 1000 / rounds)
    return min(times)


def versions():
    return {"pinocchio": pinocchio.__version__, "coal": coal.__version__}
