"""Made-up events: as many as asked for, the same by the same seed, as late as they may be."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from panewise.errors import PanewiseError
from panewise.samples import calls, readings
from panewise.samples.arrival import Disorder

MAKERS = [readings, calls]


def ticks(table: pa.Table, column: str) -> np.ndarray:
    return table[column].cast(pa.int64()).to_numpy()


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(("rows", "keys"), [(1, 1), (3, 5), (1000, 7), (1000, 1000)])
def test_rows_and_keys(maker, rows: int, keys: int) -> None:  # type: ignore[no-untyped-def]
    table = maker(rows, keys=keys)
    assert table.num_rows == rows
    assert pc.count_distinct(table[1 if maker is readings else 2]).as_py() <= keys


@pytest.mark.parametrize("maker", MAKERS)
def test_a_seed_decides(maker) -> None:  # type: ignore[no-untyped-def]
    assert maker(500, seed=1).equals(maker(500, seed=1))
    assert not maker(500, seed=1).equals(maker(500, seed=2))


def test_every_device_sends() -> None:
    assert pc.count_distinct(readings(100, keys=100)["device"]).as_py() == 100


def test_without_disorder_readings_are_in_order_and_calls_arrive_when_they_end() -> None:
    assert (np.diff(ticks(readings(5000), "ts")) >= 0).all()
    assert (np.diff(ticks(calls(5000), "ended")) >= 0).all()


def test_calls_end_after_they_began_or_as_they_did() -> None:
    table = calls(5000)
    lasted = ticks(table, "ended") - ticks(table, "began")
    assert (lasted >= 0).all() and (lasted == 0).any()


def test_late_rows_are_as_many_and_as_late_as_asked() -> None:
    moments = ticks(readings(20_000, disorder=Disorder(0.1, "1 minute")), "ts")
    behind = np.maximum.accumulate(moments) - moments
    assert 0 < behind.max() <= 60_000_000
    assert 0.05 < (behind > 0).mean() < 0.15


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rows": 0}, "rows is at least 1: got 0"),
        ({"rows": 9, "keys": 0}, "keys is at least 1: got 0"),
        ({"rows": 9, "every": "0 s"}, "longer than nothing"),
        ({"rows": 9, "every": "soon"}, "soon"),
    ],
)
@pytest.mark.parametrize("maker", MAKERS)
def test_bad_numbers(maker, asked: dict, said: str) -> None:  # type: ignore[no-untyped-def, type-arg]
    with pytest.raises(PanewiseError, match=said):
        maker(**asked)


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_bad_shares(share: float) -> None:
    with pytest.raises(PanewiseError, match="from 0 to 1"):
        Disorder(share)
