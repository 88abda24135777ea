"""Files that somebody might upload by mistake or on purpose: the same ones every time, made here
from a seed.

`readable` are odd but whole pictures, `refused` are what no photo is or what may not be decoded,
`damaged` are pictures cut or altered at random, of which some can still be read.
"""

from __future__ import annotations

import gzip
import io
import random
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from PIL import Image as Pillow
from PIL import ImageCms

import hupai.vision.photo.decode  # noqa: F401  (lets Pillow write HEIC)

WIDTH, HEIGHT = 160, 96


@dataclass(frozen=True, slots=True)
class Specimen:
    """A file and what it is."""

    name: str
    data: bytes

    def __str__(self) -> str:
        return self.name


def scene(mode: str = "RGB", width: int = WIDTH, height: int = HEIGHT) -> Pillow.Image:
    """A picture with something on it."""
    chance = np.random.default_rng(5)
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:] = (20, 92, 60)
    pixels[height // 4 : height // 2, width // 4 : width // 2] = 240
    pixels += chance.integers(0, 12, pixels.shape, np.uint8)
    return Pillow.fromarray(pixels).convert(mode)


def saved(image: Pillow.Image, form: str, **options: Any) -> bytes:
    """The picture as a file."""
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    """A PNG chunk with its checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(
    width: int,
    height: int,
    *parts: bytes,
    depth: int = 8,
    colour: int = 2,
    pixels: bytes | None = None,
) -> bytes:
    """A PNG whose header says what it is told; `pixels` are what it holds, `parts` stand before
    them.
    """
    header = chunk(
        b"IHDR",
        struct.pack(">IIBBBBB", width & 0xFFFFFFFF, height & 0xFFFFFFFF, depth, colour, 0, 0, 0),
    )
    data = zlib.compress(bytes((1 + width * 3) * height) if pixels is None else pixels)
    return (
        b"\x89PNG\r\n\x1a\n" + header + b"".join(parts) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


def jpeg_claiming(width: int, height: int) -> bytes:
    """A JPEG whose frame header says another size than its data."""
    data = bytearray(saved(scene(), "JPEG"))
    at = data.index(b"\xff\xc0") + 5
    data[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(data)


def jpeg_of_many_scans(scans: int, side: int = 2048) -> bytes:
    """A progressive JPEG whose few bytes ask for many passes over all of its blocks.

    Each pass says "no more coefficients" for 32,767 blocks at once, so it costs the sender next to
    nothing.
    """
    blocks = (side // 8) ** 2
    table = b"\xff\xdb\x00\x43\x00" + b"\x01" * 64
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 11, 8, side, side, 1) + b"\x01\x11\x00"
    dc = b"\xff\xc4\x00\x14\x00" + b"\x01" + b"\x00" * 15 + b"\x00"
    ac = b"\xff\xc4\x00\x14\x10" + b"\x01" + b"\x00" * 15 + b"\xe0"
    first = b"\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00" + b"\x00" * (blocks // 8)
    runs = -(-blocks // 32767)
    bits = ("0" + "1" * 14) * runs
    bits += "1" * (-len(bits) % 8)
    coded = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)).replace(
        b"\xff", b"\xff\x00"
    )
    later = b"\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00" + coded
    return b"\xff\xd8" + table + frame + dc + first + ac + later * scans + b"\xff\xd9"


def exif(body: bytes) -> bytes:
    """A JPEG with these bytes as its EXIF block."""
    data = saved(scene(), "JPEG")
    block = b"Exif\0\0" + body
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + data[2:]


def tiff_entry(
    tag: int, kind: int, count: int, value: int, entries: int = 1, then: int = 0
) -> bytes:
    """A TIFF header and a directory of one entry, written `entries` times, that leads on to
    `then`.
    """
    entry = struct.pack("<HHII", tag, kind, count, value)
    return (
        b"II*\0"
        + struct.pack("<I", 8)
        + struct.pack("<H", entries)
        + entry * entries
        + struct.pack("<I", then)
    )


def exif_turning() -> bytes:
    """An EXIF block of a photo taken with the camera on its side."""
    block = Pillow.Exif()
    block[0x0112] = 6
    return block.tobytes()


@cache
def readable() -> tuple[Specimen, ...]:
    """Pictures that a camera or program may well have written."""
    return tuple(Specimen(name, data) for name, data in _readable())


def _readable() -> Iterator[tuple[str, bytes]]:
    jpeg = saved(scene(), "JPEG")
    for mode in ("RGB", "L", "CMYK"):
        yield f"jpeg {mode}", saved(scene(mode), "JPEG")
        yield f"jpeg {mode} progressive", saved(scene(mode), "JPEG", progressive=True)
    yield "jpeg 4:4:4", saved(scene(), "JPEG", subsampling=0)
    yield "jpeg with restarts", saved(scene(), "JPEG", restart_marker_blocks=2)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    yield "jpeg with profile", saved(scene(), "JPEG", icc_profile=profile)
    yield (
        "jpeg with a film after it",
        jpeg + b"\0\0\0\x18ftypmp42" + random.Random(1).randbytes(400_000),
    )
    yield "jpeg and zip in one", jpeg + zipped({"a.txt": b"x"})
    yield "jpeg and page in one", jpeg + b"<script>alert(1)</script>"
    yield (
        "jpeg with a page as comment",
        saved(scene(), "JPEG", comment=b"<?php system('id'); ?><script>alert(1)</script>"),
    )
    for orientation in (0, 9, 65535):
        yield f"exif orientation {orientation}", exif(tiff_entry(0x0112, 3, 1, orientation))
    yield "exif orientation of a text", exif(tiff_entry(0x0112, 2, 4, 0x41414141))
    yield "exif orientation of no values", exif(tiff_entry(0x0112, 3, 0, 6))
    yield "exif cut", exif(b"II*\0")
    yield "exif of noise", exif(random.Random(2).randbytes(900))
    yield "exif that leads to itself", exif(tiff_entry(0x0112, 3, 1, 1, then=8))
    yield "exif that points outside", exif(tiff_entry(0x8769, 4, 1, 0x7FFFFFFF))
    yield "exif with a value of 4 GB", exif(tiff_entry(0x010E, 2, 0xFFFFFFFF, 8))
    yield "exif of 5,000 entries", exif(tiff_entry(0x0112, 3, 1, 1, entries=5000))
    for mode, form in (
        ("1", "png"),
        ("L", "png"),
        ("LA", "png"),
        ("P", "png"),
        ("RGBA", "png"),
        ("I;16", "png"),
        ("RGBA", "webp"),
    ):
        yield (
            f"{form} {mode}",
            saved(scene("L").convert("I;16") if mode == "I;16" else scene(mode), form.upper()),
        )
    yield "png with a colour that is clear", saved(scene("P"), "PNG", transparency=3)
    yield "png 16-bit colour", png(40, 40, depth=16, pixels=bytes((1 + 40 * 6) * 40))
    yield (
        "png in motion",
        saved(scene(), "PNG", save_all=True, append_images=[scene("L").convert("RGB")] * 3),
    )
    yield "png and zip in one", saved(scene(), "PNG") + zipped({"a.txt": b"x"})
    yield "webp without loss", saved(scene(), "WEBP", lossless=True)
    yield (
        "webp in motion",
        saved(
            scene(),
            "WEBP",
            save_all=True,
            append_images=[scene("L").convert("RGB")] * 3,
            duration=100,
        ),
    )
    yield "heic", saved(scene(), "HEIF")
    yield "heic grey", saved(scene("L"), "HEIF")
    yield "heic with alpha", saved(scene("RGBA"), "HEIF")


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


@cache
def refused() -> tuple[Specimen, ...]:
    """What is no photo, or may not be decoded."""
    return tuple(Specimen(name, data) for name, data in _refused())


def _refused() -> Iterator[tuple[str, bytes]]:
    yield "nothing", b""
    yield "one byte", b"\xff"
    yield "zeros", bytes(5000)
    yield "noise", random.Random(3).randbytes(5000)
    yield "text", "今晚的牌\n".encode() * 50
    yield "utf-16 text", "hello".encode("utf-16") * 50
    yield "html", b"<!doctype html><script>alert(1)</script>"
    yield (
        "svg",
        b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><image href="file:///etc/passwd"/></svg>',
    )
    yield (
        "svg with entities",
        b'<!DOCTYPE a [<!ENTITY x "' + b"x" * 1000 + b'">]><svg>' + b"&x;" * 1000 + b"</svg>",
    )
    yield "pdf", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
    yield "postscript", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n(%pipe%id) (r) file"
    yield "program", b"MZ" + bytes(500)
    yield "elf program", b"\x7fELF" + bytes(500)
    yield "film", b"\0\0\0\x18ftypmp42" + bytes(500)
    yield "matroska", b"\x1aE\xdf\xa3" + bytes(500)
    yield "sound", b"RIFF\x24\0\0\0WAVEfmt " + bytes(100)
    yield "zip bomb", zipped({"a.jpg": bytes(20_000_000)})
    yield "gzip bomb", gzip.compress(bytes(20_000_000))
    yield "gzip of a jpeg", gzip.compress(saved(scene(), "JPEG"))
    for form in ("GIF", "BMP", "TIFF", "ICO", "TGA", "PCX", "PPM", "ICNS", "JPEG2000", "AVIF"):
        yield form.lower(), saved(scene(), form)
    yield "gif in motion", saved(scene("P"), "GIF", save_all=True, append_images=[scene("L")] * 5)
    yield "gif of 65535 x 65535", b"GIF89a\xff\xff\xff\xff\x80\0\0" + bytes(60)
    starts = {
        "jpeg": b"\xff\xd8\xff",
        "png": b"\x89PNG\r\n\x1a\n",
        "webp": b"RIFF\xff\0\0\0WEBP",
        "heic": b"\0\0\0\x18ftypheic",
    }
    for name, start in starts.items():
        yield f"nothing but the start of a {name}", start
        yield f"start of a {name}, then noise", start + random.Random(4).randbytes(3000)
        yield f"start of a {name}, then a page", start + b"<script>alert(1)</script>" * 50
    huge = ((60_000, 60_000), (2**31 - 1, 2**31 - 1), (2**32 - 1, 1), (50_001, 1000))
    for width, height in ((0, 0), (0, 90), (1, 1), (90, 0), *huge):
        yield f"png of {width} x {height}", png(width, height, pixels=bytes(2000))
    for width, height in ((0, 90), (90, 0), (65_500, 65_500), (8, 8)):
        yield f"jpeg of {width} x {height}", jpeg_claiming(width, height)
    yield (
        "png bomb of 400 megapixels",
        png(20_000, 20_000, colour=0, depth=1, pixels=bytes((1 + 2500) * 20_000)),
    )
    yield "png of fewer pixels than it says", png(3000, 3000, pixels=bytes(1000))
    yield (
        "webp canvas of 16383 x 16383",
        b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xfe\x3f\0\xfe\x3f\0" + bytes(12),
    )
    heic = saved(scene(), "HEIF")
    for width, height in ((60_000, 60_000), (0, 0), (2**32 - 1, 2**32 - 1)):
        lying = bytearray(heic)
        for at in (at for at in range(len(heic)) if heic.startswith(b"ispe", at)):
            lying[at + 8 : at + 16] = struct.pack(">II", width, height)
        yield f"heic of {width} x {height}", bytes(lying)
    yield "jpeg of 5,000 scans", jpeg_of_many_scans(5000)


def bombs_beside_pixels() -> tuple[Specimen, ...]:
    """Pictures of a harmless size with something beside the pixels that grows when it is unpacked;
    read or refused, at no cost.
    """
    text = chunk(b"zTXt", b"note\0\0" + zlib.compress(bytes(30_000_000)))
    profile = chunk(b"iCCP", b"profile\0\0" + zlib.compress(bytes(30_000_000)))
    return (
        Specimen("png with a text of 30 MB", png(40, 40, text)),
        Specimen("png with 40 such texts", png(40, 40, *[text] * 40)),
        Specimen("png with a profile of 30 MB", png(40, 40, profile)),
        Specimen(
            "png of 40 x 40 with pixels for 60 megapixels", png(40, 40, pixels=bytes(180_000_000))
        ),
        Specimen("png of 60,000 chunks", png(40, 40, *[chunk(b"tEXt", b"a\0b")] * 60_000)),
        Specimen(
            "jpeg of 30,000 comments",
            saved(scene(), "JPEG")[:2] + b"\xff\xfe\0\x04ab" * 30_000 + saved(scene(), "JPEG")[2:],
        ),
        Specimen("jpeg of 20 scans", jpeg_of_many_scans(20)),
    )


def damaged(seed: int, count: int) -> Iterator[Specimen]:
    """Whole pictures of every format, cut, altered, with parts repeated, moved or grown, as the
    seed says.
    """
    chance = random.Random(seed)
    whole = [specimen for specimen in readable() if len(specimen.data) < 100_000]
    for number in range(count):
        chosen = chance.choice(whole)
        data = bytearray(chosen.data)
        how = chance.choice(
            ("cut", "bits", "bytes", "lengths", "repeat", "move", "zeros", "splice")
        )
        at = chance.randrange(len(data))
        size = min(chance.randint(1, 64), len(data) - at)
        if how == "cut":
            del data[at:]
        elif how == "bits":
            for _ in range(chance.randint(1, 20)):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        elif how == "bytes":
            for _ in range(chance.randint(1, 20)):
                data[chance.randrange(len(data))] = chance.randrange(256)
        elif how == "lengths":
            head = chance.randrange(min(len(data) - 4, 200))
            data[head : head + 4] = chance.choice(
                (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f")
            )
        elif how == "repeat":
            data[at:at] = data[at : at + size] * chance.randint(1, 200)
        elif how == "move":
            part = data[at : at + size]
            del data[at : at + size]
            to = chance.randrange(len(data) + 1)
            data[to:to] = part
        elif how == "zeros":
            data[at : at + size] = bytes(size)
        else:
            data[at:] = chance.choice(whole).data[at:]
        yield Specimen(f"{number}: {chosen.name}, {how}", bytes(data))
