"""What a reading comes to under rules, and the one question that decides most.

Every likely hand is scored. If all agree, doubt about the tiles does not matter and nobody need be asked. Otherwise the open
points (a tile, which sets were laid down, which tile won, a circumstance) are compared by how much of the doubt about the outcome
their answer removes, measured as mutual information, and the best is asked, with what each answer would score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from scoring.hand import Circumstances, Hand
from scoring.notation import format_hand
from scoring.result import RuleSet
from scoring.tiles import ZH_NAMES, Tile
from vision.question_circumstances import OPEN
from vision.question_types import AnswerOption, Outcome, Possibility, Question, QuestionKind, Setting, Verdict
from vision.types import Reading

_LEAST_SHARE = 0.02
_LEAST_BITS = 1e-6
_MOST_CONTEXTS = 6

Judge = Callable[[Hand, Circumstances], Outcome | None]


def consider(reading: Reading, rules: RuleSet, circumstances: Circumstances | None = None, unknown: Iterable[str] = ()) -> Verdict:
    """Score a reading's likely hands and find what is worth asking.

    Args:
        reading: of a photo.
        rules: rules in play.
        circumstances: what is known of how the hand was won.
        unknown: names of `Circumstances` fields that are not known; those the rules do not read are passed over.
    """
    given = circumstances or Circumstances()
    possible = possibilities(reading)
    if not possible:
        return Verdict(None, False, "no hand to score", "没有可计分的手牌")
    judge = _judge(rules)
    weighed = [(p, outcome) for p in possible if (outcome := judge(p.hand, given)) is not None]
    if not weighed:
        weighed = [(p, Outcome(0, False, 0)) for p in possible]
    questions = [*_hand_questions(reading, weighed), *_winning_questions(reading, weighed)]
    for name in unknown:
        if name in OPEN and name in rules.circumstances:
            questions += _circumstance_question(name, given, weighed, judge)
    matter = sorted((q for q in questions if q.bits > _LEAST_BITS), key=lambda q: -q.bits)
    return _verdict(weighed, matter, rules)


def possibilities(reading: Reading) -> tuple[Possibility, ...]:
    """The likely hands, each with every tile that may have won where that is open; probabilities sum to 1."""
    if not reading.hands:
        return ()
    top = reading.hands[0].probability
    found: list[Possibility] = []
    for likely in reading.hands:
        if likely.probability < _LEAST_SHARE * top:
            continue
        hand = likely.hand
        if hand.size != 14 or hand.winning_tile is not None:
            found.append(Possibility(hand, hand, likely.probability))
            continue
        for tile, times in sorted(Counter(hand.concealed).items()):
            rest = list(hand.concealed)
            rest.remove(tile)
            share = likely.probability * times / len(hand.concealed)
            found.append(Possibility(Hand(tuple(rest), hand.melds, tile, hand.flowers), hand, share))
    total = sum(p.probability for p in found)
    return tuple(Possibility(p.hand, p.source, p.probability / total) for p in found)


def _judge(rules: RuleSet) -> Judge:
    """Scoring with a memory; None where the circumstances contradict each other or the hand."""
    memory: dict[tuple[Hand, Circumstances], Outcome | None] = {}

    def judge(hand: Hand, circumstances: Circumstances) -> Outcome | None:
        key = (hand, circumstances)
        if key not in memory:
            score = rules.score(hand, circumstances)
            impossible = any(p.code == "contradictory_flags" for p in score.problems)
            memory[key] = None if impossible else Outcome(score.total, score.legal, score.winner_receives)
        return memory[key]

    return judge


Weighed = Sequence[tuple[Possibility, Outcome]]


def _hand_questions(reading: Reading, weighed: Weighed) -> list[Question]:
    """Which tiles, and with the same tiles which melds."""
    found = []
    by_tiles = _split(weighed, lambda p: tuple(sorted((*p.source.all_tiles, *p.source.flowers))))
    if len(by_tiles) > 1:
        found.append(_tile_question(reading, by_tiles, _information(weighed, by_tiles)))
    for part in by_tiles:
        by_melds = _split(part, lambda p: (p.source.melds,))
        if len(by_melds) > 1:
            share = sum(p.probability for p, _ in part)
            found.append(_meld_question(by_melds, share * _information(part, by_melds)))
    return found


def _winning_questions(reading: Reading, weighed: Weighed) -> list[Question]:
    """Which tile won, asked of the likeliest hand."""
    main = max(_split(weighed, lambda p: (p.source,)), key=lambda part: sum(p.probability for p, _ in part))
    if main[0][0].source.winning_tile is not None or main[0][0].source.size != 14:
        return []
    by_tile = _split(main, lambda p: (p.hand.winning_tile,))
    if len(by_tile) < 2:
        return []
    options = []
    for part in by_tile:
        tile = part[0][0].hand.winning_tile
        if tile is not None:
            options.append(_option(tile.code, tile.code, ZH_NAMES[tile], part))
    share = sum(p.probability for p, _ in main)
    ids = tuple(i for g in reading.groups if g.kind.value == "concealed" for i in g.tiles)
    return [
        Question(
            QuestionKind.WINNING_TILE,
            "",
            ids,
            "Which tile completed the hand?",
            "和的是哪一张？",
            _likeliest(options),
            share * _information(main, by_tile),
        )
    ]


def _circumstance_question(name: str, given: Circumstances, weighed: Weighed, judge: Judge) -> list[Question]:
    """A circumstance, over the likeliest possibilities: what it decides when everything else is known."""
    circumstance = OPEN[name]
    settings = circumstance.settings(given)
    contexts = sorted(weighed, key=lambda pair: -pair[0].probability)[:_MOST_CONTEXTS]
    total = sum(p.probability for p, _ in contexts)
    outcomes: list[tuple[Setting, list[tuple[Outcome, float]]]] = [(setting, []) for setting in settings]
    bits = 0.0
    for possibility, _ in contexts:
        here: list[tuple[Outcome, float]] = []
        for setting, seen in outcomes:
            outcome = judge(possibility.hand, setting.circumstances)
            if outcome is not None:
                here.append((outcome, setting.probability))
                seen.append((outcome, possibility.probability / total))
        bits += possibility.probability / total * _entropy(here)
    options = [AnswerOption(s.value, s.label_en, s.label_zh, s.probability, _distinct(seen)) for s, seen in outcomes if seen]
    if len(options) < 2:
        return []
    kind = QuestionKind.CIRCUMSTANCE
    return [Question(kind, name, (), circumstance.text_en, circumstance.text_zh, _likeliest(options), bits)]


def _tile_question(reading: Reading, parts: list[Weighed], bits: float) -> Question:
    """Hands of different tiles: asked as one tile where they differ in one, else as whole hands."""
    parts = sorted(parts, key=lambda part: -sum(p.probability for p, _ in part))[:4]
    main = Counter((*parts[0][0][0].source.all_tiles, *parts[0][0][0].source.flowers))
    changes = []
    for part in parts[1:]:
        other = Counter((*part[0][0].source.all_tiles, *part[0][0].source.flowers))
        changes.append((list((main - other).elements()), list((other - main).elements())))
    removed = {tuple(gone) for gone, _ in changes}
    if len(removed) == 1 and all(len(gone) == len(come) == 1 for gone, come in changes):
        seen = changes[0][0][0]
        others = [come[0] for _, come in changes]
        options = [_option(tile.code, tile.code, ZH_NAMES[tile], part) for tile, part in zip([seen, *others], parts, strict=True)]
        ids = _doubtful(reading, seen, others)
        return Question(
            QuestionKind.TILE, "", ids, f"Is this tile {seen.code}?", f"这张牌是{ZH_NAMES[seen]}吗？", _likeliest(options), bits
        )
    options = [_option(*_named(part), part) for part in parts]
    ids = tuple(t.id for t in reading.tiles if t.in_hand and t.confidence < 0.9)
    return Question(QuestionKind.TILE, "", ids, "Which tiles are these?", "是哪些牌？", _likeliest(options), bits)


def _meld_question(parts: list[Weighed], bits: float) -> Question:
    options = [_option(*_named(part), part) for part in parts]
    return Question(
        QuestionKind.MELDS,
        "",
        (),
        "Which sets were laid down before the win, and how?",
        "和牌前亮出了哪几副，怎样取得？",
        _likeliest(options)[:4],
        bits,
    )


def _named(part: Weighed) -> tuple[str, str, str]:
    text = format_hand(part[0][0].source)
    return text, text, text


def _doubtful(reading: Reading, seen: Tile, others: list[Tile]) -> tuple[int, ...]:
    """The tile of this face that is likeliest to be one of the others."""
    held = [t for t in reading.tiles if t.in_hand and t.tile is seen]
    if not held:
        return ()
    return (max(held, key=lambda t: (sum(share for face, share in t.alternatives if face in others), -t.confidence)).id,)


def _option(value: str, label_en: str, label_zh: str, part: Weighed) -> AnswerOption:
    probability = sum(p.probability for p, _ in part)
    outcomes = _distinct([(outcome, p.probability) for p, outcome in part])
    return AnswerOption(value, label_en, label_zh, probability, outcomes, tuple(dict.fromkeys(p.source for p, _ in part)))


def _likeliest(options: list[AnswerOption]) -> tuple[AnswerOption, ...]:
    return tuple(sorted(options, key=lambda option: (-option.probability, option.value)))


def _split(weighed: Weighed, key: Callable[[Possibility], tuple[object, ...]]) -> list[Weighed]:
    """Parts of the possibilities that agree in a key."""
    parts: dict[tuple[object, ...], list[tuple[Possibility, Outcome]]] = {}
    for pair in weighed:
        parts.setdefault(key(pair[0]), []).append(pair)
    return list(parts.values())


def _information(weighed: Weighed, parts: list[Weighed]) -> float:
    """Mutual information of the outcome and the part, bits."""
    total = sum(p.probability for p, _ in weighed)
    before = _entropy([(outcome, p.probability) for p, outcome in weighed])
    after = sum(
        sum(p.probability for p, _ in part) / total * _entropy([(outcome, p.probability) for p, outcome in part]) for part in parts
    )
    return before - after


def _entropy(outcomes: Sequence[tuple[Outcome, float]]) -> float:
    """Entropy of weighted outcomes, bits; weights need not sum to 1."""
    shares: dict[Outcome, float] = {}
    for outcome, weight in outcomes:
        shares[outcome] = shares.get(outcome, 0.0) + weight
    total = sum(shares.values())
    return -sum(w / total * math.log2(w / total) for w in shares.values() if w > 0) if total > 0 else 0.0


def _distinct(outcomes: Sequence[tuple[Outcome, float]]) -> tuple[Outcome, ...]:
    shares: dict[Outcome, float] = {}
    for outcome, weight in outcomes:
        shares[outcome] = shares.get(outcome, 0.0) + weight
    return tuple(sorted(shares, key=lambda outcome: -shares[outcome]))


_UNITS_ZH = {"fan": "番", "points": "分", "times": "倍"}


def _verdict(weighed: Weighed, matter: list[Question], rules: RuleSet) -> Verdict:
    main = max(weighed, key=lambda pair: pair[0].probability)
    outcome = main[1]
    unit = rules.score(main[0].hand, Circumstances()).unit
    totals = sorted({o.total for _, o in weighed} | {o.total for q in matter for option in q.options for o in option.outcomes})
    unit_zh = _UNITS_ZH.get(unit, unit)
    if not matter and len({o for _, o in weighed}) == 1:
        if len(weighed) == 1:
            return Verdict(outcome, True, f"{outcome.total} {unit}", f"{outcome.total} {unit_zh}")
        return Verdict(outcome, True, f"{outcome.total} {unit} either way", f"无论如何都是 {outcome.total} {unit_zh}")
    span = str(totals[0]) if len(totals) == 1 else f"{totals[0]}-{totals[-1]}"
    if not matter:
        return Verdict(outcome, False, f"{span} {unit}", f"{span} {unit_zh}")
    first = matter[0]
    text_en = f"{span} {unit}, depending on the answer to: {first.text_en}"
    text_zh = f"{span} {unit_zh}，取决于：{first.text_zh}"
    return Verdict(outcome, False, text_en, text_zh, first, tuple(matter[1:]))
