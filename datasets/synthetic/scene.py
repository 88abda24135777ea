"""What lies on a table: tiles with their place, and the truth about each of them.

Lengths are in tile widths, so that a layout does not depend on the design: x to the viewer's right,
y away from the viewer, z up. A tile is `Proportions.height` long and `Proportions.thickness` high.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile


@dataclass(frozen=True, slots=True)
class Proportions:
    """Length and thickness of a tile in units of its width."""

    height: float = 1.34
    thickness: float = 0.78


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile on the table.

    Attributes:
        face: what is on its front.
        x, y: centre of the tile on the table plane.
        z: height of its underside (1 layer of a wall: the thickness of the tile below).
        angle: direction in which the top of the face points, radians, counter-clockwise, 0 is away
            from the viewer.
        face_down: whether its back is up.
        in_hand: whether it belongs to the revealed hand.
        group: number of its group in the hand, None outside the hand.
        kind: kind of that group: concealed, chow, pung, kong, concealed_kong, added_kong, flowers,
            winning_tile.
        claimed_from: ``left``, ``across`` or ``right`` on the tiles of a claimed group, else None.
        sideways: whether it lies across its row.
        tilt: how far it is raised about its near edge, radians: 0 lies, pi/2 stands with its face
            to the near side. A tile that is raised is placed by the centre of its body.
        red: whether it is a red five.
        player: the other player whose hand it belongs to, from 1; None for all other tiles.
    """

    face: Tile
    x: float
    y: float
    angle: float = 0.0
    z: float = 0.0
    face_down: bool = False
    in_hand: bool = False
    group: int | None = None
    kind: str | None = None
    claimed_from: str | None = None
    sideways: bool = False
    tilt: float = 0.0
    red: bool = False
    player: int | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """A composed table: tiles, furniture, and the hand that it shows (None if there is none).

    Attributes:
        tiles: everything that lies there.
        rails: rectangles (x0, y0, x1, y1, height) of racks, trays and table edges, in tile widths.
        hand: the truth of the hand.
        proportions: shape of the tiles.
        layout: name of the layout, for statistics.
    """

    tiles: tuple[PlacedTile, ...]
    rails: tuple[tuple[float, float, float, float, float], ...] = ()
    hand: Hand | None = None
    proportions: Proportions = field(default_factory=Proportions)
    layout: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TileTruth:
    """Where a tile appears on the picture.

    Attributes:
        placed: the tile.
        quad: shape (4, 2), pixels: corners of the side that is seen, face or back, starting top
            left as the reader of that side sees it, clockwise.
        visible: share of that side that is not hidden and lies inside the picture, 0 to 1.
        back: whether that side is the back; None for a tile that lies flat, for which
            `PlacedTile.face_down` says it.
    """

    placed: PlacedTile
    quad: NDArray[np.float32]
    visible: float
    back: bool | None = None

    @property
    def shown(self) -> Tile:
        """What the camera sees: the face, or the back."""
        back = self.placed.face_down if self.back is None else self.back
        return Tile.BACK if back else self.placed.face

    @property
    def axis(self) -> float:
        """Direction of the face's upright axis, as in `hupai.vision.types.Detections.axes`."""
        return axis_of(self.quad)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Smallest upright rectangle around the quad, pixels, not clipped to the picture."""
        (x0, y0), (x1, y1) = self.quad.min(0), self.quad.max(0)
        return float(x0), float(y0), float(x1), float(y1)


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """A picture, uint8 RGB of shape (height, width, 3), and its truth."""

    image: NDArray[np.uint8]
    tiles: tuple[TileTruth, ...]
    scene: Scene


def axis_of(quad: NDArray[np.floating]) -> float:
    """Return the direction modulo pi from bottom to top of an outline (4, 2), top corners first."""
    top, bottom = quad[:2].mean(0), quad[2:].mean(0)
    return float(np.arctan2(top[1] - bottom[1], top[0] - bottom[0]) % np.pi)
