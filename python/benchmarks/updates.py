"""What `checker.updated(scene)` costs beside a new checker, after changes of several kinds.

    python updates.py SCENE…

Each line is the least of several rounds; a scene is loaded anew for "new", so that nothing of it is shared.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pathproof as pp


def least(work: Callable[[], object], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        before = time.perf_counter()
        work()
        times.append(time.perf_counter() - before)
    return min(times)


def main(file: Path) -> None:
    scene = pp.Scene.load(file).with_obstacle(pp.Box("part", size=(0.1, 0.1, 0.1), xyz=(3, 3, 3)))
    checker = pp.Checker(scene)
    load = least(lambda: pp.Scene.load(file))
    link = next(name for name in reversed(scene.links) if "/" in name)
    changes = {
        "nothing": scene,
        "another clearance": scene.with_clearance(0.01),
        "a part moved": scene.moved("part", xyz=(3, 3, 3.1)),
        "a part taken away": scene.without("part"),
        "a part grasped": scene.attached("part", link, [0.0] * scene.dof, ignore_limits=True),
    }
    new = least(lambda: pp.Checker(pp.Scene.load(file))) - load
    print(f"{file}: {checker}, new {new * 1e3:.1f} ms")
    for name, changed in changes.items():
        seconds = least(lambda: checker.updated(changed))
        print(f"  {name}: {seconds * 1e3:.2f} ms, {seconds / new:.4f} of a new one")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        main(Path(name))
