"""Corrections of the public labels: their form, how they are applied, and that they fit the photos
where those are at hand.
"""

from __future__ import annotations

import json

import pytest

from hupai.datasets.real.patches import (
    Box,
    Split,
    box_patches,
    clutter_places,
    correct_boxes,
    correct_hand,
    crop_patches,
)
from hupai.scoring.tiles import CODES, Tile
from tests.shared import require_shared

SPLITS: tuple[Split, ...] = ("train", "dev")


@pytest.mark.parametrize("split", SPLITS)
def test_every_correction_changes_something_and_says_why(split: Split) -> None:
    patches = box_patches(split)
    assert patches
    for photo, entries in patches.items():
        assert len({(entry.was, entry.box) for entry in entries}) == len(entries), photo
        for entry in entries:
            assert entry.now is not entry.was
            assert entry.why


def test_crops_to_leave_out_are_none() -> None:
    assert crop_patches()["35.jpg"] is None


def test_boxes_are_relabelled_or_left_out_and_the_rest_stays() -> None:
    photo, entries = next(
        (photo, entries)
        for photo, entries in box_patches("train").items()
        if any(e.now is None for e in entries)
    )
    other: Box = (0.5, 0.5, 0.01, 0.01)
    labels = [(entry.was, entry.box) for entry in entries] + [(Tile.EAST, other)]
    expected = [(entry.now, entry.box) for entry in entries if entry.now is not None] + [
        (Tile.EAST, other)
    ]
    assert list(correct_boxes("train", photo, labels)) == expected
    assert correct_boxes("train", "no such photo", labels) == tuple(labels)


def test_the_placeholder_hand_becomes_the_hand_on_the_photo() -> None:
    hand = correct_hand("dev", "cm_039_red-floor", [Tile.P1] * 14)
    assert hand is not None
    assert [tile.code for tile in hand] == [
        "1p",
        "1p",
        "1p",
        "2p",
        "2p",
        "3p",
        "3p",
        "4p",
        "4p",
        "5p",
        "5p",
        "6p",
        "6p",
        "7p",
    ]


def test_a_hand_with_an_unreadable_tile_is_not_known() -> None:
    assert all(patch.unreadable for patch in box_patches("train")["ct_180_other"])
    assert correct_hand("train", "ct_180_other", [Tile.P1] * 14) is None


def test_an_unreadable_tile_has_no_correction() -> None:
    for split in SPLITS:
        for patch in (patch for entries in box_patches(split).values() for patch in entries):
            assert not patch.unreadable or patch.now is None, patch


@pytest.mark.shared
@pytest.mark.parametrize("split", SPLITS)
def test_corrections_fit_the_label_files(split: Split) -> None:
    labels = require_shared("photos", split, "labels")
    for photo, entries in box_patches(split).items():
        lines = [line.split() for line in (labels / f"{photo}.txt").read_text().splitlines()]
        boxes = {(CODES[int(line[0])], tuple(map(float, line[1:5]))) for line in lines}
        for entry in entries:
            assert (entry.was.code, entry.box) in boxes, f"{photo}: {entry}"


@pytest.mark.shared
@pytest.mark.parametrize("split", SPLITS)
def test_corrected_hands_are_possible(split: Split) -> None:
    for line in require_shared("photos", split, "hands.jsonl").read_text().splitlines():
        hand = json.loads(line)
        tiles = correct_hand(split, hand["photo"], map(Tile.from_code, hand["tiles"])) or ()
        for tile in set(tiles):
            assert tiles.count(tile) <= (1 if tile.is_flower else 4), (
                f"{hand['photo']}: {tile.code}"
            )


def test_clutter_lies_on_the_photo_and_is_not_among_the_tiles() -> None:
    places = clutter_places("train")
    assert places
    for photo, found in places.items():
        assert found.clutter or found.backs, photo
        for x0, y0, x1, y1 in (*found.clutter, *found.backs, *found.unlabelled_tiles):
            assert 0 <= x0 < x1 <= 1, photo
            assert 0 <= y0 < y1 <= 1, photo
        assert not set(found.clutter) & {*found.backs, *found.unlabelled_tiles}, photo


def test_an_unsearched_split_has_no_clutter() -> None:
    assert clutter_places("dev") == {}


@pytest.mark.shared
def test_clutter_keeps_away_from_the_labels() -> None:
    labels = require_shared("photos", "train", "labels")
    for photo, found in clutter_places("train").items():
        for line in (labels / f"{photo}.txt").read_text().splitlines():
            x, y, w, h = map(float, line.split()[1:5])
            for x0, y0, x1, y1 in (*found.clutter, *found.backs):
                across = min(x1, x + w / 2) - max(x0, x - w / 2)
                down = min(y1, y + h / 2) - max(y0, y - h / 2)
                assert max(across, 0) * max(down, 0) <= 0.26 * (x1 - x0) * (y1 - y0), photo
