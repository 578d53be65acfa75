"""Array building blocks the aggregates share: null is the identity of every combine."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def either(left: pa.Array, right: pa.Array, both: pa.Array) -> pa.Array:
    """`both` where both sides are present, otherwise the side that is."""
    present = pc.and_(left.is_valid(), right.is_valid())
    return pc.if_else(present, both, pc.coalesce(left, right))


def choose(condition: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array:
    """Rows of `left` where the condition holds, else of `right`; works for nested types too."""
    picks = np.where(
        np.asarray(condition.fill_null(False)),
        np.arange(len(left)),
        np.arange(len(left)) + len(left),
    )
    return pa.concat_arrays([left, right]).take(pa.array(picks))


def less(left: pa.Array, right: pa.Array) -> pa.Array:
    """`left < right` with NaN above every number, as Spark orders."""
    plain = pc.less(left, right)
    if pa.types.is_floating(left.type):
        plain = pc.or_(plain, pc.and_(pc.invert(pc.is_nan(left)), pc.is_nan(right)))
    return plain


def equal(left: pa.Array, right: pa.Array) -> pa.Array:
    """Equality with NaN equal to itself, as Spark groups."""
    plain = pc.equal(left, right)
    if pa.types.is_floating(left.type):
        plain = pc.or_(plain, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    return plain


def concat_lists(left: pa.Array, right: pa.Array) -> pa.Array:
    """Lists joined element by element; a null list is empty."""
    both = pa.concat_arrays([left, right])
    lengths = np.asarray(pc.fill_null(pc.list_value_length(both), 0)).astype(np.int64)
    starts = np.asarray(both.offsets)[:-1].astype(np.int64)
    n = len(left)
    order = np.arange(2 * n).reshape(2, n).T.ravel()  # left 0, right 0, left 1, right 1, ...
    taken = both.values.take(pa.array(spans(starts[order], lengths[order])))
    offsets = np.concatenate([[0], np.cumsum(lengths[order])[1::2]])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), taken, type=left.type)


def spans(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The indices `starts[i] .. starts[i] + lengths[i]` of all i, in one array.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)


def fields(structs: pa.StructArray) -> list[pa.Array]:
    """The children of a struct array, with the parent's nulls and offset applied."""
    return structs.flatten()


def struct_of(present: pa.Array, **children: pa.Array) -> pa.StructArray:
    """A struct array that is null where `present` is false."""
    return pa.StructArray.from_arrays(
        list(children.values()), names=list(children), mask=pc.invert(present)
    )


def raised(structs: pa.Array, name: str, by: int) -> pa.Array:
    """Structs whose field of this name is greater by so much; null ones stay null.

    >>> raised(pa.array([{"s": 1, "v": "a"}, None]), "s", 5).to_pylist()
    [{'s': 6, 'v': 'a'}, None]
    """
    kind = structs.type
    children = [structs.field(place) for place in range(kind.num_fields)]
    at = kind.get_field_index(name)
    children[at] = pc.add(children[at], pa.scalar(by, children[at].type))
    mask = structs.is_null() if structs.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(kind), mask=mask)


def nullable(kind: pa.DataType) -> pa.DataType:
    """The same type with every nested field nullable, as array code makes them."""
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(f.name, nullable(f.type)) for f in kind])
    if pa.types.is_list(kind):
        return pa.list_(pa.field("item", nullable(kind.value_type)))
    return kind
