"""One window under two names is computed once, and every other window stays what it is."""

import pyarrow as pa

import panewise as pw

TWICE = [pw.tumbling(10).named("a"), pw.tumbling(10).named("b"), pw.tumbling(20)]
ROWS = {"t": [1, 12, 25, 41], "x": [1, 2, 3, 4]}
EXPECTED = {
    "a": [(0, 10, 1), (10, 20, 2), (20, 30, 3), (40, 50, 4)],
    "b": [(0, 10, 1), (10, 20, 2), (20, 30, 3), (40, 50, 4)],
    "tumbling(20)": [(0, 20, 3), (20, 40, 3), (40, 60, 4)],
}


def told(table: pa.Table) -> dict[str, list[tuple[int, int, int]]]:
    found: dict[str, list[tuple[int, int, int]]] = {}
    for row in sorted(table.to_pylist(), key=lambda row: row["window"]["start"]):
        window = row["window"]
        found.setdefault(row["window_id"], []).append((window["start"], window["end"], row["s"]))
    return found


def plan() -> pw.Plan:
    return pw.plan(time="t", windows=TWICE, aggregates=[pw.sum("x").alias("s")])


def test_an_operator_tells_both_names_and_the_windows_behind_them() -> None:
    op = pw.Operator(plan())
    assert told(pa.concat_tables([op.push(ROWS), op.flush()])) == EXPECTED


def test_so_does_a_run_over_a_table() -> None:
    assert told(plan().run(pa.table(ROWS))) == EXPECTED
