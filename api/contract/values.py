"""JSON and schema of values: made from the frozen dataclasses themselves.

``Annotated[Score, JSON]`` in a pydantic model or a `TypeAdapter` is written and read as a JSON
object with the fields of `Score` in their order. Tiles are codes, enum members their values, tuples
lists. `_FIELDS` names the few fields that are written otherwise, such as rounded numbers. Summary
and ``Attributes:`` of the docstring become the descriptions of the OpenAPI document.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic import Field as Constraint
from pydantic_core import CoreSchema, core_schema

from hupai.scoring.hand import Hand, Meld
from hupai.scoring.result import ExcludedFan, FanLine, Score, Step
from hupai.scoring.tiles import Tile
from hupai.vision.types import Box, PhotoProblem, Quad, ReadTile, Timing


class DataclassForm:
    """Annotation of a frozen dataclass that is written and read as a JSON object."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return handler.generate_schema(_form_of(source))


JSON = DataclassForm()


def _tile_of(value: object) -> object:
    return Tile.from_code(value) if isinstance(value, str) else value


def _rounded(digits: int, written: Any = float) -> PlainSerializer:
    def rounded(value: float) -> float:
        return round(float(value), digits)

    return PlainSerializer(rounded, return_type=written)


def _rounded_box(box: Box) -> Box:
    left, top, right, bottom = (round(float(edge), 1) for edge in box)
    return left, top, right, bottom


def _rounded_quad(quad: Quad) -> Quad:
    a, b, c, d = ((round(float(x), 1), round(float(y), 1)) for x, y in quad)
    return a, b, c, d


def _pairs(value: object) -> object:
    return tuple(value.items()) if isinstance(value, dict) else value


TileJson = Annotated[
    Tile,
    BeforeValidator(_tile_of),
    PlainSerializer(lambda tile: tile.code, return_type=str),
    WithJsonSchema({"type": "string"}),
]
"""A tile, written as its code."""

BoxJson = Annotated[Box, PlainSerializer(_rounded_box, return_type=Box)]
"""A box in pixels, written to a tenth of one."""

_Probability = Annotated[float, Constraint(ge=0, le=1)]

ProbabilityJson = Annotated[_Probability, _rounded(4, _Probability)]
"""A probability, written to four places."""

_Milliseconds = Annotated[float, _rounded(1)]


class PlaceOut(BaseModel):
    """Where another photo of the same hand shows a tile.

    `photo` is its number in `photos`, `box` lies in its pixels.
    """

    photo: int
    box: Box


def _places_of(value: Sequence[Any]) -> Sequence[Any]:
    return [(one["photo"], one["box"]) if isinstance(one, dict) else one for one in value]


def _written_places(places: Sequence[tuple[int, Box]]) -> list[PlaceOut]:
    return [PlaceOut(photo=photo, box=_rounded_box(box)) for photo, box in places]


_FIELDS: dict[tuple[type[Any], str], Any] = {
    (ReadTile, "box"): BoxJson,
    (ReadTile, "quad"): Annotated[Quad, PlainSerializer(_rounded_quad, return_type=Quad)],
    (ReadTile, "confidence"): ProbabilityJson,
    (ReadTile, "alternatives"): tuple[tuple[TileJson, Annotated[float, _rounded(4)]], ...],
    (ReadTile, "elsewhere"): Annotated[
        tuple[tuple[int, Box], ...],
        BeforeValidator(_places_of),
        PlainSerializer(_written_places, return_type=list[PlaceOut]),
    ],
    (Score, "details"): Annotated[
        tuple[tuple[str, int], ...],
        BeforeValidator(_pairs),
        PlainSerializer(dict, return_type=dict[str, int]),
    ],
    **{(Timing, one.name): _Milliseconds for one in fields(Timing)},
}
"""Fields that are not written as their type says."""

_LEFT_OUT_IF_EMPTY = {
    *((ReadTile, name) for name in ("photo", "elsewhere")),
    *((cls, "red_fives") for cls in (Hand, Meld)),
    *((cls, "ja") for cls in (FanLine, ExcludedFan, Step)),
    (Score, "steps"),
}
"""Fields that only some readings, hands or rule sets have."""

_ABSENT_BEFORE = {(PhotoProblem, "message_zh"): ""}
"""Fields without a default that JSON of older versions lacks."""


def _is_empty(value: object) -> bool:
    return not value


@cache
def _form_of(cls: Any) -> type[Any]:
    """Make the class that tells pydantic how a dataclass is written; one per dataclass."""
    summary, texts = described(inspect.cleandoc(cls.__doc__ or ""))
    hints = get_type_hints(cls)

    def schema(field: Field[Any], handler: GetCoreSchemaHandler) -> core_schema.DataclassField:
        key = (_owner(cls, field.name), field.name)
        inner = handler.generate_schema(_FIELDS.get(key) or _json_type(hints[field.name]))
        default = _ABSENT_BEFORE.get(key, field.default)
        if default is not MISSING:
            inner = core_schema.with_default_schema(inner, default=default)
        elif field.default_factory is not MISSING:
            inner = core_schema.with_default_schema(inner, default_factory=field.default_factory)
        left_out = _is_empty if key in _LEFT_OUT_IF_EMPTY else None
        return core_schema.dataclass_field(field.name, inner, serialization_exclude_if=left_out)

    class Form:
        @classmethod
        def __get_pydantic_core_schema__(
            cls_, _source: object, handler: GetCoreSchemaHandler
        ) -> CoreSchema:
            return core_schema.dataclass_schema(
                cls,
                core_schema.dataclass_args_schema(
                    cls.__name__, [schema(one, handler) for one in fields(cls)]
                ),
                [one.name for one in fields(cls)],
                post_init=hasattr(cls, "__post_init__"),
                slots=True,
                ref=f"{cls.__module__}.{cls.__qualname__}",
                config=core_schema.CoreConfig(strict=False, extra_fields_behavior="ignore"),
            )

        @classmethod
        def __get_pydantic_json_schema__(
            cls_, written: CoreSchema, handler: GetJsonSchemaHandler
        ) -> dict[str, Any]:
            reference = handler(written)
            document = handler.resolve_ref_schema(reference)
            document["description"] = summary
            for name, text in texts.items():
                document["properties"][name].setdefault("description", text)
            if handler.mode == "serialization":  # what has a default is written all the same
                document["required"] = [
                    one.name
                    for one in fields(cls)
                    if (_owner(cls, one.name), one.name) not in _LEFT_OUT_IF_EMPTY
                ]
            return reference

    return Form


def _owner(cls: type[Any], name: str) -> type[Any]:
    """Return the class that declares a field: this one or a base."""
    return next(base for base in reversed(cls.__mro__) if name in inspect.get_annotations(base))


def _json_type(hint: Any) -> Any:
    """Return the type of a field with its tiles and dataclasses annotated."""
    if hint is Tile:
        return TileJson
    if is_dataclass(hint):
        return Annotated[hint, JSON]
    parts = tuple(part if part is ... else _json_type(part) for part in get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        return Union.__getitem__(parts)
    return tuple.__class_getitem__(parts) if get_origin(hint) is tuple else hint


def described(docstring: str) -> tuple[str, dict[str, str]]:
    """Return the summary of a class's docstring and the text of each attribute."""
    summary, _, attributes = docstring.partition("Attributes:")
    entries = re.findall(r"^    ([a-z_, ]+): (.*(?:\n     +.*)*)", attributes, re.MULTILINE)
    texts = {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}
    return " ".join(summary.split()), texts
