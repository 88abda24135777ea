"""Weights are ordered by the names of the features."""

from __future__ import annotations

import pytest

from hupai.vision.layout.weights import weight_vector


def test_missing_weights_are_zero() -> None:
    assert weight_vector({"gap": 2.0}, ("line", "gap")).tolist() == [0.0, 2.0]


def test_the_weight_of_an_unknown_feature_is_refused() -> None:
    with pytest.raises(ValueError, match="renamed"):
        weight_vector({"renamed": 1.0, "gap": 2.0}, ("line", "gap"))
