"""What follows from the batches of streaming queries, and what is said about them."""

import pytest

outcome = pytest.importorskip("benchmarks.spark.streaming_outcome")
report = pytest.importorskip("benchmarks.spark.streaming_report")
cases = pytest.importorskip("benchmarks.spark.streaming_cases")
given = pytest.importorskip("benchmarks.spark.streaming_input")
sides = pytest.importorskip("benchmarks.spark.streaming_sides")


def _run(seconds=(9.0, 1.0, 1.0), **more):
    return outcome.Run(
        **{
            "rows": [100] * len(seconds),
            "seconds": list(seconds),
            "sst_bytes": 10.0,
            "memory_bytes": 20.0,
            "state_rows": 3.0,
            "recovery": 0.5,
            **more,
        }
    )


def _outcome(name="tumbling-1-1k", ours=1.0, spark=4.0, **more):
    return outcome.Outcome(
        **{
            "name": name,
            "title": "",
            "keys": 1000,
            "windows": 1,
            "rows": 300,
            "warm": 1,
            "runs": {"spark": [_run([9.0, spark, spark])], "ours": [_run([9.0, ours, ours])]},
            "queries": 1,
            "results": "equal",
            "others": 0.0,
            "machine": "a machine",
            **more,
        }
    )


def test_the_first_batches_do_not_count():
    assert _run().rate(1) == 100
    assert _run().percentile(1.0, 1) == 1


@pytest.mark.parametrize("share, found", [(0.5, 2), (0.51, 3), (0.95, 4), (1.0, 4), (0.0, 1)])
def test_percentiles_are_values(share, found):
    assert outcome.percentile([4, 1, 3, 2], share) == found


def test_queries_one_after_another_count_together():
    both = outcome.added([_run([1.0, 2.0]), _run([3.0, 4.0])], 5.0)
    assert both.rows == [100, 100]
    assert both.seconds == [20.0, 30.0]
    assert (both.sst_bytes, both.recovery) == (100.0, 5.0)


def test_the_best_run_counts():
    found = _outcome(
        runs={"spark": [_run([9.0, 8.0]), _run([9.0, 4.0])], "ours": [_run([9.0, 1.0])]}
    )
    assert found.ratio == 4


def test_what_was_measured_is_found_again(tmp_path):
    kept = outcome.Kept(tmp_path / "kept.json")
    kept.add(_outcome())
    kept.add(_outcome("mix-1k"))
    kept.add(_outcome(ours=2.0))
    assert outcome.Kept.read(kept.path).outcomes == {
        "tumbling-1-1k": _outcome(ours=2.0),
        "mix-1k": _outcome("mix-1k"),
    }


def test_the_page_says_what_is_required_and_what_was_measured(tmp_path):
    found = {
        "tumbling-1-1k": _outcome(),
        "tumbling-1-100k": _outcome("tumbling-1-100k", ours=2.0),
    }
    report.write(found, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "| one tumbling window, 1,000 keys: times Spark's | ≥ 2 | 4.00 | yes |" in page
    assert "| one tumbling window, 100,000 keys: times Spark's | ≥ 8 | 2.00 | NO |" in page
    assert "| throughput lost from 1,000 to 100,000 keys | ≤ 30 % | 50.00 % | NO |" in page
    assert "| sessions, 10,000 keys: times session_window | ≥ 3 | not measured |  |" in page
    assert "a machine" in page


def test_the_page_says_which_queries_are_scaled(tmp_path):
    report.write({"a": _outcome("a", windows=20, queries=4)}, tmp_path / "page.md")
    assert "20 (4 ran, scaled)" in (tmp_path / "page.md").read_text()


def test_every_figure_has_its_cases():
    names = {case.name for case in cases.cases() if case.first}
    assert {name for must in report.MUST for name in must.needs} <= names


def test_windows_are_chosen_from_first_to_last():
    assert sides.spread(range(20), 4) == [0, 6, 13, 19]
    assert sides.spread(range(3), 0) == sides.spread(range(3), 4) == [0, 1, 2]
    assert sides.spread(range(3), 1) == [1]


def test_files_arrive_in_order_and_the_last_batch_waits(tmp_path):
    small = given.Input(rows=100, keys=3, batches=4, seconds=50.0)
    folder = small.ensure(tmp_path)
    small.link(folder, tmp_path / "inbox", range(4))
    arrived = sorted((tmp_path / "inbox").iterdir(), key=lambda path: path.stat().st_mtime)
    assert [path.name for path in arrived] == [
        f"{batch:03}-{number}.parquet" for batch in range(4) for number in range(given.FILES)
    ]
    assert len(list(folder.iterdir())) == 5 * given.FILES


def test_no_row_of_the_input_is_late():
    times = given.Input(rows=2000, keys=10, batches=4, seconds=50.0).table()["ts"].to_numpy()
    newest = times[0]
    for time in times:
        newest = max(newest, time)
        assert (newest - time).astype("timedelta64[s]").astype(int) < 10
