"""A statement: what one SELECT asks, as a frozen value that can be planned and run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from panewise.api import plan_query
from panewise.errors import SchemaError, nearest
from panewise.expressions import Expression
from panewise.expressions.parse import underlined
from panewise.plan import Plan, RingPlan, Statistics
from panewise.query import Query, RingQuery, asked
from panewise.query.finish import Finish, Preparation, Selected
from panewise.sql.engines import column_names, finished, is_spark, prepared
from panewise.sql.places import Place
from panewise.sql.scope import Scope


@dataclass(frozen=True)
class Statement:
    """One SELECT: a query over a source, the events that count, and the columns that are told."""

    text: str = field(compare=False)
    source: str
    """The table that FROM names."""
    query: Query | RingQuery
    preparation: Preparation
    finish: Finish
    places: dict[str, Place] = field(compare=False, repr=False)
    """Where columns of the events stand in the text that was parsed."""
    whole: str = field(compare=False, repr=False)
    """The text that was parsed, with all its statements."""

    @classmethod
    def of(
        cls,
        text: str,
        source: str,
        query: dict[str, Any],
        where: Expression | None,
        scope: Scope,
        finish: Finish,
    ) -> Statement:
        """From what was read, refused as a whole where the parts do not fit."""
        built = asked(query)
        read = (built.outer if isinstance(built, RingQuery) else built).columns()
        made = tuple((name, value) for name, value in scope.made.items() if name in read)
        return cls(text, source, built, Preparation(where, made), finish, scope.places, scope.text)

    @property
    def where(self) -> Expression | None:
        """Which events count."""
        return self.preparation.where

    @property
    def having(self) -> Expression | None:
        """Which results are told."""
        return self.finish.having

    @property
    def select(self) -> tuple[Selected, ...]:
        """The columns that are told."""
        return self.finish.select

    def plan(
        self, *, strategy: str = "auto", statistics: Statistics | None = None
    ) -> Plan | RingPlan:
        """The plan of the windows."""
        return plan_query(self.query, strategy=strategy, statistics=statistics)

    def to_sql(self) -> str:
        """The statement as SQL in one spelling."""
        from panewise.sql.render import render_statement

        return render_statement(self)

    def run(self, events: Any, **streaming: Any) -> Any:
        """The answer over events of any kind that `Plan.run` takes: of Spark's a DataFrame, of
        others an Arrow table.  Streams take what `Plan.run` takes.
        """
        self.check(events)
        rows = self.plan().run(prepared(events, self.preparation), **streaming)
        return finished(rows, self.finish)

    def check(self, events: Any) -> None:
        """Refuse a column that the events do not have, underlined; `events` may be their names."""
        known = column_names(events)
        if known is None:
            return
        same = {name.lower() for name in known} if is_spark(events) else set(known)
        for name, (start, end) in self.places.items():
            if (name.lower() if is_spark(events) else name) not in same:
                shown = underlined(self.whole, start, end)
                raise SchemaError(
                    f'the events have no column "{name}":\n{shown}\n', hint=nearest(name, known)
                )
