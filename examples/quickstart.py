"""Three kinds of windows over a handful of readings, in one plan."""

from datetime import datetime, timedelta

import panewise as pw
from panewise.spark import session

spark = session("local[2]", spark_sql_session_timeZone="UTC")
start = datetime(2024, 5, 1, 8, 0)
minutes = [0, 1, 2, 7, 8, 25, 26, 31]
readings = [("oven", start + timedelta(minutes=m), 180.0 + m) for m in minutes]
events = spark.createDataFrame(readings, "device string, ts timestamp, temp double")

plan = pw.plan(
    time="ts",
    by=["device"],
    windows=[pw.tumbling("10m"), pw.sliding("20m", "10m"), pw.session("5m")],
    aggregates=[pw.count(), pw.mean("temp"), pw.max("temp")],
)

print(plan.explain())
plan.run(events).orderBy("window_id", "window").show(truncate=False)
spark.stop()
