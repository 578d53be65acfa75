"""Reading SQL text: what an expression may hold, and where the text says something else.

Idea: sqlglot parses; a list of allowed nodes is the grammar.  Nothing that is not on the list gets
past, so no text of a user reaches Spark unparsed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from panewise.errors import QueryError, nearest
from panewise.expressions.dialect import FUNCTIONS
from panewise.expressions.typed import problem

_OPERATORS: tuple[type[exp.Expr], ...] = (
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Paren,
    exp.Neg,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.Mod,
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.NullSafeEQ,
    exp.And,
    exp.Or,
    exp.Not,
    exp.Is,
    exp.In,
    exp.Between,
    exp.Like,
    exp.Case,
    exp.IntDiv,
    exp.Cast,
    exp.TryCast,
)
_ALLOWED = frozenset((*_OPERATORS, *FUNCTIONS.values()))
_SEVERAL = {exp.Coalesce, exp.Greatest, exp.If, exp.Least, exp.Nullif, exp.Round}
_ONE_VALUE = frozenset(FUNCTIONS.values()) - _SEVERAL
# What nodes may say of themselves. sqlglot keeps words such as SYMMETRIC as flags of a node, and a
# flag that evaluation does not know would be a wrong answer.
_KNOWN = frozenset(
    ["this", "expression", "expressions", "low", "high", "ifs", "default", "quoted", "is_string"]
)
_FLAGS: dict[type[exp.Expr], set[str]] = {
    exp.Like: {"negate"},
    exp.Div: {"typed", "safe"},
    exp.Greatest: {"ignore_nulls"},
    exp.Least: {"ignore_nulls"},
    exp.If: {"true", "false"},
    exp.Round: {"decimals"},
    exp.Cast: {"to"},
    exp.TryCast: {"to"},
}
_INEXACT = {"EXP", "EXPM1", "LN", "LOG", "LOG10", "LOG1P", "LOG2", "POW", "POWER"}
_PLACES = 38
_SHOWN = 100
"""Letters of a line that are shown on each side of a place."""
_MAY_HOLD = (
    "it may hold columns, literals, + - * / % DIV, comparisons, AND, OR, NOT, IS NULL, IN, "
    f"BETWEEN, LIKE, CASE, CAST, {', '.join(FUNCTIONS)}."
)


def canonical(text: str) -> str:
    """The one spelling of an expression.

    >>> canonical("y>0 and not(x  in (1,2))")
    'y > 0 AND NOT (x IN (1, 2))'
    """
    if not isinstance(text, str) or not text.strip():
        raise QueryError(
            f"an expression is SQL text: got {text!r}.", hint="write \"status = 'paid'\"."
        )
    return tree_of(text).sql(dialect="spark", comments=False)


@lru_cache(maxsize=256)
def tree_of(text: str) -> exp.Expr:
    """The parsed text, every node of it allowed. Shared: copy it before changing it."""
    try:
        parsed = sqlglot.parse(text, dialect="spark")
    except SqlglotError as error:
        raise _unreadable(text, error) from None
    except RecursionError:
        raise QueryError(
            "an expression is nested too deeply.", hint="leave out brackets."
        ) from None
    if len(parsed) != 1 or parsed[0] is None:
        raise QueryError(f"an expression is one value: got {text!r}.", hint="leave out the ';'.")
    tree = parsed[0]
    check(text, tree)
    for each in tree.find_all(exp.DataType):
        if each.this is exp.DType.TIMESTAMPTZ:  # what TIMESTAMP is depends on the session
            each.set("this", exp.DType.TIMESTAMPLTZ)
    return tree


def check(text: str, node: exp.Expr) -> None:
    """Refuse what an expression cannot hold, underlined in the text that it was read from."""
    if type(node) not in _ALLOWED:
        raise _refused(text, node, *_reason(node))
    if isinstance(node, exp.Column) and node.args.get("table"):
        hint = (
            f"write `{node.sql(dialect='spark')}` in backticks if that is the column's name; make "
            "a column of a field of a struct before."
        )
        raise _refused(text, node, "a column has one name", hint)
    if isinstance(node, exp.Is) and not isinstance(node.expression, exp.Null):
        raise _refused(text, node, "IS stands before NULL", "write x = true, or x <=> true.")
    if isinstance(node, exp.Like) and not _is_text(node.expression):
        raise _refused(text, node, "LIKE takes a literal pattern", "write x LIKE 'a%'.")
    if type(node) in _ONE_VALUE and len(list(node.iter_expressions())) > 1:
        name = node.key
        raise _refused(text, node, f"{name} takes one value", f"write {name}(x).")
    if isinstance(node, exp.In) and not node.expressions:
        raise _refused(text, node, "IN takes a list", "write x IN (1, 2).")
    _check_call(text, node)
    for flag, given in node.args.items():
        if given and flag not in _KNOWN and flag not in _FLAGS.get(type(node), ()):
            raise _refused(text, node, f"an expression cannot hold {flag.upper()}", _MAY_HOLD)
    for child in _children(node):
        check(text, child)


def _check_call(text: str, node: exp.Expr) -> None:
    """Arguments that must be there, or be of a kind."""
    if isinstance(node, exp.If) and node.args.get("false") is None:
        raise _refused(text, node, "if takes a condition and two values", "write if(x > 0, x, 0).")
    if isinstance(node, exp.Greatest | exp.Least) and not node.expressions:
        raise _refused(text, node, f"{node.key} takes several values", f"write {node.key}(x, y).")
    if isinstance(node, exp.Round) and not _is_places(node.args.get("decimals")):
        rule = f"round takes a number of places as a literal, from -{_PLACES} to {_PLACES}"
        raise _refused(text, node, rule, "write round(x, 2).")
    if isinstance(node, exp.Cast):
        found = problem(node)
        if found is not None:
            raise _refused(text, node, *found)


def _is_places(node: exp.Expr | None) -> bool:
    written = node.this if isinstance(node, exp.Neg) else node
    return written is None or (
        isinstance(written, exp.Literal)
        and not written.is_string
        and written.this.isdecimal()
        and int(written.this) <= _PLACES
    )


def _children(node: exp.Expr) -> list[exp.Expr]:
    """The nodes below that are values; the branches of a CASE are no `if(...)`."""
    if isinstance(node, exp.Cast):
        return [node.this]
    if not isinstance(node, exp.Case):
        return list(node.iter_expressions())
    branches = node.args["ifs"]
    parts = [node.this, *(p for b in branches for p in (b.this, b.args["true"]))]
    return [part for part in (*parts, node.args.get("default")) if part is not None]


def _is_text(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _reason(node: exp.Expr) -> tuple[str, str]:
    if isinstance(node, exp.AggFunc | exp.Window):
        return "an expression is about one row", "aggregates belong in aggregates=[...]."
    if isinstance(node, exp.Query | exp.Subquery):
        return "an expression holds no query", _MAY_HOLD
    if _called(node) in _INEXACT:
        rule = "powers and logarithms differ in their last bit from engine to engine"
        return rule, "make a column of it before."
    if isinstance(node, exp.Anonymous):
        known = nearest(str(node.this).lower(), FUNCTIONS)
        return f"no function {node.this} is known here", known
    return f"an expression cannot hold {type(node).__name__}", _MAY_HOLD


def _called(node: exp.Expr) -> str | None:
    """The name of a function; dialects that do not know it keep what was written."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).upper()
    return node.sql_name() if isinstance(node, exp.Func) else None


def _refused(text: str, node: exp.Expr, rule: str, hint: str) -> QueryError:
    return QueryError(f"{rule}:\n{underlined(text, *_place(text, node))}\n", hint=hint)


def _unreadable(text: str, error: SqlglotError) -> QueryError:
    first = (getattr(error, "errors", None) or [{}])[0]
    if not first.get("highlight"):
        return QueryError(f"cannot read {text!r} as SQL.", hint="quote text as 'paid'.")
    shown = underlined(text, *error_place(text, first))
    return QueryError(f"cannot read this as SQL:\n{shown}\n", hint=_MAY_HOLD)


def error_place(text: str, error: dict[str, Any]) -> tuple[int, int]:
    """Where sqlglot stopped: it tells the line, and the column of the last letter."""
    lines = text.split("\n")
    end = sum(len(line) + 1 for line in lines[: error["line"] - 1]) + error["col"]
    return end - len(error["highlight"]), end


def _place(text: str, node: exp.Expr) -> tuple[int, int]:
    """Where a node stands: from the first to the last word in it whose place is known."""
    known = [n.meta for n in node.walk() if "start" in n.meta]
    if not known:
        return 0, len(text)
    return min(m["start"] for m in known), max(m["end"] for m in known) + 1


def underlined(text: str, start: int, end: int) -> str:
    """The line of the text that holds a place, with the place underlined.

    >>> print(underlined("x + foo(y)", 4, 10))
      x + foo(y)
          ^^^^^^
    >>> print(underlined("SELECT x\\nFROM evnts", 14, 19))
      line 2: FROM evnts
                   ^^^^^
    """
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    number = f"line {text.count(chr(10), 0, first) + 1}: " if "\n" in text.strip() else ""
    left, right = max(first, start - _SHOWN), min(last, start + _SHOWN)
    before, after = "..." if left > first else "", "..." if right < last else ""
    line = "".join(c if c.isprintable() else " " for c in text[left:right])
    marks = "^" * max(min(end, right) - start, 1)
    return (
        f"  {number}{before}{line}{after}\n  {' ' * (len(number + before) + start - left)}{marks}"
    )
