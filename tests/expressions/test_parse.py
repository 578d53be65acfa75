"""What an expression may hold, what it refuses and in which words, and its canonical text."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.errors import QueryError
from panewise.expressions import Expression


@pytest.mark.parametrize(
    ("text", "canonical", "columns"),
    [
        ("y>0", "y > 0", ("y",)),
        ("flag", "flag", ("flag",)),
        ("`a b` <=> null", "`a b` IS NOT DISTINCT FROM NULL", ("a b",)),
        ("`a``b` = 1", "`a``b` = 1", ("a`b",)),
        ("x != 1 and x == y", "x <> 1 AND x = y", ("x", "y")),
        ("z not in (1,2) or x is not null", "NOT z IN (1, 2) OR NOT x IS NULL", ("z", "x")),
        ("lower(s) like 'a%'", "LOWER(s) LIKE 'a%'", ("s",)),
        ("case when a then b end", "CASE WHEN a THEN b END", ("a", "b")),
        ("x > 1 /* why */ -- not", "x > 1", ("x",)),
        ("s = 'it\\'s'", "s = 'it\\'s'", ("s",)),
        ("-x % 2 = 1.50", "-x % 2 = 1.50", ("x",)),
        ("true", "TRUE", ()),
        ("ceiling(x)<floor(y)", "CEIL(x) < FLOOR(y)", ("x", "y")),
        ("round(x,-2)", "ROUND(x, -2)", ("x",)),
        ("nvl(x,0)", "COALESCE(x, 0)", ("x",)),
        ("if(a,b,c)", "IF(a, b, c)", ("a", "b", "c")),
        ("int(x)+1L", "CAST(x AS INT) + CAST(1 AS BIGINT)", ("x",)),
        ("1.50bd*x", "CAST('1.50' AS DECIMAL(3, 2)) * x", ("x",)),
        ("d>=date'2024-01-31'", "d >= CAST('2024-01-31' AS DATE)", ("d",)),
        (
            "t<timestamp'2024-01-31 00:00:00Z'",
            "t < CAST('2024-01-31 00:00:00Z' AS TIMESTAMP_LTZ)",
            ("t",),
        ),
        ("x div y", "x DIV y", ("x", "y")),
    ],
)
def test_canonical_text(text: str, canonical: str, columns: tuple[str, ...]) -> None:
    parsed = Expression.parse(text)
    assert (parsed.text, parsed.columns) == (canonical, columns)
    assert Expression.parse(canonical) == parsed


@pytest.mark.parametrize(
    ("text", "rule", "underlined", "hint"),
    [
        ("1 < zap(x)", "no function zap is known here", "zap(x", 'available: "abs"'),
        ("lowr(x) = 'a'", "no function lowr is known here", "lowr(x", 'did you mean "lower"?'),
        ("y > 0 and sum(x) > 1", "an expression is about one row", "sum(x", "aggregates=[...]"),
        ("sum(x) over () > 1", "an expression is about one row", "sum(x", "aggregates=[...]"),
        ("a.b = 1", "a column has one name", "a.b", "write `a.b` in backticks"),
        ("x rlike 'a'", "an expression cannot hold RegexpLike", "x rlike 'a'", "CASE, CAST, abs"),
        ("y = 1 or x[0] = 1", "an expression cannot hold Bracket", "x[0", "it may hold columns"),
        ("x like y", "LIKE takes a literal pattern", "x like y", "write x LIKE 'a%'"),
        ("x like 'a!%' escape '!'", "an expression cannot hold Escape", "x like", "it may hold"),
        ("x in (select 1)", "IN takes a list", "x in (select 1", "write x IN (1, 2)"),
        ("try_cast(x as int) > 1", "an expression holds no try_cast", "x", "CASE WHEN"),
        ("cast(x as string)", "cast makes TINYINT, SMALLINT, INT, BIGINT,", "x", "make the column"),
        ("cast(x as date)", "BOOLEAN and DECIMAL(p, s): got DATE", "x", "make the column before"),
        ("cast(x as decimal)", "and DECIMAL(p, s): got DECIMAL", "x", "make the column before"),
        ("cast(x as decimal(39, 2))", "DECIMAL(p, s): got DECIMAL(39, 2)", "x", "make the column"),
        ("cast(x as decimal(3, 4))", "DECIMAL(p, s): got DECIMAL(3, 4)", "x", "make the column"),
        ("cast(x as array<int>)", "DECIMAL(p, s): got ARRAY<INT>", "x", "make the column before"),
        (
            "x > cast('5' as int)",
            "cast takes numbers and truths: got text",
            "'5'",
            "without quotes",
        ),
        (
            "d > date '2024-1-1'",
            "this is no literal of its type",
            "'2024-1-1'",
            "DATE '2024-01-31'",
        ),
        ("d > date '2024-02-30'", "this is no literal of its type", "'2024-02-30'", "write DATE"),
        (
            "t > timestamp '2024-01-01 00:00:00'",
            "no literal of its type",
            "'2024",
            "00:00Z', or TI",
        ),
        (
            "t > timestamp '2024-01-01 25:00:00Z'",
            "no literal of its type",
            "'2024",
            "TIMESTAMP_NTZ",
        ),
        (
            "t > timestamp_ntz '2024-01-01 00:00:00Z'",
            "no literal of its type",
            "'2024",
            "TIMESTAMP_",
        ),
        (
            "t > ts + interval 1 day",
            "an expression cannot hold Interval",
            "t > ts + inter",
            "it may hold",
        ),
        (
            "round(x, y)",
            "round takes a number of places as a literal, from -38",
            "round(x, y",
            "round(x, 2)",
        ),
        (
            "round(x, 1.5)",
            "round takes a number of places as a literal",
            "round(x, 1.5",
            "round(x, 2)",
        ),
        ("round(x, 39)", "as a literal, from -38 to 38", "round(x, 39", "write round(x, 2)"),
        ("floor(x, 2)", "floor takes one value", "x, 2", "write floor(x)"),
        ("greatest(x)", "greatest takes several values", "greatest(x", "write greatest(x, y)"),
        ("if(x, 1)", "if takes a condition and two values", "x, 1", "write if(x > 0, x, 0)"),
        ("log(10, x)", "differ in their last bit", "log(10, x", "make a column"),
        ("power(x, 2)", "differ in their last bit", "power(x, 2", "make a column"),
        ("ln(x) > 1", "differ in their last bit", "ln(x", "make a column"),
        ("exp(x) > 1", "differ in their last bit", "exp(x", "make a column"),
        ("x between symmetric 2 and 1", "cannot hold SYMMETRIC", "x between", "it may hold"),
        ("select x", "an expression holds no query", "x", "it may hold"),
        ("(select 1) = x", "an expression holds no query", "1", "it may hold"),
        ("x is true", "IS stands before NULL", "x", "write x = true"),
        ("length(x, 'utf8') = 1", "length takes one value", "length(x, 'utf8'", "write length(x)"),
        ("x > ?", "an expression cannot hold Placeholder", "x > ?", "it may hold"),
        ("x >", "cannot read this as SQL", ">", "it may hold"),
        ("y > 0 limit 3", "cannot read this as SQL", "limit", "it may hold"),
        ("x and\n zap(y)", "no function zap is known here", "zap(y", "available"),
    ],
)
def test_refusals_underline_the_place(text: str, rule: str, underlined: str, hint: str) -> None:
    with pytest.raises(QueryError) as refused:
        Expression.parse(text)
    message, shown, marks, rest = str(refused.value).split("\n")
    assert rule in message and hint in rest
    marked = shown[marks.index("^") : len(marks)]
    assert marked.startswith(underlined)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an expression is SQL text: got ''."),
        (5, "an expression is SQL text: got 5."),
        ("x = 'a", 'cannot read "x = \'a" as SQL.'),
        ("y > 0; drop table x", "an expression is one value: got 'y > 0; drop table x'."),
    ],
)
def test_what_is_not_one_expression(text: str, message: str) -> None:
    with pytest.raises(QueryError) as refused:
        Expression.parse(text)
    assert str(refused.value).startswith(message)


def test_columns_are_renamed_and_operands_grouped() -> None:
    text = "not a and b or c = `d e` + 1 * 2"
    names = {"a": "`c0`", "b": "`c1`", "c": "`c2`", "d e": "`c3`"}
    expected = "((NOT `c0`) AND `c1`) OR (`c2` = (`c3` + (1 * 2)))"
    assert Expression.parse(text).sql(names) == expected


@given(st.text(st.sampled_from("a'\"\\%_\n` -;/*é")))
def test_text_survives_being_written(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    parsed = Expression.parse(f"x = '{quoted}'")
    again = Expression.parse(parsed.sql({"x": "x"}))
    assert again == parsed
    assert parsed.sql({"x": "`c`"}) == parsed.text.replace("x", "`c`", 1)


def test_expressions_are_values() -> None:
    one = Expression.parse("x>1")
    assert one == Expression.parse("x  >  1") and hash(one) == hash(Expression.parse("x > 1"))
    assert pickle.loads(pickle.dumps(one)) == one
