"""The labels of a stored photo: tiles with their corners, the hand, author and time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hupai.datasets.real.labels import Label
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile

Corners = tuple[tuple[float, float], ...]
"""Four corners, pixels of the upright photo: top left, top right, bottom right, bottom left of the
tile itself."""


@dataclass(frozen=True, slots=True)
class GroupLabel:
    """The group of the hand that a tile belongs to.

    Attributes:
        number: number of the group within the photo, the same for all its tiles.
        kind: a value of `hupai.vision.types.GroupKind`.
        claimed_from: left, across or right; None if it was not claimed or this is not known.
    """

    number: int
    kind: str
    claimed_from: str | None = None


@dataclass(frozen=True, slots=True)
class TileLabel:
    """One tile of a photo.

    Attributes:
        quad: its corners.
        tile: the face that shows; `Tile.BACK` for a tile lying face down.
        checked: whether a person checked it; False for tiles outside the hand.
        in_hand: whether it belongs to the hand.
        meld: number of its meld in the hand, None for any other tile.
        read: the face that the model read; None if it had found no tile.
        confidence: the model's probability of `read`.
        group: its group; None if it is not known for every tile of the hand.
    """

    quad: Corners
    tile: Tile
    checked: bool
    in_hand: bool = True
    meld: int | None = None
    read: Tile | None = None
    confidence: float = 0.0
    group: GroupLabel | None = None

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Smallest upright box around the tile, ``x0, y0, x1, y1``."""
        xs, ys = zip(*self.quad, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True, slots=True)
class HandLabel:
    """A photo of a hand with its labels.

    Attributes:
        id: id of the stored hand, or of the case.
        origin: ``hand`` or ``case``.
        photo: SHA-256 of the photo's bytes.
        media_type: media type of the photo.
        size: width and height of the upright photo, pixels.
        load: returns the bytes.
        hand: the hand according to a person.
        tiles: labels with corners; empty if hand and photo could not be matched.
        author: who labelled it.
        time: when, ISO 8601 in UTC.
        model: name, version and hash of the weights that read the photo.
        tile_set: name of the enrolled tile set that was recognised or chosen, None without one.
        corrected: whether the reading was changed; False if it was confirmed.
        struck_out: corners of the model's false detections.
    """

    id: str
    origin: str
    photo: str
    media_type: str
    size: tuple[int, int]
    load: Callable[[], bytes]
    hand: Hand
    tiles: tuple[TileLabel, ...]
    author: str
    time: str
    model: tuple[str, str, str]
    tile_set: str | None = None
    corrected: bool = True
    struck_out: tuple[Corners, ...] = ()

    @property
    def checked(self) -> tuple[TileLabel, ...]:
        """The tiles that a person checked."""
        return tuple(tile for tile in self.tiles if tile.checked)

    @property
    def yolo_labels(self) -> tuple[Label, ...]:
        """Face and box of each checked tile, as in a YOLO label file."""
        width, height = self.size
        found = []
        for tile in self.checked:
            x0, y0, x1, y1 = tile.box
            centre = ((x0 + x1) / 2 / width, (y0 + y1) / 2 / height)
            found.append((tile.tile, (*centre, (x1 - x0) / width, (y1 - y0) / height)))
        return tuple(found)

    @property
    def name(self) -> str:
        """File name of the photo without its ending: the start of its hash."""
        return self.photo[:20]

    @property
    def faces(self) -> tuple[Tile, ...]:
        """All tiles of the hand, winning tile and flowers among them, sorted."""
        return tuple(sorted((*self.hand.all_tiles, *self.hand.flowers)))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A stored hand that gives no label, with the reason."""

    id: str
    reason: str
