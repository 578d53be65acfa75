"""State grows with open windows: not with rows, and not with keys that have gone."""

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.operator import Operator
from panewise.operator.operator import Stats
from panewise.windows import Window
from tests.operator.feed import planned

KEYS, BATCHES = 10_000, 30
EXPIRING = [
    pw.tumbling(10),
    pw.sliding(20, 5),
    pw.session(5),
    pw.punctuation("x < 0"),
]


def batch(number: int, keys: np.ndarray, per_key: int = 1) -> dict[str, np.ndarray]:
    """Rows within ten ticks, of these keys."""
    count = len(keys) * per_key
    return {
        "t": 10 * number + np.arange(count) % 10,
        "k": np.tile(keys, per_key),
        "x": np.ones(count, np.int64),
    }


def pushed(op: Operator, number: int) -> Stats:
    """A batch of keys that never come again."""
    op.push(batch(number, np.arange(number * KEYS, (number + 1) * KEYS)))
    return op.stats()


@pytest.mark.parametrize("lateness", [0, 20])
@pytest.mark.parametrize("window", EXPIRING[:3], ids=lambda w: w.window_id)
def test_keys_that_come_once_are_forgotten(window: Window, lateness: int) -> None:
    op = Operator(planned(window), lateness=lateness)
    seen = [pushed(op, number) for number in range(BATCHES)]
    assert seen[-1].rows == KEYS * BATCHES
    assert max(stats.keys for stats in seen) <= 12 * KEYS
    assert max(stats.bytes for stats in seen[15:]) <= 2 * max(stats.bytes for stats in seen[:15])


def test_keys_of_text_are_forgotten_too() -> None:
    op = Operator(planned(pw.tumbling(10)))
    sizes = []
    for number in range(20):
        names = pa.array([f"device {number} {key}" for key in range(2_000)])
        op.push({"t": pa.array([10 * number] * 2_000), "k": names, "x": pa.array([1] * 2_000)})
        sizes.append(op.stats())
    assert max(stats.keys for stats in sizes) <= 12 * 2_000
    assert max(stats.bytes for stats in sizes[10:]) <= 2 * max(stats.bytes for stats in sizes[:10])


@pytest.mark.parametrize("aggregate", [pw.sum("x"), pw.mode("x"), pw.last("x")])
def test_forgotten_keys_come_back_as_they_were(aggregate: pw.Aggregate) -> None:
    """Numbers are given anew; results name the right keys."""
    op = Operator(planned(pw.tumbling(10), pw.session(3), aggregates=[aggregate]))
    told = []
    for number in range(20):
        names = [f"{(number * 700 + key) % 5_000}" for key in range(2_000)]
        rows = {"t": [10 * number] * 2_000, "k": names, "x": [int(name) for name in names]}
        told.append(op.push(rows))
    told.append(op.flush())
    together = pa.concat_tables(told)
    assert together.num_rows == 2 * 20 * 2_000
    names, values = together["k"].to_pylist(), together[aggregate.name].to_pylist()
    assert [int(name) for name in names] == values


@pytest.mark.parametrize("store", ["lazy", "eager"])
@pytest.mark.parametrize(
    "windows",
    [(pw.tumbling(10),), (pw.sliding(60, 10), pw.tumbling(1_000)), (pw.session(5),)],
    ids=str,
)
def test_memory_does_not_depend_on_the_number_of_rows(
    windows: tuple[Window, ...], store: str
) -> None:
    """Ten times the rows, and the same bytes."""

    def after(per_key: int) -> Stats:
        op = Operator(planned(*windows), delay=3, store=store)
        keys = np.arange(100)
        for number in range(20):
            op.push(batch(number, keys, per_key))
        return op.stats()

    few, many = after(10), after(100)
    assert many.rows == 10 * few.rows
    assert (many.slices, many.tuples, many.bytes) == (few.slices, few.tuples, few.bytes)


@pytest.mark.parametrize("panes", [10, 300, 500, 700])
@pytest.mark.parametrize("windows", [(pw.tumbling(10),), (pw.tumbling(10), pw.session(5))], ids=str)
def test_memory_does_not_depend_on_how_rows_are_cut(
    windows: tuple[Window, ...], panes: int
) -> None:
    """Room for panes to come is the same, whether all came at once or one by one."""

    def after(pushes: int) -> int:
        plan = planned(*windows, by=[])
        op = Operator(plan, delay=100 * panes)
        for part in np.array_split(np.arange(20 * panes) // 2, pushes):
            op.push({"t": part, "x": np.ones(len(part), np.int64)})
        return int(op.stats().bytes)

    assert after(1) == after(7) == after(panes)


def test_memory_does_not_grow_with_time() -> None:
    windows = (pw.sliding(60, 10), pw.session(50), pw.tumbling(pw.rows(7)), pw.punctuation("x < 0"))
    op = Operator(planned(*windows), delay=10, lateness=30)
    keys = np.arange(50)
    sizes = []
    for number in range(60):
        op.push(batch(number, keys, 2))
        sizes.append(op.stats().bytes)
    assert max(sizes[30:]) <= 1.5 * max(sizes[10:30])


def test_revisions_are_forgotten() -> None:
    """How often a window was told is known only as long as it can change."""
    op = Operator(planned(pw.tumbling(10), pw.session(3)), lateness=50)
    sizes = []
    for number in range(100):
        op.push(batch(10 * number + 4, np.arange(20)))
        op.push(batch(10 * number, np.arange(20)))  # late
        sizes.append(len(op.snapshot()))
    assert max(sizes[50:]) <= 1.5 * max(sizes[10:50])
    assert op.stats().late_rows == 0
