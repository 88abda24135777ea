"""Tables share one detector, each in its turn."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from hupai.api.overlay.table_reader import SharedDetector
from hupai.vision.types import Detections, Image, ModelInfo
from tests.api.service import wait_until

TABLES, LOOKS = 3, 20


class CrowdedDetector:
    """Notes whose picture it was: the value of its first pixel.

    It does not end before every table that will ask again has done so, however busy the machine is.
    """

    info = ModelInfo("crowded", "1", "0" * 64)

    def __init__(self) -> None:
        self.shared = SharedDetector(self)
        self.seen: list[int] = []
        self.at_once = self.most = 0

    def detect(self, image: Image) -> Detections:
        """Find nothing."""
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        to_come = TABLES * LOOKS - len(self.seen)
        wait_until(lambda: len(self.shared._queue) >= min(TABLES, to_come))
        self.seen.append(int(image[0, 0, 0]))
        self.at_once -= 1
        return Detections.empty()


def test_tables_that_ask_again_at_once_alternate() -> None:
    detector = CrowdedDetector()

    def ask(table: int) -> None:
        for _ in range(LOOKS):
            detector.shared.detect(np.full((8, 8, 3), table, np.uint8))

    threads = [threading.Thread(target=ask, args=(table,)) for table in range(TABLES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert detector.most == 1
    assert sorted(detector.seen[:TABLES]) == [0, 1, 2]
    assert detector.seen == detector.seen[:TABLES] * LOOKS, "who asks again goes behind who waits"


def test_a_failing_picture_does_not_block_others() -> None:
    class Failing(CrowdedDetector):
        def detect(self, image: Image) -> Detections:
            raise ValueError("broken")

    shared = SharedDetector(Failing())
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            shared.detect(np.zeros((8, 8, 3), np.uint8))
