"""What must hold between a verdict, its questions, their options, and what comes of answering them.

The questions' worth is compared with a count over every case, written out here without the code
under test.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace

import pytest

from hupai.scoring import rule_sets as rules
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import WINDS, Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.questions.decide import assess
from hupai.vision.questions.types import (
    AnswerOption,
    Assessment,
    OutcomeDistribution,
    Question,
    QuestionKind,
)
from hupai.vision.reading.read import read
from hupai.vision.types import LikelyHand, Reading
from tests.vision.pictures import detections, table

MCR, MCR_2006 = rules.get("mcr-1998"), rules.get("mcr-2006")
SICHUAN, KC = rules.get("sichuan-2024"), rules.get("kc-2.5")


@dataclass(frozen=True)
class Case:
    """A reading, the rules, what is known of the win and what is not."""

    name: str
    reading: Reading
    rules: RuleSet
    unknown: tuple[str, ...] = ()
    given: Circumstances = field(default_factory=Circumstances)

    def verdict(self) -> Assessment:
        return assess(self.reading, self.rules, self.given, self.unknown)


def picture(text: str, rule_set: RuleSet) -> Reading:
    return read(arrange(detections(table(text))), rule_set)


def hands(*likely: tuple[str, float]) -> Reading:
    return Reading(hands=tuple(LikelyHand(parse_hand(text), share) for text, share in likely))


CASES = [
    Case("tile", picture("1m2m3m4p5p6p2s3s4sEE5m6m _ 7m:4m40", MCR), MCR),
    Case("two tiles", picture("1m2m3m4p5p6p7s:9s408s9sEEEP:F40 _ P", MCR), MCR),
    Case(
        "tile and drawn",
        picture("1m2m3m4p5p6p2s3s4sEE5m6m _ 7m:4m40", MCR_2006),
        MCR_2006,
        ("self_drawn",),
    ),
    Case("winning tile", picture("1m2m3m4p5p6p7s8s9sEEEPP", MCR), MCR),
    Case(
        "winning tile and more",
        picture("1m1m1m4p5p6p7s8s9s2m3m4mPP", MCR),
        MCR,
        ("self_drawn", "last_tile"),
    ),
    Case(
        "winds",
        hands(("123m456p789sEEEP +P", 0.98)),
        MCR,
        ("self_drawn", "seat_wind", "round_wind"),
    ),
    Case("kong of unknown kind", picture("1m2m3m4p5p6p7s8s9sPP _ EEEE", MCR), MCR, ("self_drawn",)),
    Case(
        "kong of unknown kind, kc",
        picture("1m2m3m4p5p6p7s8s9sPP _ EEEE", KC),
        KC,
        ("dealer", "self_drawn"),
    ),
    Case("hidden kong", picture("1m2m3m4p5p6p7s8s9sP _ ???? _ P", MCR), MCR),
    Case(
        "sets laid down",
        hands(("123m456p55s78s [EEE] +9s", 0.5), ("123m456p55s78sEEE +9s", 0.4)),
        MCR,
        ("self_drawn",),
    ),
    Case(
        "sichuan",
        picture("1m2m3m4p5p6p7p8p9p5p _ 7m7m7m _ 5p", SICHUAN),
        SICHUAN,
        ("self_drawn", "opponents", "kong_discard"),
    ),
    Case("sichuan flush", hands(("11223344556677m", 0.7), ("11223344556688m", 0.2)), SICHUAN),
    Case(
        "kc",
        hands(("123m456p789sEEPP +E", 0.98)),
        KC,
        ("self_drawn", "dealer", "discarder_is_dealer", "heavenly_win"),
    ),
    Case(
        "below the minimum",
        hands(("234m567p345s22m78p +9p", 0.6), ("234m567p345s22m78p +6p", 0.4)),
        MCR,
        ("self_drawn", "last_tile"),
    ),
    Case(
        "no win or win",
        hands(("123m456p789sEEEP +P", 0.5), ("123m456p789sEEEP +F", 0.4)),
        MCR,
        ("self_drawn",),
    ),
    Case(
        "kong replacement",
        hands(("123m456p78sPP (EEEE) +9s", 0.9)),
        MCR,
        ("self_drawn", "kong_replacement", "last_tile"),
    ),
    Case(
        "given",
        hands(("123m456p789sPP (EEEE)", 0.9)),
        MCR,
        ("self_drawn", "seat_wind"),
        Circumstances(kong_replacement=True),
    ),
    Case(
        "13 tiles",
        hands(("23m456p789sPP [EEE]", 0.6), ("24m456p789sPP [EEE]", 0.3)),
        MCR,
        ("self_drawn", "seat_wind"),
    ),
    Case(
        "flowers apart",
        picture("1m2m3m4p5p6p7s8s9sEEEP _ P\n" + "~\n" * 8 + "1h5h", MCR),
        MCR,
        ("self_drawn",),
    ),
    Case(
        "flowers apart, none used",
        picture("1m2m3m4p5p6p7p8p9p2m2m2m5p _ 5p\n" + "~\n" * 8 + "1h5h", SICHUAN),
        SICHUAN,
    ),
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
every_rule_set = pytest.mark.parametrize(
    "rule_set", rules.all_rules(), ids=lambda rule_set: rule_set.id
)


@each_case
def test_probabilities_are_normalised(case: Case) -> None:
    verdict = case.verdict()
    assert sum(share for _, share in verdict.outcomes) == pytest.approx(1)
    assert sum(hand.probability for hand in verdict.hands) == pytest.approx(1)
    for hand in verdict.hands:
        assert sum(share for _, share in hand.outcomes) == pytest.approx(1)
    for question in verdict.questions:
        assert len(question.options) == len({option.value for option in question.options}) > 1
        assert sum(option.probability for option in question.options) == pytest.approx(1)
        for option in question.options:
            assert sum(share for _, share in option.outcomes) == pytest.approx(1)
            assert sum(likely.probability for likely in option.hands) == pytest.approx(1)


@each_case
def test_every_likely_hand_is_scored(case: Case) -> None:
    found = {hand.hand: hand.probability for hand in case.verdict().hands}
    total = sum(likely.probability for likely in case.reading.hands)
    for likely in case.reading.hands[:1] if case.reading.certain else case.reading.hands:
        share = sum(
            p
            for hand, p in found.items()
            if replace(hand, flowers=likely.hand.flowers) == likely.hand
        )
        assert share == pytest.approx(1 if case.reading.certain else likely.probability / total)


@each_case
def test_an_answer_comes_to_what_its_option_said(case: Case) -> None:
    for question in case.verdict().questions:
        for option in question.options:
            after = answered(case, option).verdict()
            said, got = decided(option.outcomes), decided(after.outcomes)
            if not case.unknown:
                assert set(got) == set(said)
            for outcome in {*got, *said}:
                # What is rare is tried on the likeliest hands only.
                within = 1e-6 if not case.unknown else 0.03 if option.probability > 0.05 else 0.1
                assert said.get(outcome, 0) == pytest.approx(got.get(outcome, 0), abs=within)


@each_case
def test_what_was_answered_is_not_asked_again_and_answers_come_to_an_end(case: Case) -> None:
    asked: list[tuple[QuestionKind, str, tuple[int, ...]]] = []
    for _ in range(10):
        verdict = case.verdict()
        if verdict.question is None:
            break
        asked.append((verdict.question.kind, verdict.question.subject, verdict.question.tiles))
        case = answered(case, verdict.question.options[0])
    else:
        pytest.fail("questions without end")
    assert len(asked) == len(set(asked))
    assert verdict.agreed
    assert len(verdict.outcomes) == 1 or not any(outcome.legal for outcome, _ in verdict.outcomes)


@each_case
def test_the_whole_score_follows_once_all_is_answered(case: Case) -> None:
    """Whichever way it is answered: the rule set agrees with the verdict."""
    for first in range(3):
        at = case
        while (question := at.verdict().question) is not None:
            at = answered(at, question.options[min(first, len(question.options) - 1)])
        (likely, *_) = at.reading.hands
        given = replace(at.given, self_drawn=at.given.self_drawn or at.given.kong_replacement)
        hand = likely.hand
        if hand.winning_tile is None and hand.size == 14:
            hand = winners(hand)[0][0]
        if any(Tile.BACK in meld.tiles for meld in hand.melds):
            continue
        score = at.rules.score(hand, given)
        outcomes = {(o.total, o.legal, o.receives) for o, _ in at.verdict().outcomes}
        assert (score.total, score.legal, score.winner_receives) in outcomes


@each_case
def test_the_question_asked_is_the_one_that_decides_most(case: Case) -> None:
    verdict = case.verdict()
    worlds = counted(case)
    before = entropy(worlds)
    if verdict.agreed:
        assert before == 0
        return
    assert before > 0
    kinds = {QuestionKind.CIRCUMSTANCE: circumstance_gain, QuestionKind.WINNING_TILE: winning_gain}
    gains = {
        question: kinds.get(question.kind, hand_gain)(question, worlds)
        for question in verdict.questions
    }
    for question, gain in gains.items():
        assert question.bits == pytest.approx(gain, abs=0.06), question.text_en
    assert verdict.question is not None
    assert gains[verdict.question] >= max(gains.values()) - 0.02
    for name in case.unknown:
        if (
            name not in {question.subject for question in verdict.questions}
            and name in case.rules.circumstances
        ):
            assert changed_by(name, worlds) < 0.02, name


def test_a_circumstance_that_nobody_needs_is_left_out() -> None:
    chows = hands(("123m456p789s33p78s +6s", 0.99))
    assert asked_names(chows, MCR, ("seat_wind", "round_wind")) == set()
    assert "last_of_kind" not in asked_names(
        hands(("123m456p78s33p99s +9s", 0.99)), MCR, ("last_of_kind",)
    ), "two are held"
    assert "kong_replacement" not in asked_names(chows, MCR, ("kong_replacement", "self_drawn")), (
        "no kong"
    )
    assert asked_names(hands(("123m456p789sEEEP +F", 0.99)), MCR, MCR.circumstances) == set(), (
        "no win either way"
    )
    assert (
        asked_names(hands(("123m456p789sEEEP +P", 0.99)), SICHUAN, SICHUAN.circumstances) == set()
    ), "no winds are played"
    assert not asked_names(
        picture("1m2m3m4p5p6p7p8p9p2m2m2m5p _ 5p", SICHUAN), SICHUAN, ("seat_wind", "dealer")
    ), "not read"
    drawn = Circumstances(self_drawn=True)
    assert "robbing_kong" not in {
        q.subject for q in assess(chows, MCR, drawn, ("robbing_kong", "last_tile")).questions
    }


def test_a_circumstance_that_changes_the_score_is_asked() -> None:
    assert {"self_drawn"} <= asked_names(
        hands(("123m456p789s33p78s +6s", 0.99)), MCR, ("self_drawn",)
    )
    assert {"seat_wind", "round_wind"} <= asked_names(
        hands(("123m456p78s33p [SSS] +9s", 0.99)), MCR, MCR.circumstances
    )
    assert {"kong_replacement"} <= asked_names(
        hands(("123m456p78sPP (EEEE) +9s", 0.99)), MCR, ("self_drawn", "kong_replacement")
    )
    assert {"dealer", "self_drawn"} <= asked_names(
        hands(("123m456p78s33p [SSS] +9s", 0.99)), KC, KC.circumstances
    )
    assert {"opponents"} <= asked_names(
        hands(("123m456m789m33m78m +9m", 0.99)), SICHUAN, SICHUAN.circumstances
    )


def test_a_circumstance_may_lift_a_hand_above_the_minimum() -> None:
    reading = hands(("234m567p345s22m78p +9p", 0.99))
    (asked,) = [
        q for q in assess(reading, MCR, None, ("last_tile",)).questions if q.subject == "last_tile"
    ]
    won = {option.value: option.outcomes[0][0] for option in asked.options}
    assert not won["false"].legal
    assert won["false"].total < MCR.minimum
    assert won["true"].legal
    verdict = assess(reading, MCR, None, ("last_tile",))
    assert "may not win" in verdict.text_en
    assert "不能和" in verdict.text_zh


def test_a_kong_that_replaces_a_tile_was_drawn() -> None:
    """What an answer needs is known with it, so that the score is not contradictory."""
    case = Case(
        "", hands(("123m456p78sPP (EEEE) +9s", 0.9)), MCR, ("self_drawn", "kong_replacement")
    )
    asked = next(q for q in case.verdict().questions if q.subject == "kong_replacement")
    yes = next(option for option in asked.options if option.value == "true")
    assert yes.circumstances == Circumstances(self_drawn=True, kong_replacement=True)
    assert answered(case, yes).verdict().agreed


def test_the_face_of_a_hidden_kong_is_asked_and_never_guessed() -> None:
    reading = picture("1m2m3m4p5p6p7s8s9sP _ ???? _ P", MCR)
    verdict = assess(reading, MCR)
    assert [hand.hand for hand in verdict.hands] == [likely.hand for likely in reading.hands]
    assert all(meld.tiles == (Tile.BACK,) * 4 for hand in verdict.hands for meld in hand.hand.melds)
    asked = verdict.question
    assert asked is not None
    assert asked.kind is QuestionKind.KONG
    assert {reading.tiles[i].tile for i in asked.tiles} == {Tile.BACK}
    held = set(reading.hands[0].hand.all_tiles)
    assert {Tile.from_code(option.value) for option in asked.options} == {
        t for t in MCR.tiles if not t.is_flower
    } - held
    assert len({option.probability for option in asked.options}) == 1
    totals = {option.value: option.outcomes[0][0].total for option in asked.options}
    assert (
        totals["E"]
        == MCR.score(parse_hand("123m456p789sP (EEEE) +P"), Circumstances()).total
        > totals["2p"]
    )


def test_two_hidden_kongs_are_asked_one_after_the_other() -> None:
    case = Case("", hands(("123m456pP (????) (????) +P", 0.9)), MCR)
    for _ in range(2):
        asked = case.verdict().question
        assert asked is not None
        assert asked.kind is QuestionKind.KONG
        case = answered(case, asked.options[0])
    assert case.verdict().agreed


def test_circumstances_that_matter_only_together_are_both_asked() -> None:
    given = Circumstances(self_drawn=False, dealer=False)
    verdict = assess(
        hands(("123m456p789sEEPP +E", 0.98)), KC, given, ("dealer_streak", "discarder_is_dealer")
    )
    assert {question.subject for question in verdict.questions} == {
        "dealer_streak",
        "discarder_is_dealer",
    }
    assert not verdict.agreed


def test_thirteen_tiles_wait() -> None:
    verdict = assess(hands(("123m456p789sEEEP", 0.9)), MCR, None, MCR.circumstances)
    assert verdict.agreed
    assert verdict.question is None
    assert verdict.text_en == "not won, waits for P"
    assert verdict.text_zh == "未和牌，听白"
    doubtful = assess(hands(("123m456p789sEEEP", 0.5), ("123m456p789sEEEF", 0.4)), MCR)
    assert doubtful.question is not None, "the waits differ"


def test_a_certain_reading_is_not_asked_about_its_tiles() -> None:
    reading = replace(
        hands(("123m456p789sEEEP +P", 0.97), ("123m456p789sEEEP +F", 0.01)), certain=True
    )
    assert assess(reading, MCR).agreed
    assert not assess(replace(reading, certain=False), MCR).agreed


@every_rule_set
def test_words_name_what_the_options_come_to(rule_set: RuleSet) -> None:
    verdict = assess(
        hands(("123m456m789m33m78m +9m", 0.6), ("123m456m789m33m78m +6m", 0.3)),
        rule_set,
        None,
        ("self_drawn",),
    )
    assert verdict.question is not None
    assert verdict.question.text_en in verdict.text_en
    assert verdict.question.text_zh in verdict.text_zh
    assert any(str(outcome.total) in verdict.text_en for outcome, _ in verdict.outcomes)
    for question in verdict.questions:
        for option in question.options:
            assert option.label_en.isascii()
            assert option.label_zh


# Answers


def answered(case: Case, option: AnswerOption) -> Case:
    reading = replace(case.reading, hands=option.hands, problems=(), certain=False)
    unknown = tuple(name for name in case.unknown if name not in option.settles)
    return replace(case, reading=reading, given=option.circumstances, unknown=unknown)


def decided(outcomes: OutcomeDistribution) -> dict[tuple[object, ...], float]:
    """What matters of outcomes, with the probabilities."""
    shares: dict[tuple[object, ...], float] = defaultdict(float)
    for outcome, share in outcomes:
        shares[outcome.decides] += share
    return shares


def asked_names(reading: Reading, rule_set: RuleSet, unknown: Iterable[str]) -> set[str]:
    return {
        question.subject
        for question in assess(reading, rule_set, None, unknown).questions
        if question.subject
    }


# Every case, counted

_SHARES: dict[str, tuple[tuple[object, float], ...]] = {
    "self_drawn": ((False, 0.6), (True, 0.4)),
    "last_tile": ((False, 0.98), (True, 0.02)),
    "kong_replacement": ((False, 0.98), (True, 0.02)),
    "kong_discard": ((False, 0.98), (True, 0.02)),
    "dealer": ((False, 0.72), (True, 0.28)),
    "discarder_is_dealer": ((False, 0.75), (True, 0.25)),
    "heavenly_win": ((False, 0.999), (True, 0.001)),
    "seat_wind": tuple((wind, 0.25) for wind in WINDS),
    "round_wind": tuple((wind, 0.25) for wind in WINDS),
    "opponents": ((3, 0.6), (2, 0.25), (1, 0.15)),
}


@dataclass(frozen=True)
class Counted:
    """One case: the likely hand, the hand with everything decided, how it was won, what it comes
    to, how likely it is.
    """

    source: Hand
    hand: Hand
    how: Circumstances
    comes_to: Hashable
    share: float


def counted(case: Case) -> list[Counted]:
    """Every case of a reading with its probability."""
    found = []
    apart = [
        t.tile
        for p in case.reading.problems
        if p.code == "flowers_apart"
        for t in case.reading.tiles
        if t.id in p.tiles
    ]
    usable = tuple(sorted(tile for tile in apart if tile in case.rules.tiles))
    for likely in case.reading.hands[:1] if case.reading.certain else case.reading.hands:
        for source in {
            likely.hand,
            replace(likely.hand, flowers=tuple(sorted((*likely.hand.flowers, *usable)))),
        }:
            ways = [
                w
                for known in named(source, case.rules)
                for hand, times in winners(known)
                for w in cases_of(case, hand, times)
            ]
            total = sum(share for *_, share in ways)
            weight = likely.probability / (2 if usable else 1)
            found += [
                Counted(source, hand, how, outcome, weight * share / total)
                for hand, how, outcome, share in ways
            ]
    total = sum(world.share for world in found)
    return [replace(world, share=world.share / total) for world in found]


def cases_of(
    case: Case, hand: Hand, times: int
) -> list[tuple[Hand, Circumstances, Hashable, float]]:
    """One circumstance after the other, in the order of the rules; what contradicts the ones before
    cannot be.
    """
    ways = [
        (
            replace(case.given, self_drawn=case.given.self_drawn or case.given.kong_replacement),
            float(times),
        )
    ]
    for name in case.rules.circumstances if hand.size != 13 else ():
        if name in case.unknown and not (name == "self_drawn" and case.given.kong_replacement):
            longer = []
            for how, share in ways:
                values = [(replace(how, **{name: value}), part) for value, part in _SHARES[name]]  # type: ignore[arg-type]
                values = [value for value in values if can_be(hand, value[0], case.rules)] or values
                total = sum(part for _, part in values)
                longer += [(changed, share * part / total) for changed, part in values]
            ways = longer
    return [(hand, how, comes_to(hand, how, case.rules), share) for how, share in ways]


def can_be(hand: Hand, how: Circumstances, rule_set: RuleSet) -> bool:
    return not any(
        problem.code == "contradictory_flags" for problem in rule_set.score(hand, how).problems
    )


def comes_to(hand: Hand, how: Circumstances, rule_set: RuleSet) -> Hashable:
    score = rule_set.score(hand, how)
    return (score.total, score.winner_receives) if score.legal else waits_of(hand, rule_set)


def waits_of(hand: Hand, rule_set: RuleSet) -> tuple[Tile, ...]:
    if hand.size != 13:
        return ()
    kinds = [tile for tile in rule_set.tiles if not tile.is_flower]
    return tuple(
        t
        for t in sorted(kinds)
        if rule_set.score(replace(hand, winning_tile=t), Circumstances()).complete
    )


def named(hand: Hand, rule_set: RuleSet) -> list[Hand]:
    if not any(Tile.BACK in meld.tiles for meld in hand.melds):
        return [hand]
    free = [tile for tile in rule_set.tiles if not tile.is_flower and tile not in hand.all_tiles]
    (at,) = [i for i, meld in enumerate(hand.melds) if Tile.BACK in meld.tiles]
    meld = hand.melds[at]
    return [
        replace(
            hand, melds=(*hand.melds[:at], replace(meld, tiles=(t,) * 4), *hand.melds[at + 1 :])
        )
        for t in free
    ]


def winners(hand: Hand) -> list[tuple[Hand, int]]:
    if hand.size != 14 or hand.winning_tile is not None:
        return [(hand, 1)]
    found = []
    for tile, times in Counter(hand.concealed).items():
        rest = list(hand.concealed)
        rest.remove(tile)
        found.append((replace(hand, concealed=tuple(rest), winning_tile=tile), times))
    return found


def entropy(worlds: list[Counted]) -> float:
    shares: dict[Hashable, float] = defaultdict(float)
    for world in worlds:
        shares[world.comes_to] += world.share
    total = sum(shares.values())
    bits = -sum(share / total * math.log2(share / total) for share in shares.values() if share > 0)
    return bits if bits > 1e-12 else 0.0


def gain_of(worlds: list[Counted], key: Callable[[Counted], Hashable]) -> float:
    """How many bits of the outcome are known with the key, on average."""
    parts: dict[Hashable, list[Counted]] = defaultdict(list)
    for world in worlds:
        parts[key(world)].append(world)
    total = sum(world.share for world in worlds)
    return entropy(worlds) - sum(
        sum(w.share for w in part) / total * entropy(part) for part in parts.values()
    )


def changed_by(name: str, worlds: list[Counted]) -> float:
    """Share of the cases that come to something else with another value of this circumstance
    alone.
    """
    alike: dict[Hashable, list[Counted]] = defaultdict(list)
    for world in worlds:
        alike[world.hand, replace(world.how, **{name: None})].append(world)  # type: ignore[arg-type]
    return sum(
        world.share
        for some in alike.values()
        if len({w.comes_to for w in some}) > 1
        for world in some
    )


def circumstance_gain(question: Question, worlds: list[Counted]) -> float:
    return gain_of(worlds, lambda world: getattr(world.how, question.subject))


def winning_gain(question: Question, worlds: list[Counted]) -> float:
    asked = [
        world for world in worlds if world.source.winning_tile is None and world.source.size == 14
    ]
    return sum(world.share for world in asked) * gain_of(
        asked, lambda world: world.hand.winning_tile
    )


def hand_gain(question: Question, worlds: list[Counted]) -> float:
    """By the likely hands that each option leaves, or for a hidden kong by its face."""
    if question.kind is QuestionKind.KONG:
        return gain_of(worlds, lambda world: world.hand.melds)
    home = {likely.hand: option.value for option in question.options for likely in option.hands}
    return gain_of(worlds, lambda world: home[world.source])


def test_counting_finds_what_is_known_to_be_so() -> None:
    """The count itself: a hand of two equally likely scores has one bit, and knowing the hand
    removes it.
    """
    case = Case("", hands(("123m456p789sEEEP +P", 0.5), ("123m456p789sEEEP +F", 0.5)), MCR)
    worlds = counted(case)
    assert entropy(worlds) == pytest.approx(1)
    assert gain_of(worlds, lambda world: world.source) == pytest.approx(1)
    assert [share for _, share in case.verdict().outcomes] == [0.5, 0.5]
