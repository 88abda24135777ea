"""Translates messages by matching their text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property


class PhraseBook:
    """Translates messages that were filled with values.

    Args:
        messages: each message with its translation; ``{}`` stands for what it was filled with,
            which may be a message of the book itself.
        words: words that stand alone.
    """

    def __init__(self, messages: Mapping[str, str], words: Mapping[str, str] | None = None) -> None:
        self._messages = messages
        self._words = words or {}

    def translated(self, text: str) -> str:
        """Return the translation of a text; the text itself where the book does not have it."""
        known = self._words.get(text)
        if known is not None:
            return known
        for pattern, translation in self._patterns:
            match = pattern.fullmatch(text)
            if match:
                return translation.format(*map(self.translated, match.groups()))
        return text

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """The regular expressions of the messages, the most specific first."""
        ordered = sorted(self._messages.items(), key=lambda pair: -len(pair[0].replace("{}", "")))
        return tuple(
            (re.compile("(.*?)".join(map(re.escape, message.split("{}"))), re.DOTALL), translation)
            for message, translation in ordered
        )
