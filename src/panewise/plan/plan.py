"""The plan: trees of shared tables, and how windows come out of them.

Idea: `slice -> compose -> lower`.  A tree begins at the events; every node is a table of partials
(the panes of an edge set, or the instances of a window) that reads its parent.  The optimizer fills
in the nodes with their reasons; an engine carries them out.  A plan is a frozen value: it can be
printed, compared and run again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from panewise.plan.running import Streaming, is_spark, run_on
from panewise.plan.statistics import Statistics
from panewise.plan.tree import Tree
from panewise.query import Query
from panewise.query.trend import Trend, checked_factor


@dataclass(frozen=True)
class Alternative:
    """A plan that was weighed: its strategy, its cost, and what may be said of it."""

    strategy: str
    cost: float
    note: str


@dataclass(frozen=True)
class Plan:
    """What will be computed, and why.

    >>> import panewise as pw
    >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    >>> plan.chosen, plan.query.window_ids
    ('independent', ['tumbling(10)'])
    """

    query: Query
    trees: tuple[Tree, ...]
    strategy: str
    """What was asked for: "auto", or the strategy that was forced."""
    chosen: str
    """The strategy that these trees come from."""
    reason: str
    cost: float
    statistics: Statistics
    alternatives: tuple[Alternative, ...] = ()

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
        """All windows over these events.

        A Spark DataFrame gives a lazy one, and no job is started.  An Arrow table or data set, a
        pandas or Polars frame, or a path to parquet gives an Arrow table, computed in process.

        A streaming DataFrame gives a streaming one, of windows as they become final.  It takes
        `delay`, how late rows may be, where `withWatermark` does not say it; `lateness`, how long
        after that they revise what was reported; `buckets`, how many parts the state is kept in;
        and `max_ahead`, how far before the clock a row may be.  Where events have a duration,
        `postpone` is how long after its end a window waits for them, or "auto" with the
        `completeness` that this is to reach.  Frames are told as `report`, `period` and `evict`
        say, as `Operator` explains them.  A `name` tells the counts of several results apart that
        are put together in one streaming query.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> plan.run({"t": [1, 4, 12], "x": [5, 1, 2]})["sum(x)"].to_pylist()
        [6, 2]
        """
        asked = Streaming(
            delay, lateness, buckets, max_ahead, postpone, completeness, report, period, evict, name
        )
        return run_on(self, events, asked)

    def _on_spark(self, events: Any) -> Any:
        """What `run` does with a batch DataFrame."""
        from panewise.spark.batch import run

        return run(self, events)

    def trend(self, results: Any, of: str) -> Any:
        """How an aggregate differs from level to level of granules, at each instant at which a
        level and the next coarser one report.

        `results` is what `run` returned.  Rows are those of the finer level, with its `value`, the
        `base`, which is the coarser one's, and the `difference`.  Of sums and counts, which grow
        with the range, the base is scaled to the finer range.

        >>> import panewise as pw
        >>> levels = pw.granules((2, 1), (8, 2))
        >>> plan = pw.plan(time="t", windows=[levels], aggregates=[pw.mean("x")])
        >>> results = plan.run({"t": [0, 1, 2, 3, 4, 5, 6, 7], "x": [1, 1, 1, 1, 1, 1, 1, 9]})
        >>> trend = plan.trend(results, "mean(x)").to_pylist()
        >>> [(row["value"], row["base"]) for row in trend if row["window"]["end"] == 8]
        [(5.0, 2.0)]
        """
        asked = Trend(self.query, of)
        if is_spark(results):
            from panewise.spark.trend import trend as on_spark

            return on_spark(asked, results)
        from panewise.operator.trend import trend

        return trend(asked, results)

    def bursts(self, results: Any, of: str, *, factor: float = 3.0) -> Any:
        """The rows of the trend in which the finer level is above `factor` times the coarser.

        >>> import panewise as pw
        >>> levels = pw.granules((2, 1), (8, 2))
        >>> plan = pw.plan(time="t", windows=[levels], aggregates=[pw.mean("x")])
        >>> results = plan.run({"t": [0, 1, 2, 3, 4, 5, 6, 7], "x": [1, 1, 1, 1, 1, 1, 1, 9]})
        >>> bursts = plan.bursts(results, "mean(x)", factor=2.0).to_pylist()
        >>> [(row["window"], row["value"], row["base"]) for row in bursts]
        [({'start': 6, 'end': 8}, 5.0, 2.0)]
        """
        asked, times = Trend(self.query, of), checked_factor(factor)
        if is_spark(results):
            from panewise.spark.trend import bursts as on_spark

            return on_spark(asked, results, times)
        from panewise.operator.trend import bursts

        return bursts(asked, results, times)

    def tune(self, statistics: Statistics) -> Plan:
        """The same query planned anew with what is known of the data.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> known = pw.Statistics.given(rows=1_000_000, span=1_000_000, keys=10)
        >>> plan.tune(known).statistics.rows
        1000000
        """
        from panewise.optimizer import choose

        return choose(self.query, self.strategy, statistics)

    def observe(self, results: Any, *, rows: int | None = None) -> Plan:
        """The same query planned anew with what its last results say.

        `results` is a DataFrame that `run` returned, or the same read back from where it was
        written; it is counted, which starts a job.  `rows` is the number of events behind it; where
        it is not given, a `count()` over a window without overlap tells it.

        >>> import panewise as pw
        >>> from panewise.spark import session
        >>> spark = session("local[2]", spark_sql_shuffle_partitions=2)
        >>> events = spark.range(1000).selectExpr("id AS t", "id % 7 AS k")
        >>> plan = pw.plan(time="t", by=["k"], windows=[pw.tumbling(10)], aggregates=[pw.count()])
        >>> plan.observe(plan.run(events)).statistics.rows
        1000
        """
        from panewise.spark.sample import observe

        return self.tune(observe(self, results, rows))

    def sample(self, events: Any, *, rows: int = 100_000) -> Plan:
        """The same query planned anew with statistics of the first rows.

        They should be a stretch of the stream as it arrived; of a table in another order give such
        a stretch, `plan.sample(events.where("ts >= ..."))`.  Starts a small job.

        >>> import panewise as pw
        >>> from panewise.spark import session
        >>> spark = session("local[2]", spark_sql_shuffle_partitions=2)
        >>> events = spark.range(1000).selectExpr("id AS t", "id % 7 AS k")
        >>> plan = pw.plan(time="t", by=["k"], windows=[pw.tumbling(10)], aggregates=[pw.count()])
        >>> plan.sample(events).statistics.source
        'a sample of 1,000 rows'
        """
        from panewise.spark.sample import sample

        return self.tune(sample(self.query, events, rows))

    def explain(self, format: str = "text") -> str:
        """Panes, windows and how each is computed, as "text", "json" or "svg".

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
        >>> print(plan.explain().splitlines()[0])
        Plan over t
        """
        from panewise.plan.explain import explain

        return explain(self, format)

    def to_svg(self) -> str:
        """The coverage graph with the chosen trees, as a standalone SVG.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.count()])
        >>> plan.to_svg()[:4]
        '<svg'
        """
        return self.explain("svg")

    def timeline(self, events: Any, **options: Any) -> str:
        """What the windows do to a few events, as a standalone SVG.

        The plan runs over them, and its answer is drawn.  Options are those of
        `panewise.viz.timeline.draw`: `column`, `value`, `title`, `width`, and for late rows
        `delay` and `lateness`.

        >>> import panewise as pw
        >>> plan = pw.plan(time="t", windows=[pw.session(3)], aggregates=[pw.sum("x")])
        >>> picture = plan.timeline({"t": [1, 3, 9], "x": [4, 5, 1]})
        >>> "session(3)" in picture and ">9</text>" in picture
        True
        """
        from panewise.viz.timeline import draw

        return draw(self, events, **options)

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        from panewise.viz.notebook import plan_html

        return plan_html(self)
