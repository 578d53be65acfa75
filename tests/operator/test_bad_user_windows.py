"""A user's window that returns nonsense is an error that names its type."""

from collections.abc import Callable
from typing import Any

import pytest

import panewise as pw
from panewise.errors import QueryError
from panewise.operator import Operator
from panewise.windows import Closed, Scanned, ScannedRows
from tests.operator.feed import feed, planned, shown


class Misled(pw.UserWindow):
    """Answers what the test wants it to."""

    kind = "misled"
    answer: Callable[[ScannedRows], Any]

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> Any:
        return type(self).answer(rows)


def refused(answer: Callable[[ScannedRows], Any], lateness: int = 0) -> str:
    wrong = type("Wrong", (Misled,), {"answer": staticmethod(answer)})
    op = Operator(planned(wrong()), lateness=lateness)
    with pytest.raises(QueryError) as error:
        op.push(feed([1, 2, 3, 4, 5]))
        op.flush()
    assert "Hint: panewise.testing.check_window" in str(error.value)
    return str(error.value)


def two(first: Closed, second: Closed) -> Callable[[ScannedRows], Scanned]:
    return lambda rows: Scanned([first, second], None, needed=len(rows))


@pytest.mark.parametrize("lateness", [0, 10])
@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (lambda rows: None, "it must return Scanned: got None"),
        (lambda rows: [], "it must return Scanned: got []"),
        (two(Closed(0, 2, 1, 3), Closed(1, 3, 2, 4)), "windows share no row unless `overlaps`"),
        (two(Closed(2, 3, 3, 4), Closed(0, 1, 1, 2)), "listed in the order of their rows"),
        (two(Closed(0, 1, 1, 2), Closed(1, 9, 2, 4)), "at least one of the 4 rows given"),
        (two(Closed(0, 1, 1, 2), Closed(2, 2, 3, 4)), "at least one of the 4 rows given"),
        (two(Closed(-1, 1, 1, 2), Closed(1, 2, 2, 3)), "at least one of the 4 rows given"),
        (two(Closed(0, 1, 2, 2), Closed(1, 2, 2, 3)), "a window ends after it starts"),
        (two(Closed(0, 1, 1.5, 2), Closed(1, 2, 2, 3)), "positions and times are integers"),
        (lambda rows: Scanned(["window"], None, 0), "`closed` lists Closed: got 'window'"),
        (lambda rows: Scanned([], None, -1), "`needed` is a position in 0..4: got needed=-1"),
        (lambda rows: Scanned([], None, 5), "`needed` is a position in 0..4: got needed=5"),
        (lambda rows: Scanned([], None, None), "`needed` is a position in 0..4: got needed=None"),
        (lambda rows: Scanned([], {1, 2}, 0), "`context` is made of None, bool, int"),
        (lambda rows: Scanned([], {"a": object}, 0), "`context` is made of None, bool, int"),
        (lambda rows: Scanned([], {1: "a"}, 0), "`context` is made of None, bool, int"),
        (lambda rows: Scanned([], rows.ticks, 0), "`context` is made of None, bool, int"),
    ],
)
def test_nonsense(answer: Callable[[ScannedRows], Any], rule: str, lateness: int) -> None:
    message = refused(answer, lateness)
    assert message.startswith("Wrong.scan: ")
    assert rule in message


@pytest.mark.parametrize("bound", [2**63, -(2**64), 10**30])
def test_times_that_do_not_fit(bound: int) -> None:
    message = refused(lambda rows: Scanned([Closed(0, 1, *sorted([1, bound]))], None, 1))
    assert message.startswith("Wrong.scan: ")


def test_a_column_that_is_not_named() -> None:
    message_of = type("Curious", (Misled,), {"answer": staticmethod(lambda rows: rows["x"])})
    op = Operator(planned(message_of()))
    with pytest.raises(QueryError, match='a window reads the columns it names in `reads`: got "x"'):
        op.push(feed([1, 2]))


def test_windows_may_overlap_where_the_type_says_so() -> None:
    class Neighbours(pw.UserWindow):
        kind = "neighbours"
        overlaps = True

        def scan(self, context: Any, rows: ScannedRows, watermark: int) -> Scanned:
            pairs = range(len(rows) - 1)
            ticks = rows.ticks
            closed = [Closed(i, i + 2, ticks[i], ticks[i + 1] + rows.tick) for i in pairs]
            return Scanned(closed, None, needed=max(len(rows) - 1, 0))

    op = Operator(planned(Neighbours()))
    assert shown(op.push(feed([1, 3, 6, 9], x=[1, 2, 4, 8]))) == [(1, 4, 3), (3, 7, 6)]
    assert shown(op.flush()) == [(6, 10, 12)]
