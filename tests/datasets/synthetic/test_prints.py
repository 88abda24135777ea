"""Prints on the backs of tiles."""

from __future__ import annotations

import numpy as np
import pytest

from hupai.datasets.synthetic import prints


@pytest.mark.parametrize("size", [(4, 4), (32, 24), (96, 72), (40, 90)])
def test_a_print_covers_some_of_the_back_and_never_all_of_it(size: tuple[int, int]) -> None:
    for seed in range(60):
        ink = prints.draw_print(np.random.default_rng(seed), *size)
        assert ink.shape == size
        assert ink.dtype == np.float32
        assert ink.min() >= 0
        assert ink.max() <= 1
        assert 0.001 < ink.mean() < 0.999


def test_the_same_state_gives_the_same_print() -> None:
    one, other = (prints.draw_print(np.random.default_rng(5), 60, 45) for _ in range(2))
    assert np.array_equal(one, other)


def test_prints_differ() -> None:
    drawn = [prints.draw_print(np.random.default_rng(seed), 48, 36) for seed in range(40)]
    for k, one in enumerate(drawn):
        for other in drawn[:k]:
            assert np.abs(one - other).mean() > 0.005
