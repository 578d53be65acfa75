"""Small results are slices of a table that is there already; they stay when others follow."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import panewise as pw
from panewise.kernels.room import FEW, SHARING, SOME

AGGREGATES = [pw.sum("x"), pw.count(), pw.min("y")]


def pushed(op: pw.Operator, batches: list[dict[str, object]]) -> list[pa.Table]:
    return [*(op.push(batch) for batch in batches), op.flush()]


def rows(first: int, count: int) -> dict[str, object]:
    t = np.arange(first, first + count)
    return {"t": t, "x": t % 7, "y": t / 8}


@pytest.mark.parametrize("windows", [[pw.tumbling(1)], [pw.tumbling(1), pw.tumbling(2)]])
@pytest.mark.parametrize("step", [1, 10, FEW, FEW + 1, SOME, SOME + 1])
def test_tables_stay_as_they_were_told(windows: list[pw.Window], step: int) -> None:
    plan = pw.plan(time="t", windows=windows, aggregates=AGGREGATES)
    batches = [rows(at, step) for at in range(0, SHARING * max(2 * FEW, step) + step, step)]
    told = pushed(pw.Operator(plan), batches)
    for table in told:
        table.validate(full=True)
    whole = plan.run(pa.concat_tables(pa.table(batch) for batch in batches))
    order = [("window_id", "ascending"), ("window.start", "ascending")]
    together = pa.concat_tables(told).flatten().sort_by(order)
    assert together.equals(whole.flatten().sort_by(order))


def test_few_windows_share_no_more_than_before_once_many_were_told() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(1)], aggregates=AGGREGATES)
    op = pw.Operator(plan)
    op.push(rows(0, SHARING * SOME + 1))
    sizes = [
        op.push(rows(at, 5))["sum(x)"].chunk(0).buffers()[1].size
        for at in range(2 * SHARING * SOME, 2 * SHARING * SOME + 5 * SHARING * SOME, 5)
    ]
    assert sizes[-1] == 8 * SHARING * FEW


def test_a_missing_result_among_others_is_null() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(2)], aggregates=AGGREGATES)
    op = pw.Operator(plan)
    first = op.push({"t": [0, 1, 2, 3, 4], "x": [None, None, 5, 6, 1], "y": [1.0] * 5})
    assert first["sum(x)"].to_pylist() == [None, 11]
    second = op.push({"t": [5, 6], "x": [7, 1], "y": [1.0] * 2})
    assert second["sum(x)"].to_pylist() == [8]
    assert first["sum(x)"].to_pylist() == [None, 11]


def test_every_table_tells_the_late_rows_of_its_own_time() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.count()])
    op = pw.Operator(plan)
    told = [op.push({"t": batch}) for batch in ([5, 12], [1, 22], [2, 3, 32])]
    assert [int(table.schema.metadata[b"late_rows"]) for table in told] == [0, 1, 3]
    assert [table["count()"].to_pylist() for table in told] == [[1], [1], [1]]


def test_levels_are_told_with_the_numbers() -> None:
    levels = pw.granules((4, 1), (20, 5))
    plan = pw.plan(time="t", windows=[levels], aggregates=AGGREGATES)
    batches = [rows(at, 7) for at in range(0, 700, 7)]
    told = pushed(pw.Operator(plan), batches)
    assert max(map(len, told)) <= FEW
    whole = plan.run(pa.concat_tables(pa.table(batch) for batch in batches))
    order = [("level", "ascending"), ("window.start", "ascending")]
    together = pa.concat_tables(told).flatten().sort_by(order)
    assert set(together["level"].to_pylist()) == {0, 1}
    assert together.equals(whole.flatten().sort_by(order))


def test_windows_without_a_level_have_none() -> None:
    windows = [pw.granules((4, 1), (20, 5)), pw.tumbling(10)]
    plan = pw.plan(time="t", windows=windows, aggregates=[pw.sum("x")])
    told = pa.concat_tables(pushed(pw.Operator(plan), [rows(at, 7) for at in range(0, 70, 7)]))
    pairs = set(zip(told["window_id"].to_pylist(), told["level"].to_pylist(), strict=True))
    assert ("tumbling(10)", None) in pairs
    assert {level for _, level in pairs} == {0, 1, None}


@pytest.mark.parametrize("buffer", ["multi", "eager"])
def test_revisions_are_told_with_the_numbers(buffer: str) -> None:
    """Against the same with an aggregate beside that no room can hold."""
    rng = np.random.default_rng(5)
    t = np.arange(600) - rng.integers(0, 30, 600)
    batches = [{"t": t[at : at + 9], "x": t[at : at + 9] % 7 - 1} for at in range(0, 600, 9)]
    aggregates = [pw.sum("x"), pw.count(), pw.collect("x")]
    plain, other = (
        pushed(
            pw.Operator(
                pw.plan(time="t", windows=[pw.threshold_frame("x > 0")], aggregates=asked),
                report="update", lateness=50, buffer=buffer,
            ),
            batches,
        )
        for asked in (aggregates[:2], aggregates)
    )  # fmt: skip
    for table, wanted in zip(plain, other, strict=True):
        table.validate(full=True)
        assert table.equals(wanted.select(table.column_names))
    assert any(pc.any(table["retracted"]).as_py() for table in plain)
