"""Fitting certainty: signs hold, left-out parts are not seen, and the promise is kept."""

from __future__ import annotations

import numpy as np

from hupai.models.training.layout.certainty import Judged, by_part, fit, left_out, regress
from hupai.vision.layout.weights import LayoutWeights
from hupai.vision.reading.certainty_features import FEATURES, TILE_FEATURES


def judged(count: int, seed: int) -> list[Judged]:
    """Readings that are wrong the more often the less probable the hand is."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(count):
        values = {name: float(rng.normal()) for name in FEATURES}
        right = bool(rng.random() < 1 / (1 + np.exp(-3 - 2 * values["margin"] + values["gap"])))
        found.append(Judged(f"part {k % 3}", str(k), values, True, right, right))
    return found


def test_weights_have_the_sign_that_their_features_allow() -> None:
    weights = regress(judged(600, 0), FEATURES, tiles=False)
    assert all(weights[name] * sign >= 0 for name, sign in FEATURES.items())
    assert weights["margin"] > 1
    assert weights["gap"] < -0.5


def test_the_threshold_keeps_the_promise_on_parts_left_out() -> None:
    readings = judged(900, 1)
    fitted = fit(readings, LayoutWeights("test", {"line": 1.0}))
    assert fitted.selection == {"line": 1.0}
    assert fitted.tiles.keys() == TILE_FEATURES | {"bias"}
    threshold = fitted.certainty["threshold"]
    certain = [
        a.judged.right for a in left_out(readings, by_part(readings)) if a.assurance >= threshold
    ]
    assert certain.count(False) * 200 <= len(certain)
