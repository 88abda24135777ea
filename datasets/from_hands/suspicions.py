"""Finds labels of stored hands that a person should review before training on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from hupai.datasets.from_hands.formats import file_name
from hupai.datasets.from_hands.labels import HandLabel
from hupai.datasets.real.check import SURE, Suspicion, check
from hupai.datasets.real.labels import LabelledPhoto
from hupai.scoring.tiles import Tile

Rivals = Mapping[str, Sequence[HandLabel]]
"""All labels of a photo, by its hash, for photos with more than one."""


def suspicions(photos: Iterable[HandLabel], images: Path, rivals: Rivals) -> tuple[Suspicion, ...]:
    """List suspicious labels: impossible counts and boxes, contradictions, confident readings.

    Args:
        photos: with the labels that were kept.
        images: the folder of their files.
        rivals: all labels of the photos that were labelled more than once.
    """
    found: list[Suspicion] = []
    for photo in photos:
        found += check([LabelledPhoto(images / file_name(photo), photo.yolo_labels)])
        found += _against_readings(photo)
        found += _contradictions(photo, rivals.get(photo.photo, ()))
        found += _wrong_hand(photo)
    return tuple(found)


def _against_readings(photo: HandLabel) -> Iterable[Suspicion]:
    """Yield labels that contradict a confident reading of the model."""
    for i, tile in enumerate(photo.checked):
        if tile.read not in (None, tile.tile, Tile.BACK) and tile.confidence >= SURE:
            what = f"{tile.tile.code}, read as {tile.read.code} with {tile.confidence:.2f}"
            yield Suspicion(photo.name, "reading", i, what)


def _contradictions(photo: HandLabel, labels: Sequence[HandLabel]) -> Iterable[Suspicion]:
    """Yield pairs of labels of one photo that name different hands."""
    for one, other in combinations(labels, 2):
        if one.faces != other.faces:
            said = [
                f"{label.origin} {label.id} ({label.author}): {label.hand}"
                for label in (one, other)
            ]
            yield Suspicion(photo.name, "contradiction", None, "; ".join(said))


def _wrong_hand(photo: HandLabel) -> Iterable[Suspicion]:
    """Yield faces that occur in the hand more often than in a tile set."""
    for tile in sorted(set(photo.faces)):
        times = photo.faces.count(tile)
        if times > (1 if tile.is_flower else 4) and tile is not Tile.BACK:
            yield Suspicion(photo.name, "hand", None, f"the hand holds {tile.code} {times} times")


def suspicions_jsonl(found: Iterable[Suspicion]) -> str:
    """Write one line per suspicion."""
    return "".join(
        json.dumps(
            {"photo": one.photo, "kind": one.kind, "box": one.box, "what": one.what},
            ensure_ascii=False,
        )
        + "\n"
        for one in found
    )
