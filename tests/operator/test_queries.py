"""Queries that come and go while the stream runs.

One that is added answers exactly from the moment that is returned, whatever its windows and
aggregates; the others go on as if nothing had happened.
"""

import os
import random
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise import aggregates as agg
from panewise.errors import OperatorError
from panewise.model import rows
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing.generators import window_examples
from panewise.windows import Window, tumbling
from tests.conformance.streams import plan_of
from tests.operator.feed import Followed, feed
from tests.operator.test_snapshot import Growing, InOrder

MAIN: dict[str, tuple[pw.Aggregate, ...]] = {
    "numbers": (agg.sum("x"), agg.min("y")),
    "arrays": (agg.count(), agg.last("x"), agg.sum("y")),
    "values counted": (agg.median("x"), agg.count("y")),
}
ADDED: dict[str, tuple[pw.Aggregate, ...]] = {
    "the same": (agg.sum("x"), agg.min("y")),
    "another": (agg.max("y"), agg.mean("x"), agg.collect("x")),
    "values counted": (agg.sum("x"), agg.median("x"), agg.mode("y")),
}
EXAMPLES: list[Window] = [*window_examples(), Growing()]
RUNS = 60 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 6


def stream(chance: random.Random) -> list[list[dict[str, Any]]]:
    """Batches of a few rows: times that advance, with some far behind and some missing."""
    batches, now = [], chance.choice([-40, 0, 1_700_000_000_000_000])
    for number in range(chance.randint(5, 14)):
        batch = []
        for _ in range(chance.choice([0, 1, 1, 2, 5])):
            now += chance.choice([0, 0, 1, 2, 7, 15])
            behind = chance.choice([0, 0, 0, 0, 1, 4, 12, 30])
            batch.append(
                {
                    "t": None if chance.random() < 0.05 else now - behind,
                    "k": chance.choice(["a", "a", "b", None]),
                    "x": chance.choice([None, 0, 1, 2, 3, 5]),
                    "y": chance.choice([None, -2, -1, 0, 1, 2]),
                    "seq": 100 * number + chance.randrange(100),
                }
            )
        batches.append(batch)
    return batches


def played(
    main: Query, more: Query, chance: random.Random, *, remove: str | None = None, **given: int
) -> Followed:
    """A run in which a query is added, and one may be removed; every step is compared."""
    batches = stream(chance)
    add_at = chance.randrange(len(batches))
    remove_at = chance.randrange(add_at + 1, len(batches) + 1) if remove else None
    store = chance.choice(["auto", "lazy", "eager"])
    run = Followed(Operator(plan_of(main), store=store, **given), main, **given)
    for number, batch in enumerate(batches):
        if number == add_at:
            run.add(more, "more")
        if number == remove_at and remove:
            run.remove(remove)
        run.push(batch)
    run.flush()
    return run


def chances(*seed: object) -> list[random.Random]:
    return [random.Random(f"{seed} {number}") for number in range(RUNS)]


def settings_of(chance: random.Random) -> dict[str, int]:
    return {"delay": chance.choice([0, 5, 10**6]), "lateness": chance.choice([0, 0, 4, 25])}


@pytest.mark.parametrize("aggregates", ADDED)
@pytest.mark.parametrize("window", EXAMPLES, ids=lambda w: w.window_id)
def test_a_query_is_added(window: Window, aggregates: str) -> None:
    for chance in chances(window.window_id, aggregates):
        first = chance.sample(EXAMPLES, 2)
        main = Query("t", ("k",), tuple(first), MAIN[chance.choice(sorted(MAIN))], "seq")
        more = Query("t", ("k",), (window,), ADDED[aggregates], "seq")
        played(main, more, chance, **settings_of(chance))


@pytest.mark.parametrize("window", EXAMPLES, ids=lambda w: w.window_id)
def test_a_query_whose_window_is_there_already(window: Window) -> None:
    for chance in chances(window.window_id):
        main = Query("t", ("k",), (window,), MAIN[chance.choice(sorted(MAIN))], "seq")
        named = window.named("again")
        more = Query("t", ("k",), (named,), ADDED[chance.choice(sorted(ADDED))], "seq")
        played(main, more, chance, **settings_of(chance))


@pytest.mark.parametrize("remove", ["more", "main"])
@pytest.mark.parametrize("window", EXAMPLES, ids=lambda w: w.window_id)
def test_a_query_is_removed(window: Window, remove: str) -> None:
    for chance in chances(window.window_id, remove):
        main = Query("t", ("k",), (window,), MAIN[chance.choice(sorted(MAIN))], "seq")
        windows = tuple(chance.sample(EXAMPLES, 2))
        more = Query("t", ("k",), windows, ADDED[chance.choice(sorted(ADDED))], "seq")
        played(main, more, chance, remove=remove, **settings_of(chance))


@pytest.mark.parametrize("remove", [None, "more", "main"])
@pytest.mark.parametrize("ordered", ["main", "both"])
def test_aggregates_that_depend_on_order(ordered: str, remove: str | None) -> None:
    """Rows wait for their turn then, and no row may be lost or counted twice at the change."""
    for chance in chances(ordered, remove):
        first, second = chance.sample(EXAMPLES, 2), chance.sample(EXAMPLES, 2)
        some: tuple[pw.Aggregate, ...] = (InOrder("x"), agg.sum("y"))
        plain: tuple[pw.Aggregate, ...] = (agg.sum("x"), agg.sum("y"))
        more = some if ordered == "both" else plain
        played(
            Query("t", ("k",), tuple(first), some, "seq"),
            Query("t", ("k",), tuple(second), more, "seq"),
            chance,
            remove=remove,
            **settings_of(chance),
        )


def test_order_cannot_be_asked_for_once_rows_were_combined_without() -> None:
    """Their rows would be counted twice, or be out of order."""
    op = Operator(plan_of(Query("t", ("k",), (tumbling(rows(3)), tumbling(10)), (agg.sum("x"),))))
    op.push(feed([1, 2]))
    with pytest.raises(OperatorError, match="depends on the order of rows"):
        op.add(plan_of(Query("t", ("k",), (tumbling(10),), (InOrder("x"),))))
    told = pa.concat_tables([op.push(feed([30])), op.flush()]).to_pylist()
    assert [row["sum(x)"] for row in told if row["window"]["start"] == 0] == [2]
