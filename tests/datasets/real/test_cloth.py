"""Pieces of cloth hold no tile."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.real.cloth import cut, main, pieces, read_boxes


def felt(height: int = 400, width: int = 500) -> np.ndarray:
    noise = np.random.default_rng(0).normal(0, 3, (height, width, 1))
    return np.clip(np.array((60, 110, 40)) + noise, 0, 255).astype(np.uint8)


def test_a_piece_avoids_labelled_and_unlabelled_tiles() -> None:
    photo = felt()
    photo[100:180, 330:390] = 240  # a tile without a label
    found = pieces(photo, np.array([[0.0, 0.0, 240.0, 400.0]]))
    assert found
    for piece in found:
        assert piece.max() < 200
        assert piece.shape[0] == piece.shape[1]


def test_a_photo_full_of_things_gives_nothing() -> None:
    rng = np.random.default_rng(1)
    blocks = np.kron(rng.integers(0, 255, (20, 25)), np.ones((20, 20))).astype(np.uint8)
    assert pieces(np.dstack([blocks] * 3), np.zeros((0, 4))) == []


@pytest.mark.parametrize("tone", [8, 240])
def test_black_and_white_pieces_may_be_tiles(tone: int) -> None:
    assert pieces(np.full((300, 300, 3), tone, np.uint8), np.zeros((0, 4))) == []


def test_a_folder_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "labels").mkdir()
    cv2.imwrite(str(tmp_path / "images" / "a.png"), felt())
    (tmp_path / "images" / "b.txt").write_text("no picture")
    (tmp_path / "labels" / "a.txt").write_text("3 0.5 0.25 0.2 0.5\n")
    assert read_boxes(tmp_path / "labels" / "a.txt", 100, 200).tolist() == [[40, 0, 60, 100]]
    main([str(tmp_path), str(tmp_path / "out")])
    assert "2 pieces" in capsys.readouterr().out
    assert cut(tmp_path, tmp_path / "again") == 2


def test_blank_lines_of_a_label_file_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("3 0.5 0.25 0.2 0.5\n  \n\n")
    assert len(read_boxes(tmp_path / "a.txt", 100, 200)) == 1
