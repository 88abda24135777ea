"""A score whose reasons are worked out later is like one that was written out."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace

import pytest

from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Reasons, RuleSet, Score, answered
from hupai.scoring.rule_sets import all_rules

EMPTY = Reasons((), (), (), None)


def later(calls: list[int]) -> Score:
    def explain() -> Reasons:
        calls.append(1)
        return EMPTY

    return answered("mcr-1998", True, 8, "fan", (), (), (), explain)


def written() -> Score:
    return Score("mcr-1998", True, True, 8, "fan")


def test_figures_ask_for_no_reasons() -> None:
    calls: list[int] = []
    score = later(calls)
    assert (score.total, score.legal, score.complete, score.winner_receives, score.problems) == (
        8,
        True,
        True,
        0,
        (),
    )
    assert calls == []
    assert (score.fans, score.excluded, score.split, score.runner_up) == ((), (), (), None)
    assert calls == [1]


def test_a_lazy_score_is_indistinguishable_from_an_eager_one() -> None:
    assert later([]) == written()
    assert hash(later([])) == hash(written())
    assert repr(later([])) == repr(written())
    assert asdict(later([])) == asdict(written())
    assert pickle.loads(pickle.dumps(later([]))) == written()
    assert copy.deepcopy(later([])) == written()
    assert replace(later([]), total=9) == replace(written(), total=9)
    assert {field.name for field in fields(Score)} == set(asdict(written()))


def test_it_is_as_frozen_and_has_no_other_attributes() -> None:
    with pytest.raises(FrozenInstanceError):
        later([]).total = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        later([]).points  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError):
        written().points  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("rules", all_rules(), ids=lambda rules: rules.id)
def test_every_rule_set_gives_the_same_answer_twice(rules: RuleSet) -> None:
    hand = parse_hand("123456789m55p67p+8p")
    first, second = (rules.score(hand, Circumstances(self_drawn=True)) for _ in range(2))
    assert first.total == second.total
    assert first == second
    assert first.fans
