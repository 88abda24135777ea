"""Evaluates the reading of photos: whole hands, melds, tiles, faces, certainty and time.

Definition of a prediction: in a photo with a known whole hand only the hand is labelled. Detecting
a discard there is not wrong, but counting it as part of the hand is, so precision counts the tiles
that the reading puts into the hand. In every other photo, predictions that show a face count if
their centre lies in the labelled area: the convex hull of the labelled boxes grown by one median
tile side, because tiles further away have no labels. Recall and precision ask whether there is a
tile, class accuracy which one. A photo whose hand is known but whose tiles carry no boxes counts
for whole hands and melds only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from statistics import median
from typing import Protocol

import numpy as np

from hupai.models.evaluation.labelled_folder import MELD_KINDS, LabelledPhoto, TrueGroup
from hupai.models.evaluation.matching import (
    PhotoBoxes,
    labelled_area,
    match,
    mean_average_precision,
)
from hupai.scoring.tiles import Tile
from hupai.vision.types import FloatArray, PhotoReading, ReadTile, Timing

MIN_IOU = 0.5
"""Minimum intersection over union of a prediction and a labelled tile."""

Confusion = tuple[Tile, Tile]
"""True face and read face."""


class PhotoReader(Protocol):
    """Anything that reads a photo, as `hupai.vision.pipeline.recogniser.Recogniser` does."""

    def read_photo(self, data: bytes, name: str = "") -> PhotoReading:
        """Read one photo from its bytes."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PhotoOutcome:
    """The outcome for one photo.

    Attributes:
        truth: the labelled photo.
        reading: the reading.
        boxes: the predictions that count, and the labels, in pixels of the upright photo.
        found: labelled tiles that some prediction overlaps, in the hand or not.
        right: predictions that count and overlap a labelled tile.
        faces: each found tile's label and the face it was read as.
    """

    truth: LabelledPhoto
    reading: PhotoReading
    boxes: PhotoBoxes
    found: int
    right: int
    faces: tuple[Confusion, ...]

    @property
    def read_hand(self) -> Counter[Tile]:
        """The faces of the hand in the reading."""
        return Counter(tile.tile for tile in self.reading.reading.tiles if tile.in_hand)

    @property
    def missing(self) -> tuple[Tile, ...]:
        """Tiles of the true hand that were not read; empty if the hand is not known."""
        return tuple(sorted((Counter(self.truth.hand or ()) - self.read_hand).elements()))

    @property
    def surplus(self) -> tuple[Tile, ...]:
        """Tiles of the read hand that are not in the true one; empty if the hand is not known."""
        if self.truth.hand is None:
            return ()
        return tuple(sorted((self.read_hand - Counter(self.truth.hand)).elements()))

    @property
    def exact(self) -> bool | None:
        """Whether the tiles read into the hand are exactly those of the hand, if it is known."""
        return None if self.truth.hand is None else self.read_hand == Counter(self.truth.hand)

    @property
    def best_hand_exact(self) -> bool | None:
        """Whether the likeliest legal hand has exactly the tiles of the hand, if it is known."""
        if self.truth.hand is None:
            return None
        best = [likely.hand for likely in self.reading.reading.hands[:1]]
        return any(Counter((*h.all_tiles, *h.flowers)) == Counter(self.truth.hand) for h in best)

    @property
    def groups_exact(self) -> bool | None:
        """Whether the groups are exactly right: tiles, kind, source; None if unknown."""
        groups = self.truth.groups
        return None if groups is None else Counter(self._read_groups()) == Counter(groups)

    @property
    def melds_exact(self) -> bool | None:
        """Whether the melds among the groups are exactly right, if they are known."""
        if self.truth.melds is None:
            return None
        read = [group for group in self._read_groups() if group[0] in MELD_KINDS]
        return Counter(read) == Counter(self.truth.melds)

    @property
    def melds_grouped(self) -> bool | None:
        """Whether the melds are right apart from their sources, if they are known."""
        if self.truth.melds is None:
            return None
        read = Counter(group[:2] for group in self._read_groups() if group[0] in MELD_KINDS)
        return read == Counter(group[:2] for group in self.truth.melds)

    @property
    def melds_right(self) -> int:
        """Number of melds read with their tiles and kind, regardless of their source."""
        wanted = Counter(group[:2] for group in self.truth.melds or ())
        return (wanted & Counter(group[:2] for group in self._read_groups())).total()

    @property
    def claims_right(self) -> int:
        """Number of claimed melds read with tiles, kind and source."""
        wanted = Counter(group for group in self.truth.melds or () if group[2] is not None)
        return (wanted & Counter(self._read_groups())).total()

    @property
    def winning_tile_right(self) -> bool | None:
        """Whether the likeliest hand names the winning tile, if it is known."""
        if self.truth.winning_tile is None:
            return None
        best = self.reading.reading.hands[:1]
        return any(likely.hand.winning_tile == self.truth.winning_tile for likely in best)

    def _read_groups(self) -> list[TrueGroup]:
        read = self.reading.reading
        faces = {tile.id: tile.tile for tile in read.tiles}
        return [
            (
                group.kind.value,
                tuple(sorted(faces[i] for i in group.tiles)),
                group.claimed_from and group.claimed_from.value,
            )
            for group in read.groups
        ]

    @property
    def unlabelled(self) -> int:
        """Predictions that count and lie on no label."""
        return len(self.boxes.tiles) - self.right

    @property
    def failed(self) -> bool:
        """Whether the hand is not exact or, where it is not known, a label is missed or misread.

        A prediction without a label is not a failure, because many tiles are unlabelled.
        """
        if self.exact is not None:
            return not self.exact
        missed = self.found < len(self.truth.tiles)
        return missed or any(true != seen for true, seen in self.faces)


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures over some photos; rates are None if there was nothing to count.

    Attributes:
        photos: how many.
        labelled: labelled tiles in them.
        predicted: predictions that count.
        found: labelled tiles that a prediction overlaps.
        right: predictions that count and overlap a labelled tile.
        faces_right: found tiles whose face is read right.
        hands: photos with whole-hand truth.
        hands_exact: those whose tiles in the hand are exactly right.
        best_hands_exact: those whose likeliest legal hand is exactly right.
        grouped: photos whose groups are known.
        groups_exact: those whose groups are all right: tiles, kind and source.
        melded: photos whose melds are known, hands without melds among them.
        melds_exact: those whose melds are all right: tiles, kind and source.
        melds: labelled melds on those photos.
        melds_right: those read with the right tiles and kind.
        claims: labelled melds whose source is known.
        claims_right: those read with the right tiles, kind and source.
        winning_known: photos whose winning tile is known.
        winning_right: those whose likeliest hand names it.
        certain: those read as certain.
        certain_wrong: those read as certain whose tiles are not exactly right.
    """

    photos: int
    labelled: int
    predicted: int
    found: int
    right: int
    faces_right: int
    hands: int
    hands_exact: int
    best_hands_exact: int
    grouped: int
    groups_exact: int
    melded: int
    melds_exact: int
    melds: int
    melds_right: int
    claims: int
    claims_right: int
    winning_known: int
    winning_right: int
    certain: int
    certain_wrong: int

    @property
    def recall(self) -> float | None:
        """Share of labelled tiles that are found."""
        return _share(self.found, self.labelled)

    @property
    def precision(self) -> float | None:
        """Share of the predictions that count which lie on a labelled tile."""
        return _share(self.right, self.predicted)

    @property
    def class_accuracy(self) -> float | None:
        """Share of found tiles whose face is right."""
        return _share(self.faces_right, self.found)

    @property
    def exact_rate(self) -> float | None:
        """Share of whole hands that are exactly right."""
        return _share(self.hands_exact, self.hands)

    @property
    def certain_wrong_rate(self) -> float | None:
        """Share of the certain readings that are wrong; the promise is at most 1 in 200."""
        return _share(self.certain_wrong, self.certain)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Everything measured on a labelled folder.

    Attributes:
        figures: over all photos.
        tables: the same for each table, by name.
        confusions: misread faces, as pairs of true and read face with counts, most frequent first.
        average_precision: mAP for each overlap of `hupai.models.evaluation.matching.IOU_STEPS`;
            predictions rank by confidence in the face.
        timing: median milliseconds of each stage and in total.
        outcomes: photo by photo.
    """

    figures: Figures
    tables: dict[str, Figures]
    confusions: tuple[tuple[Confusion, int], ...]
    average_precision: dict[float, float]
    timing: Timing
    outcomes: tuple[PhotoOutcome, ...]

    @property
    def map50(self) -> float:
        """mAP at an overlap of 0.5."""
        return self.average_precision[0.5]

    @property
    def map50_95(self) -> float:
        """mAP averaged over overlaps from 0.50 to 0.95."""
        return float(np.mean(list(self.average_precision.values())))


def evaluate_photos(reader: PhotoReader, photos: Iterable[LabelledPhoto]) -> Iterator[PhotoOutcome]:
    """Read photos lazily, one at a time, and compare them with their labels."""
    for photo in photos:
        yield compare(photo, reader.read_photo(photo.path.read_bytes(), str(photo.path)))


def compare(truth: LabelledPhoto, reading: PhotoReading) -> PhotoOutcome:
    """Compare one reading with its labels."""
    scale = np.tile(np.asarray([reading.photo.width, reading.photo.height], np.float32), 2)
    true_boxes = truth.boxes * scale
    shown = [tile for tile in reading.reading.tiles if tile.tile != Tile.BACK and truth.boxed]
    if truth.hand is not None:
        counted = [tile for tile in shown if tile.in_hand]
    else:
        inside = labelled_area(true_boxes, _array(shown))
        counted = [tile for tile, counts in zip(shown, inside, strict=True) if counts]
    boxes = PhotoBoxes(
        tuple(tile.tile for tile in counted),
        _array(counted),
        np.asarray([tile.confidence for tile in counted], np.float32),
        truth.tiles,
        true_boxes,
    )
    anywhere = match(_array(shown), true_boxes, MIN_IOU)
    return PhotoOutcome(
        truth=truth,
        reading=reading,
        boxes=boxes,
        found=len(anywhere),
        right=len(match(boxes.boxes, true_boxes, MIN_IOU)),
        faces=tuple((truth.tiles[j], shown[i].tile) for i, j in anywhere),
    )


def summarise(outcomes: Sequence[PhotoOutcome]) -> Evaluation:
    """Summarise photos that were read: figures in all and by table."""
    tables = sorted({outcome.truth.table for outcome in outcomes})
    wrong = Counter(pair for outcome in outcomes for pair in outcome.faces if pair[0] != pair[1])
    return Evaluation(
        figures=figures_of(outcomes),
        tables={
            table: figures_of([o for o in outcomes if o.truth.table == table]) for table in tables
        },
        confusions=tuple(sorted(wrong.items(), key=lambda item: (-item[1], item[0]))),
        average_precision=mean_average_precision([outcome.boxes for outcome in outcomes]),
        timing=median_timing([outcome.reading.timing for outcome in outcomes]),
        outcomes=tuple(outcomes),
    )


def figures_of(outcomes: Sequence[PhotoOutcome]) -> Figures:
    """Count over the given photos."""
    hands = [outcome for outcome in outcomes if outcome.truth.hand is not None]
    certain = [outcome for outcome in hands if outcome.reading.reading.certain]
    return Figures(
        photos=len(outcomes),
        labelled=sum(len(outcome.truth.tiles) for outcome in outcomes),
        predicted=sum(len(outcome.boxes.tiles) for outcome in outcomes),
        found=sum(outcome.found for outcome in outcomes),
        right=sum(outcome.right for outcome in outcomes),
        faces_right=sum(true == seen for outcome in outcomes for true, seen in outcome.faces),
        hands=len(hands),
        hands_exact=sum(bool(outcome.exact) for outcome in hands),
        best_hands_exact=sum(bool(outcome.best_hand_exact) for outcome in hands),
        grouped=sum(outcome.truth.groups is not None for outcome in outcomes),
        groups_exact=sum(bool(outcome.groups_exact) for outcome in outcomes),
        melded=sum(outcome.truth.melds is not None for outcome in outcomes),
        melds_exact=sum(bool(outcome.melds_exact) for outcome in outcomes),
        melds=sum(len(outcome.truth.melds or ()) for outcome in outcomes),
        melds_right=sum(outcome.melds_right for outcome in outcomes),
        claims=sum(m[2] is not None for outcome in outcomes for m in outcome.truth.melds or ()),
        claims_right=sum(outcome.claims_right for outcome in outcomes),
        winning_known=sum(outcome.truth.winning_tile is not None for outcome in outcomes),
        winning_right=sum(bool(outcome.winning_tile_right) for outcome in outcomes),
        certain=len(certain),
        certain_wrong=sum(not outcome.exact for outcome in certain),
    )


def median_timing(timings: Sequence[Timing]) -> Timing:
    """Take the median of each stage and of the total, milliseconds; zero without photos."""
    if not timings:
        return Timing()
    stages = [astuple(timing) for timing in timings]
    return Timing(*(median(stage) for stage in zip(*stages, strict=True)))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _array(tiles: Sequence[ReadTile]) -> FloatArray:
    return np.asarray([tile.box for tile in tiles], np.float32).reshape(-1, 4)
