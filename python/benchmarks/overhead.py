"""What the calls cost beyond the library: `is_free` per call, `segments` against the library's own loop, and its memory.

    python overhead.py [ROWS]

Rounds are interleaved, so that the differences hold on a noisy machine.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import pathproof as pp

# Seven joints and next to nothing to check, so that the call itself is what is seen.
ARM = "".join(f"<link name='l{i}'/>" for i in range(7)) + (
    "<link name='l7'><collision><geometry><sphere radius='0.05'/></geometry></collision></link>"
) + "".join(
    f"<joint name='j{i}' type='revolute'><parent link='l{i}'/><child link='l{i + 1}'/><origin xyz='0.2 0 0'/>"
    f"<axis xyz='0 {i % 2} {1 - i % 2}'/><limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
    for i in range(7)
)


def scene() -> pp.Scene:
    urdf = Path(tempfile.mkdtemp()) / "arm.urdf"
    urdf.write_text(f"<robot name='arm'>{ARM}</robot>")
    return pp.Scene.from_urdf(urdf, obstacles=[pp.Sphere("far", 0.1, xyz=(9, 0, 0))])


def per_call(checker: pp.Checker) -> None:
    """The least of many short rounds: what is left where nobody else had the processor."""
    random = np.random.default_rng(0)
    a = random.uniform(-0.5, 0.5, 7)
    b = a + random.uniform(-0.05, 0.05, 7)
    calls, is_free = 200, checker.is_free
    repeated = [np.repeat(x[None], calls, axis=0) for x in (a, b)]
    kinds = {"arrays": (a, b), "lists": (a.tolist(), b.tolist()), "float32": (a.astype(np.float32), b.astype(np.float32))}
    least = dict.fromkeys(["bare", *kinds], float("inf"))
    for _ in range(1_000):
        least["bare"] = min(least["bare"], checker._time_bare_loop(*repeated) / calls)
        for kind, (p, q) in kinds.items():
            before = time.perf_counter()
            for _ in range(calls):
                is_free(p, q)
            least[kind] = min(least[kind], (time.perf_counter() - before) / calls)
    beyond = ", ".join(f"{(least[kind] - least['bare']) * 1e6:.2f} us with {kind}" for kind in kinds)
    print(f"is_free: {least['bare'] * 1e6:.2f} us the check alone; beyond it {beyond}")


def batch(checker: pp.Checker, rows: int) -> None:
    """Processor time, which others on the machine change less than time on the wall."""
    random = np.random.default_rng(0)
    a = random.uniform(-0.5, 0.5, (rows, 7))
    b = a + random.uniform(-0.05, 0.05, (rows, 7))
    checker.segments(a[:10_000], b[:10_000], threads=1)
    ratios = []
    for _ in range(5):
        times = [time.process_time()]
        checker._time_bare_loop(a, b)
        times.append(time.process_time())
        checker.segments(a, b, threads=1)
        times.append(time.process_time())
        ratios.append((times[2] - times[1]) / (times[1] - times[0]))
    print(f"segments: {rows} rows, {times[1] - times[0]:.2f} s the library's loop; ratios {', '.join(f'{r:.3f}' for r in ratios)}")


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
    per_call(pp.Checker(scene()))
    batch(pp.Checker(scene()), count)
