"""Polars' side of the in-process benchmark: as users write it, and sliced by hand.

Every query returns `start` and `end` in ticks, `device` and `value`, as an Arrow table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa

SECOND = 1_000_000
TICK = pl.col("ts").dt.epoch("us")


def tumbling(path: Path, sizes: Sequence[int]) -> pa.Table:
    """A group-by of truncated times for each window: `group_by_dynamic` took 30 times as long."""
    parts = [
        pl.scan_parquet(path)
        .group_by(pl.col("ts").dt.truncate(f"{size}s"), "device")
        .agg(pl.col("value").min())
        .select(*_bounds(TICK, size), "device", "value")
        for size in sizes
    ]
    return pl.concat(parts).collect().to_arrow()


def tumbling_by_hand(path: Path, sizes: Sequence[int], pane: int) -> pa.Table:
    """Panes of the greatest common divisor once, and a group-by of them for each window."""
    panes = (
        pl.scan_parquet(path)
        .group_by((TICK // (pane * SECOND)).alias("pane"), "device")
        .agg(pl.col("value").min())
        .collect()
        .lazy()
    )
    parts = [
        panes.group_by((pl.col("pane") * pane // size * size * SECOND).alias("start"), "device")
        .agg(pl.col("value").min())
        .select(*_bounds(pl.col("start"), size), "device", "value")
        for size in sizes
    ]
    return pl.concat(pl.collect_all(parts)).to_arrow()


def sliding(path: Path, size: int, slide: int) -> pa.Table:
    """`group_by_dynamic`, which copies no rows; generating all windows would take all memory."""
    return (
        pl.scan_parquet(path)
        .sort("ts")
        .group_by_dynamic(
            "ts",
            every=f"{slide}s",
            period=f"{size}s",
            offset=f"-{size - slide}s",
            group_by="device",
        )
        .agg(pl.col("value").sum())
        .select(*_bounds(TICK, size), "device", "value")
        .collect()
        .to_arrow()
    )


def sliding_by_hand(path: Path, size: int, slide: int) -> pa.Table:
    """Panes of one slide, laid on a grid without holes, and a running sum of so many panes."""
    many = size // slide
    panes = (
        pl.scan_parquet(path)
        .group_by((TICK // (slide * SECOND)).alias("pane"), "device")
        .agg(pl.col("value").sum())
        .collect()
    )
    first, last = panes["pane"].min(), panes["pane"].max()
    grid = (
        panes.select("device")
        .unique()
        .join(pl.DataFrame({"pane": range(first, last + many)}, {"pane": pl.Int64}), how="cross")
        .lazy()
    )
    return (
        grid.join(panes.lazy(), on=["device", "pane"], how="left", maintain_order="left")
        # every device ends with empty panes, so no sum reaches into the next device
        .with_columns(pl.col("value").rolling_sum(many, min_samples=1))
        .drop_nulls("value")
        .select(*_bounds((pl.col("pane") - many + 1) * slide * SECOND, size), "device", "value")
        .collect()
        .to_arrow()
    )


def sessions(path: Path, gap: int) -> pa.Table:
    """Rows compared with the row before; what is further away than the gap begins a session."""
    rows = pl.scan_parquet(path).select(TICK.alias("first"), "device", "value")
    return _islands(rows.with_columns(last="first"), gap)


def sessions_by_hand(path: Path, gap: int) -> pa.Table:
    """The same of panes as wide as the gap, whose rows always share a session."""
    panes = (
        pl.scan_parquet(path)
        .group_by((TICK // (gap * SECOND)).alias("pane"), "device")
        .agg(TICK.min().alias("first"), TICK.max().alias("last"), pl.col("value").sum())
    )
    return _islands(panes, gap)


def _islands(cells: pl.LazyFrame, gap: int) -> pa.Table:
    before = pl.col("last").shift(1)
    same = (pl.col("device") == pl.col("device").shift(1)) & (
        pl.col("first") - before <= gap * SECOND
    )
    return (
        cells.sort("device", "first")
        .with_columns((~same.fill_null(False)).cum_sum().alias("number"))
        .group_by("number")
        .agg(
            pl.col("first").min().alias("start"),
            (pl.col("last").max() + gap * SECOND).alias("end"),
            pl.col("device").first(),
            pl.col("value").sum(),
        )
        .select("start", "end", "device", "value")
        .collect()
        .to_arrow()
    )


def _bounds(start: pl.Expr, size: int) -> list[pl.Expr]:
    return [start.alias("start"), (start + size * SECOND).alias("end")]
