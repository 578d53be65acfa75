"""What to do instead: for words of other dialects, and for hints that speak Python."""

from __future__ import annotations

import difflib
import re

CLAUSES = "SELECT ... FROM events TIMESTAMP BY ts WHERE ... GROUP BY keys, windows HAVING ..."
_CLAUSE = "SELECT", "FROM", "TIMESTAMP", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"
_BEFORE = "make a view or a DataFrame of it first, and give that to FROM."
_FOREIGN = {
    **dict.fromkeys(("WITH", "JOIN", "LEFT", "INNER", "LATERAL", "UNION", "PIVOT", ","), _BEFORE),
    **dict.fromkeys(("EXCEPT", "INTERSECT", "(", "MATCH_RECOGNIZE"), _BEFORE),
    **dict.fromkeys(
        ("INSERT", "UPDATE", "DELETE", "DROP", "CREATE", "ALTER", "TRUNCATE", "MERGE", "INTO"),
        "statements only ask; write results where pw.sql(...) returned them.",
    ),
    **dict.fromkeys(
        ("CUBE", "ROLLUP", "GROUPING", "GROUPING SETS"), "write a statement for each set of keys."
    ),
    "OFFSET": "order the results and take what you need of them.",
    "FETCH": "write LIMIT 10.",
    "TOP": "write LIMIT 10 at the end.",
    "QUALIFY": "filter results with HAVING.",
    "WINDOW": "windows stand in GROUP BY: write GROUP BY k, TUMBLING('5 minutes').",
    "EMIT": "leave it out; streams tell windows as they become final.",
    "~": "write LIKE 'a%'.",
    "BY": "write GROUP BY k, TUMBLING('5 minutes').",
}
BUCKETS = ("TIME_BUCKET", "DATE_TRUNC", "DATE_BIN", "TRUNC", "TIMESTAMPADD", "TO_START_OF")
"""What other systems group time by."""
_SPOKEN = (
    (re.compile(r"timedelta\(minutes=20\)"), "INTERVAL '20' MINUTE"),
    (re.compile(r'time=\("start", "end"\)'), "TIMESTAMP BY (start, end)"),
    (re.compile(r'time="ts"'), "TIMESTAMP BY ts"),
    (re.compile(r'with \.named\("\.\.\."\)'), "with WINDOW('name', ...)"),
    (re.compile(r'with \.alias\("\.\.\."\)|with withColumnRenamed\("\.\.\."\)'), "with AS"),
    (re.compile(r'\.named\("(\w+)"\)'), r"WINDOW('\1', ...)"),
    (re.compile(r"pw\.(\w+)"), r"\1"),
    (re.compile(r"\brows\((\d+)\)"), r"ROWS(\1)"),
    (re.compile(r"(?<=[\w)])=(?=[\"\[\w(])"), " => "),
    (re.compile(r"\b(?=[a-z_]+\()[a-z_]+"), lambda found: found[0].upper()),
    (re.compile(r'"'), "'"),
)


def unexpected(word: str) -> str:
    """A hint for a word that no clause begins with."""
    known = _FOREIGN.get(word.upper())
    if known is not None:
        return known
    near = difflib.get_close_matches(word.upper(), _CLAUSE, n=1, cutoff=0.6)
    if near and near[0] != word.upper():
        return f'did you mean "{near[0]}"?'
    return f"clauses are {CLAUSES}."


def spoken(hint: str | None) -> str | None:
    """A hint of the library in SQL.

    >>> spoken('use tumbling("10m"), or pass allow_gaps=True.')
    "use TUMBLING('10m'), or pass allow_gaps => True."
    """
    if hint is None or hint.startswith("did you mean") or hint.startswith("available"):
        return hint
    for pattern, instead in _SPOKEN:
        hint = pattern.sub(instead, hint)
    return hint
