"""Photos come as bytes, paths and open files; only a real file name is shown."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import pytest

from hupai.vision.photo.source import PhotoSource, contents


@pytest.mark.parametrize("photo", [b"jpeg", bytearray(b"jpeg"), memoryview(b"jpeg")])
def test_bytes(photo: PhotoSource) -> None:
    assert contents(photo) == (b"jpeg", "")
    assert contents(photo, "hand.jpg") == (b"jpeg", "hand.jpg")


def test_paths_and_open_files_are_named_after_the_file(tmp_path: Path) -> None:
    path = tmp_path / "hand.jpg"
    path.write_bytes(b"jpeg")
    assert contents(path) == contents(str(path)) == (b"jpeg", str(path))
    with path.open("rb") as file:
        assert contents(file) == (b"jpeg", str(path))
    with path.open("rb") as file:
        assert contents(file, "mine.jpg") == (b"jpeg", "mine.jpg")


def test_files_without_a_name_have_none() -> None:
    assert contents(io.BytesIO(b"jpeg")) == (b"jpeg", "")
    with tempfile.TemporaryFile() as file:
        assert contents(file) == (b"", "")
    with tempfile.SpooledTemporaryFile() as file:
        assert contents(file) == (b"", "")  # type: ignore[arg-type]


def test_anything_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hand.txt"
    path.write_text("123m", encoding="utf-8")
    with path.open(encoding="utf-8") as file, pytest.raises(TypeError, match="open as text"):
        contents(file)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not int"):
        contents(3)  # type: ignore[arg-type]
