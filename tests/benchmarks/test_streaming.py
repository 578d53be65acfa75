"""What follows from the batches of streaming queries, and what is said about them."""

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

outcome = pytest.importorskip("benchmarks.spark.streaming_outcome")
report = pytest.importorskip("benchmarks.spark.streaming_report")
cases = pytest.importorskip("benchmarks.spark.streaming_cases")
given = pytest.importorskip("benchmarks.spark.streaming_input")
sides = pytest.importorskip("benchmarks.spark.streaming_sides")
from benchmarks.measure import today  # noqa: E402


def _run(seconds=(9.0, 1.0, 1.0), **more):
    return outcome.Run(
        **{
            "rows": [100] * len(seconds),
            "seconds": list(seconds),
            "state_bytes": 10.0,
            "memory_bytes": 20.0,
            "state_rows": 3.0,
            "recovery": 0.5,
            **more,
        }
    )


def _outcome(name="tumbling-1-1k", ours=1.0, spark=4.0, defaults=16.0, **more):
    return outcome.Outcome(
        **{
            "name": name,
            "title": "",
            "keys": 1000,
            "windows": 1,
            "rows": 300,
            "warm": 1,
            "runs": {
                "spark": [_run([9.0, spark, spark])],
                "defaults": [_run([9.0, defaults], state_bytes=4000.0)],
                "ours": [_run([9.0, ours, ours])],
            },
            "queries": {"spark": 1, "defaults": 1},
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
    assert (both.state_bytes, both.recovery) == (100.0, 5.0)


def test_the_best_run_counts():
    found = _outcome(
        runs={"spark": [_run([9.0, 8.0]), _run([9.0, 4.0])], "ours": [_run([9.0, 1.0])]}
    )
    assert found.ratio("spark") == 4


def test_each_of_sparks_sides_has_its_ratio():
    found = _outcome(ours=2.0, spark=4.0, defaults=16.0)
    assert (found.ratio("spark"), found.ratio("defaults")) == (2, 8)


def test_what_was_measured_is_found_again(tmp_path):
    kept = outcome.Kept(tmp_path / "kept.json")
    kept.add(_outcome())
    kept.add(_outcome("mix-1k"))
    kept.add(_outcome(ours=2.0))
    assert outcome.Kept.read(kept.path).outcomes == {
        "tumbling-1-1k": replace(_outcome(ours=2.0), when=today()),
        "mix-1k": replace(_outcome("mix-1k"), when=today()),
    }


def test_what_was_measured_without_a_side_is_measured_again(tmp_path):
    runs = {"spark": [_run()], "ours": [_run()]}
    kept = outcome.Kept(tmp_path / "kept.json")
    kept.add(_outcome(runs=runs))
    kept.add(_outcome("mix-1k"))
    assert list(outcome.Kept.read(kept.path).outcomes) == ["mix-1k"]


def _page(tmp_path, *found):
    report.part({each.name: each for each in found}).write(tmp_path / "page.md")
    return (tmp_path / "page.md").read_text()


def test_the_page_says_what_is_required_and_what_was_measured(tmp_path):
    page = _page(tmp_path, _outcome(), _outcome("tumbling-1-100k", ours=2.0))
    assert "| work | must | found | holds | where |" in page
    assert "1,000 keys: times Spark's | ≥ 2 | 4 | yes | Spark in the same session |" in page
    assert "1,000 keys: times Spark's | ≥ 2 | 16 | yes | Spark as it comes |" in page
    # one side may hold where the other does not
    assert "100,000 keys: times Spark's | ≥ 8 | 2 | NO | Spark in the same session |" in page
    assert "100,000 keys: times Spark's | ≥ 8 | 8 | yes | Spark as it comes |" in page
    for side in ("in the same session", "as it comes"):
        assert f"session_window | ≥ 3 | not measured |  | Spark {side} |" in page
    assert "a machine" in page


def test_figures_of_ours_alone_and_sizes_of_other_kinds_are_told_once(tmp_path):
    beside = {"beside": [_run([9.0, 1.0, 1.0])]}
    many = _outcome("tumbling-1-100k", runs=_outcome(ours=2.0).runs | beside)
    twenty = _outcome("tumbling-20-1k", runs=_outcome(ours=1.25).runs | beside)
    page = _page(tmp_path, _outcome(ours=0.5), many, twenty, _outcome("tumbling-1-100k-dense"))
    assert "| throughput lost from 1,000 to 100,000 keys | ≤ 30 % | 50 % | NO |  |" in page
    assert "times the cost of one of ours | ≤ 1.3 | 1.25 | yes |  |" in page
    # of the other case only what ran in turn counts
    assert "| the same with as many rows for each key | ≤ 30 % | not measured |" in page
    # 4,000 bytes in memory by the default store are no size of files
    assert "20 windows: times Spark's | ≤ 0.333 | 1 | NO | Spark in the same session |" in page
    assert page.count("state bytes, 20 windows") == 1


def test_the_page_says_with_which_settings_and_input(tmp_path):
    page = _page(tmp_path, _outcome(runs=_outcome().runs | {"ours": [_run([9.0, 1.0, 1.0, 1.0])]}))
    assert "1,000 rows a second of event time; 4 batches, 1 for warming up." in page
    assert "2 shuffle partitions" in page
    assert "200 shuffle partitions" in page
    assert "runs once, 2 batches" in page


def test_every_side_has_its_speed_and_its_batches(tmp_path):
    twice = _outcome().runs | {"ours": [_run(), _run()]}
    page = _page(tmp_path, _outcome(runs=twice))
    assert "| 1,000 | 300 | 25 | 6 | 100 | 4.00 | 16.00 | 1 | 1, 1, 2 | equal |" in page
    for side in outcome.SIDES:
        assert f"| tumbling-1-1k | {side} |" in page


def test_the_page_says_which_queries_are_scaled(tmp_path):
    some = _outcome(windows=20, queries={"spark": 20, "defaults": 2})
    every = _outcome(windows=20, queries={"spark": 20, "defaults": 20})
    assert "| 20 (20 and 2 ran, scaled) |" in _page(tmp_path, some)
    assert "| 20 |" in _page(tmp_path, every)


def test_every_figure_has_its_cases():
    names = {case.name for case in cases.cases() if case.first}
    assert {must.needs for must in report.MUST} <= names
    assert {case.beside for case in cases.cases()} <= {"", *names}


def test_windows_are_chosen_from_first_to_last():
    assert sides.spread(range(20), 4) == [0, 6, 13, 19]
    assert sides.spread(range(3), 0) == sides.spread(range(3), 4) == [0, 1, 2]
    assert sides.spread(range(3), 1) == [1]


def test_all_queries_stay_all_and_many_become_few():
    assert [sides.few(queries) for queries in (0, 1, 4)] == [0, 1, 2]


def test_the_input_is_as_dense_as_that_of_batch_however_short():
    case = next(case for case in cases.cases() if case.name == "tumbling-1-1k")
    for asked, seconds in ((None, 5000), (100_000, 100)):
        found = case.input(asked, cases.BATCHES)
        assert (found.rows / found.seconds, found.seconds) == (1000, seconds)
    assert (cases.BATCHES, cases.WARM) == (5, 1)


class _Conf(dict):
    set = dict.__setitem__


class _Session:
    """What `settings` needs of a session."""

    def __init__(self):
        self.conf = _Conf({name: "ours" for name in sides.AS_IT_COMES} | {"other": "as it was"})


def _progress(*metrics):
    operators = [
        SimpleNamespace(customMetrics=each, memoryUsedBytes=1, numRowsTotal=1) for each in metrics
    ]
    return SimpleNamespace(
        numInputRows=100,
        durationMs={"triggerExecution": 1000},
        stateOperators=operators,
        timestamp="2024-01-01T00:00:00.000+00:00",
    )


def test_the_session_has_its_own_settings_again_even_after_an_error():
    session = _Session()
    before = dict(session.conf)
    with pytest.raises(ZeroDivisionError), sides.settings(session, sides.AS_IT_COMES):
        assert dict(session.conf) == before | sides.AS_IT_COMES
        raise ZeroDivisionError
    assert dict(session.conf) == before


def test_by_default_fewer_batches_run_with_sparks_settings(monkeypatch):
    whole = given.Input(rows=100, keys=3, batches=5, seconds=50.0)
    stage = sides.Stage(_Session(), whole, None, None, warm=1)
    seen = []

    def run(at, windows, queries):
        seen.append((at.given.batches, dict(at.spark.conf), windows, queries))

    @contextmanager
    def hadoops_files(spark):
        seen.append(spark)
        yield
        seen.append("ours again")

    monkeypatch.setattr(sides, "theirs", run)
    monkeypatch.setattr(sides, "hadoops_files", hadoops_files)
    sides.by_default(stage, "windows", 4)
    ran = 3, {**sides.AS_IT_COMES, "other": "as it was"}, "windows", 2
    assert seen == [stage.spark, ran, "ours again"]
    assert stage.given.batches == 5
    assert stage.spark.conf["spark.sql.shuffle.partitions"] == "ours"


def test_files_are_hadoops_for_a_while_even_after_an_error(spark):
    def now():
        jvm, settings = spark.sparkContext._jvm, spark.sparkContext._jsc.hadoopConfiguration()
        files = jvm.org.apache.hadoop.fs.FileSystem.get(jvm.java.net.URI("file:///"), settings)
        return files.getClass().getName()

    assert now() == sides.NAME
    with pytest.raises(ZeroDivisionError), sides.hadoops_files(spark):
        assert now().startswith("org.apache.hadoop.")
        raise ZeroDivisionError
    assert now() == sides.NAME


def test_the_state_is_that_of_the_restart_and_wholly_in_files(monkeypatch, tmp_path):
    """While it is a log of changes, RocksDB's files may be empty."""
    session = _Session()
    session.conf |= {name: "true" for name in sides.TO_FILES}
    small = given.Input(rows=100, keys=3, batches=2, seconds=50.0)
    stage = sides.Stage(session, small, small.ensure(tmp_path), tmp_path / "work")
    seen = []

    def batches(self, query, inbox):
        seen.append((len(list(inbox.iterdir())), [self.spark.conf[n] for n in sides.TO_FILES]))
        return [_progress({"rocksdbSstFileSize": 10 * len(seen)})]

    monkeypatch.setattr(sides.Stage, "_batches", batches)
    monkeypatch.setattr(sides, "_java", lambda spark, name: SimpleNamespace(stop=lambda: None))
    assert stage.run(None).state_bytes == 20
    assert seen == [(2 * given.FILES, ["true"]), (3 * given.FILES, ["false"])]


@pytest.mark.parametrize("batches, warm, left", [(5, 1, 3), (2, 1, 2), (9, 4, 5)])
def test_a_shorter_input_has_a_batch_that_counts(batches, warm, left):
    whole = given.Input(rows=100, keys=3, batches=batches, seconds=50.0)
    stage = sides.Stage(None, whole, None, None, warm)
    assert stage.shorter(sides.FEW_BATCHES).given.batches == left


@pytest.mark.parametrize(
    "metrics, size",
    [
        ({"rocksdbSstFileSize": 7, "rocksdbGetCount": 5}, 7),
        ({"stateOnCurrentVersionSizeBytes": 8, "loadedMapCacheHitCount": 5}, 8),
    ],
)
def test_every_store_tells_the_size_of_the_state(metrics, size):
    assert sides._state_bytes(_progress(metrics, metrics)) == 2 * size


@pytest.mark.parametrize("gaps, compared", [([], [80, 85, 86]), ([5], [80, 85])])
def test_sessions_that_may_still_be_open_are_not_compared(spark, gaps, compared):
    """The newest row is at 100 s, the delay is 10 s: ours may tell what ends after 85 s later."""
    arrived = spark.range(101).selectExpr("timestamp_seconds(id) AS ts")
    told = spark.sql(
        "SELECT named_struct('end', timestamp_seconds(at)) AS window, at "
        "FROM VALUES (80), (85), (86) AS ends(at)"
    )
    windows = [sides.Span(20, 20), *(sides.Gap(gap) for gap in gaps)]
    kept = told.where(sides.settled(arrived, windows)).collect()
    assert sorted(row.at for row in kept) == compared


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
