"""A reading and its score, in whichever process the photo was read.

Neither the web framework nor the database is imported here: processes that read photos start
without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hupai.api.answers.hand_belief import HandBelief, WinningTileError
from hupai.api.answers.requests import no_such_winner, rule_set
from hupai.api.answers.score_answer import score_answer
from hupai.api.contract import to_dict
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.web.field_errors import FieldError
from hupai.api.web.problems import invalid
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.types import PhotoReading


@dataclass(frozen=True, slots=True)
class Outcome:
    """A hand under rules, scored. `circumstances` and `result` are JSON as it goes out; `notation`
    is None without a hand.
    """

    rules: str
    circumstances: dict[str, Any]
    notation: str | None
    result: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ReadingScorer:
    """Scores a reading as a form asks, in whichever process the photo was read.

    Attributes:
        rules: id of the rule set.
        circumstances: those that are known.
        winning_tile: the tile that won, if the form names it.
    """

    rules: str
    circumstances: CircumstancesModel
    winning_tile: Tile | None

    def __call__(self, answer: PhotoReading) -> ScoredReading:
        """Score the likely hands of a reading, and write it as JSON."""
        belief = HandBelief.of_reading(answer.reading, self.circumstances)
        refused = None
        if belief.reading.hands and self.winning_tile is not None:
            try:
                belief = belief.won_by(self.winning_tile)
            except WinningTileError as error:
                refused = no_such_winner(error)
        return ScoredReading(to_dict(answer), outcome_of(rule_set(self.rules), belief), refused)


@dataclass(frozen=True, slots=True)
class ScoredReading:
    """A reading as JSON, and the outcome of its likeliest hand.

    Attributes:
        refused: what is wrong with the form in view of the reading, if anything.
    """

    reading: dict[str, Any]
    outcome: Outcome
    refused: FieldError | None = None

    def check(self) -> None:
        """Check that the form fits what was read.

        Raises:
            ApiProblem: ``invalid-request``: no likely hand holds the winning tile that it names.
        """
        if self.refused is not None:
            raise invalid([self.refused])


def outcome_of(rules: RuleSet, belief: HandBelief) -> Outcome:
    """The outcome of the likeliest hand; without any hand only rules and the circumstances that
    are known.
    """
    if not belief.reading.hands:
        known = belief.circumstances.model_dump(mode="json", exclude=set(belief.unknown))
        return Outcome(rules.id, known, None, None)
    answer = score_answer(rules, belief)
    circumstances = belief.circumstances.model_dump(mode="json")
    return Outcome(rules.id, circumstances, answer.notation, answer.model_dump(mode="json"))
