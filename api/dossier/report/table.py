"""Where the hand was played: tournament and table, the players, and the lines they sign on."""

from __future__ import annotations

from hupai.api.dossier.case import Case
from hupai.api.dossier.chain.events import PlayedAt, PlayerRecord, Seat
from hupai.api.dossier.report.pdf import INK, MARGIN, SOFT, WIDTH, Cell, Paper
from hupai.api.dossier.report.wording import Words

_SEATS: tuple[Seat, ...] = ("E", "S", "W", "N")
_GAP = 6.0
_LINE_HIGH = 27.0


def place_of(words: Words, place: PlayedAt) -> str:
    """Return tournament, session, table, round and number of the hand, as far as they are known."""
    named = (
        ("tournament", place.tournament),
        ("session", place.session),
        ("table", place.table),
        ("round", place.round),
        ("hand_number", place.hand),
    )
    return " · ".join(f"{words(key)} {value}" for key, value in named if value)


def players_of(paper: Paper, words: Words, case: Case) -> None:
    """Write the players with seats and numbers, and who won on whose tile."""
    if not case.place.players:
        return
    names = {player.seat: player for player in case.place.players}
    winner, discarder = _winner(case), _discarder(case)
    row = []
    for seat in _SEATS:
        player = names.get(seat, PlayerRecord(seat=seat))
        part = _part(words, seat, winner, discarder, drawn=_self_drawn(case))
        row.append(Cell(((_named(words, player), INK), *(((part, SOFT),) if part else ()))))
    paper.ln(1)
    paper.write_table([words(f"seat_{seat}") for seat in _SEATS], [1, 1, 1, 1], [row], 8.5)


def signatures(paper: Paper, words: Words, case: Case) -> None:
    """Draw the lines to sign on: the players whom the hand concerns, then the referee.

    A self-drawn win concerns all four players; a win on a discard concerns winner and discarder, or
    all four if the case names them.
    """
    players = case.place.players
    names = {player.seat: player for player in players}
    winner, discarder = _winner(case), _discarder(case)
    drawn = _self_drawn(case)
    lines: list[tuple[str, str]] = []
    if players:
        for seat in _SEATS:
            player = names.get(seat, PlayerRecord(seat=seat))
            part = _part(words, seat, winner, discarder, drawn=drawn)
            who = f"{words(f'seat_{seat}')}: {part}" if part else words(f"seat_{seat}")
            lines.append((who, _named(words, player)))
    else:
        lines.append((words("signed_winner"), ""))
        others = ["signed_opponent"] * 3 if drawn else ["signed_discarder"]
        lines += [(words(key), "") for key in others]
    paper.room(16 + 2 * _LINE_HIGH)
    paper.heading(words("signatures"))
    _lines(paper, words, lines, 4 if len(lines) == 4 else 3)
    _lines(paper, words, [(words("signed_referee"), ""), (words("signed_referee"), "")], 3)


def _lines(paper: Paper, words: Words, lines: list[tuple[str, str]], columns: int) -> None:
    """Draw a row of lines: who signs, the name in print, the date."""
    column = (WIDTH - _GAP * (columns - 1)) / columns
    top = paper.get_y() + 10
    for number, (who, name) in enumerate(lines):
        x = MARGIN + number * (column + _GAP)
        paper.set_draw_color(*INK)
        paper.line(x, top, x + column, top)
        paper.set_xy(x, top + 0.8)
        paper.write_text(who, 7.5, width=column)
        paper.set_x(x)
        paper.write_text(f"{words('printed_name')}: {name}", 7.5, SOFT, width=column)
        paper.set_x(x)
        paper.write_text(f"{words('date')}:", 7.5, SOFT, width=column)
    paper.set_xy(MARGIN, top + _LINE_HIGH - 10)


def _named(words: Words, player: PlayerRecord) -> str:
    number = f" ({words('player_number')} {player.number})" if player.number else ""
    return f"{player.name}{number}".strip()


def _part(
    words: Words, seat: str, winner: str | None, discarder: str | None, *, drawn: bool
) -> str:
    if seat == winner:
        return words("signed_winner")
    if seat == discarder and not drawn:
        return words("signed_discarder")
    return ""


def _winner(case: Case) -> str | None:
    """Return the winner's seat: as stated, or from the seat wind of the hand."""
    if case.place.winner is not None or case.standing is None:
        return case.place.winner or case.opening.circumstances.seat_wind
    return case.standing.circumstances.seat_wind


def _discarder(case: Case) -> str | None:
    return case.place.discarder


def _self_drawn(case: Case) -> bool:
    how = case.standing.circumstances if case.standing is not None else case.opening.circumstances
    return how.self_drawn
