"""Many segments of a shared scene: `pathproof batch`, then the same rows from Parquet by every engine, and by killed runs.

    python fleet.py ../shared/data/problems/panda_paths/NAME/scene.toml PATHPROOF [ROWS] [WORK] [ENGINE,…]

Prints rows per second, the seconds of processors (which others on the machine change less; not those of Ray's and Daft's
workers) and the largest memory of each, whether all answers are those of `batch`, and whether a run that is killed five
times at random moments has every row.
"""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

import pathproof as pp


def prepare(scene: Path, rows: int, work: Path) -> None:
    """Short segments about a planner's path, as a planner would ask for: written as CSV and as Parquet."""
    loaded = pp.Scene.load(scene)
    checker = pp.Checker(loaded)
    waypoints = checker.check(scene.with_name("path.csv")).waypoints
    numbers = np.random.default_rng(1)
    lower, upper = loaded.limits.T
    at = numbers.integers(0, len(waypoints) - 1, rows)
    t = numbers.uniform(0, 1, (rows, 1))
    a = waypoints[at] * (1 - t) + waypoints[at + 1] * t + numbers.normal(0, 0.1, (rows, loaded.dof))
    b = a + numbers.normal(0, 0.2, a.shape)
    a, b = np.clip(a, lower, upper), np.clip(b, lower, upper)
    lists = {name: pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), x.shape[1]) for name, x in (("a", a), ("b", b))}
    pq.write_table(pa.table(lists), work / "rows.parquet", row_group_size=65_536)
    pq.write_table(pa.table(lists).slice(0, rows // 10), work / "tenth.parquet", row_group_size=65_536)
    names = [f"{end}_{joint}" for end in "ab" for joint in loaded.joints]
    pc.write_csv(pa.table(list(np.hstack([a, b]).T), names=names), work / "rows.csv")


def memory_of(root: int) -> float:
    """Resident megabytes of a process and all that descend from it."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            sizes[int(folder.name)] = int((folder / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
    family = {root}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(sizes.get(member, 0) for member in family) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Spent(NamedTuple):
    """Of a command: seconds on the wall and of processors, and the most memory that was seen in use, in MB."""

    seconds: float
    processor: float
    memory: float


def timed(command: list[str], out: Path | None = None) -> Spent:
    begun, most = time.perf_counter(), 0.0
    with (out or Path(os.devnull)).open("wb") as stdout:
        process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL)
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            most = max(most, memory_of(process.pid))
            time.sleep(0.2)
    _, status, used = ended
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return Spent(time.perf_counter() - begun, used.ru_utime + used.ru_stime, most)


def compare(folder: Path, csv: Path) -> str:
    """All columns of `batch`, to the last bit."""
    expected = pc.read_csv(csv, convert_options=pc.ConvertOptions(strings_can_be_null=True))
    found = pa.concat_tables([pq.read_table(file) for file in sorted(folder.glob("part-*.parquet"))])
    differing = [name for name in expected.schema.names if not found.column(name).combine_chunks().equals(expected.column(name).combine_chunks().cast(found.column(name).type))]
    return "the same as batch" if not differing else f"DIFFERENT in {differing}"


def killed(command: list[str], folder: Path, parts: int, csv: Path) -> None:
    """At random moments of the work, not of the start."""
    chance = random.Random(1)
    for target in sorted(chance.sample(range(1, parts), 5)):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(folder.glob("part-*.parquet"))) < target:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 3))
        process.kill()
        process.wait()
        there = [len(list(folder.glob(pattern))) for pattern in ("part-*.parquet", "*.unfinished")]
        print(f"  killed with {there[0]} of {parts} parts and {there[1]} unfinished", flush=True)
    timed(command)
    print(f"killed five times and resumed: {compare(folder, csv)}")


def main(scene: Path, program: str, rows: int, work: Path, engines: list[str]) -> None:
    prepare(scene, rows, work)
    batch = [program, "batch", str(scene), str(work / "rows.csv")]
    fleets = {engine: [sys.executable, "-m", "pathproof.fleet", str(scene), str(work / "rows.parquet"), str(work / engine), "--engine", engine] for engine in engines}
    before = timed(batch, work / "batch.csv")
    print(f"batch: {rows / before.seconds:,.0f} rows/s, {before.processor:.1f} s of processors, {before.memory:.0f} MB", flush=True)
    for engine, command in fleets.items():
        shutil.rmtree(work / engine, ignore_errors=True)
        spent = timed(command)
        again = timed(batch, work / "batch.csv")
        share = (before.seconds + again.seconds) / 2 / spent.seconds
        shares = f"{share:.2f} of batch before and after it, {(before.processor + again.processor) / 2 / spent.processor:.2f} by processors"
        print(f"{engine}: {rows / spent.seconds:,.0f} rows/s, {spent.processor:.1f} s of processors, {shares}, {spent.memory:.0f} MB; {compare(work / engine, work / 'batch.csv')}", flush=True)
        before = again
    if "local" not in fleets:
        return
    tenth = [str(work / "tenth.parquet") if "rows.parquet" in word else word for word in fleets["local"]]
    shutil.rmtree(work / "tenth", ignore_errors=True)
    memory = timed([str(work / "tenth") if word == str(work / "local") else word for word in tenth]).memory
    print(f"local, a tenth of the rows: {memory:.0f} MB", flush=True)
    parts = len(list((work / "local").glob("part-*.parquet")))
    shutil.rmtree(work / "local")
    killed(fleets["local"], work / "local", parts, work / "batch.csv")


if __name__ == "__main__":
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
    folder = Path(sys.argv[4]) if len(sys.argv) > 4 else Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    there = ["local", *(engine for engine in ("ray", "daft") if importlib.util.find_spec(engine))]
    main(Path(sys.argv[1]), sys.argv[2], count, folder, sys.argv[5].split(",") if len(sys.argv) > 5 else there)
