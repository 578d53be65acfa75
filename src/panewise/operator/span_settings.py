"""What a stream of events with a duration is asked: how long to wait, and by which techniques."""

from __future__ import annotations

from collections.abc import Sequence

from panewise.errors import QueryError
from panewise.operator.decisions import Stream
from panewise.operator.moments import ticks_between
from panewise.plan import Plan, SharedPlan, Technique
from panewise.query import Query

COMPLETENESS = 0.999


def waiting(
    query: Query, postpone: object, completeness: object, timed: bool | None
) -> tuple[int | None, float]:
    """How long windows wait after their end; None is learnt, to be as complete as this."""
    if not query.spanning:
        for name, given in (("postpone", postpone), ("completeness", completeness)):
            if given is not None:
                raise QueryError(
                    f"{name} is for events with a duration: got {given!r}.",
                    hint='leave it out, or write time=("start", "end").',
                )
        return None, 1.0
    if postpone is None:
        raise QueryError(
            "events with a duration are known when they end: a stream needs postpone, how long "
            "after its end a window waits for them.",
            hint='write postpone="2 hours", as long as the longest event, or postpone="auto".',
        )
    if postpone == "auto":
        return None, _share(COMPLETENESS if completeness is None else completeness)
    if completeness is not None:
        raise QueryError(
            f"completeness says how long to wait, and so does postpone: got {completeness!r} and "
            f"{postpone!r}.",
            hint='write postpone="auto" with it.',
        )
    return ticks_between("postpone", postpone, timed), 1.0


def _share(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1:
        raise QueryError(
            f"completeness is a share, above 0 and up to 1: got {given!r}.",
            hint="write completeness=0.999.",
        )
    return float(given)


def techniques(plan: Plan | SharedPlan) -> tuple[Technique, ...]:
    """The technique of each aggregate; none where events have no duration."""
    own = plan if isinstance(plan, Plan) else plan.plan
    found = {n: tree.technique for tree in own.trees for n in tree.aggregates if tree.technique}
    return tuple(found[number] for number in sorted(found))


def span_lines(query: Query, used: Sequence[Technique], stream: Stream) -> list[str]:
    """What an operator says of itself."""
    lines = [
        f"  {aggregate.name}: {technique}"
        for aggregate, technique in zip(query.aggregates, used, strict=True)
    ]
    kept = "yes, versions replace each other" if query.revise else "no, cells are enough"
    lines.append(f"  keep events: {kept}")
    if stream.postpone is None:
        lines.append(f"  postpone: learnt, for {stream.completeness:.4%} of all contributions")
    else:
        lines.append(f"  postpone: {stream.postpone} ticks after a window's end")
    return lines
