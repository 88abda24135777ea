"""Posts rendered hands to a running service and corrects them by their truth, as a person would.

    hupai serve &
    python -m benchmarks.learning.corrected SCENES --address http://127.0.0.1:8000

SCENES is a folder of `benchmarks.learning.communities` or of `hupai.datasets.synthetic.generate`
with whole hands and no tile of them face down. Each picture is posted to ``/v1/hands``; then
``PATCH /v1/hands/{id}`` states the hand: tiles that were not found are added with their corners,
boxes without a tile are struck out, and each tile is assigned to its set. Deployment and hands
consent to learning.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from hupai.datasets.synthetic.truth import SceneTruth, TruthTile, read_truth

RULES = "mcr-1998"

WON_HOW = '{"self_drawn": true, "seat_wind": "E", "round_wind": "E"}'

FIRST_ADDED = 5000
"""Id of the first tile that is added, as on the page."""

REACH = 0.5
"""Greatest distance of the middles of a read tile and a true one, in widths of the true one."""

Json = dict[str, Any]


def matched(scene: SceneTruth, tiles: Sequence[Json]) -> dict[int, int]:
    """Match each read tile with a true one; return indices in the truth by ids of the reading."""
    middles = np.array([tile.quad.mean(0) for tile in scene.tiles])
    widths = np.array(
        [min(np.linalg.norm(t.quad[1] - t.quad[0]), np.linalg.norm(t.quad[3] - t.quad[0]))
         for t in scene.tiles]
    )  # fmt: skip
    found: dict[int, int] = {}
    for tile in tiles:
        away = np.linalg.norm(middles - np.mean(tile["quad"], axis=0), axis=1) / widths
        nearest = int(away.argmin())
        if away[nearest] <= REACH and nearest not in found.values():
            found[tile["id"]] = nearest
    return found


def correction(scene: SceneTruth, reading: Json) -> Json:
    """Return the change that states the hand of a scene on its reading."""
    shown = matched(scene, reading["tiles"])
    ids = {number: i for i, number in shown.items()}
    own = [number for number, tile in enumerate(scene.tiles) if tile.in_hand]
    added = [
        {
            "id": FIRST_ADDED + place,
            "tile": scene.tiles[number].face,
            "quad": scene.tiles[number].quad.tolist(),
        }
        for place, number in enumerate(own)
        if number not in ids
    ]
    ids |= {n: FIRST_ADDED + place for place, n in enumerate(own) if n not in ids}
    wrong = [tile["id"] for tile in reading["tiles"] if tile["in_hand"] and tile["id"] not in shown]
    groups: dict[int | None, list[int]] = {}
    for number in own:
        groups.setdefault(scene.tiles[number].group, []).append(number)
    hand: Json = {"concealed": [], "melds": [], "winning_tile": None, "flowers": []}
    named: Json = {"concealed": [], "melds": [], "winning_tile": None, "flowers": []}
    for numbers in groups.values():
        first = scene.tiles[numbers[0]]
        codes, places = _codes(scene.tiles, numbers), [ids[number] for number in numbers]
        if first.kind in ("concealed", "flowers"):
            hand[first.kind] += codes
            named[first.kind] += places
        elif first.kind == "winning_tile":
            hand["winning_tile"], named["winning_tile"] = codes[0], places[0]
        else:
            meld = {"kind": first.kind, "tiles": codes, "claimed_from": first.claimed_from}
            hand["melds"].append(meld)
            named["melds"].append(places)
    if hand["winning_tile"] is None:
        hand["winning_tile"] = hand["concealed"].pop()
        named["winning_tile"] = named["concealed"].pop()
    return {"hand": hand, "tile_ids": named, "added_tiles": added, "no_tiles": wrong}


def _codes(tiles: Sequence[TruthTile], numbers: Sequence[int]) -> list[str]:
    return [tiles[number].face for number in numbers]


def store(client: httpx.Client, scene: SceneTruth) -> Counter[str]:
    """Post a picture, correct its hand, give consent; count what was corrected.

    A hand that no correction can make legal counts as refused.

    Raises:
        httpx.HTTPStatusError: the service rejected a request.
    """
    files = {"photo": (scene.picture.name, scene.picture.read_bytes(), "image/jpeg")}
    form = {"rules": RULES, "circumstances": WON_HOW}
    answer = client.post("/v1/hands", files=files, data=form).raise_for_status().json()
    change = correction(scene, answer["reading"])
    where = f"/v1/hands/{answer['id']}"
    said = client.patch(where, json=change)
    if said.status_code == httpx.codes.UNPROCESSABLE_ENTITY:
        print(scene.picture.name, said.json()["detail"], flush=True)
        return Counter(refused=1)
    said.raise_for_status()
    client.put(f"{where}/consent", json={"given": True}).raise_for_status()
    own = Counter(tile.face for tile in scene.tiles if tile.in_hand)
    read = Counter(tile["tile"] for tile in answer["reading"]["tiles"] if tile["in_hand"])
    return Counter(
        hands=1,
        exact=int(own == read),
        added=len(change["added_tiles"]),
        struck_out=len(change["no_tiles"]),
    )


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenes", type=Path)
    parser.add_argument("--address", default="http://127.0.0.1:8000")
    a = parser.parse_args()
    total: Counter[str] = Counter()
    with httpx.Client(base_url=a.address, timeout=120) as client:
        client.put("/v1/learning/consent", json={"given": True}).raise_for_status()
        for scene in read_truth(a.scenes):
            total += store(client, scene)
    print(dict(total))


if __name__ == "__main__":
    main()
