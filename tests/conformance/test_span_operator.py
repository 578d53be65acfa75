"""Events with a duration, pushed in any order and in any pieces: what is told last is the truth."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import panewise as pw
from panewise.testing import assert_same_rows, oracle
from panewise.windows import Window
from tests.conformance.engines import data_frame
from tests.conformance.test_spans import INVERTIBLE, OTHERS, TECHNIQUES, WINDOWS, listed

Rows = list[dict[str, Any]]
LONGEST, DELAY, EVER = 60, 10, 10_000
SCHEMA = pa.schema(
    [
        ("l", pa.int64()),
        ("u", pa.int64()),
        ("k", pa.string()),
        ("x", pa.int64()),
        ("y", pa.float64()),
        ("id", pa.int64()),
        ("version", pa.int64()),
    ]
)


@st.composite
def arriving(draw: st.DrawFn) -> Rows:
    """Events by their ends, not in order by more than the delay; some end before they begin."""
    lengths = st.one_of(
        st.integers(0, 3),
        st.integers(0, LONGEST),
        st.sampled_from([5, 10, 15]),
        st.integers(-LONGEST, -1),
    )
    row = st.fixed_dictionaries(
        {
            "l": st.integers(-30, 90),
            "lasts": lengths,
            "k": st.sampled_from(["a", "b", None]),
            "x": st.one_of(st.integers(-9, 9), st.none()),
            "y": st.one_of(st.integers(-9, 9).map(float), st.none()),
            "id": st.one_of(st.integers(0, 4), st.none()),
            "version": st.one_of(st.integers(0, 3), st.none()),
            "behind": st.integers(0, DELAY - 1),
        }
    )
    found = draw(st.lists(row, max_size=14))
    for each in found:
        each["u"] = each["l"] + each.pop("lasts")
    found.sort(key=lambda each: max(each["u"], each["l"] + 1) + each["behind"])
    return [{name: each[name] for name in SCHEMA.names} for each in found]


def table(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def pushed(plan: pw.Plan, rows: Rows, cuts: Sequence[int], **how: Any) -> Rows:
    """The last word on every window."""
    op = pw.Operator(plan, **how)
    held: dict[Any, dict[str, Any]] = {}
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    said = []
    for low, high in pairwise(bounds):
        said.append(op.push(table(rows[low:high])))
        op = pw.Operator.restore(plan, op.snapshot())
    said.append(op.flush())
    for told in said:
        for row in told.to_pylist():
            row["window"] = tuple(row["window"].values())
            place = row["window_id"], row["window"], row["k"]
            assert 0 <= row.pop("late_share") <= 1
            revision, gone = row.pop("revision", 0), row.pop("retracted", False)
            assert (revision > 0) == (place in held), "what was told is told again as a revision"
            if gone:
                del held[place]
            else:
                held[place] = row
    return list(held.values())


some_windows = st.lists(st.sampled_from(WINDOWS), min_size=1, max_size=4, unique=True)
some_cuts = st.lists(st.integers(0, 14), max_size=4)


@given(
    rows=arriving(), windows=some_windows, cuts=some_cuts, way=st.sampled_from([*TECHNIQUES, "-"])
)
def test_no_event_is_late_where_the_wait_is_as_long_as_the_longest(
    rows: Rows, windows: list[Window], cuts: list[int], way: str
) -> None:
    """Every window is told once."""
    aggregates = INVERTIBLE if way == "-" else [*INVERTIBLE, *OTHERS]
    way = "difference" if way == "-" else way
    plan = pw.plan(time=("l", "u"), by=["k"], windows=windows, aggregates=aggregates, strategy=way)
    found = pushed(plan, rows, cuts, delay=DELAY, postpone=LONGEST)
    assert_same_rows(found, oracle(plan.query, rows), by=["k"])


@given(
    rows=arriving(),
    windows=some_windows,
    cuts=some_cuts,
    way=st.sampled_from(TECHNIQUES),
    wait=st.sampled_from([0, 7, "auto"]),
    delay=st.sampled_from([0, DELAY]),
)
def test_late_events_revise_what_was_told(
    rows: Rows, windows: list[Window], cuts: list[int], way: str, wait: Any, delay: int
) -> None:
    plan = pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=windows,
        aggregates=[*INVERTIBLE, *OTHERS],
        strategy=way,
    )
    found = pushed(plan, rows, cuts, delay=delay, postpone=wait, lateness=EVER)
    assert_same_rows(found, oracle(plan.query, rows), by=["k"])


@given(
    rows=arriving(),
    windows=some_windows,
    cuts=some_cuts,
    way=st.sampled_from(TECHNIQUES),
    how=st.sampled_from([(LONGEST, 0, None), (0, EVER, None), (0, EVER, "by id")]),
    overlap=st.sampled_from(["whole", "weighted"]),
)
def test_values_that_are_counted_and_events_that_are_there_at_once(
    rows: Rows,
    windows: list[Window],
    cuts: list[int],
    way: str,
    how: tuple[int, int, str | None],
    overlap: str,
) -> None:
    wait, lateness, revise = how
    plan = pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=windows,
        aggregates=[pw.concurrent(), pw.median("x"), pw.count_distinct("y"), pw.sum("y")],
        strategy=way,
        overlap=overlap,
        revise=revise,
    )
    found = pushed(plan, rows, cuts, delay=DELAY, postpone=wait, lateness=lateness)
    assert_same_rows(found, oracle(plan.query, rows), by=["k"])


@given(
    rows=arriving(),
    windows=some_windows,
    cuts=some_cuts,
    order=st.sampled_from([None, "version"]),
    wait=st.sampled_from([0, LONGEST]),
)
def test_versions_replace_each_other_whatever_their_order(
    rows: Rows, windows: list[Window], cuts: list[int], order: str | None, wait: int
) -> None:
    plan = pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=windows,
        aggregates=[pw.count(), pw.sum("x"), pw.max("y")],
        order_by=order,
        revise="by id",
    )
    found = pushed(plan, rows, cuts, delay=DELAY, postpone=wait, lateness=EVER)
    wanted = oracle(plan.query, rows)
    assert_same_rows(found, wanted, by=["k"])
    assert_same_rows(listed(plan.run(table(rows))), wanted, by=["k"])


def test_versions_on_spark(spark: SparkSession) -> None:
    types = {"l": "bigint", "u": "bigint", "k": "string", "x": "bigint", "y": "double"}
    types |= {"id": "bigint", "version": "bigint"}

    @settings(max_examples=max(4, settings().max_examples // 6))
    @given(rows=arriving(), windows=some_windows, order=st.sampled_from([None, "version"]))
    def run(rows: Rows, windows: list[Window], order: str | None) -> None:
        plan = pw.plan(
            time=("l", "u"),
            by=["k"],
            windows=windows,
            aggregates=[pw.count(), pw.sum("x"), pw.max("y")],
            order_by=order,
            revise="by id",
        )
        found = plan.run(data_frame(rows, types)).toArrow()
        assert_same_rows(listed(found), oracle(plan.query, rows, types), by=["k"])

    run()
