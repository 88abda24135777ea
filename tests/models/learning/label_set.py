"""A small set as `hupai datasets from-hands` writes it: photos of coarse noise, a hand on each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from hupai.datasets.from_hands.labels import HandLabel, TileLabel
from hupai.datasets.from_hands.write import write_set
from hupai.scoring.hand import Hand
from hupai.scoring.notation.hands import parse_hand

HAND = parse_hand("123456789m11444p")


def write(folder: Path, count: int, author: str = "anna", impossible: Hand | None = None) -> Path:
    """Write a set of so many photos, each of another table, the last with another hand."""
    hands = [*[HAND] * (count - 1), impossible or HAND]
    write_set(folder, [_label(seed, author, hand) for seed, hand in enumerate(hands)], ())
    return folder


def _label(seed: int, author: str, hand: Hand) -> HandLabel:
    coarse = np.random.default_rng(seed).integers(0, 256, (9, 16, 3), np.uint8)
    picture = cv2.resize(coarse, (640, 360), interpolation=cv2.INTER_CUBIC)
    data = cv2.imencode(".jpg", picture)[1].tobytes()
    tiles = []
    for column, face in enumerate(hand.all_tiles):
        x, y = 20.0 + 40 * column, 150.0
        quad = ((x, y), (x + 36, y), (x + 36, y + 50), (x, y + 50))
        tiles.append(TileLabel(quad, face, True, read=face, confidence=0.9))
    return HandLabel(
        id=f"hand-{seed}",
        origin="hand",
        photo=hashlib.sha256(data).hexdigest(),
        media_type="image/jpeg",
        size=(640, 360),
        load=_loader(data),
        hand=hand,
        tiles=tuple(tiles),
        author=author,
        time="2026-11-24T12:00:00+00:00",
        model=("default", "1", "0" * 64),
    )


def _loader(data: bytes) -> Callable[[], bytes]:
    return lambda: data
