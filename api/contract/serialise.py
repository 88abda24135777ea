"""Readings and scores as JSON-ready dictionaries: the outside contract, the same for command line
and HTTP.
"""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic import BaseModel

from hupai.scoring.compare import Column
from hupai.scoring.conformance import CaseResult
from hupai.scoring.hand import Hand, Meld
from hupai.scoring.mcr.profile_differences import ProfileDifference
from hupai.scoring.notation import format_hand
from hupai.scoring.result import ExcludedFan, FanLine, Payment, Problem, RunnerUp, Score, SetPart
from hupai.scoring.sichuan.deal.settle import Settlement
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import Waits, WayScore
from hupai.vision.types import (
    Box,
    Group,
    LikelyHand,
    PhotoInfo,
    PhotoProblem,
    PhotoReading,
    ReadTile,
    Timing,
)

Json = dict[str, Any]
"""A JSON object about to be written; nothing in the program reads one."""


def json_line(value: Json) -> str:
    """One object on one line, Chinese characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def as_object(value: object) -> Json:
    """Convert a value of any kind that the contract knows.

    Raises:
        TypeError: for any other value.
    """
    match value:
        case BaseModel():
            return value.model_dump(mode="json")
        case PhotoReading():
            return reading_json(value)
        case Score():
            return score_json(value)
        case Hand():
            return hand_json(value)
        case Problem():
            return problem_json(value)
        case CaseResult():
            return case_json(value)
        case Waits():
            return waits_json(value)
        case ProfileDifference():
            return differences_json(value)
        case Settlement():
            return settlement_json(value)
    raise TypeError(f"the contract has no JSON for {type(value).__name__}")


def reading_json(reading: PhotoReading) -> Json:
    """A photo's reading in the form of the outside contract.

    Boxes are rounded to a tenth of a pixel, times to a tenth of a millisecond, probabilities to
    four places. Probabilities of hands are rounded down, so that they still sum to at most 1. Of
    several photos of one hand ``photos`` are all; a tile's box lies on the one numbered ``photo``
    (left out for the first), and ``elsewhere`` says where others show it.
    """
    read = reading.reading
    several = len(reading.photos) > 1
    return {
        "photo": _photo(reading.photo),
        **({"photos": [_photo(photo) for photo in reading.photos]} if several else {}),
        "model": {
            "name": reading.model.name,
            "version": reading.model.version,
            "sha256": reading.model.sha256,
            "tile_set": reading.model.tile_set,
        },
        "tiles": [_tile(tile) | _places(tile) for tile in read.tiles],
        "groups": [_group(group) for group in read.groups],
        "hands": [_likely_hand(hand) for hand in read.hands],
        "certain": read.certain,
        "problems": [_photo_problem(problem) for problem in read.problems],
        "timing_ms": _timing(reading.timing),
    }


def score_json(score: Score) -> Json:
    """A score with each fan, what was left out and why, payments and problems. Meaning of the
    fields: `hupai.scoring.result`.
    """
    return {
        "rules": score.rules,
        "complete": score.complete,
        "legal": score.legal,
        "total": score.total,
        "unit": score.unit,
        "fans": [_fan(fan) for fan in score.fans],
        "excluded": [_excluded(fan) for fan in score.excluded],
        "split": [_part(part) for part in score.split],
        "payments": [_payment(payment) for payment in score.payments],
        "winner_receives": score.winner_receives,
        "problems": [problem_json(problem) for problem in score.problems],
        "runner_up": None if score.runner_up is None else _runner_up(score.runner_up),
        "details": dict(score.details),
    }


def hand_json(hand: Hand) -> Json:
    """A hand by its parts; `concealed` is without `winning_tile`, which is null where it is not
    known.
    """
    return {
        "concealed": _codes(hand.concealed),
        "melds": [_meld(meld) for meld in hand.melds],
        "winning_tile": None if hand.winning_tile is None else hand.winning_tile.code,
        "flowers": _codes(hand.flowers),
    }


def problem_json(problem: Problem) -> Json:
    """A problem of a hand; `tiles` are codes."""
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "message": problem.message,
        "message_zh": problem.message_zh,
        "tiles": _codes(problem.tiles),
    }


def case_json(result: CaseResult) -> Json:
    """A scoring case: whether it passed, what differs, and both breakdowns."""
    return {
        "line": result.line,
        "id": result.id,
        "rules": result.rules,
        "passed": result.passed,
        "disputed_by": list(result.disputed_by),
        "differences": list(result.outcome.differences),
        "expected": list(result.outcome.expected),
        "actual": list(result.outcome.actual),
    }


def waits_json(found: Waits) -> Json:
    """The tiles that complete a hand, what is left of each, and total, permission and fan of each
    way of winning.
    """
    return {
        "rules": found.rules,
        "notation": format_hand(found.hand),
        "ready": found.is_ready,
        "remaining": found.remaining,
        "waits": [
            {
                "tile": wait.tile.code,
                "remaining": wait.remaining,
                "ways": [_way(way) for way in wait.ways],
            }
            for wait in found.waits
        ],
        "problems": [problem_json(problem) for problem in found.problems],
    }


def column_json(hand: Hand, column: Column) -> Json:
    """A hand under one of the rule sets it is compared under: verdict and whole score."""
    return {
        "notation": format_hand(hand),
        "verdict": column.status.value,
        **score_json(column.score),
    }


def differences_json(found: ProfileDifference) -> Json:
    """What two MCR profiles count differently: each fan as (points, count) under either, and
    why.
    """
    return {
        "left": found.left.rules,
        "right": found.right.rules,
        "fans": [
            {
                "id": fan.id,
                "zh": fan.zh,
                "en": fan.en,
                "left": None if fan.left is None else list(fan.left),
                "right": None if fan.right is None else list(fan.right),
                "reason_en": fan.reason_en,
                "reason_zh": fan.reason_zh,
            }
            for fan in found.fans
        ],
    }


def settlement_json(settlement: Settlement) -> Json:
    """A settlement with every entry of its ledger."""
    return {
        "net": dict(settlement.ledger.nets()),
        "ledger": [
            {
                "event": entry.event,
                "kind": entry.kind.value,
                "payer": entry.payer,
                "payee": entry.payee,
                "points": entry.points,
                "clause": entry.clause,
                "why_en": entry.why_en,
                "why_zh": entry.why_zh,
            }
            for entry in settlement.ledger.entries
        ],
        "winners": list(settlement.winners),
        "finished": settlement.finished,
        "next_dealer": settlement.next_dealer,
        "problems": [problem_json(problem) for problem in settlement.problems],
    }


def _way(way: WayScore) -> Json:
    score = way.score
    fans = [[fan.zh, fan.count] for fan in score.fans]
    return {
        "way": way.way.id,
        "total": score.total,
        "unit": score.unit,
        "legal": score.legal,
        "fans": fans,
    }


def _codes(tiles: tuple[Tile, ...]) -> list[str]:
    return [tile.code for tile in tiles]


def _rounded_down(probability: float) -> float:
    return math.floor(probability * 1e4) / 1e4


def _photo(photo: PhotoInfo) -> Json:
    return {
        "path": photo.path,
        "sha256": photo.sha256,
        "width": photo.width,
        "height": photo.height,
    }


def _places(tile: ReadTile) -> Json:
    """What only a reading of several photos has; the first photo's number is left out."""
    elsewhere = [{"photo": photo, "box": _box(box)} for photo, box in tile.elsewhere]
    return ({"photo": tile.photo} if tile.photo else {}) | (
        {"elsewhere": elsewhere} if elsewhere else {}
    )


def _box(box: Box) -> list[float]:
    return [round(float(edge), 1) for edge in box]


def _tile(tile: ReadTile) -> Json:
    return {
        "id": tile.id,
        "tile": tile.tile.code,
        "box": _box(tile.box),
        "confidence": round(float(tile.confidence), 4),
        "alternatives": [
            [other.code, round(float(probability), 4)] for other, probability in tile.alternatives
        ],
        "sideways": tile.sideways,
        "in_hand": tile.in_hand,
        "group": tile.group,
        "inferred": tile.inferred,
    }


def _group(group: Group) -> Json:
    source = None if group.claimed_from is None else group.claimed_from.value
    return {
        "id": group.id,
        "kind": group.kind.value,
        "tiles": list(group.tiles),
        "claimed_from": source,
    }


def _likely_hand(likely: LikelyHand) -> Json:
    return {
        "notation": format_hand(likely.hand),
        "probability": _rounded_down(likely.probability),
        **hand_json(likely.hand),
    }


def _photo_problem(problem: PhotoProblem) -> Json:
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "message": problem.message,
        "message_zh": problem.message_zh,
        "tiles": list(problem.tiles),
    }


def _timing(timing: Timing) -> Json:
    stages = {
        "decode": timing.decode,
        "detect": timing.detect,
        "layout": timing.layout,
        "read": timing.read,
        "total": timing.total,
    }
    return {stage: round(float(milliseconds), 1) for stage, milliseconds in stages.items()}


def _meld(meld: Meld) -> Json:
    source = None if meld.claimed_from is None else meld.claimed_from.value
    return {"kind": meld.kind.value, "tiles": _codes(meld.tiles), "claimed_from": source}


def _fan(fan: FanLine) -> Json:
    return {
        "id": fan.id,
        "zh": fan.zh,
        "en": fan.en,
        "points": fan.points,
        "count": fan.count,
        "parts": list(fan.parts),
        "clause": fan.clause,
        "why_en": fan.why_en,
        "why_zh": fan.why_zh,
    }


def _excluded(fan: ExcludedFan) -> Json:
    return {
        "id": fan.id,
        "zh": fan.zh,
        "en": fan.en,
        "points": fan.points,
        "count": fan.count,
        "clause": fan.clause,
        "principle": fan.principle.value,
        "by": fan.by,
        "reason_en": fan.reason_en,
        "reason_zh": fan.reason_zh,
    }


def _part(part: SetPart) -> Json:
    return {
        "kind": part.kind.value,
        "tiles": _codes(part.tiles),
        "concealed": part.concealed,
        "melded": part.melded,
        "has_winning_tile": part.has_winning_tile,
    }


def _payment(payment: Payment) -> Json:
    return {
        "payer": payment.payer,
        "count": payment.count,
        "amount": payment.amount,
        "formula": payment.formula,
    }


def _runner_up(runner_up: RunnerUp) -> Json:
    return {
        "split": [_part(part) for part in runner_up.split],
        "total": runner_up.total,
        "fans": [[zh, count] for zh, count in runner_up.fans],
    }
