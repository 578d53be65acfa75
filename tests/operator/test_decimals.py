"""Decimals that need more digits than their type has: an error that says so, as on Spark."""

from decimal import Decimal

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import ResultOverflow

TIMES = pytest.mark.parametrize("time", ["t", ("t", "u")], ids=["moments", "spans"])


def _mean(time: str | tuple[str, str], values: list[Decimal]) -> object:
    plan = pw.plan(time=time, windows=[pw.tumbling(10)], aggregates=[pw.mean("x")])
    column = pa.array(values, pa.decimal128(38, 10))
    rows = plan.run(pa.table({"t": [1, 2], "u": [3, 4], "x": column}))
    assert rows["mean(x)"].type == pa.decimal128(38, 14)
    return rows["mean(x)"].to_pylist()


@TIMES
def test_a_mean_that_fits(time: str | tuple[str, str]) -> None:
    assert _mean(time, [Decimal(10**24 - 1), Decimal(10**24 - 2)]) == [
        Decimal(10**24) - Decimal("1.5")
    ]


@TIMES
def test_a_mean_with_too_many_digits(time: str | tuple[str, str]) -> None:
    with pytest.raises(ResultOverflow, match=r"more than the 38 digits of decimal128\(38, 14\)"):
        _mean(time, [Decimal(10**26), Decimal(10**26 + 1)])
