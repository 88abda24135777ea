"""Label the tiles on enrolment photos with faces: by assignment, or in a given order.

Assignment is `scipy.optimize.linear_sum_assignment`; the probability of each pair comes from
Sinkhorn's scaling with bounds on the columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile
from hupai.vision.geometry.boxes import centres as centres_of
from hupai.vision.geometry.boxes import sizes
from hupai.vision.types import FloatArray

COPIES = 4
"""Maximum number of tiles of one face in a set, and so on one photo."""

MIN_CONFIDENCE = 0.8
"""Probability of a face, given all other tiles, from which it needs no confirmation."""

CONTRADICTED = 1e-3
"""Probability, by the classifier, below which a given face needs confirmation."""

MIN_ALTERNATIVE = 0.01
"""Least probability of a face to be offered as an alternative."""

MAX_ALTERNATIVES = 4
"""Maximum number of alternatives to offer."""

MIN_FLOWERS = 3
"""Number of flowers seen or named from which the set is assumed to have flowers."""

SINKHORN_ROUNDS = 60
"""Rounds of Sinkhorn's scaling."""

ROW_HEIGHT = 0.5
"""Distance across, in tile lengths, below which tiles lie in one row."""

_FILLED_FIRST = 1e3
"""Reward for the first tile of a face: more than all else can cost, so that no face lacks one."""

Place = tuple[int, int]
"""Photo and tile, both counted from 0; the tiles of a photo in reading order."""

Answers = Mapping[Place, Tile | None]
"""The face that the user gave for a tile; None, or a back, for no tile of the set."""


@dataclass(frozen=True, slots=True)
class ShownTile:
    """A tile on a photo.

    Attributes:
        place: photo and number on it.
        box: pixels of the upright photo.
        face: the face assigned.
        confidence: its probability, given all other tiles.
        alternatives: other faces with their probabilities, likeliest first.
        doubtful: whether the user should confirm or correct the face.
        before: the face read by the classifier alone, with its probability.
    """

    place: Place
    box: tuple[float, float, float, float]
    face: Tile
    confidence: float
    alternatives: tuple[tuple[Tile, float], ...]
    doubtful: bool
    before: tuple[Tile, float]


@dataclass(frozen=True, slots=True)
class ShownPhoto:
    """A photo.

    Attributes:
        name: path or upload name.
        width, height: pixels of the upright photo.
        tiles: how many were found.
        problem: what is wrong with it; None if nothing is.
        extra: numbers of the tiles, from 0, that fit no face of the order.
    """

    name: str
    width: int
    height: int
    tiles: int
    problem: str | None = None
    extra: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """The faces labelled on all photos.

    Attributes:
        photos: one entry a photo.
        tiles: all tiles, photo by photo, in reading order.
        expected: the faces of the set.
        unplaced: faces named for a photo that shows fewer tiles than were named.
    """

    photos: tuple[ShownPhoto, ...]
    tiles: tuple[ShownTile, ...]
    expected: tuple[Tile, ...]
    unplaced: frozenset[Tile] = frozenset()

    @property
    def missing(self) -> tuple[Tile, ...]:
        """Expected faces that no tile shows, except for those in `unplaced`."""
        found = {tile.face for tile in self.tiles} | self.unplaced
        return tuple(sorted(set(self.expected) - found))

    @property
    def surplus(self) -> tuple[Tile, ...]:
        """Faces that more than four tiles of one photo show."""
        count = Counter((tile.place[0], tile.face) for tile in self.tiles)
        return tuple(sorted({face for (_, face), times in count.items() if times > COPIES}))

    @property
    def doubtful(self) -> tuple[ShownTile, ...]:
        """Tiles whose face the user should confirm or correct."""
        return tuple(tile for tile in self.tiles if tile.doubtful)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The tiles found on a photo, in reading order.

    Attributes:
        photo: the photo.
        boxes: shape (n, 4), pixels.
        probabilities: shape (n, 43), the classifier's distributions.
    """

    photo: ShownPhoto
    boxes: FloatArray
    probabilities: FloatArray


def any_order(seen: Sequence[Seen], faces: Literal[34, 42] | None, answers: Answers) -> Shown:
    """Match tiles and faces, each face at least once and up to four times a photo.

    As many tiles as faces, or four times as many on one photo, are a whole set, with every face
    equally often. With fewer tiles than faces, each tile gets a different face, and some faces are
    missing. A tile is left out if the user answered with a face that the set does not have.
    """
    found = _together(seen, answers)
    expected = expected_faces(faces, found.table, ())
    found = found.only(
        [i for i, place in enumerate(found.places) if answers.get(place, expected[0]) in expected]
    )
    labels, chances = _matched(found.table[:, : len(expected)], COPIES * len(seen))
    tiles = []
    for place, box, row, chance, label in zip(
        found.places, found.boxes, found.alone, chances, labels, strict=True
    ):
        tile = _shown(place, box, row, chance, expected[int(label)])
        tiles.append(replace(tile, doubtful=tile.doubtful and place not in answers))
    return Shown(tuple(one.photo for one in seen), tuple(tiles), expected)


def guided(
    seen: Sequence[Seen],
    order: Sequence[Sequence[Tile]],
    faces: Literal[34, 42] | None,
    answers: Answers,
) -> Shown:
    """Take the faces from the given order; a photo may be upside down.

    A face that the user gave for a tile takes precedence over the order. A face that the classifier
    contradicts is doubtful. A photo with another number of tiles than its order names gets a
    problem. If there are too many tiles, those that fit the order least are left out; if there are
    too few, all of them are.

    Args:
        seen: the photos.
        order: for each photo the faces it shows, in reading order.
        faces: see `expected_faces`.
        answers: faces that the user gave for tiles.
    """
    expected = expected_faces(
        faces, np.zeros((0, 43), np.float32), [tile for row in order for tile in row]
    )
    photos: list[ShownPhoto] = []
    tiles: list[ShownTile] = []
    unplaced: set[Tile] = set()
    for number, (one, row) in enumerate(zip(seen, order, strict=True)):
        found = _together([one], answers, number)
        extra = _extra(found.table, row) if len(found.places) > len(row) else ()
        photos.append(_counted(one.photo, found, len(row), extra))
        if len(found.places) < len(row):
            unplaced.update(row)
            continue
        kept = [i for i in range(len(found.places)) if i not in extra]
        tiles += _in_order(found.only(kept), row, answers)
    return Shown(tuple(photos), tuple(tiles), expected, frozenset(unplaced))


def _counted(photo: ShownPhoto, found: _Found, named: int, extra: Sequence[int]) -> ShownPhoto:
    """Return a photo with the problem that it shows another number of tiles than were named."""
    if len(found.places) == named:
        return photo
    problem = f"shows {len(found.places)} tiles, and {named} were named"
    if extra:
        where = (f"tile {found.places[i][1] + 1} at {_middle(found.boxes[i])}" for i in extra)
        problem += f"; {', '.join(where)} fits no named face"
    return replace(photo, problem=problem, extra=tuple(found.places[i][1] for i in extra))


def _in_order(found: _Found, row: Sequence[Tile], answers: Answers) -> Iterator[ShownTile]:
    """Yield as many tiles as faces were named, in the direction in which the faces fit better."""
    named = np.asarray([int(tile) for tile in row])

    def fit(faces: NDArray[np.int_]) -> float:
        return float(np.log(found.table[np.arange(len(faces)), faces] + 1e-6).sum())

    chosen = max(named, named[::-1], key=fit)
    for place, box, alone, chances, face in zip(
        found.places, found.boxes, found.alone, found.table, chosen, strict=True
    ):
        stated = answers.get(place)
        own = Tile(int(face)) if stated is None else stated
        contradicted = stated is None and bool(chances[face] < CONTRADICTED)
        yield replace(_shown(place, box, alone, chances, own), doubtful=contradicted)


def _extra(table: FloatArray, row: Sequence[Tile]) -> tuple[int, ...]:
    """Find the surplus tiles relative to an order, which may run either way.

    Of all alignments that keep the order and give each named face a tile, the likeliest leaves
    these out (dynamic programming over tiles and faces).

    Args:
        table: shape (n, 43), the distribution of each tile.
        row: the named faces, fewer than tiles.
    """
    best: tuple[float, tuple[int, ...]] = (-np.inf, ())
    for faces in (row, row[::-1]):
        fits = np.log(table[:, [int(face) for face in faces]] + 1e-6)
        # For each number of faces already matched: the score and the tiles left out so far.
        states: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
        for tile in range(len(table)):
            following: dict[int, tuple[float, tuple[int, ...]]] = {}
            for matched, (score, out) in states.items():
                steps = [(matched, (score, (*out, tile)))]
                if matched < len(faces):
                    steps.append((matched + 1, (score + float(fits[tile, matched]), out)))
                for key, state in steps:
                    following[key] = max(following.get(key, state), state)
            states = following
        best = max(best, states[len(faces)])
    return best[1]


def _middle(box: FloatArray) -> str:
    return f"{(box[0] + box[2]) / 2:.0f}, {(box[1] + box[3]) / 2:.0f}"


def expected_faces(
    faces: Literal[34, 42] | None, table: FloatArray, named: Iterable[Tile | None]
) -> tuple[Tile, ...]:
    """Return the faces of the set: as many as given, else with flowers if there are several.

    Args:
        faces: 34 without flowers, 42 with them; None to decide by the tiles.
        table: shape (n, 43), distributions of the tiles.
        named: faces that the user named.
    """
    flowers = float(table[:, [int(tile) for tile in FLOWERS]].sum()) + sum(
        tile in FLOWERS for tile in named
    )
    return (
        (*PLAYABLE, *FLOWERS)
        if faces == 42 or (faces is None and flowers >= MIN_FLOWERS)
        else PLAYABLE
    )


def reading_order(boxes: FloatArray) -> NDArray[np.intp]:
    """Order boxes (n, 4) row by row from the top, each from the left; a single line end to end.

    Returns:
        Shape (n,), indices.
    """
    if len(boxes) < 2:
        return np.arange(len(boxes))
    centres = centres_of(boxes)
    row_height = ROW_HEIGHT * float(np.median(sizes(boxes).max(1)))
    middle = centres - centres.mean(0)
    along, across = np.linalg.svd(middle, full_matrices=False)[2]
    if np.abs(middle @ across).max() < row_height:
        forward = along if along[np.abs(along).argmax()] > 0 else -along
        return np.argsort(middle @ forward, kind="stable")
    rows: list[list[int]] = []
    for index in np.argsort(centres[:, 1], kind="stable"):
        if rows and centres[index, 1] - np.mean(centres[rows[-1], 1]) < row_height:
            rows[-1].append(int(index))
        else:
            rows.append([int(index)])
    return np.asarray(
        [i for row in rows for i in sorted(row, key=lambda i: float(centres[i, 0]))], np.intp
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The tiles of some photos.

    Attributes:
        places: photo and number of each.
        boxes: shape (n, 4), pixels.
        table: shape (n, 43), their distributions, replaced by answers where there are any.
        alone: shape (n, 43), the distributions as the classifier gave them.
    """

    places: list[Place]
    boxes: FloatArray
    table: FloatArray
    alone: FloatArray

    def only(self, kept: Sequence[int]) -> _Found:
        """Return the tiles at these positions."""
        rows = np.asarray(kept, np.intp)
        places = [self.places[i] for i in kept]
        return _Found(places, self.boxes[rows], self.table[rows], self.alone[rows])


def _together(seen: Sequence[Seen], answers: Answers, first: int = 0) -> _Found:
    """Collect the tiles of several photos, except those that the user said are not of the set.

    The photos are counted from `first`.
    """
    places, boxes, table, alone = [], [], [], []
    for number, one in enumerate(seen, first):
        for tile, (box, row) in enumerate(zip(one.boxes, one.probabilities, strict=True)):
            place = (number, tile)
            answer = answers.get(place)
            if answer is Tile.BACK or (answer is None and place in answers):
                continue
            places.append(place)
            boxes.append(box)
            alone.append(row)
            table.append(row if answer is None else np.eye(43, dtype=np.float32)[int(answer)])
    rows = (np.asarray(part, np.float32).reshape(-1, 43) for part in (table, alone))
    return _Found(places, np.asarray(boxes, np.float32).reshape(-1, 4), *rows)


def _matched(table: FloatArray, copies: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Match tiles with faces.

    Args:
        table: shape (n, m), the tiles' distributions over the faces.
        copies: maximum number of tiles of a face, unless there are too many tiles for that.

    Returns:
        The face of each tile, shape (n,), and the probabilities given all other tiles, (n, m).
    """
    # Imported here: it takes 0.4 s, and every reader of photos imports this module.
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    tiles, faces = table.shape
    whole = tiles == faces or (tiles == COPIES * faces and copies == COPIES)
    slots = tiles // faces if whole else 1 if tiles < faces else max(copies, -(-tiles // faces))
    cost = np.tile(-np.log(table.astype(np.float64) + 1e-6), slots)
    if slots > 1:
        cost[:, :faces] -= _FILLED_FIRST
    labels = linear_sum_assignment(cost)[1] % faces
    return labels, bounded_marginals(table, slots if whole else min(1.0, tiles / faces), slots)


def bounded_marginals(
    weights: NDArray[np.floating], least: float, most: float
) -> NDArray[np.float64]:
    """Scale rows to sum to 1 while every column sums to between `least` and `most`.

    This is Sinkhorn's scaling with bounds on the columns; after `SINKHORN_ROUNDS` they nearly hold.

    Args:
        weights: shape (n, m), not negative; a row is the distribution of one tile when nothing is
            known of the others.
        least, most: bounds on the sum of a column: how often a face lies on the table.

    Returns:
        Shape (n, m), rows sum to 1.
    """
    table = np.asarray(weights, np.float64) + 1e-9
    if not len(table):
        return table
    table /= table.sum(1, keepdims=True)
    for _ in range(SINKHORN_ROUNDS):
        sums = table.sum(0)
        table *= np.clip(sums, least, most) / sums
        table /= table.sum(1, keepdims=True)
    return table


def _shown(
    place: Place, box: FloatArray, row: FloatArray, chances: NDArray[np.floating], face: Tile
) -> ShownTile:
    confidence = float(chances[int(face)])
    others = tuple(
        (Tile(int(i)), round(float(chances[i]), 4))
        for i in np.argsort(-chances, kind="stable")[: MAX_ALTERNATIVES + 1]
        if i != int(face) and chances[i] >= MIN_ALTERNATIVE
    )[:MAX_ALTERNATIVES]
    before = int(row[: int(Tile.BACK)].argmax())
    corners = (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
    return ShownTile(
        place,
        corners,
        face,
        confidence,
        others,
        confidence < MIN_CONFIDENCE,
        (Tile(before), float(row[before])),
    )
