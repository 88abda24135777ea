"""A file that the system does not give: why, by a stable code that the documentation lists."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from hupai.vision.photo.files import PhotoNotReadableError, read_file


def refused(path: Path) -> PhotoNotReadableError:
    """The error of a file that cannot be read."""
    with pytest.raises(PhotoNotReadableError) as caught:
        read_file(path)
    return caught.value


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "hand.jpg"
    path.write_bytes(b"jpeg")
    assert read_file(path) == b"jpeg"


def test_each_reason_has_a_code_and_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    missing, folder = refused(tmp_path / "none.jpg"), refused(tmp_path)

    def denied(_path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    locked = refused(tmp_path / "locked.jpg")
    monkeypatch.undo()
    found = {error.code: str(error) for error in (missing, folder, locked)}
    assert found == {
        "photo_not_found": f"{tmp_path / 'none.jpg'}: there is no such file; check the path.",
        "photo_is_folder": f"{tmp_path}: it is a folder; name the photos in it.",
        "photo_not_readable": f"{tmp_path / 'locked.jpg'}: the file cannot be opened: "
        "Permission denied.",
    }
    page = (root / "docs/problems.md").read_text("utf-8")
    assert all(f"| `{code}` |" in page for code in found)
