"""From a statement as written to what it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from panewise.errors import QueryError, nearest
from panewise.query.finish import Finish, Ordered, Selected
from panewise.sql import dialect
from panewise.sql.aggregates import Aggregates, Make
from panewise.sql.places import place_of, relayed
from panewise.sql.results import Results
from panewise.sql.scope import Scope
from panewise.sql.source import Source, read_source
from panewise.sql.statement import Statement
from panewise.sql.windows import FLINK, Asked, Windows


@dataclass
class Binding:
    """Reads one statement."""

    text: str
    tree: dialect.Statement
    windows: Mapping[str, Make] = field(default_factory=dict)
    aggregates: Mapping[str, Make] = field(default_factory=dict)

    def statement(self) -> Statement:
        """What the statement asks, or an error that shows where it does not say it."""
        tree = self.tree
        source = read_source(self.text, tree.args["source"])
        scope = Scope(self.text, source.names)
        in_frames = Aggregates(scope, self.aggregates, in_frame=True)
        scope.aggregate, scope.aggregates = in_frames.read, frozenset(in_frames.known)
        if tree.args.get("time") is not None:
            scope.time_is(tree.args["time"])
        asked = self._windows(scope, source)
        by = self._keys(scope, source)
        self._require_time(scope)
        results = Results(scope, Aggregates(scope, self.aggregates), by)
        finish = self._finish(results)
        where = tree.args.get("where")
        kept = None if where is None else scope.expression(where)
        query = {
            "time": scope.time,
            "by": by,
            "windows": tuple(asked),
            "aggregates": results.aggregates,
            **self._options(scope),
        }
        self._refuse_ambiguous(scope)
        try:
            return Statement.of(self._text(), source.name, query, kept, scope, finish)
        except QueryError as problem:
            raise relayed(self.text, scope.about(problem.message) or tree, problem) from None

    def _windows(self, scope: Scope, source: Source) -> list[Asked]:
        reader = Windows(scope, self.windows)
        found: list[Asked] = []
        if source.window is not None:
            if source.window.name.upper() not in FLINK:
                raise scope.refused(
                    source.window,
                    f"FROM TABLE(...) takes a window of Flink's: got {source.window.name}",
                    nearest(source.window.name.upper(), FLINK),
                )
            found.append(reader.flink(source.window))
        if self.tree.args.get("ranges") is not None:
            found += reader.read(self.tree.args["ranges"])
        for item in self._group:
            if reader.is_window(item):
                found += reader.read(item)
        if not found:
            raise scope.refused(
                place_of(self._group[-1]) if self._group else self._end(),
                "a statement groups by at least one window",
                "write GROUP BY device, TUMBLING('5 minutes').",
            )
        return found

    @property
    def _group(self) -> list[exp.Expr]:
        return self.tree.args.get("group") or []

    def _keys(self, scope: Scope, source: Source) -> tuple[str, ...]:
        items = [i for i in self._group if not Windows(scope, self.windows).is_window(i)]
        keys = [self._key(scope, item) for item in items if not is_result_column(item)]
        for node in source.partition:
            if node.name not in keys:
                rule = f'PARTITION BY and GROUP BY have the same keys: "{node.name}" is in one'
                raise scope.refused(node, rule, "add it to GROUP BY.")
        return tuple(keys)

    def _key(self, scope: Scope, item: exp.Expr) -> str:
        if not any(item.find_all(exp.Column)):
            raise scope.refused(item, "a key is a column, or made of columns", "name a column.")
        return scope.column(item)

    def _require_time(self, scope: Scope) -> None:
        if scope.time is None:
            raise scope.refused(
                self.tree.args["source"],
                "no time column is named",
                "write FROM events TIMESTAMP BY ts, or window(ts, '5 minutes').",
            )

    def _options(self, scope: Scope) -> dict[str, str | None]:
        words = {"until": "until", "order_by": "then", "revise": "revise"}
        given = {name: self.tree.args.get(word) for name, word in words.items()}
        found = {name: None if node is None else scope.plain(node) for name, node in given.items()}
        bad_rows = self.tree.args.get("bad_rows")
        return found if bad_rows is None else {**found, "on_bad_rows": bad_rows.name}

    def _finish(self, results: Results) -> Finish:
        tree = self.tree
        for item in tree.args["expressions"]:  # first, so that expressions find them
            if results.reader.is_aggregate(item.unalias()):
                results.asked_for(item)
        select = tuple(results.selected(item) for item in tree.args["expressions"])
        self._refuse_twice(results.scope, select)
        having = tree.args.get("having")
        return Finish(
            select,
            None if having is None else results.expression(having),
            tuple(self._ordered(results, node) for node in tree.args.get("order") or ()),
            self._limit(results.scope),
        )

    def _ordered(self, results: Results, node: exp.Expr) -> Ordered:
        descending = bool(node.args.get("desc"))
        nulls_first = bool(node.args.get("nulls_first"))
        return Ordered(results.expression(node.this), descending, nulls_first)

    def _limit(self, scope: Scope) -> int | None:
        node = self.tree.args.get("limit")
        if node is None:
            return None
        if not isinstance(node, exp.Literal) or node.is_string or not node.this.isdigit():
            raise scope.refused(node, "LIMIT takes a number of rows", "write LIMIT 10.")
        return int(node.this)

    def _refuse_ambiguous(self, scope: Scope) -> None:
        for name in scope.made:
            if name in scope.places:
                rule = f'"{name}" is a column here and an expression elsewhere'
                raise scope.refused(scope.places[name], rule, "give the column another name.")

    def _refuse_twice(self, scope: Scope, select: tuple[Selected, ...]) -> None:
        seen: set[str] = set()
        for item, node in zip(select, self.tree.args["expressions"], strict=True):
            if item.name in seen:
                rule = f'two result columns have one name: got "{item.name}" twice'
                raise scope.refused(node, rule, "rename one with AS.")
            seen.add(item.name)

    def _end(self) -> tuple[int, int]:
        end = (place_of(self.tree) or (0, len(self.text)))[1]
        return end - 1, end

    def _text(self) -> str:
        start, end = place_of(self.tree) or (0, len(self.text))
        return self.text[start:end]


def is_result_column(node: exp.Expr) -> bool:
    """`window_start` and the like in GROUP BY, which say again that rows are of windows."""
    if not isinstance(node, exp.Column) or node.this.quoted:
        return False
    return node.name.lower() in ("window_id", "window_start", "window_end", "window", "window_time")
