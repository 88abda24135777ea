"""Networks that classify faces within one family: the flowers, or the suit of characters.

Within such a family a character identifies the face, and it has too many forms for the networks
that classify all faces. Tile sets differ in the pictures on their flowers and in the order of the
numbers, and numerals are written in many ways. The network of a family is trained on its faces from
many more sets. That of the flowers is also trained on all other faces and says whether a tile is a
flower at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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

SURE_FACE = 0.99
"""Probability of a face from which no family's network judges the tile."""

LEAST_EVIDENCE = -1.0
"""Least log-odds of a family against other faces that its network may give: a flower whose picture
is unlike those in training looks like no flower.
"""


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
        judged_from: probability of the family from which its network judges whether a tile with an
            uncertain face belongs to it; this needs one more output, for all other faces. None if
            the network lacks it.
    """

    name: str
    tiles: tuple[Tile, ...]
    side: int
    sure: float
    beside: float = MIN_FACE
    judged_from: float | None = None

    @property
    def classes(self) -> NDArray[np.intp]:
        """Class indices of the faces, shape (k,)."""
        return np.array(self.tiles, np.intp)

    def doubtful(
        self, shares: FloatArray, boxes: FloatArray, sure_tiles: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return which boxes (n,) need the family's network.

        Args:
            shares: their probabilities (n, 44).
            boxes: shape (n, 4), pixels.
            sure_tiles: shape (n,), those that certainly hold a tile.
        """
        own = shares[:, self.classes]
        total = own.sum(1)
        least = np.full(len(boxes), MIN_FACE)
        members = total > MIN_FACE
        if self.beside < MIN_FACE and members.any():
            least[touching(boxes, boxes[members]).any(1)] = self.beside
        chosen = (total > least) & (own.max(1) < self.sure * total)
        if self.judged_from is not None:
            faces = shares[:, : Tile.BACK]
            uncertain = (faces.sum(1) > MIN_FACE) & (faces.max(1) < SURE_FACE)
            chosen |= uncertain & sure_tiles & (total > self.judged_from)
        return np.asarray(chosen)


FLOWERS = Family("flowers", tuple(tile for tile in Tile if tile.is_flower), 96, 0.99, 1e-4, 0.01)
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
            network: input (n, 3, side, side), RGB from 0 to 1, output logits (n, k), or (n, k + 1)
                if the family has an output for all other faces; networks of flowers trained before
                2026.12.2 lack it.
        """
        if network.get_outputs()[0].shape[-1] == len(family.tiles):
            family = replace(family, judged_from=None)
        self.family, self._network = family, network

    def logits(self, picture: Picture, places: NDArray[np.floating]) -> FloatArray:
        """Return logits (n, k) or (n, k + 1), the mean over both ways up.

        Args:
            picture: the picture that shows the tiles.
            places: shape (n, 4, 2), pixels, see `hupai.vision.detection.upright.upright_places`.
        """
        crops = both_ways_up(picture, places, self.family.side)
        return mean_of_both(self._network.run(["logits"], {"crops": crops})[0])


def with_family(
    logits: FloatArray, by_family: FloatArray, family: Family, sure_tiles: NDArray[np.bool_]
) -> FloatArray:
    """Combine the logits of the networks for all faces with those of a family's network.

    Within the family both are added. The other networks alone decide how probable the family is,
    unless its network has an output for all other faces: then the odds of the family against other
    faces are multiplied. Whether there is a tile, and whether it lies face down, is left to the
    other networks; as the family's network knows only tiles, its odds count only where there
    certainly is one.

    Args:
        logits: calibrated, shape (n, 44).
        by_family: shape (n, k), or (n, k + 1) with an output for all other faces.
        family: the k faces.
        sure_tiles: shape (n,), the boxes that certainly hold a tile.

    Returns:
        Logits (n, 44).
    """
    own, members = logits[:, family.classes], by_family[:, : len(family.tiles)]
    total, combined = _log_sum(own), logits.copy()
    if family.judged_from is not None:
        others = np.delete(np.arange(Tile.BACK), family.classes)
        rest = _log_sum(logits[:, others])
        evidence = np.maximum(_log_sum(members) - by_family[:, -1:], LEAST_EVIDENCE)
        odds = total - rest + np.where(sure_tiles[:, None], evidence, 0.0)
        both = np.logaddexp(total, rest)
        total = both - np.logaddexp(0, -odds)
        combined[:, others] += both - np.logaddexp(0, odds) - rest
    shares = np.maximum(softmax(own + members), 1e-9)
    combined[:, family.classes] = total + np.log(shares)
    return combined


def _log_sum(logits: FloatArray) -> FloatArray:
    """Return the logarithms (n, 1) of the sums of exponentials of each row (n, k)."""
    highest = logits.max(1, keepdims=True)
    total: FloatArray = highest + np.log(np.exp(logits - highest).sum(1, keepdims=True))
    return total
