"""Readings and scores as tables for a terminal, with Chinese and English names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hupai.scoring.compare import Comparison, WinStatus
from hupai.scoring.hand import Hand
from hupai.scoring.notation import format_hand
from hupai.scoring.result import (
    ExcludedFan,
    FanLine,
    Payment,
    Principle,
    Problem,
    RuleSet,
    Score,
    SetPart,
    Severity,
)
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.scoring.waits import Waits
from hupai.vision.types import PhotoProblem, PhotoReading, Reading, ReadTile

SEVERITY_STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}

PRINCIPLE_NAMES = {
    Principle.NON_REPEAT: "不重复 non-repeat",
    Principle.NON_SEPARATION: "不拆移 non-separation",
    Principle.NON_IDENTICAL: "不得相同 non-identical",
    Principle.HIGH_NOT_LOW: "就高不就低 high, not low",
    Principle.COMBINE_ONCE: "套算一次 combine once",
    Principle.EXCLUDED: "excluded by its clause",
    Principle.HOUSE: "house rule",
}
"""How the terminal names each principle."""

_UNIT_NAMES = {"fan": "番 fan", "points": "分 points", "times": "倍 times"}


def tile_names(tiles: Iterable[Tile]) -> str:
    """Chinese names, spaced."""
    return " ".join(ZH_NAMES[tile] for tile in tiles)


def tile_codes(tiles: Iterable[Tile]) -> str:
    """Codes, spaced."""
    return " ".join(tile.code for tile in tiles)


def problem_lines(problems: Iterable[Problem | PhotoProblem]) -> Text:
    """Each problem on a line: how bad, what is wrong and what to do, and its code."""
    lines = Text()
    for problem in problems:
        if lines:
            lines.append("\n")
        lines.append(f"{problem.severity.value}: ", style=SEVERITY_STYLE[problem.severity])
        lines.append(problem.message)
        lines.append(f" [{problem.code}]", style="dim")
    return lines


def reading_view(reading: PhotoReading) -> RenderableType:
    """What is on a photo: groups, likeliest hands, problems, time."""
    read = reading.reading
    photo = reading.photo
    if not photo.width:
        return problem_lines(read.problems)
    parts: list[RenderableType] = [
        Text(f"{photo.path}  {photo.width} x {photo.height}", style="bold")
    ]
    if read.tiles:
        parts.append(_group_table(read))
    if read.hands:
        parts.append(_hand_table(read))
    if read.problems:
        parts.append(problem_lines(read.problems))
    time, model = reading.timing, reading.model
    parts.append(Text(f"{time.total:.0f} ms, model {model.name} {model.version}", style="dim"))
    return Group(*parts)


def _group_table(read: Reading) -> Table:
    in_hand = [tile for tile in read.tiles if tile.in_hand]
    table = Table(
        title=f"{len(read.tiles)} tiles, {len(in_hand)} of them in the hand", title_justify="left"
    )
    for heading in ("group", "tiles", "牌", "claimed from"):
        table.add_column(heading)
    table.add_column("least sure", justify="right")
    by_id = {tile.id: tile for tile in read.tiles}
    for group in read.groups:
        tiles = [by_id[i] for i in group.tiles if i in by_id]
        source = group.claimed_from.value if group.claimed_from else ""
        faces = [tile.tile for tile in tiles]
        table.add_row(
            group.kind.value, tile_codes(faces), tile_names(faces), source, _least_sure(tiles)
        )
    return table


def _least_sure(tiles: Sequence[ReadTile]) -> str:
    seen = [tile for tile in tiles if not tile.inferred]
    if not seen:
        return ""
    tile = min(seen, key=lambda one: one.confidence)
    other = (
        f", or {tile.alternatives[0][0].code} {tile.alternatives[0][1]:.2f}"
        if tile.alternatives
        else ""
    )
    return f"{tile.tile.code} {tile.confidence:.2f}{other}"


def _hand_table(read: Reading) -> Table:
    table = Table(
        title="Likeliest hands" + (", certain" if read.certain else ""), title_justify="left"
    )
    table.add_column("probability", justify="right")
    table.add_column("hand")
    table.add_column("winning tile")
    for likely in read.hands:
        won = likely.hand.winning_tile
        table.add_row(
            f"{likely.probability:.3f}",
            escape(format_hand(likely.hand)),
            "not known" if won is None else won.code,
        )
    return table


def score_view(rules: RuleSet, hand: Hand, score: Score, explain: bool = False) -> RenderableType:
    """A score: verdict, fan with clause, what was left out, payments, problems; `explain` adds the
    reasons and the runner-up.
    """
    parts: list[RenderableType] = [Text(format_hand(hand), style="bold"), _verdict(rules, score)]
    if score.fans:
        parts.append(_fan_table(score, explain))
    if score.excluded:
        parts.append(_excluded_table(score, explain))
    if score.payments:
        parts.append(_payment_lines(score))
    if score.details:
        parts.append(Text(", ".join(f"{name} {value}" for name, value in score.details)))
    if explain and score.runner_up:
        other = score.runner_up
        fans = "、".join(zh if count == 1 else f"{zh}×{count}" for zh, count in other.fans)
        parts.append(Text(f"Next best split: {split_text(other.split)}, {other.total} ({fans})"))
    if score.problems:
        parts.append(problem_lines(score.problems))
    return Group(*parts)


def comparison_view(comparison: Comparison) -> RenderableType:
    """One hand under several rule sets: a row each, then what stands in the way."""
    table = Table(title=escape(format_hand(comparison.hand)), title_justify="left")
    for heading in ("rules", "规则", "total", "win", "fan", "winner receives"):
        table.add_column(
            heading, justify="right" if heading in ("total", "winner receives") else "left"
        )
    words = {
        WinStatus.WIN: "[green]yes",
        WinStatus.NOT_ALLOWED: "[red]not allowed",
        WinStatus.NO_WIN: "[red]no winning shape",
    }
    for column in comparison.columns:
        score = column.score
        fans = "、".join(
            fan.zh if fan.count == 1 else f"{fan.zh}×{fan.count}" for fan in score.fans
        )
        total = (
            f"{score.total} {_UNIT_NAMES.get(score.unit, score.unit)}" if score.complete else "–"
        )
        table.add_row(
            column.rules,
            column.name_zh,
            total,
            words[column.status],
            fans,
            str(score.winner_receives),
        )
    reasons = [
        Group(Text(f"{column.rules}:", style="bold"), problem_lines(column.reasons))
        for column in comparison.columns
        if column.reasons
    ]
    return Group(table, *reasons)


def waits_view(found: Waits) -> RenderableType:
    """The tiles that complete a hand with the total of each way of winning; in parentheses what may
    not win.
    """
    if found.problems:
        return Group(Text(format_hand(found.hand), style="bold"), problem_lines(found.problems))
    if not found.is_ready:
        return Text(f"{format_hand(found.hand)}: no tile completes this hand under {found.rules}.")
    ways = list(dict.fromkeys(way.way for wait in found.waits for way in wait.ways))
    table = Table(
        title=f"{escape(format_hand(found.hand))}, {found.rules}: {found.remaining} tiles left",
        title_justify="left",
    )
    table.add_column("tile")
    table.add_column("left", justify="right")
    for way in ways:
        table.add_column(f"{way.zh}\n{way.en}", justify="right")
    for wait in found.waits:
        totals = {
            way.way: str(way.score.total) if way.score.legal else f"({way.score.total})"
            for way in wait.ways
        }
        cells = [totals.get(way, "") for way in ways]
        table.add_row(f"{wait.tile.code} {ZH_NAMES[wait.tile]}", str(wait.remaining), *cells)
    if all(way.score.legal for wait in found.waits for way in wait.ways):
        return table
    return Group(table, Text("In parentheses: complete, but not allowed to win.", style="dim"))


def split_text(split: Iterable[SetPart]) -> str:
    """The parts of a split by their codes; the one with the winning tile is marked ``+``."""
    return " | ".join(
        tile_codes(part.tiles) + (" +" if part.has_winning_tile else "") for part in split
    )


def _verdict(rules: RuleSet, score: Score) -> Text:
    if score.legal:
        word, style = "win", "bold green"
    else:
        word, style = ("win not allowed" if score.complete else "no winning hand"), "bold red"
    text = Text(f"{rules.id} {rules.name_zh}: ")
    text.append(f"{score.total} {_UNIT_NAMES.get(score.unit, score.unit)}", style="bold")
    text.append(f", {word}", style=style)
    if rules.minimum:
        apart = ", flowers apart" if any(tile.is_flower for tile in rules.tiles) else ""
        text.append(f" (minimum {rules.minimum}{apart})")
    return text


def _fan_table(score: Score, explain: bool) -> Table:
    table = Table(show_header=True)
    table.add_column("points", justify="right")
    for heading in ("番种", "fan", "sets", "clause"):
        table.add_column(heading)
    if explain:
        table.add_column("why")
    for fan in score.fans:
        sets = split_text(score.split[index] for index in fan.parts).replace(" +", "")
        row = [_points(fan), fan.zh, fan.en, sets, fan.clause]
        table.add_row(*map(escape, [*row, f"{fan.why_en}\n{fan.why_zh}"] if explain else row))
    return table


def _points(fan: FanLine | ExcludedFan) -> str:
    return str(fan.points) if fan.count == 1 else f"{fan.count} × {fan.points}"


def _excluded_table(score: Score, explain: bool) -> Table:
    names = {fan.id: fan.zh for fan in score.fans} | {fan.id: fan.zh for fan in score.excluded}
    table = Table(title="Not counted", title_justify="left")
    table.add_column("points", justify="right")
    for heading in ("番种", "fan", "principle", "because of"):
        table.add_column(heading)
    if explain:
        table.add_column("reason")
        table.add_column("clause")
    for fan in score.excluded:
        row = [
            _points(fan),
            fan.zh,
            fan.en,
            PRINCIPLE_NAMES[fan.principle],
            names.get(fan.by or "", fan.by or ""),
        ]
        reason = f"{fan.reason_en}\n{fan.reason_zh}"
        table.add_row(*map(escape, [*row, reason, fan.clause] if explain else row), style="dim")
    return table


def _payment_lines(score: Score) -> Text:
    lines = [_payment(payment) for payment in score.payments]
    return Text("\n".join(["Payments", *lines, f"The winner receives {score.winner_receives}."]))


def _payment(payment: Payment) -> str:
    many = payment.count != 1
    who = f"{payment.payer}, {payment.count} players" if many else payment.payer
    return f"{who}: {payment.amount}{' each' if many else ''}" + (
        f" = {payment.formula}" if payment.formula else ""
    )
