"""Networks that classify faces within one family: the flowers, or the suit of characters.

Within such a family a character identifies the face, and it has too many forms for the networks
that classify all faces. Tile sets differ in the pictures on their flowers and in the order of the
numbers, and numerals are written in many ways. The network of a family is trained on its faces
alone, from many more sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import stacked
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray


@dataclass(frozen=True, slots=True)
class Family:
    """Faces that one network classifies.

    Attributes:
        name: of the family, and of the network's role among the weights.
        tiles: the faces, in the order of the network's outputs.
        side: of the network's input, pixels.
        sure: share of a face's probability within the family from which the network is not run.
    """

    name: str
    tiles: tuple[Tile, ...]
    side: int
    sure: float

    @property
    def classes(self) -> NDArray[np.intp]:
        """Class indices of the faces, shape (k,)."""
        return np.array(self.tiles, np.intp)


FLOWERS = Family("flowers", tuple(tile for tile in Tile if tile.is_flower), 96, 0.99)
"""The eight flowers and seasons. Their characters are the smallest, so crops are larger. Of 1,089
found on held-out designs as many are named correctly with any `sure` from 0.9, and log loss is
least from 0.99 on, where the network sees a third of them.
"""

CHARACTERS = Family("characters", tuple(Tile)[Tile.M1 : Tile.M9 + 1], 64, 0.999)
"""The suit of characters. Of 4,134 characters, winds and dragons on held-out designs 113, 109 and
108 are misnamed with a `sure` of 0.97, 0.99 and 0.999; with the last the network sees 29 %.
"""

FAMILIES = {family.name: family for family in (FLOWERS, CHARACTERS)}
"""All families that may have a network, by name."""


class FamilyClassifier:
    """The network that names the faces of one family; threads may share it.

    Attributes:
        family: the faces.
    """

    def __init__(
        self, family: Family, network: Path, threads: int = 0, providers: str | None = None
    ) -> None:
        """Open the network.

        Args:
            family: the faces it names.
            network: ONNX file; input (n, 3, side, side), RGB from 0 to 1, output logits (n, k) of
                the k faces of the family.
            threads, providers: see `hupai.vision.detection.onnx_session.open_network`.
        """
        self.family = family
        self._network = open_network(network, threads, providers)

    def logits(self, picture: Picture, places: NDArray[np.floating]) -> FloatArray:
        """Return logits (n, k), the mean over both ways up.

        Args:
            picture: that shows the tiles.
            places: shape (n, 4, 2), pixels, see `hupai.vision.detection.upright.upright_places`.
        """
        crops = picture.straightened(places, (self.family.side, self.family.side))
        both = stacked(np.concatenate([crops, np.rot90(crops, 2, (1, 2))]))
        found: FloatArray = self._network.run(["logits"], {"crops": both})[0]
        mean: FloatArray = found.reshape(2, len(crops), -1).mean(0)
        return mean


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
