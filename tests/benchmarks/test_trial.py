"""What follows from the times of a window set."""

import math

import pytest

trial = pytest.importorskip("benchmarks.papers.trial")
from benchmarks.measure import today  # noqa: E402
from benchmarks.papers.factor_windows_report import part  # noqa: E402


def _trial(**given):
    return trial.Trial(
        **{
            "setup": "R-5-tumbling",
            "number": 0,
            "windows": [[10, 10]],
            "rows": 1000,
            "keys": 100,
            "seconds": {
                "spark": [8.0, 9.0],
                "independent": [12.0],
                "coverage": [12.0],
                "factor": [6.0],
                "edges": [4.0, 3.0],
                "auto": [4.0],
            },
            "costs": {
                "independent": 10.0,
                "coverage": 10.0,
                "factor": 4.0,
                "edges": 2.0,
                "auto": 2.5,
            },
            "same": {"coverage": "independent"},
            "chosen": "tree",
            "planning": 0.01,
            "results": "equal",
            "others": 0.0,
            "constants": "a",
            "statistics": "given",
            "machine": "",
            **given,
        }
    )


def test_a_boost_is_over_what_users_write():
    trial = _trial(seconds={"spark": [8.0], "independent": [4.0], "auto": [2.0]})
    assert (trial.boost("auto"), trial.measured("auto")) == (4, 2)


def test_speed_ups_are_over_the_independent_plan_that_the_model_knows():
    assert (_trial().predicted("factor"), _trial().measured("factor")) == (2.5, 2.0)


def test_the_automatic_choice_is_held_against_the_fastest_forced_strategy():
    assert _trial().auto_share == 3 / 4


def test_a_plan_of_two_strategies_counts_once_among_different_plans():
    assert (1.0, 1.0) in trial.pairs([_trial()])
    assert trial.pairs([_trial()], distinct=True) == [(2.5, 2.0), (5.0, 4.0), (4.0, 3.0)]


def test_correlation():
    assert trial.pearson([(1, 2), (2, 4), (3, 6)]) == pytest.approx(1)
    assert math.isnan(trial.pearson([(1, 2), (1, 3)]))


def test_what_was_measured_is_found_again(tmp_path):
    kept = trial.Kept(tmp_path / "kept.json")
    kept.add(_trial())
    kept.add(_trial(number=1))
    kept.add(_trial(planning=0.02))
    again = trial.Kept.read(kept.path)
    assert again.find("R-5-tumbling", 0) == _trial(planning=0.02, when=today())
    assert len(again.trials) == 2


def test_the_page_holds_boosts_against_the_papers(tmp_path):
    sets = [_trial(), _trial(number=1, seconds=_trial().seconds | {"auto": [2.0]})]
    kept = trial.Kept(tmp_path / "kept.json", sets, {"R-20-tumbling": [0.01]})
    part(kept).write(tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    # boosts of 2 and 4, and the paper's mean is 1.85
    assert "| R-5-tumbling: boost, by the paper's mean | ≥ 1.85 | 3 | yes | mean of 2 sets" in page
    assert (tmp_path / "page.svg").exists()
