"""The query: time, keys, windows and aggregates, refused by name when they break a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from panewise.aggregates import Aggregate, UserAggregate
from panewise.errors import QueryError
from panewise.model import Duration, Measure
from panewise.windows import Window

RESULT_COLUMNS = ("window_id", "window")


@dataclass(frozen=True)
class Query:
    """Windows over one event stream. Everything the schema need not tell is checked here."""

    time: str
    by: tuple[str, ...]
    windows: tuple[Window, ...]
    aggregates: tuple[Aggregate, ...]
    order_by: str | None = None

    def __post_init__(self) -> None:
        _check_shape(self)
        _refuse_twice(
            "two windows have one name", [w.window_id for w in self.windows], '.named("...")'
        )
        outputs = [*RESULT_COLUMNS, *self.by]
        _refuse_twice("two result columns have one name", outputs, 'withColumnRenamed("...")')
        outputs += [a.name for a in self.aggregates]
        _refuse_twice("two result columns have one name", outputs, '.alias("...")')
        _check_order(self.aggregates)
        _check_units(self.windows)

    @property
    def counts_time(self) -> bool:
        """Whether sizes are durations (otherwise plain numbers of an integer measure)."""
        return any(isinstance(size, Duration) for size in _main_sizes(self.windows))

    def check_measure(self, measure: Measure) -> None:
        """Refuse sizes that the time column's type cannot carry."""
        if measure.counts_time != self.counts_time:
            wanted = "durations" if measure.counts_time else "plain integers"
            raise QueryError(
                f'sizes must be {wanted}, because the time column "{self.time}" is '
                f"{measure.value.upper()}: got {self.windows[0].canonical}.",
                hint='write tumbling("5 minutes") for time, tumbling(5) for an integer column.',
            )
        for window in self.windows:
            for name, size in window.sizes().items():
                ticks = size.ticks if isinstance(size, Duration) else size
                if isinstance(ticks, int) and ticks % measure.resolution:
                    raise QueryError(
                        f"{window.canonical}: {name} must be whole days, because the time column "
                        f'"{self.time}" is a DATE: got {name}={size}.',
                        hint="use whole days, or cast the column to TIMESTAMP.",
                    )

    def columns(self) -> tuple[str, ...]:
        """Every input column, each once."""
        used = [self.time, *self.by, *(c for a in self.aggregates for c in a.columns())]
        if self.order_by is not None:
            used.append(self.order_by)
        return tuple(dict.fromkeys(used))

    @property
    def ordered(self) -> bool:
        """Whether any aggregate depends on the order of rows."""
        return any(a.properties.ordered for a in self.aggregates)


def _check_shape(query: Query) -> None:
    if not isinstance(query.time, str) or not query.time:
        raise QueryError(f"time names one column: got {query.time!r}.", hint='write time="ts".')
    if query.order_by is not None and not isinstance(query.order_by, str):
        raise QueryError(
            f"order_by names one column: got {query.order_by!r}.", hint='write order_by="offset".'
        )
    for name in query.by:
        if not isinstance(name, str):
            raise QueryError(f"by lists column names: got {name!r}.", hint='write by=["device"].')
    _require("windows", query.windows, Window, 'windows=[pw.tumbling("5 minutes")]')
    _require("aggregates", query.aggregates, Aggregate, 'aggregates=[pw.sum("value")]')


def _require(name: str, given: Iterable[object], kind: type, example: str) -> None:
    listed = list(given)
    if not listed:
        raise QueryError(f"a query needs at least one of {name}: got none.", hint=f"add {example}.")
    for item in listed:
        if not isinstance(item, kind):
            raise QueryError(
                f"{name} takes {kind.__name__.lower()}s: got {item!r}.", hint=f"write {example}."
            )


def _refuse_twice(rule: str, names: list[str], how: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise QueryError(f'{rule}: got "{twice[0]}" twice.', hint=f"rename one with {how}.")


def _check_units(windows: tuple[Window, ...]) -> None:
    units = {type(size): window for window in windows for size in _main_sizes((window,))}
    if len(units) > 1:
        listed = " and ".join(window.canonical for window in units.values())
        raise QueryError(
            f"all windows of a query count the same thing: got {listed}.",
            hint="use durations everywhere, or plain integers everywhere.",
        )


def _check_order(aggregates: tuple[Aggregate, ...]) -> None:
    """Cells of one pane meet in any order; a user's `lift` sees no times to put them right."""
    for a in aggregates:
        if isinstance(a, UserAggregate) and (a.properties.ordered or not a.properties.commutative):
            raise QueryError(
                f"a user-defined aggregate must not depend on the order of rows: got {a.name}.",
                hint="collect() the values and reduce them afterwards.",
            )


def _main_sizes(windows: Iterable[Window]) -> list[object]:
    return [next(iter(window.sizes().values())) for window in windows]
