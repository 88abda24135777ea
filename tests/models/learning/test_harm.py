"""Poisoned photos come first: their labels contradict what other crops say."""

from __future__ import annotations

import numpy as np

from hupai.models.learning.harm import Crops, harm_by_photo


def crops(classes: list[int], labels: list[int], seed: int) -> Crops:
    """Crops whose embedding and logits follow the face they really show."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(44, 16)).astype(np.float32)
    seen = np.array(classes)
    embeddings = centres[seen] + rng.normal(0, 0.1, (len(seen), 16)).astype(np.float32)
    logits = np.zeros((len(seen), 44), np.float32)
    logits[np.arange(len(seen)), seen] = 3.0
    return Crops(logits, embeddings, np.array(labels, np.int64))


def test_a_photo_with_swapped_labels_is_the_most_harmful() -> None:
    faces = [1, 2, 3, 4, 5]
    own = crops(faces * 3, [*faces, 2, 1, 3, 4, 5, *faces], 1)
    photos = ["good"] * 5 + ["poison"] * 5 + ["fine"] * 5
    ranked = harm_by_photo(own, photos, crops(faces * 20, faces * 20, 2))
    assert ranked[0].photo == "poison"
    assert ranked[0].harm > 0
    assert [one.harm for one in ranked[1:]] == [0, 0], "right labels pull the other way"
    assert {(label, read) for label, read, _ in ranked[0].surprising} == {(2, 1), (1, 2)}
    assert not ranked[1].surprising


def test_the_order_of_crops_does_not_matter() -> None:
    own = crops([1, 2, 3], [1, 3, 3], 3)
    reference = crops([1, 2, 3], [1, 2, 3], 4)
    turned = Crops(own.logits[::-1], own.embeddings[::-1], own.classes[::-1])
    one = harm_by_photo(own, ["a", "b", "a"], reference)
    two = harm_by_photo(turned, ["a", "b", "a"], reference)
    assert [p.photo for p in one] == [p.photo for p in two]
    np.testing.assert_allclose([p.harm for p in one], [p.harm for p in two], rtol=1e-5)
