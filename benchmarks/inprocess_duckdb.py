"""DuckDB's side of the in-process benchmark: as users write it, and sliced by hand.

Every query returns `start` and `end` in ticks, `device` and `value`, as an Arrow table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

SECOND = 1_000_000
THREADS = 2


def run(sql: str) -> pa.Table:
    with duckdb.connect(config={"threads": THREADS}) as connection:
        return connection.sql(sql).to_arrow_table()


def tumbling(path: Path, sizes: Sequence[int]) -> pa.Table:
    """A group-by for each window, and a union."""
    parts = [
        f"""SELECT epoch_us(time_bucket(INTERVAL {size} SECONDS, ts, TIMESTAMPTZ 'epoch')) AS start,
                   start + {size * SECOND} AS "end", device, min(value) AS value
            FROM '{path}' GROUP BY start, device"""
        for size in sizes
    ]
    return run(" UNION ALL ".join(parts))


def tumbling_by_hand(path: Path, sizes: Sequence[int], pane: int) -> pa.Table:
    """Panes of the greatest common divisor once, copied to every window, and one group-by."""
    return run(f"""
        WITH panes AS MATERIALIZED (
            SELECT epoch_us(ts) // {pane * SECOND} AS pane, device, min(value) AS value
            FROM '{path}' GROUP BY ALL),
        sizes AS (SELECT unnest({list(sizes)}) AS size)
        SELECT pane * {pane} // size * size * {SECOND} AS start, start + size * {SECOND} AS "end",
               device, min(value) AS value
        FROM panes, sizes GROUP BY ALL""")


def sliding(path: Path, size: int, slide: int) -> pa.Table:
    """Every row copied into all windows that hold it."""
    return run(f"""
        WITH copies AS (
            SELECT unnest(range(epoch_us(ts) // {slide * SECOND} - {size // slide - 1},
                                epoch_us(ts) // {slide * SECOND} + 1)) AS number, device, value
            FROM '{path}')
        SELECT number * {slide * SECOND} AS start, start + {size * SECOND} AS "end", device,
               sum(value) AS value
        FROM copies GROUP BY ALL""")


def sliding_by_hand(path: Path, size: int, slide: int) -> pa.Table:
    """Panes of one slide, laid on a grid without holes, and a running sum of so many panes."""
    return run(f"""
        WITH panes AS MATERIALIZED (
            SELECT epoch_us(ts) // {slide * SECOND} AS pane, device, sum(value) AS value
            FROM '{path}' GROUP BY ALL),
        grid AS (
            SELECT device, unnest(range(min(pane) - {size // slide - 1}, max(pane) + 1)) AS pane
            FROM panes GROUP BY device),
        windows AS (
            SELECT pane, device, sum(value) OVER (
                PARTITION BY device ORDER BY pane
                ROWS BETWEEN CURRENT ROW AND {size // slide - 1} FOLLOWING) AS value
            FROM grid LEFT JOIN panes USING (device, pane))
        SELECT pane * {slide * SECOND} AS start, start + {size * SECOND} AS "end", device, value
        FROM windows WHERE value IS NOT NULL""")


def sessions(path: Path, gap: int) -> pa.Table:
    """Rows compared with the row before; what is further away than the gap begins a session."""
    rows = f"(SELECT epoch_us(ts) AS first, first AS last, device, value FROM '{path}')"
    return run(_islands(rows, gap))


def sessions_by_hand(path: Path, gap: int) -> pa.Table:
    """The same of panes as wide as the gap, whose rows always share a session."""
    panes = f"""(
        SELECT min(epoch_us(ts)) AS first, max(epoch_us(ts)) AS last, device, sum(value) AS value
        FROM '{path}' GROUP BY device, epoch_us(ts) // {gap * SECOND})"""
    return run(_islands(panes, gap))


def _islands(cells: str, gap: int) -> str:
    # the last beginning so far names a session: a running count of beginnings is twice as slow
    return f"""
        WITH cells AS {cells},
        marked AS (
            SELECT *, CASE WHEN first - lag(last) OVER (PARTITION BY device ORDER BY first)
                                > {gap * SECOND} THEN first END AS begins
            FROM cells),
        named AS (
            SELECT *, last_value(begins IGNORE NULLS) OVER (
                PARTITION BY device ORDER BY first ROWS UNBOUNDED PRECEDING) AS session
            FROM marked)
        SELECT min(first) AS start, max(last) + {gap * SECOND} AS "end", device,
               sum(value) AS value
        FROM named GROUP BY device, session"""
