"""Draws exact hands over corrected photos as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.learning.measure import PHOTOS

_COLOURS = ("#c2410c", "#1d4ed8", "#15803d")
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 360, 50, 20, 300


def plot(rows: Sequence[Mapping[str, Any]], tables: Sequence[str], hands: int) -> str:
    """Draw a line for each table and order; of several random orders their mean.

    Args:
        rows: with table, photos, order (none before corrections) and hands_exact.
        tables: names of up to three tables.
        hands: number of hands measured on each.
    """
    steps = (0, *PHOTOS)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
    ]

    def at(step: int, exact: float) -> tuple[float, float]:
        return _LEFT + 100 * steps.index(step), _BOTTOM - (_BOTTOM - _TOP) * exact / hands

    for exact in range(0, hands + 1, 10):
        y = at(0, exact)[1]
        lines.append(f'<path d="M{_LEFT} {y}H{_LEFT + 400}" stroke="#ddd"/>')
        lines.append(f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{exact}</text>')
    for step in steps:
        lines.append(
            f'<text x="{at(step, 0)[0]}" y="{_BOTTOM + 18}" text-anchor="middle">{step}</text>'
        )
    lines.append(
        f'<text x="{_LEFT + 200}" y="{_BOTTOM + 40}" text-anchor="middle">photos corrected</text>'
    )
    lines.append(f'<text x="{_LEFT}" y="12">hands exact of {hands}</text>')
    for k, name in enumerate(tables):
        for order, dash in (("suggested", ""), ("random", "6 4")):
            known = {
                step: np.mean([row["hands_exact"] for row in some])
                for step in steps
                if (some := [row for row in rows if _is_point(row, name, order, step)])
            }
            points = " ".join(
                f"{x:.0f},{y:.1f}" for x, y in (at(step, float(v)) for step, v in known.items())
            )
            lines.append(
                f'<polyline points="{points}" fill="none" stroke="{_COLOURS[k]}" stroke-width="2" '
                f'stroke-dasharray="{dash}"/>'
            )
            y = 40 + 40 * k + 18 * (order == "random")
            lines.append(
                f'<path d="M470 {y - 4}h30" stroke="{_COLOURS[k]}" stroke-width="2" '
                f'stroke-dasharray="{dash}"/><text x="508" y="{y}">{name}, {order}</text>'
            )
    return "\n".join([*lines, "</svg>"]) + "\n"


def _is_point(row: Mapping[str, Any], table: str, order: str, step: int) -> bool:
    there = row["table"] == table and row["photos"] == step
    return there and str(row.get("order", order)).startswith(order)
