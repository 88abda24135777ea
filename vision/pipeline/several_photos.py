"""Reads several photos of one hand together, as glare or the edge may spoil a tile on one of them.

If enough tiles show the same faces in the same places, the photos are registered
(`hupai.vision.pipeline.overlay`) and layout is run on the merged tiles. Otherwise, for example if
the hand was moved between the photos, the order of its tiles is aligned
(`hupai.vision.pipeline.alignment`), and tiles on only one photo are kept if a legal hand needs
them. The class distributions of matched tiles are multiplied; a photo given twice counts once. A
photo that can be neither registered nor aligned, or whose hand differs in more than
`hupai.vision.pipeline.one_hand.MAX_CONFLICTS` tiles, is left out and reported as a problem.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hupai.scoring.result import RuleSet
from hupai.vision.conventions import convention
from hupai.vision.geometry.boxes import most_central
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Layout
from hupai.vision.layout.weights import LayoutWeights
from hupai.vision.pipeline.alignment import join
from hupai.vision.pipeline.observations import Observation, Source, as_detections, observe
from hupai.vision.pipeline.overlay import Hands, overlay
from hupai.vision.reading.problem_catalogue import errors_first, problem
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, Reading


@dataclass(frozen=True, slots=True)
class MergedReading:
    """One reading of several photos.

    Attributes:
        reading: tiles of the hand and of the leading photo, each with the photos that show it.
        sources: for each tile id its detections, the leading photo's first.
        leading: number of the photo the others were merged into; None if no photo shows a tile.
        left_out: numbers of the photos that show another hand, or none.
    """

    reading: Reading
    sources: tuple[tuple[Source, ...], ...]
    leading: int | None
    left_out: tuple[int, ...] = ()


def merge(
    layouts: Sequence[Layout],
    rules: RuleSet | None = None,
    weights: LayoutWeights | None = None,
    sizes: Sequence[tuple[int, int]] | None = None,
) -> MergedReading:
    """Read several photos of one hand together.

    Args:
        layouts: one per photo, from `hupai.vision.layout.arrange.arrange`.
        rules: as in `hupai.vision.reading.read.read`.
        weights: of layout; the shipped ones by default.
        sizes: width and height of each photo, pixels; without them the hand nearest to the
            photographer may not be recognised.
    """
    if not any(len(layout.detections) for layout in layouts):
        first = layouts[0] if layouts else Layout(Detections.empty())
        return MergedReading(read(first, rules), (), None, tuple(range(len(layouts))))
    leading = _leading(layouts)
    first_of = _first_copies(layouts)
    merged, habits = layouts[leading], convention(None if rules is None else rules.id)
    observed = observe(merged.detections, leading)
    moved = [k for k in range(len(layouts)) if k not in (leading, *first_of)]
    if _register(layouts, moved, observed, set(_hand(merged)), habits.hand_size):
        size = None if sizes is None else sizes[leading]
        merged = _arranged_anew(layouts, leading, observed, size, rules, weights)
    left_out = []
    for k in moved:
        joined = join(merged, layouts[k], k, observed, habits.hand_size)
        if joined is None:
            left_out.append(k)
        else:
            merged = joined
    for copy, k in first_of.items():
        for one in observed:
            one.sources += [(copy, i) for photo, i in one.sources if photo == k]
        left_out += [copy] if k in left_out else []
    left_out.sort()
    # Low-confidence detections beside the hand, such as the fourth tile of a kong, stay doubts.
    faint = layouts[leading].detections.low_confidence
    found = replace(as_detections(observed), low_confidence=faint)
    reading = read(replace(merged, detections=found), rules)
    reading = _with_sources(reading, observed, layouts)
    if left_out:
        names = ", ".join(str(k + 1) for k in left_out)
        problems = errors_first([*reading.problems, problem("photos_differ", (), names)])
        reading = replace(reading, certain=False, problems=problems)
    return MergedReading(
        reading, tuple(tuple(one.sources) for one in observed), leading, tuple(left_out)
    )


def _register(
    layouts: Sequence[Layout],
    moved: list[int],
    observed: list[Observation],
    hand: set[int],
    hand_size: int,
) -> bool:
    """Register photos with the leading one, as many as can be.

    Args:
        layouts: one per photo.
        moved: numbers of the photos that are not registered; changed in place.
        observed: the tiles of the leading photo; changed in place.
        hand: ids of its hand's tiles; tiles of the hand on registered photos are added.
        hand_size: tiles of a waiting hand, a kong counted as three.

    Returns:
        Whether any photo was registered.
    """
    before = len(moved)
    while moved:
        # Some photos can be registered only after another one that shows what lies between.
        for k in moved:
            hands = Hands(hand, _hand(layouts[k]), hand_size)
            same = overlay(observed, layouts[k].detections, k, hands)
            if same is not None:
                here = {same[i] for i in _hand(layouts[k]) if i in same}
                hand |= here if hand & here else set()
                moved.remove(k)
                break
        else:
            break
    return len(moved) < before


def _hand(layout: Layout) -> tuple[int, ...]:
    """Return the ids of the hand's tiles; none without a hand."""
    return layout.arrangements[0].tiles if layout.arrangements else ()


def _first_copies(layouts: Sequence[Layout]) -> dict[int, int]:
    """Map the number of each repeated photo to that of its first copy, which is merged.

    A repeated photo shows nothing new, but its evidence would count twice.
    """
    copies: dict[int, int] = {}
    for k, layout in enumerate(layouts):
        for earlier in range(k):
            if earlier not in copies and _equal(layout.detections, layouts[earlier].detections):
                copies[k] = earlier
                break
    return copies


def _equal(one: Detections, other: Detections) -> bool:
    """Return whether detections are those of one photo."""
    return bool(len(one)) and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("boxes", "scores", "probabilities")
    )


def _leading(layouts: Sequence[Layout]) -> int:
    """Choose the photo that shows the most tiles of the hand.

    Ties are broken by the number of all tiles, fewer tiles cut by the edge, and the margin.
    """

    def rank(k: int) -> tuple[float, ...]:
        layout = layouts[k]
        return (
            len(_hand(layout)),
            len(layout.detections),
            -len(layout.cut_by_edge),
            layout.margin,
            -k,
        )

    return max(range(len(layouts)), key=rank)


def _arranged_anew(
    layouts: Sequence[Layout],
    leading: int,
    observed: Sequence[Observation],
    size: tuple[int, int] | None,
    rules: RuleSet | None,
    weights: LayoutWeights | None,
) -> Layout:
    """Run layout on the tiles of registered photos.

    A tile is cut, of low confidence or a size outlier if it is so on every photo that shows it.
    What the leading photo shows beside its hand holds for the merged one if the tiles are the same.
    """
    anew = arrange(
        as_detections(observed), size, None if rules is None else rules.id, weights=weights
    )
    held = sorted({i for one in anew.arrangements for i in one.tiles})
    before = layouts[leading]
    is_same = set(_hand(anew)) == set(_hand(before))

    def on_all(ids: Sequence[Collection[int]]) -> tuple[int, ...]:
        return tuple(k for k in held if all(i in ids[photo] for photo, i in observed[k].sources))

    return replace(
        anew,
        cut_by_edge=on_all([one.cut_by_edge for one in layouts]),
        size_outliers=on_all([one.size_outliers for one in layouts]),
        low_confidence=on_all([one.low_confidence for one in layouts]),
        ends_in_view=before.ends_in_view if is_same else anew.ends_in_view,
        examined=is_same and before.examined,
    )


def _with_sources(
    reading: Reading, observed: Sequence[Observation], layouts: Sequence[Layout]
) -> Reading:
    """Add to each tile the photos on which it is seen, and where.

    The place of each other hand is on the first photo that shows one of its tiles.
    """
    tiles = []
    for tile in reading.tiles:
        sources = observed[tile.id].sources
        places = [(photo, layouts[photo].detections.box(i)) for photo, i in sources]
        (photo, box), *elsewhere = places
        quad = layouts[photo].detections.quad(sources[0][1])
        tiles.append(replace(tile, photo=photo, box=box, quad=quad, elsewhere=tuple(elsewhere)))
    others = tuple(
        replace(one, at=_middle_on_first_photo(one.tiles, observed, layouts))
        for one in reading.other_hands
    )
    return replace(reading, tiles=tuple(tiles), other_hands=others)


def _middle_on_first_photo(
    tiles: Sequence[int], observed: Sequence[Observation], layouts: Sequence[Layout]
) -> tuple[float, float]:
    """Return the centre of the most central of some tiles, on the first photo that shows any."""
    sources = [source for i in tiles for source in observed[i].sources]
    first = min(photo for photo, _ in sources)
    ids = sorted({i for photo, i in sources if photo == first})
    x, y = most_central(layouts[first].detections.boxes[ids])
    return round(x, 1), round(y, 1)
