"""Every operator and function over edge values, on Spark and over arrays: the same to a bit.

Rows for which arrays raise an error must be errors of Spark's too, and no others.
"""

import math
import struct
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_type

from panewise.errors import BadRowsError
from panewise.expressions import Expression

NAN, INF = math.nan, math.inf
INTEGERS = [
    0,
    1,
    -1,
    2,
    3,
    5,
    -7,
    15,
    25,
    -25,
    99,
    100,
    127,
    128,
    -128,
    2**31 - 1,
    2**31,
    2**53 + 1,
]
INTEGERS += [-(2**31), 2**63 - 1, -(2**63), 5 * 10**18, None]
FLOATS = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    2.675,
    1.005,
    0.47,
    1e-9,
    -1e-9,
    127.9,
    -128.9,
    1e10,
]
FLOATS += [
    2.0**31,
    2.0**63,
    -(2.0**63),
    1e19,
    -1e19,
    1e308,
    5e-324,
    NAN,
    INF,
    -INF,
    1e23,
    0.1,
    None,
]
FLOATS += [math.e, 10.0, 1000.0, 0.3, 709.7, -745.1, 1e-300, 123456789.125, 8.41e21, 4.35, 1.0]
DECIMALS = [
    "0.00",
    "0.47",
    "-0.47",
    "2.50",
    "-2.50",
    "1.05",
    "99999999.99",
    "-99999999.99",
    "127.99",
]
DECIMALS += ["0.01", "1.00", None, "100.00", "12.35"]
WIDE = ["0.0000000000", "0.4700000000", "-2.5000000000", "9999999999999999999999999999.9999999999"]
WIDE += [
    "12345678901234567890.1234567891",
    "9223372036854775807.9",
    "9223372036854775808",
    None,
    "1",
]
MOMENTS = [datetime(2024, 1, 1), datetime(2024, 1, 31, 12), datetime(1969, 12, 31, 23, 59), None]
KINDS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "l": (pa.int64(), INTEGERS),
    "i": (pa.int32(), [v for v in INTEGERS if v is None or abs(v + 0.5) < 2**31]),
    "y": (pa.int8(), [v for v in INTEGERS if v is None or -128 <= v <= 127]),
    "f": (pa.float64(), FLOATS),
    "g": (pa.float64(), [*FLOATS[5:], *FLOATS[:6]]),
    "r": (pa.float32(), [0.0, 1.5, -2.5, NAN, INF, 0.1, 1e30, None]),
    "d": (pa.decimal128(10, 2), [None if v is None else Decimal(v) for v in DECIMALS]),
    "e": (pa.decimal128(4, 1), [Decimal("0.0"), Decimal("2.5"), Decimal("-999.9"), None]),
    "w": (pa.decimal128(38, 10), [None if v is None else Decimal(v) for v in WIDE]),
    "b": (pa.bool_(), [True, False, None]),
    "c": (pa.bool_(), [True, True, False, None, None]),
    "s": (pa.string(), ["", "a", "aB", "ß", "a%", "10", None]),
    "a": (pa.date32(), [date(2024, 1, 31), date(1969, 12, 31), None, date(2024, 2, 1)]),
    "n": (pa.timestamp("us"), MOMENTS),
    "t": (
        pa.timestamp("us", "UTC"),
        [None if moment is None else moment.replace(tzinfo=UTC) for moment in MOMENTS],
    ),
}
ROWS = 39


def table() -> pa.Table:
    """Columns of one length; values of two columns meet in many ways."""
    columns = {}
    for number, (name, (kind, values)) in enumerate(KINDS.items()):
        listed = [
            values[(row + number * (row // len(values))) % len(values)] for row in range(ROWS)
        ]
        columns[name] = pa.array(listed, kind)
    return pa.table({"row": pa.array(range(ROWS), pa.int32()), **columns})


TABLE = table()

EXPRESSIONS = [
    *(f"{a} {sign} {b}" for sign in "+-*/%" for a, b in ("ll", "li", "yy", "ff", "fl", "dd", "de")),
    *(f"{a} {sign} {b}" for sign in "+-*/%" for a, b in ("dl", "df", "di", "rf", "rr", "wd")),
    *(f"{a} {sign} {b}" for sign in ("=", "<", ">=", "<=>") for a, b in ("lf", "fg", "dl", "df")),
    *(f"{a} {sign} {b}" for sign in ("<>", "<", "<=") for a, b in ("de", "rf", "bc", "ss", "yl")),
    *("l DIV i", "i DIV y", "l DIV -1", "y DIV 3", "l DIV 0", "NULL DIV 2"),
    *("f > 0.47", "f = 0.1", "r = 0.1", "d = 0.47", "f < 1e19", "l = 9007199254740993"),
    *("-l", "-f", "-d", "-y", "abs(l)", "abs(f)", "abs(d)", "isnan(f)", "isnan(r)", "isnan(l)"),
    *("b AND c", "b OR c", "NOT b", "b AND NULL", "l IS NULL", "NOT f IS NULL"),
    *(
        "l IN (1, 2, NULL)",
        "l IN (1, 2.5e0, 9007199254740992)",
        "f IN (0.47, 2.5)",
        "d IN (1, 2.5)",
    ),
    *("l BETWEEN 1 AND 100", "f BETWEEN 0 AND 2.5", "d NOT BETWEEN 0 AND 1.05", "s LIKE 'a_'"),
    *("lower(s)", "upper(s)", "length(s)", "s < 'b'", "s NOT LIKE '%B'"),
    *(f"sqrt({column})" for column in "lifrdwy"),
    *(f"{name}({column})" for name in ("floor", "ceil") for column in "lifrdewy"),
    *("sqrt(f * f + g * g)", "ceiling(f + 0.5)"),
    *(f"round({column})" for column in "lifdewy"),
    *(f"round({column}, {places})" for column in "fdw" for places in (0, 1, 2, 9, 22, 30, -1, -2)),
    *(
        f"round({column}, {places})"
        for column in "liy"
        for places in (1, -1, -2, -9, -18, -19, -20)
    ),
    *(f"round(f, {places})" for places in (-22, -30, 38, 15)),
    *("round(w, -28)", "round(w, -30)", "round(d, -8)", "round(l / 8, 2)"),
    *(
        f"cast({column} AS {kind})"
        for column in "lifrdeyb"
        for kind in ("TINYINT", "SMALLINT", "INT", "BIGINT", "DOUBLE", "BOOLEAN")
    ),
    *(
        f"cast({column} AS {kind})"
        for column in "lifrdewyb"
        for kind in ("DECIMAL(10, 2)", "DECIMAL(3, 0)", "DECIMAL(15, 5)", "DECIMAL(1, 1)")
    ),
    *(f"cast({column} AS DECIMAL(38, 10))" for column in "lideyb"),
    *(f"cast({column} AS FLOAT)" for column in "lifryb"),
    *("cast(w AS BIGINT)", "cast(w AS DOUBLE)", "cast(w AS BOOLEAN)", "cast(NULL AS INT)"),
    *("int(f)", "f::double", "cast(cast(w AS BIGINT) AS INT)", "cast(l AS DECIMAL(20, 0)) + 0.5"),
    *("1L", "5S", "1.5BD", "2.5D", "-1.50BD + d", "l + 1L", "y + 1Y", "d * 2.0D"),
    *(f"{name}({args})" for name in ("greatest", "least") for args in ("l, i", "f, g", "f, g, r")),
    *(f"{name}({args})" for name in ("greatest", "least") for args in ("d, e", "d, l", "d, f")),
    *(
        f"{name}({args})"
        for name in ("greatest", "least")
        for args in ("s, 'a'", "b, c", "l, NULL")
    ),
    *("greatest(a, DATE '2024-01-01')", "least(t, TIMESTAMP '2024-01-01 00:00:00Z')"),
    *("if(b, l, i)", "if(b, f, NULL)", "if(l > 0, d, l)", "if(i <> 0, l / i, -1)", "if(b, s, 'x')"),
    *(
        "nullif(l, 1)",
        "nullif(f, g)",
        "nullif(d, 1)",
        "nullif(s, 'a')",
        "nullif(f, 0)",
        "nullif(l, f)",
    ),
    *("coalesce(l, i)", "coalesce(f, 0)", "coalesce(d, e, l)", "nvl(s, 'x')", "ifnull(b, c)"),
    *("CASE WHEN b THEN 1 WHEN c THEN 2.5 END", "CASE l WHEN 1 THEN 'one' ELSE s END"),
    *("CASE WHEN i <> 0 THEN l % i ELSE 0 END", "y <> 0 AND l / y > 1", "y = 0 OR l DIV y > 1"),
    *(
        "a >= DATE '2024-01-31'",
        "a IN (DATE '1969-12-31', DATE '2024-02-01')",
        "DATE '2024-02-01' > a",
    ),
    *("a BETWEEN DATE '2024-01-01' AND DATE '2024-01-31'", "coalesce(a, DATE '2000-02-29')"),
    *("t < TIMESTAMP '2024-01-31 12:00:00Z'", "t = TIMESTAMP '2024-01-31T13:00:00.000000+01:00'"),
    *(
        "n >= TIMESTAMP_NTZ '2024-01-01'",
        "n = TIMESTAMP_NTZ '1969-12-31 23:59:00.0'",
        "t > t",
        "a = a",
    ),
    *("DATE '2024-01-31' = DATE '2024-01-31'", "nullif(n, TIMESTAMP_NTZ '2024-01-01 00:00:00')"),
]


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> Iterator[DataFrame]:
    schema = "row INT, l BIGINT, i INT, y TINYINT, f DOUBLE, g DOUBLE, r FLOAT, d DECIMAL(10, 2), "
    schema += "e DECIMAL(4, 1), w DECIMAL(38, 10), b BOOLEAN, c BOOLEAN, s STRING, a DATE, "
    schema += "n TIMESTAMP_NTZ, t TIMESTAMP"
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    yield spark.createDataFrame(TABLE).selectExpr(
        *(f"CAST({name} AS {kind}) AS {name}" for name, kind in _fields(schema))
    )


def _fields(schema: str) -> list[tuple[str, str]]:
    parts = schema.replace(", 2", "; 2").replace(", 1", "; 1").split(", ")
    return [(name, kind.replace(";", ",")) for name, _, kind in (p.partition(" ") for p in parts)]


def over_arrays(text: str) -> tuple[pa.DataType, list[Any], list[int]]:
    """The type, and the value of each row; and the rows that are errors, which have none."""
    parsed, values, errors = Expression.parse(text), [], []
    for row in range(ROWS):
        columns = {name: TABLE[name].combine_chunks()[row : row + 1] for name in parsed.columns}
        try:
            values += parsed.evaluate(columns).to_pylist()
        except BadRowsError:
            errors.append(row)
            values.append(None)
    empty = {name: TABLE[name].combine_chunks()[:0] for name in TABLE.column_names}
    return parsed.evaluate(empty).type, values, errors


def bits(value: Any) -> Any:
    """A value by which it is the same only to the last bit; there is one NaN."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack("<d", value)
    return (value, str(value)) if isinstance(value, Decimal) else value


def sql_of(text: str) -> str:
    parsed = Expression.parse(text)
    return parsed.sql({name: f"`{name}`" for name in parsed.columns})


@pytest.mark.parametrize("part", range(0, len(EXPRESSIONS), 60))
def test_values_and_types(rows: DataFrame, part: int) -> None:
    texts = EXPRESSIONS[part : part + 60]
    found = [over_arrays(text) for text in texts]
    asked = []
    for number, (text, (_, _, errors)) in enumerate(zip(texts, found, strict=True)):
        listed = ", ".join(map(str, errors))
        sql = f"CASE WHEN row NOT IN ({listed}) THEN {sql_of(text)} END" if errors else sql_of(text)
        asked.append(F.expr(sql).alias(f"e{number}"))
    answered = rows.repartition(1).sortWithinPartitions("row").select(*asked)
    spark = answered.toArrow()
    different = []
    for number, (text, (kind, values, _)) in enumerate(zip(texts, found, strict=True)):
        wanted = to_arrow_type(answered.schema[number].dataType, timezone="UTC")
        if kind != wanted and not pa.types.is_null(kind):
            different.append((text, "type", str(wanted), str(kind)))
        theirs = spark[number].to_pylist()
        for row, (mine, theirs_) in enumerate(zip(values, theirs, strict=True)):
            if bits(mine) != bits(theirs_):
                given = {name: TABLE[name][row].as_py() for name in Expression.parse(text).columns}
                different.append((text, given, theirs_, mine))
    assert not different, "\n".join(map(repr, different))


def test_errors_are_errors_on_spark(rows: DataFrame) -> None:
    """Of each expression the first and the last; rows are few, so that Spark starts no job."""
    accepted = []
    for text in EXPRESSIONS:
        errors = over_arrays(text)[2]
        for row in {*errors[:1], *errors[-1:]}:
            try:
                answer = rows.where(f"row = {row}").selectExpr(sql_of(text)).collect()
            except PySparkException:
                continue
            given = {name: TABLE[name][row].as_py() for name in Expression.parse(text).columns}
            accepted.append((text, given, answer))
    assert not accepted, "\n".join(map(repr, accepted))


def test_many_floats(spark: SparkSession) -> None:
    made = np.random.default_rng(3)
    parts = [made.normal(0, 300, 4000), made.uniform(0, 3, 4000), 1 + made.normal(0, 1e-6, 2000)]
    parts += [made.integers(1, 0x7FF << 52, 4000).view(float), made.uniform(-750, -700, 500)]
    floats = np.concatenate(parts)
    texts = ["sqrt(x)", "round(x, 2)", "round(x, -2)"]
    events = spark.createDataFrame(pa.table({"x": floats})).repartition(1)
    answered = events.selectExpr("x", *texts).toArrow()
    given = {"x": answered["x"].combine_chunks()}
    for text, column in zip(texts, answered.columns[1:], strict=True):
        found = Expression.parse(text).evaluate(given).to_pylist()
        both = zip(given["x"].to_pylist(), column.to_pylist(), found, strict=True)
        different = [(x, theirs, mine) for x, theirs, mine in both if bits(theirs) != bits(mine)]
        if text.startswith("round"):  # releases of Java write other digits behind the fifteenth
            different = [each for each in different if abs(each[0]) < 1e13]
        assert not different, (text, len(different), different[:5])


def test_every_function_is_compared() -> None:
    from panewise.expressions.dialect import FUNCTIONS

    for name in FUNCTIONS:
        assert any(f"{name}(" in text for text in EXPRESSIONS), name
