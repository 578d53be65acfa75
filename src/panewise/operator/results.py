"""Pieces of the kernel as an Arrow table: the columns that users see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates import Aggregate, Bounds, TallyAggregate
from panewise.aggregates.value_counts import Median, Quantile, Quantiles
from panewise.errors import ResultOverflow
from panewise.kernels.columns import Numbers
from panewise.kernels.compose import Composer
from panewise.kernels.program import Piece
from panewise.kernels.room import Room
from panewise.kernels.vocabulary import Vocabulary
from panewise.operator.bound import Bound
from panewise.operator.columns import counts_ticks, times_of
from panewise.operator.names import Codes, Names
from panewise.operator.registry import Registry, spread
from panewise.query.query import LEVEL_COLUMN, NUMBER_COLUMN


class Results:
    """Result tables of a bound query, handed out to those who asked."""

    def __init__(
        self,
        bound: Bound,
        registry: Registry,
        *,
        revisions: bool,
        streamed: bool = False,
        sent_on: bool = False,
    ) -> None:
        """Results that are `sent_on` have numbers in the place of names."""
        self.bound = bound
        self.revisions = revisions
        self._shares = streamed and bound.query.spanning
        self.named = registry.named
        self._askers = registry.askers
        self._asked = registry.aggregates_of(bound.query)
        self._ids = registry.names
        queries = [asker.query for asker in self._askers] if self.named else []
        self._queries = pa.array(queries, pa.string())
        self._levels = registry.levels
        self._types = bound.result_types
        self._places = [bound.places(a) for a in bound.query.aggregates]
        self._time = bound.types[bound.query.time]
        self._window = pa.struct([("start", self._time), ("end", self._time)])
        self._direct = registry.direct
        self._names = Codes(self._ids) if sent_on else Names(self._ids)
        self._sent_on = sent_on
        self.schema = self._schema()
        self._plain = self._direct and self._are_plain()
        at_hand = zip(self._places, self._types, strict=True) if self._plain else ()
        self._held = [(place, kind.id) for (place,), kind in at_hand]
        """Where results lie that are told as they are held, and their types."""
        self._label((0, 0))

    @cached_property
    def _room(self) -> Room | None:
        """Made for the first piece of a few windows, which may never come."""
        if self._sent_on or not counts_ticks(self._time):
            return None
        level = [pa.int32()] if self.bound.query.leveled else []
        again = [pa.int64(), pa.bool_()] if self.revisions else []
        kinds = [*level, *self._types, *again] if self._plain else ()
        return Room(self._ids, self._window, kinds)

    def table(
        self,
        pieces: Iterable[Piece],
        composer: Composer,
        late_rows: int = 0,
        bad_rows: int = 0,
    ) -> pa.Table:
        """All rows; an empty table where there are none.  Its metadata tell what was left out."""
        if (late_rows, bad_rows) != self._left_out:
            self._label((late_rows, bad_rows))
        parts = [self._part(piece, composer) for piece in pieces if len(piece)]
        if len(parts) == 1:
            return parts[0]
        return pa.concat_tables(parts) if parts else self._nothing()

    def _part(self, piece: Piece, composer: Composer) -> pa.Table:
        """The rows of one piece."""
        if self._plain and self._fits(len(piece)):
            prepared = self._in_room(piece)
            if prepared is not None:
                return prepared
        return pa.Table.from_arrays(self._columns_told(piece, composer), schema=self._told)

    def _label(self, left_out: tuple[int, int]) -> None:
        """Tables from now on tell so many late rows, and of events with a duration bad ones."""
        self._left_out = left_out
        told = {"late_rows": str(left_out[0])}
        if self.bound.query.spanning:
            told["bad_rows"] = str(left_out[1])
        self._told = self.schema.with_metadata(told)
        self._empty: pa.Table | None = None
        self._prepared: pa.Table | None = None

    def _nothing(self) -> pa.Table:
        """What a push tells that no window is due with; one table for all of them."""
        if self._empty is None:
            self._empty = self._told.empty_table()
        return self._empty

    def _are_plain(self) -> bool:
        """Whether rows are names, bounds, levels, numbers as cells hold them, and revisions."""
        query, aggregates = self.bound.query, self.bound.query.aggregates
        held = all(
            a.told_as_held and len(at) == 1 for a, at in zip(aggregates, self._places, strict=True)
        )
        numbers = all(kind in (pa.int64(), pa.float64()) for kind in self._types)
        if query.leveled and self._levels.null_count:
            return False
        told = 2 + query.leveled + len(aggregates) + 2 * self.revisions
        return held and numbers and len(self.schema) == told

    def _fits(self, count: int) -> bool:
        """Whether so many windows are few enough to be written behind others."""
        return self._room is not None and count <= self._room.most

    def _in_room(self, piece: Piece) -> pa.Table | None:
        """All rows as a slice of a table that is there already; None if one of them cannot be
        there."""
        assert self._room is not None
        found, numbers = piece.ranges, []
        if self.bound.query.leveled:
            numbers.append(np.asarray(self._levels)[found.window])
        for place, kind in self._held:
            column = piece.partials[place]
            if not isinstance(column, Numbers) or len(column.valid) or column.kind.id != kind:
                return None
            numbers.append(column.values)
        if self.revisions:
            numbers += [piece.revisions(), piece.taken_back()]
        at = self._room.put(found.window, found.start, found.end, numbers)
        if self._prepared is None or at == 0:
            self._prepared = pa.Table.from_arrays(self._room.columns, schema=self._told)
        return self._prepared.slice(at, len(piece))

    def _schema(self) -> pa.Schema:
        query = self.bound.query
        fields = [("query", pa.string())] if self.named else []
        fields += [("window_id", self._names.type), ("window", self._window)]
        if query.numbered:
            fields.append((NUMBER_COLUMN, pa.int64()))
        if query.leveled:
            fields.append((LEVEL_COLUMN, pa.int32()))
        fields += [(name, self.bound.types[name]) for name in query.by]
        fields += [(a.name, kind) for a, kind in zip(query.aggregates, self._types, strict=True)]
        if self.revisions:
            fields += [("revision", pa.int64()), ("retracted", pa.bool_())]
        if self._shares:
            fields.append(("late_share", pa.float64()))
        return pa.schema(fields)

    def _columns_told(self, piece: Piece, composer: Composer) -> list[pa.Array]:
        """All columns, for everyone who asked."""
        found, columns = piece.ranges, self._columns(piece, composer)
        if self._direct:
            return self._identified(found.window, found.start, found.end, columns)
        rows, asker = spread(self._askers, found.window, found.start)
        picked = pa.array(rows)
        columns = [column.take(picked) for column in columns]
        self._blank(columns, asker)
        columns = self._identified(asker, found.start[rows], found.end[rows], columns)
        return [self._queries.take(pa.array(asker)), *columns] if self.named else columns

    def _identified(
        self, asker: np.ndarray, start: np.ndarray, end: np.ndarray, columns: list[pa.Array]
    ) -> list[pa.Array]:
        """All columns, where those behind the window are given without the level."""
        query = self.bound.query
        if query.leveled:
            columns.insert(int(query.numbered), self._levels.take(pa.array(asker)))
        if self._plain or self._room is None or not self._fits(len(asker)):
            return [self._names.of(asker), self._bounds(start, end), *columns]
        at = self._room.put(asker, start, end)
        return [*(column.slice(at, len(asker)) for column in self._room.columns), *columns]

    def _columns(self, piece: Piece, composer: Composer) -> list[pa.Array]:
        """All columns behind the window, without the level."""
        found, count = piece.ranges, len(piece)
        query = self.bound.query
        columns = []
        if query.numbered:
            number = pa.nulls(count, pa.int64()) if piece.number is None else pa.array(piece.number)
            columns.append(number)
        if query.by:
            columns += composer.keys.take(found.code)
        partials = [column.arrow() for column in piece.partials]
        for aggregate, places, kind in zip(
            query.aggregates, self._places, self._types, strict=True
        ):
            columns.append(
                fitted(self._lowered(aggregate, places, partials, piece, composer.values), kind)
            )
        if self.revisions:
            columns += [pa.array(piece.revisions()), pa.array(piece.taken_back())]
        if self._shares:
            columns.append(pa.array(piece.late))
        return columns

    def _bounds(self, start: np.ndarray, end: np.ndarray) -> pa.Array:
        bounds = [times_of(start, self._time), times_of(end, self._time)]
        return pa.Array.from_buffers(self._window, len(start), [None], children=bounds)

    def _blank(self, columns: list[pa.Array], asker: np.ndarray) -> None:
        """Aggregates that a query did not ask for are null in its rows."""
        first = int(self.bound.query.numbered) + len(self.bound.query.by)
        for place in range(len(self._types)):
            asked = np.array([self._asked[a.query][place] for a in self._askers])[asker]
            if not asked.all():
                blank = pa.scalar(None, self._types[place])
                at = first + place
                columns[at] = pc.if_else(pa.array(asked), columns[at], blank)

    def _lowered(
        self,
        aggregate: Aggregate,
        places: Sequence[int],
        partials: Sequence[pa.Array],
        piece: Piece,
        vocabulary: Vocabulary,
    ) -> pa.Array:
        if not isinstance(aggregate, TallyAggregate):
            own = [partials[at] for at in places]
            if not aggregate.placed:
                return aggregate.results(own)
            found = piece.ranges
            return aggregate.results_within(
                own, Bounds(found.start, found.end, self.bound.measure.unit)
            )
        column = self.bound.counted.index(aggregate.column)
        tallies = piece.tallies(column, vocabulary, _shares(aggregate))
        return pa.concat_arrays([aggregate.lower_tally(tally) for tally in tallies])


def _shares(aggregate: TallyAggregate) -> tuple[float, ...]:
    """The quantiles that are all an aggregate reads of a tally; none if it reads more."""
    if type(aggregate) is Median:  # not `isinstance`: a subclass may read more
        return (0.5,)
    if type(aggregate) is Quantile:
        return (aggregate.q,)
    return aggregate.qs if type(aggregate) is Quantiles else ()


def fitted(column: pa.Array, kind: pa.DataType, checked: bool = True) -> pa.Array:
    """A column in the type it is declared with."""
    if column.type.equals(kind):
        return column
    if pa.types.is_decimal(column.type) and pa.types.is_decimal(kind):
        return _narrow(column, kind, checked)
    return column.cast(kind)


def _narrow(column: pa.Array, kind: pa.DataType, checked: bool) -> pa.Array:
    """Decimals that need more digits than there are: an error or null, as Spark has it."""
    limit = pa.scalar(Decimal(10) ** (kind.precision - kind.scale), pa.decimal256(76, kind.scale))
    wide = column.cast(pa.decimal256(76, column.type.scale))
    too_large = pc.greater_equal(pc.abs(wide), limit)
    if checked and pc.any(too_large).as_py():
        raise ResultOverflow(
            f"a decimal result needs more than the {kind.precision} digits of {kind}.",
            hint="cast the column to fewer digits after the point.",
        )
    return pc.if_else(too_large, pa.scalar(None, wide.type), wide).cast(kind)
