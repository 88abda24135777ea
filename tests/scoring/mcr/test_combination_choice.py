"""The choice of combinations, against another way to say which choices are allowed."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.mcr.combination_choice import Candidate, candidates, choose, excluded_candidates
from hupai.scoring.mcr.decompositions.parts import CHOWS, PUNGS, Part
from hupai.scoring.mcr.fans import Aspect
from hupai.scoring.mcr.rules import rules_by_id
from hupai.scoring.result import Principle

COMPILED = rules_by_id("mcr-1998").compiled

chow_rows = st.lists(st.sampled_from([i for i in range(27) if i % 9 < 7]), min_size=2, max_size=4)
pung_rows = st.sets(st.integers(0, 33), min_size=2, max_size=4)


def found(parts: tuple[Part, ...], aspect: Aspect) -> list[Candidate]:
    return candidates(parts, COMPILED.fans_by_tiles[aspect], 0)


def is_allowed(chosen: tuple[Candidate, ...]) -> bool:
    """Join sets and fan where a set is used: no circle anywhere (不拆移, 套算一次), no set twice
    in one fan (不得相同).
    """
    groups: list[int] = []
    for candidate in chosen:
        touched = [group for group in groups if group & candidate.mask]
        if any((group & candidate.mask).bit_count() > 1 for group in touched):
            return False
        groups = [group for group in groups if not group & candidate.mask] + [
            sum(touched) | candidate.mask
        ]
    return not any(a.fan is b.fan and a.mask & b.mask for a, b in combinations(chosen, 2))


def best(possible: list[Candidate]) -> int:
    subsets = chain.from_iterable(combinations(possible, size) for size in range(4))
    return max(
        sum(candidate.points for candidate in chosen) for chosen in subsets if is_allowed(chosen)
    )


@given(chow_rows)
def test_no_allowed_choice_of_chows_scores_more(firsts: list[int]) -> None:
    possible = found(tuple(CHOWS[i] for i in sorted(firsts)), Aspect.CHOWS)
    counted = choose(possible)
    assert is_allowed(counted)
    assert sum(candidate.points for candidate in counted) == best(possible)
    assert len(counted) + len(excluded_candidates(possible, counted)) == len(
        {(c.fan.id, c.mask) for c in possible}
    )


@given(pung_rows)
def test_no_allowed_choice_of_pungs_scores_more(tiles: set[int]) -> None:
    possible = found(tuple(PUNGS[i] for i in sorted(tiles)), Aspect.PUNGS)
    assert sum(candidate.points for candidate in choose(possible)) == best(possible)


@pytest.mark.parametrize(
    ("firsts", "names", "reasons"),
    [
        (
            (0, 3, 6),
            ["清龙"],
            {"连六": Principle.NON_SEPARATION, "老少副": Principle.NON_SEPARATION},
        ),
        ((0, 9, 18), ["三色三同顺"], {"喜相逢": Principle.EXCLUDED}),
        ((0, 0, 0), ["一色三同顺"], {"一般高": Principle.EXCLUDED}),
        (
            (0, 1, 2, 3),
            ["一色四步高"],
            {"一色三步高": Principle.EXCLUDED, "连六": Principle.NON_SEPARATION},
        ),
        ((0, 9), ["喜相逢"], {}),
    ],
)
def test_what_counts_and_why_the_rest_does_not(
    firsts: tuple[int, ...], names: list[str], reasons: dict[str, Principle]
) -> None:
    possible = found(tuple(CHOWS[i] for i in firsts), Aspect.CHOWS)
    counted = choose(possible)
    assert [candidate.fan.zh for candidate in counted] == names
    assert {
        out.candidate.fan.zh: out.principle for out in excluded_candidates(possible, counted)
    } == reasons
