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
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.models import registry
from hupai.models.learning.set_crops import SetCrops
from hupai.models.training.classifier.crops import central_crops
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

OLD_CROPS = 1200
"""Maximum number of crops of rendered scenes and earlier photos that serve as a reference."""

BATCH = 64
"""Crops in one run of the network."""


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


def estimate(
    shipped: registry.Entry, own: SetCrops, held_out: SetCrops, old: Path
) -> tuple[PhotoHarm, ...]:
    """Rank the photos of a set by the shipped classifier, the most harmful first.

    Args:
        shipped: weights that training starts from.
        own: crops that would be trained on.
        held_out: crops of held-out photos.
        old: file of crops of rendered scenes and earlier photos.
    """
    classifier = TileClassifier(open_network(shipped.path("classifier")), shipped.settings)
    with np.load(old) as stored:
        count = len(stored["classes"])
        rows = np.linspace(0, count - 1, min(OLD_CROPS, count)).round().astype(int)
        patches, classes = stored["patches"][rows], stored["classes"][rows]
    if held_out.photos:
        more, named, *_ = held_out.patches.arrays()
        patches, classes = np.concatenate([patches, more]), np.concatenate([classes, named])
    mine, labels, *_ = own.patches.arrays()
    side = shipped.settings.crop
    reference = _seen(classifier, side, patches, classes)
    return harm_by_photo(_seen(classifier, side, mine, labels), own.photos, reference)


def _seen(
    classifier: TileClassifier,
    side: int,
    patches: NDArray[np.uint8],
    classes: NDArray[np.integer],
) -> Crops:
    """Run the classifier on the centres of patches, cut to its input side, as at inference."""
    found = [
        classifier.embed(central_crops(patches[start : start + BATCH], side))
        for start in range(0, len(patches), BATCH)
    ]
    logits, embeddings = (np.concatenate(part) for part in zip(*found, strict=True))
    return Crops(logits, embeddings, classes.astype(np.int64))


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
    """Return probabilities minus one-hot labels, shape (n, 44)."""
    errors = softmax(crops.logits).astype(np.float32)
    errors[np.arange(len(crops.classes)), crops.classes] -= 1
    return errors
