"""A cell whose answers are known by hand, as in the tests of the command line, and an arm with two turning joints."""

from __future__ import annotations

from pathlib import Path

import pytest

import pathproof as pp

SLIDE = """<robot name='r'><link name='rail'/>
<link name='ball'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
<joint name='slide' type='prismatic'><parent link='rail'/><child link='ball'/><axis xyz='1 0 0'/>
<limit lower='-1' upper='2' effort='1' velocity='1'/></joint></robot>"""

CELL = """[[robots]]
name = "r"
urdf = "r.urdf"

[[obstacles]]
name = "wall"
box = [0.02, 2, 2]
xyz = [1, 0, 0]

[[obstacles]]
name = "post"
sphere = 0.1
xyz = [-0.8, 0, 0]
"""

ARM = """<robot name='arm'><link name='base'/>
<link name='upper'><collision><origin xyz='0.5 0 0'/><geometry><box size='1 0.1 0.1'/></geometry></collision></link>
<link name='lower'><collision><origin xyz='0.5 0 0'/><geometry><box size='0.9 0.1 0.1'/></geometry></collision></link>
<link name='tool'/>
<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/>
<limit lower='-3' upper='3' effort='1' velocity='1'/></joint>
<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/>
<limit lower='-2.5' upper='2.5' effort='1' velocity='1'/></joint>
<joint name='flange' type='fixed'><parent link='lower'/><child link='tool'/><origin xyz='1 0 0'/></joint></robot>"""

ARM_SRDF = """<robot name='arm'><group name='g'><joint name='shoulder'/><joint name='elbow'/></group>
<group_state name='home' group='g'><joint name='shoulder' value='0.5'/><joint name='elbow' value='-0.5'/></group_state>
</robot>"""


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    """A ball of radius 0.1 on a slide along x: it touches the wall at 0.89 and the post at -0.6."""
    (tmp_path / "r.urdf").write_text(SLIDE)
    (tmp_path / "cell.toml").write_text(CELL)
    return tmp_path / "cell.toml"


@pytest.fixture
def slide(cell: Path) -> pp.Scene:
    return pp.Scene.load(cell)


@pytest.fixture
def arm(tmp_path: Path) -> pp.Scene:
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "arm.srdf").write_text(ARM_SRDF)
    post = pp.Box("post", size=(0.1, 0.1, 1.0), xyz=(0.0, 1.5, 0.0))
    return pp.Scene.from_urdf(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf", obstacles=[post])
