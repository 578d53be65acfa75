"""The plan: trees of shared tables, and how windows come out of them.

Idea: `slice -> compose -> lower`.  A tree begins at the events; every node is a table of partials
(the panes of an edge set, or the instances of a window) that reads its parent.  The optimizer fills
in the nodes with their reasons; an engine carries them out.  A plan is a frozen value: it can be
printed, compared and run again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from panewise.errors import QueryError
from panewise.plan.edges import Edges
from panewise.plan.statistics import Statistics
from panewise.plan.technique import Technique
from panewise.query import Query
from panewise.query.trend import Trend, checked_factor
from panewise.windows import Family, PaneWidth, RowFamily, Scan


class Way(Enum):
    """How the nodes of a tree are computed."""

    LEVELS = "levels"
    """One expand and one group-by for each level of the tree."""
    KERNEL = "kernel"
    """One compiled pass over sorted panes; its cost does not grow with the overlap."""
    ROWS = "rows"
    """One compiled pass over rows in order, for windows or aggregates that depend on it."""
    SPANS = "spans"
    """Events with a duration, in slices by a technique."""


class Placement(Enum):
    """What travels to the worker of its key."""

    CELLS = "cells"
    """Rows are folded into cells where they are; only cells travel."""
    ROWS = "rows"
    """Rows travel before they are folded: one shuffle, where folding would save little."""


Shape = Edges | Family | PaneWidth | RowFamily | Scan
"""Panes, the instances of a window, sessions, or windows that rows in order decide."""


@dataclass(frozen=True)
class Node:
    """One table of a tree."""

    shape: Shape
    parent: int | None = None
    """The position of the node it reads; None reads the events."""
    window: int | None = None
    """The number of the window it answers; None for panes and factor windows."""
    minimal: bool = False
    """Whether it reads only as many overlapping instances of its parent as cover it."""
    rows: float = 0.0
    """How many rows it is expected to have."""
    cost: float = 0.0
    """What it is expected to cost: seconds on the machine that was calibrated."""


@dataclass(frozen=True)
class Tree:
    """Nodes, each after its parent, that answer some windows for some aggregates."""

    nodes: tuple[Node, ...]
    way: Way
    aggregates: tuple[int, ...]
    placement: Placement = Placement.CELLS
    technique: Technique | None = None
    """How events with a duration are put into slices."""

    @property
    def windows(self) -> tuple[int, ...]:
        """The numbers of the windows that this tree answers."""
        return tuple(node.window for node in self.nodes if node.window is not None)

    def depths(self) -> list[int]:
        """How many steps each node is from the events."""
        found: list[int] = []
        for node in self.nodes:
            found.append(1 if node.parent is None else found[node.parent] + 1)
        return found


def is_spark(events: Any) -> bool:
    """Whether these are Spark's, which is not imported to find out."""
    return type(events).__module__.split(".")[0] == "pyspark"


def is_stream(events: Any) -> bool:
    """Whether these are a streaming DataFrame of Spark."""
    return is_spark(events) and bool(getattr(events, "isStreaming", False))


@dataclass(frozen=True)
class Streaming:
    """What only a stream can be asked; None is left to the engine."""

    delay: object = None
    lateness: object = None
    buckets: int | None = None
    max_ahead: object = None
    postpone: object = None
    completeness: float | None = None
    report: str | None = None
    period: object = None
    evict: tuple[int, int] | None = None

    def refuse(self) -> None:
        """Say that the events are no stream, where one of these is given."""
        for name, given in vars(self).items():
            if given is not None:
                raise QueryError(
                    f"{name} is for streams, and these events are all there: got {given!r}.",
                    hint="leave it out, or read them with spark.readStream.",
                )


def run_on(plan: Any, events: Any, streaming: Streaming) -> Any:
    """A plan, or one of several queries, over events of any kind."""
    if is_stream(events):
        from panewise.spark.streaming import run

        return run(plan, events, streaming)
    streaming.refuse()
    if is_spark(events):
        return plan.on_spark(events)
    from panewise.operator.local import run_plan

    return run_plan(plan, events)


@dataclass(frozen=True)
class Alternative:
    """A plan that was weighed: its strategy, its cost, and what may be said of it."""

    strategy: str
    cost: float
    note: str


@dataclass(frozen=True)
class Plan:
    """What will be computed, and why."""

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
        say, as `Operator` explains them.
        """
        asked = Streaming(
            delay, lateness, buckets, max_ahead, postpone, completeness, report, period, evict
        )
        return run_on(self, events, asked)

    def on_spark(self, events: Any) -> Any:
        """What `run` does with a batch DataFrame."""
        from panewise.spark.batch import run

        return run(self, events)

    def trend(self, results: Any, of: str) -> Any:
        """How an aggregate differs from level to level of granules, at each instant at which a
        level and the next coarser one report.

        `results` is what `run` returned.  Rows are those of the finer level, with its `value`, the
        `base`, which is the coarser one's, and the `difference`.  Of sums and counts, which grow
        with the range, the base is scaled to the finer range.
        """
        asked = Trend(self.query, of)
        if is_spark(results):
            from panewise.spark.trend import trend as on_spark

            return on_spark(asked, results)
        from panewise.operator.trend import trend

        return trend(asked, results)

    def bursts(self, results: Any, of: str, *, factor: float = 3.0) -> Any:
        """The rows of the trend in which the finer level is above `factor` times the coarser."""
        asked, times = Trend(self.query, of), checked_factor(factor)
        if is_spark(results):
            from panewise.spark.trend import bursts as on_spark

            return on_spark(asked, results, times)
        from panewise.operator.trend import bursts

        return bursts(asked, results, times)

    def tune(self, statistics: Statistics) -> Plan:
        """The same query planned anew with what is known of the data."""
        from panewise.optimizer import choose

        return choose(self.query, self.strategy, statistics)

    def observe(self, results: Any, *, rows: int | None = None) -> Plan:
        """The same query planned anew with what its last results say.

        `results` is a DataFrame that `run` returned, or the same read back from where it was
        written; it is counted, which starts a job.  `rows` is the number of events behind it; where
        it is not given, a `count()` over a window without overlap tells it.
        """
        from panewise.spark.sample import observe

        return self.tune(observe(self, results, rows))

    def sample(self, events: Any, *, rows: int = 100_000) -> Plan:
        """The same query planned anew with statistics of the first rows.

        They should be a stretch of the stream as it arrived; of a table in another order give such
        a stretch, `plan.sample(events.where("ts >= ..."))`.  Starts a small job.
        """
        from panewise.spark.sample import sample

        return self.tune(sample(self.query, events, rows))

    def explain(self, format: str = "text") -> str:
        """Panes, windows and how each is computed, as "text", "json" or "svg"."""
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
