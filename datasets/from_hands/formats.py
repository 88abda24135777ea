"""The labels of a set as text: YOLO boxes, YOLO with corners, COCO, hands.jsonl, photos.csv."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from hupai.datasets.from_hands.labels import HandLabel, TileLabel
from hupai.datasets.from_hands.tables import Place
from hupai.datasets.real.labels import write
from hupai.scoring.hand import Source
from hupai.scoring.tiles import CODES, Tile

_ENDINGS = {
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/webp": ".webp",
}
"""File extensions of exported photos; other formats, such as HEIC, become JPEG."""

_COLUMNS = (
    *("photo", "table", "scene", "part", "tile_set"),
    *("origin", "id", "author", "time", "model", "version", "boxes", "changed"),
)
"""Columns of photos.csv."""

_AROUND = {None: None} | {source: number for number, source in enumerate(Source, 1)}
"""Source of a meld in hands.jsonl: 1 left, 2 across, 3 right, null if not claimed or not known."""


def file_name(photo: HandLabel) -> str:
    """Return the file name of the photo."""
    return photo.name + _ENDINGS.get(photo.media_type, ".jpg")


def yolo(photo: HandLabel) -> str:
    """Write the checked tiles as the text of a YOLO label file: class, centre, size."""
    return write(photo.yolo_labels)


def yolo_obb(photo: HandLabel) -> str:
    """Write the checked tiles as the text of a YOLO-OBB label file: class and four corners."""
    width, height = photo.size
    return "".join(
        f"{int(tile.tile)} "
        + " ".join(f"{x / width:.6f} {y / height:.6f}" for x, y in tile.quad)
        + "\n"
        for tile in photo.checked
    )


def coco(photos: Sequence[HandLabel]) -> str:
    """Write all tiles as COCO JSON.

    Besides COCO's own members each annotation has ``checked`` (by a person), ``in_hand``, ``read``
    (the face that the model read) and ``group`` (number, kind, claimed_from; null if not all
    groups of the hand are known); each image has ``no_tiles``, the corners of false
    detections. Unchecked tiles are included with ``checked`` false, so that training does not treat
    them as background.
    """
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, photo in enumerate(photos, 1):
        width, height = photo.size
        image = {"id": number, "file_name": file_name(photo), "width": width, "height": height}
        images.append(image | {"no_tiles": [_flat(quad) for quad in photo.struck_out]})
        for tile in photo.tiles:
            annotations.append(_annotation(tile, len(annotations) + 1, number))
    categories = [{"id": int(tile), "name": tile.code} for tile in Tile]
    return json.dumps(
        {"images": images, "annotations": annotations, "categories": categories},
        ensure_ascii=False,
        indent=1,
    )


def _annotation(tile: TileLabel, number: int, image: int) -> dict[str, Any]:
    x0, y0, x1, y1 = (round(edge, 2) for edge in tile.box)
    return {
        "id": number,
        "image_id": image,
        "category_id": int(tile.tile),
        "bbox": [x0, y0, round(x1 - x0, 2), round(y1 - y0, 2)],
        "segmentation": [_flat(tile.quad)],
        "area": round(_area(tile.quad), 2),
        "iscrowd": 0,
        "checked": tile.checked,
        "in_hand": tile.in_hand,
        "read": None if tile.read is None else tile.read.code,
        "group": None if tile.group is None else asdict(tile.group),
    }


def _flat(quad: Sequence[tuple[float, float]]) -> list[float]:
    return [round(value, 2) for corner in quad for value in corner]


def _area(quad: Sequence[tuple[float, float]]) -> float:
    """Return the area of a quad by the shoelace formula."""
    turned = [*quad[1:], quad[0]]
    return abs(sum(a * d - c * b for (a, b), (c, d) in zip(quad, turned, strict=True))) / 2


def hands_jsonl(photos: Iterable[HandLabel], places: Iterable[Place]) -> str:
    """Write one line per photo: its hand, melds, winning tile, flowers, table."""
    return "".join(
        json.dumps(_hand(photo, place), ensure_ascii=False) + "\n"
        for photo, place in zip(photos, places, strict=True)
    )


def _hand(photo: HandLabel, place: Place) -> dict[str, Any]:
    hand = photo.hand
    melds: list[dict[str, Any]] = [
        {
            "kind": meld.kind.value,
            "tiles": [tile.code for tile in _shown(photo, number, meld.tiles)],
            "claimed_from": _AROUND[meld.claimed_from],
        }
        for number, meld in enumerate(hand.melds)
    ]
    won = None if hand.winning_tile is None else hand.winning_tile.code
    return {
        "photo": file_name(photo),
        "tiles": [
            *(tile.code for tile in hand.concealed),
            *(code for meld in melds for code in meld["tiles"]),
            *([won] if won else []),
            *(tile.code for tile in hand.flowers),
        ],
        "melds": melds,
        "winning_tile": won,
        "flowers": [tile.code for tile in hand.flowers],
        "table": place.table,
        "tile_set": photo.tile_set,
        "kind": "corrected" if photo.corrected else "confirmed as read",
        "source": f"{photo.origin} {photo.id}",
    }


def _shown(photo: HandLabel, number: int, tiles: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """Return the visible sides of a meld's tiles, face or back, as far as the labels give them."""
    shown = tuple(tile.tile for tile in photo.tiles if tile.checked and tile.meld == number)
    return shown if len(shown) == len(tiles) else tiles


def photos_csv(photos: Iterable[HandLabel], places: Iterable[Place]) -> str:
    """Write table, scene and part of each photo, and where its labels come from."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for photo, place in zip(photos, places, strict=True):
        changed = sum(one.tile is not one.read for one in photo.checked) + len(photo.struck_out)
        name, version, _ = photo.model
        source = (photo.origin, photo.id, photo.author, photo.time, name, version)
        where = (place.table, place.scene, place.part, photo.tile_set or "")
        rows.writerow([photo.name, *where, *source, len(photo.checked), changed])
    return text.getvalue()


def classes_txt() -> str:
    """Write the class of each index, one per line."""
    return "\n".join(CODES) + "\n"
