"""The user's weights: entered whole or not at all, chosen, taken back; what is shipped stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hupai.models import registry
from hupai.models.learning.library import SHIPPED, Library, LibraryError
from hupai.models.registry_writer import write_entry


def made(folder: Path, name: str) -> Path:
    """A folder as a fine-tuning leaves it: copies of the shipped networks under a new name."""
    shipped = registry.find(registry.DEFAULT)
    (folder / "weights").mkdir(parents=True)
    files = {}
    for role in ("detector", "classifier"):
        files[role] = folder / "weights" / f"{role}.onnx"
        shutil.copy(shipped.path(role), files[role])
    write_entry(folder, name, f"{shipped.version}+{name}", files, shipped.settings, "a copy")
    (folder / f"{name}.md").write_text("# Card")
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "models")


def test_weights_are_registered_used_and_rolled_back(library: Library, tmp_path: Path) -> None:
    before = {p: registry.sha256(p) for p in registry.FOLDER.rglob("*") if p.is_file()}
    assert library.in_use == SHIPPED
    assert library.resolve("default") == "default"
    entry = library.add(made(tmp_path / "made", "club"), "club")
    assert entry.version.endswith("+club")
    library.use("club")
    assert library.in_use == "club"
    opened = registry.load(library.resolve("default"))
    assert opened.info.name == "club"
    assert opened.info.sha256 == entry.info.sha256
    assert registry.load(library.resolve(SHIPPED)).info.name == "default"
    assert library.roll_back() == SHIPPED
    assert library.resolve("default") == "default"
    assert before == {p: registry.sha256(p) for p in registry.FOLDER.rglob("*") if p.is_file()}


def test_what_cannot_be_entered_or_used(library: Library, tmp_path: Path) -> None:
    folder = made(tmp_path / "made", "club")
    for name in ("shipped", "default", "layout", "in-use.json", "../club", "Club", "", "a" * 41):
        with pytest.raises(LibraryError):
            library.add(folder, name)
    library.add(folder, "club")
    with pytest.raises(LibraryError, match="already"):
        library.add(folder, "club")
    with pytest.raises(LibraryError, match="choose one of shipped, club"):
        library.use("pub")
    with pytest.raises(LibraryError, match="nothing to go back to"):
        library.roll_back()


def test_a_name_may_contain_dots(library: Library, tmp_path: Path) -> None:
    library.add(made(tmp_path / "made", "club-2026.11"), "club-2026.11")
    library.use("club-2026.11")
    assert registry.load(library.resolve("default")).info.name == "club-2026.11"


def test_choosing_the_weights_in_use_again_is_no_step_to_roll_back(
    library: Library, tmp_path: Path
) -> None:
    library.use(SHIPPED)
    with pytest.raises(LibraryError, match="nothing to go back to"):
        library.roll_back()
    library.add(made(tmp_path / "made", "club"), "club")
    for name in ("club", "club", SHIPPED, SHIPPED):
        library.use(name)
    assert library.roll_back() == "club"
    assert library.roll_back() == SHIPPED


def test_changed_weights_are_not_used(library: Library, tmp_path: Path) -> None:
    library.add(made(tmp_path / "made", "club"), "club")
    with (library.folder / "club" / "weights" / "classifier.onnx").open("ab") as file:
        file.write(b"!")
    with pytest.raises(registry.DamagedWeightsError):
        library.use("club")
    assert library.in_use == SHIPPED


def test_a_full_disk_leaves_the_library_as_it_was(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "made", "club")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copytree", full)
        with pytest.raises(OSError, match="No space"):
            library.add(folder, "club")
    assert library.entries() == ()
    assert list(library.folder.iterdir()) == []
    library.add(folder, "club")
    assert [entry.name for entry in library.entries()] == ["club"]


def test_without_a_data_folder_only_the_shipped_weights_read() -> None:
    library = Library(None)
    assert library.in_use == SHIPPED
    assert library.entries() == ()
    assert library.resolve("default") == "default"
    with pytest.raises(LibraryError, match="HUPAI_DATA_DIR"):
        library.use(SHIPPED)


def test_a_damaged_list_means_the_shipped_weights(library: Library) -> None:
    library.folder.mkdir(parents=True)
    (library.folder / "in-use.json").write_text("{")
    assert library.in_use == SHIPPED
