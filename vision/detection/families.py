"""Networks that classify faces within one family: the flowers, or the suit of characters.

Within such a family a character identifies the face, and it has too many forms for the networks
that classify all faces. Tile sets differ in the pictures on their flowers and in the order of the
numbers, and numerals are written in many ways. The network of a family is trained on its faces
alone, from many more sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import both_ways_up, mean_of_both
from hupai.vision.detection.onnx_session import Network
from hupai.vision.detection.picture import Picture
from hupai.vision.geometry.boxes import touching
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

MIN_FACE = 0.5
"""Probability of a face, or of a family, from which an uncertain tile is classified again."""


@dataclass(frozen=True, slots=True)
class Family:
    """Faces that one network classifies.

    Attributes:
        name: of the family, and of the network's role among the weights.
        tiles: the faces, in the order of the network's outputs.
        side: side of the network's input, pixels.
        sure: share of a face's probability within the family from which the network is not run.
        beside: probability of the family from which the network is run for a tile that touches one
            of the family; for all others it is `MIN_FACE`.
    """

    name: str
    tiles: tuple[Tile, ...]
    side: int
    sure: float
    beside: float = MIN_FACE

    @property
    def classes(self) -> NDArray[np.intp]:
        """Class indices of the faces, shape (k,)."""
        return np.array(self.tiles, np.intp)

    def doubtful(self, shares: FloatArray, boxes: FloatArray) -> NDArray[np.bool_]:
        """Return which tiles (n,) need the family's network.

        Args:
            shares: their probabilities (n, 44).
            boxes: shape (n, 4), pixels.
        """
        own = shares[:, self.classes]
        total = own.sum(1)
        least = np.full(len(boxes), MIN_FACE)
        members = total > MIN_FACE
        if self.beside < MIN_FACE and members.any():
            least[touching(boxes, boxes[members]).any(1)] = self.beside
        return np.asarray((total > least) & (own.max(1) < self.sure * total))


FLOWERS = Family("flowers", tuple(tile for tile in Tile if tile.is_flower), 96, 0.99, 1e-4)
"""The eight flowers and seasons. Their characters are the smallest, so crops are larger. On 1,089
found on held-out designs, accuracy is the same with any `sure` from 0.9 up, and log loss is lowest
from 0.99 up, where the network sees a third of them. Beside a flower, a tile that looks like
another face is often a flower whose picture is new to the network for all faces
(`hupai.vision.geometry.flower_groups`).
"""

CHARACTERS = Family("characters", tuple(Tile)[Tile.M1 : Tile.M9 + 1], 64, 0.999)
"""The suit of characters. Of 4,134 characters, winds and dragons on held-out designs, 113, 109 and
108 are misnamed with a `sure` of 0.97, 0.99 and 0.999; with the last, the network sees 29 %.
"""

FAMILIES = {family.name: family for family in (FLOWERS, CHARACTERS)}
"""All families that may have a network, by name."""


class FamilyClassifier:
    """The network that names the faces of one family; threads may share it.

    Attributes:
        family: the faces.
    """

    def __init__(self, family: Family, network: Network) -> None:
        """Name the k faces of a family.

        Args:
            family: the faces.
            network: input (n, 3, side, side), RGB from 0 to 1, output logits (n, k).
        """
        self.family, self._network = family, network

    def logits(self, picture: Picture, places: NDArray[np.floating]) -> FloatArray:
        """Return logits (n, k), the mean over both ways up.

        Args:
            picture: the picture that shows the tiles.
            places: shape (n, 4, 2), pixels, see `hupai.vision.detection.upright.upright_places`.
        """
        crops = both_ways_up(picture, places, self.family.side)
        return mean_of_both(self._network.run(["logits"], {"crops": crops})[0])


def combined_logits(by_all: FloatArray, by_family: FloatArray) -> FloatArray:
    """Add the logits (n, k) of two classifiers, but keep the first one's probability of the family.

    Args:
        by_all: calibrated logits of the networks for all faces.
        by_family: logits of the family's network.

    Returns:
        Logits (n, k) with the same total probability as `by_all`.
    """
    total = np.log(np.exp(by_all).sum(1, keepdims=True))
    shares = softmax(by_all + by_family)
    combined: FloatArray = total + np.log(np.maximum(shares, 1e-9))
    return combined
