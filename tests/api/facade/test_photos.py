"""Photos as Python users have them, made into bytes that every reader takes."""

from __future__ import annotations

import io

import pytest
from PIL import Image as Pillow

from hupai.api.facade.photos import _encoded
from hupai.vision.photo.decode import decode
from tests.api.service import picture

_SIDEWAYS = 6
"""EXIF orientation of a picture taken with the camera upright."""


def test_a_picture_opened_with_pillow_is_turned_upright_like_its_file() -> None:
    exif = Pillow.Exif()
    exif[0x0112] = _SIDEWAYS
    data = picture(640, 360, exif=exif)
    opened = Pillow.open(io.BytesIO(data))
    assert decode(data, "file").image.shape == (640, 360, 3)
    assert decode(_encoded(opened), "opened").image.shape == (640, 360, 3)


@pytest.mark.parametrize("mode", ["CMYK", "YCbCr", "F", "RGBA", "P", "LA", "1", "I;16"])
def test_a_picture_of_any_mode_is_taken(mode: str) -> None:
    assert decode(_encoded(Pillow.new(mode, (300, 200))), mode).image.shape == (200, 300, 3)
