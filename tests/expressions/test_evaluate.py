"""Values of expressions over arrays, as Spark in ANSI mode has them."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.errors import BadRowsError, PanewiseError, SchemaError
from panewise.expressions import Expression
from panewise.expressions.interval import interval_of
from panewise.testing import same

NAN, INF = math.nan, math.inf
LEAST, MOST = -(2**63), 2**63 - 1


def value(text: str, **columns: Any) -> list[Any]:
    arrays = {n: c if isinstance(c, pa.Array) else pa.array(c) for n, c in columns.items()}
    listed: list[Any] = Expression.parse(text).evaluate(arrays).to_pylist()
    return listed


def decimals(*values: str | None) -> list[Decimal | None]:
    return [None if v is None else Decimal(v) for v in values]


COLUMNS: dict[str, list[Any]] = {
    "i": [1, 2, None, -7],
    "f": [NAN, 1.5, None, -0.0],
    "g": [NAN, NAN, 1.0, 0.0],
    "s": ["aB", "a%", None, "ß"],
    "b": [True, False, None, True],
    "d": [Decimal("1.25"), Decimal("-0.50"), None, Decimal("3.00")],
    "z": [None, None, None, None],
    "a": [date(2024, 1, 31), date(2024, 2, 1), None, date(1969, 12, 31)],
    "t": [datetime(2024, 1, 31, 11, tzinfo=UTC), datetime(1900, 1, 1, tzinfo=UTC), None, None],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i > 1", [False, True, None, False]),
        ("i <=> NULL", [False, False, True, False]),
        ("f = f", [True, True, None, True]),
        ("f = g", [True, False, None, True]),
        ("f < g", [False, True, None, False]),
        ("f >= g", [True, False, None, True]),
        ("f <> g", [False, True, None, False]),
        ("f > 1e300", [True, False, None, False]),
        ("f <=> g", [True, False, False, True]),
        ("isnan(f)", [True, False, False, False]),
        ("isnan(i)", [False, False, False, False]),
        ("i = 1.0", [True, False, None, False]),
        ("d > 1", [True, False, None, True]),
        ("d = 1.25", [True, False, None, False]),
        ("d < f", [True, True, None, False]),
        ("b < true", [False, True, None, False]),
        ("b = false", [False, True, None, False]),
        ("b AND z", [None, False, None, None]),
        ("b OR z", [True, None, None, True]),
        ("NOT b", [False, True, None, False]),
        ("NULL AND b", [None, False, None, None]),
        ("i IS NULL", [False, False, True, False]),
        ("i IS NOT NULL", [True, True, False, True]),
        ("i IN (1, -7)", [True, False, None, True]),
        ("i IN (1, NULL)", [True, None, None, None]),
        ("i NOT IN (1, 2)", [False, False, None, True]),
        ("f IN (1.5, g)", [True, True, None, True]),
        ("i BETWEEN 1 AND 2", [True, True, None, False]),
        ("i NOT BETWEEN 2 AND NULL", [True, None, None, True]),
        ("s LIKE 'a_'", [True, True, None, False]),
        ("s LIKE 'a\\\\%'", [False, True, None, False]),
        ("s NOT LIKE '%B'", [False, True, None, True]),
        ("s = 'aB'", [True, False, None, False]),
        ("s > 'a'", [True, True, None, True]),
        ("lower(s)", ["ab", "a%", None, "ß"]),
        ("upper(s)", ["AB", "A%", None, "SS"]),
        ("length(s)", [2, 2, None, 1]),
        ("abs(i)", [1, 2, None, 7]),
        ("-d", [Decimal("-1.25"), Decimal("0.50"), None, Decimal("-3.00")]),
        ("i + 1", [2, 3, None, -6]),
        ("i - z", [None, None, None, None]),
        ("i / 2", [0.5, 1.0, None, -3.5]),
        ("i % 3", [1, 2, None, -1]),
        ("-i % -3", [-1, -2, None, 1]),
        ("f % 1.0", [NAN, 0.5, None, -0.0]),
        ("d + i", [Decimal("2.25"), Decimal("1.50"), None, Decimal("-4.00")]),
        ("d * d", [Decimal("1.5625"), Decimal("0.2500"), None, Decimal("9.0000")]),
        ("d % 1", [Decimal("0.25"), Decimal("-0.50"), None, Decimal("0.00")]),
        ("d * 2e0", [2.5, -1.0, None, 6.0]),
        ("d / 0.30", decimals("4.166667", "-1.666667", None, "10.000000")),
        ("coalesce(i, 0)", [1, 2, 0, -7]),
        ("coalesce(z, i, f)", [1.0, 2.0, None, -7.0]),
        ("coalesce(z, z)", [None, None, None, None]),
        ("CASE WHEN i > 1 THEN 'big' WHEN i < 0 THEN 'less' END", [None, "big", None, "less"]),
        ("CASE i WHEN 1 THEN 10 WHEN 2 THEN 2.5 ELSE 0 END", decimals("10", "2.5", "0", "0")),
        ("sqrt(i)", [1.0, math.sqrt(2), None, NAN]),
        ("sqrt(d * d)", [1.25, 0.5, None, 3.0]),
        ("floor(d)", decimals("1", "-1", None, "3")),
        ("ceil(d)", decimals("2", "0", None, "3")),
        ("ceil(f)", [0, 2, None, 0]),
        ("round(d, 1)", decimals("1.3", "-0.5", None, "3.0")),
        ("round(d)", decimals("1", "-1", None, "3")),
        ("round(f)", [NAN, 2.0, None, 0.0]),
        ("round(f / 4, 2)", [NAN, 0.38, None, 0.0]),
        ("round(i * 35, -1)", [40, 70, None, -250]),
        ("7 DIV i", [7, 3, None, -1]),
        ("cast(d AS INT)", [1, 0, None, 3]),
        ("cast(d AS DECIMAL(3, 1))", decimals("1.3", "-0.5", None, "3.0")),
        ("cast(b AS INT) + 1", [2, 1, None, 2]),
        ("cast(f AS BOOLEAN)", [True, True, None, False]),
        ("cast(z AS DOUBLE)", [None] * 4),
        ("cast(f AS DECIMAL(4, 2))", decimals(None, "1.50", None, "0.00")),
        ("greatest(i, f, z)", [NAN, 2.0, None, -0.0]),
        ("least(i, f)", [1.0, 1.5, None, -7.0]),
        ("least(g, f, 0)", [0.0, 0.0, 0.0, -0.0]),
        ("if(i > 1, 'big', s)", ["aB", "big", None, "ß"]),
        ("nullif(i, 2)", [1, None, None, -7]),
        ("nullif(f, g)", [None, 1.5, None, None]),
        ("a > DATE '2024-01-31'", [False, True, None, False]),
        ("t >= TIMESTAMP '2024-01-31 12:00:00+01:00'", [True, False, None, None]),
        ("1 = 1", [True] * 4),
        ("z", [None] * 4),
    ],
)
def test_values(text: str, expected: list[Any]) -> None:
    assert same(value(text, **COLUMNS), expected)


def test_later_operands_are_for_undecided_rows() -> None:
    columns = {"x": [4, 4, None], "y": [0, 2, 0]}
    assert value("y <> 0 AND x / y > 1", **columns) == [False, True, False]
    assert value("y = 0 OR x / y > 1", **columns) == [True, True, True]
    assert value("CASE WHEN y = 0 THEN -1 ELSE x / y END", **columns) == [-1.0, 2.0, -1.0]
    assert value("coalesce(y + 0.5, x / 0)", **columns)[1] == 2.5


@pytest.mark.parametrize("text", ["x / y", "x % y", "x / 0.0", "x / 0e0", "x % 0.00"])
def test_division_by_zero_is_an_error(text: str) -> None:
    with pytest.raises(BadRowsError, match="division by zero"):
        value(text, x=[1, 1], y=[1, 0])
    assert value(text, x=pa.nulls(1, pa.int64()), y=[0]) == [None]


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("x + 1", pa.array([MOST])),
        ("x - 1", pa.array([LEAST])),
        ("x * 2", pa.array([MOST])),
        ("-x", pa.array([LEAST])),
        ("abs(x)", pa.array([LEAST])),
        ("x + 1", pa.array([2**31 - 1], pa.int32())),
        ("x * x", pa.array([Decimal(10**37)], pa.decimal128(38, 0))),
        ("x DIV -1", pa.array([LEAST])),
        ("cast(x AS INT)", pa.array([2**31])),
        ("cast(x AS BIGINT)", pa.array([1e19])),
        ("cast(x AS TINYINT)", pa.array([NAN])),
        ("cast(x AS DECIMAL(3, 1))", pa.array([99.95])),
        ("cast(x AS DECIMAL(3, 1))", pa.array([100])),
        ("cast(x AS BIGINT)", pa.array([Decimal(10**19)], pa.decimal128(20, 0))),
        ("round(x, -1)", pa.array([MOST])),
        ("round(x, -19)", pa.array([LEAST])),
        ("floor(x)", pa.array([INF])),
    ],
)
def test_overflow_is_an_error(text: str, x: pa.Array) -> None:
    with pytest.raises(BadRowsError, match=r"overflow: the result of .* does not fit in"):
        value(text, x=x)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_moments_of_any_unit_and_zone(unit: str, zone: str | None) -> None:
    moments = pa.array([datetime(2024, 1, 31, 12), None]).cast(pa.timestamp(unit, zone))
    before = "TIMESTAMP '2024-01-31 11:59:59.999999Z'"
    if zone is None:
        before = "TIMESTAMP_NTZ '2024-01-31 11:59:59.999999'"
    assert value(f"t > {before}", t=moments) == [True, None]
    assert value(f"{before} >= t OR t = t", t=moments) == [True, None]
    assert value(f"t BETWEEN {before} AND {before}", t=moments) == [False, None]


def test_moments_too_far_away() -> None:
    fine = pa.array([datetime(2024, 1, 31, 12)]).cast(pa.timestamp("ns"))
    with pytest.raises(BadRowsError, match="too far away to be compared with timestamp"):
        value("t < TIMESTAMP_NTZ '9999-12-31'", t=fine)


def test_narrow_integers_meet_in_the_wider_type() -> None:
    narrow = pa.array([127], pa.int8())
    assert value("x + 1", x=narrow) == [128]
    with pytest.raises(BadRowsError):
        value("x + x", x=narrow)


def test_wide_numbers_compare_exactly() -> None:
    wide = pa.array([Decimal(10**37)], pa.decimal128(38, 0))
    fine = pa.array([Decimal("0.1")], pa.decimal128(38, 30))
    assert value("x > y AND y < x AND x <> y", x=wide, y=fine) == [True]
    assert value("x = 9223372036854775807", x=[MOST]) == [True]
    assert value("x = -9223372036854775808", x=[LEAST]) == [True]


def test_decimals_of_all_digits_are_no_overflow() -> None:
    most = Decimal("9999999999999999999999999999.9999999999")
    less = Decimal("9999999999999999999999999999.9999999998")
    kind = pa.decimal128(38, 10)
    columns = {"x": pa.array([less], kind), "y": pa.array([most], kind)}
    assert value("x % y", **columns) == [less]
    assert value("round(y, 10)", **columns) == value("cast(y AS DECIMAL(38, 10))", **columns)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 'a'", "operands are of like types: got int64 and string."),
        ("x AND true", "AND takes true and false: got int64."),
        ("lower(x)", "lower takes text: got int64."),
        ("x LIKE 'a'", "LIKE takes text: got int64."),
        ("s + 1", "+ takes numbers: got string."),
        ("abs(s)", "abs takes numbers: got string."),
        ("isnan(s)", "isnan takes numbers: got string."),
        ("CASE WHEN x THEN 1 END", "CASE WHEN takes true and false: got int64."),
        ("sqrt(s)", "sqrt takes numbers: got string."),
        ("floor(s)", "floor takes numbers: got string."),
        ("round(s, 1)", "round takes numbers: got string."),
        ("round(r, 1)", "round takes no float."),
        ("cast(s AS INT)", "cast takes numbers and truths: got string."),
        (
            "cast(w AS INT)",
            "cast makes int32 of decimals of up to 15 digits: got decimal128(20, 1).",
        ),
        ("cast(w AS FLOAT)", "cast makes no FLOAT of decimals: got decimal128(20, 1)."),
        (
            "cast(r AS DECIMAL(16, 1))",
            "cast makes decimals of up to 15 digits of floats: got decim",
        ),
        ("w DIV 2", "DIV takes integers: got decimal128(20, 1)."),
        ("greatest(x, s)", "operands are of like types: got int64 and string."),
        ("nullif(x, s)", "operands are of like types: got int64 and string."),
        ("if(x, 1, 2)", "CASE WHEN takes true and false: got int64."),
        ("t < DATE '2024-01-31'", "operands are of like types: got timestamp[us] and date32[day]."),
        (
            "t < TIMESTAMP '2024-01-31 00:00:00Z'",
            "operands are of like types: got timestamp[us] an",
        ),
        ("coalesce(x, s)", "operands are of like types: got int64 and string."),
        ("nope > 1", '"nope > 1" reads an unknown column: got "nope".'),
    ],
)
def test_types_are_checked(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as refused:
        wide = pa.array([Decimal(1)], pa.decimal128(20, 1))
        moments = pa.array([datetime(2024, 1, 1)])
        value(text, x=[1], s=["a"], r=pa.array([1.0], pa.float32()), w=wide, t=moments)
    assert str(refused.value).startswith(message) and "Hint: " in str(refused.value)


def test_a_predicate_is_true_or_not() -> None:
    holds = Expression.parse("x > 1").holds
    assert holds({"x": pa.array([1, 2, None])}).tolist() == [False, True, False]
    assert Expression.parse("x").holds({"x": pa.nulls(2)}).tolist() == [False, False]
    with pytest.raises(SchemaError, match="a predicate is true or false"):
        Expression.parse("x + 1").holds({"x": pa.array([1])})


@given(
    st.integers(-(10**9), 10**9),
    st.integers(-(10**17), 10**17),
    st.sampled_from([(10, 2), (18, 0), (20, 5), (38, 10)]),
    st.sampled_from("+-*/%"),
)
def test_decimals_against_python(a: int, b: int, digits: tuple[int, int], sign: str) -> None:
    """Exact, or rounded to the scale of the result; few digits take another way than many."""
    x, y = Decimal(a).scaleb(-2), Decimal(b).scaleb(-digits[1])
    with localcontext(prec=100):
        if b == 0 and sign in "/%":
            return
        exact = {"+": x + y, "-": x - y, "*": x * y, "/": x / (y or 1), "%": x % (y or 1)}[sign]
    columns = {"x": pa.array([x, None], pa.decimal128(12, 2))}
    columns["y"] = pa.array([y, y], pa.decimal128(38 if digits[0] == 38 else 18, digits[1]))
    found = Expression.parse(f"x {sign} y").evaluate(columns)
    with localcontext(prec=100):
        assert abs(found.to_pylist()[0] - exact) <= Decimal(5).scaleb(-found.type.scale - 1)
    assert found.to_pylist()[1] is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x + 0.5", pa.decimal128(22, 1)),
        ("d + d", pa.decimal128(11, 2)),
        ("d * d", pa.decimal128(21, 4)),
        ("d / d", pa.decimal128(23, 13)),
        ("d / 3", pa.decimal128(14, 6)),
        ("-12 + d", pa.decimal128(11, 2)),
        ("d % 0.123", pa.decimal128(3, 3)),
        ("w * w", pa.decimal128(38, 6)),
        ("w + d", pa.decimal128(38, 9)),
        ("x / 2", pa.float64()),
        ("x % 2", pa.int64()),
    ],
)
def test_types_are_those_of_spark(text: str, kind: pa.DataType) -> None:
    columns = {
        "x": pa.array([1]),
        "d": pa.array([Decimal(1)], pa.decimal128(10, 2)),
        "w": pa.array([Decimal(1)], pa.decimal128(38, 10)),
    }
    assert Expression.parse(text).evaluate(columns).type == kind


@given(
    st.lists(st.integers(-(10**38) + 1, 10**38 - 1) | st.integers(-(10**6), 10**6), max_size=9),
    st.sampled_from([0, 1, 2, 10, 22, 23, 38]),
    st.sampled_from([10, 15, 18, 38]),
)
def test_decimals_become_the_nearest_doubles(units: list[int], scale: int, precision: int) -> None:
    """As in Java, and in Python."""
    kind = pa.decimal128(max(precision, scale), scale)
    with localcontext(prec=80):
        listed = [Decimal(u % 10**precision).scaleb(-scale) for u in units]
    column = pa.array([None, *listed, None, *listed], kind)
    found = value("x * 1e0", x=column)
    assert found == [None if d is None else float(d) for d in column.to_pylist()]
    assert value("x * 1e0", x=column[1:]) == found[1:]


@pytest.mark.parametrize("written", ["0.47", "0.07", "45591179.66", "1.1", "-0.29"])
def test_a_fraction_beside_a_float_is_the_float_that_is_written_so(written: str) -> None:
    """Also where a loop compares with bounds."""
    floats = pa.array([float(written), None])
    assert value(f"x = {written} AND x >= {written} AND x <= {written}", x=floats) == [True, None]
    found = interval_of(f"x >= {written} AND x <= {written}", pa.float64())
    assert found is not None and found.low == found.high == float(written)


@pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_text_in_other_layouts(kind: pa.DataType) -> None:
    text = pa.array(["paid", None, "new"]).cast(kind)
    assert value("s = 'paid' OR lower(s) LIKE 'n%'", s=text) == [True, None, True]


def test_no_rows() -> None:
    empty = {name: pa.array(column).slice(0, 0) for name, column in COLUMNS.items()}
    for text in ("i / 0 > 1", "b AND f < g", "CASE WHEN b THEN d ELSE i END", "coalesce(s, 'x')"):
        assert Expression.parse(text).evaluate(empty).to_pylist() == []


# --- against Python, row by row ---

_LEAVES = st.sampled_from(
    ["p", "q", "x < y", "x = y", "x <=> y", "x IS NULL", "x IN (1, y)", "NULL"]
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("(NOT {})".format, inner),
        st.builds("(CASE WHEN {} THEN {} ELSE {} END)".format, inner, inner, inner),
        st.builds("coalesce({}, {})".format, inner, inner),
    ),
    max_leaves=6,
)
_ROW = st.fixed_dictionaries(
    {
        "p": st.sampled_from([True, False, None]),
        "q": st.sampled_from([True, False, None]),
        "x": st.sampled_from([1.0, 2.0, NAN, None]),
        "y": st.sampled_from([1.0, 2.0, NAN, None]),
    }
)
_TYPES = {"p": pa.bool_(), "q": pa.bool_(), "x": pa.float64(), "y": pa.float64()}


@given(_TREES, st.lists(_ROW, max_size=5))
def test_rows_do_not_see_each_other(text: str, rows: list[dict[str, Any]]) -> None:
    """All rows at once give what each gives alone, whichever operands were skipped."""
    parsed = Expression.parse(text)

    def over(some: list[dict[str, Any]]) -> list[Any]:
        arrays = {n: pa.array([row[n] for row in some], t) for n, t in _TYPES.items()}
        listed: list[Any] = parsed.evaluate(arrays).to_pylist()
        return listed

    assert over(rows) == [value for row in rows for value in over([row])]


@given(_ROW)
def test_three_valued_logic(row: dict[str, Any]) -> None:
    p, q = row["p"], row["q"]
    both = False if False in (p, q) else None if None in (p, q) else True
    either = True if True in (p, q) else None if None in (p, q) else False
    columns = {n: pa.array([row[n]], t) for n, t in _TYPES.items()}
    assert value("p AND q", **columns) == [both]
    assert value("p OR q", **columns) == [either]
    assert value("NOT (p AND q)", **columns) == value("NOT p OR NOT q", **columns)
    assert value("x <= y", **columns) == value("x < y OR x = y", **columns)


def test_errors_are_of_the_library() -> None:
    assert issubclass(BadRowsError, PanewiseError)


NUMBERS = {"float": [NAN, INF, -INF, 1.5, -0.0, 2.0, NAN], "integer": [LEAST, -1, 0, 2, MOST]}


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS.keys())
@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "=", "<>"])
@pytest.mark.parametrize("order", ["{} {} 2", "2 {1} {0}", "{} {} 1.5e0", "{} {} -0.0e0"])
def test_numbers_are_compared_alike_with_and_without_nulls(
    numbers: list[Any], sign: str, order: str
) -> None:
    """Beside a literal, numbers without nulls take a way of their own, wherever they begin."""
    text = order.format("x", sign)
    *expected, last = value(text, x=[*numbers, None])
    assert value(text, x=numbers) == expected
    assert value(text, x=pa.array(numbers)[2:]) == expected[2:]
    assert last is None
