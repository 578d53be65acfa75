"""Which aggregates take which value types, so that suites can pair them without a list of pairs."""

from __future__ import annotations

from collections.abc import Iterable

from panewise.aggregates import Aggregate, registered

NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
DISCRETE = ("boolean", "string", "date", "timestamp", "timestamp_ntz")
_ANY_VALUE = {
    "count",
    "min",
    "max",
    "min_count",
    "max_count",
    "first",
    "last",
    "m4",
    "argmin",
    "argmax",
    "collect",
    "count_distinct",
    "approx_count_distinct",
    "mode",
    "top_k",
}
_WHOLE = ("tinyint", "smallint", "int", "bigint")
# Text of fractions and of instants depends on the runtime or the session's zone.
_AS_TEXT = ("tinyint", "smallint", "int", "bigint", "boolean", "string", "date")


def takes(aggregate: Aggregate, sql_type: str) -> bool:
    """Whether the suites run an aggregate over this type; one they do not know takes numbers.

    >>> from panewise.aggregates import max, sum
    >>> takes(max("x"), "string"), takes(sum("x"), "string"), takes(sum("x"), "decimal(10,2)")
    (True, False, True)
    """
    family = sql_type.partition("(")[0]
    if aggregate.kind_name == "concat":
        return family in _AS_TEXT
    if aggregate.kind_name == "bit_or":
        return family in _WHOLE
    return family in NUMBERS or (family in DISCRETE and aggregate.kind_name in _ANY_VALUE)


def examples_for(sql_type: str, kinds: Iterable[str] | None = None) -> list[Aggregate]:
    """Every example of every registered aggregate that takes this type."""
    known = registered()
    return [
        example
        for kind in (known if kinds is None else kinds)
        for example in known[kind].examples()
        if takes(example, sql_type)
    ]
