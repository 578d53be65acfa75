"""The page of all experiments, put together from what is kept."""

from dataclasses import replace

import pytest

performance = pytest.importorskip("benchmarks.performance")
from benchmarks.parts import Check, Grid, Part  # noqa: E402
from benchmarks.spark.batch_report import Result, keep  # noqa: E402

QUOTING = "before\n<!-- figures of docs/performance.md -->\nstale\n<!-- end of figures -->\nafter\n"


def _result(name="tumbling-20", ours=1.0, **given):
    return Result(
        **{"name": name, "title": "20 tumbling windows, min", "keys": 100, "rows": 1_000_000}
        | {"must": 16.8, "results": "equal", "spark_seconds": [20.0], "ours_seconds": [ours]}
        | {"spark_mb": 1.0, "ours_mb": 1.0, "others": 0.0, "machine": "a machine"}
        | given
    )


def _found(tmp_path, *results, quick=False):
    for each in results:
        keep(each, tmp_path / f"results{'-quick' if quick else ''}.json")
    return performance.EXPERIMENTS[0].found(tmp_path)


def _page(folder, found, before=""):
    return performance.page({found.experiment.kept: found}, folder, before)


def test_full_results_stand_before_quick_ones(tmp_path):
    assert performance.EXPERIMENTS[0].found(tmp_path) is None
    assert _found(tmp_path, _result(ours=4.0), quick=True).how == "quick"
    found = _found(tmp_path, _result())
    assert (found.how, found.part.checks[0].found) == ("full", 20)


def test_the_page_says_how_and_when_and_what_was_reached(tmp_path):
    page = _page(tmp_path, _found(tmp_path, _result()))
    assert "| [Batch on Spark](#batch-on-spark) | full | 20" in page
    assert "`python -m benchmarks`" in page and "a machine." in page
    assert "| 20 tumbling windows, min: times Spark's | ≥ 16.8 | 20 | yes |" in page
    assert "](images/performance/results.svg)" in page
    assert (tmp_path / "images" / "performance" / "results.svg").exists()


def test_a_quick_run_is_not_judged(tmp_path):
    found = _found(tmp_path, _result(ours=10.0), quick=True)
    page = _page(tmp_path, found)
    assert "| quick | 20" in page and "`python -m benchmarks --quick`" in page
    for text in (page, performance.quoting(QUOTING, found)):
        assert "times Spark's | ≥ 16.8 | 2 | not judged |" in text


def test_the_same_figures_give_the_same_picture(tmp_path):
    for name in ("one", "other"):
        _page(tmp_path / name, _found(tmp_path, _result()))
    one, other = (
        tmp_path / name / "images" / "performance" / "results.svg" for name in ("one", "other")
    )
    assert one.read_text() == other.read_text()


def test_different_results_are_told(tmp_path):
    page = _page(tmp_path, _found(tmp_path, _result(results="DIFFERENT")))
    assert "| 1 of 1 | DIFFERENT |" in page


def test_what_has_no_results_stays_on_the_page(tmp_path):
    batch = _found(tmp_path, _result())
    other = replace(batch, experiment=performance.EXPERIMENTS[2])
    other = replace(other, part=replace(other.part, title="In process: all of them"))
    before = _page(tmp_path, other)
    both = _page(tmp_path, batch, before)
    line, section = "| [In process: all of them](#in-process-all-of-them) | full |", "## In process"
    assert both.count(line) == before.count(line) == 1
    assert both.endswith(before[before.index(section) :])
    assert both.index("## Batch on Spark") < both.index(section)
    assert _page(tmp_path, batch, both) == both  # and once more


def test_the_readme_quotes_the_figures_between_its_marks(tmp_path):
    quoted = performance.quoting(QUOTING, _found(tmp_path, _result()))
    assert "stale" not in quoted and quoted.startswith("before") and quoted.endswith("after\n")
    assert "| 20 tumbling windows, min: times Spark's | ≥ 16.8 | 20 | yes |" in quoted
    assert performance.quoting(quoted, _found(tmp_path, _result())) == quoted


def test_a_figure_may_be_at_most_or_missing():
    assert Check("w", 2, 1.5, "", least=False).cells() == ["w", "≤ 2", "1.5", "yes", ""]
    assert Check("w", 2, None, "").cells() == ["w", "≥ 2", "not measured", "", ""]


def test_a_part_without_checks_has_no_such_table():
    assert Part("t", [], [], grids=[Grid("g", ["a"], [["1"]])]).every_grid()[0].title == "g"


def test_every_experiment_has_a_file_and_a_command():
    names = [each.kept for each in performance.EXPERIMENTS]
    assert len(set(names)) == len(names)
    assert (
        performance.EXPERIMENTS[1].command(True) == "python -m benchmarks.spark.streaming --quick"
    )
