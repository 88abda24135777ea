"""PostgreSQL connections that time out if the server does not respond."""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic
from typing import Any, TypeVar

import psycopg

RV = TypeVar("RV")
CONNECT_SECONDS = 5
"""How long a server may take to accept a connection."""
ANSWER_SECONDS = 15.0
"""How long it may take to answer one statement; as long as a writer waits for another."""


class AnsweringConnection(psycopg.Connection[Any]):
    """A connection that is closed if no answer arrives within `seconds`.

    A server that is stopped, on a disk that hangs or behind a cable that was pulled says nothing,
    and libpq would wait for it without end.

    Attributes:
        seconds: longest time for an answer; None for no limit, as migrations need it.
    """

    seconds: float | None = ANSWER_SECONDS

    def wait(self, gen: Generator[Any, Any, RV], *args: Any, **options: Any) -> RV:
        """Wait for an answer.

        Raises:
            psycopg.OperationalError: if none came in time.
        """
        if self.seconds is None:
            return super().wait(gen, *args, **options)
        try:
            return super().wait(_within(gen, self.seconds), *args, **options)
        except _SilentError as error:
            self.pgconn.finish()
            raise psycopg.OperationalError(str(error)) from None


class _SilentError(Exception):
    """No answer came in time."""


def _within(gen: Generator[Any, Any, RV], seconds: float) -> Generator[Any, Any, RV]:
    """Wrap a psycopg generator so that it is also resumed when nothing happens."""
    until = monotonic() + seconds
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and monotonic() > until:
                raise _SilentError(f"the server has not answered for {seconds:g} s")
            wanted = gen.send(ready)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
