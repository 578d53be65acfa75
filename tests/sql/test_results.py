"""SQL over Arrow, pandas, Polars and parquet: the answers of the Python API, told as asked."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import panewise as pw
from panewise.errors import PanewiseError, QueryError, SchemaError
from panewise.plan import SharedPlan
from panewise.sql import parse
from panewise.sql.sharing import plans
from tests.sql.users import Every, RootMeanSquare

START = datetime(2024, 1, 1)
COUNT = 200
EVENTS = pa.table(
    {
        "ts": pa.array([START + timedelta(seconds=17 * n) for n in range(COUNT)]),
        "device": ["abc"[n % 3] for n in range(COUNT)],
        "temp": [float(n * 7 % 31) for n in range(COUNT)],
        "speed": pa.array([None if n % 11 == 0 else n * 13 % 50 for n in range(COUNT)]),
        "seq": list(range(COUNT)),
    }
)
WINDOWS = {
    "TUMBLING('5m')": pw.tumbling("5m"),
    "window(ts, '10 minutes', '2 minutes')": pw.sliding("10m", "2m"),
    "CUMULATING('5m', '20m')": pw.cumulating("5m", "20m"),
    "SESSION('40s')": pw.session("40s"),
    "BAND('2024-01-01 00:10', '9m')": pw.band("2024-01-01 00:10", "9m"),
    "ROWS(10)": pw.tumbling(pw.rows(10)),
    "EVERY('5m', last => ROWS(7))": pw.every("5m", last=pw.rows(7)),
    "BY_TUPLE(ROWS(9), '3m')": pw.by_tuple(pw.rows(9), "3m"),
    "PUNCTUATION(speed > 45)": pw.punctuation("speed > 45"),
    "THRESHOLD_FRAME(temp > 10, min_rows => 2)": pw.threshold_frame("temp > 10", min_rows=2),
    "BOUNDARY_FRAME(temp, edges => [10, 20])": pw.boundary_frame("temp", edges=[10, 20]),
    "DELTA_FRAME(temp, 12)": pw.delta_frame("temp", 12),
    "AGGREGATE_FRAME(SUM(temp), 100)": pw.aggregate_frame(pw.sum("temp"), 100),
    "[RANGES 10 MINUTES, 4 MINUTES SLIDES 2 MINUTES, 1 MINUTE]": pw.granules(
        ("4m", "1m"), ("10m", "2m")
    ),
}


def by_hand(events: Any = EVENTS, **query: Any) -> pa.Table:
    return pw.aggregate(events, time="ts", **query)


def told(rows: pa.Table, **names: str) -> pa.Table:
    """The columns of results that a statement would tell, by their names there."""
    bounds = {
        "window_start": pc.struct_field(rows["window"], "start"),
        "window_end": pc.struct_field(rows["window"], "end"),
    }
    return pa.table({name: bounds.get(of) or rows[of] for name, of in names.items()})


@pytest.mark.parametrize("written", WINDOWS)
def test_windows(written: str) -> None:
    rows = pw.sql(
        "SELECT device, window_id AS w, window_start, window_end, COUNT(*) AS n, AVG(temp) AS m, "
        f"LAST(speed) FROM events TIMESTAMP BY ts GROUP BY device, {written}",
        events=EVENTS,
    )
    expected = by_hand(
        by=["device"],
        windows=[WINDOWS[written]],
        aggregates=[pw.count().alias("n"), pw.mean("temp").alias("m"), pw.last("speed")],
    )
    assert rows.num_rows and rows.column_names == [
        "device", "w", "window_start", "window_end", "n", "m", "last(speed)"
    ]  # fmt: skip
    assert rows.equals(
        told(
            expected, device="device", w="window_id", window_start="window_start",
            window_end="window_end", n="n", m="m", **{"last(speed)": "last(speed)"},
        )
    )  # fmt: skip


def test_all_windows_at_once() -> None:
    written = ", ".join(WINDOWS)
    rows = pw.sql(
        f"SELECT window_id, SUM(speed) AS total FROM events TIMESTAMP BY ts GROUP BY {written}",
        events=EVENTS,
    )
    expected = by_hand(windows=WINDOWS.values(), aggregates=[pw.sum("speed").alias("total")])
    assert rows.equals(expected.select(["window_id", "total"]))


def test_where_keeps_events() -> None:
    rows = pw.sql(
        "SELECT window_id, COUNT(*) AS n FROM e TIMESTAMP BY ts "
        "WHERE speed > 20 AND device <> 'b' GROUP BY TUMBLING('5m')",
        events=EVENTS,
    )
    kept = EVENTS.filter((pc.field("speed") > 20) & (pc.field("device") != "b"))
    expected = by_hand(kept, windows=[pw.tumbling("5m")], aggregates=[pw.count().alias("n")])
    assert rows.equals(expected.select(["window_id", "n"]))


def test_expressions_are_aggregated_and_grouped_by() -> None:
    rows = pw.sql(
        "SELECT UPPER(device) AS d, SUM(temp * 2 + seq) AS total, COUNT(*) FILTER (WHERE temp > 9) "
        "AS warm, SUM(temp) FILTER (WHERE speed > 9) AS s FROM e TIMESTAMP BY ts "
        "GROUP BY UPPER(device), TUMBLING('20m')",
        events=EVENTS,
    )
    temp, warm = EVENTS["temp"], pc.greater(EVENTS["temp"], 9)
    fast = pc.fill_null(pc.greater(EVENTS["speed"], 9), False)
    made = (
        EVENTS.append_column("d", pc.utf8_upper(EVENTS["device"]))
        .append_column("total", pc.add(pc.multiply(temp, 2.0), EVENTS["seq"]))
        .append_column("warm", pc.if_else(warm, 1, None))
        .append_column("s", pc.if_else(fast, temp, None))
    )
    expected = by_hand(
        made,
        by=["d"],
        windows=[pw.tumbling("20m")],
        aggregates=[
            pw.sum("total").alias("t"), pw.count("warm").alias("w"), pw.sum("s").alias("f")
        ],
    )  # fmt: skip
    assert rows.equals(told(expected, d="d", total="t", warm="w", s="f"))


def test_having_order_and_limit() -> None:
    text = (
        "SELECT device, window_start, SUM(temp) AS total, SUM(temp) / COUNT(*) AS share, "
        "COUNT(*) AS n "
        "FROM e TIMESTAMP BY ts GROUP BY device, TUMBLING('5m') {}"
    )
    rows = pw.sql(text.format(""), events=EVENTS).to_pylist()
    assert all(row["share"] == row["total"] / row["n"] for row in rows)
    kept = pw.sql(
        text.format(
            "HAVING MAX(temp) > 28 AND total < 120 ORDER BY share DESC, window_start LIMIT 4"
        ),
        events=EVENTS,
    ).to_pylist()
    whole = pw.sql(text.format("").replace("SELECT", "SELECT MAX(temp) AS hi,"), events=EVENTS)
    wanted = [r for r in whole.to_pylist() if r["hi"] > 28 and r["total"] < 120]
    wanted.sort(key=lambda r: (-r["share"], r["window_start"]))
    assert kept == [{k: v for k, v in r.items() if k != "hi"} for r in wanted[:4]]
    assert len(kept) == 4


def test_nulls_and_nan_are_ordered_as_in_spark() -> None:
    events = pa.table({"t": [1, 11, 21, 31], "x": [2.0, None, float("nan"), 1.0]})
    text = "SELECT window_start AS s FROM e TIMESTAMP BY t GROUP BY TUMBLING(10) ORDER BY MAX(x) {}"

    def order(how: str) -> list[int]:
        found: list[int] = pw.sql(text.format(how), events=events)["s"].to_pylist()
        return found

    assert order("") == [10, 30, 0, 20]
    assert order("DESC") == [20, 0, 30, 10]
    assert order("NULLS LAST") == [30, 0, 20, 10]
    assert order("DESC NULLS FIRST") == [10, 20, 0, 30]


def test_a_statement_without_aggregates_lists_windows() -> None:
    rows = pw.sql(
        "SELECT device, window.end FROM e GROUP BY device, window(ts, '1 hour')", events=EVENTS
    )
    assert rows.column_names == ["device", "window_end"] and rows.num_rows == 3


def test_the_window_itself() -> None:
    rows = pw.sql("SELECT window, COUNT(*) FROM e GROUP BY window(ts, '1 hour')", events=EVENTS)
    assert rows["window"].to_pylist() == [{"start": START, "end": START + timedelta(hours=1)}]


def test_levels_and_numbers() -> None:
    rows = pw.sql(
        "SELECT level, window_no, COUNT(*) FROM e TIMESTAMP BY ts "
        "GROUP BY WINDOWS(GRANULES(('1m', '1m'), ('10m', '5m')), ROWS(50))",
        events=EVENTS,
    )
    assert set(rows["level"].to_pylist()) == {0, 1, None}
    assert {0, 1, 2, 3} <= set(rows["window_no"].to_pylist())


def test_aging_is_answered() -> None:
    rows = pw.sql(
        "SELECT level, SUM(temp) AS s FROM e TIMESTAMP BY ts "
        "GROUP BY GRANULES(('1m', '1m'), ('10m', '5m'), weights => ARRAY(1, 0.5))",
        events=EVENTS,
    )
    aged = pw.granules(("1m", "1m"), ("10m", "5m"), weights=[1, 0.5])
    expected = by_hand(windows=[aged], aggregates=[pw.sum("temp").alias("s")])
    assert rows.equals(expected.select(["level", "s"]))


def test_events_with_a_duration() -> None:
    calls = pa.table({"began": [0, 2, 14], "ended": [6, 5, 20], "cost": [5, 1, 2], "ok": [1, 0, 1]})
    rows = pw.sql(
        "SELECT window_start, CONCURRENT() AS busy, WEIGHTED_SUM(cost) AS cost FROM calls "
        "TIMESTAMP BY (began, ended) WHERE ok = 1 GROUP BY TUMBLING(10)",
        events=calls,
    )
    expected = pw.aggregate(
        calls.filter(pc.field("ok") == 1),
        time=("began", "ended"),
        windows=[pw.tumbling(10)],
        aggregates=[pw.concurrent().alias("busy"), pw.sum("cost").alias("cost")],
        overlap="weighted",
    )
    assert rows.equals(told(expected, window_start="window_start", busy="busy", cost="cost"))


def test_users_types() -> None:
    text = "SELECT RMS(temp) AS r FROM e TIMESTAMP BY ts GROUP BY NTH(20, speed)"
    own: dict[str, Any] = {"windows": {"nth": Every}, "aggregates": {"rms": RootMeanSquare}}
    rows = pw.sql(text, events=EVENTS, **own)
    expected = by_hand(
        windows=[Every(n=20, column="speed")], aggregates=[RootMeanSquare("temp").alias("r")]
    )
    assert rows.equals(expected.select(["r"])) and rows.num_rows == 10


def test_statements_share(monkeypatch: pytest.MonkeyPatch) -> None:
    from panewise.sql import sharing

    planned: list[Any] = []
    plan_all = sharing.plan_all
    monkeypatch.setattr(
        sharing, "plan_all", lambda q, **o: planned.append(plan_all(q, **o)) or planned[-1]
    )
    texts = [
        "SELECT device, SUM(temp) AS v FROM e TIMESTAMP BY ts GROUP BY device, TUMBLING('5m')",
        "SELECT SUM(temp) AS v FROM e TIMESTAMP BY ts GROUP BY TUMBLING('5m')",
        "SELECT window_id, device, MAX(temp) AS v, MAX(temp) AS w, SUM(temp * 2) AS d FROM e "
        "TIMESTAMP BY ts GROUP BY device, WINDOWS(WINDOW('ten', SLIDING('10m', '5m')), "
        "TUMBLING('5m')) HAVING w > 20 ORDER BY d LIMIT 9",
        "SELECT device, COUNT(*) AS v FROM e TIMESTAMP BY ts WHERE temp > 3 "
        "GROUP BY device, TUMBLING('5m')",
    ]
    answers = pw.sql(";\n".join(texts), events=EVENTS)
    (shared,) = planned  # of the first and the third; the others have other keys or events
    assert shared.plan.query.window_ids == ["tumbling(5m)", "sliding(10m, 5m)"]
    assert len(answers) == 4
    for answer, text in zip(answers, texts, strict=True):
        assert answer.equals(pw.sql(text, events=EVENTS))


def test_sources(tmp_path: Path) -> None:
    import polars

    text = (
        "SELECT device, SUM(temp * 2) AS v FROM e TIMESTAMP BY ts WHERE speed > 10 "
        "GROUP BY device, TUMBLING('5m')"
    )
    expected = pw.sql(text, events=EVENTS)
    pq.write_table(EVENTS, tmp_path / "events.parquet", row_group_size=30)
    (tmp_path / "many").mkdir()
    for n in range(3):
        pq.write_table(EVENTS.slice(n * 70, 70), tmp_path / "many" / f"{n}.parquet")
    for events in (
        EVENTS.to_pandas().astype({"speed": "Int64"}),
        polars.from_arrow(EVENTS),
        EVENTS.to_pydict(),
        tmp_path / "events.parquet",
        str(tmp_path / "many"),
    ):
        assert pw.sql(text, events=events).equals(expected), type(events)


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ("SELECT SUM(tmp) FROM e TIMESTAMP BY ts GROUP BY TUMBLING('5m')", "tmp"),
        ("SELECT SUM(temp) FROM e TIMESTAMP BY tss GROUP BY TUMBLING('5m')", "tss"),
        ("SELECT SUM(temp) FROM e TIMESTAMP BY ts\nGROUP BY devise, TUMBLING('5m')", "devise"),
        ("SELECT SUM(temp)\nFROM e TIMESTAMP BY ts WHERE spead > 1 GROUP BY ROWS(5)", "spead"),
        ("SELECT SUM(temp * spd) FROM e TIMESTAMP BY ts GROUP BY ROWS(5)", "spd"),
        ("SELECT SUM(temp) FROM e TIMESTAMP BY ts GROUP BY DELTA_FRAME(tmp, 3)", "tmp"),
        ("SELECT SUM(temp) FROM e TIMESTAMP BY ts GROUP BY AGGREGATE_FRAME(SUM(tmp), 3)", "tmp"),
    ],
)
def test_an_unknown_column_is_underlined(text: str, underlined: str) -> None:
    with pytest.raises(SchemaError, match="did you mean") as refused:
        pw.sql(text, events=EVENTS)
    _, shown, marks, _ = str(refused.value).split("\n")
    assert shown[marks.index("^") : len(marks)] == underlined
    (statement,) = parse(text)
    with pytest.raises(SchemaError):
        statement.check(EVENTS.column_names)


def test_refusals() -> None:
    text = "SELECT SUM(temp) FROM a TIMESTAMP BY ts GROUP BY TUMBLING('5m')"
    with pytest.raises(QueryError, match="events or a Spark session: got neither"):
        pw.sql(text)
    with pytest.raises(QueryError, match="got both"):
        pw.sql(text, events=EVENTS, spark=object())
    with pytest.raises(QueryError, match="FROM names several: got a, b"):
        pw.sql(f"{text}; {text.replace('FROM a', 'FROM b')}", events=EVENTS)
    with pytest.raises(PanewiseError, match="is for streams"):
        pw.sql(text, events=EVENTS, delay="5m")
    with pytest.raises(PanewiseError, match="no file or folder"):
        pw.sql(text, events="nowhere.parquet")


def test_it_needs_no_engine() -> None:
    """Parsing, planning and writing work without a JVM and without compiled loops."""
    import subprocess
    import sys

    code = (
        "import sys, panewise as pw; from panewise.sql import parse, render;"
        "s, = parse(\"SELECT SUM(x) FROM t GROUP BY window(ts, '5 minutes')\");"
        "s.plan(); render(s.query); assert callable(pw.sql);"
        "assert not {'pyspark', 'numba'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_shared_plan_calls_aggregates_by_what_they_are() -> None:
    text = """
        SELECT sum(speed) AS a FROM events GROUP BY window(ts, '5 minutes');
        SELECT sum(speed) AS b, count(*) AS a FROM events GROUP BY window(ts, '10 minutes')
    """
    ((numbers, shared),) = plans(parse(text))
    assert numbers == [0, 1] and isinstance(shared, SharedPlan)
    assert [a.name for a in shared.plan.query.aggregates] == ["sum(speed)", "count()"]
