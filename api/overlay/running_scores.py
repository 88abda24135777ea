"""The running scores on the scoreboard, taken from the log of a session."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from hupai.api.overlay.schemas import Board, BoardSeat, TableState
from hupai.api.web.problems import invalid_field, refused_log
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.session import session_sheet


def board_of_session(state: TableState, log: dict[str, Any]) -> Board:
    """Return the table's scoreboard with a session's scores, next dealer and next deal.

    Players of the session are found at the seats by their names; other seats stay as they are.

    Args:
        state: the table.
        log: a session as `hupai.scoring.session.session_sheet` takes it.

    Raises:
        ApiProblem: if the log cannot be read, none of its players sits at the table, or a
            scoreboard cannot show its deal or scores.
    """
    try:
        sheet = session_sheet(log)
    except CaseFormatError as error:
        raise refused_log(error, ("session",)) from None
    scores = dict(sheet.rows[-1].running) if sheet.rows else dict.fromkeys(sheet.players, 0)
    before = {place.seat: place for place in state.table.board.seats}
    seats = []
    for place in state.seats:
        now = before.get(place.seat, BoardSeat(seat=place.seat))
        if place.player in scores:
            changes: dict[str, Any] = {"score": scores[place.player]}
            if sheet.next_dealer is not None:
                changes["dealer"] = place.player == sheet.next_dealer
            now = now.model_copy(update=changes)
        seats.append(now)
    if not {place.player for place in state.seats} & set(scores):
        named = ", ".join(sheet.players)
        raise invalid_field(
            "session.players",
            f"none of them sits here: {named}; name the players at their seats",
            f"本场选手均不在座：{named}；请在各座位填写选手姓名",
        )
    board = state.table.board.model_copy(update={"seats": seats, "deal": len(sheet.rows) + 1})
    try:
        return Board.model_validate(board.model_dump())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise invalid_field(
            "session",
            f"a scoreboard cannot show its {where}: {first['msg']}",
            f"记分牌无法显示 {where}",
        ) from None
