"""The problems of a reading: tables of checks, each one small function."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hupai.scoring.hand import Hand, Source
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.conventions import Convention
from hupai.vision.layout.completeness import is_set, may_be_complete
from hupai.vision.layout.types import Arrangement, BlockKind, Layout, Refusal
from hupai.vision.reading.hands import is_complete
from hupai.vision.reading.inference import Inference
from hupai.vision.reading.problem_catalogue import errors_first, problem, tile_problem
from hupai.vision.reading.units import Classes
from hupai.vision.types import Group, GroupKind, PhotoProblem, ReadTile

MIN_CONFIDENCE = 0.9
"""Confidence below which a tile of the hand is reported."""
_MIN_SELECTION_PROBABILITY = 0.8
"""Least probability that the hand consists of the selected tiles."""
_MIN_GEOMETRY_PROBABILITY = 0.5
"""The same by geometry alone, for hands that are legal only with fewer tiles."""
_MIN_OWNER_LOG_ODDS = 2.0
"""Log-odds of the owner's side below which left and right may be exchanged."""
_MIXED_STANCES = 3
"""Number of concealed tiles lying among standing ones, or vice versa, that may be a meld."""
_LOOK_ALIKES = 2
"""Number of likeliest other faces that a tile may really show, however improbable they are."""
_BARS = (Tile.M1, Tile.M2, Tile.M3)
"""Faces whose numerals differ by one bar: in thin print they are confidently mistaken for another.
"""
_MIN_SECOND_SHARE = 0.25
"""Probability of the second hand, relative to the first, from which the grouping is unclear."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The decisions of a reading and their inputs.

    Attributes:
        layout: the layout of the photo.
        inference: the inference over its arrangements.
        arrangement: the chosen grouping.
        faces: face of each tile of the hand by id.
        hand: the hand they form; None if it is not legal.
        groups: the groups of the hand.
        tiles: the tiles of the hand.
        classes: shape (n, 43), class distribution of each detection.
        rules: the rule set, if known.
        habits: the size of a hand, and how melds are laid.
    """

    layout: Layout
    inference: Inference
    arrangement: Arrangement
    faces: dict[int, Tile]
    hand: Hand | None
    groups: tuple[Group, ...]
    tiles: tuple[ReadTile, ...]
    classes: Classes
    rules: RuleSet | None
    habits: Convention

    @property
    def waits(self) -> bool:
        """Whether the hand lacks the winning tile."""
        return self.hand is not None and self.hand.size == self.habits.hand_size

    def tiles_of(self, *kinds: BlockKind) -> list[int]:
        """Return the ids of all tiles in blocks of these kinds."""
        return [i for b in self.arrangement.blocks if b.kind in kinds for i in b.tiles]

    def backs(self) -> set[int]:
        """Return the ids of the tiles that lie face down and stay unknown."""
        return {i for i, face in self.faces.items() if face is Tile.BACK}


def refusal_problem(layout: Layout) -> PhotoProblem:
    """Return the problem that explains why the photo has no hand."""
    count = len(layout.detections) - len(layout.duplicates)
    if layout.refusal is Refusal.TOO_MANY:
        return problem("too_many_tiles_on_photo", (), count)
    if layout.refusal is Refusal.FACE_DOWN:
        return problem("all_face_down")
    if count == 0:
        return problem("no_tiles")
    about = f"{count} tiles lie about but none form a hand"
    return problem("no_hand", (), about if count > 1 else "a single tile makes no hand", count)


def reading_problems(d: Decision) -> tuple[PhotoProblem, ...]:
    """Find the problems of a reading, errors first."""
    found = [problem(code, ids) for code, check in _TILE_CHECKS.items() if (ids := check(d))]
    found += [problem(code) for code, check in _HAND_CHECKS.items() if check(d)]
    found += [one for check in _DETAILED_CHECKS for one in check(d)]
    return errors_first(found)


def _beside_gaps(d: Decision) -> set[int]:
    """Find concealed tiles with room for another tile between them."""
    concealed = set(d.tiles_of(BlockKind.CONCEALED))
    return {i for pair in d.layout.pairs_with_gap if concealed.issuperset(pair) for i in pair}


def _sideways_in_hand(d: Decision) -> list[int]:
    """Find sideways tiles among the concealed ones, and open ones in concealed kongs.

    The axis of a face-down tile cannot be seen.
    """
    sideways = [i for i in d.tiles_of(BlockKind.CONCEALED) if i in d.layout.sideways]
    kongs = [i for i in d.tiles_of(BlockKind.CONCEALED_KONG) if i in d.layout.sideways]
    return sideways + [i for i in kongs if d.inference.seen[i] is not Tile.BACK]


def _flowers_apart(d: Decision) -> list[int]:
    outside = set(range(len(d.inference.seen))).difference(d.faces, d.layout.duplicates)
    return [i for i in outside if d.inference.seen[i].is_flower]


def _owner_unclear(d: Decision) -> list[int]:
    """Find the tiles of melds claimed from left or right, if the owner's side is unclear."""
    if d.layout.owner_log_odds >= _MIN_OWNER_LOG_ODDS:
        return []
    sides = (Source.LEFT, Source.RIGHT)
    melds = (g for g in d.groups if g.claimed_from in sides and g.kind is not GroupKind.CHOW)
    return [i for group in melds for i in group.tiles]


_TILE_CHECKS: dict[str, Callable[[Decision], Collection[int]]] = {
    "cut_by_edge": lambda d: d.layout.cut_by_edge,
    "odd_size": lambda d: d.layout.size_outliers,
    "faint_tile": lambda d: [i for i in d.layout.low_confidence if i in d.faces],
    "gap_in_hand": _beside_gaps,
    "sideways_in_hand": _sideways_in_hand,
    "flowers_apart": _flowers_apart,
    "owner_unclear": _owner_unclear,
    "face_down_tile": lambda d: d.backs().difference(d.tiles_of(BlockKind.CONCEALED_KONG)),
}
"""Checks that return ids of tiles, by the code of the problem reported if there are any."""


def _selection_unclear(d: Decision) -> bool:
    ids = frozenset(d.faces)
    same = (one.log_weight for one in d.layout.arrangements if frozenset(one.tiles) == ids)
    by_geometry = sum(math.exp(log_weight) for log_weight in same)
    probability = d.inference.selection_probability(ids)
    return probability < _MIN_SELECTION_PROBABILITY or by_geometry < _MIN_GEOMETRY_PROBABILITY


def _grouping_unclear(d: Decision) -> bool:
    """Return whether some concealed tiles may be melds.

    The two likeliest hands have the same tiles but different melds, or a set of tiles lies while
    others stand.
    """
    if d.layout.mixed_stances(d.tiles_of(BlockKind.CONCEALED)) >= _MIXED_STANCES:
        return True
    if len(d.inference.hands) < 2 or d.hand is None:
        return False
    (first, p), (second, q) = d.inference.hands[:2]
    same_tiles = Counter(first.all_tiles) == Counter(second.all_tiles)
    melds = [sorted(m.tiles for m in hand.melds) for hand in (first, second)]
    return same_tiles and melds[0] != melds[1] and q > _MIN_SECOND_SHARE * p


_HAND_CHECKS: dict[str, Callable[[Decision], bool]] = {
    "hand_unclear": lambda d: d.layout.doubtful,
    "selection_unclear": _selection_unclear,
    "grouping_unclear": _grouping_unclear,
    "no_legal_hand": lambda d: d.hand is None,
    "winning_tile_unknown": lambda d: (
        d.hand is not None
        and not d.waits
        and d.hand.winning_tile is None
        # In a pair beside four melds either tile may be the winning one: the hand is the same.
        and len({*d.hand.concealed}) > 1
    ),
}
"""Conditions on the whole hand, by the code of the problem reported if they hold."""


def _several_hands(d: Decision) -> Iterator[PhotoProblem]:
    """Report further hands, and whether one of them may be the hand that is meant."""
    others = d.layout.hands_beside(d.faces.keys())
    ids = [i for hand in others for i in hand]
    if d.layout.has_rival and not d.layout.pointed_at:
        yield problem("several_hands", ids, max(len(others), 1) + 1)
    elif others:
        yield problem("further_hands", ids)


def _too_many_of_a_kind(d: Decision) -> Iterator[PhotoProblem]:
    for face, times in sorted(Counter(d.faces.values()).items()):
        ids = [i for i, own in d.faces.items() if own is face]
        if face.is_flower and times > 1:
            yield tile_problem("flower_twice", ids, face)
        elif face.is_playable and times > 4:
            yield tile_problem("five_of_a_kind", ids, face)


def _wrong_size(d: Decision) -> Iterator[PhotoProblem]:
    """Report a wrong number of tiles if they form no legal hand.

    The row may contain a kong, but the number reported is that of all its tiles.
    """
    if d.hand is not None:
        return
    standing = d.tiles_of(BlockKind.CONCEALED, BlockKind.WINNING_TILE)
    kinds = Counter(d.faces[i] for i in standing if not d.faces[i].is_flower)
    outside = (BlockKind.CONCEALED, BlockKind.WINNING_TILE, BlockKind.FLOWERS)
    size = kinds.total() + 3 * sum(b.kind not in outside for b in d.arrangement.blocks)
    kongs = sum(times == 4 for face, times in kinds.items() if face.is_playable)
    waiting, won = d.habits.sizes
    detail = (
        f"{size} tiles, but a hand has {waiting} or {won}",
        f"共 {size} 张，一手牌应为 {waiting} 或 {won} 张",
    )
    if size < waiting:
        yield problem("too_few_tiles", (), *detail)
    elif size - kongs > won:
        yield problem("too_many_tiles", (), *detail)


def _waiting_hand(d: Decision) -> Iterator[PhotoProblem]:
    if d.waits:
        yield problem("thirteen_tiles", (), d.habits.hand_size)


def _almost_won(d: Decision) -> Iterator[PhotoProblem]:
    """Find a tile whose face keeps the hand from winning, although a look-alike would win.

    Hands are laid open because they have won, so a misread tile is likelier there than the class
    distribution says: of 16 such readings outside the fit, 14 were wrong.
    """
    if d.hand is None or d.waits or is_complete(d.hand, d.habits, hidden=True):
        return
    found: list[tuple[float, int, Tile]] = []
    for i, face in d.faces.items():
        if d.inference.seen[i] is Tile.BACK or face.is_flower:
            continue
        shares = d.classes[i]
        ranked = (Tile(g) for g in np.argsort(-shares, kind="stable").tolist())
        others = {*islice((t for t in ranked if t.is_playable and t is not face), _LOOK_ALIKES)}
        for other in sorted(others.union(_BARS) - {face} if face in _BARS else others):
            faces = [other if j == i else own for j, own in d.faces.items()]
            if may_be_complete(faces, d.habits.hand_size):
                found.append((float(shares[other]), i, other))
    if found:
        _, i, other = max(found)
        face = d.faces[i]
        yield problem(
            "almost_won",
            (i,),
            f"{face.code} were {other.code}",
            f"{ZH_NAMES[face]}实为{ZH_NAMES[other]}",
        )


def _broken_sets(d: Decision) -> Iterator[PhotoProblem]:
    for block in d.arrangement.blocks if d.hand is None else ():
        faces = [d.faces[i] for i in sorted(block.tiles)]
        if block.kind is BlockKind.SET and not is_set(faces):
            codes = " ".join(face.code for face in faces)
            yield problem("not_a_set", block.tiles, codes, " ".join(ZH_NAMES[t] for t in faces))


def _kongs(d: Decision) -> Iterator[PhotoProblem]:
    for block in d.arrangement.blocks:
        if block.kind is BlockKind.CONCEALED_KONG and d.backs().issuperset(block.tiles):
            yield problem("kong_face_unknown", block.tiles)
        if block.kind in (BlockKind.CONCEALED_KONG, BlockKind.ADDED_KONG) and len(block.tiles) < 4:
            yield problem("kong_tile_unseen", block.tiles)


def _claims(d: Decision) -> Iterator[PhotoProblem]:
    """Find melds of a legal hand without a sideways tile."""
    claimed = (BlockKind.SET, BlockKind.KONG, BlockKind.ADDED_KONG)
    for block in d.arrangement.blocks if d.hand is not None else ():
        if block.kind in claimed and block.claimed is None:
            yield tile_problem("claim_unknown", block.tiles, *(d.faces[i] for i in block.tiles))


def _open_kongs(d: Decision) -> Iterator[PhotoProblem]:
    """Find open kongs of a legal hand that may be concealed or claimed."""
    best = d.inference.best
    if d.hand is None or best is None:
        return
    for block in d.arrangement.blocks:
        faces = {d.faces[i] for i in block.tiles}
        if block.kind in (BlockKind.KONG, BlockKind.CONCEALED_KONG) and block.claimed is None:
            seen = {d.inference.seen[i] for i in block.tiles}
            if len(faces) == 1 and Tile.BACK not in faces | seen:
                yield tile_problem("kong_kind_unknown", block.tiles, *faces)
    for kind in best.row_kongs:
        ids = (i for i, face in d.faces.items() if face is kind)
        yield tile_problem("kong_kind_unknown", ids, kind)


def _doubtful_tiles(d: Decision) -> Iterator[PhotoProblem]:
    """Find tiles whose face was inferred or is uncertain."""
    for tile in d.tiles:
        seen = Tile(int(d.classes[tile.id].argmax()))
        if seen is Tile.BACK:
            continue
        if tile.inferred:
            yield problem(
                "tile_inferred",
                (tile.id,),
                f"seen as {seen.code}, read as {tile.tile.code}",
                f"看似{ZH_NAMES[seen]}，读作{ZH_NAMES[tile.tile]}",
            )
        elif tile.confidence < MIN_CONFIDENCE and tile.tile is not Tile.BACK:
            others = [face for face, _ in tile.alternatives[:2]]
            codes = f" ({'/'.join(face.code for face in others)})" if others else ""
            names = f"（或{'、'.join(ZH_NAMES[face] for face in others)}）" if others else ""
            yield problem(
                "low_confidence",
                (tile.id,),
                f"{tile.tile.code}{codes}",
                f"{ZH_NAMES[tile.tile]}{names}",
            )


def _outside_rules(d: Decision) -> Iterator[PhotoProblem]:
    """Find tiles that the rule set does not use."""
    if d.rules is not None:
        for face in sorted(set(d.faces.values()) - d.rules.tiles - {Tile.BACK}):
            ids = (i for i, own in d.faces.items() if own is face)
            yield tile_problem("not_in_rules", ids, face)


_DETAILED_CHECKS: tuple[Callable[[Decision], Iterator[PhotoProblem]], ...] = (
    _several_hands,
    _too_many_of_a_kind,
    _wrong_size,
    _waiting_hand,
    _almost_won,
    _broken_sets,
    _kongs,
    _claims,
    _open_kongs,
    _doubtful_tiles,
    _outside_rules,
)
"""Checks whose problems name faces or numbers, or that find several."""
