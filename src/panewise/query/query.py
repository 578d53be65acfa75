"""The query: time, keys, windows and aggregates, refused by name when they break a rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.model import Duration, Measure, RowCount
from panewise.query.html import query_html
from panewise.windows import Demand, Family, Frame, Granules, RowFamily, Scan, Window

RESULT_COLUMNS = ("window_id", "window")
NUMBER_COLUMN = "window_no"
LEVEL_COLUMN = "level"
DROP, FAIL = ON_BAD_ROWS = ("drop", "fail")


@dataclass(frozen=True)
class Query:
    """Windows over one event stream. Everything the schema need not tell is checked here.

    >>> import panewise as pw
    >>> query = pw.Query("t", ("device",), (pw.tumbling(10),), (pw.sum("x"),))
    >>> query.window_ids, query.result_columns
    (['tumbling(10)'], ('window_id', 'window'))
    """

    time: str
    by: tuple[str, ...]
    windows: tuple[Window, ...]
    aggregates: tuple[Aggregate, ...]
    order_by: str | None = None
    until: str | None = None
    """The column of the end, or of the duration, of events that have one; `time` is their start."""
    revise: str | None = None
    """The column by which an event is known when it is sent again."""
    on_bad_rows: str = DROP
    """What is done with events that end before they begin: "drop" leaves them out and counts them,
    "fail" is an error."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "windows", _columns_apart(_levels_apart(self.windows)))
        _check_shape(self)
        _refuse_twice("two windows have one name", _names(self.windows), '.named("...")')
        outputs = [*self.result_columns, *self.by]
        _refuse_twice("two result columns have one name", outputs, 'withColumnRenamed("...")')
        outputs += [a.name for a in self.aggregates]
        _refuse_twice("two result columns have one name", outputs, '.alias("...")')
        _check_units(self.windows)
        if self.until is not None:
            _check_spans(self)
        else:
            _refuse_spans(self)

    def to_sql(self, source: str = "events") -> str:
        """The query as SQL over a table; `panewise.sql.parse` reads it as the same query.

        >>> import panewise as pw
        >>> query = pw.plan(time="ts", windows=[pw.tumbling("5m")], aggregates=[pw.count()]).query
        >>> print(query.to_sql())
        SELECT window_id, window_start, window_end, COUNT(*)
        FROM events TIMESTAMP BY ts
        GROUP BY TUMBLING('5m')
        """
        from panewise.sql.render import render

        return render(self, source)

    def _repr_html_(self) -> str:
        return query_html(self)

    @property
    def spanning(self) -> bool:
        """Whether events have a duration."""
        return self.until is not None

    @cached_property
    def window_ids(self) -> list[str]:
        """The name of each window, spelled once."""
        return [window.window_id for window in self.windows]

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """What each window asks for, made once: there may be a thousand of them."""
        return tuple(window.demand() for window in self.windows)

    @cached_property
    def numbered(self) -> bool:
        """Whether results have a `window_no`: windows of rows are told apart by it."""
        return any(window.numbered for window in self.windows)

    @cached_property
    def leveled(self) -> bool:
        """Whether results have a `level`: granules are told apart by it."""
        return any(window.level is not None for window in self.windows)

    @property
    def result_columns(self) -> tuple[str, ...]:
        """The columns that say which window a result row is about."""
        number = (NUMBER_COLUMN,) if self.numbered else ()
        level = (LEVEL_COLUMN,) if self.leveled else ()
        return (*RESULT_COLUMNS, *number, *level)

    @cached_property
    def counts_time(self) -> bool:
        """Whether sizes are durations (otherwise plain numbers of an integer measure)."""
        return any(isinstance(size, Duration) for w in self.windows for size in _measured(w))

    @cached_property
    def grain(self) -> int:
        """The most ticks of which every size is a multiple; 0 where only rows are counted."""
        sizes = (size for w in self.windows for size in _measured(w))
        return math.gcd(*(size.ticks if isinstance(size, Duration) else size for size in sizes))

    def check_measure(self, measure: Measure) -> None:
        """Refuse sizes that the time column's type cannot carry; row counts fit any.

        >>> import panewise as pw
        >>> query = pw.Query("t", ("device",), (pw.tumbling(10),), (pw.sum("x"),))
        >>> from panewise.model import Measure
        >>> try:
        ...     query.check_measure(Measure.TIMESTAMP)
        ... except pw.PanewiseError as error:
        ...     print(error.hint)
        write tumbling("5 minutes") for time, tumbling(5) for an integer column.
        """
        if self.counts_time == measure.counts_time and self.grain % measure.resolution == 0:
            return
        for window in self.windows:
            if any(isinstance(size, Duration) != measure.counts_time for size in _measured(window)):
                wanted = "durations" if measure.counts_time else "plain integers"
                raise QueryError(
                    f'sizes must be {wanted}, because the time column "{self.time}" is '
                    f"{measure.value.upper()}: got {window.canonical}.",
                    hint='write tumbling("5 minutes") for time, tumbling(5) for an integer column.',
                )
            for name, size in window.sizes().items():
                ticks = size.ticks if isinstance(size, Duration) else size
                if isinstance(ticks, int) and ticks % measure.resolution:
                    raise QueryError(
                        f"{window.canonical}: {name} must be whole days, because the time column "
                        f'"{self.time}" is a DATE: got {name}={size}.',
                        hint="use whole days, or cast the column to TIMESTAMP.",
                    )

    def columns(self) -> tuple[str, ...]:
        """Every input column, each once.

        >>> import panewise as pw
        >>> query = pw.Query("t", ("device",), (pw.tumbling(10),), (pw.sum("x"),))
        >>> query.columns()
        ('t', 'device', 'x')
        """
        used = [
            self.time,
            *([self.until] if self.until else []),
            *self.by,
            *(c for w in self.windows for c in w.columns()),
        ]
        used += [c for a in self.aggregates for c in a.columns()]
        used += [name for name in (self.order_by, self.revise) if name is not None]
        return tuple(dict.fromkeys(used))

    @cached_property
    def ordered(self) -> bool:
        """Whether any aggregate or window depends on the order of rows."""
        by_rows = any(isinstance(demand, RowFamily | Scan) for demand in self.demands)
        return by_rows or not self.commutative or any(a.properties.ordered for a in self.aggregates)

    @cached_property
    def scans(self) -> tuple[Window, ...]:
        """The windows that are found by a look at rows in order."""
        both = zip(self.windows, self.demands, strict=True)
        return tuple(window for window, demand in both if isinstance(demand, Scan))

    @cached_property
    def commutative(self) -> bool:
        """Whether partials may be combined in any order."""
        return all(a.properties.commutative for a in self.aggregates)


def _check_shape(query: Query) -> None:
    if not isinstance(query.time, str) or not query.time:
        raise QueryError(
            f"time names one column, or two: got {query.time!r}.",
            hint='write time="ts", or time=("start", "end").',
        )
    if query.until is not None and (not isinstance(query.until, str) or not query.until):
        raise QueryError(
            f"the end of events is one column: got {query.until!r}.",
            hint='write time=("start", "end").',
        )
    if query.order_by is not None and not isinstance(query.order_by, str):
        raise QueryError(
            f"order_by names one column: got {query.order_by!r}.", hint='write order_by="offset".'
        )
    if query.on_bad_rows not in ON_BAD_ROWS:
        raise QueryError(
            f'on_bad_rows is "drop" or "fail": got {query.on_bad_rows!r}.',
            hint="leave it out: bad rows are dropped and counted.",
        )
    for name in query.by:
        if not isinstance(name, str):
            raise QueryError(f"by lists column names: got {name!r}.", hint='write by=["device"].')
    _require("windows", query.windows, Window, 'windows=[pw.tumbling("5 minutes")]')
    _require("aggregates", query.aggregates, Aggregate, 'aggregates=[pw.sum("value")]')
    for aggregate in query.aggregates:
        for column in aggregate.columns():
            if not isinstance(column, str):
                raise QueryError(
                    f"{aggregate.kind_name} is of a column, by its name: got {column!r}.",
                    hint="add what it is of to the events, as withColumn(...) does.",
                )


def _check_spans(query: Query) -> None:
    """Events with a duration are in windows of time, and in no order."""
    if query.until == query.time:
        raise QueryError(
            f'start and end are two columns: got "{query.time}" twice.',
            hint='write time=("start", "end"), or time="ts" for events without a duration.',
        )
    for window in query.windows:
        if not isinstance(window.demand(), Family):
            raise QueryError(
                f"events with a duration are in windows that follow from time alone: got "
                f"{window.canonical}.",
                hint="use tumbling, sliding, cumulating or band windows.",
            )
    for aggregate in query.aggregates:
        if aggregate.placed:
            raise QueryError(
                f"events with a duration are at no one time: {aggregate.canonical} needs one.",
                hint='write time="ts", or use an aggregate that does not ask when.',
            )
        if aggregate.properties.ordered or not aggregate.properties.commutative:
            raise QueryError(
                f"events with a duration have no order: {aggregate.canonical} needs one.",
                hint="use an aggregate that takes events in any order.",
            )


def _refuse_spans(query: Query) -> None:
    """What asks from when to when an event is there, or for its later versions."""
    if query.revise is not None:
        raise QueryError(
            "only events with a duration can be sent again: got revise and one time.",
            hint='write time=("start", "end").',
        )
    if query.on_bad_rows != DROP:
        raise QueryError(
            "only events with a duration can end before they begin: got on_bad_rows and one time.",
            hint='leave it out, or write time=("start", "end").',
        )
    for aggregate in query.aggregates:
        if aggregate.technique is not None:
            raise QueryError(
                f"{aggregate.canonical} is for events with a duration: got the one time "
                f'"{query.time}".',
                hint='write time=("start", "end").',
            )


def _require(name: str, given: Iterable[object], kind: type, example: str) -> None:
    listed = list(given)
    if not listed:
        raise QueryError(f"a query needs at least one of {name}: got none.", hint=f"add {example}.")
    for item in listed:
        if not isinstance(item, kind):
            raise QueryError(
                f"{name} takes {kind.__name__.lower()}s: got {item!r}.", hint=f"write {example}."
            )


def _levels_apart(windows: Iterable[Window | Granules]) -> tuple[Window, ...]:
    """Windows as given, with a window for each level of granules."""
    listed = list(windows)
    for scheme in listed:
        if isinstance(scheme, Granules) and scheme.weights:
            raise QueryError(
                f"weights are answered by a plan of their own: got {scheme.window_id}.",
                hint="give it to pw.plan(...), with no other window.",
            )
    apart = (w.windows() if isinstance(w, Granules) else (w,) for w in listed)
    return tuple(window for levels in apart for window in levels)


def _columns_apart(windows: tuple[Window, ...]) -> tuple[Window, ...]:
    """Windows as given, with a name for each Column of Spark's that frames look at."""
    known: dict[str, int] = {}
    return tuple(_named_apart(w, known) if isinstance(w, Frame) else w for w in windows)


def _named_apart(frame: Frame, known: dict[str, int]) -> Frame:
    """The frame, with a number for its Column where another one has its name.

    Names are told apart as Spark does, without letter cases.
    """
    column = frame.column
    if column is None:
        return frame
    while known.setdefault(column.name.lower(), column.number) != column.number:
        column = column.apart(column.copy + 1)
    return frame if column is frame.column else frame.given(column)


def _names(windows: Iterable[Window]) -> list[str]:
    """A name for each window; the levels of one scheme have theirs once."""
    listed = list(windows)
    alone = [w.window_id for w in listed if w.level is None]
    levels = Counter((w.window_id, w.level) for w in listed if w.level is not None)
    schemes = {(w.window_id, w.canonical) for w in listed if w.level is not None}
    repeated = [name for (name, _), count in levels.items() if count > 1]
    return [*alone, *(name for name, _ in schemes), *repeated]


def _refuse_twice(rule: str, names: list[str], how: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise QueryError(f'{rule}: got "{twice[0]}" twice.', hint=f"rename one with {how}.")


def _check_units(windows: tuple[Window, ...]) -> None:
    units = {type(size): window for window in windows for size in _measured(window)}
    if len(units) > 1:
        listed = " and ".join(window.canonical for window in units.values())
        raise QueryError(
            f"all windows of a query count the same thing: got {listed}.",
            hint="use durations everywhere, or plain integers everywhere.",
        )


def _measured(window: Window) -> list[Duration | int]:
    """The sizes that count what the time column counts."""
    return [size for size in window.sizes().values() if not isinstance(size, RowCount)]
