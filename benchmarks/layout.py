"""How often layout and reading understand a table when every tile is found and named: rendered geometry, no pictures.

    python -m benchmarks.layout [--scenes 1000] [--seed 7] [--out benchmarks/layout.json]

Tables come from datasets.synthetic with random hands, styles, surroundings and cameras. Their tiles are projected to boxes, shaken
as a detector shakes them, and read. Counted are: the tiles taken for the hand, groups with their kinds, whom each meld was claimed
from, the winning tile, and the whole hand; by layout of the melds and by elevation of the camera.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from datasets.synthetic.camera import Camera
from datasets.synthetic.compose import HandStyle, lay_hand, random_hand, random_hand_style
from datasets.synthetic.generate import aim, random_view
from datasets.synthetic.scene import PlacedTile, Proportions, Scene
from datasets.synthetic.tables import surroundings
from scoring.hand import Hand, Meld, MeldKind
from scoring.notation import format_hand
from scoring.tiles import Tile
from vision.layout import arrange
from vision.reading import read
from vision.types import Detections, Reading

SHAKE = 0.02
"""Standard deviation of a box's edges, as a share of the tile's side."""

AXIS_ERROR = 0.05
"""Standard deviation of an axis, radians."""

Truth = frozenset[tuple[str, frozenset[int], str | None]]


@dataclass(frozen=True, slots=True)
class Sample:
    """A table as a perfect detector sees it.

    Attributes:
        seed: it was made from.
        tiles: what lies there, by detection id.
        hand: as laid.
        style: how it was laid.
        elevation: of the camera, degrees.
        detections: boxes in a picture of `size`.
    """

    seed: int
    tiles: tuple[PlacedTile, ...]
    hand: Hand
    style: HandStyle
    elevation: float
    detections: Detections
    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What of a sample was understood."""

    tiles: bool
    groups: bool
    claims: bool
    winning: bool
    hand: bool
    certain: bool
    probability: float
    milliseconds: float


def sample(seed: int) -> Sample:
    """The table of a seed; the whole hand is on the picture."""
    rng = np.random.default_rng([20_261, seed])
    shape = Proportions()
    hand = random_hand(rng, honours=bool(rng.random() < 0.85))
    style = random_hand_style(rng)
    laid = lay_hand(hand, style, rng, shape)
    everything = (*laid, *surroundings(rng, list(laid), shape))
    scene = Scene(everything, (), hand, shape, "hand")
    while True:
        view = random_view(rng, 1280)
        camera = aim(rng, scene, view)
        quads = [_quad(tile, scene, camera) for tile in everything]
        own = np.vstack([quad for tile, quad in zip(everything, quads, strict=True) if tile.in_hand])
        if own.min() > 0 and (own.max(0) < (view.width, view.height)).all():
            break
    size = (view.width, view.height)
    seen = [i for i, quad in enumerate(quads) if _visible(quad, size)]
    covered = _covered(everything)
    kept = [i for i in seen if i not in covered]
    found = _detect([everything[i] for i in kept], [quads[i] for i in kept], size, rng)
    return Sample(seed, tuple(everything[i] for i in kept), hand, style, view.elevation, found, size)


def _quad(tile: PlacedTile, scene: Scene, camera: Camera) -> np.ndarray:
    """Corners of the upper face on the picture, shape (4, 2), from its top left, clockwise."""
    half = np.array([[-0.5, 1.0], [0.5, 1.0], [0.5, -1.0], [-0.5, -1.0]]) * (1.0, scene.proportions.height / 2)
    c, s = np.cos(tile.angle), np.sin(tile.angle)
    flat = half @ np.array([[c, s], [-s, c]]) + (tile.x, tile.y)
    return camera.project(np.column_stack([flat, np.full(4, tile.z + scene.proportions.thickness)]))


def _visible(quad: np.ndarray, size: tuple[int, int]) -> bool:
    """At least half the face's box lies on the picture."""
    low, high = np.maximum(quad.min(0), 0), np.minimum(quad.max(0), size)
    whole = np.prod(quad.max(0) - quad.min(0))
    return bool((high > low).all() and np.prod(high - low) > 0.5 * whole)


def _covered(tiles: tuple[PlacedTile, ...]) -> set[int]:
    """Tiles of a wall's lower layer with one on top."""
    upper = [t for t in tiles if t.z > 0]
    return {i for i, t in enumerate(tiles) if t.z == 0 and any(abs(t.x - u.x) + abs(t.y - u.y) < 0.5 for u in upper)}


def _detect(tiles: list[PlacedTile], quads: list[np.ndarray], size: tuple[int, int], rng: np.random.Generator) -> Detections:
    """Boxes with shaken edges, axes with an error, and sure faces."""
    boxes, axes = [], []
    classes = np.full((len(tiles), 43), 1e-5)
    for i, (tile, quad) in enumerate(zip(tiles, quads, strict=True)):
        box = np.concatenate([quad.min(0), quad.max(0)])
        side = min(box[2] - box[0], box[3] - box[1])
        boxes.append(np.clip(box + rng.normal(0, SHAKE * side, 4), 0, (*size, *size)))
        up = quad[:2].mean(0) - quad[2:].mean(0)
        axes.append((np.arctan2(up[1], up[0]) + rng.normal(0, AXIS_ERROR)) % np.pi)
        classes[i, Tile.BACK if tile.face_down else tile.face] = 1.0
    classes /= classes.sum(axis=1, keepdims=True)
    return Detections(
        np.asarray(boxes, np.float32).reshape(-1, 4),
        np.full(len(tiles), 0.9, np.float32),
        classes.astype(np.float32),
        np.asarray(axes, np.float32),
    )


def examine(table: Sample) -> tuple[Outcome, Reading]:
    """Read a table and compare."""
    begun = time.perf_counter()
    reading = read(arrange(table.detections, table.size))
    spent = (time.perf_counter() - begun) * 1000
    wanted = expected_groups(table)
    got = frozenset((g.kind.value, frozenset(g.tiles), g.claimed_from.value if g.claimed_from else None) for g in reading.groups)
    own = {i for i, t in enumerate(table.tiles) if t.in_hand}
    groups = _kinds(wanted) == _kinds(got)
    outcome = Outcome(
        tiles=own == {t.id for t in reading.tiles if t.in_hand},
        groups=groups,
        claims=groups and {(tiles, source) for _, tiles, source in wanted} == {(tiles, source) for _, tiles, source in got},
        winning={tiles for kind, tiles, _ in wanted if kind == "winning_tile"}
        == {tiles for kind, tiles, _ in got if kind == "winning_tile"},
        hand=bool(reading.hands) and _same(reading.hands[0].hand, shown_hand(table)),
        certain=reading.certain,
        probability=reading.hands[0].probability if reading.hands else 0.0,
        milliseconds=spent,
    )
    return outcome, reading


def expected_groups(table: Sample) -> Truth:
    """Groups as laid; a kong with four open faces and none sideways may be either kind, so it is compared as ``kong``."""
    groups: dict[int, list[int]] = {}
    for i, tile in enumerate(table.tiles):
        if tile.in_hand and tile.group is not None:
            groups.setdefault(tile.group, []).append(i)
    found = set()
    for ids in groups.values():
        first = table.tiles[ids[0]]
        sideways = any(table.tiles[i].sideways for i in ids)
        found.add((first.kind or "", frozenset(ids), first.claimed_from if sideways else None))
    return frozenset(found)


_OPEN = {"concealed_kong": "kong", "kong": "kong"}


def _kinds(groups: Truth) -> set[tuple[str, frozenset[int]]]:
    return {(_OPEN.get(kind, kind), tiles) for kind, tiles, _ in groups}


def shown_hand(table: Sample) -> Hand:
    """The hand as far as the table shows it.

    A winning tile that is not set apart is one of the concealed; a kong that lies face down is unknown; one with four open faces
    and none sideways may be either kind and is taken for a concealed one.
    """
    hand = table.hand
    down = table.style.concealed_kong == "all_down"
    melds = tuple(_shown_meld(meld, down) for meld in hand.melds)
    if table.style.winning == "inside" and hand.winning_tile is not None:
        return Hand((*hand.concealed, hand.winning_tile), melds, None, hand.flowers)
    return Hand(hand.concealed, melds, hand.winning_tile, hand.flowers)


def _shown_meld(meld: Meld, down: bool) -> Meld:
    if meld.kind is MeldKind.CONCEALED_KONG and down:
        return Meld(MeldKind.CONCEALED_KONG, (Tile.BACK,) * 4)
    if meld.kind is MeldKind.KONG and meld.claimed_from is None:
        return Meld(MeldKind.CONCEALED_KONG, meld.tiles)
    return meld


def _same(a: Hand, b: Hand) -> bool:
    def key(hand: Hand) -> tuple[object, ...]:
        melds = Counter((m.kind, m.claimed_from, m.tiles) for m in (_shown_meld(m, False) for m in hand.melds))
        return sorted(hand.concealed), melds, hand.winning_tile, sorted(hand.flowers)

    return key(a) == key(b)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first scene")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--failures", type=int, default=0, help="print so many scenes that were misunderstood")
    args = parser.parse_args()
    rows = []
    shown = 0
    for seed in range(args.seed, args.seed + args.scenes):
        table = sample(seed)
        outcome, reading = examine(table)
        rows.append((table, outcome))
        if shown < args.failures and not (outcome.tiles and outcome.claims and outcome.winning):
            shown += 1
            got = format_hand(reading.hands[0].hand) if reading.hands else "none"
            print(
                f"{seed}: {format_hand(shown_hand(table))} read {got}; melds {table.style.melds}, winning {table.style.winning}, "
                f"rows {table.style.rows}, flowers {table.style.flowers}, gap {table.style.group_gap:.2f}, "
                f"elevation {table.elevation:.0f}; {' '.join(p.code for p in reading.problems)}"
            )
    summary = summarise(rows)
    for name, values in summary.items():
        print(f"{name:<24}" + "  ".join(f"{key} {value}" for key, value in values.items()))
    if args.out:
        args.out.write_text(json.dumps(summary, indent=1) + "\n", "utf-8")


def summarise(rows: list[tuple[Sample, Outcome]]) -> dict[str, dict[str, float]]:
    """Shares of what was understood, over all scenes and by kind of scene."""
    parts: dict[str, list[Outcome]] = {"all": [outcome for _, outcome in rows]}
    for table, outcome in rows:
        melded = f"melds {table.style.melds}" if table.hand.melds else "no melds"
        for name in (melded, f"winning {table.style.winning}", "elevation " + ("< 40" if table.elevation < 40 else ">= 40")):
            parts.setdefault(name, []).append(outcome)
    summary = {}
    for name, outcomes in sorted(parts.items()):
        n = len(outcomes)
        sure = [o for o in outcomes if o.certain]
        summary[name] = {
            "scenes": n,
            "tiles": round(sum(o.tiles for o in outcomes) / n, 4),
            "groups": round(sum(o.groups for o in outcomes) / n, 4),
            "claims": round(sum(o.claims for o in outcomes) / n, 4),
            "winning": round(sum(o.winning for o in outcomes) / n, 4),
            "hand": round(sum(o.hand for o in outcomes) / n, 4),
            "certain": round(len(sure) / n, 4),
            "certain_wrong": sum(not o.hand for o in sure),
            "median_ms": round(float(np.median([o.milliseconds for o in outcomes])), 1),
        }
    return summary


if __name__ == "__main__":
    main()
