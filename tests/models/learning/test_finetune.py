"""A fine-tuning that is cut off, and sets that are none; the networks' training is stood in for."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from hupai.datasets.real.labels import LabelError
from hupai.models import registry
from hupai.models.evaluation.evaluate import Figures
from hupai.models.learning import candidate, parts
from hupai.models.learning import finetune as module
from hupai.models.learning.finetune import finetune
from hupai.models.learning.gate import Suite
from hupai.models.learning.library import Library, LibraryError
from hupai.models.learning.parts import FinetuneError
from hupai.models.learning.set_crops import SetCrops, crops_of, parts_of
from hupai.models.learning.settings import Settings
from hupai.models.training.classifier.crops import NONE, Patches
from hupai.scoring.notation.hands import parse_hand
from hupai.scoring.tiles import Tile
from tests.models.learning.label_set import write


def label_set(folder: Path, train: list[str]) -> Path:
    """The files of a set by which a fine-tuning knows it."""
    folder.mkdir()
    parts = {"train": train, "held-out-photos": [], "held-out-table": []}
    (folder / "splits.json").write_text(json.dumps(parts))
    (folder / "manifest.json").write_text("{}")
    (folder / "coco.json").write_text(json.dumps({"images": [], "annotations": []}))
    return folder


def run(data: Path, tmp_path: Path, name: str = "club", *named: str) -> list[str]:
    """Fine-tune into a library below `tmp_path`; return what was said."""
    library, said = Library(tmp_path / "models"), list[str]()
    settings = Settings(named or ("classifier",), deep=True)
    finetune(data, name, library, tmp_path / "work", settings, said.append)
    return said


def test_a_folder_that_is_no_set(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(LabelError, match="not a set of `hupai datasets from-hands`"):
        run(tmp_path / "photos", tmp_path)


def test_a_set_without_a_photo_to_train_on(tmp_path: Path) -> None:
    with pytest.raises(FinetuneError, match="correct or confirm some hands first"):
        run(label_set(tmp_path / "set", []), tmp_path)


def test_a_bad_name_is_reported_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="cannot be a name for weights"):
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


class Training:
    """Stands in for the training of the networks: copies the shipped ones.

    The first call is cut off after half of a checkpoint, as by a full disk.
    """

    Amount = dict

    def __init__(self) -> None:
        self.calls: list[str] = []

    def classifier(
        self, shipped: Path, own: Path, old: list[Path], run: Path, out: Path, amount: object
    ) -> None:
        assert own.is_file()
        self._made("classifier", shipped, run, out)

    DetectorAmount = dict

    def detector(
        self,
        shipped: Path,
        own: Path,
        photos: list[Path],
        scenes: list[Path],
        run: Path,
        out: Path,
        amount: object,
    ) -> None:
        assert {path.suffix for path in (own / "images").iterdir()} == {".jpg"}
        self._made("detector", shipped, run, out)

    def _made(self, role: str, shipped: Path, run: Path, out: Path) -> None:
        run.mkdir(exist_ok=True)
        (run / "last.pt").write_bytes(b"half")
        self.calls.append(role)
        if len(self.calls) == 2:
            raise OSError(28, "No space left on device")
        out.parent.mkdir(exist_ok=True)
        shutil.copy(shipped, out)


@pytest.mark.nightly
def test_a_run_cut_off_in_the_middle_resumes_and_keeps_no_photo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path / "set", 5)
    training, photos = Training(), parts_of(data)["train"]
    worse = replace(Figures(**{one.name: 0 for one in fields(Figures)}), photos=1, hands=1)
    suite = Suite("held-out-table", True, worse, replace(worse, hands_exact=1))

    def old_crops(work: Path, *_: object) -> tuple[Path, tuple[Path, ...]]:
        crops_of(data, photos).patches.save(work / "old.npz")
        return work / "old.npz", ()

    monkeypatch.setattr(parts, "import_module", lambda _: training)
    monkeypatch.setattr(module, "_old_crops", old_crops)
    monkeypatch.setattr(module, "measure", lambda *_: [suite])
    both = ("classifier", "detector")
    with pytest.raises(OSError, match="No space"):
        run(data, tmp_path, "club", *both)
    assert Library(tmp_path / "models").entries() == ()
    run(data, tmp_path, "club", *both)
    assert training.calls == ["classifier", "detector", "detector"], "what was done stays done"
    (entry,) = Library(tmp_path / "models").entries()
    assert entry.name == "club"
    assert registry.load(str(entry.folder)).info.version.endswith("+club")
    assert list((tmp_path / "work").rglob("*.jpg")) == []
    assert list((tmp_path / "work").rglob("own.npz")) == []


def test_a_photo_with_a_tile_without_a_box_does_not_teach_the_detector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path / "set", 2)
    some, other = sorted((data / "labels").glob("*.txt"))
    seen: list[set[str]] = []

    class Stub:
        DetectorAmount = dict

        @staticmethod
        def detector(_: Path, own: Path, *__: object) -> None:
            seen.append({path.stem.split("_")[1] for path in (own / "images").iterdir()})

    monkeypatch.setattr(parts, "import_module", lambda _: Stub)
    names = frozenset({some.stem, other.stem})
    some.write_text("".join(some.read_text().splitlines(keepends=True)[1:]))
    parts.detector(Path("shipped.onnx"), data, names, (), (), tmp_path / "run", 1)
    assert seen == [{other.stem}]
    with pytest.raises(FinetuneError, match="a box for every tile"):
        parts.detector(
            Path("shipped.onnx"), data, names - {other.stem}, (), (), tmp_path / "run", 1
        )


def test_the_last_layer_does_not_learn_what_was_struck_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patches, grey = Patches(), np.full((80, 80, 3), 128, np.uint8)
    for face in (int(Tile.M1), NONE, int(Tile.EAST)):
        patches.add(grey, np.array([20.0, 20.0, 50.0, 60.0]), face)
    patches.save(tmp_path / "old.npz")
    seen: list[list[int]] = []

    def refit(_: Path, own: tuple[np.ndarray, np.ndarray], *__: object) -> None:
        assert len(own[0]) == len(own[1])
        seen.append(own[1].tolist())

    monkeypatch.setattr("hupai.models.learning.last_layer.refit", refit)
    own = SetCrops(patches, ("a", "a", "b"))
    parts.classifier(Path("shipped.onnx"), own, tmp_path / "old.npz", tmp_path, None)
    assert seen == [[Tile.M1, Tile.EAST]]


def test_suspicious_labels_are_mentioned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(tmp_path / "set", 2)
    line = json.dumps({"photo": "a", "kind": "reading", "box": 0, "what": "2m, read as 3m"})
    (data / "suspicious.jsonl").write_text(f"{line}\n{line}\n")

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    said: list[str] = []
    monkeypatch.setattr(module, "_old_crops", stopped)
    with pytest.raises(KeyboardInterrupt):
        finetune(data, "club", Library(tmp_path / "m"), tmp_path / "w", Settings(), said.append)
    assert any(line.startswith("2 labels are suspicious") for line in said)


FIVE = parse_hand("44445m678p111222s+4m")
"""A hand that no tile set has: five 4m."""


def test_five_of_a_tile_are_listed_and_not_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path / "set", 5, impossible=FIVE)
    lines = (data / "suspicious.jsonl").read_text().splitlines()
    listed = {(row["photo"], row["kind"]) for row in map(json.loads, lines)}
    (wrong,) = {photo for photo, _ in listed}
    assert {kind for _, kind in listed} == {"copies", "hand"}
    taken: list[frozenset[str]] = []

    def stopped(_: Path, names: frozenset[str]) -> None:
        taken.append(names)
        raise KeyboardInterrupt

    said: list[str] = []
    monkeypatch.setattr(module, "crops_of", stopped)
    everything = frozenset[str]().union(*parts_of(data).values())
    (data / "splits.json").write_text(json.dumps({"train": sorted(everything)}))
    with pytest.raises(KeyboardInterrupt):
        finetune(data, "club", Library(tmp_path / "m"), tmp_path / "w", Settings(), said.append)
    assert taken == [everything - {wrong}]
    assert any(wrong in line and "left out until they are corrected" in line for line in said)


@pytest.mark.parametrize("kind", ["overlap", "copies", "hand"])
def test_impossible_labels_are_left_out_of_every_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    data = write(tmp_path / "set", 5)
    split = parts_of(data)
    wrong = {sorted(names)[0] for names in split.values() if len(names) > 1}
    rows = [{"photo": name, "kind": kind, "box": 0, "what": ""} for name in sorted(wrong)]
    (data / "suspicious.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    taken: list[frozenset[str]] = []

    def crops(_: Path, names: frozenset[str]) -> None:
        taken.append(names)
        if len(taken) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "crops_of", crops)
    monkeypatch.setattr(module, "_old_crops", lambda *_: (tmp_path / "old.npz", ()))
    with pytest.raises(KeyboardInterrupt):
        run(data, tmp_path)
    everything = frozenset[str]().union(*split.values())
    assert wrong
    assert taken[0] | taken[1] == everything - wrong


def test_only_impossible_labels_are_nothing_to_train_on(tmp_path: Path) -> None:
    with pytest.raises(FinetuneError, match="correct or confirm some hands first"):
        run(write(tmp_path / "set", 1, impossible=FIVE), tmp_path)


def test_photos_that_show_no_tile_by_its_place_teach_no_classifier(tmp_path: Path) -> None:
    struck_out = Patches()
    struck_out.add(np.zeros((90, 90, 3), np.uint8), np.array([10.0, 10, 40, 50]), NONE)
    own = SetCrops(struck_out, ("a",))
    struck_out.save(tmp_path / "old.npz")
    shipped = registry.find(registry.DEFAULT).path("classifier")
    with pytest.raises(FinetuneError, match="known by its place"):
        parts.classifier(shipped, own, tmp_path / "old.npz", tmp_path / "run", None)


def test_the_card_counts_the_photos_that_were_trained_on(tmp_path: Path) -> None:
    data = write(tmp_path / "set", 5)
    shipped = registry.find(registry.DEFAULT)
    card = candidate.card("club", data, 2, shipped, Settings(), "# Fine-tuned\n")
    assert "5 corrected or confirmed photos" in card
    assert "of which 2 were trained on" in card


@pytest.mark.parametrize(
    ("named", "scenes", "hands"),
    [
        (("classifier",), True, False),
        (("layout",), False, True),
        (("classifier", "layout"), True, True),
    ],
)
def test_the_card_says_what_was_mixed_in(
    tmp_path: Path, named: tuple[str, ...], scenes: bool, hands: bool
) -> None:
    data, shipped = write(tmp_path / "set", 1), registry.find(registry.DEFAULT)
    card = candidate.card("club", data, 1, shipped, Settings(named), "# Fine-tuned\n")
    assert (f"{Settings().scenes} rendered scenes" in card) is scenes
    assert (f"{parts.HANDS} rendered hands" in card) is hands
