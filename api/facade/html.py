"""Results as HTML for notebooks: self-contained, escaped, tiles drawn from the project's faces."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape

from hupai.datasets.faces.svg import face_svg
from hupai.scoring.compare import Comparison
from hupai.scoring.hand import Hand
from hupai.scoring.notation import format_hand
from hupai.scoring.result import ExcludedFan, FanLine, Problem, RuleSet, Score
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.scoring.waits import Waits
from hupai.vision.types import PhotoProblem, PhotoReading

_DRAWN_HANDS = 3
"""Number of likely hands that are drawn; the others are written in notation."""

_TILE = (
    "height:2.6em;width:1.95em;margin:1px;vertical-align:middle;background:#fffdf6;"
    "border:1px solid #b9b09a;border-radius:3px;box-sizing:border-box"
)
_GAP = '<span style="display:inline-block;width:.7em"></span>'


@cache
def _face(tile: Tile) -> str:
    """Return the drawing of a tile as a data address."""
    return "data:image/svg+xml;base64," + base64.b64encode(face_svg(tile).encode()).decode()


def _drawn(tiles: Iterable[Tile]) -> str:
    return "".join(
        f'<img src="{_face(tile)}" alt="{escape(tile.code)}" title="{ZH_NAMES[tile]}" '
        f'style="{_TILE}">'
        for tile in tiles
    )


def _drawn_hand(hand: Hand) -> str:
    """Draw concealed tiles, melds, flowers and the winning tile, apart from each other."""
    won = () if hand.winning_tile is None else (hand.winning_tile,)
    parts = [hand.concealed, *(meld.tiles for meld in hand.melds), hand.flowers]
    drawn = [_drawn(part) for part in parts if part]
    drawn += [f"+&nbsp;{_drawn(won)}"] if won else []
    return (
        f'<div title="{escape(format_hand(hand))}" style="line-height:3em">{_GAP.join(drawn)}</div>'
    )


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, html: bool = False) -> str:
    """Return a table; cells are escaped unless they are HTML already."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:left">{cell if html else escape(cell)}</td>' for cell in row
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _problems(problems: Iterable[Problem | PhotoProblem]) -> str:
    lines = "".join(
        f"<li><b>{problem.severity.value}</b>: {escape(problem.message)} "
        f'<span lang="zh">{escape(problem.message_zh)}</span></li>'
        for problem in problems
    )
    return f"<ul>{lines}</ul>" if lines else ""


def photo(reading: PhotoReading, jpeg: bytes) -> str:
    """Return the annotated photo with the likely hands, drawn, and the problems."""
    read = reading.reading
    picture = base64.b64encode(jpeg).decode()
    name = escape(reading.photo.path)
    rows = [
        (
            f"{likely.probability:.3f}",
            _drawn_hand(likely.hand) if number < _DRAWN_HANDS else escape(format_hand(likely.hand)),
        )
        for number, likely in enumerate(read.hands)
    ]
    hands = _table(("probability", "hand"), rows, html=True) if rows else "<p>no legal hand</p>"
    certain = " · certain" if read.certain else ""
    return (
        f'<div><p><b>{name}</b>{certain}</p><img src="data:image/jpeg;base64,{picture}" '
        f'alt="{name}" style="max-width:100%">{hands}{_problems(read.problems)}</div>'
    )


def score(rules: RuleSet, hand: Hand, score: Score, remark: str = "") -> str:
    """Return the hand, drawn, with what counts, what does not, payments and problems."""
    outcome = "win" if score.legal else "win not allowed" if score.complete else "no win"
    parts = [
        f"<p><b>{score.total} {escape(score.unit)}</b> · {outcome} · "
        f"{escape(rules.id)} {escape(rules.name_zh)}</p>",
        _drawn_hand(hand),
    ]
    if remark:
        parts.append(f"<p><i>{escape(remark)}</i></p>")
    if score.fans:
        rows = [(_points(fan), fan.zh, fan.en, fan.clause, fan.why_en) for fan in score.fans]
        parts.append(_table(("points", "番种", "fan", "clause", "why"), rows))
    if score.excluded:
        rows = [(_points(fan), fan.zh, fan.en, fan.clause, fan.reason_en) for fan in score.excluded]
        table = _table(("points", "番种", "fan", "clause", "why it does not count"), rows)
        parts.append(f"<details><summary>Not counted</summary>{table}</details>")
    if score.payments:
        payments = [
            (one.payer, str(one.count), str(one.amount), one.formula) for one in score.payments
        ]
        parts.append(_table(("who pays", "players", "each", "how"), payments))
        parts.append(f"<p>The winner receives {score.winner_receives}.</p>")
    return f"<div>{''.join(parts)}{_problems(score.problems)}</div>"


def _points(fan: FanLine | ExcludedFan) -> str:
    return str(fan.points) if fan.count == 1 else f"{fan.count} × {fan.points}"


def waits(found: Waits) -> str:
    """Return the hand and the tiles it waits for, drawn, with the total of each way of winning."""
    ways = list(dict.fromkeys(way.way for wait in found.waits for way in wait.ways))
    rows = []
    for wait in found.waits:
        totals = {
            way.way: str(way.score.total) if way.score.legal else f"({way.score.total})"
            for way in wait.ways
        }
        cells = [totals.get(way, "") for way in ways]
        rows.append((_drawn((wait.tile,)), str(wait.remaining), *cells))
    headings = ("tile", "left", *(f"{way.zh} {way.en}" for way in ways))
    body = _table(headings, rows, html=True) if rows else "<p>not ready</p>"
    hand = _drawn_hand(found.hand)
    problems = _problems((*found.problems, *found.bars))
    return f"<div><p><b>{escape(found.rules)}</b></p>{hand}{body}{problems}</div>"


def comparison(found: Comparison) -> str:
    """Return the hand, drawn, with its total and fans under each rule set."""
    rows = [
        (
            column.rules,
            column.name_zh,
            f"{column.score.total} {column.score.unit}",
            column.status.value.replace("_", " "),
            "、".join(fan.zh for fan in column.score.fans),
        )
        for column in found.columns
    ]
    table = _table(("rules", "规则", "total", "outcome", "fan"), rows)
    return f"<div>{_drawn_hand(found.hand)}{table}</div>"
