"""What pydantic says of wrong fields, in English and Chinese, without Python names or echoes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

LONGEST = 300
"""Most characters of one message; a field may hold megabytes, and some messages quote it."""

_ZH = {
    "missing": "缺少此项",
    "extra_forbidden": "没有这一项",
    "string_type": "应为文字",
    "string_too_long": "最多 {max_length} 个字符",
    "string_too_short": "至少 {min_length} 个字符",
    "string_pattern_mismatch": "格式应为 {pattern}",
    "int_type": "应为整数",
    "int_parsing": "应为整数",
    "int_from_float": "应为整数",
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
"""Messages by pydantic's type of error, with the context that pydantic gives it."""
_ZH_SENTENCES = {
    "'?' is a tile face down and cannot be scored: name its face, or leave the meld as a concealed "
    "kong of it": "“?” 是扣着的牌，不能计分：请写明牌面，或整组写成暗杠",
    "'?' stands only for all tiles of a concealed kong that shows no face: name the face": "“?” "
    "只能用于四张全扣的暗杠：请写明牌面",
    "give the hand either as notation or as hand, exactly one of the two": "手牌用 notation "
    "或 hand 给出，二者选一",
    "doubts point into hand: give the hand as hand, not as notation": "有 doubts 时，手牌须用 hand "
    "给出",
    "doubts point into hand: give the hand as hand": "有 doubts 时，手牌须用 hand 给出",
    "name at least one thing to change": "至少写明一项更正",
    "give the hand as hand or as notation, not as both": "手牌用 hand 或 notation 给出，二者选一",
    "answer comes alone: give the other changes in a request of their own": "answer 须单独提交",
    "back_to comes alone: give the other changes in a request of their own": "back_to 须单独提交",
    "write date, time and zone: 2026-11-23T12:00:00Z": "应为带时区的时间，例如 "
    "2026-11-23T12:00:00Z",
    "a moment of the years 1 to 9999 in UTC": "应为公元 1 至 9999 年的时间",
    "two seats have the same name": "座位名称重复",
    "name what is to be corrected: hand, notation, winning_tile or circumstances": "请写明要更正"
    "的内容：hand、notation、winning_tile 或 circumstances",
    "1 to 255 visible ASCII characters": "应为 1 至 255 个可见的 ASCII 字符",
    "no cursor of this list: take `next`": "不是此列表的游标：请用上一页的 next",
    "one photo only, where a point is given": "指定位置时只能有一张照片",
    "holds a number that is not finite": "含有不是有限值的数",
    "a name holds invisible characters; type it anew": "名字中有不可见字符，请重新输入",
}
"""What the service itself says of a field, in Chinese, by its English."""
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
    """Make one of an error of pydantic or FastAPI.

    The input is left out: it may be large or private.
    """
    location = [str(part) for part in item.get("loc", ())]
    if location and location[0] in ("body", "query", "path", "header"):
        location = location[1:]
    kind, context = str(item.get("type", "")), dict(item.get("ctx", {}))
    message = str(item.get("msg", "")).removeprefix("Value error, ")
    template = _ZH.get(kind, "")
    needed = {name for _, name, _, _ in Formatter().parse(template) if name}
    message_zh = template.format_map(context) if needed <= context.keys() else ""
    message_zh = _ZH_SENTENCES.get(message, message_zh)
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
