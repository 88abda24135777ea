"""Progress on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hupai.api.cli.terminal import err

T = TypeVar("T")


def tracked(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Yield items and show progress on standard error if it is a terminal."""
    console = err()
    if total < 2 or not console.is_terminal:
        yield from items
        return
    text, count = TextColumn("{task.description}"), MofNCompleteColumn()
    columns = (text, BarColumn(), count, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield from progress.track(items, total, description=what)
