"""Rings of granules in a stream: what they answered waits until the level's window ends.

Idea: a ring that lies back in time is final before the window it is part of.  So the rows of rings
are held until the watermark passes the end of that window, and then put together by level.  With a
lateness they are held as much longer: a ring that is told again makes its window told again.
Invariant: of every ring of a window that may still be told, the newest answer is held.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.operator.container import damaged
from panewise.operator.rings import Placed, by_level, groups
from panewise.operator.snapshot_checks import check_columns
from panewise.operator.words import Words
from panewise.query import RingQuery

TOLD = "times told"
"""How often the window of a ring was told: a column beside those of the rings."""


class RingState:
    """Rows of rings whose windows are open, or may be told again."""

    def __init__(
        self, asked: RingQuery, rings: pa.Schema, words: Words | None, *, revises: bool
    ) -> None:
        """`rings` is what the query over the rings tells; items alone are of these words."""
        self._asked, self._words, self._revises = asked, words, revises
        own = [field for field in rings if field.name not in ("revision", "retracted")]
        self._held = pa.schema(own).empty_table()
        self._told = np.empty(0, np.int64)
        self._empty = self._levels(self._held, self._told)

    @property
    def schema(self) -> pa.Schema:
        """The columns of what is told of levels."""
        return self._empty.schema

    @property
    def nbytes(self) -> int:
        return int(self._held.nbytes + self._told.nbytes)

    def advance(self, rows: pa.Table, watermark: int, lateness: int) -> pa.Table:
        """The windows of levels that end by the watermark, or changed, now that these rings are
        told."""
        metadata = rows.schema.metadata
        new = rows.select(self._held.column_names).replace_schema_metadata(None)
        known = len(self._held)
        if not known and not len(new):
            return self._empty.replace_schema_metadata(metadata)
        whole = pa.concat_tables([self._held, new]).combine_chunks()
        told = np.concatenate([self._told, np.zeros(len(new), np.int64)])
        placed = Placed.of(self._asked, whole)
        fresh = np.arange(len(whole)) >= known
        group, end = placed.group, placed.end
        changed = np.bincount(group, fresh, len(placed.heads)) > 0
        np.maximum.at(times := np.zeros(len(placed.heads), np.int64), group, told)
        due = (end[placed.heads] <= watermark) & (changed | (times == 0))
        newest = self._newest(placed, whole)
        picked = newest & due[group]
        found = self._levels(whole.filter(pa.array(picked)), times[group[picked]])
        told = times[group] + due[group]
        final = watermark == ALWAYS
        keep = watermark - lateness if watermark != NEVER and not final else watermark
        stays = newest & (end > keep)
        self._held, self._told = whole.filter(pa.array(stays)), told[stays]
        return found.replace_schema_metadata(metadata)

    def _newest(self, placed: Placed, rows: pa.Table) -> np.ndarray:
        """Which rows are not told anew further on: a mask."""
        if not self._revises:
            return np.ones(len(rows), np.bool_)
        ring = placed.group * len(self._asked.rings) + placed.ring
        if self._asked.items is not None:  # each word of a ring is a row
            told = {"ring": pa.array(ring), "word": rows[self._asked.items.word]}
            ring, _ = groups(pa.table(told))
        _, last = np.unique(ring[::-1], return_index=True)
        mask = np.zeros(len(ring), np.bool_)
        mask[len(ring) - 1 - last] = True
        return mask

    def _levels(self, rows: pa.Table, times: np.ndarray) -> pa.Table:
        """Rows of rings by level; `times` is how often the window of each was told before."""
        placed = Placed.of(self._asked, rows)
        found = by_level(self._asked, rows, placed, self._words)
        if not self._revises:
            return found
        revision = times[placed.heads]
        found = found.append_column("revision", pa.array(revision, pa.int64()))
        return found.append_column("retracted", pa.array(np.zeros(len(found), np.bool_)))

    def table(self) -> pa.Table:
        """All that is held."""
        return self._held.append_column(TOLD, pa.array(self._told))

    def load(self, table: pa.Table) -> None:
        """Go on with what another one held; everything is checked first."""
        check_columns(table, self._held.schema.append(pa.field(TOLD, pa.int64())))
        window = table["window"].combine_chunks()
        known = [table["window_id"], window, window.field(0), window.field(1), table[TOLD]]
        if any(column.null_count for column in known):
            raise damaged("a number of a ring is null")
        names = {str(number) for number in range(len(self._asked.rings))}
        if not set(table["window_id"].to_pylist()) <= names:
            raise damaged("a ring is none of the query's")
        self._told = np.array(table[TOLD].combine_chunks())
        self._held = table.drop_columns([TOLD])
