"""The questions about a hand as a whole, each with its options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.notation import format_hand, format_tiles
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.scoring.waits import leaves_winning_tile_open
from hupai.vision.questions.circumstances import OPEN_CIRCUMSTANCES, with_value
from hupai.vision.questions.hypotheses import Hypotheses, outcome_distribution
from hupai.vision.questions.resolved_hands import (
    count_hidden_kongs,
    with_kong_faces,
    with_winning_tile,
)
from hupai.vision.questions.types import AnswerOption, Hypothesis, Question, QuestionKind
from hupai.vision.reading.hands import meld_key
from hupai.vision.types import GroupKind, LikelyHand, Reading

_KONGS = {
    MeldKind.CONCEALED_KONG: ("concealed", "暗杠"),
    MeldKind.KONG: ("claimed", "明杠"),
    MeldKind.ADDED_KONG: ("added to a pung", "加杠"),
}
"""Names of the kinds of kongs as answers, English and Chinese."""


def as_read(hypothesis: Hypothesis) -> Hand:
    """Return the likely hand unchanged, for answers that only select it."""
    return hypothesis.source


def answer_option(
    value: str,
    labels: tuple[str, str],
    part: Sequence[Hypothesis],
    given: Circumstances,
    settled: Callable[[Hypothesis], Hand] = as_read,
    settles: tuple[str, ...] = (),
) -> AnswerOption:
    """Make the answer that leaves some of the hypotheses; its probability is their weight.

    Args:
        value: as in `AnswerOption`.
        labels: how to show it, English and Chinese.
        part: the hypotheses.
        given: the circumstances that hold with the answer.
        settled: returns the likely hand of a hypothesis, updated by the answer.
        settles: names of the circumstances that become known.
    """
    share = sum(h.weight for h in part)
    hands: dict[Hand, float] = {}
    for h in part:
        hand = settled(h)
        hands[hand] = hands.get(hand, 0.0) + h.weight
    likely = sorted(hands.items(), key=lambda pair: -pair[1])
    remaining = tuple(LikelyHand(hand, weight / share) for hand, weight in likely)
    outcomes = outcome_distribution(part)
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
    """Make a question: its options in order, their probabilities summing to 1."""
    ranked = sorted(options, key=lambda option: (-round(option.probability, 9), option.value))
    total = sum(option.probability for option in ranked)
    shares = tuple(replace(option, probability=option.probability / total) for option in ranked)
    return Question(kind, subject, tuple(ids), *words, shares, bits)


def tile_labels(tile: Tile) -> tuple[str, str]:
    """Name a tile as an answer, in English and Chinese."""
    return tile.code, ZH_NAMES[tile]


def tiles_of(hand: Hand) -> tuple[Tile, ...]:
    """List all tiles of a hand except its flowers, sorted."""
    return tuple(sorted(hand.all_tiles))


def kong_question(reading: Reading, cases: Hypotheses, given: Circumstances) -> Question | None:
    """Ask for the face of the first face-down kong."""
    hidden = cases.where(lambda h: count_hidden_kongs(h.source) > 0 and h.hand != h.source)
    parts = hidden.partition(_hidden_face)
    if len(parts) < 2:
        return None
    options = [
        answer_option(
            face.code,
            tile_labels(face),
            part,
            given,
            lambda h: with_kong_faces(h.source, [_hidden_face(h)]),
        )
        for face, part in parts.items()
    ]
    backs = {tile.id for tile in reading.tiles if tile.tile is Tile.BACK}
    kongs = (
        group.tiles
        for group in reading.groups
        if group.kind is GroupKind.CONCEALED_KONG and backs.issuperset(group.tiles)
    )
    words = ("Which tile is the kong that lies face down?", "扣着的暗杠是什么牌？")
    bits = hidden.weight / cases.weight * hidden.information(parts.values())
    return question(QuestionKind.KONG, words, options, bits, ids=next(kongs, ()))


def _hidden_face(h: Hypothesis) -> Tile:
    """Return the face of the first face-down kong in a hypothesis."""
    pairs = zip(h.source.melds, h.hand.melds, strict=True)
    return next(known.tiles[0] for meld, known in pairs if Tile.BACK in meld.tiles)


def meld_question(cases: Hypotheses, given: Circumstances) -> Question | None:
    """Ask which sets were melded and how, if likely hands with the same tiles differ in that."""
    by_tiles = cases.partition(lambda h: tiles_of(h.source))
    if all(len({meld_key(h.source.melds) for h in part}) == 1 for part in by_tiles.values()):
        return None
    parts = list(cases.partition(lambda h: meld_key(h.source.melds)).values())
    meld_choices = [part[0].source.melds for part in parts]
    kong = _only_difference(meld_choices)
    if kong is not None:
        kinds = [next(m.kind for m in melds if _is_kong_of(m, kong)) for melds in meld_choices]
        answers = [(kind.value, _KONGS[kind]) for kind in kinds]
        words = (
            f"Was the kong of {kong.code} concealed or claimed?",
            f"{ZH_NAMES[kong]}的杠是暗杠还是明杠？",
        )
    else:
        texts = [format_hand(Hand((), melds)).strip() for melds in meld_choices]
        answers = [(text or "none", (text or "none", text or "没有")) for text in texts]
        words = (
            "Which sets were laid down before the win, and how?",
            "和牌前亮出了哪几副，怎样取得？",
        )
    options = [
        answer_option(*answer, part, given) for answer, part in zip(answers, parts, strict=True)
    ]
    return question(QuestionKind.MELDS, words, options, cases.information(parts))


def _is_kong_of(meld: Meld, face: Tile) -> bool:
    return meld.is_kong and meld.tiles[0] is face


def _only_difference(meld_choices: Sequence[tuple[Meld, ...]]) -> Tile | None:
    """Return the kong whose kind is the only difference between melds; None if more differs."""
    for face in {meld.tiles[0] for melds in meld_choices for meld in melds if meld.is_kong}:
        others = {
            meld_key([m for m in melds if not _is_kong_of(m, face)]) for melds in meld_choices
        }
        kinds = [m.kind for melds in meld_choices for m in melds if _is_kong_of(m, face)]
        if len(others) == 1 and len(kinds) == len(set(kinds)) == len(meld_choices):
            return face
    return None


def flower_question(reading: Reading, cases: Hypotheses, given: Circumstances) -> Question | None:
    """Ask which flowers belong to the hand, if likely hands differ in that."""
    parts = cases.partition(lambda h: h.source.flowers)
    if len(parts) < 2:
        return None
    options = []
    for flowers, part in parts.items():
        text = format_tiles(flowers) or "none"
        labels = (text, "、".join(ZH_NAMES[face] for face in flowers) or "没有")
        options.append(answer_option(text, labels, part, given))
    ids = [tile.id for tile in reading.tiles if tile.tile.is_flower]
    words = ("Which flowers belong to the hand?", "哪些花牌属于这手牌？")
    bits = cases.information(parts.values())
    return question(QuestionKind.FLOWERS, words, options, bits, ids=ids)


def winning_tile_question(
    reading: Reading, cases: Hypotheses, given: Circumstances
) -> Question | None:
    """Ask for the winning tile, if a likely hand leaves it open."""
    resolved: dict[Hand, set[Hand]] = {}
    for h in cases.all:
        resolved.setdefault(h.source, set()).add(h.hand)
    if not any(
        leaves_winning_tile_open(source) and len(some) > 1 for source, some in resolved.items()
    ):
        return None
    parts = cases.partition(lambda h: h.hand.winning_tile)
    options = [
        answer_option(tile.code, tile_labels(tile), part, given, _with_winner)
        for tile, part in parts.items()
        if tile is not None
    ]
    ids = [i for group in reading.groups if group.kind is GroupKind.CONCEALED for i in group.tiles]
    open_cases = cases.where(
        lambda h: h.hand.winning_tile is not None and leaves_winning_tile_open(h.source)
    )
    open_parts = open_cases.partition(lambda h: h.hand.winning_tile)
    bits = open_cases.weight / cases.weight * open_cases.information(open_parts.values())
    words = ("Which tile completed the hand?", "和的是哪一张？")
    return question(QuestionKind.WINNING_TILE, words, options, bits, ids=ids)


def _with_winner(h: Hypothesis) -> Hand:
    """Return the likely hand with the winning tile filled in."""
    tile = h.hand.winning_tile
    if tile is None or not leaves_winning_tile_open(h.source):
        return h.source
    return with_winning_tile(h.source, tile)


def circumstance_questions(cases: Hypotheses, given: Circumstances) -> Iterator[Question]:
    """Ask about each circumstance that may change something."""
    for name in cases.open:
        found = _circumstance_question(name, cases, given)
        if len(found.options) > 1:
            yield found


def _circumstance_question(name: str, cases: Hypotheses, given: Circumstances) -> Question:
    """Ask about a circumstance; an answer also settles what it needs to be true."""
    about = OPEN_CIRCUMSTANCES[name]
    tried = cases.where(lambda h: name in h.tried)
    parts = tried.partition(lambda h: getattr(h.circumstances, name))
    options = []
    for value, part in parts.items():
        values = about.values(part[0].circumstances, part[0].hand)
        shown = next((v for v in values if getattr(v.circumstances, name) == value), None)
        if shown is not None:
            needs = about.needs if shown.value == "true" else {}
            known = with_value(given, name, value)
            for other, needed in needs.items():
                known = with_value(known, other, needed)
            labels = (shown.label_en, shown.label_zh)
            options.append(answer_option(shown.value, labels, part, known, settles=(name, *needs)))
    words = (about.text_en, about.text_zh)
    bits = tried.information(parts.values())
    return question(QuestionKind.CIRCUMSTANCE, words, options, bits, subject=name)
