"""Which of the tiles on the table are the hand.

A hand is a set of linked segments. A beam search finds the sets with the highest score: the sum of
their links, whether their tiles can be a complete hand, how many they are, and what they leave out.
Nothing here knows where on the photo a hand lies or how large its tiles are in pixels.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Ground, Spot
from hupai.vision.layout.completeness import may_be_complete
from hupai.vision.layout.rows import row_frame
from hupai.vision.layout.segments import ADDED_LOG_ODDS, SegmentGraph, is_set, segment_graph

_BEAM_WIDTH = 10
"""Sets of segments kept at each step of the beam search."""
_MAX_STARTS = 12
"""Longest segments from which a search starts."""
_MAX_SELECTIONS = 16
"""Candidates for the hand given back."""
_MAX_SEGMENTS = 14
"""Most segments of a hand."""
_MAX_TILES = 28
"""Number of tiles beyond which a set is not extended."""
_MIN_EXTENSION_LINK = -3.5
"""Least log-odds of a link by which a segment joins a set."""
_FULL_COUNT_SCORE = 3.0
"""Log-odds bonus of 14 tiles, one more for each kong."""
_WAITING_COUNT_SCORE = 1.8
"""Log-odds bonus of 13 tiles, one more for each kong."""
_COMPLETE_SCORE = 4.0
"""Log-odds bonus of a complete hand over tiles of merely the right number."""
_ALONE_SCORE = 4.0
"""Log-odds bonus of tiles beside which there is nothing else on the photo."""
_BACK_COST = 1.2
"""Cost of each back beyond those of the possible concealed kongs, log-odds."""
_FLOWER_PLACE_COST = 1.5
"""Cost of each further line that holds flowers, log-odds."""
_SHORT_ROW_COST = 1.0
"""Cost of each tile by which the longest row has fewer than four, log-odds."""
_MAX_FLOWER_PROXIMITY = 2.5
"""Greatest log-odds by which flowers are of a hand because nothing else is as near."""
_FLOWER_REACH = 3.0
"""Distance beyond which flowers are hardly of a hand if anything else is there, tile widths."""
_FAR_FLOWER_COST = 2.0
"""Cost of flowers per tile width beyond that, log-odds."""
_UNEVENNESS_COST = 2.0
"""Cost of a tile width by which the rows are uneven, log-odds: heaps form no good rows."""
_ADJACENT = 1.7
"""Greatest distance of the centres of adjacent tiles, one of them sideways, tile widths."""
_COMPLETE_TOLERANCE = 0.35
"""Factor on what a complete hand leaves out, and on its unevenness."""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """A set of segments taken for the hand.

    Attributes:
        graph: the segments of one row direction.
        chosen: positions of those taken.
        score: log-odds, comparable between the selections of one photo.
        complete: its tiles may be a complete hand.
    """

    graph: SegmentGraph
    chosen: tuple[int, ...]
    score: float
    complete: bool

    @property
    def is_everything(self) -> bool:
        """Tell whether it is all there is on the photo and about as many tiles as a hand has."""
        tiles = self.tiles
        return _is_everything(self.graph, tiles) and 13 <= len(tiles) <= 20

    @property
    def ids(self) -> frozenset[int]:
        """Ids of its tiles."""
        return frozenset(t.id for t in self.tiles)

    @property
    def tiles(self) -> tuple[Spot, ...]:
        """Its tiles."""
        return tuple(_tiles(self.graph, self.chosen))


_Neighbours = dict[int, dict[int, float]]
"""Log-odds of the links of each segment, by the segments linked."""
_Scores = dict[frozenset[int], tuple[float, bool]]
"""Log-odds of sets of segments, and whether their tiles may be a complete hand."""


def selections(ground: Ground, phi: float) -> tuple[Selection, ...]:
    """Find candidates for the hand in the rows of direction `phi`, radians.

    They come best first, each with another set of tiles; none where nothing resembles a hand.
    """
    graph = segment_graph(row_frame(ground, phi), ground)
    best: _Scores = {}
    unary_scores: _Scores = {}
    neighbours = _neighbours(graph)
    starts = sorted(range(len(graph.segments)), key=lambda i: -len(graph.segments[i].tiles))
    for start in starts[:_MAX_STARTS]:
        tiles = graph.segments[start].tiles
        long = len(tiles) >= 3 or start == starts[0]
        if long and sum(t.back < 0.5 for t in tiles) >= 2:
            _beam_search(graph, neighbours, start, best, unary_scores)
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], sorted(item[0])))
    return tuple(
        Selection(graph, tuple(sorted(chosen)), score, complete)
        for chosen, (score, complete) in ranked[:_MAX_SELECTIONS]
    )


def _beam_search(
    graph: SegmentGraph, neighbours: _Neighbours, start: int, best: _Scores, unary_scores: _Scores
) -> None:
    """Search from one segment; put the scores of the sets met into `best`.

    `unary_scores` caches their scores without links.
    """
    beam: list[tuple[float, frozenset[int]]] = [(0.0, frozenset((start,)))]
    while beam:
        following: dict[frozenset[int], float] = {}
        for link_score, chosen in beam:
            frontier = _frontier(neighbours, chosen, chosen)
            if chosen not in unary_scores:
                unary_scores[chosen] = _unary_score(graph, neighbours, chosen, frontier)
            unary, complete = unary_scores[chosen]
            score = link_score + unary
            if chosen in best and score <= best[chosen][0]:
                # A search from another segment was here before, and no worse.
                continue
            best[chosen] = (score, complete)
            if len(chosen) >= _MAX_SEGMENTS or len(_tiles(graph, chosen)) > _MAX_TILES:
                continue
            for j, link in frontier.items():
                if link > _MIN_EXTENSION_LINK:
                    larger, gain = chosen | {j}, link_score - _softplus(-link)
                    following[larger] = max(following.get(larger, -math.inf), gain)
        likeliest = heapq.nlargest(_BEAM_WIDTH, following.items(), key=lambda item: item[1])
        beam = [(link_score, chosen) for chosen, link_score in likeliest]


def _tiles(graph: SegmentGraph, chosen: Iterable[int]) -> list[Spot]:
    return [t for i in chosen for t in graph.segments[i].tiles]


def _neighbours(graph: SegmentGraph) -> _Neighbours:
    found: _Neighbours = {i: {} for i in range(len(graph.segments))}
    for (i, j), link in graph.links.items():
        found[i][j] = found[j][i] = link
    return found


def _frontier(
    neighbours: _Neighbours, chosen: Iterable[int], excluded: Collection[int] = ()
) -> dict[int, float]:
    """Find the segments that could join, with their strongest link."""
    found: dict[int, float] = {}
    for i in chosen:
        for j, link in neighbours[i].items():
            if link > found.get(j, -math.inf) and j not in excluded:
                found[j] = link
    return found


def _unary_score(
    graph: SegmentGraph, neighbours: _Neighbours, chosen: frozenset[int], frontier: dict[int, float]
) -> tuple[float, bool]:
    """Score a set of segments without its links, log-odds; tell whether it may be complete."""
    tiles = _tiles(graph, chosen)
    count = count_score(tiles)
    complete = count >= _FULL_COUNT_SCORE and complete_as_laid(tiles)
    tolerance = _COMPLETE_TOLERANCE if complete else 1.0
    alone = _ALONE_SCORE * (13 <= len(tiles) <= 22 and _is_everything(graph, tiles))
    flowers = _flower_score(graph, neighbours, chosen)
    uneven = _UNEVENNESS_COST * sum(graph.segments[i].unevenness for i in chosen) * tolerance
    left_out = _omission_cost(graph, neighbours, chosen, frontier, tolerance)
    scatter = _scatter_cost(graph, chosen)
    backs = _BACK_COST * _backs_outside_kongs(tiles)
    score = count - uneven + _COMPLETE_SCORE * complete + alone + flowers
    return score - left_out - scatter - backs, complete


def _is_everything(graph: SegmentGraph, tiles: Sequence[Spot]) -> bool:
    """Tell whether no other surely seen tile is on the photo."""
    return sum(t.score >= graph.low_score for t in tiles) == graph.tile_count


def _omission_cost(
    graph: SegmentGraph,
    neighbours: _Neighbours,
    chosen: frozenset[int],
    frontier: dict[int, float],
    tolerance: float,
) -> float:
    """Sum the costs of the linked segments left out; lone tiles count less, for they lie about."""
    rows = [i for i in chosen if len(graph.segments[i].tiles) > 2 and not graph.segments[i].flowers]
    beside_rows = _frontier(neighbours, rows)
    held = {place for i in chosen for place in graph.segments[i].places}
    cost = 0.0
    for j, link in frontier.items():
        segment = graph.segments[j]
        if segment.flowers:
            cost += _softplus(link + _flower_proximity(graph, j, chosen))
        elif j in beside_rows and graph.added.get(j) in held:
            cost += ADDED_LOG_ODDS
        elif j in beside_rows:
            cost += _softplus(beside_rows[j]) * (min(len(segment.tiles), 3) / 3) * tolerance
    return cost


def _flower_score(graph: SegmentGraph, neighbours: _Neighbours, chosen: frozenset[int]) -> float:
    """Sum what the links of chosen flowers gain by being near to this hand or to others."""
    score = 0.0
    for j in chosen:
        others = chosen - {j}
        if graph.segments[j].flowers and others:
            link = max((neighbours[j][i] for i in others if i in neighbours[j]), default=-4.0)
            proximity = _flower_proximity(graph, j, others)
            score += _softplus(-link) - _softplus(-link - proximity)
    return score


def _flower_proximity(graph: SegmentGraph, flowers: int, chosen: frozenset[int]) -> float:
    """Weigh whether flowers are nearer to a hand than to anything else, log-odds."""
    own = [i for i in chosen if not graph.segments[i].flowers]
    if not own or all(t.score < graph.low_score for t in graph.segments[flowers].tiles):
        # What is not surely a tile is nobody's.
        return 0.0
    others = [
        i for i, segment in enumerate(graph.segments) if not segment.flowers and i not in chosen
    ]
    places = list(graph.segments[flowers].places)
    away = min(
        float(graph.distance[flowers, others].min()) if others else math.inf,
        float(graph.frame.oblique_distance[places].min()) - 1.0,
    )
    near = float(graph.distance[flowers, own].min())
    far = _FAR_FLOWER_COST * max(near - _FLOWER_REACH, 0.0) if math.isfinite(away) else 0.0
    return max(-2.0, min(_MAX_FLOWER_PROXIMITY, 1.2 * (away - near)) - far)


def _softplus(x: float) -> float:
    """Give log(1 + exp(x)): the cost that a link of log-odds x does not hold."""
    return math.log1p(math.exp(x)) if x < 30 else x


def _scatter_cost(graph: SegmentGraph, chosen: frozenset[int]) -> float:
    """Weigh many short rows: a hand lies in one or two, with sets and flowers about it."""
    rows: dict[int, list[Spot]] = {}
    for i in chosen:
        if i not in graph.added and not graph.segments[i].flowers:
            rows.setdefault(graph.lines[i], []).extend(graph.segments[i].tiles)
    flower_lines = {graph.lines[i] for i in chosen if graph.segments[i].flowers}
    cost = _FLOWER_PLACE_COST * max(len(flower_lines) - 1, 0)
    for tiles in sorted(rows.values(), key=len, reverse=True)[1:]:
        cost += 0.5 if is_set(tiles) or len(tiles) > 4 else 1.4 if len(tiles) > 2 else 2.0
    longest = max((len(tiles) for tiles in rows.values()), default=0)
    return cost + _SHORT_ROW_COST * max(4 - longest, 0)


def complete_as_laid(tiles: Sequence[Spot]) -> bool:
    """Tell whether the likeliest faces may be a complete hand, each back in a kong beside it."""
    backs = [t for t in tiles if t.face is Tile.BACK]
    beside = {t.face for t in tiles for b in backs if math.hypot(t.x - b.x, t.y - b.y) < _ADJACENT}
    return may_be_complete([t.face for t in tiles], beside)


def count_score(tiles: Sequence[Spot]) -> float:
    """Weigh the number of tiles: 13 or 14 and one more for each kong, flowers apart, log-odds."""
    faces = [0] * len(Tile)
    for t in tiles:
        if t.flower < 0.5:
            faces[Tile.BACK if t.back >= 0.5 else t.face] += 1
    high = sum(faces)
    low = high - sum(n >= 4 for n in faces[: Tile.BACK]) - _max_hidden_kongs(faces)
    if low <= 14 <= high:
        return _FULL_COUNT_SCORE
    if low <= 13 <= high:
        return _WAITING_COUNT_SCORE
    cost = 1.2 * (low - 14) if low > 14 else 0.8 * (13 - high)
    return max(1.2 - cost, 0.0 if 13 <= len(tiles) <= 20 else -16.0)


def _max_hidden_kongs(faces: Sequence[int]) -> int:
    """Count the kongs the backs may be part of at most, by how often each face is open."""
    backs, kongs = faces[Tile.BACK], 0
    for open_tiles in (3, 2):
        some = min(faces[: Tile.BACK].count(open_tiles), backs // (4 - open_tiles))
        kongs, backs = kongs + some, backs - some * (4 - open_tiles)
    return kongs + -(-backs // 4)


def _backs_outside_kongs(tiles: Sequence[Spot]) -> int:
    """Count the backs beyond those that four concealed kongs can hold."""
    backs = sum(t.back > 0.5 for t in tiles)
    return max(backs - 4 * min(4, (backs + 1) // 2), 0)
