"""Scores, comparisons and waits as tables for a terminal, with Chinese and English names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from hupai.api.cli.chinese.translate import in_chinese
from hupai.api.cli.terminal import Rows, visible
from hupai.api.cli.typer_app import LANGUAGE, said
from hupai.scoring.compare import Comparison, WinStatus
from hupai.scoring.family import Family
from hupai.scoring.hand import Hand
from hupai.scoring.mcr.citations import clause_zh
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
from hupai.scoring.tiles import ZH_NAMES, Tile, run_of
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
_COUNTED = {"times": ("times", "times", "倍"), "points": ("worth", "番", "番")}
"""What a line's number counts, in English, both languages and Chinese, by the unit of the total:
where steps lead to points, lines are fan.
"""
_WIDE = 110
"""With fewer columns a table with reasons is written as lines."""

_UNIT_NAMES = {
    "fan": "番 fan",
    "points": "分 points",
    "times": "倍 times",
    "han": "翻 han",
    "fu": "符 fu",
}
_STATUS = {
    WinStatus.WIN: ("yes", "green"),
    WinStatus.NOT_ALLOWED: ("not allowed", "red"),
    WinStatus.NO_WIN: ("no winning shape", "red"),
}


def _status(status: WinStatus) -> Text:
    word, style = _STATUS[status]
    return Text(in_chinese(word), style=style)


def tile_codes(tiles: Iterable[Tile]) -> str:
    """Return the codes of tiles, spaced."""
    return " ".join(tile.code for tile in tiles)


def problem_lines(problems: Iterable[Problem | PhotoProblem]) -> Text:
    """Return one line per problem: severity, what is wrong and what to do, and its code.

    Equal problems share one line, with their number.
    """
    lines = []
    chinese = LANGUAGE.get() == "zh"
    alike = Counter(
        (problem.severity.value, problem.message_zh if chinese else problem.message, problem.code)
        for problem in problems
    )
    for (severity, message, code), times in alike.items():
        name = (
            {"error": "错误", "warning": "注意", "note": "说明"}[severity] if chinese else severity
        )
        line = Text(f"{name}{'：' if chinese else ': '}", style=_SEVERITY_STYLE[severity])
        line.append(visible(message), style="default not bold")
        if times > 1:
            line.append(_word(f" ({times} times)", f"（{times}处）"), style="default not bold")
        line.append(f" [{code}]", style="dim default not bold")
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
        received = (
            f"和牌者得{score.winner_receives}。"
            if LANGUAGE.get() == "zh"
            else f"The winner receives {score.winner_receives}."
        )
        heading = "付分" if LANGUAGE.get() == "zh" else "Payments"
        parts.append(Text("\n".join([heading, *map(_payment, score.payments), received])))
    if score.steps and not explain:
        parts.append(Text("\n".join(map(_step, score.steps))))
    if explain and score.runner_up:
        other = score.runner_up
        english = other.fans_en or [zh for zh, _ in other.fans]
        named = zip(other.fans, english, strict=True)
        fans = _fan_names((zh, en, count) for (zh, count), en in named)
        heading = "次佳拆法：" if LANGUAGE.get() == "zh" else "Next best split: "
        parts.append(Text(f"{heading}{split_text(other.split)}, {other.total} ({fans})"))
    if score.problems:
        parts.append(problem_lines(score.problems))
    return Group(*parts)


def comparison_view(comparison: Comparison) -> RenderableType:
    """Return one hand under several rule sets: a row each, then what stands in the way."""
    names = ("rules", *(() if LANGUAGE.get() == "en" else ("规则",)))
    table = Rows(
        *(*names, "total", "win", "fan", "winner receives"),
        title=format_hand(comparison.hand),
        right=("total", "winner receives"),
    )
    for column in comparison.columns:
        score = column.score
        table.add(
            column.rules,
            *(() if LANGUAGE.get() == "en" else (column.name_zh,)),
            _total(family_of(column.rules), score) if score.complete else "–",
            _status(column.status),
            _fan_names((fan.zh, fan.en, fan.count) for fan in score.fans),
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

    A total that may not win is in parentheses; below the table is what bars every win.
    """
    hand = format_hand(found.hand)
    if found.problems:
        return Group(Text(hand, style="bold"), problem_lines(found.problems))
    if not found.waits:
        return Text(in_chinese(f"{hand}: no tile completes this hand under {found.rules}."))
    ways = list(dict.fromkeys(way.way for wait in found.waits for way in wait.ways))
    headings = ["\n".join(_columns((way.zh, way.en))) for way in ways]
    title = f"{hand}, {found.rules}: {found.remaining} tiles left"
    table = Rows("tile", "left", *headings, title=title, right=("left", *headings))
    for wait in found.waits:
        totals = {
            way.way: str(way.score.total) if way.score.legal else f"({way.score.total})"
            for way in wait.ways
        }
        table.add(_tile(wait.tile), wait.remaining, *(totals.get(way, "") for way in ways))
    if all(way.score.legal for wait in found.waits for way in wait.ways):
        return table
    note = Text(in_chinese("In parentheses: complete, but not allowed to win."), style="dim")
    return Group(table, note, *([problem_lines(found.bars)] if found.bars else []))


def winning_tiles_view(scored: Iterable[tuple[Hand, Score]]) -> RenderableType:
    """Return what a hand would score with each tile that may have won, and how to name it."""
    rows = list(scored)
    totals = sorted({score.total for _, score in rows if score.legal})
    decides = ""
    if len(totals) > 1:
        low, high = totals[0], totals[-1]
        decides = _word(f" It decides between {low} and {high}.", f"由此总分为{low}至{high}。")
    table = Rows("tile", "total", "win", "fan", "hand", right=("total",))
    for hand, score in rows:
        won = hand.winning_tile
        assert won is not None
        fans = _fan_names((fan.zh, fan.en, fan.count) for fan in score.fans)
        allowed = "yes" if score.legal else "not allowed"
        table.add(_tile(won), score.total, allowed, fans, format_hand(hand))
    example = rows[0][0].winning_tile
    question = said("Which tile completed the hand?", "和的是哪一张？")
    return Group(
        Text(question + decides, style="bold yellow"),
        table,
        Text(in_chinese(f"Name it with --win, e.g. --win {example}")),
    )


def split_text(split: Iterable[SetPart]) -> str:
    """Return the parts of a split by their codes; the one with the winning tile is marked ``+``."""
    chinese = LANGUAGE.get() == "zh"
    return " | ".join(
        (run_of(part.tiles, ZH_NAMES) if chinese else tile_codes(part.tiles))
        + (" +" if part.has_winning_tile else "")
        for part in split
    )


def _tile(tile: Tile) -> str:
    """Return the code and the Chinese name of a tile, of which the language may leave one."""
    return " ".join(_columns((ZH_NAMES[tile], tile.code))[::-1])


def _fan_names(fans: Iterable[tuple[str, str, int]]) -> str:
    """Join the names of fans, given in Chinese and English with how often each counts."""
    if LANGUAGE.get() == "en":
        return "; ".join(en if count == 1 else f"{en} × {count}" for _, en, count in fans)
    return "、".join(zh if count == 1 else f"{zh}×{count}" for zh, _, count in fans)


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
    language = LANGUAGE.get()
    if key not in words:
        chinese, _, english = otherwise.partition(" ")
        return {"zh": chinese, "en": english or chinese}.get(language, otherwise)
    en, zh = words[key]
    return {"zh": zh, "en": en}.get(language, f"{zh} {en}")


def _steps_table(score: Score) -> Rows:
    """Return the steps from the fan to the total."""
    japanese = not LANGUAGE.get() and any(step.ja for step in score.steps)
    amount, how = _word("amount", "数"), _word("how", "算法")
    table = Rows(
        *_columns(("步骤", "step")),
        *(("日本語",) if japanese else ()),
        *(_word("sets", "组合"), amount, how),
        title=_word("Step by step", "逐步计算"),
        right=(amount,),
    )
    for step in score.steps:
        sets = split_text(score.split[index] for index in step.parts).replace(" +", "")
        unit = (
            _named({}, "", _UNIT_NAMES.get(step.unit, step.unit)) if LANGUAGE.get() else step.unit
        )
        cells = (*_columns((step.zh, step.en)), *((step.ja,) if japanese else ()))
        table.add(*cells, sets, f"{step.amount} {unit}", step.formula)
    return table


def _verdict(rules: RuleSet, hand: Hand, score: Score) -> Text:
    if score.legal:
        word, style = ("win", "和牌"), "bold green"
    else:
        word = ("win not allowed", "不能和") if score.complete else ("no winning hand", "未和")
        style = "bold red"
    chinese = LANGUAGE.get() == "zh"
    name = rules.name_en if LANGUAGE.get() == "en" else rules.name_zh
    text = Text(f"{name}：" if chinese else f"{rules.id} {name}: ")
    text.append(_total(family_for(rules), score), style="bold")
    text.append(f"，{word[1]}" if chinese else f", {word[0]}", style=style)
    if rules.minimum:
        without = dict(score.details).get("without_flowers", score.total)
        differs = without != score.total
        if chinese:
            text.append(f"（起和{rules.minimum}{f'，不计花牌为{without}' if differs else ''}）")
            return text
        flowers = f" without flowers; this hand has {without}" if differs else ""
        if not flowers and hand.flowers:
            flowers = " without flowers"
        text.append(f" (minimum {rules.minimum}{flowers})")
    return text


def _fan_table(score: Score, explain: bool) -> Rows:
    counted = _counted(score)
    names = _columns(("番种", "fan"))
    beside = (_word("sets", "组合"), _word("clause", "条文"))
    headings = (counted, *names, *beside, *((_word("why", "缘由"),) if explain else ()))
    table = Rows(*headings, right=(counted,), least=_WIDE if explain else 0)
    for fan in score.fans:
        sets = split_text(score.split[index] for index in fan.parts).replace(" +", "")
        why = (said(fan.why_en, fan.why_zh, "\n"),) if explain else ()
        beside_zh = fan.ja and fan.ja != fan.zh and not LANGUAGE.get()
        zh = f"{fan.zh}\n{fan.ja}" if beside_zh else fan.zh
        named = _columns((zh, fan.en))
        table.add(_points(fan.points, fan.count), *named, sets, _clause(fan.clause), *why)
    return table


def _word(en: str, zh: str) -> str:
    """Return a heading; in Chinese if only Chinese is requested."""
    return zh if LANGUAGE.get() == "zh" else en


def _columns(both: tuple[str, str]) -> tuple[str, ...]:
    """Return the Chinese and English columns that the language requires."""
    return {"zh": both[:1], "en": both[1:]}.get(LANGUAGE.get(), both)


def _clause(clause: str) -> str:
    return in_chinese(clause_zh(clause)) if LANGUAGE.get() == "zh" else clause


def _counted(score: Score) -> str:
    if not score.steps and score.unit != "times":
        return _word("points", "番")
    en, both, zh = _COUNTED.get(score.unit, ("points", "points", "番"))
    return {"en": en, "zh": zh}.get(LANGUAGE.get(), both)


def _is_zh() -> bool:
    return LANGUAGE.get() == "zh"


def _step(step: Step) -> str:
    """Write how a step follows from the ones before: words, formula, what results."""
    formula = f"{in_chinese(step.formula)} = " if step.formula else ""
    unit = _named({}, "", _UNIT_NAMES.get(step.unit, step.unit))
    return f"{said(step.en, step.zh)}: {formula}{step.amount} {unit}"


def _points(points: int, count: int) -> str:
    return str(points) if count == 1 else f"{count} × {points}"


def _excluded_table(score: Score, explain: bool) -> Rows:
    """Return the fans that do not count, each in one row however many others exclude it."""
    names = {fan.id: fan.zh for fan in score.fans} | {fan.id: fan.zh for fan in score.excluded}
    together: dict[str, list[ExcludedFan]] = {}
    for fan in score.excluded:
        together.setdefault(fan.id, []).append(fan)
    headings = (
        *_columns(("番种", "fan")),
        _word("principle", "原则"),
        _word("because of", "因"),
    )
    more = (_word("reason", "缘由"), _word("clause", "条文")) if explain else ()
    counted = _counted(score)
    table = Rows(
        *(counted, *headings, *more),
        title=_word("Not counted", "不计"),
        right=(counted,),
        style="dim",
        least=_WIDE if explain else 0,
    )
    if LANGUAGE.get() == "en":
        names = {fan.id: fan.en for fan in score.fans}
        names |= {fan.id: fan.en for fan in score.excluded}
    for fans in together.values():
        first, count = fans[0], sum(fan.count for fan in fans)
        principles = dict.fromkeys(_principle(fan.principle) for fan in fans)
        causes = dict.fromkeys(names.get(fan.by or "", fan.by or "") for fan in fans)
        reasons = dict.fromkeys(said(fan.reason_en, fan.reason_zh, "\n") for fan in fans)
        table.add(
            _points(first.points, count),
            *_columns((first.zh, first.en)),
            "\n".join(principles),
            _word(", ", "、").join(causes) if LANGUAGE.get() else "、".join(causes),
            *(("\n".join(reasons), _clause(first.clause)) if explain else ()),
        )
    return table


def _principle(principle: Principle) -> str:
    """Name a principle in the requested language."""
    name = PRINCIPLE_NAMES[principle]
    if not LANGUAGE.get():
        return name
    chinese, _, english = name.partition(" ")
    if not any("\u3400" <= char <= "\u9fff" for char in chinese):
        chinese, english = _PRINCIPLES_ZH.get(principle, name), name
    return chinese if _is_zh() else english


_PRINCIPLES_ZH = {Principle.EXCLUDED: "条文不计", Principle.HOUSE: "本场规则"}
_PAYERS_ZH = {
    "discarder": "点炮者",
    "each": "每家",
    "others": "其他各家",
    "dealer": "庄家",
    "robbed": "被抢杠者",
}


def _payment(payment: Payment) -> str:
    many = payment.count != 1
    if _is_zh():
        each = f"（{payment.count}家各付）" if many else ""
        formula = f"＝{payment.formula}" if payment.formula else ""
        return f"{_PAYERS_ZH.get(payment.payer, payment.payer)}{each}：{payment.amount}{formula}"
    who = f"{payment.payer}, {payment.count} players" if many else payment.payer
    formula = f" = {payment.formula}" if payment.formula else ""
    return f"{who}: {payment.amount}{' each' if many else ''}{formula}"
