"""Refusals of requests that pydantic alone would accept, in English and Chinese."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError, ValidatorFunctionWrapHandler
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError


def refusal(english: str, chinese: str) -> PydanticCustomError:
    """Return the error for a validator to raise; `hupai.api.web.field_errors` writes both texts."""
    return PydanticCustomError("value_error", "{en}", {"en": english, "zh": chinese})


def by_field(tag: str) -> Callable[[Any, ValidatorFunctionWrapHandler], Any]:
    """Return a wrap validator for a tagged union whose errors name the fields of the request.

    pydantic puts the value of the tag before each name, and names no field if the tag is wrong.

    Args:
        tag: the field that distinguishes the members of the union.
    """

    def validate(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            found = [_with_field(item, tag) for item in error.errors(include_url=False)]
            raise ValidationError.from_exception_data(error.title, found) from None

    return validate


def _with_field(item: ErrorDetails, tag: str) -> InitErrorDetails:
    kind, message, context = item["type"], item["msg"], dict(item.get("ctx", {}))
    location: tuple[int | str, ...] = item["loc"][1:]
    if kind == "union_tag_not_found":
        kind, message, location = "missing", "Field required", (tag,)
    elif kind == "union_tag_invalid":
        expected = context["expected_tags"]
        kind, message, location = "literal_error", f"Input should be {expected}", (tag,)
        context = {"expected": expected}
    told = PydanticCustomError(kind, "{message}", {**context, "message": message})
    return {"type": told, "loc": location, "input": item["input"]}
