"""What expressions may call, and how calls are read."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.parsers.spark import SparkParser

FUNCTIONS: dict[str, type[exp.Expr]] = {
    "abs": exp.Abs,
    "ceil": exp.Ceil,
    "coalesce": exp.Coalesce,
    "floor": exp.Floor,
    "greatest": exp.Greatest,
    "if": exp.If,
    "isnan": exp.IsNan,
    "least": exp.Least,
    "length": exp.Length,
    "lower": exp.Lower,
    "nullif": exp.Nullif,
    "round": exp.Round,
    "sqrt": exp.Sqrt,
    "upper": exp.Upper,
}
"""What an expression may call."""
_OTHER_NAMES = ("CEILING", "IFNULL", "NVL")


def readers() -> dict[str, Callable[..., exp.Expr]]:
    """How calls of functions are read, by their names, for other dialects."""
    names = (*map(str.upper, FUNCTIONS), *_OTHER_NAMES)
    return {name: SparkParser.FUNCTIONS[name] for name in names}
