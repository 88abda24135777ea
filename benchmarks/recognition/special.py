"""Measures backs, white dragons, red fives, black sets and non-tiles separately.

Whole tables are rendered (`hupai.datasets.synthetic.tables`) in drawn styles, from seeds that
training does not use. Only clearly visible tiles count; a tile is found if a detection overlaps it,
and named right if its likeliest face is the true one. Detections without a tile are false
positives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from hupai.datasets.synthetic.designs import Design, DesignBank, drawn_faces, random_body
from hupai.datasets.synthetic.scene import Rendered, TileTruth
from hupai.datasets.synthetic.tables import surface
from hupai.datasets.synthetic.tables.render import picture_of
from hupai.datasets.synthetic.tables.scene import lay_table, random_camera
from hupai.datasets.synthetic.tables.sets import BLACK_SHARE, TileSet, random_set
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import pairwise_iou
from hupai.vision.protocols import TileDetector
from hupai.vision.types import Detections

MIN_IOU = 0.4
"""Minimum intersection over union of a detection and its tile."""

MIN_VISIBLE = 0.6
"""Minimum visible share of a tile that counts."""

HIDDEN_VISIBLE = 0.1
"""Visible share up to which a tile is hidden, so that a detection of it is false."""

MIN_SIDE = 14.0
"""Minimum shorter side of a tile that counts, pixels."""

MIN_SCORE = 0.5
"""Minimum score of a detection that counts."""

LONGER_SIDE = 1280

RED = 0.5
"""Probability from which a five is reported as red."""

FIVES = frozenset(Tile.from_code(code) for code in ("5m", "5p", "5s"))

NO_TILES = "pictures without a tile"
BESIDE = "beside the tiles of a table"


@dataclass(slots=True)
class Row:
    """The counts of one kind of tile.

    Attributes:
        kind: name of the kind.
        tiles: number of tiles.
        found: how many of them a detection overlaps.
        named: how many of them are named right; red fives must also be reported as red.
        wrong: false positives: plain fives reported as red, detections without a tile.
        pictures: number of pictures.
    """

    kind: str
    tiles: int = 0
    found: int = 0
    named: int = 0
    wrong: int = 0
    pictures: int = 0


class _Styles(DesignBank):
    """Random styles of the drawing program."""

    def __init__(self) -> None:
        super().__init__([])

    def pick(self, rng: np.random.Generator) -> Design:
        body, back, share, shape = random_body(rng)
        return Design("drawn", drawn_faces(rng), body, back, share, shape, 0.08)


@dataclass(slots=True)
class Tally:
    """Rows by kind, in the order of first occurrence."""

    rows: dict[str, Row] = field(default_factory=dict)

    def row(self, kind: str) -> Row:
        """Return the row of a kind, creating it if necessary."""
        return self.rows.setdefault(kind, Row(kind))

    def add(self, shot: Rendered, tile_set: TileSet, found: Detections) -> None:
        """Count one picture."""
        sure = found.only(np.nonzero(found.scores >= MIN_SCORE)[0])
        place = self.row(BESIDE if shot.tiles else NO_TILES)
        place.pictures += 1
        there = [t for t in shot.tiles if t.visible > HIDDEN_VISIBLE]
        place.wrong += len(sure) - len(_matches(sure, there))
        seen = [t for t in shot.tiles if _counts(t)]
        owner = {j: i for i, j in _matches(sure, seen).items()}
        names = sure.probabilities.argmax(1)
        for j, truth in enumerate(seen):
            right = j in owner and int(names[owner[j]]) == int(truth.shown)
            for kind in kinds(truth, tile_set):
                row = self.row(kind)
                row.tiles += 1
                row.found += j in owner
                red = j in owner and bool(sure.reds[owner[j]] > RED)
                row.named += right and (red or kind != "red fives")
                if not truth.placed.red and right and red and truth.shown in FIVES:
                    self.row("red fives").wrong += 1


def kinds(truth: TileTruth, tile_set: TileSet) -> Iterator[str]:
    """Yield the kinds of a tile."""
    if truth.shown is Tile.BACK:
        yield "backs"
        yield f"backs, {tile_set.back_kind}"
        return
    black = max(tile_set.body) < 90
    if truth.placed.red:
        yield "red fives"
    elif truth.shown is Tile.WHITE:
        art = tile_set.faces(Tile.WHITE)
        blank = art is None or int(art[..., 3].max()) == 0
        yield "white dragons, blank" if blank else "white dragons, framed or printed"
    elif not black:
        yield "faces of light sets"
    if black:
        yield "faces of black sets"


def _counts(truth: TileTruth) -> bool:
    sides = [np.linalg.norm(truth.quad[i] - truth.quad[i - 1]) for i in range(4)]
    return truth.visible >= MIN_VISIBLE and float(min(sides)) >= MIN_SIDE


def _matches(found: Detections, tiles: Iterable[TileTruth]) -> dict[int, int]:
    """Match detections with tiles one to one, greatest overlap first."""
    boxes = np.array([t.box for t in tiles], np.float32).reshape(-1, 4)
    matched: dict[int, int] = {}
    if not len(found) or not len(boxes):
        return matched
    overlap = pairwise_iou(found.boxes, boxes)
    taken: set[int] = set()
    for flat in np.argsort(-overlap, axis=None):
        i, j = divmod(int(flat), overlap.shape[1])
        if overlap[i, j] < MIN_IOU:
            break
        if i not in matched and j not in taken:
            matched[i] = j
            taken.add(j)
    return matched


def table(seed: int, bank: DesignBank | None = None) -> tuple[Rendered, TileSet]:
    """Render the table of a seed; return it and its tile set.

    One in five shows no tile, and on another one in five the set is black.
    """
    rng = np.random.default_rng([20_269, seed])
    colour = surface.CLOTHS[int(rng.integers(len(surface.CLOTHS)))]
    black = 1.0 if seed % 5 == 0 else BLACK_SHARE
    tile_set = random_set(rng, bank or _Styles(), colour, black)
    laid = lay_table(rng, tile_set.proportions, empty=float(seed % 5 == 4))
    camera = random_camera(rng, laid, LONGER_SIDE)
    return picture_of(
        rng, laid, camera, tile_set, surface.textured(rng, colour, "felt"), 0.5
    ), tile_set


def measure(detector: TileDetector, count: int, bank: DesignBank | None = None) -> list[Row]:
    """Detect the tiles of `count` tables and count them by kind, sorted by name."""
    tally = Tally()
    for seed in range(count):
        shot, tile_set = table(seed, bank)
        tally.add(shot, tile_set, detector.detect(shot.image))
    return sorted(tally.rows.values(), key=lambda row: row.kind)
