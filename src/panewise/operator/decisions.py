"""The three decisions of general stream slicing: keep tuples, split slices, remove tuples.

Each is a short walk down a tree over what the stream and the query are like, and says why.

References: Traub et al., 2021, Figures 4 to 6; corrected where sessions, ties and count edges ask
for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from panewise.kernels.frames.policy import ON_CLOSE, Policy
from panewise.query import Query
from panewise.windows import Context, RowFamily, Scan, Session, Window


@dataclass(frozen=True)
class Decision:
    """An answer and its reason."""

    question: str
    answer: str
    reason: str

    def __str__(self) -> str:
        return f"{self.question}: {self.answer}, {self.reason}"


@dataclass(frozen=True)
class Stream:
    """What is known of the order of rows: none may be behind (`in_order`), or how far."""

    delay: int
    lateness: int
    postpone: int | None = None
    """How long after their end windows over events with a duration are told; None is learnt."""
    completeness: float = 1.0
    """The share of contributions that a wait which is learnt must not miss."""
    frames: Policy = ON_CLOSE

    @property
    def revises(self) -> bool:
        """Whether what was told may be told again."""
        return self.lateness > 0 or self.frames.updates

    @property
    def in_order(self) -> bool:
        return self.delay == 0 and self.lateness == 0


def decisions(query: Query, stream: Stream) -> tuple[Decision, Decision, Decision]:
    """All three."""
    return keeps_tuples(query, stream), splits(query, stream), removes(query, stream)


def keeps_tuples(query: Query, stream: Stream) -> Decision:
    """Whether rows stay after they were folded."""
    question = "keep tuples"
    aware = _first(query, lambda w: _context(w) is Context.FORWARD_AWARE)
    if aware is not None:
        return Decision(question, "yes", f"{aware} is cut by rows that come after its own")
    overlapping = _first(query, lambda w: isinstance(w.demand(), Scan) and _overlaps(w))
    if overlapping is not None:
        return Decision(question, "yes", f"windows of {overlapping} overlap where the rows say")
    if stream.in_order:
        return Decision(question, "no", "the stream is in order and no window looks ahead")
    if not query.commutative:
        names = [a.name for a in query.aggregates if not a.properties.commutative]
        return Decision(question, "yes", f"{names[0]} depends on the order of rows")
    driven = _first(query, lambda w: isinstance(w.demand(), Scan))
    if driven is not None:
        return Decision(question, "yes", f"late rows move the edges of {driven}")
    counted = _first(query, lambda w: isinstance(w.demand(), RowFamily))
    if counted is not None:
        return Decision(question, "yes", f"late rows change the count of {counted}")
    return Decision(question, "no", "every edge is known before the rows, or is a session's")


def splits(query: Query, stream: Stream) -> Decision:
    """Whether a slice may have to be cut in two after rows went into it."""
    question = "split slices"
    if stream.in_order:
        aware = _first(query, lambda w: _context(w) is Context.FORWARD_AWARE)
        if aware is not None:
            return Decision(question, "yes", f"{aware} learns its edges from later rows")
        return Decision(question, "no", "no edge falls behind the newest row")
    driven = _first(query, lambda w: _context(w) is not Context.FREE and not isinstance(w, Session))
    if driven is not None:
        return Decision(question, "yes", f"late rows bring new edges of {driven}; tuples are cut")
    sessions = _first(query, lambda w: isinstance(w, Session))
    if sessions is not None:
        return Decision(question, "no", "late rows extend or join sessions, and never cut a slice")
    return Decision(question, "no", "edges do not depend on rows")


def removes(query: Query, stream: Stream) -> Decision:
    """How rows leave a slice when a late one pushes them over a count edge."""
    question = "remove tuples"
    counted = _first(query, lambda w: isinstance(w.demand(), RowFamily))
    if counted is None:
        return Decision(question, "no", "no edge is a count of rows")
    if stream.in_order:
        return Decision(question, "no", "the stream is in order: no count changes")
    if stream.lateness == 0:
        return Decision(question, "no", "rows are counted once the watermark has passed them")
    if all(a.properties.invertible for a in query.aggregates):
        why = "and take differences of running sums: all aggregates are invertible"
        return Decision(question, "shift edges", why)
    fixed = next(a.name for a in query.aggregates if not a.properties.invertible)
    return Decision(question, "shift edges", f"and combine anew: {fixed} has no inverse")


def _context(window: Window) -> Context:
    return window.context


def _overlaps(window: Window) -> bool:
    return window.numbered or getattr(window, "overlaps", False)


def _first(query: Query, holds: object) -> str | None:
    return next((w.window_id for w in query.windows if holds(w)), None)  # type: ignore[operator]
