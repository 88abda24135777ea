"""Where the service and the command line keep tile sets, and what they say about them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from hupai.api.web.settings import Settings
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile
from hupai.vision.enrolment.discriminant import TileSet
from hupai.vision.enrolment.label_faces import Shown, ShownTile
from hupai.vision.enrolment.store import TileSetStore
from hupai.vision.types import Detections

FOLDER = "tile-sets"


def store_in(folder: Path, photos_url: str = "") -> TileSetStore:
    """The store in a data folder; if photos are in an object store, a copy of the sets there."""
    if photos_url:
        # Only here, as it loads the package of the database, which readers do without.
        from hupai.api.storage.photos import is_remote  # noqa: PLC0415
        from hupai.api.tile_sets.mirror import MirroredTileSets  # noqa: PLC0415

        if is_remote(photos_url):
            return MirroredTileSets(folder / FOLDER, photos_url)
    return TileSetStore(folder / FOLDER)


def configured_store() -> TileSetStore | None:
    """The store of the settings in the environment; None if they keep nothing."""
    folder, photos_url = _configured(*_sources())
    return None if folder is None else store_in(folder, photos_url)


def configured_folder() -> Path | None:
    """The data folder of the settings in the environment; None if they keep nothing."""
    return _configured(*_sources())[0]


def _sources() -> tuple[object, ...]:
    """Return what the settings are read from: the environment, and the state of ``.env``."""
    file = Path(".env")
    changed = file.stat().st_mtime_ns if file.exists() else None
    return frozenset(os.environ.items()), Path.cwd(), changed


@lru_cache(maxsize=4)
def _configured(*_sources: object) -> tuple[Path | None, str]:
    """Return the data folder and the URL of photos; checking all settings takes a millisecond."""
    settings = Settings()
    return settings.data_folder, settings.photos_url


def tile_set_json(tiles: TileSet) -> dict[str, object]:
    """What there is to say about a set; `missing` are flowers that it was taught without."""
    known = tiles.known
    return {
        "name": tiles.name,
        "created": tiles.created,
        "faces": [tile.code for tile in known],
        "missing": [tile.code for tile in (*PLAYABLE, *FLOWERS) if tile not in known],
        "photos": tiles.photos,
        "tiles": len(tiles.faces),
    }


def shown_json(shown: Shown) -> dict[str, object]:
    """What enrolment photos show, for somebody who is to complete or confirm it."""
    return {
        "missing": codes(shown.missing),
        "surplus": codes(shown.surplus),
        "photos": [
            {
                "index": index,
                "name": photo.name,
                "width": photo.width,
                "height": photo.height,
                "tiles": photo.tiles,
                "problem": photo.problem,
            }
            for index, photo in enumerate(shown.photos)
        ],
        "tiles": [
            {
                "photo": tile.place[0],
                "tile": tile.place[1],
                "box": [round(value, 1) for value in tile.box],
                "face": tile.face.code,
                "confidence": round(tile.confidence, 4),
                "alternatives": [[face.code, chance] for face, chance in tile.alternatives],
                "asked": tile.doubtful,
            }
            for tile in shown.tiles
        ],
    }


def before_after_json(
    shown: Shown, after: dict[tuple[int, int], tuple[Tile, float]]
) -> list[dict[str, object]]:
    """How each tile of the photos was read before and is read now, beside the face it was taught
    as.
    """
    return [
        {
            "photo": tile.place[0],
            "tile": tile.place[1],
            "box": [round(value, 1) for value in tile.box],
            "face": tile.face.code,
            "before": _read(tile.before),
            "after": _read(after.get(tile.place, tile.before)),
        }
        for tile in shown.tiles
    ]


def read_again(
    tiles: Iterable[ShownTile], found: dict[int, Detections]
) -> dict[tuple[int, int], tuple[Tile, float]]:
    """Face and probability that a second reading of the photos gives each tile: the detection whose
    box is the same.

    Args:
        tiles: tiles of the enrolment.
        found: the second reading of each photo.
    """
    again: dict[tuple[int, int], tuple[Tile, float]] = {}
    for tile in tiles:
        detections = found[tile.place[0]]
        for box, row in zip(detections.boxes, detections.probabilities, strict=True):
            if abs(box - tile.box).max() < 1:
                again[tile.place] = (Tile(int(row.argmax())), float(row.max()))
                break
    return again


def codes(tiles: Iterable[Tile]) -> list[str]:
    """Codes of tiles."""
    return [tile.code for tile in tiles]


def _read(reading: tuple[Tile, float]) -> dict[str, object]:
    face, chance = reading
    return {"tile": face.code, "confidence": round(chance, 4)}
