"""The problems of a reading, each found by one small function."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from hupai.scoring.hand import Hand, Source
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.layout.types import Arrangement, BlockKind, Layout, Refusal
from hupai.vision.reading.inference import Inference
from hupai.vision.reading.problem_catalogue import problem, zh_name
from hupai.vision.reading.units import Classes
from hupai.vision.types import Group, GroupKind, PhotoProblem, ReadTile

LOW_CONFIDENCE = 0.9
"""Tiles of the hand below this are pointed out."""

_CLEAR = 0.8
_CLEAR_BY_PLACE = 0.5
"""Least share of the tiles taken, by where they lie alone: where only fewer tiles make a legal
hand, some doubt stays.
"""


_SEATED = 2.0
"""Log-odds of the owner's seat from which left and right are told apart: below, 1 of 42 rendered
tables had them the wrong way round, above none of 962.
"""


def refusal_problem(layout: Layout) -> PhotoProblem:
    """Why there is no hand on the photo."""
    count = len(layout.detections) - len(layout.duplicates)
    if layout.refusal is Refusal.TOO_MANY:
        return problem("too_many_tiles_on_photo", (), count)
    if layout.refusal is Refusal.FACE_DOWN:
        return problem("all_face_down")
    return problem("no_tiles") if count == 0 else problem("no_hand", (), count)


def photo_problems(
    layout: Layout, inference: Inference, arrangement: Arrangement, faces: dict[int, Tile]
) -> Iterator[PhotoProblem]:
    """What is wrong with the photo as a whole."""
    if layout.other_hands:
        yield problem(
            "several_hands",
            (i for hand in layout.other_hands for i in hand),
            len(layout.other_hands) + 1,
        )
    if layout.cut_by_edge:
        yield problem("cut_by_edge", layout.cut_by_edge)
    if layout.size_outliers:
        yield problem("odd_size", layout.size_outliers)
    faint = [i for i in layout.low_confidence if i in faces]
    if faint:
        yield problem("faint_tile", faint)
    concealed = {
        i for block in arrangement.blocks if block.kind is BlockKind.CONCEALED for i in block.tiles
    }
    apart = {i for pair in layout.pairs_with_gap if concealed.issuperset(pair) for i in pair}
    if apart:
        yield problem("gap_in_hand", apart)
    if concealed & layout.sideways:
        yield problem("sideways_in_hand", concealed & layout.sideways)
    flowers = [
        i
        for i, face in enumerate(inference.seen)
        if face.is_flower and i not in faces and i not in layout.duplicates
    ]
    if flowers:
        yield problem("flowers_apart", flowers)
    ids = frozenset(faces)
    by_place = sum(
        math.exp(way.log_weight) for way in layout.arrangements if ids == frozenset(way.tiles)
    )
    if inference.selection_probability(ids) < _CLEAR or by_place < _CLEAR_BY_PLACE:
        yield problem("selection_unclear")


def owner_problem(layout: Layout, groups: tuple[Group, ...]) -> Iterator[PhotoProblem]:
    """Whether left and right may be mistaken for each other: a sideways tile at an end of a meld is
    read from its owner's seat.
    """
    sides = (Source.LEFT, Source.RIGHT)
    sided = [
        i
        for g in groups
        if g.claimed_from in sides and g.kind is not GroupKind.CHOW
        for i in g.tiles
    ]
    if sided and layout.owner_log_odds < _SEATED:
        yield problem("owner_unclear", sided)


def hand_problems(
    arrangement: Arrangement,
    tiles: tuple[ReadTile, ...],
    inference: Inference,
    hand: Hand | None,
    classes: Classes,
    rules: RuleSet | None,
    sideways: frozenset[int],
) -> Iterator[PhotoProblem]:
    """What is wrong with the hand, or to be asked about it."""
    held = tuple(t for t in tiles if t.in_hand)
    yield from _illegal(arrangement, held, hand)
    yield from _face_down(arrangement, held)
    if hand is not None:
        yield from _winning_tile(hand)
        yield from _melds(arrangement, {t.id: t.tile for t in held}, inference)
    for tile in held:
        yield from _doubtful_tile(tile, classes[tile.id])
    if rules is not None:
        for face in sorted({t.tile for t in held} - rules.tiles - {Tile.BACK}):
            yield problem(
                "not_in_rules", (t.id for t in held if t.tile is face), face.code, zh_name(face)
            )
    if _grouping_unclear(inference):
        yield problem("grouping_unclear")


def _illegal(
    arrangement: Arrangement, held: tuple[ReadTile, ...], hand: Hand | None
) -> Iterator[PhotoProblem]:
    """Too often, too few, too many; and if nothing legal was found, that."""
    faces = Counter(t.tile for t in held)
    for face, times in sorted(faces.items()):
        ids = [t.id for t in held if t.tile is face]
        if face.is_flower and times > 1:
            yield problem("flower_twice", ids, face.code, zh_name(face))
        elif face.is_playable and times > 4:
            yield problem("five_of_a_kind", ids, face.code, zh_name(face))
    if hand is not None:
        return
    size, kongs = _size(arrangement, held)
    if size < 13:
        yield problem("too_few_tiles", (), size)
    elif size - kongs > 14:
        yield problem("too_many_tiles", (), size - kongs)
    broken = [
        b
        for b in arrangement.blocks
        if b.kind is BlockKind.SET and not _is_set([t.tile for t in held if t.id in b.tiles])
    ]
    for block in broken:
        yield problem(
            "not_a_set", block.tiles, " ".join(t.tile.code for t in held if t.id in block.tiles)
        )
    yield problem("no_legal_hand")


def _size(arrangement: Arrangement, held: tuple[ReadTile, ...]) -> tuple[int, int]:
    """Tiles as a player counts them, and how many kongs may stand in the row beyond that."""
    faces = {t.id: t.tile for t in held}
    size = 0
    standing: Counter[Tile] = Counter()
    for block in arrangement.blocks:
        if block.kind in (BlockKind.CONCEALED, BlockKind.WINNING_TILE):
            plain = [faces[i] for i in block.tiles if not faces[i].is_flower]
            size += len(plain)
            standing.update(plain)
        elif block.kind is not BlockKind.FLOWERS:
            size += 3
    return size, sum(times == 4 for face, times in standing.items() if face.is_playable)


def _is_set(faces: list[Tile]) -> bool:
    a, b, c = sorted(faces)
    return a == b == c or (a.is_suited and a.suit is c.suit and b == a + 1 and c == a + 2)


def _face_down(arrangement: Arrangement, held: tuple[ReadTile, ...]) -> Iterator[PhotoProblem]:
    kongs = [b for b in arrangement.blocks if b.kind is BlockKind.CONCEALED_KONG]
    down = {t.id for t in held if t.tile is Tile.BACK}
    for kong in kongs:
        if set(kong.tiles) <= down:
            yield problem("kong_face_unknown", kong.tiles)
        if len(kong.tiles) < 4:
            yield problem("kong_tile_unseen", kong.tiles)
    loose = down - {i for kong in kongs for i in kong.tiles}
    if loose:
        yield problem("face_down_tile", loose)


def _winning_tile(hand: Hand) -> Iterator[PhotoProblem]:
    if hand.size == 13:
        yield problem("thirteen_tiles")
    elif hand.winning_tile is None:
        yield problem("winning_tile_unknown")


def _melds(
    arrangement: Arrangement, faces: dict[int, Tile], inference: Inference
) -> Iterator[PhotoProblem]:
    for block in arrangement.blocks:
        if (
            block.kind in (BlockKind.SET, BlockKind.KONG, BlockKind.ADDED_KONG)
            and block.claimed is None
        ):
            shown = [faces[i] for i in block.tiles]
            yield problem(
                "claim_unknown",
                block.tiles,
                "".join(f.code for f in shown),
                "".join(zh_name(f) for f in shown),
            )
        if block.kind in (BlockKind.KONG, BlockKind.CONCEALED_KONG) and block.claimed is None:
            face = faces[block.tiles[0]]
            if (
                all(faces[i] is face for i in block.tiles)
                and face is not Tile.BACK
                and _all_seen(block.tiles, inference)
            ):
                yield problem("kong_kind_unknown", block.tiles, face.code, zh_name(face))
    for kind in inference.best().row_kongs:
        yield problem(
            "kong_kind_unknown",
            (i for i, face in faces.items() if face is kind),
            kind.code,
            zh_name(kind),
        )


def _all_seen(ids: tuple[int, ...], inference: Inference) -> bool:
    """No tile of the kong lies face down."""
    return all(inference.seen[i] is not Tile.BACK for i in ids)


def _doubtful_tile(tile: ReadTile, row: Classes) -> Iterator[PhotoProblem]:
    seen = Tile(int(row.argmax()))
    if tile.inferred and seen is not Tile.BACK:
        yield problem(
            "tile_inferred",
            (tile.id,),
            f"seen as {seen.code}, read as {tile.tile.code}",
            f"看似{zh_name(seen)}，读作{zh_name(tile.tile)}",
        )
    elif tile.confidence < LOW_CONFIDENCE and tile.tile is not Tile.BACK and seen is not Tile.BACK:
        others = "/".join(face.code for face, _ in tile.alternatives[:2])
        detail = f"{tile.tile.code} ({others})" if others else tile.tile.code
        yield problem("low_confidence", (tile.id,), detail)


def _grouping_unclear(inference: Inference) -> bool:
    """Hands of the same tiles but other melds share the belief."""
    hands = inference.hands
    if len(hands) < 2 or not inference.believes:
        return False
    (first, p), (second, q) = hands[:2]
    same_tiles = Counter(first.all_tiles) == Counter(second.all_tiles)
    exposed = [sorted(m.tiles for m in hand.melds) for hand in (first, second)]
    return same_tiles and exposed[0] != exposed[1] and q > 0.25 * p
