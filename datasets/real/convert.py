"""Labels of other projects in the project's form: images/, labels/ (YOLO text) and classes.txt.

Reads YOLO folders, COCO and Pascal VOC files, and single tiles sorted into folders or listed in a
table. Names of classes are looked up by `face_of`: tile codes, the words of the public sources
(dots-1, bing1, honors-east, bonus-winter, Ton …), and what a class map of one's own says.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cv2

from hupai.datasets.real.labels import Label, LabelError, classes_text, parse, write
from hupai.scoring.tiles import CODES, Tile

_SUITS = {
    "m": ("m", "man", "wan", "character", "characters", "crak", "craks"),
    "p": ("p", "pin", "bing", "dot", "dots", "circle", "circles"),
    "s": ("s", "sou", "tiao", "bamboo", "bamboos", "bam", "stick", "sticks"),
}
_WORDS = {
    "E": ("east", "ton", "dong"), "S": ("south", "nan"), "W": ("west", "shaa", "xi"), "N": ("north", "pei", "bei"),
    "C": ("red", "chun", "zhong", "reddragon"), "F": ("green", "hatsu", "fa", "greendragon"),
    "P": ("white", "haku", "bai", "whitedragon"),
    "1h": ("spring",), "2h": ("summer",), "3h": ("autumn", "fall"), "4h": ("winter",),
    "5h": ("plum",), "6h": ("orchid",), "7h": ("bonusbamboo", "bamboo"), "8h": ("chrysanthemum", "chrysanth"),
}  # fmt: skip
_SUIT_OF = {word: suit for suit, words in _SUITS.items() for word in words}
_FACE_OF = {word: code for code, words in _WORDS.items() for word in words}
_GROUPS = (
    "honors",
    "honor",
    "honours",
    "bonus",
    "wind",
    "winds",
    "dragon",
    "dragons",
    "season",
    "flower",
)


@dataclass(frozen=True, slots=True)
class Converted:
    """How much was written: photos, labels, and boxes left out because their class is no tile."""

    photos: int
    labels: int
    left_out: int


def face_of(name: str, own: Mapping[str, str] | None = None) -> Tile | None:
    """The face that a class name means; None for a name the class map maps to nothing.

    Args:
        name: of the class.
        own: class map: name to tile code, empty for classes to leave out; asked first.

    Raises:
        LabelError: a name that nothing explains.
    """
    if own is not None and name in own:
        return Tile.from_code(own[name]) if own[name] else None
    if name in CODES:
        return Tile.from_code(name)
    words = [
        part
        for part in re.split(
            r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])", " ", name.lower())
        )
        if part
    ]
    numbers = [part for part in words if part.isdigit()]
    suits = [_SUIT_OF[part] for part in words if part in _SUIT_OF]
    if len(numbers) == 1 and suits and numbers[0] in "123456789":
        return Tile.from_code(numbers[0] + suits[0])
    rest = [part for part in words if part not in _GROUPS]
    if not numbers and len(rest) == 1 and rest[0] in _FACE_OF:
        return Tile.from_code(_FACE_OF[rest[0]])
    raise LabelError(f"what tile is {name!r}? Say so in the class map, or map it to nothing")


def from_yolo(
    folder: Path, names: Iterable[str], out: Path, own: Mapping[str, str] | None = None
) -> Converted:
    """A folder with images/ and labels/; `names` are its classes in order."""
    classes = [face_of(name, own) for name in names]
    photos = []
    left_out = 0
    for path in sorted((folder / "images").iterdir()):
        file = folder / "labels" / f"{path.stem}.txt"
        if file.is_file():
            text = file.read_text("utf-8")
            labels = parse(text, str(file), classes)
            left_out += sum(bool(line.strip()) for line in text.splitlines()) - len(labels)
            photos.append((path, labels))
    return _write(photos, out, left_out)


def from_coco(
    file: Path, images: Path, out: Path, own: Mapping[str, str] | None = None
) -> Converted:
    """A COCO annotation file; boxes are [x, y, width, height] in pixels (Lin et al., Microsoft
    COCO, 2014).
    """
    try:
        form: dict[str, Any] = json.loads(file.read_text("utf-8"))
        faces = {one["id"]: face_of(one["name"], own) for one in form["categories"]}
        sizes = {
            one["id"]: (one["file_name"], float(one["width"]), float(one["height"]))
            for one in form["images"]
        }
        labels: dict[Any, list[Label]] = {key: [] for key in sizes}
        left_out = 0
        for one in form["annotations"]:
            face = faces[one["category_id"]]
            _, width, height = sizes[one["image_id"]]
            x, y, w, h = (float(value) for value in one["bbox"])
            if face is None:
                left_out += 1
            else:
                labels[one["image_id"]].append(
                    (face, ((x + w / 2) / width, (y + h / 2) / height, w / width, h / height))
                )
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, LabelError):
            raise
        raise LabelError(f"{file}: no COCO annotations ({type(error).__name__}: {error})") from None
    return _write(
        [(images / sizes[key][0], tuple(found)) for key, found in labels.items()], out, left_out
    )


def from_voc(
    annotations: Path, images: Path, out: Path, own: Mapping[str, str] | None = None
) -> Converted:
    """A folder of Pascal VOC files, one XML a photo; boxes are corners in pixels."""
    photos: list[tuple[Path, tuple[Label, ...]]] = []
    left_out = 0
    for file in sorted(annotations.glob("*.xml")):
        try:
            root = ElementTree.fromstring(file.read_text("utf-8"))
            width, height = (float(_text(root, f"size/{side}")) for side in ("width", "height"))
            labels: list[Label] = []
            for item in root.iter("object"):
                face = face_of(_text(item, "name"), own)
                x0, y0, x1, y1 = (
                    float(_text(item, f"bndbox/{edge}"))
                    for edge in ("xmin", "ymin", "xmax", "ymax")
                )
                if face is None:
                    left_out += 1
                    continue
                labels.append(
                    (
                        face,
                        (
                            (x0 + x1) / 2 / width,
                            (y0 + y1) / 2 / height,
                            (x1 - x0) / width,
                            (y1 - y0) / height,
                        ),
                    )
                )
            photos.append((images / _text(root, "filename"), tuple(labels)))
        except (ElementTree.ParseError, ValueError, ZeroDivisionError) as error:
            if isinstance(error, LabelError):
                raise
            raise LabelError(f"{file}: no Pascal VOC annotation ({error})") from None
    return _write(photos, out, left_out)


def _text(node: ElementTree.Element, path: str) -> str:
    found = node.findtext(path)
    if found is None:
        raise ValueError(f"{path} is missing")
    return found.strip()


def from_class_folders(folder: Path, out: Path, own: Mapping[str, str] | None = None) -> Converted:
    """Single tiles, a folder a class, at any depth; each becomes a photo with one box all over
    it.
    """
    photos = []
    left_out = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in (".jpg", ".jpeg", ".png"):
            face = face_of(path.parent.name, own)
            left_out += face is None
            if face is not None:
                photos.append((path, _whole(face)))
    return _write(photos, out, left_out)


def from_table(
    table: Path, pictures: Path, out: Path, own: Mapping[str, str] | None = None
) -> Converted:
    """Single tiles listed in a CSV file with columns image-name and label-name."""
    photos = []
    left_out = 0
    with table.open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines):
            if "image-name" not in row or "label-name" not in row:
                raise LabelError(f"{table}: columns image-name and label-name are needed")
            face = face_of(row["label-name"], own)
            left_out += face is None
            if face is not None:
                photos.append((pictures / row["image-name"], _whole(face)))
    return _write(photos, out, left_out)


def _whole(face: Tile) -> tuple[Label, ...]:
    return ((face, (0.5, 0.5, 1.0, 1.0)),)


def _write(photos: Iterable[tuple[Path, tuple[Label, ...]]], out: Path, left_out: int) -> Converted:
    """Copy the photos and write their labels; photos of one name in several folders get a number.

    Raises:
        LabelError: a photo that is missing or cannot be decoded.
    """
    for folder in (out / "images", out / "labels"):
        folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    count = 0
    for path, labels in photos:
        if not path.is_file() or cv2.imread(str(path), cv2.IMREAD_REDUCED_GRAYSCALE_8) is None:
            raise LabelError(f"{path} is missing or no picture")
        stem, number = path.stem, 1
        while stem.casefold() in taken:
            number += 1
            stem = f"{path.stem}-{number}"
        taken.add(stem.casefold())
        shutil.copyfile(path, out / "images" / f"{stem}{path.suffix.lower()}")
        (out / "labels" / f"{stem}.txt").write_text(write(labels), "utf-8")
        count += len(labels)
    (out / "classes.txt").write_text(classes_text(), "utf-8")
    return Converted(len(taken), count, left_out)
