"""What frames look at: nulls, NaN, infinities, integers at the end of their range, decimals."""

import math
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import ResultOverflow, SchemaError
from panewise.operator import Operator
from panewise.windows import BoundaryFrame, Window
from tests.operator.feed import planned
from tests.operator.framing import BUFFERS, framed, operator, rows

NAN, INF = math.nan, math.inf
MOST, LEAST = 2**63 - 1, -(2**63)
FLOATS, DECIMALS = pa.float64(), pa.decimal128(9, 2)

SCHEMES = [
    pw.threshold_frame("x > 0"),
    pw.boundary_frame("x", edges=[0]),
    pw.delta_frame("x", 5),
    pw.aggregate_frame(pw.sum("x"), 9),
]


@pytest.fixture(params=BUFFERS, ids=str)
def options(request: pytest.FixtureRequest) -> Any:
    return request.param


def cut(frame: Window, values: list[Any], kind: pa.DataType, options: dict[str, Any]) -> list[Any]:
    """The values of each frame, of rows at 1, 2, 3, ..."""
    table = rows(range(1, len(values) + 1), values, kind)
    return [list(map(repr, each[2])) for each in framed(frame, table, **options)]


def shown(*frames: list[Any]) -> list[Any]:
    return [list(map(repr, each)) for each in frames]


@pytest.mark.parametrize("frame", SCHEMES, ids=lambda frame: frame.kind)
def test_a_null_decides_nothing_and_is_in_no_frame(frame: Window, options: dict[str, Any]) -> None:
    """Not even where it would be the last row, or the only one."""
    table = rows([1, 2, 3, 4, 5], [None, 1, None, 2, None])
    assert framed(frame, table, **options) == [(2, 5, [1, 2])]
    assert framed(frame, rows([1, 2], [None, None]), **options) == []


def test_a_column_that_is_all_null_has_no_frames(options: dict[str, Any]) -> None:
    for frame in SCHEMES:
        op = operator(frame, **options)
        op.push({"t": [1], "k": ["a"], "x": pa.nulls(1, pa.int64())})
        assert op.flush().num_rows == 0


def test_nan_is_above_every_number_in_a_predicate(options: dict[str, Any]) -> None:
    values = [1.0, NAN, INF, -INF, NAN]
    found = cut(pw.threshold_frame("x > 0"), values, FLOATS, options)
    assert found == shown([1.0, NAN, INF], [NAN])


@pytest.mark.parametrize(
    ("frame", "frames"),
    [
        (pw.boundary_frame("x", edges=[0]), [[-INF], [NAN, INF, 1.0], [-1.0]]),
        (pw.boundary_frame("x", width=10), [[-INF], [NAN], [INF], [1.0], [-1.0]]),
        (pw.delta_frame("x", 5), [[-INF], [NAN], [INF], [1.0, -1.0]]),
        (pw.delta_frame("x", 5, mode="range"), [[-INF], [NAN], [INF], [1.0, -1.0]]),
        (pw.aggregate_frame(pw.max("x"), 5), [[-INF, NAN], [INF], [1.0, -1.0]]),
    ],
    ids=lambda each: getattr(each, "canonical", ""),
)
def test_infinities_and_nan(frame: Window, frames: list[Any], options: dict[str, Any]) -> None:
    assert cut(frame, [-INF, NAN, INF, 1.0, -1.0], FLOATS, options) == shown(*frames)


def test_nan_and_infinities_do_not_differ_from_themselves(options: dict[str, Any]) -> None:
    values = [NAN, NAN, INF, INF, -INF, -INF]
    for mode in ("anchor", "range"):
        found = cut(pw.delta_frame("x", 5, mode=mode), values, FLOATS, options)
        assert found == shown([NAN, NAN], [INF, INF], [-INF, -INF])


def test_a_sum_that_is_nan_is_above_every_limit(options: dict[str, Any]) -> None:
    found = cut(pw.aggregate_frame(pw.sum("x"), 9), [1.0, NAN, 2.0, INF, 3.0], FLOATS, options)
    assert found == shown([1.0, NAN], [2.0, INF], [3.0])


@pytest.mark.parametrize("value", [INF, -INF, NAN], ids=str)
@pytest.mark.parametrize("aggregate", [pw.min_count("x"), pw.max_count("x")], ids=str)
def test_extremes_that_are_no_numbers_are_counted(
    aggregate: pw.Aggregate, value: float, options: dict[str, Any]
) -> None:
    found = cut(pw.aggregate_frame(aggregate, 2), [value] * 5, FLOATS, options)
    assert found == shown([value] * 2, [value] * 2, [value])


@pytest.mark.parametrize("crossing", ["include", "exclude"])
def test_a_range_is_what_the_aggregate_gives(crossing: str, options: dict[str, Any]) -> None:
    """Of equal numbers it is zero; of an infinity, or of NaN, it is NaN and above every limit."""
    none = pw.aggregate_frame(pw.range("x"), 0, crossing=crossing)
    assert cut(none, [3, 3, 3], pa.int64(), options) == shown([3], [3], [3])
    assert cut(none, [0.5] * 20, FLOATS, options) == shown(*[[0.5]] * 20)
    five = pw.aggregate_frame(pw.range("x"), 5, crossing=crossing)
    values = [INF, INF, 1.0, 1.0, 2.0, NAN, NAN, -INF, -INF, 0.0, 0.5]
    ones = (
        [[1.0, 1.0, 2.0, NAN], [NAN]] if crossing == "include" else [[1.0, 1.0, 2.0], [NAN], [NAN]]
    )
    found = cut(five, values, FLOATS, options)
    assert found == shown([INF], [INF], *ones, [-INF], [-INF], [0.0, 0.5])


def test_integers_at_the_ends_of_their_range(options: dict[str, Any]) -> None:
    """A difference of two of them does not fit 64 bits."""
    values = [MOST, MOST - 1, LEAST, LEAST + 1, 0]
    for mode in ("anchor", "range"):
        found = cut(pw.delta_frame("x", 3, mode=mode), values, pa.int64(), options)
        assert found == shown([MOST, MOST - 1], [LEAST, LEAST + 1], [0])
    found = cut(pw.delta_frame("x", MOST, mode="range"), [LEAST, -1, 0], pa.int64(), options)
    assert found == shown([LEAST, -1], [0])
    found = cut(pw.boundary_frame("x", width=4, origin=2), values, pa.int64(), options)
    assert found == shown([MOST, MOST - 1], [LEAST, LEAST + 1], [0])
    found = cut(pw.boundary_frame("x", edges=[MOST]), values, pa.int64(), options)
    assert found == shown([MOST], [MOST - 1, LEAST, LEAST + 1, 0])


@pytest.mark.parametrize("at_once", [True, False])
def test_times_as_far_apart_as_there_are(at_once: bool, options: dict[str, Any]) -> None:
    """From the first to the last there are more ticks than 64 bits with a sign can tell."""
    low, high = -(2**62), 2**62
    whole, parted = (low, high + 1, [1, 1]), (low, high, [1])
    table = rows([low, high], [1, 1])
    for frame, expected in (
        (pw.aggregate_frame(pw.count(), 3), whole),
        (pw.delta_frame("x", 1, min_duration=2**62 - 1), whole),
        (pw.threshold_frame("x > 0", basis="interval"), whole),
        (pw.boundary_frame("x", width=2, max_duration=2**61), parted),
    ):
        plan = planned(frame, aggregates=[pw.collect("x")])
        op = Operator(plan, **options)
        told = [op.push(each) for each in ([table] if at_once else [table[:1], table[1:]])]
        op = Operator.restore(plan, op.snapshot())
        found = [row for each in [*told, op.flush()] for row in each.to_pylist()]
        kept = [row for row in found if not row.get("retracted")]
        assert expected in [(*row["window"].values(), row["collect(x)"]) for row in kept]


def test_limits_beyond_every_integer(options: dict[str, Any]) -> None:
    values = [MOST - 1, 1, LEAST]
    above, below = pw.aggregate_frame(pw.max("x"), 2**70), pw.aggregate_frame(pw.max("x"), -(2**70))
    assert cut(above, values, pa.int64(), options) == shown(values)
    assert cut(below, values, pa.int64(), options) == shown([MOST - 1], [1], [LEAST])
    assert cut(pw.delta_frame("x", 2**70), [LEAST, -5], pa.int64(), options) == shown([LEAST, -5])


def test_an_integer_sum_that_goes_around(options: dict[str, Any]) -> None:
    op = operator(pw.aggregate_frame(pw.sum("x"), -5, crossing="exclude"), **options)
    with pytest.raises(ResultOverflow) as error:
        op.push(rows([1, 2, 3], [LEAST + 1, -7, -1]))
        op.push(rows([9], [0]))
    assert "an integer sum left the range of BIGINT. Hint: cast the column to" in str(error.value)


@pytest.mark.parametrize("cuts", [[], [1], [2], [1, 2, 3], [1, 1, 3]], ids=str)
@pytest.mark.parametrize("values", [[2**62, 2**62, -1], [MOST, 1, -1], [MOST - 5, 9, -9]], ids=str)
def test_a_sum_that_leaves_its_range_on_the_way(
    values: list[int], cuts: list[int], options: dict[str, Any]
) -> None:
    """Row after row, however rows are cut into pushes; and so does the sum that decides."""
    table = rows(range(1, 5), [*values, 0])
    for frame in pw.threshold_frame("t < 4"), pw.aggregate_frame(pw.sum("x"), 2**80):
        op = Operator(planned(frame, aggregates=[pw.sum("x")]), **options)
        with pytest.raises(ResultOverflow):
            for low, high in pairwise([0, *cuts, 4]):
                op.push(table.slice(low, high - low))
            op.flush()


@pytest.mark.parametrize("cuts", [[], [1], [2], [1, 2, 3]], ids=str)
def test_a_sum_that_stays_in_its_range(cuts: list[int], options: dict[str, Any]) -> None:
    values = [2**62, 2**62 - 1, -1, 1, LEAST, 5, -5]
    table = rows(range(1, 8), values)
    op = Operator(planned(pw.delta_frame("t", 100), aggregates=[pw.sum("x")]), **options)
    told = [op.push(table.slice(low, high - low)) for low, high in pairwise([0, *cuts, 7])]
    found = [row for each in [*told, op.flush()] for row in each.to_pylist()]
    assert [row["sum(x)"] for row in found if not row.get("retracted")][-1] == -1


def test_limits_that_no_integer_is_equal_to(options: dict[str, Any]) -> None:
    assert cut(pw.delta_frame("x", 1.5), [1, 2, 3], pa.int64(), options) == shown([1, 2], [3])
    frame = pw.aggregate_frame(pw.sum("x"), Decimal("2.5"))
    assert cut(frame, [1, 1, 1, 1], pa.int64(), options) == shown([1, 1, 1], [1])


def test_decimals_are_exact(options: dict[str, Any]) -> None:
    """0.10 + 0.20 reaches 0.3, and not a little more; 0.30 - 0.10 is not below 0.2."""
    one, two, three = Decimal("0.10"), Decimal("0.20"), Decimal("0.30")
    values = [one, two, three]
    sums = pw.aggregate_frame(pw.sum("x"), Decimal("0.3"))
    assert cut(sums, values, DECIMALS, options) == shown([one, two], [three])
    near = pw.delta_frame("x", Decimal("0.2"))
    assert cut(near, values, DECIMALS, options) == shown([one, two], [three])
    wide = pw.delta_frame("x", Decimal("0.2"), mode="range")
    assert cut(wide, values, DECIMALS, options) == shown(values)
    banded = pw.boundary_frame("x", width=Decimal("0.1"))
    assert cut(banded, [one, Decimal("0.19"), two], DECIMALS, options) == shown(
        [one, Decimal("0.19")], [two]
    )


@pytest.mark.parametrize(
    "aggregate", [pw.count("x"), pw.min_count("x"), pw.max_count("x")], ids=str
)
def test_rows_of_decimals_are_counted_as_they_are(
    aggregate: pw.Aggregate, options: dict[str, Any]
) -> None:
    """A limit of rows has no digits behind the point, whatever the values have."""
    values = [Decimal("1.50")] * 5
    found = cut(pw.aggregate_frame(aggregate, 2), values, DECIMALS, options)
    assert found == shown(values[:2], values[:2], values[:1])


WIDE = pa.decimal128(38, 18)
"""What Spark makes of Python's decimals."""


@pytest.mark.parametrize(
    ("frame", "frames"),
    [
        (pw.aggregate_frame(pw.sum("x"), 4), ["1 2.5 0.125 300", "0.000001 7", "-3"]),
        (
            pw.aggregate_frame(pw.max("x"), Decimal("2.5")),
            ["1 2.5", "0.125 300", "0.000001 7", "-3"],
        ),
        (pw.aggregate_frame(pw.min_count("x"), 2), ["1 2.5 0.125 300 0.000001 7 -3"]),
        (pw.delta_frame("x", Decimal("1.5")), ["1", "2.5", "0.125", "300", "0.000001", "7", "-3"]),
        (pw.delta_frame("x", Decimal("1.5000001")), ["1 2.5 0.125", "300", "0.000001", "7", "-3"]),
        (pw.delta_frame("x", 3, mode="range"), ["1 2.5 0.125", "300", "0.000001", "7", "-3"]),
        (
            pw.boundary_frame("x", width=Decimal("2.5")),
            ["1", "2.5", "0.125", "300", "0.000001", "7", "-3"],
        ),
        (
            pw.boundary_frame("x", edges=[-(10**20), 0, 5, 10**20]),
            ["1 2.5 0.125", "300", "0.000001", "7", "-3"],
        ),
        (pw.aggregate_frame(pw.mean("x"), 3), ["1 2.5 0.125 300", "0.000001 7", "-3"]),
    ],
    ids=lambda each: getattr(each, "canonical", ""),
)
def test_wide_decimals_have_as_many_digits_as_there_are(
    frame: Window, frames: list[str], options: dict[str, Any]
) -> None:
    """One row brings more digits behind the point than those before it, also within a frame."""
    expected = [[Decimal(each) for each in row.split()] for row in frames]
    values = [value for row in expected for value in row]
    found = framed(frame, rows(range(1, len(values) + 1), values, WIDE), **options)
    assert [each[2] for each in found] == expected


def test_a_snapshot_keeps_the_digits_of_open_frames(options: dict[str, Any]) -> None:
    plan = planned(pw.aggregate_frame(pw.sum("x"), Decimal("4.1")), aggregates=[pw.collect("x")])
    values = [Decimal(each) for each in ("1.5", "2.25", "0.3", "0.05", "9")]
    op, told = Operator(plan, **options), []
    for t, value in enumerate(values):
        told += op.push(rows([t], [value], WIDE)).to_pylist()
        op = Operator.restore(plan, op.snapshot())
    told += op.flush().to_pylist()
    assert (0, 4, values[:4]) in [(*row["window"].values(), row["collect(x)"]) for row in told]


@pytest.mark.parametrize(
    "frame", [*SCHEMES[1:], pw.boundary_frame("x", width=Decimal("1e-20"))], ids=str
)
def test_wide_decimals_with_too_many_digits(frame: Window, options: dict[str, Any]) -> None:
    """In one row, or in several that are compared with each other."""
    for values in (["12345678901.12345678"], ["1e17", "0.01"]):
        op = operator(frame, **options)
        if isinstance(frame, BoundaryFrame) and len(values) > 1 and frame.width is None:
            continue  # each row is in a band by itself
        with pytest.raises(SchemaError) as error:
            for t, value in enumerate(values):
                op.push(rows([t], [Decimal(value)], WIDE))
            op.push(rows([9], [Decimal(1)], WIDE))
            op.flush()
        assert "decimals of up to 18 digits are followed exactly: the rows of" in str(error.value)


def test_a_decimal_sum_with_too_many_digits(options: dict[str, Any]) -> None:
    op = operator(pw.aggregate_frame(pw.sum("x"), 10**20), **options)
    with pytest.raises(ResultOverflow) as error:
        op.push(rows(range(9), [Decimal(10) ** 15] * 9, pa.decimal128(18, 2)))
        op.push(rows(range(9, 100), [Decimal(10) ** 15] * 91, pa.decimal128(18, 2)))
        op.flush()
    assert "a decimal sum has more than 18 digits. Hint: cast the column to fewer" in str(
        error.value
    )


def test_a_limit_that_no_float_is_equal_to() -> None:
    """The float 0.1 is a little more than the decimal 0.1, so it is not within it."""
    by_decimal = pw.delta_frame("x", Decimal("0.1"), mode="range")
    by_float = pw.delta_frame("x", 0.1, mode="range")
    assert cut(by_decimal, [0.0, 0.1], FLOATS, {}) == shown([0.0], [0.1])
    assert cut(by_float, [0.0, 0.1], FLOATS, {}) == shown([0.0, 0.1])
    least = pw.delta_frame("x", Decimal("0.1"))
    assert cut(least, [0.0, math.nextafter(0.1, 0)], FLOATS, {}) == shown(
        [0.0, math.nextafter(0.1, 0)]
    )


def test_an_anchor_of_zero_is_a_value(options: dict[str, Any]) -> None:
    """A public implementation takes it for none."""
    values = [0, 1, 1, 5, 0, 2]
    assert cut(pw.delta_frame("x", 2), values, pa.int64(), options) == shown(
        [0, 1, 1], [5], [0], [2]
    )


def test_the_running_aggregate_has_every_row(options: dict[str, Any]) -> None:
    """The source's own multi buffer lags one row behind."""
    frame = pw.aggregate_frame(pw.sum("x"), 4)
    assert cut(frame, [1, 1, 1, 1, 1, 3, 1], pa.int64(), options) == shown(
        [1, 1, 1, 1], [1, 3], [1]
    )


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", None, "", "b"], pa.string()),
        ([True, None, False, True], pa.bool_()),
        ([b"a", None, b"", b"b"], pa.binary()),
        ([1, None, 2, 3], pa.date32()),
        ([NAN, None, 2.0, 3.0], FLOATS),
    ],
    ids=lambda each: str(each) if isinstance(each, pa.DataType) else "",
)
def test_values_of_any_type_are_counted(
    values: list[Any], kind: pa.DataType, options: dict[str, Any]
) -> None:
    table = rows([1, 2, 3, 4], values, kind)
    found = framed(pw.aggregate_frame(pw.count("x"), 2), table, **options)
    assert [(start, end, len(counted)) for start, end, counted in found] == [(1, 4, 2), (4, 5, 1)]


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.float32()], ids=str)
def test_narrow_types(kind: pa.DataType, options: dict[str, Any]) -> None:
    found = framed(
        pw.aggregate_frame(pw.sum("x"), 200), rows([1, 2, 3], [100] * 3, kind), **options
    )
    assert [len(each[2]) for each in found] == [2, 1]
