"""The outcomes of a stored hand: as it was read, and after each correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hupai.api.answers.hand_belief import HandBelief, WinningTileError
from hupai.api.answers.requests import hand_of_notation, no_such_winner, rule_set
from hupai.api.contract.hand import CircumstancesModel, HandModel, HandOut
from hupai.api.contract.reading import ReadingOut, TileIds, reading_of_json
from hupai.api.contract.score import DoubtModel, ScoreAnswer
from hupai.api.hands.corrected_reading import (
    corrected_reading,
    ids_in_order,
    misfits,
    with_tiles,
)
from hupai.api.hands.photo_work.scored_reading import Outcome, outcome_of
from hupai.api.hands.schemas import AddedTile, HandChange
from hupai.api.storage.rows import CorrectionRow, HandRow
from hupai.api.web.problems import invalid, invalid_field
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.types import Quad, Reading


def after_change(row: HandRow, change: HandChange) -> Outcome:
    """Score the hand after a change, under the rules and circumstances after it.

    Raises:
        ApiProblem: for what is wrong with the change.
    """
    if change.back_to is not None:
        return _as_at(row, change.back_to)
    rules = rule_set(change.rules or row.rules)
    _check_tiles(row, change)
    belief = belief_of(row)
    if change.circumstances is not None:
        belief = HandBelief.of_reading(belief.reading, change.circumstances)
    stated = _stated_hand(change)
    if change.answer is not None:
        belief = belief.after_answer(rules, change.answer)
    elif stated is not None:
        belief = HandBelief.of_hand(stated, belief.circumstances, change.doubts, belief.unknown)
    elif change.confirmed and belief.reading.hands:
        likeliest = belief.reading.hands[0].hand
        belief = HandBelief.of_hand(likeliest, belief.circumstances, (), belief.unknown)
    if belief.reading.hands and change.winning_tile is not None:
        try:
            belief = belief.won_by(Tile.from_code(change.winning_tile))
        except WinningTileError as error:
            raise invalid([no_such_winner(error)]) from None
    outcome = outcome_of(rules, belief)
    _check_ids(row, change, outcome)
    return outcome


def without_repeats(row: HandRow, change: HandChange) -> HandChange:
    """Drop what a change says of tiles on the photo that a correction has said already.

    A client that got no answer to a change sends it again, perhaps with later changes: a tile that
    was added with the same id, face and corners is not added twice, and one that is struck out
    already is not struck out again. What only looks similar is kept, to be refused.
    """
    return _without_repeats(row, change, valid_corrections(row))


def _without_repeats(row: HandRow, change: HandChange, held: Sequence[CorrectionRow]) -> HandChange:
    if not (change.added_tiles or change.no_tiles):
        return change
    known = {tile.id for tile in _reading_after(row, held).tiles}
    said = [one.change for one in held]
    added = [AddedTile.model_validate(tile) for one in said for tile in one.get("added_tiles", ())]
    struck_out = {number for one in said for number in one.get("no_tiles", ())} - known
    left = {
        "added_tiles": [t for t in change.added_tiles if t.id not in known or t not in added],
        "no_tiles": [number for number in change.no_tiles if number not in struck_out],
    }
    return change.model_copy(
        update={name: left[name] for name in left.keys() & change.model_fields_set}
    )


def repeats_last(row: HandRow, change: HandChange) -> bool:
    """Whether a change that says something of tiles on the photo repeats the last one."""
    if not (change.added_tiles or change.no_tiles) or len(row.corrections) < 2:
        return False
    before = held_after(row, len(row.corrections) - 2)
    return as_stored(_without_repeats(row, change, before)) == row.corrections[-1].change


def changes_nothing(row: HandRow, outcome: Outcome, change: HandChange) -> bool:
    """Whether a change would leave everything as it is."""
    if change.back_to is not None and _marks_of(held_after(row, change.back_to)) != _marks_of(
        valid_corrections(row)
    ):
        return False
    marks = change.added_tiles or change.no_tiles or change.confirmed
    says_more = bool(change.reason or marks) or change.tile_ids is not None
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
        return HandBelief.of_reading(Reading(), circumstances)
    if result.verdict is None:
        return HandBelief.of_hand(result.hand.to_hand(), circumstances)
    stated = next((one for one in reversed(valid_corrections(row)) if states_hand(one)), None)
    if stated is None:
        belief = HandBelief(reading_of_json(row.reading), circumstances)
    else:
        doubts = [DoubtModel.model_validate(doubt) for doubt in stated.change.get("doubts", ())]
        hand = (_result(stated.result) or result).hand.to_hand()
        belief = HandBelief.of_hand(hand, circumstances, doubts)
    return belief.restricted_to(result.verdict)


def reading_of(row: HandRow, *, corrected: bool) -> Reading:
    """The reading of a hand, as the model gave it or with what was corrected since."""
    return _reading_after(row, valid_corrections(row) if corrected else ())


def _reading_after(row: HandRow, held: Sequence[CorrectionRow]) -> Reading:
    """The reading after corrections that hold."""
    reading = reading_of_json(row.reading)
    for one in held:
        added = [AddedTile.model_validate(tile) for tile in one.change.get("added_tiles", ())]
        reading = with_tiles(
            reading,
            [(tile.id, Tile.from_code(tile.tile), _quad(tile)) for tile in added],
            one.change.get("no_tiles", ()),
        )
        if one.change.get("tile_ids") is not None and one.result is not None:
            hand = HandOut.model_validate(one.result["hand"]).to_hand()
            ids = TileIds.model_validate(one.change["tile_ids"])
            if one.change.get("hand"):
                ids = ids_in_order(ids, HandModel.model_validate(one.change["hand"]))
            reading = corrected_reading(reading, hand, ids)
    return reading


def _quad(tile: AddedTile) -> Quad:
    a, b, c, d = ((x, y) for x, y in tile.quad)
    return a, b, c, d


def _check_tiles(row: HandRow, change: HandChange) -> None:
    """Check what a change says of tiles on the photo.

    Raises:
        ApiProblem: ``invalid-request``: an added tile has an id of the reading, or lies outside
            the photo; or what is struck out is not a tile of the reading.
    """
    if not (change.added_tiles or change.no_tiles):
        return
    known = {tile.id for tile in reading_of(row, corrected=True).tiles}
    photo = ReadingOut.model_validate(row.reading).photo
    ids = [tile.id for tile in change.added_tiles]
    if known & set(ids) or len(ids) != len(set(ids)):
        raise invalid_field(
            "added_tiles",
            "each needs an id that no tile of the reading has",
            "编号不得与已有的牌重复",
        )
    for tile in change.added_tiles:
        x, y = (sum(values) / 4 for values in zip(*tile.quad, strict=True))
        if not (0 <= x <= photo.width and 0 <= y <= photo.height):
            raise invalid_field("added_tiles", "a tile lies outside the photo", "牌在照片之外")
    if not set(change.no_tiles) <= known:
        raise invalid_field("no_tiles", "the reading has no tile of that id", "没有这张牌")


def _check_ids(row: HandRow, change: HandChange, outcome: Outcome) -> None:
    """Check that the ids of a change fit the tiles of its hand, or of the one that stands.

    A tile that an earlier correction struck out, or added and then took back, is known: a client
    that takes something back while an answer is pending still names it.

    Raises:
        ApiProblem: ``invalid-request``, naming what does not fit.
    """
    if change.tile_ids is None:
        return
    hand: HandModel | HandOut | None = change.hand
    if hand is None and outcome.result is not None:
        hand = HandOut.model_validate(outcome.result["hand"])
    elif hand is not None and change.winning_tile not in (None, hand.winning_tile):
        raise invalid_field(
            "winning_tile",
            "with tile_ids, name the winning tile in `hand`",
            "有 tile_ids 时，请在 hand 中指明和牌张",
        )
    known = {tile.id for tile in reading_of(row, corrected=False).tiles}
    for one in row.corrections:
        known |= {tile["id"] for tile in one.change.get("added_tiles", ())}
    known |= {tile.id for tile in change.added_tiles}
    known -= set(change.no_tiles)
    if wrong := misfits(change.tile_ids, hand or HandModel(concealed=[]), known):
        raise invalid(wrong)


def _stated_hand(change: HandChange) -> Hand | None:
    if change.hand is not None:
        return change.hand.to_hand()
    return None if change.notation is None else hand_of_notation(change.notation)


def states_hand(correction: CorrectionRow) -> bool:
    """Whether a correction says what all tiles are: it gives the hand, or confirms it."""
    return any(correction.change.get(name) for name in ("hand", "notation", "confirmed"))


def _result(document: dict[str, object] | None) -> ScoreAnswer | None:
    """A stored result, whichever version wrote it."""
    return None if document is None else ScoreAnswer.model_validate(document)


def _as_at(row: HandRow, position: int) -> Outcome:
    """The outcome after the correction at this position.

    Raises:
        ApiProblem: ``invalid-request``, if there is no such correction.
    """
    if position >= len(row.corrections):
        last = len(row.corrections) - 1
        raise invalid_field(
            "back_to", f"the last correction is at {last}", f"最后一次更正为第 {last} 次"
        )
    one = row.corrections[position]
    return Outcome(one.rules, one.circumstances, one.notation, one.result)


def valid_corrections(row: HandRow) -> list[CorrectionRow]:
    """The corrections that hold, in order: without those that a later one went back behind."""
    return held_after(row, len(row.corrections) - 1)


def held_after(row: HandRow, position: int) -> list[CorrectionRow]:
    """The corrections that held after the one at this position, in order."""
    held: list[list[CorrectionRow]] = [[]]
    for one in row.corrections[: position + 1]:
        to = one.change.get("back_to")
        held.append([*held[-1], one] if to is None else held[to + 1])
    return held[-1]


def _marks_of(corrections: Sequence[CorrectionRow]) -> list[dict[str, Any]]:
    """What corrections say of tiles on the photo, which no outcome shows."""
    names = ("added_tiles", "no_tiles", "tile_ids", "confirmed")
    said = (
        {name: one.change[name] for name in names if one.change.get(name)} for one in corrections
    )
    return [marks for marks in said if marks]
