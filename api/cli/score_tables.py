"""Scores, comparisons and waits as tables for a terminal, with Chinese and English names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from hupai.api.cli.terminal import Rows
from hupai.scoring.compare import Comparison, WinStatus
from hupai.scoring.family import Family
from hupai.scoring.hand import Hand
from hupai.scoring.notation import format_hand
from hupai.scoring.result import (
    ExcludedFan,
    Payment,
    Principle,
    Problem,
    RuleSet,
    Score,
    SetPart,
    Step,
)
from hupai.scoring.rule_sets import family_for, family_of
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.scoring.waits import Waits

if TYPE_CHECKING:
    from hupai.vision.types import PhotoProblem

PRINCIPLE_NAMES = {
    Principle.NON_REPEAT: "不重复 non-repeat",
    Principle.NON_SEPARATION: "不拆移 non-separation",
    Principle.NON_IDENTICAL: "不得相同 non-identical",
    Principle.HIGH_NOT_LOW: "就高不就低 high, not low",
    Principle.COMBINE_ONCE: "套算一次 combine once",
    Principle.EXCLUDED: "excluded by its clause",
    Principle.RULING: "裁定 by ruling",
    Principle.HOUSE: "house rule",
    Principle.CONDITION: "condition not met",
}
"""How the terminal names each principle."""

_SEVERITY_STYLE = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_COUNTED = {"times": "times", "points": "番"}
"""What a line's number counts, by the unit of the total: where steps lead to points, lines are fan.
"""
_WIDE = 110
"""With fewer columns a table with reasons is written as lines."""

_UNIT_NAMES = {"fan": "番 fan", "points": "分 points", "times": "倍 times"}
_STATUS = {
    WinStatus.WIN: Text("yes", style="green"),
    WinStatus.NOT_ALLOWED: Text("not allowed", style="red"),
    WinStatus.NO_WIN: Text("no winning shape", style="red"),
}


def tile_codes(tiles: Iterable[Tile]) -> str:
    """Return the codes of tiles, spaced."""
    return " ".join(tile.code for tile in tiles)


def problem_lines(problems: Iterable[Problem | PhotoProblem]) -> Text:
    """Return each problem on a line: how bad, what is wrong and what to do, and its code."""
    lines = []
    for problem in problems:
        severity = problem.severity.value
        line = Text(f"{severity}: ", style=_SEVERITY_STYLE[severity])
        line.append(problem.message, style="default not bold")
        line.append(f" [{problem.code}]", style="dim default not bold")
        lines.append(line)
    return Text("\n").join(lines)


def score_view(rules: RuleSet, hand: Hand, score: Score, explain: bool = False) -> RenderableType:
    """Return a score: verdict, fans, what was excluded, payments and problems.

    `explain` adds the reasons and the runner-up.
    """
    parts: list[RenderableType] = [
        Text(format_hand(hand), style="bold"),
        _verdict(rules, hand, score),
    ]
    if score.fans:
        parts.append(_fan_table(score, explain))
    if score.excluded:
        parts.append(_excluded_table(score, explain))
    if explain and score.steps:
        parts.append(_steps_table(score))
    if score.payments:
        lines = [*map(_payment, score.payments), f"The winner receives {score.winner_receives}."]
        parts.append(Text("\n".join(["Payments", *lines])))
    if score.steps:
        parts.append(Text("\n".join(map(_step, score.steps))))
    if explain and score.runner_up:
        other = score.runner_up
        fans = _fan_names(other.fans)
        parts.append(Text(f"Next best split: {split_text(other.split)}, {other.total} ({fans})"))
    if score.problems:
        parts.append(problem_lines(score.problems))
    return Group(*parts)


def comparison_view(comparison: Comparison) -> RenderableType:
    """Return one hand under several rule sets: a row each, then what stands in the way."""
    table = Rows(
        *("rules", "规则", "total", "win", "fan", "winner receives"),
        title=format_hand(comparison.hand),
        right=("total", "winner receives"),
    )
    for column in comparison.columns:
        score = column.score
        table.add(
            column.rules,
            column.name_zh,
            _total(family_of(column.rules), score) if score.complete else "–",
            _STATUS[column.status],
            _fan_names((fan.zh, fan.count) for fan in score.fans),
            score.winner_receives,
        )
    reasons = [
        Group(Text(f"{column.rules}:", style="bold"), problem_lines(column.reasons))
        for column in comparison.columns
        if column.reasons
    ]
    return Group(table, *reasons)


def waits_view(found: Waits) -> RenderableType:
    """Return the tiles that complete a hand with the total of each way of winning.

    A total that may not win stands in parentheses.
    """
    hand = format_hand(found.hand)
    if found.problems:
        return Group(Text(hand, style="bold"), problem_lines(found.problems))
    if not found.is_ready:
        return Text(f"{hand}: no tile completes this hand under {found.rules}.")
    ways = list(dict.fromkeys(way.way for wait in found.waits for way in wait.ways))
    headings = [f"{way.zh}\n{way.en}" for way in ways]
    title = f"{hand}, {found.rules}: {found.remaining} tiles left"
    table = Rows("tile", "left", *headings, title=title, right=("left", *headings))
    for wait in found.waits:
        totals = {
            way.way: str(way.score.total) if way.score.legal else f"({way.score.total})"
            for way in wait.ways
        }
        name = f"{wait.tile.code} {ZH_NAMES[wait.tile]}"
        table.add(name, wait.remaining, *(totals.get(way, "") for way in ways))
    if all(way.score.legal for wait in found.waits for way in wait.ways):
        return table
    return Group(table, Text("In parentheses: complete, but not allowed to win.", style="dim"))


def winning_tiles_view(scored: Iterable[tuple[Hand, Score]]) -> RenderableType:
    """Return what a hand would score with each tile that may have won, and how to name it."""
    rows = list(scored)
    totals = sorted({score.total for _, score in rows if score.legal})
    decides = f" It decides between {totals[0]} and {totals[-1]}." if len(totals) > 1 else ""
    table = Rows("tile", "total", "win", "fan", "hand", right=("total",))
    for hand, score in rows:
        won = hand.winning_tile
        assert won is not None
        fans = _fan_names((fan.zh, fan.count) for fan in score.fans)
        allowed = "yes" if score.legal else "not allowed"
        table.add(f"{won.code} {ZH_NAMES[won]}", score.total, allowed, fans, format_hand(hand))
    example = rows[0][0].winning_tile
    return Group(
        Text(f"Which tile completed the hand? 和的是哪一张？{decides}", style="bold yellow"),
        table,
        Text(f"Name it with --win, e.g. --win {example}"),
    )


def split_text(split: Iterable[SetPart]) -> str:
    """Return the parts of a split by their codes; the one with the winning tile is marked ``+``."""
    return " | ".join(
        tile_codes(part.tiles) + (" +" if part.has_winning_tile else "") for part in split
    )


def _fan_names(fans: Iterable[tuple[str, int]]) -> str:
    return "、".join(zh if count == 1 else f"{zh}×{count}" for zh, count in fans)


def _total(family: Family | None, score: Score) -> str:
    """Return the total with its unit, and the figures that a family puts beside it."""
    words: Mapping[str, tuple[str, str]] = {} if family is None else family.words
    total = f"{score.total} {_named(words, f'unit_{score.unit}', _UNIT_NAMES[score.unit])}"
    details = dict(score.details)
    names = () if family is None else family.figures
    beside = [f"{details[name]} {_named(words, name, name)}" for name in names if name in details]
    return f"{total} ({', '.join(beside)})" if beside and score.total else total


def _named(words: Mapping[str, tuple[str, str]], key: str, otherwise: str) -> str:
    """Return a term as the family calls it, in Chinese and English."""
    return " ".join(reversed(words[key])) if key in words else otherwise


def _steps_table(score: Score) -> Rows:
    """Return the steps from the fan to the total."""
    table = Rows(
        *("step", "步骤", "日本語", "sets", "amount", "how"),
        title="Step by step",
        right=("amount",),
    )
    for step in score.steps:
        sets = split_text(score.split[index] for index in step.parts).replace(" +", "")
        table.add(step.en, step.zh, step.ja, sets, f"{step.amount} {step.unit}", step.formula)
    return table


def _verdict(rules: RuleSet, hand: Hand, score: Score) -> Text:
    if score.legal:
        word, style = "win", "bold green"
    else:
        word, style = ("win not allowed" if score.complete else "no winning hand"), "bold red"
    text = Text(f"{rules.id} {rules.name_zh}: ")
    text.append(_total(family_for(rules), score), style="bold")
    text.append(f", {word}", style=style)
    if rules.minimum:
        without = dict(score.details).get("without_flowers", score.total)
        flowers = f" without flowers; this hand has {without}" if without != score.total else ""
        if not flowers and hand.flowers:
            flowers = " without flowers"
        text.append(f" (minimum {rules.minimum}{flowers})")
    return text


def _fan_table(score: Score, explain: bool) -> Rows:
    counted = _counted(score)
    headings = (counted, "番种", "fan", "sets", "clause", *(("why",) if explain else ()))
    table = Rows(*headings, right=(counted,), least=_WIDE if explain else 0)
    for fan in score.fans:
        sets = split_text(score.split[index] for index in fan.parts).replace(" +", "")
        why = (f"{fan.why_en}\n{fan.why_zh}",) if explain else ()
        zh = f"{fan.zh}\n{fan.ja}" if fan.ja and fan.ja != fan.zh else fan.zh
        table.add(_points(fan.points, fan.count), zh, fan.en, sets, fan.clause, *why)
    return table


def _counted(score: Score) -> str:
    return _COUNTED.get(score.unit, "points") if score.steps or score.unit == "times" else "points"


def _step(step: Step) -> str:
    """Write how a step follows from the ones before: words, formula, what results."""
    formula = f"{step.formula} = " if step.formula else ""
    unit = _UNIT_NAMES.get(step.unit, step.unit)
    return f"{step.en} {step.zh}: {formula}{step.amount} {unit}"


def _points(points: int, count: int) -> str:
    return str(points) if count == 1 else f"{count} × {points}"


def _excluded_table(score: Score, explain: bool) -> Rows:
    """Return the fans that do not count, each in one row however many others exclude it."""
    names = {fan.id: fan.zh for fan in score.fans} | {fan.id: fan.zh for fan in score.excluded}
    together: dict[str, list[ExcludedFan]] = {}
    for fan in score.excluded:
        together.setdefault(fan.id, []).append(fan)
    headings = ("番种", "fan", "principle", "because of")
    more = ("reason", "clause") if explain else ()
    counted = _counted(score)
    table = Rows(
        *(counted, *headings, *more),
        title="Not counted",
        right=(counted,),
        style="dim",
        least=_WIDE if explain else 0,
    )
    for fans in together.values():
        first, count = fans[0], sum(fan.count for fan in fans)
        principles = dict.fromkeys(PRINCIPLE_NAMES[fan.principle] for fan in fans)
        causes = dict.fromkeys(names.get(fan.by or "", fan.by or "") for fan in fans)
        reasons = dict.fromkeys(f"{fan.reason_en}\n{fan.reason_zh}" for fan in fans)
        table.add(
            _points(first.points, count),
            first.zh,
            first.en,
            "\n".join(principles),
            "、".join(causes),
            *(("\n".join(reasons), first.clause) if explain else ()),
        )
    return table


def _payment(payment: Payment) -> str:
    many = payment.count != 1
    who = f"{payment.payer}, {payment.count} players" if many else payment.payer
    formula = f" = {payment.formula}" if payment.formula else ""
    return f"{who}: {payment.amount}{' each' if many else ''}{formula}"
