"""A session's sheet as CSV, in the columns of annex A."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

from hupai.scoring.sessions.sheet import Sheet


def sheet_csv(sheet: Sheet) -> str:
    """Write the sheet: a row a deal with points and running sum of each player, then the totals,
    places and standard points, then the fines.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(["规则 rules", sheet.rules])
    heads = [cell for player in sheet.players for cell in (_safe(player), "累计 sum")]
    table.writerow(["副数 deal", "庄家 dealer", *heads])
    for row in sheet.rows:
        cells = [
            str(points)
            for (_, net), (_, total) in zip(row.net, row.running, strict=True)
            for points in (net, total)
        ]
        table.writerow([row.deal, _safe(row.dealer or ""), *cells])
    by_name = {place.player: place for place in sheet.places}
    places = [by_name[player] for player in sheet.players]
    table.writerow(["本场比赛分 score", "", *(c for p in places for c in (p.score, ""))])
    table.writerow(["扣分 fines", "", *(c for p in places for c in (p.fined, ""))])
    table.writerow(["名次 place", "", *(c for p in places for c in (p.rank, ""))])
    standard = [c for p in places for c in (decimal(p.standard), "")]
    table.writerow(["标准分 standard points", "", *standard])
    if sheet.fines:
        table.writerow([])
        table.writerow(
            ["副数 deal", "选手 player", "判罚 points", "判罚原因 reason", "条文 clause"]
        )
    for fine in sheet.fines:
        reason = _safe(f"{fine.reason_zh} {fine.reason_en}")
        table.writerow([fine.deal or "", _safe(fine.player), fine.points, reason, fine.clause])
    return text.getvalue()


def decimal(value: Fraction | None) -> str:
    """Write standard points as a decimal number; empty if there are none."""
    return "" if value is None else f"{float(value):g}"


def _safe(text: str) -> str:
    """Keep a spreadsheet from taking a name for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
