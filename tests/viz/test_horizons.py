"""The multi-horizon chart: values, a line for each level, and bursts."""

from datetime import UTC, datetime, timedelta
from typing import Any

import matplotlib
import numpy as np
import pyarrow as pa
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import panewise as pw
from panewise.errors import QueryError
from panewise.viz import horizons

LEVELS = pw.granules((10, 5), (100, 20))


@pytest.fixture
def axes() -> Any:
    figure, made = plt.subplots()
    yield made
    plt.close(figure)


def test_lines_end_where_the_forecast_is(axes: Any) -> None:
    events = pa.table({"t": np.arange(200), "y": 3.0 + 2.0 * np.arange(200)})
    drawn = horizons(events, time="t", value="y", levels=LEVELS, axes=axes)
    points, fine, coarse = drawn.get_lines()
    assert len(points.get_xdata()) == 200
    for line, wide in ((fine, 10), (coarse, 100)):
        (start, end), (first, last) = line.get_xdata(), line.get_ydata()
        assert end - start == wide and end == 200, "the instant after the newest event"
        assert (first, last) == (pytest.approx(3 + 2 * start), pytest.approx(3 + 2 * end))
    assert [text.get_text() for text in drawn.get_legend().get_texts()] == [
        "10 every 5: r2 1.00",
        "100 every 20: r2 1.00",
    ]


def test_bursts_are_marked(axes: Any) -> None:
    y = np.ones(200)
    y[150:160] = 40.0
    drawn = horizons(pa.table({"t": np.arange(200), "y": y}), time="t", value="y", levels=LEVELS,
                     axes=axes)  # fmt: skip
    assert drawn.get_lines()[-1].get_xdata().tolist() == [160]


def test_timestamps_and_few_events(axes: Any) -> None:
    moments = [datetime(2024, 5, 1, tzinfo=UTC) + timedelta(seconds=n) for n in range(2)]
    levels = pw.granules(("1m", "1s"), ("10m", "1m"))
    events = pa.table({"t": moments, "y": [1.0, 2.0]})
    assert horizons(events, time="t", value="y", levels=levels, axes=axes) is axes


def test_refusals() -> None:
    events = pa.table({"t": [1], "y": [1.0]})
    aged = pw.granules((10, 5), (100, 20), weights=[1, 0.5])
    counted = pw.granules((pw.rows(2), pw.rows(1)), (pw.rows(4), pw.rows(2)))
    for levels in (pw.tumbling(5), aged, counted):
        with pytest.raises(QueryError, match="horizons draws granules of time or of a measure"):
            horizons(events, time="t", value="y", levels=levels)  # type: ignore[arg-type]
