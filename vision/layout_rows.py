"""Rows: chains of tiles that follow one another at even steps in a slowly turning direction.

From each pair of neighbours a chain is walked both ways, each time to the tile that fits best. The longest and tightest chain is a
row; its tiles are taken out and the next is sought, until every tile is in a row, if only its own. Perspective and lens bend rows
and change their steps slowly, so direction and step are always those of the last few tiles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from vision.layout_geometry import MAX_GAP, Fit, Row, Spot, Step, between, direction, extent, fit, step

_NEIGHBOURS = 10
_MEMORY = 5
_SEEDS = 4

Near = dict[Spot, tuple[tuple[Spot, Fit], ...]]


def rows(spots: tuple[Spot, ...]) -> tuple[Row, ...]:
    """All tiles in rows, longest first; the order of `spots` does not matter. A tile that is near no other is a row of one."""
    spots = tuple(sorted(spots, key=lambda s: (round(s.x, 3), round(s.y, 3), s.id)))
    near = _neighbours(spots)
    free = set(spots)
    found: list[Row] = []
    chains = _chains(spots, near, free)
    while chains:
        best = max(chains, key=_quality)
        found.append(best)
        free.difference_update(best.tiles)
        taken = set(best.tiles)
        broken = [chain for chain in chains if not taken.isdisjoint(chain.tiles)]
        chains = [chain for chain in chains if taken.isdisjoint(chain.tiles)]
        seeds = {(a, b) for chain in broken for a, b in pairwise(chain.tiles) if a in free and b in free}
        for a, b in sorted(seeds, key=lambda pair: (pair[0].x, pair[0].y, pair[1].x, pair[1].y)):
            chain = _walk_both(a, b, near, free)
            if chain is not None:
                chains.append(chain)
    found = [_with_holes_filled(row, free) for row in found]
    found += [Row((spot,), _own_direction(spot)) for spot in spots if spot in free]
    return tuple(sorted(found, key=len, reverse=True))


def _with_holes_filled(row: Row, free: set[Spot]) -> Row:
    """A row with the lone tiles that lie in its gaps, which a chain may have passed over; they are taken out of `free`."""
    tiles = list(row.tiles)
    added = False
    for i in range(len(row.steps) - 1, -1, -1):
        if row.steps[i].gap < 0.5:
            continue
        a, b = row.tiles[i], row.tiles[i + 1]
        length = math.hypot(b.x - a.x, b.y - a.y)
        cos, sin = (b.x - a.x) / length, (b.y - a.y) / length
        inside = []
        for spot in free:
            along = (spot.x - a.x) * cos + (spot.y - a.y) * sin
            away = abs((spot.y - a.y) * cos - (spot.x - a.x) * sin)
            if 0.25 * length < along < 0.75 * length and away < 0.4 * extent(spot, row.phi).across:
                inside.append(spot)
        if len(inside) == 1 and any(fit(end, inside[0]) is not None for end in (a, b)):
            tiles.insert(i + 1, inside[0])
            free.discard(inside[0])
            added = True
    return as_row(tuple(tiles)) if added else row


def _own_direction(spot: Spot) -> float:
    """Direction a row through a lone tile would have: square to its upright axis."""
    if spot.axis is not None:
        return spot.axis - math.pi / 2
    return 0.0 if spot.height >= spot.width else math.pi / 2


def _neighbours(spots: tuple[Spot, ...]) -> Near:
    """The tiles around each tile that may lie in a row with it, nearest first."""
    near: Near = {}
    for a in spots:
        reach = 2.5 * a.girth
        around = [
            ((a.x - b.x) ** 2 + (a.y - b.y) ** 2, b)
            for b in spots
            if b is not a and abs(a.x - b.x) < reach and abs(a.y - b.y) < reach
        ]
        around.sort(key=lambda pair: (pair[0], pair[1].id))
        fitting = ((b, fit(a, b)) for _, b in around[:_NEIGHBOURS])
        near[a] = tuple((b, agreement) for b, agreement in fitting if agreement is not None)
    return near


def _chains(spots: tuple[Spot, ...], near: Near, free: set[Spot]) -> list[Row]:
    """A chain from each pair of neighbours that is not inside another chain already."""
    chains: list[Row] = []
    covered: set[tuple[int, int]] = set()
    for a, b in _pairs(spots, near):
        if (a.id, b.id) in covered or (b.id, a.id) in covered:
            continue
        chain = _walk_both(a, b, near, free)
        if chain is not None:
            chains.append(chain)
            if len(chain) >= 4:
                covered.update((p.id, q.id) for p, q in pairwise(chain.tiles))
    return chains


def _pairs(spots: tuple[Spot, ...], near: Near) -> Iterator[tuple[Spot, Spot]]:
    """Pairs of neighbours, each once, nearest neighbours first."""
    seen: set[tuple[int, int]] = set()
    for rank in range(_SEEDS):
        for a in spots:
            if rank < len(near[a]):
                b = near[a][rank][0]
                key = (min(a.id, b.id), max(a.id, b.id))
                if key not in seen:
                    seen.add(key)
                    yield a, b


def _walk_both(a: Spot, b: Spot, near: Near, free: set[Spot]) -> Row | None:
    """The best chain through two neighbours, over the directions their row may have."""
    chains = []
    for phi in _seed_directions(a, b):
        first = step(a, b, phi, None)
        if first is None or first.gap > MAX_GAP or not _lies_along(a, phi) or not _lies_along(b, phi):
            continue
        forward = _walk([a, b], phi, near, free)
        both = _walk(forward[::-1], phi + math.pi, near, free)
        chains.append(as_row(tuple(both)))
    return max(chains, key=_quality, default=None)


def _seed_directions(a: Spot, b: Spot) -> Iterator[float]:
    """From centre to centre, and along the tiles' own sides: two close centres tell a direction only roughly."""
    phi = math.atan2(b.y - a.y, b.x - a.x)
    yield phi
    side = 0.0 if a.axis is None else a.axis
    snapped = side + round((phi - side) / (math.pi / 2)) * math.pi / 2
    if math.radians(4) < abs(phi - snapped) < math.radians(40):
        yield snapped


def _lies_along(spot: Spot, phi: float) -> bool:
    """The tile lies parallel or square to the direction, as far as is known; perspective may shear it."""
    if spot.axis is None:
        return True
    turn = between(spot.axis, phi)
    return min(turn, math.pi / 2 - turn) < math.radians(40)


def _walk(chain: list[Spot], seed: float, near: Near, free: set[Spot]) -> list[Spot]:
    """Extend a chain at its end as far as it goes; `seed` is its direction while it is short."""
    chain = list(chain)
    members = set(chain)
    while True:
        last = chain[-1]
        phi = direction(chain[-_MEMORY:], seed) if len(chain) > 3 else seed
        pitch = _pitch(chain[-_MEMORY:])
        best: tuple[float, Spot] | None = None
        for candidate, agreement in near[last]:
            if candidate in members or candidate not in free:
                continue
            if not _lies_along(candidate, phi) and not (agreement.alike and len(chain) > 2):
                continue
            taken = step(last, candidate, phi, pitch, agreement)
            if taken is not None and (best is None or taken.cost < best[0]):
                best = (taken.cost, candidate)
        if best is None:
            return chain
        chain.append(best[1])
        members.add(best[1])


def _pitch(chain: list[Spot]) -> float:
    """Usual distance of centres: the median, so that one gap does not widen the next."""
    steps = sorted(math.hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(chain))
    return steps[(len(steps) - 1) // 2]


def as_row(tiles: tuple[Spot, ...]) -> Row:
    """The row of these tiles, measured; steps that are none get the widest gap."""
    overall = direction(tiles, 0.0)
    steps = []
    for i in range(len(tiles) - 1):
        window = tiles[max(0, i - 2) : i + 4]
        measured = step(tiles[i], tiles[i + 1], direction(window, overall), _pitch(list(window)))
        steps.append(measured or Step(MAX_GAP, 0.0, 1.0, False))
    return Row(tiles, overall, tuple(steps))


def _quality(row: Row) -> tuple[float, float, float, int]:
    """Longest and tightest first; the position only breaks ties."""
    tight = sum(1.0 - min(0.3 * s.cost, 0.9) for s in row.steps)
    stretch = sum(extent(t, row.phi).along / t.girth for t in row.tiles) / len(row)
    return (round(tight - stretch, 6), -row.tiles[0].x, -row.tiles[0].y, -row.tiles[0].id)
