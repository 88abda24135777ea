"""Fitting certainty: signs hold, left-out parts are not seen, and the promise is kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hupai.models.training.layout import certainty
from hupai.models.training.layout.cases import Case
from hupai.models.training.layout.certainty import (
    Judged,
    by_fold,
    by_part,
    cross_validated,
    fit,
    judge,
    left_out,
    regress,
)
from hupai.scoring.tiles import Tile
from hupai.vision.layout.weights import LayoutWeights
from hupai.vision.reading.certainty.features import FEATURES, TILE_FEATURES
from tests.vision.pictures import detections, table


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


def test_no_threshold_is_below_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certainty, "LEAST_THRESHOLD", 1.25)
    fitted = fit(judged(200, 3), LayoutWeights("test", {"line": 1.0}))
    assert fitted.certainty["threshold"] == 1.25


def test_each_division_deals_every_part_evenly_to_the_folds() -> None:
    readings = judged(90, 2)
    first, second = (by_fold(readings, division) for division in range(2))
    for folds in (first, second):
        dealt = Counter((j.part, fold) for j, fold in zip(readings, folds, strict=True))
        assert set(dealt.values()) == {6}
    assert first != second


def test_assurances_are_averaged_over_the_divisions() -> None:
    readings = judged(90, 2)
    mean = [a.assurance for a in cross_validated(readings)]
    rounds = [left_out(readings, by_fold(readings, division)) for division in range(5)]
    each = np.array([[a.assurance for a in one] for one in rounds])
    assert np.allclose(mean, each.mean(0))
    assert (each.std(0) > 0).any()


def test_either_of_two_equal_tiles_may_be_the_winning_one() -> None:
    seen = detections(table("1m2m3m4p5p6p7s8s9sEEEP _ P"))
    faces = tuple(sorted(Tile(int(row.argmax())) for row in seen.probabilities))
    case = Case(
        detections=seen,
        size=(800, 400),
        family="family 1",
        source="",
        tiles=frozenset(range(14)),
        groups=(("concealed", tuple(range(13)), None), ("winning_tile", (13,), None)),
        faces=faces,
    )
    other = (("concealed", (*range(12), 13), None), ("winning_tile", (12,), None))
    inside = (("concealed", tuple(range(14)), None),)
    assert judge(case).right
    assert judge(replace(case, groups=other)).right
    assert not judge(replace(case, groups=inside)).right


def test_a_case_may_say_that_its_rows_end() -> None:
    seen = detections(table("1m2m3m4p5p6p7s8s9sEEEP"))
    case = Case(detections=seen, size=(400, 400), family="real", source="")
    assert judge(case).values["unseen_winner"] == 1
    assert judge(replace(case, rows_end=True)).values["unseen_winner"] == 0
