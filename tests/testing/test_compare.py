"""The comparison says what differs, and where."""

import pytest

from panewise.testing import assert_same_rows, same

ROW = {"window_id": "w", "window": (0, 5), "k": "a", "s": 1.0}


def test_order_does_not_matter() -> None:
    other = {**ROW, "k": "b"}
    assert_same_rows([ROW, other], [other, ROW], by=["k"])


@pytest.mark.parametrize(
    ("got", "message"),
    [
        ([], r"missing     \{window_id: 'w', window: \(0, 5\), k: 'a', s: 1.0\}"),
        ([ROW, {**ROW, "k": "b"}], "unexpected  .*k: 'b'"),
        ([{**ROW, "s": 2.0}], "different   s: got 2.0, expected 1.0 at window_id='w'"),
        ([{**ROW, "s": 1}], "different   s: got 1, expected 1.0"),
        ([ROW, ROW], "2 rows of one identity, expected 1"),
        ([{**ROW, "extra": 1}], r"columns     \['extra'\]"),
    ],
)
def test_differences_are_named(got: list[dict[str, object]], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        assert_same_rows(got, [ROW], by=["k"])


def test_windows_of_rows_are_told_apart_by_their_number() -> None:
    rows = [{**ROW, "window_no": n, "s": s} for n, s in ((0, 0.0), (1, 5.0), (None, 6.0))]
    assert_same_rows(rows, rows[::-1], by=["k"])
    with pytest.raises(AssertionError, match=r"got 1.*expected 0.* at .*window_no=0"):
        assert_same_rows([{**rows[0], "s": 1.0}, *rows[1:]], rows, by=["k"])


def test_rows_of_one_identity_are_matched_by_their_values() -> None:
    other = {**ROW, "s": 2.0}
    assert_same_rows([ROW, other], [other, ROW], by=["k"])
    with pytest.raises(AssertionError, match="different   s: got 1"):
        assert_same_rows([ROW, ROW], [ROW, other], by=["k"])


def test_cancellation_is_measured_by_the_inputs() -> None:
    left = (0.1 + 1e9) - 1e9
    assert not same(left, 0.1)
    assert same(left, 0.1, magnitude=1e9)
