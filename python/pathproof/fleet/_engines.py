"""Who makes the parts: this process, Ray, or Daft. Each yields the number and the counts of every part it has made.

Parts are the unit of work everywhere: a worker reads its rows, decides them and writes them itself, so that engines
carry a few bytes per part and a killed run goes on the same way whichever engine it had. Cores are used once: an engine
runs `cores / threads` workers of so many threads.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from ._parts import Counts, Worker
from ._run import Part, Run
from ._settings import FleetError

Made = Iterator[tuple[int, Counts]]


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def local(run: Run, parts: list[Part], threads: int | None, _: str | None) -> Made:
    """Here, one part after the other, each on all cores."""
    worker = Worker(run, threads or cores())
    for part in parts:
        yield part.number, worker.make(part)


_kept: dict[tuple[str, int], Worker] = {}


def _make_in_worker(run: Run, threads: int, part: Part) -> Counts:
    """In a process of an engine, which keeps its worker from part to part."""
    key = (run.fingerprint, threads)
    if key not in _kept:
        _kept.clear()
        _kept[key] = Worker(run, threads)
    return _kept[key].make(part)


def on_ray(run: Run, parts: list[Part], threads: int | None, address: str | None) -> Made:
    """As Ray tasks of `threads` processors each; those of a node that dies are run again elsewhere."""
    try:
        import ray
    except ImportError as fault:
        raise FleetError(f"{fault}; pip install ray, or take --engine local") from fault

    threads = threads or 1
    started_here = not ray.is_initialized()
    if started_here:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address is None:
            # By its name: without one Ray goes to any cluster that ever was on this machine.
            ray.init(address="local", num_cpus=cores(), include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    try:
        task = ray.remote(num_cpus=threads, max_retries=3)(_make_in_worker)
        shared = ray.put(run)
        processors = int(ray.cluster_resources().get("CPU", 0))
        if processors < threads:
            raise FleetError(f"Ray has {processors} processors, too few for {threads} threads; give --threads")
        width = processors // threads
        waiting, open_parts = iter(parts), {}
        while True:
            # Two per worker: none waits for the driver, and the driver holds no more than that.
            for part in waiting:
                open_parts[task.remote(shared, threads, part)] = part.number
                if len(open_parts) >= 2 * width:
                    break
            if not open_parts:
                return
            ready, _ = ray.wait(list(open_parts))
            for reference in ready:
                yield open_parts.pop(reference), ray.get(reference)
    finally:
        if started_here:
            ray.shutdown()


def on_daft(run: Run, parts: list[Part], threads: int | None, address: str | None) -> Made:
    """As a Daft query over parts, in processes of Daft's own; with an address on a Ray cluster."""
    try:
        import daft
    except ImportError as fault:
        raise FleetError(f"{fault}; pip install daft, or take --engine local") from fault

    each = threads or 1
    if address is not None:
        daft.set_runner_ray(address)
        width = None
    else:
        daft.set_runner_native()
        width = max(1, cores() // each)

    # Not by decorators: Daft has no types for them.
    class Maker:
        def __init__(self) -> None:
            self.worker = Worker(run, each)

        def _make(self, numbers: Any) -> list[str]:
            return [json.dumps([number, self.worker.make(run.parts[number])]) for number in numbers.to_pylist()]

        make = daft.method.batch(return_dtype=daft.DataType.string(), batch_size=1)(_make)

    maker = daft.cls(cpus=each, use_process=True, max_concurrency=width)(Maker)()
    if not parts:
        return
    frame = daft.from_pydict({"part": [part.number for part in parts]})
    made = frame.into_batches(1).select(maker.make(frame["part"]).alias("made"))
    for row in made.iter_rows():
        number, counts = json.loads(row["made"])
        yield number, counts


ENGINES: dict[str, Callable[[Run, list[Part], int | None, str | None], Made]] = {
    "local": local,
    "ray": on_ray,
    "daft": on_daft,
}
