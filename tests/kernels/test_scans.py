"""Scanners: scanning in pieces is scanning in whole, and both follow the definition."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.errors import QueryError
from panewise.kernels.cells import Cells
from panewise.kernels.ranges import ALWAYS
from panewise.kernels.scanner import Scanner
from panewise.kernels.scans import input_count, scan_inputs, scanner_of
from panewise.testing.oracle.table import Event
from panewise.testing.oracle.windows import Group, instances
from panewise.windows import ScannedRows, Window

Row = tuple[int, int]  # time, value
Found = tuple[Any, ...]  # key, number, start, end, rows
rows = st.lists(st.tuples(st.integers(-12, 25), st.integers(-2, 2)), max_size=14).map(
    lambda drawn: sorted(drawn, key=lambda row: row[0])
)
keys = st.lists(rows, min_size=1, max_size=3)
watermarks = st.lists(st.integers(-15, 40), max_size=5).map(sorted)


@dataclass(frozen=True)
class Climb(pw.UserWindow):
    """Runs of values that do not fall; the context is the value of the last row looked at."""

    kind = "climb"
    reads = ("y",)

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> pw.Scanned:
        seen, y = (0 if context is None else context["seen"]), rows["y"]
        closed, lo = [], 0
        for i in range(max(seen, 1), len(rows)):
            if y[i] < y[i - 1]:
                closed.append(self._closed(rows, lo, i))
                lo = i
        if watermark == pw.END and lo < len(rows):
            closed.append(self._closed(rows, lo, len(rows)))
            lo = len(rows)
        return pw.Scanned(closed, {"seen": len(rows) - lo}, lo)

    def _closed(self, rows: ScannedRows, lo: int, hi: int) -> pw.Closed:
        return pw.Closed(lo, hi, int(rows.ticks[lo]), int(rows.ticks[hi - 1]) + rows.tick)


counts, lengths = st.integers(1, 4), st.integers(1, 12)
KINDS: dict[str, st.SearchStrategy[Window]] = {
    "every": st.builds(
        lambda slide, last, origin: pw.every(slide, last=pw.rows(last), origin=origin),
        lengths, counts, st.integers(-3, 3),
    ),
    "by_tuple, start": st.builds(lambda m, size: pw.by_tuple(pw.rows(m), size), counts, lengths),
    "by_tuple, end": st.builds(
        lambda m, size: pw.by_tuple(pw.rows(m), size, anchor="end"), counts, lengths
    ),
    "punctuation": st.sampled_from([pw.punctuation("y > 0"), pw.punctuation("y > 9")]),
    "user": st.just(Climb()),
}  # fmt: skip


def cells_of(window: Window, given: list[list[tuple[int, Row]]]) -> Cells:
    """The rows of each key, one after the other, each with its place."""
    code = np.repeat(np.arange(len(given)), [len(own) for own in given])
    flat = [row for own in given for _, row in own]
    times = np.array([t for t, _ in flat], np.int64)
    columns = {"y": pa.array([y for _, y in flat], pa.int64())}
    return Cells(
        code, times, [], first=times, last=times, inputs=scan_inputs(window, columns, len(times))
    )


def scan(
    window: Window, scanner: Scanner, given: list[list[tuple[int, Row]]], watermark: int
) -> tuple[list[Found], list[list[tuple[int, Row]]]]:
    """The windows that are closed, and the rows that are still needed."""
    cells = cells_of(window, given)
    scanner.grow(len(given))
    runs = cells.runs(len(given))
    found = scanner.scan(cells, runs, runs[1:], watermark)
    scanner.contexts = found.contexts
    places = [place for own in given for place, _ in own]
    closed = [
        (code, number if scanner.numbered else None, start, end, tuple(places[lo:hi]))
        for code, number, start, end, lo, hi in found.columns().T.tolist()
    ]
    after = [own[at - lo :] for own, at, lo in zip(given, found.needed, runs, strict=False)]
    return closed, after


def played(window: Window, given: list[list[Row]], at: list[int]) -> list[Found]:
    """What a tier does: rows before each watermark, after those still needed."""
    scanner = scanner_of(window, tuple(range(input_count(window))), 1)
    told: list[Found] = []
    held: list[list[tuple[int, Row]]] = [[] for _ in given]
    done = [0] * len(given)
    for watermark in [*at, ALWAYS]:
        for key, own in enumerate(given):
            upto = sum(t < watermark for t, _ in own)
            held[key] = held[key] + list(enumerate(own))[done[key] : upto]
            done[key] = max(done[key], upto)
        closed, held = scan(window, scanner, held, watermark)
        assert all(end <= watermark for _, _, _, end, _ in closed)
        told += closed
    return sorted(told)


def defined(window: Window, given: list[list[Row]]) -> list[Found]:
    result = []
    for key, own in enumerate(given):
        events = [Event(t, (place,), {"y": y}) for place, (t, y) in enumerate(own)]
        for found in instances(window, Group(events)) if events else ():
            places = tuple(event.sequence[0] for event in found.events)
            result.append((key, found.no, found.start, found.end, places))
    return sorted(result)


@pytest.mark.parametrize("kind", KINDS)
def test_scanning_in_pieces_is_scanning_in_whole(kind: str) -> None:
    @given(KINDS[kind], keys, watermarks)
    def check(window: Window, given: list[list[Row]], at: list[int]) -> None:
        whole = played(window, given, [])
        assert whole == defined(window, given)
        assert played(window, given, at) == whole

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_a_scan_changes_nothing_but_what_it_returns(kind: str) -> None:
    @given(KINDS[kind], keys, st.integers(-15, 40))
    def check(window: Window, given: list[list[Row]], watermark: int) -> None:
        scanner = scanner_of(window, tuple(range(input_count(window))), 1)
        cells = cells_of(window, [list(enumerate(own)) for own in given])
        scanner.grow(len(given))
        runs, before = cells.runs(len(given)), scanner.state()
        once = scanner.scan(cells, runs, runs[1:], watermark)
        assert scanner.state() == before
        again = scanner.scan(cells, runs, runs[1:], watermark)
        assert once.columns().tolist() == again.columns().tolist()

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_a_restored_scanner_goes_on(kind: str) -> None:
    @given(KINDS[kind], keys, st.integers(-15, 40))
    def check(window: Window, given: list[list[Row]], watermark: int) -> None:
        places = tuple(range(input_count(window)))
        scanner, other = (scanner_of(window, places, 1) for _ in range(2))
        early = [[(i, r) for i, r in enumerate(own) if r[0] < watermark] for own in given]
        late = [[(i, r) for i, r in enumerate(own) if r[0] >= watermark] for own in given]
        _, held = scan(window, scanner, early, watermark)
        other.restore(scanner.state(), np.array([len(own) for own in held]))
        rest = [a + b for a, b in zip(held, late, strict=True)]
        assert scan(window, scanner, rest, ALWAYS)[0] == scan(window, other, rest, ALWAYS)[0]

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_renamed_keys_keep_their_contexts(kind: str) -> None:
    @given(KINDS[kind], st.lists(rows, min_size=3, max_size=3), st.integers(-15, 40))
    def check(window: Window, given: list[list[Row]], watermark: int) -> None:
        scanner = scanner_of(window, tuple(range(input_count(window))), 1)
        early = [[(i, r) for i, r in enumerate(own) if r[0] < watermark] for own in given]
        late = [[(i, r) for i, r in enumerate(own) if r[0] >= watermark] for own in given]
        told, held = scan(window, scanner, early, watermark)
        scanner.rename(np.array([0, -1, 1]))  # the second key is gone
        rest = [held[key] + late[key] for key in (0, 2)]
        told = [found for found in told if found[0] != 1]
        told += [(2 * code, *more) for code, *more in scan(window, scanner, rest, ALWAYS)[0]]
        assert sorted(told) == defined(window, [given[0], [], given[2]])

    check()


def test_few_rows_are_needed() -> None:
    given = [[(i, (i, 0)) for i in range(100)]]
    for window, most in [
        (pw.every(10, last=pw.rows(3)), 3),
        (pw.by_tuple(pw.rows(7), 5), 7),
        (pw.by_tuple(pw.rows(7), 5, anchor="end"), 11),
    ]:
        scanner = scanner_of(window, (), 1)
        _, (held,) = scan(window, scanner, given, 100)
        assert len(held) <= most


def test_a_window_type_without_a_scan_is_refused() -> None:
    with pytest.raises(QueryError, match="asks for a scan"):
        scanner_of(pw.tumbling(5), (), 1)


def test_a_mark_that_is_unknown_is_none() -> None:
    (marks,) = scan_inputs(pw.punctuation("y > 0"), {"y": pa.array([1, None, -1])}, 3)
    assert marks.to_pylist() == [True, False, False]
