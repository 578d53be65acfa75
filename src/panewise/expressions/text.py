"""Functions of text."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import SchemaError


def lower(values: pa.Array) -> pa.Array:
    return _mapped("lower", values, pc.ascii_lower, str.lower)


def upper(values: pa.Array) -> pa.Array:
    return _mapped("upper", values, pc.ascii_upper, str.upper)


def length(values: pa.Array) -> pa.Array:
    """Characters, not bytes."""
    return pc.utf8_length(_text("length", values)).cast(pa.int32())


def like(values: pa.Array, pattern: str) -> pa.Array:
    """SQL's LIKE: `%` any text, `_` one character, backslash for themselves."""
    return pc.match_like(_text("LIKE", values), pattern)


def _mapped(
    name: str,
    values: pa.Array,
    fast: Callable[[pa.Array], pa.Array],
    full: Callable[[str], str],
) -> pa.Array:
    values = _text(name, values)
    if pc.all(pc.string_is_ascii(values), skip_nulls=True).as_py() is not False:
        return fast(values)
    # Arrow maps letter by letter; Java and Python know that the upper case of "ß" is "SS".
    return pa.array([None if v is None else full(v) for v in values.to_pylist()], pa.string())


def _text(name: str, values: pa.Array) -> pa.Array:
    if pa.types.is_null(values.type):
        return values.cast(pa.string())
    if not pa.types.is_string(values.type):
        raise SchemaError(f"{name} takes text: got {values.type}.", hint="cast the column first.")
    return values
