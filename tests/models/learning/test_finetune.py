"""A fine-tuning that is cut off, and sets that are none; the networks' training is stood in for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hupai.datasets.real.labels import LabelError
from hupai.models.learning.finetune import FinetuneError, Settings, finetune
from hupai.models.learning.library import Library, LibraryError


def label_set(folder: Path, train: list[str]) -> Path:
    """The files of a set by which a fine-tuning knows it."""
    folder.mkdir()
    parts = {"train": train, "held-out-photos": [], "held-out-table": []}
    (folder / "splits.json").write_text(json.dumps(parts))
    (folder / "manifest.json").write_text("{}")
    (folder / "coco.json").write_text(json.dumps({"images": [], "annotations": []}))
    return folder


def run(data: Path, tmp_path: Path, name: str = "club") -> None:
    """Fine-tune into a library below `tmp_path`."""
    library = Library(tmp_path / "models")
    finetune(data, name, library, tmp_path / "work", Settings(), lambda _: None)


def test_a_folder_that_is_no_set(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(LabelError, match="no set of `hupai datasets from-hands`"):
        run(tmp_path / "photos", tmp_path)


def test_a_set_without_a_photo_to_train_on(tmp_path: Path) -> None:
    with pytest.raises(FinetuneError, match="correct or confirm some hands first"):
        run(label_set(tmp_path / "set", []), tmp_path)


def test_a_bad_name_is_reported_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="no name for weights"):
        run(label_set(tmp_path / "set", ["a"]), tmp_path, "../club")
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("cut", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_full_disk_or_a_kill_enters_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: BaseException
) -> None:
    def stopped(*_: object) -> None:
        raise cut

    monkeypatch.setattr("hupai.models.learning.finetune._old_crops", stopped)
    with pytest.raises(type(cut)):
        run(label_set(tmp_path / "set", ["a"]), tmp_path)
    assert Library(tmp_path / "models").entries() == ()
