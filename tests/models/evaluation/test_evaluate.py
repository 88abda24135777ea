"""Evaluation on a small labelled folder with a reader whose answers are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.real.labels import LabelError
from hupai.models.evaluation.evaluate import Evaluation, evaluate_photos, summarise
from hupai.models.evaluation.labelled_folder import from_every_table, read_folder
from hupai.scoring.hand import Hand, Source
from hupai.scoring.tiles import CODES, Tile, tiles_from_codes
from hupai.vision.types import (
    Group,
    GroupKind,
    LikelyHand,
    ModelInfo,
    PhotoInfo,
    PhotoReading,
    Reading,
    ReadTile,
    Timing,
)

SIDE = 200
MODEL = ModelInfo("fake", "1", "0" * 64)


def cell(column: int, row: int = 0) -> tuple[float, float, float, float]:
    """The box of a tile in a row of tiles 10 x 14 pixels."""
    return (10.0 * column, 20.0 * row, 10.0 * column + 10, 20.0 * row + 14)


def read_as(tiles: str, **changes: object) -> list[ReadTile]:
    """Tiles in a row, read in this order."""
    values: dict[str, object] = {"confidence": 0.9, "in_hand": True, **changes}
    row = int(values.pop("row", 0))  # type: ignore[call-overload]
    return [
        ReadTile(id=i, tile=tile, box=cell(i, row), **values)  # type: ignore[arg-type]
        for i, tile in enumerate(tiles_from_codes(tiles))
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Write a labelled folder: photo name to codes of its labelled tiles, laid out in one row;
    `hands` are photos of hands.
    """

    def write(photos: dict[str, str], hands: tuple[str, ...] = ()) -> Path:
        for name in ("images", "labels"):
            (tmp_path / name).mkdir()
        (tmp_path / "classes.txt").write_text("\n".join(CODES) + "\n", "utf-8")
        for name, codes in photos.items():
            cv2.imwrite(
                str(tmp_path / "images" / f"{name}.png"), np.full((SIDE, SIDE, 3), 90, np.uint8)
            )
            rows = []
            for column, tile in enumerate(tiles_from_codes(codes)):
                x0, y0, x1, y1 = (edge / SIDE for edge in cell(column))
                box = (x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0
                rows.append(" ".join([str(tile.value), *(f"{value:.6f}" for value in box)]))
            (tmp_path / "labels" / f"{name}.txt").write_text("\n".join(rows), "utf-8")
        lines = [
            json.dumps({"photo": name, "tiles": [t.code for t in tiles_from_codes(photos[name])]})
            for name in hands
        ]
        (tmp_path / "hands.jsonl").write_text("\n".join(lines), "utf-8")
        return tmp_path

    return write


class Reader:
    """Answers each photo with the reading prepared for its name."""

    def __init__(self, readings: dict[str, Reading]) -> None:
        self._readings = readings

    def read_photo(self, data: bytes, name: str = "") -> PhotoReading:
        assert data
        reading = self._readings[Path(name).stem]
        return PhotoReading(
            PhotoInfo(name, "", SIDE, SIDE), MODEL, reading, Timing(1, 10, 2, 3, 16)
        )


def measure(folder: Path, readings: dict[str, Reading]) -> Evaluation:
    return summarise(list(evaluate_photos(Reader(readings), read_folder(folder))))


def test_a_hand_read_right_is_exact(folder: Callable[..., Path]) -> None:
    tiles = read_as("123m55p")
    hand = Hand(tiles_from_codes("123m55p"))
    found = measure(
        folder({"a_felt": "123m55p"}, ("a_felt",)),
        {"a_felt": Reading(tuple(tiles), hands=(LikelyHand(hand, 0.9),))},
    )
    f = found.figures
    assert (f.hands_exact, f.best_hands_exact, f.recall, f.precision, f.class_accuracy) == (
        1,
        1,
        1.0,
        1.0,
        1.0,
    )
    assert found.map50 == found.map50_95 == pytest.approx(1.0)
    assert found.timing == Timing(1, 10, 2, 3, 16)
    assert not found.outcomes[0].failed


def test_a_misread_face_is_found_but_not_right_and_named_as_confusion(
    folder: Callable[..., Path],
) -> None:
    found = measure(
        folder({"a_felt": "123m"}, ("a_felt",)),
        {"a_felt": Reading(tuple(read_as("126m")), certain=True)},
    )
    f = found.figures
    assert (f.recall, f.precision, f.faces_right) == (1.0, 1.0, 2)
    assert f.class_accuracy == pytest.approx(2 / 3)
    assert found.confusions == (((Tile.M3, Tile.M6), 1),)
    assert (f.hands_exact, f.certain, f.certain_wrong, f.certain_wrong_rate) == (0, 1, 1, 1.0)
    assert found.outcomes[0].missing == (Tile.M3,)
    assert found.outcomes[0].surplus == (Tile.M6,)
    assert found.outcomes[0].failed


def test_a_discard_beside_a_hand_is_no_error_unless_it_is_counted_into_the_hand(
    folder: Callable[..., Path],
) -> None:
    labelled = folder({"a_felt": "123m"}, ("a_felt",))
    beside = measure(
        labelled, {"a_felt": Reading((*read_as("123m"), *read_as("9s", row=3, in_hand=False)))}
    ).figures
    assert (beside.precision, beside.hands_exact) == (1.0, 1)
    counted = measure(
        labelled, {"a_felt": Reading((*read_as("123m"), *read_as("9s", row=3)))}
    ).figures
    assert (counted.precision, counted.hands_exact) == (0.75, 0)


def test_a_tile_of_the_hand_left_outside_it_is_found_but_the_hand_is_not_exact(
    folder: Callable[..., Path],
) -> None:
    tiles = read_as("123m")
    outside = ReadTile(tiles[2].id, tiles[2].tile, tiles[2].box, 0.9, in_hand=False)
    f = measure(
        folder({"a_felt": "123m"}, ("a_felt",)), {"a_felt": Reading((*tiles[:2], outside))}
    ).figures
    assert (f.recall, f.hands_exact) == (1.0, 0)


def test_without_a_hand_faces_near_the_labels_count_and_others_and_backs_do_not(
    folder: Callable[..., Path],
) -> None:
    beside = [
        ReadTile(8, Tile.S8, cell(3), 0.9, in_hand=False),
        ReadTile(9, Tile.BACK, cell(3), 0.9, in_hand=False),
    ]
    seen = (*read_as("123m", in_hand=False), *beside, *read_as("9s", row=4, in_hand=False))
    f = measure(folder({"a_felt": "123m"}), {"a_felt": Reading(seen)}).figures
    assert (f.predicted, f.precision, f.recall) == (4, 0.75, 1.0)
    assert (f.hands, f.exact_rate, f.certain_wrong_rate) == (0, None, None)


def test_a_photo_without_any_label_counts_every_prediction(folder: Callable[..., Path]) -> None:
    f = measure(folder({"a_felt": ""}), {"a_felt": Reading(tuple(read_as("12m", row=7)))}).figures
    assert (f.predicted, f.precision, f.recall) == (2, 0.0, None)


def test_figures_are_given_by_table(folder: Callable[..., Path]) -> None:
    found = measure(
        folder({"a_felt": "1m", "b_wood": "2m"}),
        {"a_felt": Reading(tuple(read_as("1m"))), "b_wood": Reading()},
    )
    assert {name: figures.recall for name, figures in found.tables.items()} == {
        "felt": 1.0,
        "wood": 0.0,
    }
    assert found.figures.recall == 0.5


def test_table_names_come_from_photos_csv_where_there_is_one(folder: Callable[..., Path]) -> None:
    place = folder({"a_felt": "1m", "b_wood": "2m"})
    (place / "photos.csv").write_text("photo,table\na_felt,kitchen\n", "utf-8")
    assert [photo.table for photo in read_folder(place)] == ["kitchen", "wood"]


def test_a_limit_leaves_no_table_out_and_takes_hands_first(folder: Callable[..., Path]) -> None:
    photos = read_folder(folder({"a_x": "1m", "b_x": "1m", "c_x": "1m", "d_y": "1m"}, ("c_x",)))
    assert [photo.path.stem for photo in from_every_table(photos, 3)] == ["c_x", "d_y", "a_x"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("99 0.5 0.5 0.1 0.1", "class 99"),
        ("1 0.5 0.5", "expected"),
        ("1 a 0.5 0.1 0.1", "could not convert"),
    ],
)
def test_a_malformed_label_is_named_with_its_line(
    folder: Callable[..., Path], line: str, said: str
) -> None:
    place = folder({"a_x": "1m"})
    (place / "labels" / "a_x.txt").write_text("0 0.5 0.5 0.1 0.1\n" + line, "utf-8")
    with pytest.raises(LabelError, match=r"a_x\.txt, line 2: .*" + said):
        read_folder(place)


def test_a_folder_without_labels_is_no_labelled_folder(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="images is missing"):
        read_folder(tmp_path)


def test_a_hand_with_an_unknown_tile_is_named_with_its_line(folder: Callable[..., Path]) -> None:
    place = folder({"a_x": "1m"})
    (place / "hands.jsonl").write_text('{"photo": "a_x", "tiles": ["1z"]}', "utf-8")
    with pytest.raises(LabelError, match=r"hands\.jsonl, line 1"):
        read_folder(place)


def test_known_label_errors_of_the_public_photos_are_corrected_unless_unwanted(
    shared: Path,
) -> None:
    dev = shared / "photos" / "dev"
    given = {photo.path.stem: photo for photo in read_folder(dev, corrected=False)}
    right = {photo.path.stem: photo for photo in read_folder(dev)}
    assert set(given["cm_036_red-floor"].tiles) == {Tile.P1}
    assert len(set(right["cm_036_red-floor"].tiles)) > 1
    assert sum(photo.corrections for photo in given.values()) == 0
    assert sum(photo.corrections for photo in right.values()) > 100
    for name, photo in right.items():
        assert (photo.hand is None) == (given[name].hand is None)
        if photo.hand is not None:
            assert sorted(photo.tiles) == list(photo.hand), name


def test_a_folder_with_hands_alone_counts_whole_hands_and_melds(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for name in ("a", "b", "unknown"):
        picture = np.full((SIDE, SIDE, 3), 90, np.uint8)
        cv2.imwrite(str(tmp_path / "images" / f"{name}.png"), picture)
    kong = {"kind": "concealed_kong", "tiles": ["?", "2s", "2s", "?"], "claimed_from": None}
    pung = {"kind": "pung", "tiles": ["9m", "9m", "9m"], "claimed_from": 1}
    rows = [
        {"photo": "a.jpg", "tiles": ["?", "2s", "2s", "?", "C", "C"], "melds": [kong]},
        {
            "photo": "b.png",
            "tiles": ["9m", "9m", "9m", "C", "C"],
            "melds": [pung],
            "winning_tile": "C",
        },
    ]
    (tmp_path / "hands.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")

    photos = read_folder(tmp_path)
    assert [photo.path.stem for photo in photos] == ["a", "b"]
    assert photos[0].hand == tiles_from_codes("2222sCC"), "the kong names its tiles lying face down"
    assert photos[0].table == tmp_path.name

    def melded(codes: str, kind: GroupKind, size: int, source: Source | None) -> Reading:
        group = Group(0, kind, tuple(range(size)), source)
        hand = Hand(tiles_from_codes("C"), (), Tile.RED)
        return Reading(tuple(read_as(codes)), groups=(group,), hands=(LikelyHand(hand, 0.9),))

    found = summarise(
        list(
            evaluate_photos(
                Reader(
                    {
                        "a": melded("2222sCC", GroupKind.CONCEALED_KONG, 4, None),
                        "b": melded("999mCC", GroupKind.PUNG, 3, Source.RIGHT),
                    }
                ),
                photos,
            )
        )
    )
    f = found.figures
    assert (f.hands, f.hands_exact) == (2, 2)
    assert (f.melded, f.melds_exact) == (2, 1), "claimed from the left, read as from the right"
    assert (f.melds, f.melds_right) == (2, 2)
    assert [outcome.melds_grouped for outcome in found.outcomes] == [True, True]
    assert (f.claims, f.claims_right) == (1, 0)
    assert (f.winning_known, f.winning_right) == (1, 1)
    assert (f.labelled, f.predicted, f.recall, f.precision) == (0, 0, None, None)
    assert not any(outcome.failed for outcome in found.outcomes)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"tiles": ["1m"], "melds": [{"kind": "pung", "tiles": ["1m"] * 3}]}, "is no meld of"),
        ({"tiles": ["1m"], "melds": [{"kind": "trio", "tiles": ["1m"]}]}, "is no meld of"),
    ],
)
def test_a_hand_with_a_wrong_meld_is_named_with_its_line(
    tmp_path: Path, row: dict[str, object], said: str
) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "hands.jsonl").write_text(json.dumps({"photo": "a", **row}), "utf-8")
    with pytest.raises(LabelError, match=r"hands\.jsonl, line 1: .*" + said):
        read_folder(tmp_path)


def test_a_tile_without_a_label_is_no_failure(folder: Callable[..., Path]) -> None:
    found = measure(folder({"a_felt": "12m"}), {"a_felt": Reading(tuple(read_as("12m9s")))})
    assert found.outcomes[0].unlabelled == 1
    assert not found.outcomes[0].failed


def test_names_of_photos_may_contain_dots_and_lack_an_extension(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for name in ("2026.11.27-1.jpg", "2026.11.27-2.jpg"):
        cv2.imwrite(str(tmp_path / "images" / name), np.zeros((8, 8, 3), np.uint8))
    rows = [
        {"photo": "2026.11.27-1.jpg", "tiles": ["1m"]},
        {"photo": "2026.11.27-2", "tiles": ["2m"]},
    ]
    (tmp_path / "hands.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (tmp_path / "photos.csv").write_text("photo,table\n2026.11.27-1.jpg,kitchen\n", "utf-8")
    photos = read_folder(tmp_path)
    assert [photo.hand for photo in photos] == [(Tile.M1,), (Tile.M2,)]
    assert [photo.table for photo in photos] == ["kitchen", tmp_path.name]
