"""The pieces of a quick run of the spanning-events experiment."""

import numpy as np
import pytest

cases = pytest.importorskip("benchmarks.papers.spanning_cases")
from dataclasses import replace  # noqa: E402

from benchmarks.papers.spanning_checks import checks, ratio  # noqa: E402
from benchmarks.papers.spanning_disorder import arrived, disorder  # noqa: E402
from benchmarks.papers.spanning_point import Kept, Point  # noqa: E402
from benchmarks.papers.spanning_report import part  # noqa: E402
from benchmarks.papers.spanning_stream import Stream  # noqa: E402

TINY = replace(cases.Scale.quick(), events=3000, repeat=1, panes=(500,), steps=(5,))


def _point(x, own=3.0, ours=1.0, **given):
    seconds = {"auto": [ours, 9.0], "SE-Slicing": [own], "sweeping": [0.1]}
    return Point(
        **{"case": "size", "variant": "count", "x": x, "rows": 10, "seconds": seconds} | given
    )


@pytest.mark.parametrize("case", [cases.sizes, cases.overlaps, cases.best_where])
def test_every_technique_agrees_with_ours(case):
    points = list(case(TINY))
    assert points and {each.results for each in points} == {"equal"}
    assert all(len(each.seconds) == 8 for each in points)


def test_events_out_of_order_come_to_the_same_windows():
    points = list(disorder(3000, 1))
    assert {each.results for each in points} == {"equal"}
    assert points[0].told["revisions for each window"] == 0
    assert max(each.told["revisions for each window"] for each in points) > 0


def test_late_events_are_late_by_no_more_than_the_depth():
    columns = Stream(1000, 50).columns()
    end = np.asarray(arrived(columns, 0.5, 30)["end"])
    assert 0 < (np.maximum.accumulate(end) - end).max() <= 30
    assert sorted(end) == sorted(columns["end"])


def test_only_the_source_counts_as_its_own():
    assert ratio(_point(1)) == 3


def test_the_worst_point_is_held_against_the_figures(tmp_path):
    points = [_point(50), _point(5000, ours=2.0), _point(500, case="map", own=2.5)]
    own, long, flat = checks(Kept(tmp_path / "kept.json", points))
    assert (own.found, own.holds) == (1.5, True)
    assert (long.found, long.holds) == (2.5, False)
    assert (flat.found, flat.holds) == (0.5, False)


def test_the_page_has_a_map_and_what_is_wrong(tmp_path):
    kept = Kept(tmp_path / "kept.json")
    for point in (*cases.best_where(TINY), _point(1, results="DIFFERENT: sweeping")):
        kept.add(point)
    again = Kept.read(kept.path)
    assert again.points == kept.points
    part(again).write(tmp_path / "page.md")
    assert "To be looked at" in (tmp_path / "page.md").read_text()
    assert (tmp_path / "page-map.svg").exists()
