"""How many events are in progress: at edges, for long events, and what is refused."""

from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError

CENTURY = 36_525 * 86_400_000_000


def at_once(rows: list[tuple[Any, Any]], *windows: pw.Window) -> dict[Any, tuple[int, float]]:
    plan = pw.plan(
        time=("l", "u"), windows=windows or [pw.tumbling(10)], aggregates=[pw.concurrent()]
    )
    bounds = {name: [row[at] for row in rows] for at, name in enumerate("lu")}
    table = pa.table({name: pa.array(found, pa.int64()) for name, found in bounds.items()})
    return {
        (row["window"]["start"], row["window"]["end"]): tuple(row["concurrent()"].values())
        for row in plan.run(table).to_pylist()
    }


def test_one_begins_where_another_ends() -> None:
    """[0, 5) and [5, 10): never two at once."""
    assert at_once([(0, 5), (5, 10)]) == {(0, 10): (1, 1.0)}


def test_one_that_was_there_before() -> None:
    #        0         10        20
    #   -----------------)            [-5, 13)
    #             [----)              [4, 9)
    #                       [-)       [14, 16)
    assert at_once([(-5, 13), (4, 9), (14, 16)]) == {
        (-10, 0): (1, 0.5),
        (0, 10): (2, 1.5),
        (10, 20): (1, 0.5),
    }


@pytest.mark.parametrize("end", [5, 6])
def test_an_event_of_one_tick_or_none_is_there_for_one_tick(end: int) -> None:
    assert at_once([(5, end), (5, 7)]) == {(0, 10): (2, 0.3)}


def test_without_a_start_or_an_end() -> None:
    assert at_once([(None, 7), (7, None), (1, 2)]) == {(0, 10): (1, 0.1)}
    assert at_once([(None, 7)]) == {}


def test_windows_shorter_than_their_slide() -> None:
    window = pw.sliding(3, 5, allow_gaps=True)
    assert at_once([(3, 5), (4, 6)], window) == {(5, 8): (1, pytest.approx(1 / 3))}


def test_a_century_of_many_events() -> None:
    """The time of all together is beyond 64 bits."""
    found = at_once([(0, CENTURY)] * 5000 + [(-7, CENTURY + 1)], pw.tumbling(CENTURY))
    assert found == {
        (-CENTURY, 0): (1, pytest.approx(7 / CENTURY)),
        (0, CENTURY): (5001, 5001.0),
        (CENTURY, 2 * CENTURY): (1, pytest.approx(1 / CENTURY)),
    }


def test_short_ones_are_not_lost_beside_long_ones() -> None:
    """The mean is a difference of whole numbers: nothing is rounded away."""
    big = 2**60
    rows = [(0, big)] * 1000 + [(big, big + 1)]
    assert at_once(rows, pw.tumbling(big))[(big, 2 * big)] == (1, 1 / big)


def test_events_without_a_duration_are_refused() -> None:
    with pytest.raises(QueryError, match=r"concurrent\(\) is for events with a duration"):
        pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.concurrent()])


def test_the_technique_is_its_own() -> None:
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(5)],
        aggregates=[pw.count(), pw.concurrent()],
        strategy="difference",
    )
    assert [str(tree.technique) for tree in plan.trees] == ["difference", "endpoints"]
    assert "for concurrent(): endpoints: the moments at which events begin" in plan.explain()
    with pytest.raises(QueryError, match="strategy is one of"):
        pw.plan(
            time=("l", "u"),
            windows=[pw.tumbling(5)],
            aggregates=[pw.count()],
            strategy="endpoints",
        )


def test_queries_together() -> None:
    parts = {
        "peak": pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.concurrent()]),
        "calls": pw.plan(time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.count()]),
    }
    shared = pw.plan_all(parts)
    rows = pa.table({"l": [1, 4], "u": [9, 12]})
    told = shared.run(rows)
    for name, plan in parts.items():
        assert shared.part(told, name).sort_by("window_id") == plan.run(rows).sort_by("window_id")


def test_versions_replace_each_other() -> None:
    """What was sent before is not there: neither at once, nor in a share, nor among values."""
    rows = pa.table({"l": [0, 0, 4], "u": [6, 20, 8], "id": [1, 1, 2], "x": [9, 10, 2]})
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(10)],
        aggregates=[pw.concurrent(), pw.sum("x"), pw.median("x")],
        overlap="weighted",
        revise="by id",
    )
    assert [list(row.values())[2:] for row in plan.run(rows).to_pylist()] == [
        [{"highest": 2, "mean": 1.4}, 7.0, 6.0],
        [{"highest": 1, "mean": 1.0}, 5.0, 10.0],
    ]
