"""Which links can ever touch: an arm in the plane z = 0, on a foot a metre below it."""

from __future__ import annotations

from pathlib import Path

import pytest

import pathproof as pp


def box(name: str, size: str, xyz: str) -> str:
    shape = f"<origin xyz='{xyz}'/><geometry><box size='{size}'/></geometry>"
    return f"<link name='{name}'><collision>{shape}</collision></link>"


def joint(number: int, parent: str, child: str, x: float) -> str:
    ends = f"<parent link='{parent}'/><child link='{child}'/><origin xyz='{x} 0 0'/><axis xyz='0 0 1'/>"
    return f"<joint name='j{number}' type='revolute'>{ends}<limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"


LINKS = [
    box("foot", "0.5 0.5 0.1", "0 0 -1"),
    box("upper", "0.8 0.1 0.1", "0.5 0 0"),
    box("lower", "0.8 0.1 0.1", "0.5 0 0"),
    box("hand", "0.8 0.1 0.1", "0.5 0 0"),
]
JOINTS = [joint(1, "foot", "upper", 0), joint(2, "upper", "lower", 1), joint(3, "lower", "hand", 1)]


def test_which_links_can_touch(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(f"<robot name='arm'>{''.join(LINKS + JOINTS)}</robot>")
    scene = pp.Scene.load(tmp_path / "arm.urdf")
    found = {pair.links: pair for pair in pp.acm(scene, threads=2)}
    kinds = {(a.split("/")[1], b.split("/")[1]): pair.kind for (a, b), pair in found.items()}
    assert kinds == {
        ("foot", "upper"): "adjacent",
        ("foot", "lower"): "never",
        ("foot", "hand"): "never",
        ("upper", "lower"): "adjacent",
        ("upper", "hand"): "sometimes",
        ("lower", "hand"): "adjacent",
    }
    for links, pair in found.items():
        assert pair.proven == (pair.kind == "never") and pair.share is None
        if pair.kind == "never":
            assert pair.lower is not None and 0 < pair.lower <= 0.9
        if pair.configuration is not None:
            answer = pp.Checker(scene).check(pair.configuration[None])
            assert answer.verdict == "collision" and answer.bodies == links


def test_what_acm_refuses(slide: pp.Scene) -> None:
    assert pp.acm(slide) == []
    with pytest.raises(pp.InputError, match="threads must be at least 1"):
        pp.acm(slide, threads=0)
    with pytest.raises(pp.InputError, match="max_seconds"):
        pp.acm(slide, max_seconds=-1)
