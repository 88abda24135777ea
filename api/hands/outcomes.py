"""What a stored hand comes to: as it was read, and after each correction."""

from __future__ import annotations

from hupai.api.answers.hand_belief import HandBelief
from hupai.api.answers.requests import hand_of_notation, rule_set
from hupai.api.answers.score_answer import score_answer
from hupai.api.contract.hand import CircumstancesModel, HandOut
from hupai.api.contract.reading import TileIds, reading_of_json
from hupai.api.contract.score import DoubtModel, ScoreAnswer
from hupai.api.hands.corrected_reading import corrected_reading
from hupai.api.hands.forms import HandForm
from hupai.api.hands.schemas import HandChange
from hupai.api.hands.store import Outcome
from hupai.api.storage.rows import CorrectionRow, HandRow
from hupai.api.web.problem_types import INVALID
from hupai.api.web.problems import ApiProblem
from hupai.scoring.hand import Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.types import Reading


def as_read(form: HandForm, reading: Reading) -> Outcome:
    """Score the likely hands of a reading, with the form's `winning_tile` as the tile that won."""
    if not reading.hands:
        return _scored(form.rules, HandBelief(reading, form.circumstances))
    belief = HandBelief.of_reading(reading, form.circumstances)
    if form.winning_tile is not None:
        belief = belief.won_by(form.winning_tile)
    return _scored(form.rules, belief)


def after_change(row: HandRow, change: HandChange) -> Outcome:
    """Score the hand after a change, under the rules and circumstances after it.

    Raises:
        ApiProblem: for what is wrong with the change.
    """
    if change.back_to is not None:
        return _as_at(row, change.back_to)
    rules = rule_set(change.rules or row.rules)
    belief = belief_of(row)
    if change.circumstances is not None:
        belief = HandBelief.of_reading(belief.reading, change.circumstances)
    stated = _stated_hand(change)
    if change.answer is not None:
        belief = belief.after_answer(rules, change.answer)
    elif stated is not None:
        belief = HandBelief.of_hand(stated, belief.circumstances, change.doubts, belief.unknown)
    if belief.reading.hands and change.winning_tile is not None:
        belief = belief.won_by(Tile.from_code(change.winning_tile))
    return _scored(rules, belief)


def changes_nothing(row: HandRow, outcome: Outcome, change: HandChange) -> bool:
    """Whether a change would leave everything as it is."""
    says_more = bool(change.reason) or change.tile_ids is not None
    if says_more and row.corrections[-1].change != as_stored(change):
        return False
    before = (row.rules, row.circumstances, row.notation, _result(row.result))
    return before == (
        outcome.rules, outcome.circumstances, outcome.notation, _result(outcome.result),
    )  # fmt: skip


def as_stored(change: HandChange) -> dict[str, object]:
    """A change as it was sent."""
    return change.model_dump(mode="json", exclude_unset=True)


def belief_of(row: HandRow) -> HandBelief:
    """What the hand may be after all that was read, corrected and answered so far."""
    circumstances = CircumstancesModel.model_validate(row.circumstances)
    result = _result(row.result)
    if result is None:
        return HandBelief(Reading(), circumstances)
    if result.verdict is None:
        return HandBelief.of_hand(result.hand.to_hand(), circumstances)
    stated = next((one for one in reversed(_valid_corrections(row)) if _states_hand(one)), None)
    if stated is None:
        belief = HandBelief(reading_of_json(row.reading), circumstances)
    else:
        doubts = [DoubtModel.model_validate(doubt) for doubt in stated.change.get("doubts", ())]
        hand = (_result(stated.result) or result).hand.to_hand()
        belief = HandBelief.of_hand(hand, circumstances, doubts)
    return belief.restricted_to(result.verdict)


def reading_of(row: HandRow, *, corrected: bool) -> Reading:
    """The reading of a hand, as the model gave it or with what was corrected since."""
    reading = reading_of_json(row.reading)
    for one in _valid_corrections(row) if corrected else ():
        if "tile_ids" in one.change and one.result is not None:
            hand = HandOut.model_validate(one.result["hand"]).to_hand()
            ids = TileIds.model_validate(one.change["tile_ids"])
            reading = corrected_reading(reading, hand, ids)
    return reading


def _scored(rules: RuleSet, belief: HandBelief) -> Outcome:
    """The outcome of the likeliest hand; without any hand only rules and circumstances."""
    if not belief.reading.hands:
        return Outcome(rules.id, belief.circumstances.model_dump(mode="json"), None, None)
    answer = score_answer(rules, belief)
    circumstances = belief.circumstances.model_dump(mode="json")
    return Outcome(rules.id, circumstances, answer.notation, answer.model_dump(mode="json"))


def _stated_hand(change: HandChange) -> Hand | None:
    if change.hand is not None:
        return change.hand.to_hand()
    return None if change.notation is None else hand_of_notation(change.notation)


def _states_hand(correction: CorrectionRow) -> bool:
    return bool({"hand", "notation"} & correction.change.keys())


def _result(document: dict[str, object] | None) -> ScoreAnswer | None:
    """A stored result, whichever version wrote it."""
    return None if document is None else ScoreAnswer.model_validate(document)


def _as_at(row: HandRow, position: int) -> Outcome:
    """The hand as it stood after the correction at this position.

    Raises:
        ApiProblem: ``invalid-request``, where there is no such correction.
    """
    if position >= len(row.corrections):
        last = len(row.corrections) - 1
        raise ApiProblem(
            INVALID,
            f"back_to: the last correction is at {last}.",
            f"back_to：最后一次更正为第 {last} 次。",
        )
    one = row.corrections[position]
    return Outcome(one.rules, one.circumstances, one.notation, one.result)


def _valid_corrections(row: HandRow) -> list[CorrectionRow]:
    """The corrections that hold, in order: without those that a later one went back behind."""
    held: list[list[CorrectionRow]] = [[]]
    for one in row.corrections:
        to = one.change.get("back_to")
        held.append([*held[-1], one] if to is None else held[to + 1])
    return held[-1]
