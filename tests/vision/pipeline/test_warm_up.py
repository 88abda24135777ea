"""The made-up picture that is read before the first photo keeps every network busy."""

from __future__ import annotations

from collections import Counter

import pytest

from hupai.models import registry
from hupai.vision.detection.plain_tiles.classifier import PlainTileClassifier
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.detection.tile_detector import DetectorNetwork
from hupai.vision.detection.upright import UprightClassifier
from hupai.vision.pipeline.recogniser import Recogniser


def test_every_network_runs_on_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    recogniser = Recogniser(registry.load(threads=1))
    calls: Counter[str] = Counter()

    def count(owner: type, method: str) -> None:
        original = getattr(owner, method)

        def counted(*args: object, **named: object) -> object:
            calls[owner.__name__] += 1
            return original(*args, **named)

        monkeypatch.setattr(owner, method, counted)

    count(DetectorNetwork, "passes")
    count(TileClassifier, "classify")
    count(PlainTileClassifier, "kinds")
    count(UprightClassifier, "logits")
    recogniser.warm_up()
    assert set(calls) == {
        "DetectorNetwork",
        "TileClassifier",
        "PlainTileClassifier",
        "UprightClassifier",
    }
