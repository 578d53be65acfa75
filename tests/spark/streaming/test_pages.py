"""Pages of the state: tables come back as they were."""

import pyarrow as pa

from panewise.spark.streaming.pages import joined


def test_keys_stay_in_the_order_of_their_numbers() -> None:
    """Whatever their columns are called: only cells are sorted."""
    keys = pa.table({"pane": [3, 1, 2], "code": [9, 8, 7]})
    assert joined({("keys", 0): keys.slice(0, 2), ("keys", 1): keys.slice(2)})["keys"].equals(keys)
