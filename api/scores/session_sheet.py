"""A session's sheet as a page to print, in the form of annex A (附录A 记分表)."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hupai.scoring import rule_sets
from hupai.scoring.sessions.sheet import Sheet, SheetPlace, SheetRow
from hupai.scoring.sessions.tables import decimal

STYLE = (
    "body{font:14px/1.4 system-ui,'Noto Sans CJK SC',sans-serif;margin:2em auto;max-width:60em}"
    "table{border-collapse:collapse;width:100%;margin:1em 0}"
    "th,td{border:1px solid #888;padding:.3em .5em;text-align:right}"
    "th{background:#eee}td.l,th.l{text-align:left}.sign td{height:3em}"
    "@media print{body{margin:0}th{background:none}}"
)
"""The sheet's own style, so that a saved file prints alike."""


def sheet_html(sheet: Sheet) -> str:
    """Write the page; names and reasons are escaped."""
    rules = rule_sets.get(sheet.rules)
    title = f"{rules.name_zh} 记分表"
    by_name = {place.player: place for place in sheet.places}
    places = [by_name[player] for player in sheet.players]
    heads = "".join(f'<th colspan="2">{escape(player)}</th>' for player in sheet.players)
    sub = "<th>比赛分<br>points</th><th>累计<br>sum</th>" * len(sheet.players)
    problems = "".join(
        f'<li class="{one.severity.value}">{escape(one.message_zh)}<br>{escape(one.message)}</li>'
        for one in sheet.problems
    )
    return (
        '<!doctype html><html lang="zh"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1><p>{escape(rules.name_en)}</p>"
        '<table><thead><tr><th class="l" rowspan="2">副数 deal</th>'
        f'<th class="l" rowspan="2">庄家 dealer</th>{heads}</tr><tr>{sub}</tr></thead><tbody>'
        f"{''.join(map(_row, sheet.rows))}{_totals(places)}</tbody></table>"
        f"{_fines(sheet)}{f'<ul>{problems}</ul>' if problems else ''}"
        f"{_signatures(sheet.players)}</body></html>"
    )


def _row(row: SheetRow) -> str:
    cells = "".join(
        f"<td>{points:+d}</td><td>{total:+d}</td>"
        for (_, points), (_, total) in zip(row.net, row.running, strict=True)
    )
    dealer = escape(row.dealer or "")
    return f'<tr><td class="l">{row.deal}</td><td class="l">{dealer}</td>{cells}</tr>'


def _totals(places: list[SheetPlace]) -> str:
    lines = [
        ("本场比赛分 score", [f"{place.score:+d}" for place in places]),
        ("扣分 fines", [str(place.fined) for place in places]),
        ("名次 place", [str(place.rank) for place in places]),
    ]
    if any(place.standard is not None for place in places):
        lines.append(("标准分 standard points", [decimal(place.standard) for place in places]))
    return "".join(
        f'<tr><th class="l" colspan="2">{name}</th>{_wide(values)}</tr>' for name, values in lines
    )


def _wide(values: Iterable[str]) -> str:
    return "".join(f'<th colspan="2">{value}</th>' for value in values)


def _fines(sheet: Sheet) -> str:
    if not sheet.fines:
        return ""
    rows = "".join(
        f'<tr><td class="l">{fine.deal or ""}</td><td class="l">{escape(fine.player)}</td>'
        f'<td>{fine.points}</td><td class="l">{escape(fine.reason_zh)}<br>'
        f'{escape(fine.reason_en)}</td><td class="l">{escape(fine.clause)}</td></tr>'
        for fine in sheet.fines
    )
    return (
        '<table><thead><tr><th class="l">副数 deal</th><th class="l">选手 player</th>'
        '<th>判罚 points</th><th class="l">判罚原因 reason</th><th class="l">条文 clause</th></tr>'
        f"</thead><tbody>{rows}</tbody></table>"
    )


def _signatures(players: tuple[str, ...]) -> str:
    cells = "".join(f'<td class="l">签字确认 {escape(player)}</td>' for player in players)
    return f'<table class="sign"><tr>{cells}<td class="l">裁判签字 referee</td></tr></table>'
