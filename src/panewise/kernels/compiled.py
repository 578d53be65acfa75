"""How loops are compiled: cached on disk where that is possible, and without Python's lock.

A cluster's workers may have no writable place for the cache; then they compile anew, which costs
seconds at the start and nothing afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.extending import overload


def compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop at its first call."""
    return _compiled(loop, {})


def summing(loop: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a loop whose floating sums may be taken in any order, several at a time."""
    return _compiled(loop, {"fastmath": {"reassoc"}})


def inlined(loop: Callable[..., Any]) -> Callable[..., Any]:
    """The same for what another loop does at every row or frame: compiled into that loop, because
    calls that are given arrays cost more than a few rows do."""
    return _compiled(loop, {"forceinline": True})


def inlined_overload(declared: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """The same for what depends on the types that it is given."""
    register: Callable[[Callable[..., Any]], Any] = overload(
        declared, jit_options={"forceinline": True}
    )
    return register


def _compiled(loop: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    try:
        return njit(cache=True, nogil=True, **options)(loop)
    except RuntimeError:  # no locator for the cache
        return njit(nogil=True, **options)(loop)
