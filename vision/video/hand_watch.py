"""A player's hand on video: frames in, accepted readings out.

Frames are compared cheaply on small grey pictures. Only a picture that is at rest and differs from
the one read last is read in full. Passes over the same tiles vote; a reading is accepted once
passes agree, and remains until another replaces it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.hand import Hand
from hupai.scoring.result import RuleSet
from hupai.vision.conventions import convention
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.weights import LayoutWeights, weights_of
from hupai.vision.protocols import TileDetector
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, FloatArray, Image, Reading
from hupai.vision.video.acceptance import Acceptance, Lost, Patience, View, drawn_tile
from hupai.vision.video.motion import Cells, Motion, cells, inside
from hupai.vision.video.region import Grey, Region, shrink
from hupai.vision.video.sources import Frame
from hupai.vision.video.tracking import Votes

_BLACK = 8
"""Greatest grey level of a black picture: compression leaves noise in it."""

Reader = Callable[[Detections, tuple[int, int]], Reading]
"""Maps detections on a picture of (width, height) to their reading."""


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """When to read a picture.

    Attributes:
        settle: seconds without motion after which a picture is read; to be accepted it must rest a
            little longer.
        looks: number of consecutive passes over a picture at rest while they do not agree.
        again: seconds between further passes after these.
        patience: see `hupai.vision.video.acceptance.Patience`.
    """

    settle: float = 0.12
    looks: int = 4
    again: float = 0.5
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """An accepted reading.

    Attributes:
        reading: the reading; boxes are pixels of `picture`.
        hand: its likeliest hand, with the winning tile if the video shows it; None without a legal
            hand.
        picture: the region, upright, as it was read.
        still_since: when the picture came to rest, seconds of the frames' clock.
        at: when the deciding frame came in.
        looks: passes since it came to rest.
    """

    reading: Reading
    hand: Hand | None
    picture: Image
    still_since: float
    at: float
    looks: int


def reader(rules: RuleSet | None = None, weights: LayoutWeights | None = None) -> Reader:
    """Return a function that arranges and reads detections under these rules.

    Layout uses `weights`, or the shipped ones.
    """

    def read_detections(detections: Detections, size: tuple[int, int]) -> Reading:
        return read(arrange(detections, size, rules.id if rules else None, weights=weights), rules)

    return read_detections


class HandWatch:
    """Watches one region.

    `look` is cheap and called with every available frame; `read` runs the model if `look` says so.
    """

    def __init__(
        self,
        detector: TileDetector,
        region: Region = Region(),  # noqa: B008
        rules: RuleSet | None = None,
        settings: WatchSettings = WatchSettings(),
        read_with: Reader | None = None,
    ) -> None:
        """Watch `region` with `detector`; `read_with` replaces layout and reading under `rules`."""
        self._detector, self._region, self._settings = detector, region, settings
        self._read_with = read_with or reader(rules, weights_of(detector))
        self._waiting = convention(rules.id if rules else None).hand_size
        self._motion = Motion(settings.settle)
        self._votes = Votes()
        self._acceptance = Acceptance(self._motion, settings.patience)
        self._read_cells: Cells | None = None
        self._read_size = (1, 1)
        self._read_at = 0.0
        self._looks = 0
        self._picture: Image | None = None
        self._moving = True
        self._has_picture = False
        self._rest = -1.0
        self._before: Hand | None = None
        self._frame: Cells | None = None
        self._seen_frame: Cells | None = None

    @property
    def covered(self) -> bool:
        """Whether something seems to hide a part of the accepted hand."""
        return self._acceptance.covered

    @property
    def seen_at(self) -> float | None:
        """When the accepted tiles were last seen, seconds of the frames' clock; None without."""
        return self._acceptance.seen_at

    def give_up(self, at: float) -> Lost | None:
        """Forget a hand that has not been seen for too long, with or without frames.

        Args:
            at: now, seconds of the frames' clock.

        Returns:
            The tiles lost, reported once; see `hupai.vision.video.acceptance.Acceptance.give_up`.
        """
        lost = self._acceptance.give_up(at)
        if lost is not None and not lost.replaced:
            self._votes, self._before, self._read_cells = Votes(), None, None
        return lost

    @property
    def has_picture(self) -> bool:
        """Whether the region showed a picture in the last frame, rather than just black."""
        return self._has_picture

    @property
    def still_since(self) -> float:
        """When the last picture came to rest, seconds of the frames' clock."""
        return self._rest

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves and the current tiles are accepted, so that looks may be rarer."""
        return not self._moving and self._acceptance.settled

    def watch(self, frame: Frame) -> Sighting | None:
        """Look, and read if that is due; return the sighting if one was accepted."""
        return self.read(frame) if self.look(frame) else self.rest(frame)

    def look(self, frame: Frame, small_frame: Grey | None = None) -> bool:
        """Return whether this frame should be read.

        A black region is not a picture but a camera that sends nothing, or a fade. It does not
        count as empty; accepted tiles are lost only after the usual time.

        Args:
            frame: the newest frame.
            small_frame: `shrink` of its image, if several regions share it.
        """
        small = shrink(frame.image) if small_frame is None else small_frame
        own = self._region.small(small)
        self._has_picture = bool((own > _BLACK).any())
        if not self._has_picture:
            self._moving = True
            return False
        self._frame = cells(small)
        seen = self._motion.look(own, frame.at)
        if self._acceptance.glance(seen.cells, frame.at):
            self._seen_frame = self._frame
        self._moving = seen.moving
        if seen.moving:
            return False
        if seen.still_since != self._rest:
            self._came_to_rest(seen.cells, seen.still_since)
        if self._read_cells is None:
            return True
        if self._acceptance.waits or self._acceptance.settled:
            return bool(self._motion.differs(self._read_cells, seen.cells).any())
        if self._looks < max(1, self._settings.looks):
            return True
        return frame.at - self._read_at >= self._settings.again

    def read(self, frame: Frame) -> Sighting | None:
        """Read a frame; return the sighting if its reading was accepted."""
        picture = self._region.cut(frame.image)
        size = (picture.shape[1], picture.shape[0])
        now = self._motion.latest
        if size != self._read_size:
            self._votes = Votes()  # the boxes of earlier passes are pixels of another picture
        voted = self._votes.add(self._detector.detect(picture))
        self._read_cells, self._read_size, self._read_at = now, size, frame.at
        self._looks += 1
        reading = self._read_with(voted, size)
        view = View(reading, now, size, frame.at, frame.at - self._rest, self._cut())
        self._picture = picture
        return self._sighting(view) if self._acceptance.look(view) else None

    def rest(self, frame: Frame) -> Sighting | None:
        """Return the sighting of a reading on which passes agreed, once it has rested long enough.

        Call it after a `look` that returns False.
        """
        if self._moving:
            return None
        view = self._acceptance.rest(self._motion.latest, frame.at, frame.at - self._rest)
        return None if view is None else self._sighting(view)

    def _sighting(self, view: View) -> Sighting:
        """Return what was accepted, and release the picture."""
        assert self._picture is not None
        picture, self._picture = self._picture, None
        self._seen_frame = self._frame
        hand = self._hand(view.reading)
        return Sighting(view.reading, hand, picture, self._rest, view.at, self._looks)

    def _cut(self) -> float:
        """Return the share of the whole frame that changed since the accepted tiles were seen."""
        if self._frame is None or self._seen_frame is None:
            return 0.0
        return float(self._motion.differs(self._seen_frame, self._frame).mean())

    def _came_to_rest(self, now: Cells, since: float) -> None:
        """Begin with a new picture at rest, without the votes at places that changed."""
        self._rest, self._looks = since, 0
        before = self._read_cells
        if before is None:
            return
        changed = self._motion.differs(before, now)
        if changed.any():
            self._acceptance.moved()
        if max(self._cut(), float(changed.mean())) >= self._settings.patience.cut:
            # After a camera cut, a place that looks unchanged does so by chance.
            self._votes = Votes()
            return

        def unchanged(boxes: FloatArray) -> NDArray[np.bool_]:
            return np.array(
                [
                    not (changed & inside(box[None], self._read_size, changed.shape, 0.0)).any()
                    for box in boxes
                ]
            )

        self._votes.restart(unchanged)

    def _hand(self, reading: Reading) -> Hand | None:
        """Return the likeliest hand; a tile added to a waiting one is the winning tile."""
        if not reading.hands:
            self._before = None
            return None
        hand = reading.hands[0].hand
        drawn = drawn_tile(self._before, hand, self._waiting)
        if drawn is not None:
            rest = list(hand.concealed)
            rest.remove(drawn)
            hand = replace(hand, concealed=tuple(rest), winning_tile=drawn)
        if hand.size == self._waiting or drawn is None:
            self._before = hand
        return hand
