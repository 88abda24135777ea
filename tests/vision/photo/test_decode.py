"""Photos of every kind, good and bad, made here."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from functools import cache

import numpy as np
import pytest
from PIL import Image as Pillow

from hupai.vision.photo import decode as photo
from hupai.vision.photo.decode import Limits, decode


def picture(width: int = 60, height: int = 40) -> Pillow.Image:
    """Left half red, right half blue, upper left corner white: turning and mirroring show."""
    image = np.zeros((height, width, 3), np.uint8)
    image[:, : width // 2] = (255, 0, 0)
    image[:, width // 2 :] = (0, 0, 255)
    image[: height // 4, : width // 4] = 255
    return Pillow.fromarray(image)


def encoded(image: Pillow.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "tolerance"), [("PNG", 0), ("JPEG", 60), ("WEBP", 60), ("HEIF", 60)]
)
def test_formats_are_detected_by_content(kind: str, tolerance: int) -> None:
    data = encoded(picture(), kind)
    result = decode(data, "anything.txt")
    assert (result.width, result.height, result.format) == (60, 40, kind)
    assert result.image.shape == (40, 60, 3)
    assert result.image.dtype == np.uint8
    assert result.sha256 == hashlib.sha256(data).hexdigest()
    assert abs(int(result.image[30, 10, 0]) - 255) <= tolerance
    assert abs(int(result.image[30, 50, 2]) - 255) <= tolerance


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_exif_orientation_is_applied_once(orientation: int, kind: str) -> None:
    undo = {
        2: Pillow.Transpose.FLIP_LEFT_RIGHT,
        3: Pillow.Transpose.ROTATE_180,
        4: Pillow.Transpose.FLIP_TOP_BOTTOM,
        5: Pillow.Transpose.TRANSPOSE,
        6: Pillow.Transpose.ROTATE_90,
        7: Pillow.Transpose.TRANSVERSE,
        8: Pillow.Transpose.ROTATE_270,
    }
    stored = picture() if orientation == 1 else picture().transpose(undo[orientation])
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    result = decode(encoded(stored, kind, exif=exif.tobytes(), quality=95))
    assert (result.width, result.height) == (60, 40)
    assert result.image[2, 2].min() > 200
    assert result.image[35, 5, 0] > 200 > 60 > result.image[35, 5, 2]
    assert result.image[35, 55, 2] > 200 > 60 > result.image[35, 55, 0]


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_damaged_exif_is_ignored() -> None:
    good = encoded(picture(), "JPEG")
    exif = b"Exif\0\0II*\0\xff\xff\xff\x7f" + b"\x12\x01" * 20
    data = good[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + good[2:]
    assert decode(data).width == 60


def test_an_endless_exif_orientation_is_ignored() -> None:
    entry = struct.pack("<HHIf", 0x0112, 11, 1, float("inf"))
    exif = b"Exif\0\0II*\0" + struct.pack("<IH", 8, 1) + entry + bytes(4)
    assert decode(encoded(picture(), "JPEG", exif=exif)).width == 60


def test_cmyk_jpeg() -> None:
    result = decode(encoded(picture().convert("CMYK"), "JPEG", quality=95))
    assert result.image[30, 10, 0] > 200 > 80 > result.image[30, 10, 2]


def test_sixteen_bit_grey() -> None:
    ramp = np.linspace(0, 65535, 60).astype(np.uint16)
    result = decode(encoded(Pillow.fromarray(np.tile(ramp, (40, 1))), "PNG"))
    row = result.image[0, :, 0].astype(int)
    assert row[0] == 0
    assert row[-1] == 255
    assert (np.diff(row) >= 0).all()
    assert 120 < row[30] < 136


def test_sixteen_bit_rgb() -> None:
    rows = b"".join(b"\0" + struct.pack(">HHH", 65535, 32768, 0) * 40 for _ in range(30))
    data = png_chunks(
        (b"IHDR", struct.pack(">IIBBBBB", 40, 30, 16, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    assert decode(data).image[10, 10].tolist() == pytest.approx([255, 128, 0], abs=1)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_parts_become_white(mode: str) -> None:
    image = Pillow.new("RGBA", (40, 30), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (20, 0, 40, 30))
    result = decode(encoded(image.convert(mode), "PNG"))
    assert result.image[15, 5].min() == 255
    assert result.image[15, 35].max() == 0


@pytest.mark.parametrize("kind", ["WEBP", "PNG"])
def test_of_an_animation_the_first_frame_is_taken(kind: str) -> None:
    frames = [Pillow.new("RGB", (40, 30), colour) for colour in ("red", "lime")]
    result = decode(encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=100))
    assert result.image[15, 20, 0] > 200 > 60 > result.image[15, 20, 1]


def test_no_bytes() -> None:
    with pytest.raises(photo.EmptyPhotoError, match=r"a\.jpg: .*empty"):
        decode(b"", "a.jpg")


def test_byte_limit_is_checked_first() -> None:
    with pytest.raises(photo.TooManyBytesError, match="101 bytes"):
        decode(b"x" * 101, limits=Limits(bytes=100))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("width", "height"), [(60_000, 50_000), (10_000, 10_000)])
def test_pixel_limit_is_checked_before_decoding(width: int, height: int) -> None:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    bomb = png_chunks((b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b""))
    with pytest.raises(photo.TooManyPixelsError, match=f"{width} x {height} pixels are more"):
        decode(bomb)


def test_pixel_limit_can_be_set() -> None:
    data = encoded(picture(), "PNG")
    assert decode(data, limits=Limits(pixels=2400)).width == 60
    with pytest.raises(photo.TooManyPixelsError, match="60 x 40"):
        decode(data, limits=Limits(pixels=2399))


def test_default_limit_is_64_megapixels() -> None:
    header = struct.pack(">IIBBBBB", 8001, 8000, 8, 2, 0, 0, 0)
    with pytest.raises(photo.TooManyPixelsError, match="8001 x 8000"):
        decode(png_chunks((b"IHDR", header), (b"IDAT", zlib.compress(b"\0")), (b"IEND", b"")))


def test_too_small() -> None:
    with pytest.raises(photo.PhotoTooSmallError, match="thumbnail"):
        decode(encoded(Pillow.new("RGB", (8, 8)), "PNG"))


@pytest.mark.parametrize(
    "size",
    [(16, 481), (481, 16), (65000, 700), pytest.param((700, 65000), marks=pytest.mark.nightly)],
)
def test_a_strip_is_no_photo(size: tuple[int, int]) -> None:
    data = encoded(Pillow.new("RGB", size), "PNG")
    with pytest.raises(photo.PhotoTooNarrowError, match=r"30 times the other; send a whole photo"):
        decode(data)


def test_a_long_photo_is_decoded() -> None:
    assert decode(encoded(Pillow.new("RGB", (480, 16)), "PNG")).width == 480


@cache
def encoded_noise(kind: str) -> bytes:
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8)
    return encoded(Pillow.fromarray(noise), kind)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_truncated_files(kind: str, share: float) -> None:
    data = encoded_noise(kind)
    with pytest.raises(photo.DamagedPhotoError, match="again"):
        decode(data[: int(len(data) * share)])


def test_truncated_jpeg_has_its_own_error() -> None:
    data = encoded(picture(300, 200), "JPEG")
    with pytest.raises(photo.TruncatedPhotoError, match="missing"):
        decode(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"dear referee, here is my hand", "text"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"PK\3\4" + b"\0" * 40, "zip"),
        (b"\0\0\0\x18ftypmp42" + b"\0" * 40, "video"),
        (b"\0\1\2\3" * 30, "no known"),
    ],
)
def test_files_that_are_not_photos(data: bytes, what: str) -> None:
    with pytest.raises(photo.NotAPhotoError, match=rf"hand\.jpg: .*{what}.*JPEG") as caught:
        decode(data, "hand.jpg")
    assert "JPEG" in caught.value.message_zh


def test_other_image_formats_are_named() -> None:
    with pytest.raises(photo.UnsupportedPhotoError, match="GIF"):
        decode(encoded(picture(), "GIF"))
    with pytest.raises(photo.UnsupportedPhotoError, match="TIFF"):
        decode(encoded(picture(), "TIFF"))


def test_damaged_data() -> None:
    data = bytearray(encoded(picture(), "PNG"))
    at = data.index(b"IDAT") + 6
    data[at : at + 8] = b"\xff" * 8
    with pytest.raises(photo.DamagedPhotoError, match="damaged"):
        decode(bytes(data))


def test_random_bytes_behind_a_signature_never_raise_anything_else() -> None:
    rng = np.random.default_rng(2)
    for start in (
        b"\xff\xd8\xff\xe0",
        b"\x89PNG\r\n\x1a\n",
        b"RIFF\x40\0\0\0WEBP",
        b"\0\0\0\x18ftypheic",
    ):
        for _ in range(30):
            with pytest.raises(photo.PhotoError):
                decode(start + rng.integers(0, 255, 400, np.uint8).tobytes())


def test_every_error_has_its_own_code() -> None:
    classes = [
        value
        for value in vars(photo).values()
        if isinstance(value, type) and issubclass(value, photo.PhotoError)
    ]
    assert len({cls.code for cls in classes}) == len(classes) == 11


def png_chunks(*chunks: tuple[bytes, bytes]) -> bytes:
    out = b"\x89PNG\r\n\x1a\n"
    for name, body in chunks:
        out += (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )
    return out


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_large_jpeg_is_decoded_at_a_fraction_where_that_is_enough(orientation: int) -> None:
    stored = picture(4001, 2999)
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    data = encoded(stored, "JPEG", exif=exif.tobytes())
    whole, half, quarter = decode(data), decode(data, enough=1600), decode(data, enough=1000)
    assert {(p.width, p.height) for p in (whole, half, quarter)} == {
        (4001, 2999) if orientation == 1 else (2999, 4001)
    }
    assert [max(p.image.shape) for p in (whole, half, quarter)] == [4001, 2001, 1001]
    assert [round(p.reduction) for p in (whole, half, quarter)] == [1, 2, 4]
    assert whole.sha256 == half.sha256


@pytest.mark.parametrize("kind", ["PNG", "WEBP", pytest.param("HEIF", marks=pytest.mark.nightly)])
def test_other_formats_are_reduced_too_and_small_photos_stay_whole(kind: str) -> None:
    original = picture(902, 600)
    reduced = decode(encoded(original, kind), enough=200)
    assert reduced.image.shape == (150, 226, 3)
    assert (reduced.width, reduced.height, reduced.reduction) == (902, 600, 902 / 226)
    mean = np.asarray(original.convert("RGB").reduce(4), int)
    assert np.abs(reduced.image.astype(int) - mean).mean() < 3
    assert decode(encoded(original, kind), enough=500).image.shape == (600, 902, 3)


def test_a_picture_converted_in_strips_is_that_converted_at_once() -> None:
    layer = picture(1203, 2400).convert("RGBA")
    layer.putalpha(Pillow.linear_gradient("L").resize(layer.size))
    white = Pillow.new("RGBA", layer.size, "white")
    at_once = np.asarray(Pillow.alpha_composite(white, layer).convert("RGB"))
    assert (decode(encoded(layer, "PNG")).image == at_once).all()


def test_a_truncated_reduced_jpeg_is_reported_too() -> None:
    data = encoded(picture(4001, 2999), "JPEG")
    with pytest.raises(photo.TruncatedPhotoError):
        decode(data[: len(data) // 2], enough=1000)
