"""What the finder keeps beside the tiles: boxes that a row may have room for. The network's answers
are given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from hupai.models import registry
from hupai.vision.detection.onnx_session import Network
from hupai.vision.detection.suppression import MAX_LOW_CONFIDENCE, beside
from hupai.vision.detection.tile_detector import DetectorNetwork, DetectorSettings
from hupai.vision.types import FloatArray, Image

TILE = (26.0, 36.0)


class Given:
    """Answers with boxes at middles (x, y), with scores of a face and of a back."""

    def __init__(
        self, *answers: tuple[float, float, float, float], size: tuple[float, float] = TILE
    ) -> None:
        self.answers, self.size = answers, size

    def run(self, _: object, inputs: dict[str, Any]) -> list[FloatArray]:
        columns = [[x, y, *self.size, face, back] for x, y, face, back in self.answers]
        return [np.array(columns, np.float32).T[None]]


class Finder(DetectorNetwork):
    def __init__(self, network: Given) -> None:
        self._settings = DetectorSettings()
        self._network = cast(Network, network)


def photo() -> Image:
    return np.zeros((448, 448, 3), np.uint8)


ROW = [(60.0 + 27 * i, 200.0, 0.85, 0.0) for i in range(8)]


def spare(*answers: tuple[float, float, float, float]) -> list[list[float]]:
    found = Finder(Given(*ROW, *answers)).find(photo())
    assert len(found.boxes) == len(ROW)
    assert found.low_confidence is not None
    return [
        [round(float(v)) for v in (box[:2] + box[2:]) / 2] for box in found.low_confidence.boxes
    ]


def test_boxes_beside_a_tile_are_kept_best_first() -> None:
    assert spare((276, 200, 0.0, 0.06), (303, 200, 0.1, 0.0)) == [[303, 200], [276, 200]]


@pytest.mark.parametrize(
    "answer",
    [
        (276, 200, 0.0, 0.03),  # too faint even for that
        (420, 400, 0.0, 0.1),  # far from every tile
        (66, 206, 0.1, 0.0),  # a part of a tile
    ],
)
def test_other_boxes_are_not_kept(answer: tuple[float, float, float, float]) -> None:
    assert spare(answer) == []


def test_one_box_a_place_and_not_too_many() -> None:
    assert spare((276, 200, 0.0, 0.06), (278, 202, 0.0, 0.05)) == [[276, 200]]
    many = [(60.0 + 27 * (i % 8), 160.0 + 80 * (i // 8), 0.0, 0.05) for i in range(16)]
    assert len(spare(*many)) == MAX_LOW_CONFIDENCE


@pytest.mark.parametrize("size", [(1, 20_000), (20_000, 1), (16, 448), (448, 16)])
@pytest.mark.parametrize("middle", [(20, 60), (60, 20), (60, 60)])
def test_what_lies_in_the_padding_beside_a_strip_is_no_tile(
    size: tuple[int, int], middle: tuple[float, float]
) -> None:
    found = Finder(Given((*middle, 0.9, 0.0))).find(np.zeros((*size, 3), np.uint8))
    assert (found.boxes[:, 2:] > found.boxes[:, :2]).all()
    assert found.low_confidence is None or len(found.low_confidence.boxes) == 0


class Turned:
    """Answers with one rectangle, 36 long and 26 wide, that is turned by an angle."""

    def __init__(self, angle: float) -> None:
        self.angle = angle

    def run(self, _: object, inputs: dict[str, Any]) -> list[FloatArray]:
        row = [100.0, 200.0, 36.0, 26.0, 0.9, 0.05, self.angle]
        return [np.array([row], np.float32).T[None]]


@pytest.mark.parametrize("degrees", [0, 30, 90, 120])
def test_a_network_that_predicts_angles_gives_corners(degrees: float) -> None:
    finder = Finder(Given())
    finder._network = cast(Network, Turned(np.radians(degrees)))
    found = finder._pass(photo(), 448)
    assert found.quads is not None
    (quad,) = found.quads
    assert quad.mean(0) == pytest.approx([100, 200])
    first = quad[1] - quad[0]
    assert np.hypot(*first) == pytest.approx(36)
    assert np.degrees(np.arctan2(first[1], first[0])) == pytest.approx(degrees)
    assert found.boxes[0] == pytest.approx(np.concatenate([quad.min(0), quad.max(0)]))
    moved = found.moved(np.array([5, -7])).only(np.array([0])).quads
    assert moved is not None
    assert moved[0] == pytest.approx(quad + np.array([5, -7]))


def test_boxes_of_another_size_are_not_kept() -> None:
    tiles = Finder(Given(*ROW)).find(photo()).boxes
    usual = np.array([[266, 182, 292, 218]], np.float32)
    assert beside(usual, np.full(1, 0.1, np.float32), tiles).tolist() == [0]
    large = np.array([[250, 150, 330, 250]], np.float32)
    assert len(beside(large, np.full(1, 0.1, np.float32), tiles)) == 0


def test_the_second_pass_adds_its_own_low_confidence_boxes() -> None:
    small = Finder(
        Given(
            *[(60.0 + 14 * i, 200.0, 0.85, 0.0) for i in range(8)],
            (172, 200, 0.0, 0.1),
            size=(13.0, 18.0),
        )
    )
    found = small.find(photo())
    assert found.low_confidence is not None
    assert len(found.low_confidence.boxes) >= 1


@pytest.mark.parametrize(("tiles", "closer"), [(12, True), (13, False)])
def test_fewer_tiles_than_a_hand_are_looked_at_more_closely(tiles: int, closer: bool) -> None:
    passes: list[int] = []

    class Noting(Given):
        def run(self, _: object, inputs: dict[str, Any]) -> list[FloatArray]:
            passes.append(inputs["images"].shape[-1])
            return super().run(_, inputs)

    finder = Finder(Noting(*[(40.0 + 28 * i, 200.0, 0.85, 0.0) for i in range(tiles)]))
    finder._settings = replace(finder._settings, few=registry.find(registry.DEFAULT).settings.few)
    finder.find(photo())
    assert passes[0] == 448
    assert (896 in passes) is closer
