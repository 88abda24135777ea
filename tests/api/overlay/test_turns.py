"""Tables share one detector, each in its turn."""

from __future__ import annotations

import threading
import time
from itertools import pairwise

import numpy as np
import pytest

from hupai.api.overlay.table_reader import OneAtATime
from hupai.vision.types import Detections, Image, ModelInfo


class SlowDetector:
    """Takes a moment, and notes whose picture it was: the value of its first pixel."""

    info = ModelInfo("slow", "1", "0" * 64)

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.at_once = self.most = 0

    def detect(self, image: Image) -> Detections:
        """Find nothing."""
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        time.sleep(0.005)
        self.seen.append(int(image[0, 0, 0]))
        self.at_once -= 1
        return Detections.empty()


def test_tables_that_ask_again_at_once_take_turns() -> None:
    detector = SlowDetector()
    shared = OneAtATime(detector)

    def ask(table: int) -> None:
        for _ in range(20):
            shared.detect(np.full((8, 8, 3), table, np.uint8))

    threads = [threading.Thread(target=ask, args=(table,)) for table in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert detector.most == 1
    together = detector.seen[3:-3]
    runs = sum(one == after for one, after in pairwise(together))
    assert runs <= 2, "a table that asks again goes behind those that wait"


def test_a_picture_that_fails_holds_nobody_up() -> None:
    class Failing(SlowDetector):
        def detect(self, image: Image) -> Detections:
            raise ValueError("broken")

    shared = OneAtATime(Failing())
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            shared.detect(np.zeros((8, 8, 3), np.uint8))
