"""Beliefs about a hand: what it may be, what is unknown of the win, and what an answer changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hupai.api.answers.doubts import alternatives, hands_by_doubts, tile_at
from hupai.api.answers.verdict import answer_to
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.score import DoubtModel
from hupai.api.contract.verdict import AnswerIn, VerdictOut
from hupai.api.web.problems import invalid_field
from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import Circumstances, Hand, with_winning_tile
from hupai.scoring.notation import format_hand, parse_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import HAND_SIZE
from hupai.vision.questions.circumstances import OPEN_CIRCUMSTANCES, implied
from hupai.vision.questions.decide import assess
from hupai.vision.questions.flower_owner import with_flower_count
from hupai.vision.questions.types import AnswerOption, Assessment
from hupai.vision.types import LikelyHand, Reading, ReadTile


class WinningTileError(HupaiError, ValueError):
    """No likely hand holds the tile that is said to have won.

    Attributes:
        message_zh: the message in Chinese.
    """

    def __init__(self, tile: Tile, likely: Sequence[LikelyHand]) -> None:
        held = format_hand(likely[0].hand)
        more, more_zh = "", ""
        if len(likely) > 1:
            more, more_zh = ", and no other likely hand has one", "，其他可能的手牌也没有"
        self.message_zh = f"手牌 {held} 没有 {tile.code}{more_zh}"
        super().__init__(f"the hand {held} has no {tile.code}{more}")


@dataclass(frozen=True, slots=True)
class HandBelief:
    """What a hand may be, and how it may have been won.

    Attributes:
        reading: its `hands` are the hypotheses left, its tiles are what questions refer to.
        circumstances: those that are known.
        unknown: names of the circumstances that nobody stated.
    """

    reading: Reading
    circumstances: CircumstancesModel
    unknown: tuple[str, ...] = ()

    @classmethod
    def of_reading(cls, reading: Reading, circumstances: CircumstancesModel) -> HandBelief:
        """Start from a reading. Circumstances that a request leaves out are unknown, unless those
        it states need them. Of the hands, those with the stated number of flowers are kept, if any.
        """
        if circumstances.flowers is not None:
            reading = with_flower_count(reading, circumstances.flowers)
        return cls(reading, *stated_and_unknown(circumstances))

    @classmethod
    def of_hand(
        cls,
        hand: Hand,
        circumstances: CircumstancesModel,
        doubts: Sequence[DoubtModel] = (),
        unknown: tuple[str, ...] = (),
    ) -> HandBelief:
        """Start from a stated hand: the only hypothesis, or with `doubts` one of several.

        Circumstances that are left out have their default, except for those in `unknown`.
        """
        tiles = tuple(
            ReadTile(doubt.id, seen, (0.0, 0.0, 0.0, 0.0), doubt.confidence, alternatives(doubt))
            for doubt in doubts
            if (seen := tile_at(hand, doubt)) is not None
        )
        return cls(Reading(tiles, hands=hands_by_doubts(hand, doubts)), circumstances, unknown)

    def verdict(self, rules: RuleSet) -> Assessment:
        """Score every hypothesis under rules and find what is worth asking."""
        return assess(self.reading, rules, self.circumstances.to_circumstances(), self.unknown)

    def after_answer(self, rules: RuleSet, answer: AnswerIn) -> HandBelief:
        """Keep what an answer to one of the verdict's questions leaves.

        Raises:
            ApiProblem: ``invalid-request``, if it does not answer any of those questions.
        """
        for question in self.verdict(rules).questions:
            for option in question.options:
                if answer_to(question, option) == answer:
                    return self._after(option)
        raise invalid_field(
            "answer",
            "that is no option of a question of the hand's verdict as it stands; "
            "send the `change` of one",
            "当前没有这个问题或选项；请发送某个选项的 change",
        )

    def restricted_to(self, verdict: VerdictOut) -> HandBelief:
        """Keep the hands and unknown circumstances that a verdict named."""
        hands = tuple(
            LikelyHand(parse_hand(hand.notation), hand.probability) for hand in verdict.hands
        )
        reading = replace(self.reading, hands=hands, certain=False, problems=())
        return replace(self, reading=reading, unknown=tuple(verdict.unknown))

    def won_by(self, tile: Tile) -> HandBelief:
        """Set the winning tile: keep the hands that hold it, or add it to those of 13 tiles.

        Raises:
            WinningTileError: no hand holds it, and none has 13 tiles.
        """
        likely = self.reading.hands
        fitting = [
            one for one in likely if tile in one.hand.concealed or tile is one.hand.winning_tile
        ] or [one for one in likely if one.hand.winning_tile is None and one.hand.size == HAND_SIZE]
        if not fitting:
            raise WinningTileError(tile, likely)
        hands: dict[Hand, float] = {}
        for one in fitting:
            hand = with_winning_tile(one.hand, tile)
            hands[hand] = hands.get(hand, 0.0) + one.probability
        left = [LikelyHand(hand, probability) for hand, probability in hands.items()]
        left.sort(key=lambda one: -one.probability)
        return replace(self, reading=replace(self.reading, hands=tuple(left)))

    def _after(self, option: AnswerOption) -> HandBelief:
        reading = replace(self.reading, hands=option.hands, certain=False, problems=())
        unknown = tuple(name for name in self.unknown if name not in option.settles)
        return HandBelief(reading, _model(option.circumstances), unknown)


def stated_and_unknown(given: CircumstancesModel) -> tuple[CircumstancesModel, tuple[str, ...]]:
    """Return the circumstances with those that the stated ones need, and the names of the rest."""
    left_out = (name for name in OPEN_CIRCUMSTANCES if name not in given.model_fields_set)
    stated, unknown = implied(given.to_circumstances(), left_out)
    return _model(stated), unknown


def _model(circumstances: Circumstances) -> CircumstancesModel:
    return CircumstancesModel.of(circumstances)
