"""How long SQL takes to become a plan: parsing and planning of 20 windows, cold and warm.

    python -m benchmarks.sql_planning

Cold is the first text of a process, after `import panewise.sql`: what `panewise check` pays.
"""

from __future__ import annotations

from time import perf_counter

from panewise.sql import parse

SIZES = (1, 2, 3, 5, 6, 10, 12, 15, 20, 30)
TEXT = (
    "SELECT device, window_id, window_start, AVG(temp) AS mean, MAX(temp) AS high, COUNT(*) AS n "
    "FROM events TIMESTAMP BY ts WHERE temp > -40 GROUP BY device, WINDOWS("
    + ", ".join(
        f"TUMBLING(minute, {size}), SLIDING('{size * 10} minutes', '{size} minutes')"
        for size in SIZES
    )
    + ") HAVING COUNT(*) > 1"
)
ROUNDS = 20


def timed() -> tuple[float, float]:
    """Milliseconds of parsing and of planning."""
    begin = perf_counter()
    (statement,) = parse(TEXT)
    parsed = perf_counter()
    statement.plan()
    return (parsed - begin) * 1e3, (perf_counter() - parsed) * 1e3


def main() -> None:
    cold = timed()
    warm = min((timed() for _ in range(ROUNDS)), key=sum)
    for name, (parsing, planning) in (("cold", cold), ("warm", warm)):
        total = parsing + planning
        print(f"{name}  parse {parsing:5.1f} ms  plan {planning:5.1f} ms  both {total:5.1f} ms")


if __name__ == "__main__":
    main()
