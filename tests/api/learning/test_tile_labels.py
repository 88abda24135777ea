"""Which tile on the photo is which tile of the hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hupai.api.hands.corrected_reading import with_tiles
from hupai.api.learning.tile_labels import tile_labels
from hupai.scoring.tiles import Tile
from hupai.vision.types import GroupKind, Reading
from tests.api.service import HAND, recorded_reading


def without(reading: Reading, *gone: int) -> Reading:
    """The reading without some tiles, as if they had not been found."""
    return with_tiles(reading, (), gone)


def test_a_hand_with_a_tile_that_was_not_found_labels_the_others() -> None:
    reading = without(recorded_reading(), 0)
    labels = tile_labels(reading, reading, HAND)
    assert len(labels) == len(recorded_reading().tiles) - 1
    assert all(label.checked for label in labels)
    assert all(label.group is None for label in labels), "the groups of a whole hand alone teach"


@pytest.mark.parametrize("face", [Tile.M1, Tile.M2])
def test_a_tile_that_the_hand_names_otherwise_is_labelled_so(face: Tile) -> None:
    whole = recorded_reading()
    wrong = next(tile for tile in whole.tiles if tile.tile is face)
    tiles = (replace(one, tile=Tile.M8) if one is wrong else one for one in whole.tiles)
    raw = replace(whole, tiles=tuple(tiles))
    named = {i: label.tile for i, label in enumerate(tile_labels(raw, raw, HAND)) if label.checked}
    assert named[whole.tiles.index(wrong)] is face


def test_a_hand_with_two_other_faces_labels_nothing() -> None:
    reading = recorded_reading()
    other = replace(HAND, concealed=(Tile.M7, Tile.M8, *HAND.concealed[2:]))
    assert not any(label.checked for label in tile_labels(reading, reading, other))


def test_a_tile_added_to_a_concealed_kong_may_lie_face_down() -> None:
    whole = recorded_reading()
    kong = next(group for group in whole.groups if group.kind is GroupKind.CONCEALED_KONG)
    missed, *seen = kong.tiles
    raw = without(whole, missed)
    added = replace(whole.tiles[missed], id=900)
    corrected = replace(
        raw,
        tiles=(*raw.tiles, added),
        groups=tuple(
            replace(group, tiles=(*seen, 900)) if group.kind is kong.kind else group
            for group in raw.groups
        ),
    )
    checked = {i: one.checked for i, one in enumerate(tile_labels(raw, corrected, HAND))}
    assert [i for i, known in checked.items() if not known] == [len(raw.tiles)]
