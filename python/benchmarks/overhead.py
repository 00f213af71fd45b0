"""What the calls cost beyond the library: `is_free` per call, `segments` against the library's own loop, and its memory.

    python overhead.py [ROWS]

Rounds are interleaved and the median is taken, so that ratios hold on a noisy machine.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import pathproof as pp

ARM = "".join(
    f"<link name='l{i}'><collision><origin xyz='0.1 0 0'/><geometry><box size='0.15 0.05 0.05'/></geometry></collision></link>"
    for i in range(8)
) + "".join(
    f"<joint name='j{i}' type='revolute'><parent link='l{i}'/><child link='l{i + 1}'/><origin xyz='0.2 0 0'/>"
    f"<axis xyz='0 {i % 2} {1 - i % 2}'/><limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
    for i in range(7)
)


def scene() -> pp.Scene:
    urdf = Path(tempfile.mkdtemp()) / "arm.urdf"
    urdf.write_text(f"<robot name='arm'>{ARM}</robot>")
    far = [pp.Box(f"box{i}", (0.1, 0.1, 0.1), xyz=(3.0, i / 10, 0)) for i in range(5)]
    near = [pp.Box(f"near{i}", (0.1, 0.1, 0.1), xyz=(0.8, 0.2 * i - 0.5, 0.5)) for i in range(5)]
    return pp.Scene.from_urdf(urdf, obstacles=far + near)


def main(rows: int) -> None:
    checker = pp.Checker(scene())
    random = np.random.default_rng(0)
    a = random.uniform(-0.5, 0.5, (rows, 7))
    b = a + random.uniform(-0.05, 0.05, (rows, 7))

    calls = 20_000
    one = [np.ascontiguousarray(x[:1]) for x in (a, b)]
    repeated = [np.repeat(x, calls, axis=0) for x in one]
    start, goal = one[0][0], one[1][0]
    as_lists = start.tolist(), goal.tolist()
    costs: dict[str, list[float]] = {"array": [], "list": [], "bare": []}
    for _ in range(15):
        costs["bare"].append(checker._time_bare_loop(*repeated) / calls)
        for kind, (p, q) in (("array", (start, goal)), ("list", as_lists)):
            is_free = checker.is_free
            before = time.perf_counter()
            for _ in range(calls):
                is_free(p, q)
            costs[kind].append((time.perf_counter() - before) / calls)
    bare, array, listed = (statistics.median(costs[kind]) * 1e6 for kind in ("bare", "array", "list"))
    print(f"is_free: {bare:.2f} us the check alone; + {array - bare:.2f} us a call with arrays, + {listed - bare:.2f} us with lists")
    least = {kind: min(values) * 1e6 for kind, values in costs.items()}
    print(f"  least of all rounds: + {least['array'] - least['bare']:.2f} us, + {least['list'] - least['bare']:.2f} us")

    ratios = []
    checker.segments(a[:10_000], b[:10_000], threads=1)
    for _ in range(3):
        bare_seconds = checker._time_bare_loop(a, b)
        before = time.perf_counter()
        answers = checker.segments(a, b, threads=1)
        ratios.append((time.perf_counter() - before) / bare_seconds)
    print(f"segments: {rows} rows, {bare_seconds:.2f} s the library's loop; ratios {', '.join(f'{r:.3f}' for r in ratios)}")
    free = np.count_nonzero(answers["verdict"] == pp.Verdict.FREE)
    print(f"  {free} free of {rows}; the answer takes {answers.nbytes / 1e6:.0f} MB")


def memory(rows: int) -> None:
    """In a process of its own: the largest resident size before and after, without the answer."""
    checker = pp.Checker(scene())
    a = np.broadcast_to(np.zeros(7), (rows, 7))
    checker.segments(a[:10_000], a[:10_000], threads=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answers = checker.segments(a, a, threads=2)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory: {rows} rows take {(after - before) / 1024 - answers.nbytes / 2**20:.1f} MB beside the answer")


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    memory(count)
    main(count)
