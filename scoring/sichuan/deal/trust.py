"""What a settlement takes on trust, because the log gives no tiles that would prove it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.result import Problem
from hupai.scoring.sichuan.deal.log import Deal, Event, Kong, Pung, WallEnd, Win


def trust_note(deal: Deal) -> tuple[Problem, ...]:
    """Name the events that are believed as they stand; nothing if all have their tiles."""
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


def trust_summary(deals: Sequence[Deal]) -> tuple[Problem, ...]:
    """Write in one note what the deals of a session take on trust, and in which of them."""
    claims: dict[tuple[str, str], list[int]] = {}
    for number, deal in enumerate(deals, 1):
        kinds = [kind for event in deal.events if (kind := _kind(event)) is not None]
        for kind in dict.fromkeys(kinds):
            claims.setdefault(kind, []).append(number)
    if not claims:
        return ()
    en = "; ".join(
        f"{kind} ({'deal' if len(numbers) == 1 else 'deals'} {_runs(numbers, '-')})"
        for (kind, _), numbers in claims.items()
    )
    zh = "；".join(
        f"{kind}（第 {_runs(numbers, '至', '、')} 副）" for (_, kind), numbers in claims.items()
    )
    return (
        problem(
            "deal_on_trust",
            f"Taken on trust, as the logs give no tiles for it: {en}.",
            f"记录未附牌张，以下按所报认定：{zh}。",
        ),
    )


def _kind(event: Event) -> tuple[str, str] | None:
    """Name in general what an event states without tiles; None if its tiles prove it."""
    if next(_believed(event), None) is None:
        return None
    match event:
        case Kong():
            return "kongs", "开杠"
        case Pung():
            return "pungs", "碰"
        case Win():
            return "base points of wins", "和牌的基本分"
        case _:
            return "who was ready at the end of the wall", "流局时的听牌"


def _runs(numbers: Sequence[int], to: str, separator: str = ", ") -> str:
    """Write ascending numbers, three or more in a row as a range: 1-4, 6."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return separator.join(
        f"{run[0]}{to}{run[-1]}" if len(run) > 2 else separator.join(map(str, run)) for run in runs
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
