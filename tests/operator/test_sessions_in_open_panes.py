"""Sessions without keys: rows that came, in a pane that is not whole yet, join like any other."""

import pyarrow as pa

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
