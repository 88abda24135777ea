"""The values passed between the stages of vision.

Boxes are pixels of the upright photo, float32, ``[x0, y0, x1, y1]`` with x to the right and y down.
Class distributions have 43 entries in the order of `hupai.scoring.tiles.Tile`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.hand import Hand, Source
from hupai.scoring.result import Severity
from hupai.scoring.tiles import FIVES, Tile
from hupai.vision.quads import quads_of

FloatArray = NDArray[np.float32]
"""Numbers of any shape."""

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of an upright photo."""

Point = tuple[float, float]
"""x and y in pixels of an upright photo."""

Quad = tuple[Point, Point, Point, Point]
"""Top left, top right, bottom right, bottom left of a tile itself."""

NO_QUAD: Quad = ((0.0, 0.0),) * 4
"""Placeholder for the corners of a tile's box."""

Image = NDArray[np.uint8]
"""Upright RGB, shape (height, width, 3), uint8."""


def _no_quads() -> FloatArray:
    return np.zeros((0, 4, 2), np.float32)


def _no_reds() -> FloatArray:
    return np.zeros((0,), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """Tiles that a detector found, in no particular order.

    Attributes:
        boxes: shape (n, 4), pixels of the upright photo.
        scores: shape (n,), probability that there is a tile at all.
        probabilities: shape (n, 43), class distribution of each tile; rows sum to 1.
        axes: shape (n,), direction of the tile's upright axis (bottom to top of its face) modulo
            pi, radians in [0, pi), measured from the x axis with y down: pi/2 is a tile standing
            upright or upside down on the photo, 0 one lying on its side. NaN if it is not known.
        tile_set: name of the enrolled tile set used for the distributions; None without one.
        low_confidence: detections below the threshold, used only to complete a hand; None without
            any.
        quads: shape (n, 4, 2), pixels: top left, top right, bottom right, bottom left of each tile
            itself; made from box and axis if none are given, see `hupai.vision.quads`.
        reds: shape (n,), probability that a tile, if it is a five, is a red five; zeros if none
            are given.
    """

    boxes: FloatArray
    scores: FloatArray
    probabilities: FloatArray
    axes: FloatArray
    tile_set: str | None = None
    low_confidence: Detections | None = None
    quads: FloatArray = field(default_factory=_no_quads)
    reds: FloatArray = field(default_factory=_no_reds)

    def __post_init__(self) -> None:
        n = len(self.boxes)
        for name, array, shape in (
            ("boxes", self.boxes, (n, 4)),
            ("scores", self.scores, (n,)),
            ("probabilities", self.probabilities, (n, 43)),
            ("axes", self.axes, (n,)),
            ("quads", self.quads, (len(self.quads) and n, 4, 2)),
            ("reds", self.reds, (len(self.reds) and n,)),
        ):
            if array.shape != shape:
                raise ValueError(f"Detections.{name} must have shape {shape}, got {array.shape}")
        if len(self.quads) < n:
            object.__setattr__(self, "quads", quads_of(self.boxes, self.axes))
        if len(self.reds) < n:
            object.__setattr__(self, "reds", np.zeros((n,), np.float32))

    def __len__(self) -> int:
        return len(self.boxes)

    def box(self, i: int) -> Box:
        """Return the box of one tile."""
        x0, y0, x1, y1 = self.boxes[i].tolist()
        return x0, y0, x1, y1

    def quad(self, i: int) -> Quad:
        """Return the corners of one tile."""
        a, b, c, d = ((x, y) for x, y in self.quads[i].tolist())
        return a, b, c, d

    def scaled(self, factor: float) -> Detections:
        """Scale boxes and quads to a picture that is larger by `factor`."""
        if factor == 1:
            return self
        low = None if self.low_confidence is None else self.low_confidence.scaled(factor)
        boxes, quads = (
            (part * np.float32(factor)).astype(np.float32) for part in (self.boxes, self.quads)
        )
        return replace(self, boxes=boxes, quads=quads, low_confidence=low)

    def with_boxes(
        self,
        boxes: FloatArray,
        axes: FloatArray,
        low_confidence: Detections | None,
        quads: FloatArray,
    ) -> Detections:
        """Return the same tiles at other places."""
        return Detections(
            boxes,
            self.scores,
            self.probabilities,
            axes,
            self.tile_set,
            low_confidence,
            quads=quads,
            reds=self.reds,
        )

    def only(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> Detections:
        """Select by a mask (n,) or by indices; `low_confidence` stays."""
        return replace(
            self,
            boxes=self.boxes[which],
            scores=self.scores[which],
            probabilities=self.probabilities[which],
            axes=self.axes[which],
            quads=self.quads[which],
            reds=self.reds[which],
        )

    def clear_faces(self) -> NDArray[np.bool_]:
        """Return which detections (n,) are certainly a tile and show their face clearly."""
        faces = self.probabilities[:, : Tile.BACK].max(1, initial=0.0)
        return np.asarray((self.scores >= CLEAR_SCORE) & (faces >= CLEAR_FACE))

    def shows_table_plane(self) -> NDArray[np.bool_]:
        """Return which detections (n,) determine the table plane: clear faces, or all if few are.

        False detections, walls in side view and standing backs have other shapes than faces lying
        on the table.
        """
        clear = self.clear_faces()
        return np.asarray(clear | (clear.sum() < MIN_CLEAR))

    def with_others(self, others: Detections) -> Detections:
        """Append others of the same photo; `low_confidence` is that of the first that has any."""
        return Detections(
            np.concatenate([self.boxes, others.boxes]),
            np.concatenate([self.scores, others.scores]),
            np.concatenate([self.probabilities, others.probabilities]),
            np.concatenate([self.axes, others.axes]),
            self.tile_set or others.tile_set,
            self.low_confidence or others.low_confidence,
            np.concatenate([self.quads, others.quads]),
            np.concatenate([self.reds, others.reds]),
        )

    @classmethod
    def empty(cls) -> Detections:
        """Return detections of no tile."""
        zero = np.zeros((0,), np.float32)
        return cls(np.zeros((0, 4), np.float32), zero, np.zeros((0, 43), np.float32), zero)


def quad_of_box(box: Box) -> Quad:
    """Return the corners of a box as the quad of a tile whose direction is not known."""
    x0, y0, x1, y1 = box
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


CLEAR_SCORE, CLEAR_FACE = 0.5, 0.9
"""Score, and probability of its face, from which a face is clear."""

SURE_SCORE = 0.7
"""Detection score from which a box certainly holds a whole tile."""

MIN_CLEAR = 10
"""Number of clear faces from which they alone determine the table plane."""

MIN_RED = 0.5
"""Probability above which a five counts as a red one."""


def is_red(tile: Tile, probability: float) -> bool:
    """Decide whether a tile is a red five, by the probability that it is one if it is a five."""
    return tile in FIVES and probability > MIN_RED


class GroupKind(Enum):
    """The kind of a group of tiles on the table."""

    CONCEALED = "concealed"
    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    CONCEALED_KONG = "concealed_kong"
    ADDED_KONG = "added_kong"
    FLOWERS = "flowers"
    WINNING_TILE = "winning_tile"


@dataclass(frozen=True, slots=True)
class ReadTile:
    """A tile of the reading.

    Attributes:
        id: index of the detection, stable within one reading.
        tile: the face read; ``?`` for a face-down tile of unknown face.
        box: pixels of the upright photo.
        confidence: probability of the face, between 0 and 1.
        alternatives: other faces with their probabilities, likeliest first, at most four, none
            below 0.01.
        sideways: whether it lies across the direction of its neighbours.
        in_hand: whether it belongs to the hand; False for discards, wall and the like.
        group: id of its group; None for a tile that is in no group.
        inferred: whether the face was not seen but follows from the rest of the hand.
        photo: which of several photos of one hand the box lies on, from 0.
        elsewhere: where other photos show it, as (photo, box).
        quad: its corners, pixels of the upright photo: top left, top right, bottom right, bottom
            left of the tile itself; those of the box if they are not known.
        red: whether it is a red five.
    """

    id: int
    tile: Tile
    box: Box
    confidence: float
    alternatives: tuple[tuple[Tile, float], ...] = ()
    sideways: bool = False
    in_hand: bool = True
    group: int | None = None
    inferred: bool = False
    photo: int = 0
    elsewhere: tuple[tuple[int, Box], ...] = ()
    quad: Quad = NO_QUAD
    red: bool = False

    def __post_init__(self) -> None:
        if self.quad == NO_QUAD:
            object.__setattr__(self, "quad", quad_of_box(self.box))

    def on_photo(self, photo: int) -> ReadTile | None:
        """Return the tile with its box on that photo; None if that photo does not show it."""
        places = dict(((self.photo, self.box), *self.elsewhere))
        if photo not in places:
            return None
        others = tuple((other, box) for other, box in places.items() if other != photo)
        if photo == self.photo:
            return self
        return replace(self, photo=photo, box=places[photo], elsewhere=others, quad=NO_QUAD)


@dataclass(frozen=True, slots=True)
class Group:
    """Tiles that form a set or another part of the hand.

    Attributes:
        id: number of the group.
        kind: what it is.
        tiles: ids of `ReadTile`, in the order they lie.
        claimed_from: the player it was claimed from; None if it was not claimed or if that is not
            known.
    """

    id: int
    kind: GroupKind
    tiles: tuple[int, ...]
    claimed_from: Source | None = None


@dataclass(frozen=True, slots=True)
class PhotoProblem:
    """A problem of the reading.

    Attributes:
        code: stable name of the problem; docs/problems.md lists them.
        severity: with ``error`` the hand cannot be scored as read.
        message: what is wrong and what to do.
        message_zh: the same in Chinese.
        tiles: ids of the tiles concerned.
    """

    code: str
    severity: Severity
    message: str
    message_zh: str
    tiles: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LikelyHand:
    """A legal hand that the photo may show, with its probability."""

    hand: Hand
    probability: float


@dataclass(frozen=True, slots=True)
class OtherHand:
    """Tiles on the photo that may be a hand other than the one read.

    Attributes:
        at: the centre of one of its tiles, pixels of the upright photo; reading the photo again
            with this point reads that hand.
        tiles: ids of its tiles.
    """

    at: tuple[float, float]
    tiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a photo.

    Attributes:
        tiles: every tile found, in the hand or not.
        groups: the groups of the hand, concealed part first, in reading order.
        hands: the likeliest legal hands, best first; probabilities sum to at most 1; may be empty.
        certain: a promise: at most 1 in 200 readings that carry it is wrong.
        problems: what is wrong or unclear.
        assurance: the measure behind `certain`, in [0, 1]; see `hupai.vision.reading.certainty`.
        other_hands: other possible hands on the photo, likeliest first.
    """

    tiles: tuple[ReadTile, ...] = ()
    groups: tuple[Group, ...] = ()
    hands: tuple[LikelyHand, ...] = ()
    certain: bool = False
    problems: tuple[PhotoProblem, ...] = ()
    assurance: float = 0.0
    other_hands: tuple[OtherHand, ...] = ()

    def on_photo(self, photo: int) -> Reading:
        """Keep what one of several photos shows: tiles, with their boxes there, and groups.

        Hands, problems and other hands remain those of the whole reading.
        """
        placed = (tile.on_photo(photo) for tile in self.tiles)
        tiles = tuple(tile for tile in placed if tile is not None)
        ids = {tile.id for tile in tiles}
        groups = [
            replace(group, tiles=tuple(i for i in group.tiles if i in ids)) for group in self.groups
        ]
        return replace(self, tiles=tiles, groups=tuple(group for group in groups if group.tiles))


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The weights that read a photo.

    Attributes:
        name, version: of the registry entry.
        sha256: hash over all of its files, hexadecimal.
        tile_set: name of the enrolled tile set that was used; None without one.
    """

    name: str
    version: str
    sha256: str
    tile_set: str | None = None


@dataclass(frozen=True, slots=True)
class PhotoInfo:
    """The file of a photo.

    Attributes:
        path: path or upload name.
        sha256: hash of its bytes, hexadecimal.
        width, height: pixels of the upright photo.
    """

    path: str
    sha256: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of each stage; further looks count in the stages that they repeat."""

    decode: float = 0.0
    detect: float = 0.0
    layout: float = 0.0
    read: float = 0.0
    total: float = 0.0

    @property
    def stages(self) -> dict[str, float]:
        """Milliseconds of each stage, in their order, without the total."""
        return {name: getattr(self, name) for name in ("decode", "detect", "layout", "read")}


@dataclass(frozen=True, slots=True)
class PhotoReading:
    """The whole answer for a photo, or for several photos of one hand.

    Attributes:
        photo: the photo, or the first of several.
        model: the weights.
        reading: the content; with several photos, each tile names the one on which it lies.
        timing: milliseconds per stage.
        detections: what the detector found; None if the reader does not keep it.
        photos: all photos if there are several; empty for a single one.
    """

    photo: PhotoInfo
    model: ModelInfo
    reading: Reading
    timing: Timing = field(default_factory=Timing)
    detections: Detections | None = field(default=None, compare=False, repr=False)
    photos: tuple[PhotoInfo, ...] = ()
