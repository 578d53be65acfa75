"""Windows: the spellings of Spark, of Flink, of the sources, and our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from panewise import windows as w
from panewise.errors import QueryError, nearest
from panewise.model import Duration, rows
from panewise.sql.calls import Call, parameters_of
from panewise.sql.dialect import Ranges
from panewise.sql.hints import BUCKETS
from panewise.sql.places import refusal, relayed
from panewise.sql.scope import Scope
from panewise.sql.values import called, unit_of, value_of
from panewise.windows import Granules, Window

Make = Callable[..., Any]
Asked = Window | Granules
EXPRESSIONS = ("predicate", "value")
"""Parameters that are SQL over the columns of a row."""


def _tumble(size: object, offset: object = 0) -> Window:
    return w.tumbling(size, origin=offset)


def _hop(slide: object, size: object, offset: object = 0) -> Window:
    return w.sliding(size, slide, origin=offset)


def _cumulate(step: object, size: object, offset: object = 0) -> Window:
    return w.cumulating(step, size, origin=offset)


def _window(size: object, slide: object = None, start: object = 0) -> Window:
    if slide is None:
        return w.tumbling(size, origin=start)
    return w.sliding(size, slide, origin=start)


def _rows(size: int, slide: int | None = None, *, origin: object = 0) -> Window:
    if slide is None:
        return w.tumbling(rows(size), origin=origin)
    return w.sliding(rows(size), rows(slide), origin=origin)


def _granules(
    *levels: object, origin: object = 0, weights: object = None, level: object = None
) -> Asked:
    scheme = w.granules(*levels, origin=origin, weights=weights)
    if level is None:
        return scheme
    if not isinstance(level, int) or not 0 <= level < len(scheme.levels):
        raise QueryError(
            f"granules: level is a number from 0 to {len(scheme.levels) - 1}: got {level!r}.",
            hint="leave it out for all levels.",
        )
    return scheme.windows()[level]


KNOWN: dict[str, Make] = {
    "TUMBLING": w.tumbling,
    "SLIDING": w.sliding,
    "CUMULATING": w.cumulating,
    "SESSION": w.session,
    "BAND": w.band,
    "EVERY": w.every,
    "BY_TUPLE": w.by_tuple,
    "PUNCTUATION": w.punctuation,
    "THRESHOLD_FRAME": w.threshold_frame,
    "BOUNDARY_FRAME": w.boundary_frame,
    "DELTA_FRAME": w.delta_frame,
    "AGGREGATE_FRAME": w.aggregate_frame,
    "GRANULES": _granules,
    "ROWS": _rows,
    # the sources' and Azure's
    "HOPPING": w.sliding,
    "TUMBLINGWINDOW": w.tumbling,
    "HOPPINGWINDOW": w.sliding,
    "SESSIONWINDOW": w.session,
    # Flink's
    "TUMBLE": _tumble,
    "HOP": _hop,
    "CUMULATE": _cumulate,
    # Spark's; WINDOW also gives a window a name
    "WINDOW": _window,
    "SESSION_WINDOW": w.session,
}
FLINK = ("TUMBLE", "HOP", "CUMULATE", "SESSION")


@dataclass(frozen=True)
class Windows:
    """Reads windows; those of users by the names they are registered under."""

    scope: Scope
    users: Mapping[str, Make]

    @property
    def known(self) -> dict[str, Make]:
        return {**KNOWN, **{name.upper(): make for name, make in self.users.items()}}

    def is_window(self, node: exp.Expr) -> bool:
        """Whether an item of GROUP BY is a window, or is meant to be one."""
        return isinstance(node, Ranges | exp.Anonymous)

    def read(self, node: exp.Expr) -> list[Asked]:
        """The windows of an item of GROUP BY."""
        if called(node) == "WINDOWS":
            if not node.expressions:
                raise self._refused(node, "WINDOWS lists windows", "write WINDOWS(TUMBLING('5m')).")
            return [window for item in node.expressions for window in self.read(item)]
        made = self._one(node)
        levels = made.windows() if isinstance(made, Granules) else (made,)
        self.scope.say(node, made.window_id, *(level.canonical for level in levels))
        return [made]

    def flink(self, node: exp.Expr) -> Asked:
        """The window of `TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), ...))`, without the table."""
        call = Call.of(self.scope.text, node)
        rest = [a for a in call.arguments if not self._places_the_table(a)]
        return self._make(replace(call, arguments=tuple(rest)))

    def _places_the_table(self, argument: exp.Expr) -> bool:
        value = argument.expression if isinstance(argument, exp.Kwarg) else argument
        if called(value) != "DESCRIPTOR":
            return isinstance(value, exp.Table)
        if len(value.expressions) != 1 or not isinstance(value.expressions[0], exp.Column):
            hint = "write DESCRIPTOR(ts)."
            raise self._refused(value, "DESCRIPTOR names the time column", hint)
        self.scope.time_is(value.expressions[0])
        return True

    def _one(self, node: exp.Expr) -> Asked:
        if isinstance(node, Ranges):
            try:
                return w.parse_ranges(node.name)
            except QueryError as problem:
                raise relayed(self.scope.text, node, problem) from None
        call = Call.of(self.scope.text, node)
        if not isinstance(node, exp.Anonymous):
            raise self._refused(node, "this is no window", "write TUMBLING('5 minutes').")
        first = call.arguments[0] if call.arguments else None
        if call.name == "WINDOW" and isinstance(first, exp.Literal) and first.is_string:
            return self._with_name(call)
        return self._make(call)

    def _with_name(self, call: Call) -> Asked:
        """`WINDOW('20 min', TUMBLING(minute, 20))`."""
        if len(call.arguments) != 2 or not isinstance(call.arguments[1], exp.Anonymous | Ranges):
            rule = "WINDOW takes a name and a window, or a time column and sizes"
            hint = "write WINDOW('20 min', TUMBLING(minute, 20)), or window(ts, '20 minutes')."
            raise self._refused(call.node, rule, hint)
        return self._named(call.node, call.arguments[0].name, call.arguments[1])

    def _named(self, node: exp.Expr, name: str, window: exp.Expr) -> Asked:
        made = self._one(window)
        try:
            return made.named(name)
        except QueryError as problem:
            raise relayed(self.scope.text, node, problem) from None

    def _make(self, call: Call) -> Asked:
        make = self.known.get(call.name)
        if make is None:
            rule = f"no window type is called {call.node.name}"
            hint = nearest(call.name, self.known)
            if call.name.startswith(BUCKETS):
                hint = "write TUMBLING('5 minutes')."
            raise self._refused(call.node, rule, hint)
        unit = None
        if call.arguments and not self._begins_with_a_value(make):
            unit = self._unit_or_time(call)
            if unit is not None or self._is_time(call.arguments[0]):
                call = replace(call, arguments=call.arguments[1:])

        of_user = make in self.users.values()

        def read(parameter: str, node: exp.Expr) -> Any:
            return (
                self._argument_of_user(node) if of_user else self._argument(parameter, node, unit)
            )

        made = call.make(make, read)
        if not isinstance(made, Window | Granules):
            rule = f"{call.node.name} is registered as a window and makes {made!r}"
            raise self._refused(call.node, rule, "register a class of windows.")
        return made

    def _begins_with_a_value(self, make: Make) -> bool:
        """Whether the first argument is about columns: then it is neither a unit nor the time."""
        first = next(iter(parameters_of(make)), "")
        return first in (*EXPRESSIONS, "aggregate") or make in self.users.values()

    def _unit_or_time(self, call: Call) -> str | None:
        first = call.arguments[0]
        unit = unit_of(first)
        if unit is None and self._is_time(first):
            self.scope.time_is(first)
        return unit

    def _is_time(self, node: exp.Expr) -> bool:
        return isinstance(node, exp.Column)

    def _argument(self, parameter: str, node: exp.Expr, unit: str | None) -> Any:
        if parameter in EXPRESSIONS:
            return self.scope.expression(node)
        if parameter == "aggregate":
            return self.scope.aggregate(node)
        value = value_of(self.scope.text, node)
        if unit is not None and isinstance(value, int | float) and not isinstance(value, bool):
            return Duration.parse(f"{value} {unit}")
        return value

    def _argument_of_user(self, node: exp.Expr) -> Any:
        """A column by its name, a constant by its value."""
        if isinstance(node, exp.Column):
            return self.scope.plain(node)
        return value_of(self.scope.text, node)

    def _refused(self, node: exp.Expr, rule: str, hint: str | None) -> QueryError:
        return refusal(self.scope.text, node, rule, hint)
