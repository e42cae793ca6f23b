"""How far a call over many pairs has come."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


class _Calls:
    """Tells a function of the user's."""

    def __init__(self, tell: Callable[[int, int | None], Any], total: int | None) -> None:
        self._tell = tell
        self._total = total
        self._done = 0

    def update(self, n: int) -> None:
        self._done += n
        self._tell(self._done, self._total)

    def close(self) -> None:
        pass


def bar(progress: Any, total: int | None, doing: str) -> Any:
    """What is told of progress: a bar of tqdm, a function, or nothing."""
    if progress is None or progress is False:
        return None
    if callable(progress):
        return _Calls(progress, total)
    try:
        tqdm = import_module("tqdm.auto")
    except ImportError:
        return None
    return tqdm.tqdm(total=total, desc=doing, unit="pair")
