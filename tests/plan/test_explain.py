"""What a plan says about itself."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

import panewise as pw
from panewise.errors import QueryError
from panewise.plan import Alternative, Placement
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
KNOWN = pw.Statistics.given(rows=10_000_000, span="3 hours", keys=100)
STRATEGIES = ["auto", "independent", "coverage", "factor", "edges"]


def planned(*windows: Window, **more: object) -> pw.Plan:
    query = {"time": "ts", "aggregates": [pw.sum("x")], **more}
    return pw.plan(windows=windows, **query)  # type: ignore[arg-type]


def explained(*windows: Window, **more: object) -> str:
    return planned(*windows, **more).explain()


def flat(text: str) -> str:
    """Without line breaks and branches, so that it does not matter where a line was wrapped."""
    return " ".join(text.replace("|", " ").split())


def lines_of(text: str) -> dict[str, str]:
    """The lines of the nodes, by the first word of their names."""
    nodes = (line.split("+- ", 1)[1] for line in text.splitlines() if "+- " in line)
    return {line.split()[0]: flat(line) for line in nodes}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_twenty_windows_fit_the_terminal(strategy: str) -> None:
    keys = [f"a_rather_long_name_of_a_key_{n}" for n in range(5)]
    aggregates = [pw.min("temperature"), *(pw.sum(f"measurement_{n}") for n in range(9))]
    text = explained(*TWENTY, by=keys, aggregates=aggregates, strategy=strategy)
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) < 60
    figures = "".join(line[:64] + "\n" for line in text.splitlines())
    for window in TWENTY:
        assert window.canonical in flat(figures)
        assert window.window_id in flat(figures)
    for name in keys + [a.name for a in aggregates]:
        assert name in flat(text)


@pytest.mark.parametrize("windows", [[pw.session(f"{n}m") for n in range(1, 20)], []])
def test_passes_of_their_own_and_hundreds_of_windows_stay_short(windows: list[Window]) -> None:
    windows = windows or [pw.tumbling(f"{n}s") for n in range(1, 301)]
    for strategy in ("auto", "independent"):
        text = explained(*windows, pw.tumbling("1h"), strategy=strategy)
        assert max(map(len, text.splitlines())) <= 80
        assert len(text.splitlines()) < 60


def test_a_deep_tree_is_not_indented_for_ever() -> None:
    text = explained(*(pw.tumbling(2**n) for n in range(40)), strategy="coverage")
    assert max(map(len, text.splitlines())) <= 80
    assert "40 levels, one group-by each" in text


def test_head_strategy_and_reason() -> None:
    plan = planned(pw.tumbling("5m"), pw.tumbling("10m"), by=["device", "site"])
    assert plan.explain().startswith("Plan over ts by device, site\n")
    assert f"strategy {plan.chosen}: {plan.reason}" in flat(plan.explain())
    assert str(plan) == plan.explain()


@pytest.mark.parametrize("strategy", STRATEGIES[1:])
def test_a_forced_strategy_has_no_alternatives(strategy: str) -> None:
    text = explained(pw.tumbling("5m"), pw.tumbling("10m"), strategy=strategy)
    assert f"strategy    {strategy}: as asked\n" in text
    assert "alternatives" not in text


def test_a_strategy_that_became_another_names_what_was_asked_for() -> None:
    plan = replace(planned(pw.tumbling(5), strategy="edges"), chosen="slices")
    assert 'strategy    slices: as asked ("edges")\n' in plan.explain()


def test_alternatives_with_cost_ratio_and_note() -> None:
    others = (
        Alternative("edges", 3.0, "108 cells in order, cells travel"),
        Alternative("independent", 2500.0, "many rows folded in 1 level; " * 9),
    )
    plan = replace(planned(pw.tumbling(5)), cost=2.0, alternatives=others)
    said = plan.explain().split("alternatives\n")[1].splitlines()
    assert said[0] == "   3.00s   x1.50  edges: 108 cells in order, cells travel"
    assert said[1].startswith("  2,500s  x1.25k  independent: many rows folded")
    assert len(said) == 3 and said[2].endswith("...")


def test_every_alternative_is_listed() -> None:
    plan = planned(*(pw.tumbling(f"{n}m") for n in (2, 3, 4)), statistics=KNOWN)
    said = plan.explain().split("alternatives\n")[1]
    assert plan.alternatives
    for other in plan.alternatives:
        assert f"{other.strategy}: {other.note}" in flat(said)


def test_statistics() -> None:
    window = pw.tumbling("5m")
    rows = "statistics  given: 10M rows, 926 per second, about 100 keys\n"
    assert rows in explained(window, statistics=KNOWN)
    rare = pw.Statistics.given(rows=48, span="1 day", keys=2)
    assert "given: 48 rows, 2 per hour, about 2 keys" in explained(window, statistics=rare)
    counted = pw.Statistics.given(rows=500, span=1000, keys=3)
    assert "500 per 1000 ticks, about 3 keys" in explained(pw.tumbling(5), statistics=counted)
    late = pw.Statistics(rows=7, disorder=1_000_000, source="a sample too small to tell")
    expected = "a sample too small to tell: 7 rows, rate and keys unknown, up to 1s out of order"
    assert expected in flat(explained(window, statistics=late))
    assert "assumed: 10M rows, rate and keys unknown" in explained(window)


def test_panes_are_described() -> None:
    text = flat(explained(pw.sliding("12m", "5m"), pw.band("2024-01-01", "6m"), strategy="edges"))
    assert "panes: edges every 5m, every 5m at 2m, 1 fixed (at most 24 panes per hour and" in text
    many = explained(*(pw.tumbling(n) for n in (5, 7, 11, 13, 17, 19)), strategy="edges")
    assert "edges every 5, every 7, every 11, every 13, 2 more" in flat(many)


def test_rare_panes_are_counted_the_other_way() -> None:
    def edges(window: Window) -> str:
        return flat(explained(window, strategy="edges"))

    assert "(1 pane in 720 hours)" in edges(pw.tumbling("30 days"))
    assert "(1 pane in 1.5 hours)" in edges(pw.tumbling("90 minutes"))
    assert "(1 pane in 1,000,000 ticks)" in edges(pw.tumbling(1_000_000))
    assert "(at most 100 panes per 1000 ticks and key)" in edges(pw.tumbling(10))
    assert "edges 2 fixed 3 " in edges(pw.band(0, 10))  # rows follow: it has no rate


def test_what_is_carried() -> None:
    text = explained(pw.tumbling(5), aggregates=[pw.mode("x"), pw.first("y"), pw.count()])
    carried = "mode(x), first(y), count() (value counts for mode(x)) (ordered by time, then "
    assert carried + "arrival)" in flat(text)
    named = explained(pw.tumbling(5), aggregates=[pw.first("y")], order_by="offset")
    assert "(ordered by time, then offset)" in flat(named)


def test_how_the_kernel_makes_each_window() -> None:
    text = explained(
        pw.tumbling(5),
        pw.tumbling(20),
        pw.sliding(60, 20).named("hour"),
        pw.session(9),
        pw.cumulating(10, 30),
        pw.band(0, 10),
        strategy="edges",
    )
    assert "one compiled pass; shuffle: cells, folded where the rows are" in text
    lines = lines_of(text)
    assert lines["tumbling(5)"].startswith("tumbling(5) each pane is a window ")
    assert lines["tumbling(20)"].startswith("tumbling(20) x4 ")
    assert lines["hour"].startswith("hour = sliding(60, 20) x12 ")
    assert lines["session(9)"].startswith("session(9) neighbouring panes within the gap ")
    assert lines["cumulating(10,"].startswith("cumulating(10, 30) running total, 3 steps ")
    assert lines["band(0,"].startswith("band(0, 10) the panes of one interval ")


def test_panes_of_two_widths_are_counted_on_average() -> None:
    # edges 0, 4, 6, 8, 12: four panes in twelve ticks
    lines = lines_of(explained(pw.tumbling(4), pw.tumbling(6), strategy="edges"))
    assert lines["tumbling(6)"].startswith("tumbling(6) x2 ")
    assert lines["tumbling(4)"].startswith("tumbling(4) about x1.3 ")


def test_a_tree_of_factor_windows() -> None:
    windows = [pw.tumbling("20s"), pw.tumbling("30s"), pw.sliding("60s", "10s")]
    text = explained(*windows, strategy="factor", statistics=KNOWN)
    assert "2 levels, one group-by each" in text
    lines = lines_of(text)
    assert lines["factor"].startswith("factor tumbling(10s) each event once 108k ")
    assert lines["tumbling(20s)"].startswith("tumbling(20s) x2 54k ")
    assert lines["sliding(1m,"].startswith("sliding(1m, 10s) x6 108k ")


def test_without_sharing_events_are_copied() -> None:
    lines = lines_of(explained(pw.sliding(60, 10), pw.cumulating(5, 20), strategy="independent"))
    assert lines["sliding(60,"].startswith("sliding(60, 10) each event 6 times ")
    assert lines["cumulating(5,"].startswith("cumulating(5, 20) each event 2.5 times ")


def test_rows_that_travel_by_key() -> None:
    plan = planned(pw.session("5s"))
    text = replace(plan, trees=(replace(plan.trees[0], placement=Placement.ROWS),)).explain()
    said = "one compiled pass; shuffle: rows by key, then cells are folded where they are"
    assert said in flat(text)


def test_trees_by_kind_of_aggregate_say_which_they_carry() -> None:
    plan = planned(pw.tumbling(5), pw.tumbling(10), aggregates=[pw.min("x"), pw.sum("x")])
    tree = planned(pw.tumbling(5), pw.tumbling(10), strategy="coverage").trees[0]
    apart = (replace(tree, aggregates=(0,)), replace(tree, aggregates=(1,)))
    text = replace(plan, trees=apart).explain()
    assert "for min(x): 2 levels" in text and "for sum(x): 2 levels" in text


def test_two_trees_of_twenty_windows_are_not_twice_as_long() -> None:
    plan = planned(*TWENTY, aggregates=[pw.min("x"), pw.sum("x")])
    trees = planned(*TWENTY, strategy="factor").trees
    shared, *sessions = trees
    apart = (replace(shared, aggregates=(0,)), replace(shared, aggregates=(1,)), *sessions)
    text = replace(plan, trees=apart).explain()
    assert len(text.splitlines()) < 60
    for number in shared.windows:
        assert flat(text).count(TWENTY[number].canonical) == 2


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = explained(pw.tumbling(5).named("a\x1b[31m\nb"), aggregates=[pw.sum("x\ty")])
    assert all(line.isprintable() for line in text.splitlines())


def loaded(plan: pw.Plan) -> dict[str, Any]:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    found: dict[str, Any] = json.loads(plan.explain("json"), parse_constant=refuse)
    return found


def test_json_has_everything() -> None:
    found = loaded(planned(*TWENTY, by=["device"], statistics=KNOWN))
    heads = "query strategy chosen reason cost statistics trees alternatives"
    assert list(found) == heads.split()
    assert found["query"]["by"] == ["device"]
    assert [w["window_id"] for w in found["query"]["windows"]] == [w.window_id for w in TWENTY]
    assert found["statistics"]["source"] == "given"
    fields = "kind label edges size slide step origin once gap by_rows"
    fields += " parent window multiplier minimal"
    nodes = [node for tree in found["trees"] for node in tree["nodes"]]
    assert all(list(node) == [*fields.split(), "rows", "cost"] for node in nodes)
    assert sorted(n["window"] for n in nodes if n["kind"] == "window") == list(range(len(TWENTY)))
    assert {tree["way"] for tree in found["trees"]} <= {"kernel", "levels"}


def test_json_nodes() -> None:
    windows = [pw.tumbling(20), pw.tumbling(30), pw.session(7)]
    # enough rows in each tick that a window in between pays
    known = pw.Statistics.given(rows=1000_000, span=1000)
    trees = loaded(planned(*windows, strategy="factor", statistics=known))["trees"]
    factor, *readers = trees[0]["nodes"]
    assert (factor["kind"], factor["size"], factor["slide"]) == ("factor", 10, 10)
    assert factor["parent"] is None and factor["multiplier"] is None
    assert [(n["parent"], n["multiplier"]) for n in readers] == [(0, 2), (0, 3)]
    panes, session = trees[1]["nodes"]
    assert panes["edges"] == {"progressions": [[7, 0]], "fixed": []}
    assert (session["gap"], session["multiplier"]) == (7, None)
    assert trees[1]["way"] == "kernel" and trees[1]["placement"] == "cells"


def test_json_has_no_infinity() -> None:
    plan = replace(planned(pw.tumbling(5)), cost=math.inf)
    assert loaded(plan)["cost"] is None


def test_json_is_the_same_each_time() -> None:
    assert planned(*TWENTY).explain("json") == planned(*TWENTY).explain("json")


def test_unknown_formats_are_refused_by_name() -> None:
    with pytest.raises(QueryError, match='format is one of "text", "json", "svg": got \'html\''):
        planned(pw.tumbling(5)).explain("html")


def test_events_with_a_duration_say_their_technique() -> None:
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(10)],
        aggregates=[pw.count(), pw.max("x")],
        statistics=pw.Statistics.given(rows=1000, span=10_000, length=500),
    )
    told = json.loads(plan.explain("json"))
    assert (told["query"]["until"], told["statistics"]["length"]) == ("u", 500)
    assert [tree["technique"] for tree in told["trees"]] == ["difference", "dyadic"]
    text = plan.explain()
    assert "Plan over l to u" in text and "51 slices for each event" in text
    assert max(map(len, text.splitlines())) <= 80
