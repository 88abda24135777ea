"""Decodes the bytes of a file into an upright RGB photo.

Errors, all saying what to do:

    PhotoError
    ├── EmptyPhotoError            no bytes
    ├── TooManyBytesError          the file is larger than allowed
    ├── TooManyPixelsError         the picture is larger than allowed (checked before it is decoded)
    ├── PhotoTooSmallError         too few pixels for any tile
    ├── PhotoTooNarrowError        a strip, too long for its width to be a whole photo
    ├── PointOutsidePhotoError     the point that names the hand is not on the photo
    ├── UnsupportedPhotoError      an image format that is not read here
    │   └── NotAPhotoError         text, PDF, video, archive …: not an image
    └── DamagedPhotoError          the picture cannot be decoded
        └── TruncatedPhotoError    its end is missing
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import ExifTags, ImageFile
from PIL import Image as Pillow
from pillow_heif import register_heif_opener

from hupai.scoring.errors import HupaiError
from hupai.vision.photo.jpeg_scans import scans
from hupai.vision.types import Image

register_heif_opener()  # type: ignore[no-untyped-call, unused-ignore]
# Up to 64 MiB of a picture's memory is kept for the next ones: fresh pages cost nearly as much time
# as decoding does.
Pillow.core.set_blocks_max(4)  # type: ignore[attr-defined]


class PhotoError(HupaiError, ValueError):
    """The content cannot be read as a photo; the subclasses say why.

    Attributes:
        code: stable name of the error.
        name: file or upload name, empty if there is none.
        message_zh: the message in Chinese.
    """

    code = "photo_error"

    def __init__(self, name: str, message: str, message_zh: str) -> None:
        self.name = name
        self.message_zh = f"{name}：{message_zh}" if name else message_zh
        super().__init__(f"{name}: {message}" if name else message)


class EmptyPhotoError(PhotoError):
    """The file is empty."""

    code = "photo_empty"


class TooManyBytesError(PhotoError):
    """The file is larger than is allowed (`Limits.bytes`)."""

    code = "photo_too_many_bytes"


class TooManyPixelsError(PhotoError):
    """The picture has more pixels than are allowed (`Limits.pixels`)."""

    code = "photo_too_many_pixels"


class PhotoTooSmallError(PhotoError):
    """A side is shorter than is allowed (`Limits.side`)."""

    code = "photo_too_small"


class PhotoTooNarrowError(PhotoError):
    """A side is too long for the other (`Limits.elongation`): scaled down, no tile is left."""

    code = "photo_too_narrow"


class PointOutsidePhotoError(PhotoError):
    """The point on the hand that is meant lies outside the photo."""

    code = "point_outside_photo"


class UnsupportedPhotoError(PhotoError):
    """The content is an image of a format that is not read."""

    code = "photo_unsupported"


class NotAPhotoError(UnsupportedPhotoError):
    """The content is no image at all, whatever the name says."""

    code = "not_a_photo"


class DamagedPhotoError(PhotoError):
    """The picture cannot be decoded."""

    code = "photo_damaged"


class TruncatedPhotoError(DamagedPhotoError):
    """The end of the picture is missing."""

    code = "photo_truncated"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the photos that are accepted.

    Attributes:
        bytes: largest file.
        pixels: largest picture, width times height.
        side: shortest side in pixels.
        elongation: how many times its shorter side the longer side may be.
    """

    bytes: int = 64 * 1024 * 1024
    pixels: int = 64_000_000
    side: int = 16
    elongation: int = 30


DEFAULT_LIMITS = Limits()
"""The limits of the product."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An upright photo.

    Attributes:
        image: RGB, uint8, EXIF orientation applied; shape (height, width, 3), or smaller by a power
            of two if that was enough.
        sha256: hash of the bytes it was decoded from, hexadecimal.
        width: pixels of the whole photo after rotation upright.
        height: the same.
        name: file or upload name, for messages.
        format: ``JPEG``, ``PNG``, ``WEBP`` or ``HEIF``.
    """

    image: Image
    sha256: str
    width: int
    height: int
    name: str = ""
    format: str = ""

    @property
    def reduction(self) -> float:
        """Pixels of the photo per pixel of `image`: 1, 2, 4 or 8, up to rounding."""
        return float(self.width / self.image.shape[1])


_MAX_SCANS = 100
"""Maximum number of scans of a JPEG that are decoded: encoders write about ten."""

_HEIF_BRANDS = {
    b"heic",
    b"heix",
    b"heim",
    b"heis",
    b"hevc",
    b"hevx",
    b"hevm",
    b"hevs",
    b"mif1",
    b"msf1",
}
"""Brands of the ISO container that hold HEIC pictures."""

_OTHERS: tuple[tuple[bytes, str, type[UnsupportedPhotoError]], ...] = (
    (b"GIF8", "a GIF", UnsupportedPhotoError),
    (b"BM", "a BMP", UnsupportedPhotoError),
    (b"II*\0", "a TIFF or raw photo", UnsupportedPhotoError),
    (b"MM\0*", "a TIFF or raw photo", UnsupportedPhotoError),
    (b"\0\0\1\0", "an icon", UnsupportedPhotoError),
    (b"%PDF", "a PDF", NotAPhotoError),
    (b"PK\3\4", "a zip archive or office document", NotAPhotoError),
    (b"\x1f\x8b", "a gzip archive", NotAPhotoError),
    (b"\x1aE\xdf\xa3", "a video", NotAPhotoError),
    (b"RIFF", "sound or video", NotAPhotoError),
)
"""First bytes of other formats, what they are, and the error to raise."""


def decode(
    data: bytes, name: str = "", limits: Limits = DEFAULT_LIMITS, enough: int | None = None
) -> Photo:
    """Decode a JPEG, PNG, WebP or HEIC file into an upright RGB photo.

    The content determines the format, not the name. Sizes are checked before any pixel is decoded.
    The first frame of an animation is used; 16-bit pictures are reduced to 8 bits; transparent
    parts become white.

    Args:
        data: the whole file.
        name: file or upload name, only for messages.
        limits: what is accepted.
        enough: sufficient longer side, pixels. The photo is reduced to a half, a quarter or an
            eighth if that leaves as much; a JPEG is decoded at that size, in a fraction of the
            time.

    Raises:
        PhotoError: one of the subclasses drawn at the top of this file.
    """
    _check_bytes(data, name, limits)
    kind = _sniff(data, name)
    if kind == "JPEG":
        _check_scans(data, name)
    image, (width, height), orientation = _pixels(data, kind, name, limits, enough)
    if orientation in _TURNS:
        image = np.ascontiguousarray(_TURNS[orientation](image))
        if orientation >= _FIRST_SIDEWAYS:
            width, height = height, width
    return Photo(image, hashlib.sha256(data).hexdigest(), width, height, name, kind)


def _pixels(
    data: bytes, kind: str, name: str, limits: Limits, enough: int | None
) -> tuple[Image, tuple[int, int], int]:
    """Decode the pixels as they are stored; the decoder's own copy ends here.

    Returns:
        The image, reduced where `enough` allows; the size of the whole photo; EXIF orientation.
    """
    with _open(data, kind, name) as picture:
        size = picture.size
        _check_pixels(*size, name, limits)
        if enough is not None:
            picture.draft(picture.mode, _reduced(size, enough))  # affects only JPEGs
        _load(picture, name)
        divisor = 1 if enough is None else _divisor(picture.size, enough)
        return _to_rgb(picture, divisor), size, _orientation(picture)


def _check_bytes(data: bytes, name: str, limits: Limits) -> None:
    if not data:
        raise EmptyPhotoError(
            name, "the file is empty; send the photo again", "文件是空的；请重新发送照片"
        )
    if len(data) > limits.bytes:
        raise TooManyBytesError(
            name,
            f"{len(data)} bytes are more than the {limits.bytes} allowed; "
            "send a smaller or more compressed photo",
            f"文件 {len(data)} 字节，超过上限 {limits.bytes}；请发送较小的照片",
        )


def _check_pixels(width: int, height: int, name: str, limits: Limits) -> None:
    if width * height > limits.pixels:
        raise TooManyPixelsError(
            name,
            f"{width} x {height} pixels are more than the {limits.pixels} allowed; "
            "scale the photo down and send it again",
            f"{width} x {height} 像素，超过上限 {limits.pixels}；请缩小照片后重新发送",
        )
    if min(width, height) < limits.side:
        raise PhotoTooSmallError(
            name,
            f"{width} x {height} pixels are too few to show a tile; "
            "send the original photo, not a thumbnail",
            f"{width} x {height} 像素太小，看不清牌；请发送原图，而不是缩略图",
        )
    if max(width, height) > limits.elongation * min(width, height):
        raise PhotoTooNarrowError(
            name,
            f"one side of {width} x {height} pixels is more than {limits.elongation} times the "
            "other; send a whole photo",
            f"{width} x {height} 像素，一边超过另一边的 {limits.elongation} 倍；请发送完整的照片",
        )


def _check_scans(data: bytes, name: str) -> None:
    if scans(data, _MAX_SCANS) > _MAX_SCANS:
        raise DamagedPhotoError(
            name,
            f"the JPEG asks for more than {_MAX_SCANS} passes over its pixels, which no camera "
            "does; save it again and send the new file",
            f"JPEG 的扫描次数超过 {_MAX_SCANS}，不正常；请重新保存后再发送",
        )


def _sniff(data: bytes, name: str) -> str:
    """Return Pillow's name of the format of the content."""
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data[4:8] == b"ftyp":
        if data[8:12] in _HEIF_BRANDS:
            return "HEIF"
        what, error = (
            ("an AVIF", UnsupportedPhotoError)
            if data[8:12] in (b"avif", b"avis")
            else ("a video", NotAPhotoError)
        )
        raise _unsupported(error, what, name)
    for start, what, error in _OTHERS:
        if data.startswith(start):
            raise _unsupported(error, what, name)
    raise _unsupported(
        NotAPhotoError, "text" if _looks_like_text(data) else "no known image format", name
    )


def _unsupported(error: type[UnsupportedPhotoError], what: str, name: str) -> UnsupportedPhotoError:
    return error(
        name,
        f"the content is {what}; send a photo as JPEG, PNG, WebP or HEIC",
        "内容不是可读的照片；请发送 JPEG、PNG、WebP 或 HEIC 照片",
    )


def _looks_like_text(data: bytes) -> bool:
    head = data[:512]
    return b"\0" not in head and sum(byte < 9 or 13 < byte < 32 for byte in head) == 0


def _open(data: bytes, kind: str, name: str) -> ImageFile.ImageFile:
    """Open a picture without decoding its pixels.

    The class of its format is called directly, as `Pillow.open` applies other limits than those of
    `_check_pixels` and prints warnings about large pictures. Only WebP rejects large pictures by
    itself, before it reserves memory for them.
    """
    Pillow.init()
    factory, _ = Pillow.OPEN[kind]
    try:
        return factory(io.BytesIO(data), "")
    except Pillow.DecompressionBombError:
        raise TooManyPixelsError(
            name,
            "the picture claims far more pixels than any camera takes; "
            "scale the photo down and send it again",
            "图片像素过多；请缩小照片后重新发送",
        ) from None
    except (SyntaxError, IndexError, TypeError, struct.error):
        raise (_truncated(name) if len(data) < 1024 else _damaged(name)) from None
    except (OSError, ValueError, EOFError, RuntimeError, zlib.error):
        raise _damaged(name) from None


def _divisor(size: tuple[int, int], enough: int) -> int:
    """Return the largest divisor, a power of two up to 8, that keeps `enough` pixels."""
    divisor = 8
    while divisor > 1 and max(size) // divisor < enough:
        divisor //= 2
    return divisor


def _reduced(size: tuple[int, int], enough: int) -> tuple[int, int]:
    """Return the size after division by `_divisor`."""
    divisor = _divisor(size, enough)
    return size[0] // divisor, size[1] // divisor


def _load(picture: ImageFile.ImageFile, name: str) -> None:
    """Decode the pixels of the first frame."""
    try:
        picture.load()
    except EOFError:
        raise _truncated(name) from None
    except (
        OSError,
        ValueError,
        SyntaxError,
        RuntimeError,
        MemoryError,
        struct.error,
        zlib.error,
    ) as error:
        text = str(error).lower()
        cut = any(word in text for word in ("truncated", "end of file", "premature", "incomplete"))
        raise (_truncated(name) if cut else _damaged(name)) from None


def _damaged(name: str) -> DamagedPhotoError:
    return DamagedPhotoError(
        name,
        "the picture's data are damaged; send the original file again",
        "图片数据损坏；请重新发送原文件",
    )


def _truncated(name: str) -> TruncatedPhotoError:
    return TruncatedPhotoError(
        name,
        "the end of the file is missing, perhaps because an upload broke off; send it again",
        "文件不完整，上传可能中断；请重新发送",
    )


_TURNS: dict[int, Callable[[Image], Image]] = {
    2: lambda image: image[:, ::-1],
    3: lambda image: image[::-1, ::-1],
    4: lambda image: image[::-1],
    5: lambda image: image.swapaxes(0, 1),
    6: lambda image: image[::-1].swapaxes(0, 1),
    7: lambda image: image[::-1, ::-1].swapaxes(0, 1),
    8: lambda image: image[:, ::-1].swapaxes(0, 1),
}
"""Functions that turn an image (height, width, 3) of an EXIF orientation upright without a copy."""
_FIRST_SIDEWAYS = 5
"""First of the orientations that swap width and height."""


def _orientation(picture: Pillow.Image) -> int:
    """Return the EXIF orientation; 1, upright, if the EXIF block is damaged."""
    try:
        return int(picture.getexif().get(ExifTags.Base.Orientation, 1))
    except (
        OSError,
        ValueError,
        SyntaxError,
        KeyError,
        TypeError,
        ArithmeticError,
        struct.error,
        Warning,
    ):
        return 1


_STRIP_PIXELS = 2_000_000
"""Number of pixels converted at a time: converting a whole picture would double its memory."""


def _to_rgb(picture: Pillow.Image, divisor: int) -> Image:
    """Convert any Pillow mode to RGB, shape (height, width, 3), uint8, reduced by a divisor."""
    if divisor == 1 and picture.mode == "RGB" and "transparency" not in picture.info:
        return np.ascontiguousarray(np.asarray(picture))
    width, height = picture.size
    grey_top = _grey_top(picture)
    image = np.empty((-(-height // divisor), -(-width // divisor), 3), np.uint8)
    rows = max(1, _STRIP_PIXELS // width // divisor) * divisor
    for top in range(0, height, rows):
        strip = picture.crop((0, top, width, min(top + rows, height)))
        part = _grey_to_rgb(strip, grey_top) if grey_top else _strip_to_rgb(strip, picture)
        if divisor > 1:
            part = np.asarray(Pillow.fromarray(part).reduce(divisor))
        image[top // divisor : top // divisor + len(part)] = part
    return image


def _strip_to_rgb(strip: Pillow.Image, whole: Pillow.Image) -> Image:
    """Convert a strip of a picture to RGB; transparent parts become white."""
    if "transparency" in whole.info:
        strip.info["transparency"] = whole.info["transparency"]
    if "transparency" in whole.info or whole.mode in ("RGBA", "LA", "PA", "La", "RGBa"):
        layer = strip.convert("RGBA")
        strip = Pillow.alpha_composite(Pillow.new("RGBA", layer.size, (255, 255, 255, 255)), layer)
    return np.asarray(strip.convert("RGB"))


def _grey_top(picture: Pillow.Image) -> float:
    """Return the value of white in 16-bit grey and wider; 0 for other modes."""
    if not picture.mode.startswith("I") and picture.mode != "F":
        return 0.0
    largest = picture.getextrema()[1]
    return 65535.0 if isinstance(largest, int | float) and largest > 255 else 255.0


def _grey_to_rgb(picture: Pillow.Image, top: float) -> Image:
    """Convert 16-bit grey and wider to RGB, keeping the upper eight bits."""
    grey = np.asarray(picture).astype(np.float32)
    levels = np.clip(grey * (255.0 / top), 0, 255).astype(np.uint8)
    return np.repeat(levels[:, :, None], 3, axis=2)
