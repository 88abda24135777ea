"""Groups of things that are linked."""

from __future__ import annotations

import numpy as np

from hupai.vision.geometry.connected import connected


def links(n: int, *pairs: tuple[int, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    linked = np.zeros((n, n), bool)
    for i, j in pairs:
        linked[i, j] = True
    return linked


def test_things_are_connected_through_others_in_either_order() -> None:
    assert connected(links(5, (0, 3), (4, 3), (1, 1))) == [[0, 3, 4], [1], [2]]


def test_a_thing_without_links_is_a_group_by_itself() -> None:
    assert connected(links(2)) == [[0], [1]]
    assert connected(links(0)) == []
