"""Converts labels of other projects to images/, labels/ (YOLO text) and classes.txt.

Reads YOLO folders, COCO and Pascal VOC files, and single tiles sorted into folders or listed in a
table. `face_of` looks class names up: tile codes, the words of the public sources (dots-1, bing1,
honors-east, bonus-winter, Ton …), and the entries of a custom class map.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cv2

from hupai.datasets.real.labels import LabelError, classes_text, parse_indices, write
from hupai.datasets.real.patches import Box
from hupai.scoring.tiles import CODES, Tile

_SUITS = {
    "m": "m man wan character characters crak craks",
    "p": "p pin bing dot dots circle circles",
    "s": "s sou tiao bamboo bamboos bam stick sticks",
}
_FACES = {
    "E": "east ton dong",
    "S": "south nan",
    "W": "west shaa xi",
    "N": "north pei bei",
    "C": "red chun zhong reddragon",
    "F": "green hatsu fa greendragon",
    "P": "white haku bai whitedragon",
    "1h": "spring",
    "2h": "summer",
    "3h": "autumn fall",
    "4h": "winter",
    "5h": "plum",
    "6h": "orchid",
    "7h": "bonusbamboo bamboo",
    "8h": "chrysanthemum chrysanth",
}
_SUIT_OF = {word: suit for suit, words in _SUITS.items() for word in words.split()}
_FACE_OF = {word: code for code, words in _FACES.items() for word in words.split()}
_GROUPS = frozenset(
    {
        "honor",
        "honors",
        "honours",
        "bonus",
        "wind",
        "winds",
        "dragon",
        "dragons",
        "season",
        "flower",
    }
)

ClassMap = Mapping[str, str]
"""Class name to tile code, empty for classes to leave out."""

Photo = tuple[Path, Sequence[tuple[Tile | None, Box]]]
"""A photo and its boxes; the face is None for classes that are left out."""


@dataclass(frozen=True, slots=True)
class Converted:
    """Counts of what was written.

    Attributes:
        photos, labels: numbers of photos and labels.
        skipped: boxes of classes that the class map leaves out.
    """

    photos: int
    labels: int
    skipped: int


def face_of(name: str, own: ClassMap | None = None) -> Tile | None:
    """Return the face of a class name; None if the class map leaves it out.

    Args:
        name: name of the class.
        own: custom class map, which takes precedence over the known words.

    Raises:
        LabelError: if the name is unknown.
    """
    if own is not None and name in own:
        return Tile.from_code(own[name]) if own[name] else None
    if name in CODES:
        return Tile.from_code(name)
    words = re.findall(r"[a-z]+|[0-9]+", name.lower())
    numbers = [word for word in words if word.isdigit()]
    suits = [_SUIT_OF[word] for word in words if word in _SUIT_OF]
    if len(numbers) == 1 and suits and numbers[0] in tuple("123456789"):
        return Tile.from_code(numbers[0] + suits[0])
    rest = [word for word in words if word not in _GROUPS]
    if not numbers and len(rest) == 1 and rest[0] in _FACE_OF:
        return Tile.from_code(_FACE_OF[rest[0]])
    raise LabelError(f"what tile is {name!r}? Say so in the class map, or map it to nothing")


def from_yolo(
    folder: Path, names: Iterable[str], out: Path, own: ClassMap | None = None
) -> Converted:
    """Convert a folder with images/ and labels/; `names` are its classes in order."""
    faces = [face_of(name, own) for name in names]

    def photos() -> Iterator[Photo]:
        for path in sorted((folder / "images").iterdir()):
            file = folder / "labels" / f"{path.stem}.txt"
            if file.is_file():
                rows = parse_indices(file.read_text("utf-8"), str(file), len(faces))
                yield path, [(faces[index], box) for index, box in rows]

    return _write(photos(), out)


def from_coco(file: Path, images: Path, out: Path, own: ClassMap | None = None) -> Converted:
    """Convert a COCO annotation file; boxes are [x, y, width, height] in pixels.

    Source: Lin et al., Microsoft COCO, 2014.
    """
    try:
        form: dict[str, Any] = json.loads(file.read_text("utf-8"))
        faces = {one["id"]: face_of(one["name"], own) for one in form["categories"]}
        sizes = {one["id"]: (float(one["width"]), float(one["height"])) for one in form["images"]}
        labels: dict[Any, list[tuple[Tile | None, Box]]] = {key: [] for key in sizes}
        for one in form["annotations"]:
            width, height = sizes[one["image_id"]]
            x, y, w, h = (float(value) for value in one["bbox"])
            box = ((x + w / 2) / width, (y + h / 2) / height, w / width, h / height)
            labels[one["image_id"]].append((faces[one["category_id"]], box))
        photos = [(images / one["file_name"], labels[one["id"]]) for one in form["images"]]
    except LabelError:
        raise
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise LabelError(f"{file}: no COCO annotations ({type(error).__name__}: {error})") from None
    return _write(photos, out)


def from_voc(annotations: Path, images: Path, out: Path, own: ClassMap | None = None) -> Converted:
    """Convert a folder of Pascal VOC files, one XML per photo; boxes are corners in pixels."""
    return _write((_voc(file, images, own) for file in sorted(annotations.glob("*.xml"))), out)


def _voc(file: Path, images: Path, own: ClassMap | None) -> Photo:
    try:
        root = ElementTree.fromstring(file.read_text("utf-8"))
        width, height = (float(_text(root, f"size/{side}")) for side in ("width", "height"))
        labels = []
        for item in root.iter("object"):
            x0, y0, x1, y1 = (
                float(_text(item, f"bndbox/{edge}")) for edge in ("xmin", "ymin", "xmax", "ymax")
            )
            centre = ((x0 + x1) / 2 / width, (y0 + y1) / 2 / height)
            box = (*centre, (x1 - x0) / width, (y1 - y0) / height)
            labels.append((face_of(_text(item, "name"), own), box))
        return images / _text(root, "filename"), labels
    except LabelError:
        raise
    except (ElementTree.ParseError, ValueError, ZeroDivisionError) as error:
        raise LabelError(f"{file}: no Pascal VOC annotation ({error})") from None


def _text(node: ElementTree.Element, path: str) -> str:
    found = node.findtext(path)
    if found is None:
        raise ValueError(f"{path} is missing")
    return found.strip()


def from_class_folders(folder: Path, out: Path, own: ClassMap | None = None) -> Converted:
    """Convert single tiles, one folder per class, at any depth; each becomes a photo of one box."""
    paths = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in (".jpg", ".jpeg", ".png")]
    return _write_tiles(((path, face_of(path.parent.name, own)) for path in paths), out)


def from_table(table: Path, pictures: Path, out: Path, own: ClassMap | None = None) -> Converted:
    """Convert single tiles listed in a CSV file with columns image-name and label-name."""
    with table.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    if any("image-name" not in row or "label-name" not in row for row in rows):
        raise LabelError(f"{table}: columns image-name and label-name are needed")
    tiles = ((pictures / row["image-name"], face_of(row["label-name"], own)) for row in rows)
    return _write_tiles(tiles, out)


def _write_tiles(tiles: Iterable[tuple[Path, Tile | None]], out: Path) -> Converted:
    """Write pictures of single tiles; non-tiles are skipped."""
    photos = [(path, [(face, (0.5, 0.5, 1.0, 1.0))]) for path, face in tiles]
    kept = [photo for photo in photos if photo[1][0][0] is not None]
    done = _write(kept, out)
    return Converted(done.photos, done.labels, len(photos) - len(kept))


def _write(photos: Iterable[Photo], out: Path) -> Converted:
    """Copy the photos and write their labels; of equal names, all but the first get a number.

    Raises:
        LabelError: a photo is missing or cannot be decoded.
    """
    for folder in (out / "images", out / "labels"):
        folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    count = skipped = 0
    for path, boxes in photos:
        if not path.is_file() or cv2.imread(str(path), cv2.IMREAD_REDUCED_GRAYSCALE_8) is None:
            raise LabelError(f"{path} is missing or no picture")
        stem, number = path.stem, 1
        while stem.casefold() in taken:
            number += 1
            stem = f"{path.stem}-{number}"
        taken.add(stem.casefold())
        labels = [(face, box) for face, box in boxes if face is not None]
        shutil.copyfile(path, out / "images" / f"{stem}{path.suffix.lower()}")
        (out / "labels" / f"{stem}.txt").write_text(write(labels), "utf-8")
        count, skipped = count + len(labels), skipped + len(boxes) - len(labels)
    (out / "classes.txt").write_text(classes_text(), "utf-8")
    return Converted(len(taken), count, skipped)
