"""The multi-horizon chart: one key's values, a trend line for each level, and its bursts.

Idea: at the last instant at which a level reported, its line is drawn over its range; instants at
which a level is far above the next coarser one are marked.  Needs matplotlib (extra `plots`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates import Aggregate, mean, regression
from panewise.api import plan
from panewise.errors import QueryError
from panewise.plan import Plan
from panewise.viz.paper import FAINT, LINES, VERMILION
from panewise.windows import Granules, sizes


def horizons(
    events: Any, *, time: str, value: str, levels: Granules, factor: float = 3.0, axes: Any = None
) -> Any:
    """Draw the events of one key, and return the axes.

    `events` are an Arrow table or a data frame; `levels` are granules of time or of an integer
    measure; a burst is a mean above `factor` times that of the next level.
    """
    if not isinstance(levels, Granules) or levels.weights or levels.windows()[0].numbered:
        raise QueryError(
            f"horizons draws granules of time or of a measure, without weights: got {levels!r}.",
            hint='write pw.granules(("1 minute", "1 second"), ("10 minutes", "1 minute")).',
        )
    # compiled loops take a moment to import, and pictures of plans do without
    from panewise.operator.columns import as_table

    table = events if isinstance(events, pa.Table) else as_table(events, (time, value))
    rows = table.select([time, value])
    asked = plan(time=time, windows=[levels], aggregates=_of(value))
    assert isinstance(asked, Plan)
    results = _so_far(asked.run(rows), rows[time], levels)
    axes = axes if axes is not None else _axes()
    axes.plot(rows[time].to_numpy(), rows[value].to_numpy(), ".", color=FAINT, markersize=3)
    for level, colour in zip(range(len(levels.levels)), LINES * len(levels.levels), strict=False):
        _draw_line(axes, results, level, levels, colour)
    bursts = asked.bursts(results, "mean", factor=factor)
    if len(bursts):
        ends = pa.array([row["end"] for row in bursts["window"].to_pylist()])
        means = bursts["value"].to_numpy()
        axes.plot(ends, means, "v", color=VERMILION, label=f"above {factor:g} times the next level")
    axes.set_xlabel(time)
    axes.set_ylabel(value)
    axes.legend(loc="best", frameon=False)
    return axes


def _of(value: str) -> list[Aggregate]:
    return [mean(value).alias("mean"), regression(value).alias("line")]


def _so_far(results: pa.Table, times: pa.ChunkedArray, levels: Granules) -> pa.Table:
    """Without windows that only a later event would have closed: up to each level's next instant
    after the newest event."""
    from panewise.operator.columns import ticks_of

    if not len(results):
        return results
    newest = int(np.max(ticks_of(times.drop_null().combine_chunks())))
    slides = np.array([sizes.units(slide) for _, slide in levels.levels])
    ends = np.asarray(ticks_of(pc.struct_field(results["window"].combine_chunks(), 1)))
    level = np.asarray(results["level"])
    return results.filter(pa.array(ends <= newest + slides[level]))


def _draw_line(axes: Any, results: pa.Table, level: int, levels: Granules, colour: str) -> None:
    """The line of a level's last window that has one, from its start to its end."""
    told = [row for row in results.to_pylist() if row["level"] == level and row["line"] is not None]
    if not told:
        return
    last = max(told, key=lambda row: row["window"]["end"])
    line, window = last["line"], last["window"]
    wide, slide = levels.levels[level]
    axes.plot(
        [window["start"], window["end"]],
        [line["intercept"], line["forecast"]],
        color=colour,
        linewidth=2,
        label=f"{wide} every {slide}: r2 {line['r2']:.2f}",
    )


def _axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise QueryError(
            "horizons draws with matplotlib, which is not installed.",
            hint="pip install 'panewise[plots]'.",
        ) from None
    return plt.subplots(figsize=(9, 4), layout="constrained")[1]
