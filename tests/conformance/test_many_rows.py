"""Windows of hundreds of rows: loops that go in blocks, climb trees or merge stretches do so only
where there is something to go over."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from panewise.model import rows as row_count
from panewise.operator import Operator, sources
from panewise.query import Query
from panewise.testing import assert_same_rows, oracle
from panewise.testing.applicable import examples_for
from panewise.testing.generators import VALUE_TYPES
from panewise.windows import session, sliding, tumbling
from tests.conformance.streams import plain, plan_of, table

ROWS = 700
WINDOWS = (tumbling(1000), sliding(600, 150), tumbling(row_count(150)), session(9))
MOMENT = datetime(2024, 1, 1)
FEW: dict[str, list[Any]] = {
    "boolean": [True, False],
    "string": ["", "a", "B", "ä", "aa"],
    "date": [date(1969, 12, 31), date(2024, 2, 29), date(2024, 3, 1)],
    "timestamp": [MOMENT.replace(tzinfo=UTC), MOMENT.replace(tzinfo=UTC) + timedelta(1)],
    "timestamp_ntz": [MOMENT, MOMENT + timedelta(hours=1), datetime(1960, 1, 1)],
    "decimal(10,2)": [Decimal("-1.50"), Decimal("0.25"), Decimal("7.00")],
    "decimal(38,10)": [Decimal("-1.5000000000"), Decimal("1E+9"), Decimal("1E-10")],
    "float": [-1.5, 0.0, 0.25, 3.0],
    "double": [-1.5, 0.0, 0.25, 3.0, 1e6],
}


def made(sql_type: str) -> list[dict[str, Any]]:
    """Times repeat and come in no order; so do values, and some are null."""
    chance = np.random.default_rng(7)
    values = [*FEW.get(sql_type, [-3, -1, 0, 2, 9]), None]
    return [
        {
            "t": int(chance.integers(0, 2000)),
            "k": "ab"[int(chance.integers(0, 2))],
            "x": values[int(chance.integers(0, len(values)))],
            "y": int(chance.integers(-5, 5)),
            "seq": number,
        }
        for number in range(ROWS)
    ]


@pytest.mark.parametrize("sql_type", VALUE_TYPES)
def test_every_aggregate(sql_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "ROWS", 400)  # several chunks
    query = Query("t", ("k",), WINDOWS, tuple(examples_for(sql_type)), "seq")
    schema = {"t": "bigint", "k": "string", "x": sql_type, "y": "bigint", "seq": "bigint"}
    rows = made(sql_type)
    expected = oracle(query, rows, {"x": sql_type, "y": "bigint"})
    whole = table(rows, schema)
    assert_same_rows(plain([plan_of(query).run(whole)]), expected, by=("k",), magnitude=1e6)
    pushed = Operator(plan_of(query), delay=3000)
    parts = [pushed.push(whole.slice(at, 250)) for at in range(0, ROWS, 250)]
    found = plain([*parts, pushed.flush()])
    assert_same_rows(found, expected, by=("k",), magnitude=1e6)
