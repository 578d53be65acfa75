"""Where events come from: a table, or Flink's function of a table."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from panewise.sql.places import refusal


@dataclass(frozen=True)
class Source:
    """A table by name, and what else FROM says."""

    name: str
    """As Spark's catalog takes it, with backticks where a part needs them."""
    names: tuple[str, ...]
    """What may stand before a column and a dot."""
    window: exp.Expr | None = None
    partition: tuple[exp.Expr, ...] = ()


def read_source(text: str, node: exp.Expr) -> Source:
    """What FROM names."""
    if isinstance(node, exp.Table):
        return _of_table(node)
    values = [a.expression if isinstance(a, exp.Kwarg) else a for a in node.expressions]
    tables = [value for value in values if isinstance(value, exp.Table)]
    if len(tables) != 1:
        hint = f"write TABLE({node.name}(TABLE events, DESCRIPTOR(ts), INTERVAL '5' MINUTES))."
        raise refusal(text, node, f"{node.name} takes one table", hint)
    table = _of_table(tables[0])
    keys = tables[0].args.get("partition")
    return Source(table.name, table.names, node, tuple(keys.expressions) if keys else ())


def _of_table(node: exp.Table) -> Source:
    parts = [part.name for part in node.parts]
    alias = node.args.get("alias")
    name = ".".join(part if part.isidentifier() else quoted(part) for part in parts)
    return Source(name, (parts[-1], *([alias.name] if alias else [])))


def quoted(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"
