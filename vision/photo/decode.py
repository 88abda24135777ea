"""Decodes the bytes of a file into an upright RGB photo.

Errors, all saying what to do:

    PhotoError
    ├── EmptyPhotoError            no bytes
    ├── TooManyBytesError          the file is larger than allowed
    ├── TooManyPixelsError         the picture is larger than allowed (checked before it is decoded)
    ├── PhotoTooSmallError         too few pixels for any tile
    ├── UnsupportedPhotoError      an image format that is not read here
    │   └── NotAPhotoError         text, PDF, video, archive …: no image at all
    └── DamagedPhotoError          the picture cannot be decoded
        └── TruncatedPhotoError    its end is missing
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from dataclasses import dataclass

import numpy as np
from PIL import ExifTags, ImageFile, ImageOps, UnidentifiedImageError
from PIL import Image as Pillow
from pillow_heif import register_heif_opener

from hupai.scoring.errors import HupaiError
from hupai.vision.photo.jpeg_scans import scans
from hupai.vision.types import Image

register_heif_opener()  # type: ignore[no-untyped-call, unused-ignore]
# The memory of a picture is kept for the next ones, 64 MiB at most: fresh pages cost nearly as much
# time as decoding does.
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
    """The file is larger than `Limits.bytes` allows."""

    code = "photo_too_many_bytes"


class TooManyPixelsError(PhotoError):
    """The picture has more pixels than `Limits.pixels` allows."""

    code = "photo_too_many_pixels"


class PhotoTooSmallError(PhotoError):
    """A side is shorter than `Limits.side`."""

    code = "photo_too_small"


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
    """

    bytes: int = 64 * 1024 * 1024
    pixels: int = 64_000_000
    side: int = 16


DEFAULT_LIMITS = Limits()
"""The limits of the product."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An upright photo.

    Attributes:
        image: RGB, uint8, EXIF orientation applied; shape (height, width, 3), or smaller by a power
            of two where that was enough.
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
"""Most scans of a JPEG that are decoded: encoders write about ten."""

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

    The content decides, not the name. Sizes are checked before any pixel is decoded. Of an
    animation the first frame is taken; 16-bit pictures are reduced to 8 bits; transparent parts
    become white.

    Args:
        data: the whole file.
        name: file or upload name, only for messages.
        limits: what is accepted.
        enough: longer side in pixels that suffices. A JPEG is then decoded at a half, a quarter or
            an eighth where that leaves as much, at a fraction of the time.

    Raises:
        PhotoError: one of the subclasses drawn at the top of this file.
    """
    _check_bytes(data, name, limits)
    kind = _sniff(data, name)
    if kind == "JPEG":
        _check_scans(data, name)
    with _open(data, kind, name) as picture:
        _check_pixels(picture.width, picture.height, name, limits)
        width, height = picture.size
        if enough is not None:
            _reduce(picture, enough)
        _load(picture, name)
        upright = _upright(picture)
        if upright.size != picture.size:
            width, height = height, width
        image = _to_rgb(upright)
    return Photo(image, hashlib.sha256(data).hexdigest(), width, height, name, kind)


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


def _check_scans(data: bytes, name: str) -> None:
    if scans(data, _MAX_SCANS) > _MAX_SCANS:
        raise DamagedPhotoError(
            name,
            f"the JPEG asks for more than {_MAX_SCANS} passes over its pixels, which no camera "
            "does; save it anew and send that",
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
    try:
        return Pillow.open(io.BytesIO(data), formats=(kind,))
    except (Pillow.DecompressionBombError, Pillow.DecompressionBombWarning):
        raise TooManyPixelsError(
            name,
            "the picture claims far more pixels than any camera takes; "
            "scale the photo down and send it again",
            "图片像素过多；请缩小照片后重新发送",
        ) from None
    except UnidentifiedImageError:
        raise (_truncated(name) if len(data) < 1024 else _damaged(name)) from None
    except (OSError, ValueError, SyntaxError, EOFError, RuntimeError, struct.error, zlib.error):
        raise _damaged(name) from None


def _reduce(picture: ImageFile.ImageFile, enough: int) -> None:
    """Have a JPEG decoded at the smallest size that keeps `enough` pixels, by powers of two."""
    longest, divisor = max(picture.size), 8
    while divisor > 1 and longest // divisor < enough:
        divisor //= 2
    if divisor > 1:
        picture.draft(picture.mode, (picture.width // divisor, picture.height // divisor))


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
        "the end of the file is missing, an upload may have broken off; send it again",
        "文件不完整，上传可能中断；请重新发送",
    )


def _upright(picture: Pillow.Image) -> Pillow.Image:
    """Apply the EXIF orientation; a photo with a damaged EXIF block is taken as upright."""
    try:
        if picture.getexif().get(ExifTags.Base.Orientation, 1) == 1:
            return picture  # `exif_transpose` would make a copy
        return ImageOps.exif_transpose(picture)
    except (
        OSError,
        ValueError,
        SyntaxError,
        KeyError,
        TypeError,
        ZeroDivisionError,
        struct.error,
        Warning,
    ):
        return picture


def _to_rgb(picture: Pillow.Image) -> Image:
    """Convert any Pillow mode to RGB, shape (height, width, 3), uint8."""
    if picture.mode == "RGB" and "transparency" not in picture.info:
        return np.ascontiguousarray(np.asarray(picture))
    if picture.mode.startswith("I") or picture.mode == "F":
        return _grey_to_rgb(picture)
    if "transparency" in picture.info or picture.mode in ("RGBA", "LA", "PA", "La", "RGBa"):
        layer = picture.convert("RGBA")
        picture = Pillow.alpha_composite(
            Pillow.new("RGBA", layer.size, (255, 255, 255, 255)), layer
        )
    return np.ascontiguousarray(np.asarray(picture.convert("RGB")))


def _grey_to_rgb(picture: Pillow.Image) -> Image:
    """Convert 16-bit grey and wider to RGB, keeping the upper eight bits."""
    grey = np.asarray(picture).astype(np.float32)
    top = 65535.0 if grey.max(initial=0.0) > 255 else 255.0
    levels = np.clip(grey * (255.0 / top), 0, 255).astype(np.uint8)
    return np.repeat(levels[:, :, None], 3, axis=2)
