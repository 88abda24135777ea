"""Lays a hand in the style of a family: every tile with its place and its ground truth.

x runs to the owner's right, y away from the owner, both in tile widths; angles are radians,
counter-clockwise, and 0 is a tile whose top points away from the owner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.conventions.families import Style, one_of
from hupai.datasets.synthetic.layout import footprints
from hupai.datasets.synthetic.scene import PlacedTile, Proportions
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import Tile

QUARTER = math.pi / 2

MAX_DRIFT = 0.15
"""Greatest distance of a tile from its row; larger drifts are clipped."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The rectangle that tiles fill, along the axes of the table."""

    left: float
    near: float
    right: float
    far: float

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return (self.left + self.right) / 2, (self.near + self.far) / 2


def laid(face: Tile, group: int, kind: str, claimed_from: str | None = None) -> PlacedTile:
    """Return a tile of the hand, not placed yet."""
    return PlacedTile(
        face, 0.0, 0.0, in_hand=True, group=group, kind=kind, claimed_from=claimed_from
    )


def other(face: Tile, face_down: bool = False) -> PlacedTile:
    """Return a tile that is not part of the hand, not placed yet."""
    return PlacedTile(face, 0.0, 0.0, face_down=face_down)


def corners(tile: PlacedTile, height: float) -> NDArray[np.float64]:
    """Return the corners of a tile, shape (4, 2), from the top left of the face, clockwise."""
    return footprints.corners(tile, Proportions(height))


def extent(tiles: Sequence[PlacedTile], height: float) -> Extent:
    """Return the rectangle that at least one tile fills."""
    points = np.vstack([corners(tile, height) for tile in tiles])
    (left, near), (right, far) = points.min(0).tolist(), points.max(0).tolist()
    return Extent(left, near, right, far)


def moved(tiles: Sequence[PlacedTile], x: float, y: float, turn: float = 0.0) -> list[PlacedTile]:
    """Return the tiles turned about the origin, then shifted."""
    cos, sin = math.cos(turn), math.sin(turn)
    return [
        replace(t, x=t.x * cos - t.y * sin + x, y=t.x * sin + t.y * cos + y, angle=t.angle + turn)
        for t in tiles
    ]


def apart(a: PlacedTile, b: PlacedTile, height: float, space: float = 0.0) -> bool:
    """Return whether more than this space lies between two tiles, along a side of one of them."""
    if math.hypot(a.x - b.x, a.y - b.y) > math.hypot(1.0, height) + space:
        return True
    both = corners(a, height), corners(b, height)
    for points in both:
        for side in (points[1] - points[0], points[2] - points[1]):
            p, q = (one @ (side / np.linalg.norm(side)) for one in both)
            if max(p.min() - q.max(), q.min() - p.max()) > space:
                return True
    return False


class Row:
    """Tiles put down one after another from x = 0 to the right, their near edges about y = 0."""

    def __init__(self, style: Style, rng: np.random.Generator) -> None:
        """Begin an empty row."""
        self.tiles: list[PlacedTile] = []
        self.length = 0.0
        self._style, self._rng = style, rng
        self._neighboured = False

    def put(
        self, tile: PlacedTile, sideways: bool = False, jitter: float | None = None
    ) -> PlacedTile:
        """Put down a tile beside the last; `jitter` in place of the style's."""
        style, rng = self._style, self._rng
        turn = float(np.clip(rng.normal(0.0, style.turn / 2), -style.turn, style.turn))
        width, depth = (style.height, 1.0) if sideways else (1.0, style.height)
        taken = width * math.cos(turn) + depth * abs(math.sin(turn))
        if self._neighboured:
            self.length += rng.uniform(0.0, 0.015) + rng.uniform(
                0.0, style.jitter if jitter is None else jitter
            )
        y = (style.height if style.centred else depth) / 2
        placed = replace(
            tile,
            x=self.length + taken / 2,
            y=y + float(np.clip(rng.normal(0.0, style.drift), -MAX_DRIFT, MAX_DRIFT)),
            angle=turn + (one_of(rng, QUARTER, -QUARTER) if sideways else 0.0),
            sideways=sideways,
        )
        self.tiles.append(placed)
        self.length += taken
        self._neighboured = True
        return placed

    def leave(self, space: float) -> None:
        """Leave a gap before the next tile."""
        self.length += space
        self._neighboured = False

    def put_above(self, tile: PlacedTile, below: PlacedTile) -> None:
        """Put a tile above one of the row, away from the owner, turned the same way."""
        depth = 1.0 if below.sideways else self._style.height
        slack = 0.05 * (self._style.turn > math.radians(1.2))
        up = depth + slack + self._rng.uniform(0.0, 0.06)
        x = below.x + self._rng.uniform(-0.03, 0.03)
        self.tiles.append(
            replace(tile, x=x, y=below.y + up, angle=below.angle, sideways=below.sideways)
        )


def lay(hand: Hand, style: Style, rng: np.random.Generator) -> list[PlacedTile]:
    """Lay a hand.

    Tiles may overlap with an unlucky draw; the caller then lays the hand again.
    """
    own = _concealed(hand, style, rng)
    won = Row(style, rng)
    if style.winning != "inside" and hand.winning_tile is not None:
        won.put(
            laid(hand.winning_tile, 1, "winning_tile"),
            style.winning == "sideways_end",
        )
    if style.winning != "far_right":
        own += _winning(own, won, style, rng)
    own = _slanted(own, style)
    if hand.melds:
        own += _melds(own, hand.melds, style, rng)
    if style.winning == "far_right":
        own += moved(won.tiles, extent(own, style.height).right + style.winning_gap, 0.0)
    if hand.flowers:
        own += _flowers(own, hand, style, rng)
    return own


def _concealed(hand: Hand, style: Style, rng: np.random.Generator) -> list[PlacedTile]:
    """Lay one row or two, with the winning tile if it lies inside."""
    faces = sorted(hand.concealed)
    if style.winning == "inside" and hand.winning_tile is not None:
        faces = sorted([*faces, hand.winning_tile])
    if not style.in_order:
        faces = [faces[i] for i in rng.permutation(len(faces))]
    tiles = [laid(face, 0, "concealed") for face in faces]
    if not style.two_rows or len(tiles) < 8:
        return _bent(_concealed_row(tiles, style, rng), style)
    cut = (len(tiles) + 1) // 2 + int(rng.integers(-1, 2))
    near, far = _concealed_row(tiles[:cut], style, rng), _concealed_row(tiles[cut:], style, rng)
    return near + moved(far, rng.uniform(0.0, 0.5), extent(near, style.height).far + style.row_gap)


def _concealed_row(
    tiles: Sequence[PlacedTile], style: Style, rng: np.random.Generator
) -> list[PlacedTile]:
    row = Row(style, rng)
    for i, tile in enumerate(tiles):
        if style.suit_gap is not None and i and tiles[i - 1].face.suit is not tile.face.suit:
            row.leave(rng.uniform(*style.suit_gap))
        row.put(tile)
    return row.tiles


def _bent(row: list[PlacedTile], style: Style) -> list[PlacedTile]:
    """Lay the row on a parabola, fanned out so that inner corners do not overlap."""
    if not style.bend:
        return row
    middle, half = row[-1].x / 2 + 0.25, max(len(row) / 2, 3.0)
    rise = style.bend * len(row) / 14
    fan = 1 + style.height * abs(rise) / half**2
    bent = []
    for tile in row:
        out = (tile.x - middle) / half
        bent.append(
            replace(
                tile,
                x=middle + fan * half * out,
                y=tile.y + rise * out**2,
                angle=tile.angle + math.atan(2 * rise * out / half),
            )
        )
    return bent


def _winning(
    own: list[PlacedTile], won: Row, style: Style, rng: np.random.Generator
) -> list[PlacedTile]:
    """Lay a winning tile that is set apart beside the concealed tiles."""
    around = extent(own, style.height)
    near_row = [tile for tile in own if tile.y < around.near + style.height]
    last = max(near_row, key=lambda tile: tile.x)
    match style.winning:
        case "apart":
            return moved(won.tiles, around.right + style.winning_gap, last.y - style.height / 2)
        case "sideways_end":
            return moved(
                won.tiles, around.right + rng.uniform(0.02, 0.15), last.y - style.height / 2
            )
        case "sideways_top":
            top = (
                max(tile.y for tile in own if tile.x > last.x - style.height - 0.5)
                + style.height / 2
            )
            x, y = last.x - rng.uniform(0.0, 0.5), top + 0.5 + rng.uniform(0.03, 0.3)
            return [replace(tile, x=x, y=y, angle=QUARTER, sideways=True) for tile in won.tiles]
        case "front":
            x = around.left + (around.right - around.left) * rng.uniform(0.1, 0.9) - 0.5
            return moved(won.tiles, x, around.far + rng.uniform(0.25, 1.0))
    return []


def _slanted(own: list[PlacedTile], style: Style) -> list[PlacedTile]:
    """Turn the row about the right end of its near edge, where the melds follow."""
    if not style.slant:
        return own
    right = extent(own, style.height).right
    return moved(moved(own, -right, 0.0), right, 0.0, style.slant)


def _melds(
    own: list[PlacedTile], melds: Sequence[Meld], style: Style, rng: np.random.Generator
) -> list[PlacedTile]:
    """Lay all melds beside the rest of the hand."""
    hand = extent(own, style.height)
    first = 1 if style.winning == "inside" else 2
    if style.melds == "two_rows":
        half = (len(melds) + 1) // 2
        near, far = (
            _melds_row(part, number, style, rng)
            for part, number in ((melds[:half], first), (melds[half:], first + half))
        )
        above = extent(near.tiles, style.height).far + style.row_gap
        both = near.tiles + moved(far.tiles, rng.uniform(-0.1, 0.1), above)
        return moved(both, hand.right + rng.uniform(*style.gap) + 0.1, 0.0)
    row = _melds_row(melds, first, style, rng)
    match style.melds:
        case "left":
            return moved(
                row.tiles,
                hand.left - rng.uniform(*style.gap) - row.length,
                rng.uniform(-0.06, 0.06),
            )
        case "front":
            x = rng.uniform(-1.0, max(1.0, hand.right - row.length))
            return moved(row.tiles, x, hand.far + style.row_gap * style.height)
        case "corner":
            return moved(row.tiles, hand.right + rng.uniform(2.0, 4.0), rng.uniform(-0.5, 1.2))
        case "across":
            depth = extent(row.tiles, style.height).far
            return moved(
                row.tiles,
                hand.right + rng.uniform(0.6, 2.5) + depth,
                rng.uniform(-0.5, 0.5),
                QUARTER,
            )
    return moved(row.tiles, hand.right + rng.uniform(*style.gap), rng.uniform(-0.06, 0.06))


def _melds_row(melds: Sequence[Meld], first: int, style: Style, rng: np.random.Generator) -> Row:
    """Lay melds side by side, their groups numbered from `first`."""
    row = Row(style, rng)
    for i, meld in enumerate(melds):
        if i:
            row.leave(rng.uniform(*style.gap))
        _meld(row, meld, first + i, style, rng)
    return row


def _meld(row: Row, meld: Meld, group: int, style: Style, rng: np.random.Generator) -> None:
    giver = meld.claimed_from
    jitter = min(style.jitter, 0.05)  # a meld is pushed together where a loose concealed row is not
    down = _backs(style, rng) if meld.kind is MeldKind.CONCEALED_KONG else ()
    added = meld.kind is MeldKind.ADDED_KONG
    faces = list(meld.tiles[:3] if added else meld.tiles)
    place = None if giver is None else _place(giver, len(faces), rng)
    if meld.kind is MeldKind.CHOW and place is not None:
        faces.insert(
            place, faces.pop(int(rng.integers(3)))
        )  # any of its three tiles may be the claimed one
    truth = laid(faces[0], group, meld.kind.value, None if giver is None else giver.value)
    put = [
        row.put(replace(truth, face=face, face_down=i in down), i == place, jitter)
        for i, face in enumerate(faces)
    ]
    if added:
        row.put_above(truth, put[1 if place is None else place])


def _place(giver: Source, tiles: int, rng: np.random.Generator) -> int:
    """Return which tile of a claimed set lies sideways: the one on the side of its source."""
    match giver:
        case Source.LEFT:
            return 0
        case Source.RIGHT:
            return tiles - 1
        case Source.ACROSS:
            return 1 if tiles == 3 else one_of(rng, 1, 2)


def _backs(style: Style, rng: np.random.Generator) -> tuple[int, ...]:
    """Return which tiles of a concealed kong lie face down."""
    match style.concealed_kong:
        case "all_down":
            return 0, 1, 2, 3
        case "outer_down":
            return 0, 3
        case "inner_down":
            return 1, 2
        case "one_up":
            return one_of(rng, (0, 1, 2), (1, 2, 3), (0, 2, 3))
        case "one_down":
            return one_of(rng, (0,), (3,))


def _flowers(
    own: list[PlacedTile], hand: Hand, style: Style, rng: np.random.Generator
) -> list[PlacedTile]:
    """Lay the flowers in a row beside the rest of the hand."""
    row, jitter = Row(style, rng), one_of(rng, 0.03, 0.3)
    group = 1 + max(tile.group or 0 for tile in own)
    for face in hand.flowers:
        row.put(laid(face, group, "flowers"), jitter=jitter)
    rest = extent(own, style.height)
    along = rng.uniform(rest.left, max(rest.left + 0.1, rest.right - row.length))
    match style.flowers:
        case "right":
            return moved(row.tiles, rest.right + style.flower_gap, rng.uniform(-0.06, 0.06))
        case "left":
            return moved(
                row.tiles, rest.left - style.flower_gap - row.length, rng.uniform(-0.06, 0.06)
            )
        case "front":
            return moved(row.tiles, along, rest.far + 0.6 * style.flower_gap)
        case "behind":
            return moved(row.tiles, along, rest.near - 0.6 * style.flower_gap - style.height)
        case "alone":
            x = rng.uniform(rest.left - 1.0, max(rest.left, rest.right - row.length + 1.0))
            return moved(row.tiles, x, rest.far + rng.uniform(1.0, 2.2))
