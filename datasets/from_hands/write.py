"""Writes a labelled data set as a folder; the same hands give the same bytes.

images/          the photos, named by the start of their hash
labels/          YOLO: class, centre, size; tiles that a person checked
labels-obb/      YOLO-OBB: class and four corners of the same tiles
coco.json        all tiles, with ``checked``
hands.jsonl      the whole hand of each photo
photos.csv       table, scene, part of the split, author, time, weights that read it
splits.json      names of the photos of each part
classes.txt      the face of each class
suspicious.jsonl labels to look at
left-out.jsonl   stored hands that gave no label, and why
contact-sheet-*.jpg
manifest.json    counts, and the SHA-256 of every file above
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from hupai.datasets.from_hands import formats
from hupai.datasets.from_hands.labels import HandLabel, LeftOut
from hupai.datasets.from_hands.metadata import without_metadata
from hupai.datasets.from_hands.sheet import sheets
from hupai.datasets.from_hands.suspicions import suspicions, suspicions_jsonl
from hupai.datasets.from_hands.tables import HELD_OUT_PHOTOS, HELD_OUT_TABLE, TRAIN, Place, places
from hupai.datasets.real.check import Suspicion
from hupai.scoring.errors import HupaiError

MANIFEST = "manifest.json"
"""Name of the file that identifies a folder as an export."""


class ForeignFolderError(HupaiError):
    """The folder contains files that no export wrote; nothing was changed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} holds other files and is not a set of `from-hands`: name a new folder"
        )


@dataclass(frozen=True, slots=True)
class Written:
    """The result of an export.

    Attributes:
        photos: number of photos.
        tables: number of different tables that were recognised.
        parts: photos of each part of the split.
        suspicious: labels to review.
        digest: SHA-256 of the manifest, by which two exports are compared.
    """

    photos: int
    tables: int
    parts: dict[str, int]
    suspicious: tuple[Suspicion, ...]
    digest: str


def write_set(folder: Path, labels: Iterable[HandLabel], left_out: Sequence[LeftOut]) -> Written:
    """Replace an earlier export atomically.

    Args:
        folder: new, empty, or written by this function.
        labels: of stored hands and cases; of several labels of one photo the best is kept: a
            case's before a hand's, then the latest.
        left_out: hands that gave no label.

    Raises:
        ForeignFolderError: the folder holds something else.
        hupai.datasets.real.labels.LabelError: a photo cannot be decoded; the folder is unchanged.
        OSError: it cannot be written; the folder is unchanged.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise ForeignFolderError(folder)
    new = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    try:
        written = _write(new, labels, left_out)
        _swap(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return written


def _swap(new: Path, folder: Path) -> None:
    """Replace a folder by a finished one; if this fails, the old one is kept."""
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write(folder: Path, labels: Iterable[HandLabel], left_out: Sequence[LeftOut]) -> Written:
    by_photo: dict[str, list[HandLabel]] = {}
    for label in labels:
        by_photo.setdefault(label.photo, []).append(label)
    ranked = {photo: sorted(by_photo[photo], key=_worth) for photo in sorted(by_photo)}
    photos = [found[-1] for found in ranked.values()]
    where = places(photos)
    for name in ("images", "labels", "labels-obb"):
        (folder / name).mkdir(parents=True)
    for photo in photos:
        data = without_metadata(photo.load())
        (folder / "images" / formats.file_name(photo)).write_bytes(data)
        (folder / "labels" / f"{photo.name}.txt").write_text(formats.yolo(photo), "utf-8")
        (folder / "labels-obb" / f"{photo.name}.txt").write_text(formats.yolo_obb(photo), "utf-8")
    found = suspicions(photos, folder / "images", ranked)
    texts = {
        "coco.json": formats.coco(photos),
        "hands.jsonl": formats.hands_jsonl(photos, where),
        "photos.csv": formats.photos_csv(photos, where),
        "splits.json": _splits(photos, where),
        "classes.txt": formats.classes_txt(),
        "suspicious.jsonl": suspicions_jsonl(found),
        "left-out.jsonl": "".join(
            json.dumps({"id": one.id, "reason": one.reason}, ensure_ascii=False) + "\n"
            for one in sorted(left_out, key=lambda one: one.id)
        ),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    for number, sheet in enumerate(sheets(photos, where, found), 1):
        path = folder / f"contact-sheet-{number:03}.jpg"
        path.write_bytes(cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes())
    counts = dict(Counter(place.part for place in where))
    manifest = _manifest(folder, photos, where, counts, found)
    (folder / MANIFEST).write_text(manifest, "utf-8")
    digest = hashlib.sha256(manifest.encode()).hexdigest()
    return Written(len(photos), len({p.table for p in where}), counts, found, digest)


def _worth(label: HandLabel) -> tuple[bool, str, str]:
    """Order the labels of one photo, the best last."""
    return label.origin == "case", label.time, label.id


def _splits(photos: Sequence[HandLabel], where: Sequence[Place]) -> str:
    parts = {
        part: [photo.name for photo, at in zip(photos, where, strict=True) if at.part == part]
        for part in (TRAIN, HELD_OUT_PHOTOS, HELD_OUT_TABLE)
    }
    return json.dumps(parts, indent=1) + "\n"


def _manifest(
    folder: Path,
    photos: Sequence[HandLabel],
    where: Sequence[Place],
    parts: dict[str, int],
    found: Sequence[Suspicion],
) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    boxes = [tile for photo in photos for tile in photo.checked]
    document = {
        "format": "hupai-labels/1",
        "photos": len(photos),
        "confirmed_as_read": sum(not photo.corrected for photo in photos),
        "boxes": len(boxes),
        "boxes_changed": sum(tile.tile is not tile.read for tile in boxes),
        "tables": dict(sorted(Counter(place.table for place in where).items())),
        "parts": dict(sorted(parts.items())),
        "suspicious": dict(sorted(Counter(one.kind for one in found).items())),
        "sources": {photo.name: f"{photo.origin} {photo.id}" for photo in photos},
        "files": {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
