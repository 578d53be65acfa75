"""Places in the text of a query, and refusals that underline them."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokens import Token

from panewise.errors import QueryError
from panewise.expressions.parse import underlined
from panewise.sql.hints import spoken

Place = tuple[int, int]
SPAN = "span"
"""Where a node's words begin and end, among what sqlglot keeps of a node."""


def mark(node: exp.Expr, first: Token, last: Token) -> None:
    """Remember from which word to which a node reaches."""
    node.meta.setdefault(SPAN, (first.start, last.end + 1))


def place_of(node: exp.Expr) -> Place | None:
    """Where a node stands: as remembered, or from its first known word to its last."""
    if SPAN in node.meta:
        return node.meta[SPAN]
    known = [place for n in node.walk() if (place := _own(n)) is not None]
    if not known:
        return place_of(node.parent) if node.parent is not None else None
    return min(start for start, _ in known), max(end for _, end in known)


def _own(node: exp.Expr) -> Place | None:
    if SPAN in node.meta:
        return node.meta[SPAN]
    return (node.meta["start"], node.meta["end"] + 1) if "start" in node.meta else None


def refusal(text: str, at: exp.Expr | Place | None, rule: str, hint: str | None) -> QueryError:
    """What is wrong, the line with the place underlined, and what to do."""
    place = place_of(at) if isinstance(at, exp.Expr) else at
    shown = underlined(text, *(place or (0, len(text))))
    return QueryError(f"{rule.rstrip('.')}:\n{shown}\n", hint=hint)


def relayed(text: str, at: exp.Expr | Place | None, problem: QueryError) -> QueryError:
    """A refusal of the library, underlined, with its hint in SQL."""
    return refusal(text, at, problem.message.split(":\n")[0], spoken(problem.hint))
