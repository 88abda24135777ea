"""The folder of an export is replaced whole or stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from hupai.datasets.from_hands.write import write_set
from tests.models.learning.label_set import write


def test_a_folder_that_cannot_be_replaced_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "set", 1)
    before = (folder / "manifest.json").read_bytes()
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if path.name == ".set.new":
            raise OSError(5, "Input/output error")
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", failing)
        with pytest.raises(OSError, match="Input/output"):
            write_set(folder, (), ())
    assert (folder / "manifest.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["set"]
