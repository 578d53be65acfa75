"""What `run` was asked to do, whichever engine does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from panewise.cli.inputs import Source
    from panewise.cli.results import Output
    from panewise.sql import Statement


@dataclass(frozen=True)
class Work:
    """Statements, the input of each of their tables, and where answers go."""

    statements: Sequence[Statement]
    sources: Mapping[str, Source]
    target: Output
    strategy: str

    def answers(self, tables: Mapping[str, Any], **streaming: Any) -> tuple[Any, ...]:
        """The answer of each statement over these tables."""
        from panewise.sql.sharing import answers

        return answers(self.statements, tables, self.strategy, None, streaming)
