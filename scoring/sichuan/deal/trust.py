"""What a settlement takes on trust, because the log gives no tiles that would prove it."""

from __future__ import annotations

from collections.abc import Iterator

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.result import Problem
from hupai.scoring.sichuan.deal.log import Deal, Event, Kong, Pung, WallEnd, Win


def trust_note(deal: Deal) -> tuple[Problem, ...]:
    """Name the events that are believed as they stand; nothing where all have their tiles."""
    believed = [
        (number, en, zh)
        for index, event in enumerate(deal.events)
        if (number := deal.number(index)) is not None
        for en, zh in _believed(event)
    ]
    if not believed:
        return ()
    en = ", ".join(f"{what} of event {number + 1}" for number, what, _ in believed)
    zh = "、".join(f"第 {number + 1} 项{what}" for number, _, what in believed)
    return (
        problem(
            "deal_on_trust",
            f"Taken on trust, as the log gives no tiles for it: {en}.",
            f"记录未附牌张，以下按所报认定：{zh}。",
        ),
    )


def _believed(event: Event) -> Iterator[tuple[str, str]]:
    match event:
        case Kong(tile=None):
            yield f"the {event.kind.value.replace('_', ' ')} kong", "开杠"
        case Pung(tile=None):
            yield "the pung", "碰"
        case Win():
            without = [w.player for w in event.winners if w.hand is None]
            if without:
                yield f"the base points of {', '.join(without)}", f"{'、'.join(without)}的基本分"
        case WallEnd():
            shown = {name for name, _ in event.hands}
            named = [*(one.player for one in event.ready), *event.not_ready]
            without = [name for name in dict.fromkeys(named) if name not in shown]
            if without:
                yield f"the readiness of {', '.join(without)}", f"{'、'.join(without)}的听牌"
