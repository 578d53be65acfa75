"""A plan for the rings of granules: aging and recurring items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from panewise.plan.plan import Plan
from panewise.plan.running import Streaming, is_spark, is_stream
from panewise.plan.statistics import Statistics
from panewise.query import RingQuery


@dataclass(frozen=True)
class RingPlan:
    """A plan over rings, which are put together by level when it has run."""

    query: RingQuery
    plan: Plan
    """Of the rings."""

    def run(
        self,
        events: Any,
        *,
        delay: object = None,
        lateness: object = None,
        buckets: int | None = None,
        max_ahead: object = None,
        name: str | None = None,
    ) -> Any:
        """All levels over these events: an Arrow table, of a Spark DataFrame a lazy one, and of a
        streaming one a streaming one; what only a stream is asked is as in `Plan.run`."""
        asked = Streaming(delay, lateness, buckets, max_ahead, name=name)
        if is_stream(events):
            from panewise.spark.streaming import run

            return run(self, events, asked)
        asked.refuse()
        if is_spark(events):
            from panewise.spark.rings import run_rings

            return run_rings(self.query, self.plan, events)
        from panewise.operator.rings import run_rings as in_process

        return in_process(self.query, self.plan, events)

    def sample(self, events: Any, *, rows: int = 100_000) -> RingPlan:
        """The same query planned anew with statistics of the first rows."""
        from panewise.spark.words import marked

        return RingPlan(self.query, self.plan.sample(marked(self.query, events), rows=rows))

    def tune(self, statistics: Statistics) -> RingPlan:
        """The same query planned anew with what is known of the data."""
        return RingPlan(self.query, self.plan.tune(statistics))

    def explain(self, format: str = "text") -> str:
        """The plan of the rings."""
        return self.plan.explain(format)

    def to_svg(self) -> str:
        """The same as a standalone SVG."""
        return self.explain("svg")

    def timeline(self, events: Any, **options: Any) -> str:
        """What the windows do to a few events, as `Plan.timeline` draws it."""
        from panewise.viz.timeline import draw

        return draw(self, events, **options)

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        from panewise.viz.notebook import plan_html

        return plan_html(self)
