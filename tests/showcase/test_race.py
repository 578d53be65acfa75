"""Two sides with the same rows are alike, and others are not."""

import pyarrow as pa
import pyarrow.compute as pc

from panewise.samples import readings
from panewise.showcase.race import alike, in_process, race
from panewise.showcase.windows import query


def test_both_sides_have_the_same_rows() -> None:
    together, apart = (run() for run in in_process(query(), readings(3000, keys=4)).values())
    assert len(together) > 0 and alike(query(), together, apart)


def test_other_rows_are_not_alike() -> None:
    together, apart = (run() for run in in_process(query(), readings(3000, keys=4)).values())
    assert not alike(query(), together, apart.slice(1))
    at = apart.column_names.index("mean")
    other = apart.set_column(at, "mean", pc.add(apart["mean"], 1e-6))
    assert not alike(query(), together, other)
    assert not alike(query(), together, pa.table({"x": [1]}))


def test_sides_run_in_turn_after_they_are_warm() -> None:
    ran: list[str] = []
    laps = list(race({"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}, 2))
    assert ran == ["a", "b"] * 3 and [name for name, _ in laps] == ["a", "b"] * 2
