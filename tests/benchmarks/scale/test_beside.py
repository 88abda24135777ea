"""The bare pipeline reads on as many cores as the way that it is compared with."""

from __future__ import annotations

import os

import pytest

from benchmarks.scale import __main__ as scale


class Started(Exception):
    """Ends the measurement once the processes were asked for."""


def test_a_way_is_compared_with_as_many_processes_as_it_uses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert scale.beside("bulk", 4, cores=8) == 4
    assert scale.beside("bulk", 4, cores=2) == 2
    assert scale.beside("serve, read", 1, cores=8) == 8
    started: list[int] = []

    def bare(_: object, count: int) -> None:
        started.append(count)
        raise Started

    monkeypatch.setattr(scale, "bare_pipeline", bare)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    for ways, readers in ((["bulk"], [1, 4]), (["bulk"], [1]), (["serve, read"], [1])):
        with pytest.raises(Started):
            scale.measured(1, ways, readers)
    assert started == [4, 2, 8]
