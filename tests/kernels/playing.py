"""A composer that is fed events, and the definition of what it must tell."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

import panewise as pw
from panewise.kernels.cells import Cells
from panewise.kernels.columns import column_of
from panewise.kernels.compose import Composer
from panewise.kernels.program import Piece, Program
from panewise.kernels.ranges import ALWAYS
from panewise.kernels.scans import scan_inputs
from panewise.testing.oracle.table import Event as OracleEvent
from panewise.testing.oracle.windows import Group, instances
from panewise.windows import Frame, Punctuation, Scan, Session, UserWindow, Window
from tests.kernels.building import program, texts

Event = tuple[int, int, int]  # time, key, value; the place in the stream is its sequence
Name = tuple[Any, ...]  # window, key, and its number or its bounds


@dataclass(frozen=True)
class Told:
    """One result."""

    name: Name
    row: tuple[Any, ...]  # start, end, sum, maximum, median, text
    revision: int = 0
    retracted: bool = False


class Player:
    """Pushes events as cells of one row each, and as rows where a window needs them."""

    def __init__(self, windows: Sequence[Window], *, delay: int = 0, **options: Any) -> None:
        self.windows = tuple(windows)
        self.program = program(windows, **options)
        self.composer = composer_of(self.program, delay)
        self._arrived = 0

    def push(self, events: Sequence[Event], watermark: int, keep: int | None = None) -> list[Told]:
        """What is told once these are in."""
        cells = rows = None
        if events:
            sequence = np.arange(self._arrived, self._arrived + len(events))
            self._arrived += len(events)
            cells, rows = self._cells(events), self._rows(events, sequence)
        keep = watermark if keep is None else keep
        told = list(self._told(self.composer.push(cells, rows, watermark, keep)))
        if self.composer.has_idle_numbers():
            self.composer.forget()
        return told

    def flush(self) -> list[Told]:
        return list(self._told(self.composer.flush()))

    def _cells(self, events: Sequence[Event]) -> Cells | None:
        if not self.composer.takes_cells:
            return None
        cells = self._single(events)
        panes = map(self.program.panes.pane_of, cells.pane.tolist())
        cells.pane = np.array([-(2**62) if pane is None else pane for pane in panes], np.int64)
        tie = cells.pane if cells.value is None else cells.value
        return cells.take(np.lexsort((tie, cells.pane, cells.code)))

    def _rows(self, events: Sequence[Event], sequence: np.ndarray) -> Cells | None:
        if not self.composer.takes_rows:
            return None
        rows = self._single(events)
        rows.sequence = sequence
        columns = {name: pa.array([x for _, _, x in events], pa.int64()) for name in "xy"}
        rows.inputs = [
            each
            for window in self.program.windows.scanned
            if isinstance(window.demand, Scan)
            for each in scan_inputs(window.demand.window, columns, len(events))
        ]
        return rows.take(np.lexsort((sequence, rows.pane)))

    def _single(self, events: Sequence[Event]) -> Cells:
        times, keys, xs = (np.array(c, np.int64) for c in zip(*events, strict=True))
        values = pa.array(xs)
        lifted = [values, values, texts(values)]
        return Cells(
            code=self.composer.keys.encode(pa.table({"k": keys})),
            pane=times,
            first=times,
            last=times,
            partials=[
                column_of(array, partial.monoid)
                for array, partial in zip(lifted, self.program.partials, strict=False)
            ],
            value=self.composer.values.encode(pa.table({"x": values}))
            if self.program.counts_values
            else None,
            weights=np.ones(len(events), np.int64),
        )

    def _told(self, pieces: Iterable[Piece]) -> Iterator[Told]:
        for piece in pieces:
            found, none = piece.ranges, [None] * len(piece)
            (keys,) = self.composer.keys.take(found.code)
            totals, tops, *text = (column.arrow().to_pylist() for column in piece.partials)
            medians = self._medians(piece) if self.program.counts_values else none
            rows = zip(
                found.start.tolist(), found.end.tolist(), totals, tops, medians,
                text[0] if text else none, strict=True,
            )  # fmt: skip
            numbers = none if piece.number is None else piece.number.tolist()
            again, gone = piece.revisions().tolist(), piece.taken_back().tolist()
            for window, key, number, row, *more in zip(
                found.window.tolist(), keys.to_pylist(), numbers, rows, again, gone, strict=True
            ):
                name = _name(self.windows[window], key, number, row[:2])
                yield Told(name, row, *more)

    def _medians(self, piece: Piece) -> list[float | None]:
        ranked = piece.ranked_values(0, self.composer.values)
        tallies = ranked.tallies(piece.ranges.lo, piece.ranges.hi)
        return [m for _, tally in tallies for m in pw.median("x").lower_tally(tally).to_pylist()]


def composer_of(of: Program, delay: int = 0) -> Composer:
    """A composer with the key `k` that counts the values of `x`, if it counts any."""
    counted = [("x", pa.int64())] if of.counts_values else []
    return Composer(of, pa.schema([("k", pa.int64())]), pa.schema(counted), delay)


def _name(window: Window, key: int, number: int | None, bounds: tuple[int, int]) -> Name:
    return (window.window_id, key, number) if window.numbered else (window.window_id, key, *bounds)


def defined(player: Player, events: Sequence[Event], until: int = ALWAYS) -> list[tuple]:
    """Every window that is final at the watermark, as `(name, row)`, computed from its rows."""
    result = []
    for key in sorted({key for _, key, _ in events}):
        own = [
            OracleEvent(time, (place,), {"x": x, "y": x})
            for place, (time, k, x) in enumerate(events)
            if k == key and time < until
        ]
        group = Group(sorted(own, key=lambda e: (e.time, e.sequence)), watermark=until)
        for window in player.windows if own else ():
            for found in instances(window, group):
                if found.final <= until:
                    xs = [event.row["x"] for event in found.events]
                    name = _name(window, key, found.no, (found.start, found.end))
                    result.append((name, (found.start, found.end, *_values(player, xs))))
    return sorted(result)


def _values(player: Player, xs: list[int]) -> tuple[Any, ...]:
    middle = float(median(xs)) if player.program.counts_values else None
    text = None if player.program.commutative else "".join(f"{x};" for x in xs)
    return sum(xs), max(xs), middle, text


@dataclass
class Reader:
    """Applies results in order, as a table that is upserted would, and counts revisions."""

    windows: Sequence[Window]
    rows: dict[Name, list[Told]] = field(default_factory=dict)

    def apply(self, told: Sequence[Told]) -> None:
        for each in sorted(told, key=lambda t: not t.retracted):
            known = self.rows.setdefault(each.name, [])
            if each.revision == 0 and not each.retracted:
                assert not known or self._may_repeat(each.name), f"told twice: {each}"
                known.append(each)
                continue
            assert known, f"revised before it was told: {each}"
            before = known.pop(0)
            if not self._may_repeat(each.name):
                assert each.revision == before.revision + 1, f"{each} after {before}"
            if not each.retracted:
                known.append(each)

    def all(self) -> list[tuple]:
        return sorted((t.name, t.row) for several in self.rows.values() for t in several)

    def _may_repeat(self, name: Name) -> bool:
        """Whether such windows may vanish and come back, or be twice where times are the same."""
        (window,) = (w for w in self.windows if w.window_id == name[0])
        return isinstance(window, Session | Punctuation | Frame | UserWindow)


def steps(
    events: Sequence[Event], cuts: Iterable[int], delay: int | None = None
) -> Iterator[tuple[Sequence[Event], int, int]]:
    """Batches with the best watermark there is, or with one that late rows come behind."""
    bounds = [0, *sorted(c for c in set(cuts) if 0 < c < len(events)), len(events)]
    for lo, hi in pairwise(bounds):
        if not events[lo:hi]:
            continue
        newest = max(time for time, _, _ in events[:hi])
        keep = min((time for time, _, _ in events[hi:]), default=newest)
        watermark = min(keep, newest) if delay is None else newest - delay
        yield events[lo:hi], watermark, min(keep, watermark)


def composed(
    windows: Sequence[Window], events: Sequence[Event], cuts: Iterable[int] = (), **options: Any
) -> tuple[Player, list[tuple]]:
    """Everything that is told, each window once."""
    player = Player(windows, **options)
    reader = Reader(windows)
    for batch, watermark, keep in steps(events, cuts):
        reader.apply(player.push(batch, watermark, keep))
    reader.apply(player.flush())
    assert player.composer.held == 0
    return player, reader.all()
