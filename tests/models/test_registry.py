"""The registry opens only what was released."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hupai.models import registry
from hupai.models.registry_writer import change_settings, write_entry, write_layout
from hupai.scoring.tiles import CODES


def test_the_default_weights_are_whole_and_small() -> None:
    entry = registry.available()[0]
    assert entry.name == registry.DEFAULT
    sizes = 0
    for role, _, digest in entry.files:
        path = entry.path(role)
        assert registry.sha256(path) == digest
        sizes += path.stat().st_size
    assert sizes <= 20_000_000
    assert (registry.FOLDER / entry.card).exists(), "every entry has its card"


def test_the_classes_are_the_tile_codes() -> None:
    assert registry.classes() == CODES
    assert len(registry.classes()) == 43


def test_an_unknown_name_is_reported_with_the_known_ones() -> None:
    with pytest.raises(registry.UnknownWeightsError, match="default"):
        registry.load("no-such-weights")


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_damaged_weights_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    shutil.copytree(registry.FOLDER / "weights", tmp_path / "weights")
    shutil.copy(registry.FOLDER / "registry.toml", tmp_path)
    monkeypatch.setattr(registry, "FOLDER", tmp_path)
    victim = next((tmp_path / "weights").glob("*classifier*"))
    if damage == "changed":
        data = bytearray(victim.read_bytes())
        data[len(data) // 2] ^= 1
        victim.write_bytes(data)
    else:
        victim.unlink()
    with pytest.raises(registry.DamagedWeightsError, match=victim.name):
        registry.load()


def test_the_default_weights_find_nothing_on_an_empty_table() -> None:
    detector = registry.load(threads=1)
    found = detector.detect(np.full((480, 640, 3), (30, 90, 50), np.uint8))
    assert len(found) == 0
    assert detector.info.name == registry.DEFAULT
    assert len(detector.info.sha256) == 64


@pytest.mark.nightly
def test_weights_of_a_training_are_opened_by_their_folder(tmp_path: Path) -> None:
    shipped = registry.find(registry.DEFAULT)
    shutil.copytree(registry.FOLDER / "weights", tmp_path / "weights")
    files = {role: tmp_path / "weights" / shipped.path(role).name for role in shipped.roles}
    write_entry(tmp_path, "mine", "3", files, shipped.settings, "of our club")
    detector = registry.load(str(tmp_path), threads=1)
    assert (detector.info.name, detector.info.version) == ("mine", "3")
    assert detector.info.sha256 == shipped.info.sha256, "the same files"
    assert [entry.name for entry in registry.available()] == ["default"], "not among the shipped"

    change_settings(registry.find(str(tmp_path)), replace(shipped.settings, temperature=1.5))
    changed = registry.find(str(tmp_path))
    assert changed.settings == replace(shipped.settings, temperature=1.5)
    assert changed.files == registry.entries(tmp_path)[0].files

    del files["plain"]
    write_entry(tmp_path, "mine", "4", files, shipped.settings, "without the third network")
    without = registry.load(str(tmp_path), threads=1)
    assert without.info.version == "4"
    assert len(without.detect(np.full((480, 640, 3), (30, 90, 50), np.uint8))) == 0
    with pytest.raises(registry.UnknownWeightsError, match="a folder written by training"):
        registry.find(str(tmp_path / "weights"))


@pytest.mark.parametrize("name", ["club-2026.11", "club"])
def test_an_entry_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "weights").mkdir()
    file = tmp_path / "weights" / "detector.onnx"
    file.write_bytes(b"network")
    settings, about = registry.find(registry.DEFAULT).settings, 'of the "Ivory \\ Jade" club'
    write_entry(tmp_path, name, "1", {"detector": file}, settings, about)
    (entry,) = registry.entries(tmp_path)
    assert (entry.name, entry.about, entry.settings) == (name, about, settings)


def test_a_folder_with_layout_weights_alone_has_no_entry_to_open(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "layout.json").write_text("{}")
    write_layout(tmp_path, "1", "layout alone")
    with pytest.raises(registry.UnknownWeightsError):
        registry.find(str(tmp_path))
