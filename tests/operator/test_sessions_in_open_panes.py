"""Sessions without keys: rows that came, in a pane that is not whole yet, join like any other."""

import random
from itertools import pairwise

import pyarrow as pa
import pytest

import panewise as pw
from panewise.operator import Operator


def shown(table: pa.Table) -> list[tuple]:
    rows = table.to_pylist()
    found = [row for row in rows if row["window_id"] == "session(5)"]
    return [(row["window"]["start"], row["window"]["end"], row["sum(x)"]) for row in found]


def test_a_row_in_the_pane_of_the_watermark_keeps_a_session_open() -> None:
    #      8       12  W=14         20      panes of 5: [10, 15) is not whole
    #      |-- gap 5 --|                    8 + 5 < 14, but 12 joins
    plan = pw.plan(time="t", windows=[pw.tumbling(10), pw.session(5)], aggregates=[pw.sum("x")])
    op = Operator(plan, delay=6)
    assert shown(op.push({"t": [8, 12, 20], "x": [1, 2, 4]})) == []
    assert op.stats().watermark == 14
    assert shown(op.push({"t": [14], "x": [8]})) == []
    assert shown(op.push({"t": [26], "x": [16]})) == [(8, 19, 11)]  # 14 + 5 < 20
    assert shown(op.flush()) == [(20, 25, 4), (26, 31, 16)]


def test_a_session_closes_though_a_later_row_waits_in_its_pane() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(20), pw.session(5)], aggregates=[pw.sum("x")])
    op = Operator(plan, delay=1)
    # panes of 5: 10 and 17 are apart, and 17 is in the pane of the watermark
    assert shown(op.push({"t": [10, 17, 18], "x": [1, 2, 4]})) == [(10, 15, 1)]
    assert shown(op.flush()) == [(17, 23, 6)]


def sessions(ticks: list[int], gap: int) -> list[tuple[int, int, int]]:
    """By definition, every row with a value of 1."""
    found: list[tuple[int, int, int]] = []
    for tick in sorted(ticks):
        if found and tick <= found[-1][1]:
            found[-1] = found[-1][0], tick + gap, found[-1][2] + 1
        else:
            found.append((tick, tick + gap, 1))
    return found


def late_stream(seed: int) -> tuple[list[int], list[list[int]]]:
    """Times with a few silences, up to 8 late, and the same cut into pushes."""
    chance = random.Random(seed)
    now, arrivals = 0, []
    for _ in range(3000):
        now += chance.choice([0, 1, 1, 1, 2, 30 if chance.random() < 0.02 else 1])
        arrivals.append((now + chance.choice([0, 0, 0, chance.randint(0, 8)]), now))
    ticks = [tick for _, tick in sorted(arrivals)]
    cuts = sorted(chance.sample(range(1, len(ticks)), 120))
    return ticks, [ticks[a:b] for a, b in pairwise([0, *cuts, len(ticks)])]


@pytest.mark.parametrize("what", ["nothing", "snapshot", "restore", "add"])
@pytest.mark.parametrize("seed", range(3))
def test_a_session_over_many_pushes_is_the_sum_of_all(seed: int, what: str) -> None:
    windows = [pw.tumbling(5), pw.tumbling(70), pw.session(5)]
    plan = pw.plan(time="t", windows=windows, aggregates=[pw.sum("x")])
    op = Operator(plan, delay=8)
    ticks, pushes = late_stream(seed)
    told = []
    for number, part in enumerate(pushes):
        told += shown(op.push({"t": part, "x": [1] * len(part)}))
        if what == "snapshot" or (what == "restore" and number == 50):
            blob = op.snapshot()
            op = Operator.restore(plan, blob) if what == "restore" else op
        if what == "add" and number == 50:
            op.add(pw.plan(time="t", windows=[pw.tumbling(7)], aggregates=[pw.sum("x")]))
    told += shown(op.flush())
    assert told == sessions(ticks, 5)
