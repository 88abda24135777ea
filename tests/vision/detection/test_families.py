"""The network of a family decides which of its faces a tile shows, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection import onnx_session
from hupai.vision.detection.families import (
    CHARACTERS,
    FLOWERS,
    LEAST_EVIDENCE,
    Family,
    FamilyClassifier,
    with_family,
)
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_classifier import CLASSES, Outputs, TileClassifier
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray
from tests.vision.detection.networks import SETTINGS

SPRING, PLUM = Tile.from_code("1h"), Tile.from_code("5h")


class Seen(TileClassifier):
    """Sees these faces, each with `white` for the white dragon and `rest` for any other."""

    def __init__(self, *shown: Tile, rest: float = 3e-3, white: float = 0.1) -> None:
        self._settings, self.rest, self.white = SETTINGS, rest, white
        self._correction = self._recognise = None
        self.shown = shown

    def run(self, crops: FloatArray) -> Outputs:
        shares = np.full((len(crops), CLASSES + 1), self.rest, np.float32)
        shares[:, Tile.WHITE] = self.white
        shares[np.arange(len(crops)), np.resize(self.shown, len(crops))] = 0.9
        axes = np.tile(np.array([-1.0, 0.0], np.float32), (len(crops), 1))
        return Outputs(np.log(shares), axes, np.zeros((len(crops), 0), np.float32))


class Named(FamilyClassifier):
    """Names every tile this face, with log-odds against others outside, and counts the tiles."""

    def __init__(self, face: Tile, family: Family = FLOWERS, odds: float = 0.0) -> None:
        self.family, self.face, self.tiles, self.odds = family, face, 0, odds

    def logits(self, picture: Picture, places: NDArray[np.floating]) -> FloatArray:
        self.tiles += len(places)
        found = np.zeros((len(places), len(self.family.tiles)), np.float32)
        found[:, self.family.tiles.index(self.face)] = 12.0
        if self.family.judged_from is None:
            return found
        return np.concatenate([found, np.full((len(places), 1), 12.0 - self.odds)], 1)


def boxes(count: int) -> FloatArray:
    return np.array([[10 + 40 * k, 10, 40 + 40 * k, 50] for k in range(count)], np.float32)


PHOTO = Picture.of(np.full((80, 200, 3), 200, np.uint8))


def test_a_network_without_an_output_for_others_names_faces_of_its_family_only() -> None:
    names = Seen(Tile.M1, Tile.P1, Tile.M1)
    before = softmax(names.classify(PHOTO, boxes(3)).logits)
    named = Named(Tile.M5, CHARACTERS)
    names.families = (named,)
    after = softmax(names.classify(PHOTO, boxes(3)).logits)
    assert named.tiles == 2, "the 1p is of another suit"
    assert after.argmax(1).tolist() == [Tile.M5, Tile.P1, Tile.M5]
    of_family = before[:, CHARACTERS.classes].sum(1)
    assert after[:, CHARACTERS.classes].sum(1) == pytest.approx(of_family, abs=1e-4)
    assert after[:, Tile.WHITE] == pytest.approx(before[:, Tile.WHITE], abs=1e-4)


@pytest.mark.parametrize(("odds", "seen"), [(6.0, PLUM), (0.0, Tile.M1), (-6.0, Tile.M1)])
def test_the_network_for_flowers_says_whether_an_uncertain_tile_is_one(
    odds: float, seen: Tile
) -> None:
    names = Seen(Tile.M1)
    before = softmax(names.classify(PHOTO, boxes(1)).logits)[0]
    named = Named(PLUM, odds=odds)
    names.families = (named,)
    assert names.classify(PHOTO, boxes(1)).logits[0].argmax() == Tile.M1
    assert named.tiles == 0, "there may be no tile"
    after = softmax(names.classify(PHOTO, boxes(1), sure_tiles=np.array([True])).logits)[0]
    assert after.argmax() == seen

    def log_odds(shares: FloatArray) -> float:
        flower = float(shares[FLOWERS.classes].sum())
        return float(np.log(flower / (shares[: Tile.BACK].sum() - flower)))

    # A picture that the network does not know looks like no flower.
    evidence = max(odds, LEAST_EVIDENCE)
    assert log_odds(after) - log_odds(before) == pytest.approx(evidence, abs=1e-3)
    assert after[Tile.BACK :] == pytest.approx(before[Tile.BACK :], abs=1e-6)


def test_tiles_that_can_hardly_be_flowers_are_not_shown_to_their_network() -> None:
    names = Seen(Tile.M1, rest=1e-5)
    named = Named(PLUM)
    names.families = (named,)
    tiles = np.array([True])
    assert names.classify(PHOTO, boxes(1), sure_tiles=tiles).logits[0].argmax() == Tile.M1
    assert named.tiles == 0


def test_flowers_of_which_the_other_networks_are_sure_are_not_named_again() -> None:
    names = Seen(SPRING, rest=1e-5, white=1e-5)
    named = Named(PLUM)
    names.families = (named,)
    assert names.classify(PHOTO, boxes(1)).logits[0].argmax() == SPRING
    assert named.tiles == 0


def test_flowers_are_named_in_the_last_pass_only() -> None:
    names = Seen(SPRING)
    named = Named(PLUM)
    names.families = (named,)
    assert names.classify(PHOTO, boxes(1), again=False).logits[0].argmax() == SPRING
    assert named.tiles == 0


def test_each_family_has_its_own_network() -> None:
    names = Seen(SPRING, Tile.M1, Tile.P1, Tile.EAST, rest=1.2e-4)
    flowers, characters = Named(PLUM), Named(Tile.M5, CHARACTERS)
    names.families = (flowers, characters)
    found = names.classify(PHOTO, boxes(4), sure_tiles=np.ones(4, bool)).logits
    assert found.argmax(1).tolist() == [PLUM, Tile.M5, Tile.P1, Tile.EAST]
    assert (flowers.tiles, characters.tiles) == (1, 1), "dots and winds belong to neither"


def test_families_are_the_flowers_and_the_suit_of_characters() -> None:
    assert [tile.code for tile in CHARACTERS.tiles] == [f"{rank}m" for rank in range(1, 10)]
    assert [tile.code for tile in FLOWERS.tiles] == [f"{rank}h" for rank in range(1, 9)]


def test_both_opinions_count() -> None:
    sure = np.array([[6.0, 0, 0, 0, 0, 0, 0, 0, 0]], np.float32)
    doubtful = np.array([[1.0, 0, 0, 0, 0.9, 0, 0, 0, 0]], np.float32)
    other = np.array([[0, 0, 0, 0.6, 0, 0, 0, 0, 0]], np.float32)

    def combined(by_all: FloatArray, by_family: FloatArray) -> FloatArray:
        logits = np.full((1, CLASSES + 1), -9.0, np.float32)
        logits[:, CHARACTERS.classes] = by_all
        found = with_family(logits, by_family, CHARACTERS, np.array([True]))
        assert (np.delete(found, CHARACTERS.classes, 1) == -9).all()
        return found[:, CHARACTERS.classes]

    assert combined(doubtful, sure).argmax() == 0
    assert combined(sure, doubtful).argmax() == 0
    assert combined(sure, other).argmax() == 0, "hardly an objection"
    assert combined(other, sure).argmax() == 0
    total = np.log(np.exp(doubtful).sum())
    assert np.log(np.exp(combined(doubtful, sure)).sum()) == pytest.approx(total, abs=1e-5)


class Network:
    """Remembers its crops and favours the flower by how bright the upper half of a crop is."""

    def run(self, _: object, inputs: dict[str, FloatArray]) -> list[FloatArray]:
        self.crops = inputs["crops"]
        out = np.zeros((len(self.crops), 8), np.float32)
        out[:, 0] = self.crops[:, :, : FLOWERS.side // 2].mean((1, 2, 3))
        return [out]


def test_a_tile_is_seen_both_ways_up() -> None:
    image = np.zeros((80, 80, 3), np.uint8)
    image[:40] = 255
    flowers = FamilyClassifier.__new__(FamilyClassifier)
    flowers.family = FLOWERS
    network = flowers._network = Network()  # type: ignore[assignment]
    place = np.array([[[0, 0], [80, 0], [80, 80], [0, 80]]], float)
    found = flowers.logits(Picture.of(image), place)
    assert network.crops.shape == (2, 3, FLOWERS.side, FLOWERS.side)
    assert found[0, 0] == pytest.approx(0.5, abs=0.02), "bright one way up, dark the other"


def test_beside_a_flower_the_network_is_run_for_what_may_be_one() -> None:
    shares = np.full((4, CLASSES + 1), 1e-6, np.float32)
    shares[0, SPRING] = shares[0, PLUM] = 0.5
    shares[1:, Tile.S1] = 0.99
    shares[1:3, SPRING] = shares[1:3, PLUM] = 0.001
    places = boxes(4) - np.array([6, 0, 6, 0], np.float32) * np.arange(4, dtype=np.float32)[:, None]
    apart = places.copy()
    apart[2:] += 200
    tiles = np.zeros(4, bool)
    assert FLOWERS.doubtful(shares, apart, tiles).tolist() == [True, True, False, False]
    assert FLOWERS.doubtful(shares[1:], places[1:], tiles[1:]).tolist() == [False] * 3
    assert not CHARACTERS.doubtful(shares, places, tiles).any()


@pytest.mark.parametrize(("outputs", "says"), [(8, False), (9, True)])
def test_networks_trained_on_flowers_alone_do_not_say_whether_a_tile_is_one(
    outputs: int, says: bool
) -> None:
    class Trained(Network):
        def get_outputs(self) -> list[SimpleNamespace]:
            return [SimpleNamespace(name="logits", shape=["n", outputs])]

    family = FamilyClassifier(FLOWERS, cast(onnx_session.Network, Trained())).family
    assert (family.judged_from is not None) is says
    assert family.tiles == FLOWERS.tiles
