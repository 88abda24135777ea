"""Standings of a session: standard points for three and four players, ties (10.4.2-10.4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.errors import HupaiError
from hupai.scoring.result import Problem
from hupai.scoring.sichuan.deal.payments import Ledger

STANDARD_POINTS: dict[int, tuple[Fraction, ...]] = {
    4: (Fraction(4), Fraction(3), Fraction(2), Fraction(1)),
    3: (Fraction(36, 10), Fraction(27, 10), Fraction(18, 10)),
}
"""Standard points (标准分) by place, for four and three players (10.4.2)."""


class StandingError(HupaiError, ValueError):
    """The scores cannot be ranked as given; the message says what is needed."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a player brings to the standing.

    Attributes:
        player: the name.
        score: points of the session (局分), fines already taken off.
        fined: points lost to fines, positive (10.4.3 a 1).
        fines: how many fines that were (10.4.3 a 2).
    """

    player: str
    score: int
    fined: int = 0
    fines: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place in a session.

    Attributes:
        player: the name.
        rank: 1 for the first; tied players share the better rank.
        tied: with how many others the rank is shared.
        standard: standard points.
        decided_by: ``score``, or for equal scores ``fined`` (less lost to fines) or ``fines``
            (fewer of them); ``shared`` if all is equal.
        clause: clause of the rule.
    """

    player: str
    rank: int
    tied: int
    standard: Fraction
    decided_by: str
    clause: str


def session_results(
    ledgers: Sequence[Ledger], late_fines: Iterable[tuple[str, int]] = ()
) -> tuple[Result, ...]:
    """Collect what each player of a session brings to the standing after these deals.

    Args:
        ledgers: the deals of the session, all of the same players.
        late_fines: fines outside the deals, as (player, positive points): coming late and the like
            (11.1 b 1).

    Raises:
        StandingError: if the deals are not all of the same players.
    """
    players = ledgers[0].players if ledgers else ()
    if any(set(ledger.players) != set(players) for ledger in ledgers):
        raise StandingError("the deals of a session must all be of the same players")
    late = list(late_fines)
    found: list[Result] = []
    for player in players:
        own = [points for name, points in late if name == player]
        fines = [*own, *(points for ledger in ledgers for points in ledger.fines(player))]
        score = sum(ledger.net(player) for ledger in ledgers) - sum(own)
        found.append(Result(player, score, sum(fines), len(fines)))
    return tuple(found)


def balance_problems(results: Sequence[Result]) -> tuple[Problem, ...]:
    """Say by how much scores miss what fines alone would leave: they sum to minus the fines."""
    total, fined = sum(one.score for one in results), sum(one.fined for one in results)
    if total == -fined:
        return ()
    off = total + fined
    return (
        problem(
            "deal_balance",
            f"The scores sum to {total:+d}, and with {fined} points of fines they should sum to "
            f"{-fined:+d}: the difference is {off:+d} (10.2.3).",
            f"比赛分合计{total:+d}，罚分共{fined}，应合计{-fined:+d}：相差{off:+d}（10.2.3）。",
        ),
    )


def standings(
    results: Sequence[Result], standard_points: Sequence[Fraction | int] | None = None
) -> tuple[Standing, ...]:
    """Rank the players of one session, best first.

    Equal scores are ranked by less lost to fines, then by fewer fines (10.4.3 a); who is equal in
    all three shares the mean of the places' standard points, which is what 10.4.3 b and c list.

    Args:
        results: three or four players.
        standard_points: an organiser's scale, best place first (note to 10.4.2); the rules' own if
            None.

    Raises:
        StandingError: for another number of players, or a scale of another length.
    """
    n = len(results)
    if n not in STANDARD_POINTS or len({r.player for r in results}) != n:
        raise StandingError(
            f"a table has three or four different players, got {[r.player for r in results]}"
        )
    scale = tuple(Fraction(p) for p in (standard_points or STANDARD_POINTS[n]))
    if len(scale) != n:
        raise StandingError(f"{n} players need {n} standard points, got {len(scale)}")
    places: list[Standing] = []
    for key in sorted({_key(r) for r in results}):
        equal = [r for r in results if _key(r) == key]
        start = len(places)
        shared = sum(scale[start : start + len(equal)], Fraction(0)) / len(equal)
        places += [_standing(r, start + 1, len(equal) - 1, shared, results) for r in equal]
    return tuple(places)


def _key(result: Result) -> tuple[int, int, int]:
    return (-result.score, result.fined, result.fines)


def _standing(
    result: Result, rank: int, tied: int, standard: Fraction, results: Sequence[Result]
) -> Standing:
    level = [r for r in results if r.score == result.score and r is not result]
    clause = "10.4.3 b" if len(results) == 4 else "10.4.3 c"
    if tied:
        return Standing(result.player, rank, tied, standard, "shared", clause)
    if not level:
        return Standing(result.player, rank, tied, standard, "score", "10.4.2")
    if all(r.fined != result.fined for r in level):
        return Standing(result.player, rank, tied, standard, "fined", "10.4.3 a 1")
    return Standing(result.player, rank, tied, standard, "fines", "10.4.3 a 2")
