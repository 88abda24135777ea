"""Short ways to ask for scores in tests."""

from __future__ import annotations

from hupai.scoring.hand import Circumstances
from hupai.scoring.mcr.rules import rules_by_id
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import RuleSet, Score
from hupai.scoring.tiles import Tile


def score(
    hand: str, flags: str = "", winds: str = "EE", rules: str | RuleSet = "mcr-1998"
) -> Score:
    """Score a hand in notation; `flags` are names of circumstances, `winds` seat and round."""
    named = dict.fromkeys(flags.split(), True)
    circumstances = Circumstances(
        **named,  # type: ignore[arg-type]
        seat_wind=Tile.from_code(winds[0]),
        round_wind=Tile.from_code(winds[1]),
    )
    chosen = rules_by_id(rules) if isinstance(rules, str) else rules
    return chosen.score(parse_hand(hand), circumstances)


def fans(found: Score) -> dict[str, int]:
    """The fan of a score: Chinese name and count."""
    return {line.zh: line.count for line in found.fans}


def excluded(found: Score) -> dict[str, str]:
    """The fan left out: Chinese name and principle; the last one where a fan is left out for
    several reasons.
    """
    return {line.zh: line.principle.value for line in found.excluded}
