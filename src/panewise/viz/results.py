"""Results over time: a line for each window, a panel for each key.

Needs matplotlib (extra `plots`); `panewise.viz.chart` is a small chart that needs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.errors import QueryError
from panewise.plan.labels import printable
from panewise.viz.packing import more, spelled
from panewise.viz.paper import LINES
from panewise.viz.series import Key, Series, Shown, shown

MOST_KEYS = 6
FORMATS = (".png", ".svg", ".pdf")
STYLES = ("-", "--", "-.", ":")
"""Beside colours, so that these are not needed."""


def draw(
    results: Any,
    *,
    column: str | None = None,
    by: Sequence[str] | None = None,
    file: str | Path | None = None,
) -> Any:
    """Draw one column of the results of a plan, and return matplotlib's figure.

    `results` are an Arrow table, a pandas or Polars frame, or Spark's DataFrame, which is
    collected.  `column` is the first that holds numbers, unless it is named; `by` are the keys,
    which are found in the table if they are not given.  `file` is written as its ending says.
    The table may be filtered before: a picture shows the first six keys.

    >>> import panewise as pw
    >>> plan = pw.plan(time="t", windows=[pw.tumbling(5), pw.tumbling(20)],
    ...     aggregates=[pw.mean("x")])
    >>> figure = draw(plan.run({"t": list(range(40)), "x": list(range(40))}))
    >>> [line.get_label() for line in figure.axes[0].get_lines()]
    ['tumbling(5)', 'tumbling(20)']
    """
    if file is not None and Path(file).suffix.lower() not in FORMATS:
        raise QueryError(
            f"a picture is written as {', '.join(FORMATS)}: got {str(file)!r}.",
            hint='write file="results.png".',
        )
    told = shown(results, column, by)
    keys = told.keys[:MOST_KEYS]
    figure = _figure(len(keys))
    for at, key in enumerate(keys or [()]):
        axes = figure.add_subplot(max(len(keys), 1), 1, at + 1)
        _panel(axes, told, key)
    left_out = len(told.keys) - len(keys)
    if left_out > 0:
        figure.supxlabel(f"{more(left_out, 'key')} left out", fontsize="small")
    if file is not None:
        figure.savefig(file, dpi=130)
    return figure


def _figure(panels: int) -> Any:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise QueryError(
            "results are drawn with matplotlib, which is not installed.",
            hint="pip install 'panewise[plots]'.",
        ) from None
    return Figure(figsize=(9, 4 if panels < 2 else 2.2 * panels + 0.6), layout="constrained")


def _panel(axes: Any, told: Shown, key: Key) -> None:
    """Longer windows are drawn thicker, and over shorter ones."""
    ours = [series for series in told.series if series.key == key]
    for number, series in enumerate(ours):
        _line(axes, told, series, number, 1.0 + 1.4 * number / max(len(ours) - 1, 1))
    if not pa.types.is_integer(told.time):
        _dated(axes, getattr(told.time, "tz", None))
    axes.set_ylabel(_plain(told.column))
    if key:
        axes.set_title(_plain(", ".join(spelled(each) for each in key)), fontsize="medium")
    if ours:
        axes.legend(loc="best", frameon=False, fontsize="small")
    axes.spines[["top", "right"]].set_visible(False)


def _dated(axes: Any, zone: str | None) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    axes.xaxis_date(tz=zone)
    locator = AutoDateLocator(tz=zone)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=zone))


def _line(axes: Any, told: Shown, series: Series, number: int, wide: float) -> None:
    at, value = series.line()
    axes.plot(
        _places(at, told.time),
        value,
        color=LINES[number % len(LINES)],
        linestyle=STYLES[number % len(STYLES)],
        linewidth=wide,
        marker="." if series.overlapping and len(series.end) < 60 else None,
        label=_plain(series.name),
    )


def _places(ticks: np.ndarray, kind: pa.DataType) -> np.ndarray:
    """Moments that matplotlib knows; a break is no moment."""
    if pa.types.is_integer(kind):
        return ticks
    whole = np.where(np.isnan(ticks), 0, ticks).astype("datetime64[us]")
    whole[np.isnan(ticks)] = np.datetime64("NaT")
    return whole


def _plain(text: str) -> str:
    """A user's text as it is: a dollar would begin a formula, an underscore hide a line."""
    safe = printable(text).replace("$", r"\$")
    return f" {safe}" if safe.startswith("_") else safe
