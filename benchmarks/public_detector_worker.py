"""Reads photos with ``mahjong-detector``, in an environment of that package.

    python public_detector_worker.py < paths > answers

Input: the path of a photo per line. Output: one JSON object per line with path, width, height,
seconds from file to answer, and the tiles found as [code, [x0, y0, x1, y1], confidence]. Nothing of
this project is imported, so that the package runs with the versions it requires.
"""

from __future__ import annotations

import json
import sys
import time

from mahjong_detector.predict import CLASS_NAMES, predict
from mahjong_detector.preprocess import preprocess_image
from PIL import Image, ImageOps

HONOURS = {"tou": "E", "nan": "S", "sha": "W", "pe": "N", "chun": "C", "hatsu": "F", "haku": "P"}


def read(path: str) -> dict[str, object]:
    """Read one photo with its EXIF rotation applied, as for the project's own reader."""
    begun = time.perf_counter()
    with Image.open(path) as opened:
        picture = ImageOps.exif_transpose(opened).convert("RGB")
    found = predict(*preprocess_image(picture))
    seconds = time.perf_counter() - begun
    tiles = [
        [
            HONOURS.get(CLASS_NAMES[one.class_id], CLASS_NAMES[one.class_id]),
            [one.x1, one.y1, one.x2, one.y2],
            one.confidence,
        ]
        for one in found
    ]
    return {
        "path": path,
        "width": picture.width,
        "height": picture.height,
        "seconds": seconds,
        "tiles": tiles,
    }


def main() -> None:
    """Answer line by line; the first photo is read twice, so that loading is not timed."""
    warm = False
    for line in sys.stdin:
        path = line.rstrip("\n")
        if not warm:
            read(path)
            warm = True
        print(json.dumps(read(path)), flush=True)


if __name__ == "__main__":
    main()
