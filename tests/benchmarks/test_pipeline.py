"""The benchmark of the pipeline: a row for each photo."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import pipeline
from hupai.models import registry
from hupai.vision.types import ModelInfo, PhotoInfo, PhotoReading, Reading, Timing


class Clocked:
    """A reader for which a photo takes as many milliseconds as it has bytes."""

    def __init__(self, _: object) -> None: ...

    def read_photo(self, data: bytes, name: str = "") -> PhotoReading:
        photo, model = PhotoInfo(name, "", 4, 3), ModelInfo("test", "0", "")
        return PhotoReading(photo, model, Reading(()), Timing(detect=len(data)))


def test_photos_of_one_name_have_rows_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "load", lambda _: None)
    monkeypatch.setattr(pipeline, "Recogniser", Clocked)
    photos = [tmp_path / "one" / "a.jpg", tmp_path / "other" / "a.jpg"]
    for size, photo in zip((10, 30), photos, strict=True):
        photo.parent.mkdir()
        photo.write_bytes(bytes(size))
    found = pipeline.measure(photos, 1, "default", "mcr-1998")
    assert [found[str(photo)]["detect"] for photo in photos] == [10, 30]
    assert found["all"]["detect"] == 20
    assert list(pipeline.measure(photos[:1], 1, "default", "mcr-1998")) == ["a.jpg", "all"]
