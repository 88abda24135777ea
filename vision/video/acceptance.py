"""Decides when a reading is accepted: passes agree, and nothing occludes the accepted tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import GENERAL
from hupai.vision.types import FloatArray, Reading, ReadTile
from hupai.vision.video.motion import Cells, Changed, Motion, inside
from hupai.vision.video.tracking import separation

Key = tuple[object, ...]
"""Equal for readings that show the same."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait before a reading is accepted.

    Attributes:
        agreeing: consecutive passes that must agree.
        rest: seconds without motion required before the last of them: a hand that lays a tile also
            pauses.
        covered: seconds after which accepted tiles that are no longer seen are lost, and a reading
            without them may be accepted. Counted from the time they were last seen, whatever
            happens later.
        cleared: seconds after which a region without any tile is accepted as empty.
        foreign: greatest share of changed cells away from the tiles that came or went; above it,
            something occludes them.
        cut: share of changed cells of the whole frame from which the change is a camera cut or a
            moved camera, not an arm.
    """

    agreeing: int = 2
    rest: float = 0.25
    covered: float = 8.0
    cleared: float = 1.0
    foreign: float = 0.35
    cut: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One pass over the region at rest.

    Attributes:
        reading: the reading by the votes so far.
        cells: the picture it was read from, by cells.
        size: width and height of the region's picture, pixels of the reading's boxes.
        at: when the frame came in, seconds.
        rested: seconds for which nothing had moved then.
        cut: share of the whole frame's cells that changed since the accepted tiles were last seen.
    """

    reading: Reading
    cells: Cells
    size: tuple[int, int]
    at: float
    rested: float
    cut: float = 0.0


@dataclass(frozen=True, slots=True)
class Lost:
    """Accepted tiles that have not been seen for too long.

    Attributes:
        seen_at: when they were last seen, seconds of the frames' clock.
        replaced: whether other tiles, or none, were accepted in their place; otherwise nothing is
            known.
    """

    seen_at: float
    replaced: bool


@dataclass(slots=True, eq=False)
class _Candidate:
    key: Key
    first: float
    count: int = 1


class Acceptance:
    """Holds the accepted view of a region until another one is accepted in its place."""

    def __init__(self, motion: Motion, patience: Patience = Patience()) -> None:
        """Judge the region that `motion` follows."""
        self._motion, self._patience = motion, patience
        self._accepted: View | None = None
        self._candidate: _Candidate | None = None
        self._waiting: View | None = None
        self._seen_at = 0.0
        self._replaced: list[tuple[float, Key]] = []
        self.covered = False

    @property
    def waits(self) -> bool:
        """Whether passes agree, so that the reading need only rest longer to be accepted."""
        candidate = self._candidate
        agree = candidate is not None and candidate.count >= self._patience.agreeing
        return agree and not self.covered

    @property
    def seen_at(self) -> float | None:
        """When the accepted tiles were last seen, seconds of the frames' clock; None without."""
        if self._accepted is None or not _in_play(self._accepted.reading):
            return None
        return self._seen_at

    @property
    def settled(self) -> bool:
        """Whether the last pass agrees with what is accepted, so that no further one is needed."""
        return self._candidate is None and self._accepted is not None

    def moved(self) -> None:
        """Record motion: a candidate must be seen again, unless it is covered."""
        if self._candidate is not None and not self.covered:
            self._candidate = None

    def glance(self, now: Cells, at: float) -> bool:
        """Check a picture that is not read; True if the accepted tiles look unchanged."""
        if self._accepted is None:
            return False
        boxes = _stacked(
            [np.array(tile.box, np.float32) for tile in _in_play(self._accepted.reading)]
        )
        changed = self._motion.differs(self._accepted.cells, now)
        if (changed & inside(boxes, self._accepted.size, changed.shape, margin=0.0)).any():
            return False
        self._seen_at = at
        return True

    def give_up(self, at: float) -> Lost | None:
        """Forget tiles that have not been seen for `Patience.covered` seconds.

        Args:
            at: now, seconds of the frames' clock; there need not be a frame.

        Returns:
            The tiles lost first, reported once; call it again for further ones. None while all were
            seen recently enough.
        """
        if self._replaced and at - self._replaced[0][0] >= self._patience.covered:
            return Lost(self._replaced.pop(0)[0], replaced=True)
        seen = self.seen_at
        if seen is not None and at - seen >= self._patience.covered:
            self._accepted = self._candidate = None
            self.covered = False
            return Lost(seen, replaced=False)
        return None

    def look(self, view: View) -> bool:
        """Judge a view; True when its reading becomes the accepted one."""
        key = key_of(view.reading)
        self.covered = False
        if self._accepted is not None and key == key_of(self._accepted.reading):
            self._accepted = replace(
                self._accepted, cells=view.cells, reading=view.reading, size=view.size
            )
            self._candidate, self._seen_at = None, view.at
            return False
        if self._accepted is None and not _in_play(view.reading):
            self._accepted, self._candidate = view, None
            return False
        if self._candidate is None or self._candidate.key != key:
            self._candidate = _Candidate(key, view.at)
        else:
            self._candidate.count += 1
        self._waiting = view
        self.covered = self._is_covered(view)
        return self._accept(view)

    def rest(self, now: Cells, at: float, rested: float) -> View | None:
        """Accept the reading on which passes agreed, once it has rested for long enough.

        Args:
            now: the picture, which must look as it did when it was read last.
            at: when it came in, seconds.
            rested: seconds for which nothing had moved then.

        Returns:
            The view that became the accepted one, if any.
        """
        if self._waiting is None or not self.waits:
            return None
        if self._motion.differs(self._waiting.cells, now).any():
            return None
        view = replace(self._waiting, cells=now, at=at, rested=rested)
        return view if self._accept(view) else None

    def _accept(self, view: View) -> bool:
        """Accept a view if it may be."""
        if not self._may_be_accepted(view):
            return False
        # An empty view replaces nothing: tiles accepted before it are still to be reported.
        if self._accepted is not None and self.seen_at is not None:
            self._replaced.append((self.seen_at, key_of(self._accepted.reading)))
        # Tiles that are back are not lost.
        key = key_of(view.reading)
        self._replaced = [one for one in self._replaced if one[1] != key]
        self._accepted, self._candidate, self.covered = view, None, False
        self._waiting, self._seen_at = None, view.at
        return True

    def _may_be_accepted(self, view: View) -> bool:
        assert self._candidate is not None
        waited = view.at - self._candidate.first
        if self._candidate.count < self._patience.agreeing or view.rested < self._patience.rest:
            return False
        if self.covered and view.at - self._seen_at < self._patience.covered:
            return False
        return bool(_in_play(view.reading)) or waited >= self._patience.cleared

    def _is_covered(self, view: View) -> bool:
        """Return whether an arm hides tiles: some are gone and the picture changed elsewhere."""
        if self._accepted is None or view.cut >= self._patience.cut:
            return False
        before, after = _in_play(self._accepted.reading), _in_play(view.reading)
        gone, come = unmatched(_scaled(before, self._accepted.size, view.size), after)
        if len(gone) == 0:
            return False
        changed = self._motion.differs(self._accepted.cells, view.cells)
        if not changed.any():
            return False
        there: Changed = inside(gone, view.size, changed.shape, margin=0.2)
        # A change elsewhere, such as an arm that left, hides nothing here.
        patches = cv2.connectedComponents(changed.astype(np.uint8))[1]
        touching: Changed = changed & np.isin(patches, np.unique(patches[there & changed]))
        explained = inside(np.concatenate([gone, come]), view.size, changed.shape, margin=0.35)
        return float((touching & ~explained).sum()) > self._patience.foreign * float(touching.sum())


def key_of(reading: Reading) -> Key:
    """Return a key by which readings are compared: the likeliest hand, or else the tiles."""
    if reading.hands:
        hand = reading.hands[0].hand
        return (
            "hand",
            tuple(sorted(hand.concealed)),
            hand.melds,
            hand.winning_tile,
            tuple(sorted(hand.flowers)),
            tuple(sorted(hand.red_fives)),
        )
    return ("tiles", tuple(sorted(tile.tile for tile in _in_play(reading))))


def unmatched(
    before: tuple[ReadTile, ...], after: tuple[ReadTile, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return the boxes of tiles that only one of two views has at that place.

    Returns:
        Those of `before` (n, 4) and those of `after` (m, 4).
    """
    left = [np.array(tile.box, np.float32) for tile in after]
    gone = []
    for tile in before:
        box = np.array(tile.box, np.float32)
        apart = [separation(box, other) for other in left]
        if apart and min(apart) < 0.5:
            left.pop(int(np.argmin(apart)))
        else:
            gone.append(box)
    return _stacked(gone), _stacked(left)


def drawn_tile(before: Hand | None, now: Hand, waiting: int = GENERAL.hand_size) -> Tile | None:
    """Return the tile by which a waiting hand grew by one, the winning tile; None otherwise.

    Args:
        before, now: the hand accepted before, and the one accepted now.
        waiting: tiles of a waiting hand, a kong counted as three.
    """
    if (
        before is None
        or before.size != waiting
        or before.winning_tile is not None
        or now.size != waiting + 1
        or now.winning_tile is not None
    ):
        return None
    if tuple(before.melds) != tuple(now.melds):
        return None
    more = list(now.concealed)
    for tile in before.concealed:
        if tile not in more:
            return None
        more.remove(tile)
    return more[0] if len(more) == 1 else None


def _in_play(reading: Reading) -> tuple[ReadTile, ...]:
    """Return the tiles of the hand; all tiles where no hand was found."""
    chosen = tuple(tile for tile in reading.tiles if tile.in_hand)
    return chosen or reading.tiles


def _scaled(
    tiles: tuple[ReadTile, ...], size: tuple[int, int], to: tuple[int, int]
) -> tuple[ReadTile, ...]:
    """Return tiles with their boxes scaled from a picture of one size to one of another."""
    if size == to:
        return tiles
    x, y = to[0] / size[0], to[1] / size[1]
    boxes = ((x * x0, y * y0, x * x1, y * y1) for x0, y0, x1, y1 in (tile.box for tile in tiles))
    return tuple(replace(tile, box=box) for tile, box in zip(tiles, boxes, strict=True))


def _stacked(boxes: list[FloatArray]) -> FloatArray:
    return np.stack(boxes) if boxes else np.zeros((0, 4), np.float32)
