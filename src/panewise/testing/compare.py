"""Compare results: exact, except that floating point may differ in its last digits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

RELATIVE = 1e-9
_SHOWN = 10


def same(got: Any, expected: Any, magnitude: float = 1.0) -> bool:
    """Whether two values are the same result.

    Floats agree to 1e-9 of themselves or of `magnitude`, the largest input: a sum that cancels
    keeps no more digits than its terms had.

    >>> same(0.1 + 0.2, 0.3), same(1, 1.0), same(float("nan"), float("nan"))
    (True, False, True)
    """
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        return got.keys() == expected.keys() and all(
            same(got[key], expected[key], magnitude) for key in expected
        )
    if isinstance(expected, list | tuple) and isinstance(got, list | tuple):
        return len(got) == len(expected) and all(
            same(a, b, magnitude) for a, b in zip(got, expected, strict=True)
        )
    if isinstance(expected, float) and isinstance(got, float):
        return _close(got, expected, magnitude)
    if isinstance(expected, float | bool | Decimal) or isinstance(got, float | bool | Decimal):
        return type(got) is type(expected) and bool(got == expected)
    return bool(got == expected)


def assert_same_rows(
    got: Sequence[Mapping[str, Any]],
    expected: Sequence[Mapping[str, Any]],
    *,
    by: Sequence[str] = (),
    magnitude: float = 1.0,
) -> None:
    """Fail with a readable difference unless both hold the same rows, in any order.

    Rows are matched on `window_id`, `window`, `window_no` and `level` where there are any, and the
    columns named in `by`; rows that agree on all of these (marks at one time make such windows), on
    their values.
    """
    told = [c for c in ("window_no", "level") if any(c in row for row in (*got, *expected))]
    match_on = ("window_id", "window", *told, *by)
    have, want = _by_identity(got, match_on), _by_identity(expected, match_on)
    problems = [f"missing     {_shown(row)}" for k in want if k not in have for row in want[k]]
    problems += [f"unexpected  {_shown(row)}" for k in have if k not in want for row in have[k]]
    for key in want.keys() & have.keys():
        if len(have[key]) != len(want[key]):
            count = f"{len(have[key])} rows of one identity, expected {len(want[key])}"
            problems.append(f"number      {count}: {_shown(have[key][0])}")
            continue
        for mine, theirs in zip(have[key], want[key], strict=True):
            problems += _differences(mine, theirs, match_on, magnitude)
    if problems:
        more = f"\n... and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        listed = "\n".join(sorted(problems)[:_SHOWN])
        raise AssertionError(
            f"{len(problems)} differences, got {len(got)} rows, expected {len(expected)}:\n"
            f"{listed}{more}"
        )


def _by_identity(
    rows: Sequence[Mapping[str, Any]], match_on: Sequence[str]
) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: repr(sorted(row.items(), key=lambda item: item[0]))):
        found.setdefault(repr([row.get(name) for name in match_on]), []).append(row)
    return found


def _differences(
    got: Mapping[str, Any], expected: Mapping[str, Any], match_on: Sequence[str], magnitude: float
) -> list[str]:
    place = ", ".join(f"{name}={_shown(expected.get(name))}" for name in match_on)
    if got.keys() != expected.keys():
        return [f"columns     {sorted(got.keys() ^ expected.keys())} at {place}"]
    return [
        f"different   {name}: got {got[name]!r}, expected {expected[name]!r} at {place}"
        for name in expected
        if name not in match_on and not same(got[name], expected[name], magnitude)
    ]


def _close(got: float, expected: float, magnitude: float) -> bool:
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    return math.isclose(got, expected, rel_tol=RELATIVE, abs_tol=RELATIVE * magnitude)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_shown, value)) + ")"
    return str(value) if hasattr(value, "isoformat") else repr(value)
