"""A set learnt from a few views: with a made-up embedder, whose embeddings are the crop's own
pixels, and the shipped weights.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from hupai.datasets.faces.svg import face_rgba
from hupai.models import registry
from hupai.scoring.tiles import Tile
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.enrolment.discriminant import DEFAULT_FIT, MARGIN, SIDE, TileSet, fit, recognised
from hupai.vision.types import FloatArray

FACES = (Tile.M1, Tile.P5, Tile.S9, Tile.EAST)


class Pixels:
    """Embeds a crop as its 8 by 8 grey picture and takes every tile for 1m."""

    crop = 16

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        logits = np.full((len(crops), 44), -6, np.float32)
        logits[:, [int(face) for face in FACES]] = 0
        logits[:, Tile.M1] = 0.3
        grey = crops.mean(1).reshape(len(crops), 8, 2, 8, 2).mean((2, 4))
        # Quarter turns change nothing.
        every = sum(np.rot90(grey, turns, (1, 2)) for turns in range(4)) / 4
        return logits, np.asarray(every, np.float32).reshape(len(crops), 64)


def view(number: int) -> np.ndarray:
    """A picture of its own for each number, the tile filling what the margin leaves."""
    tile = np.random.default_rng(number).integers(0, 256, (6, 6, 1)).repeat(3, 2).astype(np.uint8)
    picture = np.full((SIDE, SIDE, 3), 114, np.uint8)
    side = round(SIDE / MARGIN)
    low = (SIDE - side) // 2
    picture[low : low + side, low : low + side] = cv2.resize(
        tile, (side, side), interpolation=cv2.INTER_CUBIC
    )
    return picture


def taught(views: int = 2, photos: int = 1) -> TileSet:
    faces = np.repeat(np.asarray([int(face) for face in FACES], np.int16), views)
    pictures = np.stack([view(int(face)) for face in faces])
    return TileSet(
        "made up",
        "2026-11-21T12:00:00+00:00",
        faces,
        pictures,
        (np.arange(len(faces)) % photos).astype(np.int16),
    )


def crops_of(*numbers: int) -> FloatArray:
    low = round(SIDE * (1 - 1.06 / MARGIN) / 2)
    cut = [
        cv2.resize(
            view(n)[low : SIDE - low, low : SIDE - low], (16, 16), interpolation=cv2.INTER_AREA
        )
        for n in numbers
    ]
    return (np.stack(cut).transpose(0, 3, 1, 2) / 255).astype(np.float32)


def test_the_faces_of_the_set_are_named_though_the_classifier_knows_none() -> None:
    fitted = fit(taught(), Pixels())
    logits, embeddings = Pixels().embed(crops_of(*map(int, FACES)))
    assert logits.argmax(1).tolist() == [int(Tile.M1)] * 4
    assert fitted.corrected(logits, embeddings).argmax(1).tolist() == [int(face) for face in FACES]


def test_the_same_set_gives_the_same_result() -> None:
    first, second = fit(taught(), Pixels()), fit(taught(), Pixels())
    assert np.array_equal(first.means, second.means)
    assert np.array_equal(first.whiten, second.whiten)


def test_probability_moves_among_the_faces_of_the_set_only() -> None:
    fitted = fit(taught(), Pixels())
    logits, embeddings = Pixels().embed(crops_of(*map(int, FACES)))
    logits[:, Tile.BACK] = 2.5
    logits[:, Tile.M7] = 1.5
    before, after = softmax(logits), softmax(fitted.corrected(logits, embeddings))
    others = [face for face in range(44) if face not in [int(f) for f in FACES]]
    assert after[:, others] == pytest.approx(before[:, others], abs=1e-5)


def test_a_crop_like_no_face_keeps_its_distribution() -> None:
    fitted = fit(taught(), Pixels())
    logits, embeddings = Pixels().embed(crops_of(1001, 1002))
    far = embeddings * 50
    assert softmax(fitted.corrected(logits, far)) == pytest.approx(softmax(logits), abs=1e-5)


def test_faces_that_the_classifier_reads_right_are_left_to_it() -> None:
    class Knowing(Pixels):
        """Knows the four faces, and says so."""

        def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
            _, embeddings = super().embed(crops)
            _, known = super().embed(crops_of(*map(int, FACES)))
            nearest = ((embeddings[:, None] - known[None]) ** 2).sum(2).argmin(1)
            logits = np.zeros((len(crops), 44), np.float32)
            logits[np.arange(len(crops)), np.asarray([int(face) for face in FACES])[nearest]] = 6
            return logits, embeddings

    assert fit(taught(8), Knowing()).weight < fit(taught(8), Pixels()).weight / 5


def test_the_light_of_a_photo_is_separated_from_its_faces() -> None:
    fitted = fit(taught(), Pixels())
    logits, embeddings = Pixels().embed(crops_of(*[int(face) for face in FACES] * 4))
    brighter = embeddings + np.float32(0.15)
    shared = fitted.shared(logits, brighter)
    assert 0.08 < float(shared.mean()) < 0.15
    assert (
        fitted.distances(brighter - shared).min(1).mean()
        < 0.8 * fitted.distances(brighter).min(1).mean()
    )
    assert (
        fitted.corrected(logits, brighter, shared).argmax(1).tolist()
        == [int(face) for face in FACES] * 4
    )


def test_a_photo_of_the_set_is_recognised_and_another_is_not() -> None:
    fitted = fit(taught(), Pixels(), replace(DEFAULT_FIT, alike=-1.5))
    _, own = Pixels().embed(crops_of(*[int(face) for face in FACES] * 3))
    _, other = Pixels().embed(crops_of(*range(500, 512)))
    assert recognised([fitted], own) is fitted
    assert recognised([fitted], other) is None
    assert recognised([fitted], own[:7]) is None, "too few tiles to judge"
    assert recognised([], own) is None


def test_a_set_lists_its_faces() -> None:
    assert taught().known == FACES
    assert taught(photos=2).photos == 2
    with pytest.raises(ValueError, match="views"):
        replace(taught(), views=np.zeros((8, 4, 4, 3), np.uint8))


@pytest.fixture(scope="module")
def shipped() -> TwoStageDetector:
    detector = registry.load(threads=1)
    assert isinstance(detector, TwoStageDetector)
    return detector


def test_the_shipped_weights_learn_a_set_whose_faces_are_swapped(shipped: TwoStageDetector) -> None:
    # Pictures of 1p to 9p taught as 1s to 9s: no classifier can know that.
    faces = range(9)
    views = []
    for face in faces:
        rgba = face_rgba(Tile(int(Tile.P1) + face), 72)
        picture = np.full((SIDE, SIDE, 3), (40, 110, 70), np.uint8)
        top, left = (SIDE - rgba.shape[0]) // 2, (SIDE - rgba.shape[1]) // 2
        alpha = rgba[..., 3:] / 255
        part = 235 * (1 - alpha) + rgba[..., :3] * alpha
        picture[top : top + rgba.shape[0], left : left + rgba.shape[1]] = part.astype(np.uint8)
        views.append(picture)
    labels = np.asarray([int(Tile.S1) + face for face in faces], np.int16)
    tiles = TileSet(
        "swapped", "2026-11-21T12:00:00+00:00", labels, np.stack(views), np.zeros(9, np.int16)
    )
    assert shipped.embeds
    fitted = fit(tiles, shipped)
    assert fitted.weight == DEFAULT_FIT.strongest
    low = round(SIDE * (1 - 1.06 / MARGIN) / 2)
    crops = np.stack(
        [cv2.resize(v[low : SIDE - low, low : SIDE - low], (shipped.crop,) * 2) for v in views]
    ).transpose(0, 3, 1, 2)
    logits, embeddings = shipped.embed((crops / 255).astype(np.float32))
    named = np.asarray(fitted.corrected(logits, embeddings))[:, labels].argmax(1)
    assert (named == np.arange(9)).sum() >= 8


def softmax(logits: FloatArray) -> FloatArray:
    e = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(e / e.sum(1, keepdims=True), np.float32)
