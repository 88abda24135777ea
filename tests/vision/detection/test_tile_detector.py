"""Which boxes the finder keeps, and when it passes over a picture again; the network's answers are
given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from hupai.models import registry
from hupai.vision.detection.onnx_session import Network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import DetectorNetwork, DetectorSettings
from hupai.vision.types import FloatArray

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


def photo() -> Picture:
    return Picture.of(np.zeros((448, 448, 3), np.uint8))


ROW = [(60.0 + 27 * i, 200.0, 0.85, 0.0) for i in range(8)]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ((276, 200, 0.22, 0.0), True),
        ((276, 200, 0.2, 0.0), False),  # too faint, whatever its name
        ((276, 200, 0.0, 0.1), True),  # backs score low
        ((63, 203, 0.3, 0.0), False),  # a second box around the first tile
    ],
)
def test_boxes_that_may_be_tiles_are_found(
    answer: tuple[float, float, float, float], found: bool
) -> None:
    assert len(Finder(Given(*ROW, answer)).find(photo()).boxes) == len(ROW) + found


@pytest.mark.parametrize("size", [(1, 20_000), (20_000, 1), (16, 448), (448, 16)])
@pytest.mark.parametrize("middle", [(20, 60), (60, 20), (60, 60)])
def test_what_lies_in_the_padding_beside_a_strip_is_no_tile(
    size: tuple[int, int], middle: tuple[float, float]
) -> None:
    strip = Picture.of(np.zeros((*size, 3), np.uint8))
    found = Finder(Given((*middle, 0.9, 0.0))).find(strip)
    assert (found.boxes[:, 2:] > found.boxes[:, :2]).all()


def test_a_finer_pass_is_trusted_more_and_keeps_what_it_does_not_find() -> None:
    class Passes(Given):
        def run(self, _: object, inputs: dict[str, Any]) -> list[FloatArray]:
            if inputs["images"].shape[-1] == 896:
                self.answers = tuple((2 * x, 2 * y, 0.8, 0.0) for x, y, *_ in ROW[:2])
                self.size = (2 * TILE[0], 2 * TILE[1])
            return super().run(_, inputs)

    found = Finder(Passes(*ROW[:3])).find(photo())
    assert found.boxes[:, 0].tolist() == [x - 13 for x, *_ in ROW[:3]]
    assert found.scores == pytest.approx([0.8, 0.8, 0.85 * 0.85])


@pytest.mark.parametrize(("tiles", "closer"), [(4, True), (5, False)])
def test_next_to_no_tiles_are_looked_at_more_closely(tiles: int, closer: bool) -> None:
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


def test_print_beside_the_tiles_does_not_call_for_a_closer_pass() -> None:
    tiles = [(100.0 + 50 * i, 100.0, 0.8, 0.0) for i in range(6)]
    print_ = [(20.0 + 15 * i, 300.0 + 15 * k, 0.3, 0.0) for i in range(12) for k in range(4)]

    class Sizes(Given):
        def run(self, _: object, inputs: dict[str, Any]) -> list[FloatArray]:
            (raw,) = super().run(_, inputs)
            raw[0, 2:4, len(tiles) :] = 12.0
            return [raw]

    finder = Finder(Sizes(*tiles, *print_, size=(48.0, 64.0)))
    passes = list(finder.passes(photo(), finder.coarse(photo())))
    assert [last for _, last in passes] == [True]
    found = passes[0][0]
    assert (np.diff(found.boxes[:, [0, 2]], axis=1) > 24).sum() == len(tiles)
    small = Finder(Sizes(*print_, size=(12.0, 12.0)))
    assert [last for _, last in small.passes(photo(), small.coarse(photo()))] == [False, True]
