"""The questions that may be asked about a hand, each with its options, from the worlds it parts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.notation import format_hand, format_tiles
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.scoring.waits import HAND_SIZE
from hupai.vision.questions.circumstances import OPEN_CIRCUMSTANCES, with_value
from hupai.vision.questions.hypotheses import (
    Hypotheses,
    count_hidden_kongs,
    information,
    outcome_distribution,
    with_kong_faces,
    with_winning_tile,
)
from hupai.vision.questions.types import AnswerOption, Hypothesis, Question, QuestionKind
from hupai.vision.types import GroupKind, LikelyHand, Reading

Settled = Callable[[Hypothesis], Hand]
"""The likely hand of a world, with what the answer says of it."""


def as_read(world: Hypothesis) -> Hand:
    """The likely hand as it is: the answer only says that it is this one."""
    return world.possibility.source


def answer_option(
    value: str,
    labels: tuple[str, str],
    part: Sequence[Hypothesis],
    given: Circumstances,
    settled: Settled = as_read,
    settles: tuple[str, ...] = (),
) -> AnswerOption:
    """The answer that leaves these worlds, its probability not yet divided by the weight of all."""
    share = sum(world.weight for world in part)
    hands: dict[Hand, float] = {}
    for world in part:
        hand = settled(world)
        hands[hand] = hands.get(hand, 0.0) + world.weight
    likely = sorted(hands.items(), key=lambda pair: -pair[1])
    outcomes = outcome_distribution((world.outcome, world.weight) for world in part)
    remaining = tuple(LikelyHand(hand, weight / share) for hand, weight in likely)
    return AnswerOption(value, *labels, share, outcomes, remaining, given, settles)


def question(
    kind: QuestionKind,
    words: tuple[str, str],
    options: Iterable[AnswerOption],
    bits: float,
    *,
    subject: str = "",
    ids: Iterable[int] = (),
) -> Question:
    """A question with its options in order and their probabilities summing to 1."""
    ranked = sorted(options, key=lambda option: (-round(option.probability, 9), option.value))
    total = sum(option.probability for option in ranked)
    sure = tuple(replace(option, probability=option.probability / total) for option in ranked)
    return Question(kind, subject, tuple(ids), *words, sure, bits)


def tile_labels(tile: Tile) -> tuple[str, str]:
    """What a tile is called as an answer."""
    return tile.code, ZH_NAMES[tile]


def kong_question(reading: Reading, cases: Hypotheses, given: Circumstances) -> Question | None:
    """Which tile lies in the first kong that is face down."""
    open_cases = cases.where(
        lambda w: (
            count_hidden_kongs(w.possibility.source) > 0
            and w.possibility.hand != w.possibility.source
        )
    )
    parts = open_cases.partition(hidden_face)
    if len(parts) < 2:
        return None
    options = [
        answer_option(face.code, tile_labels(face), part, given, partial(_kong_named, face))
        for face, part in parts.items()
        if isinstance(face, Tile)
    ]
    down = {tile.id for tile in reading.tiles if tile.tile is Tile.BACK}
    kongs = [
        group.tiles
        for group in reading.groups
        if group.kind is GroupKind.CONCEALED_KONG and set(group.tiles) <= down
    ]
    words = ("Which tile is the kong that lies face down?", "扣着的暗杠是什么牌？")
    bits = _share(open_cases, cases) * information(open_cases.all, parts.values())
    return question(QuestionKind.KONG, words, options, bits, ids=kongs[0] if kongs else ())


def _kong_named(face: Tile, world: Hypothesis) -> Hand:
    return with_kong_faces(world.possibility.source, [face])


def hidden_face(world: Hypothesis) -> Tile | None:
    """The face that the world gives to the first kong that lies face down."""
    pairs = zip(world.possibility.source.melds, world.possibility.hand.melds, strict=True)
    return next((known.tiles[0] for meld, known in pairs if Tile.BACK in meld.tiles), None)


def meld_question(cases: Hypotheses, given: Circumstances) -> Question | None:
    """Which sets were laid down and how, where the same tiles leave it open."""
    by_tiles = cases.partition(lambda w: tiles_of(w.possibility.source))
    if not any(len({_melds(w.possibility.source) for w in part}) > 1 for part in by_tiles.values()):
        return None
    parts = [
        (part[0].possibility.source.melds, part)
        for part in cases.partition(lambda w: _melds(w.possibility.source)).values()
    ]
    bits = information(cases.all, [part for _, part in parts])
    kong = _one_kong([melds for melds, _ in parts])
    if kong is not None:
        kinds = [
            next(m.kind for m in melds if m.is_kong and m.tiles[0] is kong) for melds, _ in parts
        ]
        options = [
            answer_option(kind.value, _KONGS[kind], part, given)
            for kind, (_, part) in zip(kinds, parts, strict=True)
        ]
        words = (
            f"Was the kong of {kong.code} concealed or claimed?",
            f"{ZH_NAMES[kong]}的杠是暗杠还是明杠？",
        )
    else:
        options = []
        for melds, part in parts:
            text = format_hand(Hand((), melds)).strip()
            options.append(
                answer_option(text or "none", (text or "none", text or "没有"), part, given)
            )
        words = (
            "Which sets were laid down before the win, and how?",
            "和牌前亮出了哪几副，怎样取得？",
        )
    return question(QuestionKind.MELDS, words, options, bits)


_KONGS = {
    MeldKind.CONCEALED_KONG: ("concealed", "暗杠"),
    MeldKind.KONG: ("claimed", "明杠"),
    MeldKind.ADDED_KONG: ("added to a pung", "加杠"),
}


def tiles_of(hand: Hand) -> tuple[Tile, ...]:
    """All tiles of a hand but its flowers, sorted."""
    return tuple(sorted(hand.all_tiles))


def flower_question(reading: Reading, cases: Hypotheses, given: Circumstances) -> Question | None:
    """Which flowers belong to the hand, where likely hands differ in that."""
    parts = cases.partition(lambda w: w.possibility.source.flowers)
    if len(parts) < 2:
        return None
    options = []
    for part in parts.values():
        flowers = part[0].possibility.source.flowers
        text = format_tiles(flowers)
        labels = (text or "none", "、".join(ZH_NAMES[face] for face in flowers) or "没有")
        options.append(answer_option(text or "none", labels, part, given))
    ids = [tile.id for tile in reading.tiles if tile.tile.is_flower]
    words = ("Which flowers belong to the hand?", "哪些花牌属于这手牌？")
    return question(
        QuestionKind.FLOWERS, words, options, information(cases.all, parts.values()), ids=ids
    )


def _melds(hand: Hand) -> tuple[tuple[str, tuple[Tile, ...], str], ...]:
    """The melds, their order aside."""
    return tuple(
        sorted(
            (m.kind.value, m.tiles, m.claimed_from.value if m.claimed_from else "")
            for m in hand.melds
        )
    )


def _one_kong(ways: Sequence[tuple[Meld, ...]]) -> Tile | None:
    """The face of the kong whose kind alone tells these melds apart; None where more does."""
    kongs = {meld.tiles[0] for melds in ways for meld in melds if meld.is_kong}
    for face in kongs:
        others = {
            _melds(Hand((), tuple(m for m in melds if not (m.is_kong and m.tiles[0] is face))))
            for melds in ways
        }
        kinds = [m.kind for melds in ways for m in melds if m.is_kong and m.tiles[0] is face]
        if len(others) == 1 and len(kinds) == len(set(kinds)) == len(ways):
            return face
    return None


def winning_tile_question(
    reading: Reading, cases: Hypotheses, given: Circumstances
) -> Question | None:
    """Which tile won, where a likely hand leaves it open."""
    open_hands = {
        w.possibility.source: w.possibility.hand
        for w in cases.all
        if _winning_open(w.possibility.source)
    }
    if all(
        w.possibility.hand == open_hands.get(w.possibility.source, w.possibility.hand)
        for w in cases.all
    ):
        return None
    won = cases.where(lambda w: w.possibility.hand.winning_tile is not None)
    parts = won.partition(lambda w: w.possibility.hand.winning_tile)
    options = [
        answer_option(tile.code, tile_labels(tile), part, given, _winner_taken_out)
        for tile, part in parts.items()
        if isinstance(tile, Tile)
    ]
    ids = [i for group in reading.groups if group.kind is GroupKind.CONCEALED for i in group.tiles]
    asked = won.where(lambda w: _winning_open(w.possibility.source))
    bits = _share(asked, cases) * information(
        asked.all, asked.partition(lambda w: w.possibility.hand.winning_tile).values()
    )
    return question(
        QuestionKind.WINNING_TILE,
        ("Which tile completed the hand?", "和的是哪一张？"),
        options,
        bits,
        ids=ids,
    )


def _winning_open(hand: Hand) -> bool:
    return hand.size == HAND_SIZE + 1 and hand.winning_tile is None


def _winner_taken_out(world: Hypothesis) -> Hand:
    """The likely hand with its winning tile, where it did not say."""
    source, tile = world.possibility.source, world.possibility.hand.winning_tile
    return with_winning_tile(source, tile) if tile is not None and _winning_open(source) else source


def circumstance_questions(cases: Hypotheses, given: Circumstances) -> Iterable[Question]:
    """Each circumstance that may change something. What an answer needs to be true is known with
    it.
    """
    for name in cases.open:
        about = OPEN_CIRCUMSTANCES[name]
        tried = cases.where(partial(_tried, name))
        parts = tried.partition(_value_of(name))
        options = []
        for value, part in parts.items():
            world = part[0]
            settings = about.settings(world.circumstances, world.possibility.hand)
            setting = next((s for s in settings if getattr(s.circumstances, name) == value), None)
            if setting is not None:
                needs = about.needs if setting.value == "true" else {}
                known = with_value(given, name, value)
                for other, needed in needs.items():
                    known = with_value(known, other, needed)
                labels = (setting.label_en, setting.label_zh)
                options.append(
                    answer_option(setting.value, labels, part, known, settles=(name, *needs))
                )
        if len(options) > 1:
            words = (about.text_en, about.text_zh)
            bits = information(tried.all, parts.values())
            yield question(QuestionKind.CIRCUMSTANCE, words, options, bits, subject=name)


def _tried(name: str, world: Hypothesis) -> bool:
    return name in world.tried


def _value_of(name: str) -> Callable[[Hypothesis], Hashable]:
    def value(world: Hypothesis) -> Hashable:
        return getattr(world.circumstances, name)  # type: ignore[no-any-return]

    return value


def _share(some: Hypotheses, cases: Hypotheses) -> float:
    return sum(w.weight for w in some.all) / sum(w.weight for w in cases.all)
