"""What the tiles of a photo have in common beside their faces, on logits that are made up."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.detection.logit_bias import FORMER_NAME, NAME, logit_bias, mean_logits_by_class
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_classifier import Outputs, TileClassifier
from hupai.vision.detection.tile_detector import BoxDetections, DetectorSettings
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.types import FloatArray
from tests.vision.detection.networks import INFO, SETTINGS, GivenBoxes

FACES, NONE = 43, 43
MEANS = (np.eye(FACES, FACES + 1) * 8).astype(np.float32)
HAND = [
    Tile.from_code(code)
    for code in ("1m", "2m", "3m", "4m", "5m", "6m", "2p", "3p", "4p", "7s", "8s", "9s", "E", "E")
]


def seen(tiles: list[Tile], biases: dict[Tile, float]) -> FloatArray:
    """Return the logits of tiles by a classifier with the same bias at each of them."""
    logits = MEANS[[int(tile) for tile in tiles]].copy()
    for tile, bias in biases.items():
        logits[:, int(tile)] += np.float32(bias)
    return logits


def test_a_photo_like_those_of_training_has_no_bias() -> None:
    assert np.abs(logit_bias(seen(HAND, {}), MEANS, 10.0)).max() < 0.05


def test_the_common_bias_of_all_tiles_is_subtracted() -> None:
    nine = Tile.from_code("9m")
    logits = seen(HAND, {nine: 3.0})
    logits[5, int(Tile.from_code("6m"))] = 2.0  # drawn so that little of a 6m is seen in it
    assert logits[5].argmax() == int(nine)
    assert (logits - logit_bias(logits, MEANS, 10.0))[5].argmax() == int(Tile.from_code("6m"))
    assert (logits - logit_bias(logits, MEANS, 1000.0))[5].argmax() == int(nine), (
        "a photo is believed little then"
    )


def test_the_bias_of_a_tile_excludes_the_tile_itself() -> None:
    alone = seen(HAND[:1], {Tile.from_code("9m"): 6.0})
    np.testing.assert_array_equal(logit_bias(alone, MEANS, 10.0), np.zeros_like(alone))
    strange = seen(HAND, {})
    strange[3] += np.linspace(-2, 2, FACES + 1, dtype=np.float32)
    others = np.delete(np.arange(len(HAND)), 3)
    np.testing.assert_allclose(
        logit_bias(strange, MEANS, 10.0)[3], logit_bias(seen(HAND, {}), MEANS, 10.0)[3], atol=0.01
    )
    assert np.abs(logit_bias(strange, MEANS, 10.0)[others]).max() > 0.05


def test_non_tiles_are_ignored_and_order_does_not_matter() -> None:
    logits = seen(HAND, {Tile.from_code("7p"): 2.0})
    nothing = np.full((5, FACES + 1), -4, np.float32)
    nothing[:, NONE] = 12
    more = logit_bias(np.concatenate([logits, nothing]), MEANS, 10.0)[: len(HAND)]
    np.testing.assert_allclose(more, logit_bias(logits, MEANS, 10.0), atol=1e-3)
    order = np.random.default_rng(1).permutation(len(HAND))
    np.testing.assert_allclose(
        logit_bias(logits[order], MEANS, 10.0), logit_bias(logits, MEANS, 10.0)[order], atol=1e-4
    )


def test_the_table_comes_from_the_metadata_of_the_weights() -> None:
    assert mean_logits_by_class({}) is None
    for name in (NAME, FORMER_NAME):
        table = mean_logits_by_class({name: json.dumps(MEANS.tolist())})
        assert table is not None
        np.testing.assert_array_equal(table, MEANS)
    with pytest.raises(ValueError, match="a row for each class"):
        mean_logits_by_class({NAME: "[[1, 2], [3, 4]]"})


class Given(TileClassifier):
    """Classifies crops as given, and a doubtful one alike in every orientation."""

    def __init__(self, logits: FloatArray, means: FloatArray | None) -> None:
        self._settings, self._means = DetectorSettings(), means
        self._correction = self._recognise = None
        self.logits = logits

    def run(self, crops: FloatArray) -> Outputs:
        shares = np.exp(self.logits) / np.exp(self.logits).sum(1, keepdims=True)
        doubtful = self.logits[shares.max(1) < self._settings.sure]
        logits = self.logits if len(crops) == len(self.logits) else np.concatenate([doubtful] * 2)
        assert len(crops) == len(logits)
        return Outputs(
            logits.copy(),
            np.tile(np.array([1, 0], np.float32), (len(crops), 1)),
            np.zeros((len(crops), 0), np.float32),
        )


@pytest.mark.parametrize(("usual", "read"), [(MEANS, "6m"), (None, "9m")])
def test_the_detector_subtracts_the_bias_if_the_weights_have_mean_logits(
    usual: FloatArray | None, read: str
) -> None:
    logits = seen(HAND, {Tile.from_code("9m"): 3.0})
    logits[5, int(Tile.from_code("6m"))] = 2.0
    boxes = np.array([[10 + 30 * i, 10, 34 + 30 * i, 44] for i in range(len(HAND))], np.float32)
    faces = np.ones(len(HAND), np.float32)
    nothing = GivenBoxes(lambda _: boxes[:0])
    detector = TwoStageDetector(nothing, Given(logits, usual), INFO, SETTINGS)
    photo = Picture.of(np.zeros((60, 460, 3), np.uint8))
    found = detector.name(photo, BoxDetections(boxes, faces, 0 * faces))
    named = [Tile(int(face)).code for face in found.probabilities.argmax(1)]
    assert named == [*(tile.code for tile in HAND[:5]), read, *(tile.code for tile in HAND[6:])]
