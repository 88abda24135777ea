"""The features that distinguish the hand from other sets of segments.

The score of a set is the weighted sum of its features (`hupai.vision.layout.weights`). They are the
sums of `hupai.vision.layout.segment_features` over the set, and features of the set as a whole:
number of tiles, completeness of the hand, and place on the photo.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.conventions import Convention
from hupai.vision.geometry.table_tiles import FLOWERS, Array
from hupai.vision.layout.completeness import complete_as_laid, most_kongs
from hupai.vision.layout.segment_features import (
    LEFT_OUT,
    LINK,
    OWN,
    Mask,
    left_out_features,
    link_features,
    own_features,
)
from hupai.vision.layout.segments import (
    Foreground,
    SegmentGraph,
    may_be_set,
    places_on_photo,
)
from hupai.vision.layout.weights import LayoutWeights, weight_vector

_PLACE = ("small", "high", "slope", "facing_aside")
"""Features of size and place on the photo, averaged over the tiles of a set."""

_WHOLE = (
    "full",
    "waiting",
    "too_few",
    "too_many",
    "complete",
    "all_sets",
    "weakest",
    "everything",
    "further_long_rows",
    "further_rows",
    "further_tiles",
    "flower_places",
    "backs",
    "kongs",
    "fifth_copies",
    "flowers_others",
    *_PLACE,
)
"""Features of a set as a whole."""

FEATURES = (*LINK, *LEFT_OUT, *OWN, *_WHOLE)
"""Names of all features, in the order of the columns of `Candidates.best_first`."""

_COLUMN = {name: k for k, name in enumerate(FEATURES)}
"""The column of each feature."""

_OF_SETS = len(LINK) + len(LEFT_OUT)
"""The first column that does not depend on how a set is linked."""


_MAX_CANDIDATES = 24
"""Maximum number of candidates of one direction: without a limit, layout takes 0.45 instead of
0.28 s on a photo of 200 tiles that shows no hand.
"""


@dataclass(frozen=True, slots=True)
class Query:
    """Parameters of a search for hands.

    Attributes:
        size: width and height of the photo, pixels; None if not known.
        habits: how melds are laid, and the size of a hand.
        weights: the weights of the features.
        required: ids of tiles that every candidate must contain.
        truth: ids of the true hand's tiles, which are added as a candidate if they make up whole
            segments; for fitting.
        taken: ids of the tiles of hands found before. If there are any, the search is for further
            hands: candidates of the size of a hand that share no tile with these.
        min_score: score that a candidate must exceed.
    """

    size: tuple[int, int] | None
    habits: Convention
    weights: LayoutWeights
    required: frozenset[int] = frozenset()
    truth: frozenset[int] = frozenset()
    taken: frozenset[int] = frozenset()
    min_score: float = -math.inf

    @property
    def largest(self) -> int:
        """Maximum number of tiles in a hand, flowers included."""
        return self.habits.largest + FLOWERS.stop - FLOWERS.start

    def anywhere(self) -> Query:
        """Return the query for hands of any size at any place on the photo."""
        selection = {**self.weights.selection, **dict.fromkeys(_PLACE, 0.0)}
        return replace(self, weights=replace(self.weights, selection=selection))


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Sets of segments, each grown from one segment by its strongest links.

    Attributes:
        chosen: shape (n, m), True for the segments of each set.
        nearest: shape (n, m), the segment of the set to which each segment is linked, by which it
            joined or could join; the first one is linked to itself.
    """

    chosen: Mask
    nearest: NDArray[np.intp]

    def only(self, which: Mask | Sequence[int]) -> Sets:
        """Return some of the sets."""
        return Sets(self.chosen[which], self.nearest[which])

    def with_others(self, other: Sets) -> Sets:
        """Append other sets of the same segments."""
        return Sets(
            np.concatenate([self.chosen, other.chosen]),
            np.concatenate([self.nearest, other.nearest]),
        )

    @property
    def joined(self) -> Mask:
        """The segments that joined a set, all but its first one, shape (n, m)."""
        joined: Mask = self.chosen & (self.nearest != np.arange(self.chosen.shape[1]))
        return joined

    def total(self, values: Array, which: Mask) -> Array:
        """Sum values (m, m) of the links of some segments (n, m) to each set, shape (n,)."""
        linked: Array = np.where(which, values[self.nearest, np.arange(len(values))], 0.0).sum(1)
        return linked


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The segments of a row direction, with precomputed terms for the features of their sets.

    Attributes:
        graph: the m segments.
        query: the parameters of the search.
        weights: shape (k,), of the features.
        links: shape (m, m, l), see `link_features`.
        strength: shape (m, m), log-odds of the links, -inf on the diagonal.
        own: shape (m, o), features of the segments themselves.
        left: shape (m, m, p), see `left_out_features`.
        counts: shape (m, 43), tiles by face, without flowers.
        tiles: shape (m,), number of tiles.
        sure: shape (m,), number of tiles with a high score, except stray backs.
        flowers: shape (m,), segments of flowers only.
        lines: shape (m, r), 1 at the line of each segment; no line for added tiles and flowers.
        sets: shape (m,), segments that are a set.
        places: shape (m, 4), size and place on the photo, see `segments.places_on_photo`.
    """

    graph: SegmentGraph
    query: Query
    weights: Array
    links: Array
    strength: Array
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
        of_tiles: Array,
        sure: Mask,
        query: Query,
        nearest: Foreground,
    ) -> Candidates:
        """Compute the terms for the segments of a graph.

        Args:
            graph, query: see above.
            of_tiles: shape (5, n), `doubts` about the n tiles on the table.
            sure: shape (n,), those with a high score, except stray backs.
            nearest: the rows of the photo, of any direction, that are nearest to the camera.
        """
        segments, ground = graph.segments, graph.frame.ground
        m, weights = len(segments), weight_vector(query.weights.selection, FEATURES)
        tiles, places, owner = graph.tiles.counts, graph.tiles.places, graph.tiles.owner
        sure_tiles, apart = graph.tiles.sums(sure, ground.flowers > 0.5)
        flowers = apart == tiles
        faces = ground.faces.tolist()
        sets = np.array([may_be_set([faces[k] for k in s]) for s in segments], bool)
        counts = np.zeros((m, len(Tile)))
        shown = np.where(ground.backs >= 0.5, Tile.BACK, ground.faces)
        counted = ground.flowers[places] < 0.5
        np.add.at(counts, (owner[counted], shown[places[counted]]), 1)
        plain = ~flowers
        plain[list(graph.added)] = False
        links = link_features(graph, flowers, sets)
        strength = links @ weights[: len(LINK)]
        np.fill_diagonal(strength, -np.inf)
        return cls(
            graph,
            query,
            weights,
            links,
            strength,
            own_features(graph, of_tiles),
            left_out_features(graph, flowers, counts),
            counts,
            tiles.astype(float),
            sure_tiles,
            flowers,
            _by_line(graph, plain),
            sets,
            places_on_photo(graph, query.size, nearest),
        )

    def few_backs(self, chosen: Mask) -> Mask:
        """Return which sets (n, m) have no more backs than three kongs face down, shape (n,).

        That is for a hand of 13; other sizes allow one kong more or less. More backs are a wall.
        """
        few: Mask = chosen @ self.counts[:, Tile.BACK] <= 4 * (self.query.habits.sets - 1)
        return few

    def best_first(self, sets: Sets, further: Mask) -> Iterator[tuple[int, Array]]:
        """Yield positions of sets of segments and their features (k,), the best score first.

        Checking completeness is the slowest step, so it is done lazily, for the sets with the
        highest upper bounds. In a search for further hands only those of the size of a hand are
        yielded.

        Args:
            sets: n sets.
            further: shape (n,), the only ones to yield after the best `_MAX_CANDIDATES`.
        """
        held = sets.chosen.astype(float)
        of_sets = np.concatenate([held @ self.own, self._whole(sets.chosen, held)], axis=1)
        scores = of_sets @ self.weights[_OF_SETS:] + sets.total(self.strength, sets.joined)
        left_out = self.left @ self.weights[len(LINK) : _OF_SETS]
        scores += sets.total(left_out, ~sets.chosen)
        full, ready = (of_sets[:, _COLUMN[name] - _OF_SETS] > 0 for name in ("full", "waiting"))
        bonus = self.weights[_COLUMN["complete"]]
        bounds = scores + np.where(full, np.maximum(bonus, 0), 0)
        sized = full | ready | (not self.query.taken)
        waiting = [(-float(bounds[k]), not full[k], k) for k in np.nonzero(sized)[0].tolist()]
        heapq.heapify(waiting)
        complete: set[int] = set()
        left = _MAX_CANDIDATES
        while waiting:
            _, final, k = heapq.heappop(waiting)
            if left <= 0 and not further[k]:
                continue
            if final:
                left -= 1
                yield k, self._features(sets.only([k]), of_sets[k], k in complete)
                continue
            tiles, hand_size = self.graph.tiles_of(sets.chosen[k]), self.query.habits.hand_size
            if complete_as_laid(self.graph.frame.ground, tiles, hand_size):
                complete.add(k)
            score = scores[k] + (bonus if k in complete else 0.0)
            heapq.heappush(waiting, (-float(score), True, k))

    def _features(self, one: Sets, of_set: Array, complete: bool) -> Array:
        """Return all features (k,) of one set, given those that do not depend on its links."""
        nearest = one.nearest[0]
        out, added = np.nonzero(~one.chosen[0])[0], np.nonzero(one.joined[0])[0]
        left = self.left[nearest[out], out].sum(0)
        links = self.links[nearest[added], added].sum(0)
        features = np.concatenate([links, left, of_set])
        features[_COLUMN["complete"]] = complete
        return features

    def linked(self, chosen: Mask) -> Sets:
        """Link the segments of one given set (m,), as if it had grown from its first one."""
        *_, nearest = self._spanning_tree(chosen)
        return Sets(chosen[None], nearest[None])

    def clusters(self) -> Sets:
        """Return the single-linkage clusters of all segments whose size is plausible for a hand.

        They are the hands that lie apart from all other tiles, however small their segments. A
        maximum spanning tree grown from one segment enters a cluster by a link weaker than those
        within it, and leaves it by another such link, so clusters are runs in its order of growth.
        """
        m = len(self.tiles)
        order, entered, parent = self._spanning_tree(np.ones(m, bool))
        runs = set()
        for k, link in enumerate(entered[1:], 1):
            first = next((i for i in range(k - 1, 0, -1) if entered[i] < link), 0)
            runs.add((first, next((i for i in range(k + 1, m) if entered[i] < link), m)))
        size, least = np.cumsum([0.0, *self.tiles[order]]), self.query.habits.hand_size / 2
        kept = [
            order[first:end]
            for first, end in sorted(runs)
            if least <= size[end] - size[first] <= self.query.largest
        ]
        chosen, nearest = np.zeros((len(kept), m), bool), np.zeros((len(kept), m), np.intp)
        for row, near, cluster in zip(chosen, nearest, kept, strict=True):
            row[cluster] = True
            near[:] = np.where(row, parent, np.array(cluster)[self.strength[:, cluster].argmax(1)])
            near[cluster[0]] = cluster[0]
        return Sets(chosen, nearest)

    def _spanning_tree(self, chosen: Mask) -> tuple[list[int], list[float], NDArray[np.intp]]:
        """Grow a maximum spanning tree of some segments (m,) from the first one.

        Returns:
            The segments in the order in which they join; the log-odds of the links by which they
            join, infinite for the first one; and the one to which each of the m segments is linked.
        """
        first = int(chosen.argmax())
        nearest, best = np.full(len(chosen), first), self.strength[first].copy()
        waiting = chosen.copy()
        waiting[first] = False
        order, entered = [first], [math.inf]
        while waiting.any():
            added = int(np.where(waiting, best, -np.inf).argmax())
            waiting[added] = False
            order.append(added)
            entered.append(float(best[added]))
            links = self.strength[added]
            closer = (links > best) & (waiting | ~chosen)
            nearest[closer], best[closer] = added, links[closer]
        return order, entered, nearest

    def nearness(self) -> Array:
        """Return the log-odds (m,), by size and place, that each segment is the photographer's."""
        nearness: Array = self.places @ self.weights[[_COLUMN[name] for name in _PLACE]]
        return nearness

    def doubt(self) -> Array:
        """Return what doubts about each segment's tiles add to a set's log-odds, shape (m,)."""
        doubt: Array = self.own[:, 1:] @ self.weights[_OF_SETS + 1 : _OF_SETS + len(OWN)]
        return doubt

    def _whole(self, chosen: Mask, held: Array) -> Array:
        """Compute the features (n, w) of sets as a whole, except those of a complete hand."""
        counts, tiles = held @ self.counts, held @ self.tiles
        (high, low), size = _sizes(counts), self.query.habits.hand_size
        full = (low <= size + 1) & (size + 1 <= high)
        backs = counts[:, Tile.BACK]
        weak = self.own[:, OWN.index("weak")]
        open_tiles = self.counts[:, : Tile.BACK].sum(1)
        # The photographer's hand is nearest: size and place are averaged over the tiles.
        places = held @ (self.places * self.tiles[:, None]) / np.maximum(tiles, 1)[:, None]
        value = {
            "full": full,
            "waiting": ~full & (low <= size) & (size <= high),
            "too_few": np.maximum(size - high, 0),
            "too_many": np.maximum(low - size - 1, 0),
            "all_sets": (
                (held @ self.sets == self.query.habits.sets)
                & np.isin(held @ (open_tiles * ~self.sets), (1, 2))
            ),
            "weakest": np.where(chosen, weak, 0.0).max(1),
            "everything": (
                (held @ self.sure == self.sure.sum())
                & (high >= size)
                & (tiles <= self.query.largest)
            ),
            "kongs": (counts[:, : Tile.BACK] == 4).sum(1),
            "fifth_copies": np.maximum(counts[:, : Tile.BACK] - 4, 0).sum(1),
            "backs": np.maximum(backs - 4 * np.minimum(4, (backs + 1) // 2), 0),
            **self._line_features(held),
            "flowers_others": self._flowers_left_out(chosen),
            **dict(zip(_PLACE, places.T, strict=True)),
        }
        none = np.zeros(len(chosen))
        return np.stack([value.get(name, none) for name in _WHOLE], 1).astype(float)

    def _line_features(self, held: Array) -> dict[str, Array]:
        """Count the lines besides the longest, except those of sets only: melds may lie apart."""
        in_line = held @ (self.lines * self.tiles[:, None])
        bare = held @ (self.lines * ~self.sets[:, None]) > 0
        longest = in_line.argmax(1)
        further = in_line > 0
        further[np.arange(len(held)), longest] = False
        long, some = further & bare & (in_line > 4), further & bare & (in_line > 2)
        flower_lines = _by_line(self.graph, self.flowers)
        return {
            "further_long_rows": long.sum(1),
            "further_rows": (some & ~long).sum(1),
            "further_tiles": (further & bare & ~some).sum(1),
            "flower_places": np.maximum((held @ flower_lines > 0).sum(1) - 1, 0),
        }

    def _flowers_left_out(self, chosen: Mask) -> Array:
        """Sum how much nearer flowers left out are to the sets (n, m) than to other tiles."""
        far, total = np.finfo(float).max, np.zeros(len(chosen))
        faces = ~self.flowers & (self.sure > 0)
        for j in np.nonzero(self.flowers & (self.sure > 0))[0]:
            distance = self.graph.spacing.distance[j]
            near = np.where(chosen & faces, distance, far).min(1)
            away = np.where(~chosen & faces, distance, far).min(1)
            nearer = np.clip(away - near, -3, 3)
            total += np.where(chosen[:, j], 0.0, nearer)
        return total


def _sizes(counts: Array) -> tuple[Array, Array]:
    """Return the greatest and least size (n,) of hands with these counts of faces (n, 43).

    Each kong lowers the size by one, as it counts as three tiles.
    """
    high = counts.sum(1)
    return high, high - most_kongs(counts)


def _by_line(graph: SegmentGraph, which: Mask) -> Array:
    """One-hot encode the lines of some of the segments (m,), shape (m, r)."""
    return np.eye(max(graph.lines) + 1)[[*graph.lines]] * which[:, None]
