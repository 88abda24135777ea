"""What tells a hand from the other tiles on the table: the features of a set of segments.

A set scores the sum of its features times their weights (`hupai.vision.layout.weights`). Features
are of four sorts: how each segment joins the others (`_LINK`), what is on the segments (`_OWN`),
which linked segments are left out (`_LEFT_OUT`), and those of the set as a whole (`_WHOLE`):
how many tiles, whether they are a complete hand, and whose they may be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Array, Ground, Spot
from hupai.vision.layout.completeness import complete_as_laid, most_kongs
from hupai.vision.layout.placement import CLEAR_SCORE
from hupai.vision.layout.segments import (
    SegmentGraph,
    is_set,
    mean_of,
    places_on_photo,
    unevenness,
)

Mask = NDArray[np.bool_]

_LINK = (
    "line",
    "line_gap",
    "line_far",
    "line_offset",
    "beside",
    "beside_gap",
    "beside_apart",
    "askew",
    "askew_gap",
    "askew_apart",
    "far",
    "flowers_line",
    "flowers_beside",
    "flowers_askew",
    "flowers_distance",
    "flowers_turned",
    "flowers_sideways",
    "flowers_weak",
    "size",
    "turned",
    "lone",
    "lone_back",
    "lone_oblique",
    "lone_far",
    "set",
    "pair",
    "odd_tiles",
    "wall",
    "added",
)
"""Features of how a segment joins a set: by its link to one of the set's segments."""

_OWN = ("touching", "weak", "side_before", "side_behind", "uneven")
"""Features that add up over the segments of a set."""

_LEFT_OUT = (
    "left_line_touching",
    "left_line_near",
    "left_beside_touching",
    "left_beside_near",
    "left_added",
    "left_flowers_touching",
    "left_flowers_near",
)
"""Features of the segments that are left out though they lie close to the set."""

_PLACE = ("small", "high", "aside", "slope", "facing_aside")
"""Features of size and place on the photo, averaged over the tiles of a set."""

_WHOLE = (
    "full",
    "waiting",
    "too_few",
    "too_many",
    "excess",
    "complete",
    "relabelled",
    "complete_left_out",
    "complete_uneven",
    "weakest",
    "everything",
    "further_sets",
    "further_long_rows",
    "further_rows",
    "further_tiles",
    "flower_places",
    "short_row",
    "backs",
    "flowers_own",
    "flowers_others",
    "plane_misfit",
    *_PLACE,
)
"""Features of a set as a whole."""

FEATURES = (*_LINK, *_OWN, *_LEFT_OUT, *_WHOLE)
"""Names of all features, in the order of the columns of `Candidates.features`."""

_LIKELY_SIZE = 20.0
"""Added to the estimate of sets of a hand's size, so that no others take their place."""
WEAK_SCORE = 0.5
"""Score below which a tile may be none."""
_RELABEL_ODDS = 3.0
"""Log-odds of a face below which the next likeliest is tried."""
_MAX_RELABELLED = 4
"""Most tiles whose next face is tried, one at a time."""


def weight_vector(weights: Mapping[str, float]) -> Array:
    """Put the weights of features in order, shape (k,)."""
    return np.array([weights.get(name, 0.0) for name in FEATURES])


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The segments of a row direction with what the features of their sets are made of.

    Attributes:
        graph: the m segments.
        low_confidence: ids of the low-confidence detections.
        hand_size: concealed tiles of a waiting hand.
        link: shape (m, m, l), features of each link; (i, j) and (j, i) are the same.
        own: shape (m, o), features of the segments themselves.
        left: shape (m, m, p), features of segment j left out of a set whose nearest is i.
        counts: shape (m, 43), tiles by face, flowers left aside.
        tiles: shape (m,), number of tiles.
        sure: shape (m,), number of tiles that are surely seen.
        flowers: shape (m,), segments of flowers only.
        lines: shape (m, r), 1 at the line of each segment; no line for added tiles and flowers.
        sets: shape (m,), segments that show a set.
        places: shape (m, 5), size and place on the photo, see `segments.places_on_photo`.
    """

    graph: SegmentGraph
    low_confidence: frozenset[int]
    hand_size: int
    link: Array
    own: Array
    left: Array
    counts: Array
    tiles: Array
    sure: Array
    flowers: Mask
    lines: Array
    sets: Mask
    places: Array

    @classmethod
    def of(
        cls,
        graph: SegmentGraph,
        ground: Ground,
        sides: tuple[Mask, Mask],
        low_confidence: frozenset[int],
        size: tuple[int, int] | None,
        hand_size: int,
    ) -> Candidates:
        """Measure the segments of a graph.

        Args:
            graph: the segments.
            ground: the tiles on the table.
            sides: which of them may be sides and tops of others, `segments.sides_and_tops`.
            low_confidence: ids of the low-confidence detections.
            size: width and height of the photo, pixels; None where not known.
            hand_size: concealed tiles of a waiting hand.
        """
        segments = graph.segments
        m = len(segments)
        tiles = np.array([len(s.tiles) for s in segments], float)
        flowers = np.array([s.flowers for s in segments], bool)
        counts = np.zeros((m, len(Tile)))
        for i, segment in enumerate(segments):
            for t in segment.tiles:
                if t.flower < 0.5:
                    counts[i, Tile.BACK if t.back >= 0.5 else t.face] += 1
        sets = np.array([is_set(s.tiles) for s in segments], bool)
        lines = np.zeros((m, m))
        for i, line in enumerate(graph.lines):
            lines[i, line] = not flowers[i] and i not in graph.added
        link = _links(graph, flowers, sets)
        return cls(
            graph,
            low_confidence,
            hand_size,
            link,
            _own(graph, sides),
            _left_out(graph, flowers, counts),
            counts,
            tiles,
            np.array([sum(t.score >= WEAK_SCORE for t in s.tiles) for s in segments], float),
            flowers,
            lines,
            sets,
            places_on_photo(graph, ground, size),
        )

    def features(self, chosen: Mask, weights: Array) -> tuple[Array, Mask, Mask]:
        """Compute the features of sets of segments.

        Args:
            chosen: shape (n, m), True for the segments of each set.
            weights: shape (k,), by which each segment joins at its strongest link.

        Returns:
            Features (n, k), which of the sets may be a complete hand, (n,), and which of these may
            be one without their low-confidence tiles as well.
        """
        own = chosen @ self.own
        links, left = self._joined(chosen, weights)
        whole, complete, needless = self._whole(chosen, own, left)
        return np.concatenate([links, own, left, whole], 1), complete, needless

    def strength(self, weights: Array) -> Array:
        """Give the log-odds of each link, shape (m, m), -inf on the diagonal."""
        strength: Array = self.link @ weights[: len(_LINK)]
        np.fill_diagonal(strength, -np.inf)
        return strength

    def nearness(self, weights: Array) -> Array:
        """Give the log-odds by size and place that each segment is the photographer's, (m,)."""
        nearness: Array = self.places @ weights[[FEATURES.index(name) for name in _PLACE]]
        return nearness

    def estimate(self, chosen: Mask, weights: Array) -> Array:
        """Estimate the score (n,) of sets without that of their links: by number and place."""
        high = chosen @ self.counts[:, : Tile.BACK].sum(1)
        tiles = np.maximum(chosen @ self.tiles, 1)
        size = np.clip(self.hand_size - high, 0, 8), np.clip(high - self.hand_size - 5, 0, 8)
        few, many = (weights[FEATURES.index(name)] for name in ("too_few", "too_many"))
        place = chosen @ (self.nearness(weights) * self.tiles) / tiles
        own: Array = chosen @ self.own @ weights[len(_LINK) : len(_LINK) + len(_OWN)]
        likely = np.where((size[0] == 0) & (size[1] == 0), _LIKELY_SIZE, 0.0)
        estimate: Array = own + size[0] * few + size[1] * many + place + likely
        return estimate

    def _joined(self, chosen: Mask, weights: Array) -> tuple[Array, Array]:
        """Sum the features of the links that hold sets together, and of what is left out.

        The links are a greatest spanning tree, grown from the first segment of each set, which is
        the longest.
        """
        n, m = chosen.shape
        strength, rows = self.strength(weights), np.arange(n)
        root = chosen.argmax(1)
        waiting = chosen.copy()
        waiting[rows, root] = False
        best, via = strength[root], np.repeat(root[:, None], m, 1)
        total = np.zeros((n, self.link.shape[2]))
        while waiting.any():
            some = np.asarray(waiting.any(1), bool)
            nearest = np.where(waiting, best, -np.inf).argmax(1)
            total[some] += self.link[via[rows, nearest], nearest][some]
            waiting[rows, nearest] = False
            closer = (strength[nearest] > best) & some[:, None]
            best = np.where(closer, strength[nearest], best)
            via = np.where(closer, nearest[:, None], via)
        outside = np.where(chosen, 0.0, 1.0)
        left = np.einsum("nm,nmp->np", outside, self.left[via, np.arange(m)[None]])
        return total, left

    def _whole(self, chosen: Mask, own: Array, left: Array) -> tuple[Array, Mask, Mask]:
        n = len(chosen)
        value = dict.fromkeys(_WHOLE, np.zeros(n))
        counts, tiles = chosen @ self.counts, chosen @ self.tiles
        high = counts.sum(1)
        low = high - most_kongs(counts)
        full = (low <= self.hand_size + 1) & (self.hand_size + 1 <= high)
        value["full"] = full
        value["waiting"] = ~full & (low <= self.hand_size) & (self.hand_size <= high)
        value["too_few"] = np.clip(self.hand_size - high, 0, 8)
        value["too_many"] = np.clip(low - self.hand_size - 1, 0, 8)
        value["excess"] = np.maximum(counts[:, : Tile.BACK] - 4, 0).sum(1)
        complete, relabelled, needless = np.zeros(n), np.zeros(n), np.zeros(n, bool)
        for k in np.nonzero(full)[0]:
            spots = [t for i in np.nonzero(chosen[k])[0] for t in self.graph.segments[i].tiles]
            laid_kongs = int((chosen[k] & self.sets & (self.tiles == 4)).sum())
            complete[k], relabelled[k] = self._completeness(spots, laid_kongs < 2)
            firm = [t for t in spots if t.score >= CLEAR_SCORE or t.id not in self.low_confidence]
            if complete[k] and len(firm) < len(spots):  # low-confidence ones are taken at need
                needless[k] = complete_as_laid(firm, self.hand_size, None, laid_kongs < 2)
        value["complete"], value["relabelled"] = complete, relabelled
        value["weakest"] = np.where(chosen, self.own[:, _OWN.index("weak")], 0.0).max(1)
        value["complete_left_out"] = complete * left[:, :4].sum(1)
        value["complete_uneven"] = complete * own[:, _OWN.index("uneven")]
        sure = self.sure.sum()
        value["everything"] = (
            (chosen @ self.sure == sure) & (high >= self.hand_size) & (tiles <= 22)
        )
        value |= self._scatter(chosen)
        backs = counts[:, Tile.BACK]
        value["backs"] = np.maximum(backs - 4 * np.minimum(4, (backs + 1) // 2), 0)
        value |= self._flower_places(chosen)
        value |= self._whose(chosen, tiles)
        features = np.stack([value[name] for name in _WHOLE], 1).astype(float)
        return features, complete > 0, needless

    def _completeness(self, spots: Sequence[Spot], special: bool) -> tuple[float, float]:
        """Tell whether tiles may be a complete hand, and the doubt of the face to be changed."""
        if complete_as_laid(spots, self.hand_size, None, special):
            return 1.0, 0.0
        unsure = sorted((t for t in spots if t.odds < _RELABEL_ODDS), key=lambda t: (t.odds, t.id))
        for tile in unsure[:_MAX_RELABELLED]:
            if complete_as_laid(spots, self.hand_size, tile, special):
                return 1.0, tile.odds
        return 0.0, 0.0

    def _scatter(self, chosen: Mask) -> dict[str, Array]:
        """Count the lines besides the longest: a hand lies in one or two, with sets about it."""
        in_line = chosen @ (self.lines * self.tiles[:, None])
        bare = (chosen & ~self.sets) @ self.lines > 0
        for line in np.nonzero(self.lines.sum(0) > 1)[0]:
            # Three or four of a kind are a set, though it is not sure that they lie together.
            counts = (chosen * self.lines[:, line]) @ self.counts
            kinds = (counts[:, : Tile.BACK] > 0).sum(1)
            bare[:, line] &= (kinds != 1) | (counts.sum(1) < 3)
        longest = in_line.argmax(1)
        further = in_line > 0
        further[np.arange(len(chosen)), longest] = False
        long, some = further & bare & (in_line > 4), further & bare & (in_line > 2)
        flower_lines = np.zeros_like(self.lines)
        flower_lines[np.arange(len(self.flowers)), self.graph.lines] = self.flowers
        return {
            "further_sets": (further & ~bare).sum(1),
            "further_long_rows": long.sum(1),
            "further_rows": (some & ~long).sum(1),
            "further_tiles": (further & bare & ~some).sum(1),
            "flower_places": np.maximum((chosen @ flower_lines > 0).sum(1) - 1, 0),
            "short_row": np.maximum(4 - in_line.max(1), 0),
        }

    def _flower_places(self, chosen: Mask) -> dict[str, Array]:
        """Weigh how much nearer flowers, in a set or left out, are to it than to anything else."""
        n = len(chosen)
        own, others = np.zeros(n), np.zeros(n)
        faces = ~self.flowers & (self.sure > 0)
        for j in np.nonzero(self.flowers & (self.sure > 0))[0]:
            distance = np.minimum(self.graph.spacing.distance[j], 8.0)
            near = np.where(chosen & faces, distance, np.inf).min(1)
            away = np.where(~chosen & faces, distance, np.inf).min(1)
            nearer = np.clip(np.nan_to_num(np.minimum(away, 8.0) - near, neginf=-3.0), -3, 3)
            own += np.where(chosen[:, j], nearer, 0.0)
            others += np.where(chosen[:, j], 0.0, nearer)
        return {"flowers_own": own, "flowers_others": others}

    def _whose(self, chosen: Mask, tiles: Array) -> dict[str, Array]:
        """Compare size and place of sets with the others: the photographer's hand is nearest."""
        sums = chosen @ (self.places * self.tiles[:, None]) / np.maximum(tiles, 1)[:, None]
        return dict(zip(_PLACE, sums.T, strict=True))


def _doubt(score: float) -> float:
    """Give the log-odds that there is no tile, 0 for a tile that is surely seen."""
    return min(math.log((1 - score) / max(score, 0.01)), 4.0) if score < WEAK_SCORE else 0.0


def _own(graph: SegmentGraph, sides: tuple[Mask, Mask]) -> Array:
    before, behind = sides
    rows = []
    for segment in graph.segments:
        ids = list(segment.places)
        rows.append(
            (
                len(ids) - 1.0,
                sum(_doubt(t.score) for t in segment.tiles),
                float(before[ids].sum()),
                float(behind[ids].sum()),
                unevenness(graph.frame, segment.places) if len(ids) > 1 else 0.0,
            )
        )
    return np.array(rows).reshape(-1, len(_OWN))


def _links(graph: SegmentGraph, flowers: Mask, sets: Mask) -> Array:
    """Compute the features of all links, shape (m, m, l)."""
    frame, segments, spacing = graph.frame, graph.segments, graph.spacing
    m = len(segments)
    # The edge of the photo shows a part of a tile, whose size says nothing.
    cut = np.array([t.cut for t in frame.spots], bool)
    sizes = np.where(cut, np.median(frame.sizes), frame.sizes) if cut.any() else frame.sizes
    size, turned = mean_of(sizes, segments), mean_of(frame.askew, segments)
    lying = mean_of(np.sign(frame.sideways), segments) > 0
    score = mean_of(np.array([t.score for t in frame.spots]), segments)
    odd = np.array(
        [frame.oblique[s.places[0]] | frame.uncertain[s.places[0]] for s in segments], bool
    )
    lone = np.array([len(s.tiles) == 1 for s in segments], bool)
    back = np.array([all(t.back > 0.5 for t in s.tiles) for s in segments], bool)
    # What a back may make a kong with: other backs, or two or three of a kind.
    kong = np.array(
        [
            len(s.tiles) < 4
            and len({t.face for t in s.tiles} - {Tile.BACK}) < 2
            and (len(s.tiles) > 1 or s.tiles[0].back > 0.5)
            for s in segments
        ],
        bool,
    )
    pair = np.array([len(s.tiles) == 2 and s.tiles[0].face is s.tiles[1].face for s in segments])
    few = np.array([2 <= len(s.tiles) <= 5 for s in segments], bool) & ~sets & ~pair
    wall = np.array([len(s.tiles) not in (1, 2, 3, 4) for s in segments], bool) & back
    # Segments come longest first, so the later one of two is the smaller; flowers always are.
    index = np.arange(m)
    smaller = np.maximum(index[:, None], index[None])
    larger = np.minimum(index[:, None], index[None])
    swap = flowers[larger] & ~flowers[smaller]
    smaller, larger = np.where(swap, larger, smaller), np.where(swap, smaller, larger)
    petals = flowers[smaller]
    faces = ~petals
    beside = np.minimum(np.maximum(spacing.beside, 0), 8.0)
    apart = np.minimum(np.maximum(spacing.apart - 0.2, 0), 6.0)
    line = spacing.in_line
    level = ~line & (spacing.beside < 1.5)
    askew = ~line & ~level
    distance = np.minimum(np.where(np.isfinite(spacing.distance), spacing.distance, 0), 30.0)
    value = {
        "line": line & faces,
        "line_gap": np.minimum(beside, 3.0) * (line & faces),
        "line_far": np.log1p(np.maximum(beside - 3.0, 0)) * (line & faces),
        "line_offset": np.minimum(spacing.offset, 0.5) ** 2 * (line & faces),
        "beside": level & faces,
        "beside_gap": beside * (level & faces),
        "beside_apart": np.minimum(apart, 3.0) * (level & faces),
        "askew": askew & faces,
        "askew_gap": np.minimum(np.maximum(beside - 1.5, 0), 4.0) * (askew & faces),
        "askew_apart": np.minimum(apart, 4.0) * (askew & faces),
        "far": np.log1p(np.maximum(distance - 3.0, 0)) * (~line & faces),
        "flowers_line": line & petals,
        "flowers_beside": level & petals,
        "flowers_askew": askew & petals,
        "flowers_distance": np.minimum(np.maximum(distance - 1.5, 0), 8.0) * petals,
        "flowers_turned": (np.maximum(turned[smaller] - 0.1, 0) + 0.3 * odd[smaller]) * petals,
        "flowers_sideways": lying[smaller] & petals,
        "flowers_weak": np.maximum(score[larger] - 0.05 - score[smaller], 0) * petals,
        "size": np.minimum(np.maximum(np.abs(size[larger] - size[smaller]) - 0.08, 0), 0.5),
        "turned": (lying[larger] != lying[smaller]) & ~lone[smaller] & faces,
        "lone": lone[smaller] & faces,
        "lone_back": lone[smaller] & back[smaller] & ~(kong[larger] & (spacing.distance < 0.4)),
        "lone_oblique": lone[smaller] & odd[smaller],
        "lone_far": np.log1p(np.maximum(distance - 1.0, 0)) * (lone[smaller] & faces),
        "set": sets[smaller] & faces,
        "pair": pair[smaller] & faces,
        "odd_tiles": few[smaller] & faces,
        "wall": (wall[smaller] | wall[larger]) & faces,
    }
    link = np.stack([np.asarray(value.get(name, np.zeros((m, m))), float) for name in _LINK], 2)
    place_of = {place: i for i, s in enumerate(segments) for place in s.places}
    for i, place in graph.added.items():
        j = place_of[place]
        # It lies over one tile, and is of no hand without that.
        link[i] = link[:, i] = 0.0
        link[i, :, _LINK.index("wall")] = link[:, i, _LINK.index("wall")] = 1.0
        for a, b in ((i, j), (j, i)):
            link[a, b] = 0.0
            link[a, b, _LINK.index("added")] = 1.0
    return link


def _left_out(graph: SegmentGraph, flowers: Mask, counts: Array) -> Array:
    """Compute the features (m, m, p) of segment j left out of a set whose nearest is i."""
    spacing, m = graph.spacing, len(graph.segments)
    open_tiles = counts.sum(1) - counts[:, Tile.BACK]
    sure = np.array([all(t.score >= WEAK_SCORE for t in s.tiles) for s in graph.segments], bool)
    weight = np.where(sure & ~flowers, np.minimum(open_tiles, 3) / 3, 0.0)[None]
    petals = (flowers & sure)[None]
    line = spacing.in_line
    level = ~line & (spacing.beside < 0.5)
    near, touching = spacing.distance < 1.5, spacing.distance < 0.4
    value = {
        "left_line_touching": weight * (line & touching),
        "left_line_near": weight * (line & near & ~touching),
        "left_beside_touching": weight * (level & touching),
        "left_beside_near": weight * (level & near & ~touching),
        "left_flowers_touching": petals * touching,
        "left_flowers_near": petals * (near & ~touching),
    }
    left = np.stack([np.asarray(value.get(name, np.zeros((m, m))), float) for name in _LEFT_OUT], 2)
    place_of = {place: i for i, s in enumerate(graph.segments) for place in s.places}
    for j, place in graph.added.items():
        left[:, j] = 0.0
        left[place_of[place], j, _LEFT_OUT.index("left_added")] = 1.0
    return left
