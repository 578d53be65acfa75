"""The state of an engine as tables, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.kernels.state import State, table_of
from panewise.operator.container import damaged
from panewise.operator.engine import Engine
from panewise.operator.snapshot_checks import Limits, check_columns, in_key_order


def taken(engine: Engine) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """The contexts of scans by tier, and all keys, values, cells and counts."""
    engine.settle()
    composer = engine.composer
    contexts: dict[str, Any] = {}
    tables = {"keys": composer.keys.keys, "values": composer.values.table.keys}
    waiting = composer.waiting.rows()
    if waiting is not None:
        tables["waiting"] = table_of(waiting)
    for number, tier in enumerate((*composer.tiers, *composer.row_tiers)):
        state, name = tier.state(), f"tier.{number}"
        if state.cells is not None:
            tables[f"{name}.cells"] = table_of(state.cells)
        for group, columns in state.arrays.items():
            tables[f"{name}.{group}"] = pa.table({c: pa.array(a) for c, a in columns.items()})
        if state.contexts is not None:
            contexts[name] = state.contexts
    return contexts, tables


def load(
    engine: Engine, watermark: int, contexts: Mapping[str, Any], tables: Mapping[str, pa.Table]
) -> None:
    """Let a new engine go on with what another one held; everything is checked first."""
    composer = engine.composer
    composer.watermark = watermark
    check_columns(tables["keys"], engine.bound.key_schema)
    composer.keys.encode(tables["keys"])
    if len(composer.values.schema):
        check_columns(tables["values"], composer.values.schema)
        composer.values.encode(tables["values"])
    limits = Limits(len(composer.keys), len(composer.values), engine.bound.layout())
    if "waiting" in tables:
        rows = limits.cells(tables["waiting"])
        if not len(rows) or rows.sequence is None or np.any(rows.pane[1:] < rows.pane[:-1]):
            raise damaged("waiting rows are not in order")
        composer.waiting.put_back(rows)
    for number, tier in enumerate((*composer.tiers, *composer.row_tiers)):
        tier.load(_state(f"tier.{number}", contexts, tables, limits))


def _state(
    name: str, contexts: Mapping[str, Any], tables: Mapping[str, pa.Table], limits: Limits
) -> State:
    cells, prefix = None, f"{name}."
    if f"{name}.cells" in tables:
        cells = limits.cells(tables[f"{name}.cells"])
        if not in_key_order(cells):
            raise damaged("cells are not in order")
    arrays = {
        full.removeprefix(prefix): limits.integers(table)
        for full, table in tables.items()
        if full.startswith(prefix) and full != f"{name}.cells"
    }
    return State(cells, arrays, contexts.get(name), limits.keys)
