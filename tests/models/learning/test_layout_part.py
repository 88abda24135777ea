"""Layout weights fitted on corrected hands: the cases, the fit, weights that bring their own."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hupai.datasets.synthetic.generate import SceneKind, generate
from hupai.datasets.synthetic.truth import read_truth
from hupai.models import registry
from hupai.models.learning import parts
from hupai.models.learning.layout_cases import OWN, own_cases, scene_cases
from hupai.models.registry_writer import write_entry
from hupai.models.training.layout.grouping import fit, hands_of, key_of_case
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.weights import shipped_weights, weights_of
from hupai.vision.pipeline.recogniser import Recogniser
from tests.vision.pictures import detections, table

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six rendered hands."""
    folder = tmp_path_factory.mktemp("scenes") / "hands"
    generate(folder, 6, 3, SceneKind.HANDS, 640)
    return folder


@pytest.fixture(scope="module")
def reader() -> Recogniser:
    return Recogniser(registry.load(registry.DEFAULT, 1))


def exported(scenes: Path, folder: Path) -> Path:
    """The files of a set of `hupai datasets from-hands` that the layout part reads."""
    images, rows = [], []
    shutil.copytree(scenes / "images", folder / "images")
    for number, scene in enumerate(read_truth(scenes), 1):
        images.append({"id": number, "file_name": scene.picture.name})
        for tile in scene.tiles:
            low, high = tile.quad.min(0), tile.quad.max(0)
            group = {"number": tile.group, "kind": tile.kind, "claimed_from": tile.claimed_from}
            row = {
                "image_id": number,
                "category_id": int(Tile.from_code(tile.shown)),
                "bbox": [*map(float, low), *map(float, high - low)],
                "checked": tile.in_hand,
                "in_hand": tile.in_hand,
                "group": group if tile.in_hand else None,
            }
            rows.append(row)
    document = {"images": images, "annotations": rows}
    (folder / "coco.json").write_text(json.dumps(document))
    return folder


def names(scenes: Path) -> frozenset[str]:
    return frozenset(scene.picture.stem for scene in read_truth(scenes))


@pytest.mark.nightly
def test_an_export_gives_the_cases_of_the_scenes_it_came_from(
    scenes: Path, reader: Recogniser, tmp_path: Path
) -> None:
    data = exported(scenes, tmp_path / "set")
    own, rendered = list(own_cases(data, names(scenes), reader)), list(scene_cases(scenes, reader))
    assert [key_of_case(case) for case in own] == [key_of_case(case) for case in rendered]
    assert {case.family for case in own} == {OWN}
    assert list(hands_of(own)), "at least one hand is read whole"


@pytest.mark.nightly
def test_a_photo_with_an_unknown_group_is_left_out(
    scenes: Path, reader: Recogniser, tmp_path: Path
) -> None:
    data = exported(scenes, tmp_path / "set")
    document = json.loads((data / "coco.json").read_text())
    first = next(row for row in document["annotations"] if row["in_hand"])
    first["group"] = None
    (data / "coco.json").write_text(json.dumps(document))
    assert len(list(own_cases(data, names(scenes), reader))) == len(names(scenes)) - 1


@pytest.mark.nightly
def test_the_penalty_holds_the_weights_near_the_shipped_ones(
    scenes: Path, reader: Recogniser
) -> None:
    hands, start = list(hands_of(scene_cases(scenes, reader))), shipped_weights().grouping
    held = fit(hands, 1e6, start)
    assert max(abs(held[name] - start[name]) for name in start) <= 0.001
    free = fit(hands, 0.0001, start)
    assert max(abs(free[name] - start[name]) for name in start) > 0.05


@pytest.mark.nightly
def test_only_the_weights_of_grouping_change(
    scenes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rendered(folder: Path, *_: object, **__: object) -> float:
        shutil.copytree(scenes, folder)
        return 1.0

    monkeypatch.setattr(parts, "generate", rendered)
    data = exported(scenes, tmp_path / "set")
    parts.layout(data, names(scenes), tmp_path / "run", "9+own", lambda _: None)
    found = type(shipped_weights()).load(tmp_path / "run" / "out" / "layout.json")
    assert (found.version, found.grouping.keys()) == ("9+own", shipped_weights().grouping.keys())
    assert found.grouping != shipped_weights().grouping
    for section in ("selection", "tiles", "certainty"):
        assert getattr(found, section) == getattr(shipped_weights(), section)


def test_photos_without_known_groups_are_refused(scenes: Path, tmp_path: Path) -> None:
    data = exported(scenes, tmp_path / "set")
    document = json.loads((data / "coco.json").read_text())
    rows = [row | {"group": None} for row in document["annotations"]]
    (data / "coco.json").write_text(json.dumps(document | {"annotations": rows}))
    with pytest.raises(parts.FinetuneError, match="groups are all known"):
        parts.layout(data, names(scenes), tmp_path / "run", "9+own", lambda _: None)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A set of weights with layout weights of its own."""
    shipped = registry.find(registry.DEFAULT)
    (tmp_path / "club" / "weights").mkdir(parents=True)
    folder = tmp_path / "club" / "weights"
    files = {role: folder / shipped.path(role).name for role in shipped.roles}
    for role, file in files.items():
        shutil.copy(shipped.path(role), file)
    own = folder / "layout.json"
    replace(shipped_weights(), version="9+own").save(own)
    files[registry.LAYOUT] = own
    write_entry(tmp_path / "club", "club", "9", files, shipped.settings, "a copy")
    return tmp_path / "club"


def test_weights_bring_their_own_layout(weights: Path) -> None:
    detector = registry.load(str(weights), 1)
    own = weights_of(detector)
    assert own is not None
    assert own.version == "9+own"
    assert weights_of(registry.load(registry.DEFAULT, 1)) is None
    before = registry.find(str(weights)).info.sha256
    path = weights / "weights" / "layout.json"
    path.write_text(path.read_text().replace("9+own", "9+bad"))
    with pytest.raises(registry.DamagedWeightsError):
        registry.load(str(weights), 1)
    assert registry.find(str(weights)).info.sha256 == before


def test_layout_groups_with_the_weights_it_is_given() -> None:
    found = detections(table("1m2m3m4p5p6p7s8s9sEEEPP"))
    shipped = shipped_weights()
    halved = {name: value / 2 for name, value in shipped.grouping.items()}
    usual, other = (
        arrange(found, (1280, 720), weights=one).arrangements
        for one in (shipped, replace(shipped, grouping=halved))
    )
    assert [one.log_weight for one in usual] != [one.log_weight for one in other]
