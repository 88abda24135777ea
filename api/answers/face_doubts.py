"""What is left open about a hand, asked together with what each answer would score.

"Is this 3p or 2p? It changes 24 to 8" is the kind of answer Hupai prefers to a guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from hupai.api.contract.score import DoubtModel, OptionOut, QuestionOut
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet, Score
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.types import GroupKind, LikelyHand, Reading, ReadTile

DOUBTFUL_BELOW = 0.95
"""A tile read with less than this is asked about, if another face would also make a winning
hand.
"""
_LEAST_ALTERNATIVE = 0.02
_MOST_QUESTIONS = 3
_MOST_HANDS = 8


class Part(Enum):
    """Where in a `Hand` a tile lies."""

    CONCEALED = "concealed"
    WINNING_TILE = "winning_tile"
    MELD = "meld"
    FLOWERS = "flowers"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one tile; `index` is that of the tile or the meld, `position` the tile's within
    its meld.
    """

    part: Part
    index: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class Doubt:
    """A tile whose face is not sure. `id` is the reading's tile id, or the caller's."""

    id: int
    place: Place
    confidence: float
    alternatives: tuple[tuple[Tile, float], ...]

    @classmethod
    def of_model(cls, model: DoubtModel) -> Doubt:
        """The value of the JSON form."""
        alternatives = tuple(
            (Tile.from_code(code), probability) for code, probability in model.alternatives
        )
        return cls(
            model.id,
            Place(Part(model.part), model.index, model.position),
            model.confidence,
            alternatives,
        )


def tile_at(hand: Hand, place: Place) -> Tile | None:
    """The tile at a place; None where the hand has none there."""
    try:
        match place.part:
            case Part.CONCEALED:
                return hand.concealed[place.index]
            case Part.WINNING_TILE:
                return hand.winning_tile
            case Part.MELD:
                return hand.melds[place.index].tiles[place.position]
            case Part.FLOWERS:
                return hand.flowers[place.index]
    except IndexError:
        return None


def with_tile(hand: Hand, place: Place, tile: Tile) -> Hand:
    """The hand with another tile at a place that exists. In a pung or kong all tiles are one face,
    so all of them change.
    """

    def put(tiles: tuple[Tile, ...], index: int) -> tuple[Tile, ...]:
        return (*tiles[:index], tile, *tiles[index + 1 :])

    match place.part:
        case Part.CONCEALED:
            return replace(hand, concealed=put(hand.concealed, place.index))
        case Part.WINNING_TILE:
            return replace(hand, winning_tile=tile)
        case Part.FLOWERS:
            return replace(hand, flowers=put(hand.flowers, place.index))
        case Part.MELD:
            meld = hand.melds[place.index]
            if meld.kind is MeldKind.CHOW:
                tiles = tuple(sorted(put(meld.tiles, place.position)))
            else:
                tiles = (tile,) * len(meld.tiles)
            melds = (
                *hand.melds[: place.index],
                replace(meld, tiles=tiles),
                *hand.melds[place.index + 1 :],
            )
            return replace(hand, melds=melds)


def winning_tile_question(
    rules: RuleSet, hand: Hand, circumstances: Circumstances
) -> QuestionOut | None:
    """Which tile won, for a hand of 14 that does not say; None where the hand says so or no tile
    makes it a win.
    """
    if hand.winning_tile is not None or hand.size != 14:
        return None
    options = []
    for tile in sorted(set(hand.concealed)):
        index = hand.concealed.index(tile)
        won = replace(
            hand, concealed=hand.concealed[:index] + hand.concealed[index + 1 :], winning_tile=tile
        )
        score = rules.score(won, circumstances)
        if score.complete:
            options.append(_option(tile, won, score, None))
    if not options:
        return None
    return QuestionOut(
        code="which_winning_tile",
        message="Which tile won? " + _difference(options, "the score is the same for each"),
        message_zh="和的是哪一张？" + _difference_zh(options),
        matters=_matters(options),
        options=options,
    )


def face_questions(
    rules: RuleSet, hand: Hand, doubts: Sequence[Doubt], circumstances: Circumstances
) -> list[QuestionOut]:
    """Which face a doubtful tile has, where at least two faces make a winning hand; those that
    change the score first.

    The tiles of a pung or kong have one face, so they are one question.
    """
    open_doubts = [
        d for d in doubts if d.confidence < DOUBTFUL_BELOW and tile_at(hand, d.place) is not None
    ]
    questions = []
    for same in _by_set(hand, sorted(open_doubts, key=lambda d: d.confidence)):
        options = _face_options(rules, hand, same[0], circumstances)
        if len(options) >= 2:
            questions.append(_face_question([doubt.id for doubt in same], options))
    questions.sort(key=lambda question: not question.matters)
    return questions[:_MOST_QUESTIONS]


def likely_by_doubts(hand: Hand, doubts: Sequence[Doubt]) -> tuple[LikelyHand, ...]:
    """The hands that doubtful tiles may make, each tile on its own, likeliest first; none with five
    of a kind.
    """
    likely = [(hand, 1.0)]
    for same in _by_set(
        hand, [doubt for doubt in doubts if tile_at(hand, doubt.place) is not None]
    ):
        place, seen = same[0].place, tile_at(hand, same[0].place)
        faces = [
            (seen, same[0].confidence),
            *((face, p) for face, p in same[0].alternatives if face != seen),
        ]
        longer = [
            (with_tile(one, place, face), share * p)
            for one, share in likely
            for face, p in faces
            if face is not None
        ]
        possible = [
            (one, share) for one, share in longer if max(Counter(one.all_tiles).values()) <= 4
        ]
        likely = sorted(possible, key=lambda pair: -pair[1])[:_MOST_HANDS] or likely
    total = sum(share for _, share in likely)
    return (
        tuple(LikelyHand(one, share / total) for one, share in likely)
        if total > 0
        else (LikelyHand(hand, 1.0),)
    )


def _by_set(hand: Hand, doubts: Sequence[Doubt]) -> list[list[Doubt]]:
    """Doubts about one pung or kong together, every other alone; in the order given."""
    together: dict[Place, list[Doubt]] = {}
    for doubt in doubts:
        place = doubt.place
        if place.part is Part.MELD and hand.melds[place.index].kind is not MeldKind.CHOW:
            place = Place(Part.MELD, place.index)
        together.setdefault(place, []).append(doubt)
    return list(together.values())


def _face_options(
    rules: RuleSet, hand: Hand, doubt: Doubt, circumstances: Circumstances
) -> list[OptionOut]:
    """What the hand scores with each face that the tile may have; faces that make no winning hand
    are left out.
    """
    seen = tile_at(hand, doubt.place)
    likely = [
        (face, p) for face, p in doubt.alternatives if p >= _LEAST_ALTERNATIVE and face != seen
    ]
    options = []
    for face, probability in [(seen, doubt.confidence), *likely]:
        if face is not None:
            variant = with_tile(hand, doubt.place, face)
            score = rules.score(variant, circumstances)
            if score.complete:
                options.append(_option(face, variant, score, probability))
    return options


def _face_question(ids: list[int], options: list[OptionOut]) -> QuestionOut:
    names = " or ".join(option.tile for option in options)
    names_zh = "还是".join(ZH_NAMES[Tile.from_code(option.tile)] for option in options)
    return QuestionOut(
        code="which_face",
        message=f"Is this {names}? " + _difference(options, "the score is the same"),
        message_zh=f"这张是{names_zh}？" + _difference_zh(options),
        tiles=ids,
        matters=_matters(options),
        options=options,
    )


def doubts_of(reading: Reading) -> tuple[Doubt, ...]:
    """The tiles of the likeliest hand that are not sure, with their places in it; none for a
    reading that is certain.

    Places are found by the reading's groups; where these do not give the likeliest hand there are
    none.
    """
    if reading.certain or not reading.hands:
        return ()
    hand = reading.hands[0].hand
    doubts = []
    for tile, place in _places(reading):
        sure = tile.inferred or tile.confidence >= DOUBTFUL_BELOW or not tile.alternatives
        if not sure and tile_at(hand, place) == tile.tile:
            doubts.append(Doubt(tile.id, place, tile.confidence, tile.alternatives))
    return tuple(doubts)


def _places(reading: Reading) -> list[tuple[ReadTile, Place]]:
    """Each tile of the reading's groups with a place in the likeliest hand that holds its face,
    every place used once.
    """
    hand = reading.hands[0].hand
    tiles = {tile.id: tile for tile in reading.tiles}
    free = {
        Part.CONCEALED: list(enumerate(hand.concealed)),
        Part.FLOWERS: list(enumerate(hand.flowers)),
    }
    found: list[tuple[ReadTile, Place]] = []
    melds = 0
    for group in reading.groups:
        members = [tiles[i] for i in group.tiles if i in tiles]
        if group.kind is GroupKind.WINNING_TILE:
            found += [(tile, Place(Part.WINNING_TILE)) for tile in members]
        elif group.kind in (GroupKind.CONCEALED, GroupKind.FLOWERS):
            part = Part.CONCEALED if group.kind is GroupKind.CONCEALED else Part.FLOWERS
            for tile in members:
                place = next(((i, face) for i, face in free[part] if face == tile.tile), None)
                if place is not None:
                    free[part].remove(place)
                    found.append((tile, Place(part, place[0])))
        else:
            if melds < len(hand.melds):
                found += _meld_places(hand.melds[melds], melds, members)
            melds += 1
    return found


def _meld_places(meld: Meld, index: int, members: list[ReadTile]) -> list[tuple[ReadTile, Place]]:
    return [
        (t, Place(Part.MELD, index, meld.tiles.index(t.tile)))
        for t in members
        if t.tile in meld.tiles
    ]


def _option(tile: Tile, hand: Hand, score: Score, probability: float | None) -> OptionOut:
    return OptionOut(
        tile=tile.code,
        probability=probability,
        notation=format_hand(hand),
        complete=score.complete,
        legal=score.legal,
        total=score.total,
        unit=score.unit,
        winner_receives=score.winner_receives,
        fans=[(fan.zh, fan.en, fan.count) for fan in score.fans],
    )


def _matters(options: Sequence[OptionOut]) -> bool:
    return len({(o.total, o.legal, o.winner_receives) for o in options}) > 1


def _difference(options: Sequence[OptionOut], same: str) -> str:
    if not _matters(options):
        return same[0].upper() + same[1:] + "."
    low, high = min(o.total for o in options), max(o.total for o in options)
    return (
        f"It decides between {low} and {high}."
        if low != high
        else "It decides whether the win counts and who pays."
    )


def _difference_zh(options: Sequence[OptionOut]) -> str:
    if not _matters(options):
        return "结果都一样。"
    low, high = min(o.total for o in options), max(o.total for o in options)
    return f"关系到 {low} 还是 {high}。" if low != high else "关系到能否和牌以及付分。"
