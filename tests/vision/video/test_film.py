"""Rendered hands over ten backgrounds, read by the shipped networks: nothing false on air."""

from __future__ import annotations

import pytest

from benchmarks.air import play, rendered
from hupai.models import registry
from tests.profile import NIGHTLY

pytestmark = pytest.mark.nightly

HANDS = 40 if NIGHTLY else 12


def test_nothing_wrong_goes_on_air_over_disturbed_hands() -> None:
    outcome = play(rendered(HANDS), registry.load("default", 1))
    assert outcome.hands == HANDS
    assert outcome.wrong == 0, outcome.errors
    assert outcome.certain_wrong == 0
    assert outcome.missed == []
    assert outcome.right < 1.5 * HANDS, "a hand is accepted once, not again after each arm"
