"""The factor-windows experiment as tables and a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.papers.factor_windows_picture import draw
from benchmarks.papers.trial import NEAR, SHARED, Kept, Trial, logarithms, pairs, pearson
from benchmarks.papers.window_sets import PUBLISHED, setups
from benchmarks.parts import QUIET, Check, Grid, Part

NAMES = {
    "coverage": "coverage only",
    "factor": "with factor windows",
    "edges": "edges",
    "auto": "auto",
}


def read(path: Path) -> Part | None:
    """What was measured so far."""
    kept = Kept.read(path)
    return part(kept) if kept.trials or kept.planning else None


def part(kept: Kept) -> Part:
    dense = _dense(kept)
    sets = [trial for trial in kept.trials if trial.copy_of is None]
    return Part(
        "Factor windows: throughput boosts",
        _read_me(kept.trials),
        kept.trials,
        list(_published(dense)),
        [*_grids(kept), *([_sets(sets)] if sets else [])],
        lambda page: [draw(dense, page.with_suffix(".svg"))] if dense else [],
    )


def _published(trials: Sequence[Trial]) -> Iterator[Check]:
    """The mean boost of the automatic choice against the paper's, with factor windows."""
    for setup in setups():
        found = [t.boost("auto") for t in trials if t.setup == setup.name]
        if found:
            mean, most = PUBLISHED[setup.name].factor
            where = f"mean of {len(found)} sets; the paper's greatest is {most:g}"
            yield Check(f"{setup.name}: boost, by the paper's mean", mean, fmean(found), where)


def _read_me(trials: Sequence[Trial]) -> list[str]:
    if not trials:
        return []
    sizes = " or ".join(f"{rows:,}" for rows in sorted({t.rows for t in trials}))
    known = " or ".join(sorted({t.statistics for t in trials}))
    return [
        f"Input of {sizes} rows, `min` by device. A boost is the seconds of independent evaluation",
        "as users write it (a group-by per `window()`, and a union) by those of the strategy;",
        '*auto over ours* is against `strategy="independent"`, which avoids what `window()` adds.',
        "*source*: the paper's figures on Trill, one core, 10 M events (Tables I, III).",
        f"Statistics of the plans: {known}.",
    ]


def _grids(kept: Kept) -> list[Grid]:
    dense, sparse = _dense(kept), [t for t in kept.trials if t.sparse]
    found = []
    if dense:
        found += [_boosts(dense), _model(dense)]
    if sparse:
        found.append(_sparse(sparse))
    if kept.planning:
        found.append(_planning(kept.planning))
    return [*found, *_warnings(kept.trials)]


def _dense(kept: Kept) -> list[Trial]:
    return [trial for trial in kept.trials if not trial.sparse]


def _boosts(trials: Sequence[Trial]) -> Grid:
    heads = ["row", "sets", "Spark s", "ours s"]
    for name in SHARED:
        heads += [NAMES[name]] + (["source"] if name in ("coverage", "factor") else [])
    heads += ["auto over ours", "auto of fastest", "planning ms"]
    rows = []
    for setup in setups():
        found = [t for t in trials if t.setup == setup.name]
        if not found:
            continue
        different = sum(t.copy_of is None for t in found)
        cells = [setup.name, f"{len(found)} ({different} different)"]
        cells += [f"{fmean(t.best(side) for t in found):.1f}" for side in ("spark", "independent")]
        for name in SHARED:
            cells.append(_mean_max([t.boost(name) for t in found]))
            if name in ("coverage", "factor"):
                mean, most = getattr(PUBLISHED[setup.name], name)
                cells.append(f"{mean:.2f} / {most:.2f}")
        cells.append(_mean_max([t.measured("auto") for t in found]))
        cells.append(f"{fmean(t.auto_share for t in found):.2f}")
        rows.append([*cells, f"{1000 * fmean(t.planning for t in found):.1f}"])
    return Grid("Boosts over independent evaluation, mean / max", heads, rows)


def _model(trials: Sequence[Trial]) -> Grid:
    measured = [trial for trial in trials if trial.copy_of is None]
    every, distinct = pairs(measured), pairs(measured, distinct=True)
    near = sum(trial.auto_share >= NEAR for trial in measured)
    rows = [
        ["Pearson r, predicted and measured speed-ups", _r(every)],
        ["the same of logarithms", _r(logarithms(every))],
        ["the same, each different plan once, without independent ones", _r(distinct)],
        ["the same of logarithms", _r(logarithms(distinct))],
        *_as_in_the_paper(measured),
        [
            f"auto has {NEAR} of the fastest forced strategy's speed or more",
            f"{near / len(measured):.0%} of {len(measured)} sets",
        ],
        ["auto's least share of the fastest", f"{min(t.auto_share for t in measured):.2f}"],
    ]
    return Grid("The cost model", ["what", "found"], rows)


def _as_in_the_paper(trials: Sequence[Trial]) -> Iterable[list[str]]:
    """The paper's appendix C: factor windows against coverage alone, by kind of set."""

    def gain(trial: Trial, of: Callable[[Trial, str], float]) -> float:
        return of(trial, "factor") / of(trial, "coverage")

    for generator in "RS":
        for kind in ("tumbling", "hopping"):
            mine = [t for t in trials if t.setup[0] == generator and t.setup.endswith(kind)]
            found = [(gain(t, Trial.predicted), gain(t, Trial.measured)) for t in mine]
            if len(found) > 2:
                title = f"r of factor windows over coverage alone, {generator} {kind}"
                yield [f"{title} (source: at least 0.94)", _r(found)]


def _sparse(trials: Sequence[Trial]) -> Grid:
    heads = ["row", "set", "Spark s", "ours s", "auto s", "boost", "predicted", "measured", "took"]
    rows = [
        [
            trial.setup,
            str(trial.number),
            *(f"{trial.best(side):.2f}" for side in ("spark", "independent", "auto")),
            *(f"{trial.boost('auto'):.2f}",),
            *(f"{speed('auto'):.2f}" for speed in (trial.predicted, trial.measured)),
            trial.chosen,
        ]
        for trial in sorted(trials, key=lambda t: (len(t.windows), t.number))
    ]
    return Grid(f"Sparse: {trials[0].keys:,} keys, tumbling windows", heads, rows)


def _sets(trials: Sequence[Trial]) -> Grid:
    """Every set that was measured, for the page only."""

    def speed(trial: Trial, name: str) -> str:
        if name not in trial.seconds:
            return ""
        told = f"{trial.predicted(name):.2f} / {trial.measured(name):.2f}"
        return f"{told} (as {trial.same[name]})" if name in trial.same else told

    heads = ["set", "Spark s", "ours s", *(NAMES[name] for name in SHARED), "auto took", "ms"]
    rows = [
        [
            _name(trial),
            *(f"{trial.best(side):.2f}" for side in ("spark", "independent")),
            *(speed(trial, name) for name in SHARED),
            trial.chosen,
            f"{1000 * trial.planning:.1f}",
        ]
        for trial in trials
    ]
    return Grid("Sets: speed-ups over our independent plan, predicted / measured", heads, rows)


def _planning(planning: dict[str, list[float]]) -> Grid:
    rows = [
        [name, str(len(times)), _mean_max([1000 * each for each in times])]
        for name, times in planning.items()
    ]
    return Grid("Planning by auto, ms, mean / max", ["row", "sets", "ms"], rows)


def _warnings(trials: Sequence[Trial]) -> list[Grid]:
    """What makes some of the figures doubtful; none is no table."""
    rows = [[_name(t), t.results] for t in trials if "DIFFERENT" in t.results]
    rows += [
        [_name(t), f"DISTURBED: others used {t.others:.1f} cores"]
        for t in trials
        if t.others > QUIET and t.copy_of is None
    ]
    rows += [
        [_name(t), f"planned without statistics: {t.statistics}"]
        for t in trials
        if t.statistics.endswith("to tell") and t.copy_of is None
    ]
    for what in ("constants", "statistics", "machine"):
        seen = {getattr(t, what) for t in trials if not t.sparse}
        if len(seen) > 1:
            rows.append(["all", f"{what} differ between sets: {', '.join(sorted(seen))}"])
    return [Grid("To be looked at", ["set", "what"], rows)] if rows else []


def _name(trial: Trial) -> str:
    return f"{trial.setup}/{trial.number}"


def _mean_max(values: Sequence[float]) -> str:
    return f"{fmean(values):.2f} / {max(values):.2f}"


def _r(found: Sequence[tuple[float, float]]) -> str:
    return f"{pearson(found):.3f} (n = {len(found)})"
