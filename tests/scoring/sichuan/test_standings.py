"""Standings: standard points, every tie the text lists, fines that break ties, and the final
ranking.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from hupai.scoring.sessions.ranking import Entrant, Session, final_ranking
from hupai.scoring.sichuan.deal.log import Deal, Fine, Kong, KongKind, Offence, Seating, Win, Winner
from hupai.scoring.sichuan.deal.settle import settle
from hupai.scoring.sichuan.passed_wins import win_allowed
from hupai.scoring.sichuan.standings import (
    Result,
    StandingError,
    session_results,
    standings,
)


def standard(*scores: int) -> tuple[float, ...]:
    """Standard points of players with these scores, in the same order, nobody fined."""
    placed = {
        s.player: s for s in standings([Result(str(i), score) for i, score in enumerate(scores)])
    }
    return tuple(float(placed[str(i)].standard) for i in range(len(scores)))


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((9, 3, -4, -8), (4, 3, 2, 1)),
        ((-8, 9, -4, 3), (1, 4, 2, 3)),
        ((5, 5, 0, -10), (3.5, 3.5, 2, 1)),
        ((5, 5, 5, -15), (3, 3, 3, 1)),
        ((9, 0, 0, -9), (4, 2.5, 2.5, 1)),
        ((15, -5, -5, -5), (4, 2, 2, 2)),
        ((10, 2, -6, -6), (4, 3, 1.5, 1.5)),
        ((0, 0, 0, 0), (2.5, 2.5, 2.5, 2.5)),
        ((5, 5, -5, -5), (3.5, 3.5, 1.5, 1.5)),
        ((6, 1, -7), (3.6, 2.7, 1.8)),
        ((4, 4, -8), (3.15, 3.15, 1.8)),
        ((8, -4, -4), (3.6, 2.25, 2.25)),
        ((0, 0, 0), (2.7, 2.7, 2.7)),
    ],
)
def test_standard_points_10_4_2_and_10_4_3(
    scores: tuple[int, ...], expected: tuple[float, ...]
) -> None:
    assert standard(*scores) == expected


def test_of_equal_scores_the_one_fined_less_stands_first_10_4_3_a_1() -> None:
    placed = standings(
        [Result("A", 5, fined=4, fines=1), Result("B", 5), Result("C", 0), Result("D", -10)]
    )
    assert [(s.player, s.rank, float(s.standard), s.decided_by) for s in placed] == [
        ("B", 1, 4.0, "fined"),
        ("A", 2, 3.0, "fined"),
        ("C", 3, 2.0, "score"),
        ("D", 4, 1.0, "score"),
    ]


def test_of_equal_fines_the_one_fined_less_often_stands_first_10_4_3_a_2() -> None:
    placed = standings(
        [
            Result("A", 5, fined=4, fines=2),
            Result("B", 5, fined=4, fines=1),
            Result("C", 0),
            Result("D", -10),
        ]
    )
    assert [(s.player, s.decided_by) for s in placed[:2]] == [("B", "fines"), ("A", "fines")]


def test_players_alike_in_all_share_though_a_third_with_the_same_score_was_fined() -> None:
    placed = standings(
        [Result("A", 5), Result("B", 5), Result("C", 5, fined=1, fines=1), Result("D", -15)]
    )
    assert [(s.player, s.rank, float(s.standard)) for s in placed] == [
        ("A", 1, 3.5),
        ("B", 1, 3.5),
        ("C", 3, 2.0),
        ("D", 4, 1.0),
    ]


def test_a_session_adds_up_its_deals_and_fines() -> None:
    seating = Seating(("A", "B", "C", "D"), "A")
    first = settle(
        Deal(
            seating,
            (
                Kong("A", KongKind.CONCEALED),
                Win((Winner("B", 2),), "C"),
                Fine("A", Offence.OTHER, 4),
            ),
        )
    )
    second = settle(Deal(seating, (Win((Winner("C", 1),)), Fine("A", Offence.OTHER, 1))))
    results = session_results([first.ledger, second.ledger], [("D", 2)])
    assert results == (
        Result("A", 6 - 4 - 2 - 1, fined=5, fines=2),
        Result("B", 2 - 2 - 2),
        Result("C", -2 - 2 + 6),
        Result("D", -2 - 2 - 2, fined=2, fines=1),
    )
    with pytest.raises(StandingError, match="same players"):
        session_results([first.ledger, settle(Deal(Seating(("A", "B", "C"), "A"))).ledger])


def test_an_organisers_scale() -> None:
    placed = standings(
        [Result(p, n) for p, n in (("A", 5), ("B", 3), ("C", 3), ("D", -11))], (4, 2, 1, 0)
    )
    assert [s.standard for s in placed] == [4, Fraction(3, 2), Fraction(3, 2), 0]


@pytest.mark.parametrize(
    ("results", "scale"),
    [
        ([Result("A", 0), Result("B", 0)], None),
        ([Result("A", 0), Result("A", 0), Result("B", 0)], None),
        ([Result("A", 0), Result("B", 0), Result("C", 0)], (4, 3, 2, 1)),
    ],
)
def test_invalid_standings_are_refused(
    results: list[Result], scale: tuple[int, ...] | None
) -> None:
    with pytest.raises(StandingError):
        standings(results, scale)


def test_final_ranking_10_4_4() -> None:
    def entrant(name: str, *sessions: tuple[int, int]) -> Entrant:
        return Entrant(name, tuple(Session(Fraction(s), score) for s, score in sessions))

    ranked = final_ranking(
        [
            entrant("less standard", (4, 50), (1, 0)),
            entrant("less score", (3, 10), (3, 10), (2, 0)),
            entrant("lower best", (3, 10), (3, 10), (2, 10)),
            entrant("higher best", (4, 10), (2, 10), (2, 10)),
            entrant("more of the best", (4, 10), (4, 10), (0, 10)),
            entrant("twin", (4, 10), (4, 10), (0, 10)),
        ]
    )
    assert [(rank, one.name) for rank, one in ranked] == [
        (1, "more of the best"),
        (1, "twin"),
        (3, "higher best"),
        (4, "lower best"),
        (5, "less score"),
        (6, "less standard"),
    ]


@pytest.mark.parametrize(
    ("passed", "offered", "flags", "allowed"),
    [
        (1, 0, {}, False),
        (1, 1, {}, False),
        (1, 2, {}, True),
        (0, 1, {}, True),
        (3, 5, {}, False),
        (2, 1, {"own_draw_since_pass": True}, True),
        (2, 1, {"self_drawn": True}, True),
        (2, 1, {"partner_play": True}, True),
    ],
)
def test_passing_a_win_9_3_5(
    passed: int, offered: int, flags: dict[str, bool], allowed: bool
) -> None:
    assert win_allowed(passed, offered, **flags) is allowed
