"""State in pages: what changed is written, the rest stays where it is.

Idea: cells are cut into pages by ranges of panes, keys and values by ranges of their numbers.  New
rows change the newest panes, so a batch writes a page or two of each tier, however much is held.
A page is known by a fingerprint of its numbers; pages with the same one as before are not even
serialised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.kernels.compiled import compiled
from panewise.kernels.holder import Holder
from panewise.kernels.periodic import PeriodicTier
from panewise.kernels.sessions import SessionTier
from panewise.operator.engine import Engine

NUMBERED = 1 << 13
"""Keys or values of a page."""
PAGES = 16
"""Pages that the longest window of a tier is cut into."""

Name = tuple[str, int]
"""A table, and the number of a page."""


@dataclass(frozen=True)
class Page:
    """Rows of a table, and what tells whether they changed; 0 is never the same."""

    table: pa.Table
    rows: np.ndarray
    fingerprint: int

    def taken(self) -> pa.Table:
        return self.table.take(pa.array(self.rows)) if self.table.num_rows else self.table


def pages_of(tables: Mapping[str, pa.Table], widths: Mapping[str, int]) -> dict[Name, Page]:
    """All tables of a state as pages; those of cells as many ticks wide as their widths say."""
    found: dict[Name, Page] = {}
    for name, table in tables.items():
        if not table.num_rows:
            found[name, 0] = Page(table, np.empty(0, np.int64), 1)
            continue
        number = _numbers(name, table, widths.get(name))
        order = np.argsort(number, kind="stable")
        cuts = np.flatnonzero(np.diff(number[order], prepend=number[order[:1]] - 1))
        prints = _fingerprints(table, order, cuts)
        for at, rows in enumerate(np.split(order, cuts[1:])):
            found[name, int(number[rows[0]])] = Page(table, rows, int(prints[at]))
    return found


def joined(pages: Mapping[Name, pa.Table]) -> dict[str, pa.Table]:
    """The inverse of `pages_of`: tables in the order in which they were cut."""
    gathered: dict[str, list[pa.Table]] = {}
    for name, number in sorted(pages):
        gathered.setdefault(name, []).append(pages[name, number])
    return {name: _in_order(name, pa.concat_tables(parts)) for name, parts in gathered.items()}


def _in_order(name: str, table: pa.Table) -> pa.Table:
    """Cells by key and pane again, waiting rows by time; everything else as it is."""
    if name != "waiting" and not name.endswith(".cells"):  # keys may have such columns, too
        return table
    columns = ["code", "pane", "sequence", "value"][name == "waiting" :]
    columns = [column for column in columns if column in table.column_names]
    order = np.lexsort([np.asarray(table[name]) for name in reversed(columns)])
    return table.take(pa.array(order))


def widths_of(engine: Engine) -> dict[str, int]:
    """Ticks of a page of cells, by table."""
    found = {"waiting": max(engine.composer.waiting.delay // PAGES, 1)}
    tiers: list[Holder] = [*engine.composer.tiers, *engine.composer.row_tiers]
    for number, tier in enumerate(tiers):
        if isinstance(tier, PeriodicTier):
            found[f"tier.{number}.cells"] = max(int(tier.horizon.families[:, 1].max()) // PAGES, 1)
        elif isinstance(tier, SessionTier):
            found[f"tier.{number}.cells"] = max(4 * tier.gap, 1)
    return found


def _numbers(name: str, table: pa.Table, width: int | None) -> np.ndarray:
    """The page of every row."""
    if width is not None:
        return np.asarray(table["pane"]) // width
    if name in ("keys", "values"):
        return np.arange(table.num_rows) // NUMBERED
    return np.zeros(table.num_rows, np.int64)


def _fingerprints(table: pa.Table, order: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    found = np.zeros(len(cuts), np.uint64)
    columns = []
    for column in table.columns:
        kind = column.type
        whole = column.combine_chunks()
        if kind == pa.float64():
            bits = np.asarray(whole.fill_null(0.0)).view(np.uint64)
        elif pa.types.is_integer(kind) or pa.types.is_timestamp(kind):
            bits = np.asarray(whole.cast(pa.int64(), safe=False).fill_null(0)).view(np.uint64)
        else:
            return found  # not known without serialising it
        columns.append(bits)
        if whole.null_count:
            columns.append(np.asarray(whole.is_valid()).astype(np.uint64))
    _mix(np.stack(columns), order, cuts, found)
    return found


@compiled
def _mix(columns, order, cuts, out):  # type: ignore[no-untyped-def]
    for page in range(len(cuts)):
        stop = cuts[page + 1] if page + 1 < len(cuts) else len(order)
        mixed = np.uint64(0x9E3779B97F4A7C15) * np.uint64(stop - cuts[page] + 1)
        for i in range(cuts[page], stop):
            for c in range(len(columns)):
                mixed = (mixed ^ columns[c, order[i]]) * np.uint64(0xBF58476D1CE4E5B9)
                mixed ^= mixed >> np.uint64(29)
        out[page] = max(mixed, np.uint64(1))
