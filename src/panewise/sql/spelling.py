"""Names, constants, windows and aggregates as SQL text that reads back as the same values."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import Field
from decimal import Decimal
from functools import lru_cache
from inspect import Parameter
from typing import Any

from sqlglot import exp
from sqlglot.tokens import TokenType

from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.expressions import Expression
from panewise.model import Duration, RowCount
from panewise.sql.aggregates import COLUMNS, KNOWN
from panewise.sql.calls import parameters_of
from panewise.sql.dialect import Panewise
from panewise.sql.results import WINDOW_COLUMNS
from panewise.sql.source import quoted
from panewise.windows import Band, Granules, Sliding, Window, sizes
from panewise.windows.frames import Frame

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = (TokenType.VAR, TokenType.TEMPORARY)
"""Words that are names wherever a name may stand; `temp` is one of them."""
_PARAMETERS = {"banded": "value", "moving": "value"}
"""Parameters that a window keeps under another name."""
_BY_NAME = ("origin", "last")
"""Parameters that functions take by name although windows always have them."""
Columns = Mapping[str, str]
"""What stands for a column: the expression that it is made of."""


@lru_cache(maxsize=1024)
def name(text: str) -> str:
    """A name, in backticks unless it is a plain word that means nothing else.

    >>> name("device"), name("a b"), name("select"), name("window_start")
    ('device', '`a b`', '`select`', '`window_start`')
    """
    if _WORD.fullmatch(text) and text.lower() not in WINDOW_COLUMNS:
        (token, *others) = Panewise().tokenize(text)
        if token.token_type in _PLAIN and not others:
            return text
    return quoted(text)


def constant(value: Any) -> str:
    """A value as the constant that is read as it.

    >>> constant(Duration.parse("20 minutes")), constant(RowCount(5)), constant((1, 2.5))
    ("'20m'", 'ROWS(5)', 'ARRAY(1, 2.5)')
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case Decimal():
            return f"{value:f}BD"
        case int():
            return str(value)
        case float():
            return _floating(value)
        case str():
            return exp.Literal.string(value).sql(dialect="spark")
        case RowCount():
            return f"ROWS({value.count})"
        case Duration():
            return f"'{value}'"
        case tuple() | list():
            return f"ARRAY({', '.join(map(constant, value))})"
        case Expression():
            return value.text
    raise QueryError(
        f"SQL has no constant for {value!r}.", hint="give numbers, text, durations or lists."
    )


def _floating(value: float) -> str:
    written = repr(value)
    return written if "." in written or "e" in written else f"{written}.0"


def window(given: Window | Granules) -> str:
    """A window, with its name if it has one."""
    if isinstance(given, Granules):
        spelled = granules(given.levels, given.origin, weights=given.weights)
    elif given.level is not None:
        spelled = granules(given.levels, given.origin, level=given.level)  # type: ignore[attr-defined]
    else:
        spelled = f"{given.kind.upper()}({', '.join(_arguments(given))})"
    return spelled if given.name is None else f"WINDOW({constant(given.name)}, {spelled})"


def granules(levels: Any, origin: Any, *, weights: Any = (), level: int | None = None) -> str:
    """Levels of granules, all or one of them."""
    parts = [f"({constant(wide)}, {constant(slide)})" for wide, slide in levels]
    parts += [f"origin => {constant(origin)}"] if sizes.units(origin) else []
    parts += [f"weights => {constant(weights)}"] if weights else []
    parts += [f"level => {level}"] if level is not None else []
    return f"GRANULES({', '.join(parts)})"


def _arguments(given: Window) -> list[str]:
    """What a window was made with; what is as it would be anyway is left out."""
    if isinstance(given, Frame) and given.column is not None:
        raise QueryError(
            f"SQL cannot hold a Column of Spark's: got {given.canonical}.",
            hint="give the frame SQL text.",
        )
    listed, named = [], []
    for field in dataclasses.fields(given):
        value = getattr(given, field.name)
        if (field.name in ("name", "column") and isinstance(given, Frame)) or field.name == "name":
            continue
        if _is_default(field, value):
            continue
        parameter = _PARAMETERS.get(field.name, field.name)
        written = _argument(given, field.name, value)
        if field.default is dataclasses.MISSING and parameter not in _BY_NAME:
            listed.append(written)
        else:
            named.append(f"{parameter} => {written}")
    if isinstance(given, Sliding) and sizes.units(given.slide) > sizes.units(given.size):
        named.append("allow_gaps => TRUE")
    return listed + named


def _is_default(field: Field[Any], value: Any) -> bool:
    if field.name == "origin" and field.default is dataclasses.MISSING:
        return sizes.units(value) == 0
    return bool(field.default is not dataclasses.MISSING and value == field.default)


def _argument(given: Window, field: str, value: Any) -> str:
    if isinstance(given, Band) and field == "start" and isinstance(value, Duration):
        return constant(given.canonical.removeprefix("band(").partition(",")[0])
    if isinstance(value, Aggregate):
        (column,) = value.columns() or (None,)
        return aggregate(value, {} if column is None else {column: column})
    return constant(value)


def _is_required(given: Aggregate, parameter: str) -> bool:
    """Whether the function wants it, although the aggregate has a default."""
    make = KNOWN.get(given.kind_name.upper())
    known = parameters_of(make) if make is not None else {}
    return parameter in known and known[parameter].default is Parameter.empty


def aggregate(given: Aggregate, columns: Columns) -> str:
    """An aggregate, without the name of its result column."""
    listed, named = [], []
    for field in dataclasses.fields(given):
        value = getattr(given, field.name)
        if field.name == "output":
            continue
        if field.name in COLUMNS and isinstance(value, str):
            listed.append(columns.get(value) or name(value))
        elif value != field.default or _is_required(given, field.name):
            named.append(f"{field.name} => {constant(value)}")
    inside = ", ".join(listed + named)
    if given.kind_name == "count" and not inside:
        inside = "*"
    return f"{given.kind_name.upper()}({inside})"
