"""Twenty windows over a week of device readings, in one pass: run with `make demo`."""

from __future__ import annotations

import time
from functools import reduce
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import readings
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import panewise as pw
from panewise.spark import session

OUT = Path(__file__).parents[1] / "out" / "demo"
READINGS = OUT / "readings.parquet"
DEVICE = "device-07"
SAMPLE_DAYS = 1

TUMBLING = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30]  # minutes
SLIDING = [(15, 1), (30, 1), (30, 5), (60, 5), (60, 10), (120, 10), (180, 15)]  # size, slide
SESSION = 10

console = Console()


def windows() -> list[pw.Window]:
    return [
        *(pw.tumbling(f"{size}m") for size in TUMBLING),
        *(pw.sliding(f"{size}m", f"{slide}m") for size, slide in SLIDING),
        pw.session(f"{SESSION}m"),
    ]


def planned() -> pw.Plan:
    return pw.plan(
        time="ts",
        by=["device"],
        windows=windows(),
        aggregates=[
            pw.count().alias("rows"),
            pw.mean("temp").alias("mean"),
            pw.max("temp").alias("max"),
        ],
    )


def with_spark(events: DataFrame) -> DataFrame:
    """The same rows from Spark's own functions: one query per window, united."""
    keys = [F.window("ts", f"{size} minutes") for size in TUMBLING]
    keys += [F.window("ts", f"{size} minutes", f"{slide} minutes") for size, slide in SLIDING]
    keys.append(F.session_window("ts", f"{SESSION} minutes"))
    names = [window.window_id for window in windows()]
    parts = [
        events.groupBy(key.alias("window"), "device")
        .agg(F.count("*").alias("rows"), F.mean("temp").alias("mean"), F.max("temp").alias("max"))
        .withColumn("window_id", F.lit(name))
        for key, name in zip(keys, names, strict=True)
    ]
    return reduce(DataFrame.unionByName, parts)


def main() -> None:
    steps = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=console
    )
    with steps:
        spark = step(steps, "Starting Spark", start)
        if not READINGS.exists():
            step(steps, "Making readings", lambda: readings.write(READINGS))
        events = spark.read.parquet(str(READINGS))
        results = step(steps, "All windows of all readings", lambda: save(planned(), events))
    show_plan(events, results)
    show_device(spark, results)
    draw_device(results)
    compare(spark, events)
    spark.stop()


def start() -> SparkSession:
    started = session("local[2]", app="panewise-demo", spark_sql_session_timeZone="UTC")
    started.sparkContext.setLogLevel("ERROR")
    return started


def step(steps: Progress, name: str, work):  # type: ignore[no-untyped-def]
    task = steps.add_task(name, total=1)
    done = work()
    steps.update(task, completed=1)
    return done


def save(plan: pw.Plan, events: DataFrame) -> DataFrame:
    return _saved(plan.run(events), "windows")


def _saved(rows: DataFrame, name: str) -> DataFrame:
    path = str(OUT / name)
    rows.write.mode("overwrite").parquet(path)
    return rows.sparkSession.read.parquet(path)


def show_plan(events: DataFrame, results: DataFrame) -> None:
    console.rule("The plan: readings are cut into panes once, and all windows share them")
    console.print(planned().explain(), highlight=False, markup=False)
    read, written = events.count(), results.count()
    console.print(f"\n{read:,} readings in, {written:,} rows of {len(windows())} windows out\n")


def show_device(spark: SparkSession, results: DataFrame) -> None:
    console.rule(f"{DEVICE} around noon of the second day")
    noon = F.lit("2024-05-02 12:00:00").cast("timestamp")
    around = results.where(
        (F.col("device") == DEVICE) & (F.col("window.start") <= noon) & (F.col("window.end") > noon)
    )
    # of overlapping windows, the latest one that holds the moment
    latest = around.groupBy("window_id").agg(
        F.max_by(F.struct("window", "rows", "mean", "max"), "window.start").alias("row")
    )
    found = {r["window_id"]: r["row"] for r in latest.collect()}
    table = Table("window", "from", "to", "readings", "mean", "max")
    for name in (window.window_id for window in windows()):
        if name in found:
            row = found[name]
            begin, end = (row["window"][k].strftime("%d %b %H:%M") for k in ("start", "end"))
            table.add_row(
                name, begin, end, f"{row['rows']:,}", f"{row['mean']:.2f}", f"{row['max']:.1f}"
            )
    for column in table.columns:
        column.no_wrap = True
    console.print(table)


def draw_device(results: DataFrame) -> None:
    """Three window sizes of one device over two days, in Okabe and Ito's colours."""
    shown = {
        "tumbling(1m)": ("#BBBBBB", 0.8),
        "sliding(30m, 5m)": ("#0072B2", 1.6),
        "sliding(3h, 15m)": ("#D55E00", 2.2),
    }
    figure, axes = plt.subplots(figsize=(10, 4.5), layout="constrained")
    begin = F.lit("2024-05-02").cast("timestamp")
    days = results.where((F.col("device") == DEVICE) & (F.col("window.start") >= begin)).where(
        F.col("window.end") <= begin + F.expr("INTERVAL 2 DAYS")
    )
    for name, (colour, width) in shown.items():
        rows = days.where(F.col("window_id") == name).select("window.end", "mean")
        frame = rows.orderBy("end").toPandas()
        # a silence is a gap in the line, not a straight stroke across it
        frame = frame.set_index("end").asfreq(frame["end"].diff().min())
        axes.plot(frame.index, frame["mean"], color=colour, linewidth=width, label=name)
    axes.xaxis.set_major_formatter(mdates.DateFormatter("%d %b %H:%M"))
    axes.set(title=f"{DEVICE}: mean temperature by window", ylabel="°C", xlabel="end of window")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(OUT / "device.png", dpi=130)
    plt.close(figure)
    console.print("Picture of this device: out/demo/device.png\n")


def compare(spark: SparkSession, events: DataFrame) -> None:
    """Both sides on the same sample, each writing parquet; then row against row."""
    sample = first(events, f"{SAMPLE_DAYS} DAYS")
    console.rule(f"The same {len(windows())} windows written with Spark's window()")
    with console.status("warming up both sides on an hour of readings"):
        # our side has run before; untold, Spark's would pay for its first run and ours would not
        for query in (with_spark, planned().run):
            _saved(query(first(events, "1 HOUR")), "warm-up")
    count = sample.count()
    console.print(f"First {SAMPLE_DAYS} day(s), {count:,} readings, both warm and writing parquet:")
    ours, our_time = timed("Panewise", lambda: _saved(planned().run(sample), "ours"))
    theirs, their_time = timed("Spark", lambda: _saved(with_spark(sample), "spark"))
    console.print(f"[bold]{their_time / our_time:.1f} times as fast[/bold]")
    different, total = differences(ours, theirs)
    console.print(f"{total:,} rows on both sides, {different:,} differ\n")
    if different:
        raise SystemExit("the rows differ")


def first(events: DataFrame, span: str) -> DataFrame:
    return events.where(f"ts < timestamp_seconds({readings.START}) + INTERVAL {span}")


def timed(name: str, work):  # type: ignore[no-untyped-def]
    with console.status(f"{name} is working"):
        began = time.perf_counter()
        done = work()
        lasted = time.perf_counter() - began
    console.print(f"  {name:<9} {lasted:6.1f} s")
    return done, lasted


def differences(ours: DataFrame, theirs: DataFrame) -> tuple[int, int]:
    """How many rows are missing on one side or hold other values, and how many there are."""
    keys = ["window_id", "window", "device"]
    both = ours.alias("a").join(theirs.alias("b"), keys, "full")
    same = F.col("a.rows").eqNullSafe(F.col("b.rows")) & F.col("a.max").eqNullSafe(F.col("b.max"))
    # sums of doubles depend on the order of adding, in the last digits
    close = F.abs(F.col("a.mean") - F.col("b.mean")) <= 1e-9 * F.abs(F.col("b.mean"))
    empty = F.col("a.mean").isNull() & F.col("b.mean").isNull()
    good = F.coalesce(same & (close | empty), F.lit(False))
    found = both.agg(F.count_if(~good), F.count(F.lit(1))).first()
    assert found is not None
    return found[0], found[1]


if __name__ == "__main__":
    main()
