"""How much of what is read is corrected: by week, tile set and weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hupai.api.contract.reading import ReadingOut
from hupai.api.hands.outcomes import reading_of, states_hand, valid_corrections
from hupai.api.learning.collect import stored_hands
from hupai.api.learning.hand_labels import hand_label
from hupai.api.storage import Storage
from hupai.api.storage.rows import HandRow
from hupai.api.web.metrics import Metrics
from hupai.datasets.from_hands.labels import LeftOut

OFTEN = 0.05
"""Share of corrected tiles from which a tile set is offered enrolment or fine-tuning."""

FEWEST = 50
"""Tiles that have to be checked before anything is offered."""

NO_SET = "none"
"""How a reading without an enrolled tile set is counted."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts of what people checked, and of what they corrected.

    Attributes:
        week: ISO year and week of the reading, such as 2026-W47.
        tile_set: name of the enrolled set, `NO_SET` without one.
        model: name and version of the weights that read.
        hands, tiles, groups: checked by somebody.
        tiles_corrected, groups_corrected: those of them that were read wrong, missed or invented.
    """

    week: str
    tile_set: str
    model: str
    hands: int = 0
    tiles: int = 0
    tiles_corrected: int = 0
    groups: int = 0
    groups_corrected: int = 0

    @property
    def offer(self) -> bool:
        """Whether teaching the tile set is worthwhile."""
        return self.tiles >= FEWEST and self.tiles_corrected > OFTEN * self.tiles


def drift(storage: Storage) -> tuple[Counted, ...]:
    """Count all stored hands that somebody checked, by week, tile set and weights.

    Only numbers come out, no photo: consent is not asked.
    """
    sums: dict[tuple[str, str, str], Counted] = {}
    for one in _each(storage):
        key = (one.week, one.tile_set, one.model)
        known = sums.get(key, Counted(*key))
        names = ("hands", "tiles", "tiles_corrected", "groups", "groups_corrected")
        sums[key] = replace(
            known, **{name: getattr(known, name) + getattr(one, name) for name in names}
        )
    return tuple(sums[key] for key in sorted(sums))


def _each(storage: Storage) -> Iterator[Counted]:
    for row in stored_hands(storage):
        found = counted(row)
        if found is not None:
            yield found


def counted(row: HandRow) -> Counted | None:
    """Count one stored hand; None if nobody checked it or its tiles are not known by place."""
    label = hand_label(row, lambda _: b"")
    if isinstance(label, LeftOut) or not label.checked:
        return None
    year, week, _ = row.created_at.isocalendar()
    model = ReadingOut.model_validate(row.reading).model
    raw, corrected = reading_of(row, corrected=False), reading_of(row, corrected=True)
    read = {(group.kind, frozenset(group.tiles)) for group in raw.groups}
    groups = [(group.kind, frozenset(group.tiles)) for group in corrected.groups]
    return Counted(
        week=f"{year}-W{week:02}",
        tile_set=model.tile_set or NO_SET,
        model=f"{model.name} {model.version}",
        hands=1,
        tiles=len(label.checked),
        tiles_corrected=sum(one.tile is not one.read for one in label.checked)
        + len(label.struck_out),
        groups=len(groups),
        groups_corrected=sum(group not in read for group in groups),
    )


class CheckedHands:
    """Counts hands in /metrics when they are first checked."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def __call__(self, row: HandRow) -> None:
        """Count the hand, unless it was checked before this correction."""
        stated = [one for one in valid_corrections(row) if states_hand(one)]
        found = counted(row) if len(stated) == 1 and stated[0] is row.corrections[-1] else None
        if found is not None:
            labels = (found.tile_set, found.model)
            self._metrics.tiles_checked.labels(*labels).inc(found.tiles)
            self._metrics.tiles_corrected.labels(*labels).inc(found.tiles_corrected)
            self._metrics.groups_checked.labels(*labels).inc(found.groups)
            self._metrics.groups_corrected.labels(*labels).inc(found.groups_corrected)
