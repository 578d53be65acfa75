"""The stairwise chain: what is held is what longer windows need, and every window is exact."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import panewise as pw
from panewise.kernels.stairwise import MOST, Stairs
from panewise.operator import Operator
from panewise.testing import assert_same_rows
from panewise.windows import Family
from tests.conformance.streams import Reader, plain
from tests.operator.test_snapshot import InOrder

DAY = 86_400
CASES: list[tuple[tuple[int, int], ...]] = [
    ((4, 1), (8, 2), (16, 4)),
    ((60, 1), (600, 60), (3_600, 300)),
    ((3, 3), (36, 6), (63, 9), (66, 11)),  # slides do not divide each other
    ((4, 2), (9, 3)),
    ((4, 1), (9, 3)),  # a slide does not divide the difference of ranges
    ((10, 1), (500, 50), (7_000, 700)),
]


def readings(count: int, until: int, keys: int) -> pa.Table:
    rng = np.random.default_rng(count)
    t = np.sort(rng.integers(-50, until, count))
    return pa.table({"t": t, "k": rng.integers(0, keys, count), "x": rng.integers(-9, 9, count)})


def plan_of(levels: Any, by: list[str], *, numbers: bool = True) -> Any:
    """Sums of numbers are read where rows are added, moments are not."""
    aggregates = [pw.sum("x"), pw.max("x"), pw.count()]
    aggregates += [] if numbers else [pw.variance("x")]
    return pw.plan(time="t", by=by, windows=[pw.granules(*levels)], aggregates=aggregates)


@pytest.mark.parametrize("by", [[], ["k"]])
@pytest.mark.parametrize("lateness", [0, 40])
@pytest.mark.parametrize("stored", [0, 700])
@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("levels", CASES)
def test_windows_are_exact(
    levels: Any, numbers: bool, stored: int, lateness: int, by: list[str]
) -> None:
    """In disorder, with snapshots, and with late rows that revise what was told."""
    rows = readings(3_000, 4 * levels[-1][0], keys=3)
    shaken = np.asarray(rows["t"]) + np.random.default_rng(2).integers(0, 12 + lateness, len(rows))
    rows = rows.take(pa.array(np.argsort(shaken, kind="stable")))
    plan, reader = plan_of(levels, by, numbers=numbers), Reader(tuple(by))
    op = Operator(plan, delay=12, lateness=lateness)
    for first in range(0, len(rows), 100):
        reader.apply(plain([op.push(rows.slice(first, 100))]))
        if stored and first % stored == stored - 100:
            op = Operator.restore(plan, op.snapshot())
    reader.apply(plain([op.flush()]))
    assert op.stats().late_rows == 0
    want = plain([plan.run(rows)])
    assert_same_rows(reader.all(), want, by=tuple(by), magnitude=1e3)


@pytest.mark.parametrize("keys", [0, 3])
def test_a_day_in_few_cells(keys: int) -> None:
    """Seconds for a minute, minutes for ten, five minutes for a day: at most one in a hundred of
    the 86,400 seconds of a day is held, however long the stream is."""
    second = 1_000_000
    levels = [(60, 1), (600, 60), (DAY, 300)]
    scheme = pw.granules(*((wide * second, slide * second) for wide, slide in levels))
    by = ["k"] if keys else []
    op = Operator(pw.plan(time="t", by=by, windows=[scheme], aggregates=[pw.sum("x")]))
    rng, most = np.random.default_rng(1), 0
    for hour in range(26):
        t = np.repeat(np.arange(3_600), max(keys, 1)) * second + hour * 3_600 * second
        k = np.tile(np.arange(max(keys, 1)), 3_600)
        op.push(pa.table({"t": t, "k": k, "x": rng.integers(0, 9, len(t))}))
        most = max(most, op.stats().slices)
    assert most <= DAY // 100 * max(keys, 1)


def test_queries_come_and_go() -> None:
    """Windows of all lengths share the panes of one key until queries change."""
    levels = CASES[-1]
    rows, plan = readings(3_000, 4 * levels[-1][0], keys=1), plan_of(levels, [])
    more = pw.plan(time="t", windows=[pw.tumbling(30)], aggregates=[pw.max("x")])
    op, told = Operator(plan), []
    for first in range(0, len(rows), 100):
        told.append(op.push(rows.slice(first, 100)))
        if first == 1_000:
            op.add(more, name="more")
        if first == 2_000:
            op.remove("more")
    told.append(op.flush())
    got = [row for row in plain(told) if row.get("query", "main") in ("main", None)]
    names = [*plan.query.result_columns, *(a.name for a in plan.query.aggregates)]
    got = [{name: row[name] for name in names} for row in got]
    assert_same_rows(got, plain([plan.run(rows)]), by=(), magnitude=1e3)


@pytest.mark.parametrize("sparse_from", [0, 4, 11])
def test_keys_that_become_sparse(sparse_from: int) -> None:
    """Windows of all lengths are read together as long as keys fill the panes; later each length
    goes on by itself, also through snapshots and once idle keys are forgotten."""
    levels = ((10, 1), (500, 50), (7_000, 700))
    rng, plan = np.random.default_rng(5), plan_of(levels, ["k"])
    for stored in (False, True):
        op, told, pushed = Operator(plan), [], []
        for number in range(16):
            count = 3 if number < sparse_from else 60_000
            t = np.sort(rng.integers(0, 400, 3_000)) + 400 * number
            rows = pa.table(
                {"t": t, "k": rng.integers(0, count, 3_000), "x": rng.integers(0, 9, 3_000)}
            )
            pushed.append(rows)
            told.append(op.push(rows))
            if stored and number in (2, 6):
                op.snapshot()
        told.append(op.flush())
        want = plan.run(pa.concat_tables(pushed))
        order = [("level", "ascending"), ("k", "ascending"), ("end", "ascending")]
        both = []
        for rows in (pa.concat_tables(told), want):
            end = pc.struct_field(rows["window"], 1)
            both.append(rows.append_column("end", end).sort_by(order).drop_columns(["end"]))
        exact = ["window", "level", "k", "sum(x)", "max(x)", "count()"]
        assert both[0].select(exact).equals(both[1].select(exact))


def test_all_levels_are_told_in_one_piece() -> None:
    """Of many keys three tiers answer, and their rows are one batch of the table."""
    op = Operator(plan_of(((10, 1), (500, 50), (70_000, 700)), ["k"]))
    op.push(readings(500, 700, keys=3))
    told = op.push(pa.table({"t": [1_400], "k": [0], "x": [1]}))
    assert set(told["level"].to_pylist()) == {0, 1, 2}
    assert told["level"].num_chunks == 1


def test_sessions_beside_levels() -> None:
    """Panes that a session did not take yet stay as they are."""
    windows = [pw.granules((10, 1), (500, 50), (7_000, 700)), pw.session(40)]
    plan = pw.plan(time="t", windows=windows, aggregates=[pw.sum("x"), pw.min("x")])
    rows = readings(2_000, 30_000, keys=1)
    op = Operator(plan)
    told = [op.push(rows.slice(first, 70)) for first in range(0, len(rows), 70)]
    assert_same_rows(plain([*told, op.flush()]), plain([plan.run(rows)]), by=())


def test_half_a_million_milliseconds() -> None:
    """Where there would be half a million panes, cells become coarser without keys too."""
    scheme = pw.granules((1_000, 1), (500_000, 1_000))
    op = Operator(pw.plan(time="t", windows=[scheme], aggregates=[pw.sum("x")]))
    for first in range(0, 600_000, 20_000):
        op.push(pa.table({"t": np.arange(first, first + 20_000), "x": np.ones(20_000)}))
    assert op.stats().slices < 25_000


def test_no_steps() -> None:
    assert Stairs.of([Family(10, 5)]) is None
    assert Stairs.of([Family(10, 5), Family(20, 5)]) is None, "the longer one needs the same edges"
    assert Stairs.of([Family(10, 5), Family(10, 10)]) is None, "both look as far back"
    assert Stairs.of([Family(3, 7), Family(70, 70)]) is None, "gaps"
    many = [Family(size, size) for size in range(10, 10 + 2 * MOST)]
    assert Stairs.of(many) is None


def explained(windows: Any, aggregates: Any = (), by: Any = (), **options: Any) -> str:
    aggregates = aggregates or [pw.sum("x")]
    return Operator(
        pw.plan(time="t", by=by, windows=windows, aggregates=aggregates), **options
    ).explain()


def test_explain_names_the_chain() -> None:
    scheme = pw.granules(("1m", "1s"), ("10m", "1m"), ("1d", "5m")).named("load")
    said = (
        "stairwise, a chain of load level 0, load level 1, load level 2: cells with edges every "
        "1s for 1m, then every 1m for 10m, then every 5m for 1d"
    )
    assert said in explained([scheme])
    assert said in explained([scheme], by=["k"])
    said = "a chain of load level 1, load level 2: cells with edges every 1m for 10m, then every 5m"
    assert said in explained([scheme], lateness="1m"), "windows of similar length share cells"
    said = (
        "stairwise, a chain of sliding(10, 1), sliding(70, 10): cells with edges every 1 for 10, "
    )
    assert said in explained([pw.sliding(70, 10), pw.sliding(10, 1)]), "any nested windows are one"


def test_explain_once_types_are_known() -> None:
    """Sums of decimals are not read where rows are added."""
    scheme = pw.granules(("1m", "1s"), ("10m", "1m"), ("1d", "5m")).named("load")
    op = Operator(pw.plan(time="t", windows=[scheme], aggregates=[pw.sum("x")]))
    assert "a chain of load level 0, load level 1, load level 2:" in op.explain()
    ticks = pa.array([1], pa.timestamp("us", "UTC"))
    op.push(pa.table({"t": ticks, "x": pa.array([1], pa.decimal128(10, 2))}))
    assert "a chain of load level 1, load level 2:" in op.explain()


@pytest.mark.parametrize(
    ("windows", "reason"),
    [
        ([pw.granules((4, 2), (9, 3))], "stairwise, edge slices (2 does not divide 3) of"),
        ([pw.granules((4, 1), (9, 3))], "edge slices (3 does not divide 9 less 4) of"),
        (
            [pw.sliding(4, 2), pw.sliding(32, 8, origin=1)],
            "edge slices (windows do not end together) of",
        ),
        ([pw.sliding(3, 7, allow_gaps=True), pw.tumbling(70)], "no chain: sliding(3, 7"),
        (
            [pw.sliding(10, 5), pw.sliding(20, 5)],
            "edge slices, no chain: longer windows need the edges of shorter ones",
        ),
        ([pw.tumbling(n) for n in range(1, MOST + 2)], "edge slices, no chain: there are more th"),
    ],
)
def test_explain_says_why_not(windows: Any, reason: str) -> None:
    assert reason in explained(windows)


def test_explain_says_what_cannot_be_merged() -> None:
    levels = [pw.granules((4, 1), (8, 2))]
    said = explained(levels, [pw.median("x")])
    assert "edge slices, no chain: median(x) counts values, which stay by pane" in said
    said = explained(levels, [InOrder("x")], lateness=3)
    assert "edge slices, no chain: late rows come between others, and in_order(x) depe" in said
    assert "stairwise, a chain" in explained(levels, [InOrder("x")])
    alone = explained([pw.tumbling("1m"), pw.session("5s")])
    assert "stairwise" not in alone and "edge slices" not in alone
