"""Where a hand stands: what it may still be, what is not known of the win, and what an answer
leaves of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from hupai.api.answers.face_doubts import Doubt, likely_by_doubts, tile_at
from hupai.api.answers.score import answer_hand, with_winning_tile
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.score import ScoreAnswer
from hupai.api.contract.verdict import (
    AnswerChange,
    AnswerIn,
    OutcomeShareOut,
    ScoredHandOut,
    VerdictOptionOut,
    VerdictOut,
    VerdictQuestionOut,
)
from hupai.api.web.problem_types import INVALID
from hupai.api.web.problems import ApiProblem
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.notation import format_hand, parse_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.questions.circumstances import OPEN_CIRCUMSTANCES, implied
from hupai.vision.questions.decide import assess
from hupai.vision.questions.types import AnswerOption, Assessment, OutcomeDistribution, Question
from hupai.vision.types import LikelyHand, Reading, ReadTile

_DIGITS = 4
_LEAST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Standing:
    """What a hand may be, and which circumstances nobody told. `reading` is asked about, its hands
    are those left.
    """

    reading: Reading
    circumstances: CircumstancesModel
    unknown: tuple[str, ...]

    def verdict(self, rules: RuleSet) -> Assessment:
        """What it comes to under rules."""
        return assess(self.reading, rules, self.circumstances.to_circumstances(), self.unknown)

    def answered(self, rules: RuleSet, answer: AnswerIn) -> Standing:
        """What an answer leaves.

        Raises:
            ApiProblem: ``invalid-request``, where that is not asked or is no answer to it.
        """
        for question in self.verdict(rules).questions:
            for option in question.options:
                if _answer(question, option) == answer:
                    return self._after(option)
        raise ApiProblem(
            INVALID,
            "answer: that is no option of a question of the hand's verdict as it stands; send the `change` of one.",
            "answer：当前没有这个问题或选项；请发送某个选项的 change。",
        )

    def _after(self, option: AnswerOption) -> Standing:
        reading = replace(self.reading, hands=option.hands, certain=False, problems=())
        unknown = tuple(name for name in self.unknown if name not in option.settles)
        return Standing(reading, _model(option.circumstances), unknown)


def standing_of(reading: Reading, circumstances: CircumstancesModel) -> Standing:
    """How a reading stands under the circumstances of a request: those it leaves out are unknown,
    unless others need them.
    """
    given, unknown = implied(circumstances.to_circumstances(), untold(circumstances))
    return Standing(reading, _model(given), unknown)


def untold(circumstances: CircumstancesModel) -> tuple[str, ...]:
    """Names of the circumstances that a request leaves out."""
    return tuple(name for name in OPEN_CIRCUMSTANCES if name not in circumstances.model_fields_set)


def of_hand(
    hand: Hand, doubts: Sequence[Doubt], circumstances: CircumstancesModel, unknown: tuple[str, ...]
) -> Standing:
    """The standing of a hand that somebody told, who doubts some of its tiles."""
    tiles = tuple(
        ReadTile(doubt.id, seen, (0.0, 0.0, 0.0, 0.0), doubt.confidence, doubt.alternatives)
        for doubt in doubts
        if (seen := tile_at(hand, doubt.place)) is not None
    )
    return Standing(Reading(tiles, hands=likely_by_doubts(hand, doubts)), circumstances, unknown)


def left(standing: Standing, verdict: VerdictOut) -> Standing:
    """The standing with the hands and circumstances that a verdict left open."""
    hands = tuple(LikelyHand(parse_hand(hand.notation), hand.probability) for hand in verdict.hands)
    reading = replace(standing.reading, hands=hands, certain=False, problems=())
    return replace(standing, reading=reading, unknown=tuple(verdict.unknown))


def won_by(standing: Standing, tile: Tile) -> Standing:
    """The standing with that winning tile: of the likely hands those that hold it, or the likeliest
    all the same.
    """
    likely = standing.reading.hands
    holding = [
        one for one in likely if tile in one.hand.concealed or tile is one.hand.winning_tile
    ] or [likely[0]]
    hands: dict[Hand, float] = {}
    for one in holding:
        hand = with_winning_tile(one.hand, tile)
        hands[hand] = hands.get(hand, 0.0) + one.probability
    return replace(
        standing,
        reading=replace(
            standing.reading, hands=tuple(LikelyHand(hand, p) for hand, p in hands.items())
        ),
    )


def answer_standing(
    rules: RuleSet, standing: Standing, doubts: Sequence[Doubt] = ()
) -> ScoreAnswer:
    """Score the likeliest hand of a standing, which has one, and say what the others come to."""
    answer = answer_hand(rules, standing.reading.hands[0].hand, standing.circumstances, doubts)
    return answer.model_copy(
        update={"verdict": verdict_out(standing.verdict(rules), standing.unknown)}
    )


def verdict_out(verdict: Assessment, unknown: Sequence[str]) -> VerdictOut:
    """The verdict as JSON."""
    return VerdictOut(
        agreed=verdict.agreed,
        message=verdict.text_en,
        message_zh=verdict.text_zh,
        outcomes=_outcomes(verdict.outcomes),
        hands=[
            ScoredHandOut(
                notation=format_hand(hand.hand),
                probability=round(hand.probability, _DIGITS + 2),
                outcomes=_outcomes(hand.outcomes),
            )
            for hand in verdict.hands
        ],
        question=None if verdict.question is None else _question(verdict.question),
        further=[_question(question) for question in verdict.further],
        unknown=list(unknown),
    )


def _question(question: Question) -> VerdictQuestionOut:
    return VerdictQuestionOut(
        about=question.kind.value,
        name=question.subject,
        tiles=list(question.tiles),
        message=question.text_en,
        message_zh=question.text_zh,
        bits=round(question.bits, _DIGITS),
        options=[
            VerdictOptionOut(
                value=option.value,
                label_en=option.label_en,
                label_zh=option.label_zh,
                probability=round(option.probability, _DIGITS),
                outcomes=_outcomes(option.outcomes),
                change=AnswerChange(answer=_answer(question, option)),
            )
            for option in question.options
        ],
    )


def _answer(question: Question, option: AnswerOption) -> AnswerIn:
    return AnswerIn(
        about=question.kind.value,
        name=question.subject,
        tiles=list(question.tiles),
        value=option.value,
    )


def _outcomes(found: OutcomeDistribution) -> list[OutcomeShareOut]:
    return [
        OutcomeShareOut(
            total=outcome.total,
            complete=outcome.complete,
            legal=outcome.legal,
            winner_receives=outcome.receives,
            probability=round(share, _DIGITS),
            waits=[(tile.code, total) for tile, total in outcome.waits],
        )
        for outcome, share in found
        if share >= min(_LEAST_SHARE, found[0][1])
    ]


def _model(circumstances: Circumstances) -> CircumstancesModel:
    values = {field.name: getattr(circumstances, field.name) for field in fields(Circumstances)}
    codes = {
        name: value.code if isinstance(value, Tile) else value for name, value in values.items()
    }
    return CircumstancesModel.model_validate(codes)
