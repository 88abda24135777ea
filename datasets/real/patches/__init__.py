"""Corrections to the labels of the public photos, found by looking at every labelled box.

``train.json`` and ``dev.json`` correct boxes, ``crops.json`` single tiles, ``clutter-train.json``
lists unlabelled places without a tile, or with a back. Each entry of the first three gives the old
label, the corrected one (null: remove it) and the reason; ``unreadable`` marks a tile whose face
cannot be recognised. Seven dev photos carry one placeholder label on all their boxes, so figures on
dev need these corrections. The whole-hand truth of ``hands.jsonl`` was made from the same labels
and needs them too: `correct_hand`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from hupai.scoring.tiles import Tile

Split = Literal["train", "dev"]
Box = tuple[float, float, float, float]
"""Centre x, centre y, width and height as fractions of the photo, as in a YOLO label file."""

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class BoxPatch:
    """A labelled box and its correction.

    Attributes:
        box: the box exactly as its label file has it.
        was: the tile its label names; two boxes of a photo can be equal, so both must match.
        now: the tile it shows; None if the box shows none or is `unreadable`.
        why: the reason.
        unreadable: whether the box shows a tile whose face cannot be recognised.
    """

    box: Box
    was: Tile
    now: Tile | None
    why: str
    unreadable: bool = False


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    was: str
    now: Annotated[str | None, Field(alias="is")]
    why: str

    @property
    def tile(self) -> Tile | None:
        return None if self.now is None else Tile.from_code(self.now)


class _BoxEntry(_Entry):
    box: Box
    unreadable: bool = False


@cache
def box_patches(split: Split) -> Mapping[str, tuple[BoxPatch, ...]]:
    """Read the corrections of a split, by photo name without extension; read-only."""
    form = TypeAdapter(dict[str, list[_BoxEntry]]).validate_json(
        (_FOLDER / f"{split}.json").read_bytes()
    )
    return MappingProxyType(
        {
            photo: tuple(
                BoxPatch(e.box, Tile.from_code(e.was), e.tile, e.why, e.unreadable) for e in entries
            )
            for photo, entries in form.items()
        }
    )


class Places(BaseModel):
    """Places of a photo that carry no label, as corners x0, y0, x1, y1 in fractions of it.

    Attributes:
        clutter: places without a tile, although a detector once found one.
        backs: places that show the back of one tile.
        unlabelled_tiles: other places with a tile, or unclear ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    clutter: tuple[Box, ...]
    backs: tuple[Box, ...] = ()
    unlabelled_tiles: tuple[Box, ...] = ()


@cache
def clutter_places(split: Split) -> Mapping[str, Places]:
    """Read the unlabelled detections of a split, by photo name; read-only.

    A person decided which of them are not tiles, and which are backs.
    """
    path = _FOLDER / f"clutter-{split}.json"
    return MappingProxyType(
        TypeAdapter(dict[str, Places]).validate_json(path.read_bytes()) if path.exists() else {}
    )


@cache
def crop_patches() -> Mapping[str, Tile | None]:
    """Read the corrected tile of each single-tile picture whose label is wrong; read-only.

    None means that the picture is not to be used.
    """
    form = TypeAdapter(dict[str, _Entry]).validate_json((_FOLDER / "crops.json").read_bytes())
    return MappingProxyType({file: entry.tile for file, entry in form.items()})


def correct_boxes(
    split: Split, photo: str, labels: Iterable[tuple[Tile, Box]]
) -> tuple[tuple[Tile, Box], ...]:
    """Return the corrected labels of a photo, in their order, without boxes that show no tile.

    Args:
        split: which folder the photo is of.
        photo: its name without extension.
        labels: tile and box of each line of its label file.
    """
    patches = {(patch.was, patch.box): patch.now for patch in box_patches(split).get(photo, ())}
    corrected = ((patches.get((tile, box), tile), box) for tile, box in labels)
    return tuple((tile, box) for tile, box in corrected if tile is not None)


def correct_hand(split: Split, photo: str, tiles: Iterable[Tile]) -> tuple[Tile, ...] | None:
    """Return the corrected multiset of a photo's hand, sorted; None if a tile is unreadable.

    It is for hands whose truth was made from the uncorrected labels.
    """
    patches = box_patches(split).get(photo, ())
    if any(patch.unreadable for patch in patches):
        return None
    count = Counter(tiles)
    for patch in patches:
        if count[patch.was]:
            count[patch.was] -= 1
            if patch.now is not None:
                count[patch.now] += 1
    return tuple(sorted(count.elements()))
