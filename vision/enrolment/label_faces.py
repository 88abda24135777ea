"""Which face each tile on enrolment photos shows: in any order by assignment, or in the order
somebody gives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile
from hupai.vision.enrolment.assignment import least_cost, marginals
from hupai.vision.types import FloatArray

COPIES = 4
"""Most tiles of one face in a set, and so on one photo."""
SURE = 0.8
"""Least probability, given all other tiles, of a face that is not asked for; measured in
docs/enrolment.md.
"""
CONTRADICTED = 1e-3
"""A guided face that the classifier gives less than this is asked for."""

Place = tuple[int, int]
"""Photo and tile, both counted from 0; the tiles of a photo in reading order."""
Answers = Mapping[Place, Tile | None]
"""What somebody said a tile is; None: no tile of the set."""


@dataclass(frozen=True, slots=True)
class ShownTile:
    """A tile on a photo.

    Attributes:
        place: photo and number on it.
        box: pixels of the upright photo.
        face: what it is taken for.
        confidence: probability of that, all other tiles considered.
        alternatives: other faces with their probabilities, likeliest first.
        asked: somebody should confirm or correct the face.
        before: what the classifier alone reads, with its probability.
    """

    place: Place
    box: tuple[float, float, float, float]
    face: Tile
    confidence: float
    alternatives: tuple[tuple[Tile, float], ...]
    asked: bool
    before: tuple[Tile, float]


@dataclass(frozen=True, slots=True)
class ShownPhoto:
    """A photo: name, size in pixels when upright, how many tiles were found, and what is wrong with
    it, if anything.
    """

    name: str
    width: int
    height: int
    tiles: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What the photos show.

    Attributes:
        photos: one entry a photo.
        tiles: all tiles, photo by photo, in reading order.
        expected: the faces of the set.
    """

    photos: tuple[ShownPhoto, ...]
    tiles: tuple[ShownTile, ...]
    expected: tuple[Tile, ...]

    @property
    def missing(self) -> tuple[Tile, ...]:
        """Expected faces that no tile is taken for."""
        return tuple(sorted(set(self.expected) - {tile.face for tile in self.tiles}))

    @property
    def surplus(self) -> tuple[Tile, ...]:
        """Faces taken for more than four tiles of one photo."""
        count = Counter((tile.place[0], tile.face) for tile in self.tiles)
        return tuple(sorted({face for (_, face), times in count.items() if times > COPIES}))

    @property
    def asked(self) -> tuple[ShownTile, ...]:
        """The tiles in doubt."""
        return tuple(tile for tile in self.tiles if tile.asked)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The tiles found on a photo, in reading order: boxes (n, 4) in pixels, the classifier's
    distributions (n, 43).
    """

    photo: ShownPhoto
    boxes: FloatArray
    probabilities: FloatArray


def any_order(seen: Sequence[Seen], faces: Literal[34, 42] | None, answers: Answers) -> Shown:
    """Match tiles and faces, each face at least once and up to four times a photo; tiles in doubt
    are marked.

    As many tiles as faces, or four times as many on one photo, are a whole set: every face as
    often. With fewer tiles than faces each tile gets another face, and some are missing.
    """
    places, boxes, table, alone = _together(seen, answers)
    expected = expected_faces(faces, table, answers.values())
    labels, chances = _matched(table[:, : len(expected)], COPIES * len(seen))
    tiles = []
    for place, box, row, chance, label in zip(places, boxes, alone, chances, labels, strict=True):
        tile = _shown(place, box, row, chance, expected[int(label)])
        tiles.append(replace(tile, asked=False) if place in answers else tile)
    return Shown(tuple(one.photo for one in seen), tuple(tiles), expected)


def guided(
    seen: Sequence[Seen],
    order: Sequence[Sequence[Tile]],
    faces: Literal[34, 42] | None,
    answers: Answers,
) -> Shown:
    """Take the faces from the order; a photo may lie upside down. A face that the classifier
    contradicts is marked.

    A photo with another number of tiles than its order names gets a problem, and its tiles are left
    out.
    """
    expected = expected_faces(
        faces, np.zeros((0, 43), np.float32), [tile for row in order for tile in row]
    )
    photos, tiles = [], []
    for number, (one, row) in enumerate(zip(seen, order, strict=True)):
        places, boxes, table, alone = _together([one], answers, number)
        if len(places) != len(row):
            photos.append(
                replace(one.photo, problem=f"shows {len(places)} tiles, and {len(row)} were named")
            )
            continue
        photos.append(one.photo)
        named = np.asarray([int(tile) for tile in row])
        fits = [
            float(np.log(table[np.arange(len(row)), way] + 1e-6).sum())
            for way in (named, named[::-1])
        ]
        chosen = named if fits[0] >= fits[1] else named[::-1]
        for place, box, row_alone, chances, face in zip(
            places, boxes, alone, table, chosen, strict=True
        ):
            tile = _shown(place, box, row_alone, chances, Tile(int(face)))
            tiles.append(
                replace(tile, asked=place not in answers and bool(chances[face] < CONTRADICTED))
            )
    return Shown(tuple(photos), tuple(tiles), expected)


def expected_faces(
    faces: Literal[34, 42] | None, table: FloatArray, named: Iterable[Tile | None]
) -> tuple[Tile, ...]:
    """The faces of the set: as many as said, else with flowers where three or more are seen or
    named.
    """
    flowers = float(table[:, [int(tile) for tile in FLOWERS]].sum()) + sum(
        tile in FLOWERS for tile in named
    )
    return (*PLAYABLE, *FLOWERS) if faces == 42 or (faces is None and flowers >= 3) else PLAYABLE


def reading_order(boxes: FloatArray) -> NDArray[np.intp]:
    """Boxes row by row from the top, each row from the left; shape (n,), indices. A slanting line
    goes from end to end.
    """
    if len(boxes) < 2:
        return np.arange(len(boxes))
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    side = float(np.median((boxes[:, 2:] - boxes[:, :2]).max(1)))
    middle = centres - centres.mean(0)
    along, across = np.linalg.svd(middle, full_matrices=False)[2]
    if np.abs(middle @ across).max() < 0.5 * side:
        forward = along if along[np.abs(along).argmax()] > 0 else -along
        return np.argsort(middle @ forward, kind="stable")
    rows: list[list[int]] = []
    for index in np.argsort(centres[:, 1], kind="stable"):
        if rows and centres[index, 1] - np.mean([centres[i, 1] for i in rows[-1]]) < 0.5 * side:
            rows[-1].append(int(index))
        else:
            rows.append([int(index)])
    return np.asarray(
        [i for row in rows for i in sorted(row, key=lambda i: float(centres[i, 0]))], np.intp
    )


def _together(
    seen: Sequence[Seen], answers: Answers, first: int = 0
) -> tuple[list[Place], FloatArray, FloatArray, FloatArray]:
    """Places and boxes of all tiles, their distributions with what was answered put in, and
    without; what is no tile of the set is left out.
    """
    places, boxes, table, alone = [], [], [], []
    for number, one in enumerate(seen, first):
        for tile, (box, row) in enumerate(zip(one.boxes, one.probabilities, strict=True)):
            answer = answers.get((number, tile), Tile.BACK)
            if answer is None:
                continue
            places.append((number, tile))
            boxes.append(box)
            alone.append(row)
            table.append(row if answer is Tile.BACK else np.eye(43, dtype=np.float32)[int(answer)])
    rows = [np.asarray(part, np.float32).reshape(-1, 43) for part in (table, alone)]
    return places, np.asarray(boxes, np.float32).reshape(-1, 4), rows[0], rows[1]


def _matched(table: FloatArray, copies: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Column of each row, and the probabilities given all other rows; each column once to `copies`
    times, as far as it goes.
    """
    tiles, faces = table.shape
    cost = -np.log(table.astype(np.float64) + 1e-6)
    whole = tiles == faces or (tiles == COPIES * faces and copies == COPIES)
    slots = tiles // faces if whole else 1 if tiles < faces else max(copies, -(-tiles // faces))
    wide = np.tile(cost, slots)
    if slots > 1:
        # Every face's first place is worth more than anything else can cost: none stays empty.
        wide[:, :faces] -= 1e3
    labels = least_cost(wide) % faces
    return labels, marginals(table, slots if whole else min(1.0, tiles / faces), slots)


def _shown(
    place: Place, box: FloatArray, row: FloatArray, chances: NDArray[np.floating], face: Tile
) -> ShownTile:
    confidence = float(chances[int(face)])
    others = tuple(
        (Tile(int(i)), round(float(chances[i]), 4))
        for i in np.argsort(-chances, kind="stable")[:5]
        if i != int(face) and chances[i] >= 0.01
    )[:4]
    before = int(row[: int(Tile.BACK)].argmax())
    corners = (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
    return ShownTile(
        place,
        corners,
        face,
        confidence,
        others,
        confidence < SURE,
        (Tile(before), float(row[before])),
    )
