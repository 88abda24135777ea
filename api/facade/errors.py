"""Errors of the Python interface; each message says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import Tile


class ArgumentError(HupaiError, ValueError):
    """An argument has a value that cannot be used."""


class UnknownCircumstanceError(HupaiError, TypeError):
    """No circumstance of a win has this name.

    Attributes:
        name: what was given.
        known: the names there are.
    """

    def __init__(self, name: str, known: Sequence[str]) -> None:
        self.name, self.known = name, tuple(known)
        super().__init__(
            f"no circumstance is called {name!r}{did_you_mean(name, known)}; "
            f"there are {', '.join(known)}"
        )


class PhotoFileError(HupaiError, OSError):
    """A photo's file does not exist or cannot be read."""


class NoLegalHandError(HupaiError):
    """A photo shows no legal hand, so there is nothing to score."""


class WinningTileUnknownError(HupaiError):
    """A hand of 14 tiles does not say which of them won, and the score depends on it.

    Attributes:
        totals: what each tile would score as the winning one.
    """

    def __init__(self, totals: Sequence[tuple[Tile, int]]) -> None:
        self.totals = tuple(totals)
        options = ", ".join(f"{tile.code} ({total})" for tile, total in totals)
        super().__init__(
            f"which tile won is not known: name it with win=, one of {options or 'its tiles'}"
        )


class CorrectionError(HupaiError, ValueError):
    """A reading that cannot be corrected in this way."""


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return `` (did you mean …?)`` where a known word resembles this one, else nothing."""
    folded = {name.casefold(): name for name in known}
    close = get_close_matches(word.casefold(), folded, 1, 0.6)
    return f" (did you mean {folded[close[0]]}?)" if close else ""
