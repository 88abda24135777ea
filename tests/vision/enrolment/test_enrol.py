"""Enrolment from photos: which face each tile shows, what is missing, what is asked; and the folder
that keeps sets.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile
from hupai.vision.enrolment import store as tile_set_store
from hupai.vision.enrolment.discriminant import FitSettings, FittedSet, TileSet, fit
from hupai.vision.enrolment.enrol import (
    IncompleteSetError,
    NoEmbeddingsError,
    SetPhotoError,
    TileSetNameError,
    enrol,
)
from hupai.vision.enrolment.label_faces import Seen, ShownPhoto, any_order, reading_order
from hupai.vision.enrolment.store import (
    DamagedTileSetError,
    TileSetExistsError,
    TileSetStore,
    UnknownTileSetError,
    with_choice,
)
from hupai.vision.photo.decode import decode
from tests.vision.enrolment.tile_sets import Rings, photo

SHUFFLED = [PLAYABLE[i] for i in np.random.default_rng(5).permutation(34)]


def test_a_photo_of_all_faces_in_any_order_is_a_set() -> None:
    tiles, shown = enrol("club", [("all.png", photo(SHUFFLED))], Rings())
    assert tiles.known == PLAYABLE
    assert [Tile(int(face)) for face in tiles.faces] == SHUFFLED
    assert tiles.views[0].shape == (112, 112, 3)
    assert not shown.doubtful


def test_flowers_belong_to_it_where_they_are_shown() -> None:
    tiles, _ = enrol("club", [("a.png", photo(PLAYABLE)), ("b.png", photo(FLOWERS))], Rings())
    assert tiles.known == (*PLAYABLE, *FLOWERS)
    assert tiles.photo_of.tolist() == [0] * 34 + [1] * 8


def test_the_one_face_that_the_classifier_does_not_know_follows_from_the_others() -> None:
    tiles, shown = enrol("club", [("all.png", photo(SHUFFLED))], Rings(blind=[Tile.S9]))
    place = SHUFFLED.index(Tile.S9)
    assert tiles.faces[place] == Tile.S9
    assert shown.tiles[place].before[0] is Tile.M1


def test_two_unknown_faces_are_asked_for_and_the_answers_settle_them() -> None:
    reader = Rings(blind=[Tile.S9, Tile.GREEN], hint=False)
    with pytest.raises(IncompleteSetError, match="tiles are in doubt") as caught:
        enrol("club", [("all.png", photo(SHUFFLED))], reader)
    asked = caught.value.shown.doubtful
    assert {SHUFFLED[tile.place[1]] for tile in asked} >= {Tile.S9, Tile.GREEN}
    answers = {tile.place: SHUFFLED[tile.place[1]] for tile in asked}
    tiles, _ = enrol("club", [("all.png", photo(SHUFFLED))], reader, answers=answers)
    assert [Tile(int(face)) for face in tiles.faces] == SHUFFLED


def test_a_missing_face_is_named() -> None:
    with pytest.raises(IncompleteSetError, match="no tile shows") as caught:
        enrol(
            "club",
            [("most.png", photo([face for face in PLAYABLE if face is not Tile.EAST]))],
            Rings(),
        )
    assert caught.value.shown.missing == (Tile.EAST,)


@pytest.mark.parametrize(
    ("row", "faces", "en", "zh"),
    [
        (
            PLAYABLE[:9],
            34,
            "1-9p 1-9s E S W N C F P",
            "一饼至九饼、一条至九条、东、南、西、北、中、发、白",
        ),
        (
            [*PLAYABLE[:9], *PLAYABLE[10:14], *PLAYABLE[18:34]],
            42,
            "1p 6-9p 1-8h",
            "一饼、六饼至九饼、春、夏、秋、冬、梅、兰、竹、菊",
        ),
        ([*PLAYABLE[2:34]], 34, "1m 2m", "一万、二万"),
    ],
)
def test_missing_faces_are_listed_by_suit(
    row: Sequence[Tile], faces: Literal[34, 42], en: str, zh: str
) -> None:
    with pytest.raises(IncompleteSetError) as caught:
        enrol("club", [("row.png", photo(list(row)))], Rings(), faces=faces, order=[row])
    assert str(caught.value) == f"no tile shows {en}"
    assert caught.value.message_zh == f"照片上没有{zh}"


def test_a_face_shown_five_times_on_a_photo_is_named() -> None:
    with pytest.raises(IncompleteSetError) as caught:
        enrol("club", [("many.png", photo([*PLAYABLE, *[Tile.EAST] * 4, Tile.M2]))], Rings())
    assert caught.value.shown.surplus == (Tile.EAST,) or caught.value.shown.doubtful


def test_a_tile_that_is_none_of_the_set_can_be_left_out() -> None:
    photos = [("all.png", photo([*SHUFFLED, Tile.M1]))]
    tiles, _ = enrol("club", photos, Rings(), answers={(0, 34): None})
    assert len(tiles.faces) == 34


@pytest.mark.parametrize("upside_down", [False, True])
def test_guided_by_rows_either_way_up(upside_down: bool) -> None:
    rows = [PLAYABLE[i : i + 9] for i in range(0, 34, 9)]
    lying = [row[::-1] if upside_down else row for row in rows]
    tiles, _ = enrol(
        "club", [(f"{i}.png", photo(row)) for i, row in enumerate(lying)], Rings(), order=rows
    )
    assert [Tile(int(face)) for face in tiles.faces] == [face for row in lying for face in row]


def test_guided_with_another_number_of_tiles() -> None:
    rows = [PLAYABLE[:9]]
    with pytest.raises(IncompleteSetError, match="photo 1 shows 8 tiles, and 9 were named"):
        enrol("club", [("row.png", photo(PLAYABLE[:8]))], Rings(), order=rows)
    with pytest.raises(ValueError, match="2 photos"):
        enrol("club", [("row.png", photo(PLAYABLE[:9]))], Rings(), order=[*rows, *rows])


@pytest.mark.parametrize("upside_down", [False, True])
def test_guided_says_which_tile_is_too_many(upside_down: bool) -> None:
    shown = [*PLAYABLE[:4], Tile.WHITE, *PLAYABLE[4:9]]
    lying = shown[::-1] if upside_down else shown
    with pytest.raises(IncompleteSetError) as caught:
        enrol("club", [("row.png", photo(lying))], Rings(), order=[PLAYABLE[:9]])
    extra = lying.index(Tile.WHITE)
    said = str(caught.value)
    assert "photo 1 shows 10 tiles, and 9 were named" in said
    assert f"tile {extra + 1} at " in said
    assert said.partition("no tile shows ")[2].startswith("1-9p 1-9s ")
    assert caught.value.shown.photos[0].extra == (extra,)
    with pytest.raises(IncompleteSetError) as left:
        enrol(
            "club",
            [("row.png", photo(lying))],
            Rings(),
            order=[PLAYABLE[:9]],
            answers={(0, extra): None},
        )
    assert not left.value.shown.photos[0].problem


def test_guided_with_too_few_tiles_does_not_call_their_faces_missing() -> None:
    with pytest.raises(IncompleteSetError) as caught:
        enrol("club", [("row.png", photo(PLAYABLE[:8]))], Rings(), order=[PLAYABLE[:9]])
    assert not set(caught.value.shown.missing) & set(PLAYABLE[:9])


def test_guided_asks_where_the_classifier_sees_something_else() -> None:
    named = [(Tile.M2, Tile.M1, *PLAYABLE[2:])]
    with pytest.raises(IncompleteSetError) as caught:
        enrol("club", [("all.png", photo(PLAYABLE))], Rings(), order=named)
    assert {tile.place for tile in caught.value.shown.doubtful} == {(0, 0), (0, 1)}


def test_invalid_files_and_names() -> None:
    with pytest.raises(SetPhotoError) as caught:
        enrol("club", [("all.png", photo(PLAYABLE)), ("notes.txt", b"no photo")], Rings())
    assert caught.value.photo == 1
    for name in ("", "../club", "auto", "none", " club", ".club", "a/b", "x" * 41):
        with pytest.raises(TileSetNameError):
            enrol(name, [("all.png", photo(PLAYABLE))], Rings())
    with pytest.raises(NoEmbeddingsError):
        enrol("club", [("all.png", photo(PLAYABLE))], Rings(learns=False))


def test_as_many_tiles_as_four_sets_of_faces_are_four_of_each() -> None:
    rows = np.repeat(np.eye(43, dtype=np.float32)[:34], 4, 0) * 0.9 + 0.1 / 43
    rows[5] = 1 / 43  # the classifier says nothing of the second tile of 2m
    seen = Seen(ShownPhoto("", 1, 1, 136), np.zeros((136, 4), np.float32), rows)
    shown = any_order([seen], None, {})
    assert shown.tiles[5].face is Tile.M2
    assert not shown.missing


def test_reading_order_of_rows_and_of_a_slanting_line() -> None:
    grid = np.asarray([[x, y, x + 10, y + 14] for y in (0, 20) for x in (0, 12, 24)], np.float32)
    mixed = grid[[4, 1, 3, 0, 5, 2]]
    assert mixed[reading_order(mixed)].tolist() == grid.tolist()
    line = np.asarray([[x, 2 * x, x + 10, 2 * x + 14] for x in (0, 15, 30, 45)], np.float32)
    assert reading_order(line[::-1]).tolist() == [3, 2, 1, 0]


def taught(name: str = "club") -> TileSet:
    return enrol(name, [("all.png", photo(PLAYABLE))], Rings())[0]


def test_sets_are_kept_listed_replaced_and_removed(tmp_path: Path) -> None:
    store = TileSetStore(tmp_path / "sets")
    assert store.names() == ()
    store.put(taught())
    store.put(taught("黄 牌"))
    again = TileSetStore(tmp_path / "sets")
    assert again.names() == ("club", "黄 牌")
    kept = again.get("club")
    assert np.array_equal(kept.views, taught().views)
    assert kept.known == PLAYABLE
    with pytest.raises(TileSetExistsError):
        store.put(taught())
    store.put(taught(), replace=True)
    store.fitted("club", Rings())
    store.remove("club")
    assert [path.name for path in (tmp_path / "sets").iterdir()] == ["黄 牌.tiles.npz"]
    for name in ("club", "../黄 牌", ""):
        with pytest.raises(UnknownTileSetError):
            store.get(name)


def test_a_set_is_fitted_once_and_refitted_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def counted(*arguments: Any) -> FittedSet:
        calls.append(1)
        return fit(*arguments)

    monkeypatch.setattr(tile_set_store, "fit", counted)
    TileSetStore(tmp_path).put(taught())
    first = TileSetStore(tmp_path)
    fitted = first.fitted("club", Rings())
    assert first.fitted("club", Rings()) is fitted
    second = TileSetStore(tmp_path).fitted("club", Rings())
    assert np.array_equal(second.means, fitted.means)
    assert len(calls) == 1
    first.put(taught(), replace=True)
    first.fitted("club", Rings())
    assert len(calls) == 2


def test_one_of_many_writers_of_a_name_wins(tmp_path: Path) -> None:
    tiles, taken = taught(), []

    def write() -> None:
        try:
            TileSetStore(tmp_path).put(tiles)
        except TileSetExistsError:
            taken.append(1)

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["club.tiles.npz"]


def test_a_damaged_set_is_reported_and_does_not_prevent_reading(tmp_path: Path) -> None:
    store = TileSetStore(tmp_path)
    store.put(taught())
    (tmp_path / "club.tiles.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(DamagedTileSetError, match="club"):
        store.get("club")
    detector = Rings()
    assert with_choice(detector, "auto", store) is detector
    with pytest.raises(DamagedTileSetError):
        with_choice(detector, "club", store)


@pytest.mark.nightly
def test_damage_anywhere_in_a_set_is_reported(tmp_path: Path) -> None:
    store, path = TileSetStore(tmp_path), tmp_path / "club.tiles.npz"
    store.put(taught())
    whole = path.read_bytes()
    damaged = 0
    for at in [*range(400), *range(400, len(whole), len(whole) // 400)]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            store.get("club")
        except DamagedTileSetError:
            damaged += 1
    assert damaged > 400


def test_a_set_that_is_removed_meanwhile_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = TileSetStore(tmp_path)
    monkeypatch.setattr(Path, "is_file", lambda path: path.parent == tmp_path)
    with pytest.raises(UnknownTileSetError):
        store.get("club")
    with pytest.raises(UnknownTileSetError):
        store.fitted("club", Rings())


def test_a_set_is_fitted_anew_with_other_settings(tmp_path: Path) -> None:
    store = TileSetStore(tmp_path)
    store.put(taught())
    usual, few = store.fitted("club", Rings()), FitSettings(copies=1)
    assert store.fitted("club", Rings(), few).settings == few
    assert store.fitted("club", Rings()).settings == usual.settings


def test_the_choice_of_a_set(tmp_path: Path) -> None:
    store, blind = TileSetStore(tmp_path), Rings(blind=[Tile.S9])
    store.put(enrol("club", [("all.png", photo(SHUFFLED))], blind)[0])
    assert with_choice(blind, "none", store) is blind
    found = with_choice(blind, "club", store).detect(decode(photo(SHUFFLED), "again.png").image)
    assert found.tile_set == "club"
    with pytest.raises(UnknownTileSetError, match="club"):
        with_choice(blind, "home", store)
    with pytest.raises(NoEmbeddingsError):
        with_choice(Rings(learns=False), "club", store)
