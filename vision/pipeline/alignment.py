"""Merges photos of a hand that was moved between them, by aligning the order of its tiles."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from hupai.vision.conventions import GENERAL
from hupai.vision.layout.types import Arrangement, Block, BlockKind, Layout
from hupai.vision.pipeline.observations import MIN_PROBABILITY, Observation, bounded
from hupai.vision.pipeline.one_hand import MAX_CONFLICTS, MIN_LIKENESS, MOST, excess
from hupai.vision.types import Detections

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

GAP_SCORE = -1.2
"""Score of an unmatched tile between two matched ones (gap penalty)."""

MATCH_BONUS = 1.5
"""Added to the log-probability that two tiles show the same face: the score of a match."""

MIN_MATCHED = 0.6
"""Share of the smaller hand's tiles that must be matched for two hands to be one."""

MIN_MEAN_LOG_LIKENESS = -1.5
"""Mean log-probability that matched tiles show the same face, below which the hands differ."""


def join(
    base: Layout,
    other: Layout,
    photo: int,
    observed: list[Observation],
    hand_size: int = GENERAL.hand_size,
) -> Layout | None:
    """Merge another photo's hand into the base by the order of its tiles.

    Args:
        base: the layout so far.
        other: the other photo's layout.
        photo: its number.
        observed: the tiles of `base` by their ids, changed in place.
        hand_size: tiles of a waiting hand, a kong counted as three.

    Returns:
        None, with nothing changed, if the photo shows another hand.
    """
    if not base.arrangements or not other.arrangements:
        return None
    found = other.detections
    ours, theirs = base.arrangements[0].tiles, other.arrangements[0].tiles
    pairs = _align(observed, ours, found, theirs, hand_size)
    if pairs is None:
        return None
    for mine, its in pairs:
        tile, whole_here = observed[mine], mine not in base.cut_by_edge
        if whole_here and its in other.cut_by_edge and tile.likeness(found, its) < MIN_LIKENESS:
            tile.locate(found, its, photo)
            continue
        if not whole_here and its not in other.cut_by_edge:
            tile.probabilities = found.probabilities[its]
            tile.locate(found, its, photo)
        else:
            tile.confirm(found, its, photo)
        tile.score = max(tile.score, float(found.scores[its]))
    matched = {its for _, its in pairs}
    extra: dict[int, int] = {}
    for its in theirs:
        if its not in matched:
            extra[its] = len(observed)
            observed.append(Observation.of(found, its, photo))

    same = dict(pairs)

    def on_all(ours: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[int, ...]:
        kept = (i for i in ours if i not in same or same[i] in theirs)
        return (*kept, *(extra[i] for i in theirs if i in extra))

    return replace(
        base,
        arrangements=_extended(base.arrangements, other.arrangements[0], extra),
        sideways=base.sideways | {extra[i] for i in other.sideways if i in extra},
        cut_by_edge=on_all(base.cut_by_edge, other.cut_by_edge),
        size_outliers=on_all(base.size_outliers, other.size_outliers),
        low_confidence=on_all(base.low_confidence, other.low_confidence),
        pairs_with_gap=tuple(
            pair for pair in base.pairs_with_gap if any(len(observed[i].sources) == 1 for i in pair)
        ),
        margin=max(base.margin, other.margin),
    )


def _extended(
    arrangements: tuple[Arrangement, ...], other: Arrangement, extra: dict[int, int]
) -> tuple[Arrangement, ...]:
    """Return each arrangement without and with the extra tiles, best first."""
    if not extra:
        return arrangements
    every = (*arrangements, *(_with_extra(one, other, extra) for one in arrangements))
    halved = (Arrangement(one.blocks, one.log_weight - math.log(2)) for one in every)
    return tuple(sorted(halved, key=lambda one: -one.log_weight))


def _with_extra(one: Arrangement, other: Arrangement, extra: dict[int, int]) -> Arrangement:
    """Add tiles that only the other photo shows: whole blocks, single tiles as concealed ones."""
    added: list[Block] = []
    loose: list[int] = []
    for block in other.blocks:
        new = [i for i in block.tiles if i in extra]
        if new and len(new) == len(block.tiles) and block.kind is not BlockKind.CONCEALED:
            added.append(replace(block, tiles=tuple(extra[i] for i in block.tiles)))
        else:
            loose += [extra[i] for i in new]
    blocks = list(one.blocks)
    for k, block in enumerate(blocks):
        if loose and block.kind is BlockKind.CONCEALED:
            blocks[k] = replace(block, tiles=(*block.tiles, *loose))
            loose = []
    if loose:
        blocks.insert(0, Block(BlockKind.CONCEALED, tuple(loose)))
    return Arrangement((*blocks, *added), one.log_weight)


def _align(
    observed: list[Observation],
    ours: tuple[int, ...],
    found: Detections,
    theirs: tuple[int, ...],
    hand_size: int,
) -> list[tuple[int, int]] | None:
    """Align the tiles in the better of the two directions.

    If most tiles are aligned, or both hands together are too large for one, the others are matched
    by their faces, whatever their order: the hand may have been laid in other rows. If only the
    faces match, all tiles but one must match.

    Returns:
        Pairs of ids, observed and of the other photo; None if too few match, faces differ or both
        hands together are too large for one.
    """
    faces = [int(observed[i].probabilities.argmax()) for i in ours]
    classes = dict(zip(theirs, found.probabilities[list(theirs)].argmax(1).tolist(), strict=True))

    def over(*matched: list[tuple[int, int]]) -> int:
        new = set(theirs).difference(its for pairs in matched for _, its in pairs)
        every = [*faces, *(classes[its] for its in new)]
        return excess(every, (faces, list(classes.values())), hand_size)

    rows = bounded(np.asarray([observed[i].probabilities for i in ours]))
    paths: list[tuple[float, list[tuple[int, int]], tuple[int, ...]]] = []
    for order in (theirs, theirs[::-1]):
        same_face = rows @ bounded(found.probabilities[list(order)]).T
        likeness = np.log(np.clip(same_face, MIN_PROBABILITY, 1.0)) + MATCH_BONUS
        paths.append((*_best_path(likeness), order))
    _, path, order = max(paths, key=lambda scored: scored[0])
    pairs = [(ours[i], order[j]) for i, j in path]
    moved = _moved(observed, ours, found, theirs, pairs)
    twins = {("ours", i) for i, _ in moved} | {("theirs", j) for _, j in moved}
    misread = [
        (ours[i], order[j])
        for i, j in _misread(path, len(ours), len(order))
        if twins.isdisjoint({("ours", ours[i]), ("theirs", order[j])})
    ]
    smaller = min(len(ours), len(theirs))
    in_order = len(pairs) >= MIN_MATCHED * smaller
    if len(pairs) >= MOST * max(len(ours), len(theirs)) or over(pairs, misread):
        pairs += moved
    # Without the order, hands of one suit may share most faces by chance.
    if not in_order and len(pairs) < smaller - 1:
        return None
    if over(pairs, misread) > MAX_CONFLICTS:
        return None
    same_faces = [observed[i].likeness(found, j) for i, j in pairs]
    mean = float(np.log(np.clip(same_faces, MIN_PROBABILITY, 1.0)).mean())
    return [*pairs, *misread] if mean > MIN_MEAN_LOG_LIKENESS else None


def _misread(path: list[tuple[int, int]], rows: int, columns: int) -> list[tuple[int, int]]:
    """Match tiles of different faces that have the same place in the order, if they are few.

    Such a place has equally many unmatched tiles on both sides, between two matched neighbours or
    at an end.
    """
    found: list[tuple[int, int]] = []
    for (i, j), (k, m) in pairwise([(-1, -1), *path, (rows, columns)]):
        if k - i == m - j:
            found += zip(range(i + 1, k), range(j + 1, m), strict=True)
    return found if len(found) <= MAX_CONFLICTS else []


def _moved(
    observed: list[Observation],
    ours: tuple[int, ...],
    found: Detections,
    theirs: tuple[int, ...],
    pairs: list[tuple[int, int]],
) -> list[tuple[int, int]]:
    """Match the unpaired tiles one to one by their faces, the likeliest first."""
    mine = set(ours).difference(i for i, _ in pairs)
    its = set(theirs).difference(j for _, j in pairs)
    ranked = sorted((-observed[i].likeness(found, j), i, j) for i in mine for j in its)
    moved: list[tuple[int, int]] = []
    for unlike, i, j in ranked:
        if -unlike > MIN_LIKENESS and i in mine and j in its:
            moved.append((i, j))
            mine.remove(i)
            its.remove(j)
    return moved


def _best_path(
    likeness: Array,
) -> tuple[float, list[tuple[int, int]]]:
    """Find the best global alignment with free ends (Needleman and Wunsch 1970).

    Args:
        likeness: shape (n, m), scores of matches.

    Returns:
        The sum of the scores of matches and gaps, and the pairs (row, column).
    """
    rows, columns = likeness.shape
    score = np.zeros((rows + 1, columns + 1))
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            down = score[i - 1, j] + (0.0 if j == columns else GAP_SCORE)
            right = score[i, j - 1] + (0.0 if i == rows else GAP_SCORE)
            score[i, j] = max(score[i - 1, j - 1] + likeness[i - 1, j - 1], down, right)
    pairs: list[tuple[int, int]] = []
    i, j = rows, columns
    while i > 0 and j > 0:
        if score[i, j] == score[i - 1, j - 1] + likeness[i - 1, j - 1]:
            pairs.append((i - 1, j - 1))
            i, j = i - 1, j - 1
        elif score[i, j] == score[i - 1, j] + (0.0 if j == columns else GAP_SCORE):
            i -= 1
        else:
            j -= 1
    return float(score[rows, columns]), pairs[::-1]
