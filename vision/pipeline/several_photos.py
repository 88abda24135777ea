"""Reads several photos of one hand together, as glare or the edge may spoil a tile on one of them.

If enough tiles show the same faces in the same places, the photos are registered
(`hupai.vision.pipeline.overlay`) and layout is run on the merged tiles. Otherwise, for example if
the hand was moved between the photos, the order of its tiles is aligned
(`hupai.vision.pipeline.alignment`), and tiles on only one photo are kept if a legal hand needs
them. The class distributions of matched tiles are multiplied. A photo that can be neither
registered nor aligned is left out and reported as a problem.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hupai.scoring.result import RuleSet
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Layout
from hupai.vision.layout.weights import LayoutWeights
from hupai.vision.pipeline.alignment import join
from hupai.vision.pipeline.observations import Observation, Source, as_detections, observe
from hupai.vision.pipeline.overlay import overlay
from hupai.vision.reading.problem_catalogue import errors_first, problem
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, Reading


@dataclass(frozen=True, slots=True)
class MergedReading:
    """One reading of several photos.

    Attributes:
        reading: tiles of the hand and of the leading photo, each with the photos that show it.
        sources: for each tile id its detections, the leading photo's first.
        leading: number of the photo the others were merged into; None where no photo shows a tile.
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
) -> MergedReading:
    """Read several photos of one hand together.

    Args:
        layouts: one per photo, from `hupai.vision.layout.arrange.arrange`.
        rules: as in `hupai.vision.reading.read.read`.
        weights: of layout; the shipped ones by default.
    """
    if not any(len(layout.detections) for layout in layouts):
        first = layouts[0] if layouts else Layout(Detections.empty())
        return MergedReading(read(first, rules), (), None, tuple(range(len(layouts))))
    leading = _leading(layouts)
    merged = layouts[leading]
    observed = observe(merged.detections, leading)
    others = [k for k in range(len(layouts)) if k != leading]
    moved = [k for k in others if not overlay(observed, layouts[k].detections, k)]
    if len(moved) < len(others):
        merged = _arranged_anew(layouts, observed, rules, weights)
    left_out = []
    for k in moved:
        joined = join(merged, layouts[k], k, observed)
        if joined is None:
            left_out.append(k)
        else:
            merged = joined
    # What is faint beside the hand, such as the fourth tile of a kong, stays a doubt.
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


def _leading(layouts: Sequence[Layout]) -> int:
    """Choose the photo that shows most tiles of the hand.

    Ties are broken by the number of all tiles, fewer tiles cut by the edge, and the margin.
    """

    def rank(k: int) -> tuple[float, ...]:
        layout = layouts[k]
        hand = len(layout.arrangements[0].tiles) if layout.arrangements else 0
        return hand, len(layout.detections), -len(layout.cut_by_edge), layout.margin, -k

    return max(range(len(layouts)), key=rank)


def _arranged_anew(
    layouts: Sequence[Layout],
    observed: Sequence[Observation],
    rules: RuleSet | None,
    weights: LayoutWeights | None,
) -> Layout:
    """Run layout on the tiles of registered photos.

    A tile is cut, of low confidence or a size outlier if it is so on every photo that shows it.
    """
    anew = arrange(
        as_detections(observed), None, None if rules is None else rules.id, weights=weights
    )
    held = sorted({i for one in anew.arrangements for i in one.tiles})

    def on_all(ids: Sequence[Collection[int]]) -> tuple[int, ...]:
        return tuple(k for k in held if all(i in ids[photo] for photo, i in observed[k].sources))

    return replace(
        anew,
        cut_by_edge=on_all([one.cut_by_edge for one in layouts]),
        size_outliers=on_all([one.size_outliers for one in layouts]),
        low_confidence=on_all([one.low_confidence for one in layouts]),
    )


def _with_sources(
    reading: Reading, observed: Sequence[Observation], layouts: Sequence[Layout]
) -> Reading:
    """Add to each tile the photos on which it is seen, and where."""
    tiles = []
    for tile in reading.tiles:
        sources = observed[tile.id].sources
        places = [(photo, layouts[photo].detections.box(i)) for photo, i in sources]
        (photo, box), *elsewhere = places
        quad = layouts[photo].detections.quad(sources[0][1])
        tiles.append(replace(tile, photo=photo, box=box, quad=quad, elsewhere=tuple(elsewhere)))
    return replace(reading, tiles=tuple(tiles))
