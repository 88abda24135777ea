"""Scoring for the log: the rules that a case records, results as records, and whether a recorded
result is what the rules say.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import hupai.scoring
from hupai.api.contract import to_dict
from hupai.api.contract.hand import CircumstancesModel, HandModel
from hupai.api.dossier.chain.events import ProgramRecord, ResultRecord, RulesRecord
from hupai.scoring import rule_sets as registry
from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import Hand
from hupai.scoring.house_rules import HouseRuleError, parse_house_rules
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet, Score
from hupai.scoring.rule_sets import UnknownRuleSetError

_HAND_SIZE = 14


class RulesGoneError(HupaiError):
    """The rules that a log records are not known to this program."""


def rules_record(rules: RuleSet, house: str | None = None) -> RulesRecord:
    """Return the log's record of a rule set; `house` is the file's text for house rules."""
    return RulesRecord(
        id=rules.id,
        name_en=rules.name_en,
        name_zh=rules.name_zh,
        minimum=rules.minimum,
        house=house,
    )


def rules_of(record: RulesRecord) -> RuleSet:
    """Return the rule set that a log records.

    Raises:
        RulesGoneError: it is not known, or its house rules cannot be read.
    """
    try:
        return (
            registry.get(record.id)
            if record.house is None
            else parse_house_rules(record.house, record.id)
        )
    except (UnknownRuleSetError, HouseRuleError) as error:
        raise RulesGoneError(str(error)) from error


@cache
def program() -> ProgramRecord:
    """Return the version of this program and the SHA-256 over its scoring package.

    The hash covers the path and bytes of each source, in order of the paths.
    """
    folder = Path(hupai.scoring.__file__).parent
    whole = sha256()
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        whole.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode() + data)
    try:
        number = version("hupai")
    except PackageNotFoundError:
        number = "0"
    return ProgramRecord(version=number, scoring_sha256=whole.hexdigest())


def result_of(rules: RuleSet, hand: Hand, circumstances: CircumstancesModel) -> ResultRecord:
    """Return the hand with its score; without one if the winning tile of 14 is unknown."""
    unknown = hand.winning_tile is None and hand.size == _HAND_SIZE
    return ResultRecord(
        notation=format_hand(hand),
        hand=HandModel.of(hand),
        circumstances=circumstances,
        score=None if unknown else rules.score(hand, circumstances.to_circumstances()),
    )


def difference(rules: RuleSet, recorded: ResultRecord, *, explained: bool = True) -> str:
    """Return the first part of a recorded result that the rules do not reproduce; empty if none.

    Wording is not compared: a later version may explain the same score in other words. With
    `explained` False, the fans named as not counted are not compared either; this is for a record
    of another version of the rules' code.
    """
    hand = recorded.hand.to_hand()
    if format_hand(hand) != recorded.notation:
        return "notation"
    again = result_of(rules, hand, recorded.circumstances)
    if (again.score is None) != (recorded.score is None):
        return "score"
    if again.score is None or recorded.score is None:
        return ""
    old, new = _substance(recorded.score), _substance(again.score)
    return next(
        (
            f"{name}: {json.dumps(old[name])} instead of {json.dumps(new[name])}"
            for name in new
            if old[name] != new[name] and (explained or name != "excluded")
        ),
        "",
    )


def _substance(score: Score) -> dict[str, Any]:
    """Return the parts of a score that are not wording."""
    document = to_dict(score)
    kept = {
        "fans": ("id", "points", "count", "parts"),
        "excluded": ("id", "points", "count", "principle", "by"),
        "payments": ("payer", "count", "amount"),
        "problems": ("code", "severity", "tiles"),
    }
    for name, parts in kept.items():
        document[name] = [[entry[part] for part in parts] for entry in document[name]]
    return document
