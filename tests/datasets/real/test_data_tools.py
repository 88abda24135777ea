"""Fetching, conversion, near-duplicates, splits and the label checker, on small files made here."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.real import check, convert, fetch, near_duplicates
from hupai.datasets.real.labels import LabelError, LabelledPhoto, read_folder
from hupai.scoring.tiles import Tile


def picture(path: Path, seed: int, width: int = 160, height: int = 120) -> None:
    """A picture of its own for each seed: large soft blots."""
    path.parent.mkdir(parents=True, exist_ok=True)
    small = np.random.default_rng(seed).integers(20, 256, (6, 8, 3)).astype(np.uint8)
    cv2.imwrite(str(path), cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))


def labelled(folder: Path, name: str, seed: int, lines: list[str]) -> None:
    picture(folder / "images" / f"{name}.png", seed)
    (folder / "labels").mkdir(exist_ok=True)
    (folder / "labels" / f"{name}.txt").write_text("\n".join(lines))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("5m", "5m"), ("dots-1", "1p"), ("bamboo-9", "9s"), ("characters-3", "3m"),
        ("bing1", "1p"), ("tiao5", "5s"), ("wan7", "7m"), ("zhong", "C"), ("honors-east", "E"),
        ("honors-white", "P"), ("bonus-winter", "4h"), ("bonus-bamboo", "7h"), ("Ton", "E"),
        ("Sou2", "2s"),
    ],
)  # fmt: skip
def test_names_of_classes(name: str, code: str) -> None:
    face = convert.face_of(name)
    assert face is not None
    assert face.code == code


def test_a_name_that_nothing_explains_asks_for_the_class_map() -> None:
    for name in ("joker", "dots-12", "bamboo 0"):
        with pytest.raises(LabelError, match=name):
            convert.face_of(name)
    assert convert.face_of("joker", {"joker": ""}) is None
    assert convert.face_of("joker", {"joker": "1h"}) is Tile.SPRING


def test_yolo(tmp_path: Path) -> None:
    labelled(tmp_path / "in", "a", 1, ["1 0.5 0.5 0.1 0.2", "0 0.2 0.5 0.1 0.2"])
    done = convert.from_yolo(tmp_path / "in", ["joker", "dots-4"], tmp_path / "out", {"joker": ""})
    assert done == convert.Converted(1, 1, 1)
    (photo,) = read_folder(tmp_path / "out")
    assert photo.labels == ((Tile.P4, (0.5, 0.5, 0.1, 0.2)),)
    assert (tmp_path / "out" / "classes.txt").read_text().split()[0] == "1m"


def test_coco(tmp_path: Path) -> None:
    picture(tmp_path / "images" / "a.png", 1)
    form = {
        "images": [{"id": 7, "file_name": "a.png", "width": 160, "height": 120}],
        "categories": [{"id": 3, "name": "bamboo-1"}],
        "annotations": [{"image_id": 7, "category_id": 3, "bbox": [40, 30, 16, 24]}],
    }
    (tmp_path / "coco.json").write_text(json.dumps(form))
    convert.from_coco(tmp_path / "coco.json", tmp_path / "images", tmp_path / "out")
    ((tile, box),) = read_folder(tmp_path / "out")[0].labels
    assert tile is Tile.S1
    assert box == pytest.approx((0.3, 0.35, 0.1, 0.2))
    (tmp_path / "coco.json").write_text("{}")
    with pytest.raises(LabelError, match="no COCO"):
        convert.from_coco(tmp_path / "coco.json", tmp_path / "images", tmp_path / "out")


def test_voc(tmp_path: Path) -> None:
    picture(tmp_path / "images" / "a.png", 1)
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "a.xml").write_text(
        "<annotation><filename>a.png</filename><size><width>160</width><height>120</height></size>"
        "<object><name>honors-east</name><bndbox><xmin>40</xmin><ymin>30</ymin><xmax>56</xmax><ymax>54</ymax></bndbox></object>"
        "</annotation>"
    )
    convert.from_voc(tmp_path / "xml", tmp_path / "images", tmp_path / "out")
    ((tile, box),) = read_folder(tmp_path / "out")[0].labels
    assert tile is Tile.EAST
    assert box == pytest.approx((0.3, 0.35, 0.1, 0.2))
    (tmp_path / "xml" / "b.xml").write_text("<annotation/>")
    with pytest.raises(LabelError, match=r"b\.xml"):
        convert.from_voc(tmp_path / "xml", tmp_path / "images", tmp_path / "out")


def test_single_tiles_in_folders_keep_all_pictures_of_one_name(tmp_path: Path) -> None:
    for split in ("train", "test"):
        picture(tmp_path / "in" / split / "dots-2" / "1.png", 1)
    assert convert.from_class_folders(tmp_path / "in", tmp_path / "out").photos == 2
    assert sorted(path.name for path in (tmp_path / "out" / "images").iterdir()) == [
        "1-2.png",
        "1.png",
    ]


def archive(tmp_path: Path) -> Path:
    """A ZIP file such as code hosts make: one folder at its top."""
    picture(tmp_path / "1.jpg", 1)
    path = tmp_path / "source.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.write(tmp_path / "1.jpg", "name-abc/raw-tiles/1.jpg")
        file.writestr(
            "name-abc/tiles-data/data.csv",
            "\ufeffimage-name,label,label-name\n1.jpg,38,bonus-winter\n",
        )
    return path


def test_a_source_is_unpacked_checked_and_converted(tmp_path: Path) -> None:
    source = replace(
        next(one for one in fetch.sources() if one.name == "mahjong-dataset"),
        folders=(("raw-tiles", ""),),
    )
    (said, _) = fetch.get(source, tmp_path / "out", archive(tmp_path))
    assert "not recorded yet" in said
    assert read_folder(tmp_path / "out")[0].labels[0][0] is Tile.WINTER
    right = fetch.digest(tmp_path / "out" / "raw" / "raw-tiles")
    fetch.get(
        replace(source, folders=(("raw-tiles", right),)), tmp_path / "again", archive(tmp_path)
    )
    with pytest.raises(fetch.FetchError, match="not hold the pictures"):
        fetch.get(
            replace(source, folders=(("raw-tiles", "0" * 64),)),
            tmp_path / "wrong",
            archive(tmp_path),
        )


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt"])
def test_an_archive_cannot_write_elsewhere(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(name, "x")
    with pytest.raises(fetch.FetchError, match="lead out"):
        fetch.unpack(path, tmp_path / "in")


def test_every_source_gives_its_origin() -> None:
    found = fetch.sources()
    assert len({one.name for one in found}) == len(found) >= 6
    for one in found:
        assert all((one.page, one.licence, one.version, one.used_for))
        assert not one.archive or one.version in one.archive


def test_near_duplicates_are_the_same_scene_with_the_same_tiles(tmp_path: Path) -> None:
    lines = ["0 0.5 0.5 0.1 0.2", "1 0.2 0.5 0.1 0.2"]
    labelled(tmp_path, "a", 1, lines)
    labelled(
        tmp_path, "b", 1, ["5 0.5 0.5 0.1 0.2", "6 0.2 0.5 0.1 0.2"]
    )  # the same table, other tiles
    labelled(tmp_path, "c", 2, lines)
    labelled(tmp_path, "d", 1, lines)
    brighter = np.asarray(cv2.imread(str(tmp_path / "images" / "a.png")), float) * 0.8 + 20
    cv2.imwrite(str(tmp_path / "images" / "d.png"), np.rot90(brighter))
    photos = read_folder(tmp_path)
    found = near_duplicates.pairs(photos)
    assert {(pair.first, pair.second): pair.same_scene for pair in found} == {
        (0, 1): False,
        (0, 3): True,
        (1, 3): False,
    }
    assert near_duplicates.scenes(photos, found) == ((0, 3), (1,), (2,))
    assert "| 4 | 3 | 1 | 1 |" in near_duplicates.report([tmp_path])


def test_a_split_keeps_tables_and_sets_together() -> None:
    tables = {
        f"{table}{i}": table
        for table, count in (("a", 40), ("b", 30), ("c", 20), ("d", 10))
        for i in range(count)
    }
    for seed in range(20):
        train, measured = near_duplicates.split(tables, {"a": "red", "c": "red"}, 0.2, seed)
        assert train | measured == set(tables)
        assert not train & measured
        assert not {tables[photo] for photo in train} & {tables[photo] for photo in measured}
        assert ("a0" in train) is ("c0" in train)
        assert len(measured) <= 30


def photo_of(*labels: tuple[Tile, tuple[float, float, float, float]]) -> LabelledPhoto:
    return LabelledPhoto(Path("none.jpg"), labels)


ROW = [(Tile(i), (0.1 + 0.08 * i, 0.5, 0.06, 0.09)) for i in range(9)]


def kinds(*photos: LabelledPhoto, readings: check.Readings | None = None) -> list[str]:
    return [one.kind for one in check.check(photos, readings)]


def test_a_clean_row_is_not_suspicious() -> None:
    assert kinds(photo_of(*ROW)) == []


def test_suspicious_labels_are_found() -> None:
    x, y, w, h = ROW[0][1]
    assert kinds(photo_of(*ROW, (Tile.EAST, (x + 0.01, y, w, h)))) == ["overlap"]
    assert kinds(photo_of(*ROW, (Tile.EAST, (0.5, 0.2, 0.03, 0.18)))) == ["aspect"]
    assert kinds(photo_of(*ROW, (Tile.EAST, (0.5, 0.2, 0.02, 0.03)))) == ["size"]
    assert kinds(photo_of(*ROW, (Tile.EAST, (0.98, 0.2, 0.06, 0.09)))) == []
    assert kinds(photo_of(*ROW, (Tile.EAST, (1.0, 0.2, 0.06, 0.09)))) == ["outside"]
    assert kinds(photo_of(*((Tile.M1, box) for _, box in ROW[:5]), *ROW[5:])) == ["copies"]
    assert kinds(photo_of(*((Tile.BACK, box) for _, box in ROW))) == [], "a wall is no mistake"
    assert kinds(photo_of((Tile.PLUM, ROW[0][1]), (Tile.PLUM, ROW[1][1]), *ROW[2:])) == ["copies"]


def test_a_sure_reading_of_another_face_is_listed() -> None:
    def read(face: Tile, sure: float) -> check.Readings:
        boxes = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for _, (x, y, w, h) in ROW]
        return {
            "none": [
                check.ReadTile(face if i == 3 else Tile(i), sure, box)
                for i, box in enumerate(boxes)
            ]
        }

    assert kinds(photo_of(*ROW), readings=read(Tile.M4, 0.99)) == []
    assert kinds(photo_of(*ROW), readings=read(Tile.M5, 0.5)) == []
    assert kinds(photo_of(*ROW), readings=read(Tile.M5, 0.99)) == ["reading"]
    assert kinds(photo_of(*ROW), readings={"none": []}) == ["reading"] * 9


def test_the_checker_as_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labelled(tmp_path, "a", 1, [f"0 {0.1 + 0.15 * i} 0.5 0.1 0.2" for i in range(5)])
    assert check.main([str(tmp_path), "--draw", str(tmp_path / "drawn")]) == 1
    assert "1m 5 times" in capsys.readouterr().out
    assert (tmp_path / "drawn" / "a.jpg").is_file()
    assert check.main([str(tmp_path), "--copies", "5"]) == 0
    with pytest.raises(SystemExit):
        check.main([str(tmp_path / "nowhere")])


def test_class_names_of_an_export_may_have_several_words(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "set" / "train"
    labelled(folder, "a", 1, ["1 0.5 0.5 0.1 0.2"])
    (tmp_path / "in" / "set" / "classes.txt").write_text("east wind\nbamboo 1\n\n")
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as file:
        for path in (tmp_path / "in").rglob("*.*"):
            file.write(path, path.relative_to(tmp_path / "in"))
    folders = (("train", ""),)
    source = fetch.Source("x", "", "", "", "", "", form="yolo", folders=folders)
    fetch.get(source, tmp_path / "out", tmp_path / "set.zip")
    ((tile, _),) = read_folder(tmp_path / "out" / "train")[0].labels
    assert tile is Tile.S1


def test_class_names_over_several_lines_of_yaml_are_not_guessed_at(tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("names: ['1m',\n  '2m']\n")
    archive = tmp_path / "set.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(tmp_path / "data.yaml", "data.yaml")
        file.writestr("train/images/none.txt", "")
    source = fetch.Source("x", "", "", "", "", "", form="yolo", folders=(("train", ""),))
    with pytest.raises(fetch.FetchError, match="on one line"):
        fetch.get(source, tmp_path / "out", archive)
