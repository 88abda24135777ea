"""Calibration: probabilities that say too much are softened, honest ones are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from hupai.models.evaluation.calibrate import (
    Sample,
    fit_temperature,
    quality,
    reliability_plot,
    soften,
)


def honest(rng: np.random.Generator, count: int) -> Sample:
    """Distributions over three classes from which the truth is really drawn."""
    logits = rng.normal(0, 2, (count, 3))
    p = np.zeros((count, 43), np.float32)
    p[:, :3] = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    truth = np.array(
        [rng.choice(3, p=row[:3].astype(float) / row[:3].astype(float).sum()) for row in p]
    )
    return Sample(p, truth)


def test_calibrated_probabilities_keep_their_temperature() -> None:
    assert fit_temperature(honest(np.random.default_rng(0), 4000)) == pytest.approx(1.0, abs=0.1)


def test_overconfident_probabilities_are_softened() -> None:
    sample = honest(np.random.default_rng(1), 4000)
    boasting = Sample(soften(sample.probabilities, 0.5), sample.truth)
    assert fit_temperature(boasting) == pytest.approx(2.0, abs=0.2)
    assert quality(boasting).error > 3 * quality(sample).error


def test_softening_keeps_the_order_and_the_sum() -> None:
    p = honest(np.random.default_rng(2), 50).probabilities
    soft = soften(p, 2.0)
    assert np.array_equal(soft.argmax(1), p.argmax(1))
    assert soft.sum(1) == pytest.approx(1.0, abs=1e-5)


def test_the_plot_shows_bars_for_confident_and_right_tiles() -> None:
    p = np.zeros((10, 43), np.float32)
    p[:, 4] = 1.0
    picture = reliability_plot(Sample(p, np.full(10, 4)))
    assert tuple(picture[300, -20]) == (190, 140, 60)


def test_without_tiles_the_temperature_stays() -> None:
    nothing = Sample(np.zeros((0, 43), np.float32), np.zeros(0, np.int64))
    assert fit_temperature(nothing) == 1.0
