"""A moment of NumPy's is the same watermark as the moment that it stands for."""

from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw

KINDS = [
    pa.timestamp("us"),
    pa.timestamp("us", "Europe/Berlin"),
    pa.timestamp("ms"),
    pa.timestamp("ns"),
    pa.date32(),
]


def watermark_after(moment: object, kind: pa.DataType) -> object:
    plan = pw.plan(time="t", windows=[pw.tumbling("1 d")], aggregates=[pw.count()])
    running = pw.Operator(plan)
    running.push({"t": pa.array([], kind)})
    running.advance(moment)
    return running.watermark


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_a_moment_of_numpys_is_the_moment_it_stands_for(kind: pa.DataType, unit: str) -> None:
    moment = datetime(1969, 3, 4)
    assert watermark_after(np.datetime64(moment, unit), kind) == watermark_after(moment, kind)
