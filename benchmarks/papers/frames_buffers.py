"""The source's experiment: single buffers against the multi buffer, a tick for every row.

A side that looks at very many rows at every tick takes the first rows only, and its time is counted
for all: what it holds, and so what a tick costs, stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from benchmarks.measure import Watch
from benchmarks.papers.frame_buffers import Buffer, Eager, Fed, InOrder, Lazy, Multi, Spent
from benchmarks.papers.frame_buffers.clock import lap_cost
from benchmarks.papers.frames_point import Point
from benchmarks.papers.frames_stream import SCHEMES, Stream
from benchmarks.papers.general_slicing_sides import machine

SIDES: tuple[type[Buffer], ...] = (InOrder, Lazy, Eager, Multi)
MOST_STEPS = 30_000_000
"""Steps of a side in one run."""
LEAST_TICKS = 20


@dataclass(frozen=True)
class Scale:
    """How large the experiment is, and what it varies about."""

    ticks: int = 10_000
    shares: Sequence[float] = (0, 0.05, 0.2, 0.5)
    delays: Sequence[int] = (10, 500, 5_000)
    lengths: Sequence[int] = (10, 100, 1_000)
    retained: Sequence[int] = (1_000, 10_000, 100_000)
    share: float = 0.2
    delay: int = 500
    length: int = 100
    repeat: int = 3

    @property
    def most(self) -> int:
        """Rows that are retained where something else varies."""
        return self.retained[-1]

    @classmethod
    def quick(cls) -> Scale:
        return cls(500, (0, 0.2), (10, 500), (10, 100), (1_000, 10_000), repeat=1)


def buffers(scale: Scale, schemes: Sequence[str] = SCHEMES) -> Iterator[Point]:
    """One of share, delay, length and retained rows varies, the others stay."""
    for scheme in schemes:
        stream = Stream(scheme, scale.length, scale.share, scale.delay)
        varied = {
            "share": [(x, replace(stream, share=x), scale.most) for x in scale.shares],
            "delay": [(x, replace(stream, delay=x), scale.most) for x in scale.delays],
            "length": [(x, replace(stream, length=x), scale.most) for x in scale.lengths],
            "retained": [(x, stream, x) for x in scale.retained],
        }
        # the place that all lines cross is measured once
        found: dict[tuple[Stream, int], Point] = {}
        for case, points in varied.items():
            for x, each, retained in points:
                if (each, retained) not in found:
                    found[each, retained] = measured(case, x, each, retained, scale)
                yield replace(found[each, retained], case=case, x=x)


def measured(case: str, x: float, stream: Stream, retained: int, scale: Scale) -> Point:
    """All sides over the same rows, in turn; the best runs count."""
    frame, rows = stream.frame, retained + scale.ticks
    late = Fed.of(frame, stream.columns(rows), retained)
    in_order = Fed.of(frame, replace(stream, share=0.0).columns(rows), retained)
    given = {
        side: (in_order if side is InOrder else late).first(_ticks(side, retained, scale))
        for side in SIDES
    }
    results = _compared(given)  # compiles all loops, too
    runs: dict[str, list[Spent]] = {side.name: [] for side in SIDES}
    clocked: dict[str, list[Spent]] = {side.name: [] for side in SIDES}
    with Watch(every=3600) as watch:
        for _ in range(scale.repeat):
            for side, fed in given.items():
                runs[side.name].append(side(fed).run())
                clocked[side.name].append(side(fed).run(clocked=True))
    share = {s.name: scale.ticks / (len(f.times) - f.held) for s, f in given.items()}
    seconds = {name: [e.seconds * share[name] for e in each] for name, each in runs.items()}
    phases = {
        name: _phases(min(each, key=lambda spent: spent.seconds), scale.ticks / share[name])
        for name, each in clocked.items()
    }
    return Point(
        case=case, variant=stream.scheme, x=x, rows=scale.ticks, seconds=seconds, phases=phases,
        results=results, others=watch.others, machine=machine(),
        shape={
            "share": stream.share, "delay": stream.delay,
            "length": stream.length, "retained": retained,
        },
        told={"rows cut anew for a row": _cut_anew(given[Multi])},
    )  # fmt: skip


def _ticks(side: type[Buffer], retained: int, scale: Scale) -> int:
    return min(scale.ticks, max(LEAST_TICKS, int(MOST_STEPS / side.steps(retained))))


def _compared(given: dict[type[Buffer], Fed]) -> str:
    """Frames and all that was told, against the multi buffer over the same rows."""
    wrong = []
    for side, fed in given.items():
        if side is not Multi and _answer(side, fed) != _answer(Multi, fed):
            wrong.append(side.name)
    return f"DIFFERENT: {', '.join(wrong)}" if wrong else "equal"


def _answer(side: type[Buffer], fed: Fed) -> object:
    buffer = side(fed)
    buffer.run()
    return buffer.frames()


def _phases(spent: Spent, ticks: float) -> dict[str, float]:
    """Nanoseconds for a row, without those of the clock."""
    return {name: max(0.0, each / ticks - _lap()) for name, each in spent.phases.items()}


@cache
def _lap() -> float:
    return lap_cost()


def _cut_anew(fed: Fed) -> float:
    buffer = Multi(fed)
    buffer.run()
    return float(buffer.again / (len(fed.times) - fed.held))
