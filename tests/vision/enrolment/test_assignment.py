"""The assignment is the cheapest one, and the marginals keep their bounds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from hupai.vision.enrolment.assignment import least_cost, marginals


@pytest.mark.parametrize("seed", range(40))
def test_no_other_assignment_is_cheaper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 6))
    columns = int(rng.integers(rows, 7))
    cost = (
        rng.normal(size=(rows, columns))
        if seed % 3
        else rng.integers(0, 3, (rows, columns)).astype(float)
    )
    found = least_cost(cost)
    assert len(set(found.tolist())) == rows
    cheapest = min(
        sum(cost[i, way[i]] for i in range(rows)) for way in permutations(range(columns), rows)
    )
    assert cost[np.arange(rows), found].sum() == pytest.approx(cheapest)


def test_more_rows_than_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="3 rows"):
        least_cost(np.zeros((3, 2)))


def test_marginals_pass_a_doubt_on() -> None:
    # The first tile is surely a; so the second, which might be either, is b.
    table = marginals(np.array([[0.99, 0.01], [0.6, 0.4]]), 1, 1)
    assert table.sum(1) == pytest.approx(1)
    assert table[1, 1] > 0.8


def test_marginals_leave_faces_that_may_repeat_alone() -> None:
    table = marginals(np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]]), 1, 4)
    assert table.argmax(1).tolist() == [0, 0, 1]
