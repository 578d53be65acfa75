"""The operator returns what the oracle returns, for every arrival order and cut into batches."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from panewise import aggregates as agg
from panewise.model import Measure
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, events, oracle
from panewise.testing.applicable import examples_for
from panewise.testing.generators import VALUE_TYPES, window_examples
from panewise.windows import Family, PaneWidth, Window
from tests.conformance.streams import Reader, batches, cuts, plain, plan_of, run, table

FEW = (agg.count(), agg.sum("x"), agg.mean("x"), agg.max("x"), agg.last("x"), agg.argmin("x", "y"))
ALWAYS_LATE = 10**18
TIME_TYPES = {m: m.value for m in Measure if m is not Measure.INTEGER}
quick = settings(suppress_health_check=list(HealthCheck), deadline=None)


def schema(sql_type: str = "bigint", time_type: str = "bigint") -> dict[str, str]:
    return {"t": time_type, "k": "string", "x": sql_type, "y": "bigint", "seq": "bigint"}


@st.composite
def streams(draw: Any, sql_type: str = "bigint", measure: Measure = Measure.INTEGER) -> Any:
    rows = draw(events(sql_type, measure, max_rows=24))
    return rows, draw(cuts(len(rows)))


# a store is of cells: windows that rows decide have none
STORED = [w for w in window_examples() if isinstance(w.demand(), Family | PaneWidth)]
WINDOWS = [*((w, "auto") for w in window_examples()), *((w, "eager") for w in STORED)]


@pytest.mark.parametrize(
    ("window", "store"), WINDOWS, ids=lambda x: x if isinstance(x, str) else x.window_id
)
def test_each_window(window: Window, store: str) -> None:
    query = Query("t", ("k",), (window,), FEW, "seq")

    @quick
    @given(stream=streams())
    def check(stream: Any) -> None:
        rows, at = stream
        op = Operator(plan_of(query), delay=ALWAYS_LATE, store=store)
        got = plain(run(op, rows, at, schema()))
        assert_same_rows(got, oracle(query, rows), by=("k",), magnitude=1e3)
        assert op.stats().late_rows == 0

    check()


@pytest.mark.parametrize("sql_type", VALUE_TYPES)
def test_value_types(sql_type: str) -> None:
    """Every aggregate at once, over a set of windows that holds each type."""
    chosen = {type(w): w for w in reversed(window_examples())}
    query = Query("t", ("k",), tuple(chosen.values()), tuple(examples_for(sql_type)), "seq")

    @quick
    @given(stream=streams(sql_type))
    def check(stream: Any) -> None:
        rows, at = stream
        op = Operator(plan_of(query), delay=ALWAYS_LATE)
        got = plain(run(op, rows, at, schema(sql_type)))
        expected = oracle(query, rows, {"x": sql_type, "y": "bigint"})
        assert_same_rows(got, expected, by=("k",), magnitude=1e3)

    check()


@pytest.mark.parametrize("measure", TIME_TYPES, ids=lambda m: m.value)
def test_measures(measure: Measure) -> None:
    query = Query("t", ("k",), tuple(window_examples(measure)), FEW, "seq")

    @quick
    @given(stream=streams("int", measure))
    def check(stream: Any) -> None:
        rows, at = stream
        op = Operator(plan_of(query), delay="10000 weeks")
        got = plain(run(op, rows, at, schema("int", TIME_TYPES[measure])))
        assert_same_rows(got, oracle(query, rows, {"x": "int"}), by=("k",), magnitude=1e3)

    check()


@pytest.mark.parametrize("lateness", [0, 4, 25])
@pytest.mark.parametrize("window", window_examples(), ids=lambda w: w.window_id)
def test_every_step_is_the_oracle_so_far(window: Window, lateness: int) -> None:
    """What a reader has after each push is the oracle over the rows so far, up to the watermark."""
    query = Query("t", ("k",), (window,), (*FEW, agg.median("x")), "seq")
    delay = 5

    @quick
    @given(stream=streams())
    def check(stream: Any) -> None:
        rows, at = stream
        op = Operator(plan_of(query), delay=delay, lateness=lateness)
        reader = Reader(("k",))
        accepted: list[dict[str, Any]] = []
        late, watermark = 0, None
        for batch in batches(rows, at):
            for row in batch:
                if row["t"] is None:
                    continue
                if watermark is not None and row["t"] < watermark - lateness:
                    late += 1
                else:
                    accepted.append(row)
            newest = max((row["t"] for row in accepted), default=None)
            reader.apply(plain([op.push(table(batch, schema()))]))
            if newest is None:
                continue
            watermark = newest - delay
            expected = oracle(query, accepted, until=watermark)
            assert_same_rows(reader.all(), expected, by=("k",), magnitude=1e3)
        reader.apply(plain([op.flush()]))
        assert_same_rows(reader.all(), oracle(query, accepted), by=("k",), magnitude=1e3)
        assert op.stats().late_rows == late

    check()


@pytest.mark.parametrize("delay", [0, 5, ALWAYS_LATE])
def test_without_keys(delay: int) -> None:
    """Windows of one key are read where rows are added; a snapshot at any time changes nothing."""
    numbers = (agg.count(), agg.sum("x"), agg.max("x"), agg.count("x"))

    @quick
    @given(
        windows=st.lists(st.sampled_from(window_examples()), min_size=1, max_size=3, unique=True),
        stream=streams(),
        restored=st.lists(st.booleans(), min_size=7, max_size=7),
    )
    def check(windows: list[Window], stream: Any, restored: list[bool]) -> None:
        rows, at = stream
        query = Query("t", (), tuple(windows), numbers, "seq")
        plan = plan_of(query)
        op, reader = Operator(plan, delay=delay), Reader(())
        accepted: list[dict[str, Any]] = []
        watermark = None
        for batch, again in zip(batches(rows, at), restored, strict=False):
            timed = [row for row in batch if row["t"] is not None]
            accepted += [row for row in timed if watermark is None or row["t"] >= watermark]
            reader.apply(plain([op.push(table(batch, schema()))]))
            if again:
                op = Operator.restore(plan, op.snapshot())
            if accepted:
                watermark = max(row["t"] for row in accepted) - delay
                expected = oracle(query, accepted, until=watermark)
                assert_same_rows(reader.all(), expected, by=(), magnitude=1e3)
        reader.apply(plain([op.flush()]))
        assert_same_rows(reader.all(), oracle(query, accepted), by=(), magnitude=1e3)

    check()
