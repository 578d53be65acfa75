"""What a plan says about itself."""

import panewise as pw
from panewise.windows import Window

LONG = "a name that someone gave to this window, and that is longer than the column for names"
TWENTY: list[Window] = [
    *(pw.tumbling(f"{n} minutes") for n in range(3, 10)),
    *(pw.sliding(f"{n}h {n}m", "7m 30s", origin="90s") for n in range(1, 8)),
    pw.session("10 minutes"),
    pw.session("1 day").named("visits"),
    pw.cumulating("1 hour", "1 day"),
    pw.band("2024-01-01", "2 hours"),
    pw.sliding("1 day", "1 hour").named(LONG),
    pw.sliding("3m", "7m", allow_gaps=True),
]


def explained(*windows: Window, **more: object) -> str:
    query = {"time": "ts", "aggregates": [pw.sum("x")], **more}
    return pw.plan(windows=windows, **query).explain()  # type: ignore[arg-type]


def flat(text: str) -> str:
    """Without line breaks, so that it does not matter where a line was wrapped."""
    return " ".join(text.split())


def test_twenty_windows_fit_the_terminal() -> None:
    keys = [f"a_rather_long_name_of_a_key_{n}" for n in range(5)]
    aggregates = [pw.median("temperature"), *(pw.sum(f"measurement_{n}") for n in range(9))]
    text = explained(*TWENTY, by=keys, aggregates=aggregates)
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) < 50
    for window in TWENTY:
        assert window.canonical in flat(text)
        assert window.window_id in flat(text)
    for name in keys + [a.name for a in aggregates]:
        assert name in flat(text)


def test_panes_and_reason() -> None:
    text = flat(explained(pw.sliding("12m", "5m"), pw.band("2024-01-01", "6m")))
    assert "panes edges every 5m, every 5m at 2m, 1 fixed (at most 24 panes per hour and k" in text
    plan = pw.plan(time="ts", windows=[pw.tumbling(5)], aggregates=[pw.count()])
    assert f"{plan.composition.value}: {plan.reason}" in plan.explain()
    assert str(plan) == plan.explain()


def test_rare_panes_are_counted_the_other_way() -> None:
    assert "(1 pane in 720 hours)" in explained(pw.tumbling("30 days"))
    assert "(1 pane in 1.5 hours)" in explained(pw.tumbling("90 minutes"))
    assert "(1 pane in 1,000,000 ticks)" in explained(pw.tumbling(1_000_000))
    assert "(at most 100 panes per 1000 ticks and key)" in explained(pw.tumbling(10))


def test_a_band_alone_has_no_rate() -> None:
    assert "edges 2 fixed\n" in explained(pw.band(0, 10))


def test_what_is_carried() -> None:
    text = explained(pw.tumbling(5), aggregates=[pw.mode("x"), pw.first("y"), pw.count()])
    carried = "mode(x), first(y), count() (value counts for mode(x)) (ordered by time, then "
    assert carried + "arrival)" in flat(text)
    named = explained(pw.tumbling(5), aggregates=[pw.first("y")], order_by="offset")
    assert "(ordered by time, then offset)" in flat(named)


def test_how_each_window_is_made() -> None:
    lines = {
        line.split()[0]: flat(line)
        for line in explained(
            pw.tumbling(5),
            pw.tumbling(20),
            pw.sliding(60, 20).named("hour"),
            pw.session(9),
            pw.cumulating(10, 30),
            pw.band(0, 10),
        ).splitlines()
    }
    assert lines["tumbling(5)"] == "tumbling(5) one pane each"
    assert lines["tumbling(20)"] == "tumbling(20) about 4 panes each"
    assert lines["hour"] == "hour = sliding(60, 20) about 12 panes each, overlap 3"
    assert lines["session(9)"] == "session(9) neighbouring panes within the gap"
    assert lines["cumulating(10,"] == "cumulating(10, 30) running total, 3 steps"
    assert lines["band(0,"] == "band(0, 10) the panes of one interval"
    assert "tumbling(5) each pane is a window" in flat(explained(pw.tumbling(5)))
