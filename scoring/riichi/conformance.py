"""The conformance cases of riichi: hands with their yaku, han, fu and payments.

A case names the profile in `rules`. Beside the tiles it may have the flags of `_FLAGS`, `seat` and
`round` (E, S, W, N), `honba`, `riichi_sticks`, `dora_indicators` and `ura_indicators` as runs of
tiles; red fives are written ``0m``. Expected are any of `legal`, `yaku` (by id, Japanese or Chinese
name, with han), `han`, `fu`, `points`, `payments` by payer, `winner_receives` and `problems`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_object,
    case_hand,
    flags,
    text,
    tile_run,
    whole_number,
)
from hupai.scoring.cases.figures import CaseOutcome, CaseRunner, compare
from hupai.scoring.hand import Circumstances
from hupai.scoring.result import Score
from hupai.scoring.riichi.rules import RULES, RiichiRules
from hupai.scoring.tiles import Tile, wind_named

_FLAGS: dict[str, tuple[str, ...]] = {
    "self_drawn": ("self_drawn", "tsumo"),
    "riichi": ("riichi",),
    "double_riichi": ("double_riichi",),
    "ippatsu": ("ippatsu",),
    "kong_replacement": ("kong_replacement", "rinshan"),
    "robbing_kong": ("robbing_kong", "chankan"),
    "last_tile": ("last_tile", "haitei", "houtei"),
    "heavenly_win": ("heavenly_win", "tenhou"),
    "earthly_win": ("earthly_win", "chiihou"),
    "human_win": ("human_win", "renhou"),
    "dealer": ("dealer",),
}
"""Which field of a case sets which circumstance."""

_BY_ID = {rules.id: rules for rules in RULES}


def case_circumstances(case: Case) -> Circumstances:
    """Read the circumstances of a hand case.

    Raises:
        CaseFormatError: for a flag that is not boolean, a wind that is none, tiles that are none.
    """
    return Circumstances(
        **flags(case, _FLAGS),
        seat_wind=_wind(case, "seat"),
        round_wind=_wind(case, "round"),
        honba=whole_number(case, "honba", default=0),
        riichi_sticks=whole_number(case, "riichi_sticks", default=0),
        dora_indicators=tile_run(case.get("dora_indicators") or "", "dora_indicators"),
        ura_indicators=tile_run(case.get("ura_indicators") or "", "ura_indicators"),
    )


def _wind(case: Case, field: str) -> Tile | None:
    if case.get(field) is None:
        return None
    wind = wind_named(text(case, field))
    if wind is None:
        raise CaseFormatError(field, f"{case[field]!r} is no wind: use E, S, W or N")
    return wind


def _rules_of(case: Case) -> RiichiRules:
    name = text(case, "rules")
    if name not in _BY_ID:
        raise CaseFormatError("rules", f"{name!r} is no riichi profile: use {', '.join(_BY_ID)}")
    return _BY_ID[name]


def _run_hand(case: Case) -> CaseOutcome:
    score = _rules_of(case).score(case_hand(case), case_circumstances(case))
    details = dict(score.details)
    figures = {
        "legal": score.legal,
        "yaku": {line.zh: line.points * line.count for line in score.fans},
        "han": details.get("han", 0),
        "fu": details.get("fu", 0),
        "points": score.total,
        "payments": {payment.payer: payment.amount for payment in score.payments},
        "winner_receives": score.winner_receives,
        "problems": [problem.code for problem in score.problems],
    }

    def compare_yaku(wanted: object, _: object) -> Iterator[str]:
        return _yaku_differences(wanted, score)

    def compare_problems(wanted: object, got: object) -> Iterator[str]:
        missing = [code for code in wanted if code not in got]  # type: ignore[attr-defined,operator]
        yield from (f"problems: {code} is missing" for code in missing)

    comparisons = {"yaku": compare_yaku, "problems": compare_problems}
    return compare(case, figures, [p.message for p in score.problems], comparisons=comparisons)


def _yaku_differences(wanted: object, score: Score) -> Iterator[str]:
    """Compare yaku by any of their names."""
    named = as_object(wanted, "expected.yaku")
    left = dict(named)
    for line in score.fans:
        name = next((n for n in (line.id, line.zh, line.ja) if n in left), None)
        if name is None:
            yield f"yaku: {line.zh} ({line.id}) should not count"
        elif left.pop(name) != line.points * line.count:
            yield f"yaku: {name} expected {named[name]}, got {line.points * line.count}"
    yield from (f"yaku: {name} is missing" for name in left)


CASE_KINDS: dict[str, CaseRunner] = {"hand": _run_hand}
"""Runs each kind of case."""
