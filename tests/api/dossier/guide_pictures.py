"""The pictures of docs/referee-guide.md, made from docs/example-case.zip; its photo was rendered by
the scene generator.
"""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
from PIL import Image as Pillow

from hupai.api.dossier.bundle import strict_zip
from hupai.api.dossier.bundle.verify import Verification, verify
from hupai.api.dossier.chain.canonical import digest
from hupai.api.dossier.report.build import report
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.annotate import annotate
from hupai.vision.types import Image, Reading
from tests.shared import ROOT

EXAMPLE = ROOT / "docs" / "example-case.zip"
FOLDER = ROOT / "docs" / "images" / "referee"
FINGERPRINT = "5915541815c8298acbbbfc3ed2b99a1352de0061e0b4398bbf70d4b8159d3f43"


@cache
def verified() -> Verification:
    """The example case, checked."""
    return verify(EXAMPLE.read_bytes(), [FINGERPRINT])


@cache
def photos() -> dict[str, bytes]:
    """Its photos by hash."""
    return {
        digest(entry.data): entry.data
        for entry in strict_zip.read(EXAMPLE.read_bytes())
        if entry.name.startswith("photos/")
    }


def photo() -> Image:
    """Its photo."""
    (data,) = photos().values()
    return decode(data).image


def reading() -> Reading:
    """What was read on it."""
    case = verified().case
    assert case is not None
    read = case.photos[0].read
    assert read is not None
    return read.reading.to_reading()


def pages() -> list[Image]:
    """The pages of its report, 72 dots an inch."""
    case = verified().case
    assert case is not None
    document = pdfium.PdfDocument(report(case, photos(), f"https://club.example/cases/{case.id}"))
    try:
        return [
            np.ascontiguousarray(
                document[n].render(scale=1.0, rev_byteorder=True).to_numpy()[:, :, :3]
            )
            for n in range(len(document))
        ]
    finally:
        document.close()


def pictures() -> dict[str, Image]:
    """Every picture of the guide by file name."""
    plain = photo()
    boxes = np.array([tile.box for tile in reading().tiles])
    tile = round(float(np.median(boxes[:, 2] - boxes[:, 0])))
    x0, y0 = (round(float(edge)) - tile for edge in boxes[:, :2].min(axis=0))
    x1, y1 = (round(float(edge)) + tile for edge in boxes[:, 2:].max(axis=0))
    x0, y0, x1 = max(x0, 0), max(y0, 0), min(x1, plain.shape[1])
    hand = plain[y0:y1, x0:x1]
    far = np.zeros_like(hand)
    far[:] = np.median(plain, axis=(0, 1)).astype(np.uint8)
    small = cv2.resize(hand, None, fx=0.22, fy=0.22, interpolation=cv2.INTER_AREA)
    top, left = (far.shape[0] - small.shape[0]) // 2, (far.shape[1] - small.shape[1]) // 2
    far[top : top + small.shape[0], left : left + small.shape[1]] = small
    mistakes = {
        "cut-off": np.ascontiguousarray(plain[y0:y1, x0 + 2 * tile + tile // 2 : x1]),
        "blurred": np.asarray(cv2.blur(hand, (37, 5)), np.uint8),
        "glare": _glare(hand),
        "too-far": far,
    }
    found = {f"{name}.jpg": _sized(image, 480) for name, image in mistakes.items()}
    found["reading.jpg"] = _sized(annotate(plain, reading())[y0:y1, x0:x1], 1100)
    found |= {f"report-{number}.png": page for number, page in enumerate(pages(), 1)}
    return found


def encoded(name: str, image: Image) -> bytes:
    """A picture as a file."""
    file = io.BytesIO()
    picture = Pillow.fromarray(image)
    if name.endswith(".png"):
        picture.quantize(256).save(file, "PNG", optimize=True)
    else:
        picture.save(file, "JPEG", quality=85)
    return file.getvalue()


def opened(path: Path) -> Image:
    """A picture of the guide as it is committed."""
    return np.asarray(Pillow.open(path).convert("RGB"))


def _glare(image: Image) -> Image:
    """A lamp mirrored in the tiles."""
    height, width = image.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    spot = np.exp(
        -(((x - width * 0.42) / (width * 0.13)) ** 2) - ((y - height * 0.5) / (height * 0.45)) ** 2
    )[:, :, None]
    return np.asarray(np.clip(image + 330 * spot, 0, 255), np.uint8)


def _sized(image: Image, width: int) -> Image:
    height = round(image.shape[0] * width / image.shape[1])
    return np.asarray(
        cv2.resize(np.ascontiguousarray(image), (width, height), interpolation=cv2.INTER_AREA),
        np.uint8,
    )
