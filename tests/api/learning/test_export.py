"""Corrections become a labelled set: what is in it, what is not, and that it is the same twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from hupai.api.app.factory import create_app
from hupai.api.learning import consent
from hupai.api.learning.collect import Collected, collect
from hupai.api.storage import Storage
from hupai.api.web.settings import Settings
from hupai.datasets.from_hands.write import ForeignFolderError, write_set
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.scoring.tiles import Tile
from tests.api.service import MCR, WON_HOW, RecordedReader, client_of, photo_file, recorded_reading


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    settings = Settings(preload=False, rate_limit=0, data_dir=str(tmp_path / "data"))
    return create_app(settings, RecordedReader(recorded_reading()))


@pytest.fixture
def client(app: FastAPI) -> Iterator[httpx.Client]:
    with client_of(app) as client:
        yield client


@pytest.fixture
def storage(app: FastAPI) -> Storage:
    opened = app.state.storage
    assert isinstance(opened, Storage)
    return opened


def photo(seed: int) -> bytes:
    """A photo that looks like no other: coarse coloured noise, large enough for every tile."""
    coarse = np.random.default_rng(seed).integers(0, 256, (9, 16, 3), np.uint8)
    picture = cv2.resize(coarse, (640, 360), interpolation=cv2.INTER_CUBIC)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def stored(client: httpx.Client, seed: int) -> dict[str, Any]:
    """A hand stored through the API."""
    answer = client.post(
        "/v1/hands",
        files=photo_file(photo(seed)),
        data={"rules": MCR, "circumstances": WON_HOW},
    )
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def corrected(client: httpx.Client, hand: dict[str, Any], /, **change: Any) -> dict[str, Any]:
    """The hand after a change."""
    answer = client.patch(f"/v1/hands/{hand['id']}", json=change)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def ids_of(hand: dict[str, Any]) -> dict[str, Any]:
    """Which tile of the reading each tile of the hand is, as the page sends it."""
    groups = {group["kind"]: group["tiles"] for group in hand["reading"]["groups"]}
    return {
        "concealed": groups["concealed"],
        "melds": [groups["chow"], groups["concealed_kong"]],
        "winning_tile": groups["winning_tile"][0],
        "flowers": groups["flowers"],
    }


def agree(storage: Storage, *hands: dict[str, Any], deployment: bool = True) -> None:
    """Give consent for the deployment and these hands."""
    subjects = [consent.hand_subject(hand["id"]) for hand in hands]
    with storage.database.session() as session:
        for subject in [*([consent.DEPLOYMENT] if deployment else []), *subjects]:
            consent.say(session, subject, "anna", given=True)


def export(storage: Storage, folder: Path) -> Collected:
    """Write all labels to a folder."""
    found = collect(storage)
    write_set(folder, found.labels, found.left_out)
    return found


def test_a_corrected_tile_is_a_label(
    client: httpx.Client, storage: Storage, tmp_path: Path
) -> None:
    hand = stored(client, 1)
    written = dict(hand["result"]["hand"])
    was, now = written["concealed"][0], "4m"
    assert was == "2m"
    changed = {key: written[key] for key in ("melds", "winning_tile", "flowers")}
    corrected(
        client,
        hand,
        hand={"concealed": [now, *written["concealed"][1:]], **changed},
        tile_ids=ids_of(hand),
    )
    agree(storage, hand)
    export(storage, tmp_path / "set")
    (row,) = read_folder(tmp_path / "set")
    labelled = dict(zip(map(tuple, row.boxes.round(3).tolist()), row.tiles, strict=True))
    x0, y0, x1, y1 = hand["reading"]["tiles"][0]["box"]
    shares = np.array([x0 / 640, y0 / 360, x1 / 640, y1 / 360], np.float32)
    at = tuple(shares.round(3).tolist())
    assert labelled[at] is Tile.M4
    assert len(row.tiles) == 16
    assert row.hand is not None
    assert row.hand.count(Tile.M4) == 1
    assert row.winning_tile is Tile.M1
    document = json.loads((tmp_path / "set" / "coco.json").read_text("utf-8"))
    first = document["annotations"][0]
    assert (first["category_id"], first["read"], first["checked"]) == (int(Tile.M4), "2m", True)
    kinds: dict[str, int] = {}
    for one in document["annotations"]:
        if one["in_hand"]:
            kinds[one["group"]["kind"]] = kinds.get(one["group"]["kind"], 0) + 1
    read = {group["kind"]: len(group["tiles"]) for group in hand["reading"]["groups"]}
    assert kinds == read, "the page said which tile lies in which group"
    quads = (next((tmp_path / "set" / "labels-obb").iterdir())).read_text("utf-8").splitlines()
    assert [len(line.split()) for line in quads] == [9] * 16


@pytest.mark.parametrize("which", [0, -1])
def test_a_winning_tile_in_the_row_is_not_taken_to_lie_apart(
    client: httpx.Client, storage: Storage, tmp_path: Path, which: int
) -> None:
    """The reading has another tile apart, so that what lies how is known of neither."""
    hand = stored(client, 1)
    written, ids = dict(hand["result"]["hand"]), ids_of(hand)
    concealed, named = list(written["concealed"]), list(ids["concealed"])
    won, at = concealed.pop(which), named.pop(which)
    changed = {
        "concealed": [*concealed, written["winning_tile"]],
        "winning_tile": won,
        "melds": written["melds"],
        "flowers": written["flowers"],
    }
    tile_ids = ids | {"concealed": [*named, ids["winning_tile"]], "winning_tile": at}
    corrected(client, hand, hand=changed, tile_ids=tile_ids)
    agree(storage, hand)
    export(storage, tmp_path / "set")
    document = json.loads((tmp_path / "set" / "coco.json").read_text("utf-8"))
    groups = [one["group"] for one in document["annotations"] if one["in_hand"]]
    assert not any(group and group["kind"] == "winning_tile" for group in groups)


def test_a_chow_is_labelled_as_it_lies_not_in_ascending_order(
    client: httpx.Client, storage: Storage, tmp_path: Path
) -> None:
    hand = stored(client, 1)
    written, ids = dict(hand["result"]["hand"]), ids_of(hand)
    chow = written["melds"][0]
    assert chow["tiles"] == ["5m", "6m", "7m"]
    first, second, third = ids["melds"][0]
    changed = {
        "concealed": ["4m", *written["concealed"][1:], "3h"],
        "melds": [chow | {"tiles": ["7m", "5m", "6m"]}, *written["melds"][1:]],
        "winning_tile": written["winning_tile"],
        "flowers": [],
    }
    named = ids | {
        "melds": [[third, first, second], *ids["melds"][1:]],
        "concealed": [*ids["concealed"], *ids["flowers"]],
        "flowers": [],
    }
    corrected(client, hand, hand=changed, tile_ids=named)
    agree(storage, hand)
    export(storage, tmp_path / "set")
    document = json.loads((tmp_path / "set" / "coco.json").read_text("utf-8"))
    shown = {
        (one["group"]["kind"], one["read"]): Tile(one["category_id"]).code
        for one in document["annotations"]
        if one["in_hand"] and one["group"]["kind"] in ("chow", "flowers")
    }
    flower = next(read for kind, read in shown if kind == "flowers")
    assert shown == {
        **{("chow", code): code for code in ("5m", "6m", "7m")},
        ("flowers", flower): "3h",
    }


def test_a_hand_confirmed_without_a_change_is_a_label(
    client: httpx.Client, storage: Storage
) -> None:
    hand = stored(client, 2)
    after = corrected(client, hand, confirmed=True)
    assert after["version"] == hand["version"] + 1
    again = corrected(client, hand, confirmed=True)
    assert again["version"] == after["version"], "said twice, noted once"
    agree(storage, hand)
    (label,) = collect(storage).labels
    assert not label.corrected
    assert all(tile.checked for tile in label.tiles)


def test_an_unchecked_hand_gives_no_label(client: httpx.Client, storage: Storage) -> None:
    hand = stored(client, 3)
    corrected(client, hand, circumstances={"self_drawn": False, "seat_wind": "S"})
    agree(storage, hand)
    found = collect(storage)
    assert not found.labels
    assert [one.reason for one in found.left_out] == ["nobody corrected or confirmed its tiles"]


def test_without_consent_nothing_is_exported(client: httpx.Client, storage: Storage) -> None:
    hand = stored(client, 4)
    corrected(client, hand, confirmed=True)
    assert not collect(storage).labels
    agree(storage, hand, deployment=False)
    assert not collect(storage).labels, "the deployment was not asked"
    agree(storage)
    assert len(collect(storage).labels) == 1


def test_withdrawn_consent_removes_the_hand_from_later_exports(
    client: httpx.Client, storage: Storage, tmp_path: Path
) -> None:
    kept, gone = stored(client, 5), stored(client, 6)
    for hand in (kept, gone):
        corrected(client, hand, confirmed=True)
    agree(storage, kept, gone)
    folder = tmp_path / "set"
    export(storage, folder)
    assert len(read_folder(folder)) == 2
    with storage.database.session() as session:
        assert consent.say(session, consent.hand_subject(gone["id"]), "anna", given=False)
    export(storage, folder)
    sha256 = gone["photos"][0]["sha256"]
    assert [photo.path.stem for photo in read_folder(folder)] == [kept["photos"][0]["sha256"][:20]]
    for path in folder.rglob("*"):
        assert sha256[:20] not in path.name
        assert not path.is_file() or sha256[:20].encode() not in path.read_bytes()


def test_a_missing_tile_and_a_false_detection(client: httpx.Client, storage: Storage) -> None:
    hand = stored(client, 7)
    ids = ids_of(hand)
    flower = ids["flowers"][0]
    written = {k: hand["result"]["hand"][k] for k in ("concealed", "melds", "winning_tile")}
    quad = [[500, 200], [526, 200], [526, 240], [500, 240]]
    corrected(
        client,
        hand,
        hand={**written, "flowers": ["6h"]},
        added_tiles=[{"id": 900, "tile": "6h", "quad": quad}],
        no_tiles=[flower],
        tile_ids={**ids, "flowers": [900]},
    )
    agree(storage, hand)
    (label,) = collect(storage).labels
    added = [tile for tile in label.tiles if tile.read is None]
    assert [(tile.tile, tile.checked) for tile in added] == [(Tile.from_code("6h"), True)]
    assert [tuple(map(tuple, quad))] == [tile.quad for tile in added]
    assert len(label.struck_out) == 1
    assert len(label.tiles) == len(hand["reading"]["tiles"])


INSIDE = [[1, 1], [9, 1], [9, 9], [1, 9]]
OUTSIDE = [[700, 1], [750, 1], [750, 9], [700, 9]]
"""Corners of a tile beside the photo."""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"no_tiles": [77]}, "no tile of that id"),
        ({"added_tiles": [{"id": 0, "tile": "1m", "quad": INSIDE}]}, "an id that no tile"),
        ({"added_tiles": [{"id": 90, "tile": "1m", "quad": OUTSIDE}]}, "outside the photo"),
        ({"added_tiles": [{"id": 90, "tile": "1m", "quad": INSIDE[:3]}]}, "added_tiles.0.quad"),
    ],
    ids=["unknown tile", "id in use", "outside", "three corners"],
)
def test_impossible_marks_are_refused(
    client: httpx.Client, change: dict[str, Any], said: str
) -> None:
    hand = stored(client, 8)
    answer = client.patch(f"/v1/hands/{hand['id']}", json=change)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_the_same_hands_give_the_same_bytes(
    client: httpx.Client, storage: Storage, tmp_path: Path
) -> None:
    hands = [stored(client, seed) for seed in range(20, 25)]
    for hand in hands:
        corrected(client, hand, confirmed=True)
    agree(storage, *hands)
    digests = []
    for name in ("one", "two", "one"):
        folder = tmp_path / name
        export(storage, folder)
        digests.append(
            {
                path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in folder.rglob("*")
                if path.is_file()
            }
        )
    assert digests[0] == digests[1] == digests[2]
    assert {"contact-sheet-001.jpg", "manifest.json"} <= digests[0].keys()
    assert not list(tmp_path.glob(".*")), "nothing is left beside the set"


def test_two_people_who_disagree_are_listed(
    client: httpx.Client, storage: Storage, tmp_path: Path
) -> None:
    first = stored(client, 30)
    other = client.post(
        "/v1/hands",
        files=photo_file(photo(30)),
        data={"rules": MCR, "circumstances": WON_HOW},
        headers={"idempotency-key": "another"},
    ).json()
    corrected(client, first, confirmed=True)
    corrected(client, other, notation="4444m55pEEE[567m,1](9999s)1h+4m")
    agree(storage, first, other)
    export(storage, tmp_path / "set")
    lines = (tmp_path / "set" / "suspicious.jsonl").read_text("utf-8").splitlines()
    kinds = {json.loads(line)["kind"] for line in lines}
    assert {"contradiction", "hand"} <= kinds, "they differ, and there are five 4m"


def test_two_boxes_on_one_tile_are_listed(
    client: httpx.Client, storage: Storage, tmp_path: Path
) -> None:
    hand = stored(client, 31)
    ids = ids_of(hand)
    written = {k: hand["result"]["hand"][k] for k in ("concealed", "melds", "winning_tile")}
    x0, y0, x1, y1 = hand["reading"]["tiles"][0]["box"]
    quad = [[x0 + 1, y0], [x1 + 1, y0], [x1 + 1, y1], [x0 + 1, y1]]
    corrected(
        client,
        hand,
        hand={**written, "flowers": ["6h"]},
        added_tiles=[{"id": 900, "tile": "6h", "quad": quad}],
        no_tiles=ids["flowers"],
        tile_ids={**ids, "flowers": [900]},
    )
    agree(storage, hand)
    export(storage, tmp_path / "set")
    lines = (tmp_path / "set" / "suspicious.jsonl").read_text("utf-8").splitlines()
    assert "overlap" in {json.loads(line)["kind"] for line in lines}


def test_a_full_disk_leaves_the_earlier_set(
    client: httpx.Client, storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = stored(client, 32)
    corrected(client, hand, confirmed=True)
    agree(storage, hand)
    export(storage, tmp_path / "set")
    before = (tmp_path / "set" / "manifest.json").read_bytes()

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hupai.datasets.from_hands.formats.coco", full)
    with pytest.raises(OSError, match="No space"):
        export(storage, tmp_path / "set")
    assert (tmp_path / "set" / "manifest.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_foreign_folder_is_not_touched(storage: Storage, tmp_path: Path) -> None:
    storage.open()
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Anna")
    with pytest.raises(ForeignFolderError):
        export(storage, tmp_path / "letters")
    assert [path.name for path in (tmp_path / "letters").iterdir()] == ["dear.txt"]
