from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hupai.datasets.synthetic.truth import TruthError, is_scene_folder
from hupai.models.evaluation.evaluate import compare, figures_of
from hupai.models.evaluation.scenes import read_scenes
from hupai.scoring.hand import Source
from hupai.scoring.tiles import Tile, tiles_from_codes
from hupai.vision.types import (
    Group,
    GroupKind,
    ModelInfo,
    PhotoInfo,
    PhotoReading,
    Reading,
    ReadTile,
)

MODEL = ModelInfo("fake", "1", "")


def row(
    column: int,
    face: str,
    shown: str = "",
    in_hand: bool = True,
    group: int | None = 0,
    kind: str = "concealed",
    source: str | None = None,
) -> list[object]:
    """A tile 10 x 14 pixels at a column, as truth.jsonl has it; its outline starts at the lower
    left corner.
    """
    x = 10.0 * column
    outline = [x, 14.0, x, 0.0, x + 10, 0.0, x + 10, 14.0]
    return [
        face,
        shown or face,
        outline,
        1.0,
        False,
        in_hand,
        group,
        kind if in_hand else None,
        source,
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One scene: 11m, a chow claimed from the left, a concealed kong with two tiles face down, and
    a discard.
    """
    rows = [row(0, "1m"), row(1, "1m")]
    rows += [
        row(2 + i, face, group=1, kind="chow", source="left")
        for i, face in enumerate(("3s", "1s", "2s"))
    ]
    rows += [
        row(5 + i, "9p", shown, group=2, kind="concealed_kong")
        for i, shown in enumerate(("?", "9p", "9p", "?"))
    ]
    rows += [row(12, "E", in_hand=False, group=None)]
    scene = {"image": "0.jpg", "width": 200, "height": 100, "layout": "hand", "tiles": rows}
    (tmp_path / "truth.jsonl").write_text(json.dumps(scene) + "\n", "utf-8")
    return tmp_path


def reading(source: Source | None = Source.LEFT) -> PhotoReading:
    """The scene read right; `source` of the chow may be another."""
    faces = [*tiles_from_codes("11m312s"), *[Tile.P9] * 4]
    tiles = [
        ReadTile(i, face, (10.0 * i, 0.0, 10.0 * i + 10, 14.0), 0.9, inferred=i in (5, 8))
        for i, face in enumerate(faces)
    ]
    groups = (
        Group(0, GroupKind.CONCEALED, (0, 1)),
        Group(1, GroupKind.CHOW, (2, 3, 4), source),
        Group(2, GroupKind.CONCEALED_KONG, (5, 6, 7, 8)),
    )
    discard = ReadTile(9, Tile.EAST, (120, 0, 130, 14), 0.9, in_hand=False)
    return PhotoReading(PhotoInfo("0.jpg", "", 200, 100), MODEL, Reading((*tiles, discard), groups))


def test_a_scene_is_a_hand_with_its_groups_and_without_its_discards(folder: Path) -> None:
    assert is_scene_folder(folder)
    (photo,) = read_scenes(folder)
    assert photo.table == "hand"
    assert photo.hand == tuple(sorted(tiles_from_codes("11m123s9999p")))
    assert photo.tiles == tiles_from_codes("11m312s9999p")
    np.testing.assert_allclose(photo.boxes[0], [0, 0, 0.05, 0.14])
    assert photo.groups == (
        ("chow", tiles_from_codes("123s"), "left"),
        ("concealed", tiles_from_codes("11m"), None),
        ("concealed_kong", tiles_from_codes("9999p"), None),
    )


def test_groups_are_exact_when_tiles_kind_and_source_are(folder: Path) -> None:
    (photo,) = read_scenes(folder)
    right, wrong = compare(photo, reading()), compare(photo, reading(Source.RIGHT))
    assert (right.exact, right.groups_exact) == (True, True)
    assert (wrong.exact, wrong.groups_exact) == (True, False)
    figures = figures_of([right, wrong])
    assert (figures.grouped, figures.groups_exact) == (2, 1)


def test_a_kong_all_face_down_is_known_as_backs_only(folder: Path) -> None:
    scene = json.loads((folder / "truth.jsonl").read_text("utf-8"))
    scene["tiles"] = [row(i, "9p", "?", group=0, kind="concealed_kong") for i in range(4)]
    (folder / "truth.jsonl").write_text(json.dumps(scene), "utf-8")
    (photo,) = read_scenes(folder)
    assert photo.hand == (Tile.BACK,) * 4
    assert photo.tiles == ()


def test_a_scene_without_a_hand_has_every_visible_face(folder: Path) -> None:
    scene = json.loads((folder / "truth.jsonl").read_text("utf-8"))
    hidden = row(3, "2m", in_hand=False, group=None)
    hidden[3] = 0.1
    scene["tiles"] = [
        row(0, "1m", in_hand=False, group=None),
        row(1, "5m", "?", in_hand=False, group=None),
        hidden,
    ]
    (folder / "truth.jsonl").write_text(json.dumps(scene), "utf-8")
    (photo,) = read_scenes(folder)
    assert (photo.hand, photo.groups, photo.tiles) == (None, None, (Tile.M1,))


def test_a_hand_that_is_cut_by_the_edge_is_not_asked_for_as_a_whole(folder: Path) -> None:
    scene = json.loads((folder / "truth.jsonl").read_text("utf-8"))
    scene["tiles"][1][3] = 0.3
    (folder / "truth.jsonl").write_text(json.dumps(scene), "utf-8")
    (photo,) = read_scenes(folder)
    assert (photo.hand, photo.groups) == (None, None)
    assert photo.tiles == tiles_from_codes("1m312s9999p")


def test_a_malformed_scene_is_named_with_its_line(folder: Path) -> None:
    (folder / "truth.jsonl").write_text('{"image": "0.jpg"}', "utf-8")
    with pytest.raises(TruthError, match=r"truth\.jsonl, line 1"):
        read_scenes(folder)
