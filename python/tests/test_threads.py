"""Threads, signals, and memory."""

from __future__ import annotations

import _thread
import gc
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import pathproof as pp


def test_one_checker_serves_many_threads(arm: pp.Scene) -> None:
    checker = pp.Checker(arm)
    random = np.random.default_rng(1)
    paths = random.uniform(-2, 2, (200, 3, 2))

    def ask(path: np.ndarray) -> tuple[object, ...]:
        answer = checker.check(path)
        return answer.verdict, answer.segment, answer.t, answer.lower_clearance

    expected = [ask(path) for path in paths]
    assert {verdict for verdict, *_ in expected} >= {"free", "collision"}
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, paths)) == expected


def test_threads_without_work_are_not_made(arm: pp.Scene) -> None:
    """A scratch was made for each of them."""
    checker = pp.Checker(arm)
    rows = np.zeros((1, 2))
    many, one = (checker.segments(rows, rows, threads=threads) for threads in (10**9, 1))
    assert many.tobytes() == one.tobytes()


def interrupted(call: Callable[[], object]) -> None:
    """The timer's thread runs only because the interpreter is released; without an answer to it the call takes minutes."""
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()


LONG = np.random.default_rng(2).uniform(-0.6, 0.6, (1_000_000, 2))
DOORS: dict[str, Callable[[pp.Checker], object]] = {
    "check": lambda checker: checker.check(LONG),
    "check for any": lambda checker: checker.check(LONG, report="any"),
    "check for all": lambda checker: checker.check(LONG, report="all"),
    "profile": lambda checker: checker.profile(LONG),
    "min_distance": lambda checker: checker.min_distance(LONG),
    "segments": lambda checker: checker.segments(LONG, LONG[::-1], threads=1),
    "segments on two threads": lambda checker: checker.segments(LONG, LONG[::-1], threads=2),
    "smooth": lambda checker: pp.smooth(checker, LONG),
}


@pytest.mark.parametrize("door", DOORS)
def test_ctrl_c_ends_what_is_long(arm: pp.Scene, door: str) -> None:
    """Profiles were once measured to their end first."""
    checker = pp.Checker(arm.with_tolerance(1e-9))
    interrupted(lambda: DOORS[door](checker))
    assert checker.check(LONG[:2]).verdict == "free", "the checker is as good as before"


def test_ctrl_c_is_seen_between_short_chunks(slide: pp.Scene) -> None:
    """Each chunk of rows was done before it asked for the first time, and so all of them were."""
    rows = np.zeros((4_000_000, 1))
    rows[-1] = np.nan  # refused when it is read, so that a call which gets there has not ended before
    checker = pp.Checker(slide)
    interrupted(lambda: checker.segments(rows, rows, threads=1))


def test_a_signal_handler_may_ask_the_same_checker(arm: pp.Scene) -> None:
    checker = pp.Checker(arm)
    answers: list[bool] = []
    rows = np.random.default_rng(2).uniform(-2, 2, (1_000_000, 2))

    def handler(number: int, frame: object) -> None:
        answers.append(checker.is_free([0.0, 0.0], [0.1, 0.0]))
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError):
            checker.segments(rows, rows[::-1], threads=2)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert answers == [True]


def resident() -> int:
    """Bytes of memory in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to know its memory")
def test_calls_leave_nothing_behind(arm: pp.Scene) -> None:
    checker = pp.Checker(arm)
    a, b = np.zeros(2), np.array([0.3, 0.2])
    path = np.array([a, b])
    single = a.astype(np.float32)
    nan = np.array([np.nan, 0.0])

    def all_kinds(times: int) -> None:
        for _ in range(times):
            checker.is_free(a, b)
            checker.is_free(single, [0.3, 0.2])
            try:
                checker.is_free(nan, b)
            except pp.InputError:
                pass
            answer = checker.check(path)
            assert answer.free and answer.waypoints.shape == (2, 2) and answer.statistics

    def rare_kinds(times: int) -> None:
        for _ in range(times):
            checker.segments(path, path, threads=1)
            checker.profile(path).columns()
            checker.check([[0.0, 0.0], [2.0, 0.0]], report="all").findings
            pp.Checker(arm.moved("post", xyz=(0, 1.7, 0))).check(path).certificate().to_bytes()
            arm.poses(a)
            plan = pp.plan(checker, [0.6, 0.0], [0.9, 0.3], max_steps=100)
            pp.smooth(checker, plan.waypoints if plan.waypoints is not None else path, steps=5)
            checker.updated(arm.moved("post", xyz=(0, 1.7, 0))).is_free(a, b)
            curve = pp.Trajectory(path, times=[0, 1], velocities=np.zeros((2, 2)))
            pp.verify(arm, curve, checker.check(curve).certificate())

    growth = []
    for _ in range(5):
        before = resident()
        all_kinds(6_000)
        rare_kinds(100)
        gc.collect()
        growth.append(resident() - before)
    # What leaks grows in every round; what an allocator keeps for later does not. A round is 24,000 calls and more.
    assert min(growth) < 256 << 10, growth


def test_segments_take_no_more_memory_than_their_answer(arm: pp.Scene) -> None:
    """Zero strides: the arguments take 16 bytes, and a copy of them would take 3.2 MB each."""
    import tracemalloc

    checker = pp.Checker(arm)
    a = np.broadcast_to(np.array([0.0, 0.0]), (200_000, 2))
    b = np.broadcast_to(np.array([0.1, 0.0]), (200_000, 2))
    tracemalloc.start()
    rows = checker.segments(a, b, threads=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < rows.nbytes + (1 << 20)
