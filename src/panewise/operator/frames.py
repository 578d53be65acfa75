"""What a stream is asked to do with its frames, read and refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from panewise.aggregates import TallyAggregate
from panewise.errors import QueryError
from panewise.kernels.frames.policy import BUFFERS, ON_CLOSE, REPORTS, Policy
from panewise.model import whole
from panewise.operator.decisions import Stream
from panewise.operator.moments import ticks_between
from panewise.query import Query
from panewise.windows import Frame, RowFamily, Scan

_BUFFERS = {
    "auto": "each row is looked at once, until rows come late and only frames around them are cut "
    "anew",
    "lazy": "all rows are sorted and cut anew when a report is due",
    "eager": "every row is put in its place, and all are cut anew",
    "multi": "only the frames around late rows are cut anew",
}


@dataclass(frozen=True)
class FramesAsked:
    """As it was given."""

    report: object = "close"
    period: object = None
    buffer: object = "auto"
    evict: object = None

    def policy(self, query: Query, stream: Stream, timed: bool | None) -> Policy:
        """What it means for a query, or an error that says what does not fit."""
        _one_of("report", self.report, REPORTS)
        _one_of("buffer", self.buffer, BUFFERS)
        period = 0
        if self.period is not None:
            period = ticks_between("period", self.period, timed)
            if period == 0:
                raise QueryError("period must be positive: got 0.", hint="leave it out.")
        policy = Policy(self.report == "update", period, str(self.buffer), _pair(self.evict))
        if policy != ON_CLOSE:
            _refuse_others(query)
        if policy.buffer == "in_order" and (not stream.in_order or policy.updates):
            raise QueryError(
                'buffer="in_order" is for rows that come in order and are told once: got delay, '
                'lateness or report="update".',
                hint='leave buffer at "auto".',
            )
        if policy.evict is not None and policy.buffer not in ("auto", "multi"):
            raise QueryError(
                f"evict forgets frames, which only the multi buffer has one by one: got "
                f'buffer="{policy.buffer}".',
                hint='leave buffer at "auto".',
            )
        return policy


def frame_lines(query: Query, stream: Stream, now: Sequence[str]) -> list[str]:
    """What an operator says of its frames."""
    if not any(isinstance(window, Frame) for window in query.windows):
        return []
    policy = stream.frames
    when = "as they are now, open ones too" if policy.updates else "once no row can change them"
    often = f", every {policy.period} ticks" if policy.period else ""
    lines = [f"frames: told {when}{often}", f"buffer: {_buffer(query, stream, now)}"]
    if policy.evict:
        lines.append(f"evict: after {policy.evict[0]} frames of a key its first {policy.evict[1]}")
    return lines


def _buffer(query: Query, stream: Stream, now: Sequence[str]) -> str:
    """Which one it is, and what it does; `now` are those of frames, once there are rows."""
    policy = stream.frames
    if policy.may_switch and stream.lateness and _combined(query):
        names = " and ".join(dict.fromkeys(now or ["in_order"]))
        return f"{names} now, {_BUFFERS['auto']}"
    if not policy.single(stream.lateness > 0):
        return f"multi, {_BUFFERS['multi']}"
    if stream.revises:
        return f"{policy.buffer}, {_BUFFERS[policy.buffer]}"
    name = "in_order" if policy.buffer == "auto" else policy.buffer
    come = "wait until none can come before them" if stream.delay else "come in order"
    return f"{name}, rows {come}, and each is looked at once"


def _combined(query: Query) -> bool:
    """Whether rows of one frame are combined as they come."""
    counting = any(isinstance(aggregate, TallyAggregate) for aggregate in query.aggregates)
    return query.commutative and not counting


def _one_of(name: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        raise QueryError(
            f"{name} is one of {', '.join(known)}: got {given!r}.",
            hint=f'leave it at "{known[0]}".',
        )


def _pair(given: object) -> tuple[int, int] | None:
    if given is None:
        return None
    listed = [whole(each) for each in given] if isinstance(given, tuple | list) else []
    most, fewer = listed if len(listed) == 2 else (None, None)
    if most is None or fewer is None:
        raise QueryError(
            f"evict is two numbers of frames: got {given!r}.",
            hint="write evict=(100, 50): after 100 frames, forget the first 50.",
        )
    if not 1 <= fewer <= most:
        raise QueryError(
            f"evict=(X, Y) forgets at most what there is, 1 <= Y <= X: got ({most}, {fewer}).",
            hint=f"write evict=({max(most, fewer, 1)}, {max(min(most, fewer), 1)}).",
        )
    return most, fewer


def _refuse_others(query: Query) -> None:
    """These are for frames; other windows of rows are told once they are final."""
    if not any(isinstance(window, Frame) for window in query.windows):
        raise QueryError(
            "report, period, buffer and evict are for frames, and the query has none.",
            hint="leave them out.",
        )
    for window in query.windows:
        by_rows = isinstance(window.demand(), RowFamily | Scan)
        if by_rows and not isinstance(window, Frame):
            raise QueryError(
                f"report, period, buffer and evict are for frames: got {window.canonical} beside "
                "them.",
                hint="plan it apart, in an operator of its own.",
            )
