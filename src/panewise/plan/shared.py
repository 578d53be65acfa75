"""A plan that answers several queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from panewise.errors import QueryError
from panewise.plan.plan import Plan, Streaming, is_spark, run_on
from panewise.plan.statistics import Statistics
from panewise.query import Part


@dataclass(frozen=True)
class SharedPlan:
    """One plan for the windows and aggregates of several queries."""

    queries: Mapping[str, Part]
    plan: Plan

    def run(
        self,
        events: Any,
        *,
        delay: object = None,
        lateness: object = None,
        buckets: int | None = None,
        max_ahead: object = None,
        postpone: object = None,
        completeness: float | None = None,
        report: str | None = None,
        period: object = None,
        evict: tuple[int, int] | None = None,
    ) -> Any:
        """The rows of all queries as one lazy DataFrame, with a column `query`.

        Columns that a query did not ask for are null in its rows.  One DataFrame, because Spark
        computes each one that is written by itself: several would share nothing.
        Streams take what `Plan.run` takes.
        """
        asked = Streaming(
            delay, lateness, buckets, max_ahead, postpone, completeness, report, period, evict
        )
        return run_on(self, events, asked)

    def on_spark(self, events: Any) -> Any:
        """What `run` does with a batch DataFrame."""
        from panewise.spark.shared import run

        return run(self, events)

    def part(self, rows: Any, query: str) -> Any:
        """The rows of one query, as its own plan would return them."""
        if query not in self.queries:
            names = ", ".join(f'"{name}"' for name in self.queries)
            raise QueryError(f'no query "{query}" was planned here.', hint=f"there are {names}.")
        if is_spark(rows):
            from panewise.spark.shared import part

            return part(self, rows, query)
        from panewise.operator.local import part_of

        return part_of(self, rows, query)

    def tune(self, statistics: Statistics) -> SharedPlan:
        """The same queries planned anew with what is known of the data."""
        return SharedPlan(self.queries, self.plan.tune(statistics))

    def sample(self, events: Any, *, rows: int = 100_000) -> SharedPlan:
        """The same queries planned anew with statistics of the first rows."""
        return SharedPlan(self.queries, self.plan.sample(events, rows=rows))

    def explain(self, format: str = "text") -> str:
        """The plan behind all queries."""
        return self.plan.explain(format)

    def to_svg(self) -> str:
        """The same as a standalone SVG."""
        return self.explain("svg")

    def timeline(self, events: Any, **options: Any) -> str:
        """What the windows do to a few events, as `Plan.timeline` draws it.

        >>> import panewise as pw
        >>> fine = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
        >>> coarse = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> both = pw.plan_all({"fine": fine, "coarse": coarse})
        >>> "coarse: tumbling(10)" in both.timeline({"t": [1, 3, 9], "x": [4, 5, 1]})
        True
        """
        from panewise.viz.timeline import draw

        return draw(self, events, **options)

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        from panewise.viz.notebook import plan_html

        return plan_html(self)
