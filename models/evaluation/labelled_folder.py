"""Photos with ground truth: YOLO labels, whole hands, or both.

A folder holds ``images/`` and at least one of these:

- ``labels/``, one text file per photo with lines ``class x y width height`` as fractions of the
  photo, and ``classes.txt`` with one tile code per line, here or in the parent folder;
- ``hands.jsonl``, one line per photo: ``{"photo", "tiles"}``, and optionally ``"melds"`` (each with
  ``kind``, ``tiles`` and ``claimed_from``), ``"winning_tile"`` and ``"table"``. ``tiles`` is the
  whole hand with melds and flowers; ``?`` is a tile lying face down.

``photos.csv`` (columns ``photo`` and ``table``) may name the table of each photo. For the public
folders ``train`` and ``dev`` the corrections of `hupai.datasets.real.patches` are applied unless
the labels are wanted as published.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from hupai.datasets.real.labels import SUFFIXES, Label, LabelError, corners, parse
from hupai.datasets.real.patches import BoxPatch, Split, box_patches, correct_boxes, correct_hand
from hupai.scoring.hand import MeldKind, Source
from hupai.scoring.tiles import Tile
from hupai.vision.types import FloatArray

TrueGroup = tuple[str, tuple[Tile, ...], str | None]
"""Kind, tiles ascending, and from whom it was claimed.

Kinds and sources are the values of `hupai.vision.types.GroupKind` and `hupai.scoring.hand.Source`.
"""

MELD_KINDS = frozenset(kind.value for kind in MeldKind)
"""Kinds of groups that are melds."""

_SOURCES: dict[object, str | None] = {None: None, 1: "left", 2: "across", 3: "right"} | {
    source.value: source.value for source in Source
}


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPhoto:
    """One photo with its ground truth.

    Attributes:
        path: the picture.
        table: the table and tile set it was taken at; photos of one table resemble each other.
        tiles: the labelled faces, one per box.
        boxes: shape (n, 4), fractions of the photo's width and height, ``[x0, y0, x1, y1]``.
        hand: the tiles of the whole hand, sorted; None if the labelled tiles are not a hand. In a
            photo with a hand, tiles outside the hand carry no label.
        groups: the groups of the hand; None if they are not known.
        melds: the melds of the hand; None if they are not known.
        winning_tile: the tile that completed the hand; None if it is not known.
        boxed: whether its tiles are labelled with boxes.
        patches: the corrections that were applied to its labels.
    """

    path: Path
    table: str
    tiles: tuple[Tile, ...]
    boxes: FloatArray
    hand: tuple[Tile, ...] | None = None
    groups: tuple[TrueGroup, ...] | None = None
    melds: tuple[TrueGroup, ...] | None = None
    winning_tile: Tile | None = None
    boxed: bool = True
    patches: tuple[BoxPatch, ...] = ()

    @property
    def corrections(self) -> int:
        """Number of corrected labels."""
        return len(self.patches)


@dataclass(frozen=True, slots=True)
class _TrueHand:
    tiles: tuple[Tile, ...]
    melds: tuple[TrueGroup, ...] | None
    winning_tile: Tile | None
    table: str


def read_folder(folder: Path, corrected: bool = True) -> tuple[LabelledPhoto, ...]:
    """Read the photos of a folder that have labels or a whole hand, by name.

    Args:
        folder: holds ``images``, and ``labels`` or ``hands.jsonl``.
        corrected: apply the known corrections of the public photos' labels.

    Raises:
        LabelError: if any of these is missing, or a line is malformed.
    """
    images, labels = folder / "images", folder / "labels"
    hands = _hands(_beside(folder, "hands.jsonl", above=False))
    for needed, there in ((images, images.is_dir()), (labels, labels.is_dir() or bool(hands))):
        if not there:
            raise LabelError(
                f"{needed} is missing: a labelled folder holds images/ with labels/ and "
                "classes.txt, or images/ with hands.jsonl"
            )
    classes = _classes(_beside(folder, "classes.txt")) if labels.is_dir() else ()
    tables = _tables(_beside(folder, "photos.csv"))
    split = public_split(folder) if corrected else None
    photos = []
    for path in sorted(images.iterdir()):
        file, hand = labels / f"{path.stem}.txt", hands.get(path.stem)
        if path.suffix.lower() not in SUFFIXES or not (file.is_file() or hand):
            continue
        boxes = parse(file.read_text("utf-8"), str(file), classes) if file.is_file() else None
        table = tables.get(path.stem) or (hand.table if hand else "")
        if not table:
            table = folder.resolve().name if boxes is None else path.stem.rpartition("_")[2]
        photos.append(_labelled(path, table, boxes, hand, split))
    return tuple(photos)


def public_split(folder: Path) -> Split | None:
    """Return which split of the public photos this folder is, judging by its name."""
    name = folder.resolve().name
    return "train" if name == "train" else "dev" if name == "dev" else None


def _labelled(
    path: Path,
    table: str,
    published: tuple[Label, ...] | None,
    hand: _TrueHand | None,
    split: Split | None,
) -> LabelledPhoto:
    labels, tiles = published or (), None if hand is None else hand.tiles
    patches: tuple[BoxPatch, ...] = ()
    if split is not None:
        patches = tuple(
            p for p in box_patches(split).get(path.stem, ()) if (p.was, p.box) in labels
        )
        labels = correct_boxes(split, path.stem, labels)
        tiles = None if tiles is None else correct_hand(split, path.stem, tiles)
    return LabelledPhoto(
        path=path,
        table=table,
        tiles=tuple(tile for tile, _ in labels),
        boxes=corners(labels).astype(np.float32),
        hand=tiles,
        melds=None if hand is None else hand.melds,
        winning_tile=None if hand is None else hand.winning_tile,
        boxed=published is not None,
        patches=patches,
    )


def from_every_table(photos: Sequence[LabelledPhoto], count: int) -> tuple[LabelledPhoto, ...]:
    """Choose at most `count` photos, alternating between tables, photos with a hand first."""
    waiting = [
        sorted(
            (photo for photo in photos if photo.table == table),
            key=lambda photo: photo.hand is None,
        )
        for table in sorted({photo.table for photo in photos})
    ]
    turns = (photo for turn in zip_longest(*waiting) for photo in turn if photo is not None)
    return tuple(islice(turns, count))


def _beside(folder: Path, name: str, above: bool = True) -> Path | None:
    """Find a file in the folder or in its parent."""
    places = (folder, folder.resolve().parent) if above else (folder,)
    return next((place / name for place in places if (place / name).is_file()), None)


def _classes(path: Path | None) -> tuple[Tile, ...]:
    if path is None:
        raise LabelError(
            "classes.txt is missing: one tile code a line, in the order of the label indices"
        )
    try:
        return tuple(Tile.from_code(code) for code in path.read_text("utf-8").split())
    except ValueError as error:
        raise LabelError(f"{path}: {error}") from None


def _hands(path: Path | None) -> dict[str, _TrueHand]:
    """Read hands.jsonl: the hand of each photo, by the photo's name without extension."""
    hands: dict[str, _TrueHand] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines() if path else (), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            hands[_stem(row["photo"])] = _hand(row)
        except (ValueError, KeyError, TypeError) as error:
            raise LabelError(
                f'{path}, line {number}: expected {{"photo": …, "tiles": […]}} ({error})'
            ) from None
    return hands


def _stem(photo: str) -> str:
    """Return a photo's name without extension; names may contain dots and lack an extension."""
    name = Path(photo).name
    return Path(name).stem if Path(name).suffix.lower() in SUFFIXES else name


def _hand(row: dict[str, Any]) -> _TrueHand:
    tiles = Counter(Tile.from_code(code) for code in row["tiles"])
    melds = []
    for meld in row.get("melds") or ():
        shown = [Tile.from_code(code) for code in meld["tiles"]]
        if meld["kind"] not in MELD_KINDS or Counter(shown) - tiles:
            raise ValueError(f"{meld} is no meld of these tiles")
        faces = known_faces(shown)
        tiles = tiles - Counter(shown) + Counter(faces)
        melds.append((meld["kind"], tuple(sorted(faces)), _SOURCES[meld.get("claimed_from")]))
    winning = row.get("winning_tile")
    return _TrueHand(
        tuple(sorted(tiles.elements())),
        tuple(melds) if row.get("melds") is not None else None,
        Tile.from_code(winning) if winning else None,
        str(row.get("table", "")),
    )


def known_faces(shown: Iterable[Tile]) -> tuple[Tile, ...]:
    """Give the face-down tiles of a kong the face that its other tiles show, if any."""
    tiles = tuple(shown)
    faces = [tile for tile in tiles if tile is not Tile.BACK]
    return tuple(faces[0] if tile is Tile.BACK and faces else tile for tile in tiles)


def _tables(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            _stem(row["photo"]): row["table"]
            for row in csv.DictReader(lines)
            if row.get("photo") and row.get("table")
        }
