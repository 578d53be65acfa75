"""The worked examples of the spanning-events paper as events, through every technique."""

import pyarrow as pa
import pytest

import panewise as pw

TECHNIQUES = ["auto", "se_slicing", "se_ml_slicing(3)", "dyadic"]
INSIDE = [(1, 4, 8), (6, 9, 19), (11, 14, 15)]
"""Start, end and how many: events that end in one of the first three slices of 5."""
GOING_ON = [(12, 20, 12)]
ENDING = [(50, 53, 10), (56, 59, 14), (61, 64, 20)]
LATER = [
    (61, 69, 3),  # end in [65, 70): two slices, and three
    (56, 69, 4),
    (61, 74, 4),  # end in [70, 75)
    (61, 79, 7),  # of three levels, these leave one, two and three slices to [60, 65)
    (56, 79, 5),
    (51, 79, 10),
    (61, 84, 4),  # and these leave two and three to [65, 70)
    (56, 84, 3),
    (61, 89, 7),  # and three to [70, 75)
]


def found(events: list[tuple[int, int, int]], at: int, aggregate: pw.Aggregate, way: str) -> int:
    """The result of the window `[at, at + 15)` over so many equal events."""
    bounds = [[start, end, 1] for start, end, count in events for _ in range(count)]
    rows = pa.table(dict(zip(("l", "u", "one"), map(list, zip(*bounds, strict=True)), strict=True)))
    plan = pw.plan(
        time=("l", "u"), windows=[pw.sliding(15, 5)], aggregates=[aggregate], strategy=way
    )
    (row,) = (r for r in plan.run(rows).to_pylist() if r["window"]["start"] == at)
    return int(row[aggregate.name])


@pytest.mark.parametrize("aggregate", [pw.count(), pw.sum("one")], ids=str)
@pytest.mark.parametrize("way", [*TECHNIQUES, "difference"])
@pytest.mark.parametrize(
    ("events", "at", "expected"),
    [(INSIDE, 0, 42), (INSIDE + GOING_ON, 0, 54), (ENDING + LATER, 50, 91)],
    ids=["42", "54", "91"],
)
def test_sums(
    events: list[tuple[int, int, int]], at: int, expected: int, way: str, aggregate: pw.Aggregate
) -> None:
    assert found(events, at, aggregate, way) == expected


@pytest.mark.parametrize("way", TECHNIQUES)
def test_the_highest(way: str) -> None:
    rows = pa.table({"l": [1, 6, 11, 16], "u": [4, 9, 14, 34], "x": [20, 63, 19, 70]})
    plan = pw.plan(
        time=("l", "u"), windows=[pw.sliding(15, 5)], aggregates=[pw.max("x")], strategy=way
    )
    told = {row["window"]["start"]: row["max(x)"] for row in plan.run(rows).to_pylist()}
    assert told[0] == 63 and told[5] == 70
