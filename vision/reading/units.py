"""An arrangement's blocks as units for the search: which faces each tile or meld may have, and at
what cost.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import PLAYABLE, Tile
from hupai.vision.conventions import Convention
from hupai.vision.layout.set_likelihood import CHOWS, ORDERS
from hupai.vision.layout.types import Arrangement, Block, BlockKind
from hupai.vision.reading.astar import Option, Unit
from hupai.vision.types import FloatArray

_FLOOR = 1e-6
_OUT_OF_PLAY = 1e-3
_MOST_FACES = 12
_MOST_SETS = 12

Classes = NDArray[np.float64]


def in_play(probabilities: FloatArray, tiles: frozenset[Tile] | None) -> Classes:
    """Class distributions, shape (n, 43), with kinds that the rules do not use made unlikely, rows
    summing to 1.
    """
    classes = np.clip(probabilities.astype(np.float64), _FLOOR, None)
    if tiles is not None:
        out = [tile for tile in Tile if tile not in tiles and tile is not Tile.BACK]
        classes[:, out] *= _OUT_OF_PLAY
    result: Classes = classes / classes.sum(axis=1, keepdims=True)
    return result


def units(arrangement: Arrangement, classes: Classes, habits: Convention) -> tuple[Unit, ...]:
    """The units of an arrangement, block by block; a concealed part gives a unit a tile."""
    found: list[Unit] = []
    for block in arrangement.blocks:
        if block.kind in (BlockKind.CONCEALED, BlockKind.WINNING_TILE):
            found += [Unit((i,), _faces(classes[i])) for i in block.tiles]
        elif block.kind is BlockKind.FLOWERS:
            found += [Unit((i,), _flowers(classes[i])) for i in block.tiles]
        elif block.kind is BlockKind.SET:
            found.append(Unit(block.tiles, _sets(block, classes, habits)))
        else:
            found.append(Unit(block.tiles, _kongs(block, classes)))
    return tuple(found)


def _faces(row: Classes) -> tuple[Option, ...]:
    """Faces of one tile; a tile that lies face down stays unknown."""
    if row[Tile.BACK] > 0.5:
        return (Option(-math.log(row[Tile.BACK]), (Tile.BACK,)),)
    order = np.argsort(-row[: Tile.BACK], kind="stable")[:_MOST_FACES]
    return tuple(
        Option(-math.log(row[i]), (Tile(int(i)),)) for i in order if row[i] >= 1e-4 * row[order[0]]
    )


def _flowers(row: Classes) -> tuple[Option, ...]:
    order = np.argsort(-row[Tile.SPRING : Tile.BACK], kind="stable") + Tile.SPRING
    return tuple(Option(-math.log(row[i]), (Tile(int(i)),)) for i in order)


def _sets(block: Block, classes: Classes, habits: Convention) -> tuple[Option, ...]:
    """Pungs and chows three tiles may show. A chow's tiles may lie in any order; ascending is
    usual.
    """
    logs = np.log(classes[list(block.tiles)])
    options = [Option(-float(logs[:, face].sum()), (face,) * 3) for face in PLAYABLE]
    if habits.chows:
        for chow in CHOWS:
            for order in ORDERS:
                faces = (chow[order[0]], chow[order[1]], chow[order[2]])
                cost = -float(logs[0, faces[0]] + logs[1, faces[1]] + logs[2, faces[2]])
                options.append(Option(cost + (0.0 if order == (0, 1, 2) else 0.7), faces))
    return _cheapest(options)


def _kongs(block: Block, classes: Classes) -> tuple[Option, ...]:
    """Kinds of a kong by the tiles that lie face up; unknown where none does."""
    up = [i for i in block.tiles if classes[i, Tile.BACK] <= 0.5]
    if not up:
        return (Option(0.0, (Tile.BACK,) * len(block.tiles)),)
    logs = np.log(classes[up])
    return _cheapest(
        [Option(-float(logs[:, face].sum()), (face,) * len(block.tiles)) for face in PLAYABLE]
    )


def _cheapest(options: list[Option]) -> tuple[Option, ...]:
    ranked = sorted(options, key=lambda option: (option.cost, option.faces))[:_MOST_SETS]
    return tuple(option for option in ranked if option.cost <= ranked[0].cost + 14.0)
