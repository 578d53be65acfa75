"""What statements ask, in every spelling."""

import pytest

import panewise as pw
from panewise.sql import Statement, parse

QUERY = "SELECT device, SUM(x) FROM events TIMESTAMP BY ts GROUP BY device, {}"


def one(text: str) -> Statement:
    (statement,) = parse(text)
    return statement


@pytest.mark.parametrize(
    ("written", "window"),
    [
        # our own
        ("TUMBLING('20 minutes')", pw.tumbling("20m")),
        ("tumbling(5)", pw.tumbling(5)),
        ("TUMBLING(INTERVAL '20' MINUTES, origin => '5m')", pw.tumbling("20m", origin="5m")),
        ("TUMBLING(INTERVAL 1 DAY)", pw.tumbling("1 day")),
        ("TUMBLING(ROWS(1000))", pw.tumbling(pw.rows(1000))),
        ("SLIDING('1h', '5m', origin => '-1m')", pw.sliding("1h", "5m", origin="-1m")),
        ("SLIDING(3, 7, allow_gaps => true)", pw.sliding(3, 7, allow_gaps=True)),
        ("CUMULATING('1h', '1d')", pw.cumulating("1h", "1d")),
        ("SESSION('10m')", pw.session("10m")),
        ("BAND('2024-01-01 06:00', '2h')", pw.band("2024-01-01 06:00", "2h")),
        ("BAND(TIMESTAMP '2024-01-01 06:00', '2h')", pw.band("2024-01-01 06:00", "2h")),
        ("BAND(-5, 5)", pw.band(-5, 5)),
        ("EVERY('10m', last => ROWS(100))", pw.every("10m", last=pw.rows(100))),
        ("BY_TUPLE(ROWS(10), '1h')", pw.by_tuple(pw.rows(10), "1h")),
        (
            "BY_TUPLE(ROWS(10), '1h', anchor => 'end')",
            pw.by_tuple(pw.rows(10), "1h", anchor="end"),
        ),
        ("PUNCTUATION(status = 'restarted')", pw.punctuation("status = 'restarted'")),
        ("THRESHOLD_FRAME(speed > 120)", pw.threshold_frame("speed > 120")),
        (
            "THRESHOLD_FRAME(speed > 120, min_rows => 3, max_duration => '1h', "
            "basis => 'interval')",
            pw.threshold_frame("speed > 120", min_rows=3, max_duration="1h", basis="interval"),
        ),
        (
            "BOUNDARY_FRAME(temp, edges => [3, 6.5])",
            pw.boundary_frame("temp", edges=[3, 6.5]),
        ),
        (
            "BOUNDARY_FRAME(temp * 2, width => 10, origin => 5)",
            pw.boundary_frame("temp * 2", width=10, origin=5),
        ),
        ("DELTA_FRAME(price, 4, mode => 'range')", pw.delta_frame("price", 4, mode="range")),
        (
            "AGGREGATE_FRAME(SUM(amount), 1000, crossing => 'exclude')",
            pw.aggregate_frame(pw.sum("amount"), 1000, crossing="exclude"),
        ),
        (
            "AGGREGATE_FRAME(VAR_POP(`a b` + 1), 0.5)",
            pw.aggregate_frame(pw.variance("`a b` + 1", ddof=0), 0.5),
        ),
        # of rows
        ("ROWS(1000)", pw.tumbling(pw.rows(1000))),
        ("ROWS(1000, 10)", pw.sliding(pw.rows(1000), pw.rows(10))),
        # the sources'
        ("TUMBLING(minute, 20)", pw.tumbling("20m")),
        ("HOPPING(minute, 60, 5)", pw.sliding("60m", "5m")),
        ("HOPPINGWINDOW(second, 10, 5)", pw.sliding("10s", "5s")),
        ("SESSION(minute, 10)", pw.session("10m")),
        ("WINDOW('20 min', TUMBLING(minute, 20))", pw.tumbling("20m").named("20 min")),
        ("CUMULATING(hour, 1, 24)", pw.cumulating("1h", "1d")),
        # Spark's
        ("window(ts, '10 minutes')", pw.tumbling("10m")),
        ("window(ts, '10 minutes', '5 minutes')", pw.sliding("10m", "5m")),
        ("window(ts, '10 minutes', '5 minutes', '1m')", pw.sliding("10m", "5m", origin="1m")),
        ("session_window(ts, '10 minutes')", pw.session("10m")),
        # Flink's, in GROUP BY
        ("TUMBLE(ts, INTERVAL '10' MINUTE)", pw.tumbling("10m")),
        ("HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)", pw.sliding("10m", "5m")),
        ("SESSION(ts, INTERVAL '10' MINUTE)", pw.session("10m")),
    ],
)
def test_a_window(written: str, window: pw.Window) -> None:
    for text in (written, f"WINDOWS({written})"):
        assert one(QUERY.format(text)).query.windows == (window,)


@pytest.mark.parametrize(
    ("written", "granules"),
    [
        ("GRANULES(('1m', '1s'), ('10m', '1m'))", pw.granules(("1m", "1s"), ("10m", "1m"))),
        ("[RANGES 1 HOUR, 1 MINUTE SLIDES 1 MINUTE, 1 SECOND]",
         pw.granules(("1m", "1s"), ("1h", "1m"))),
        ("WINDOW('g', GRANULES((4, 1), (8, 2), origin => 1))",
         pw.granules((4, 1), (8, 2), origin=1).named("g")),
    ],
)  # fmt: skip
def test_granules(written: str, granules: object) -> None:
    assert one(QUERY.format(written)).query.windows == granules.windows()  # type: ignore[attr-defined]


def test_a_level_alone() -> None:
    found = one(QUERY.format("GRANULES((4, 1), (8, 2), level => 1)")).query.windows
    assert found == pw.granules((4, 1), (8, 2)).windows()[1:]


def test_ranges_may_stand_behind_the_table() -> None:
    clause = "[RANGES 1 HOUR, 1 MINUTE SLIDES 1 MINUTE, 1 SECOND]"
    for source in (f"events {clause} TIMESTAMP BY ts", f"events TIMESTAMP BY ts {clause}"):
        query = one(f"SELECT SUM(x) FROM {source} GROUP BY device").query
        assert query.windows == pw.parse_ranges(clause).windows() and query.by == ("device",)


def test_weights_ask_for_rings() -> None:
    query = one("SELECT SUM(x) FROM e TIMESTAMP BY t GROUP BY GRANULES((4, 1), (8, 2), "
                "weights => ARRAY(1, 0.5))").query  # fmt: skip
    assert query.scheme == pw.granules((4, 1), (8, 2), weights=[1, 0.5])


@pytest.mark.parametrize(
    ("written", "window", "by"),
    [
        ("TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES)", pw.tumbling("10m"), ()),
        ("TUMBLE(DATA => TABLE events, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' MINUTES, "
         "OFFSET => INTERVAL '1' MINUTE)", pw.tumbling("10m", origin="1m"), ()),
        ("HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES)",
         pw.sliding("10m", "5m"), ()),
        ("CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES)",
         pw.cumulating("2m", "10m"), ()),
        ("SESSION(TABLE events PARTITION BY device, DESCRIPTOR(ts), INTERVAL '5' MINUTES)",
         pw.session("5m"), ("device",)),
    ],
)  # fmt: skip
def test_the_tables_of_flink(written: str, window: pw.Window, by: tuple[str, ...]) -> None:
    keys = "".join(f"{key}, " for key in by)
    statement = one(
        f"SELECT window_start, window_end, SUM(x) FROM TABLE({written}) "
        f"GROUP BY {keys}window_start, window_end"
    )
    query = statement.query
    assert (query.windows, query.time, query.by) == ((window,), "ts", by)
    assert statement.source == "events"


@pytest.mark.parametrize(
    ("written", "aggregate"),
    [
        ("COUNT(*)", pw.count()),
        ("count(1)", pw.count()),
        ("COUNT(x)", pw.count("x")),
        ("COUNT(DISTINCT x)", pw.count_distinct("x")),
        ("count_distinct(x)", pw.count_distinct("x")),
        ("SUM(`a b`)", pw.sum("a b")),
        ("WEIGHTED_SUM(x)", None),
        ("AVG(x)", pw.mean("x")),
        ("MEAN(x)", pw.mean("x")),
        ("GEOMETRIC_MEAN(x)", pw.geometric_mean("x")),
        ("PRODUCT(x)", pw.product("x")),
        ("BIT_OR(x)", pw.bit_or("x")),
        ("VARIANCE(x)", pw.variance("x")),
        ("VAR_POP(x)", pw.variance("x", ddof=0)),
        ("STDDEV(x, ddof => 0)", pw.stddev("x", ddof=0)),
        ("STDDEV_SAMP(x)", pw.stddev("x")),
        ("MIN(x)", pw.min("x")),
        ("MAX(x)", pw.max("x")),
        ("RANGE(x)", pw.range("x")),
        ("MIN_COUNT(x)", pw.min_count("x")),
        ("MAX_COUNT(x)", pw.max_count("x")),
        ("FIRST(x)", pw.first("x")),
        ("FIRST(x) IGNORE NULLS", pw.first("x", ignore_nulls=True)),
        ("LAST(x, ignore_nulls => true)", pw.last("x", ignore_nulls=True)),
        ("M4(x)", pw.m4("x")),
        ("ARGMIN(x, y)", pw.argmin("x", "y")),
        ("MAX_BY(x, y)", pw.argmax("x", "y")),
        ("COLLECT(x)", pw.collect("x")),
        ("ARRAY_AGG(x)", pw.collect("x")),
        ("CONCAT(x, ', ')", pw.concat("x", ", ")),
        ("MEDIAN(x)", pw.median("x")),
        ("QUANTILE(x, 0.9)", pw.quantile("x", 0.9)),
        ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)", pw.quantile("x", 0.9)),
        ("QUANTILES(x, ARRAY(0.5, 0.9))", pw.quantiles("x", [0.5, 0.9])),
        ("MODE(x)", pw.mode("x")),
        ("TOP_K(x, 3)", pw.top_k("x", 3)),
        ("APPROX_COUNT_DISTINCT(x, lg_k => 10)", pw.approx_count_distinct("x", lg_k=10)),
        ("APPROX_QUANTILE(x, 0.9, k => 100)", pw.approx_quantile("x", 0.9, k=100)),
        ("REGRESSION(x)", pw.regression("x")),
        ("SLOPE(x)", pw.slope("x")),
        ("INTERCEPT(x)", pw.intercept("x")),
        ("R2(x)", pw.r2("x")),
        ("FORECAST(x)", pw.forecast("x")),
    ],
)
def test_an_aggregate(written: str, aggregate: pw.Aggregate | None) -> None:
    time = "TIMESTAMP BY (t, u)" if aggregate is None else "TIMESTAMP BY t"
    query = one(f"SELECT {written}, COUNT(*) AS n FROM e {time} GROUP BY TUMBLING(5)").query
    named = one(f"SELECT {written} AS total FROM e {time} GROUP BY TUMBLING(5)").query
    if aggregate is None:
        assert query.aggregates[0].canonical == "weighted_sum(x)"
    else:
        assert query.aggregates[0] == aggregate
        assert named.aggregates == (aggregate.alias("total"),)


def test_aggregates_of_events_with_a_duration() -> None:
    query = one(
        "SELECT CONCURRENT() AS c FROM calls TIMESTAMP BY (start, end) REVISE BY id "
        "GROUP BY TUMBLING('1h')"
    ).query
    assert (query.time, query.until, query.revise) == ("start", "end", "id")
    assert query.aggregates == (pw.concurrent().alias("c"),)


@pytest.mark.parametrize(
    ("written", "read"), [("", "drop"), ("ON BAD ROWS DROP", "drop"), ("on bad rows fail", "fail")]
)
def test_bad_rows(written: str, read: str) -> None:
    source = f"FROM calls TIMESTAMP BY (a, b) REVISE BY id {written}"
    assert one(f"SELECT COUNT(*) {source} GROUP BY TUMBLING(5)").query.on_bad_rows == read


def test_every_public_aggregate_and_window_has_a_spelling() -> None:
    from panewise.sql import aggregates, windows

    known = {*aggregates.KNOWN, *windows.KNOWN}
    others = {"plan", "plan_all", "aggregate", "parse_ranges", "sql", "show"}
    names = {name for name in pw.__all__ if name[0].islower()} - others
    assert {name.upper() for name in names} <= known


def test_aggregates_are_computed_once() -> None:
    statement = one(
        "SELECT SUM(x) AS total, SUM(x) / COUNT(*) AS share FROM e TIMESTAMP BY t "
        "GROUP BY TUMBLING(5) HAVING SUM(x) > 1 AND MAX(x) > 2 ORDER BY share"
    )
    names = [a.name for a in statement.query.aggregates]
    assert names == ["total", "count()", "max(x)"]
    assert statement.having is not None
    assert statement.having.text == "`total` > 1 AND `max(x)` > 2"


def test_ties_are_broken_by_a_column() -> None:
    query = one("SELECT LAST(x) FROM e TIMESTAMP BY t THEN BY seq GROUP BY TUMBLING(5)").query
    assert query.order_by == "seq"


def test_statements_are_apart() -> None:
    first, second = parse(
        "SELECT SUM(x) FROM a TIMESTAMP BY t GROUP BY TUMBLING(5);;"
        "SELECT MAX(x) FROM b TIMESTAMP BY t GROUP BY TUMBLING(5); -- the end"
    )
    assert (first.source, second.source) == ("a", "b")
    assert first.text.endswith("TUMBLING(5)") and second.text.startswith("SELECT MAX")


def test_names_before_columns() -> None:
    statement = one(
        "SELECT e.device, SUM(e.x) AS v FROM db.events AS e TIMESTAMP BY ts "
        "WHERE e.x > 0 GROUP BY e.device, TUMBLING('5m')"
    )
    assert statement.source == "db.events" and statement.query.by == ("device",)
    assert statement.where is not None and statement.where.text == "x > 0"


def test_users_types_are_called_by_their_names() -> None:
    from tests.sql.users import Every, RootMeanSquare

    (statement,) = parse(
        "SELECT RMS(x) AS r FROM e TIMESTAMP BY t GROUP BY NTH(3, column => y)",
        windows={"nth": Every},
        aggregates={"rms": RootMeanSquare},
    )
    assert statement.query.aggregates == (RootMeanSquare("x").alias("r"),)
    assert statement.query.windows == (Every(n=3, column="y"),)
