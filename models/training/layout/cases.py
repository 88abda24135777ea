"""Recorded cases: the detections of a table, and which of them are the hand.

Layout is fitted and tested on them without a network and without a picture. A file holds many
cases as one compressed `.npz`: the arrays of all cases one after another, and one JSON text with
the rest. Made by ``python -m benchmarks.layout.record``; anything that knows the truth of a table
may write them with `save`:

    ============== ========= =======================================================================
    array          shape     content
    ============== ========= =======================================================================
    boxes          (n, 4)    float32, pixels of the upright photo
    scores         (n,)      float32
    probabilities  (n, 43)   float16, rows sum to 1
    axes           (n,)      float32, radians, NaN if unknown
    quads          (n, 4, 2) float32, corners as in `Detections`
    cases          ()        the JSON text: a list with one object per case, see below
    ============== ========= =======================================================================

The object of a case has ``confident`` and ``low`` (how many detections of either kind), ``size``
(width and height of the photo), ``family``, ``source``, ``hand_size``, ``tiles`` (ids or null),
``missing``, ``groups`` (kind, ids, source), ``winning_tile`` (id or null), ``faces`` (tile codes or
null), ``rows_end`` and ``other_hands`` (ids). Ids number the confident detections first, then those
of low confidence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.conventions import GENERAL, Convention
from hupai.vision.types import Detections

TrueGroup = tuple[str, tuple[int, ...], str | None]
"""Kind (a value of `hupai.vision.types.GroupKind`), ids, and from whom it was claimed."""

HAND_SIZE = 13
"""Concealed tiles of a waiting player in most games; 16 in some, such as the Taiwanese."""

_ARRAYS = ("boxes", "scores", "probabilities", "axes", "quads")
"""Arrays that every file holds, named as in `Detections`."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Case:
    """The detections of a table, and the ground truth of the hand on it.

    Attributes:
        detections: the confident ones, with those of low confidence beside them.
        size: width and height of the photo, pixels.
        family: the generator of the table: ``family 1``, ``family 2``, ..., or ``real``.
        source: the table within its family; cases of one source resemble each other.
        hand_size: tiles of a waiting hand, 13 by default.
        tiles: ids of the hand's tiles, low-confidence ones after the confident ones; None where
            only the faces are known.
        missing: how many tiles of the hand have no box.
        groups: the groups of the hand; empty if they are not known.
        winning_tile: id of the tile that completed the hand, where it lies apart.
        faces: the faces of the hand, sorted, face-down tiles as `Tile.BACK`; None if unknown.
        rows_end: whether the photo shows that no row goes on beyond its edge
            (`hupai.vision.pipeline.row_ends`); False for tables without a photo.
        other_hands: ids of the face-up tiles of each other player's hand, as far as they are known.
    """

    detections: Detections
    size: tuple[int, int]
    family: str
    source: str
    hand_size: int = HAND_SIZE
    tiles: frozenset[int] | None = None
    missing: int = 0
    groups: tuple[TrueGroup, ...] = ()
    winning_tile: int | None = None
    faces: tuple[Tile, ...] | None = None
    rows_end: bool = False
    other_hands: tuple[frozenset[int], ...] = ()

    def __post_init__(self) -> None:
        n = len(self.all_detections)
        ids = {*(self.tiles or ()), *(i for _, members, _ in self.groups for i in members)}
        if any(not 0 <= i < n for i in ids):
            raise ValueError(f"{self.source}: ids must be from 0 to {n - 1}")

    @property
    def habits(self) -> Convention:
        """The general convention, with a hand of that size."""
        return replace(GENERAL, hand_size=self.hand_size)

    @property
    def all_detections(self) -> Detections:
        """The confident detections, then those of low confidence: the order of the ids."""
        low = self.detections.low_confidence
        alone = replace(self.detections, low_confidence=None)
        return alone if low is None else alone.with_others(low)


def save(path: Path, cases: Iterable[Case]) -> int:
    """Write cases to a file, `.npz`; return how many."""
    kept = list(cases)
    all_found = [case.all_detections for case in kept]
    boxes, scores, probabilities, axes, quads = (
        np.concatenate([getattr(Detections.empty(), name), *(getattr(f, name) for f in all_found)])
        for name in _ARRAYS
    )
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            boxes=boxes,
            scores=scores,
            probabilities=probabilities.astype(np.float16),
            axes=axes,
            quads=quads,
            cases=np.array(json.dumps([_to_json(case) for case in kept])),
        )
    return len(kept)


def load(path: Path) -> tuple[Case, ...]:
    """Read the cases of a file that `save` wrote."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    return tuple(_cases(arrays))


def without_winning_tile(case: Case) -> Case | None:
    """Turn a hand whose winning tile lies apart into a hand of 13, by removing that tile.

    None if it does not, or if it has low confidence. Rendered hands are all complete, whereas
    photos also show waiting ones.
    """
    gone = case.winning_tile
    if gone is None or gone >= len(case.detections) or case.faces is None:
        return None
    kept = np.delete(np.arange(len(case.detections)), gone)
    faces = Counter(case.faces)
    faces[Tile(int(case.detections.probabilities[gone].argmax()))] -= 1

    def moved(ids: Iterable[int]) -> tuple[int, ...]:
        return tuple(i - (i > gone) for i in ids if i != gone)

    return replace(
        case,
        detections=case.detections.only(kept),
        tiles=None if case.tiles is None else frozenset(moved(case.tiles)),
        groups=tuple((kind, moved(ids), src) for kind, ids, src in case.groups if gone not in ids),
        winning_tile=None,
        faces=tuple(sorted(faces.elements())),
        other_hands=tuple(frozenset(moved(ids)) for ids in case.other_hands),
    )


def with_waiting_hands(cases: Iterable[Case]) -> Iterator[Case]:
    """Yield the cases, every third suitable one as a hand of 13."""
    possible = 0
    for case in cases:
        waiting = without_winning_tile(case)
        possible += waiting is not None
        yield case if waiting is None or possible % 3 else waiting


def _cases(arrays: dict[str, NDArray[Any]]) -> Iterator[Case]:
    rows = json.loads(str(arrays["cases"]))
    begin = 0
    for row in rows:
        middle, end = begin + row["confident"], begin + row["confident"] + row["low"]
        low = _detections(arrays, middle, end) if row["low"] else None
        yield Case(
            detections=replace(_detections(arrays, begin, middle), low_confidence=low),
            size=(int(row["size"][0]), int(row["size"][1])),
            family=row["family"],
            source=row["source"],
            hand_size=row["hand_size"],
            tiles=None if row["tiles"] is None else frozenset(row["tiles"]),
            missing=row["missing"],
            groups=tuple((kind, tuple(ids), source) for kind, ids, source in row["groups"]),
            winning_tile=row["winning_tile"],
            faces=None if row["faces"] is None else tuple(map(Tile.from_code, row["faces"])),
            rows_end=row.get("rows_end", False),
            other_hands=tuple(map(frozenset, row.get("other_hands", ()))),
        )
        begin = end


def _detections(arrays: dict[str, NDArray[Any]], begin: int, end: int) -> Detections:
    """Slice detections out of the arrays of all cases, with renormalised distributions."""
    classes = arrays["probabilities"][begin:end].astype(np.float32)
    return Detections(
        arrays["boxes"][begin:end],
        arrays["scores"][begin:end],
        classes / np.maximum(classes.sum(1, keepdims=True), 1e-6),
        arrays["axes"][begin:end],
        quads=arrays["quads"][begin:end]
        if len(arrays["quads"])
        else np.zeros((0, 4, 2), np.float32),
    )


def _to_json(case: Case) -> dict[str, Any]:
    low = case.detections.low_confidence
    return {
        "confident": len(case.detections),
        "low": 0 if low is None else len(low),
        "size": case.size,
        "family": case.family,
        "source": case.source,
        "hand_size": case.hand_size,
        "tiles": None if case.tiles is None else sorted(case.tiles),
        "missing": case.missing,
        "groups": [[kind, sorted(ids), source] for kind, ids, source in case.groups],
        "winning_tile": case.winning_tile,
        "faces": None if case.faces is None else [tile.code for tile in case.faces],
        "rows_end": case.rows_end,
        "other_hands": [sorted(ids) for ids in case.other_hands],
    }
