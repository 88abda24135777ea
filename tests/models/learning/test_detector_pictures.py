"""What the detector is shown of corrected photos: tiles, struck-out boxes, no unchecked tiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hupai.models.learning.detector_pictures import write_pictures
from tests.models.learning.label_set import write

RED, BLUE = (0, 0, 255), (255, 0, 0)
"""BGR of a struck-out box and of a tile that nobody checked."""


def shown(folder: Path, struck_out: list[list[float]], unchecked: list[list[float]]) -> Path:
    """Write the pictures of a set of one photo, on which these boxes are red and blue."""
    data = write(folder / "set", 1)
    (file,) = (data / "images").iterdir()
    picture = np.full((360, 640, 3), 90, np.uint8)
    for boxes, colour in ((struck_out, RED), (unchecked, BLUE)):
        for x0, y0, x1, y1 in boxes:
            cv2.rectangle(picture, (int(x0), int(y0)), (int(x1) - 1, int(y1) - 1), colour, -1)
    cv2.imwrite(str(file), picture, [cv2.IMWRITE_JPEG_QUALITY, 100])
    document = json.loads((data / "coco.json").read_text("utf-8"))
    (image,) = document["images"]
    image["no_tiles"] = [quad(box) for box in struck_out]
    first: dict[str, Any] = document["annotations"][0]
    document["annotations"] += [
        first | {"checked": False, "in_hand": False, "segmentation": [quad(box)]}
        for box in unchecked
    ]
    (data / "coco.json").write_text(json.dumps(document), "utf-8")
    assert write_pictures(data, {file.stem}, folder / "out") == 1
    return folder / "out"


def quad(box: list[float]) -> list[float]:
    """The corners of a box, one after the other."""
    x0, y0, x1, y1 = box
    return [x0, y0, x1, y0, x1, y1, x0, y1]


def has(file: Path, colour: tuple[int, int, int]) -> bool:
    """Whether a picture shows this colour."""
    picture = cv2.imread(str(file))
    assert picture is not None
    return bool((np.abs(picture.astype(int) - colour).max(2) < 60).sum() > 40)


def labels(file: Path) -> int:
    """How many labels a picture has."""
    return len((file.parents[1] / "labels" / f"{file.stem}.txt").read_text("utf-8").splitlines())


@pytest.mark.parametrize("box", [[590, 150, 626, 200], [300, 90, 336, 140]])
def test_what_was_struck_out_beside_the_hand_is_shown_without_a_label(
    tmp_path: Path, box: list[float]
) -> None:
    out = shown(tmp_path, [box], [])
    files = sorted((out / "images").iterdir())
    assert len(files) == 4, "upright, turned, stretched, tilted"
    assert all(has(file, RED) for file in files)
    assert {labels(file) for file in files} == {14}


def test_around_what_was_struck_out_elsewhere_a_piece_without_tiles_is_cut(tmp_path: Path) -> None:
    out = shown(tmp_path, [[20, 5, 56, 45]], [])
    pieces = [file for file in (out / "images").iterdir() if "_none_" in file.stem]
    whole = [file for file in (out / "images").iterdir() if "_none_" not in file.stem]
    assert [labels(file) for file in pieces] == [0]
    assert has(pieces[0], RED)
    assert not any(has(file, RED) for file in whole)


def test_a_tile_that_nobody_checked_is_not_background(tmp_path: Path) -> None:
    out = shown(tmp_path, [[590, 150, 626, 200]], [[540, 100, 576, 148]])
    assert not any(has(file, BLUE) for file in (out / "images").iterdir())
