"""What follows from the points of the slicing experiment."""

from dataclasses import replace

import numpy as np
import pytest

point = pytest.importorskip("benchmarks.papers.general_slicing_point")
from benchmarks.measure import today  # noqa: E402
from benchmarks.papers.general_slicing_checks import checks  # noqa: E402
from benchmarks.papers.general_slicing_report import part  # noqa: E402
from benchmarks.papers.general_slicing_stream import SECOND, Stream  # noqa: E402


def _point(x, bare=1.0, ours=2.0, **given):
    seconds = {"bare fold": [bare, 9.0], "ours": [ours, 9.0]}
    return point.Point(
        **{"case": "in-order", "variant": "", "x": x, "rows": 10}
        | given
        | {"seconds": given.get("seconds", seconds)}
    )


def test_the_best_run_counts():
    assert (_point(1).speed("ours"), _point(1).ratio("ours", "bare fold")) == (5, 0.5)


def test_the_worst_point_is_held_against_the_figure(tmp_path):
    many = {"bare fold": [1.0], "ours": [4.0], "ours, one window": [2.0]}
    kept = point.Kept(tmp_path / "kept.json", [_point(1), _point(1000, seconds=many)])
    share, flat = checks(kept)
    assert (share.found, share.must, share.holds) == (0.25, 0.4, False)
    assert (flat.found, flat.must, flat.holds) == (0.5, 0.7, False)


def test_the_stream_of_the_rivals_is_no_figure_to_reach(tmp_path):
    seconds = {"bare fold": [1.0], "ours": [9.0], "aggregate buckets": [1.0]}
    assert checks(point.Kept(tmp_path / "kept.json", [_point(1, seconds=seconds)])) == []


def test_latency_is_held_against_lazy_and_against_the_clock(tmp_path):
    seconds = {"lazy": [1e-3], "eager": [1e-5]}
    kept = point.Kept(tmp_path / "kept.json", [_point(100, case="latency", seconds=seconds)])
    soon, ratio = checks(kept)
    assert (soon.holds, ratio.holds) == (True, True)
    assert ratio.found == pytest.approx(100)


def test_a_point_replaces_the_one_at_its_place(tmp_path):
    kept = point.Kept(tmp_path / "kept.json")
    for each in (_point(1), _point(2), _point(1, ours=3.0)):
        kept.add(each)
    again = point.Kept.read(kept.path)
    expected = [_point(2), _point(1, ours=3.0)]
    assert again.points == [replace(each, when=today()) for each in expected]


def test_the_page_names_what_is_different_and_shows_a_picture(tmp_path):
    kept = point.Kept(tmp_path / "kept.json", [_point(1, results="DIFFERENT"), _point(10)])
    part(kept).write(tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "To be looked at" in page
    assert (tmp_path / "page-throughput.svg").exists()


def test_late_rows_are_no_later_than_the_delay():
    ticks = Stream(1000, 30, late=0.2, silences=True).columns()["ts"]
    behind = np.maximum.accumulate(ticks) - ticks
    assert 0 < behind.max() <= 2 * SECOND
    assert 0.15 < np.mean(behind > 0) <= 0.2
    assert (np.diff(np.sort(ticks)) > SECOND).sum() == 2


def test_batches_are_the_columns_in_pieces():
    stream = Stream(10_000, 20, keys=7, dtype="float64")
    batches = stream.batches()
    for name, column in stream.columns().items():
        np.testing.assert_array_equal(np.concatenate([each[name] for each in batches]), column)


def test_one_window_beside_many_is_drawn_too(tmp_path):
    seconds = {"bare fold": [1.0], "ours": [2.0], "ours, one window": [1.5]}
    kept = point.Kept(tmp_path / "kept.json", [_point(1000, seconds=seconds)])
    part(kept).write(tmp_path / "page.md")
    assert "ours, one window" in (tmp_path / "page-throughput.svg").read_text()
