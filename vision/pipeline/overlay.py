"""Merges photos of a table that was not changed between them, by registering them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import pairwise_overlap
from hupai.vision.pipeline.observations import Observation, as_detections
from hupai.vision.pipeline.one_hand import (
    MAX_CONFLICT_LIKENESS,
    MAX_CONFLICTS,
    MIN_LIKENESS,
    MOST,
    excess,
)
from hupai.vision.pipeline.registration import Registration, register
from hupai.vision.types import Detections, FloatArray

MIN_OVERLAP = 0.5
"""Overlap, as a share of the smaller box, from which two boxes are of one tile."""

WHOLE_AREA = 1.3
"""Least ratio of the area of a whole tile to that of the visible part of a cut or occluded one."""


@dataclass(frozen=True, slots=True)
class Hands:
    """The hands of two photos.

    Attributes:
        ours: ids of the tiles observed so far that are the hand.
        theirs: ids of the other photo's tiles that are its hand.
        size: tiles of a waiting hand, a kong counted as three.
    """

    ours: Collection[int]
    theirs: Collection[int]
    size: int


def overlay(
    observed: list[Observation], found: Detections, photo: int, hands: Hands
) -> dict[int, int] | None:
    """Merge another photo's tiles into those observed, by position.

    Args:
        observed: the tiles so far, changed in place.
        found: what the other photo shows.
        photo: its number.
        hands: the hands of both.

    Returns:
        The ids of its tiles among those observed; None, with nothing changed, if the photos cannot
        be registered, or if its hand is another one or was laid in other rows.
    """
    fit = register(as_detections(observed), found)
    if fit is None:
        return None
    before = {its: ours for ours, its in fit.pairs}
    larger = _relative_areas(observed, fit)
    beside, repeated = _beside(observed, fit)
    same = {**beside, **before}
    if not _is_one_hand(observed, found, same, hands, larger):
        return None
    for its in np.flatnonzero(fit.placed).tolist():
        placed = Observation.of(found, its, photo)
        placed.box, placed.quad = fit.boxes[its], fit.quads[its]
        placed.axis = float(fit.axes[its])
        if its in repeated:
            continue
        if its not in same:
            same[its] = len(observed)
            observed.append(placed)
            continue
        ours, ratio = observed[same[its]], larger[its, same[its]]
        if ratio > WHOLE_AREA:
            # It was cut or occluded: the photo that shows it whole is trusted.
            placed.sources += ours.sources
            placed.reds += ours.reds
            observed[same[its]] = placed
        elif ratio < 1 / WHOLE_AREA and its not in before:
            ours.locate(found, its, photo)
        else:
            ours.confirm(found, its, photo)
            ours.score = max(ours.score, placed.score)
    return same


def _beside(observed: list[Observation], fit: Registration) -> tuple[dict[int, int], set[int]]:
    """Match the tiles that registration did not match by face, one to one by their overlap.

    Returns:
        Ids observed by ids of the other photo's tiles, and ids of its further boxes around tiles
        that are already matched, which are not independent evidence.
    """
    places = np.asarray([one.box for one in observed], np.float64).reshape(-1, 4)
    overlap = pairwise_overlap(fit.boxes.astype(np.float64), places)
    overlap[~fit.placed] = 0.0
    ours, theirs = {i for i, _ in fit.pairs}, {j for _, j in fit.pairs}
    same: dict[int, int] = {}
    repeated: set[int] = set()
    ranked = np.argsort(-overlap, axis=None, kind="stable").tolist()
    for its, i in (divmod(k, len(observed)) for k in ranked):
        if overlap[its, i] <= MIN_OVERLAP:
            break
        if its in theirs:
            continue
        if i in ours:
            repeated.add(its)
        else:
            same[its] = i
            ours.add(i)
            theirs.add(its)
    return same, repeated.difference(same)


def _relative_areas(observed: list[Observation], fit: Registration) -> NDArray[np.float64]:
    """Return the ratio of each tile's area to each tile observed, shape (n, m).

    It is relative to the median ratio of matched tiles: across a single row, registration
    determines the scale only roughly.
    """
    ours = np.asarray([one.quad for one in observed], np.float32).reshape(-1, 4, 2)
    ratios = _areas(fit.quads)[:, None] / _areas(ours)[None]
    i, j = np.array(fit.pairs, np.intp).T
    relative: NDArray[np.float64] = ratios / np.median(ratios[j, i])
    return relative


def _areas(quads: FloatArray) -> NDArray[np.float64]:
    """Return the areas (n,) of quads (n, 4, 2), never 0."""
    x, y = np.moveaxis(quads.astype(np.float64), 2, 0)
    doubled = (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)
    out: NDArray[np.float64] = np.maximum(np.abs(doubled) / 2, 1e-6)
    return out


def _is_one_hand(
    observed: list[Observation],
    found: Detections,
    same: Mapping[int, int],
    hands: Hands,
    larger: NDArray[np.float64],
) -> bool:
    """Return whether the hands of both photos may be one that lies at the same place.

    They are not if several tiles have other faces, or if together they have more tiles than a hand:
    then another hand lies beside some tiles like those of the first, or tiles were moved.
    """
    if not hands.ours or not hands.theirs:
        return True
    ours, theirs = set(hands.ours), set(hands.theirs)
    conflicts = {
        its: i
        for its, i in same.items()
        if (i in ours or its in theirs)
        and 1 / WHOLE_AREA <= larger[its, i] <= WHOLE_AREA
        and observed[i].likeness(found, its) < MAX_CONFLICT_LIKENESS
    }
    if len(conflicts) > MAX_CONFLICTS:
        return False
    confirmed = ours.intersection(same.values())
    new = [its for its in theirs if its not in same]
    here = {same[its] for its in theirs if its in same}
    if 2 * len(ours & here) < min(len(ours), len(theirs)):
        # Two hands lie on the table, and the layouts of the two photos chose different ones.
        if len(confirmed) >= MOST * len(ours) and len(here) >= MOST * len(theirs):
            return True
    together = ours | here
    mine, its_own = _faces(observed, ours), found.probabilities[sorted(theirs)].argmax(1).tolist()
    every = _faces(observed, together) + found.probabilities[new].argmax(1).tolist()
    over = excess(every, (mine, its_own), hands.size)
    # A tile that is missing at its place and lies elsewhere was moved; a single one that lies
    # elsewhere and is missing nowhere is a false detection.
    left = (ours - confirmed).union(conflicts.values())
    elsewhere = theirs.intersection([*new, *conflicts])
    moved = any(observed[i].likeness(found, its) > MIN_LIKENESS for i in left for its in elsewhere)
    if moved and (over or len(confirmed) >= MOST * len(ours)):
        return False
    return over <= 1


def _faces(observed: list[Observation], ids: Collection[int]) -> list[int]:
    """Return the likeliest classes of tiles."""
    return [int(observed[i].probabilities.argmax()) for i in ids]
