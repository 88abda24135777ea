"""Exported photos say nothing of where and when they were taken; their pixels stay."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import ExifTags, Image, ImageOps
from PIL.PngImagePlugin import PngInfo

from hupai.datasets.from_hands.metadata import orientation, without_metadata
from hupai.datasets.real.labels import LabelError

OWNER = "A. Player, 48.137 N"


def photo(kind: str, turned: int) -> bytes:
    """Encode noise with a place, a time, an owner and an orientation."""
    pixels = np.random.default_rng(7).integers(0, 255, (40, 64, 3), np.uint8)
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = turned
    exif[ExifTags.Base.Artist] = OWNER
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] = (48.0, 8.0, 14.0)
    extra = PngInfo()
    extra.add_text("Comment", OWNER)
    more: dict[str, dict[str, Any]] = {
        "PNG": {"pnginfo": extra},
        "JPEG": {"comment": OWNER},
        "WEBP": {"xmp": OWNER.encode()},
    }
    out = BytesIO()
    Image.fromarray(pixels).save(out, kind, exif=exif, **more[kind])
    return out.getvalue()


def upright(data: bytes) -> np.ndarray:
    with Image.open(BytesIO(data)) as picture:
        return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))


@pytest.mark.parametrize("turned", [1, 3, 6, 8])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_camera_metadata_is_removed_and_the_picture_unchanged(kind: str, turned: int) -> None:
    before = photo(kind, turned)
    assert OWNER.encode() in before
    after = without_metadata(before)
    assert OWNER.encode() not in after
    with Image.open(BytesIO(after)) as picture:
        assert picture.format == kind
        assert set(picture.getexif()) <= {ExifTags.Base.Orientation}
    assert orientation(after) == turned
    assert np.array_equal(upright(after), upright(before))
    assert without_metadata(after) == after, "the same bytes each time"


def test_a_second_picture_behind_the_first_is_dropped() -> None:
    both = photo("JPEG", 6) + photo("JPEG", 6)
    assert OWNER.encode() not in without_metadata(both)


def test_another_kind_becomes_a_jpeg() -> None:
    out = BytesIO()
    Image.new("RGB", (8, 6), (10, 200, 30)).save(out, "BMP")
    assert without_metadata(out.getvalue())[:2] == b"\xff\xd8"


def test_files_that_are_not_photos_are_refused() -> None:
    for data in (b"\xff\xd8\xff\xe1", b"RIFF....WEBP", b"nothing"):
        with pytest.raises(LabelError, match="cannot be decoded"):
            without_metadata(data)
