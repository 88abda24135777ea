"""Estimates which photos of a data set would harm training most, before training on them.

A gradient step on one crop changes the loss of another by minus the product of their gradients
(Pruthi et al., Estimating Training Data Influence by Tracing Gradient Descent, 2020). For the last
layer a crop's gradient is ``(probabilities - label) x embedding``, so two runs of the shipped
network are enough. A label that contradicts hundreds of other crops of its face has a negative
product with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray


@dataclass(frozen=True, slots=True)
class Crops:
    """Crops as the shipped classifier sees them.

    Attributes:
        logits: shape (n, 44).
        embeddings: shape (n, d).
        classes: labels, shape (n,).
    """

    logits: FloatArray
    embeddings: FloatArray
    classes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PhotoHarm:
    """The estimated harm of a photo's labels.

    Attributes:
        photo: its name.
        harm: expected rise of the reference crops' mean loss per unit of learning rate, summed over
            its labels that raise it; 0 if none does.
        surprising: labels with a probability below 0.05, as (label, read, probability), the least
            probable first.
    """

    photo: str
    harm: float
    surprising: tuple[tuple[int, int, float], ...]


def harm_by_photo(
    own: Crops, photos: Sequence[str], reference: Crops, most: int = 2000
) -> tuple[PhotoHarm, ...]:
    """Rank photos, the most harmful first.

    Args:
        own: crops that would be trained on.
        photos: the photo of each of them.
        reference: crops whose labels are trusted: held-out photos and rendered scenes.
        most: greatest number of reference crops, sampled evenly.
    """
    rows = np.linspace(0, len(reference.classes) - 1, min(most, len(reference.classes)))
    chosen = rows.round().astype(int)
    probabilities = softmax(own.logits)
    errors, theirs = _errors(own), _errors(reference)[chosen]
    alike = (errors @ theirs.T) * (own.embeddings @ reference.embeddings[chosen].T)
    harm = -alike.mean(1) if len(chosen) else np.zeros(len(errors))
    names = np.array(photos)
    found = []
    for name in sorted(set(photos)):
        mine = np.flatnonzero(names == name)
        surprising = sorted(
            (float(probabilities[i, own.classes[i]]), int(own.classes[i]), int(read))
            for i, read in zip(mine, probabilities[mine].argmax(1), strict=True)
            if probabilities[i, own.classes[i]] < 0.05
        )
        found.append(
            PhotoHarm(
                name,
                float(harm[mine].clip(min=0).sum()),
                tuple((c, r, p) for p, c, r in surprising),
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.harm, one.photo)))


def _errors(crops: Crops) -> FloatArray:
    """Return probabilities less labels, shape (n, 44)."""
    errors = softmax(crops.logits).astype(np.float32)
    errors[np.arange(len(crops.classes)), crops.classes] -= 1
    return errors
