"""The log of a table as rows, as CSV, and as an edit decision list (CMX 3600)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise

from pydantic import BaseModel

from hupai.api.overlay.schemas import Card
from hupai.api.overlay.store.seat_actions import LoggedEvent

LAST_SECONDS = 5
"""Length in a list of cuts of a hand that is still on air, seconds."""


class LogEntry(BaseModel):
    """A change on air: `kind` is ``hand`` or ``hide``; `tiles` as the viewers saw them."""

    number: int
    at: datetime
    seat: str
    player: str = ""
    kind: str
    tiles: str = ""
    total: int | None = None
    unit: str = ""
    waits: list[str] = []
    author: str


class LogOut(BaseModel):
    """The log of a table, oldest first."""

    table: str
    entries: list[LogEntry]


def log_entries(events: Iterable[LoggedEvent]) -> list[LogEntry]:
    """Return what happened at the seats; changes of the table's looks are left out."""
    entries = []
    players: dict[str, str] = {}
    for logged in events:
        event = logged.event
        if event.seat is None:
            continue
        card = event.card
        if card is not None:
            players[event.seat] = card.player
        entries.append(
            LogEntry(
                number=event.number,
                at=event.at,
                seat=event.seat,
                player=players.get(event.seat, ""),
                kind=event.kind,
                tiles="" if card is None else tiles_text(card),
                total=None if card is None or card.score is None else card.score.total,
                unit="" if card is None or card.score is None else card.unit_en,
                waits=[] if card is None else [wait.tile for wait in card.waits or []],
                author=logged.author,
            )
        )
    return entries


def tiles_text(card: Card) -> str:
    """Write a card's tiles in a line: concealed, melds in brackets, the winning tile."""
    parts = ["".join(card.concealed)]
    parts += [f"[{''.join(meld.tiles)}]" for meld in card.melds]
    parts += [f"+{card.winning_tile}"] if card.winning_tile else []
    parts += [f"flowers {''.join(card.flowers)}"] if card.flowers else []
    return " ".join(part for part in parts if part)


def log_csv(entries: Sequence[LogEntry], zone: tzinfo) -> str:
    """Return the log as CSV, times in a zone."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(
        ["number", "time", "seat", "player", "kind", "tiles", "total", "unit", "waits", "author"]
    )
    for entry in entries:
        row = entry.model_dump()
        row["waits"] = " ".join(entry.waits)
        row["at"] = entry.at.astimezone(zone).isoformat(timespec="milliseconds")
        row["total"] = "" if entry.total is None else entry.total
        writer.writerow([_no_formula(str(value)) for value in row.values()])
    return out.getvalue()


def log_edl(table: str, entries: Sequence[LogEntry], zone: tzinfo, fps: int) -> str:
    """Return the hands as an edit decision list: one event from going on air until leaving it.

    Timecodes are the time of day in the zone, so they fit a recording whose timecode is the time of
    day. The form is CMX 3600, without drop frames.

    Args:
        table: its id, the list's title.
        entries: the log, oldest first.
        zone: zone of the timecodes.
        fps: frames a second, a whole number.
    """
    lines = [f"TITLE: {table}", "FCM: NON-DROP FRAME", ""]
    for number, (entry, end) in enumerate(_shown(entries), 1):
        start, stop = (_timecode(at.astimezone(zone), fps) for at in (entry.at, end))
        score = "" if entry.total is None else f", {entry.total} {entry.unit}"
        lines += [
            f"{number:03d}  AX       V     C        {start} {stop} {start} {stop}",
            f"* FROM CLIP NAME: {_one_line(entry.player or entry.seat)}",
            f"* COMMENT: {_one_line(entry.tiles)}{score}",
            "",
        ]
    return "\n".join(lines)


def _shown(entries: Sequence[LogEntry]) -> Iterator[tuple[LogEntry, datetime]]:
    """Yield each hand and when it was replaced or hidden."""
    seats = dict.fromkeys(entry.seat for entry in entries)
    found = []
    for seat in seats:
        own = [entry for entry in entries if entry.seat == seat]
        for entry, after in pairwise([*own, None]):
            if entry is not None and entry.kind == "hand":
                end = entry.at + timedelta(seconds=LAST_SECONDS) if after is None else after.at
                found.append((entry, end))
    yield from sorted(found, key=lambda pair: pair[0].number)


def _timecode(at: datetime, fps: int) -> str:
    return f"{at:%H:%M:%S}:{at.microsecond * fps // 1_000_000:02d}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _no_formula(text: str) -> str:
    """Keep a spreadsheet from taking a player's name for a formula; numbers stay numbers."""
    number = text[1:].isdecimal() and text[0] in "+-"
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not number else text
