"""What a model says of a request that pydantic alone would let pass, in English and Chinese."""

from __future__ import annotations

from pydantic_core import PydanticCustomError


def refusal(english: str, chinese: str) -> PydanticCustomError:
    """Return the error for a validator to raise; `hupai.api.web.field_errors` writes both texts."""
    return PydanticCustomError("value_error", "{en}", {"en": english, "zh": chinese})
