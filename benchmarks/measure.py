"""Timing two sides in turn, the memory they hold meanwhile, and who else used the machine."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

SLOW, VERY_SLOW = 60.0, 180.0
"""A run longer than this many seconds is repeated at most once, or not at all."""
FAST, MORE = 5.0, 4
"""Runs shorter than this are repeated this many times as often: the JVM is still warming up."""


def today() -> str:
    """When something was measured, as it is kept with it."""
    return date.today().isoformat()


@dataclass
class Timing:
    """All runs of one side."""

    seconds: list[float] = field(default_factory=list)
    peak_mb: float = 0.0
    others: float = 0.0
    """Cores that other processes kept busy, in the worst run: times of a shared machine mislead."""

    @property
    def best(self) -> float:
        return min(self.seconds)

    def wants(self, turn: int, repeat: int) -> bool:
        """Whether this side takes part in a turn: long runs seldom, short ones often."""
        if not self.seconds:
            return True
        if self.best > VERY_SLOW:
            return False
        if self.best > SLOW:
            return turn < 2
        return turn < repeat or self.best < FAST


def alternate(
    sides: Mapping[str, Callable[[], object]],
    repeat: int,
    wants: Callable[[Timing, int, int], bool] = Timing.wants,
) -> dict[str, Timing]:
    """Every side once, then every side again: a slow minute of the machine meets all of them."""
    timings = {name: Timing() for name in sides}
    for turn in range(repeat * MORE):
        for name, run in sides.items():
            if not wants(timings[name], turn, repeat):
                continue
            with Watch() as watch:
                began = time.perf_counter()
                run()
                timings[name].seconds.append(time.perf_counter() - began)
            timings[name].peak_mb = max(timings[name].peak_mb, watch.peak_mb)
            timings[name].others = max(timings[name].others, watch.others)
    return timings


class Watch:
    """What the children of this process hold, and what everybody else uses, during a block.

    The children are the driver's JVM and, below it, the Python workers. Zeros without /proc.
    """

    def __init__(self, every: float = 0.1) -> None:
        self.peak_mb = 0.0
        self.others = 0.0
        self._every = every
        self._done = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Watch:
        self._began, self._foreign = time.perf_counter(), _foreign_seconds()
        self._sampler.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._sampler.join()
        lasted = time.perf_counter() - self._began
        self.others = max(0.0, (_foreign_seconds() - self._foreign) / lasted)

    def _sample(self) -> None:
        while True:
            here = os.getpid()
            pages = sum(int(stat[21]) for pid, stat in _family(here).items() if pid != here)
            self.peak_mb = max(self.peak_mb, pages * os.sysconf("SC_PAGE_SIZE") / 2**20)
            if self._done.wait(self._every):
                return


def _family(root: int) -> dict[int, list[str]]:
    """The fields of /proc/PID/stat, from the state on, for a process and all below it."""
    stats: dict[int, list[str]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            # the name in brackets may hold spaces, the fields after it do not
            stats[int(entry.name)] = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it ended while we looked
            continue
    family = {root}
    while more := {pid for pid, stat in stats.items() if int(stat[1]) in family} - family:
        family |= more
    return {pid: stats[pid] for pid in family if pid in stats}


def _foreign_seconds() -> float:
    """Processor seconds of the machine so far that are not ours."""
    try:
        fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    except OSError:
        return 0.0
    user, nice, system, _idle, _wait, interrupt, soft, steal = map(int, fields[:8])
    busy = user + nice + system + interrupt + soft + steal
    # own time and that of children that ended: user, system, and the same of the reaped
    ours = sum(int(n) for stat in _family(os.getpid()).values() for n in stat[11:15])
    return (busy - ours) / os.sysconf("SC_CLK_TCK")
