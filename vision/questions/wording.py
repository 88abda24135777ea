"""Outcomes and assessments in words, English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from hupai.scoring.tiles import ZH_NAMES
from hupai.vision.questions.types import Outcome, OutcomeDistribution, Question

_UNITS_ZH = {"fan": "番", "points": "分", "times": "倍"}
"""Chinese names of the units."""
_MAX_NAMED = 3
"""Maximum number of totals that are listed one by one."""


def agreed_text(outcomes: OutcomeDistribution, unit: str, *, several: bool) -> tuple[str, str]:
    """Describe an outcome that nothing open changes."""
    en, zh = _listed([outcome for outcome, _ in outcomes], unit)
    if several:
        return f"{en} either way", f"无论如何都是{' ' if zh[0].isdigit() else ''}{zh}"
    return en, zh


def open_text(
    outcomes: OutcomeDistribution, question: Question | None, unit: str, negligible: float
) -> tuple[str, str]:
    """Describe the possible outcomes of a hand and the question that decides between them.

    Each answer, or the hand itself if nothing is asked, is described by its likeliest outcome.
    Without a question, other outcomes are not mentioned if their probability is `negligible`.
    """
    likeliest = [outcomes[0][0]]
    if question is not None:
        likeliest = [option.outcomes[0][0] for option in question.options]
    en, zh = _listed(likeliest, unit)
    is_settled = question is None and outcomes[0][1] >= 1 - negligible
    same = len({(o.total, o.legal, o.complete, o.waits) for o in likeliest}) == 1
    if same and len(outcomes) > 1 and not is_settled:
        en, zh = f"{en}, most likely", f"很可能是 {zh}"
    if question is None:
        return en, zh
    return f"{en}. {question.text_en}", f"{zh}。{question.text_zh}"


def _listed(outcomes: Sequence[Outcome], unit: str) -> tuple[str, str]:
    """List distinct outcomes: totals that win, totals that may not, no win at all."""
    en, zh = [], []
    for legal in (True, False):
        totals = sorted({o.total for o in outcomes if o.complete and o.legal is legal})
        if totals:
            one_en, one_zh = _totals(totals, unit)
            en.append(one_en if legal else f"{one_en} (not allowed)")
            zh.append(one_zh if legal else f"{one_zh}（不能和）")
    for waits in sorted({o.waits for o in outcomes if not o.complete}):
        if waits:
            en.append(f"not won, waits for {' '.join(tile.code for tile, _ in waits)}")
            zh.append(f"未和牌，听{'、'.join(ZH_NAMES[tile] for tile, _ in waits)}")
        else:
            en.append("no win")
            zh.append("未和牌")
    return " or ".join(en), "或".join(zh)


def _totals(totals: Sequence[int], unit: str) -> tuple[str, str]:
    unit_en = "point" if unit == "points" and list(totals) == [1] else unit
    if len(totals) > _MAX_NAMED:
        span_en = span_zh = f"{totals[0]}-{totals[-1]}"
    else:
        span_en, span_zh = " or ".join(map(str, totals)), "或".join(map(str, totals))
    return f"{span_en} {unit_en}", f"{span_zh} {_UNITS_ZH.get(unit, unit)}"
