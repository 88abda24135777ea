"""Lays a player's hand: every way in which people put down tiles.

The near edge of the concealed row is y = 0 and its middle x = 0; y grows towards the middle of the
table. Lengths are in tile widths, angles in radians.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hupai.datasets.synthetic.scene import PlacedTile, Proportions
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import Tile

Stance = Literal["open", "standing", "rack", "down"]
Breaks = Literal["none", "three", "sets", "loose", "suits", "two_rows"]
Place = Literal["right", "left", "above", "below", "corner", "column"]
Winning = Literal["inside", "apart", "sideways", "on_top", "askew_above", "standing", "left"]
Kong = Literal["all_down", "ends_down", "middle_down", "one_up", "one_down"]
Added = Literal["stacked", "beyond", "beside"]

RIGHT_ANGLE = math.pi / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """How somebody lays a hand.

    Attributes:
        stance: the concealed tiles lie open, stand, lean on a rack, or lie face down.
        lean: how far they are raised, radians.
        breaks: where the concealed row has gaps: nowhere, in three groups, between sets, in loose
            groups of two to four, between suits; or it lies in two rows.
        gap: maximum space between neighbours.
        space: width of a gap in the row.
        sorted: concealed tiles lie in order.
        upside_down: share of the concealed tiles that lie the wrong way round.
        place: where melds lie.
        meld_space: space between two melds.
        away: space between the melds and the row.
        turned: whether claimed melds have a sideways tile.
        added: where the fourth tile of an added kong lies: on top of the sideways one, beyond it,
            or in line with the rest.
        kong: which tiles of a concealed kong lie face down.
        winning: where the winning tile lies.
        flowers: where flowers lie.
        jitter: standard deviation of place and turn.
        slope: how much the row is turned against the table's edge.
        bend: how far its ends lie nearer than its middle.
    """

    stance: Stance
    lean: float
    breaks: Breaks
    gap: float
    space: float
    sorted: bool
    upside_down: float
    place: Place
    meld_space: float
    away: float
    turned: bool
    added: Added
    kong: Kong
    winning: Winning
    flowers: Place
    jitter: float
    slope: float
    bend: float


def _one(rng: np.random.Generator, **shares: float) -> str:
    names = list(shares)
    weights = np.array(list(shares.values()))
    return names[int(rng.choice(len(names), p=weights / weights.sum()))]


def random_habit(rng: np.random.Generator, stance: Stance | None = None) -> Habit:
    """Draw a habit, with this stance if one is given."""
    how = stance or _one(rng, open=6, standing=2, rack=2)
    breaks = _one(rng, none=64, three=8, sets=9, loose=6, suits=8, two_rows=4)
    broken = breaks not in ("none", "two_rows")
    lean = {"open": 0.0, "down": 0.0, "standing": RIGHT_ANGLE}.get(how)
    return Habit(
        stance=how,  # type: ignore[arg-type]
        lean=float(rng.uniform(0.9, 1.35)) if lean is None else lean,
        breaks=breaks,  # type: ignore[arg-type]
        gap=float(rng.choice([0.01, 0.03, 0.08])),
        # If the row has gaps, melds are farther from it; otherwise they could not be recognised.
        space=float(rng.uniform(0.18, 0.65)),
        sorted=bool(rng.random() < 0.75),
        upside_down=0.0 if rng.random() < 0.65 else float(rng.uniform(0.05, 0.5)),
        place=_one(rng, right=30, corner=25, left=12, above=13, below=8, column=8),  # type: ignore[arg-type]
        meld_space=float(rng.choice([rng.uniform(0.02, 0.2), rng.uniform(0.25, 1.2)])),
        away=float(rng.uniform(1.3 if broken else 0.28, 3.0)),
        turned=bool(rng.random() < 0.7),
        added=_one(rng, stacked=35, beyond=45, beside=20),  # type: ignore[arg-type]
        kong=_one(rng, all_down=25, ends_down=35, middle_down=15, one_up=15, one_down=10),  # type: ignore[arg-type]
        winning=_one(  # type: ignore[arg-type]
            rng, inside=30, apart=22, sideways=20, on_top=8, askew_above=8, standing=5, left=7
        ),
        flowers=_one(rng, right=20, left=15, above=30, below=10, corner=20),  # type: ignore[arg-type]
        jitter=float(rng.uniform(0.0, 0.03)),
        slope=float(rng.normal(0, 0.02)),
        bend=float(rng.uniform(-0.3, 0.5)) if rng.random() < 0.25 else 0.0,
    )


@dataclass(slots=True)
class Block:
    """Tiles that are moved together; x runs from 0 to `width`, y from 0."""

    tiles: list[PlacedTile]
    width: float
    depth: float


def lay(
    rng: np.random.Generator, hand: Hand, habit: Habit, p: Proportions, half_width: float
) -> list[PlacedTile]:
    """Lay a hand.

    Args:
        half_width: distance from the middle of the row to the end of this seat's side of the table.

    Returns:
        Its tiles, with their groups; group 0 is the concealed part.
    """
    row = _concealed(rng, hand, habit, p)
    half = row.width / 2
    tiles = [replace(t, x=t.x - half) for t in row.tiles]
    right, left, far = half, -half, row.depth
    number = 1
    if hand.winning_tile is not None and habit.winning != "inside":
        won = _winning(rng, hand.winning_tile, habit, p, row)
        tiles.append(replace(won, x=won.x - half, group=number))
        right = max(right, won.x - half + p.height / 2)
        left = min(left, won.x - half - p.height / 2)
        if habit.winning in ("on_top", "askew_above"):
            far = max(far, won.y + 0.9)
        number += 1
    tiles = _bent(rng, tiles, habit)
    blocks = []
    for meld in hand.melds:
        blocks.append(_grouped(_meld(rng, meld, habit, p), number))
        number += 1
    melds = _placed(blocks, habit.place, habit, (left, right, far), half_width)
    tiles += melds
    if hand.flowers:
        flat = PlacedTile(Tile.M1, 0, 0, in_hand=True, group=number, kind="flowers")
        block = _line([replace(flat, face=f) for f in hand.flowers], p, habit.gap)
        taken = habit.flowers == habit.place and hand.melds
        place: Place = habit.flowers if not taken else "above" if habit.place != "above" else "left"
        if melds and place in ("right", "left", "corner"):
            xs = [t.x for t in melds]
            right, left = max(right, max(xs) + p.height), min(left, min(xs) - p.height)
        tiles += _placed([block], place, habit, (left, right, far), half_width)
    c, s = math.cos(habit.slope), math.sin(habit.slope)
    return [
        replace(t, x=t.x * c - t.y * s, y=t.x * s + t.y * c, angle=t.angle + habit.slope)
        for t in tiles
    ]


def _concealed(rng: np.random.Generator, hand: Hand, habit: Habit, p: Proportions) -> Block:
    """Lay the concealed tiles from left to right."""
    faces = list(hand.concealed)
    if habit.winning == "inside" and hand.winning_tile is not None:
        faces.append(hand.winning_tile)
    faces = sorted(faces) if habit.sorted else [faces[int(i)] for i in rng.permutation(len(faces))]
    depth = p.height * math.cos(habit.lean) + p.thickness * math.sin(habit.lean)
    base = PlacedTile(Tile.M1, 0, 0, in_hand=True, group=0, kind="concealed", tilt=habit.lean)
    base = replace(base, face_down=habit.stance == "down")
    stops = _stops(rng, faces, habit)
    tiles: list[PlacedTile] = []
    x, y, width = 0.0, 0.0, 0.0
    drop = 0.0
    for i, face in enumerate(faces):
        if i in stops:
            if habit.breaks == "two_rows" and habit.stance == "open":
                x, y = float(rng.uniform(-0.4, 0.8)), p.height + float(rng.uniform(0.02, 0.25))
            else:
                x += habit.space * float(rng.uniform(0.7, 1.4))
                if habit.breaks == "loose":
                    drop = float(rng.uniform(-0.5, 0.7))
        wrong = math.pi if rng.random() < habit.upside_down and habit.lean == 0 else 0.0
        tiles.append(replace(base, face=face, x=x + 0.5, y=y + drop + depth / 2, angle=wrong))
        x += 1.0 + float(rng.uniform(0, habit.gap))
        width = max(width, x)
    top = max((t.y for t in tiles), default=0.0) + depth / 2
    return Block(tiles, width, top)


def _stops(rng: np.random.Generator, faces: list[Tile], habit: Habit) -> set[int]:
    """Return before which tiles the row has a gap."""
    n = len(faces)
    if n < 5 or habit.breaks == "none":
        return set()
    if habit.breaks == "two_rows":
        return {(n + 1) // 2} if n > 8 else set()
    if habit.breaks == "three":
        return {int(i) for i in rng.choice(np.arange(2, n - 1), 2, replace=False)}
    if habit.breaks == "sets":
        return set(range(3, n, 3))
    if habit.breaks == "suits":
        kinds = [int(face) // 9 if face.is_suited else 9 for face in faces]
        return {i for i in range(1, n) if kinds[i] != kinds[i - 1]}
    stops, at = set(), 0
    while at < n - 2:
        at += int(rng.integers(2, 5))
        stops.add(at)
    return stops


def _winning(
    rng: np.random.Generator, face: Tile, habit: Habit, p: Proportions, row: Block
) -> PlacedTile:
    """Lay the winning tile beside, above or on the row, whose left end is x = 0."""
    tile = PlacedTile(face, 0, 0, in_hand=True, kind="winning_tile")
    gap = float(rng.uniform(0.25, 1.6)) + (habit.space if habit.breaks != "none" else 0.0)
    flat = p.height / 2
    if habit.winning == "apart":
        return replace(tile, x=row.width + gap + 0.5, y=flat + float(rng.normal(0, 0.08)))
    if habit.winning == "left":
        return replace(tile, x=-gap - 0.5, y=flat + float(rng.normal(0, 0.08)))
    if habit.winning == "sideways":
        near = 0.5 if rng.random() < 0.7 else flat
        x = row.width + float(rng.choice([0.02, 0.1, 0.4])) + p.height / 2
        return replace(tile, x=x, y=near, angle=RIGHT_ANGLE, sideways=True)
    if habit.winning == "standing":
        return replace(tile, x=row.width + gap + 0.5, y=p.thickness / 2, tilt=RIGHT_ANGLE)
    x = float(rng.uniform(0.6, max(row.width - 0.6, 0.7)))
    turn = float(rng.normal(0, 0.35))
    if habit.winning == "on_top" and habit.stance == "open":
        raised = float(rng.uniform(0.3, 0.75)) * p.height
        return replace(tile, x=x, y=raised + flat, z=p.thickness, angle=turn)
    return replace(tile, x=x, y=row.depth + flat + float(rng.uniform(0.12, 0.6)), angle=turn)


def _line(tiles: list[PlacedTile], p: Proportions, gap: float) -> Block:
    """Put tiles side by side, sideways ones with their near edge in line."""
    x, out = 0.0, []
    for tile in tiles:
        width, depth = (p.height, 1.0) if tile.sideways else (1.0, p.height)
        angle = tile.angle + (RIGHT_ANGLE if tile.sideways else 0.0)
        out.append(replace(tile, x=x + width / 2, y=depth / 2, angle=angle))
        x += width + gap / 2
    return Block(out, x, p.height)


def _meld(rng: np.random.Generator, meld: Meld, habit: Habit, p: Proportions) -> Block:
    """Lay one meld."""
    source = meld.claimed_from
    base = PlacedTile(
        Tile.M1,
        0,
        0,
        in_hand=True,
        kind=meld.kind.value,
        claimed_from=None if source is None else source.value,
    )
    if meld.kind is MeldKind.CONCEALED_KONG:
        down = {
            "all_down": {0, 1, 2, 3},
            "ends_down": {0, 3},
            "middle_down": {1, 2},
            "one_up": {0, 1, 2, 3} - {int(rng.integers(4))},
            "one_down": {int(rng.integers(4))},
        }[habit.kong]
        row = [replace(base, face=f, face_down=i in down) for i, f in enumerate(meld.tiles)]
        return _line(row, p, habit.gap)
    added = meld.kind is MeldKind.ADDED_KONG
    beside = added and habit.added == "beside" and habit.turned and source is not None
    faces = list(meld.tiles if not added or beside else meld.tiles[:3])
    turned = None
    if source is not None and habit.turned:
        last = len(faces) - 1
        turned = {Source.LEFT: 0, Source.ACROSS: 1, Source.RIGHT: last}[source]
        if meld.kind is MeldKind.CHOW:
            claimed = faces.pop(int(rng.integers(3)))
            faces.insert(0, claimed)
    row = [replace(base, face=f, sideways=i == turned) for i, f in enumerate(faces)]
    if beside and turned is not None:
        # Both tiles of the added kong lie sideways, one beside the other.
        other = turned + 1 if turned < 3 else turned - 1
        row[other] = replace(row[other], sideways=True)
    block = _line(row, p, habit.gap)
    if added and not beside:
        under = block.tiles[1 if turned is None else turned]
        size = 1.0 if under.sideways else p.height
        if habit.added == "stacked":
            over = replace(under, z=p.thickness, face=meld.tiles[3])
            shift = float(rng.normal(0, 0.04))
            block.tiles.append(replace(over, x=over.x + shift, y=over.y + shift))
        else:
            y = under.y + size + float(rng.uniform(0.0, 0.06))
            block.tiles.append(replace(under, y=y, face=meld.tiles[3]))
            block.depth = max(block.depth, y + size / 2)
    return block


def _grouped(block: Block, number: int) -> Block:
    return Block([replace(t, group=number) for t in block.tiles], block.width, block.depth)


def _placed(
    blocks: list[Block],
    place: Place,
    habit: Habit,
    row: tuple[float, float, float],
    half_width: float,
) -> list[PlacedTile]:
    """Move blocks to their place; `row` is the left, right and far end of the concealed row."""
    if not blocks:
        return []
    left, right, far = row
    total = sum(b.width for b in blocks) + habit.meld_space * (len(blocks) - 1)
    deepest = max(b.depth for b in blocks)
    away = habit.away
    x, y = {
        "right": (right + away, 0.0),
        "left": (left - away - total, 0.0),
        "above": ((left + right - total) / 2 + away - 1.2, far + 0.12 + away / 2),
        "below": ((left + right - total) / 2 + away - 1.2, -deepest - 0.12 - away / 2),
        "corner": (max(half_width - total, right + 0.3), -1.2 + 0.3 * away),
        "column": (right + away, 0.0),
    }[place]
    out: list[PlacedTile] = []
    for block in blocks:
        out += [replace(t, x=t.x + x, y=t.y + y) for t in block.tiles]
        if place == "column" or (place == "corner" and len(blocks) > 2):
            y += block.depth + 0.08 + habit.meld_space / 4
        else:
            x += block.width + habit.meld_space
    if place == "corner" and len(blocks) > 2:
        shift = half_width - max(b.width for b in blocks) - min(t.x for t in out)
        out = [replace(t, x=t.x + min(shift, 0.0) if shift < 0 else t.x + shift) for t in out]
    return out


def _bent(rng: np.random.Generator, tiles: list[PlacedTile], habit: Habit) -> list[PlacedTile]:
    """Shift and turn tiles a little, and bend the row."""
    out = []
    for t in tiles:
        dx, dy, turn = rng.normal(0, habit.jitter, 3)
        bend = -habit.bend * (t.x / 7) ** 2
        turned = t.angle + float(turn) + 2 * habit.bend * t.x / 49 * -1
        out.append(replace(t, x=t.x + 0.3 * float(dx), y=t.y + float(dy) + bend, angle=turned))
    return out
