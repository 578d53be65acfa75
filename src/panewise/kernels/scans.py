"""The scanners of the window types that rows decide, and what each looks at in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.errors import QueryError, SchemaError
from panewise.kernels.cells import Cells
from panewise.kernels.compiled import compiled
from panewise.kernels.frames.inputs import frame_input
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.ranges import ALWAYS, gallop
from panewise.kernels.scanner import CompiledScanner, Found, Scanner
from panewise.windows import ByTuple, Every, Frame, Punctuation, UserWindow, Window
from panewise.windows.scan import ScannedRows, checked
from panewise.windows.sizes import units


class PunctuationScanner(CompiledScanner):
    """Context: how many of the needed rows have been looked at."""

    partitions = True

    def __init__(self, mark: int, tick: int) -> None:
        super().__init__()
        self._mark, self._tick = mark, tick

    def loop(
        self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int,
        contexts: np.ndarray, needed: np.ndarray, out: np.ndarray,
    ) -> int:  # fmt: skip
        marks = np.asarray(cells.inputs[self._mark])
        final = watermark == ALWAYS
        return int(
            _punctuation(
                cells.first, cells.last, marks, runs, stops, self._tick, final, contexts, needed,
                out,
            )
        )  # fmt: skip

    def seen_once(self, codes: np.ndarray) -> None:
        self.contexts[codes, 0] = np.minimum(self.contexts[codes, 0], 1)

    def sound(self, contexts: np.ndarray, held: np.ndarray) -> bool:
        seen, other = contexts.T
        return bool(np.all((seen >= 0) & (seen <= held) & (other == 0)))

    def codes(self) -> np.ndarray:
        return np.empty(0, np.int64)  # a key whose rows are all gone begins anew


class EveryScanner(CompiledScanner):
    """Context: the last time that was reported, as its number."""

    numbered = True
    first = (-(2**62), 0)

    def __init__(self, window: Every, tick: int) -> None:
        super().__init__()
        self._slide, self._origin = units(window.slide), units(window.origin)
        self._last, self._tick = window.last.count, tick

    def loop(
        self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int,
        contexts: np.ndarray, needed: np.ndarray, out: np.ndarray,
    ) -> int:  # fmt: skip
        return int(
            _every(
                cells.pane, runs, stops, watermark, self._slide, self._origin, self._last,
                self._tick, contexts, needed, out,
            )
        )  # fmt: skip

    def until(self, found: Found) -> np.ndarray:
        return self._origin + found.number * self._slide


class ByTupleScanner(CompiledScanner):
    """Context: the index of the first needed row, and of the next that anchors a window."""

    numbered = True

    def __init__(self, window: ByTuple, tick: int) -> None:
        super().__init__()
        self._every, self._size = window.slide.count, units(window.size)
        self._back = window.anchor == "end"
        self._tick = tick
        self.first = (0, self._every - 1 if self._back else 0)  # type: ignore[misc]

    def loop(
        self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int,
        contexts: np.ndarray, needed: np.ndarray, out: np.ndarray,
    ) -> int:  # fmt: skip
        return int(
            _by_tuple(
                cells.pane, runs, stops, watermark, self._every, self._size, self._back,
                self._tick, contexts, needed, out,
            )
        )  # fmt: skip

    def sound(self, contexts: np.ndarray, held: np.ndarray) -> bool:
        index, anchor = contexts.T
        on_time = anchor % self._every == self.first[1]
        return bool(np.all((index >= 0) & (index <= anchor + self._every) & on_time))


class UserScanner(Scanner):
    """A user's scan, called for each key that has rows or is being flushed."""

    def __init__(self, window: UserWindow, inputs: Sequence[int], tick: int) -> None:
        self.window, self._inputs, self._tick = window, tuple(inputs), tick
        self.contexts = []

    def grow(self, keys: int) -> None:
        self.contexts = [*self.contexts, *[None] * (keys - len(self.contexts))]

    def scan(self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int) -> Found:
        found: list[tuple[int, int, int, int, int, int]] = []
        contexts, needed = list(self.contexts), stops.copy()
        for code in np.flatnonzero(stops > runs[:-1]):
            low, high = int(runs[code]), int(stops[code])
            columns = {
                name: cells.inputs[at].slice(low, high - low)
                for name, at in zip(self.window.reads, self._inputs, strict=True)
            }
            rows = ScannedRows(cells.pane[low:high], columns, self._tick)
            scanned = checked(self.window, self.window.scan(contexts[code], rows, watermark), rows)
            for c in scanned.closed:
                found.append((int(code), 0, c.start, c.end, low + c.lo, low + c.hi))
            contexts[code], needed[code] = scanned.context, low + scanned.needed
        return Found.of(np.array(found, np.int64).reshape(-1, 6).T.copy(), contexts, needed)

    def rename(self, renamed: np.ndarray) -> None:
        self.grow(len(renamed))
        self.contexts = [self.contexts[code] for code in np.flatnonzero(renamed >= 0)]

    def codes(self) -> np.ndarray:
        kept = [code for code, context in enumerate(self.contexts) if context is not None]
        return np.array(kept, np.int64)

    def state(self) -> Any:
        return self.contexts

    def restore(self, state: Any, held: np.ndarray) -> None:
        if type(state) is not list or len(state) > len(held):
            raise ValueError("contexts are a list with one for each key")
        self.contexts = list(state)


@singledispatch
def scanner_of(window: Window, inputs: Sequence[int], tick: int) -> Scanner:
    """The scanner of a window type; `inputs` are the places of its columns in the cells."""
    raise QueryError(
        f"{type(window).__name__} asks for a scan and has none.", hint="subclass UserWindow."
    )


@scanner_of.register
def _(window: Punctuation, inputs: Sequence[int], tick: int) -> Scanner:
    return PunctuationScanner(inputs[0], tick)


@scanner_of.register
def _(window: Frame, inputs: Sequence[int], tick: int) -> Scanner:
    return FrameScanner(window, inputs[0], tick)


@scanner_of.register
def _(window: Every, inputs: Sequence[int], tick: int) -> Scanner:
    return EveryScanner(window, tick)


@scanner_of.register
def _(window: ByTuple, inputs: Sequence[int], tick: int) -> Scanner:
    return ByTupleScanner(window, tick)


@scanner_of.register
def _(window: UserWindow, inputs: Sequence[int], tick: int) -> Scanner:
    return UserScanner(window, inputs, tick)


def scan_inputs(window: Window, columns: Mapping[str, pa.Array], count: int) -> list[pa.Array]:
    """What a scanned window looks at in each of `count` rows."""
    columns = columns or {"": pa.nulls(count)}  # expressions without columns have a length too
    if isinstance(window, Frame):
        return [frame_input(window, columns)]
    if isinstance(window, Punctuation):
        return [pa.array(window.predicate.holds(columns), pa.bool_())]
    return [columns[name] for name in window.columns()]


def check_inputs(window: Window, types: Mapping[str, pa.DataType]) -> None:
    """Refuse columns that a scanned window cannot look at, before any row is there."""
    try:
        scan_inputs(window, {name: pa.nulls(0, kind) for name, kind in types.items()}, 0)
    except SchemaError as problem:
        raise SchemaError(f"{window.canonical}: {problem.message}", hint=problem.hint) from problem
    except pa.ArrowException as problem:
        raise SchemaError(
            f"{window.canonical} cannot be computed: {str(problem).splitlines()[0]}.",
            hint="cast the column first.",
        ) from problem


def input_count(window: Window) -> int:
    """How many inputs a scanned window has."""
    return 1 if isinstance(window, Punctuation | Frame) else len(window.columns())


@compiled
def _put(out, n, code, number, start, end, lo, hi):  # type: ignore[no-untyped-def]
    out[0, n], out[1, n], out[2, n] = code, number, start
    out[3, n], out[4, n], out[5, n] = end, lo, hi


@compiled
def _punctuation(  # type: ignore[no-untyped-def]
    first, last, marks, runs, stops, tick, final, contexts, needed, out
):
    n = 0
    for r in range(len(stops)):
        lo, stop = runs[r], stops[r]
        for i in range(runs[r] + contexts[r, 0], stop):
            if marks[i] and i > lo:
                _put(out, n, r, 0, first[lo], first[i], lo, i)
                n += 1
                lo = i
        if final and lo < stop:
            _put(out, n, r, 0, first[lo], last[stop - 1] + tick, lo, stop)
            n += 1
            lo = stop
        needed[r] = lo
        contexts[r, 0] = stop - lo
    return n


@compiled
def _every(  # type: ignore[no-untyped-def]
    pane, runs, stops, watermark, slide, origin, count, tick, contexts, needed, out
):
    n = 0
    for r in range(len(stops)):
        stop = stops[r]
        i = runs[r]
        while i < stop:
            k = (pane[i] - origin) // slide + 1
            hi = gallop(pane, i, stop, origin + k * slide)
            if k > contexts[r, 0] and (watermark == ALWAYS or origin + k * slide <= watermark):
                lo = max(runs[r], hi - count)
                _put(out, n, r, k, pane[lo], pane[hi - 1] + tick, lo, hi)
                n += 1
                contexts[r, 0] = k
            i = hi
        needed[r] = max(runs[r], stop - count)
    return n


@compiled
def _by_tuple(  # type: ignore[no-untyped-def]
    pane, runs, stops, watermark, every, size, back, tick, contexts, needed, out
):
    n = 0
    for r in range(len(stops)):
        base, stop = runs[r], stops[r]
        index, anchor = contexts[r, 0], contexts[r, 1]
        lo = hi = base
        while anchor - index < stop - base:
            t = pane[base + anchor - index]
            start = t + tick - size if back else t
            if watermark != ALWAYS and start + size > watermark:
                break
            lo = gallop(pane, lo, stop, start)
            hi = gallop(pane, max(lo, hi), stop, start + size)
            _put(out, n, r, anchor // every, start, start + size, lo, hi)
            n += 1
            anchor += every
        # rows that the next window may reach back to
        if anchor - index < stop - base:
            t = pane[base + anchor - index]
            bound = t + tick - size if back else t
        elif back and watermark != ALWAYS:
            bound = watermark + tick - size
        else:
            bound = ALWAYS
        lo = gallop(pane, base, stop, bound)
        contexts[r, 0], contexts[r, 1] = index + lo - base, anchor
        needed[r] = lo
    return n
