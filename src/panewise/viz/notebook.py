"""Plans and results as a notebook shows them: picture, table and a small chart, all HTML.

Whatever a user named is escaped: a window may be called `<script>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from panewise.errors import PanewiseError, QueryError
from panewise.plan import Plan, RingPlan, SharedPlan
from panewise.plan.running import is_spark, is_stream
from panewise.query.html import html_table, plain
from panewise.viz.chart import chart
from panewise.viz.packing import spelled
from panewise.viz.series import table_of

MOST_ROWS = 100_000
"""Of Spark's results, which are collected; above that there is a table and no chart."""
WIDE = '<div style="max-width:100%;overflow-x:auto">'


def plan_html(plan: Plan | RingPlan | SharedPlan) -> str:
    """The picture of a plan, and below it what `explain` says."""
    words = plain(plan.explain())
    return (
        f"{WIDE}{plan.to_svg()}"
        f"<details><summary>in words</summary><pre>{words}</pre></details></div>"
    )


@dataclass(frozen=True, repr=False)
class Report:
    """Results for the eye: `show` makes it, and a notebook displays it."""

    table: pa.Table
    """The results themselves, as far as they are at hand."""
    column: str | None = None
    by: tuple[str, ...] | None = None
    rows: int = 10
    whole: bool = True

    def _repr_html_(self) -> str:
        return f"{WIDE}{self._chart()}{self._head()}</div>"

    def __repr__(self) -> str:
        return self.table.slice(0, self.rows).to_pandas().to_string(index=False)

    def _chart(self) -> str:
        if not self.whole:
            return f"<p>more than {MOST_ROWS:,} rows: filter them, and there is a chart.</p>"
        try:
            return chart(self.table, column=self.column, by=self.by)
        except PanewiseError as problem:
            if self.column is not None or self.by is not None:
                raise  # what was asked for cannot be drawn
            return f"<p>no chart: {plain(str(problem))}</p>"

    def _head(self) -> str:
        names, rows = _flat(self.table.slice(0, self.rows))
        count = f"{self.table.num_rows:,}" if self.whole else f"more than {MOST_ROWS:,}"
        left_out = self.table.num_rows > self.rows
        note = f"<p>the first {self.rows:,} of {count} rows</p>" if left_out else ""
        return html_table(names, rows) + note


def show(
    results: Any,
    *,
    column: str | None = None,
    by: Sequence[str] | None = None,
    rows: int = 10,
) -> Report:
    """Results as a notebook shows them: a small chart, and the first rows.

    `plan.run` returns a plain Arrow table or Spark's own DataFrame, so that everything that reads
    those reads results too; how they look is therefore said here, and not by the results.  Spark's
    are collected, at most 100,000 rows, which starts a job.  `column` and `by` are what
    `panewise.viz.results.draw` takes.

    >>> import panewise as pw
    >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    >>> pw.show(plan.run({"t": [1, 4, 12], "x": [5, 1, 2]}))
       window_id                    window  sum(x)
    tumbling(10)  {'start': 0, 'end': 10}       6
    tumbling(10) {'start': 10, 'end': 20}       2
    """
    if is_stream(results):
        raise QueryError(
            "a stream has no end, so there are no results of it to show.",
            hint='write it with format("memory"), and show spark.table(name).',
        )
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
        raise QueryError(f"rows is how many are shown: got {rows!r}.", hint="write rows=10.")
    table, whole = results, True
    if is_spark(results):
        table = results.limit(MOST_ROWS + 1)
    table = table_of(table)
    if is_spark(results) and len(table) > MOST_ROWS:
        table, whole = table.slice(0, MOST_ROWS), False
    keys = None if by is None else (by,) if isinstance(by, str) else tuple(by)
    return Report(table, column, keys, rows, whole)


def _flat(table: pa.Table) -> tuple[list[str], list[list[str]]]:
    """Cells as text, with the two bounds of a window in columns of their own."""
    names: list[str] = []
    columns: list[list[str]] = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = column.to_pylist()
        if name == "window" and pa.types.is_struct(column.type):
            for bound in ("start", "end"):
                names.append(bound)
                columns.append([spelled(v[bound] if v else None) for v in values])
        else:
            names.append(name)
            columns.append([spelled(value, 80) for value in values])
    return names, [list(row) for row in zip(*columns, strict=True)]
