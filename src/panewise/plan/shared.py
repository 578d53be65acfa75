"""A plan that answers several queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from panewise.errors import QueryError
from panewise.plan.plan import Plan
from panewise.plan.running import Streaming, is_spark, run_on
from panewise.plan.statistics import Statistics
from panewise.query import Part


@dataclass(frozen=True)
class SharedPlan:
    """One plan for the windows and aggregates of several queries.

    >>> import panewise as pw
    >>> fine = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
    >>> coarse = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.max("x")])
    >>> both = pw.plan_all({"fine": fine, "coarse": coarse})
    >>> list(both.queries), both.plan.query.window_ids
    (['fine', 'coarse'], ['tumbling(5)', 'tumbling(10)'])
    """

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
        name: str | None = None,
    ) -> Any:
        """The rows of all queries as one lazy DataFrame, with a column `query`.

        Columns that a query did not ask for are null in its rows.  One DataFrame, because Spark
        computes each one that is written by itself: several would share nothing.
        Streams take what `Plan.run` takes.

        >>> import panewise as pw
        >>> fine = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
        >>> coarse = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.max("x")])
        >>> both = pw.plan_all({"fine": fine, "coarse": coarse})
        >>> told = both.run({"t": [1, 7], "x": [5, 1]})
        >>> [(row["query"], row["sum(x)"], row["max(x)"]) for row in told.to_pylist()]
        [('fine', 5, None), ('fine', 1, None), ('coarse', None, 5)]
        """
        asked = Streaming(
            delay, lateness, buckets, max_ahead, postpone, completeness, report, period, evict, name
        )
        return run_on(self, events, asked)

    def _on_spark(self, events: Any) -> Any:
        """What `run` does with a batch DataFrame."""
        from panewise.spark.shared import run

        return run(self, events)

    def part(self, rows: Any, query: str) -> Any:
        """The rows of one query, as its own plan would return them.

        >>> import panewise as pw
        >>> fine = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
        >>> coarse = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.max("x")])
        >>> both = pw.plan_all({"fine": fine, "coarse": coarse})
        >>> told = both.run({"t": [1, 7], "x": [5, 1]})
        >>> both.part(told, "coarse").to_pylist()
        [{'window_id': 'tumbling(10)', 'window': {'start': 0, 'end': 10}, 'max(x)': 5}]
        """
        if query not in self.queries:
            names = ", ".join(f'"{name}"' for name in self.queries)
            raise QueryError(f'no query "{query}" was planned here.', hint=f"there are {names}.")
        if is_spark(rows):
            from panewise.spark.shared import part

            return part(self, rows, query)
        from panewise.operator.local import part_of

        return part_of(self, rows, query)

    def tune(self, statistics: Statistics) -> SharedPlan:
        """The same queries planned anew with what is known of the data.

        >>> import panewise as pw
        >>> fine = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
        >>> coarse = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.max("x")])
        >>> both = pw.plan_all({"fine": fine, "coarse": coarse})
        >>> both.tune(pw.Statistics.given(rows=1000, span=1000)).plan.statistics.rows
        1000
        """
        return SharedPlan(self.queries, self.plan.tune(statistics))

    def sample(self, events: Any, *, rows: int = 100_000) -> SharedPlan:
        """The same queries planned anew with statistics of the first rows.

        >>> import panewise as pw
        >>> from panewise.spark import session
        >>> spark = session("local[2]", spark_sql_shuffle_partitions=2)
        >>> events = spark.range(1000).selectExpr("id AS t", "id % 7 AS k")
        >>> fine = pw.plan(time="t", by=["k"], windows=[pw.tumbling(10)], aggregates=[pw.count()])
        >>> pw.plan_all({"fine": fine}).sample(events).plan.statistics.source
        'a sample of 1,000 rows'
        """
        return SharedPlan(self.queries, self.plan.sample(events, rows=rows))

    def explain(self, format: str = "text") -> str:
        """The plan behind all queries.

        >>> import panewise as pw
        >>> fine = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
        >>> coarse = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.max("x")])
        >>> both = pw.plan_all({"fine": fine, "coarse": coarse})
        >>> print(both.explain().splitlines()[0])
        Plan over t
        """
        return self.plan.explain(format)

    def to_svg(self) -> str:
        """The same as a standalone SVG.

        >>> import panewise as pw
        >>> fine = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
        >>> coarse = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.max("x")])
        >>> both = pw.plan_all({"fine": fine, "coarse": coarse})
        >>> both.to_svg()[:4]
        '<svg'
        """
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
