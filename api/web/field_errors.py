"""pydantic's errors of wrong fields in English and Chinese, without Python names or the input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

LONGEST = 300
"""Maximum length of one message; a field may hold megabytes, and some messages quote it."""

_ZH = {
    "missing": "缺少此项",
    "extra_forbidden": "没有这一项",
    "string_type": "应为文字",
    "string_unicode": "应为文字",
    "string_too_long": "最多 {max_length} 个字符",
    "string_too_short": "至少 {min_length} 个字符",
    "string_pattern_mismatch": "格式应为 {pattern}",
    "int_type": "应为整数",
    "int_parsing": "应为整数",
    "int_from_float": "应为整数",
    "int_parsing_size": "整数太大",
    "float_type": "应为数字",
    "float_parsing": "应为数字",
    "finite_number": "应为有限的数字",
    "bool_type": "应为 true 或 false",
    "bool_parsing": "应为 true 或 false",
    "greater_than_equal": "应不小于 {ge}",
    "greater_than": "应大于 {gt}",
    "less_than_equal": "应不大于 {le}",
    "less_than": "应小于 {lt}",
    "enum": "应为 {expected} 之一",
    "literal_error": "应为 {expected} 之一",
    "list_type": "应为列表",
    "tuple_type": "应为列表",
    "dataclass_type": "应为对象",
    "dict_type": "应为对象",
    "model_type": "应为对象",
    "model_attributes_type": "应为对象",
    "too_long": "最多 {max_length} 项",
    "too_short": "至少 {min_length} 项",
    "uuid_parsing": "应为 UUID",
    "uuid_type": "应为 UUID",
    "datetime_type": "应为带时区的时间，例如 2026-11-23T12:00:00Z",
    "datetime_parsing": "应为带时区的时间，例如 2026-11-23T12:00:00Z",
    "datetime_from_date_parsing": "应为带时区的时间，例如 2026-11-23T12:00:00Z",
    "timezone_aware": "时间应带时区",
    "union_tag_invalid": "应为 {expected_tags} 之一",
    "union_tag_not_found": "缺少 {discriminator}",
    "json_invalid": "不是有效的 JSON",
}
"""Messages by pydantic's type of error, with the context that pydantic gives it.

A refusal of our own (`hupai.api.contract.refusal`) brings its Chinese in the context, as ``zh``.
"""
_NO_FILE = ("应为文件", "must be a file")


@dataclass(frozen=True, slots=True)
class FieldError:
    """One wrong field.

    Attributes:
        field: its path, such as ``hand.melds.0.kind``.
        message, message_zh: what is wrong with it.
    """

    field: str
    message: str
    message_zh: str


def field_error(item: Mapping[str, Any]) -> FieldError:
    """Make a wrong field of an error of pydantic or FastAPI.

    The input is left out: it may be large or private.
    """
    location = [str(part) for part in item.get("loc", ())]
    if location and location[0] in ("body", "query", "path", "header"):
        location = location[1:]
    kind, context = str(item.get("type", "")), dict(item.get("ctx", {}))
    message = str(item.get("msg", "")).removeprefix("Value error, ")
    if "expected" in context:
        context["expected"] = str(context["expected"]).replace(" or ", "、").replace(", ", "、")
    template = _ZH.get(kind, "")
    needed = {name for _, name, _, _ in Formatter().parse(template) if name}
    message_zh = template.format_map(context) if needed <= context.keys() else ""
    message_zh = str(context.get("zh", message_zh))
    if kind == "json_invalid":
        place = location.pop() if location and location[-1].isdecimal() else ""
        message = f"no valid JSON: {context.get('error', message)}"
        if place:
            message += f" at character {place}"
            message_zh += f"（第 {place} 个字符）"
    elif "UploadFile" in message:
        message_zh, message = _NO_FILE
    return FieldError(
        shortened(".".join(location)) or "body",
        shortened(message),
        shortened(message_zh or message),
    )


def shortened(text: str) -> str:
    """Cut a text to `LONGEST` characters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
