"""The threshold for `certain`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.vision.reading.certainty import (
    RISK,
    THRESHOLD,
    Evidence,
    assurance,
    fit,
    is_certain,
    risk_coverage,
)

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def test_assurance_falls_with_each_doubt() -> None:
    best = assurance(Evidence(0.999, (0.9, 0.8)))
    assert best > 0.99
    assert assurance(Evidence(0.6, (0.9, 0.8))) < best
    assert assurance(Evidence(0.999, (0.9, 0.2))) < best
    assert assurance(Evidence(0.999, ())) == 0.0


def test_curve_of_three_right_and_one_wrong() -> None:
    curve = risk_coverage([(0.9, True), (0.8, True), (0.7, False), (0.6, True)])
    assert [(p.threshold, p.coverage, p.risk) for p in curve] == [
        (0.9, 0.25, 0.0),
        (0.8, 0.5, 0.0),
        (0.7, 0.75, pytest.approx(1 / 3)),
        (0.6, 1.0, 0.25),
    ]


@given(readings=PAIRS)
def test_fitted_threshold_keeps_the_promise(readings: list[tuple[float, bool]]) -> None:
    threshold = fit(readings)
    certain = [right for value, right in readings if is_certain(value, threshold)]
    assert certain.count(False) <= RISK * len(certain)


def test_nothing_is_certain_where_the_surest_is_wrong() -> None:
    assert fit([(0.99, False), (0.5, True)]) > 1


def test_threshold_lies_between_the_last_right_and_the_first_wrong() -> None:
    assert fit([(0.9, True), (0.8, True), (0.6, False)]) == pytest.approx(0.7)
    assert 0.5 < THRESHOLD <= 1.0
