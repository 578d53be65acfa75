"""SQL: statements about windows, read, planned, run and written.

`pw.sql(text, events=...)` and `panewise.sql.parse(text)` are both names that users expect, so this
module can be called: it does what `panewise.sql.run.sql` does.

>>> import panewise as pw
>>> rows = pw.sql("SELECT SUM(x) AS total FROM t TIMESTAMP BY ts GROUP BY TUMBLING(5)",
...     events={"ts": [1, 4, 7], "x": [10, 20, 30]})
>>> rows.to_pylist()
[{'total': 30}, {'total': 30}]
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from panewise.sql.parse import parse
from panewise.sql.render import render
from panewise.sql.run import sql
from panewise.sql.statement import Statement

__all__ = ["Statement", "parse", "render", "sql"]


class _Called(ModuleType):
    """A module that is also the function of its name."""

    def __call__(self, text: str, **given: Any) -> Any:
        return sql(text, **given)

    def __reduce__(self) -> tuple[object, ...]:
        return import_module, (self.__name__,)  # functions that name it travel to workers


_Called.__call__.__doc__ = sql.__doc__
sys.modules[__name__].__class__ = _Called
