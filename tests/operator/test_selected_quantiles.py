"""Quantiles where values are so many that they are selected, against whole tallies."""

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.kernels import binned, program, selection
from panewise.operator import Operator


def told(by: list[str], *, bins: int, crowded: int = 1 << 20) -> pa.Table:
    """All results of a stream with late rows and nulls."""
    chance = np.random.default_rng(1)
    plan = pw.plan(
        time="t",
        by=by,
        windows=[pw.tumbling(10), pw.tumbling(30), pw.sliding(20, 10)],
        aggregates=[pw.median("x"), pw.quantile("x", 0.9), pw.quantiles("x", [0.1, 1.0])],
    )
    parts = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "BINS", bins)
        patch.setattr(binned, "CROWDED", crowded)
        op = Operator(plan, delay=5)
        for at in range(0, 100, 20):
            x = [None if v < 20 else v / 4 for v in chance.integers(0, 400, 200)]
            rows = {"t": at + chance.integers(-5, 20, 200), "x": x}
            parts.append(op.push({**rows, "k": chance.integers(0, 3, 200)}))
            if at == 40:
                op = Operator.restore(plan, op.snapshot())
        parts.append(op.flush())
    return pa.concat_tables(parts)


@pytest.mark.parametrize("by", [[], ["k"]], ids=["one key", "keys"])
def test_selected_quantiles_are_those_of_whole_tallies(by: list[str]) -> None:
    expected = told(by, bins=1 << 20)
    for crowded in (0, 1 << 20):
        got = told(by, bins=8, crowded=crowded)
        assert len(got) > 10
        assert got.equals(expected)


def test_they_are_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    whole = program.selected
    monkeypatch.setattr(program, "selected", lambda *a: calls.append(1) or whole(*a))
    told([], bins=8)
    assert calls


def test_panes_of_one_key_are_binned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "selected", lambda *_: pytest.fail("not by two passes"))
    assert len(told([], bins=8, crowded=0)) > 10
