"""Lays tiles on a table: revealed hands with their melds, and everything else a table holds.

`lay_hand` places a given hand by the conventions of the table; `random_scene` generates a whole
table for training.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hupai.datasets.synthetic.layout.footprints import overlaps
from hupai.datasets.synthetic.scene import PlacedTile, Proportions
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile

QUARTER = float(np.pi / 2)


@dataclass(frozen=True, slots=True)
class HandStyle:
    """How a player lays down a hand; lengths in tile widths.

    Attributes:
        rows: 1 or 2 rows for the concealed part.
        gap: space between neighbours within a group.
        group_gap: space between groups.
        melds: where the melds lie: ``right``, ``front`` (towards the middle of the table),
            ``behind`` or ``left``.
        flowers: ``front``, ``right`` or ``left``.
        winning: ``apart`` (set apart), ``sideways`` (across the end of the row) or ``inside`` (not
            marked).
        concealed_kong: ``all_down``, ``two_down_outside``, ``two_down_inside``, ``one_up`` or
            ``one_down``.
        jitter: standard deviation of the place across the row in tile widths, and of the angle in
            radians; along the row 0.3 of that.
        sort: whether the concealed tiles are sorted.
        upside_down: share of tiles that lie the wrong way round.
    """

    rows: int = 1
    gap: float = 0.02
    group_gap: float = 0.6
    melds: str = "right"
    flowers: str = "front"
    winning: str = "apart"
    concealed_kong: str = "two_down_outside"
    jitter: float = 0.01
    sort: bool = True
    upside_down: float = 0.0


def random_hand_style(rng: np.random.Generator) -> HandStyle:
    """Draw a style that players use."""
    return HandStyle(
        rows=2 if rng.random() < 0.12 else 1,
        gap=float(abs(rng.normal(0.015, 0.025))),
        group_gap=float(rng.uniform(0.35, 1.4)),
        melds=str(rng.choice(["right", "front", "left", "behind"], p=[0.56, 0.24, 0.12, 0.08])),
        flowers=str(rng.choice(["front", "right", "left"], p=[0.45, 0.4, 0.15])),
        winning=str(rng.choice(["apart", "sideways", "inside"], p=[0.45, 0.2, 0.35])),
        concealed_kong=str(
            rng.choice(
                ["two_down_outside", "all_down", "two_down_inside", "one_up", "one_down"],
                p=[0.4, 0.2, 0.1, 0.2, 0.1],
            )
        ),
        jitter=float(rng.uniform(0.0, 0.03)),
        sort=bool(rng.random() < 0.7),
        upside_down=0.0 if rng.random() < 0.6 else float(rng.uniform(0.1, 0.6)),
    )


class _Row:
    """Fills a row from left to right; y is the edge nearest to the player."""

    def __init__(
        self, proportions: Proportions, gap: float, x: float = 0.0, y: float = 0.0
    ) -> None:
        self.x, self.y, self._gap, self._p = x, y, gap, proportions
        self.tiles: list[PlacedTile] = []

    def put(self, tile: PlacedTile, sideways: bool = False, turn: float = 0.0) -> PlacedTile:
        """Add a tile at the right end; a sideways one keeps the near edge in line."""
        width, depth = (self._p.height, 1.0) if sideways else (1.0, self._p.height)
        angle = turn + (QUARTER if sideways else 0.0)
        placed = replace(
            tile, x=self.x + width / 2, y=self.y + depth / 2, angle=angle, sideways=sideways
        )
        self.tiles.append(placed)
        self.x += width + self._gap
        return placed

    def space(self, width: float) -> None:
        """Leave a gap."""
        self.x += width


def lay_hand(
    hand: Hand, style: HandStyle, rng: np.random.Generator, proportions: Proportions
) -> list[PlacedTile]:
    """Place a hand in front of its player, near edge of the concealed row on y = 0."""
    groups: list[PlacedTile] = []
    row = _Row(proportions, style.gap)
    tiles = list(hand.concealed)
    tiles = sorted(tiles) if style.sort else [tiles[i] for i in rng.permutation(len(tiles))]
    if style.winning == "inside" and hand.winning_tile is not None:
        tiles = sorted([*tiles, hand.winning_tile]) if style.sort else [*tiles, hand.winning_tile]
    base = PlacedTile(Tile.BACK, 0, 0, in_hand=True)
    split = (len(tiles) + 1) // 2 if style.rows == 2 and len(tiles) > 7 else len(tiles)
    for face in tiles[:split]:
        row.put(replace(base, face=face, group=0, kind="concealed"), turn=_flip(rng, style))
    groups += row.tiles
    if split < len(tiles):
        upper = _Row(
            proportions,
            style.gap,
            x=float(rng.uniform(0, 0.6)),
            y=proportions.height * 1.0 + style.gap + 0.02,
        )
        for face in tiles[split:]:
            upper.put(replace(base, face=face, group=0, kind="concealed"), turn=_flip(rng, style))
        groups += upper.tiles
        row.x = max(row.x, upper.x)
    number = 1
    if style.winning != "inside" and hand.winning_tile is not None:
        tile = replace(base, face=hand.winning_tile, group=number, kind="winning_tile")
        end = _Row(proportions, style.gap, x=row.x)
        end.space(
            style.group_gap * float(rng.uniform(0.8, 1.2)) if style.winning == "apart" else 0.03
        )
        end.put(tile, sideways=style.winning == "sideways", turn=_flip(rng, style))
        groups += end.tiles
        row.x = end.x
        number += 1
    groups += _lay_melds(
        hand.melds, groups, row.x, replace(base, group=number), style, proportions, rng
    )
    if hand.flowers:
        number += len(hand.melds)
        groups += _lay_flowers(
            hand.flowers,
            replace(base, group=number, kind="flowers"),
            style,
            proportions,
            groups,
            rng,
        )
    return _nudged(groups, style, proportions, rng)


def _lay_melds(
    melds: tuple[Meld, ...],
    concealed: list[PlacedTile],
    right: float,
    base: PlacedTile,
    style: HandStyle,
    p: Proportions,
    rng: np.random.Generator,
) -> list[PlacedTile]:
    """Lay the melds around the concealed part, whose right end is at `right`.

    Their groups are numbered from that of `base`.
    """
    depth = max((t.y for t in concealed), default=p.height / 2) + p.height / 2
    row = {
        "right": _Row(p, style.gap, x=right + style.group_gap),
        "left": _Row(p, style.gap),
        "front": _Row(
            p, style.gap, x=float(rng.uniform(0, 2)), y=depth + float(rng.uniform(0.3, 0.9))
        ),
        "behind": _Row(
            p,
            style.gap,
            x=float(rng.uniform(0, 2)),
            y=-_deepest(melds, p) - float(rng.uniform(0.3, 0.9)),
        ),
    }[style.melds]
    for number, meld in enumerate(melds, base.group or 0):
        _lay_meld(row, meld, replace(base, group=number), style, p, rng)
        row.space(style.group_gap * float(rng.uniform(0.7, 1.3)))
    if style.melds != "left":
        return row.tiles
    shift = (
        min((t.x - (p.height if t.sideways else 1.0) / 2 for t in concealed), default=0.0) - row.x
    )
    return [replace(t, x=t.x + shift) for t in row.tiles]


def _deepest(melds: tuple[Meld, ...], p: Proportions) -> float:
    """Return how deep a row of melds is; an added tile lies beyond the one it was added to."""
    added = [m for m in melds if m.kind is MeldKind.ADDED_KONG]
    return max(
        (2.02 if m.claimed_from is not None else 2 * p.height + 0.02 for m in added),
        default=p.height,
    )


def _flip(rng: np.random.Generator, style: HandStyle) -> float:
    return float(np.pi) if rng.random() < style.upside_down else 0.0


def _nudged(
    tiles: list[PlacedTile], style: HandStyle, p: Proportions, rng: np.random.Generator
) -> list[PlacedTile]:
    """Shift and turn the tiles slightly, as far as their neighbours leave room."""
    nudged = list(tiles)
    for i, tile in enumerate(tiles):
        dx, dy, turn = rng.normal(0, style.jitter, 3) * (0.3, 1.0, 1.0)
        for share in (1.0, 0.5, 0.25):
            moved = replace(
                tile,
                x=tile.x + share * float(dx),
                y=tile.y + share * float(dy),
                angle=tile.angle + share * float(turn),
            )
            if not any(
                overlaps(moved, other, p, 0.004) for k, other in enumerate(nudged) if k != i
            ):
                nudged[i] = moved
                break
    return nudged


def _lay_meld(
    row: _Row,
    meld: Meld,
    base: PlacedTile,
    style: HandStyle,
    p: Proportions,
    rng: np.random.Generator,
) -> None:
    """Lay one meld, with the claimed tile turned to show whose discard it was."""
    source = meld.claimed_from
    base = replace(
        base, kind=meld.kind.value, claimed_from=None if source is None else source.value
    )
    if meld.kind is MeldKind.CONCEALED_KONG:
        down = {
            "all_down": (0, 1, 2, 3),
            "two_down_outside": (0, 3),
            "two_down_inside": (1, 2),
            "one_up": (0, 1, 2) if rng.random() < 0.5 else (0, 2, 3),
            "one_down": (3,) if rng.random() < 0.5 else (0,),
        }[style.concealed_kong]
        for i, face in enumerate(meld.tiles):
            row.put(replace(base, face=face, face_down=i in down))
        return
    tiles = list(meld.tiles[:3] if meld.kind is MeldKind.ADDED_KONG else meld.tiles)
    turned = None
    if source is not None:
        turned = {
            Source.LEFT: 0,
            Source.ACROSS: 1 if len(tiles) == 3 else int(rng.integers(1, 3)),
            Source.RIGHT: len(tiles) - 1,
        }[source]
    if meld.kind is MeldKind.CHOW and source is not None:
        # A chow's claimed tile always lies first, whichever of the three it is.
        claimed = int(rng.integers(3))
        tiles = [tiles[claimed], *(t for i, t in enumerate(tiles) if i != claimed)]
        turned = 0
    for i, face in enumerate(tiles):
        placed = row.put(replace(base, face=face), sideways=i == turned)
        if meld.kind is MeldKind.ADDED_KONG and i == (turned if turned is not None else 1):
            row.tiles.append(
                replace(
                    placed,
                    face=meld.tiles[3],
                    y=placed.y + (1.0 if placed.sideways else p.height) + 0.02,
                )
            )


def _lay_flowers(
    flowers: tuple[Tile, ...],
    base: PlacedTile,
    style: HandStyle,
    p: Proportions,
    groups: list[PlacedTile],
    rng: np.random.Generator,
) -> list[PlacedTile]:
    right = max(t.x + (p.height if t.sideways else 1.0) / 2 for t in groups)
    left = min(t.x - (p.height if t.sideways else 1.0) / 2 for t in groups)
    top = max(t.y + (1.0 if t.sideways else p.height) / 2 for t in groups)
    start = {
        "front": (left + 0.5 + float(rng.uniform(0, 3)), top + float(rng.uniform(0.3, 1.2))),
        "right": (right + style.group_gap, 0.0),
        "left": (left - len(flowers) * (1.0 + style.gap) - style.group_gap, 0.0),
    }[style.flowers]
    row = _Row(p, style.gap, *start)
    for face in flowers:
        row.put(replace(base, face=face))
    return row.tiles


def random_hand(rng: np.random.Generator, honours: bool = True) -> Hand:
    """Draw a complete hand with melds, kongs and flowers; now and then seven pairs."""
    left = dict.fromkeys(PLAYABLE if honours else PLAYABLE[:27], 4)

    def take(*tiles: Tile) -> bool:
        need = {t: tiles.count(t) for t in tiles}
        if any(left.get(t, 0) < n for t, n in need.items()):
            return False
        for t, n in need.items():
            left[t] -= n
        return True

    kinds = list(left)
    concealed: list[Tile] = []
    melds: list[Meld] = []
    if rng.random() < 0.08:
        for i in rng.choice(len(kinds), 7, replace=False):
            concealed += [kinds[int(i)]] * 2
    else:
        exposed = int(rng.choice([0, 1, 2, 3, 4], p=[0.3, 0.27, 0.23, 0.14, 0.06]))
        while len(concealed) // 3 + len(melds) < 4:
            kind = str(rng.choice(["chow", "pung", "kong"], p=[0.5, 0.3, 0.2]))
            first = kinds[int(rng.integers(len(kinds)))]
            tiles: tuple[Tile, ...]
            if kind == "chow":
                if not first.is_suited or first.rank > 7:
                    continue
                tiles = (first, Tile(first + 1), Tile(first + 2))
            else:
                tiles = (first,) * (4 if kind == "kong" else 3)
            if (kind == "kong" and len(melds) >= max(exposed, 1)) or not take(*tiles):
                continue
            if len(melds) < exposed or kind == "kong":
                melds.append(_random_meld(rng, kind, tiles))
            else:
                concealed += tiles
        pair = next(kinds[int(i)] for i in rng.permutation(len(kinds)) if left[kinds[int(i)]] >= 2)
        concealed += [pair] * 2
    win = int(rng.integers(len(concealed)))
    winning = concealed.pop(win)
    count = (
        int(rng.choice([0, 1, 2, 3, 4, 8], p=[0.5, 0.2, 0.14, 0.09, 0.05, 0.02])) if honours else 0
    )
    flowers = tuple(FLOWERS[int(i)] for i in rng.choice(8, count, replace=False))
    return Hand(tuple(concealed), tuple(melds), winning, flowers)


def _random_meld(rng: np.random.Generator, kind: str, tiles: tuple[Tile, ...]) -> Meld:
    source = (
        None
        if rng.random() < 0.25
        else (Source.LEFT, Source.ACROSS, Source.RIGHT)[int(rng.integers(3))]
    )
    if kind == "chow":
        return Meld(MeldKind.CHOW, tiles, None if source is None else Source.LEFT)
    if kind == "pung":
        return Meld(MeldKind.PUNG, tiles, source)
    style = rng.choice(["exposed", "added", "concealed"])
    if style == "concealed":
        return Meld(MeldKind.CONCEALED_KONG, tiles)
    return Meld(MeldKind.ADDED_KONG if style == "added" else MeldKind.KONG, tiles, source)
