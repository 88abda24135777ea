"""Tile sets cut out of labelled photos: upright, complete, and only if the orientation is clear."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.faces.svg import face_rgba
from hupai.datasets.real import photographed
from hupai.datasets.real.photographed import cut, faces_of, ink, main, references, upright
from hupai.scoring.tiles import PLAYABLE, Tile

SOME = PLAYABLE[:12]


def face(tile: Tile, tone: int = 235) -> np.ndarray:
    art = cv2.resize(face_rgba(tile, 80), (44, 60), interpolation=cv2.INTER_AREA).astype(float)
    whole = np.full((76, 56, 3), tone, float)
    alpha = art[..., 3:] / 255
    part = whole[8:68, 6:50]
    part[:] = part * (1 - alpha) + art[..., 2::-1] * alpha
    return whole.astype(np.uint8)


@pytest.fixture
def known(tmp_path: Path) -> dict[Tile, np.ndarray]:
    folder = tmp_path / "set"
    folder.mkdir()
    for tile in SOME:
        bgra = cv2.cvtColor(face_rgba(tile, 120), cv2.COLOR_RGBA2BGRA)
        cv2.imwrite(str(folder / f"{tile.code}_0.png"), bgra)
    (folder / "notes.png").write_bytes(b"no picture")
    return references([folder])


def test_a_tile_that_lies_upside_down_is_turned(known: dict[Tile, np.ndarray]) -> None:
    shown = face(Tile.M2)
    for given in (shown, np.ascontiguousarray(shown[::-1, ::-1])):
        turned = upright(given, Tile.M2, known)
        assert turned is not None
        assert np.array_equal(turned, shown)


def test_a_face_of_which_nothing_is_known_is_left_out(known: dict[Tile, np.ndarray]) -> None:
    assert upright(face(Tile.M2), Tile.S7, known) is None
    assert upright(np.full((76, 56, 3), 230, np.uint8), Tile.M2, known) is None
    blank = np.full((76, 56, 3), 230, np.uint8)
    assert upright(blank, Tile.WHITE, known) is blank, "the same both ways"
    assert ink(face(Tile.M2)).shape == (32, 24)


def test_tiles_cut_off_or_slanted_are_left_out(known: dict[Tile, np.ndarray]) -> None:
    photo = np.full((200, 300, 3), (40, 120, 50), np.uint8)
    photo[20:96, 20:76] = face(Tile.M2)
    boxes = np.array([[20, 20, 76, 96], [10, 10, 66, 86], [100, 20, 190, 60]], float)
    found = faces_of(photo, boxes, [Tile.M2, Tile.M3, Tile.M4], known)
    assert list(found) == [Tile.M2]


def test_a_folder_gives_a_set_a_photo(
    tmp_path: Path,
    known: dict[Tile, np.ndarray],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(photographed, "LEAST_FACES", 6)
    photos = tmp_path / "photos" / "train"
    for part in ("images", "labels"):
        (photos / part).mkdir(parents=True)
    (tmp_path / "photos" / "classes.txt").write_text("\n".join(tile.code for tile in PLAYABLE))
    photo = np.full((200, 900, 3), (40, 120, 50), np.uint8)
    lines = []
    for i, tile in enumerate(SOME):
        x = 20 + 70 * i
        photo[60:136, x : x + 56] = face(tile)
        lines.append(f"{int(tile)} {(x + 28) / 900} {98 / 200} {56 / 900} {76 / 200}")
    for name, rows in (("a", lines), ("b", lines[:3])):
        cv2.imwrite(str(photos / "images" / f"{name}.png"), photo)
        (photos / "labels" / f"{name}.txt").write_text("\n".join(rows))
    cv2.imwrite(str(photos / "images" / "unlabelled.png"), photo)
    assert cut(photos, tmp_path / "out", known) == 1
    assert len(list((tmp_path / "out" / "photo-a").glob("*.png"))) >= 6
    again = [str(photos), str(tmp_path / "again"), "--references", str(tmp_path / "set")]
    main(again)
    assert "1 sets" in capsys.readouterr().out
