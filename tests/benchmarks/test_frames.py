"""The pieces of a quick run of the frames experiment."""

import numpy as np
import pytest

cases = pytest.importorskip("benchmarks.papers.frames_buffers")
from dataclasses import replace  # noqa: E402

from benchmarks.papers.frames_checks import checks  # noqa: E402
from benchmarks.papers.frames_in_order import in_order  # noqa: E402
from benchmarks.papers.frames_operator import through_operator  # noqa: E402
from benchmarks.papers.frames_point import Kept, Point  # noqa: E402
from benchmarks.papers.frames_report import part  # noqa: E402
from benchmarks.papers.frames_stream import Stream  # noqa: E402

TINY = replace(
    cases.Scale.quick(), ticks=40, shares=(0, 0.2), delays=(10,), lengths=(10,), retained=(600,)
)


def _point(case, seconds, **given):
    made = {"case": case, "variant": "delta", "x": 64, "rows": 10, "seconds": seconds}
    return Point(**made | given)


def test_every_buffer_agrees():
    points = list(cases.buffers(TINY))
    assert {each.results for each in points} == {"equal"}
    assert {len(each.seconds) for each in points} == {4}
    assert {each.case for each in points} == {"share", "delay", "length", "retained"}


def test_a_side_with_fewer_rows_counts_for_all(monkeypatch):
    monkeypatch.setattr(cases, "MOST_STEPS", 600 * 20)
    stream = Stream("threshold", 10, 0.2, 50)
    point = cases.measured("share", 0.2, stream, 600, replace(TINY, ticks=80))
    assert point.results == "equal"
    assert point.rows == 80


def test_the_operator_and_rows_in_order_agree():
    points = [*through_operator(600, (64,), 1), *in_order(2000, 1)]
    assert len(points) == 4 + 2 * 8
    assert {each.results for each in points} == {"equal"}


def test_late_rows_are_late_by_no_more_than_the_delay():
    columns = Stream("delta", 10, 0.5, 30).columns(1000)
    times = columns["ts"]
    assert 0 < (np.maximum.accumulate(times) - times).max() <= 30
    assert sorted(times) == list(range(1000))


@pytest.mark.parametrize("scheme", ["threshold", "boundary", "delta", "aggregate"])
def test_frames_are_about_as_long_as_asked(scheme):
    stream = Stream(scheme, 50)
    given = cases.Fed.of(stream.frame, stream.columns(20_000), 20_000)
    found = cases.InOrder(given).frames().found
    assert 35 < (found[3] - found[2]).mean() < 65


def test_the_worst_point_is_held_against_the_figures(tmp_path):
    shape = {"share": 0.2, "retained": 100_000}
    both = {"single, eager": [30.0], "multi": [1.0, 2.0]}
    points = [
        _point("length", both, shape=shape),
        _point("share", both | {"single, eager": [1.0]}, shape=shape | {"share": 0.0}),
        _point("in-order", {"bare pass": [1.0], "ours": [4.0]}, shape={"batch": 262_144}),
        _point("in-order", {"bare pass": [1.0], "ours": [9.0]}, shape={"batch": 65_536}),
        _point("spark", {"ours": [2.0], "SQL": [6.0]}, x="threshold"),
        _point("spark", {"ours": [5.0]}, x="delta"),
    ]
    found = checks(Kept(tmp_path / "kept.json", points))
    assert [each.found for each in found] == [30, 1 / 9, 0.25, 3, 0.4]
    assert [each.holds for each in found] == [True, False, True, True, False]


def test_the_page_has_pictures_and_what_is_wrong(tmp_path):
    kept = Kept(tmp_path / "kept.json")
    wrong = _point("operator", {"eager": [4.0], "multi": [2.0]}, results="DIFFERENT: eager")
    shape = {"share": 0.2, "retained": 10}
    for point in (*cases.buffers(TINY), replace(wrong, shape=shape)):
        kept.add(point)
    again = Kept.read(kept.path)
    assert again.points == kept.points
    part(again).write(tmp_path / "page.md")
    assert "To be looked at" in (tmp_path / "page.md").read_text()
    assert (tmp_path / "page-buffers.svg").exists()
    assert (tmp_path / "page-phases.svg").exists()
