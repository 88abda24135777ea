"""Records tables as cases for fitting and testing layout (`hupai.models.training.layout.cases`).

    python -m benchmarks.layout.record --family {1,2,3,real,designs} --out FILE
        [--count N] [--seed S] [--detected] [--photos FOLDER] [--cache FOLDER]

Family 1 is `hupai.datasets.synthetic`, family 2 `benchmarks.conventions`, family 3 whole tables
(`benchmarks.layout.whole`). Detector noise is added to their true tiles: shifted boxes and axes,
lower scores, doubtful faces, a few tiles missed or of low confidence, and false boxes. With
``--detected`` tables of families 1 and 3 are rendered and the shipped weights find their tiles.
``real`` reads the photos of a labelled folder whose hand is known, ``designs`` the pictures of
`hupai.datasets.synthetic.held_out_designs` whose hand is in full view. Tiles classified by recovery
are added as low-confidence detections.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.conventions.families import FAMILIES
from benchmarks.conventions.scene import table as other_table
from benchmarks.layout.detected import Finder, TimedClassifier, matched, matched_boxes
from benchmarks.layout.scenes import sample
from benchmarks.layout.table import LaidTable
from benchmarks.layout.whole import whole
from hupai.datasets.synthetic.truth import TruthTile, read_truth
from hupai.models.evaluation.labelled_folder import LabelledPhoto, known_faces, read_folder
from hupai.models.evaluation.scenes import LEAST_OF_A_HAND
from hupai.models.training.layout.cases import Case, TrueGroup, save
from hupai.scoring.tiles import Tile
from hupai.vision.detection.suppression import with_low_confidence
from hupai.vision.geometry.boxes import centres, pairwise_iou, sizes
from hupai.vision.geometry.placement import place
from hupai.vision.layout.arrange import arrange
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.recogniser import ENOUGH, layout_with_recovery
from hupai.vision.pipeline.row_ends import rows_end
from hupai.vision.types import Detections, FloatArray

_LOW_SCORE = 0.3
"""Score below which a detection has low confidence."""

_TOPS_SHARE = 0.25
"""Share of whole tables on which tops of standing tiles are detected as tiles."""

_GLARE_SHARE = 0.25
"""Share of tables on which a few neighbouring tiles of the hand have low confidence."""

_FALSE_FLOWER_SHARE = 0.15
"""Share of photos with a false flower: dice, cards, pictures on the cloth."""

_FALSE_SCORE = 0.12
"""Mean score of false low-confidence boxes: 2,000 on whole tables scored above 0.2 in 14 of 100
cases and above 0.4 in 5, most of them bare cloth taken for a back.
"""

_SAME_PLACE = 0.5
"""Greatest distance of the centres of a detection and its labelled tile, in shorter sides."""


def case_of(table: LaidTable, family: str, source: str, found: Detections | None = None) -> Case:
    """Make a case of a laid table.

    Args:
        table: the table and its truth.
        family, source: as in `Case`.
        found: what a detector saw of it, `low_confidence` aside; without it every tile is found.
    """
    seen = table.detections if found is None else found
    whole = seen if seen.low_confidence is None else _joined(seen)
    # Of two boxes around one tile, layout keeps the one with the higher score, even if it fits
    # worse.
    duplicates = place(seen, table.size).duplicates
    of_tile = {j: i for i, j in matched(table, whole, duplicates).items() if j >= 0}
    own = [j for j, tile in enumerate(table.tiles) if tile.in_hand]
    groups: list[TrueGroup] = [
        (kind, tuple(of_tile[j] for j in sorted(members) if j in of_tile), source_of)
        for kind, members, source_of in sorted(
            table.groups(), key=lambda group: (group[0], sorted(group[1]))
        )
    ]
    winning = [ids[0] for kind, ids, _ in groups if kind == "winning_tile" and ids]
    faces = (Tile.BACK if t.face_down else t.face for t in table.tiles if t.in_hand)
    return Case(
        detections=seen,
        size=table.size,
        family=family,
        source=source,
        tiles=frozenset(of_tile[j] for j in own if j in of_tile),
        missing=sum(j not in of_tile for j in own),
        groups=tuple(groups),
        winning_tile=winning[0] if winning else None,
        faces=tuple(sorted(faces)),
        other_hands=tuple(
            frozenset(of_tile[j] for j in other if j in of_tile) for other in table.other_hands()
        ),
    )


def _joined(seen: Detections) -> Detections:
    """Put low-confidence detections after the confident ones."""
    low = seen.low_confidence
    alone = replace(seen, low_confidence=None)
    return alone if low is None else alone.with_others(low)


def with_detector_noise(table: LaidTable, rng: np.random.Generator) -> Detections:
    """Add detector noise to the true tiles of a table.

    The rates are about those of the shipped weights on photos: scores about 0.9 with a tail, one
    face in thirty doubtful, half of the photos with a few tiles below the threshold, and boxes on
    sides of tiles, on the cloth or around a part of a tile. On one photo in four the detector
    misses a few neighbouring tiles of the hand because of glare; only tile recovery finds them.
    """
    seen = table.detections
    n = len(seen)
    scores = np.clip(rng.beta(14, 2, n), 0.05, 0.99)
    classes = seen.probabilities.astype(np.float64)
    for i in np.nonzero(rng.random(n) < 0.03)[0]:
        other = int(rng.integers(0, 42))
        share = float(rng.beta(1, 3))
        classes[i] *= 1 - share
        classes[i, other] += share
    if rng.random() < 0.5:
        weak = rng.random(n) < 0.03
        scores[weak] = rng.uniform(0.05, 0.5, int(weak.sum()))
    lost = _missed_by_glare(table, rng)
    # Recovery gives real backs a high score, and bare cloth taken for a back a lower one.
    down = seen.probabilities[lost].argmax(1) == Tile.BACK if lost else np.zeros(0, bool)
    scores[lost] = np.where(
        down, rng.uniform(0.7, 0.99, len(lost)), rng.uniform(0.05, 0.9, len(lost))
    )
    boxes, axes = seen.boxes, seen.axes
    false = int(rng.poisson(0.7)) if n else 0
    extra = _false_boxes(boxes, rng, false)
    if false := len(extra):
        boxes = np.concatenate([boxes, extra]).astype(np.float32)
        faces = rng.dirichlet(np.full(43, 0.1), false)
        faces[rng.random(false) < 0.5] = np.eye(43)[int(Tile.WHITE)] * 0.9 + 0.1 / 43
        classes = np.concatenate([classes, faces])
        scores = np.concatenate([scores, rng.uniform(0.05, 0.75, false)])
        axes = np.concatenate([axes, rng.uniform(0, np.pi, false)]).astype(np.float32)
    for _ in range(int(rng.random() < _FALSE_FLOWER_SHARE) if n else 0):
        k = int(rng.integers(n))
        step = rng.uniform(1.2, 4.0) * rng.choice([-1, 1]) * sizes(seen.boxes[[k]])[0].max()
        box = seen.boxes[k] + np.array([0, step, 0, step], np.float32)
        if float(pairwise_iou(box[None], boxes).max()) == 0:
            flower = int(rng.integers(int(Tile.SPRING), int(Tile.BACK)))
            boxes = np.concatenate([boxes, box[None]]).astype(np.float32)
            classes = np.concatenate([classes, np.eye(43)[[flower]] * 0.9 + 0.1 / 43])
            scores = np.append(scores, rng.uniform(0.3, 0.7))
            axes = np.append(axes, axes[k]).astype(np.float32)
    classes /= classes.sum(1, keepdims=True)
    whole = Detections(
        boxes, scores.astype(np.float32), classes.astype(np.float32), axes.astype(np.float32)
    )
    low = scores < _LOW_SCORE
    low[lost] = True
    few = whole.only(np.nonzero(low)[0]) if low.any() else None
    return with_false_low_confidence_boxes(
        replace(whole.only(np.nonzero(~low)[0]), low_confidence=few), rng
    )


def _missed_by_glare(table: LaidTable, rng: np.random.Generator) -> list[int]:
    """Choose tiles of the hand that the detector misses and tile recovery may find.

    They are neighbours, or face down on a cloth of their colour.
    """
    own = [i for i, tile in enumerate(table.tiles) if tile.in_hand]
    down = [i for i in own if table.tiles[i].face_down]
    if down and rng.random() < _GLARE_SHARE:
        return [i for i in down if rng.random() < 0.7]
    if not own or rng.random() > _GLARE_SHARE:
        return []
    middles = centres(table.detections.boxes[own])
    away = np.linalg.norm(middles - middles[int(rng.integers(len(own)))], axis=1)
    near = np.argsort(away, kind="stable")[: int(rng.integers(1, 5))]
    return [own[k] for k in near.tolist()]


def with_false_low_confidence_boxes(found: Detections, rng: np.random.Generator) -> Detections:
    """Add false boxes of low confidence, about ten a photo as on real ones.

    Some lie where a row has room for a tile: these places are classified by tile recovery.
    """
    if len(found):
        some = _false_boxes(found.boxes, rng, int(rng.poisson(5)))
        boxes = np.concatenate([some, _boxes_in_rows(found, rng, int(rng.poisson(5)))])
    else:
        boxes = found.boxes
    n = len(boxes)
    if not len(found) or not n:
        return found
    faces = rng.dirichlet(np.full(43, 0.05), n)
    names = rng.choice([int(Tile.WHITE), int(Tile.BACK)], n, p=[0.25, 0.75])
    blank = np.eye(43)[names] * 0.9 + 0.1 / 43
    faces = np.where(rng.random((n, 1)) < 0.8, blank, faces)
    scores = np.minimum(0.03 + rng.exponential(_FALSE_SCORE, n), 0.8)
    false_boxes = Detections(
        boxes,
        scores.astype(np.float32),
        (faces / faces.sum(1, keepdims=True)).astype(np.float32),
        np.full(n, np.pi / 2, np.float32),
    )
    low = found.low_confidence
    return replace(
        found, low_confidence=false_boxes if low is None else low.with_others(false_boxes)
    )


def _boxes_in_rows(found: Detections, rng: np.random.Generator, count: int) -> FloatArray:
    """Place boxes (count, 4) of the size of a tile where a row may continue."""
    boxes = [np.zeros((0, 4), np.float32)]
    for _ in range(count):
        k = int(rng.integers(len(found)))
        box = found.boxes[k]
        across = float(found.axes[k]) + np.pi / 2
        if np.isfinite(across):
            size = float(sizes(box[None]).min()) * float(rng.choice([1.0, 1.0, 1.5, 2.0]))
            step = size * np.array([np.cos(across), np.sin(across)]) * float(rng.choice([-1, 1]))
            moved = (box + np.tile(step, 2)).astype(np.float32)[None]
            if float(pairwise_iou(moved, found.boxes).max()) < 0.2:
                boxes.append(moved)
    return np.concatenate(boxes)


def _false_boxes(boxes: FloatArray, rng: np.random.Generator, count: int) -> FloatArray:
    """Place boxes (count, 4) beside tiles without a tile: sides, cloth, parts of tiles."""
    found = []
    for _ in range(40 * count):
        x0, y0, x1, y1 = boxes[int(rng.integers(len(boxes)))].tolist()
        width, height = x1 - x0, y1 - y0
        turn, away = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.7, 1.5))
        x = (x0 + x1) / 2 + np.cos(turn) * away * width
        y = (y0 + y1) / 2 + np.sin(turn) * away * height
        w, h = width * rng.uniform(0.8, 1.1) / 2, height * rng.uniform(0.4, 1.0) / 2
        box = np.array([[x - w, y - h, x + w, y + h]], np.float32)
        if float(pairwise_iou(box, boxes).max()) < 0.2:
            found.append(box)
        if len(found) == count:
            break
    return np.concatenate(found) if found else np.zeros((0, 4), np.float32)


def _first_family(count: int, seed: int, finder: Finder | None) -> Iterator[Case]:
    for number in range(seed, seed + count):
        table = sample(number)
        if finder is None:
            found = with_detector_noise(table, np.random.default_rng([20_264, number]))
        else:
            found = detected(table, finder)
        yield case_of(table, "family 1", str(number), found)


def _second_family(count: int, seed: int) -> Iterator[Case]:
    names = list(FAMILIES)
    for number in range(seed, seed + count):
        name = names[number % len(names)]
        table = other_table(name, 1000 + number)
        found = with_detector_noise(table, np.random.default_rng([20_265, number]))
        yield case_of(table, "family 2", f"{name} {1000 + number}", found)


def _third_family(count: int, seed: int, finder: Finder | None) -> Iterator[Case]:
    for number in range(seed, seed + count):
        table = whole(number)
        if finder is not None:
            yield case_of(table, "family 3", str(number), detected(table, finder))
            continue
        rng = np.random.default_rng([20_268, number])
        found = with_detector_noise(table, rng)
        if rng.random() < _TOPS_SHARE:
            found = _with_tops(table, found, rng)
        yield case_of(table, "family 3", str(number), found)


def _with_tops(table: LaidTable, found: Detections, rng: np.random.Generator) -> Detections:
    """Add false boxes on the tops of the hand's standing tiles."""
    standing = [i for i, t in enumerate(table.tiles) if t.in_hand and t.tilt > 0.8]
    some = [i for i in standing if rng.random() < 0.5]
    if not some:
        return found
    quads = np.array([table.quads[i] for i in some])
    low, high = quads.min(1), quads.max(1)
    depth = (high[:, 1] - low[:, 1]) * float(rng.uniform(0.3, 0.6))
    boxes = np.stack([low[:, 0], low[:, 1] - depth, high[:, 0], low[:, 1]], 1)
    classes = np.full((len(some), 43), 0.2 / 43)
    classes[:, int(rng.choice([Tile.WHITE, Tile.BACK]))] += 0.8
    more = Detections(
        boxes.astype(np.float32),
        rng.uniform(0.35, 0.8, len(some)).astype(np.float32),
        classes.astype(np.float32),
        np.full(len(some), np.nan, np.float32),
    )
    return found.with_others(more)


def _real(folder: Path, finder: Finder, count: int) -> Iterator[Case]:
    photos = [photo for photo in read_folder(folder) if photo.hand is not None]
    for photo in photos[:count]:
        found, size, end = _seen_on(photo.path, f"{folder.name}-{photo.path.stem}", finder)
        yield replace(_photo_case(photo, found, size), rows_end=end)


def _seen_on(picture: Path, key: str, finder: Finder) -> tuple[Detections, tuple[int, int], bool]:
    """Return the detections on a photo, its width and height as read, and whether its rows end."""
    image = decode(picture.read_bytes(), picture.name, enough=ENOUGH).image
    size = (image.shape[1], image.shape[0])
    seen = finder.photo(key, image)
    found = recovered(seen, size, finder.classifier(key, partial(np.asarray, image), seen))
    return found, size, rows_end(image, arrange(found, size))


def _designs(folder: Path, finder: Finder, count: int, first: int) -> Iterator[Case]:
    for number, scene in enumerate(islice(read_truth(folder), first, first + count), first):
        own = [tile for tile in scene.tiles if tile.in_hand]
        if own and all(tile.visible >= LEAST_OF_A_HAND for tile in own):
            found, size, end = _seen_on(scene.picture, f"designs-{number:06d}", finder)
            case = _design_case(own, found, size, size[0] / scene.width)
            yield replace(case, source=str(number), rows_end=end)


def _design_case(
    own: Sequence[TruthTile], found: Detections, size: tuple[int, int], scale: float
) -> Case:
    """Make a case of a rendered picture.

    As for photos, no winning tile is named, so `with_waiting_hands` makes no hand of 13 from it.

    Args:
        own: the tiles of the hand.
        found: what was detected.
        size: width and height of the picture as read.
        scale: the same relative to the picture as rendered.
    """
    truth = np.array([[*tile.quad.min(0), *tile.quad.max(0)] for tile in own], np.float32)
    pairs = matched_boxes(truth * scale, _joined(found), place(found, size).duplicates)
    of_tile = {j: i for i, j in pairs.items() if j >= 0}
    groups: list[TrueGroup] = []
    faces: list[Tile] = []
    for number in dict.fromkeys(tile.group for tile in own):
        members = [j for j, tile in enumerate(own) if tile.group == number]
        faces += known_faces(Tile.from_code(own[j].shown) for j in members)
        ids = tuple(of_tile[j] for j in members if j in of_tile)
        marked = any(own[j].sideways for j in members)
        first = own[members[0]]
        groups.append((str(first.kind), ids, first.claimed_from if marked else None))
    return Case(
        detections=found,
        size=size,
        family="held-out designs",
        source="",
        tiles=frozenset(of_tile.values()),
        missing=len(own) - len(of_tile),
        groups=tuple(groups),
        faces=tuple(sorted(faces)),
    )


def _photo_case(photo: LabelledPhoto, found: Detections, size: tuple[int, int]) -> Case:
    """Make a case of a photo.

    The hand is the labelled tiles if these have its faces; otherwise which tiles are the hand is
    not known.
    """
    hand = photo.hand or ()
    tiles: frozenset[int] | None = None
    missing = 0
    if photo.boxed and Counter(photo.tiles) == Counter(hand):
        truth = photo.boxes * np.array([*size, *size], np.float32)
        whole = _joined(found)
        # Labels of stretched copies are loose, so the nearest middle counts, not the overlap.
        away = np.linalg.norm(centres(whole.boxes)[:, None] - centres(truth)[None], axis=2)
        away /= sizes(truth).min(1)[None]
        near = away.min(0) < _SAME_PLACE if len(away) else np.zeros(len(truth), bool)
        tiles = frozenset(away.argmin(0)[near].tolist() if len(away) else ())
        missing = len(truth) - len(tiles)
    return Case(
        detections=found,
        size=size,
        family="real",
        source=photo.table,
        tiles=tiles,
        missing=missing,
        faces=tuple(sorted(hand)),
    )


def detected(table: LaidTable, finder: Finder) -> Detections:
    """Detect the tiles of the table's picture, those of tile recovery included."""
    found = finder.scene(table)
    return recovered(found, table.size, finder.scene_classifier(table, found))


def recovered(found: Detections, size: tuple[int, int], classify: TimedClassifier) -> Detections:
    """Add what tile recovery classifies on a photo as low-confidence detections."""
    seen = found

    def keeping(boxes: FloatArray) -> Detections:
        nonlocal seen
        more = classify(boxes)
        if len(more):
            seen = with_low_confidence(seen, more)
        return more

    layout_with_recovery(keeping, found, size)
    return seen


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--family", choices=("1", "2", "3", "real", "designs"), required=True)
    add("--count", type=int, default=1000)
    add("--seed", type=int, help="number of the first table, 100000 unless given; of a picture, 0")
    add("--detected", action="store_true", help="render the tables and detect their tiles")
    add("--photos", type=Path, help="the folder, for families real and designs")
    add("--cache", type=Path, help="keep detections in this folder")
    add("--out", type=Path, required=True)
    args = parser.parse_args()
    finder = Finder(args.cache) if args.detected or args.photos else None
    seed = 100_000 if args.seed is None else args.seed
    if args.family == "1":
        cases = _first_family(args.count, seed, finder)
    elif args.family == "2":
        if args.detected:
            parser.error("tables of family 2 have no picture")
        cases = _second_family(args.count, seed)
    elif args.family == "3":
        cases = _third_family(args.count, seed, finder)
    elif args.photos is None or finder is None:
        parser.error(f"family {args.family} needs --photos")
    elif args.family == "designs":
        cases = _designs(args.photos, finder, args.count, args.seed or 0)
    else:
        cases = _real(args.photos, finder, args.count)
    print(f"{save(args.out, cases)} cases in {args.out}")


if __name__ == "__main__":
    main()
