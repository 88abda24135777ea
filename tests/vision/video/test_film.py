"""Forty rendered hands over ten backgrounds, read by the shipped networks: nothing false on air."""

from __future__ import annotations

from benchmarks.air import play, rendered
from hupai.models import registry


def test_nothing_wrong_goes_on_air_over_forty_disturbed_hands() -> None:
    outcome = play(rendered(40), registry.load("default", 1))
    assert outcome.hands == 40
    assert outcome.wrong == 0, outcome.errors
    assert outcome.certain_wrong == 0
    assert outcome.missed == []
    assert outcome.right < 60, "a hand is accepted once, not again after each arm"
