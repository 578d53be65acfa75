"""Items as bits of words on Spark, as `operator/words.py` has them: integers by their own digits,
because tasks share no numbers of other items."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from panewise.aggregates.recurring import Recurring, too_many
from panewise.operator.words import DIGITS
from panewise.query import RingQuery
from panewise.spark.binding import Binding
from panewise.spark.expressions import literal, quoted

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_BITS = 1 << DIGITS


def marked(asked: RingQuery, events: DataFrame) -> DataFrame:
    """Events with the words and bits of their items, where items alone are asked for."""
    if asked.items is None:
        return events
    binding = Binding.of(asked.outer, events)  # refuses what does not fit, in the user's words
    item = quoted(binding.fields[asked.items.column].name)
    word, bits = item, f"CASE WHEN {item} IS NOT NULL THEN 1L END"
    if binding.types[asked.items.column] in _INTEGERS:
        number = f"cast({item} as bigint)"
        word = f"shiftright({number}, {DIGITS})"
        bits = f"shiftleft(1L, cast({number} & {_BITS - 1} as int))"
    return events.withColumns({asked.items.word: F.expr(word), asked.items.bits: F.expr(bits)})


def items_alone(
    aggregate: Recurring, placed: DataFrame, groups: list[str], item_type: str, levels: int
) -> DataFrame:
    """The items whose bit every ring has, by group, as `r0`.

    Rows are a word `w` of ring `r` of level `l`, and its bits `b`.
    """
    # how many items each ring has, word by word
    sizes = [f"max(IF(r = {n}, bit_count(b), 0)) AS n{n}" for n in range(levels)]
    several = ["count(1) AS c", "bit_and(b) AS b", *sizes]
    together = placed.repartition(*groups)  # once, for both groupings
    by_word = together.groupBy(*groups, "w").agg(*map(F.expr, several))
    found = f"IF(c = l + 1 AND b <> 0, {_listed(item_type)}, array())"
    most = f"greatest(0, {', '.join(f'sum(n{n})' for n in range(levels))})"
    problem = literal(too_many(aggregate))
    told = f"array_sort(flatten(collect_list({found})))"
    checked = f"IF({most} > {aggregate.most}, raise_error({problem}), {told})"
    return by_word.groupBy(*groups).agg(_typed(checked, item_type).alias("r0"))


def _listed(item_type: str) -> str:
    """The items of a word's bits."""
    if item_type not in _INTEGERS:
        return "array(w)"
    places = f"filter(sequence(0, {_BITS - 1}), i -> getbit(b, i) = 1)"
    return f"transform({places}, i -> shiftleft(w, {DIGITS}) + i)"


def _typed(items: str, item_type: str) -> Column:
    return F.expr(f"cast({items} as array<{item_type}>)")
