"""Readings with rules and circumstances about which something is asked, and answering them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pytest

from hupai.scoring import rule_sets as rules
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import RuleSet
from hupai.vision.layout.arrange import arrange
from hupai.vision.questions.decide import assess
from hupai.vision.questions.types import (
    AnswerOption,
    Assessment,
    OutcomeDistribution,
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
