"""Scores, waits and comparisons for Python users, from a hand in notation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Unpack

from hupai.api.answers.hand_belief import HandBelief
from hupai.api.answers.score_answer import score_answer
from hupai.api.contract import to_dict, to_json
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.serialise import column_json
from hupai.api.facade import html
from hupai.api.facade.arguments import (
    CircumstanceArguments,
    RulesLike,
    TileLike,
    given_circumstances,
    hand_of,
    rules_of,
    winning_tile_of,
)
from hupai.api.facade.errors import WinningTileUnknownError
from hupai.api.facade.winning_tile import with_held_winning_tile
from hupai.scoring import rule_sets as registry
from hupai.scoring.compare import Comparison
from hupai.scoring.compare import compare as compare_rules
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.notation import parse_tiles
from hupai.scoring.result import FanLine, Payment, Problem, RuleSet, Score
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import Wait, Waits, common_score, scores_by_winning_tile
from hupai.scoring.waits import waits as find_waits
from hupai.vision.questions.types import Assessment, Question
from hupai.vision.types import PhotoProblem


@dataclass(frozen=True, slots=True, repr=False)
class ScoreResult:
    """A hand scored under a rule set; `print` gives one line, a notebook the whole table.

    Attributes:
        rules: the rule set.
        hand: the hand; with its winning tile, unless every tile gives the same score.
        circumstances: how it was won.
        score: the whole answer of the rule set.
        verdict: what else it may come to, and what is worth asking.
    """

    rules: RuleSet
    hand: Hand
    circumstances: Circumstances
    score: Score
    verdict: Assessment
    _belief: HandBelief

    @property
    def total(self) -> int:
        """What the hand is worth, in `unit`; 0 if it is not a winning hand."""
        return self.score.total

    @property
    def unit(self) -> str:
        """What `total` counts: ``fan``, ``points`` or ``times``."""
        return self.score.unit

    @property
    def complete(self) -> bool:
        """True if the tiles form a winning hand of this rule set."""
        return self.score.complete

    @property
    def legal(self) -> bool:
        """True if the win is allowed: complete, without errors, and not below the minimum."""
        return self.score.legal

    @property
    def fans(self) -> tuple[FanLine, ...]:
        """The fans that count, highest first."""
        return self.score.fans

    @property
    def payments(self) -> tuple[Payment, ...]:
        """Who pays what; empty if the win is not legal."""
        return self.score.payments

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the hand or worth saying, errors first."""
        return self.score.problems

    @property
    def question(self) -> Question | None:
        """The one question that decides most; None if nothing open matters."""
        return self.verdict.question

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object that ``hupai score --json`` prints."""
        return to_dict(score_answer(self.rules, self._belief))

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return to_json(self.to_dict())

    def __str__(self) -> str:
        return f"{self.score}{self._open_question()}"

    def _open_question(self) -> str:
        return "" if self.verdict.agreed else f"; {self.verdict.text_en}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _repr_html_(self) -> str:
        remark = self._open_question().removeprefix("; ")
        return html.score(self.rules, self.hand, self.score, remark)


@dataclass(frozen=True, slots=True, repr=False)
class WaitsResult:
    """The tiles that complete a hand of 13, with what each scores in each way of winning."""

    found: Waits

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tiles that complete the hand; empty if none does."""
        return self.found.tiles

    @property
    def waits(self) -> tuple[Wait, ...]:
        """One entry per tile: how many are left, and its score in each way of winning."""
        return self.found.waits

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What keeps the hand from having waits, such as another number of tiles than 13, or from
        being ready, such as the suit declared void.
        """
        return (*self.found.problems, *self.found.bars)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object that ``hupai waits --json`` prints."""
        return to_dict(self.found)

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return to_json(self.to_dict())

    def __str__(self) -> str:
        return str(self.found)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _repr_html_(self) -> str:
        return html.waits(self.found)


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonResult:
    """One hand under several rule sets, side by side."""

    comparison: Comparison

    @property
    def wins(self) -> tuple[str, ...]:
        """Ids of the rule sets under which the hand wins."""
        return self.comparison.wins()

    @property
    def scores(self) -> dict[str, Score]:
        """The whole answer of each rule set, by its id."""
        return {column.rules: column.score for column in self.comparison.columns}

    def to_dict(self) -> dict[str, Any]:
        """Return the objects that ``hupai compare --json`` prints, as a list under ``columns``."""
        hand = self.comparison.hand
        return {"columns": [column_json(hand, column) for column in self.comparison.columns]}

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return to_json(self.to_dict())

    def __str__(self) -> str:
        return str(self.comparison)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _repr_html_(self) -> str:
        return html.comparison(self.comparison)


def rule_sets() -> tuple[RuleSet, ...]:
    """Return every rule set, the default (mcr-1998) first."""
    return registry.all_rules()


def score(
    hand: str | Hand,
    rules: RulesLike,
    *,
    win: TileLike | None = None,
    **circumstances: Unpack[CircumstanceArguments],
) -> ScoreResult:
    """Score a hand.

    Args:
        hand: in notation, such as ``"23m55pEEE [567m,1] (9999s) 1h +1m"``, or a `Hand`.
        rules: id of a rule set (`rule_sets`), path of a house-rule file, or a rule set.
        win: the winning tile, if the hand does not name it.
        circumstances: how the hand was won, e.g. ``self_drawn=True, seat="E", round="E"``.

    Raises:
        NotationError: the hand cannot be read.
        UnknownRuleSetError, HouseRuleError: the rules cannot be used.
        WinningTileUnknownError: 14 tiles, none of them marked as the winning one, which decides
            the score.
        UnknownCircumstanceError, ArgumentError: an argument is not valid.
    """
    chosen, given = rules_of(rules), circumstances_model(circumstances)
    held = hand_of(hand)
    if win is not None:
        held = with_held_winning_tile(held, winning_tile_of(win))
    return scored(chosen, held, HandBelief.of_hand(held, given))


def scored(rules: RuleSet, hand: Hand, belief: HandBelief) -> ScoreResult:
    """Score the likeliest hand of a belief, with the outcomes of the others.

    Raises:
        WinningTileUnknownError: with what each tile would score as the winning one.
    """
    values = belief.circumstances.to_circumstances()
    found = scores_by_winning_tile(rules, hand, values)
    score = common_score(found) if found else rules.score(hand, values)
    if score is None:
        raise WinningTileUnknownError(
            [(won.winning_tile, one.total) for won, one in found if won.winning_tile is not None]
        )
    return ScoreResult(rules, hand, values, score, belief.verdict(rules), belief)


def waits(
    hand: str | Hand,
    rules: RulesLike,
    *,
    seen: str | Iterable[Tile] = "",
    **circumstances: Unpack[CircumstanceArguments],
) -> WaitsResult:
    """Name the tiles that complete a hand of 13, what each scores, and how many are left.

    Args:
        hand: in notation, or a `Hand`.
        rules: as for `score`.
        seen: tiles in view that are not the hand's own, such as discards: ``"1m5pE"``.
        circumstances: as for `score`.

    Raises:
        NotationError, UnknownRuleSetError, HouseRuleError, ArgumentError: as for `score`.
    """
    values = circumstances_model(circumstances).to_circumstances()
    visible = parse_tiles(seen) if isinstance(seen, str) else tuple(seen)
    return WaitsResult(find_waits(hand_of(hand), rules_of(rules), values, visible))


def compare(
    hand: str | Hand,
    rules: Iterable[str] | None = None,
    *,
    win: TileLike | None = None,
    **circumstances: Unpack[CircumstanceArguments],
) -> ComparisonResult:
    """Score one hand under several rule sets.

    Args:
        hand: in notation, or a `Hand`.
        rules: ids of the rule sets; all of them if None.
        win, circumstances: as for `score`.

    Raises:
        NotationError, UnknownRuleSetError, ArgumentError: as for `score`.
    """
    held = hand_of(hand)
    if win is not None:
        held = with_held_winning_tile(held, winning_tile_of(win))
    values = circumstances_model(circumstances).to_circumstances()
    return ComparisonResult(compare_rules(held, values, rules))


def messages(problems: Iterable[Problem | PhotoProblem]) -> str:
    """Return the messages of problems in one line."""
    return "; ".join(problem.message.removesuffix(".") for problem in problems)


def circumstances_model(circumstances: CircumstanceArguments) -> CircumstancesModel:
    """Return circumstances that know which of them were given.

    Raises:
        UnknownCircumstanceError, ArgumentError: as for `score`.
    """
    return CircumstancesModel.of_fields(given_circumstances(circumstances))
